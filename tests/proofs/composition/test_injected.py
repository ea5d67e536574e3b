"""Bugs that are put into the reader are found by running its model beside the program: no verdict is given.

Each bug lets a program be read as another one, whose claim the kernel accepts.
"""

from __future__ import annotations

import warnings
from typing import Any

import pytest

from dpwitness import Exact, Interval, PureDP, Records, mechanism
from dpwitness.core.judging.judge import judge
from dpwitness.proofs.composition import arithmetic, drawing, folding, records
from dpwitness.proofs.composition.records import Rows
from dpwitness.proofs.composition.route import CompositionProver
from dpwitness.proofs.composition.values import Number, constant
from dpwitness.routes import kernel_checker

UNIT = Records(Interval(0, 1), 4, "add-remove")
WIDE = Records(Interval(-5, 5), 4, "add-remove")


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical={"eps": 1})
def half_of_the_noise(noise, data, *, eps):
    """Broken: the scale is 1/(2ε)."""
    return sum(data) + noise.laplace(1 / (2 * eps))


@mechanism(data=WIDE, claim=lambda eps: PureDP(eps), typical={"eps": 1})
def filtered(noise, data, *, eps):
    """Broken: records above 1 are in the sum."""
    return sum(x for x in data if x > 0) + noise.laplace(1 / eps)


@mechanism(data=WIDE, claim=lambda eps: PureDP(eps), typical={"eps": 1})
def by_a_loop(noise, data, *, eps):
    """Broken: a record counts up to 5."""
    total = 0
    for x in data:
        total += min(max(x, 0), 5)
    return total + noise.laplace(1 / eps)


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical={"eps": 1})
def branching(noise, data, *, eps):
    """Broken: in one branch there is hardly any noise."""
    n = len(data) + noise.laplace(2 / eps)
    if n > 2:
        return sum(data) + noise.laplace(1 / (20 * eps))
    return n


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical={"eps": 1})
def products(noise, data, *, eps):
    """Broken: the sum is tripled."""
    return 3 * sum(x * Exact(1, 2) for x in data) + noise.laplace(1 / eps)


def wrong_scale(patch: pytest.MonkeyPatch) -> None:
    """Scales are read twice as large."""
    old = drawing.Drawing._draw
    patch.setattr(
        drawing.Drawing, "_draw",
        lambda self, law, values: old(self, law, {k: self.operate("*", v, constant(2)) for k, v in values.items()}),
    )  # fmt: skip


def forgets_the_filter(patch: pytest.MonkeyPatch) -> None:
    """A filter keeps nothing of records that it does not decide."""
    old = records.Recordwise.total

    def total(self: Any, source: Rows, values: Any) -> Number:
        return old(self, Rows(source.values, (False,) * len(source.keep), source.sample), values)

    patch.setattr(records.Recordwise, "total", total)


def a_fifth_of_each_record(patch: pytest.MonkeyPatch) -> None:
    """A loop adds a fifth of what it adds."""
    old = folding.Folding._summed

    def summed(self: Any, rows: Rows, name: str, before: Any, found: Any) -> Any:
        made = old(self, rows, name, before, found)
        return Number((made.form - before.form) * Exact(1, 5) + before.form) if isinstance(made, Number) else made

    patch.setattr(folding.Folding, "_summed", summed)


def always_no(patch: pytest.MonkeyPatch) -> None:
    """Tests of released numbers are taken to fail."""
    patch.setattr(arithmetic.Arithmetic, "decide", lambda self, test: False)


def loses_factors(patch: pytest.MonkeyPatch) -> None:
    """A product with a number above 1 is the other factor."""
    old = arithmetic.Arithmetic._product

    def product(self: Any, one: Number, two: Number, whole: bool) -> Number:
        plain = one.constant is not None and one.constant > 2
        return two if plain else old(self, one, two, whole)

    patch.setattr(arithmetic.Arithmetic, "_product", product)


CASES = [
    (half_of_the_noise, wrong_scale), (filtered, forgets_the_filter), (by_a_loop, a_fifth_of_each_record),
    (branching, always_no), (products, loses_factors),
]  # fmt: skip


@pytest.mark.parametrize(("made", "bug"), CASES, ids=lambda x: getattr(x, "name", None) or x.__name__)
def test_a_bug_in_the_reader_gives_no_verdict(made, bug, monkeypatch: pytest.MonkeyPatch) -> None:
    (claim,) = made.claims()
    bug(monkeypatch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = CompositionProver().run(claim)
        verdict = judge(claim, [found], kernel_checker())
    assert found.certificate is not None, "the bug must be one that the kernel cannot see"
    assert verdict.decision.value == "UNDECIDED"
    assert "the model is not the program" in verdict.silent[0].reason
