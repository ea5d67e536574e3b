"""Numbers computed from one output: its own columns, and a few combinations that broken mechanisms give away."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from dpwitness.auditors.outputs.arrays import Floats
from dpwitness.auditors.outputs.table import Table

_MOST_DIFFERENCES = 48


def in_order(places: Sequence[str], columns: Iterable[int]) -> list[int]:
    """Columns in the order of their places, numbers in them compared as numbers.

    >>> in_order(["output[10]", "output[9]"], [0, 1])
    [1, 0]
    """
    return sorted(columns, key=lambda j: [int(x) if x.isdigit() else x for x in re.split(r"(\d+)", places[j])])


@dataclass(frozen=True)
class Features:
    """Which features are computed: the given columns of a table, named by `places`.

    The columns come first; then, where there are several, their number present, sum, largest, smallest, the index of
    the largest, and the differences of neighbours.
    """

    columns: tuple[int, ...]
    places: tuple[str, ...]

    @staticmethod
    def seen(places: Sequence[str], *tables: Table) -> Features:
        """The columns in which one of the tables holds a number, in the order of their places.

        The order does not depend on when a place was first seen, so it says nothing of outputs outside the tables.
        """
        used = {j for table in tables for j in np.flatnonzero(~np.isnan(table.columns).all(axis=0)).tolist()}
        order = in_order(places, used)
        return Features(tuple(order), tuple(places[j] for j in order))

    @property
    def names(self) -> tuple[str, ...]:
        """One name for every feature, in the words of an event."""
        if len(self.places) < 2:
            return self.places
        extra = ["the count of numbers", "the sum", "the largest number", "the smallest number"]
        extra.append("the index of the largest")
        if len(self.places) <= _MOST_DIFFERENCES:
            extra += [f"{b} − {a}" for a, b in zip(self.places, self.places[1:], strict=False)]
        return (*self.places, *extra)

    def matrix(self, table: Table) -> Floats:
        """One row per output, one column per feature; NaN where it does not exist. Computed once for each table."""
        if self not in table.known:
            table.known[self] = self._matrix(table)
        return table.known[self]

    def _matrix(self, table: Table) -> Floats:
        base = table.widened(max(self.columns, default=-1) + 1).columns[:, list(self.columns)]
        if len(self.places) < 2:
            return base
        present = ~np.isnan(base)
        count = present.sum(axis=1).astype(np.float64)
        nothing = count == 0
        with warnings.catch_warnings(), np.errstate(invalid="ignore"):
            warnings.simplefilter("ignore", RuntimeWarning)
            total = np.where(nothing, np.nan, np.nansum(base, axis=1))
            low, high = np.where(present, base, np.inf), np.where(present, base, -np.inf)
            largest = np.where(nothing, np.nan, high.max(axis=1))
            smallest = np.where(nothing, np.nan, low.min(axis=1))
            where = np.where(nothing, np.nan, high.argmax(axis=1).astype(np.float64))
            parts = [base, np.stack([count, total, largest, smallest, where], axis=1)]
            if len(self.places) <= _MOST_DIFFERENCES:
                parts.append(base[:, 1:] - base[:, :-1])
        return np.concatenate(parts, axis=1)
