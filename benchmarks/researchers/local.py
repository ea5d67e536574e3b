"""Local reports: each person randomises a record of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness import Exact, Interval, PureDP, Records, exp, mechanism
from dpwitness.core.noise import Noise

BIT = Records((0, 1), 1)
FIVE = Records((0, 1, 2, 3, 4), 1)
UNIT = Records(Interval(0, 1), 1)
WIDE = Records(Interval(-1, 1), 1)
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


@mechanism(data=UNIT, claim=lambda: PureDP("11/20"), typical={}, cites="Erlingsson et al. 2014: two rounds of coins")
def memoized_bit(noise: Noise, data: Sequence[Any]) -> Any:
    """A coin of the record decides another coin: from 3/8 to 5/8 in the end, ln(5/3) = 0.511 for each outcome."""
    first = noise.bernoulli(Exact(1, 4) + data[0] / 2)
    return 1 * noise.bernoulli(Exact(1, 4) + first / 2)


@memoized_bit.twin("shows-the-first-coin")
def _(noise: Noise, data: Sequence[Any]) -> Any:
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


@mechanism(data=WIDE, claim=lambda eps: PureDP(eps), typical=ONE, cites="Duchi, Jordan and Wainwright 2018")
def mean_of_one_bit(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Two values, whose chance is affine in the record, so that the mean is the record."""
    p = Exact(1, 2) + data[0] * (exp(eps) - 1) / (2 * (exp(eps) + 1))
    return (exp(eps) + 1) / (exp(eps) - 1) * (2 * noise.bernoulli(p) - 1)


@mean_of_one_bit.twin("slope-of-twice-the-budget")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The slope is that of 2ε."""
    p = Exact(1, 2) + data[0] * (exp(2 * eps) - 1) / (2 * (exp(2 * eps) + 1))
    return 2 * noise.bernoulli(p) - 1


def _piecewise(noise: Noise, x: Any, budget: Any) -> Any:
    """Near the record with the odds e^(budget/2), else outside of this piece, on [-c, c] in both cases."""
    odds = exp(budget / 2)
    c = (odds + 1) / (odds - 1)
    left = (c + 1) / 2 * x - (c - 1) / 2
    if noise.bernoulli(odds / (odds + 1)):
        return noise.uniform(left, left + c - 1)
    outside = noise.uniform(-c, 1)
    return outside if outside < left else outside + c - 1


@mechanism(data=WIDE, claim=lambda eps: PureDP(eps), typical=ONE, cites="Wang et al. 2019: piecewise mechanism")
def piecewise_mechanism(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """A number whose mean is the record, from a law with two densities."""
    return _piecewise(noise, data[0], eps)


@piecewise_mechanism.twin("odds-of-the-whole-budget")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The ends are those of ε, and the odds those of 2ε."""
    c = (exp(eps / 2) + 1) / (exp(eps / 2) - 1)
    left = (c + 1) / 2 * data[0] - (c - 1) / 2
    if noise.bernoulli(exp(eps) / (exp(eps) + 1)):
        return noise.uniform(left, left + c - 1)
    outside = noise.uniform(-c, 1)
    return outside if outside < left else outside + c - 1


@mechanism(data=WIDE, claim=lambda eps: PureDP(eps), typical=ONE, cites="Wang et al. 2019: hybrid mechanism")
def hybrid_mechanism(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """One of two answers, or a report by pieces."""
    if noise.bernoulli(exp(-eps / 2)):
        p = Exact(1, 2) + data[0] * (exp(eps) - 1) / (2 * (exp(eps) + 1))
        far = (exp(eps) + 1) / (exp(eps) - 1)
        return far if noise.bernoulli(p) else -far
    return _piecewise(noise, data[0], eps)


@hybrid_mechanism.twin("pieces-of-twice-the-budget")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The report by pieces spends 2ε, and the other one nothing."""
    if noise.bernoulli(exp(-eps / 2)):
        return noise.uniform(-1, 1)
    return _piecewise(noise, data[0], 2 * eps)


def _wave(noise: Noise, x: Any, b: Any, ratio: Any) -> Any:
    """`ratio` times as dense within b of the record as elsewhere on [-b, 1 + b]."""
    if noise.bernoulli(2 * b * ratio / (2 * b * ratio + 1)):
        return x + b * (2 * noise.uniform() - 1)
    far = noise.uniform() - b
    return far if far < x - b else far + 2 * b


@mechanism(data=UNIT, claim=lambda eps: PureDP(eps), typical=ONE, cites="Li et al. 2020: square wave")
def square_wave(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The width at which a report tells most."""
    e = exp(eps)
    return _wave(noise, data[0], (eps * e - e + 1) / (2 * e * (e - 1 - eps)), e)


@square_wave.twin("share-of-another-width")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The share of the wave is that of a width of 1/4, and the wave is narrower."""
    e = exp(eps)
    b = (eps * e - e + 1) / (2 * e * (e - 1 - eps))
    return _wave(noise, data[0], b / 2, e * 3 / 2)


@mechanism(data=FIVE, claim=lambda eps: PureDP(eps), typical=ONE, cites="Wang et al. 2017: optimised unary encoding")
def unary_encoding(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """A fair coin for the own value, coins of the chance 1/(e^ε + 1) for all others."""
    return [noise.bernoulli(Exact(1, 2) if v == data[0] else 1 / (exp(eps) + 1)) for v in range(5)]


@unary_encoding.twin("own-coin-of-two-thirds")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The own value has the chance 2/3."""
    return [noise.bernoulli(Exact(2, 3) if v == data[0] else 1 / (exp(eps) + 1)) for v in range(5)]


@mechanism(data=FIVE, claim=lambda eps: PureDP(eps), typical=ONE, cites="Ye and Barg 2018: subset selection")
def subset_selection(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """Two of five values: with the odds 2e^ε to 3 the own value is one of them."""
    others = [v for v in range(5) if v != data[0]]
    chosen = [data[0]] if noise.bernoulli(2 * exp(eps) / (2 * exp(eps) + 3)) else []
    while len(chosen) < 2:
        chosen.append(others.pop(noise.choice([1] * len(others))))
    return sorted(chosen)


@subset_selection.twin("odds-of-three-to-two")
def _(noise: Noise, data: Sequence[Any], *, eps: Any) -> Any:
    """The odds are those of three values out of five."""
    others = [v for v in range(5) if v != data[0]]
    chosen = [data[0]] if noise.bernoulli(3 * exp(eps) / (3 * exp(eps) + 2)) else []
    while len(chosen) < 2:
        chosen.append(others.pop(noise.choice([1] * len(others))))
    return sorted(chosen)
