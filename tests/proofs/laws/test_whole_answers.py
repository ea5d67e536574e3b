"""Whole answers under integer noise: they move by whole numbers, so the noise hides them."""

from __future__ import annotations

import math
from fractions import Fraction as F
from typing import Any

import pytest

import dpwitness as dpw
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.laws.additive import AdditiveProver


def two_sided(noise, q, *, eps):
    return [x + noise.discrete_laplace(1 / eps) for x in q]


def normal(noise, q, *, eps):
    return [x + noise.discrete_gaussian(1 / eps) for x in q]


def doubled(noise, q, *, eps):
    return [2 * x + noise.discrete_laplace(1 / eps) for x in q]


def halved(noise, q, *, eps):
    return [x / 2 + noise.discrete_laplace(1 / eps) for x in q]


def made(program: Any, claim: Any = None, **space: Any) -> Any:
    answers = dpw.Answers(**{"size": 1, "whole": True, **space})
    return dpw.mechanism(data=answers, claim=claim or (lambda eps: dpw.PureDP(eps)), typical={"eps": 1})(program)


@pytest.mark.parametrize(
    ("program", "space", "eps", "proved"),
    [
        (two_sided, {}, 1, True),
        (two_sided, {"by": "3/2"}, 1, True),
        (two_sided, {"by": 2}, 1, False),
        (two_sided, {"by": 2}, 2, True),
        (two_sided, {"moves": "one", "size": 3}, 1, True),
        (two_sided, {"moves": "all", "size": 3}, 1, False),
        (two_sided, {"moves": "all", "size": 3}, 3, True),
        (doubled, {}, 1, False),
        (doubled, {}, 2, True),
        (two_sided, {"low": 0, "high": 10**9}, 1, True),
    ],
)
def test_integer_noise(program: Any, space: dict[str, Any], eps: int, proved: bool) -> None:
    (claim,) = made(program, lambda: dpw.PureDP(eps), **space).claims()
    found = AdditiveProver().run(claim)
    assert isinstance(found, UpperBound) is proved
    if isinstance(found, UpperBound | Counterexample):
        assert examine(found.certificate)  # type: ignore[arg-type]
    if isinstance(found, Counterexample):
        claim.space.validate(found.left)
        claim.space.validate(found.right)


def test_a_fraction_of_a_whole_answer_is_not_proved() -> None:
    assert not isinstance(AdditiveProver().run(made(halved).claims()[0]), UpperBound)


def test_whole_moves_of_a_euclidean_ball_are_not_cut_short() -> None:
    """(1, 1) has length 1.41: it is a move of the ball of radius 3/2, though each number moves by at most 1."""

    def program(noise, q, *, eps):
        return [x + noise.gaussian(1) for x in q]

    (claim,) = made(program, lambda: dpw.GaussianDP("5/4"), moves="l2", by="3/2", size=2).claims()
    assert not isinstance(AdditiveProver().run(claim), UpperBound)


@pytest.mark.parametrize("eps", [0, F(1, 2), 1, 3])
def test_curves_agree_with_sums_of_doubles(eps: F) -> None:
    k = range(-60, 61)
    for program, weight in ((two_sided, lambda j: math.exp(-abs(j))), (normal, lambda j: math.exp(-j * j / 2))):
        total = math.fsum(weight(j) for j in range(-200, 201))
        expected = math.fsum(max(weight(j) - math.exp(eps) * weight(j - 1), 0) for j in k) / total
        low, high = dpw.delta(made(program), eps=eps)
        assert float(low) == pytest.approx(expected, rel=1e-9, abs=1e-15)
        assert float(high - low) <= 1e-12 * float(high)


@pytest.mark.parametrize("delta", ["1e-8", "1e-80"])
@pytest.mark.parametrize("times", [1, 10])
def test_small_deltas_are_enclosed_tightly(delta: str, times: int) -> None:
    for program in (two_sided, normal):
        low, high = dpw.epsilon(made(program), delta=delta, times=times)
        assert high - low <= high / 10**12
        assert dpw.delta(made(program), eps=high, times=times)[0] <= F(delta)
