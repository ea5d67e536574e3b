"""Tests whose answers follow from others in exact arithmetic, and not in Python's."""

from __future__ import annotations

from dpwitness import Exact, Interval, Records, exp, sqrt
from tests.deceptive.kit import holds, leaks

UNIT = Records(Interval(0, 1), 5, "add-remove")


@leaks(UNIT)
def test_of_a_rounded_one(noise, data, *, eps):
    """not private: where the count is 1, the first test is true and the second one is not."""
    y = len(data) + noise.discrete_laplace(1 / eps)
    if y >= 1:
        if y / 49 * 49 >= 1:
            return y
        return sum(data)
    return y


@leaks(UNIT)
def tests_kept_for_later(noise, data, *, eps):
    """not private: both tests are made before either is answered."""
    y = len(data) + noise.discrete_laplace(1 / eps)
    one, two = y >= 1, y / 49 * 49 >= 1
    if one:
        if two:
            return y
        return sum(data)
    return y


@leaks(UNIT)
def the_rounded_one_first(noise, data, *, eps):
    """not private: a tenth of 3, ten times, is above 3, and 3 is not."""
    y = len(data) + noise.discrete_laplace(1 / eps)
    if y * (1 / 10) * 10 > 3:
        if y > 3:
            return y
        return sum(data)
    return y


@leaks(UNIT)
def tests_as_numbers(noise, data, *, eps):
    """not private: the two tests as numbers differ where the count is 1."""
    y = len(data) + noise.discrete_laplace(2 / eps)
    w = 1 * (y >= 1) - 1 * (y / 49 * 49 >= 1)
    return y, sum((1 + 100 * w) * r for r in data) + noise.laplace(2 / eps)


@leaks(UNIT)
def rounded_down(noise, data, *, eps):
    """not private: 1 / 49 * 49 is rounded down to 0."""
    y = float(len(data) + noise.discrete_laplace(2 / eps))
    w = int(y) - int(y / 49 * 49)
    return y, sum((1 + 100 * w) * r for r in data) + noise.laplace(2 / eps)


@leaks(UNIT)
def remainders(noise, data, *, eps):
    """not private: remainders of what is equal but for rounding."""
    y = float(len(data) + noise.discrete_laplace(2 / eps))
    w = y // 1 - y / 49 * 49 // 1
    return y, sum((1 + 100 * w) * r for r in data) + noise.laplace(2 / eps)


@leaks(UNIT)
def exponentials(noise, data, *, eps):
    """not private: exponentials of what is equal but for rounding."""
    y = len(data) + noise.discrete_laplace(1 / eps)
    if exp(y / 49 * 49) >= exp(y):
        return y
    return sum(data)


@leaks(UNIT)
def largest_ones(noise, data, *, eps):
    """not private: largest numbers that are equal but for rounding."""
    y = len(data) + noise.discrete_laplace(1 / eps)
    if max(y / 49 * 49, 1) >= max(y, 1):
        return y
    return sum(data)


@leaks(UNIT)
def index_of_the_largest(noise, data, *, eps):
    """not private: where the largest is, with rounding and without."""
    y = len(data) + noise.discrete_laplace(2 / eps)
    w = noise.argmax([1, y + 1 / 2]) - noise.argmax([1, y / 49 * 49 + 1 / 2])
    z = noise.argmax([y / 49 * 49, y]) - noise.argmax([y, y])
    return y, sum((1 + 100 * w + 100 * z) * r for r in data) + noise.laplace(2 / eps)


@holds(UNIT)
def the_same_test_twice(noise, data, *, eps):
    """private: a rounded number is compared twice."""
    m = (sum(data) + noise.laplace(1 / eps)) / 3
    found = 0
    if m > 1:
        found = m
    if m > 1:
        found = found + 1
    return found


@leaks(UNIT)
def a_test_inside_a_record(noise, data, *, eps):
    """not private: the test is the same but for rounding, inside the function of a record."""
    y = len(data) + noise.discrete_laplace(2 / eps)
    if y >= 1:
        return y, sum(r if y / 49 * 49 >= 1 else 100 * r for r in data) + noise.laplace(2 / eps)
    return y


@leaks(UNIT)
def a_test_with_a_record(noise, data, *, eps):
    """not private: the same, of a number of a record."""
    y = len(data) + noise.discrete_laplace(2 / eps)
    if y >= 1:
        return y, sum(r if y / 49 * 49 >= 1 + 0 * r else 100 * r for r in data) + noise.laplace(2 / eps)
    return y


@leaks(UNIT)
def equal_of_lists(noise, data, *, eps):
    """not private: lists whose entries are equal but for rounding."""
    y = len(data) + noise.discrete_laplace(1 / eps)
    if y == 1:
        if [y / 49 * 49] == [1]:
            return y
        return sum(data)
    return y


@leaks(UNIT)
def test_swapped(noise, data, *, eps):
    """not private: the same, the other way round."""
    m = len(data) + noise.discrete_laplace(1 / eps)
    z = m / 49 * 49
    if z < 1:
        if m < 1:
            return m
        return sum(data)
    return m


@leaks(UNIT)
def test_negated(noise, data, *, eps):
    """not private: a test that follows from one that was denied."""
    m = len(data) + noise.discrete_laplace(1 / eps)
    z = m / 49 * 49
    if not z < 1:
        return m
    if m > Exact(1, 2) and m >= 1:
        return sum(data)
    return m


@leaks(UNIT)
def sqrt_test2(noise, data, *, eps):
    """not private: a root times itself is below 2 where the count is 2."""
    m = max(len(data) + noise.discrete_laplace(1 / eps), 1)
    if m >= 2:
        if sqrt(m) * sqrt(m) >= 2:
            return m
        return sum(data)
    return m


@leaks(UNIT)
def inverse_test(noise, data, *, eps):
    """not private: two ways to compute one ratio."""
    m = max(len(data) + noise.discrete_laplace(1 / eps), 1)
    if m <= 49:
        if 1 / m * 49 >= 49 / m:
            return m
        return sum(data)
    return m
