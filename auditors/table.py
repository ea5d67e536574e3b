"""Outputs of any kind as a table: a code for the form of each output, and one column per place that holds a number.

The *form* of an output is its structure with everything that is not a number: the nesting of lists and tuples, their
lengths, text, None, NaN. Its numbers stand in columns named by their place, such as ``output[2]``; a place that an
output does not have holds NaN there. Codes and columns are given out in order of first appearance by one `Encoder`, so
tables of the same run can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpwitness.auditors.arrays import AnyArray, Bools, Floats, Ints
from dpwitness.auditors.forms import (
    EXACT,
    KINDS,
    MINUS_ZERO,
    NAN,
    OTHER,
    Form,
    batch_length,
    form_of_skeleton,
    places_of,
    show_form,
    too_large,
    with_holes,
)
from dpwitness.auditors.keys import hashed
from dpwitness.auditors.objects import form_of_object
from dpwitness.core.errors import BadInput

__all__ = ["Encoder", "Form", "Table", "join", "show_form"]

MOST_FORMS = 5000
MOST_COLUMNS = 512


@dataclass(frozen=True)
class Table:
    """`len(self)` outputs: forms and numbers (see the module)."""

    codes: Ints
    columns: Floats
    known: dict[Any, Floats] = field(default_factory=dict, repr=False, compare=False)  # what was computed from it

    def __getstate__(self) -> dict[str, Any]:
        return {"codes": self.codes, "columns": self.columns, "known": {}}

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, part: slice | Ints | Bools) -> Table:
        return Table(self.codes[part], self.columns[part])

    @property
    def width(self) -> int:
        """Number of columns."""
        return int(self.columns.shape[1])

    def widened(self, width: int) -> Table:
        """The same outputs with empty columns added up to `width`."""
        if width <= self.width:
            return self
        empty = np.full((len(self), width - self.width), np.nan)
        return Table(self.codes, np.concatenate([self.columns, empty], axis=1))

    def keys(self) -> AnyArray:
        """A 64-bit hash of every whole output; equal outputs have equal keys, whatever the width of the table."""
        return hashed(self.codes, self.columns)


def join(tables: Sequence[Table]) -> Table:
    """Several tables of one encoder as one."""
    width = max(table.width for table in tables)
    wide = [table.widened(width) for table in tables]
    return Table(np.concatenate([t.codes for t in wide]), np.concatenate([t.columns for t in wide], axis=0))


class Encoder:
    """Turns batches of outputs into tables; remembers the forms and places seen.

    >>> encoder = Encoder()
    >>> table = encoder.encode([(None, 2.5), ("a", 1), None])
    >>> table.codes, table.columns[:, 0], encoder.places
    (array([0, 1, 2]), array([2.5, 1. , nan]), ['output[1]'])
    """

    def __init__(self) -> None:
        self.forms: list[Form] = []
        self.places: list[str] = []
        self._code: dict[Form, int] = {}
        self._column: dict[str, int] = {}
        self._layout: dict[Form, list[int]] = {}
        self._no_more = (False, False)

    def settle(self) -> None:
        """Decide, before further outputs are read, whether new forms and new places are still told apart.

        Deciding it in the middle of a batch would let the reading of one output depend on later ones.
        """
        self._no_more = (len(self.forms) >= MOST_FORMS, len(self.places) >= MOST_COLUMNS)

    def encode(self, outputs: Any, size: int | None = None) -> Table:
        """A table of `outputs`: an array, a list, or a columnar batch with skeletons.

        Parameters
        ----------
        size
            How many outputs are expected; anything else is an error.
        """
        count = batch_length(outputs)
        if size is not None and count != size:
            raise BadInput(f"the sampler returned {count} outputs where size={size} were asked for")
        if all(hasattr(outputs, name) for name in ("codes", "skeletons", "columns")):
            return self._from_skeletons(outputs)
        if isinstance(outputs, np.ndarray) and outputs.dtype.kind in "fiub" and outputs.ndim in (1, 2):
            return self._from_objects(outputs.tolist()) if _any_large(outputs) else self._from_array(outputs)
        items = outputs.tolist() if isinstance(outputs, np.ndarray) else list(outputs)
        if len(items) != count:  # a data frame has rows, and iterates over the names of its columns
            kind = type(outputs).__name__
            raise BadInput(
                f"the sampler returned a {kind} of length {count} that holds {len(items)} items; give a list"
            )
        if items and all(type(x) is float for x in items):
            return self._from_array(np.array(items))
        if items and all(type(x) is int and not too_large(x) for x in items):
            return self._from_array(np.array(items))
        return self._from_objects(items)

    def _from_array(self, array: AnyArray) -> Table:
        flat = array.ndim == 1
        values = np.asarray(array, dtype=np.float64)
        values = values[:, None] if flat else values
        width = values.shape[1]
        if width > MOST_COLUMNS:
            raise BadInput(
                f"outputs are vectors of length {width}; at most {MOST_COLUMNS} numbers each can be audited. Have the "
                "sampler return some of them, or sums over groups: what is private as a whole is private in part"
            )
        number: Form = ("number", *KINDS.get(array.dtype.kind, ()))
        form: Form = number if flat else ("list", *([number] * width))
        codes = np.zeros(len(values), dtype=np.int64)
        parts = self._split(form, values, np.arange(len(values)), codes)
        if len(parts) == 1:
            parts = [(slice(None), *parts[0][1:])]
        return self._place(codes, parts, len(values))

    def _split(self, form: Form, values: Floats, rows: Ints, codes: Ints) -> list[tuple[Any, Form, Floats]]:
        """Outputs of one form, apart where a number is NaN or -0.0; their codes are written into `codes`."""
        marks = np.isnan(values) + 2 * ((values == 0) & np.signbit(values))
        if not marks.any():
            codes[rows] = self._register(form)
            return [(rows, form, values)]
        patterns, inverse = np.unique(marks, axis=0, return_inverse=True)
        parts: list[tuple[Any, Form, Floats]] = []
        for index, pattern in enumerate(patterns):
            here = np.flatnonzero(inverse.ravel() == index)
            shape = with_holes(form, iter([(None, NAN, MINUS_ZERO)[mark] for mark in pattern]))
            codes[rows[here]] = self._register(shape)
            parts.append((rows[here], shape, values[np.ix_(here, np.flatnonzero(pattern == 0))]))
        return parts

    def _from_skeletons(self, outputs: Any) -> Table:
        codes = np.zeros(len(outputs), dtype=np.int64)
        parts: list[tuple[Any, Form, Floats]] = []
        for index, skeleton in enumerate(outputs.skeletons):
            rows = np.flatnonzero(outputs.codes == index)
            if not rows.size:
                continue
            numbers: list[Any] = []
            slots = iter(outputs.columns[index])
            form = form_of_skeleton(skeleton, slots, numbers)
            matrix = np.empty((rows.size, len(numbers)))
            for j, number in enumerate(numbers):
                matrix[:, j] = np.asarray(number, dtype=np.float64)
            if any(_any_large(number) for number in numbers):  # rare: read one by one, as two numbers each
                return self._from_objects(outputs.values())
            parts += self._split(form, matrix, rows, codes)
        return self._place(codes, parts, len(codes))

    def _from_objects(self, items: Sequence[Any]) -> Table:
        codes = np.zeros(len(items), dtype=np.int64)
        grouped: dict[Form, tuple[list[int], list[list[float]]]] = {}
        for i, item in enumerate(items):
            numbers: list[float] = []
            form = form_of_object(item, numbers)
            rows, values = grouped.setdefault(form, ([], []))
            rows.append(i)
            values.append(numbers)
        parts: list[tuple[Any, Form, Floats]] = []
        for form, (rows, values) in grouped.items():
            where = np.array(rows, dtype=np.int64)
            codes[where] = self._register(form)
            parts.append((where, form, np.array(values, dtype=np.float64).reshape(len(rows), -1)))
        return self._place(codes, parts, len(items))

    def _register(self, form: Form) -> int:
        if form not in self._code:
            if self._no_more[0]:
                form = OTHER
            if form not in self._code:
                self._code[form] = len(self.forms)
                self.forms.append(form)
        return self._code[form]

    def _place(self, codes: Ints, parts: list[tuple[Any, Form, Floats]], count: int) -> Table:
        layouts = [self.layout(form) for _, form, _ in parts]
        columns = np.full((count, len(self.places)), np.nan)
        for (rows, _, values), layout in zip(parts, layouts, strict=True):
            if isinstance(rows, slice) and layout == list(range(columns.shape[1])):
                columns = values
                continue
            for j, column in enumerate(layout):
                if column >= 0:
                    columns[rows, column] = values[:, j]
        return Table(codes, columns)

    def layout(self, form: Form) -> list[int]:
        """The column of every number of a form, −1 where it has none."""
        if form not in self._layout:
            layout = []
            for place in places_of(form):
                if place not in self._column and not self._no_more[1]:
                    self._column[place] = len(self.places)
                    self.places.append(place)
                layout.append(self._column.get(place, -1))
            if form not in self._code:  # forms beyond the limit are not remembered: there may be endlessly many
                return layout
            self._layout[form] = layout
        return self._layout[form]


def _any_large(values: Any) -> bool:
    """Whether an array holds integers beyond those that doubles tell apart."""
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "iu" or values.dtype.itemsize < 8:
        return False
    return bool(values.size) and (int(values.max()) > EXACT or int(values.min()) < -EXACT)
