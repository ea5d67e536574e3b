"""The median and its smooth sensitivity, against all datasets and against the formula."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwitness.mechanisms import smooth_sensitivity as smooth
from dpwitness.mechanisms.smooth_sensitivity import local_sensitivity, median, smooth_sensitivity


def every(grid: Sequence[Any], n: int) -> list[tuple[Any, ...]]:
    return list(itertools.product(grid, repeat=n))


def brute_local(data: tuple[Any, ...], grid: Sequence[Any]) -> Any:
    """The local sensitivity by trying every replacement."""
    moves = [(*data[:i], v, *data[i + 1 :]) for i in range(len(data)) for v in grid]
    return max(abs(median(y) - median(data)) for y in moves)


@pytest.mark.parametrize(("n", "grid"), [(1, 4), (2, 4), (3, 4), (4, 4), (5, 3), (6, 2)])
def test_smooth_sensitivity_against_all_datasets(n: int, grid: int) -> None:
    points = [Fraction(k, grid - 1) for k in range(grid)]
    datasets = every(points, n)
    local = {y: brute_local(y, points) for y in datasets}
    assert all(local_sensitivity(y, 1) == local[y] for y in datasets)
    levels = np.array([float(local[y]) for y in datasets])
    codes = np.array([[points.index(v) for v in y] for y in datasets])
    for x in datasets:
        if list(x) != sorted(x):
            continue
        distance = (codes != np.array([points.index(v) for v in x])).sum(axis=1)
        for beta in (Fraction(1, 10), Fraction(1, 2), Fraction(2)):
            brute = (levels * np.exp(-float(beta) * distance)).max()
            assert float(smooth_sensitivity(x, beta, 1)) == pytest.approx(brute, rel=1e-12)


def formula(data: Sequence[float], beta: float, top: float) -> float:
    """The O(n²) formula: the widest gap at every distance k."""
    n, m = len(data), (len(data) + 1) // 2
    padded = dict(enumerate(sorted(data), start=1))

    def x(i: int) -> float:
        return 0.0 if i < 1 else top if i > n else padded[i]

    if n % 2:
        widest = [max(x(m + t) - x(m + t - k - 1) for t in range(k + 2)) for k in range(n + 1)]
    else:
        widest = [max(x(m + t) - x(m + t - k - 2) for t in range(1, k + 3)) / 2 for k in range(n + 1)]
    return max(math.exp(-beta * k) * w for k, w in enumerate(widest))


numbers = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.25, 0.5, 1.0]))


@settings(deadline=None)
@given(st.lists(numbers, min_size=1, max_size=40), st.floats(0.01, 3))
def test_fast_smooth_sensitivity_is_the_formula(data: list[float], beta: float) -> None:
    assert float(smooth_sensitivity(data, beta, 1.0)) == pytest.approx(formula(data, beta, 1.0), rel=1e-9)


@settings(deadline=None)
@given(st.lists(numbers, min_size=1, max_size=12), st.data(), st.floats(0.01, 2))
def test_bound_is_smooth(data: list[float], draw: st.DataObject, beta: float) -> None:
    i, value = draw.draw(st.integers(0, len(data) - 1)), draw.draw(numbers)
    here = float(smooth_sensitivity(data, beta, 1.0))
    there = float(smooth_sensitivity([*data[:i], value, *data[i + 1 :]], beta, 1.0))
    assert here >= local_sensitivity(data, 1.0)
    assert here <= math.exp(beta) * there * (1 + 1e-12)


def test_work_grows_like_n_log_n(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0

    def shrunk(beta: float, changes: int) -> float:
        nonlocal count
        count += 1
        return math.exp(-beta * changes)

    monkeypatch.setattr(smooth, "_shrunk", shrunk)
    n = 2001
    data = np.random.default_rng(0).random(n).tolist()
    assert smooth_sensitivity(data, 0.01, 1.0) > 0
    assert count < 3 * n * math.log2(n)


def test_evenly_spread_points() -> None:
    # at distance k the widest gap is (k + 1)/n while it fits into the data
    n, beta = 401, 0.05
    data = [Fraction(i, n) for i in range(1, n + 1)]
    best = max(math.exp(-beta * k) * (k + 1) / n for k in range(n // 2))
    assert float(smooth_sensitivity(data, beta, 1)) == pytest.approx(best)
