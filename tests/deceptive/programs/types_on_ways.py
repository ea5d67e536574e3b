"""Types of outputs on ways that are rarely taken: what was released may decide them, and records may not."""

from __future__ import annotations

from fractions import Fraction as F

from dpwitness import Interval, Records
from tests.deceptive.kit import holds, leaks

MANY, MIXED = Records(Interval(0, 1), 3, "add-remove"), Records((0, 1.0), 3, "add-remove")
HALF = F(1, 2)


@leaks(MANY)
def zero_as_a_float(noise, data, *, eps):
    """not private: 0.0 adds nothing and makes the sum a float, which is seen where the first number is above 40."""
    first = len(data) + noise.laplace(4 / eps)
    second = sum((1 if x > HALF else 0.0) for x in data) + noise.discrete_laplace(2 / eps)
    return second if first > 40 else second * 1.0


@leaks(MANY)
def sums_of_one_table(noise, data, *, eps):
    """not private: the sum of 1.0 is an int where there is none, although the same sum of 1 is always one."""
    first = sum(1 for x in data if x > HALF) + noise.laplace(4 / eps)
    second = sum(1.0 for x in data if x > HALF) + noise.discrete_laplace(4 / eps)
    return second if first > 40 else second * 1.0


@leaks(MANY)
def zero_as_a_float_at_once(noise, data, *, eps):
    """not private: the same on every way."""
    return sum((1 if x > HALF else 0.0) for x in data) + noise.discrete_laplace(1 / eps)


@leaks(MIXED)
def records_of_two_types(noise, data, *, eps):
    """not private: a record 1.0 makes the sum a float."""
    first = len(data) + noise.laplace(4 / eps)
    second = sum(data) + noise.discrete_laplace(2 / eps)
    return second if first > 40 else second * 1.0


@holds(MANY)
def a_coin_and_a_released_number(noise, data, *, eps):
    """private: both ways of the coin are the same for all records, and so is what follows from the number."""
    noisy = len(data) + noise.discrete_laplace(1 / eps)
    if noise.bernoulli(HALF):
        noisy = noisy * 1.0
    return noisy if noisy > 3 else 0
