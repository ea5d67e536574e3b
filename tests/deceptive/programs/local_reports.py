"""Reports of one record by choices and uniform draws: ends, weights and tests that tell too much."""

from __future__ import annotations

from fractions import Fraction as F

from dpwitness import Interval, Records, exp
from tests.deceptive.kit import holds, leaks

WIDE = Records(Interval(-1, 1), 1)
UNIT = Records(Interval(0, 1), 1)


def constants(eps):
    """(C, e^(ε/2)) of the piecewise mechanism."""
    h = exp(eps / 2)
    return (h + 1) / (h - 1), h


def left_end(x, c):
    return (c + 1) / 2 * x - (c - 1) / 2


def outside_of(noise, left, c):
    """Uniform on [-c, c] without the piece of length c - 1 that begins at left."""
    draw = noise.uniform(-c, 1)
    return draw if draw < left else draw + c - 1


def wave(noise, x, b, inside):
    if noise.bernoulli(inside):
        return x + b * (2 * noise.uniform() - 1)
    far = noise.uniform() - b
    return far if far < x - b else far + 2 * b


@holds(WIDE)
def piecewise(noise, data, *, eps):
    """private: the piecewise mechanism."""
    c, h = constants(eps)
    left = left_end(data[0], c)
    return noise.uniform(left, left + c - 1) if noise.bernoulli(h / (h + 1)) else outside_of(noise, left, c)


@holds(UNIT)
def wave_of_half_a_width(noise, data, *, eps):
    """private: a square wave of any width is, with the share 2be^ε/(2be^ε + 1) inside."""
    b = F(1, 4)
    return wave(noise, data[0], b, 2 * b * exp(eps) / (2 * b * exp(eps) + 1))


@holds(UNIT)
def uniform_test_for_a_coin(noise, data, *, eps):
    """private: a coin of chance 1/2 ± (e^ε - 1)/(2(e^ε + 1)), thrown with a uniform draw."""
    return noise.uniform() < F(1, 2) + (2 * data[0] - 1) * (exp(eps) - 1) / (2 * (exp(eps) + 1))


@holds(WIDE)
def report_that_shows_nothing(noise, data, *, eps):
    """private: the draw does not depend on the record, and the dead test changes nothing."""
    draw = noise.uniform()
    return draw if draw >= 0 or data[0] > 0 else data[0]


@holds(WIDE)
def clamped_on_both_sides_alike(noise, data, *, eps):
    """private: a uniform draw on [-1, 1] around nothing, clipped; what is clipped is the same for all records."""
    draw = noise.uniform(-2, 2)
    return max(-1, min(1, draw))


@leaks(WIDE)
def ends_swapped(noise, data, *, eps):
    """not private: the piece begins where it should end, so that it moves out of [-C, C]."""
    c, h = constants(eps)
    left = left_end(data[0], c) + c - 1
    return noise.uniform(left, left + c - 1) if noise.bernoulli(h / (h + 1)) else outside_of(noise, left, c)


@leaks(WIDE)
def a_gap(noise, data, *, eps):
    """not private: beside the piece there is a gap where the density is 0."""
    c, h = constants(eps)
    left = left_end(data[0], c)
    if noise.bernoulli(h / (h + 1)):
        return noise.uniform(left + F(1, 1000), left + c - 1)
    return outside_of(noise, left, c)


@leaks(WIDE)
def piece_too_short(noise, data, *, eps):
    """not private: the piece is shorter, so denser, and overlaps nothing: the ratio exceeds e^ε."""
    c, h = constants(eps)
    left = left_end(data[0], c)
    if noise.bernoulli(h / (h + 1)):
        return noise.uniform(left, left + (c - 1) * F(99, 100))
    return noise.uniform(-c, c)


@leaks(WIDE)
def weight_wrong_by_a_bit(noise, data, *, eps):
    """not private: the weight of the piece is that of 1.0001 ε."""
    c, _ = constants(eps)
    more, left = exp(eps * F(10001, 20000)), left_end(data[0], c)
    return noise.uniform(left, left + c - 1) if noise.bernoulli(more / (more + 1)) else outside_of(noise, left, c)


@leaks(WIDE)
def whole_budget_in_the_weight(noise, data, *, eps):
    """not private: e^ε in place of e^(ε/2) in the weight, and C as it was."""
    c, _ = constants(eps)
    left = left_end(data[0], c)
    p = exp(eps) / (exp(eps) + 1)
    return noise.uniform(left, left + c - 1) if noise.bernoulli(p) else outside_of(noise, left, c)


