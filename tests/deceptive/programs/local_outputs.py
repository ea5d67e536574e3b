"""Reports of one record: single outputs, types, and weights that are formulas in e^ε, which tell too much."""

from __future__ import annotations

from fractions import Fraction as F

from dpwitness import Interval, Records, exp
from tests.deceptive.kit import holds, leaks

WIDE = Records(Interval(-1, 1), 1)
UNIT = Records(Interval(0, 1), 1)
FIVE = Records((0, 1, 2, 3, 4), 1)


@leaks(WIDE)
def output_compared_with_the_record(noise, data, *, eps):
    """not private: what is returned is whether the draw exceeds the record; at the ends this is certain."""
    return noise.uniform(-1, 1) > data[0]


@leaks(UNIT)
def single_output_at_an_end(noise, data, *, eps):
    """not private: clipping makes the end more likely for records near it, and impossible for others."""
    return min(1, data[0] + noise.uniform(0, F(1, 2)))


@leaks(UNIT)
def single_output_of_two_sizes(noise, data, *, eps):
    """not private: the single output 0 has a chance of 1/10 for one record and 1/2 for another."""
    return 0 if noise.bernoulli(F(1, 10) + data[0] * F(4, 10)) else noise.uniform()


@leaks(UNIT)
def single_output_moves(noise, data, *, eps):
    """not private: with a chance of 1/1000 the record itself comes out."""
    return data[0] if noise.bernoulli(F(1, 1000)) else noise.uniform()


@leaks(UNIT)
def type_of_the_output(noise, data, *, eps):
    """not private: a positive record returns a float and a text otherwise."""
    draw = noise.uniform()
    return draw if data[0] > F(1, 2) else [draw]


@leaks(UNIT)
def one_and_one_point_nought(noise, data, *, eps):
    """not private: 1 and 1.0 are different outputs."""
    return 1 if data[0] > F(1, 2) else 1.0


@leaks(UNIT)
def eps_and_eps_times_one(noise, data, *, eps):
    """not private: of a whole ε one is an int and the other a float."""
    return eps if data[0] > F(1, 2) else eps * 1.0


@leaks(UNIT)
def power_of_e_by_the_record(noise, data, *, eps):
    """not private: two constants that differ in the last place."""
    return exp(eps) if data[0] > F(1, 2) else exp(eps) * (1 + F(1, 10**9))


@leaks(UNIT)
def power_of_e_in_two_ways(noise, data, *, eps):
    """not private: equal numbers, which Python rounds in two ways."""
    return exp(eps) if data[0] > F(1, 2) else exp(eps / 3) * exp(eps / 3) * exp(eps / 3)


@leaks(UNIT)
def beside_the_report_the_coin(noise, data, *, eps):
    """not private: the coin is released too, and its chance moves with the record."""
    coin = noise.bernoulli(data[0] / 2 + F(1, 4))
    return [coin, noise.uniform(0, 1) if coin else noise.uniform(0, 2)]


@leaks(UNIT)
def chance_of_nought_at_the_end(noise, data, *, eps):
    """not private: at the record 0 the coin never shows True."""
    return noise.bernoulli(data[0] / 2)


@holds(FIVE)
def own_value_by_weight(noise, data, *, eps):
    """private: k-ary response with weights."""
    return noise.choice([exp(eps) if v == data[0] else 1 for v in range(5)])


@holds(FIVE)
def unary_encoding(noise, data, *, eps):
    """private: the own bit is a fair coin, the others show True with the chance 1/(e^ε + 1)."""
    return [noise.bernoulli(F(1, 2) if v == data[0] else 1 / (exp(eps) + 1)) for v in range(5)]


@leaks(FIVE)
def weight_of_all_but_one(noise, data, *, eps):
    """not private: the others weigh 1 - e^-ε/1000 in place of 1."""
    return noise.choice([exp(eps) if v == data[0] else 1 - exp(-eps) / 1000 for v in range(5)])


@leaks(FIVE)
def own_bit_of_three_quarters(noise, data, *, eps):
    """not private: the own bit is no fair coin."""
    return [noise.bernoulli(F(3, 4) if v == data[0] else 1 / (exp(eps) + 1)) for v in range(5)]


@leaks(FIVE, at=F(1, 2))
def weight_that_is_right_at_one(noise, data, *, eps):
    """not private: e + (ε - 1)/100 is at most e^ε from ε = 1 on, and above it below."""
    return noise.choice([exp(1) + (eps - 1) / 100 if v == data[0] else 1 for v in range(5)])
