from __future__ import annotations

import pickle
from fractions import Fraction
from functools import partial
from typing import Any

import flint
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwitness.core import ZCDP, ApproxDP, GaussianDP, PureDP, Records, RenyiDP, exp, log, mechanism, sqrt
from dpwitness.core.budget import Budget
from dpwitness.core.errors import BadInput
from dpwitness.core.judging.judge import judge
from dpwitness.proofs.laws.finite import FiniteProver
from dpwitness.routes import kernel_checker


@pytest.mark.parametrize("eps", [0, -1, "nan", float("inf"), "-1/2"])
def test_epsilon_must_be_positive_and_finite(eps: object) -> None:
    with pytest.raises(BadInput, match="eps="):
        PureDP(eps)


@pytest.mark.parametrize("delta", [1, -0.5, "2", float("nan")])
def test_delta_lies_in_the_unit_interval(delta: object) -> None:
    with pytest.raises(BadInput, match="delta="):
        ApproxDP(1, delta)


def test_total_variation_is_a_guarantee_but_identity_is_not() -> None:
    assert ApproxDP(0, "1/3").eps == 0
    with pytest.raises(BadInput):
        ApproxDP(0, 0)


def test_order_of_a_renyi_guarantee_exceeds_one() -> None:
    with pytest.raises(BadInput, match="order=1"):
        RenyiDP(1, 1)


def test_implication_compares_parameters() -> None:
    assert PureDP(1).implies(PureDP(1))
    assert PureDP("1/2").implies(ApproxDP(1, "1e-5"))
    assert not PureDP(2).implies(PureDP(1))
    assert not ApproxDP(1, "1e-5").implies(PureDP(1))
    assert ApproxDP(1, 0).implies(PureDP(1))
    assert not ApproxDP(1, "1e-4").implies(ApproxDP(1, "1e-5"))
    assert ZCDP("1/2").implies(RenyiDP(2, 1))
    assert not ZCDP("1/2").implies(RenyiDP(3, 1))
    assert RenyiDP(3, 1).implies(RenyiDP(2, 1))
    assert not GaussianDP(1).implies(ZCDP(1))


def test_json_is_exact_text() -> None:
    assert ApproxDP("1/3", "1e-5").to_json() == {"kind": "approximate", "epsilon": "1/3", "delta": "1/100000"}


@pytest.mark.parametrize(
    ("value", "digits"),
    [
        (2 * log(3), "2.197224577336219382790490473845051409295"),
        (sqrt(2) / 3, "0.4714045207910316829338962414032326928566"),
        (log(1 + (exp(1) - 1) / 2), "0.6201145069582775246317633735096790738398"),
        (exp(-20), "0.000000002061153622438557827965940380155820976376"),
    ],
)
def test_irrational_numbers_are_rounded_up_at_forty_digits(value: object, digits: str) -> None:
    """The digits were computed with Arb at 80 digits."""
    number = PureDP(value).eps
    assert number == Fraction(digits)
    assert pickle.loads(pickle.dumps(PureDP(value))) == PureDP(value)


@given(st.fractions(min_value="1/1000", max_value=500), st.sampled_from(["exp", "log", "sqrt"]))
def test_the_rounded_number_is_just_above(argument: Fraction, name: str) -> None:
    value = {"exp": exp, "log": log, "sqrt": sqrt}[name](argument + (name == "log"))
    with flint.ctx.workprec(300):
        truth = getattr(flint.arb(argument.numerator) / argument.denominator + (name == "log"), name)()
        number = ZCDP(value).rho
        excess = flint.arb(number.numerator) / number.denominator - truth
        assert excess >= 0
        assert excess < truth * flint.arb("1e-38")


def test_what_cannot_be_enclosed_is_refused() -> None:
    for value in (log(Fraction(1, 2)), log(2) - 1, log(1)):
        with pytest.raises(BadInput, match="eps="):
            PureDP(value)


def _log_of(odds: Any) -> PureDP:
    return PureDP(log(odds))


def test_an_irrational_claim_is_decided_on_both_sides_of_the_truth() -> None:
    def response(noise: Any, data: Any) -> Any:
        return data[0] if noise.bernoulli("3/4") else 1 - data[0]

    for odds, decision in ((3, "PROVED"), (Fraction(299, 100), "REFUTED")):
        made = mechanism(data=Records((0, 1), 1), claim=partial(_log_of, odds), typical={})
        claim = made(response).claims()[0]
        found = FiniteProver().run(claim, Budget(seconds=20))
        assert judge(claim, [found], kernel_checker()).decision.value == decision
