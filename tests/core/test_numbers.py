from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from dpwitness.core.errors import BadInput, FloatRead
from dpwitness.core.numbers import Exact, exact, positive, written


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("1/3", Fraction(1, 3)),
        (" 0.1 ", Fraction(1, 10)),
        ("1e-5", Fraction(1, 100_000)),
        (7, Fraction(7)),
        (Fraction(2, 6), Fraction(1, 3)),
        (sympy.Rational(3, 4), Fraction(3, 4)),
        (np.int64(5), Fraction(5)),
        (0.5, Fraction(1, 2)),
        (np.float32(0.25), Fraction(1, 4)),
    ],
)
def test_reads_exactly(value: object, expected: Fraction) -> None:
    assert exact(value) == expected


def test_a_float_is_read_by_its_decimal_text_and_says_so() -> None:
    with pytest.warns(FloatRead, match=r"eps=0\.1 .* as 1/10"):
        assert exact(0.1, "eps") == Fraction(1, 10)


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, -math.inf, "nan", "1/0", "", "one", "1e999999999", "9" * 1000, None, True, [1], "__import__"],
)
def test_refuses_with_the_name_of_the_argument(value: object) -> None:
    with pytest.raises(BadInput, match="eps="):
        exact(value, "eps")


def test_positive() -> None:
    with pytest.raises(BadInput, match="scale=0 must be positive"):
        positive(0, "scale")


@given(st.fractions(), st.integers(-50, 50))
def test_arithmetic_stays_exact(x: Fraction, k: int) -> None:
    number = Exact(x)
    for result, plain in [
        (number + k, x + k),
        (k - number, k - x),
        (number * k, x * k),
        (-number, -x),
        (abs(number), abs(x)),
    ]:
        assert type(result) is Exact
        assert result == plain
    if x:
        assert type(k / number) is Exact
        assert k / number == k / x


def test_an_integral_number_is_an_index() -> None:
    assert list(range(Exact(4) / 2)) == [0, 1]
    with pytest.raises(TypeError, match="1/2 is not an integer"):
        range(Exact(1, 2))  # type: ignore[arg-type]


def test_bits_of_ints_and_of_nothing_else() -> None:
    assert Exact(6) & 3 == 2
    assert 6 & Exact(3) == 2
    assert Exact(6) | Exact(1) == 7
    assert isinstance(Exact(6) & 3, Exact)
    for left, right in ((Exact(1, 2), 1), (written(2.0), 1), (Exact(1), 0.5)):
        with pytest.raises(TypeError):
            left & right
