r"""Whether noise comes again: calls that return the same vector, beside what rounding makes equal.

Let the calls have independent normal noise of deviation s in every coordinate, rounded to multiples of g. Two of them
agree in a coordinate with probability at most about :math:`g/(2\sqrt\pi s)`, the largest density of their difference
times g, and in all with at most the product q. Of n calls E = q·n(n−1)/2 pairs are equal on average, so by Markov's
inequality k of them or more are with probability at most E/k, however pairs depend on each other.
"""

from __future__ import annotations

import math

import numpy as np

from dpwitness.auditors.outputs.arrays import Floats

COORDINATES = 64  # that are looked at: more only make a repetition less likely
FEW = 4  # different values of which the differences tell the step of rounding
CLOSE = 1e-9  # of the size of the values: what arithmetic may do to multiples of one number


def freshness(calls: Floats, deviation: float) -> tuple[float, bool, str]:
    """A p-value of calls (rows) being independent, whether it rests on no assumption, and what was seen.

    >>> freshness(np.array([[0.1], [0.2], [0.7]]), 1.0)
    (1.0, False, '3 calls are all different')
    >>> freshness(np.array([[0.123, 4.5], [0.123, 4.5]]), 1.0)[:2]
    (0.0, True)
    """
    rows, counts = np.unique(calls, axis=0, return_counts=True)
    equal = int((counts * (counts - 1)).sum()) // 2
    if not equal:
        return 1.0, False, f"{len(calls)} calls are all different"
    words = "calls return the same vector: there is no noise, or it comes again"
    if len(rows) == 1:
        return 0.0, True, words
    chance = 1.0
    for column in rows.T[:COORDINATES]:
        chance *= min(1.0, _step(np.unique(column)) / (2 * math.sqrt(math.pi) * deviation))
    p = min(1.0, chance * len(calls) * (len(calls) - 1) / 2 / equal)
    return p, False, f"{equal} pairs of {words}, p = {p:.2g} for rounded noise"


def _step(values: Floats) -> float:
    """The number of which all values, or their differences where there are some, are multiples; ∞ of one value."""
    if len(values) == 1:
        return math.inf
    near = CLOSE * float(np.abs(values).max())
    parts = np.diff(values) if len(values) >= FEW else np.abs(values)
    found = 0.0
    for part in map(float, parts):
        rest = part
        while rest > near:
            found, left = rest, found % rest
            rest = 0.0 if found - left < near else left
    return found
