"""Branches, indices and selections that depend on the data; selections and coins that are used twice."""

from __future__ import annotations

from dpwitness import Answers, ApproxDP, Exact, Interval, PureDP, Records
from tests.deceptive.kit import holds, leaks

UNIT = Records(Interval(0, 1), 5, "add-remove")
FOUR, ONE = Answers("all", 1, size=4), Answers("one", 1, size=4)
BIT, UNARY = Records((0, 1), 1), Records(Interval(0, 1), 1)
TEXT, COUNTS = Records(("a", "b"), 1), Records((1, 2), 1)
SHAPES = Records(((0,), (0, 1)), 1)


@leaks(UNIT)
def branch_on_the_sum(noise, data, *, eps):
    """not private: which noise is drawn tells whether the sum is large."""
    if sum(data) > 2:
        return noise.laplace(1)
    return noise.laplace(2)


@leaks(UNIT)
def chained_comparison(noise, data, *, eps):
    """not private: a truth of the sum."""
    return 0 < sum(data) < 3


@leaks(UNIT)
def compared_with_a_release(noise, data, *, eps):
    """not private: the released number and whether the count lies above it."""
    t = sum(data) + noise.laplace(1 / eps)
    return t, len(data) > t


@leaks(UNIT)
def compared_often(noise, data, *, eps):
    """not private: twenty comparisons with noise of their own, each at the whole budget."""
    return [sum(data) + noise.laplace(1 / eps) > 2 for _ in range(20)]


@leaks(UNIT)
def searched_without_an_end(noise, data, *, eps):
    """not private: the number of turns is that of noisy comparisons which each cost."""
    k = 0
    while len(data) + noise.laplace(1 / eps) > k and k < 30:
        k += 1
    return k


@leaks(FOUR)
def any_short_circuit(noise, counts, *, eps):
    """not private: four noisy tests at the whole budget, and which was first."""
    for i, c in enumerate(counts):
        if c + noise.laplace(1 / eps) > 3:
            return i
    return -1


@leaks(FOUR)
def winner_and_its_noise(noise, counts, *, eps):
    """not private: the winner, and the noisy value by which it won."""
    noisy = [c + noise.laplace(2 / eps) for c in counts]
    return noise.argmax(noisy), noisy[0]


@leaks(FOUR)
def winner_and_the_draws(noise, counts, *, eps):
    """not private: the winner, and the draws by which it won."""
    draws = [noise.laplace(2 / eps) for _ in counts]
    return noise.argmax([c + z for c, z in zip(counts, draws, strict=True)]), draws


@leaks(FOUR)
def two_winners(noise, counts, *, eps):
    """not private: two selections, each at the whole budget."""
    first = noise.argmax([c + noise.laplace(2 / eps) for c in counts])
    return first, noise.argmax([c + noise.laplace(2 / eps) for c in counts])


@leaks(FOUR)
def winner_from_below(noise, counts, *, eps):
    """not private: one-sided noise that is subtracted."""
    return noise.argmax([c - noise.exponential(2 / eps) for c in counts])


@leaks(FOUR)
def one_draw_for_all_scores(noise, counts, *, eps):
    """not private: the same noise on all scores changes no order."""
    z = noise.laplace(2 / eps)
    return noise.argmax([c + z for c in counts])


@leaks(FOUR)
def different_scales(noise, counts, *, eps):
    """not private: the last score has hardly any noise."""
    scales = [2 / eps, 2 / eps, 2 / eps, 1 / (50 * eps)]
    return noise.argmax([3 * c + noise.laplace(s) for c, s in zip(counts, scales, strict=True)])


@leaks(FOUR)
def scores_doubled(noise, counts, *, eps):
    """not private: twice the score."""
    return noise.choice(log_weights=[eps * 2 * c for c in counts])


@leaks(Answers("all", 1, size=3, low=0, high=9))
def weights_of_counts(noise, counts, *, eps):
    """not private: the weights are the counts themselves."""
    return noise.choice(weights=[Exact(1, 100) + c for c in counts])


@leaks(FOUR)
def chosen_and_read(noise, counts, *, eps):
    """not private: the chosen answer in clear."""
    return counts[noise.choice(log_weights=[eps / 2 * c for c in counts])]


@leaks(FOUR)
def index_by_an_answer(noise, counts, *, eps):
    """not private: the first answer chooses an entry."""
    return [5, 7, 9][0 if counts[0] > 0 else 1]


@leaks(BIT)
def certain_coin(noise, data, *, eps):
    """not private: a coin of chance 0 or 1."""
    return noise.bernoulli(data[0])


@leaks(BIT)
def branch_on_a_bit(noise, data, *, eps):
    """not private: one or two draws."""
    if data[0] == 1:
        return noise.bernoulli(Exact(3, 5))
    return [noise.bernoulli(Exact(2, 5))]


@leaks(BIT)
def hidden_coin_shown_thrice(noise, data, *, eps):
    """not private: three reports from one hidden coin tell the coin."""
    b = noise.bernoulli(Exact(1, 100) + Exact(98, 100) * data[0])
    return [noise.bernoulli(Exact(1, 5) + Exact(3, 5) * b) for _ in range(3)]


@leaks(BIT)
def two_coins_of_one_bit(noise, data, *, eps):
    """not private: two coins at the whole budget."""
    return [noise.bernoulli(log_odds=(2 * data[0] - 1) * eps) for _ in range(2)]


@leaks(UNARY)
def coin_of_a_square(noise, data, *, eps):
    """not private: the chance reaches 1."""
    return noise.bernoulli(data[0] * data[0])


