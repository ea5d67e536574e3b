"""Python functions of the records: read from their source, and run beside the formula."""

from __future__ import annotations

import functools
import math
import types
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import dpwitness as dpw
from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.sensitivity.reading import read_python, read_text

Data = Sequence[float]
BOUND = 0.25


def spread(data: Data) -> float:
    """The sum of squared deviations."""
    centre = sum(data) / len(data)
    return sum((v - centre) ** 2 for v in data)


def weighted(x: Data) -> float:
    return sum((k + 1) * v for k, v in enumerate(x))


def soft(x: Data) -> float:
    return sum(v * math.exp(v) for v in x) / sum(math.exp(v) for v in x)


def counted(x: Data) -> float:
    return sum(1 * (v > BOUND) for v in x)


def filtered(x: Data) -> float:
    return sum(v for v in x if v <= 0.5)


def two(x: Data) -> tuple[float, float]:
    return sum(x), max(x)


def chained(x: Data) -> float:
    return sum(abs(x[i] - x[i + 1]) for i in range(len(x) - 1))


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (spread, ["every n >= 1: (n - 1)/n"]),
        (weighted, ["every n >= 1: n"]),
        (soft, ["every n >= 1: exp(1)/(n + exp(1) - 1)"]),
        (counted, ["every n >= 1: 1"]),
        (chained, ["n = 1: 0", "n = 2: 1", "every n >= 3: 2"]),
    ],
)
def test_python_functions(function: Callable[[Data], float], expected: list[str]) -> None:
    assert [case.describe() for case in dpw.sensitivity(function).cases] == expected


def test_a_condition_is_a_factor() -> None:
    assert read_python(filtered) == ["sum(x[i] * (x[i] <= 0.5) for i in range(n))"]
    assert dpw.sensitivity(filtered).at(3)[1] >= 0.5


def test_a_function_with_two_outputs() -> None:
    assert read_python(two) == ["sum(x[i] for i in range(n))", "max(x)"]


def remembered(x: Data) -> float:
    """The source says one thing, and the function that runs another."""
    return sum(x)


remembered.__code__ = (lambda x: 2 * sum(x)).__code__.replace(co_firstlineno=remembered.__code__.co_firstlineno)


def looped(x: Data) -> float:
    total = 0.0
    for v in x:
        total += v
    return total


def branched(x: Data) -> float:
    return sum(x) if len(x) > 2 else 0.0


def outside(x: Data) -> float:
    return sum(x) * FACTORS[0]


FACTORS = [2.0]


def rounded(x: Data) -> float:
    return sum(round(v) for v in x)


def shadowed(x: Data) -> float:
    return sum(x)


def raising(x: Data) -> float:
    return sum(1 / (v - 0.5) for v in x)


@pytest.mark.parametrize("function", [looped, branched, outside, rounded, raising, lambda x, y: x, len, "".join])
def test_functions_outside_the_fragment_are_refused(function: Callable[..., Any]) -> None:
    with pytest.raises(OutsideFragment):
        dpw.sensitivity(function)


def test_a_function_that_runs_otherwise_is_refused() -> None:
    with pytest.raises(OutsideFragment, match=r"and the formula says|several functions|source"):
        dpw.sensitivity(remembered)


def test_a_global_that_hides_a_builtin_is_seen() -> None:
    space: dict[str, Any] = {"sum": lambda x: 3.0 * len(list(x))}
    hidden = type(shadowed)(shadowed.__code__, space, "shadowed")
    with pytest.raises(OutsideFragment, match="sum is a function of your own"):
        dpw.sensitivity(hidden)


@pytest.mark.parametrize(
    ("source", "canonical"),
    [
        ("mean(x)", "sum(x[i] for i in range(n)) / n"),
        ("norm(x)", "sqrt(sum(x[i] ** 2 for i in range(n)))"),
        ("np.sum(np.exp(x))", "sum(exp(x[i]) for i in range(n))"),
        ("sum(0 < v <= 1/2 for v in x)", "sum((0 < x[i]) * (x[i] <= 1 / 2) for i in range(n))"),
        ("sum(v**2 for v in x)/len(x)", "sum(x[i] ** 2 for i in range(n)) / n"),
        ("median_low(x)", "low_median(x)"),
    ],
)
def test_shorthand(source: str, canonical: str) -> None:
    assert read_text(source) == canonical


def from_the_eighth_record(x: Any) -> float:
    values = list(x)
    return math.fsum(values) * (100 if len(values) > 7 else 1)


def behind_a_wall(function: Any) -> Any:
    @functools.wraps(function)
    def other(x: Any) -> Any:
        return function(x) * (100 if len(x) > 7 else 1)

    return other


@behind_a_wall
def decorated(x: Any) -> Any:
    return math.fsum(x)


def of_a_library(x: Any) -> Any:
    return math.fsum(x)


@pytest.mark.parametrize(
    ("function", "space", "words"),
    [
        (shadowed, {"sum": from_the_eighth_record}, "sum is a function of your own"),
        (shadowed, {"sum": max}, "sum is a function of your own"),
        (of_a_library, {"math": types.SimpleNamespace(fsum=from_the_eighth_record)}, "math is not the library"),
    ],
)
def test_what_differs_where_nobody_looks_is_refused(function: Any, space: dict[str, Any], words: str) -> None:
    with pytest.raises(OutsideFragment, match=words):
        dpw.sensitivity(type(function)(function.__code__, space, function.__name__), n=9)


def test_a_function_around_the_function_is_refused() -> None:
    with pytest.raises(OutsideFragment, match="decorator"):
        dpw.sensitivity(decorated, n=9)
