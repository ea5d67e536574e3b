"""Rationals and balls."""

from __future__ import annotations

from fractions import Fraction

import flint
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st

from dpwitness.proofs.kernel.arith import (
    Rejected,
    Undecided,
    ball,
    between,
    enclose,
    lower,
    number,
    outward,
    precision,
    sign,
    text,
    upper,
)

rationals = st.fractions(min_value=-1000, max_value=1000, max_denominator=10**6)


@given(rationals)
def test_a_ball_contains_its_number(x: Fraction) -> None:
    assert lower(ball(x)) <= x <= upper(ball(x))


@given(rationals, rationals)
def test_between_covers_the_interval(a: Fraction, b: Fraction) -> None:
    low, high = min(a, b), max(a, b)
    value = between(low, high)
    assert lower(value) <= low <= high <= upper(value)


@given(rationals)
def test_text_round_trip(x: Fraction) -> None:
    assert number(text(x)) == x


@pytest.mark.parametrize(
    "bad", ["", "1.5", "1e5", " 1", "1/0", "inf", "nan", "1/2/3", "--1", "٣", 1, 0.5, None, "9" * 7000]
)
def test_only_exact_text_is_a_number(bad: object) -> None:
    with pytest.raises(Rejected):
        number(bad)


def _fail_inside() -> None:
    with precision(500):
        assert flint.ctx.prec == 500
        _ = 1 // 0


def test_precision_is_restored_even_after_an_error() -> None:
    before = flint.ctx.prec
    with pytest.raises(ZeroDivisionError):
        _fail_inside()
    assert flint.ctx.prec == before
    with pytest.raises(Undecided), precision(10**9):
        pass


def test_enclose_reaches_the_width_despite_cancellation() -> None:
    low, high = enclose(lambda: (arb(1) + arb(2) ** -200) - 1)
    assert low <= Fraction(1, 2**200) <= high


def test_a_zero_stays_undecided() -> None:
    with pytest.raises(Undecided):
        sign(lambda: arb(2).sqrt() ** 2 - 2, cap=512)


@given(rationals.filter(bool))
def test_outward_rounding(x: Fraction) -> None:
    low, high = outward(x, x, 8)
    assert low <= x <= high
    assert high - low <= abs(x) * Fraction(2, 10**6)