@leaks(BIT, claim=lambda eps: PureDP(Exact(1, 1000)))
def scale_of_a_bit(noise, data, *, eps):
    """not private: the scale is 1 or 2."""
    return noise.laplace(1 + data[0])


@leaks(BIT)
def entry_of_a_bit(noise, data, *, eps):
    """not private: the bit chooses an entry."""
    return [5, 7][data[0]]


@leaks(TEXT)
def text_of_a_record(noise, data, *, eps):
    """not private: the record is part of the output."""
    return data[0] + "x"


@leaks(COUNTS)
def as_many_draws(noise, data, *, eps):
    """not private: one or two draws."""
    return [noise.laplace(1 / eps) for _ in range(data[0])]


@leaks(SHAPES)
def length_of_a_record(noise, data, *, eps):
    """not private: the length of the record."""
    return len(data[0])


@leaks(Records((None, 0), 1))
def whether_it_is_none(noise, data, *, eps):
    """not private: None or not None."""
    return data[0] is None


@leaks(UNIT)
def absolute_difference_tripled(noise, data, *, eps):
    """not private: three times a difference that moves by 1."""
    return 3 * abs(2 * sum(data) - len(data)) + noise.laplace(1 / eps)


@leaks(ONE)
def largest_with_little_noise(noise, answers, *, eps):
    """not private: the largest answer moves by 1, the noise is that of 1/2."""
    return max(answers) + noise.laplace(1 / (2 * eps))


@leaks(UNIT)
def product_of_sums(noise, data, *, eps):
    """not private: a product of two private sums moves without bound."""
    return sum(data) * len(data) + noise.laplace(1 / eps)


@leaks(UNIT)
def power_of_the_count(noise, data, *, eps):
    """not private: 2 to the count."""
    return 2 ** len(data) + noise.laplace(1 / eps)


@leaks(UNIT)
def ratio_to_a_private_count(noise, data, *, eps):
    """not private: the mean of few records moves by 1."""
    return sum(data) / (len(data) + Exact(1, 100)) + noise.laplace(1 / (5 * eps))


@leaks(UNIT)
def crash_tells_the_count(noise, data, *, eps):
    """not private: the program fails at three records."""
    return noise.laplace(1) + 1 / (len(data) - 3)


@leaks(UNIT)
def lambda_shows_a_secret(noise, data, *, eps):
    """not private: a lambda keeps the sum and gives it back after a test."""
    secret = sum(data)
    show = lambda: secret  # noqa: E731
    n = len(data) + noise.laplace(1 / eps)
    if n > 3:
        return show()
    return 0


@leaks(UNIT)
def branches_of_unequal_cost(noise, data, *, eps):
    """not private: where the noisy count is large, two more sums are released at the whole budget."""
    n = len(data) + noise.laplace(2 / eps)
    if n > 1:
        return [sum(data) + noise.laplace(2 / eps) for _ in range(2)]
    return n


@leaks(UNIT)
def states_that_seem_equal(noise, data, *, eps):
    """not private: in one branch the list holds the sum in clear, and is shown later."""
    kept = [0]
    n = len(data) + noise.laplace(2 / eps)
    if n > 1:
        kept[0] = sum(data)
    else:
        kept[0] = 1
    return n, kept[0]


@leaks(UNIT)
def flag_of_a_branch(noise, data, *, eps):
    """not private: a flag set in a branch on the count in clear."""
    flag = 0
    if len(data) > 2:
        flag = 1
    return sum(data) + noise.laplace(1 / eps), flag


@leaks(UNIT)
def bound_chosen_twice_as_large(noise, data, *, eps):
    """not private: the bound is doubled after the scale was made."""
    bound = Exact(1, 4)
    n = len(data) + noise.laplace(2 / eps)
    if n > 1:
        bound = Exact(1, 2)
    scale = 2 * bound / eps
    bound = 2 * bound
    return sum(min(x, bound) for x in data) + noise.laplace(scale)


@leaks(UNIT, claim=lambda eps, delta: ApproxDP(eps, delta), typical={"eps": 1, "delta": "1/1000"})
def present_without_a_threshold(noise, data, *, eps, delta):
    """not private: a threshold of 1 is passed by half of all single counts."""
    return [noise.present(sum(k <= 4 * x < k + 1 for x in data), 1 / eps, 1) for k in range(4)]


@leaks(UNIT)
def present_said_to_be_pure(noise, data, *, eps):
    """not private: a large threshold still shows what an empty bin never shows."""
    return noise.present(len(data), 1 / eps, 50)


@holds(UNIT)
def cheaper_branch(noise, data, *, eps):
    """private: the costs of both branches are paid."""
    n = len(data) + noise.laplace(2 / eps)
    if n > 3:
        return sum(data) + noise.laplace(2 / eps)
    return n


@leaks(UNIT)
def names_of_one_list_in_a_branch(noise, data, *, eps):
    """not private: in one branch two names become names of one list, which then gets the sum."""
    a = [0]
    b = [0]
    n = len(data) + noise.laplace(1 / eps)
    if n > 1:
        b = a
    b[0] = sum(data)
    return n, a[0]


@leaks(UNIT)
def names_of_one_list_in_a_loop(noise, data, *, eps):
    """not private: in the first turn two names become names of one list, which then gets the sum."""
    a = [0]
    b = [0]
    w = 0
    for _ in range(20):
        w = w / 2 + noise.laplace(1)
        b = a
    b[0] = sum(data)
    return w, a[0]
