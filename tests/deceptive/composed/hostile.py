"""Python's own means: scopes, evaluation late or twice, names of one list, ties, types; and coins of many records."""

from __future__ import annotations

from fractions import Fraction

from dpwitness import Answers, Box, Interval, PureDP, Records
from tests.deceptive.kit import holds, leaks

UNIT, SWAP = Records(Interval(0, 1), 5, "add-remove"), Records(Interval(0, 1), 5)
BITS, BIT = Records((0, 1), 2), Records((0, 1), 1)
ADDED = Records((0, 1), (0, 4), "add-remove")
MIXED = Records((0, False, 1, True), 3, "add-remove")
PLANE = Records(Box((-1, 1), (-1, 1)), 4, "add-remove")
WIDE = Records(Box((0, 3), (0, 1)), 4, "add-remove")
FOUR, ONE = Answers("all", 1, size=4), Answers("one", 1, size=4)
UP = Answers("up", 1, size=3)


@leaks(BITS)
def coin_of_two_records(noise, data, *, eps):
    """not private: a chance of 1/2, 3/4 or 1; with two ones the coin is certain."""
    return noise.bernoulli(Fraction(1, 2) + sum(data) / 4)


@leaks(Records((0, 1), (1, 2)))
def coin_of_a_count(noise, data, *, eps):
    """not private: of one record the chance is 1/2 or 3/4, of two it can be 1."""
    return noise.bernoulli((2 + data.count(1)) / 4)


@leaks(Records((0, 1), 3))
def coin_in_a_coin(noise, data, *, eps):
    """not private: the inner coin has a chance from 1/2 to 1, the outer one that of the inner."""
    inner = noise.bernoulli((3 + data.count(1)) / 6)
    return noise.bernoulli(Fraction(1, 100) + Fraction(98, 100) * inner)


@leaks(SWAP)
def coin_of_many_reals(noise, data, *, eps):
    """not private: records of an interval move a chance up to 1."""
    return noise.bernoulli(Fraction(1, 2) + sum(min(x, 1) for x in data) / 10)


@holds(BIT, claim=lambda eps: PureDP(1))
def coin_of_one_record(noise, data, *, eps):
    """private: one record, and a chance of 1/2 or 3/4."""
    return noise.bernoulli(Fraction(1, 2) + sum(data) / 4)


