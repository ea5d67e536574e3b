"""Releases that look like known ones: wrong constants, forgotten terms, noise used twice, scales from the data."""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import pytest

from dpwitness.core import Answers, ApproxDP, Interval, PureDP, Records, exp, log, mechanism
from dpwitness.core.budget import Budget
from dpwitness.core.evidence import UpperBound
from dpwitness.mechanisms.smooth_sensitivity import median, smooth_sensitivity
from dpwitness.routes import prove_claim

UNIT, BITS = Interval(0, 1), (0, 1)
LEAKS: list[tuple[Any, Any]] = []
PRIVATE: list[tuple[Any, Any]] = []


def of(kind: list[tuple[Any, Any]], space: Any) -> Any:
    def keep(program: Any) -> Any:
        kind.append((program, space))
        return program

    return keep


def proved(program: Any, space: Any, claim: Any = None) -> bool:
    made = mechanism(data=space, claim=claim or (lambda eps: PureDP(eps)), typical={"eps": 1})(program)
    (first,) = made.claims()
    return any(isinstance(found, UpperBound) for found in prove_claim(first, Budget(seconds=8)))


# sorted records, and scales that depend on them


@of(LEAKS, Records(UNIT, 5))
def smooth_scale_of_laplace_noise(noise, data, *, eps):
    return median(data) + smooth_sensitivity(data, eps / 6, 1) * noise.laplace(exp(-eps / 4))


@of(LEAKS, Records(UNIT, 5))
def noise_shrunk_by_an_exponential(noise, data, *, eps):
    return median(data) + smooth_sensitivity(data, eps / 6, 1) * exp(-eps / 4) * noise.admissible(4)


@of(LEAKS, Records(UNIT, 5))
def bound_that_is_not_smooth_enough(noise, data, *, eps):
    return median(data) + smooth_sensitivity(data, 3 * eps, 1) * 10 * noise.admissible(4) / eps


@of(LEAKS, Records(UNIT, 5))
def a_record_beside_the_median(noise, data, *, eps):
    return median(data) + smooth_sensitivity(data, eps / 6, 1) * 10 * noise.admissible(4) / eps + data[0]


@of(LEAKS, Records(UNIT, 4))
def half_of_the_noise_for_the_largest(noise, data, *, eps):
    return sorted(data)[-1] + noise.laplace(F(1, 2) / eps)


@of(PRIVATE, Records(UNIT, 4))
def the_largest(noise, data, *, eps):
    return sorted(data)[-1] + noise.laplace(1 / eps)


@of(PRIVATE, Records(UNIT, 5))
def the_median(noise, data, *, eps):
    return median(data) + smooth_sensitivity(data, eps / 6, 1) * 10 * noise.admissible(4) / eps


# pieces


@of(LEAKS, Records(UNIT, 3))
def clipped_too_late(noise, data, *, eps):
    return sum(min(x, F(3, 4)) for x in data) + noise.laplace(F(1, 2) / eps)


@of(LEAKS, Records(UNIT, 3))
def a_jump(noise, data, *, eps):
    return (5 if data[0] > F(1, 2) else 0) + noise.laplace(1 / eps)


@of(LEAKS, Records(UNIT, 3))
def a_jump_at_the_very_end(noise, data, *, eps):
    return (5 if data[0] >= 1 else 0) + noise.laplace(1 / eps)


@of(LEAKS, Records(UNIT, 3))
def scale_by_a_test(noise, data, *, eps):
    return sum(data) + noise.laplace(1 / eps if data[0] > F(1, 2) else 2 / eps)


@of(LEAKS, Records(UNIT, 3))
def noise_that_cancels(noise, data, *, eps):
    z = noise.laplace(1 / eps)
    return sum(data) + z - z


@of(LEAKS, Records(UNIT, 3))
def noise_that_nearly_cancels(noise, data, *, eps):
    z = noise.laplace(1 / eps)
    return sum(data) + z * F(1, 1000)


@of(LEAKS, Records(UNIT, 3))
def size_of_the_noise(noise, data, *, eps):
    return sum(data) + abs(noise.laplace(1 / eps))


@of(LEAKS, Records(UNIT, 3))
def one_sided_noise(noise, data, *, eps):
    return sum(data) - noise.exponential(1 / eps)


