"""The mechanisms that every library knows, and our enclosures of their curves."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import dpwitness as dpw

F = Fraction
ONE = dpw.Answers("one", 1, size=1)
BIT = dpw.Records((0, 1), 1)  # one bit: a count that moves by 1
WIDTH = F(1, 10**12)


@dpw.mechanism(data=ONE, claim=lambda std: dpw.ZCDP(1 / (2 * std**2)), typical={"std": 1})
def gaussian(noise: Any, answers: Any, *, std: Any) -> Any:
    return answers[0] + noise.gaussian(std)


@dpw.mechanism(data=ONE, claim=lambda scale: dpw.PureDP(1 / scale), typical={"scale": 1})
def laplace(noise: Any, answers: Any, *, scale: Any) -> Any:
    return answers[0] + noise.laplace(scale)


@dpw.mechanism(data=BIT, claim=lambda std: dpw.ZCDP(1 / (2 * std**2)), typical={"std": 1})
def discrete_gaussian(noise: Any, data: Any, *, std: Any) -> Any:
    return data[0] + noise.discrete_gaussian(variance=std**2)


@dpw.mechanism(data=BIT, claim=lambda scale, by: dpw.PureDP(by / scale), typical={"scale": 1, "by": 1})
def discrete_laplace(noise: Any, data: Any, *, scale: Any, by: Any) -> Any:
    return by * data[0] + noise.discrete_laplace(scale)


@dpw.mechanism(data=BIT, claim=lambda log_odds: dpw.PureDP(log_odds), typical={"log_odds": 1})
def response(noise: Any, data: Any, *, log_odds: Any) -> Any:
    (x,) = data
    return x + (1 - 2 * x) * noise.bernoulli(log_odds=-log_odds)


MECHANISMS = {
    "gaussian": gaussian,
    "laplace": laplace,
    "discrete_gaussian": discrete_gaussian,
    "discrete_laplace": discrete_laplace,
    "response": response,
}


def delta(name: str, eps: Fraction | int | float, times: int = 1, **params: Any) -> tuple[Fraction, Fraction]:
    """Our enclosure of δ(ε), of the promised width."""
    low, high = dpw.delta(MECHANISMS[name], eps=max(F(eps), F(0)), times=times, params=params)
    assert 0 <= low <= high <= 1
    assert high - low <= WIDTH * high
    return low, high


def epsilon(name: str, at: str, times: int = 1, **params: Any) -> tuple[Fraction, Fraction]:
    """Our enclosure of ε(δ), of the promised width."""
    low, high = dpw.epsilon(MECHANISMS[name], delta=at, times=times, params=params)
    assert 0 <= low <= high
    assert high - low <= WIDTH * high
    return low, high


def contains(ours: tuple[Fraction, Fraction], theirs: float, accuracy: float) -> bool:
    """Whether our enclosure, widened by the accuracy of the other value, contains it."""
    low, high = ours
    return low - F(accuracy) <= F(theirs) <= high + F(accuracy)
