"""Sums over the records, and functions of one record.

A function of one record (the body of a comprehension, a filter, the body of a loop) is run on every cell. It must leave
everything outside it as it was.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dpwitness.core.spaces import REAL, Answers, Records
from dpwitness.proofs.composition.cells import (
    RecordNumber,
    RecordTest,
    Split,
    Ways,
    all_ways,
    as_record,
    inputs_json,
    is_local,
    multiply,
    narrowed,
    record_on,
)
from dpwitness.proofs.composition.state import Env, State
from dpwitness.proofs.composition.values import Helper, Listing, Number, Refused, Test, Value, constant, refuse
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.composition.inputs import Inputs, read_inputs
from dpwitness.proofs.kernel.composition.spans import Cell, expr_json

Truth = bool | RecordTest


@dataclass(frozen=True)
class Rows:
    """The dataset, or one made of it record by record: the value of a record of each cell, and whether it is in."""

    values: tuple[Value, ...]
    keep: tuple[Truth, ...]
    sample: str | None = None


@dataclass(frozen=True)
class PerCell:
    """Something computed from the one record of a local program: its value on each cell."""

    values: tuple[Value, ...]


@dataclass(frozen=True)
class Mark:
    """A variable of a loop over the records, with what one record has added to it."""

    name: tuple[str, int]
    added: RecordNumber


NOUGHT = as_record(constant(0))
FEW_CELLS = 24
NO_DATA = (
    "the dataset can be summed, counted, mapped, filtered and looped over, and nothing else: sum(... for r in data), "
    "len(data), data.count(v)"
)


class Recordwise:
    """The part of the reader that sums over records."""

    state: State
    env: Env
    space: Answers | Records
    inputs: Inputs
    inside: int
    runs: int
    ways: Ways | None
    observe: Any
    emit: Any
    bind: Any
    inline: Any
    call_helper: Any
    decide: Any
    data: Rows | None
    numbers: dict[Fraction, int]  # of the points of one coordinate, their cells
    cuts: set[tuple[int, Fraction]]
    wanted: set[tuple[int, Fraction]]
    record: Any
    test_number: Any

    @property
    def space_is_replaced(self) -> bool:
        """Whether neighbours have one record replaced."""
        return isinstance(self.space, Records) and self.space.relation == "substitute"

    @property
    def is_local(self) -> bool:
        """Whether there is exactly one record, which is replaced."""
        return isinstance(self.space, Records) and is_local(self.space)

    def whole_data(self) -> Rows:
        """The dataset as the program gets it, the same object each time."""
        if self.data is not None:
            return self.data
        assert isinstance(self.space, Records)
        assert self.inputs.cells is not None
        values = [record_on(self.space, cell, k) for k, cell in enumerate(self.inputs.cells)]
        self.data = Rows(tuple(values), (True,) * len(values))
        return self.data

    # functions of one record

    def on_record(self, function: Callable[[], Value]) -> Value:
        """What a function of one record gives on one cell."""
        if self.inside:
            refuse("the data inside a function of one record: sum it before, outside")
        self.runs += 1

        def once(ways: Ways) -> Value:
            self.ways = ways
            return function()

        self.inside = self.runs
        try:
            return all_ways(once, self.state.known)
        finally:
            self.inside, self.ways = 0, None

    def truth_of(self, value: Value) -> Truth:
        """The truth of a filter on one cell, without following both ways."""
        if isinstance(value, bool | RecordTest):
            return value
        if isinstance(value, Number):
            number = value.constant
            return number != 0 if number is not None else RecordTest("!=", value.form)
        if isinstance(value, RecordNumber):
            return RecordTest("!=", value.expr)
        if isinstance(value, Test):
            return RecordTest(value.op, value.form)
        return refuse("a filter that is no test")  # type: ignore[no-any-return]

    def map_rows(self, source: Rows, element: Callable[[Value], Value], test: Callable[[Value], Value] | None) -> Rows:
        """A comprehension over the records."""
        real = isinstance(self.space, Records) and isinstance(self.space.domain, REAL)
        if real and source is self.data and len(source.values) > FEW_CELLS:
            return self._map_by_need(source, element, test)
        return self._map_each(source, element, test)

    def _map_by_need(
        self, source: Rows, element: Callable[[Value], Value], test: Callable[[Value], Value] | None
    ) -> Rows:
        """The same on as few cells as this function of a record needs, and handed to the cells inside them."""
        assert self.inputs.cells is not None
        assert isinstance(self.space, Records)
        outer, cuts = self.wanted, set[tuple[int, Fraction]]()
        while True:
            self.wanted = set()
            coarse = read_inputs(inputs_json(self.space, cuts)).cells
            assert coarse is not None
            if len(coarse) > len(self.inputs.cells):
                self.wanted = outer
                return self._map_each(source, element, test)
            rows = tuple(record_on(self.space, cell, k) for k, cell in enumerate(coarse))
            found = self._map_each(Rows(rows, (True,) * len(rows)), element, test)
            if self.wanted <= cuts:
                break
            cuts |= self.wanted
        self.wanted = outer
        if not cuts <= self.cuts:
            raise Split(outer | cuts)
        known = self.state.known
        axes = [{end for cell in coarse for end in cell[k]} for k in range(len(coarse[0]))]
        points = [sorted(ends) for ends in axes]
        places = self._places(points)
        values = [
            found.values[k] if isinstance(found.values[k], bool) else narrowed(found.values[k], cell, known)
            for k, cell in zip(places, self.inputs.cells, strict=True)
        ]
        return Rows(tuple(values), tuple(found.keep[k] for k in places))

    def _places(self, points: Sequence[Sequence[Fraction]]) -> list[int]:
        """For each cell the number of the coarser one in which it lies, of those that `points` cut."""
        assert self.inputs.cells is not None
        if len(points) > 1:
            return [_place(cell, points) for cell in self.inputs.cells]
        if not self.numbers:
            self.numbers = {cell[0][0]: k for k, cell in enumerate(self.inputs.cells) if cell[0][0] == cell[0][1]}
        number = self.numbers
        found = [0] * len(self.inputs.cells)
        for k, (low, high) in enumerate(pairwise([number[point] for point in points[0]])):
            found[low] = 2 * k
            found[low + 1 : high] = [2 * k + 1] * (high - low - 1)
        found[-1] = 2 * len(points[0]) - 2
        return found

    def _map_each(self, source: Rows, element: Callable[[Value], Value], test: Callable[[Value], Value] | None) -> Rows:
        values: list[Value] = []
        keep: list[Truth] = []
        for row, kept in zip(source.values, source.keep, strict=True):
            inside = True if test is None else self.truth_of(self.on_record(lambda row=row: test(row)))  # type: ignore[misc]
            both = self._both(kept, inside)
            keep.append(both)
            values.append(NOUGHT if both is False else self.on_record(lambda row=row: element(row)))  # type: ignore[misc]
        return Rows(tuple(map(frozen, values)), tuple(keep), source.sample)

    def _both(self, one: Truth, two: Truth) -> Truth:
        if one is False or two is False:
            return False
        if one is True:
            return two
        if two is True:
            return one
        return RecordTest("!=", multiply(self.record(one), self.record(two), self.state.known).expr)

    def total(self, source: Rows, values: tuple[Value, ...]) -> Number:
        """The sum over the records of a number that is known on each cell."""
        assert self.inputs.cells is not None
        places: dict[str, list[int]] = {}
        exprs: dict[str, Any] = {}
        whole = True
        for k, (value, keep) in enumerate(zip(values, source.keep, strict=True)):
            if keep is False or value is False or value is NOUGHT:
                continue
            if not isinstance(value, RecordNumber | RecordTest | Number | bool):
                refuse("a sum over something that is no number")
            number = self.record(value)
            if keep is not True:
                number = multiply(self.record(keep), number, self.state.known)
            whole = whole and number.whole  # 0.0 adds nothing, and makes the sum a float
            if isinstance(number.expr, Poly) and not number.expr.terms:
                continue
            data = expr_json(number.expr)
            name = json.dumps(data, sort_keys=True)
            places.setdefault(name, []).append(k)
            exprs[name] = data
        if not places:
            if not all(self.record(v).whole for v, keep in zip(values, source.keep, strict=True) if keep is not False):
                refuse("a sum of zeros whose type tells whether there are records: write 0 in place of 0.0")
            return constant(0)
        size = len(self.inputs.cells)
        table = [["*" if len(where) == size else where, exprs[name]] for name, where in places.items()]
        key = ("sum", json.dumps(table, sort_keys=True), source.sample, whole)  # sums of 1 and of 1.0 are two
        if key not in self.state.made:
            symbol = self.state.fresh_name("%")
            self.emit("sum", symbol, table, *([] if source.sample is None else [source.sample]))
            self.state.made[key] = symbol
            if whole:
                self.state.made["int", symbol] = symbol
        return Number(Poly.symbol(self.state.made[key]), whole)

    def count_of(self, rows: Rows) -> Number:
        """The number of records."""
        everything = all(keep is True for keep in rows.keep) and rows.sample is None
        if everything and self.is_local:
            return constant(1)
        if everything and self.space_is_replaced:
            return Number(Poly.symbol("#n"), True)
        return self.total(rows, (constant(1),) * len(rows.keep))

    # one local record

    def local_number(self, value: PerCell) -> Number:
        """A function of the one record as a private number."""
        parts = list(value.values)
        if any(not isinstance(v, Number | bool | RecordNumber | RecordTest) for v in parts):
            refuse("something private that is no number is used as one")
        numbers = [self.record(v) for v in parts]
        first = numbers[0]
        if all(isinstance(n.expr, Poly) and n.expr == first.expr for n in numbers):
            if any(not isinstance(v, Number) or not v.whole for v in parts):
                refuse("a number that is equal on all records, and whose type or sign may tell them apart")
            return Number(first.expr, True)
        return self.total(Rows(tuple(parts), (True,) * len(parts)), tuple(parts))

    def lift(self, cells: list[Value]) -> Value:
        """One value for all cells: the common structure, with `PerCell` wherever numbers or texts differ."""
        first = cells[0]
        if all(isinstance(c, Listing) for c in cells):
            if any(c.kind != first.kind or len(c.items) != len(first.items) for c in cells):
                refuse("a list whose length depends on a private record")
            return Listing([self.lift([c.items[i] for c in cells]) for i in range(len(first.items))], first.kind)
        if any(isinstance(c, Listing | Helper) or c is None for c in cells) and any(c is not first for c in cells):
            refuse("a structure whose shape depends on a private record")
        plain = all(type(c) is type(first) and c == first for c in cells) and not isinstance(first, RecordNumber)
        if plain and not isinstance(first, RecordTest) and (not isinstance(first, Number) or first.whole):
            return first  # equal floats may be 0.0 and -0.0, or a Fraction
        return PerCell(tuple(cells))

    def per_cell(self, function: Callable[..., Value], *values: Value) -> Value:
        """A pure function of the one record of a local program, cell by cell."""
        assert self.inputs.cells is not None
        found = []
        for k in range(len(self.inputs.cells)):
            given = [_on_cell(v, k) for v in values]
            found.append(frozen(self.on_record(lambda given=given: function(*given))))  # type: ignore[misc]
        return self.lift(found)


def _place(cell: Cell, points: Sequence[Sequence[Fraction]]) -> int:
    """The number of the coarser cell in which a cell lies; `points` are those at which each coordinate is cut."""
    found = 0
    for (low, high), ends in zip(cell, points, strict=True):
        k = bisect_right(ends, low) - 1
        found = found * (2 * len(ends) - 1) + (2 * k if low == high == ends[k] else 2 * k + 1)
    return found


def frozen(value: Value) -> Value:
    """A result of a record function that nothing can change."""
    if isinstance(value, Listing):
        return Listing([frozen(part) for part in value.items], value.kind, -1)
    if isinstance(value, Mark):
        return refuse("a loop over the records hands on the sum so far")
    return value


def _on_cell(value: Value, k: int) -> Value:
    if isinstance(value, PerCell):
        return value.values[k]
    if isinstance(value, Listing) and any(isinstance(v, PerCell | Listing) for v in value.items):
        return Listing([_on_cell(v, k) for v in value.items], value.kind, -1)
    return value


def holds_cells(value: Value) -> bool:
    """Whether a local record can be reached from a value."""
    return isinstance(value, PerCell) or (isinstance(value, Listing) and any(map(holds_cells, value.items)))


__all__ = ["NOUGHT", "NO_DATA", "Mark", "PerCell", "Recordwise", "Refused", "Rows", "holds_cells"]
