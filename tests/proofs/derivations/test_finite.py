"""Laws on outcomes: the region of the (ε,δ) counterexample, and its relatives, as formulas."""

from __future__ import annotations

import copy
import math

import pytest

from dpwitness.cli import main
from dpwitness.core.errors import BadInput
from dpwitness.proofs.derivations.finite import NAMED, certify, named, outcome
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import check, examine


@pytest.mark.parametrize("name", NAMED)
def test_every_step_is_certified(name: str) -> None:
    found = named(name)
    assert all(step.certified for step in found.steps)
    assert all(check(c, seconds=10) for c in found.certificates())


def test_the_region() -> None:
    formulas = [step.formula for step in named("sets").steps]
    assert formulas[0] == "log((1 - delta)/(1 - m*delta))"
    assert formulas[3] == "log((1 - delta)/(1 - 2*delta))"


@pytest.mark.parametrize("m", [2, 3, 7])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9])
def test_the_region_by_hand(m: int, share: float) -> None:
    """On both sides of the curve, with floats."""
    delta = share / m
    least = math.log((1 - delta) / (1 - m * delta))
    for eps, wanted in ((least + 1e-6, True), (least - 1e-6, False)):
        single = math.exp(eps) * (1 - m * delta) + delta >= 1
        assert single == wanted
    assert m * delta > delta


WHERE = ("m >= 2", "delta > 0", "delta < 1/m", "eps >= log((1 - delta)/(1 - m*delta))")
CLASSES = [outcome("m", "delta", "0"), outcome("1", "1 - m*delta", "1")]


@pytest.mark.parametrize(("place", "value"), [
    (3, "eps >= log((1 - delta)/(1 - 2*delta))"), (3, "eps >= delta"), (3, "eps >= 0"), (3, "eps >= m*delta"),
    (3, "eps >= log((1 - delta)/(1 - m*delta)) - 1/100"), (2, "delta < 1/2"), (2, "delta < 1"), (0, "m > 0"),
])  # fmt: skip
def test_a_wrong_region_is_refused(place: int, value: str) -> None:
    right = certify(CLASSES, WHERE, "singles")
    wrong = copy.deepcopy(right)
    wrong["where"][place] = value
    if place == 0:  # one outcome more or less: the singles still hold, the set does not fail for m ≤ 1
        wrong = {**certify(CLASSES, WHERE, "fails", order="left", chosen=[0]), "where": [value, *WHERE[1:]]}
    assert not examine(wrong, seconds=10)


@pytest.mark.parametrize("change", [
    {"formula": "2*eta"}, {"formula": "eta/2"}, {"formula": "log(k)"}, {"claim": "delta", "formula": "eta"},
    {"classes": [outcome("1", "1/2", "1/3"), outcome("1", "1/2", "1/3")]},
    {"classes": [outcome("k", "1/k", "1/k")]},
    {"classes": [outcome("2", "-1/2", "1/2"), outcome("1", "2", "0")]},
])  # fmt: skip
def test_wrong_statements_about_randomized_response(change: dict[str, object]) -> None:
    right = named("randomized-response").certificates()[0]
    assert not examine({**right, **change}, seconds=5)


def test_delta_of_randomized_response_by_hand() -> None:
    from dpwitness.proofs.derivations.bridge import symbol, to_sympy
    from dpwitness.proofs.kernel.algebra.expr import parse

    formula = to_sympy(parse(named("randomized-response").steps[1].formula))
    for k, eta, eps in ((2, 1.0, 0.5), (5, 2.0, 0.3)):
        p, r = math.exp(eta) / (math.exp(eta) + k - 1), 1 / (math.exp(eta) + k - 1)
        wanted = max(0, p - math.exp(eps) * r) + max(0, r - math.exp(eps) * p)
        found = formula.subs({symbol("k"): k, symbol("eta"): eta, symbol("eps"): eps})
        assert float(found) == pytest.approx(wanted)


def test_an_unknown_name() -> None:
    with pytest.raises(BadInput, match="randomized-response"):
        named("nothing")
    with pytest.raises(Rejected):
        check({"type": "derived-outcomes"})


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["derive"]) == 0
    assert "randomized-response" in capsys.readouterr().out
    assert main(["derive", "sets"]) == 0
    assert "certified" in capsys.readouterr().out
    assert main(["derive", "nothing"]) == 2
    capsys.readouterr()
    assert main(["derive", "sets"]) == 0
    assert capsys.readouterr().out.startswith("P: m outcomes of mass delta")  # a pair of laws is no density of z
    assert main(["derive", "sets", "--latex"]) == 0
    assert capsys.readouterr().out.startswith("\\[\\text{P: m outcomes")


def test_a_negative_delta_holds_for_no_single_outcome_of_infinitely_many() -> None:
    """The masses fall to 0, where p <= e^eps q + delta fails."""
    tree = {"by": "coefficients"}
    made = {
        "type": "derived-outcomes", "where": ["eps > log(2)", "delta > -1/10", "delta < -1/20"], "claim": "singles",
        "classes": [{"count": "1", "left": "1/2", "right": "1/2", "ratio": "1/2"}], "formula": None, "order": "both",
        "proof": {"trees": [{"left": tree, "right": tree}]},
    }  # fmt: skip
    check({**made, "where": ["eps > log(2)", "delta > 0"]})
    with pytest.raises(Rejected, match="delta"):
        check(made)
