"""Whole noise and answers in tenths: tests that are equal for real numbers, and different ones for doubles."""

from __future__ import annotations

from dpwitness import Answers, Exact, Interval, Records
from tests.deceptive.kit import SINGLE, TWO, holds, leaks

WHOLE, FOUR = Answers("all", 1, size=1, whole=True), Answers("all", 1, size=4, whole=True)


@leaks(WHOLE)
def three_tenths(noise, q, *, eps):
    """not private: three times 0.1 is above 0.3, so that the answer is shown where the noisy one is 3."""
    y = q[0] + noise.discrete_laplace(1 / eps)
    return q[0] if y * 0.1 > 0.3 and not y > 3 else 0


@leaks(WHOLE)
def tenths_and_a_number(noise, q, *, eps):
    """not private: 0.1 + 0.2 is above 0.3, so that the answer is shown where the noisy one is 1."""
    y = q[0] + noise.discrete_laplace(1 / eps)
    return q[0] if y * 0.1 + 0.2 > 0.3 and not y > 1 else 0


@leaks(WHOLE)
def hundredths(noise, q, *, eps):
    """not private: 57 times 0.01 is 0.5700000000000001."""
    y = q[0] + noise.discrete_laplace(1 / eps)
    if y * 0.01 > 0.57 and not y > 57:
        return q[0]
    return 0


@leaks(WHOLE)
def beside_other_noise(noise, q, *, eps):
    """not private: three tenths, beside a draw from a density that has no part in it."""
    other = noise.laplace(1)
    y = q[0] + noise.discrete_laplace(1 / eps)
    return q[0] if y * 0.1 > 0.3 and not y > 3 else other


@leaks(WHOLE)
def a_tenth_of_the_answer(noise, q, *, eps):
    """not private: 0.3 is below 0.1 + 0.2, so that the answer is shown where the noisy one is 3."""
    z = (q[0] + noise.discrete_laplace(1 / eps)) / 10
    return q[0] if z >= 0.3 and not z >= 0.1 + 0.2 else 0


@leaks(WHOLE)
def only_where_a_coin_says_so(noise, q, *, eps):
    """not private: three tenths, where a coin says so."""
    coin = noise.bernoulli(Exact(1, 2))
    y = q[0] + noise.discrete_laplace(1 / eps)
    return q[0] if coin and y * 0.1 > 0.3 and not y > 3 else 0


@leaks(SINGLE)
def answer_at_three_tenths(noise, q, *, eps):
    """not private: the answer 0.3 is told by a hundred, as 0.1 + 0.2 is above it."""
    z = noise.laplace(1 / eps)
    return 100 + z if q[0] >= 0.3 and not q[0] >= 0.1 + 0.2 else q[0] + z


@leaks(SINGLE)
def answer_that_is_moved(noise, q, *, eps):
    """not private: the answer 0.1 is told by a hundred, as 0.1 + 0.2 is above 0.3."""
    z = noise.laplace(1 / eps)
    return 100 + z if q[0] + 0.2 > 0.3 and not q[0] > 0.1 else q[0] + z


@leaks(SINGLE)
def answer_times_three(noise, q, *, eps):
    """not private: the answer 0.3 is told by a hundred, as three times 0.3 is below 0.9."""
    z = noise.laplace(1 / eps)
    return 100 + z if q[0] >= 0.3 and not q[0] * 3 >= 0.9 else q[0] + z


@holds(WHOLE)
def tenths_on_both_sides(noise, q, *, eps):
    """private: a tenth of a whole number is above a tenth of another where that one is larger."""
    y, t = q[0] + noise.discrete_laplace(1 / eps), noise.discrete_laplace(1 / eps)
    return q[0] if y * 0.1 > t * 0.1 and not y > t else 0


@holds(FOUR)
def threshold_of_tenths(noise, q, *, eps):
    """private: whole noise, and a threshold that is no whole number."""
    threshold = 0.3 + noise.discrete_laplace(2 / eps)
    for k in range(len(q)):
        if q[k] + noise.discrete_laplace(4 / eps) >= threshold:
            return k
    return -1


@leaks(TWO)
def sum_of_two_answers(noise, q, *, eps):
    """not private: for real numbers both tests are one; for doubles such as 0.249... and 0.0508... they are two."""
    if q[0] + q[1] >= 0.3 and not q[1] >= 0.3 - q[0]:
        return q[0]
    return q[0] + noise.laplace(1 / eps)


@leaks(Records(Interval(0, 1), 2))
def sum_of_two_records(noise, data, *, eps):
    """not private: for real numbers both tests are one; for doubles a record is shown where they differ."""
    if data[0] + data[1] >= 0.3 and not data[1] >= 0.3 - data[0]:
        return data[0]
    return sum(data) + noise.laplace(1 / eps)


@leaks(TWO)
def difference_of_two_answers(noise, q, *, eps):
    """not private: a difference and a sum that are one test for real numbers."""
    if q[0] - q[1] > 0.7 and not q[0] > 0.7 + q[1]:
        return q[1]
    return q[0] + noise.laplace(1 / eps)
