"""Noise of the right size: Gaussian calibrations, thresholds, means, and noise on the unit interval."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from tests.mechanisms.scripted import Scripted, twin

from dpwitness.core import ApproxDP, Mechanism, Proved
from dpwitness.mechanisms.gaussian import gaussian_analytic, gaussian_classical
from dpwitness.mechanisms.histogram import stability_histogram
from dpwitness.mechanisms.means import LEAST, clipped_mean
from dpwitness.mechanisms.metric import metric_on_the_unit


def gaussian_delta(eps: float, sigma: float) -> float:
    mu = 1 / sigma
    upper, lower = stats.norm.cdf([mu / 2 - eps / mu, -mu / 2 - eps / mu])
    return float(upper - math.exp(eps) * lower)


@pytest.mark.parametrize(
    "target",
    [gaussian_classical, gaussian_analytic, *gaussian_classical.twins, *gaussian_analytic.twins],
    ids=lambda t: t.name,
)
def test_gaussian_calibration(target: Mechanism) -> None:
    noise, params = Scripted(), target.params()
    target.program(noise, [0], **params)
    (sigma,) = noise.laws[0].params().values()
    (claimed,) = target.promises[0].guarantees(params)
    assert isinstance(claimed, ApproxDP)
    holds = gaussian_delta(float(claimed.eps), float(sigma)) <= float(claimed.delta)
    assert holds == (target.promises[0].expected is Proved)


def test_threshold_is_passed_with_probability_delta() -> None:
    eps, delta = 1.0, 0.01
    broken = twin(stability_histogram, "threshold-of-an-empty-bin")
    for target, passed in ((stability_histogram, delta), (broken, math.exp(eps) * delta)):
        edge = stats.laplace.isf(passed) / eps  # the noise that lifts a bin of one record over the threshold
        for noise, released in ((edge - 1e-9, 0), (edge + 1e-9, 1)):
            assert len(target.program(Scripted([noise]), ["ann"], **target.params())) == released


def test_means_without_noise_and_with_a_count_below_zero() -> None:
    params = clipped_mean.params()
    assert clipped_mean.program(Scripted(), [-1, 1, 2], **params) == pytest.approx(2 / 3)
    assert clipped_mean.program(Scripted([-100, 0]), [1, 1], **params) == 2 / LEAST
    # two draws: the count becomes 4, and the mean gets one unit of noise of scale 2/(ε·4)
    assert clipped_mean.program(Scripted([2, 1]), [1, 1], **params) == Fraction(2, 4) + 5


@pytest.mark.parametrize("data", [(0, 0, 0, 0), (1, 0, 0, 0), (1, 1, 0, 1), (1, 1, 1, 1)])
def test_noise_on_the_unit_interval_has_the_metric_density(data: tuple[int, ...]) -> None:
    rate, centre = 2.0, sum(data) / 4
    grid = np.linspace(0, 1, 20001)
    density = np.exp(-rate * abs(grid - centre))
    cdf = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)])
    out = metric_on_the_unit.sample(data, 20000, np.random.default_rng(3)).array()
    assert out is not None
    assert stats.kstest(out, lambda y: np.interp(y, grid, cdf / cdf[-1])).pvalue > 1e-4


def test_factor_two_on_the_unit_interval() -> None:
    def loss(rate: float, f: float, g: float) -> float:
        def z(c: float) -> float:
            return 2 - math.exp(-rate * c) - math.exp(-rate * (1 - c))

        return rate * abs(f - g) + math.log(z(g) / z(f))  # at y = f, or beyond it

    means = np.linspace(0, 1, 101)
    near = [(f, g) for f in means for g in means if abs(f - g) <= 0.25 + 1e-12]
    assert max(loss(2, f, g) for f, g in near) <= 1
    assert loss(4, 0, 0.25) == pytest.approx(1.477, abs=1e-3)
    assert max(loss(1, f, g) for f in means for g in means) == pytest.approx(1)
