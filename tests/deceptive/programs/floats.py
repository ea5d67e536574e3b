"""Floats: literals that are not what they look like, sums that lose, tests that rounding decides."""

from __future__ import annotations

import math

from dpwitness import sqrt
from tests.deceptive.kit import INF, ONE, SINGLE, Records, holds, leaks


@leaks(SINGLE, INF)
def tenths(noise, q, *, eps):
    """not private: 0.1 + 0.2 is not 0.3, so the answer is released."""
    return q[0] + noise.laplace(1 / eps) if 0.1 + 0.2 == 0.3 else q[0]


@holds(SINGLE, 1)
def tenths_the_other_way(noise, q, *, eps):
    """private: 0.1 + 0.2 is above 0.3, so the noise is added."""
    return q[0] + noise.laplace(1 / eps) if 0.1 + 0.2 > 0.3 else q[0]


@leaks(SINGLE, INF)
def tenths_in_names(noise, q, *, eps):
    """not private: the same with names for the numbers."""
    a, b, c = 0.1, 0.2, 0.3
    return q[0] + noise.laplace(1 / eps) if a + b <= c else q[0]


@leaks(SINGLE, INF)
def ten_tenths(noise, q, *, eps):
    """not private: ten times 0.1, added up, is below 1."""
    total = 0.0
    for _ in range(10):
        total = total + 0.1
    return q[0] + noise.laplace(1 / eps) if total == 1 else q[0]


@leaks(ONE, INF)
def tenths_in_a_loop(noise, q, *, eps):
    """not private: at the third answer the sum of tenths is above 0.3."""
    total, out = 0.0, []
    for x in q:
        total += 0.1
        out.append(x if total > 0.3 else x + noise.laplace(1 / eps))
    return out


@leaks(SINGLE, INF)
def a_one_that_is_lost(noise, q, *, eps):
    """not private: (1e16 + 1) - 1e16 is 0.0."""
    return q[0] + noise.laplace(1 / eps) * ((1e16 + 1) - 1e16)


@holds(SINGLE, 1)
def a_one_that_is_kept(noise, q, *, eps):
    """private: (1e15 + 1) - 1e15 is 1.0."""
    return q[0] + noise.laplace(1 / eps) * ((1e15 + 1) - 1e15)


@leaks(SINGLE, INF)
def noise_that_is_lost(noise, q, *, eps):
    """not private: noise beside 1e20 is rounded to 0."""
    return q[0] + ((noise.laplace(1 / eps) + 1e20) - 1e20)


@leaks(SINGLE, INF)
def noise_beside_a_large_integer(noise, q, *, eps):
    """not private: a float beside 10 ** 20 is rounded to a multiple of 16384."""
    return q[0] + ((noise.laplace(1 / eps) + 10**20) - 10**20)


@leaks(SINGLE, INF)
def noise_that_underflows(noise, q, *, eps):
    """not private: the product is 0 on the way."""
    return q[0] + noise.laplace(1 / eps) * 1e-200 * 1e-200 * 1e200 * 1e200


@holds(SINGLE, 1)
def noise_there_and_back(noise, q, *, eps):
    """private: ten digits there and back lose nothing that counts."""
    return q[0] + noise.laplace(1 / eps) * 1e10 * 1e-10


@leaks(SINGLE, INF)
def cut_to_seven(noise, q, *, eps):
    """not private: (0.1 + 0.7) * 10 is 7.999999999999999."""
    return q[0] + noise.laplace(1 / eps) if int((0.1 + 0.7) * 10) == 8 else q[0]


@leaks(SINGLE, INF)
def rounded_to_even(noise, q, *, eps):
    """not private: round(2.5) is 2."""
    return q[0] + noise.laplace(1 / eps) if round(2.5) == 3 else q[0]


@leaks(SINGLE, INF)
def tenths_in_one(noise, q, *, eps):
    """not private: 1.0 // 0.1 is 9.0."""
    return q[0] + noise.laplace(1 / eps) if 1.0 // 0.1 == 10 else q[0]


@leaks(SINGLE, INF)
def rest_of_tenths(noise, q, *, eps):
    """not private: 1.0 % 0.1 is not 0."""
    return q[0] + noise.laplace(1 / eps) if 1.0 % 0.1 < 0.05 else q[0]


@leaks(SINGLE, INF)
def parameter_times_tenths(noise, q, *, eps):
    """not private: at eps = 1, 3 times a tenth of eps is not 0.3 eps."""
    return q[0] + noise.laplace(1 / eps) if eps * 0.1 * 3 == eps * 0.3 else q[0]


@leaks(SINGLE, INF)
def parameter_over_ten(noise, q, *, eps):
    """not private: at eps = 1, eps / 10 * 3 is not eps * 3 / 10."""
    return q[0] + noise.laplace(1 / eps) if eps / 10 * 3 == eps * 3 / 10 else q[0]


@leaks(SINGLE, INF)
def a_large_float_plus_one(noise, q, *, eps):
    """not private: 2.0 ** 53 + 1 is 2.0 ** 53."""
    return q[0] if 2.0**53 + 1 == 2.0**53 else q[0] + noise.laplace(1 / eps)


@holds(SINGLE, 1)
def a_large_integer_plus_one(noise, q, *, eps):
    """private: whole numbers of any size are exact."""
    return q[0] if 2**53 + 1 == 2**53 else q[0] + noise.laplace(1 / eps)


@leaks(SINGLE, INF)
def square_of_a_root(noise, q, *, eps):
    """not private: the square of math.sqrt(2) is not 2."""
    return q[0] + noise.laplace(1 / eps) if math.sqrt(2) ** 2 == 2 else q[0]


@leaks(SINGLE, INF)
def square_of_a_formula(noise, q, *, eps):
    """not private: neither is that of the root that carries its formula."""
    return q[0] + noise.laplace(1 / eps) if sqrt(2) * sqrt(2) == 2 else q[0]


@leaks(SINGLE, INF)
def less_than_nothing(noise, q, *, eps):
    """not private: half of the smallest float is 0."""
    return q[0] + noise.laplace(1 / eps) * (5e-324 / 2) * 1e308


@leaks(SINGLE, INF)
def answer_times_tenths(noise, q, *, eps):
    """not private: of most answers, 3 times a tenth is not 0.3 times the answer."""
    return q[0] if q[0] * 0.1 * 3 > q[0] * 0.3 else q[0] + noise.laplace(1 / eps)


@leaks(SINGLE, INF)
def noise_minus_noise(noise, q, *, eps):
    """not private: (x + z) - z is nearly x, and never mind how nearly."""
    z = noise.laplace(1 / eps)
    return int(((q[0] + z) - z) * 1000)


@leaks(Records([1, 3], 1), INF)
def tenths_of_records(noise, d, *, eps):
    """not private: 3 / 10 is 0.3, and 1 / 10 + 2 / 10 is not."""
    return d[0] / 10 == d[0] * 0.1


@leaks(SINGLE, 1 / ((0.1 + 0.2 - 0.3) * 1e9))
def difference_that_is_rounding(noise, q, *, eps):
    """not private: the scale is about 1e-17 where exact numbers have 1e9."""
    return q[0] + noise.laplace(1 / eps) * (0.1 + 0.2 - 0.3) * 1e9
