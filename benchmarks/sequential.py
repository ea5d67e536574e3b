"""Pairs until refutation: median over seeds, beside the information limit ln(1/α)/KL*.

Run with ``python -m benchmarks.sequential [--seeds 200] [--alarms 2000] [--only NAME]``.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from benchmarks import mechanisms as m
from dpwitness.auditors.evalue import Null
from dpwitness.auditors.limit import cells_of, fewest_pairs
from dpwitness.auditors.sampling import stream
from dpwitness.auditors.sequential import EProcess
from dpwitness.auditors.table import Encoder

Cells = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Case:
    """A mechanism on two inputs, the claim, and the exact cell probabilities where they are known."""

    name: str
    sampler: m.Sampler
    left: Any
    right: Any
    eps: float
    delta: float = 0.0
    cells: Cells | None = None
    published: str = ""


def _sparse_vector_cells(left: list[float], right: list[float], scale: float, bar: float) -> Cells:
    """Exact law of the sparse vector without query noise: a cell for every pattern of answers above the threshold."""
    points = sorted({*left, *right})
    edges = np.array([-np.inf, *points, np.inf])
    mass = np.diff(stats.laplace.cdf(edges, bar, scale))
    table: dict[tuple[bool, ...], list[float]] = {}
    for top, weight in zip([*points, points[-1] + 1], mass, strict=True):
        for side, answers in enumerate((left, right)):
            table.setdefault(tuple(a >= top for a in answers), [0.0, 0.0])[side] += float(weight)
    both = np.array(list(table.values()))
    return both[:, 0], both[:, 1]


def _laplace_cells(a: float, s: float, b: float, t: float, reach: float = 30.0) -> Cells:
    def law(center: float, scale: float) -> Callable[[np.ndarray], np.ndarray]:
        return lambda x: stats.laplace.cdf(x, center, scale)

    width = reach * max(s, t)
    return cells_of(law(a, s), law(b, t), min(a, b) - width, max(a, b) + width, 60001)


def _normal_cells(a: float, s: float, b: float, t: float) -> Cells:
    def law(center: float, std: float) -> Callable[[np.ndarray], np.ndarray]:
        return lambda x: stats.norm.cdf(x, center, std)

    width = 9 * max(s, t)
    return cells_of(law(a, s), law(b, t), min(a, b) - width, max(a, b) + width, 60001)


def cases() -> list[Case]:
    """The broken mechanisms."""
    std = m.gaussian_std(1.0, 1e-5) / 2
    zeros, ones = [0.0] * 5, [1.0] * 5
    up, down = [0.0, 1.0] * 5, [1.0, 0.0] * 5
    half, other = [0.0] * 6, [1.0] * 3 + [-1.0] * 3
    low, mixed = [0.0] * 10, [1.0] * 9 + [-1.0]
    q = math.exp(1.3) / (1 + math.exp(1.3))

    def response(data: int, size: int, rng: np.random.Generator) -> Any:
        return np.where(rng.random(size) < q, data, 1 - data)

    found = [
        Case("Laplace, half the scale", m.laplace(0.5), 0.0, 1.0, 1.0, 0.0, _laplace_cells(0, 0.5, 1, 0.5)),
        Case("Laplace, 0.8 of the scale", m.laplace(0.8), 0.0, 1.0, 1.0, 0.0, _laplace_cells(0, 0.8, 1, 0.8)),
        Case("Gaussian, half of σ", m.gaussian(std), 0.0, 1.0, 1.0, 1e-5, _normal_cells(0, std, 1, std)),
        Case("noisy max value, Laplace", m.noisy_max_value("laplace", 2.0), zeros, ones, 1.0, 0.0,
             cells_of(lambda x: stats.laplace.cdf(x, 0, 2) ** 5, lambda x: stats.laplace.cdf(x, 1, 2) ** 5, -12, 40)),
        Case("noisy max value, exponential", m.noisy_max_value("exponential", 2.0), zeros, ones, 1.0, 0.0,
             cells_of(lambda x: stats.expon.cdf(x, 0, 2) ** 5, lambda x: stats.expon.cdf(x, 1, 2) ** 5, -1, 41)),
        Case("sparse vector, no query noise", m.sparse_vector(2.0, 0.0, None, threshold=0.5), up, down, 1.0, 0.0,
             _sparse_vector_cells(up, down, 2.0, 0.5)),
        Case("sparse vector, no query noise, high bar", m.sparse_vector(2.0, 0.0, None, threshold=3.0), up, down, 1.0,
             0.0, _sparse_vector_cells(up, down, 2.0, 3.0)),
        Case("sparse vector, query noise 2, no cutoff", m.sparse_vector(2.0, 2.0, None), half, other, 1.0, 0.0,
             (m.sparse_vector_law(half, 2, 2, 0), m.sparse_vector_law(other, 2, 2, 0))),
        Case("numerical sparse vector, reused noise", m.sparse_vector(2.0, 2.0, 1, release="reused"), low, mixed, 1.0,
             0.0, (m.numerical_sparse_vector_law(low, 2, 2), m.numerical_sparse_vector_law(mixed, 2, 2))),
        Case("randomized response 1.3 for 1", response, 0, 1, 1.0, 0.0,
             (np.array([q, 1 - q]), np.array([1 - q, q]))),
    ]  # fmt: skip
    for eps, word in ((0.01, "61–115"), (0.1, "81–115"), (1.0, "8 % power")):
        small, large = [0.0], [0.0, 1.0]
        found.append(
            Case(f"mean, true counts, Laplace, ε = {eps:g}", m.clipped_mean(eps, "laplace", "exact", "exact"), small,
                 large, eps, 0.0, _laplace_cells(0, 2 / eps, 0.5, 1 / eps), word)
        )  # fmt: skip
        sigma = math.sqrt(2 * math.log(1.25 / 1e-5))
        found.append(
            Case(f"mean, true counts, Gaussian, ε = {eps:g}", m.clipped_mean(eps, "gaussian", "exact", "exact"), small,
                 large, eps, 1e-5, _normal_cells(0, 2 / eps * sigma, 0.5, sigma / eps))
        )  # fmt: skip
        found.append(
            Case(f"mean, true count for the scale, ε = {eps:g}", m.clipped_mean(eps, "laplace", "noised", "exact"),
                 small, large, eps)
        )  # fmt: skip
        found.append(
            Case(f"mean, true counts, half the noise, ε = {eps:g}",
                 m.clipped_mean(eps, "laplace", "exact", "exact", noise_factor=0.5), small, large, eps, 0.0,
                 _laplace_cells(0, 1 / eps, 0.5, 0.5 / eps))
        )  # fmt: skip
    return found


def monte_carlo_cells(case: Case, size: int = 400_000, count: int = 200) -> Cells:
    """Cell frequencies on pooled quantiles, where the law has no closed form."""
    sides = enumerate((case.left, case.right))
    x, y = (np.asarray(case.sampler(data, size, stream(0, 77, side))) for side, data in sides)
    edges = np.unique(np.quantile(np.concatenate([x, y]), np.linspace(0, 1, count + 1)[1:-1]))
    a, b = (np.bincount(np.searchsorted(edges, z), minlength=len(edges) + 1) / size for z in (x, y))
    return a, b


def pairs_to_refute(case: Case, alpha: float, seed: int, most: int) -> float:
    """Pairs drawn until refutation, infinite where `most` were not enough."""
    encoder = Encoder()
    bets = EProcess(encoder, (Null(case.eps, case.delta),), alpha, seed)
    start, chunk = 0, 256
    while start < most:
        size = min(chunk, most - start)
        tables = [
            encoder.encode(case.sampler(data, size, stream(seed, side, start)), size)
            for side, data in enumerate((case.left, case.right))
        ]
        if bets.feed(*tables):
            return float(bets.refuted_at or math.inf)
        start, chunk = start + size, min(2 * chunk, 1 << 16)
    return math.inf


def power(seeds: int, alpha: float, only: str) -> None:
    """The table of medians."""
    print(f"{'case':44s} {'limit':>7s} {'median':>7s} {'ratio':>6s} {'90 %':>7s} {'CPU/run':>8s}  published")
    ratios = []
    for case in cases():
        if only not in case.name:
            continue
        limit = fewest_pairs(*(case.cells or monte_carlo_cells(case)), case.eps, case.delta, alpha)
        most = 10 * math.ceil(limit) + 200 if math.isfinite(limit) else 100_000
        started = time.process_time()
        found = np.array([pairs_to_refute(case, alpha, seed, most) for seed in range(seeds)])
        each = (time.process_time() - started) / seeds
        middle, late = float(np.median(found)), float(np.quantile(found, 0.9, method="higher"))
        ratios.append(middle / limit)
        numbers = f"{limit:7.0f} {middle:7.0f} {middle / limit:6.2f} {late:7.0f} {each:7.3f}s"
        print(f"{case.name:44s} {numbers}  {case.published}", flush=True)
    if ratios:
        print(f"at most 1.7 × the limit: {sum(r <= 1.7 for r in ratios)} of {len(ratios)}; largest {max(ratios):.2f}")


def alarms(seeds: int, alpha: float = 0.05, pairs: int = 1000) -> None:
    """False alarms of the e-process alone on mechanisms that are exactly tight."""
    top = math.e / (1 + math.e)
    tight = [
        Case("Laplace", m.laplace(1.0), 0.0, 1.0, 1.0),
        Case("randomized response", lambda d, n, r: np.where(r.random(n) < top, d, 1 - d), 0, 1, 1.0),
    ]
    for case in tight:
        wrong = sum(math.isfinite(pairs_to_refute(case, alpha, seed, pairs)) for seed in range(seeds))
        print(f"{case.name}: {wrong} false alarms in {seeds} runs of {pairs} pairs at α = {alpha:g}", flush=True)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--alarms", type=int, default=0)
    parser.add_argument("--alpha", type=float, default=1e-3)
    parser.add_argument("--only", default="")
    chosen = parser.parse_args()
    power(chosen.seeds, chosen.alpha, chosen.only)
    if chosen.alarms:
        alarms(chosen.alarms)


if __name__ == "__main__":
    main()
