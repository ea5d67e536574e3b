"""What Python's rounding leaves where released numbers cancel: compared, multiplied, made a scale or a score."""

from __future__ import annotations

from dpwitness import Exact, Interval, Records
from tests.deceptive.kit import holds, leaks

UNIT = Records(Interval(0, 1), 5, "add-remove")


@leaks(UNIT)
def rounding_decides(noise, data, *, eps):
    """not private: in one of a thousand runs rounding makes all four comparisons false, and the sum is shown."""
    y = sum(data) + noise.laplace(1 / eps)
    if y / 49 * 49 == y or y / 47 * 47 == y or y / 55 * 55 == y or y / 61 * 61 == y:
        return y
    return sum(data)


@leaks(Records(Interval(0, 1), (1, 1400)))
def rounding_decides_of_the_size(noise, data, *, eps):
    """not private: with 1018 records all three comparisons are false, and the sum is shown."""
    n = len(data)
    if n / 49 * 49 == n or n / 47 * 47 == n or n / 55 * 55 == n:
        return sum(data) + noise.laplace(1 / eps)
    return sum(data)


@leaks(UNIT)
def rounding_as_a_weight(noise, data, *, eps):
    """not private: what rounding leaves is multiplied, so that records weigh much."""
    y = sum(data) + noise.laplace(2 / eps)
    w = 1 + (y / 49 * 49 - y) * (y / 47 * 47 - y) * 10**16 * 10**16
    return y, sum(w * r for r in data) + noise.laplace(2 / eps)


@leaks(UNIT)
def rounding_as_a_scale(noise, data, *, eps):
    """not private: what rounding leaves makes the noise small."""
    y = sum(data) + noise.laplace(2 / eps)
    z = (y / 49 * 49 - y) * 10**16
    return y, sum(data) + noise.laplace(max(2 - abs(z), Exact(1, 100)) / eps)


@leaks(UNIT)
def rounding_inside_a_record(noise, data, *, eps):
    """not private: the comparison is written inside the function of a record."""
    y = sum(data) + noise.laplace(2 / eps)
    return y, sum(r if r * 0 + y / 49 * 49 == y + r * 0 else 50 * r for r in data) + noise.laplace(2 / eps)


@leaks(UNIT)
def rounding_at_an_end(noise, data, *, eps):
    """not private: where the level is −10, rounding puts it below −10."""
    y = max(sum(data) + noise.laplace(1 / eps), -10)
    if y / 49 * 49 >= -10 or y / 49 * 49 <= -11:
        return y
    return sum(data)


@leaks(UNIT)
def rounding_of_what_is_not_paid_for(noise, data, *, eps):
    """not private: of a noisy number with little noise its rounding is shown, in one of a thousand runs."""
    y = sum(data) + noise.laplace(Exact(1, 1000000))
    return (y / 49 * 49 - y) * (y / 47 * 47 - y) * (y / 55 * 55 - y) * (y / 61 * 61 - y)


@leaks(UNIT)
def rounding_hidden_in_another(noise, data, *, eps):
    """not private: the rounding of a number that is not paid for is part of one that is."""
    y = sum(data) + noise.laplace(Exact(1, 1000000))
    z = len(data) + noise.laplace(1 / eps)
    both = y / 49 * 49 + z - y
    return z, both - z


@leaks(UNIT)
def rounding_in_a_score(noise, data, *, eps):
    """not private: scores weigh what rounding leaves."""
    y = sum(data) + noise.laplace(2 / eps)
    w = eps / 4 + (y / 49 * 49 - y) * 10**16 * 10
    return y, noise.choice(log_weights=[w * data.count(0), w * data.count(1)])


@holds(UNIT)
def sums_that_cancel_are_returned(noise, data, *, eps):
    """private: differences of released sums are functions of them."""
    a, b = sum(data) + noise.laplace(2 / eps), len(data) + noise.laplace(2 / eps)
    both = a + b
    n = max(b, 1)
    return (both - a, both - b, a / n) if n * 2 > 1 else 0
