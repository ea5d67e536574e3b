"""The noise is right for another neighbour relation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import PureDP, Records
from dpwitness.core.noise import Noise
from dpwitness.corpus.entry import bug, repaired

SMALL = Records((0, 1), (1, 5), "add-remove")


@bug(
    "smartnoise-core-355",
    "SmartNoise core issue 355",
    "the sensitivity of a mean uses n where records are added and removed",
    "serious",
    "PA",
    data=SMALL,
    claim=PureDP(1),
)
def mean_with_known_size(noise: Noise, data: Sequence[Any]) -> Any:
    """The scale 1/n is another one on a neighbour."""
    return sum(data) / len(data) + noise.laplace(1 / len(data))


@repaired(mean_with_known_size)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """A noisy sum and a noisy count, whose quotient is anybody's to take."""
    return [sum(data) + noise.laplace(2), len(data) + noise.laplace(2)]


@bug(
    "smartnoise-core-356",
    "SmartNoise core issue 356",
    "the number of records is released as public where it is not",
    "critical",
    "PA",
    data=SMALL,
    claim=PureDP(1),
)
def released_size(noise: Noise, data: Sequence[Any]) -> Any:
    """The divisor of a mean stands beside it."""
    return [len(data), sum(data) + noise.laplace(1)]


@repaired(released_size, data=Records((0, 1), 5))
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Where records are replaced the number is public."""
    return [len(data), sum(data) + noise.laplace(1)]


@bug(
    "opendp-2930",
    "OpenDP issue 2930",
    "a domain of bit vectors does not fix their length",
    "critical",
    "A",
    data=Records((0, 1), 3, "add-remove"),
    claim=PureDP("1.1"),
)
def vectors_of_any_length(noise: Noise, data: Sequence[Any]) -> Any:
    """Each bit is answered at random, but there are as many answers as bits."""
    return [1 - bit if noise.bernoulli(1 / 4) else bit for bit in data]


@repaired(vectors_of_any_length, data=Records((0, 1), 3))
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Vectors of one length, of which one bit may change."""
    return [1 - bit if noise.bernoulli(1 / 4) else bit for bit in data]


@bug(
    "count-of-replaced",
    "a class of SmartNoise core issue 360",
    "noise for a removed record where records are replaced",
    "serious",
    "PA",
    data=Records((-1, 1), 3),
    claim=PureDP(1),
)
def noise_for_removal(noise: Noise, data: Sequence[Any]) -> Any:
    """Without a record the sum moves by 1; with another in its place by 2."""
    return sum(data) + noise.laplace(1)


@repaired(noise_for_removal)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise for 2."""
    return sum(data) + noise.laplace(2)
