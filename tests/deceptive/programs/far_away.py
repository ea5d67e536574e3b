"""Programs that behave well where one looks: at usual ε, on few inputs, with few answers, at moderate numbers."""

from __future__ import annotations

from typing import Any

from dpwitness import PureDP, Records, exp
from dpwitness.core.numbers import Exact
from tests.deceptive.kit import BITS, FIVE, ONE, SINGLE, UP, Answers, F, holds, leaks

TENTHS = Records([Exact(k, 10) for k in range(100)], 1)
PAIRS_OF_TENTHS = Records([Exact(k, 10) for k in range(11)], 2)
THREE = Answers("all", 1, size=3)


@leaks(SINGLE, claim=lambda eps: PureDP(eps if F(eps) < 200 else F(1)), at=F(201))
def claim_that_is_another_one_at_200(noise: Any, q: Any, *, eps: Any) -> Any:
    """not private: at eps = 201 the claim is 1"""
    return q[0] + noise.laplace(1 / eps)


@leaks(SINGLE, claim=lambda eps: PureDP(eps if F(eps) > F(1, 10**6) else eps / 2), at=F(1, 10**7))
def claim_that_is_another_one_near_0(noise: Any, q: Any, *, eps: Any) -> Any:
    """not private: at the smallest eps the claim is a half of it"""
    return q[0] + noise.laplace(1 / eps)


@leaks(SINGLE, at=F(1000))
def large_eps(noise: Any, q: Any, *, eps: Any) -> Any:
    """not private: above 999 the noise is halved"""
    return q[0] + noise.laplace(1 / (eps * (2 if eps > 999 else 1)))


@leaks(SINGLE, at=F(7))
def eps_of_seven(noise: Any, q: Any, *, eps: Any) -> Any:
    """not private: at 7 alone the noise is halved"""
    return q[0] + noise.laplace(1 / (eps * (2 if eps == 7 else 1)))


@leaks(BITS, at=F(7))
def odds_that_jump(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: above 5 the odds are e^(eps + 3)"""
    odds = exp(eps) if eps < 5 else exp(eps + 3)
    return d[0] if noise.bernoulli(odds / (1 + odds)) else 1 - d[0]


@leaks(BITS, at=F(1, 100))
def odds_of_second_order(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: 1 + eps + eps² is above e^eps for small eps"""
    odds = 1 + eps + eps * eps
    return d[0] if noise.bernoulli(odds / (1 + odds)) else 1 - d[0]


@holds(BITS)
def odds_of_first_order(noise: Any, d: Any, *, eps: Any) -> Any:
    """private: 1 + eps is below e^eps"""
    return d[0] if noise.bernoulli((1 + eps) / (2 + eps)) else 1 - d[0]


@leaks(TENTHS)
def fraction_of_a_hundred_records(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: Fraction(0.1) is no tenth, and Fraction(0.5) is a half"""
    return F(d[0]) * 10 == int(d[0] * 10 + F(1, 2))


@leaks(PAIRS_OF_TENTHS)
def fraction_of_many_pairs(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: on 121 inputs"""
    x = F(d[0])
    return (x if x * 10 == round(x * 10) else x + 9) + noise.laplace(1 / eps)


@leaks(SINGLE)
def noise_halves_far_away(noise: Any, q: Any, *, eps: Any) -> Any:
    """not private: answers above 10^13 get half of the noise"""
    return q[0] + noise.laplace(1 / (2 * eps) if q[0] > 10**13 else 1 / eps)


@leaks(SINGLE)
def noise_that_is_rare(noise: Any, q: Any, *, eps: Any) -> Any:
    """not private: a draw above 60 shows the answer"""
    z = noise.laplace(1 / eps)
    return q[0] if z > 60 else q[0] + z


@holds(FIVE, 0)
def leak_with_one_answer(noise: Any, q: Any, *, eps: Any) -> Any:
    """private: with five answers nothing of them is released"""
    return q[0] if len(q) == 1 else 7


@holds(FIVE, 1)
def leak_with_four_answers(noise: Any, q: Any, *, eps: Any) -> Any:
    """private: with five answers the noise is enough"""
    out = []
    for x in q:
        if len(q) == 4:
            out.append(x + noise.laplace(1 / (2 * eps)))
        else:
            out.append(x + noise.laplace(1 / eps))
    return out


@leaks(FIVE)
def leak_with_five_answers(noise: Any, q: Any, *, eps: Any) -> Any:
    """not private: with five answers alone the noise is halved"""
    out = []
    for x in q:
        if len(q) == 5:
            out.append(x + noise.laplace(1 / (2 * eps)))
        else:
            out.append(x + noise.laplace(1 / eps))
    return out


@leaks(THREE)
def growing_weights(noise: Any, q: Any, *, eps: Any) -> Any:
    """not private: the third noisy value counts three times"""
    k = 1
    best = None
    at = None
    for i, x in enumerate(q):
        v = (x + noise.laplace(2 / eps)) * k
        if best is None or v > best:
            best = v
            at = i
        k = k + 1
    return at


@leaks(UP)
def growing_weights_one_way(noise: Any, q: Any, *, eps: Any) -> Any:
    """not private: the same where all answers rise"""
    return noise.argmax([(i + 1) * (x + noise.laplace(1 / eps)) for i, x in enumerate(q)])


@leaks(ONE)
def budget_that_is_passed_on(noise: Any, q: Any, *, eps: Any) -> Any:
    """not private: eps is bound anew, and doubles"""
    out = []
    for x in q:
        out.append(x + noise.laplace(1 / eps))
        eps = eps * 2
    return out
