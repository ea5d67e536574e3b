"""Public numbers are exact and as Python has them; what rounding decides is refused."""

from __future__ import annotations

import math
import operator
from fractions import Fraction as F
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwitness import PureDP, Records, mechanism
from dpwitness.core.errors import DPWitnessError, OutsideFragment
from dpwitness.core.numbers import Exact, written
from dpwitness.core.public import Public, public
from dpwitness.core.readers.finite import finite_law
from dpwitness.core.readers.paths import symbolic_paths, unknown_inputs

ONE = public(Exact(1))
numbers = st.integers(-20, 20) | st.sampled_from([F(1, 2), F(1, 3), F(7, 10), 0.1, 0.3, 2.5, True])
operations = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod]


@given(st.integers(-20, 20), numbers, st.sampled_from(operations))
def test_results_are_those_of_python_and_of_exact_arithmetic(x: int, y: Any, operation: Any) -> None:
    try:
        plain = operation(x, y)
    except ZeroDivisionError:
        with pytest.raises(ZeroDivisionError):
            operation(public(Exact(x)), y)
        return
    found = operation(public(Exact(x)), y)
    shipped = found.python if isinstance(found, Public) else found
    assert (type(shipped), shipped) == (type(plain), plain)
    if not isinstance(y, float):
        assert Exact(found) == operation(F(x), F(y))


@given(st.integers(-20, 20), numbers)
def test_comparisons_are_those_of_python(x: int, y: Any) -> None:
    for compare in (operator.lt, operator.le, operator.eq, operator.ne, operator.ge, operator.gt):
        assert compare(public(Exact(x)), y) is compare(x, y)
        assert compare(y, public(Exact(x))) is compare(y, x)


@pytest.mark.parametrize(
    "decide",
    [
        lambda x: x / 10 * 3 == x * 3 / 10,
        lambda x: x / 10 * 3 > x * 3 / 10,
        lambda x: bool(x / 10 + x / 5 - x * 3 / 10),
        lambda x: (x / 10 + x * 7 / 10) * 10 // 1 == 8,
        lambda x: int((x / 10 + x * 7 / 10) * 10),
        lambda x: math.floor((x / 10 + x * 7 / 10) * 10),
        lambda x: (x / 10 + x / 5 - x * 3 / 10).settled(),
    ],
)
def test_what_rounding_decides_is_refused(decide: Any) -> None:
    with pytest.raises(OutsideFragment):
        decide(ONE)


def test_texts_keys_and_indices_are_those_of_python() -> None:
    half = public(Exact(1, 2))
    assert (str(half), f"{half:.2f}", {0.5: "x"}[half], [7][public(Exact(0))]) == ("0.5", "0.50", "x", 7)
    assert str(public(written(1.0))) == "1.0"
    with pytest.raises(TypeError):
        range(ONE / 1)
    assert public((Exact(1), "a", None, True)) == (1, "a", None, True)


def run(program: Any, size: int = 1) -> Any:
    return symbolic_paths(program, unknown_inputs(size), {"eps": Exact(1)})


@pytest.mark.parametrize(
    "program",
    [
        lambda noise, q, *, eps: q[0] + ((noise.laplace(1 / eps) + 1e20) - 1e20),
        lambda noise, q, *, eps: q[0] + noise.laplace(1 / eps) * 1e-200 * 1e-200 * 1e200 * 1e200,
        lambda noise, q, *, eps: 1 if q[0] * 0.1 * 3 > q[0] * 0.3 else 0,
        lambda noise, q, *, eps: 1 if eps * 0.1 * 3 == eps * 0.3 else 0,
        lambda noise, q, *, eps: noise.argmax([q[0] * 0.1 * 3, q[0] * 0.3]),
        lambda noise, q, *, eps: noise.laplace(1 / (eps / 10 + eps / 5 - eps * 3 / 10 + 1e-17)),
        lambda noise, q, *, eps: 0.0 * q[0],
        lambda noise, q, *, eps: eps / 10 * 3,
    ],
)
def test_forms_that_floats_lose_are_refused(program: Any) -> None:
    with pytest.raises(DPWitnessError):
        run(program)


@pytest.mark.parametrize(
    "program",
    [
        lambda noise, q, *, eps: q[0] + noise.laplace(1 / eps) * 1e6 * 1e-6,
        lambda noise, q, *, eps: q[0] - q[0],
        lambda noise, q, *, eps: 1 if q[0] + 1 > q[0] else 0,
        lambda noise, q, *, eps: q[0] + 1000000 + noise.laplace(3 / eps),
    ],
)
def test_forms_that_floats_keep_are_read(program: Any) -> None:
    if program(_Zero(), [1.5], eps=1) == 0.0:
        with pytest.raises(OutsideFragment, match="type"):  # 0 or 0.0, as the answer is given
            run(program)
        return
    assert run(program).complete


class _Zero:
    def laplace(self, scale: Any) -> float:
        return 0.0


def test_the_type_of_integer_noise_is_kept() -> None:
    table = run(lambda noise, q, *, eps: noise.discrete_laplace(1 / eps) * 1.0)
    assert table.paths[0].kinds == ("float",)
    table = run(lambda noise, q, *, eps: noise.discrete_laplace(1 / eps) + 1)
    assert table.paths[0].kinds == ("",)


def test_refusals_name_the_line() -> None:
    def program(noise, q, *, eps):
        big = noise.laplace(1 / eps) + 1e20
        return 1 if big - 1e20 > 0 else 0

    with pytest.raises(OutsideFragment) as caught:
        run(program)
    assert caught.value.line == program.__code__.co_firstlineno + 2


def test_constants_of_finite_laws_are_pythons() -> None:
    def program(noise, d, *, eps):
        return eps / 10 * 3 if noise.bernoulli(F(1, 2)) else eps * 3 / 10

    made = mechanism(data=Records((0, 1), 1), claim=lambda eps: PureDP(eps), typical={"eps": 1})(program)
    assert len(finite_law(made.bind([0], made.params())).table) == 2
