"""Whole answers and integer noise."""

from __future__ import annotations

from tests.deceptive.kit import INF, SINGLE, TWO, Answers, F, holds, leaks

COUNT = Answers("all", 1, size=1, whole=True)
COUNTS = Answers("all", 1, size=2, whole=True)
ONE_COUNT = Answers("one", 1, size=3, whole=True)
FEW = Answers("all", 1, size=1, values=(0, 1, 2, 3))


@holds(COUNT, 1)
def count_with_integer_noise(noise, q, *, eps):
    """private: the two-sided geometric mechanism."""
    return q[0] + noise.discrete_laplace(1 / eps)


@leaks(COUNT, 2)
def half_of_the_integer_noise(noise, q, *, eps):
    """not private: the loss is 2 eps."""
    return q[0] + noise.discrete_laplace(F(1, 2) / eps)


@leaks(SINGLE, INF)
def integer_noise_on_a_real_number(noise, q, *, eps):
    """not private: the fractional part has no noise."""
    return q[0] + noise.discrete_laplace(1 / eps)


@leaks(TWO, INF)
def integer_noise_on_the_second_number(noise, q, *, eps):
    """not private: the fractional part of the second answer has no noise."""
    return q[1] + noise.discrete_laplace(1 / eps)


@leaks(COUNT, 2)
def doubled_count(noise, q, *, eps):
    """not private: twice the count moves by 2."""
    return 2 * q[0] + noise.discrete_laplace(1 / eps)


@leaks(COUNT, INF)
def doubled_noise(noise, q, *, eps):
    """not private: even noise keeps the parity."""
    return q[0] + 2 * noise.discrete_laplace(1 / eps)


@leaks(COUNT, INF)
def half_of_a_count(noise, q, *, eps):
    """not private: halves and whole numbers are told apart under integer noise."""
    return q[0] / 2 + noise.discrete_laplace(1 / eps)


@holds(FEW, 1)
def half_of_a_count_rounded(noise, q, *, eps):
    """private: q // 2 moves by at most 1."""
    return q[0] // 2 + noise.discrete_laplace(1 / eps)


@leaks(FEW, INF)
def parity_of_a_count(noise, q, *, eps):
    """not private: the parity is released."""
    return q[0] % 2


@holds(FEW, 1)
def parity_by_a_coin(noise, q, *, eps):
    """private: randomised response on the parity."""
    odd = q[0] % 2 == 1
    return odd if noise.bernoulli(log_odds=eps) else not odd


@leaks(COUNTS, INF)
def one_integer_draw_for_both(noise, q, *, eps):
    """not private: the difference has no noise."""
    k = noise.discrete_laplace(1 / eps)
    return [q[0] + k, q[1] + k]


@holds(COUNTS, 1)
def budget_split_between_counts(noise, q, *, eps):
    """private: half of the budget for each count."""
    return [x + noise.discrete_laplace(2 / eps) for x in q]


@leaks(COUNTS, 2)
def budget_not_split_between_counts(noise, q, *, eps):
    """not private: the whole budget for each count."""
    return [x + noise.discrete_laplace(1 / eps) for x in q]


@leaks(COUNT, INF)
def one_sided_integer_noise(noise, q, *, eps):
    """not private: what is released is never below the count."""
    return q[0] + abs(noise.discrete_laplace(1 / eps))


@holds(COUNT)
def test_of_a_noisy_count(noise, q, *, eps):
    """private: a test of the noisy count."""
    return int(q[0] + noise.discrete_laplace(1 / eps) >= 3)


@holds(COUNT)
def clipped_noisy_count(noise, q, *, eps):
    """private: the noisy count is clipped."""
    return min(max(q[0] + noise.discrete_laplace(1 / eps), 0), 10)


@leaks(COUNT, INF)
def count_where_it_is_large(noise, q, *, eps):
    """not private: counts above 100 are released as they are."""
    return q[0] if q[0] > 100 else q[0] + noise.discrete_laplace(1 / eps)


@leaks(ONE_COUNT, 3)
def first_count_three_times(noise, q, *, eps):
    """not private: the first count is released three times."""
    return [q[0] + noise.discrete_laplace(1 / eps) for _ in q]


@holds(ONE_COUNT, 1)
def every_count_once(noise, q, *, eps):
    """private: one count moves by 1."""
    return [x + noise.discrete_laplace(1 / eps) for x in q]


@leaks(COUNT, INF)
def rounded_noise(noise, q, *, eps):
    """not private: noise rounded to a multiple of 2 keeps the parity."""
    return q[0] + 2 * round(noise.laplace(1 / eps))


@leaks(Answers("all", 2, size=1, whole=True), 2)
def counts_that_move_by_two(noise, q, *, eps):
    """not private: the count moves by 2 and the noise is that for 1."""
    return q[0] + noise.discrete_laplace(1 / eps)


@holds(Answers("all", F(3, 2), size=1, whole=True), 1)
def counts_that_cannot_move_by_halves(noise, q, *, eps):
    """private: whole answers that move by at most 3/2 move by 1."""
    return q[0] + noise.discrete_laplace(1 / eps)


@leaks(TWO, INF)
def twice_a_real_number(noise, q, *, eps):
    """not private: twice the answer moves by whole numbers and by others."""
    return 2 * q[1] + noise.discrete_laplace(1 / eps)


@leaks(TWO, INF)
def integer_noise_beside_real_noise(noise, q, *, eps):
    """not private: the first number is private, the second has integer noise on a real answer."""
    return [q[0] + noise.laplace(2 / eps), q[1] + noise.discrete_laplace(2 / eps)]


@holds(TWO, 1)
def integer_noise_alone_beside_real_noise(noise, q, *, eps):
    """private: the integer noise is added to nothing."""
    return [sum(q) / 2 + noise.laplace(1 / eps), noise.discrete_laplace(1 / eps)]
