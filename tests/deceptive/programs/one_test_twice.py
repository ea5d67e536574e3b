"""Tests of data that are one test, or exclude each other, for real numbers, and that some doubles pass and fail."""

from __future__ import annotations

from fractions import Fraction as F

from dpwitness import Answers, Interval, Records
from tests.deceptive.kit import holds, leaks

UNIT = Records(Interval(0, 1), 1)
ALONE, PAIR, THREE = (Answers("all", F(1, 4), size=size) for size in (1, 2, 3))


def shown(noise, q, odd, eps):
    """The first answer with noise, and a hundred more where doubles are odd."""
    return (100 if odd else 0) + q[0] + noise.laplace(1 / (4 * eps))


@leaks(PAIR)
def a_factor_moved(noise, q, *, eps):
    """not private: for one pair in eight one test holds and the other does not."""
    return shown(noise, q, 3 * q[0] >= q[1] and not q[0] >= q[1] / 3, eps)


@leaks(PAIR)
def tenths_of_both(noise, q, *, eps):
    """not private: a tenth of a sum, and a sum of tenths."""
    return shown(noise, q, 0.1 * q[0] + 0.2 * q[1] >= 0.7 and not q[0] + 2 * q[1] >= 7, eps)


@leaks(THREE)
def another_order(noise, q, *, eps):
    """not private: sums of three depend on their order."""
    return shown(noise, q, (q[0] + q[1]) + q[2] >= 1.1 and not q[0] + (q[1] + q[2]) >= 1.1, eps)


@leaks(PAIR)
def three_tests(noise, q, *, eps):
    """not private: 0.7 + 0.1 is less than 0.8."""
    return shown(noise, q, q[0] >= 0.7 and q[1] >= 0.1 and q[0] + q[1] < 0.8, eps)


@leaks(PAIR)
def a_selection_and_a_test(noise, q, *, eps):
    """not private: the larger of two answers, and a test that it is."""
    return shown(noise, q, noise.argmax([q[0] * 3, q[1]]) == 0 and q[0] < q[1] / 3, eps)


@leaks(ALONE)
def a_selection_beside_a_number(noise, q, *, eps):
    """not private: a tenth of 0.7 is less than 0.07."""
    return shown(noise, q, noise.argmax([q[0] * 0.1, 0.07]) == 1 and q[0] >= 0.7, eps)


@leaks(PAIR)
def a_maximum_and_a_test(noise, q, *, eps):
    """not private: the maximum is above one of two, and the other one is not."""
    return shown(noise, q, noise.max([q[0] * 3, q[1]]) > q[1] and q[0] <= q[1] / 3, eps)


@leaks(ALONE)
def a_constant_that_is_rounded(noise, q, *, eps):
    """not private: 0.1 + 0.2 is not the double 0.3."""
    return shown(noise, q, q[0] >= 0.3 and not q[0] >= 0.1 + 0.2, eps)


@leaks(ALONE)
def a_fraction_and_a_double(noise, q, *, eps):
    """not private: the double 0.3 is less than 3/10."""
    return shown(noise, q, q[0] >= 0.3 and q[0] < F(3, 10), eps)


@leaks(UNIT)
def a_record_and_its_triple(noise, data, *, eps):
    """not private: three times 0.1 is more than 0.3."""
    odd = data[0] <= 0.1 and 3 * data[0] > 0.3
    return (5 if odd else 0) + noise.uniform()


@holds(PAIR)
def one_sum_between_two_numbers(noise, q, *, eps):
    """private: the sum that is clipped was computed alike for both tests."""
    both = q[0] + q[1]
    return max(0, min(1, both)) + noise.laplace(1 / (2 * eps))


@holds(PAIR)
def the_same_sum_twice(noise, q, *, eps):
    """private: what was computed alike is rounded alike."""
    low = max(0, q[0] * 3)
    return (low if q[0] * 3 >= 0 else 0) / 3 + noise.laplace(1 / (4 * eps))
