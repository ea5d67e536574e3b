r"""How few pairs any test needs: the information limit.

No test of level α that surely stops can refute with fewer than about :math:`\ln(1/\alpha)/\mathrm{KL}^*` pairs on
average, where :math:`\mathrm{KL}^* = \min \mathrm{KL}(P\|P_0) + \mathrm{KL}(Q\|Q_0)` over all (ε,δ)-private pairs
:math:`(P_0, Q_0)`. By convex duality it equals the largest growth rate of the e-values of
`dpwitness.auditors.bounds.evalue` with the true π: a concave program in the balance and the caps.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dpwitness.auditors.bounds.evalue import Null, growth
from dpwitness.auditors.outputs.arrays import Floats


def divergence(left: Floats, right: Floats, eps: float, delta: float = 0.0) -> float:
    r""":math:`\mathrm{KL}^*` between a pair of laws on cells and the nearest (ε,δ)-private pair.

    Parameters
    ----------
    left, right
        Cell probabilities on the two inputs.

    Examples
    --------
    Randomized response that is exactly ε-private is its own nearest private pair:

    >>> p = math.e / (1 + math.e)
    >>> abs(divergence(np.array([p, 1 - p]), np.array([1 - p, p]), 1.0)) < 1e-9
    True
    """
    from scipy.optimize import minimize, minimize_scalar

    pi = np.clip(left / np.maximum(left + right, 1e-300), 1e-15, 1 - 1e-15)

    def rate(balance: float, cap_left: float = 1.0, cap_right: float = 1.0) -> float:
        value = growth(left, right, pi, Null(eps, delta, balance, cap_left, cap_right))
        return value if math.isfinite(value) else -1e3

    if delta == 0:
        found = minimize_scalar(lambda b: -rate(b), bounds=(1e-3, 2 - 1e-3), method="bounded", options={"xatol": 1e-7})
        return max(0.0, -float(found.fun), rate(1.0))

    def squash(x: float, top: float) -> float:
        return top * min(max(1 / (1 + math.exp(-min(max(x, -30.0), 30.0))), 1e-9), 1 - 1e-9)

    best = rate(1.0)
    for start in (3.0, -1.0, -5.0):
        found = minimize(
            lambda t: -rate(squash(t[0], 2.0), squash(t[1], 1.0), squash(t[2], 1.0)),
            np.array([0.0, start, start]),
            method="Nelder-Mead",
            options={"xatol": 1e-6, "fatol": 1e-13, "maxiter": 2000},
        )
        best = max(best, -float(found.fun))
    return max(0.0, best)


def fewest_pairs(left: Floats, right: Floats, eps: float, delta: float = 0.0, alpha: float = 1e-3) -> float:
    r""":math:`\ln(1/\alpha)/\mathrm{KL}^*`, infinite where the pair is private.

    >>> p = math.exp(1.3) / (1 + math.exp(1.3))
    >>> round(fewest_pairs(np.array([p, 1 - p]), np.array([1 - p, p]), 1.0))
    432
    """
    rate = divergence(left, right, eps, delta)
    return math.log(1 / alpha) / rate if rate > 1e-12 else math.inf


def cells_of(
    left: Callable[[Floats], Floats], right: Callable[[Floats], Floats], low: float, high: float, count: int = 20001
) -> tuple[Floats, Floats]:
    """Cell probabilities of two laws given by their distribution functions, on a grid with open ends."""
    edges = np.linspace(low, high, count)
    probabilities = [np.diff(np.concatenate([[0.0], law(edges), [1.0]])) for law in (left, right)]
    return probabilities[0], probabilities[1]


def best_bound(left: Floats, right: Floats, runs: int, alpha: float, delta: float = 0.0) -> float:
    r"""The bound on ε that `runs` coin flips give at their expected counts, the best event being known beforehand.

    The best events are likelihood-ratio sets: the cells on which one side is most likely, or, for a rule that guesses
    both sides, those on which either is. All of them are tried.

    >>> p = math.e / (1 + math.e)
    >>> round(best_bound(np.array([p, 1 - p]), np.array([1 - p, p]), 2_000_000, 0.05), 4)
    0.9974
    """
    from dpwitness.auditors.bounds.count import bounds

    best = 0.0
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.nan_to_num(np.log(left) - np.log(right), nan=0.0, posinf=1e9, neginf=-1e9)
    for certain, sides in ((ratio, 1), (-ratio, 1), (np.abs(ratio), 2)):
        right_side = left if certain is ratio else right if sides == 1 else np.maximum(left, right)
        wrong_side = right if certain is ratio else left if sides == 1 else np.minimum(left, right)
        order = np.argsort(-certain, kind="stable")
        right_guesses = np.cumsum(right_side[order]) * runs / 2
        wrong_guesses = np.cumsum(wrong_side[order]) * runs / 2
        some = right_guesses >= 1
        if some.any():
            found = bounds(right_guesses[some], wrong_guesses[some], runs + 1.0, alpha, delta, sides)
            best = max(best, float(found.max()))
    return best
