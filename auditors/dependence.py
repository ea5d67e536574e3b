r"""Whether outputs depend on each other: the order in which they come must tell nothing.

Every bound of an audit rests on outputs that are independent. Where they are, all orders of the outputs of one side are
equally likely, whatever their law. So the ranks :math:`r_1, \ldots, r_n` of a column are compared with those that come
next, in a circle: given the values, :math:`\sum_i r_i r_{i+1}` has a mean and a variance that are known exactly (Wald
and Wolfowitz 1943). Outputs that wander (each near the one before), that repeat, or that alternate show in it.
"""

from __future__ import annotations

import math

import numpy as np

from dpwitness.auditors.arrays import AnyArray, Floats
from dpwitness.auditors.sampling import SIDES
from dpwitness.auditors.table import Table

FEWEST, ENOUGH = 24, 512
MOST_COLUMNS = 32
_CAUTION = 1.15  # times the normal quantile: few ranks, and ties, are only about normal
_HEAVY = 2.2  # standard deviations that a rank may lie from the mean: a rare value makes its own neighbours
_FORMS = 3
_LEAST = 0.2  # correlations below this are too small to change a verdict


def dependent(sides: tuple[Table, Table], level: float) -> str | None:
    """In words, how the outputs of a side depend on each other; None where nothing of the kind shows.

    Parameters
    ----------
    sides
        The first outputs on each input, in the order in which they came.
    level
        The probability with which independent outputs may be called dependent.
    """
    tests = [(side, name, column) for side, table in enumerate(sides) for name, column in _columns(table)]
    if not tests:
        return None
    most = _CAUTION * _quantile(level / len(tests))
    for side, name, column in tests:
        found, deviations = serial_correlation(column)
        if abs(deviations) > most and abs(found) > _LEAST:
            return (
                f"the outputs on {SIDES[side]} depend on each other: {name} has a rank correlation of {found:.2f} with "
                f"the output before it, in {len(column)} outputs ({abs(deviations):.0f} standard errors). An audit "
                "needs independent outputs"
            )
    return None


def serial_correlation(column: Floats) -> tuple[float, float]:
    """The correlation of the ranks with their successors, in a circle, and how many standard errors that is from 0.

    >>> r, z = serial_correlation(np.arange(100.0))
    >>> round(r, 2), z > 9
    (0.94, True)
    """
    x = _ranks(column)
    n = len(x)
    x = x - x.mean()
    s2, s4 = float(np.sum(x**2)), float(np.sum(x**4))
    if s2 <= 0 or n < 4 or float(np.abs(x).max()) > _HEAVY * math.sqrt(s2 / n):
        return 0.0, 0.0
    mean = -s2 / (n - 1)
    variance = (s2 * s2 - s4) / (n - 1) + (s2 * s2 - 2 * s4) / ((n - 1) * (n - 2)) - mean * mean
    total = float(x @ np.roll(x, -1))
    return total / s2, (total - mean) / math.sqrt(variance) if variance > 0 else 0.0


def _columns(table: Table) -> list[tuple[str, Floats]]:
    """What is looked at: the form of the outputs, and each of their numbers."""
    part = table[:ENOUGH]
    if len(part) < FEWEST:
        return []
    common = np.argsort(-np.bincount(part.codes), kind="stable")[
        :_FORMS
    ]  # the number of a form says when it first came
    found: list[tuple[str, Floats]] = [("the form", (part.codes == code).astype(np.float64)) for code in common]
    for j in range(min(MOST_COLUMNS, part.width)):
        column = part.columns[:, j]
        there = ~np.isnan(column)
        if there.sum() >= FEWEST:
            found.append((f"number {j + 1}" if part.width > 1 else "the output", column[there]))
    return [(name, column) for name, column in found if len(np.unique(column)) > 1]


def _ranks(column: Floats) -> Floats:
    """Ranks; equal values share theirs."""
    _, inverse, counts = np.unique(column, return_inverse=True, return_counts=True)
    ends: AnyArray = np.cumsum(counts)
    return np.asarray((ends - (counts - 1) / 2)[inverse.ravel()], dtype=np.float64)


def _quantile(level: float) -> float:
    from scipy.special import ndtri

    return float(-ndtri(min(0.5, level / 2)))
