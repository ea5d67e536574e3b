"""Words of noise, misused: selections, thresholds, clipped vectors, mechanisms that are run."""

from __future__ import annotations

from dpwitness import ZCDP, Answers, ApproxDP, Box, Exact, GaussianDP, Interval, PureDP, Records, mechanism
from tests.deceptive.kit import leaks

UNIT, SWAP = Records(Interval(0, 1), 5, "add-remove"), Records(Interval(0, 1), 5)
BITS, BIT = Records((0, 1), 2), Records((0, 1), 1)
ADDED = Records((0, 1), (0, 4), "add-remove")
MIXED = Records((0, False, 1, True), 3, "add-remove")
PLANE = Records(Box((-1, 1), (-1, 1)), 4, "add-remove")
WIDE = Records(Box((0, 3), (0, 1)), 4, "add-remove")
FOUR, ONE = Answers("all", 1, size=4), Answers("one", 1, size=4)
UP = Answers("up", 1, size=3)


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