@leaks(UNIT)
def late_lambda(noise, data, *, eps):
    """not private: the lambda takes the factor that is set later."""
    w = 1
    f = lambda r: r * w  # noqa: E731
    w = 5
    return sum(f(r) for r in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def shadowed_target(noise, data, *, eps):
    """not private: the target of a comprehension is a name of its own, and the factor outside is 7."""
    k = 7
    _ = [k for k in range(3)]  # noqa: C416
    return sum(k * r for r in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def loop_target_stays(noise, data, *, eps):
    """not private: the target of a loop is 4 afterwards."""
    k = 1
    for k in range(5):  # noqa: B007
        pass
    return sum(k * r for r in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def rows_are_one_list(noise, data, *, eps):
    """not private: [[0]] * 3 is one list three times."""
    rows = [[0]] * 3
    rows[0][0] = 5
    w = rows[2][0]
    return sum(w * r for r in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def extended_in_place(noise, data, *, eps):
    """not private: += makes the other name's list longer as well."""
    a = [1]
    b = a
    b += [9]
    w = a[-1]
    return sum(w * r for r in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def slice_is_a_copy(noise, data, *, eps):
    """not private: a slice is another list, and the first keeps 9."""
    a = [9, 9]
    b = a[:]
    b[0] = 1
    w = a[0]
    return sum(w * r for r in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def for_else_runs(noise, data, *, eps):
    """not private: no turn breaks, so that else sets the factor."""
    w = 1
    for k in range(3):
        if k > 5:
            break
    else:
        w = 8
    return sum(w * r for r in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def while_with_continue(noise, data, *, eps):
    """not private: the loop has seven releases at the whole budget each."""
    k, out = 0, []
    while k < 7:
        k += 1
        if k % 2:
            out.append(sum(data) + noise.laplace(1 / eps))
            continue
        out.append(0)
    return out


@leaks(UNIT)
def number_of_releases_is_released(noise, data, *, eps):
    """not private: as many releases at the whole budget as the first one says."""
    n = sum(data) + noise.laplace(2 / eps)
    out = []
    for _ in range(6):
        if n > 0:
            out.append(sum(data) + noise.laplace(2 / eps))
    return n, out


@leaks(MIXED)
def equal_records_of_two_types(noise, data, *, eps):
    """not private: 1 and True are equal, and a record of 1 or True counts in both counts."""
    return data.count(1) + noise.laplace(1 / eps), data.count(True) + noise.laplace(1 / eps)


@leaks(MIXED)
def sums_of_bools(noise, data, *, eps):
    """not private: True counts as 1, twice."""
    return sum(data) + sum(r == True for r in data) + noise.laplace(1 / eps)  # noqa: E712


@leaks(ADDED)
def set_of_the_data(noise, data, *, eps):
    """not private: how many different values there are."""
    return len(set(data)) + noise.laplace(5 / eps), len(set(data))


@leaks(ADDED)
def text_of_the_sum(noise, data, *, eps):
    """not private: a text that holds the sum."""
    return f"{sum(data)}", sum(data) + noise.laplace(1 / eps)


@leaks(ADDED)
def key_of_a_dict(noise, data, *, eps):
    """not private: a key that is the sum."""
    return {sum(data): noise.laplace(1 / eps)}


@leaks(ADDED)
def caught_failure(noise, data, *, eps):
    """not private: whether there are records is seen by an error that is caught."""
    try:
        first = data[0]
    except IndexError:
        first = -1
    return first


@leaks(ADDED)
def at_the_end_in_any_case(noise, data, *, eps):
    """not private: finally returns the sum in clear."""
    try:
        return sum(data) + noise.laplace(1 / eps)
    finally:
        return sum(data)  # noqa: B012, SIM107


@leaks(ADDED)
def walrus_keeps_a_record(noise, data, *, eps):
    """not private: the last record is kept by :=."""
    last = 0
    total = sum((last := r) for r in data)
    return total + noise.laplace(1 / eps), last


@leaks(ADDED)
def first_and_rest(noise, data, *, eps):
    """not private: the first record by unpacking."""
    first, *rest = [*data, 0]
    return first, sum(rest) + noise.laplace(1 / eps)


@leaks(ADDED)
def deleted_name(noise, data, *, eps):
    """not private: after del of the local name nothing is left, and the sum is shown before."""
    total = sum(data)
    shown = [total]
    del total
    return shown


@leaks(UNIT)
def inner_sum_in_each_row(noise, data, *, eps):
    """not private: for every record the number of records."""
    return sum(len(data) for r in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def nested_comprehension(noise, data, *, eps):
    """not private: every record counts three times."""
    return sum([sum([r for _ in range(3)]) for r in data]) + noise.laplace(1 / eps)


@leaks(UNIT)
def one_sum_counted_in_two(noise, data, *, eps):
    """not private: the largest of two sums, and the two sums, at the whole budget."""
    a, b = sum(data), sum(1 - r for r in data)
    return max(a, b) + noise.laplace(2 / eps), a + noise.laplace(2 / eps), b + noise.laplace(2 / eps)


@leaks(UNIT)
def released_and_taken_back(noise, data, *, eps):
    """not private: the noise of the first release is taken back by what was computed from it."""
    a = sum(data) + noise.laplace(2 / eps)
    b = 2 * a
    return a, b - a - sum(data)


@leaks(UNIT)
def scale_changed_after_the_draw(noise, data, *, eps):
    """not private: the sum is multiplied after its noise was made, by a list entry that is 4."""
    w = [1]
    z = noise.laplace(1 / eps)
    w[0] = 4
    return w[0] * sum(data) + z


@leaks(UNIT)
def helper_changes_the_factor(noise, data, *, eps):
    """not private: a helper sets the factor to 6."""
    w = [1]
    set_to_six(w)
    return sum(w[0] * r for r in data) + noise.laplace(1 / eps)


def set_to_six(w):
    """Change a caller's list."""
    w[0] = 6


@leaks(UNIT)
def divided_by_what_may_be_small(noise, data, *, eps):
    """not private: a released number above 0 may be as small as it likes."""
    n = len(data) + noise.laplace(2 / eps)
    if n <= 0:
        return 0
    return n, sum(r / n for r in data) + noise.laplace(2 / eps)


@leaks(UNIT)
def clipped_at_a_released_level(noise, data, *, eps):
    """not private: clipped at a level, with noise for half of it."""
    level = max(len(data) + noise.laplace(2 / eps), 1)
    return level, sum(min(level * r, level) for r in data) + noise.laplace(level / eps)


@leaks(UNIT)
def chained_comparison(noise, data, *, eps):
    """not private: records between the ends count 3."""
    return sum(3 if 0 < r <= 1 else 0 for r in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def or_gives_a_number(noise, data, *, eps):
    """not private: `r or 5` is 5 where the record is 0."""
    return sum((r or 5) for r in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def and_gives_a_number(noise, data, *, eps):
    """not private: `r and 5` is 5 where the record is not 0."""
    return sum((r and 5) for r in data) + noise.laplace(1 / eps)
