"""Exact statistical tests with a declared error probability, for use in other tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import stats

from dpwitness.core import laws
from dpwitness.core.laws import Law

ALPHA = 1e-6


def counts_agree(counts: Sequence[int], probabilities: Sequence[float], alpha: float = ALPHA) -> bool:
    """Whether counts are consistent with cell probabilities: exact binomial tests, Bonferroni over cells."""
    total = int(sum(counts))
    share = alpha / len(counts)
    for count, p in zip(counts, probabilities, strict=True):
        if p <= 0:
            if count:
                return False
        elif p < 1 and stats.binomtest(int(count), total, p).pvalue < share:
            return False
    return True


def cdf(law: Law, x: np.ndarray) -> np.ndarray:
    """Distribution function of a continuous law with plain parameters, written independently of the sampler."""
    p = {k: float(v) for k, v in law.params().items()}
    match law:
        case laws.Laplace():
            return stats.laplace.cdf(x, scale=p["scale"])
        case laws.Exponential():
            return stats.expon.cdf(x, scale=p["scale"])
        case laws.Gaussian():
            return stats.norm.cdf(x, scale=p["std"])
        case laws.Uniform():
            return stats.uniform.cdf(x, p["low"], p["high"] - p["low"])
        case laws.Gamma():
            return stats.gamma.cdf(x, p["shape"], scale=p["scale"])
        case laws.Admissible():
            w = np.abs(x) ** p["gamma"]
            return 0.5 + 0.5 * np.sign(x) * stats.beta.cdf(w / (1 + w), 1 / p["gamma"], 1 - 1 / p["gamma"])
        case laws.Staircase():
            return _staircase(x, p["eps"], p["sensitivity"], p["split"])
    raise TypeError(law)


def _staircase(x: np.ndarray, eps: float, width: float, split: float) -> np.ndarray:
    b = np.exp(-eps)
    height = (1 - b) / (2 * width * (split + b * (1 - split)))
    size = np.abs(x) / width
    k = np.floor(size)
    part = size - k
    full = (1 - b**k) / (1 - b) * (split + b * (1 - split))
    inside = b**k * (np.minimum(part, split) + b * np.maximum(part - split, 0))
    return 0.5 + np.sign(x) * height * width * (full + inside)


def pmf(law: Law, k: np.ndarray) -> np.ndarray:
    """Probabilities of an integer law."""
    if isinstance(law, laws.DiscreteLaplace):
        q = np.exp(-1 / float(law.scale))
        return (1 - q) / (1 + q) * q ** np.abs(k)
    assert isinstance(law, laws.DiscreteGaussian)
    wide = np.arange(-400, 401)
    weights = np.exp(-(wide**2) / (2 * float(law.variance)))
    return np.exp(-(k**2) / (2 * float(law.variance))) / weights.sum()


def draws_agree(law: Law, draws: np.ndarray, alpha: float = ALPHA) -> bool:
    """Whether draws follow a law: exact binomial tests on eight cells of equal probability (or on single integers)."""
    if law.support == "integers":
        near = np.arange(-3, 4)
        counts = [int((draws == k).sum()) for k in near]
        p = pmf(law, near)
        return counts_agree([*counts, draws.size - sum(counts)], [*p, 1 - p.sum()], alpha)
    cells = np.clip((cdf(law, draws) * 8).astype(int), 0, 7)
    return counts_agree(np.bincount(cells, minlength=8).tolist(), [1 / 8] * 8, alpha)


def scaled(law: Law, factor: float) -> Law:
    """The same law with its scale multiplied."""
    names: dict[str, Any] = law.params()
    for name in ("scale", "std", "sensitivity", "variance", "high", "gamma"):
        if name in names:
            return type(law)(**{**names, name: float(names[name]) * factor})
    raise TypeError(law)
