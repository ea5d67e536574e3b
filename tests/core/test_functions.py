from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpwitness.core.errors import BadInput
from dpwitness.core.forms import floating
from dpwitness.core.functions import Irrational, exp, log, sqrt
from dpwitness.core.numbers import Exact, exact
from dpwitness.core.readers.lanes import run_block


@pytest.mark.parametrize(
    ("make", "value"),
    [
        (lambda: sqrt(Exact(2)) * 3 - 1, 3 * math.sqrt(2) - 1),
        (lambda: 1 - sqrt(Exact(2)) / 3, 1 - math.sqrt(2) / 3),
        (lambda: Exact(1, 3) / log(Exact(5)), 1 / (3 * math.log(5))),
        (lambda: Exact(1, 3) + log(Exact(5)), 1 / 3 + math.log(5)),
        (lambda: sqrt(2 * log(Exact(5, 4) / Exact(1, 10))), math.sqrt(2 * math.log(12.5))),
        (lambda: exp(Exact(1)) ** 2, math.e**2),
        (lambda: 1 / (1 + exp(Exact(1))), 1 / (1 + math.e)),
        (lambda: -log(Exact(1, 2)) + 0.5, math.log(2) + 0.5),
    ],
)
def test_the_float_and_the_formula_agree(make: Any, value: float) -> None:
    number = make()
    assert isinstance(number, Irrational)
    assert float(number) == pytest.approx(value)
    assert floating(number.form, {}) == pytest.approx(value)


def test_a_rational_factor_stays_exact() -> None:
    assert str((Exact(1, 3) * log(Exact(2))).form) == "1/3·log(2)"
    assert str((log(Exact(2)) - Exact(1, 3)).form) == "-1/3 + log(2)"
    assert str((sqrt(Exact(2)) * np.float64(0.5)).form) == "1/2·sqrt(2)"


def test_an_irrational_is_never_read_as_a_rational() -> None:
    with pytest.raises(BadInput, match=r"irrational number sqrt\(2\)"):
        exact(sqrt(Fraction(2)))


def test_lanes_and_irrationals_mix() -> None:
    out = run_block(lambda noise: sqrt(Exact(2)) + 0 * noise.laplace(1), np.random.default_rng(0), 5).array()
    assert out is not None
    assert out.tolist() == [math.sqrt(2)] * 5


def test_undefined_values_are_refused() -> None:
    with pytest.raises(BadInput, match="log"):
        log(Exact(0))
    with pytest.raises(BadInput, match="sqrt"):
        sqrt(-1.0)
