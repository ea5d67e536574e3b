"""Published mechanisms that are not private."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core import Answers, PureDP
from dpwitness.core.noise import Noise
from dpwitness.corpus.entry import bug, repaired

QUERIES = Answers("all", 1, size=5)
LYU = "Lyu, Su and Li 2017, algorithm"
KEPT = "Ding et al. 2018 (StatDP); Wang et al. 2020 (CheckDP)"


@bug(
    "lyu-3",
    f"{LYU} 3 (Roth's notes)",
    "a sparse vector releases the noisy answers that passed",
    "serious",
    "PA",
    data=QUERIES,
    claim=PureDP(1),
)
def releases_answers(noise: Noise, data: Sequence[Any]) -> Any:
    """The number that passed stands above the noisy threshold, and so bounds it."""
    threshold = noise.laplace(2)
    out: list[Any] = []
    for q in data:
        noisy = q + noise.laplace(2)
        if noisy >= threshold:
            return [*out, noisy]
        out.append(False)
    return out


@repaired(releases_answers)
def above_threshold(noise: Noise, data: Sequence[Any]) -> Any:
    """Only whether it passed, with noise for two."""
    threshold = noise.laplace(2)
    out: list[Any] = []
    for q in data:
        if q + noise.laplace(4) >= threshold:
            return [*out, True]
        out.append(False)
    return out


@bug(
    "lyu-4",
    f"{LYU} 4 (Lee and Clifton 2014)",
    "too little noise on the answers of a sparse vector",
    "serious",
    "PA",
    data=QUERIES,
    claim=PureDP(1),
)
def too_little_for_answers(noise: Noise, data: Sequence[Any]) -> Any:
    """ε/4 for the threshold and 3ε/4 for the answers, without the factor 2."""
    threshold = noise.laplace(4)
    out: list[Any] = []
    for q in data:
        if q + noise.laplace(4 / 3) >= threshold:
            return [*out, True]
        out.append(False)
    return out


@repaired(too_little_for_answers)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Twice as much on the answers, as a fraction: the double 8 / 3 is a little below it."""
    threshold = noise.laplace(4)
    out: list[Any] = []
    for q in data:
        if q + noise.laplace(Fraction(8, 3)) >= threshold:
            return [*out, True]
        out.append(False)
    return out


@bug(
    "lyu-5",
    f"{LYU} 5 (Stoddard et al. 2014)",
    "a sparse vector without noise on the answers",
    "critical",
    "PA",
    data=QUERIES,
    claim=PureDP(1),
)
def exact_answers(noise: Noise, data: Sequence[Any]) -> Any:
    """Two answers on both sides of the threshold can never change places."""
    threshold = noise.laplace(2)
    return [q >= threshold for q in data]


@repaired(exact_answers)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise on each, and an end."""
    threshold = noise.laplace(2)
    for i, q in enumerate(data):
        if q + noise.laplace(4) >= threshold:
            return i
    return None


@bug(
    "lyu-6",
    f"{LYU} 6 (Chen et al. 2015)",
    "a sparse vector that never stops",
    "serious",
    "PA",
    data=QUERIES,
    claim=PureDP(1),
)
def never_stops(noise: Noise, data: Sequence[Any]) -> Any:
    """Every answer above the threshold costs, and none is counted."""
    threshold = noise.laplace(2)
    return [q + noise.laplace(2) >= threshold for q in data]


@repaired(never_stops)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Stops at the first."""
    threshold = noise.laplace(2)
    for i, q in enumerate(data):
        if q + noise.laplace(4) >= threshold:
            return i
    return None


@bug(
    "noisy-max-value",
    KEPT,
    "report noisy max gives out the maximum in place of its index",
    "serious",
    "PA",
    data=QUERIES,
    claim=PureDP(1),
)
def gives_the_maximum(noise: Noise, data: Sequence[Any]) -> Any:
    """The value costs as much as all of them together."""
    return noise.max([q + noise.laplace(2) for q in data])


@repaired(gives_the_maximum)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The index."""
    return noise.argmax([q + noise.laplace(2) for q in data])


@bug(
    "histogram-scale",
    KEPT,
    "noise of scale ε in place of 1/ε",
    "serious",
    "PA",
    data=Answers("one", 1, size=4),
    claim=PureDP("1/2"),
)
def scale_of_epsilon(noise: Noise, data: Sequence[Any]) -> Any:
    """Scale 1/2 where 2 is needed."""
    return [q + noise.laplace(1 / 2) for q in data]


@repaired(scale_of_epsilon)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Scale 2."""
    return [q + noise.laplace(2) for q in data]


@bug(
    "partial-sum-half",
    KEPT,
    "half of the noise on a sum",
    "serious",
    "PA",
    data=Answers("l1", 1, size=3),
    claim=PureDP(1),
)
def half_of_the_noise(noise: Noise, data: Sequence[Any]) -> Any:
    """Scale 1/2 for sensitivity 1."""
    return sum(data) + noise.laplace(1 / 2)


@repaired(half_of_the_noise)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Scale 1."""
    return sum(data) + noise.laplace(1)
