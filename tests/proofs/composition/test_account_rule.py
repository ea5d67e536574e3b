"""Samples with Gaussian noise, counted by the account: the bound of the accountant and no other."""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

import pytest

import dpwitness as dpw
from dpwitness import ApproxDP, Box, Records, mechanism
from dpwitness.core import Exact
from dpwitness.core.evidence import UpperBound
from dpwitness.proofs.composition.route import CompositionProver
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.kernel.composition.costs import Cost, larger

PLANE = Records(Box((-1, 1), (-1, 1)), (0, 6), "add-remove")
DELTA = "1/100000"


def training(noise: Any, data: Any, *, steps: Any) -> Any:
    weights = [0, 0]
    for _ in range(steps):
        batch = noise.subsample(data, Exact(1, 100))
        gradients = [noise.clip([r[0] * weights[0] - r[1], r[1] * weights[1]], 1) for r in batch]
        noisy = [sum(g[j] for g in gradients) + noise.gaussian(1) for j in range(2)]
        weights = [weights[j] - noisy[j] / 10 for j in range(2)]
    return weights


def after_a_count(noise: Any, data: Any, *, steps: Any) -> Any:
    """A noisy count of everybody, pure, and a normal one, beside the steps."""
    first = len(data) + noise.laplace(10)
    second = len(data) + noise.gaussian(5)
    out = 0
    for _ in range(steps):
        batch = noise.subsample(data, Exact(1, 100))
        out = sum(noise.clip([r[0] * out, r[1]], 1)[0] for r in batch) + noise.gaussian(1)
    return first, second, out


def decide(program: Any, eps: Fraction, steps: int = 200) -> Any:
    made = mechanism(data=PLANE, claim=lambda: ApproxDP(eps, DELTA), typical={"steps": steps})(program)
    return CompositionProver().run(made.claims()[0])


def test_a_claim_is_proved_down_to_the_accountants_bound() -> None:
    exact = (dpw.poisson(dpw.gaussian(1), "1/100") * 200).epsilon(DELTA)
    above, below = Fraction(exact.high) * Fraction(1001, 1000), Fraction(exact.low) * Fraction(999, 1000)
    proved = decide(training, above)
    assert isinstance(proved, UpperBound)
    theorem = check(proved.certificate)
    assert "account of the steps" in theorem.statement
    assert any("theorem 10" in text for text in theorem.assumptions)
    assert not isinstance(decide(training, below), UpperBound)


def test_pure_and_normal_steps_beside_the_samples() -> None:
    steps = dpw.poisson(dpw.gaussian(1), "1/100") * 200 + dpw.gaussian(5)
    exact = steps.epsilon(DELTA)
    above, below = (Fraction(1, 10) + Fraction(end) * ratio for end, ratio in (
        (exact.high, Fraction(1001, 1000)), (exact.low, Fraction(999, 1000))))  # fmt: skip
    assert isinstance(decide(after_a_count, above), UpperBound)
    assert not isinstance(decide(after_a_count, below), UpperBound)


def test_an_account_of_other_steps_is_refused() -> None:
    """Only hints come from the certificate: steps, rates and ε are computed from the transcript and the claim."""
    exact = (dpw.poisson(dpw.gaussian(1), "1/100") * 200).epsilon(DELTA)
    proved = decide(training, Fraction(exact.high) * Fraction(1001, 1000))
    for change in ({"epsilon": str(Fraction(exact.low) * Fraction(99, 100))}, {"delta": "1/200000"}):
        forged = copy.deepcopy(dict(proved.certificate))
        forged["guarantee"].update(change)
        with pytest.raises(Rejected):
            check(forged)
    more = copy.deepcopy(dict(proved.certificate))
    text = repr(more["transcript"])
    assert "200" in text
    other = decide(training, Fraction(exact.high) * Fraction(1001, 1000), steps=202)
    assert not isinstance(other, UpperBound)
    swapped = {**(dict(proved.certificate)), "account": [None, None]}
    with pytest.raises(Rejected):
        check(swapped)


def test_costs_of_different_ways_are_bounded_together() -> None:
    one, two = (Cost(groups=((Fraction(1, 10), Fraction(1, 4), k),)) for k in (3, 5))
    other = Cost(groups=((Fraction(1, 10), Fraction(1, 2), 1),))
    assert larger(one, two).groups == two.groups
    assert (one + two).groups == ((Fraction(1, 10), Fraction(1, 4), 8),)
    assert larger(two, other).groups == two.groups + other.groups
    assert one.times(4).groups == ((Fraction(1, 10), Fraction(1, 4), 12),)
