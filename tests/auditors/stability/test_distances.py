"""Distances are exact, and infinite where outputs cannot be compared."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwitness.core.errors import BadInput
from dpwitness.core.stability.columns import reals, wholes
from dpwitness.core.stability.distances import Distance
from dpwitness.core.stability.rows import Rows, edit_distance


@pytest.mark.parametrize(
    ("name", "left", "right", "measure"),
    [
        ("l1", 0.1, 0.3, Fraction(0.3) - Fraction(0.1)),
        ("l1", [1, 2], [4, -2], 7),
        ("l2", [0, 0], [3, 4], 25),
        ("linf", [0, 0], [3, 4], 4),
        ("l0", [1, 2, 3], [1, 5, 6], 2),
        ("l1", {"a": 1}, {"a": 3}, 2),
        ("l1", {"a": 1}, {"b": 1}, math.inf),
        ("sparse-l1", {"a": 1}, {"b": 1}, 2),
        ("l1", [1], [1, 2], math.inf),
        ("l1", math.nan, math.nan, 0),
        ("l1", math.nan, 1.0, math.inf),
        ("l1", math.inf, math.inf, 0),
        ("l1", math.inf, 1.0, math.inf),
        ("l1", -0.0, 0.0, 0),
        ("l1", 2**80, 2**80 + 1, 1),
        ("l1", True, False, 1),
        ("l1", "a", "a", math.inf),
        ("discrete", "a", "a", 0),
        ("discrete", 1, 1.0, 1),
        ("symmetric", [1, 1, 2], [1, 2, 3], 2),
        ("symmetric", [1, 2], [2, 1], 0),
        ("insert-delete", [1, 2], [2, 1], 2),
        ("hamming", [1, 2], [1, 3], 1),
        ("hamming", [1, 2], [1], math.inf),
        ("l1", np.array([1, 2]), np.array([3, 2]), 2),
        ("l1", np.float64(1), 2.0, 1),
    ],
)
def test_by_hand(name, left, right, measure):
    assert Distance.of(name).measure(left, right) == measure


def test_a_function_may_be_a_distance():
    assert Distance.of(lambda a, b: abs(a - b) / 2).measure(1, 4) == Fraction(3, 2)
    with pytest.raises(BadInput, match="a number is needed"):
        Distance.of(lambda a, b: "far").measure(1, 2)


def test_rounding_knows_single_precision():
    one = Distance.of("l1")
    assert one.rounding(1, 2, Fraction(1)) == 0
    assert 0 < one.rounding(1.0, 2.0, Fraction(1)) < Fraction(1, 10**9)
    assert one.rounding(np.float32(1), np.float32(2), Fraction(1)) > one.rounding(1.0, 2.0, Fraction(1))


@given(st.text("abc", max_size=7), st.text("abc", max_size=7))
def test_edits_by_the_textbook(a, b):
    """|a| + |b| − 2·LCS, against a plain recursion over all subsequences of the shorter one."""
    common = max(
        mask.bit_count() for mask in range(1 << len(a)) if _inside([x for i, x in enumerate(a) if mask >> i & 1], b)
    )
    assert edit_distance(a, b) == len(a) + len(b) - 2 * common


def _inside(part, whole):
    rest = iter(whole)
    return all(x in rest for x in part)


def test_steps_between_datasets():
    ordered, any_order = Rows(wholes(0, 9)), Rows(wholes(0, 9), any_order=True)
    replaced = Rows(wholes(0, 9), (2, 2), "substitute")
    assert ordered.steps_between((1, 2, 3), (1, 3)) == 1
    assert ordered.steps_between((1, 2), (2, 1)) == 2
    assert any_order.steps_between((1, 2), (2, 1)) == 0
    assert replaced.steps_between((1, 2), (1, 3)) == 1
    assert replaced.steps_between((1, 2), (1,)) == math.inf
    assert Rows(reals(nan=True)).steps_between((math.nan,), (math.nan,)) == 0
    assert Rows(reals()).steps_between((0.0,), (-0.0,)) == 2


@pytest.mark.parametrize("form", ["list", "tuple", "numpy", "pandas", "polars", "dicts"])
def test_every_form_holds_the_records(form):
    if form in ("pandas", "polars"):
        pytest.importorskip(form)
    space = Rows({"age": wholes(0, 99), "weight": reals(0, 200)}, form=form)
    made = space.build(((30, 70.5), (40, 80.0)))
    assert len(made) == 2
    assert Distance.of("symmetric").measure(made, space.build(((30, 70.5),))) == 1
    assert len(space.build(())) == 0


def test_whole_numbers_of_an_array_are_those_of_its_type():
    assert max(Rows(wholes(), form="numpy", dtype="int8").records()) == 127
    assert min(Rows(wholes(), form="numpy", dtype="uint8").records()) == 0
    assert max(Rows(wholes(), form="list").records()) == 2**64
