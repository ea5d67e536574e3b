"""Modulo, floor division, powers and products of counters."""

from __future__ import annotations

from tests.deceptive.kit import ALL, FIVE, INF, ONE, SINGLE, Answers, F, holds, leaks


@leaks(FIVE, 2)
def half_of_the_noise_on_odd_places(noise, q, *, eps):
    """not private: answers at odd places get half of the noise."""
    return [x + noise.laplace((1 if i % 2 == 0 else F(1, 2)) / eps) for i, x in enumerate(q)]


@holds(FIVE, 1)
def twice_the_noise_on_odd_places(noise, q, *, eps):
    """private: every answer has noise enough of its own."""
    return [x + noise.laplace((1 if i % 2 == 0 else 2) / eps) for i, x in enumerate(q)]


@holds(ALL, 1)
def the_middle_answer(noise, q, *, eps):
    """private: one answer, chosen by the number of answers."""
    return q[len(q) // 2] + noise.laplace(1 / eps)


@leaks(Answers("all", 1, size=4), 2)
def sum_of_every_other(noise, q, *, eps):
    """not private: two answers of four move the sum by 2."""
    return sum(q[::2]) + noise.laplace(1 / eps)


@leaks(FIVE, INF)
def every_third_in_the_clear(noise, q, *, eps):
    """not private: the third answer has no noise."""
    out = []
    for i, x in enumerate(q):
        out.append(x if i % 3 == 2 else x + noise.laplace(1 / eps))
    return out


@leaks(FIVE, 10)
def modulo_of_a_negative_number(noise, q, *, eps):
    """not private: (-2) % 3 is 1 in Python, so the answer at place 2 has a tenth of the noise."""
    return [x + noise.laplace((F(1, 10) if (-i) % 3 == 1 else 1) / eps) for i, x in enumerate(q)]


@leaks(FIVE, INF)
def floor_of_a_negative_number(noise, q, *, eps):
    """not private: (-3) // 2 is -2 in Python, so the first answer has no noise."""
    return [x if (i - 3) // 2 == -2 else x + noise.laplace(1 / eps) for i, x in enumerate(q)]


@leaks(FIVE, 3)
def noise_by_the_quotient(noise, q, *, eps):
    """not private: the last answer has a third of the noise."""
    out = []
    for i, x in enumerate(q):
        times, _ = divmod(i, 2)
        out.append(x + noise.laplace(1 / (eps * (1 + times))))
    return out


@leaks(FIVE, 16)
def budget_that_doubles(noise, q, *, eps):
    """not private: the fifth answer is released with 16 eps."""
    weight, out = 1, []
    for x in q:
        out.append(x + noise.laplace(1 / (eps * weight)))
        weight = weight * 2
    return out


@holds(FIVE, 1)
def noise_that_doubles(noise, q, *, eps):
    """private: one answer moves, and each has at least Lap(1/eps)."""
    weight, out = 1, []
    for x in q:
        out.append(x + noise.laplace(weight / eps))
        weight = weight * 2
    return out


@holds(ALL)
def halves_of_the_budget(noise, q, *, eps):
    """private: eps/2 + eps/4 + eps/8 is below eps."""
    return [x + noise.laplace(2 ** (i + 1) / eps) for i, x in enumerate(q)]


@leaks(ALL, 3)
def budget_for_half_of_the_answers(noise, q, *, eps):
    """not private: 3 // 2 is 1, so three answers get the noise of one."""
    return [x + noise.laplace((len(q) // 2) / eps) for x in q]


@holds(ALL, 1)
def budget_for_all_answers(noise, q, *, eps):
    """private: the budget is split between all answers."""
    return [x + noise.laplace(len(q) / eps) for x in q]


@holds(SINGLE, 1)
def absolute_value(noise, q, *, eps):
    """private: the absolute value moves no further than the answer."""
    return abs(q[0]) + noise.laplace(1 / eps)


@holds(SINGLE, 1)
def rounded_down(noise, q, *, eps):
    """private: an answer that moves by at most 1 moves its floor by at most 1."""
    return q[0] // 1 + noise.laplace(1 / eps)


@leaks(SINGLE, INF)
def fractional_part(noise, q, *, eps):
    """not private: the fractional part of the answer is released without noise."""
    return [q[0] % 1, q[0] + noise.laplace(1 / eps)]


@leaks(SINGLE, 9)
def the_cube_of_three_is_not_nine(noise, q, *, eps):
    """not private: 3 ** 2 is nine times too little noise."""
    return q[0] * 3 + noise.laplace(F(1, 3) / eps)


@leaks(ONE, 2)
def counted_twice_at_the_end(noise, q, *, eps):
    """not private: the last answer is counted twice."""
    return sum(q) + q[-1] + noise.laplace(1 / eps)


@holds(ONE, 1)
def weights_that_cancel(noise, q, *, eps):
    """private: the weights of the first answer are 3 - 2."""
    return 3 * q[0] + q[1] - 2 * q[0] + noise.laplace(1 / eps)
