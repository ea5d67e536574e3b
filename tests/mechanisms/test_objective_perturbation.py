"""Private regression: the minimiser, its regularisation and its noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from tests.mechanisms.scripted import Scripted

from dpwitness.mechanisms.objective_perturbation import (
    LABELLED,
    noisy_minimiser,
    objective_perturbation,
    tilted_minimiser,
)

POINTS: tuple[Any, ...] = tuple(LABELLED.domain)  # type: ignore[arg-type]
records = st.lists(st.sampled_from(POINTS), min_size=1, max_size=8)
tilts = st.tuples(st.floats(-50, 50), st.floats(-50, 50))


def minimiser(data: Sequence[Any], ridge: float, tilt: Sequence[float]) -> list[float]:
    """The minimiser of J(f) + tilt·f."""
    return tilted_minimiser(Scripted(), data, ridge, [len(data) * t for t in tilt])


def objective(f: Any, data: Sequence[Any], ridge: float, tilt: Sequence[float]) -> float:
    rows = np.array([[float(y) * float(v) for v in x] for *x, y in data])
    return float(np.logaddexp(0, -rows @ f).mean() + ridge / 2 * np.dot(f, f) + np.dot(tilt, f))


@settings(deadline=None)
@given(records, st.sampled_from([0.0001, 0.01, 0.1, 1.0, 10.0]), tilts)
def test_gradient_vanishes_at_the_minimiser(data: list[Any], ridge: float, tilt: tuple[float, float]) -> None:
    f = np.array(minimiser(data, ridge, tilt))
    rows = np.array([[float(y) * float(v) for v in x] for *x, y in data])
    slope = -(rows / (1 + np.exp(np.clip(rows @ f, -700, 700)))[:, None]).mean(axis=0) + ridge * f + np.array(tilt)
    assert np.abs(slope).max() < 1e-10 * (1 + np.abs(tilt).max())


def test_minimiser_agrees_with_a_general_solver() -> None:
    data = POINTS[:5]
    ours = minimiser(data, 0.1, [0.3, -0.2])
    other = optimize.minimize(objective, np.zeros(2), args=(data, 0.1, [0.3, -0.2]), method="BFGS", tol=1e-12)
    assert ours == pytest.approx(other.x, abs=1e-5)


def test_weak_regularisation_is_raised() -> None:
    def run(ridge: object) -> Any:
        noise = Scripted([1.0, 0.0, 3.0])  # two coordinates of the direction, then the length
        return objective_perturbation.program(noise, POINTS[:3], **objective_perturbation.params(ridge=ridge))

    enough = 0.25 / (3 * (math.exp(0.25) - 1))  # the change of variables then costs ε/2
    assert run("1/100") == run("1/1000") == pytest.approx(minimiser(POINTS[:3], enough, [1.0, 0.0]))
    assert run(1) == pytest.approx(minimiser(POINTS[:3], 1.0, [1.0, 0.0]))


def test_noise_vector_has_gamma_length_and_uniform_direction() -> None:
    data = POINTS[:3]
    out = noisy_minimiser.sample(data, 2000, np.random.default_rng(1)).array()
    assert out is not None
    moved = out - np.array(minimiser(data, 0.1, [0.0, 0.0]))
    length, angle = np.hypot(*moved.T), np.arctan2(*moved.T)
    assert stats.kstest(length, stats.gamma(2, scale=2 / 0.3).cdf).pvalue > 1e-4
    assert stats.kstest(angle, stats.uniform(-math.pi, 2 * math.pi).cdf).pvalue > 1e-4
