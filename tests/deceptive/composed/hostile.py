"""Python's own means: scopes, evaluation late or twice, names of one list, ties, types; and words of noise misused."""

from __future__ import annotations

from fractions import Fraction

from dpwitness import ZCDP, Answers, ApproxDP, Box, Exact, GaussianDP, Interval, PureDP, Records, mechanism
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


@holds(BIT, typical={"eps": 1})
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


@leaks(FOUR)
def range_of_answers(noise, data, *, eps):
    """not private: the difference of the largest and the smallest moves by 2."""
    return max(data) - min(data) + noise.laplace(1 / eps)


@leaks(FOUR)
def sorted_answers(noise, data, *, eps):
    """not private: the order of the answers in clear."""
    order = sorted(range(4), key=lambda k: data[k])
    return order[0]


@leaks(FOUR)
def index_of_the_largest(noise, data, *, eps):
    """not private: ties and all, the index of the largest answer without noise."""
    best = max(data)
    return [data[k] == best for k in range(4)]


@leaks(FOUR)
def winner_of_one_noise(noise, data, *, eps):
    """not private: the same draw in every entry is no noise."""
    z = noise.laplace(2 / eps)
    return noise.argmax([q + z for q in data])


@leaks(FOUR)
def winner_of_shared_noise(noise, data, *, eps):
    """not private: two entries share a draw, so that their order is shown."""
    z = [noise.laplace(2 / eps), noise.laplace(2 / eps)]
    return noise.argmax([data[0] + z[0], data[1] + z[0], data[2] + z[1], data[3] + z[1]])


@leaks(FOUR)
def winner_by_scaled_noise(noise, data, *, eps):
    """not private: the entries are three times the answers."""
    return noise.argmax([3 * q + noise.exponential(2 / eps) for q in data])


@leaks(FOUR)
def choice_of_scores_and_noise(noise, data, *, eps):
    """not private: scores of twice the weight, chosen among twice."""
    one = noise.choice(log_weights=[eps * q / 2 for q in data])
    two = noise.choice(log_weights=[eps * q / 2 for q in data])
    return one, two


@leaks(UP, typical={"eps": 1})
def both_ways_of_up(noise, data, *, eps):
    """not private: answers that rise together, and their sum rises by 3."""
    return sum(data) + noise.laplace(1 / eps)


@leaks(UNIT)
def names_by_a_low_threshold(noise, data, *, eps):
    """not private: no ε alone holds for a present count."""
    return noise.present(len(data), 1 / eps, 40)


@leaks(ADDED, claim=lambda: ApproxDP(1, Exact(1, 1000)), typical={})
def present_of_twice_the_count(noise, data):
    """not private: a count that moves by 2."""
    return noise.present(2 * len(data), 1, 20)


@leaks(PLANE)
def norm_one_for_two(noise, data, *, eps):
    """not private: an ℓ2 norm of 1 allows an ℓ1 move of √2."""
    g = [noise.clip([r[0], r[1]], 1) for r in data]
    return [sum(v[k] for v in g) + noise.laplace(1 / eps) for k in range(2)]


@leaks(PLANE, claim=lambda: GaussianDP(1), typical={})
def clipped_and_doubled(noise, data):
    """not private: the clipped vector is doubled before it is summed."""
    g = [[2 * x for x in noise.clip([r[0], r[1]], 1)] for r in data]
    return [sum(v[k] for v in g) + noise.gaussian(1) for k in range(2)]


@leaks(PLANE, claim=lambda: GaussianDP(1), typical={})
def clipped_apart(noise, data):
    """not private: each coordinate is clipped alone, to 1."""
    g = [[noise.clip([r[0]], 1)[0], noise.clip([r[1]], 1)[0]] for r in data]
    return [sum(v[k] for v in g) + noise.gaussian(1) for k in range(2)]


@leaks(WIDE, claim=lambda: GaussianDP(1), typical={})
def clipped_by_the_largest(noise, data):
    """not private: a norm that is the largest coordinate is not offered, and 3 is not 1."""
    return sum(max(r[0], r[1]) for r in data) + noise.gaussian(1)


@leaks(PLANE, claim=lambda: GaussianDP(1), typical={})
def same_coordinate_twice(noise, data):
    """not private: both releases are of the first coordinate."""
    g = [noise.clip([r[0], r[1]], 1) for r in data]
    return [sum(v[0] for v in g) + noise.gaussian(1) for _ in range(2)]


@leaks(SWAP, claim=lambda: ZCDP(Exact(1, 2)), typical={})
def replaced_as_if_added(noise, data):
    """not private: a replaced record moves a sum of numbers from −1 to 1 by 2."""
    return sum(2 * r - 1 for r in data) + noise.gaussian(1)


@mechanism(data=Answers("one", 1, size=3), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def first_wins(noise, data, *, eps):
    """The index of the largest noisy answer, where one answer moves."""
    return noise.argmax([q + noise.laplace(2 / eps) for q in data])


@mechanism(data=Answers("all", 1, size=3, whole=True), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def whole_ones(noise, data, *, eps):
    """Integer noise on whole answers."""
    return data[0] + noise.discrete_laplace(1 / eps)


@leaks(FOUR)
def run_where_all_move(noise, data, *, eps):
    """not private: the mechanism is proved where one answer moves, and here all do."""
    return noise.run(first_wins, [2 * q for q in data[:3]], eps=eps)


@leaks(UNIT)
def run_on_what_is_not_whole(noise, data, *, eps):
    """not private: integer noise on a sum shows its fraction."""
    return noise.run(whole_ones, [sum(data), 0, 0], eps=eps)


@leaks(ONE)
def run_three_times(noise, data, *, eps):
    """not private: three runs, each at half of the budget."""
    return [noise.run(first_wins, [data[0], data[k], 0], eps=eps) for k in (1, 2, 3)]


@leaks(ONE)
def run_on_its_own_input(noise, data, *, eps):
    """not private: an input that holds all answers three times over."""
    return noise.run(first_wins, [sum(data) * 3, 0, 0], eps=eps)


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
