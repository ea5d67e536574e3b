from __future__ import annotations

import pytest

from dpwitness.core import ZCDP, ApproxDP, GaussianDP, PureDP, RenyiDP
from dpwitness.core.errors import BadInput


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
