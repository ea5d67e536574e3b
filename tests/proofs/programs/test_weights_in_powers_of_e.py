"""Choices whose weights are formulas in e^ε: proved for every ε; no changed weight is accepted that breaks a claim."""

from __future__ import annotations

import copy
import math
import warnings
from fractions import Fraction as F
from typing import Any

import pytest
from tests.proofs.models.side_by_side import decide_and_compare

from dpwitness import PureDP, Records, exp, mechanism
from dpwitness.core.budget import Budget
from dpwitness.core.coexecution import Unfaithful
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.forms import Form, Symbol
from dpwitness.core.readers.signs import sign
from dpwitness.proofs.kernel.algebra.exppoly import ExpPoly
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.programs.witness import weight
from dpwitness.proofs.programs import building
from dpwitness.proofs.programs.route import ProgramProver
from dpwitness.routes import decide

WRONG = ("=2*exp(eps)", "=exp(2*eps)", "=1/(exp(eps)+2)", "3", "=exp(-2*eps)", "=eps", "=0", "?exp(eps)")
FOUR = Records((0, 1, 2, 3), 1)


def response_by_weight(noise, data, *, eps):
    return noise.choice([exp(eps) if v == data[0] else 1 for v in range(4)])


def response_by_coin(noise, data, *, eps):
    if noise.bernoulli(exp(eps) / (exp(eps) + 3)):
        return data[0]
    k = noise.choice([1, 1, 1])
    return k if k < data[0] else k + 1


def unary_encoding(noise, data, *, eps):
    return [noise.bernoulli(F(1, 2) if v == data[0] else 1 / (exp(eps) + 1)) for v in range(4)]


def symmetric_encoding(noise, data, *, eps):
    odds = exp(eps / 2)
    return [noise.bernoulli(odds / (odds + 1) if v == data[0] else 1 / (odds + 1)) for v in range(4)]


def subset_selection(noise, data, *, eps):
    others = [v for v in range(4) if v != data[0]]
    chosen = [data[0]] if noise.bernoulli(2 * exp(eps) / (2 * exp(eps) + 2)) else []
    while len(chosen) < 2:
        chosen.append(others.pop(noise.choice([1] * len(others))))
    return sorted(chosen)


KNOWN = [response_by_weight, response_by_coin, unary_encoding, symmetric_encoding, subset_selection]


def claim_of(program: Any, factor: F = F(1)) -> Any:
    made = mechanism(data=FOUR, claim=lambda eps: PureDP(eps * factor), typical={"eps": 1})(program)
    return made.claims()[0]


@pytest.mark.parametrize("program", KNOWN)
def test_known_reports_are_proved_for_every_epsilon(program: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdict = decide(claim_of(program), Budget(seconds=30), "prove")
    assert verdict.decision.value == "PROVED"
    assert verdict.upper is not None
    assert verdict.upper.scope.epsilon == "all"
    assert isinstance(ProgramProver().run(claim_of(program, F(99, 100))), Counterexample)


@pytest.mark.parametrize("program", [response_by_weight, unary_encoding])
def test_no_changed_weight_is_accepted(program: Any) -> None:
    """The laws are recomputed by hand from the changed weights, as doubles at several ε."""
    found = ProgramProver().run(claim_of(program))
    assert isinstance(found, UpperBound)
    certificate = found.certificate
    assert certificate is not None
    assert examine(certificate)
    changes = accepted = 0
    for k, tree in enumerate(certificate["trees"]):
        for i, weights in enumerate(tree["choices"]):
            for j in range(len(weights)):
                for new in WRONG:
                    changed = copy.deepcopy(dict(certificate))
                    changed["trees"][k]["choices"][i][j] = new
                    changes += 1
                    accepted += bool(examine(changed))
    assert changes >= 100
    assert not accepted


def test_shares() -> None:
    assert weight(("=exp(eps)", "1"), 0, "eps") == (ExpPoly.exp(F(1)), ExpPoly.exp(F(1)) + ExpPoly.of(1))
    top, bottom = weight(("=1/(exp(eps)+1)", "=1-(1/(exp(eps)+1))"), 1, "eps")
    value = float(top.at(F(1)).ball() / bottom.at(F(1)).ball())
    assert math.isclose(value, math.e / (math.e + 1))
    for entry in (("=exp(eps)-2", "1"), ("=-exp(eps)", "1"), ("=eps-eps", "0"), ("=1/(exp(eps)-2)", "1")):
        with pytest.raises((Rejected, Undecided)):
            weight(entry, 0, "eps")
    with pytest.raises(Rejected, match="at one eps"):
        weight(("=exp(eps)", "1"), 0, "1")


def test_signs_of_quotients() -> None:
    eps = Form.of_symbol(Symbol("param", 0, "eps"))
    e = Form.of_symbol(Symbol("atom", 0, "exp", eps))
    share = e * Form.of_symbol(Symbol("atom", 0, "inverse", e + 3))
    assert sign(1 - share) == 1
    assert sign(share - 1) == -1
    assert sign(share - F(1, 2)) is None
    assert sign(1 - share * share) == 1
    assert sign(1 - Form.of_symbol(Symbol("atom", 0, "inverse", e - 3))) is None


@pytest.mark.parametrize("program", KNOWN)
def test_a_bug_in_the_weights_gives_no_verdict(program: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """All formulas of weights are read as if e^ε were e^(ε/2): that is private, and not the program."""
    plain = building.formula
    monkeypatch.setattr(building, "formula", lambda form, opened: plain(form, opened).replace("exp(", "exp(1/2*"))
    with pytest.raises(Unfaithful):
        decide_and_compare(claim_of(program), ProgramProver())
