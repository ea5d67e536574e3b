"""A transformation of a dataset spreads one changed record over many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core import PureDP, Records
from dpwitness.core.noise import Noise
from dpwitness.core.stability.columns import choices, wholes
from dpwitness.core.stability.rows import Rows
from dpwitness.corpus.entry import bug, deterministic, repaired

SIZE = 4


def resized(records: Sequence[Any]) -> list[Any]:
    """Exactly four records: padded with 0, or cut; a full dataset is shuffled."""
    full = len(records) >= SIZE
    chosen = list(records)[:SIZE][::-1] if full else list(records)
    return chosen + [0] * (SIZE - len(chosen))


def resized_in_order(records: Sequence[Any]) -> list[Any]:
    """The same, in the given order."""
    return (list(records) + [0] * SIZE)[:SIZE]


@bug(
    "opendp-2927",
    "OpenDP issue 2927",
    "make_resize shuffles datasets that have the right size already",
    "serious",
    "SA",
    data=Records((0, 1), (2, 4), "add-remove"),
    claim=PureDP(1),
)
def resize_shuffles(noise: Noise, data: Sequence[Any]) -> Any:
    """A last record is added, and all others change their places."""
    return sum(resized(data)[:2]) + noise.laplace(1)


@repaired(resize_shuffles)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The order is kept: of the first two records one leaves and one comes."""
    return sum(resized_in_order(data)[:2]) + noise.laplace(1)


deterministic(resize_shuffles, Rows(wholes(1, 9), (2, 4)), "insert-delete", 2, resized, resized_in_order)


def codes_by_appearance(values: Sequence[Any]) -> list[int]:
    """Categories numbered as they come."""
    known: list[Any] = []
    for value in values:
        if value not in known:
            known.append(value)
    return [known.index(value) for value in values]


def codes_by_alphabet(values: Sequence[Any]) -> list[int]:
    """Categories numbered by a public list."""
    return ["abc".index(value) for value in values]


@bug(
    "opendp-2944",
    "OpenDP issue 2944",
    "cut().to_physical() numbers categories by the order of the rows",
    "serious",
    "SA",
    data=Records(("a", "b", "c"), 4, "add-remove"),
    claim=PureDP(1),
)
def codes_depend_on_rows(noise: Noise, data: Sequence[Any]) -> Any:
    """A first row of another category renumbers all others."""
    return sum(codes_by_appearance(data)) + noise.laplace(2)


@repaired(codes_depend_on_rows)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """The numbers are public."""
    return sum(codes_by_alphabet(data)) + noise.laplace(2)


LETTERS = Rows(choices("a", "b", "c"))
deterministic(codes_depend_on_rows, LETTERS, "symmetric", 1, codes_by_appearance, codes_by_alphabet)


def pairwise(values: Sequence[Any]) -> list[Any]:
    """Each record times the next, two by two; the last of an odd number is dropped."""
    return [a * b for a, b in zip(values[::2], values[1::2], strict=False)]


def by_itself(values: Sequence[Any]) -> list[Any]:
    """Each record times itself."""
    return [a * a for a in values]


@bug(
    "opendp-2950",
    "OpenDP issue 2950",
    "pairwise prediction drops a row of tables with an odd number of rows",
    "serious",
    "SA",
    data=Records((-1, 1), 6, "add-remove"),
    claim=PureDP(1),
)
def pairs_shift(noise: Noise, data: Sequence[Any]) -> Any:
    """A record inserted at the front pairs all others anew."""
    return sum(pairwise(data)) + noise.laplace(1)


@repaired(pairs_shift)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Row by row."""
    return sum(by_itself(data)) + noise.laplace(1)


deterministic(pairs_shift, Rows(wholes(-1, 1)), "symmetric", 1, pairwise, by_itself)


def differences(values: Sequence[Any]) -> list[Any]:
    """Each record less the one before."""
    return [b - a for a, b in zip([0, *values], values, strict=False)]


@bug(
    "row-by-row",
    "a class of OpenDP issues 2944 to 2950",
    "a function of neighbouring rows is declared to be row by row",
    "serious",
    "SA",
    data=Records((0, 1), 4, "add-remove"),
    claim=PureDP(2),
)
def not_row_by_row(noise: Noise, data: Sequence[Any]) -> Any:
    """The number of steps upwards: one record makes, or breaks, more than one of them."""
    return 2 * sum(x > 0 for x in differences(data)) + 2 * sum(x < 0 for x in differences(data)) + noise.laplace(1)


@repaired(not_row_by_row)
def _(noise: Noise, data: Sequence[Any]) -> Any:
    """Row by row."""
    return 2 * sum(x > 0 for x in data) + noise.laplace(1)


deterministic(not_row_by_row, Rows(wholes(0, 9)), "symmetric", 1, differences, by_itself)
