"""Mechanisms that break their claim, each on one pair of inputs, with the exact law of their outputs.

Everything here is written from descriptions: the broken mechanisms of the audit benchmarks, and the mean of clipped
values under add/remove, whose two counts are each exact or noised. Laws are cell probabilities, computed when asked
for; where the count is noised they are integrals over its noise. The grids are so fine that grids of twice as many
cells and nodes move no limit by a thousandth.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from scipy import stats

from benchmarks import laws
from benchmarks import mechanisms as m
from dpwitness.auditors.bounds.limit import cells_of

Cells = tuple[np.ndarray, np.ndarray]
PUBLISHED = {0.01: "61–115", 0.1: "81–115", 1.0: "8 % power"}


@dataclass(frozen=True)
class Case:
    """A mechanism on two inputs, the claim, and the cell probabilities on them."""

    name: str
    sampler: m.Sampler
    left: Any
    right: Any
    eps: float
    delta: float
    law: Callable[[], Cells]
    published: str = ""


def laplace_cells(a: float, s: float, b: float, t: float) -> Cells:
    """Laplace laws with centres `a`, `b` and scales `s`, `t`."""
    width = 30 * max(s, t)
    low, high = min(a, b) - width, max(a, b) + width
    return cells_of(lambda x: stats.laplace.cdf(x, a, s), lambda x: stats.laplace.cdf(x, b, t), low, high, 60001)


def normal_cells(a: float, s: float, b: float, t: float) -> Cells:
    """Normal laws."""
    width = 9 * max(s, t)
    low, high = min(a, b) - width, max(a, b) + width
    return cells_of(lambda x: stats.norm.cdf(x, a, s), lambda x: stats.norm.cdf(x, b, t), low, high, 20001)


def response(eps: float) -> m.Sampler:
    """Randomized response of a bit."""
    q = math.exp(eps) / (1 + math.exp(eps))
    return lambda data, size, rng: np.where(rng.random(size) < q, data, 1 - data)


def response_cells(eps: float) -> Cells:
    """The law of randomized response on 0 and on 1."""
    q = math.exp(eps) / (1 + math.exp(eps))
    return np.array([q, 1 - q]), np.array([1 - q, q])


def additive_cases() -> list[Case]:
    """Too little noise, or the wrong thing released: numbers."""
    std = m.gaussian_std(1.0, 1e-5) / 2
    zeros, ones = [0.0] * 5, [1.0] * 5
    top = (zeros, ones, 1.0, 0.0)
    wrong = math.log(9 / 8)
    return [
        Case("Laplace, half the scale", m.laplace(0.5), 0.0, 1.0, 1.0, 0.0, lambda: laplace_cells(0, 0.5, 1, 0.5)),
        Case("Laplace, 0.8 of the scale", m.laplace(0.8), 0.0, 1.0, 1.0, 0.0, lambda: laplace_cells(0, 0.8, 1, 0.8)),
        Case("Gaussian, half of σ", m.gaussian(std), 0.0, 1.0, 1.0, 1e-5, lambda: normal_cells(0, std, 1, std)),
        Case("noisy max value, Laplace", m.noisy_max_value("laplace", 2.0), *top, lambda: cells_of(
            lambda x: stats.laplace.cdf(x, 0, 2) ** 5, lambda x: stats.laplace.cdf(x, 1, 2) ** 5, -12, 40)),
        Case("noisy max value, exponential", m.noisy_max_value("exponential", 2.0), *top, lambda: cells_of(
            lambda x: stats.expon.cdf(x, 0, 2) ** 5, lambda x: stats.expon.cdf(x, 1, 2) ** 5, -1, 41)),
        Case("randomized response 1.3 for 1", response(1.3), 0, 1, 1.0, 0.0, lambda: response_cells(1.3)),
        Case("truncated geometric 0.118 for 0.1", m.truncated_geometric(wrong, 5), 2, 1, 0.1, 0.0,
             lambda: laws.truncated_geometric(wrong, 5, 2, 1)),
    ]  # fmt: skip


def vector_cases() -> list[Case]:
    """Too little noise, or the wrong thing released: vectors, patterns and tuples."""
    up, down = [0.0, 1.0] * 5, [1.0, 0.0] * 5
    half, other = [0.0] * 6, [1.0] * 3 + [-1.0] * 3
    low, mixed = [0.0] * 10, [1.0] * 9 + [-1.0]
    zeros, ones = [0.0] * 10, [1.0] * 10
    filters = ([0, 1, 2, 3], [4, 5, 6, 7])
    return [
        Case("sparse vector, no query noise", m.sparse_vector(2.0, 0.0, None, threshold=0.5), up, down, 1.0, 0.0,
             lambda: laws.threshold_only(up, down, 2.0, 0.5)),
        Case("sparse vector, no query noise, high bar", m.sparse_vector(2.0, 0.0, None, threshold=3.0), up, down, 1.0,
             0.0, lambda: laws.threshold_only(up, down, 2.0, 3.0)),
        Case("sparse vector, query noise 2, no cutoff", m.sparse_vector(2.0, 2.0, None), half, other, 1.0, 0.0,
             lambda: (m.sparse_vector_law(half, 2, 2, 0), m.sparse_vector_law(other, 2, 2, 0))),
        Case("numerical sparse vector, reused noise", m.sparse_vector(2.0, 2.0, 1, release="reused"), low, mixed, 1.0,
             0.0, lambda: (m.numerical_sparse_vector_law(low, 2, 2), m.numerical_sparse_vector_law(mixed, 2, 2))),
        Case("prefix sum, claimed 0.1", m.prefix_sum(10.0), zeros, ones, 0.1, 0.0,
             lambda: laws.sums_of_losses(10.0, 10)),
        Case("RAPPOR, claimed 0.1", m.rappor(0.75, 0.45, 0.55), *filters, 0.1, 0.0,
             lambda: laws.rappor(0.75, 0.45, 0.55)),
        Case("one-time RAPPOR, claimed 0.1", m.rappor(0.95, None, None), *filters, 0.1, 0.0,
             lambda: laws.rappor(0.95, 0.0, 1.0)),
        Case("sparse vector 4, claimed 0.1", m.sparse_vector(40.0, 40 / 3, 1), low, mixed, 0.1, 0.0,
             lambda: (laws.first_above(low, 40, 40 / 3), laws.first_above(mixed, 40, 40 / 3))),
        Case("sparse vector 6, claimed 0.1", m.sparse_vector(20.0, 20.0, None), half, other, 0.1, 0.0,
             lambda: (m.sparse_vector_law(half, 20, 20, 0, 800.0), m.sparse_vector_law(other, 20, 20, 0, 800.0))),
    ]  # fmt: skip


def mean_cases() -> list[Case]:
    """The mean of [0] against the mean of [0, 1], with every choice of counts that breaks the claim."""
    small, large = [0.0], [0.0, 1.0]
    found = []
    for eps, kind, factor in product((0.01, 0.1, 1.0), ("laplace", "gaussian"), (1.0, 0.5)):
        for for_mean, for_scale in product(("exact", "noised"), repeat=2):
            if (for_mean, for_scale, factor) == ("noised", "noised", 1.0):
                continue  # as it should be
            options = (eps, kind, for_mean, for_scale, 1e-5, factor)
            much = "" if factor == 1 else ", half the noise"
            name = f"mean, {for_mean} count, {for_scale} for the scale, {kind}{much}, ε = {eps:g}"
            exact = for_mean == for_scale == "exact" and kind == "laplace" and factor == 1
            found.append(
                Case(name, m.clipped_mean(*options), small, large, eps, 0.0 if kind == "laplace" else 1e-5,
                     lambda o=options: (m.clipped_mean_law(small, *o), m.clipped_mean_law(large, *o)),  # type: ignore
                     PUBLISHED[eps] if exact else "")
            )  # fmt: skip
    return found


@lru_cache(maxsize=1)
def cases() -> dict[str, Case]:
    """All cases by name."""
    return {case.name: case for case in (*additive_cases(), *vector_cases(), *mean_cases())}


@lru_cache(maxsize=1)
def held_out() -> dict[str, Case]:
    """Mechanisms outside the list above, to see that what helps there helps elsewhere.

    Not all of them are untouched: the mixture of scales, the staircase, the two modes, Student noise and the numerical
    sparse vector were looked at while learners were chosen; logistic noise, the discrete Laplace and the sparse vector
    with bar 1 were only measured afterwards.
    """
    bar = [0.0] * 4, [1.0, -1.0, 1.0, -1.0]

    def staircase(data: float, size: int, rng: np.random.Generator) -> Any:
        steps = rng.geometric(1 - math.exp(-1.4), size) - 1
        inner = rng.random(size) < 1 / (1 + math.exp(-1.4))
        part = np.where(inner, 0.5 * rng.random(size), 0.5 + 0.5 * rng.random(size))
        return data + rng.choice([-1.0, 1.0], size) * (steps + part)

    def staircase_cells() -> Cells:
        edges = np.arange(-40, 41.25, 0.5)
        middle = (edges[1:] + edges[:-1]) / 2
        laws_ = [np.exp(-1.4 * np.ceil(np.floor(2 * np.abs(middle - d)) / 2)) for d in (0, 1)]
        return laws_[0] / laws_[0].sum(), laws_[1] / laws_[1].sum()

    def logistic(data: float, size: int, rng: np.random.Generator) -> Any:
        return rng.logistic(data, 0.6, size)

    def mixture(data: float, size: int, rng: np.random.Generator) -> Any:
        return np.where(rng.random(size) < 0.5, rng.laplace(data, 0.5, size), rng.laplace(data, 2.0, size))

    def mixture_cdf(x: np.ndarray, d: float) -> np.ndarray:
        return np.asarray((stats.laplace.cdf(x, d, 0.5) + stats.laplace.cdf(x, d, 2.0)) / 2)

    def bimodal(data: float, size: int, rng: np.random.Generator) -> Any:
        return rng.choice([-5.0, 5.0], size) + rng.laplace(0, 1.0 - 0.4 * data, size)

    def bimodal_cdf(x: np.ndarray, scale: float) -> np.ndarray:
        return np.asarray((stats.laplace.cdf(x, -5, scale) + stats.laplace.cdf(x, 5, scale)) / 2)

    def student(data: float, size: int, rng: np.random.Generator) -> Any:
        return data + 0.5 * rng.standard_t(3, size)

    def discrete(data: int, size: int, rng: np.random.Generator) -> Any:
        p = 1 - math.exp(-1.6)
        return data + rng.geometric(p, size) - rng.geometric(p, size)

    def discrete_cells() -> Cells:
        k = np.arange(-40, 42)
        one, two = (np.exp(-1.6 * np.abs(k - d)) for d in (0, 1))
        return one / one.sum(), two / two.sum()

    found = [
        Case("staircase 1.4 for 1", staircase, 0.0, 1.0, 1.0, 0.0, staircase_cells),
        Case("logistic, scale 0.6", logistic, 0.0, 1.0, 1.0, 0.0, lambda: cells_of(
            lambda x: stats.logistic.cdf(x, 0, 0.6), lambda x: stats.logistic.cdf(x, 1, 0.6), -20, 21)),
        Case("mixture of Laplace scales", mixture, 0.0, 1.0, 1.0, 0.0, lambda: cells_of(
            lambda x: mixture_cdf(x, 0), lambda x: mixture_cdf(x, 1), -40, 41)),
        Case("two modes, scale 1 against 0.6", bimodal, 0.0, 1.0, 0.2, 0.0, lambda: cells_of(
            lambda x: bimodal_cdf(x, 1.0), lambda x: bimodal_cdf(x, 0.6), -40, 40)),
        Case("Student noise, 3 degrees", student, 0.0, 1.0, 1.0, 0.0, lambda: cells_of(
            lambda x: stats.t.cdf(2 * x, 3), lambda x: stats.t.cdf(2 * (x - 1), 3), -60, 61, 120001)),
        Case("discrete Laplace 1.6 for 1", discrete, 0, 1, 1.0, 0.0, discrete_cells),
        Case("sparse vector, query noise 1, bar 1", m.sparse_vector(2.0, 1.0, None, threshold=1.0), *bar, 1.0, 0.0,
             lambda: (m.sparse_vector_law(bar[0], 2, 1, 1), m.sparse_vector_law(bar[1], 2, 1, 1))),
        Case("numerical sparse vector, four queries", m.sparse_vector(1.0, 1.0, 1, release="reused"), *bar, 1.0, 0.0,
             lambda: (m.numerical_sparse_vector_law(bar[0], 1, 1), m.numerical_sparse_vector_law(bar[1], 1, 1))),
    ]  # fmt: skip
    return {case.name: case for case in found}
