"""A program that always returns None keeps every promise; the verdict says so."""

from __future__ import annotations

from fractions import Fraction as F

import dpwitness as dpw
from dpwitness import GaussianDP, Interval, PureDP, Records, mechanism
from dpwitness.core.budget import Budget
from dpwitness.core.domains import real
from dpwitness.reports.jsonin import _confirmation
from dpwitness.reports.jsonout import _confirmed
from dpwitness.reports.model import explain

UNIT = Records(Interval(0, 1), 5, "add-remove")
SMALL = Budget(max_pairs=100, seconds=120)  # of which proofs have a part, on a busy machine too


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical={"eps": 1})
def without_a_return(noise, data, *, eps):
    """Forgets to return."""
    len(data) + noise.laplace(1 / eps)


@mechanism(data=Records([0, 1], 1), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def loop_without_a_return(noise, data, *, eps):
    """The same after a loop that ends by chance."""
    while noise.bernoulli(F(1, 2)):
        pass


@mechanism(data=UNIT, claim=lambda mu: GaussianDP(mu), typical={"mu": 1}, domains={"mu": real(above=0)})
def only_here(noise, data, *, mu):
    """Right at mu = 1, and wrong above."""
    return len(data) + noise.gaussian(1 / (mu * mu))


def test_the_verdict_says_that_nothing_is_returned() -> None:
    for program in (without_a_return, loop_without_a_return):
        verdict = dpw.verify(program, budget=SMALL)
        assert "every run returned None" in str(verdict)
        assert "every run returned None" in explain(verdict)
        assert verdict.upper is not None
        assert _confirmation(_confirmed(verdict.upper)) == verdict.upper.confirmed


def test_the_verdict_names_the_value_at_which_a_claim_was_proved() -> None:
    verdict = dpw.verify(only_here, budget=SMALL)
    assert "mu = 1 only, any N" in str(verdict)
    assert "every ε" not in str(verdict)
    assert "None" not in str(verdict)
