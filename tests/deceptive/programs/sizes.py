"""Datasets of several sizes, and records that are added and removed."""

from __future__ import annotations

from tests.deceptive.kit import INF, UNIT, F, Records, holds, leaks

ADDED = Records((0, 1), 3, "add-remove")


@leaks(Records(UNIT, (1, 4)), 4)
def mean_at_the_largest_size(noise, d, *, eps):
    """not private: the mean of one record moves by 1."""
    return sum(d) / len(d) + noise.laplace(F(1, 4) / eps)


@holds(Records(UNIT, (2, 4)), 1)
def mean_at_the_smallest_size(noise, d, *, eps):
    """private: two records or more move the mean by at most 1/2."""
    return sum(d) / len(d) + noise.laplace(F(1, 2) / eps)


@holds(Records(UNIT, (1, 3)), 1)
def mean_by_its_size(noise, d, *, eps):
    """private: the number of records is public, and the noise goes with it."""
    return sum(d) / len(d) + noise.laplace(F(1, len(d)) / eps)


@holds(Records(UNIT, (1, 4)), 1)
def sum_over_a_constant(noise, d, *, eps):
    """private: the sum is divided by 4 whatever the size."""
    return sum(d) / 4 + noise.laplace(F(1, 4) / eps)


@leaks(Records((0, 1), (2, 3)), INF)
def only_two(noise, d, *, eps):
    """not private: of two records the first is released."""
    return d[0] if len(d) == 2 else sum(d) + noise.laplace(1 / eps)


@leaks(Records(UNIT, (2, 3)), INF)
def only_two_real_ones(noise, d, *, eps):
    """not private: of two records the first is released."""
    return (d[0] if len(d) == 2 else sum(d)) + (0 if len(d) == 2 else noise.laplace(1 / eps))


@leaks(Records((0, 1), (1, 3)), 3)
def share_of_ones(noise, d, *, eps):
    """not private: of one record the share moves by 1."""
    return F(sum(d), len(d)) + noise.laplace(F(1, 3) / eps)


@holds(Records(UNIT, (1, 3)), 1)
def the_largest(noise, d, *, eps):
    """private: the largest record moves by at most 1."""
    return max(d) + noise.laplace(1 / eps)


@holds(ADDED, 1)
def number_of_records(noise, d, *, eps):
    """private: adding a record moves the number by 1."""
    return len(d) + noise.laplace(1 / eps)


@leaks(ADDED, INF)
def exact_number_of_records(noise, d, *, eps):
    """not private: under add/remove the number of records is a secret."""
    return len(d)


@holds(Records((0, 1), (1, 3)), 0)
def public_number_of_records(noise, d, *, eps):
    """private: where records are replaced the number is public."""
    return len(d)


@leaks(ADDED, 2)
def sum_with_half_of_the_noise(noise, d, *, eps):
    """not private: one record moves the sum by 1."""
    return sum(d) + noise.laplace(F(1, 2) / eps)


@leaks(ADDED, INF)
def empty(noise, d, *, eps):
    """not private: an empty dataset is told from one that is not."""
    return "empty" if not d else sum(d) + noise.laplace(1 / eps)


@leaks(ADDED, INF)
def mean_of_added_records(noise, d, *, eps):
    """not private: the size of the noise tells the number of records."""
    n = max(1, len(d))
    return F(sum(d), n) + noise.laplace(F(1, n) / eps)


@holds(ADDED, 1)
def ones_by_addition(noise, d, *, eps):
    """private: one record more is at most one more 1."""
    return sum(x == 1 for x in d) + noise.laplace(1 / eps)


@leaks(ADDED, INF)
def parity(noise, d, *, eps):
    """not private: the parity of the number of records."""
    return len(d) % 2


@leaks(Records((0, 1), (2, 3), "add-remove"), 2)
def twice_the_sum(noise, d, *, eps):
    """not private: one record moves the number by 2."""
    return 2 * sum(d) + noise.laplace(1 / eps)


@leaks(Records((0, 1, 2), (1, 2), "add-remove"), 2)
def sum_of_larger_records(noise, d, *, eps):
    """not private: a record of 2 moves the sum by 2."""
    return sum(d) + noise.laplace(1 / eps)


@holds(Records((0, 1, 2), (1, 2), "add-remove"), 1)
def clipped_sum(noise, d, *, eps):
    """private: every record counts for at most 1."""
    return sum(min(x, 1) for x in d) + noise.laplace(1 / eps)


@leaks(Records((0, 1), (0, 2)), INF)
def last_record(noise, d, *, eps):
    """not private: the last record, where there is one."""
    return d[-1] if d else None


@holds(Records((0, 1), (0, 2)), 1)
def last_record_by_a_coin(noise, d, *, eps):
    """private: randomised response, where there is a record."""
    if not d:
        return None
    return d[-1] if noise.bernoulli(log_odds=eps) else 1 - d[-1]


@leaks(Records((0, 1), (1, 2)), 2)
def every_record_by_the_same_coin_twice(noise, d, *, eps):
    """not private: each record is answered for twice."""
    return [(x == 1) == noise.bernoulli(log_odds=eps) for x in d + d]


@leaks(Records(UNIT, (2, 3)), 3)
def product_of_sizes(noise, d, *, eps):
    """not private: with three records the sum is multiplied by 3."""
    return len(d) * sum(d) + noise.laplace(1 / eps)
