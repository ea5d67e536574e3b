"""Integers that wrap around, and divisions that round down."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import PureDP, Records
from dpwitness.core.noise import Noise
from dpwitness.core.stability.columns import wholes
from dpwitness.core.stability.rows import Rows
from dpwitness.corpus.entry import bug, deterministic, repaired


def wrapped(value: Any, bits: int) -> Any:
    """A whole number as a register of so many bits keeps it."""
    half = 2 ** (bits - 1)
    return (value + half) % (2 * half) - half


def sum_of_int32(values: Sequence[Any]) -> Any:
    """A sum in a register of 32 bits."""
    total = 0
    for value in values:
        total = wrapped(total + value, 32)
    return total


def saturated_sum(values: Sequence[Any]) -> Any:
    """A sum that stays at the largest number."""
    total = 0
    for value in values:
        total = min(total + value, 2**31 - 1)
    return total


LARGE = Records((0, 2**30), 3, "add-remove")


@bug(
    "smartnoise-sql-int32",
    "SmartNoise SQL before 0.2.8; Casacuberta et al. 2022",
    "sums of integers wrap around at 2³¹",
    "critical",
    "SA",
    data=LARGE,
    claim=PureDP(1),
)
def wraps_at_int32(noise: Noise, data: Sequence[Any]) -> Any:
    """2³⁰ twice is −2³¹."""
    return sum_of_int32(data) + noise.laplace(2**30)


@repaired(wraps_at_int32)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Saturating addition."""
    return saturated_sum(data) + noise.laplace(2**30)


deterministic(wraps_at_int32, Rows(wholes(0, 2**30), (0, 16)), "l1", 2**30, sum_of_int32, saturated_sum)


def count_of_int8(values: Sequence[Any]) -> Any:
    """A count in a register of 8 bits."""
    return wrapped(len(values), 8)


@bug(
    "casacuberta-count",
    "Casacuberta et al. 2022 (2207.10635)",
    "a count wraps around at 2⁷",
    "critical",
    "SA",
    data=Records((0, 1), (0, 300), "add-remove"),
    claim=PureDP(1),
)
def wraps_at_a_count(noise: Noise, data: Sequence[Any]) -> Any:
    """127 records and one more are −128."""
    return count_of_int8(data) + noise.laplace(1)


@repaired(wraps_at_a_count)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Python's own integers."""
    return len(data) + noise.laplace(1)


deterministic(wraps_at_a_count, Rows(wholes(0, 1), (0, 300)), "l1", 1, count_of_int8, len)


def sum_of_int16(values: Sequence[Any]) -> Any:
    """A sum in a register of 16 bits."""
    return wrapped(sum(values), 16)


@bug(
    "casacuberta-sum",
    "Casacuberta et al. 2022 (2207.10635)",
    "a sum of many small values wraps around at 2¹⁵",
    "critical",
    "SA",
    data=Records((0, 100), (0, 400), "add-remove"),
    claim=PureDP(1),
)
def wraps_after_many(noise: Noise, data: Sequence[Any]) -> Any:
    """328 times 100."""
    return sum_of_int16(data) + noise.laplace(100)


@repaired(wraps_after_many)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Wide enough for all records that there may be."""
    return wrapped(sum(data), 32) + noise.laplace(100)


deterministic(wraps_after_many, Rows(wholes(0, 100), (0, 1000)), "l1", 100, sum_of_int16, sum)


def noise_for(l0: int, linf: int, bits: int) -> int:
    """The product of two bounds, in a register."""
    product: int = l0 * linf % 2**bits
    return product


@bug(
    "google-go-411",
    "Google differential-privacy, Go, issue 411",
    "the product of two contribution bounds wraps around",
    "serious",
    "AG",
    data=Records((0, 17), 2, "add-remove"),
    claim=PureDP(1),
)
def bounds_wrap(noise: Noise, data: Sequence[Any]) -> Any:
    """16 rows of at most 17 are 272, and 16 in a register of 8 bits."""
    return 16 * sum(data) + noise.laplace(noise_for(16, 17, 8))


@repaired(bounds_wrap)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """A register that holds the product."""
    return 16 * sum(data) + noise.laplace(noise_for(16, 17, 32))


@bug(
    "opendp-314",
    "OpenDP issue 314, before 0.4",
    "half of an odd range is truncated",
    "serious",
    "SA",
    data=Records((0, 3), 2),
    claim=PureDP(1),
)
def truncated_half(noise: Noise, data: Sequence[Any]) -> Any:
    """2·⌊3/2⌋ = 2, and the sum moves by 3."""
    return sum(data) + noise.laplace(2 * (3 // 2))


@repaired(truncated_half)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The range itself."""
    return sum(data) + noise.laplace(3)


def total(values: Sequence[Any]) -> Any:
    """The sum."""
    return sum(values)


deterministic(truncated_half, Rows(wholes(0, 3), (2, 2), "substitute"), "l1", 2, total, None, fixed_bound=3)


def centred_sum(values: Sequence[Any]) -> Any:
    """The sum of the distances from the middle of [0, 3]."""
    return sum(x - 3 / 2 for x in values)


@bug(
    "google-cpp-75046f9",
    "Google differential-privacy, C++, commit 75046f9",
    "the sensitivity of a bounded mean is rounded down for odd ranges",
    "serious",
    "SA",
    data=Records((0, 3), 3, "add-remove"),
    claim=PureDP(1),
)
def rounded_down(noise: Noise, data: Sequence[Any]) -> Any:
    """⌊3/2⌋ = 1, and a record moves the centred sum by 1.5."""
    return centred_sum(data) + noise.laplace(3 // 2)


@repaired(rounded_down)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Half of the range."""
    return centred_sum(data) + noise.laplace(3 / 2)


deterministic(rounded_down, Rows(wholes(0, 3)), "l1", 1, centred_sum, None, fixed_bound="3/2")
