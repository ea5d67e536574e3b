r"""A bound on the number of right guesses of one run, without a grid of ε.

m canaries, c guesses, W of them right. Write :math:`T_i` for the expected number of right guesses on the event W ≥ i,
and :math:`S_i` for that of wrong guesses on W ≥ i − 1. For each canary, "it is guessed right and W ≥ i" becomes "it is
guessed wrong and W ≥ i − 1" when its coin is turned, so each pair of such events obeys the claimed trade-off: the
smallest probability g(r) beside one of probability r. g is convex, and by averaging over canaries and coins
:math:`S_i/m \ge g(T_i/m)`, with m/2 in place of m where only "in" is guessed: only half of the events are then made.

Starting with :math:`P[W \ge v] = a` put at W = v, which asks least of what lies below, each level i < v must hold at
least the mass that this inequality asks for. Where the total exceeds 1, a is impossible. This is the recursion of
Mahloujifar, Melis and Chaudhuri (2024); the possible values of a are an interval from 0, so any impossible one bounds
it.
"""

from __future__ import annotations

import math
from typing import Any

from dpwitness.auditors.bounds.curves import ApproxCurve, GaussianCurve

_STEPS = 60
_LEAST = 1e-15


def least_beside(curve: Any, r: float) -> float:
    """g(r): the smallest probability on one neighbour of an event that has probability `r` on the other.

    >>> round(least_beside(ApproxCurve(1.0), 0.5), 4)
    0.1839
    """
    if isinstance(curve, GaussianCurve):
        from scipy.special import ndtr, ndtri

        return float(ndtr(ndtri(min(r, 1.0)) - curve.mu)) if r > 0 else 0.0
    points = [(curve.eps, curve.delta)] if isinstance(curve, ApproxCurve) else curve.points
    best = 0.0
    for eps, delta in points:
        big = math.exp(eps)
        best = max(best, (r - delta) / big, 1 - delta - big * (1 - r))
    return best


def impossible(curve: Any, canaries: float, guesses: int, right: int, mass: float) -> bool:
    """Whether P[W ≥ right] = `mass` contradicts the claim; `canaries` is halved where one side is guessed."""
    m, c = canaries, guesses
    r, h = mass * right / m, mass * (c - right) / m
    for i in range(right - 1, -1, -1):
        needed = max(h, least_beside(curve, min(r, 1.0)))
        r, h = r + i / (c - i) * (needed - h), needed
        if r + h > c / m:
            return True
    return r + h > c / m * (1 + 1e-12)


def recursion_p(curve: Any, canaries: int, guesses: int, right: int, sides: int) -> float:
    """The smallest probability that the recursion shows to be impossible: an upper bound on P[W ≥ right].

    >>> round(recursion_p(GaussianCurve(0.5), 1000, 50, 49, 2), 5)
    0.00136
    """
    m = canaries * sides / 2
    if right <= 0 or not impossible(curve, m, guesses, right, 1.0):
        return 1.0
    low, high = math.log(_LEAST), 0.0
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if impossible(curve, m, guesses, right, math.exp(middle)) else (middle, high)
        if high - low < 1e-6:
            break
    return math.exp(high)