@leaks(WIDE)
def same_draw_twice(noise, data, *, eps):
    """not private: the draw that decides is released, so that small numbers come from the record."""
    draw = noise.uniform()
    return draw if draw > F(1, 2) else draw + data[0]


@leaks(WIDE)
def draw_shared_by_test_and_output(noise, data, *, eps):
    """not private: the threshold of the test moves with the record and the draw itself comes out."""
    draw = noise.uniform(-1, 1)
    return [draw, draw < data[0]]


@leaks(WIDE)
def branch_on_the_record(noise, data, *, eps):
    """not private: a positive record has another range."""
    return noise.uniform(0, 1) if data[0] > 0 else noise.uniform(0, 2)


@leaks(WIDE)
def branch_at_one_record(noise, data, *, eps):
    """not private: only the record 0 itself has another range."""
    if data[0] >= 0:
        if data[0] > 0:
            return noise.uniform(0, 1)
        return noise.uniform(0, 3)
    return noise.uniform(0, 1)


@leaks(WIDE)
def branch_at_the_end(noise, data, *, eps):
    """not private: only the record 1 itself has another range."""
    return noise.uniform(0, 3) if data[0] >= 1 else noise.uniform(0, 1)


@leaks(UNIT)
def record_times_nearly_nothing(noise, data, *, eps):
    """not private: the draw is multiplied by 10^-6, and the record shines through."""
    return data[0] + noise.uniform() / 10**6


@leaks(UNIT)
def slope_that_is_zero(noise, data, *, eps):
    """not private: the draw cancels."""
    draw = noise.uniform()
    return data[0] + draw - draw


@leaks(UNIT)
def slope_that_is_zero_at_the_end(noise, data, *, eps):
    """not private: at the record 0 the draw is multiplied by 0."""
    return data[0] * noise.uniform()


@leaks(UNIT)
def width_of_the_record(noise, data, *, eps):
    """not private: the range grows with the record."""
    return noise.uniform(0, 1 + data[0])


@leaks(UNIT)
def overlapping_itself(noise, data, *, eps):
    """not private: the piece is added to a uniform floor of all outputs in place of what lies outside of it."""
    b = F(1, 4)
    p = 2 * b * exp(eps) / (2 * b * exp(eps) + 1)
    return noise.uniform(data[0] - b, data[0] + b) if noise.bernoulli(p) else noise.uniform(-2 * b, 1 + 2 * b)


@leaks(UNIT)
def wave_of_the_wrong_share(noise, data, *, eps):
    """not private: the share of a width of 2b for a wave of the width b."""
    b = F(1, 4)
    return wave(noise, data[0], b / 2, 2 * b * exp(eps) / (2 * b * exp(eps) + 1))


@leaks(UNIT)
def wave_that_leaves_one_side_out(noise, data, *, eps):
    """not private: the outputs above the wave are missing."""
    b = F(1, 4)
    if noise.bernoulli(2 * b * exp(eps) / (2 * b * exp(eps) + 1)):
        return noise.uniform(data[0] - b, data[0] + b)
    return noise.uniform(-b - F(1, 100), data[0] - b)


@leaks(UNIT)
def modulo_one(noise, data, *, eps):
    """not private: half a turn of noise does not hide the record modulo 1."""
    total = data[0] + noise.uniform(0, F(1, 2))
    return total if total < 1 else total - 1


@holds(UNIT)
def modulo_one_of_a_whole_turn(noise, data, *, eps):
    """private: a whole turn of noise hides the record modulo 1."""
    total = data[0] + noise.uniform(0, 1)
    return total if total < 1 else total - 1


@leaks(UNIT)
def two_draws_in_one_output(noise, data, *, eps):
    """not private: the sum of two draws has no density that is constant in pieces."""
    return data[0] + noise.uniform() + noise.uniform()


@leaks(UNIT)
def square_of_the_record(noise, data, *, eps):
    """not private: the ends move with the square of the record."""
    return noise.uniform(data[0] * data[0], data[0] * data[0] + 1)


@leaks(UNIT, at=F(1, 2))
def width_for_one_eps(noise, data, *, eps):
    """not private: the share is the one for ε = 1, whatever ε is."""
    b = F(1, 4)
    return wave(noise, data[0], b, 2 * b * exp(1) / (2 * b * exp(1) + 1))


@leaks(UNIT)
def half_of_the_square_wave(noise, data, *, eps):
    """not private: the wave of 2ε."""
    b = F(1, 8)
    return wave(noise, data[0], b, 2 * b * exp(2 * eps) / (2 * b * exp(2 * eps) + 1))
