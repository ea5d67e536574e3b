"""Tests of data that are one test for real numbers are told apart by how their sides were computed."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.numbers import Exact
from dpwitness.core.readers.asking import ONE_TEST
from dpwitness.core.readers.paths import symbolic_paths, unknown_inputs

TWO = {
    "moved": lambda q: (q[0] + q[1] >= 0.3, q[1] >= 0.3 - q[0]),
    "a factor": lambda q: (3 * q[0] >= q[1], q[0] >= q[1] / 3),
    "the other way": lambda q: (3 * q[0] >= q[1], q[0] < q[1] / 3),
    "an order": lambda q: ((q[0] + q[1]) + 1 >= 0, q[0] + (q[1] + 1) >= 0),
    "a fraction": lambda q: (q[0] >= 0.3, q[0] >= Fraction(3, 10)),
}
ONE = {
    "twice": lambda q: (q[0] + q[1] >= 0.3, q[0] + q[1] >= 0.3),
    "mirrored": lambda q: (q[0] * 3 >= q[1], q[1] <= q[0] * 3),
    "not rounded": lambda q: (q[0] >= q[1], q[1] < q[0], q[0] >= 1, q[0] < 1.0),
    "other numbers": lambda q: (q[0] + q[1] >= 0.3, q[0] + q[1] >= 0.7),
}


def read(tests: Any) -> Any:
    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        return [bool(test) for test in tests(q)]

    return symbolic_paths(program, unknown_inputs(2), {"eps": Exact(1)}).paths


@pytest.mark.parametrize("name", TWO)
def test_two_tests_that_doubles_tell_apart_are_refused(name: str) -> None:
    with pytest.raises(OutsideFragment) as error:
        read(TWO[name])
    assert ONE_TEST in str(error.value)


@pytest.mark.parametrize("name", ONE)
def test_tests_of_the_same_numbers_are_followed(name: str) -> None:
    assert read(ONE[name])


def test_tests_of_noisy_numbers_are_followed() -> None:
    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        noisy = q[0] + noise.laplace(1 / eps)
        return [noisy * 3 >= 1, 3 * noisy - 1 >= 0]

    assert len(symbolic_paths(program, unknown_inputs(1), {"eps": Exact(1)}).paths) == 2
