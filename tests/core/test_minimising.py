"""Minimisers stated by their gradient: one formula for every reader, and nothing but a formula."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpwitness.core import Exact, exp, log, logistic, sqrt
from dpwitness.core.errors import BadInput, OutsideFragment
from dpwitness.core.minimising import ordered, trace
from dpwitness.core.noise import Noise
from dpwitness.core.readers.finite import finite_law
from dpwitness.core.readers.lanes import run_block
from dpwitness.core.readers.paths import symbolic_paths
from dpwitness.core.readers.scalar import Scalar
from dpwitness.core.readers.solving import solve

numbers = st.floats(-20, 20)


@given(numbers, st.floats(0.1, 10), numbers)
def test_straight_lines_are_solved_exactly(a: float, b: float, c: float) -> None:
    (x, y) = solve(trace(lambda f: [b * f[0] + f[1] - a, 3 * f[1] - c], 2))
    assert y == pytest.approx(c / 3)
    assert x == pytest.approx((a - c / 3) / b, abs=1e-9)


@settings(deadline=None)
@given(st.floats(-300, 300), st.sampled_from([1e-4, 0.1, 1.0]))
def test_exponentials_and_logistics_far_away(push: float, ridge: float) -> None:
    (x,) = solve(trace(lambda f: [ridge * f[0] + logistic(3 * f[0]) - push], 1))
    rest = ridge * x + 0.5 + 0.5 * math.tanh(1.5 * x) - push
    assert abs(rest) < 1e-9 * (1 + abs(push))
    (y,) = solve(trace(lambda f: [exp(f[0]) + f[0] - push], 1))
    assert abs(math.exp(y) + y - push) < 1e-8 * (1 + abs(push))


def test_every_operation_has_its_derivative() -> None:
    def gradient(f: list[Any]) -> list[Any]:
        x, y = f
        return [x - 2 + 1 / (3 + exp(x)) + (y - x) / 10 - (-x) * 2, 3 * y - log(5 + exp(y)) + sqrt(4 + y * y) / 9]

    x, y = solve(trace(gradient, 2))
    at = [
        x - 2 + 1 / (3 + math.exp(x)) + (y - x) / 10 + 2 * x,
        3 * y - math.log(5 + math.exp(y)) + math.hypot(2, y) / 9,
    ]
    assert at == pytest.approx([0, 0], abs=1e-12)


def test_the_gradient_is_called_once() -> None:
    calls = []

    def gradient(f: list[Any]) -> list[Any]:
        calls.append(1)
        return [f[0] - len(calls) + logistic(f[0])]

    (x,) = Scalar(np.random.default_rng(0)).minimiser(gradient, 1)
    assert len(calls) == 1
    assert x - 1 + 1 / (1 + math.exp(-x)) == pytest.approx(0, abs=1e-12)


def test_lanes_and_single_runs_agree() -> None:
    def program(noise: Noise) -> Any:
        b = noise.laplace(5)
        found = noise.minimiser(lambda f: [b + f[0] - logistic(-f[0]), 2 * f[1] - f[0] - Exact(1, 3)], 2)
        return [b, *found]

    rows = run_block(program, np.random.default_rng(3), 500).values()
    for b, x, y in rows:
        assert b + x - 1 / (1 + math.exp(x)) == pytest.approx(0, abs=1e-9)
        assert 2 * y - x == pytest.approx(1 / 3)
    alone = run_block(program, np.random.default_rng(3), 40, batched=False).values()
    for b, x, _ in alone:
        assert b + x - 1 / (1 + math.exp(x)) == pytest.approx(0, abs=1e-9)


def test_a_minimiser_without_noise_is_found_once_for_all_lanes() -> None:
    out = run_block(lambda noise: noise.laplace(1) + noise.minimiser(lambda f: [f[0] - 7], 1)[0],
                    np.random.default_rng(0), 4000).array()  # fmt: skip
    assert out is not None
    assert np.median(out) == pytest.approx(7, abs=0.2)


@pytest.mark.parametrize(
    "gradient",
    [
        lambda f: [f[0] if f[0] > 0 else 2 * f[0]],
        lambda f: [f[0] if f[0] else f[0] - 1],
        lambda f: [f[0] if f[0] == 3 else f[0] - 1],
        lambda f: [abs(f[0])],
        lambda f: [round(f[0])],
        lambda f: [float(f[0])],
        lambda f: [math.exp(f[0])],
        lambda f: [f[0] // 2],
        lambda f: [f[0] ** 3],
        lambda f: [len(str(f[0]))],
        lambda f: [{f[0]: 1}[f[0]]],
    ],
)
def test_a_gradient_is_a_formula(gradient: Callable[[Any], Any]) -> None:
    with pytest.raises(OutsideFragment, match="formula"):
        solve(trace(gradient, 1))


@pytest.mark.parametrize(
    ("gradient", "size", "words"),
    [
        (lambda f: [f[0], f[0]], 1, "list of 1"),
        (lambda f: f[0], 1, "list of 1"),
        (lambda f: [f[0] + f[1], f[0] + f[1] - 1], 2, "not one point"),
        (lambda f: [1 + exp(f[0])], 1, "one point|convex"),
        (lambda f: [f[0]], 0, "positive whole number"),
        (lambda f: [f[0]], True, "positive whole number"),
    ],
)
def test_what_has_no_minimiser_is_an_error(gradient: Callable[[Any], Any], size: int, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        solve(trace(gradient, size))


def test_shared_parts_are_kept_once() -> None:
    def gradient(f: list[Any]) -> list[Any]:
        x = f[0]
        for _ in range(200):
            x = x + x  # as a tree this would have 2^200 leaves
        return [x - Fraction(1, 2)]

    assert len(ordered(trace(gradient, 1))) == 203


def test_readers_that_cannot_follow_a_minimiser_refuse() -> None:
    def program(noise: Noise, data: Any, *, eps: Any) -> Any:
        return noise.minimiser(lambda f: [f[0] - data[0]], 1)[0] + noise.laplace(1 / eps)

    with pytest.raises(OutsideFragment, match="line") as caught:
        symbolic_paths(program, [Fraction(1)], {"eps": Fraction(1)})
    assert caught.value.line is not None
    with pytest.raises(OutsideFragment, match="minimiser"):
        finite_law(lambda noise: noise.minimiser(lambda f: [f[0] - 1], 1))


def test_logistic_of_exact_numbers_keeps_its_formula() -> None:
    assert float(logistic(Exact(1, 2))) == pytest.approx(1 / (1 + math.exp(-0.5)))
    assert str(logistic(Exact(1, 2)).form) == "inverse(1 + exp(-1/2))"


@pytest.mark.parametrize("dimension", [1, 2, 3, 5])
def test_spherical_noise_has_a_gamma_length_and_no_direction(dimension: int) -> None:
    out = run_block(
        lambda noise: noise.spherical(dimension, Exact(3, 2)), np.random.default_rng(dimension), 20_000
    ).array()
    assert out is not None
    length = np.linalg.norm(out, axis=1)
    assert stats.kstest(length, stats.gamma(dimension, scale=1.5).cdf).pvalue > 1e-5
    assert not stats.kstest(length, stats.gamma(dimension, scale=1.6).cdf).pvalue > 1e-5
    for axis in (np.eye(dimension)[0], np.ones(dimension) / math.sqrt(dimension)):
        share = (out @ axis / length) ** 2  # Beta(1/2, (d − 1)/2) for a uniform direction
        if dimension > 1:
            assert stats.kstest(share, stats.beta(0.5, (dimension - 1) / 2).cdf).pvalue > 1e-5
        assert abs((out @ axis > 0).mean() - 0.5) < 0.02
