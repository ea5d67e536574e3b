"""Selections: ties, truth values, NaN and infinities, and what is released beside the index."""

from __future__ import annotations

from tests.deceptive.kit import ALL, INF, ONE, SINGLE, TWO, UP, F, Records, holds, leaks

NAN, FAR = float("nan"), float("inf")


@leaks(TWO)
def comparison_as_a_candidate(noise, q, *, eps):
    """not private: a truth value of the data beats one half, or does not."""
    return noise.argmax([F(1, 2) + noise.laplace(1 / eps) / 10**6, q[0] < q[1]])


@leaks(TWO)
def largest_of_a_comparison(noise, q, *, eps):
    """not private: the largest of a small draw and a test of the data."""
    return noise.max([noise.laplace(F(1, 10**6) / eps), q[0] > q[1]]) > F(1, 2)


@leaks(TWO, INF)
def bare_argmax(noise, q, *, eps):
    """not private: no noise at all."""
    return noise.argmax(q)


@leaks(TWO, INF)
def bare_max_by_key(noise, q, *, eps):
    """not private: the place of the largest answer."""
    return max(range(2), key=lambda i: q[i])


@holds(ALL, 1)
def noisy_max(noise, q, *, eps):
    """private: report noisy max."""
    return noise.argmax([x + noise.laplace(2 / eps) for x in q])


@leaks(ALL)
def noisy_max_with_half_of_the_noise(noise, q, *, eps):
    """not private: answers that move against each other cost twice."""
    return noise.argmax([x + noise.laplace(1 / eps) for x in q])


@holds(UP, 1)
def noisy_max_of_answers_that_move_together(noise, q, *, eps):
    """private: all answers move the same way."""
    return noise.argmax([x + noise.laplace(1 / eps) for x in q])


@holds(ALL)
def noisy_max_of_votes(noise, q, *, eps):
    """private: every vote moves by at most 1."""
    return noise.argmax([(x > 0) + noise.laplace(2 / eps) for x in q])


@leaks(TWO, INF)
def the_answer_that_was_found(noise, q, *, eps):
    """not private: the selected answer is released as it is."""
    return q[noise.argmax([x + noise.laplace(2 / eps) for x in q])]


@holds(TWO)
def the_answer_that_was_found_with_noise(noise, q, *, eps):
    """private: half of the budget to select, half to release."""
    return q[noise.argmax([x + noise.laplace(4 / eps) for x in q])] + noise.laplace(2 / eps)


@holds(SINGLE, 0)
def not_a_number_first(noise, q, *, eps):
    """private: nothing is larger than NaN, so the first is always taken."""
    return noise.argmax([NAN, q[0]])


@holds(SINGLE, 0)
def not_a_number_last(noise, q, *, eps):
    """private: NaN is larger than nothing, so the first is always taken."""
    return noise.argmax([q[0], NAN])


@leaks(SINGLE, INF)
def not_a_number_in_the_middle(noise, q, *, eps):
    """not private: NaN is passed over, and the answer is compared with 0."""
    return noise.argmax([q[0], NAN, 0])


@holds(SINGLE, 0)
def infinity(noise, q, *, eps):
    """private: infinity is always larger."""
    return noise.argmax([q[0], FAR])


@leaks(SINGLE, INF)
def clipped_below(noise, q, *, eps):
    """not private: the larger of the answer and a noisy number is the answer, or tells that it is small."""
    return max(q[0], noise.laplace(1 / eps))


@leaks(TWO, INF)
def smaller_of_two(noise, q, *, eps):
    """not private: the first answer is released where it is the smaller."""
    return min(q[0], q[1] + noise.laplace(1 / eps))


@holds(ONE, 1)
def value_of_the_noisy_max(noise, q, *, eps):
    """private: one answer moves, and the value is made of noisy answers."""
    return noise.max([x + noise.laplace(1 / eps) for x in q])


@leaks(ALL)
def value_of_the_noisy_max_of_all(noise, q, *, eps):
    """not private: all answers move, and the value tells more than the place."""
    return noise.max([x + noise.laplace(1 / eps) for x in q])


@holds(SINGLE, 0)
def tie_with_itself(noise, q, *, eps):
    """private: of two equal values the first is taken."""
    return noise.argmax([q[0], q[0]])


@leaks(SINGLE, INF)
def tie_with_zero(noise, q, *, eps):
    """not private: zero wins the tie, and loses against anything positive."""
    return noise.argmax([0, q[0]])


@leaks(Records((0, 1), 2), INF)
def tie_between_records(noise, d, *, eps):
    """not private: the place of the first 1."""
    return noise.argmax(d)


@holds(Records((0, 1), 2), 0)
def false_and_zero_tie(noise, d, *, eps):
    """private: False and 0 tie, and the first is taken."""
    return noise.argmax([False, 0 * d[0]])


@leaks(Records((0, 1), 2), INF)
def type_of_the_largest(noise, d, *, eps):
    """not private: of 1 and True the first is taken, with its type."""
    return noise.max([d[0], True])


@leaks(ALL)
def exponential_noise_that_is_too_small(noise, q, *, eps):
    """not private: exponential noise of half the size."""
    return noise.argmax([x + noise.exponential(1 / eps) for x in q])


@holds(ALL, 1)
def exponential_noise(noise, q, *, eps):
    """private: report noisy max with exponential noise of scale 2/eps."""
    return noise.argmax([x + noise.exponential(2 / eps) for x in q])
