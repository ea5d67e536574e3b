"""Draws and data that cancel in a sum leave what Python's rounding makes of them."""

from __future__ import annotations

from typing import Any

import pytest

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.numbers import Exact
from dpwitness.core.readers.paths import symbolic_paths, unknown_inputs


def read(program: Any, **params: Any) -> Any:
    return symbolic_paths(program, unknown_inputs(2), {"eps": Exact(1), **params}).paths


LOST = {
    "a far draw": lambda noise, q, *, eps: (q[0] + (far := noise.laplace(10**16))) - far + noise.laplace(1 / eps),
    "at small ε": lambda noise, q, *, eps: (q[0] + (far := noise.laplace(1 / eps**8))) - far + noise.laplace(1 / eps),
    "a far range": lambda noise, q, *, eps: (q[0] + (far := noise.uniform(0, 2**54))) - far + noise.laplace(1 / eps),
    "a heavy tail": lambda noise, q, *, eps: (q[0] + (far := noise.student_t(1))) - far + noise.laplace(1 / eps),
    "a factor": lambda noise, q, *, eps: (q[0] + 2**40 * q[1]) - 2**40 * q[1] + noise.laplace(1 / eps),
}


@pytest.mark.parametrize("name", LOST)
def test_what_floats_lose_is_refused(name: str) -> None:
    with pytest.raises(OutsideFragment, match="floats lose it"):
        read(LOST[name])


def test_noise_that_cancels_beside_noise_of_its_size_is_followed() -> None:
    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        both = noise.laplace(1 / eps)
        return (both + q[0]) - (both + q[1]) + noise.laplace(1 / eps)

    assert str(read(program)[0].values[0]) == "η1 + q0 - q1"


LEFT = {
    "a scale": lambda noise, left: noise.laplace(left),
    "another scale": lambda noise, left: noise.gaussian(left),
    "an end": lambda noise, left: noise.uniform(left, 10**13),
    "both ends": lambda noise, left: noise.uniform(left, left + 1),
}


@pytest.mark.parametrize("name", LEFT)
def test_a_parameter_that_is_left_of_data_is_refused(name: str) -> None:
    drawn = LEFT[name]

    def program(noise: Any, q: Any, *, eps: Any) -> Any:
        return drawn(noise, 10**12 + ((q[0] + 0.1) - 0.1 - q[0]))

    with pytest.raises(OutsideFragment, match="data or noise cancel"):
        read(program)
