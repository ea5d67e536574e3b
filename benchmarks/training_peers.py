"""Bounds of other methods for audits of training, written from their published formulas."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import betaincinv
from scipy.stats import binom

from dpwitness.auditors.bounds.curves import GaussianCurve
from dpwitness.auditors.training.recursion import impossible

Points = tuple[np.ndarray, np.ndarray]
ToLevel = Callable[[Points], float]


def _upper(count: np.ndarray, runs: int, level: float) -> np.ndarray:
    return np.where(count < runs, betaincinv(count + 1.0, np.maximum(runs - count, 1.0), 1 - level), 1.0)


def clopper_pearson(inside: np.ndarray, outside: np.ndarray, at: np.ndarray, level: float) -> Points:
    """Both error rates of each threshold, each bounded at one level."""
    misses = np.searchsorted(np.sort(inside), at, "left").astype(float)
    alarms = (len(outside) - np.searchsorted(np.sort(outside), at, "left")).astype(float)
    return _upper(alarms, len(outside), level), _upper(misses, len(inside), level)


def bonferroni(inside: np.ndarray, outside: np.ndarray, alpha: float, to_level: ToLevel, most: int = 0) -> float:
    """All thresholds, or `most` of them spread evenly, each with its share of α."""
    at = np.unique(np.concatenate([inside, outside]))
    if most:
        at = at[np.unique(np.linspace(0, len(at) - 1, most).astype(int))]
    return to_level(clopper_pearson(inside, outside, at, alpha / 2 / len(at)))


def split(inside: np.ndarray, outside: np.ndarray, alpha: float, to_level: ToLevel) -> float:
    """Half of the scores choose the threshold, the other half bound its errors."""
    a, b = len(inside) // 2, len(outside) // 2
    at = np.unique(np.concatenate([inside[:a], outside[:b]]))
    false, missed = clopper_pearson(inside[:a], outside[:b], at, alpha / 2)
    tries = [to_level((false[k : k + 1], missed[k : k + 1])) for k in range(len(at))]
    best = at[int(np.argmax(tries))]
    return to_level(clopper_pearson(inside[a:], outside[b:], np.array([best]), alpha / 2))


def steinke(eps: float, delta: float, canaries: int, guesses: int, right: int) -> float:
    """Steinke, Nasr and Jagielski (2023), theorem 5.2: the binomial tail, and 2mδ times its steepest mean rise."""
    q = 1 / (1 + math.exp(-eps))
    beta = float(binom.sf(right - 1, guesses, q))
    i = np.arange(1, right + 1)
    rise = float(np.max((binom.sf(right - i - 1, guesses, q) - beta) / i, initial=0.0))
    return min(1.0, beta + 2 * canaries * delta * rise)


def largest(rejects: Callable[[float], bool], top: float = 16.0) -> float:
    """The largest level that is rejected, by halving."""
    if not rejects(1e-6):
        return 0.0
    low, high = 0.0, top
    while high - low > 2e-3:
        middle = (low + high) / 2
        low, high = (middle, high) if rejects(middle) else (low, middle)
    return low


def recursion_mu(canaries: float, guesses: int, right: int, alpha: float) -> float:
    """Mahloujifar, Melis and Chaudhuri (2024): the largest μ that their recursion rejects, m in full."""
    return largest(lambda mu: impossible(GaussianCurve(max(mu, 1e-6)), canaries, guesses, right, alpha))


def one_sided(scores: np.ndarray, coins: np.ndarray, alpha: float, how: str, thresholds: int = 40) -> float:
    """One-sided guesses with m in full, as jax_privacy documents them: Bonferroni over thresholds, or a split."""
    m = len(scores)
    tries = np.unique(np.round(np.geomspace(5, 0.6 * m, thresholds)).astype(int))
    if how == "bonferroni":
        marks = np.cumsum(coins[np.argsort(-scores)])
        return max(recursion_mu(m, int(c), int(marks[c - 1]), alpha / len(tries)) for c in tries)
    first, second = slice(0, m // 2), slice(m // 2, m)
    tries = np.unique(np.round(np.geomspace(5, 0.3 * m, thresholds)).astype(int))
    marks = np.cumsum(coins[first][np.argsort(-scores[first])])
    best = max(tries, key=lambda c: recursion_mu(m // 2, int(c), int(marks[c - 1]), alpha))
    marks = np.cumsum(coins[second][np.argsort(-scores[second])])
    return recursion_mu(m - m // 2, int(best), int(marks[best - 1]), alpha)
