"""Sums of rational multiples of exponentials."""

from __future__ import annotations

from fractions import Fraction
from math import exp, isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import Rejected

small = st.fractions(min_value=-5, max_value=5, max_denominator=12)
sums = st.dictionaries(small, small.filter(bool), max_size=4).map(ExpSum)


def value(x: ExpSum) -> float:
    return sum(float(c) * exp(r) for r, c in x.terms.items())


@given(sums, sums)
def test_ring_laws(x: ExpSum, y: ExpSum) -> None:
    assert (x + y).terms == (y + x).terms
    assert (x * y).terms == (y * x).terms
    assert ((x + y) * x).terms == (x * x + y * x).terms
    assert isclose(value(x * y), value(x) * value(y), rel_tol=1e-6, abs_tol=1e-4)


@given(sums)
def test_sign_agrees_with_the_value(x: ExpSum) -> None:
    assert (x - x).sign() == 0
    if abs(value(x)) > 1e-6:
        assert x.sign() == (1 if value(x) > 0 else -1)


@given(sums)
def test_json_round_trip(x: ExpSum) -> None:
    assert ExpSum.from_json(x.to_json()).terms == dict(x.terms)


def test_a_tiny_difference_is_decided() -> None:
    close = Fraction(2718281828459045235360287471352662497757247093699959574966967627724076630353, 10**75)
    assert (ExpSum.exp(1) - close).sign() == 1
    assert (ExpSum.exp(1) - close - Fraction(1, 10**74)).sign() == -1


@pytest.mark.parametrize("bad", [None, 1.5, [], {"1": 2}, {"x": "1"}, "1.0"])
def test_malformed_json(bad: object) -> None:
    with pytest.raises(Rejected):
        ExpSum.from_json(bad)
