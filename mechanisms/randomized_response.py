"""Randomized response: every record is reported truthfully or not by the toss of a coin.

Bits, several categories, coins with rational odds, and repeated answers. All laws are finite.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import Exact, PureDP, Records, mechanism, whole
from dpwitness.core.noise import Noise

CATEGORIES = 4


@mechanism(
    data=Records((0, 1), 3),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("sources", "randomized-response", "finite", "local"),
    cites="Warner 1965; Dwork and Roth 2014, section 3.2",
)
def randomized_response(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""Every bit is reported as it is with probability :math:`e^\varepsilon/(e^\varepsilon+1)`, else flipped."""
    return [x + (1 - 2 * x) * noise.bernoulli(log_odds=-eps) for x in data]


@randomized_response.twin("twice-the-odds", tags=("randomized-response", "finite"), notes="the loss is 2ε")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The log-odds are 2ε, as if every bit had the whole budget twice."""
    return [x + (1 - 2 * x) * noise.bernoulli(log_odds=-2 * eps) for x in data]


@randomized_response.twin("last-record-in-clear", tags=("randomized-response", "finite"))
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The loop stops one record early, and the last one is reported as it is."""
    return [x + (1 - 2 * x) * noise.bernoulli(log_odds=-eps) for x in data[:-1]] + [data[-1]]


@mechanism(
    data=Records((0, 1), 2),
    claim=lambda: PureDP("1.0987"),
    typical={},
    tags=("randomized-response", "finite", "local"),
    cites="Dwork and Roth 2014, section 3.2",
)
def two_coins(noise: Noise, data: Sequence[Any]) -> Any:
    """Heads: the truth. Tails: the result of a second coin. The loss is ln 3 = 1.09861..."""
    coin = Exact(1, 2)
    answers = []
    for x in data:
        truth, other = noise.bernoulli(coin), noise.bernoulli(coin)
        answers.append(x * truth + (1 - truth) * other)
    return answers


@two_coins.twin("rounded-down", claim=lambda: PureDP("1.0986"), tags=("randomized-response", "finite"))
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The same two coins with a claim just below ln 3."""
    return [x + (1 - 2 * x) * noise.bernoulli(Exact(1, 4)) for x in data]


@mechanism(
    data=Records(tuple(range(CATEGORIES)), 2),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1},
    tags=("randomized-response", "finite", "local"),
    cites="Kairouz, Oh and Viswanath 2016, section 2",
)
def categorical_response(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    r"""One of k categories: the true one with probability :math:`e^\varepsilon/(e^\varepsilon+k-1)`."""
    return [noise.choice(log_weights=[eps * int(c == x) for c in range(CATEGORIES)]) for x in data]


@categorical_response.twin(
    "odds-of-a-bit", tags=("randomized-response", "finite"), notes="the loss is ε + ln(k − 1)"
)  # fmt: skip
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The truth with the odds of a single bit, else one of the k − 1 other categories."""
    answers = []
    for x in data:
        move = 1 + noise.choice(weights=[1] * (CATEGORIES - 1))
        answers.append((x + move * noise.bernoulli(log_odds=-eps)) % CATEGORIES)
    return answers


@mechanism(
    data=Records((0, 1), 1),
    claim=lambda eps: PureDP(eps),
    typical={"eps": 1, "times": 4},
    domains={"times": whole(1)},
    tags=("sources", "randomized-response", "finite", "composition"),
    cites="Dwork and Roth 2014, theorem 3.16",
)
def repeated_response(noise: Noise, data: Sequence[Any], *, eps: Any, times: Any) -> Any:
    """The same bit asked several times, every answer with its share ε/k of the budget."""
    (x,) = data
    return [x + (1 - 2 * x) * noise.bernoulli(log_odds=-eps / times) for _ in range(times)]


@repeated_response.twin(
    "whole-budget-every-time", domains={"times": whole(2)}, tags=("randomized-response", "finite", "composition"),
    notes="the losses add up to kε",
)  # fmt: skip
def _(noise: Noise, data: Sequence[Any], *, eps: Any, times: Any) -> Any:
    """Every answer is ε-private, and all of them together are claimed to be."""
    (x,) = data
    return [x + (1 - 2 * x) * noise.bernoulli(log_odds=-eps) for _ in range(times)]
