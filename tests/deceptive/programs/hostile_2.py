"""Single points of the data, short forms, signs of zero and losses that a small size hides."""

from __future__ import annotations

from typing import Any

from dpwitness import Answers, ApproxDP, Interval, PureDP, Records
from tests.deceptive.kit import F, holds, leaks

ONE = Answers("all", 1, size=1)
TWO = Answers("all", 1, size=2)
THREE, SIX = Answers("all", 1, size=3), Answers("all", 1, size=6)
WHOLE = Answers("all", 1, size=1, whole=True)


# a set of inputs without volume is not without meaning


@leaks(ONE)
def place_jumps_at_a_point(noise: Any, a: Any, *, eps: Any) -> Any:
    """not private: at exactly 5 the place jumps by 100"""
    x = a[0]
    if x >= 5 and x <= 5:
        x = x + 100
    return x + noise.laplace(1 / eps)


@leaks(ONE)
def certain_at_a_point(noise: Any, a: Any, *, eps: Any) -> Any:
    """not private: at exactly 5 the noisy test is not asked"""
    if a[0] >= 5 and a[0] <= 5:
        return 1
    return 1 if a[0] + noise.laplace(1 / eps) > 0 else 0


@leaks(ONE)
def threshold_at_a_point(noise: Any, a: Any, *, eps: Any) -> Any:
    """not private: at exactly 0 the threshold is 100"""
    t = 100 if a[0] >= 0 and a[0] <= 0 else 0
    return 1 if a[0] + noise.laplace(1 / eps) > t else 0


@leaks(TWO)
def ties_are_told(noise: Any, a: Any, *, eps: Any) -> Any:
    """not private: where both answers are equal the index is not noisy"""
    if a[0] >= a[1] and a[1] >= a[0]:
        return 0
    return noise.argmax([x + noise.laplace(2 / eps) for x in a])


@leaks(TWO)
def ties_shift_the_place(noise: Any, a: Any, *, eps: Any) -> Any:
    """not private: where both answers are equal the place is shifted by 50"""
    shift = 0
    if not a[0] > a[1] and not a[1] > a[0]:
        shift = 50
    return a[0] + shift + noise.laplace(1 / eps)


@leaks(Records(Interval(0, 1), 2))
def middle_of_the_interval(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: a record at exactly 1/2 adds 10"""
    s = sum(d)
    if 2 * d[1] >= 1 and 2 * d[1] <= 1:
        s = s + 10
    return s + noise.laplace(1 / eps)


@leaks(Records(Interval(0, 1), 2))
def edge_of_the_interval(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: a record at exactly 1 adds 10"""
    s = sum(d)
    if d[0] >= 1:
        s = s + 10
    return s + noise.laplace(1 / eps)


# what is equal and not the same


@leaks(ONE)
def zero_times_a_test(noise: Any, a: Any, *, eps: Any) -> Any:
    """not private: -0.0 or 0.0 tells the sign"""
    return (-1) * (a[0] > 0) * 0.0


@leaks(ONE)
def zero_beside_noise(noise: Any, a: Any, *, eps: Any) -> Any:
    """not private: -0.0 or 0.0 beside an honest release"""
    return [-0.0 if a[0] > 3 else 0.0, a[0] + noise.laplace(1 / eps)]


@leaks(Records((1, 1.0), 1))
def kind_of_a_product(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: three times 1 is an int, three times 1.0 a float"""
    return d[0] * 3


@holds(Records((10**20, 10**20 + 1), 1))
def lost_in_a_float(noise: Any, d: Any, *, eps: Any) -> Any:
    """private: as floats both records are the same"""
    return float(d[0]) - 1e20


@leaks(Records((2.5, 3.5), 1))
def rounded_to_even(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: 2.5 is rounded to 2 and 3.5 to 4"""
    return round(d[0]) + noise.laplace(1 / eps)


# losses that are small at three answers and large at six


def _flags(noise: Any, queries: Any, eps: Any) -> Any:
    t = noise.laplace(2 / eps)
    return [q + noise.laplace(4 / eps) >= t for q in queries]


@holds(THREE)
def three_flags(noise: Any, queries: Any, *, eps: Any) -> Any:
    """private: three tests of a quarter each"""
    return _flags(noise, queries, eps)


@leaks(SIX)
def six_flags(noise: Any, queries: Any, *, eps: Any) -> Any:
    """not private: six tests, of which half pass: 3/2"""
    return _flags(noise, queries, eps)


@leaks(SIX)
def two_may_pass(noise: Any, queries: Any, *, eps: Any) -> Any:
    """not private: a second answer may pass, with noise for one"""
    t = noise.laplace(2 / eps)
    seen = None
    for i, q in enumerate(queries):
        if q + noise.laplace(4 / eps) >= t:
            if seen is not None:
                return (seen, i)
            seen = i
    return seen


@leaks(SIX)
def threshold_is_told(noise: Any, queries: Any, *, eps: Any) -> Any:
    """not private: with the threshold known the tests cost a quarter each"""
    t = noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        if q + noise.laplace(4 / eps) >= t:
            return (i, t)
    return None


@leaks(SIX)
def late_answers_are_bare(noise: Any, queries: Any, *, eps: Any) -> Any:
    """not private: every third answer is compared without noise"""
    t = noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        if i % 3 == 2:
            if q >= 0:
                return "x"
        elif q + noise.laplace(4 / eps) >= t:
            return i
    return None


# guarantees, close to their limits


@leaks(ONE, claim=lambda eps: ApproxDP(1, F(126, 1000)))
def normal_too_little(noise: Any, a: Any, *, eps: Any) -> Any:
    """not private: delta is 0.12694"""
    return a[0] + noise.gaussian(1)


@leaks(ONE, claim=lambda eps: PureDP(eps), at=F(10))
def loss_of_higher_degree(noise: Any, a: Any, *, eps: Any) -> Any:
    """not private: the loss is (eps + eps²)/2"""
    return a[0] + noise.laplace(2 / (eps + eps * eps))


@leaks(WHOLE)
def parity_is_seen(noise: Any, a: Any, *, eps: Any) -> Any:
    """not private: half of an odd number is not whole"""
    return a[0] * 0.5 + noise.discrete_laplace(1 / eps)


@holds(Answers("all", F(3, 2), size=1, whole=True))
def whole_answers_move_by_one(noise: Any, a: Any, *, eps: Any) -> Any:
    """private: whole answers within 3/2 of each other differ by 1"""
    return a[0] + noise.discrete_laplace(1 / eps)


@holds(Answers("all", F(1, 2), size=1, whole=True))
def whole_answers_stay(noise: Any, a: Any, *, eps: Any) -> Any:
    """private: no two whole answers are neighbours"""
    return a[0] + noise.laplace(1 / (100 * eps))
