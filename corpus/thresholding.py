"""Keys are released where their noisy count exceeds a threshold; δ is the chance that a rare key does."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import ApproxDP, Records
from dpwitness.core.noise import Noise
from dpwitness.corpus.entry import bug, repaired

ONE_KEY = Records(("a", "b"), 2, "add-remove")
USERS = Records(((), ("a",), ("a", "b")), 2, "add-remove")


def counts(keys: Sequence[Any]) -> dict[Any, int]:
    """How often each key occurs, in the order of the alphabet."""
    return {key: sum(x == key for x in keys) for key in ("a", "b") if key in keys}


@bug(
    "opendp-2922",
    "OpenDP issue 2922",
    "δ is the chance of noise above the threshold; a count at it is released too",
    "serious",
    "PA",
    data=ONE_KEY,
    claim=ApproxDP(1, "0.005"),
)
def threshold_included(noise: Noise, data: Sequence[Any]) -> Any:
    """P(noise ≥ 5) is 0.0049, but a count of 1 needs noise of 4 only: 0.0134."""
    return [key for key, count in counts(data).items() if count + noise.discrete_laplace(1) >= 5]


@repaired(threshold_included)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The threshold is one higher."""
    return [key for key, count in counts(data).items() if count + noise.discrete_laplace(1) >= 6]


@bug(
    "opendp-369",
    "OpenDP issue 369 (security note)",
    "δ is that of one key, and a person brings several",
    "serious",
    "PA",
    data=USERS,
    claim=ApproxDP(1, "0.016"),
)
def one_key_of_several(noise: Noise, data: Sequence[Any]) -> Any:
    """Each of two new keys passes with probability 0.015."""
    keys = [key for person in data for key in person]
    return [key for key, count in counts(keys).items() if count + noise.laplace(2) >= 8]


@repaired(one_key_of_several)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The threshold is that of half of δ."""
    keys = [key for person in data for key in person]
    return [key for key, count in counts(keys).items() if count + noise.laplace(2) >= 10]


@bug(
    "smartnoise-sql-204",
    "SmartNoise SQL issue 204",
    "the threshold is a quantile of Laplace noise, the noise is Gaussian",
    "serious",
    "PA",
    data=ONE_KEY,
    claim=ApproxDP(1, "0.001"),
)
def quantile_of_another_law(noise: Noise, data: Sequence[Any]) -> Any:
    """1 + ln 500 is right for Laplace noise of scale 1; the noise has standard deviation 3.78."""
    return [key for key, count in counts(data).items() if count + noise.gaussian("3.78") >= 7.2146]


@repaired(quantile_of_another_law)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The quantile of the noise that is drawn."""
    return [key for key, count in counts(data).items() if count + noise.gaussian("3.78") >= 14]


@bug(
    "google-go-d51eedc",
    "Google differential-privacy, Go, commit d51eedc",
    "the threshold is truncated to an integer",
    "serious",
    "PA",
    data=ONE_KEY,
    claim=ApproxDP(1, "0.0015"),
)
def truncated_threshold(noise: Noise, data: Sequence[Any]) -> Any:
    """6.9 becomes 6: a new key passes with probability 0.0034."""
    return [key for key, count in counts(data).items() if count + noise.laplace(1) >= int(6.9)]


@repaired(truncated_threshold)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The threshold as it was computed."""
    return [key for key, count in counts(data).items() if count + noise.laplace(1) >= 6.9]


@bug(
    "google-cpp-91b4ece",
    "Google differential-privacy, C++, commit 91b4ece",
    "after an exact first threshold the noisy one is not raised",
    "serious",
    "PA",
    data=Records(("a", "b"), 3, "add-remove"),
    claim=ApproxDP(1, "0.002"),
)
def threshold_after_threshold(noise: Noise, data: Sequence[Any]) -> Any:
    """A third record lets the key in: it then passes with probability 0.009, not 0.00125."""
    return [key for key, count in counts(data).items() if count >= 3 and count + noise.laplace(1) >= 7]


@repaired(threshold_after_threshold)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The noisy threshold counts from the first one."""
    return [key for key, count in counts(data).items() if count >= 3 and count - 2 + noise.laplace(1) >= 7]
