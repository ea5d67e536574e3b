"""Reports of one record in which public numbers cancel, vanish or are compared, and Python has other ones at some ε."""

from __future__ import annotations

from fractions import Fraction as F

from dpwitness import Interval, PureDP, Records, exp, sqrt
from tests.deceptive.kit import SINGLE, holds, leaks

UNIT = Records(Interval(0, 1), 1)
HALF = F(1, 2)


@leaks(UNIT, at=F(3, 2))
def rest_of_a_product(noise, data, *, eps):
    """not private: e^ε·e^(-ε) - 1 is -1.1e-16 at ε = 3/2 in Python, and 0 at ε = 1, 1/3, 1/10 and 49."""
    rest = exp(eps) * exp(-eps) - 1
    report = noise.uniform()
    return report + 10**16 * rest if data[0] < HALF else report


@leaks(UNIT, at=F(3, 2))
def sign_of_a_rest(noise, data, *, eps):
    """not private: all outputs are 0 in exact numbers, and have the sign of a rest in Python."""
    rest = exp(eps) * exp(-eps) - 1
    report = noise.uniform()
    return rest * report if data[0] < HALF else -rest * report


@leaks(UNIT, at=F(3, 2))
def rest_for_a_slope(noise, data, *, eps):
    """not private: the chance moves with the record by what rounding leaves."""
    return noise.uniform() < HALF - (exp(eps) * exp(-eps) - 1) * 4 * 10**15 * data[0]


@leaks(UNIT, at=F(3, 2))
def records_that_cancel(noise, data, *, eps):
    """not private: the record is taken away from itself after it was rounded."""
    return noise.uniform() + 10**16 * (exp(eps) * exp(-eps) * data[0]) - 10**16 * data[0]


@leaks(UNIT, at=F(43))
def one_as_a_large_rest(noise, data, *, eps):
    """not private: a number that is 1 in exact numbers is -525 at ε = 43."""
    one = (exp(eps) * exp(-eps) + exp(-eps) - 1) * exp(eps)
    report = noise.uniform()
    return report + one if data[0] < HALF else report + 1


@leaks(UNIT, at=F(2))
def root_of_zero(noise, data, *, eps):
    """not private: the root of (ε - 2)² is positive at all ε but one."""
    return noise.uniform() if sqrt((eps - 2) * (eps - 2)) > 0 else data[0] + noise.uniform()


@leaks(UNIT, at=F(80))
def power_that_vanishes(noise, data, *, eps):
    """not private: e^(-800) is 0.0 in Python."""
    return noise.uniform() if exp(-10 * eps) > 0 else data[0] + noise.uniform()


@leaks(UNIT, at=F(400))
def quotient_that_does_not_come_back(noise, data, *, eps):
    """not private: e^ε in exact numbers, and 0 times it from ε = 373 on in Python."""
    back = 1 / exp(eps) / exp(eps) * exp(eps) * exp(eps) * exp(eps)
    return noise.uniform() if back > 0 else data[0] + noise.uniform()


@leaks(UNIT, at=F(400))
def quotient_that_vanishes(noise, data, *, eps):
    """not private: 1/e^400 is positive, and a hundredth of its square is not."""
    return noise.uniform() if 1 / exp(eps) / exp(eps) / 100 > 0 else data[0] + noise.uniform()


@leaks(SINGLE, at=F(80))
def vanishing_power_beside_laplace(noise, q, *, eps):
    """not private: e^(-800) is 0.0 in Python."""
    return q[0] + noise.laplace(1 / eps) if exp(-10 * eps) > 0 else q[0]


@holds(UNIT)
def sums_that_stay(noise, data, *, eps):
    """private: 1 + e^(-ε) is positive at every ε, for Python too, and what follows shows nothing."""
    return noise.uniform() if 1 + exp(-eps) > 0 else data[0] + noise.uniform()


@leaks(UNIT, claim=lambda eps: PureDP(eps / 10), at=F(3, 2))
def power_that_is_a_slope(noise, data, *, eps):
    """not private: the log-odds are ±1.11 at ε = 3/2, and 0 at ε = 1, 1/3, 1/10 and 49."""
    return noise.bernoulli(log_odds=(2 * data[0] - 1) * 10**16 * (exp(eps) * exp(-eps) - 1))


@leaks(Records((0, 1), 1), claim=lambda eps: PureDP(eps / 10), at=F(3, 2))
def power_that_is_a_weight(noise, data, *, eps):
    """not private: the weights are e^(-1.11) and 1 at ε = 3/2."""
    rest = 10**16 * (exp(eps) * exp(-eps) - 1)
    return noise.bernoulli(log_odds=(2 * data[0] - 1) * rest)


@leaks(UNIT, claim=lambda eps: PureDP(eps / 10), at=F(3, 2))
def power_that_is_a_threshold(noise, data, *, eps):
    """not private: 30 times the record is told where a rest is below it."""
    rest = 10**16 * (exp(eps) * exp(-eps) - 1)
    return noise.laplace(10 / eps) + (data[0] if data[0] + rest >= 0 else 30 * data[0])


@leaks(UNIT, claim=lambda eps: PureDP(eps / 10), at=F(3, 2))
def scale_that_is_halved(noise, data, *, eps):
    """not private: two products that are equal differ by a half at ε = 3/2, and not at ε = 1, 1/3, 1/10 and 49."""
    large, up, down = 233 * 10**13, exp(eps), exp(-eps)
    return data[0] + noise.laplace(10 / eps * (1 + (up * down * large - up * (down * large))))
