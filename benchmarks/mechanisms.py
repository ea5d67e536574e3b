"""The mechanisms of the audit benchmarks as plain numpy samplers, written from their descriptions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

Sampler = Callable[[Any, int, np.random.Generator], Any]


def laplace(scale: float) -> Sampler:
    """A number with Laplace noise."""
    return lambda data, size, rng: rng.laplace(data, scale, size)


def gaussian(std: float) -> Sampler:
    """A number with normal noise."""
    return lambda data, size, rng: rng.normal(data, std, size)


def gaussian_std(eps: float, delta: float) -> float:
    """The exact standard deviation of the Gaussian mechanism of sensitivity 1 (Balle and Wang 2018)."""
    from scipy.optimize import brentq

    from dpwitness.auditors.bounds.implied import gaussian_delta

    return float(brentq(lambda s: gaussian_delta(eps, 1 / s) - delta, 0.05, 1e5))


def noisy_max_value(kind: str, scale: float) -> Sampler:
    """The largest noisy answer itself."""

    def sample(data: Any, size: int, rng: np.random.Generator) -> Any:
        shape = (size, len(data))
        noise = rng.laplace(0, scale, shape) if kind == "laplace" else rng.exponential(scale, shape)
        return (np.asarray(data, dtype=float) + noise).max(axis=1)

    return sample


def sparse_vector(
    threshold_scale: float, query_scale: float, cutoff: int | None, *, threshold: float = 0.0, release: str = "bit",
    release_scale: float = 1.0,
) -> Sampler:  # fmt: skip
    """Sparse vector on noisy answers: 1 above, 0 below, −1 after the cutoff; `release` may be the noisy answer.

    With ``release="reused"`` a positive releases the answer with the noise of its comparison (Lyu, Su and Li 2017,
    algorithm 3), with ``"fresh"`` with new noise of scale `release_scale`; there a negative, and whatever comes after
    the cutoff, is NaN: no number.
    """

    def sample(data: Any, size: int, rng: np.random.Generator) -> Any:
        answers = np.asarray(data, dtype=float)
        bar = threshold + rng.laplace(0, threshold_scale, size)[:, None]
        noisy = answers + (rng.laplace(0, query_scale, (size, len(answers))) if query_scale else 0.0)
        above = noisy >= bar
        if release == "reused":
            values = np.where(above, noisy, np.nan)
        elif release == "fresh":
            values = np.where(above, answers + rng.laplace(0, release_scale, above.shape), np.nan)
        else:
            values = above.astype(float)
        if cutoff is not None:
            before: Any = np.cumsum(above, axis=1) - above
            values = np.where(before >= cutoff, np.nan if release != "bit" else -1.0, values)
        return values

    return sample


def truncated_geometric(eps: float, top: int) -> Sampler:
    """A count in 0 .. `top` with two-sided geometric noise, clamped."""
    p = 1 - math.exp(-eps)

    def sample(data: Any, size: int, rng: np.random.Generator) -> Any:
        return np.clip(data + rng.geometric(p, size) - rng.geometric(p, size), 0, top)

    return sample


def prefix_sum(scale: float) -> Sampler:
    """Sums of the first 1, 2, ... noisy answers."""
    return lambda data, size, rng: np.cumsum(rng.laplace(data, scale, (size, len(data))), axis=1)


def parallel_laplace(scale: float, count: int) -> Sampler:
    """The same number, released several times."""
    return lambda data, size, rng: rng.laplace(data, scale, (size, count))


def rappor(f: float, p: float | None, q: float | None, bits: int = 20) -> Sampler:
    """RAPPOR reports of a value whose Bloom filter has the bits `data` set (Erlingsson et al. 2014)."""

    def sample(data: Any, size: int, rng: np.random.Generator) -> Any:
        truth = np.zeros(bits, dtype=bool)
        truth[list(data)] = True
        draw = rng.random((size, bits))
        permanent = np.where(draw < f / 2, True, np.where(draw < f, False, truth))
        if p is None or q is None:
            return permanent.astype(float)
        return (rng.random((size, bits)) < np.where(permanent, q, p)).astype(float)

    return sample


def clipped_mean(
    eps: float, kind: str, count_for_mean: str, count_for_scale: str, delta: float = 1e-5, noise_factor: float = 1.0
) -> Sampler:
    """Mean of values in [0, 1] under add/remove: sum over count plus noise of scale 2/(ε·count).

    Each of the two counts is exact (broken) or noised by Lap(2/ε) (right); `noise_factor` below 1 is too little noise.
    """

    def sample(data: Any, size: int, rng: np.random.Generator) -> Any:
        total, count = float(np.sum(np.clip(data, 0, 1))), float(len(data))
        noised = np.maximum(1.0, count + rng.laplace(0, 2 / eps, size))
        for_mean = noised if count_for_mean == "noised" else np.full(size, max(1.0, count))
        for_scale = noised if count_for_scale == "noised" else np.full(size, max(1.0, count))
        scale = 2 * noise_factor / (eps * for_scale)
        std = math.sqrt(2 * math.log(1.25 / delta))
        noise = rng.laplace(0, 1, size) if kind == "laplace" else rng.normal(0, std, size)
        return total / for_mean + noise * scale

    return sample


def clipped_mean_law(
    data: list[float], eps: float, kind: str, count_for_mean: str, count_for_scale: str, delta: float = 1e-5,
    noise_factor: float = 1.0, nodes: int = 2000, cells: int = 3000,
) -> np.ndarray:  # fmt: skip
    """Cell probabilities of `clipped_mean`, an integral over the noise of the count (midpoints in its quantiles).

    The noisy count is 1 with the probability that the noise takes it below; beyond, its tail is halved again and again
    so that rare large counts, which mean little noise, are met too.
    """
    from scipy import stats

    total, count = float(np.sum(np.clip(data, 0, 1))), float(len(data))
    spread = 2 / eps
    inside = stats.laplace.cdf(1.0 - count, 0, spread)
    tail = (1 - inside) * np.exp(-np.linspace(0, 40, nodes + 1))
    weights = np.concatenate([[inside], -np.diff(tail), [tail[-1]]])
    middles = np.append((tail[1:] + tail[:-1]) / 2, tail[-1] / 2)
    counts = np.concatenate([[1.0], np.maximum(1.0, count + stats.laplace.isf(middles, 0, spread))])
    exact = np.full_like(counts, max(1.0, count))
    for_mean, for_scale = (counts if word == "noised" else exact for word in (count_for_mean, count_for_scale))
    std = math.sqrt(2 * math.log(1.25 / delta))
    noise = stats.laplace(0, 1) if kind == "laplace" else stats.norm(0, std)
    scale = 2 * noise_factor / (eps * for_scale)
    reach = np.geomspace(1e-7, 1.0, cells // 2) * 40 * max(1.0, std / 3) * 2 / eps
    edges = np.concatenate([-reach[::-1], [0.0], reach])
    below = np.zeros(len(edges))
    for weight, center, width in zip(weights, total / for_mean, scale, strict=True):
        below += weight * noise.cdf((edges - center) / width)
    return np.maximum(np.diff(np.concatenate([[0.0], below, [1.0]])), 0.0)


def numerical_sparse_vector_law(
    answers: list[float], threshold_scale: float, query_scale: float, step: float = 0.02, reach: float = 40.0
) -> np.ndarray:
    """Cell probabilities of the sparse vector with cutoff 1 that releases the noisy answer of its comparison.

    One cell for every index and every interval of the value, and one for no positive at all.
    """
    from scipy import stats

    grid = np.arange(-reach, reach, step) + step / 2
    bar = np.diff(stats.laplace.cdf(np.append(grid - step / 2, reach), 0, threshold_scale))
    below = np.ones_like(grid)
    rows = []
    for answer in answers:
        value = np.diff(stats.laplace.cdf(np.append(grid - step / 2, reach), answer, query_scale))
        rows.append((np.cumsum(bar * below) - bar * below / 2) * value)  # half of its own cell lies below it
        below = below * stats.laplace.cdf(grid, answer, query_scale)
    return np.concatenate([*rows, [float(np.sum(bar * below))]])


def sparse_vector_law(
    answers: list[float], threshold_scale: float, query_scale: float, threshold: float, reach: float = 60.0
) -> np.ndarray:
    """Probabilities of all patterns of answers above a noisy threshold, without a cutoff."""
    from itertools import product

    from scipy import stats

    grid = np.linspace(-reach, reach, 12001)
    middle = (grid[1:] + grid[:-1]) / 2
    bar = np.diff(stats.laplace.cdf(grid, threshold, threshold_scale))
    over = [stats.laplace.sf(middle, answer, query_scale) for answer in answers]

    def chance(pattern: tuple[bool, ...]) -> float:
        parts = [p if up else 1 - p for p, up in zip(over, pattern, strict=True)]
        return float(np.sum(bar * np.prod(parts, axis=0)))

    return np.array([chance(pattern) for pattern in product((True, False), repeat=len(answers))])
