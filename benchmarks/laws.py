"""Exact laws of the benchmark mechanisms on cells, for the limits that no audit can pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks import mechanisms as m

Cells = tuple[NDArray[np.float64], NDArray[np.float64]]


def _between(law: Any, edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cell probabilities; the upper tail from the survival function, where the distribution function is near 1."""
    inner = np.where(edges[:-1] > law.median(), -np.diff(law.sf(edges)), np.diff(law.cdf(edges)))
    return np.concatenate([[law.cdf(edges[0])], np.maximum(inner, 0.0), [law.sf(edges[-1])]])


def shifted(law: Any, by: float, count: int = 20001) -> Cells:
    """A law and the same law moved by `by`."""
    reach = 12 * law.std()
    edges = np.linspace(-reach, reach + by, count)
    return _between(law, edges), _between(law, edges - by)


def maximum(noise: Any, left: list[float], right: list[float], count: int = 40001) -> Cells:
    """The largest of several answers with independent noise."""
    low, high = min(*left, *right) - 6 * noise.std(), max(*left, *right) + 12 * noise.std()
    edges = np.linspace(low, high, count)
    sides = []
    for answers in (left, right):
        law = np.prod([noise.cdf(edges - answer) for answer in answers], axis=0)
        sides.append(np.diff(np.concatenate([[0.0], law, [1.0]])))
    return sides[0], sides[1]


def threshold_only(left: list[float], right: list[float], scale: float, bar: float) -> Cells:
    """The sparse vector without query noise: one cell for every pattern of answers above the threshold."""
    points = sorted({*left, *right})
    mass = np.diff(stats.laplace.cdf(np.array([-np.inf, *points, np.inf]), bar, scale))
    table: dict[tuple[bool, ...], list[float]] = {}
    for top, weight in zip([*points, points[-1] + 1], mass, strict=True):
        for side, answers in enumerate((left, right)):
            table.setdefault(tuple(a >= top for a in answers), [0.0, 0.0])[side] += float(weight)
    both = np.array(list(table.values()))
    return both[:, 0], both[:, 1]


def reused(left: list[float], right: list[float], threshold_scale: float, query_scale: float) -> Cells:
    """The numerical sparse vector that releases the noisy answer of its comparison, cutoff 1."""
    first, second = (m.numerical_sparse_vector_law(x, threshold_scale, query_scale, 0.05) for x in (left, right))
    return first, second


def truncated_geometric(eps: float, top: int, left: int, right: int) -> Cells:
    """Two-sided geometric noise, clamped to 0 .. `top`."""
    ratio = math.exp(-eps)
    sides = []
    for data in (left, right):
        law = np.array([(1 - ratio) / (1 + ratio) * ratio ** abs(k - data) for k in range(top + 1)])
        law[0], law[-1] = ratio**data / (1 + ratio), ratio ** (top - data) / (1 + ratio)
        sides.append(law)
    return sides[0], sides[1]


def rappor(f: float, p: float, q: float, hashes: int = 4) -> Cells:
    """RAPPOR on filters without a common bit: the numbers of bits set in the one and in the other filter decide."""
    set_bit, clear_bit = ((1 - f / 2) * q + f / 2 * p, f / 2 * q + (1 - f / 2) * p)
    own, other = (stats.binom.pmf(np.arange(hashes + 1), hashes, rate) for rate in (set_bit, clear_bit))
    return np.outer(own, other).ravel(), np.outer(other, own).ravel()


def sums_of_losses(scale: float, count: int, points: int = 200) -> Cells:
    """`count` Laplace numbers that all move by 1: cells of the loss, which is a sum of independent losses.

    One loss lies in [−1/`scale`, 1/`scale`] with an atom at each end; cells of equal width in between.
    """
    edges = np.linspace(0, 1, 2 * points)
    ends = np.concatenate([[-np.inf], edges, [np.inf]])
    one, two = (np.diff(stats.laplace.cdf(ends, center, scale)) for center in (0, 1))
    left, right = one, two
    for _ in range(count - 1):
        left, right = np.convolve(left, one), np.convolve(right, two)
    return left, right


def first_above(answers: Sequence[float], bar_scale: float, query_scale: float) -> np.ndarray:
    """Index of the first answer above a noisy threshold 0, or none."""
    edges = np.linspace(-40 * bar_scale, 40 * bar_scale, 80001)
    bar = np.diff(stats.laplace.cdf(edges, 0, bar_scale))
    middle = (edges[1:] + edges[:-1]) / 2
    still, found = bar, []
    for answer in answers:
        below = stats.laplace.cdf(middle, answer, query_scale)
        found.append(float(np.sum(still * (1 - below))))
        still = still * below
    return np.array([*found, float(still.sum())])


def first_above_and_answer(
    left: Sequence[float], right: Sequence[float], bar_scale: float, query_scale: float, release_scale: float
) -> Cells:
    """The same index, and that answer with fresh noise: cells between the two answers, where the loss changes."""
    sides = []
    for answers in (left, right):
        chance = first_above(answers, bar_scale, query_scale)
        parts = []
        for k, (a, b) in enumerate(zip(left, right, strict=True)):
            edges = np.concatenate([[-np.inf], np.linspace(min(a, b), max(a, b), 41), [np.inf]])
            parts.append(chance[k] * np.diff(stats.laplace.cdf(edges, answers[k], release_scale)))
        sides.append(np.concatenate([*parts, chance[-1:]]))
    return sides[0], sides[1]
