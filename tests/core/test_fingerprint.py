from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.core.functions import sqrt
from dpwitness.core.readers.fingerprint import fingerprint
from dpwitness.core.readers.paths import unknown_inputs


def above(noise: Any, queries: Any, *, eps: Any) -> Any:
    t = noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        if q + noise.laplace(4 / eps) >= t:
            return i
    return None


def refactored(noise: Any, answers: Any, *, eps: Any) -> Any:
    noisy_threshold = noise.laplace(4 / (2 * eps))
    k = 0
    while k < len(answers):
        value = noise.laplace(4 / eps) + answers[k]
        if noisy_threshold <= value:
            return k
        k = k + 1


def changed(noise: Any, queries: Any, *, eps: Any) -> Any:
    t = noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        if q + noise.laplace(3 / eps) >= t:
            return i
    return None


def opaque(noise: Any, queries: Any, *, eps: Any) -> Any:
    return noise.laplace(abs(queries[0]) + 1)


def mark(program: Any) -> str:
    return fingerprint(program, unknown_inputs(3), {"eps": Fraction(1)})


def test_equal_after_a_refactoring_different_after_a_change_of_meaning() -> None:
    assert mark(above) == mark(refactored)
    assert mark(above) != mark(changed)
    assert mark(above).startswith("paths:")


def test_a_program_that_cannot_be_read_is_marked_by_its_source() -> None:
    assert mark(opaque).startswith("source:")


WIDTH = 1


def helper(x: Any) -> Any:
    return abs(x) + WIDTH


def other_helper(x: Any) -> Any:
    return abs(x) + 2 * WIDTH


def test_helpers_and_constants_are_part_of_a_program_that_cannot_be_read(monkeypatch: Any) -> None:
    def with_helper(noise: Any, queries: Any, *, eps: Any) -> Any:
        return noise.laplace(helper(queries[0]))

    first = mark(with_helper)
    assert first.startswith("source:")
    assert mark(with_helper) == first
    monkeypatch.setitem(globals(), "WIDTH", 3)
    second = mark(with_helper)
    monkeypatch.setitem(globals(), "helper", other_helper)
    assert len({first, second, mark(with_helper)}) == 3


def test_the_readers_own_functions_are_named_and_not_read(monkeypatch: Any) -> None:
    def in_words(noise: Any, queries: Any, *, eps: Any) -> Any:
        return noise.laplace(abs(queries[0]) + sqrt(4))

    first = mark(in_words)
    # a tool that rewrites this package's code, as pytest does with its assertions, changes no program
    monkeypatch.setattr(sqrt, "__code__", (lambda x, hint="another text": x).__code__)
    assert first.startswith("source:")
    assert mark(in_words) == first
