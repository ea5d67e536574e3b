"""What should be public comes from the data: categories, bounds, sizes, keys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import PureDP, Records
from dpwitness.core.noise import Noise
from dpwitness.core.stability.columns import choices
from dpwitness.core.stability.rows import Rows
from dpwitness.corpus.entry import bug, deterministic, repaired

LETTERS = Records(("a", "b", "c"), 3, "add-remove")
NUMBERS = Records((0, 5, 10), 3)
KNOWN = ("a", "b", "c")


def counts_of_present(records: Sequence[Any]) -> dict[Any, int]:
    """Counts of the classes that occur."""
    return {key: sum(x == key for x in records) for key in KNOWN if key in records}


def counts_of_known(records: Sequence[Any]) -> dict[Any, int]:
    """Counts of all classes of a public list."""
    return {key: sum(x == key for x in records) for key in KNOWN}


@bug(
    "diffprivlib-unique",
    "diffprivlib (found by Re:cord-play)",
    "the classes are those that occur in the data",
    "critical",
    "SAG",
    data=LETTERS,
    claim=PureDP(1),
)
def classes_from_data(noise: Noise, data: Sequence[Any]) -> Any:
    """A class of one person is there, or is not."""
    return [(key, count + noise.laplace(1)) for key, count in counts_of_present(data).items()]


@repaired(classes_from_data)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The classes are an argument."""
    return [(key, count + noise.laplace(1)) for key, count in counts_of_known(data).items()]


deterministic(classes_from_data, Rows(choices("a", "b", "c")), "l1", 1, counts_of_present, counts_of_known)


@bug(
    "dpmm-b784592",
    "dpmm commit b784592",
    "the domain of a column is its smallest and largest value",
    "critical",
    "AG",
    data=NUMBERS,
    claim=PureDP(1),
)
def domain_from_data(noise: Noise, data: Sequence[Any]) -> Any:
    """The edges of the bins are published with the counts."""
    low, high = min(data), max(data)
    below = sum(2 * x < low + high for x in data)
    return [low, high, below + noise.laplace(1)]


@repaired(domain_from_data)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The edges are public."""
    return [0, 10, sum(2 * x < 10 for x in data) + noise.laplace(1)]


@bug(
    "diffprivlib-0e6cea9",
    "diffprivlib commit 0e6cea9",
    "bounds of nanmean come from the data",
    "critical",
    "AG",
    data=NUMBERS,
    claim=PureDP(1),
)
def range_from_data(noise: Noise, data: Sequence[Any]) -> Any:
    """Equal values have range 0, and no noise."""
    scale = (max(data) - min(data)) / len(data)
    return sum(data) / len(data) + (noise.laplace(scale) if scale > 0 else 0)


@repaired(range_from_data)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The range is public."""
    return sum(data) / len(data) + noise.laplace(10 / 3)


@bug(
    "diffprivlib-20",
    "diffprivlib issue 20",
    "bounds that are not given are taken from the data, with a warning",
    "critical",
    "AG",
    data=Records((0, 5, 10), (2, 3), "add-remove"),
    claim=PureDP(1),
)
def largest_from_data(noise: Noise, data: Sequence[Any]) -> Any:
    """The noise of a sum is scaled by the largest value that occurs."""
    return sum(data) + noise.laplace(max(1, *data))


@repaired(largest_from_data)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The largest value that may occur."""
    return sum(data) + noise.laplace(10)


@bug(
    "opendp-2345",
    "OpenDP issue 2345",
    "explicit keys that do not occur are filled with an exact 0",
    "critical",
    "AG",
    data=LETTERS,
    claim=PureDP(1),
)
def filled_with_zero(noise: Noise, data: Sequence[Any]) -> Any:
    """Noise is added before the join with the public keys, and missing ones are 0."""
    noisy = {key: count + noise.discrete_laplace(1) for key, count in counts_of_present(data).items()}
    return [noisy.get(key, 0) for key in KNOWN]


@repaired(filled_with_zero)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Zeros are filled in before the noise."""
    return [count + noise.discrete_laplace(1) for count in counts_of_known(data).values()]


@bug(
    "datasynthesizer-metadata",
    "DataSynthesizer (2405.10994)",
    "the kind of a column is inferred from the data",
    "critical",
    "A",
    data=LETTERS,
    claim=PureDP(1),
)
def inferred_kind(noise: Noise, data: Sequence[Any]) -> Any:
    """Whether a column is categorical is said exactly."""
    kind = "categorical" if len(set(data)) < len(data) else "text"
    return kind, len(data) + noise.discrete_laplace(1)


@repaired(inferred_kind)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The kind is declared."""
    return "categorical", len(data) + noise.discrete_laplace(1)


@bug(
    "dpart-6",
    "dpart issue 6",
    "a bound that is missing is filled with the largest value",
    "critical",
    "AG",
    data=NUMBERS,
    claim=PureDP(1),
)
def published_bound(noise: Noise, data: Sequence[Any]) -> Any:
    """Post-processing clips to the data's own maximum."""
    top = max(data)
    noisy = sum(data) + noise.laplace(10)
    return top if noisy > top else noisy


@repaired(published_bound)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Clipped to a public bound."""
    noisy = sum(data) + noise.laplace(10)
    return 30 if noisy > 30 else noisy


@bug(
    "dpwgan-size",
    "DPWGAN, NIST challenge (2405.10994)",
    "as many synthetic rows as there are records",
    "serious",
    "A",
    data=Records((0, 1), 3, "add-remove"),
    claim=PureDP(1),
)
def as_many_rows(noise: Noise, data: Sequence[Any]) -> Any:
    """The number of rows is exact."""
    odds = sum(2 * x - 1 for x in data) / 2
    return [1 if noise.bernoulli(log_odds=odds / max(1, len(data))) else 0 for _ in data]


@repaired(as_many_rows)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Two rows, whatever the data: each at half of the budget."""
    odds = sum(2 * x - 1 for x in data) / 2
    return [1 if noise.bernoulli(log_odds=odds) else 0 for _ in range(2)]


@bug(
    "smartnoise-sql-317",
    "SmartNoise SQL issue 317",
    "a sum of a column without bounds gets no noise",
    "critical",
    "AG",
    data=Records((0, 1), 3, "add-remove"),
    claim=PureDP(1),
)
def sum_without_bounds(noise: Noise, data: Sequence[Any]) -> Any:
    """No bounds, no sensitivity, no noise."""
    sensitivity = None
    return [len(data) + noise.laplace(1), sum(data) + (noise.laplace(sensitivity) if sensitivity else 0)]


@repaired(sum_without_bounds)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Bounds are required, and the budget is shared."""
    return [len(data) + noise.laplace(2), sum(data) + noise.laplace(2)]


@bug(
    "smartnoise-sql-approx-bounds",
    "SmartNoise SQL change log, before 1.0.2",
    "approximate bounds look at occupied bins alone",
    "critical",
    "A",
    data=Records((1, 10, 100), 2, "add-remove"),
    claim=PureDP(1),
)
def occupied_bins(noise: Noise, data: Sequence[Any]) -> Any:
    """An empty bin is never chosen, so a chosen one tells that somebody is in it."""
    noisy = {bin: data.count(bin) + noise.laplace(1) for bin in (1, 10, 100) if bin in data}
    return max((bin for bin, count in noisy.items() if count > 1), default=0)


@repaired(occupied_bins)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Every bin gets noise."""
    noisy = {bin: data.count(bin) + noise.laplace(1) for bin in (1, 10, 100)}
    return max((bin for bin, count in noisy.items() if count > 1), default=0)
