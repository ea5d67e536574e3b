"""Local reports: each person randomises a record of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness import Exact, Interval, PureDP, Records, exp, mechanism
from dpwitness.core.noise import Noise

BIT = Records((0, 1), 1)
FIVE = Records((0, 1, 2, 3, 4), 1)
UNIT = Records(Interval(0, 1), 1)
ONE = {"eps": 1}


@mechanism(data=BIT, claim=lambda eps: PureDP(eps), typical=ONE, cites="Warner 1965")
def randomized_response(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """One bit, by its log-odds."""
    return noise.bernoulli(log_odds=(2 * data[0] - 1) * eps / 2)


@randomized_response.twin("twice-the-odds")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The log-odds of four times the budget."""
    return noise.bernoulli(log_odds=(2 * data[0] - 1) * 2 * eps)


@mechanism(data=FIVE, claim=lambda eps: PureDP(eps), typical=ONE, cites="Kairouz, Bonawitz and Ramage 2016")
def k_ary_response(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The own value with odds e^ε against each other one."""
    return noise.choice(log_weights=[eps * (data[0] == v) / 2 for v in range(5)])


@k_ary_response.twin("weight-of-three")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The own value weighs e^(3ε)."""
    return noise.choice(log_weights=[3 * eps * (data[0] == v) for v in range(5)])


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical=ONE, cites="Dwork et al. 2006, of one record")
def local_laplace(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The record itself with Laplace noise."""
    return data[0] + noise.laplace(1 / eps)


@local_laplace.twin("half-of-the-scale")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Half of the scale."""
    return data[0] + noise.laplace(1 / (2 * eps))


@mechanism(data=UNIT, claim=lambda: PureDP("11/10"), typical={}, cites="Ding, Kulkarni and Yekhanin 2017: one-bit mean")
def one_bit_mean(noise: Noise, data: Sequence[Any]) -> Any:
    """One bit whose chance rises with the record from 1/4 to 3/4: ln 3 is below 11/10."""
    return 1 * noise.bernoulli(Exact(1, 4) + data[0] / 2)


@one_bit_mean.twin("from-a-tenth-to-nine")
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The chance rises from 1/10 to 9/10."""
    return 1 * noise.bernoulli(Exact(1, 10) + Exact(8, 10) * data[0])


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical=ONE, cites="Erlingsson et al. 2014: two rounds of coins")
def memoized_bit(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """A coin of the record decides another coin: from 3/8 to 5/8 in the end, ln(5/3) for each of two outcomes."""
    first = noise.bernoulli(Exact(1, 4) + data[0] / 2)
    return 1 * noise.bernoulli(Exact(1, 4) + first / 2)


@memoized_bit.twin("shows-the-first-coin-twice", claim=lambda eps: PureDP(eps / 2))
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The claim is half of ln 3, the loss of the first coin."""
    return 1 * noise.bernoulli(Exact(1, 4) + data[0] / 2)


@mechanism(data=FIVE, claim=lambda eps: PureDP(eps), typical=ONE, cites="Wang et al. 2017: histogram encoding")
def local_histogram(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """A unit vector with Laplace noise of scale 2/ε on every entry."""
    return [(data[0] == v) + noise.laplace(2 / eps) for v in range(5)]


@local_histogram.twin("scale-of-one-entry")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Two entries differ, and the scale is that of one."""
    return [(data[0] == v) + noise.laplace(1 / eps) for v in range(5)]


@mechanism(data=FIVE, claim=lambda eps: PureDP(eps), typical=ONE, cites="Kairouz, Oh and Viswanath 2014, by weights")
def k_ary_weights(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The own value weighs e^ε, every other one 1."""
    return noise.choice([exp(eps) if v == data[0] else 1 for v in range(5)])


@k_ary_weights.twin("others-weigh-a-half")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The others weigh half as much."""
    return noise.choice([exp(eps) if v == data[0] else Exact(1, 2) for v in range(5)])


@mechanism(data=Records(Interval(-1, 1), 1), claim=lambda eps: PureDP(eps), typical=ONE,
           cites="Duchi, Jordan and Wainwright 2018")  # fmt: skip
def mean_of_one_bit(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Two values, whose chance is affine in the record, so that the mean is the record."""
    p = Exact(1, 2) + data[0] * (exp(eps) - 1) / (2 * (exp(eps) + 1))
    return (exp(eps) + 1) / (exp(eps) - 1) * (2 * noise.bernoulli(p) - 1)


@mean_of_one_bit.twin("slope-of-twice-the-budget")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The slope is that of 2ε."""
    p = Exact(1, 2) + data[0] * (exp(2 * eps) - 1) / (2 * (exp(2 * eps) + 1))
    return 2 * noise.bernoulli(p) - 1
