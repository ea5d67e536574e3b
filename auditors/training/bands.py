r"""A band for the whole trade-off curve, from the scores of independent runs.

At every threshold the share of false positives and the share of misses are bounded from above at one local level η, by
the exact bound of Clopper and Pearson for one binomial count. η is the largest level for which all of these bounds hold
together with probability 1 − α: since every bound compares the counts below the order statistics of uniform numbers,
it is found by drawing uniform numbers (Berk and Jones). The points of the band lie on or above the true curve.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dpwitness.auditors.outputs.arrays import Floats

DRAWS = 4000
_ROWS = 200


def band(inside: Floats, outside: Floats, alpha: float = 0.05, seed: int = 0) -> tuple[Floats, Floats]:
    """Upper ends (false positives, misses) at every threshold that the scores allow, all valid together.

    >>> fpr, fnr = band(np.arange(50.0) + 30, np.arange(50.0))
    >>> len(fpr) == len(fnr) and bool(np.all(np.diff(fpr) <= 0))
    True
    """
    from scipy.special import betaincinv

    a, b = len(inside), len(outside)
    eta = local_level(a, b, alpha, seed)
    at = np.unique(np.concatenate([inside, outside]))
    misses = np.searchsorted(np.sort(inside), at, "left")
    alarms = b - np.searchsorted(np.sort(outside), at, "left")

    def upper(count: Floats, runs: int) -> Floats:
        found = betaincinv(count + 1.0, np.maximum(runs - count, 1.0), 1 - eta)
        return np.where(count < runs, found, 1.0)

    return upper(alarms.astype(np.float64), b), upper(misses.astype(np.float64), a)


@lru_cache(maxsize=64)
def local_level(a: int, b: int, alpha: float, seed: int = 0) -> float:
    """The level of each bound such that all of them hold together with probability 1 − α; rounded down."""
    spare = 2.5 * np.sqrt(alpha * (1 - alpha) * DRAWS)  # of the simulation: the level is not above the true one
    place = max(0, int(alpha * DRAWS - spare) - 1)
    # the first draws tell how small a level need be to matter: the tails of all others need not be computed
    first = np.sort(_least_tails(a, b, seed, _ROWS, 1.0))
    found = np.sort(_least_tails(a, b, seed, DRAWS, 2 * float(first[min(_ROWS - 1, 2 * place * _ROWS // DRAWS + 5)])))
    if found[place] >= 1.0:  # they were misleading
        found = np.sort(_least_tails(a, b, seed, DRAWS, 1.0))
    return float(found[place])


def _least_tails(a: int, b: int, seed: int, draws: int, below: float) -> Floats:
    """The smallest tail probability of each draw of both samples, and 1 where none is smaller than `below`."""
    from scipy.special import betaincc, betainccinv

    rng = np.random.default_rng(seed)
    least = np.ones(draws)
    for runs in (a, b):
        k = np.arange(1, runs + 1, dtype=np.float64)
        # a place far inside costs nothing: a part in 10⁶ covers the rounding of the inverse
        edge = betainccinv(k, runs - k + 1.0, min(1.0, below)) * (1 - 1e-6) if below < 1 else np.full(runs, -1.0)
        for at in range(0, draws, _ROWS):
            drawn = np.sort(rng.random((_ROWS, runs)), axis=1)
            row, column = np.nonzero(drawn > edge)
            # the k-th smallest has k - 1 below it: the bound fails there where P[Binomial(runs, u) ≤ k - 1] < η
            tails = betaincc(k[column], runs - column, drawn[row, column])
            small = tails < below
            np.minimum.at(least, at + row[small], tails[small])
    return least


def staircase(inside: Floats, outside: Floats) -> tuple[Floats, Floats]:
    """The shares (false positives, misses) that the scores show, from the highest threshold to the lowest."""
    at = np.concatenate([[np.inf], np.unique(np.concatenate([inside, outside]))[::-1]])
    misses = np.searchsorted(np.sort(inside), at, "left") / len(inside)
    alarms = 1 - np.searchsorted(np.sort(outside), at, "left") / len(outside)
    return alarms, misses


def epsilon_of_band(points: tuple[Floats, Floats], delta: float) -> float:
    """The bound on ε at `delta` that a band gives, without any assumption on the curve."""
    false, missed = points
    with np.errstate(divide="ignore", invalid="ignore"):
        forth = np.log(np.maximum(1 - missed - delta, 0)) - np.log(false)
        back = np.log(np.maximum(1 - false - delta, 0)) - np.log(missed)
    return float(max(0.0, np.max(forth, initial=0.0), np.max(back, initial=0.0)))


def mu_of_band(points: tuple[Floats, Floats]) -> float:
    """The bound on μ that a band gives if the curve is Gaussian."""
    from scipy.special import ndtri

    false, missed = points
    some = (false < 1) & (missed < 1)
    return float(max(0.0, np.max(-ndtri(false[some]) - ndtri(missed[some]), initial=0.0)))
