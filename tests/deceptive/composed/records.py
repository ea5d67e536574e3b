# ruff: noqa: B007, SIM113, F841
"""Functions of one record that remember, that fail, or that are larger than they look."""

from __future__ import annotations

from dpwitness import Box, Exact, GaussianDP, Interval, Records, log, sqrt
from tests.deceptive.kit import leaks

UNIT, SWAP = Records(Interval(0, 1), 5, "add-remove"), Records(Interval(0, 1), 5)
WIDE = Records(Interval(-10, 10), 4, "add-remove")
EIGHT = Records(tuple(range(8)), 4, "add-remove")
NAMES = Records(("ann", "bob"), 3, "add-remove")
MIXED = Records((0, 1, "a", None), 3, "add-remove")
PLANE = Records(Box((-1, 1), (-1, 1)), 3, "add-remove")


@leaks(WIDE)
def not_clipped(noise, data, *, eps):
    """not private: a record moves the sum by 10."""
    return sum(data) + noise.laplace(1 / eps)


@leaks(WIDE)
def clipped_on_one_side(noise, data, *, eps):
    """not private: nothing bounds a record from below."""
    return sum(min(x, 1) for x in data) + noise.laplace(1 / eps)


@leaks(WIDE)
def squares_of_clipped_ones(noise, data, *, eps):
    """not private: the square of a record clipped to 2 is up to 4."""
    return sum(min(max(x, -2), 2) ** 2 for x in data) + noise.laplace(2 / eps)


