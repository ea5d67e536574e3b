"""Coins of one local record: what they tell is exact in powers of e, and no rule speaks of several records."""

from __future__ import annotations

import copy
import warnings
from fractions import Fraction

import pytest

from dpwitness import Interval, PureDP, Records, exp, mechanism
from dpwitness.core.judging.judge import judge
from dpwitness.proofs.composition.route import CompositionProver
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.check import check, examine
from dpwitness.proofs.kernel.composition.inputs import read_inputs
from dpwitness.proofs.kernel.composition.knowledge import Knowledge, Let
from dpwitness.proofs.kernel.composition.powers import Powers
from dpwitness.routes import kernel_checker

LOCAL = Records(Interval(-1, 1), 1)
EPS = Poly.symbol("eps")


@mechanism(data=LOCAL, claim=lambda eps: PureDP(eps), typical={"eps": 1})
def duchi(noise, data, *, eps):
    """One bit, whose chance is affine in the record."""
    p = ((exp(eps) - 1) * data[0] + exp(eps) + 1) / (2 * exp(eps) + 2)
    if noise.bernoulli(p):
        return 1
    return -1


def test_proved_for_every_epsilon() -> None:
    claim = duchi.claims()[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdict = judge(claim, [CompositionProver().run(claim)], kernel_checker())
    assert verdict.decision.value == "PROVED"
    assert verdict.upper.scope.epsilon == "all"


def test_less_than_it_tells_is_refused() -> None:
    certificate = dict(CompositionProver().run(duchi.claims()[0]).certificate)
    coin = next(step for step in certificate["transcript"] if step[0] == "coin")
    assert coin[3] == "eps"
    for loss in ({"eps": "999/1000"}, "0", {"eps": "-1"}, {"eps": "1", "eps^2": "1"}, "1"):
        changed = copy.deepcopy(certificate)
        changed["transcript"][certificate["transcript"].index(coin)][3] = loss
        assert not examine(changed), loss


def test_several_records_are_refused_by_the_kernel() -> None:
    """A chance is compared on the cells of one record: with others beside it the odds are different ones."""
    certificate = copy.deepcopy(dict(CompositionProver().run(duchi.claims()[0]).certificate))
    assert check_sizes(certificate) == (1,)
    del certificate["inputs"]["count"]
    assert "one record of an input, and here are more" in examine(certificate).reason
    for wrong in (2, True, "1", 0):
        assert not examine({**certificate, "inputs": {**certificate["inputs"], "records": wrong}})
    assert read_inputs({"inputs": "records", "relation": "substitute", "points": ["0", "1"]}).sizes() == "any"


def check_sizes(certificate):
    return check(certificate).sizes


def knowledge(opened: bool) -> Knowledge:
    known = Knowledge(("eps",) if opened else ())
    known.let("$1", Let("exp", (EPS if opened else Poly.constant(1),)))
    known.let("$2", Let("inverse", (Poly.symbol("$1") + 1,)))
    return known


@pytest.mark.parametrize("opened", [True, False])
def test_signs_of_quotients(opened: bool) -> None:
    known = knowledge(opened)
    e, inverse = Poly.symbol("$1"), Poly.symbol("$2")
    assert known.positive(e - 1)
    assert known.nonnegative((e - 1) * inverse)
    assert not known.nonnegative(1 - e)
    assert not known.positive(e * inverse - 1 + inverse)  # it is 0
    assert known.nonnegative(e * inverse - 1 + inverse)


@pytest.mark.parametrize("opened", [True, False])
def test_odds_of_a_coin(opened: bool) -> None:
    known = knowledge(opened)
    e, inverse = Poly.symbol("$1"), Poly.symbol("$2")
    powers = Powers(known.lets, known.params)
    unit = EPS if opened else Poly.constant(1)
    ends = [(inverse, e * inverse)]
    assert powers.bounds_coin(ends, unit)
    assert powers.bounds_coin(ends, unit * 2)
    assert not powers.bounds_coin(ends, unit * Fraction(999, 1000))
    assert not powers.bounds_coin([(Poly(), inverse)], unit * 50)
    assert not powers.bounds_coin([(inverse, Poly.constant(1))], unit * 50)
    assert not powers.bounds_coin(ends, -unit)
