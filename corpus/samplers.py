"""The noise does not have the law that it should have."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core import Answers, ApproxDP, PureDP
from dpwitness.core.noise import Noise
from dpwitness.corpus.entry import bug, repaired

COUNT = Answers("all", 1, size=1, whole=True)
TOP = Answers("all", 1, size=1, low=0, high=4, whole=True)
NUMBER = Answers("all", 1, size=1)
BIT = Answers("one", 1, size=1, values=(0, 1))
BITS = Answers("one", 1, size=3, values=(0, 1))


def geometric_difference(noise: Noise, ratio: Any) -> Any:
    """The difference of two geometric draws: P(k) proportional to ratio^|k|."""
    return noise.negative_binomial(1, ratio) - noise.negative_binomial(1, ratio)


@bug(
    "opendp-2638",
    "OpenDP issues 2638 and 2639, fixed in 0.14.2",
    "a division of large rationals biases the noise",
    "serious",
    "A",
    data=COUNT,
    claim=PureDP("1/3"),
)
def biased_division(noise: Noise, data: Sequence[Any]) -> Any:
    """e^(−1/3) = 0.717 comes out as 2/3: ε = ln 1.5."""
    return data[0] + geometric_difference(noise, Fraction(2, 3))


@repaired(biased_division)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Rounded towards more noise."""
    return data[0] + geometric_difference(noise, Fraction(717, 1000))


@bug(
    "opendp-2422",
    "OpenDP issue 2422",
    "a rejection sampler lacks its comparison, and accepts every proposal",
    "critical",
    "PA",
    data=NUMBER,
    claim=PureDP(1),
)
def accepts_all(noise: Noise, data: Sequence[Any]) -> Any:
    """The proposals are uniform on [−8, 8], and so is the noise."""
    return data[0] + noise.uniform(-8, 8)


@repaired(accepts_all)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The law at which the rejection aimed."""
    return data[0] + noise.laplace(1)


@bug(
    "google-cpp-0e95b99",
    "Google differential-privacy, C++, commits 0e95b99 and 82f7a15",
    "noise of a coarse granularity is added to a value that was not rounded to it",
    "critical",
    "PA",
    data=Answers("all", 1, size=1, whole=True),
    claim=PureDP(1),
)
def coarse_noise(noise: Noise, data: Sequence[Any]) -> Any:
    """The noise is a multiple of 4, so the output shows the value modulo 4."""
    return data[0] + 4 * noise.discrete_laplace(1)


@repaired(coarse_noise)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise at the granularity of the values."""
    return data[0] + noise.discrete_laplace(1)


@bug(
    "google-cpp-a7914d6",
    "Google differential-privacy, C++, commit a7914d6",
    "an approximate binomial probability is wrong, and the noise too narrow",
    "serious",
    "PA",
    data=COUNT,
    claim=ApproxDP(1, "0.01"),
)
def narrow_binomial(noise: Noise, data: Sequence[Any]) -> Any:
    """4 coins in place of 16."""
    return data[0] + noise.binomial(4)


@repaired(narrow_binomial)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """16 coins: δ(1) is below 0.01."""
    return data[0] + noise.binomial(16)


@bug(
    "smartnoise-core-319",
    "SmartNoise core issue 319",
    "geometric noise is conditioned to the output range",
    "serious",
    "PA",
    data=TOP,
    claim=PureDP(1),
)
def conditioned(noise: Noise, data: Sequence[Any]) -> Any:
    """The normaliser depends on how close the value is to an end."""
    return noise.choice(log_weights=[-abs(k - data[0]) for k in range(5)])


@repaired(conditioned)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """What falls outside is moved to the nearer end."""
    noisy = data[0] + noise.discrete_laplace(1)
    return 0 if noisy < 0 else 4 if noisy > 4 else noisy


@bug(
    "smartnoise-core-358",
    "SmartNoise core issue 358",
    "geometric noise is cut off at the size of the output range",
    "serious",
    "PA",
    data=TOP,
    claim=PureDP(1),
)
def cut_off(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise beyond ±4 is drawn as ±4, so that value + 4 is reached from one input alone."""
    drawn = noise.discrete_laplace(1)
    return data[0] + (-4 if drawn < -4 else 4 if drawn > 4 else drawn)


@repaired(cut_off)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The whole law."""
    return data[0] + noise.discrete_laplace(1)


@bug(
    "opendp-481",
    "OpenDP issue 481",
    "randomized response keeps its bit more often than its parameter says",
    "serious",
    "PA",
    data=BIT,
    claim=PureDP("1.1"),
)
def keeps_too_often(noise: Noise, data: Sequence[Any]) -> Any:
    """Kept with 3/4, else a fair coin, which keeps it again half of the time."""
    if noise.bernoulli(3 / 4):
        return data[0]
    return 1 if noise.bernoulli(1 / 2) else 0


@repaired(keeps_too_often)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Kept with 3/4, else flipped."""
    return data[0] if noise.bernoulli(3 / 4) else 1 - data[0]


@bug(
    "opendp-496",
    "OpenDP issue 496",
    "a Bernoulli sampler drops the last bit of its probability",
    "serious",
    "PA",
    data=BIT,
    claim=PureDP("1.1"),
)
def dropped_bit(noise: Noise, data: Sequence[Any]) -> Any:
    """1/4 is 0.01 in binary; one bit of it is 0, so that the sampler falls through to 1/8."""
    return 1 - data[0] if noise.bernoulli(1 / 8) else data[0]


@repaired(dropped_bit)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """All bits."""
    return 1 - data[0] if noise.bernoulli(1 / 4) else data[0]


@bug(
    "opendp-2707",
    "OpenDP issues 2707 and 2708, fixed in 0.15.0",
    "the last bit of a vector is never randomised",
    "critical",
    "PA",
    data=BITS,
    claim=PureDP("1.1"),
)
def last_bit(noise: Noise, data: Sequence[Any]) -> Any:
    """The loop ends one early."""
    return [1 - x if noise.bernoulli(1 / 4) else x for x in data[:-1]] + list(data[-1:])


@repaired(last_bit)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Every bit."""
    return [1 - x if noise.bernoulli(1 / 4) else x for x in data]
