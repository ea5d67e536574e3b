"""Chained comparisons, truth values in arithmetic, and/or/not."""

from __future__ import annotations

from tests.deceptive.kit import INF, ONE, SINGLE, TWO, F, holds, leaks


@leaks(SINGLE, INF)
def between(noise, q, *, eps):
    """not private: it tells whether the answer lies in [0, 1)."""
    return 0 <= q[0] < 1


@holds(SINGLE)
def noisy_between(noise, q, *, eps):
    """private: the noisy number is compared, and nothing else is seen."""
    return 0 <= q[0] + noise.laplace(1 / eps) < 1


@leaks(SINGLE)
def two_fresh_draws_between(noise, q, *, eps):
    """not private: a chain with a fresh draw on each side asks twice, for 2 eps."""
    return [q[0] + noise.laplace(1 / eps) >= 0, q[0] + noise.laplace(1 / eps) < 0]


@holds(ONE)
def noisy_votes(noise, q, *, eps):
    """private: a count of noisy tests is made of noisy numbers."""
    return sum(x + noise.laplace(1 / eps) > 0 for x in q)


@holds(ONE, 1)
def votes_and_noise(noise, q, *, eps):
    """private: one answer moves the count by at most 1."""
    return sum(x > 0 for x in q) + noise.laplace(1 / eps)


@leaks(TWO, 2)
def votes_of_all(noise, q, *, eps):
    """not private: two answers move the count by 2."""
    return sum(x > 0 for x in q) + noise.laplace(1 / eps)


@leaks(SINGLE, INF)
def scale_by_a_truth_value(noise, q, *, eps):
    """not private: the size of the noise tells whether the answer is positive."""
    return noise.laplace((1 + (q[0] > 0)) / eps)


@leaks(SINGLE, INF)
def negated(noise, q, *, eps):
    """not private: not of a test of the data."""
    return not q[0] > 0


@leaks(SINGLE, INF)
def either(noise, q, *, eps):
    """not private: `or` gives the test where it is true, and a number where it is not."""
    return q[0] > 0 or noise.laplace(1 / eps)


@leaks(SINGLE, INF)
def both(noise, q, *, eps):
    """not private: `and` gives False where the answer is at most 5."""
    return q[0] > 5 and 1


@leaks(SINGLE, INF)
def word_by_a_test(noise, q, *, eps):
    """not private: a truth value as an index."""
    return ["low", "high"][q[0] > 0]


@holds(SINGLE)
def word_by_a_noisy_test(noise, q, *, eps):
    """private: a noisy truth value as an index."""
    return ["low", "high"][q[0] + noise.laplace(1 / eps) > 0]


@leaks(TWO, INF)
def one_draw_for_both(noise, q, *, eps):
    """not private: with one draw the two tests tell which answer is larger."""
    t = noise.laplace(1 / eps)
    return [q[0] + t > 0, q[1] + t > 0]


@leaks(TWO, INF)
def one_draw_released_twice(noise, q, *, eps):
    """not private: the difference of the two numbers has no noise."""
    t = noise.laplace(1 / eps)
    return [q[0] + t, q[1] + t]


@holds(SINGLE, 0)
def equal_to_itself(noise, q, *, eps):
    """private: the answer equals itself, so 0 is always released."""
    return 0 if q[0] == q[0] else q[0]


@leaks(SINGLE, INF)
def product_of_truth_values(noise, q, *, eps):
    """not private: the product is 1 exactly between 0 and 2."""
    return (q[0] > 0) * (q[0] < 2) + 0


@holds(SINGLE)
def half_the_budget_for_each_test(noise, q, *, eps):
    """private: two tests at eps/2 each."""
    first, second = (q[0] + noise.laplace(2 / eps) > t for t in (0, 1))
    return int(first) + int(second)


@leaks(TWO, INF)
def noise_only_if_true(noise, q, *, eps):
    """not private: where the first answer is larger the noise is multiplied by False."""
    return q[0] + noise.laplace(1 / eps) * (q[0] <= q[1])


@leaks(SINGLE, 2)
def true_plus_true(noise, q, *, eps):
    """not private: True + True answers are released, with the noise of one."""
    return q[0] * (True + True) + noise.laplace(1 / eps)


@holds(SINGLE, 1)
def true_times_true(noise, q, *, eps):
    """private: True * True is 1."""
    return q[0] * (True * True) + noise.laplace(F(True) / eps)


@leaks(TWO, INF)
def which_is_larger_in_a_tuple(noise, q, *, eps):
    """not private: tuples are compared by their first entries."""
    return (q[0], 0) < (q[1], 1)


@leaks(SINGLE, 5000)
def conditional_inside_a_sum(noise, q, *, eps):
    """not private: 5 is added where the answer is positive, and the noise is far smaller than 5."""
    return (5 if q[0] > 0 else 0) + noise.laplace(F(1, 1000) / eps)
