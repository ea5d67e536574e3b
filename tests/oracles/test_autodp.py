"""Against autodp 0.2.3.1.

Its accuracy. Gaussian noise: the exact curve by logarithms in doubles; ε by Brent's method with scipy's defaults, an
absolute 2e-12 and a relative 4 units. Randomized response: a closed form in doubles. Laplace noise and all other
compositions: upper bounds through Rényi divergences, so ours must lie below. Its Fourier accountant is left out: at
these versions its search for ε returns negative numbers, and its quadrature of the Laplace law is off by 0.5 %.
"""

from __future__ import annotations

import math
import warnings
from fractions import Fraction
from typing import Any

import pytest
from tests.oracles.ours import contains, delta, epsilon

F = Fraction
pytestmark = pytest.mark.oracles
UNIT = 2.0**-53


@pytest.mark.parametrize("std", [F(1, 2), F(1), F(4), F(25)], ids=str)
def test_gaussian_delta(autodp: Any, std: Fraction) -> None:
    seen = []
    for deviations in (0, 1, 3, 8, 13, 19):
        eps = F(round(64 * (deviations / std + 1 / (2 * std * std))), 64)
        theirs = autodp.dp_bank.get_logdelta_ana_gaussian(float(std), float(eps))
        low, high = delta("gaussian", eps, std=std)
        ours = _log(low), _log(high)
        # two logarithms of about −cut²/2, each rounded and moved by the rounding of the cut, then a difference of terms
        # that agree up to a factor 1 − 1/cut²
        cut = float(eps * std) + 1
        accuracy = 64 * UNIT * (1 + abs(theirs)) * (1 + cut * cut)
        assert ours[0] - accuracy <= theirs <= ours[1] + accuracy, (eps, theirs, ours)
        assert accuracy < 1e-6
        seen.append(theirs)
    assert min(seen) < math.log(1e-79)


def _log(value: Fraction) -> float:
    return math.log(value.numerator) - math.log(value.denominator)


@pytest.mark.parametrize("at", ["1e-3", "1e-6", "1e-12", "1e-25", "1e-50", "1e-80"])
@pytest.mark.parametrize(("std", "times"), [(1, 1), (4, 1), (10, 30), (10, 100)])
def test_gaussian_epsilon(autodp: Any, at: str, std: int, times: int) -> None:
    one = autodp.mechanism_zoo.ExactGaussianMechanism(float(std))
    several = autodp.transformer_zoo.ComposeGaussian()([one], [times])
    theirs = float(several.approxDP(float(at)))
    assert contains(epsilon("gaussian", at, times, std=std), theirs, 1e-11 + 8 * UNIT * theirs)


@pytest.mark.parametrize("at", ["1e-2", "1e-6", "1e-12"])
@pytest.mark.parametrize("log_odds", [F(1, 4), F(1), F(3)], ids=str)
def test_randomized_response(autodp: Any, at: str, log_odds: Fraction) -> None:
    p = 1 / (1 + math.exp(-float(log_odds)))
    theirs = float(autodp.dp_bank.get_eps_randresp_optimal(p, float(at)))
    assert contains(epsilon("response", at, log_odds=log_odds), theirs, 64 * UNIT / (1 - p))


@pytest.mark.parametrize("at", ["1e-3", "1e-6", "1e-10"])
@pytest.mark.parametrize(("scale", "times"), [(5, 1), (5, 10), (20, 64)])
def test_laplace_lies_below_the_bound_by_renyi_divergences(autodp: Any, at: str, scale: int, times: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # of its search over the order
        one = autodp.mechanism_zoo.LaplaceMechanism(b=float(scale))
        theirs = float(autodp.transformer_zoo.Composition()([one], [times]).get_approxDP(float(at)))
    low, high = epsilon("laplace", at, times, scale=scale)
    assert high <= F(theirs) * (1 + F(1, 10**9))
    assert low >= F(theirs) / 2


@pytest.mark.parametrize("at", ["1e-3", "1e-6", "1e-10"])
@pytest.mark.parametrize(("std", "times"), [(5, 1), (5, 10), (20, 64)])
def test_discrete_gaussian_lies_below_the_bound_by_renyi_divergences(
    autodp: Any, at: str, std: int, times: int
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        one = autodp.mechanism_zoo.DiscreteGaussianMechanism(sigma=float(std))
        theirs = float(autodp.transformer_zoo.Composition()([one], [times]).get_approxDP(float(at)))
    low, high = epsilon("discrete_gaussian", at, times, std=std)
    assert high <= F(theirs) * (1 + F(1, 10**9))
    assert low >= F(theirs) / 2