@of(LEAKS, Records(UNIT, 3))
def whole_noise_on_real_numbers(noise, data, *, eps):
    return sum(data) + noise.discrete_laplace(100 / eps)


@of(LEAKS, Records(BITS, 3))
def whole_noise_on_halves(noise, data, *, eps):
    return sum(data) * F(1, 2) + noise.discrete_laplace(100 / eps)


@of(LEAKS, Records(BITS, 3))
def noise_times_a_record(noise, data, *, eps):
    return sum(data) + noise.laplace(1 / eps) * (1 + data[0])


@of(LEAKS, Records(BITS, (1, 3), "add-remove"))
def number_of_records_beside(noise, data, *, eps):
    return [len(data), sum(data) + noise.laplace(1 / eps)]


@of(PRIVATE, Records(UNIT, 3))
def clipped_in_time(noise, data, *, eps):
    return sum(min(x, F(3, 4)) for x in data) + noise.laplace(F(3, 4) / eps)


# vectors


@of(LEAKS, Answers("l1", size=2))
def half_of_the_noise_in_each(noise, q, *, eps):
    return [x + noise.laplace(F(1, 2) / eps) for x in q]


@of(LEAKS, Answers("l2", size=2))
def laplace_noise_against_euclidean_moves(noise, q, *, eps):
    return [x + noise.laplace(1 / eps) for x in q]


@of(LEAKS, Answers("all", size=1))
def uniform_noise(noise, q, *, eps):
    return q[0] + noise.uniform(-1000, 1000)


@of(LEAKS, Answers("one", size=2))
def place_of_the_largest_beside(noise, q, *, eps):
    return [q[0] + noise.laplace(1 / eps), noise.argmax(q)]


@of(LEAKS, Answers("all", size=2))
def stairs_for_a_smaller_move(noise, q, *, eps):
    return 3 * q[0] + noise.staircase(eps, 2)


@of(PRIVATE, Answers("all", by="1/2", size=2))
def enough_noise_in_each(noise, q, *, eps):
    return [x + noise.laplace(1 / eps) for x in q]


# noise kept inside an interval


def kept_inside(noise, centre, rate, share):
    left, right = 1 - exp(-rate * centre), 1 - exp(-rate * (1 - centre))
    if noise.bernoulli(share(left, right)):
        return centre + log(1 - left * noise.uniform()) / rate
    return centre - log(1 - right * noise.uniform()) / rate


@of(LEAKS, Records(UNIT, 3))
def four_times_too_steep(noise, data, *, eps):
    return kept_inside(noise, sum(data) / 3, 4 * eps, lambda left, right: left / (left + right))


@of(LEAKS, Records(UNIT, 3))
def sides_exchanged(noise, data, *, eps):
    return kept_inside(noise, sum(data) / 3, 2 * eps, lambda left, right: right / (left + right))


@of(LEAKS, Records(UNIT, 3))
def sides_alike(noise, data, *, eps):
    return kept_inside(noise, sum(data) / 3, 3 * eps, lambda left, right: F(1, 2))


@of(PRIVATE, Records(UNIT, 3))
def not_too_steep(noise, data, *, eps):
    return kept_inside(noise, sum(data) / 3, eps, lambda left, right: left / (left + right))


@pytest.mark.parametrize(("program", "space"), LEAKS, ids=lambda x: getattr(x, "__name__", ""))
def test_nothing_that_leaks_is_proved(program: Any, space: Any) -> None:
    assert not proved(program, space)


@pytest.mark.parametrize(("program", "space"), PRIVATE, ids=lambda x: getattr(x, "__name__", ""))
def test_the_right_constant_is_proved(program: Any, space: Any) -> None:
    assert proved(program, space)


@pytest.mark.parametrize(("std", "private"), [(4, False), (5, True)])
def test_normal_noise_at_small_delta(std: int, private: bool) -> None:
    def program(noise, data, *, eps):
        return sum(data) + noise.gaussian(std / eps)

    space = Records(UNIT, 3)
    assert not proved(program, space)
    assert proved(program, space, lambda eps: ApproxDP(eps, "1/1000000")) is private
