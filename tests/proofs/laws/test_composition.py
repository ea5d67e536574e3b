"""Composition, groups, the privacy-loss law, conversions."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.proofs.kernel.released import noise

from dpwitness.core import laws
from dpwitness.core.errors import BadInput
from dpwitness.core.guarantees import ZCDP, ApproxDP, GaussianDP, PureDP, RenyiDP
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.laws import conversions
from dpwitness.proofs.laws.composition import (
    advanced,
    basic,
    group,
    hoeffding_tail,
    loss_tail,
    optimal_delta,
    optimal_epsilon,
    response_loss,
)
from dpwitness.proofs.laws.privacy_curves.curves import delta

F = Fraction
epsilons = st.fractions(F(1, 20), 2, max_denominator=20)


def test_basic() -> None:
    assert basic([PureDP(1), PureDP("1/2")]) == PureDP("3/2")
    with pytest.raises(BadInput):
        basic([ZCDP(1)])


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 8), epsilons)
def test_optimal_composition_lies_below_the_others(k: int, eps0: Fraction) -> None:
    low, high = optimal_epsilon(k, eps0, "1e-3")
    assert low <= high <= k * eps0 + F(1, 10**9)
    assert low <= advanced(k, eps0, "1e-3")[0]
    assert optimal_delta(k, eps0, high)[1] <= F(1, 1000) * (1 + F(1, 10**20))


def test_optimal_composition_with_delta() -> None:
    low, high = optimal_delta(1, 1, 1, "1e-6")
    assert low <= F(1, 10**6) <= high
    with pytest.raises(BadInput, match="no ε"):
        optimal_epsilon(10, 1, "1e-6", "1e-6")
    assert optimal_epsilon(3, 1, 0) == (3, 3)


def test_the_loss_law_sums_to_one_and_has_the_stated_mean() -> None:
    law = response_loss(5, "1/2")
    total = sum((p for _, (p, _) in law), start=law[0][1][0] - law[0][1][0])
    assert (total - law[0][1][1]).sign() == 0
    mean = sum(float(value) * float(p.ball() / b.ball()) for value, (p, b) in law)
    assert abs(mean - 5 * 0.5 * (exp(0.5) - 1) / (exp(0.5) + 1)) < 1e-12


@settings(max_examples=15, deadline=None)
@given(st.integers(2, 20), epsilons, st.fractions(0, 1, max_denominator=10))
def test_hoeffding_lies_above_the_exact_tail(k: int, eps0: Fraction, part: Fraction) -> None:
    above = part * k * eps0
    assert loss_tail(k, eps0, above)[0] <= hoeffding_tail(k, eps0, above)


def test_group() -> None:
    eps, d = group(ApproxDP(1, "1e-6"), 3)
    assert eps == 3
    assert abs(float(d) - 1e-6 * (1 + exp(1) + exp(2))) < 1e-18


@settings(max_examples=15, deadline=None)
@given(epsilons, st.fractions(F(3, 2), 20, max_denominator=4))
def test_pure_implies_concentrated(eps: Fraction, order: Fraction) -> None:
    low, _ = conversions.renyi_of_response(order, eps)
    assert low <= order * conversions.pure_to_zcdp(eps)
    assert low <= eps


@pytest.mark.parametrize("eps", ["1/2", 1, 2, 4])
def test_conversions_lie_above_the_exact_gaussian_curve(eps: object) -> None:
    exact = delta(laws.Gaussian(1), 1, eps)
    assert conversions.gdp_to_delta(1, eps)[0] <= exact[1]
    assert exact[0] <= conversions.gdp_to_delta(1, eps)[1]
    assert conversions.zcdp_to_delta("1/2", eps) >= exact[0]
    assert conversions.renyi_to_delta(3, "3/2", eps) >= exact[0]


def test_renyi_conversion_formula() -> None:
    a, r, e = 5.0, 0.4, 1.0
    wanted = exp((a - 1) * (r - e)) / a * (1 - 1 / a) ** (a - 1)
    assert abs(float(conversions.renyi_to_delta(5, "2/5", 1)) / wanted - 1) < 1e-12
    assert conversions.renyi_to_delta(5, 100, 1) == 1


def test_trade_offs() -> None:
    low, high = conversions.trade_off(GaussianDP(1), "1/2")
    assert abs(float(low) - 0.15865525393145707) < 1e-14 and low <= high  # noqa: PT018
    low, high = conversions.trade_off(ApproxDP(log_two(), "1/10"), "1/10")
    assert abs(float(low) - 0.7) < 1e-5 and low <= high  # noqa: PT018
    assert conversions.trade_off(ApproxDP(1, "1/2"), "1/2") == (0, 0)


def log_two() -> Fraction:
    return F(log(2)).limit_denominator(10**6)


def test_to_approx() -> None:
    assert conversions.to_approx(PureDP(1), 2) == ApproxDP(2, 0)
    rr = conversions.to_approx(PureDP(1), 0).delta
    assert abs(float(rr) - (exp(1) - 1) / (exp(1) + 1)) < 1e-12
    assert conversions.to_approx(RenyiDP(2, "1/10"), 2).delta < F(1, 10)
    assert conversions.to_approx(GaussianDP(1), 1).delta >= delta(laws.Gaussian(1), 1, 1)[0]
    with pytest.raises(BadInput):
        conversions.to_approx(ApproxDP(1, "1/2"), 1)


def test_advanced_formula() -> None:
    eps, d = advanced(64, "1/8", "1e-5", "1e-9")
    assert abs(float(eps) - (sqrt(128 * log(1e5)) / 8 + 8 * (exp(0.125) - 1))) < 1e-12
    assert d == F(1, 10**5) + 64 * F(1, 10**9)


@settings(max_examples=20, deadline=None)
@given(st.fractions(F(1, 20), 6, max_denominator=20), st.fractions(F(1, 50), F(49, 50), max_denominator=50))
def test_pure_implies_gaussian_and_no_smaller_one(eps: Fraction, level: Fraction) -> None:
    mu = conversions.pure_to_gdp(eps)
    assert conversions.trade_off(GaussianDP(mu), level)[0] <= conversions.trade_off(PureDP(eps), level)[1]
    smaller = GaussianDP(mu * (1 - F(1, 10**6)))
    fixed = F(1 / (1 + exp(float(eps)))).limit_denominator(
        10**12
    )  # where both type errors of randomized response agree
    assert conversions.trade_off(smaller, fixed)[0] > conversions.trade_off(PureDP(eps), fixed)[1]


@settings(max_examples=20, deadline=None)
@given(st.fractions(F(1, 5), 3, max_denominator=10), st.fractions(F(5, 4), 12, max_denominator=4))
def test_gaussian_implies_concentrated_with_equality(mu: Fraction, order: Fraction) -> None:
    rho = conversions.gdp_to_zcdp(mu).rho
    renyi = conversions.zcdp_to_renyi(rho, order)
    law = {"name": "gaussian", "variance": str(1 / mu**2)}
    for kind, holds in ((renyi.eps, True), (renyi.eps * (1 - F(1, 10**9)), False)):
        guarantee = {"kind": "renyi", "order": str(F(order)), "epsilon": str(F(kind))}
        assert bool(examine(noise([law], "all", ["1"], guarantee))) == holds


@pytest.mark.parametrize("guarantee", [GaussianDP(1), PureDP(1), ApproxDP("1/2", "1e-3")], ids=str)
@pytest.mark.parametrize("eps", ["0", "1/2", "1"])
def test_trade_offs_and_curves_are_two_views_of_one_thing(guarantee: object, eps: str) -> None:
    if isinstance(guarantee, ApproxDP):
        curve = optimal_delta(1, guarantee.eps, eps, guarantee.delta)
    else:
        curve = (conversions.to_approx(guarantee, eps).delta,) * 2  # type: ignore[arg-type]
    coarse = conversions.trade_off_to_delta(guarantee, eps, 50)  # type: ignore[arg-type]
    fine = conversions.trade_off_to_delta(guarantee, eps, 800)  # type: ignore[arg-type]
    assert curve[0] * (1 - F(1, 10**12)) <= fine <= coarse
    assert fine - curve[1] <= F(4, 800)
