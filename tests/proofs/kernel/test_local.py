"""Certificates about reports of one record: exact bounds, and no change of a number that makes them false."""

from __future__ import annotations

import copy
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from tests.proofs.kernel import truth_local
from tests.proofs.kernel.made_local import BROKEN, MADE, NAMES, PIECEWISE, WAVE
from tests.proofs.kernel.mutate import mutants, put

from dpwitness.proofs.kernel.algebra.field import Number
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.check import check, examine


@pytest.mark.parametrize("certificate", MADE, ids=["piecewise", "wave", "names", "broken", "named"])
def test_no_changed_number_makes_a_false_statement_acceptable(certificate: dict[str, Any]) -> None:
    first = examine(certificate)
    assert first, first.reason
    tally = Counter[str]()
    for path, new in mutants(certificate):
        changed = put(certificate, path, new)
        if changed == certificate:
            continue
        tally["changes"] += 1
        if examine(changed):
            tally["accepted"] += 1
            value, tolerance = truth_local.MARGINS[certificate["type"]](changed)
            assert value >= -tolerance, (path, new, value)
    assert tally["changes"] >= 45
    assert tally["accepted"] < tally["changes"]


def test_the_statement() -> None:
    theorem = check(PIECEWISE)
    assert theorem.guarantee == {"kind": "pure", "epsilon": ((Fraction(1), (("eps", 1),)),)}
    assert theorem.relation == {"inputs": "records", "relation": "substitute", "low": "-1", "high": "1"}
    assert theorem.sizes == (1,)
    assert theorem.open == {"eps": {"above": "0"}}
    assert not theorem.assumptions
    assert check(WAVE).open == {}
    assert check(BROKEN).refutes


def test_bounds_are_exact() -> None:
    """The losses of these three are ε, 1 and ln(5/3) = 0.5108."""
    assert not examine({**PIECEWISE, "epsilon": "999999/1000000"})
    assert not examine({**WAVE, "epsilon": "999999/1000000"})
    assert examine({**NAMES, "epsilon": "511/1000"})
    assert not examine({**NAMES, "epsilon": "510/1000"})


def changed(certificate: dict[str, Any], *path: Any, to: Any) -> dict[str, Any]:
    result = copy.deepcopy(certificate)
    place = result
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = to
    return result


@pytest.mark.parametrize(
    ("certificate", "reason"),
    [
        (changed(PIECEWISE, "cuts", to=["0", "0"]), "do not rise"),
        (changed(PIECEWISE, "cuts", to=["2"]), "do not rise"),
        (changed(NAMES, "cuts", to=[]), "changes its sign"),
        (changed(PIECEWISE, "unit", to="x"), "unit"),
        (changed(PIECEWISE, "unit", to="1"), "name 'eps'"),
        (changed(WAVE, "unit", to="eps"), "an exponent is"),
        (changed(PIECEWISE, "epsilon", to="-1"), "negative"),
        (changed(PIECEWISE, "tree", "coin", to={"1": "2"}), "negative, or above 1"),
        (changed(PIECEWISE, "tree", "coin", to={"x": "1"}), "negative, or above 1"),
        (changed(PIECEWISE, "tree", "then", to=[]), "as many ways"),
        (changed(PIECEWISE, "tree", "then", 1, to={}), "fields missing"),
        (changed(WAVE, "tree", "then", "then", 0, "uniform", 1, to={"1": "-100"}), "wrong order"),
        (changed(PIECEWISE, "tree", "then", 0, "uniform", 1, to={"v0": "1"}), "no draw"),
        (changed(PIECEWISE, "tree", "then", 1, "then", "test", "v1", to="1"), "no draw"),
        (changed(PIECEWISE, "tree", "then", 1, "then", "strict", to=1), "strict or not"),
        (changed(PIECEWISE, "tree", "then", 0, "then", "values", to=[{"x": "1"}]), "shows the record"),
        (changed(PIECEWISE, "tree", "then", 0, "then", "values", to=[{"x v0": "1"}]), ""),
        (changed(PIECEWISE, "tree", "then", 0, "then", "values", to=[{"v0": "1"}, {"v0": "1"}]), "one number or none"),
        (changed(PIECEWISE, "tree", "then", 0, "then", "values", to=[{"v00": "1"}]), "v00"),
        (changed(PIECEWISE, "tree", "then", 0, "then", "values", to=[{"v0 x": "1"}]), "v0 x"),
        (changed(PIECEWISE, "tree", "then", 0, "then", "values", to=[{"1": "1", "1 v0": "1"}]), "1 v0"),
        (changed(WAVE, "tree", "then", "then", 0, "then", "values", to=[{"v0": "1", "v1": "1"}]), "two draws"),
        (changed(WAVE, "tree", "then", "then", 1, "then", "test", to={"v0": "1", "v1": "-1"}), "two draws"),
        (changed(NAMES, "tree", "choose", to=[{}, {}, {}]), "all have the chance 0"),
        (changed(NAMES, "tree", "choose", to=[{"1": "2", "x": "1"}] * 3), ""),
        (changed(BROKEN, "inputs", to=[["1"], ["1"]]), "the same"),
        (changed(BROKEN, "inputs", to=[["1", "0"], ["0", "0"]]), "two records"),
        (changed(BROKEN, "label", to="[]"), "does not violate"),
        (changed(BROKEN, "between", to=None), "does not violate"),
        (changed(BROKEN, "between", to=["1", "0"]), "interval"),
    ],
)  # fmt: skip
def test_what_is_refused(certificate: dict[str, Any], reason: str) -> None:
    found = examine(certificate)
    if reason:
        assert not found
        assert reason in found.reason
    elif found:
        value, tolerance = truth_local.MARGINS[certificate["type"]](certificate)
        assert value >= -tolerance


def test_numbers_of_e() -> None:
    e = Number.read("exp(1/2)*exp(1/2) - exp(1)", False)
    assert e.zero
    half = Number.read("(exp(eps)-1)/(exp(eps/2)-1) - exp(eps/2) - 1", True)
    assert half.zero
    assert Number.read("(exp(eps)-1-eps)**2/eps**(-2)", True).sign() == 1
    with pytest.raises(Undecided):
        Number.read("exp(eps) - 2", True).sign()
    for touching in (
        "(exp(eps) - 2)**2",
        "(eps - 1)**2*exp(eps)",
        "(eps*exp(eps) - 3)**2",
    ):  # 0 at one eps, above elsewhere
        with pytest.raises(Undecided):
            Number.read(touching, True).sign()
    assert Number.read("exp(1) - 2", False).sign() == 1
    number = Number.read("-(eps**2*exp(-eps/3)/2-1)/(exp(eps)+eps)", True)
    assert (Number.read(number.text(), True) - number).zero
    plain = Number.read("(exp(-1/3)-7/3)/(exp(2)+1)", False)
    assert (Number.read(plain.text(), False) - plain).zero
    for wrong in ("1/(exp(eps)-exp(eps))", "1/(exp(eps)-2)", "exp(eps*eps)", "exp(1)", "eps**(1/2)", "log(eps)", "x"):
        with pytest.raises((Rejected, Undecided)):
            Number.read(wrong, True)
    for wrong in ("eps", "exp(exp(1))", "exp(1)**41", "1/0"):
        with pytest.raises((Rejected, Undecided)):
            Number.read(wrong, False)
