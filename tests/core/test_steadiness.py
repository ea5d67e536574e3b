"""Signs of public numbers: what Python's rounding can do to them at some ε, and limits of deciding them."""

from __future__ import annotations

import pytest

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Form, Symbol
from dpwitness.core.functions import invert
from dpwitness.core.readers.signs import sign
from dpwitness.core.readers.steadiness import check_rest, check_terms, vanishes

EPS = Form.of_symbol(Symbol("param", 0, "eps"))


def power(rate: int) -> Form:
    return Form.of_symbol(Symbol("atom", 0, "exp", EPS * rate))


def test_signs_of_many_quotients_are_left_open_and_not_searched_for() -> None:
    total = Form.constant(1)
    for k in range(1, 40):
        total = total - invert(power(k) + 1)
    assert sign(total) is None
    assert sign(1 - invert(power(1) + 1)) == 1


@pytest.mark.parametrize(
    ("form", "answer"),
    [(1 + power(-1), False), (EPS * EPS, False), (power(2), False), (invert(EPS), False), (invert(EPS + 1), False),
     (power(-1), True), (invert(EPS) * invert(EPS), True), (invert(power(1) + 1), True)],
)  # fmt: skip
def test_what_vanishes_in_doubles(form: Form, answer: bool) -> None:
    assert vanishes(form) is answer


def test_sums_of_which_nothing_is_left() -> None:
    product = power(1) * power(-1)
    with pytest.raises(OutsideFragment, match="cancel"):
        check_rest(product - 1, product, Form.constant(-1))
    check_rest(power(1) - 1, power(1), Form.constant(-1))
    check_rest(EPS - 1, EPS, Form.constant(-1))  # 0 at one ε alone


def test_terms_are_compared_with_the_largest_form() -> None:
    small = 1 - power(1) * invert(power(1) + 1)  # e^(-ε) about
    with pytest.raises(OutsideFragment, match="cancel"):
        check_terms([small], 0.0, (49.1,))
    check_terms([small], 1.0, (49.1,))
    check_terms([small, Form.constant(1)], 0.0, (49.1,))
    with pytest.raises(OutsideFragment, match="no value"):
        check_terms([power(1000)], 0.0, (49.1,))
