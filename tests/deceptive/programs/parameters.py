"""Claims that are functions of the parameters, and programs that look at them."""

from __future__ import annotations

from dpwitness import PureDP
from tests.deceptive.kit import INF, ONE, SINGLE, TWO, F, holds, leaks

HALF, QUARTER, THREE = F(1, 2), F(1, 4), F(3)


@leaks(SINGLE, claim=lambda eps: PureDP(eps * eps), at=HALF)
def claims_the_square(noise, q, *, eps):
    """not private: below eps = 1 the square of eps is less than eps."""
    return q[0] + noise.laplace(1 / eps)


@leaks(SINGLE, at=HALF)
def the_wrong_way_round(noise, q, *, eps):
    """not private: below eps = 1 the scale eps is too small."""
    return q[0] + noise.laplace(eps)


@leaks(SINGLE, at=THREE)
def in_the_clear_from_two_on(noise, q, *, eps):
    """not private: above eps = 2 the answer is released."""
    return q[0] if eps > 2 else q[0] + noise.laplace(1 / eps)


@leaks(SINGLE, at=F(1, 8))
def in_the_clear_below_a_quarter(noise, q, *, eps):
    """not private: below eps = 1/4 the answer is released."""
    return q[0] if eps < F(1, 4) else q[0] + noise.laplace(1 / eps)


@leaks(SINGLE, at=QUARTER)
def at_most_two(noise, q, *, eps):
    """not private: below eps = 1/2 the noise stays at Lap(2)."""
    return q[0] + noise.laplace(min(1 / eps, 2))


@holds(SINGLE)
def at_least_one(noise, q, *, eps):
    """private: above eps = 1 there is more noise than needed."""
    return q[0] + noise.laplace(max(1 / eps, 1))


@leaks(SINGLE, at=THREE)
def squared_in_the_scale(noise, q, *, eps):
    """not private: above eps = 1 the scale 1/eps^2 is too small."""
    return q[0] + noise.laplace(1 / (eps * eps))


@holds(SINGLE)
def one_more(noise, q, *, eps):
    """private: the loss is eps / (1 + eps)."""
    return q[0] + noise.laplace((1 + eps) / eps)


@holds(SINGLE, 1, claim=lambda eps: PureDP(2 * eps))
def claims_twice_as_much(noise, q, *, eps):
    """private: the loss is eps, the claim 2 eps."""
    return q[0] + noise.laplace(1 / eps)


@leaks(SINGLE, 1, claim=lambda eps: PureDP(eps / 2))
def claims_half(noise, q, *, eps):
    """not private: the loss is eps, the claim eps / 2."""
    return q[0] + noise.laplace(1 / eps)


@holds(ONE, 2, claim=lambda eps, k: PureDP(k * eps), typical={"eps": 1, "k": 2})
def as_often_as_claimed(noise, q, *, eps, k):
    """private: k releases for k eps."""
    return [q[0] + noise.laplace(1 / eps) for _ in range(int(k))]


@leaks(ONE, 3, claim=lambda eps, k: PureDP(k * eps), typical={"eps": 1, "k": 2})
def once_more_than_claimed(noise, q, *, eps, k):
    """not private: k + 1 releases for k eps."""
    return [q[0] + noise.laplace(1 / eps) for _ in range(int(k) + 1)]


@leaks(SINGLE, at=HALF, claim=lambda eps: PureDP(eps * eps * eps))
def claims_the_cube(noise, q, *, eps):
    """not private: below eps = 1 the cube of eps is far less than eps."""
    return q[0] + noise.laplace(1 / eps)


@leaks(SINGLE, at=HALF)
def constant_noise(noise, q, *, eps):
    """not private: below eps = 1 Lap(1) is not enough."""
    return q[0] + noise.laplace(1)


@leaks(TWO, at=HALF)
def branch_at_one(noise, q, *, eps):
    """not private: below eps = 1 the budget is not split."""
    return [x + noise.laplace((2 if eps >= 1 else 1) / eps) for x in q]


@leaks(SINGLE, INF)
def in_the_clear_at_one(noise, q, *, eps):
    """not private: at eps = 1 alone the answer is released."""
    return q[0] if eps == 1 else q[0] + noise.laplace(1 / eps)


@holds(SINGLE, 1)
def formula_that_is_one_over_eps(noise, q, *, eps):
    """private: (eps + eps) / (2 eps^2) is 1/eps."""
    return q[0] + noise.laplace((eps + eps) / (2 * eps * eps))
