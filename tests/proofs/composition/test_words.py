"""zip with strict lengths, remainders and bits: what Python does, and nothing else."""

from __future__ import annotations

import warnings

import pytest

from dpwitness import Exact, Interval, PureDP, Records, mechanism
from dpwitness.core.judging.judge import judge
from dpwitness.proofs.composition.route import CompositionProver
from dpwitness.proofs.kernel.composition import spans
from dpwitness.proofs.kernel.composition.spans import NOUGHT
from dpwitness.routes import kernel_checker

WIDE = Records(Interval(-10, 10), 4, "add-remove")
EIGHT = Records(tuple(range(8)), 4, "add-remove")
WORDS = Records((0, 1, True, 2.0), 3, "add-remove")


def decide(program, space=WIDE):
    made = mechanism(data=space, claim=lambda eps: PureDP(eps), typical={"eps": 1})(program)
    claim = made.claims()[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return judge(claim, [CompositionProver().run(claim)], kernel_checker()).decision.value


def zipped(noise, data, *, eps):
    low, high = (0, 2, 4), (2, 4, 8)
    return [sum(a <= r < b for r in data) + noise.laplace(1 / eps) for a, b in zip(low, high, strict=True)]


def zipped_with_another_length(noise, data, *, eps):
    """fails in Python, always"""
    return [sum(a <= r < b for r in data) + noise.laplace(1 / eps) for a, b in zip((0, 2), (2, 4, 8), strict=True)]


def zipped_with_the_data(noise, data, *, eps):
    """not private: the length of the list is that of the data."""
    return [a + noise.laplace(1 / eps) for a, r in zip((1, 2), data, strict=False)]


def strict_by_a_release(noise, data, *, eps):
    n = len(data) + noise.laplace(1 / eps)
    return [a for a, b in zip((1, 2), (3, 4), strict=n)]


def remainder(noise, data, *, eps):
    return sum(x % 2 for x in data) + noise.laplace(2 / eps)


def remainder_of_a_cell(noise, data, *, eps):
    """Between 1 and 3/2 what is left of a record is at most 1/2."""
    return sum(x % 1 for x in data if 1 <= x < Exact(3, 2)) + noise.laplace(1 / (2 * eps))


def too_little_for_a_remainder(noise, data, *, eps):
    """not private: what is left is up to 2."""
    return sum(x % 2 for x in data) + noise.laplace(1 / eps)


def remainder_by_a_release(noise, data, *, eps):
    """refused: the divisor may be 0."""
    n = len(data) + noise.laplace(2 / eps)
    return sum(x % n for x in data) + noise.laplace(2 / eps)


def remainder_by_a_negative_number(noise, data, *, eps):
    """refused: in Python what is left is then negative."""
    return sum(x % -1 for x in data) + noise.laplace(1 / eps)


def whole_parts(noise, data, *, eps):
    return sum(x // 4 for x in data) + noise.laplace(3 / eps)


def too_little_for_whole_parts(noise, data, *, eps):
    """not private: -10 // 4 is -3."""
    return sum(x // 4 for x in data) + noise.laplace(5 / (2 * eps))


def both_tests(noise, data, *, eps):
    inside = sum((x > 0) & (x < 5) for x in data) + noise.laplace(2 / eps)
    return inside, sum((x < -5) | (x > 5) for x in data) + noise.laplace(2 / eps)


def bits(noise, data, *, eps):
    return [sum((r & 4) == 4 for r in data) + noise.discrete_laplace(2 / eps),
            sum((r | 1) == 7 for r in data) + noise.discrete_laplace(2 / eps)]  # fmt: skip


def bits_of_floats(noise, data, *, eps):
    """fails in Python on 2.0"""
    return sum(r & 1 for r in data) + noise.laplace(1 / eps)


@pytest.mark.parametrize(
    ("program", "space"),
    [(zipped, EIGHT), (remainder, WIDE), (remainder_of_a_cell, WIDE), (whole_parts, WIDE), (both_tests, WIDE),
     (bits, EIGHT)],
)  # fmt: skip
def test_proved(program, space) -> None:
    assert decide(program, space) == "PROVED"


@pytest.mark.parametrize(
    ("program", "space"),
    [(zipped_with_another_length, EIGHT), (zipped_with_the_data, EIGHT), (strict_by_a_release, EIGHT),
     (too_little_for_a_remainder, WIDE), (remainder_by_a_release, WIDE), (remainder_by_a_negative_number, WIDE),
     (too_little_for_whole_parts, WIDE), (bits_of_floats, WORDS)],
)  # fmt: skip
def test_not_proved(program, space) -> None:
    assert decide(program, space) == "UNDECIDED"


def test_a_span_that_is_wrong_on_both_sides_of_a_multiple(monkeypatch) -> None:
    """The span of a remainder is needed: with 0 in its place a sum without bounds would be proved."""
    monkeypatch.setattr(spans, "in_steps", lambda name, one, step: NOUGHT)
    made = mechanism(data=WIDE, claim=lambda eps: PureDP(eps), typical={"eps": 1})(too_little_for_a_remainder)
    assert hasattr(CompositionProver().run(made.claims()[0]), "certificate")
