"""The exam once more, by search in floating point: shares no code with the provers, the kernel or their formulas.

Each function is written here as plain numpy over many datasets at once. For n = 1 … 6 records all corners, points
between them and random datasets are tried; every record is replaced by a few values; the largest difference is a lower
bound M of the sensitivity, and the sensitivity itself where the search meets the worst pair. Then a release keeps its
claim at M where M ≤ k·S (Laplace) or M² ≤ k·S² (normal noise), and a selection where the first of d columns, which
moves against all others, wins at most e^ε times as often, by quadrature and at several d and ε.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Array = Any
MOST, TOLERANCE = 6, 1e-7


def _neighbours(x: Array) -> Array:
    return x[:, 1:] - x[:, :-1]


def _weighted(x: Array) -> Array:
    return (x * np.exp(x)).sum(1) / np.exp(x).sum(1)


def _quantile(x: Array, p: float) -> Array:
    n = x.shape[1]
    return np.sort(x, 1)[:, max(math.ceil(p * n - 1e-9), 1) - 1]


def _pairs(x: Array) -> Array:
    return sum((x[:, i] * x[:, j] for i, j in itertools.combinations(range(x.shape[1]), 2)), np.zeros(len(x)))


def _alternate(x: Array) -> Array:
    return sum((x[:, 2 * k] - x[:, 2 * k + 1] for k in range(x.shape[1] // 2)), np.zeros(len(x)))


E1 = math.e
# number: the function of an array (datasets × records) and of public parameters, and the stated sensitivity
TABLE: dict[int, tuple[Callable[..., Array], Callable[..., float]]] = {
    1: (lambda x: x.sum(1), lambda n: 1),
    2: (lambda x: x.prod(1), lambda n: 1),
    3: (lambda x: x.max(1), lambda n: 1),
    4: (lambda x: x.min(1), lambda n: 1),
    5: (lambda x: x.mean(1), lambda n: 1 / n),
    6: (lambda x: np.linalg.norm(x, axis=1), lambda n: 1),
    7: (lambda x: np.abs(_neighbours(x)).sum(1), lambda n: 2),
    8: (lambda x: np.abs(x - x.mean(1, keepdims=True)).sum(1), lambda n: 2 * (n - 1) / n),
    9: (lambda x: x.var(1) * x.shape[1], lambda n: (n - 1) / n),
    10: (lambda x, centre: ((x - centre) ** 2).sum(1), lambda n, centre: 1),
    11: (lambda x: (x * x).sum(1), lambda n: 1),
    12: (lambda x: (x**3).sum(1), lambda n: 1),
    13: (lambda x: np.sqrt(x).sum(1), lambda n: 1),
    14: (lambda x: np.log1p(x).sum(1), lambda n: math.log(2)),
    15: (lambda x: np.exp(x).sum(1), lambda n: E1 - 1),
    16: (lambda x: np.sin(np.pi * x).sum(1), lambda n: 1),
    17: (lambda x: np.cos(np.pi * x).sum(1), lambda n: 2),
    18: (lambda x: np.arctan(x).sum(1), lambda n: math.pi / 4),
    19: (lambda x: (x - x * x).sum(1), lambda n: 0.25),
    20: (lambda x: ((x - x * x) ** 2).sum(1), lambda n: 1 / 16),
    21: (lambda x: np.median(x, axis=1), lambda n: 1),
    22: (lambda x: _quantile(x, 0.75) - _quantile(x, 0.25), lambda n: 1),
    23: (lambda x: (x > 0.5).sum(1), lambda n: 1),
    24: (lambda x, a, b: ((x >= a) & (x <= b)).sum(1), lambda n, a, b: 1),
    25: (lambda x: (x[:, 1:] * x[:, :-1]).sum(1), lambda n: 2),
    26: (_pairs, lambda n: n - 1),
    27: (_alternate, lambda n: 1),
    28: (lambda x: x.sum(1) ** 2, lambda n: 2 * n - 1),
    29: (lambda x: x @ np.arange(1, x.shape[1] + 1), lambda n: n),
    30: (lambda x: 1.0 * (x.sum(1) > x.shape[1] / 2), lambda n: 1),
    31: (lambda x: (x > 0.7).sum(1), lambda n: 1),
    32: (lambda x, tau: 1.0 * (x > tau).all(1), lambda n, tau: 1),
    33: (lambda x: 1.0 * (x[:, 0] > x[:, 1]), lambda n: 1),
    34: (lambda x: (x > 0.5).sum(1) % 2, lambda n: 1),
    35: (lambda x: np.log1p((x * x).sum(1)), lambda n: math.log(2)),
    36: (lambda x: np.linalg.norm(x - np.roll(x, -1, axis=1), axis=1), lambda n: math.sqrt(2)),
    37: (lambda x: (x * x).sum(1) / (1 + x.sum(1)), lambda n: 0.5),
    38: (lambda x: np.exp(-(x * x).sum(1)), lambda n: 1 - 1 / E1),
    39: (lambda x: (1 / (1 + x * x)).sum(1), lambda n: 0.5),
    40: (lambda x: (1 / (1 + np.exp(-x))).sum(1), lambda n: (1 - 1 / E1) / (2 * (1 + 1 / E1))),
    41: (_weighted, lambda n: E1 / (E1 + n - 1)),
    42: (lambda x: np.abs(x - 0.5).sum(1), lambda n: 0.5),
    43: (lambda x: (_neighbours(x) ** 2).sum(1), lambda n: 2),
    44: (lambda x: x[:, ::-1].sum(1), lambda n: 1),
    45: (lambda x: (x < x[:, :1]).sum(1), lambda n: n - 1),
    46: (lambda x: x[:, 1::2].sum(1), lambda n: 1),
    47: (lambda x: x @ (1 / np.arange(1, x.shape[1] + 1)), lambda n: 1),
    48: (lambda x, delta: -(x * np.log(x + delta)).sum(1), lambda n, delta: math.log(1 + delta)),
    49: (lambda x: np.abs(x - np.arange(1, x.shape[1] + 1) / x.shape[1]).sum(1), lambda n: 1),
}
PARAMETERS: dict[int, list[tuple[float, ...]]] = {
    10: [(c,) for c in (0, 0.25, 0.5, 0.8, 1)],
    24: [(0.25, 0.75), (0.5, 0.5), (0.0, 0.3), (0.0, 1.0), (0.8, 0.2)],
    32: [(t,) for t in (0, 0.5, 0.9, 1)],
    48: [(d,) for d in (1.0, 1.5, 2.0, 10.0)],
}


def datasets(n: int, seed: int = 0) -> Array:
    """All corners and middles, and random datasets: many for small n."""
    rng = np.random.default_rng([seed, n])
    grid = np.array(list(itertools.product((0.0, 0.5, 1.0), repeat=n))) if n <= 5 else np.empty((0, n))
    corners = np.array(list(itertools.product((0.0, 1.0), repeat=n)))
    rough = rng.choice([0, 0.25, 0.5, 0.75, 1], size=(300, n))
    fine = rng.uniform(size=(300, n))
    same = np.repeat(rng.choice([0, 0.3, 0.5, 0.7, 1.0], size=(40, 1)), n, axis=1)
    return np.vstack([grid, corners, rough, fine, same])


def largest_move(number: int, n: int, params: tuple[float, ...], seed: int = 0) -> float | None:
    """The largest difference found between neighbours of n records; None where the function is undefined."""
    function = TABLE[number][0]
    base = datasets(n, seed)
    values = np.concatenate(
        [np.linspace(0, 1, 9), np.random.default_rng([seed, n, 1]).uniform(size=4), [1e-9, 1 - 1e-9]]
    )
    best = 0.0
    for p in range(n):
        seen = []
        for v in values:
            moved = base.copy()
            moved[:, p] = v
            try:
                seen.append(np.asarray(function(moved, *params), dtype=float) + np.zeros(len(base)))
            except IndexError:
                return None
        table = np.array(seen)
        best = max(best, float((table.max(0) - table.min(0)).max()))
    return best


def wins(noise: str, g: float, columns: int) -> tuple[float, float]:
    """How often the first column wins when it lies g below, and g above, all others; by quadrature for each law."""
    if noise == "gumbel":
        return tuple(math.exp(s) / (math.exp(s) + columns - 1) for s in (-g, g))  # type: ignore[return-value]
    x = np.linspace(-60 if noise == "laplace" else 0, 60, 480_001)
    density = np.exp(-np.abs(x)) / (2 if noise == "laplace" else 1)

    def below(y: Array) -> Array:
        if noise == "laplace":
            return np.where(y < 0, np.exp(np.minimum(y, 0)) / 2, 1 - np.exp(-np.maximum(y, 0)) / 2)
        return np.where(y < 0, 0, 1 - np.exp(-np.maximum(y, 0)))

    return tuple(float(np.trapezoid(density * below(x + s) ** (columns - 1), x)) for s in (-g, g))  # type: ignore[return-value]


_LOSSES: dict[tuple[str, float], bool] = {}


def selection_breaks(noise: str, reach: float) -> bool:
    """Whether some number of columns and some ε break ε-DP, where g = reach·ε."""
    key = (noise, round(reach, 9))
    if key not in _LOSSES:
        _LOSSES[key] = any(
            math.log(high / low) > eps * (1 + 1e-6)
            for eps in (0.25, 1.0, 3.0)
            for columns in (2, 3, 4, 8, 30, 100)
            for low, high in [wins(noise, reach * eps, columns)]
            if low > 1e-12
        )
    return _LOSSES[key]


def keeps(number: int, noise: str, share: float, n: int, move: float, params: tuple[float, ...]) -> bool:
    """Whether the mechanism keeps its claim, if `move` is the sensitivity."""
    stated = TABLE[number][1](n, *params)
    if noise == "laplace-release":
        return move <= share * stated * (1 + TOLERANCE) + 1e-12
    if noise.startswith("gaussian"):
        return move**2 <= share * stated**2 * (1 + TOLERANCE) + 1e-12
    if move <= 1e-12:
        return True
    return not selection_breaks(noise, move / (2 * share * stated))


def truth(number: int, kind: str, noise: str, share: float) -> Iterator[tuple[int, bool]]:
    """For each n = 1 … 6: whether the claim holds for every value of the parameters, as far as the search sees."""
    name = "laplace-release" if (kind, noise) == ("release", "laplace") else noise
    for n in range(1, MOST + 1):
        found = [(params, _moves(number, n, params)) for params in PARAMETERS.get(number, [()])]
        if all(move is None for _, move in found):
            continue
        yield n, all(move is None or keeps(number, name, share, n, move, params) for params, move in found)


_MOVES: dict[tuple[Any, ...], float | None] = {}


def _moves(number: int, n: int, params: tuple[float, ...]) -> float | None:
    key = (number, n, params)
    if key not in _MOVES:
        _MOVES[key] = largest_move(number, n, params)
    return _MOVES[key]
