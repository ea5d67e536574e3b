"""Numbers that Python loses beside much larger ones, which cancel: draws, records and constants far away."""

from __future__ import annotations

from fractions import Fraction as F

from dpwitness import Answers, Interval, Records, exp
from tests.deceptive.kit import holds, leaks

UNIT, HUGE = Records(Interval(0, 1), 1), Records(Interval(0, 2**53), 1)
QUARTER, PAIR = Answers("all", F(1, 4), size=1), Answers("all", F(1, 4), size=2)
BOUNDED = Answers("all", F(1, 4), size=1, low=0, high=2**53)
ROUND = 6755399441055744  # 3/2 of 2^52: beside it a double is rounded to a whole number
FAR = 10**12
LARGE = 10**16


def rest(x, far):
    """0 for real numbers, and what Python loses of x beside a larger number."""
    return (x + far) - far - x


@leaks(UNIT)
def ends_far_away(noise, data, *, eps):
    """not private: the ends move by a half of the width, which is little beside 10^12."""
    moved = rest(data[0], ROUND)
    return noise.uniform(FAR + moved, FAR + 1 + moved)


@leaks(UNIT)
def ends_that_move_a_little(noise, data, *, eps):
    """not private: the ends move by a thousandth of the width."""
    moved = rest(data[0], 3 * 2**41)
    return noise.uniform(FAR + moved, FAR + 1 + moved)


@leaks(UNIT)
def ends_beside_a_draw(noise, data, *, eps):
    """not private: a draw is what swallows the record."""
    moved = rest(data[0], noise.uniform(2**52, 2**53))
    return noise.uniform(FAR + moved, FAR + 1 + moved)


@leaks(UNIT)
def report_beside_a_draw(noise, data, *, eps):
    """not private: the report moves by up to a half of its width."""
    return rest(data[0], noise.uniform(0, 2**54)) + noise.uniform()


@leaks(HUGE)
def report_beside_the_record(noise, data, *, eps):
    """not private: a quarter is lost beside large records, and stays beside small ones."""
    return (data[0] + F(1, 4)) - data[0] - F(1, 4) + noise.uniform()


@leaks(BOUNDED)
def answer_beside_itself(noise, q, *, eps):
    """not private: the same for an answer."""
    return 16 * ((q[0] + F(1, 4)) - q[0] - F(1, 4)) + noise.laplace(1 / (4 * eps))


@leaks(QUARTER)
def answer_beside_noise(noise, q, *, eps):
    """not private: most draws are multiples of 2, so that the answer is rounded to one."""
    far = noise.laplace(LARGE)
    return (q[0] + far) - far + noise.laplace(1 / (4 * eps))


@leaks(QUARTER)
def answer_beside_noise_of_the_budget(noise, q, *, eps):
    """not private: the same with a scale that follows ε, and the draw is shown."""
    far = noise.laplace(LARGE / eps)
    return [far, (q[0] + far) - far + noise.laplace(1 / (4 * eps))]


@leaks(QUARTER)
def answer_beside_one_sided_noise(noise, q, *, eps):
    """not private: the same with exponential noise."""
    far = noise.exponential(LARGE / eps)
    return (q[0] + far) - far + noise.laplace(1 / (4 * eps))


@leaks(QUARTER, at=F(1, 50))
def scale_that_grows_fast(noise, q, *, eps):
    """not private: at ε = 1/50 the draw has a scale of 10^20."""
    far = noise.laplace(1 / (eps * eps * eps * eps * eps * eps * eps * eps * eps * eps * eps * eps))
    return (q[0] + far) - far + noise.laplace(1 / (4 * eps))


@leaks(QUARTER)
def tail_that_is_heavy(noise, q, *, eps):
    """not private: a draw of this law is far beyond 10^16 with a probability of a half."""
    far = noise.student_t(F(1, 100))
    return (q[0] + far) - far + noise.laplace(1 / (4 * eps))


@leaks(PAIR)
def difference_beside_noise(noise, q, *, eps):
    """not private: both answers are rounded before they are compared."""
    far = noise.laplace(LARGE / eps)
    return (far + q[0]) - (far + q[1]) + noise.laplace(1 / (2 * eps))


@holds(PAIR)
def difference_beside_moderate_noise(noise, q, *, eps):
    """private: the noise that cancels is as large as the noise that stays."""
    both = noise.laplace(1 / eps)
    return (both + q[0]) - (both + q[1]) + noise.laplace(1 / (2 * eps))


@holds(UNIT)
def ends_far_away_that_stay(noise, data, *, eps):
    """private: nothing moves."""
    return noise.uniform(FAR, FAR + 1)


@leaks(Answers("all", F(1, 2**43), size=1))
def moves_that_are_minute(noise, q, *, eps):
    """not private: answers move by 2^-43, and are rounded to multiples of 2^-41."""
    return (q[0] + 3 * 2**10) - 3 * 2**10 + noise.laplace(F(1, 2**43) / eps)


@leaks(QUARTER, at=F(37))
def power_that_swallows(noise, q, *, eps):
    """not private: e^37 is more than 10^16."""
    return (q[0] + exp(eps)) - exp(eps) + noise.laplace(1 / (4 * eps))