@leaks(UNIT)
def about_the_true_mean(noise, data, *, eps):
    """not private: each term depends on all records."""
    m = sum(data) / 5
    return sum((x - m) ** 2 for x in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def running_count_in_the_sum(noise, data, *, eps):
    """not private: the k-th record counts k times."""
    a = 0
    b = 0
    for x in data:
        a += 1
        b += a
    return b + noise.laplace(1 / eps)


@leaks(UNIT)
def running_product(noise, data, *, eps):
    """not private: a product is no sum."""
    a = 1
    for x in data:
        a = a * (1 + x)
    return a + noise.laplace(1 / eps)


@leaks(UNIT)
def the_last_record(noise, data, *, eps):
    """not private: a loop leaves its last record behind."""
    x = 0
    for x in data:
        pass
    return x


@leaks(UNIT)
def a_temporary_of_the_last_record(noise, data, *, eps):
    """not private: what the last record was computed to is returned."""
    total = 0
    y = 0
    for x in data:
        y = 2 * x
        total += x
    return total + noise.laplace(1 / eps), y


@leaks(UNIT)
def a_list_grows_unseen(noise, data, *, eps):
    """not private: the length of a list is the number of records."""
    k = [0]
    unused = [k.append(1) for x in data]
    return len(k) + len(unused) * 0


@leaks(UNIT)
def a_list_shrinks(noise, data, *, eps):
    """not private: every record takes an entry away."""
    items = [1, 2, 3, 4, 5, 6, 7, 8]
    for x in data:
        items.pop()
    return len(items)


@leaks(UNIT)
def a_list_added_to_itself(noise, data, *, eps):
    """not private: += on a list makes it longer with every record."""
    items = []
    for x in data:
        items += [x]
    return len(items)


@leaks(UNIT)
def the_old_list(noise, data, *, eps):
    """not private: the old name keeps the first record's list."""
    a = [0]
    b = a
    for x in data:
        a[0] += x
    return b[0]


@leaks(UNIT)
def a_helper_fills_the_callers_list(noise, data, *, eps):
    """not private: the caller's list is filled by the helper."""
    acc = [0]
    fill(data, acc)
    return acc


def fill(data, acc):
    """Add up in a list."""
    for x in data:
        acc[0] += x
    return 0


@leaks(UNIT)
def number_of_kept_records(noise, data, *, eps):
    """not private: the length of a filtered list."""
    return len([x for x in data if x > Exact(1, 2)])


@leaks(SWAP)
def number_of_kept_ones_is_not_public(noise, data, *, eps):
    """not private: the size is public, that of a part is not."""
    part = [x for x in data if x > Exact(1, 2)]
    return sum(part) + noise.laplace(1 / (eps * max(len(part), 1)))


@leaks(UNIT)
def as_many_draws_as_records(noise, data, *, eps):
    """not private: the length of the output."""
    return [noise.laplace(1 / eps) for _ in range(len(data))]


@leaks(UNIT)
def noise_on_each_record(noise, data, *, eps):
    """not private: the length of the output, under add and remove."""
    return [x + noise.laplace(1 / eps) for x in data]


@leaks(UNIT)
def whether_there_are_records(noise, data, *, eps):
    """not private: the truth of the dataset."""
    return 1 if data else 0


@leaks(UNIT)
def largest_record(noise, data, *, eps):
    """not private: the largest of records moves by 1, and the noise is small."""
    return max([0, *data]) + noise.laplace(1 / (1000 * eps))


@leaks(UNIT)
def crash_on_zero(noise, data, *, eps):
    """not private: 1/0 ends the program where a record is 0."""
    return sum(min(1 / x, 1) for x in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def crash_where_there_is_a_record(noise, data, *, eps):
    """not private: a division by a released 0 fails only if there is a record."""
    r = max(len(data) - 100 + noise.laplace(2 / eps), 0)
    return sum(min(max(x / r, 0), 1) for x in data) + noise.laplace(2 / eps)


@leaks(UNIT)
def logarithm_of_zero(noise, data, *, eps):
    """not private: the logarithm of a record 0 ends the program."""
    return sum(min(max(log(x), -1), 0) for x in data) + noise.laplace(1 / eps)


@leaks(WIDE)
def root_of_a_negative_record(noise, data, *, eps):
    """not private: the root of a negative record ends the program."""
    return sum(min(sqrt(x), 1) for x in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def index_out_of_range(noise, data, *, eps):
    """not private: an index fails for a record of 1."""
    table = (0, 1)
    return sum(table[int(2 * x)] for x in data) + noise.laplace(1 / eps)


@leaks(MIXED)
def text_in_a_sum(noise, data, *, eps):
    """not private: a record of text ends the program."""
    return sum(data) + noise.laplace(1 / eps)


@leaks(UNIT)
def sum_of_none(noise, data, *, eps):
    """not private: where there is a record the sum fails."""
    return sum([None for x in data]) + noise.laplace(1 / eps)


@leaks(UNIT)
def a_generator_runs_late(noise, data, *, eps):
    """not private: the factor is 100 when the generator runs."""
    c = 1
    g = (x * c for x in data)
    c = 100
    return sum(g) + noise.laplace(1 / eps)


@leaks(UNIT)
def a_generator_is_used_up(noise, data, *, eps):
    """not private: the first record counts 10 times, the others not at all."""
    g = (i for i in range(5))
    return sum(x * sum(g) for x in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def rows_that_are_changed(noise, data, *, eps):
    """not private: the rows hold 9, and the noise is that of 1."""
    rows = [[9, 1] for x in data]
    unused = [row.pop() for row in rows]
    return sum(row[0] for row in rows) + noise.laplace(1 / eps)


@leaks(UNIT)
def one_row_for_all(noise, data, *, eps):
    """not private: all rows are one list, whose entry is set afterwards."""
    w = [1]
    rows = [w for x in data]
    w[0] = 100
    return sum(row[0] for row in rows) + noise.laplace(1 / eps)


@leaks(UNIT)
def data_in_data(noise, data, *, eps):
    """not private: every record is multiplied by the sum of all."""
    return sum(x * sum(y for y in data) for x in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def pairs_of_records(noise, data, *, eps):
    """not private: a record is part of many pairs."""
    return sum(abs(x - y) for x in data for y in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def three_entries_for_each(noise, data, *, eps):
    """not private: every record is added to three entries."""
    a = [0, 0, 0]
    for x in data:
        for j in range(3):
            a[j] += x
    return [v + noise.laplace(1 / eps) for v in a]


@leaks(UNIT)
def counted_up_and_down(noise, data, *, eps):
    """not private: a record counts 2 or −2."""
    a = 0
    for x in data:
        if x > Exact(1, 2):
            a += 2
        else:
            a -= 2
    return a + noise.laplace(1 / eps)


@leaks(EIGHT)
def seen_values(noise, data, *, eps):
    """not private: which values occur is shown."""
    seen = [0] * 8
    for x in data:
        seen[x] = 1
    return seen


@leaks(NAMES)
def names_in_the_data(noise, data, *, eps):
    """not private: whether a name occurs."""
    return [name for name in ("ann", "bob") if name in data]


@leaks(UNIT)
def middle_of_the_sorted(noise, data, *, eps):
    """not private: a record of the middle."""
    return sorted([*data, 0, 1])[1] + noise.laplace(1 / (100 * eps))


@leaks(UNIT)
def stops_at_a_large_record(noise, data, *, eps):
    """not private: the loop ends at a record, so that later ones count or not."""
    a = 0
    for x in data:
        if x > Exact(1, 2):
            break
        a += 1
    return a + noise.laplace(1 / (3 * eps))


@leaks(PLANE, claim=lambda eps: GaussianDP(eps))
def coordinates_clipped_one_by_one(noise, data, *, eps):
    """not private: the norm of two coordinates of 1 is √2."""
    v = [[noise.clip([5 * x[0]], 1)[0], noise.clip([5 * x[1]], 1)[0]] for x in data]
    return [sum(g[j] for g in v) + noise.gaussian(1 / eps) for j in range(2)]


@leaks(PLANE)
def clipped_in_the_other_norm(noise, data, *, eps):
    """not private: an ℓ2 norm of 1 is an ℓ1 norm of √2."""
    v = [noise.clip([x[0], x[1]], 1) for x in data]
    return [sum(g[j] for g in v) + noise.laplace(1 / eps) for j in range(2)]


@leaks(PLANE, claim=lambda eps: GaussianDP(eps))
def one_coordinate_twice(noise, data, *, eps):
    """not private: the first coordinate is released three times."""
    v = [noise.clip([x[0], x[1]], 1) for x in data]
    return [sum(g[0] for g in v) + noise.gaussian(1 / eps) for _ in range(3)]


@leaks(PLANE, claim=lambda eps: GaussianDP(eps))
def bound_of_a_release(noise, data, *, eps):
    """not private: vectors are clipped at a released level, and the noise is that of 1."""
    c = max(len(data) + noise.gaussian(2 / eps), 1)
    v = [noise.clip([9 * x[0], 9 * x[1]], c) for x in data]
    return [sum(g[j] for g in v) + noise.gaussian(2 / eps) for j in range(2)]


@leaks(UNIT)
def bound_that_may_be_negative(noise, data, *, eps):
    """not private: where the level is negative, clipping gives −level, and the noise is that of the level."""
    c = len(data) + noise.laplace(2 / eps)
    return sum(min(max(x, -c), c) for x in data) + (c - 1) * noise.laplace(2 / eps)


@leaks(UNIT)
def nothing_of_a_sum(noise, data, *, eps):
    """not private: 0 times a sum is 0 of no record, and 0.0 of some."""
    return 0 * sum(data)


@leaks(UNIT)
def a_sum_minus_itself(noise, data, *, eps):
    """not private: the difference is the int 0 of no record, and 0.0 of some."""
    return sum(data) - sum(data)


@leaks(UNIT)
def zeros_of_records(noise, data, *, eps):
    """not private: a sum of 0.0 is 0.0, and that of no record the int 0."""
    return sum(0 * x for x in data)


@leaks(Records((0, 1), 3, "add-remove"))
def ints_and_floats_with_whole_noise(noise, data, *, eps):
    """not private: with a record of 1 the sum is a float."""
    return sum(1.0 if x == 1 else 1 for x in data) + noise.discrete_laplace(1 / eps)


@leaks(WIDE)
def remainder_of_a_remainder(noise, data, *, eps):
    """not private: what is left after multiples of 3 is up to 3."""
    return sum(x % 3 for x in data) + noise.laplace(1 / eps)


@leaks(WIDE)
def remainder_of_negative_numbers(noise, data, *, eps):
    """not private: in Python what is left of -1/2 after whole numbers is 1/2, so that 1 - 1/2 is left nearly twice."""
    return sum((x % 1) + (-x) % 1 for x in data) + noise.laplace(1 / (2 * eps))


@leaks(WIDE)
def whole_parts(noise, data, *, eps):
    """not private: a record counts up to 10."""
    return sum(x // 1 for x in data) + noise.laplace(1 / eps)


@leaks(WIDE)
def integer_noise_on_remainders(noise, data, *, eps):
    """not private: the fraction shows."""
    return sum(x % 1 for x in data) + noise.discrete_laplace(1 / eps)


@leaks(EIGHT)
def bits_that_overlap(noise, data, *, eps):
    """not private: 7 has three of the bits."""
    return [sum((r & bit) // bit for r in data) + noise.laplace(1 / eps) for bit in (1, 2, 4)]


@leaks(EIGHT)
def bits_that_are_not_scaled(noise, data, *, eps):
    """not private: the highest bit counts 4."""
    return sum(r & 4 for r in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def tests_that_are_added(noise, data, *, eps):
    """not private: the two tests with | between them hold for all records, and count twice."""
    return sum(2 * ((x > 0) | (x <= 0)) for x in data) + noise.laplace(1 / eps)
