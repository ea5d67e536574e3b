"""Tests of a record that are the same for real numbers, and different ones for doubles."""

from __future__ import annotations

from dpwitness import Box, Exact, GaussianDP, Interval, Records
from tests.deceptive.kit import holds, leaks

UNIT = Records(Interval(0, 1), 5, "add-remove")
SQUARE = Records(Box((0, 1), (0, 1)), (0, 4), "add-remove")
PLANE = Records(Box((-3, 3), (-3, 3)), 4)
THREE = Records((0, Exact(3, 10), 1), (0, 4), "add-remove")
BITS = Records((0, 1), (0, 4), "add-remove")
LOCAL = Records(Interval(0, 1), 1)
TENTHS = [0.1] * 3


def edge(k):
    """An edge of a bin."""
    return 0.1 * k


@leaks(UNIT)
def three_tenths_in_two_ways(noise, data, *, eps):
    """not private: 0.1 + 0.2 is not 0.3, and a record of either counts 5."""
    return sum(5 * ((r == 0.1 + 0.2) - (r == 0.3)) for r in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def three_tenths_in_a_loop(noise, data, *, eps):
    """not private: three tenths, one after the other, are not 0.3."""
    c = 0
    for w in TENTHS:
        c = c + w
    return sum(5 * ((x == c) - (x == 0.3)) for x in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def edges_of_a_helper(noise, data, *, eps):
    """not private: three times 0.1 is above 0.3."""
    return sum(5 * ((x >= edge(3)) - (x >= 0.3)) for x in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def three_times_the_record(noise, data, *, eps):
    """not private: three times 0.3 is below 0.9."""
    return sum(5 * ((3 * x >= 0.9) - (x >= 0.3)) for x in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def moved_before_it_is_compared(noise, data, *, eps):
    """not private: 0.3 - 0.1 is below 0.2."""
    return sum(5 * ((x - 0.1 >= 0.2) - (x >= 0.3)) for x in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def moved_by_a_million(noise, data, *, eps):
    """not private: of numbers beside a million ten digits are left."""
    return sum(5 * ((x + 1e6 - 1e6 >= 0.3) - (x >= 0.3)) for x in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def moved_by_two_large_numbers(noise, data, *, eps):
    """not private: both tests are rounded, each in its way."""
    tests = [(x + 1e6 - 1e6 >= 0.3) - (x + 1.7e6 - 1.7e6 >= 0.3) for x in data]
    return 5 * sum(tests) + noise.laplace(1 / eps)


@leaks(UNIT)
def moved_by_two_numbers_of_one_size(noise, data, *, eps):
    """not private: both tests are rounded, and none of them at the double that is nearest."""
    tests = [(x + 900.1 - 900.1 > 0.3) - (x + 700.7 - 700.7 > 0.3) for x in data]
    return 5 * sum(tests) + noise.laplace(1 / eps)


@leaks(UNIT)
def remainder_of_one_record(noise, data, *, eps):
    """not private: 0.3 % 0.1 is nearly 0.1, and a fiftieth of the noise."""
    return sum([50 * (x % 0.1) for x in data if x == 0.3]) + noise.laplace(1 / eps)


@leaks(UNIT)
def bins_that_overlap(noise, data, *, eps):
    """not private: the end of a bin is above the beginning of the next one, and a record between counts in both."""
    lows = [k / 10 for k in range(10)]
    return [len([x for x in data if low <= x < low + 0.1]) + noise.laplace(1 / eps) for low in lows]


@leaks(SQUARE)
def of_the_second_coordinate(noise, data, *, eps):
    """not private: 0.1 + 0.2 is not 0.3."""
    return sum(5 * ((r[1] == 0.1 + 0.2) - (r[1] == 0.3)) for r in data) + noise.laplace(1 / eps)


@leaks(THREE)
def of_a_finite_domain(noise, data, *, eps):
    """not private: the record 0.3 is not 0.1 + 0.2."""
    return sum(5 * ((r == 0.1 + 0.2) - (r == 0.3)) for r in data) + noise.laplace(1 / eps)


@leaks(LOCAL)
def chance_of_one_record(noise, data, *, eps):
    """not private: a record of 0.3 changes the chance from 1/2 to 1/10."""
    return noise.bernoulli(Exact(1, 2) + ((data[0] == 0.1 + 0.2) - (data[0] == 0.3)) * Exact(4, 10))


@holds(UNIT)
def bins_by_their_edges(noise, data, *, eps):
    """private: each bin ends at the double where the next one begins."""
    edges = [k / 10 for k in range(11)]
    return [len([x for x in data if edges[k] <= x < edges[k + 1]]) + noise.laplace(1 / eps) for k in range(10)]


@holds(UNIT)
def count_from_a_double_on(noise, data, *, eps):
    """private: a record of 0.3 is the number that it is compared with."""
    return sum(x >= 0.3 for x in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def exact_and_as_a_double(noise, data, *, eps):
    """not private: the double 0.3 is below 3/10."""
    return sum(5 * ((x >= Exact(3, 10)) - (x >= 0.3)) for x in data) + noise.laplace(1 / eps)


@holds(UNIT)
def bins_by_exact_edges(noise, data, *, eps):
    """private: a record of 0.3 lies in the bin below 3/10, and in no other."""
    return [sum(Exact(k, 10) <= x < Exact(k + 1, 10) for x in data) + noise.laplace(1 / eps) for k in range(10)]


@holds(SQUARE)
def edges_of_both_kinds(noise, data, *, eps):
    """private: exact edges of one coordinate, and a double of the other."""
    bins = [[x for x in data if Exact(k, 5) <= x[0] < Exact(k + 1, 5) and x[1] >= 0.3] for k in range(5)]
    return [len(rows) + noise.laplace(1 / eps) for rows in bins]


@holds(UNIT)
def distance_of_some(noise, data, *, eps):
    """private: distances from a centre, of records near another one."""
    return sum(abs(x - 0.7) for x in data if abs(x - 0.5) <= 0.3) + noise.laplace(1 / eps)


@holds(PLANE, claim=lambda mu: GaussianDP(mu), typical={"mu": 1})
def vectors_of_any_length(noise, data, *, mu):
    """private: a vector of which the squares are 0 as doubles does not fail."""
    vectors = [noise.clip([r[0], r[1]], 1) for r in data]
    return [sum(v[k] for v in vectors) + noise.gaussian(2 / mu) for k in range(2)]


@leaks(BITS)
def tenths_of_a_noisy_count(noise, data, *, eps):
    """not private: 0.3 is below 0.1 + 0.2, so that the sum is shown where the noisy one is 3."""
    z = (sum(data) + noise.discrete_laplace(1 / eps)) / 10
    return sum(data) if z >= 0.3 and not z >= 0.1 + 0.2 else 0


@leaks(BITS)
def a_whole_number_in_two_ways(noise, data, *, eps):
    """not private: 0.1 * 3 * 10 is above 3, so that the sum is shown where the noisy one is 3."""
    y = sum(data) + noise.discrete_laplace(1 / eps)
    if y >= 3:
        if y >= 0.1 * 3 * 10:
            return 0
        return sum(data)
    return 0
