"""NaN, missing values and exceptions: what a comparison lets pass, and what an error says."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from dpwitness.core import PureDP, Records
from dpwitness.core.noise import Noise
from dpwitness.core.stability.columns import choices, reals, wholes
from dpwitness.core.stability.rows import Rows
from dpwitness.corpus.entry import bug, deterministic, repaired

NAN = math.nan


def clamp(value: float, low: float, high: float) -> float:
    """Comparisons with NaN are false, so NaN passes."""
    if value < low:
        return low
    return high if value > high else value


def nan_to_zero(values: Sequence[float]) -> float:
    """A sum of values clamped to [10, 11] in which NaN becomes 0 afterwards."""
    return sum(0.0 if math.isnan(x) else x for x in (clamp(v, 10.0, 11.0) for v in values))


def nan_to_middle(values: Sequence[float]) -> float:
    """The same, where NaN becomes a value of the domain before it is clamped."""
    return sum(clamp(10.5 if math.isnan(v) else v, 10.0, 11.0) for v in values)


@bug(
    "opendp-2935",
    "OpenDP issue 2935",
    "NaN becomes 0, which is outside the bounds",
    "serious",
    "SA",
    data=Records(("10", "11", "nan"), 3),
    claim=PureDP(1),
)
def zero_outside_bounds(noise: Noise, data: Sequence[Any]) -> Any:
    """A replaced record moves the sum by 11; noise is for 1."""
    return nan_to_zero([float(x) for x in data]) + noise.laplace(1)


@repaired(zero_outside_bounds)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Filled within the bounds."""
    return nan_to_middle([float(x) for x in data]) + noise.laplace(1)


TENS = Rows(reals(0, 20, nan=True), (3, 3), "substitute")
deterministic(zero_outside_bounds, TENS, "l1", 1, nan_to_zero, nan_to_middle)


def filled_with_nan(values: Sequence[Any]) -> list[float]:
    """Missing values filled with NaN."""
    return [NAN if x is None else x for x in values]


def filled_with_number(values: Sequence[Any]) -> list[float]:
    """Missing values filled with a number."""
    return [0.0 if x is None else x for x in values]


@bug(
    "opendp-2936",
    "OpenDP issue 2936",
    "fill_null(NaN) leaves NaN in a column that is said to have none",
    "critical",
    "SA",
    data=Records(("0", "1", ""), 3),
    claim=PureDP(1),
)
def filled_column(noise: Noise, data: Sequence[Any]) -> Any:
    """One missing value, and the sum is NaN."""
    return sum(filled_with_nan([float(x) if x else None for x in data])) + noise.laplace(1)


@repaired(filled_column)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """A number for what is missing."""
    return sum(filled_with_number([float(x) if x else None for x in data])) + noise.laplace(1)


HOLES = Rows(reals(0, 1, missing=True))
deterministic(filled_column, HOLES, "symmetric", 1, filled_with_nan, filled_with_number, domain=reals(0, 1))


def clamped_sum(values: Sequence[float]) -> float:
    """A sum of values clamped to [0, 1], NaN among them."""
    return sum(clamp(v, 0.0, 1.0) for v in values)


def clamped_without_nan(values: Sequence[float]) -> float:
    """The same, where NaN counts as 0."""
    return sum(0.0 if math.isnan(v) else clamp(v, 0.0, 1.0) for v in values)


@bug(
    "google-go-405",
    "Google differential-privacy, Go, issue 405",
    "NaN passes a clamp made of two comparisons",
    "critical",
    "SA",
    data=Records(("0", "1", "nan"), 3, "add-remove"),
    claim=PureDP(1),
)
def nan_passes(noise: Noise, data: Sequence[Any]) -> Any:
    """One NaN, and the sum is NaN whatever the noise."""
    return clamped_sum([float(x) for x in data]) + noise.laplace(1)


@repaired(nan_passes)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """NaN is caught."""
    return clamped_without_nan([float(x) for x in data]) + noise.laplace(1)


deterministic(nan_passes, Rows(reals(nan=True, infinite=True)), "l1", 1, clamped_sum, clamped_without_nan)


def spent(weights: Sequence[Any]) -> float:
    """The share of a budget that is used: 0/0 is NaN, as numpy has it."""
    total = sum(weights)
    return 2.0 if total else NAN


@bug(
    "pysyft-6956",
    "PySyft issue 6956",
    "a budget of NaN is never exceeded, and the array is released",
    "critical",
    "A",
    data=Records((0, 1), 2, "add-remove"),
    claim=PureDP(1),
)
def budget_of_nan(noise: Noise, data: Sequence[Any]) -> Any:
    """NaN > 1 is false: data that sum to 0 are handed out."""
    if spent(data) > 1:
        return "refused", sum(data) + noise.discrete_laplace(1)
    return "released", list(data)


@repaired(budget_of_nan)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Only a budget that is known to suffice releases anything."""
    return "refused", sum(data) + noise.discrete_laplace(1)


def exponential_weight(values: Sequence[Any]) -> float:
    """A weight that grows with the number of records."""
    return math.exp(0.476 * len(values)) / math.exp(0.476 * len(values))


def shifted_weight(values: Sequence[Any]) -> float:
    """The same with the largest exponent taken off."""
    return math.exp(0.476 * len(values) - 0.476 * len(values))


@bug(
    "smartnoise-sql-572",
    "SmartNoise SQL issue 572",
    "a quantile overflows at 1492 records, and raises",
    "serious",
    "SA",
    data=Records((0, 1), (1, 2000), "add-remove"),
    claim=PureDP(1),
)
def crash_at_a_count(noise: Noise, data: Sequence[Any]) -> Any:
    """exp overflows at 710: the exception says how many records there are."""
    try:
        return exponential_weight(data) + noise.laplace(1)
    except OverflowError:
        return "failed"


@repaired(crash_at_a_count)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Weights are normalised before exp."""
    return shifted_weight(data) + noise.laplace(1)


deterministic(crash_at_a_count, Rows(wholes(0, 1), (0, 4000)), "l1", 1, exponential_weight, shifted_weight)


def middle_of_gaps(values: Sequence[Any]) -> float:
    """A point between the values, weighted by the gaps between them; no gaps, no weights."""
    ordered = sorted(values)
    gaps = [b - a for a, b in pairwise(ordered)]
    return float(sum(g * g for g in gaps) / sum(gaps))


def middle_of_range(values: Sequence[Any]) -> float:
    """The same with the ends of the range as values of their own."""
    ordered = [0.0, *sorted(values), 1.0]
    gaps = [b - a for a, b in pairwise(ordered)]
    return float(sum(g * g for g in gaps) / sum(gaps))


@bug(
    "diffprivlib-43",
    "diffprivlib issue 43",
    "a quantile of equal values raises",
    "serious",
    "SA",
    data=Records((0, 1), 3),
    claim=PureDP(1),
)
def no_gaps(noise: Noise, data: Sequence[Any]) -> Any:
    """All intervals have length 0, and their weights cannot be normalised."""
    if max(data) == min(data):
        return "failed"
    return middle_of_gaps(data) + noise.laplace(1)


@repaired(no_gaps)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The ends of the range are always there."""
    return middle_of_range(data) + noise.laplace(1)


deterministic(no_gaps, Rows(choices(0.0, 0.5, 1.0), (3, 3), "substitute"), "l1", 1, middle_of_gaps, middle_of_range)
