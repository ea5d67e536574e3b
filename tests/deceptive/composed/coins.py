"""Coins whose chance depends on records: of one of them, of several, with odds in powers of e."""

from __future__ import annotations

from dpwitness import Exact, Interval, PureDP, Records, exp
from tests.deceptive.kit import holds, leaks

ONE, THREE = Records(Interval(0, 1), 1), Records(Interval(0, 1), 3)
BITS, WIDE = Records((0, 1), 3), Records(Interval(-1, 1), 1)
WIDER, COMING = Records(Interval(-2, 2), 1), Records(Interval(0, 1), 1, "add-remove")


def third(eps):
    return PureDP(eps / 3)


@leaks(THREE, claim=third)
def three_records_in_one_chance(noise, data, *, eps):
    """not private: from 6/8 to 7/8 the odds against it double, ln 2; from 4/8 to 5/8 they fall by less than 1/3."""
    return 1 * noise.bernoulli(Exact(1, 2) + sum(data) / 8)


@leaks(BITS, claim=third)
def three_bits_in_one_chance(noise, data, *, eps):
    """not private: the same for bits."""
    return 1 * noise.bernoulli(Exact(1, 2) + sum(data) / 8)


@leaks(THREE, claim=third)
def a_coin_that_decides_another(noise, data, *, eps):
    """not private: the second coin is nearly the first one."""
    first = noise.bernoulli(Exact(1, 2) + sum(data) / 8)
    return 1 * noise.bernoulli(Exact(1, 1000) + first * Exact(998, 1000))


@leaks(COMING, claim=third)
def a_record_that_comes_and_goes(noise, data, *, eps):
    """not private: without the record the chance is 1/10."""
    return 1 * noise.bernoulli(Exact(1, 10) + sum(data) / 2)


@holds(WIDE)
def one_bit_of_duchi(noise, data, *, eps):
    """private: the chance runs from 1/(1 + e^ε) to e^ε/(1 + e^ε)."""
    p = Exact(1, 2) + data[0] * (exp(eps) - 1) / (2 * (exp(eps) + 1))
    return (exp(eps) + 1) / (exp(eps) - 1) * (2 * noise.bernoulli(p) - 1)


@leaks(WIDE)
def twice_the_slope(noise, data, *, eps):
    """not private: the chance runs to 1 as e^2ε/(1 + e^2ε)."""
    p = Exact(1, 2) + data[0] * (exp(2 * eps) - 1) / (2 * (exp(2 * eps) + 1))
    return 1 * noise.bernoulli(p)


@leaks(WIDER)
def records_beyond_the_chance(noise, data, *, eps):
    """not private: records up to 2 and a slope for records up to 1, cut at 99/100."""
    p = Exact(1, 2) + data[0] * (exp(eps) - 1) / (2 * (exp(eps) + 1))
    return 1 * noise.bernoulli(min(max(p, Exact(1, 100)), Exact(99, 100)))


@leaks(WIDE)
def a_slope_that_is_a_little_too_large(noise, data, *, eps):
    """not private: the chance is larger by a millionth at the top."""
    p = Exact(1, 2) + data[0] * ((exp(eps) - 1) / (2 * (exp(eps) + 1)) + Exact(1, 1000000))
    return 1 * noise.bernoulli(p)


@leaks(WIDE)
def two_reports(noise, data, *, eps):
    """not private: two bits at ε each."""
    p = Exact(1, 2) + data[0] * (exp(eps) - 1) / (2 * (exp(eps) + 1))
    return [1 * noise.bernoulli(p), 1 * noise.bernoulli(p)]


@leaks(WIDE)
def odds_of_another_power(noise, data, *, eps):
    """not private: e^(11ε/10) in place of e^ε on one side alone."""
    low, high = 1 / (1 + exp(eps)), exp(Exact(11, 10) * eps) / (1 + exp(Exact(11, 10) * eps))
    p = low + (data[0] + 1) / 2 * (high - low)
    return 1 * noise.bernoulli(p)


@leaks(ONE)
def a_coin_and_what_it_was_made_of(noise, data, *, eps):
    """not private: the chance itself is shown."""
    p = Exact(1, 2) + data[0] * (exp(eps) - 1) / (2 * (exp(eps) + 1))
    return 1 * noise.bernoulli(p), p
