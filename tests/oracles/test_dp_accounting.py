r"""Against dp-accounting 0.6.0.

Its accuracy. One run: :math:`F - e^\varepsilon G` in doubles, both terms by way of logarithms: the rounding error is a
few units of :math:`2^{-53} (1 + \varepsilon + |\ln F|) F`. Several runs: losses are rounded up (pessimistic) or down
(optimistic) to a grid of width h, so that k runs are off by at most kh in ε; `self_compose` cuts off a mass of 1e-15
and convolves in doubles.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from tests.oracles.ours import contains, delta, epsilon

F = Fraction
pytestmark = pytest.mark.oracles
UNIT = 2.0**-53
FLOOR = 1e-13  # of a convolution in doubles that cuts off 1e-15 at either end
GRID = F(1, 1024)  # width of the grid of losses


def rounding(value: float, eps: float, first: float) -> float:
    """The rounding error of a difference whose first term is `first`: 32 units of its logarithm, and of the cut."""
    return 32 * UNIT * (1 + eps + abs(math.log(first))) * first + UNIT * value


@pytest.mark.parametrize("std", [F(1, 2), F(1), F(5, 2), F(16)], ids=str)
@pytest.mark.parametrize("times", [1, 9, 100])
def test_gaussian(accounting: Any, std: Fraction, times: int) -> None:
    law = accounting.laws.GaussianPrivacyLoss(float(std), sensitivity=math.sqrt(times))
    size = math.sqrt(times) / float(std)
    seen = []
    for deviations in (0, 1, 2, 5, 10, 15, 19):
        eps = F(round(64 * (size * deviations + size * size / 2)), 64)
        first = law.mu_upper_cdf(law.inverse_privacy_loss(float(eps)))
        theirs = law.get_delta_for_epsilon(float(eps))
        ours = delta("gaussian", eps, times, std=std)
        accuracy = rounding(theirs, float(eps), first)
        assert contains(ours, theirs, accuracy), (eps, theirs, float(ours[0]))
        assert accuracy < 1e-8 * theirs  # the comparison says something
        seen.append(theirs)
    assert min(seen) < 1e-80


@pytest.mark.parametrize("at", ["1e-2", "1e-5", "1e-10", "1e-20", "1e-40", "1e-60", "1e-80"])
@pytest.mark.parametrize("std", [F(1, 2), F(3), F(20)], ids=str)
def test_gaussian_inverse(accounting: Any, at: str, std: Fraction) -> None:
    theirs = accounting.package.get_epsilon_gaussian(float(std), float(at), tol=1e-12)
    # the root is found to 1e-12 plus 4 units, of a logarithm of δ with an error of about 1e-12
    assert contains(epsilon("gaussian", at, std=std), theirs, 1e-11 + 1e-12 / float(std) + 8 * UNIT * theirs)


@pytest.mark.parametrize("at", ["1e-5", "1e-30", "1e-80"])
@pytest.mark.parametrize("eps", [F(1, 4), F(1), F(8)], ids=str)
def test_gaussian_calibration(accounting: Any, at: str, eps: Fraction) -> None:
    import dpwitness as dpw

    theirs = accounting.package.get_sigma_gaussian(float(eps), float(at), tol=1e-12)
    assert contains(dpw.calibrate("gaussian", eps=eps, delta=at), theirs, 1e-11 + 1e-11 * theirs)


@pytest.mark.parametrize("std", [F(1), F(4), F(10)], ids=str)
def test_discrete_gaussian(accounting: Any, std: Fraction) -> None:
    law = accounting.laws.DiscreteGaussianPrivacyLoss(float(std), truncation_bound=int(40 * std))
    seen = []
    for deviations in (F(0), F(1), F(5, 2), F(10), F(39, 2)):
        eps = deviations / std + 1 / (1000 * std * std)  # between two losses, where doubles agree on the set
        first = law.mu_upper_cdf(law.inverse_privacy_loss(float(eps)))
        theirs = law.get_delta_for_epsilon(float(eps))
        # the distribution function adds up logarithms: one rounding for every term
        accuracy = rounding(theirs, float(eps), first) * 40 * float(std)
        assert contains(delta("discrete_gaussian", eps, std=std), theirs, accuracy), (eps, theirs)
        assert accuracy < 1e-7 * theirs
        seen.append(theirs)
    assert min(seen) < 1e-80


@pytest.mark.parametrize("eps", [F(0), F(1, 10), F(1, 2), F(9, 10)], ids=str)
@pytest.mark.parametrize("scale", [F(1, 2), F(1)], ids=str)
def test_laplace(accounting: Any, scale: Fraction, eps: Fraction) -> None:
    for name, law in (
        ("laplace", accounting.laws.LaplacePrivacyLoss(float(scale))),
        ("discrete_laplace", accounting.laws.DiscreteLaplacePrivacyLoss(float(1 / scale))),
    ):
        theirs = law.get_delta_for_epsilon(float(eps))
        assert contains(delta(name, eps, scale=scale), theirs, rounding(theirs, float(eps), 0.5 + theirs))


Make = Callable[[Any, bool], Any]
COMPOSED: dict[str, tuple[str, dict[str, Any], Make]] = {
    "gaussian": (
        "gaussian",
        {"std": 8},
        lambda tables, up: tables.from_gaussian_mechanism(8, **options(up)),
    ),
    "laplace": (
        "laplace",
        {"scale": 8},
        lambda tables, up: tables.from_laplace_mechanism(8, **options(up)),
    ),
    "discrete gaussian": (
        "discrete_gaussian",
        {"std": 8},
        lambda tables, up: tables.from_discrete_gaussian_mechanism(8, **options(up)),
    ),
    "discrete laplace": (
        "discrete_laplace",
        {"scale": 8, "by": 3},
        lambda tables, up: tables.from_discrete_laplace_mechanism(0.125, sensitivity=3, **options(up)),
    ),
    "randomized response": (
        "response",
        {"log_odds": F(1, 8)},
        lambda tables, up: tables.from_randomized_response(
            2 / (math.exp(0.125) + 1), 2, pessimistic_estimate=up, value_discretization_interval=float(GRID)
        ),
    ),
}


def options(up: bool) -> dict[str, Any]:
    return {
        "pessimistic_estimate": up,
        "value_discretization_interval": float(GRID),
        "use_connect_dots": False,
    }


@pytest.mark.parametrize("which", list(COMPOSED))
@pytest.mark.parametrize("times", [1, 10, 64])
def test_compositions(accounting: Any, which: str, times: int) -> None:
    name, params, make = COMPOSED[which]
    upper, lower = (make(accounting.tables, up).self_compose(times) for up in (True, False))
    for eps in (F(1, 20), F(3, 10), F(1), F(2), F(5)):
        ours = delta(name, eps, times, **params)
        above, below = (float(table.get_delta_for_epsilon(float(eps))) for table in (upper, lower))
        assert ours[0] <= F(above) + F(FLOOR), (eps, above)
        assert ours[1] >= F(below) - F(FLOOR), (eps, below)
        off = times * GRID  # how far the rounded losses can be from the true ones
        assert F(above) <= delta(name, eps - off, times, **params)[1] + F(FLOOR)
        assert F(below) >= delta(name, eps + off, times, **params)[0] - F(FLOOR)
