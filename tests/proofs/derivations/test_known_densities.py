"""Derived bounds are those that are known, and the kernel accepts them as sharp."""

from __future__ import annotations

import pytest
from tests.proofs.derivations.densities import KNOWN, Known

from dpwitness.proofs.derivations.bounds import Bound, derive
from dpwitness.proofs.derivations.bridge import simplified
from dpwitness.proofs.derivations.conditions import conditions
from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.kernel.derivations.reading import read
from dpwitness.proofs.kernel.derivations.region import cases
from dpwitness.proofs.kernel.derivations.ring import variable


def agrees(bound: Bound, known: str) -> bool:
    """Whether the kernel accepts the known formula in the place of the derived one, or both have one form."""
    try:
        return bool(check({**bound.certificate, "bound": known}, seconds=10))
    except Rejected:
        names = sorted(parse(known).variables() - {"Delta", "lam"})
        values = {**cases(names, bound.where)[0], "Delta": variable("Delta"), "lam": variable("lam")}
        return read(parse(known), values) == read(parse(str(bound.formula)), values)


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_slides_and_dilations(known: Known) -> None:
    where = conditions(known.where)
    wanted = (("slide", known.slide), ("dilate", known.dilate), ("slope", known.slope))
    for change, formula in wanted:
        if formula == "" or (change == "slope" and formula is None):
            continue
        (bound,) = derive(known.formula, where, change, simplified)
        theorem = check(bound.certificate, seconds=10)
        if formula is None:
            assert bound.formula is None
            assert theorem.refutes
            assert "no finite bound" in theorem.statement
        else:
            assert "no smaller bound holds" in theorem.statement
            assert agrees(bound, formula)


def test_the_form_changes_with_the_parameter() -> None:
    """A two-sided gamma density has a finite loss at k = 1 alone."""
    found = derive("Abs(z)**(k-1)*exp(-Abs(z)/b)", ["b > 0", "k > 0"], "slide", simplified)
    assert [(b.extra, b.formula) for b in found] == [(("k < 1",), None), (("k = 1",), "Delta/b"), (("k > 1",), None)]
    assert all(check(b.certificate) for b in found)
