"""Datasets as functions of them get them: a list, an array, a frame or a list of dicts, with a neighbour relation."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Literal

from dpwitness.core.errors import BadInput
from dpwitness.core.identity import shipped
from dpwitness.core.records import Box, Interval, Records
from dpwitness.core.stability.columns import Column, choices, reals

Relation = Literal["add-remove", "substitute"]
Form = Literal["list", "tuple", "numpy", "pandas", "polars", "dicts"]
FORMS = ("list", "tuple", "numpy", "pandas", "polars", "dicts")
Data = tuple[Any, ...]


@dataclass(frozen=True, init=False)
class Rows:
    """Datasets of records, or of rows with named columns, in the form in which a function gets them.

    Parameters
    ----------
    columns
        A `Column` (a record is one value) or a mapping of names to columns (a record is a row).
    size
        ``(fewest, most)`` records. A run of equal records may be as long as `most`.
    adjacency
        ``"add-remove"`` (a record is inserted or deleted, anywhere) or ``"substitute"``.
    any_order
        Whether two datasets with the same records in another order count as the same dataset.
    form
        ``"list"``, ``"tuple"``, ``"numpy"`` (with `dtype`), ``"pandas"``, ``"polars"`` or ``"dicts"``.
    dtype
        Type of the numbers of an array or a frame, such as ``"int32"``; None: what the library makes of them.

    Examples
    --------
    >>> from dpwitness.core.stability.columns import wholes
    >>> space = Rows(wholes(0, 9), size=(0, 3))
    >>> space.steps_between((1, 2), (1, 5, 2)), space.steps_between((1, 2), (2, 1))
    (1, 2)
    >>> Rows({"age": wholes(0, 99), "sex": choices("f", "m")}, form="dicts").build(((30, "f"),))
    [{'age': 30, 'sex': 'f'}]
    """

    columns: Column | tuple[tuple[str, Column], ...]
    fewest: int
    most: int
    relation: Relation
    any_order: bool
    form: Form
    dtype: str | None

    def __init__(
        self, columns: Column | Mapping[str, Column], size: int | tuple[int, int] = (0, 8),
        adjacency: Relation = "add-remove", *, any_order: bool = False, form: Form = "list", dtype: str | None = None,
    ) -> None:  # fmt: skip
        if adjacency not in ("add-remove", "substitute"):
            raise BadInput(f"adjacency={adjacency!r} must be 'add-remove' or 'substitute'")
        if form not in FORMS:
            raise BadInput(f"form={form!r} must be one of {', '.join(FORMS)}")
        fewest, most = size if isinstance(size, tuple) else ((0 if adjacency == "add-remove" else size), size)
        if not 0 <= fewest <= most or most < 1 or (adjacency == "add-remove" and fewest == most):
            raise BadInput(f"size={size!r} must be (fewest, most) records, with room for a neighbour")
        named = columns if isinstance(columns, Column) else tuple(columns.items())
        if not isinstance(named, Column) and not (named and all(isinstance(c, Column) for _, c in named)):
            raise BadInput(f"columns={columns!r} must be a column such as reals(0, 1), or names with their columns")
        if form in ("numpy", "pandas", "polars"):
            limited = _limited(dtype)
            named = limited(named) if isinstance(named, Column) else tuple((name, limited(c)) for name, c in named)
        put = object.__setattr__
        for name, value in (("columns", named), ("fewest", fewest), ("most", most), ("relation", adjacency),
                            ("any_order", any_order), ("form", form), ("dtype", dtype)):  # fmt: skip
            put(self, name, value)

    @property
    def names(self) -> tuple[str, ...] | None:
        """Names of the columns; None where a record is one value."""
        return None if isinstance(self.columns, Column) else tuple(name for name, _ in self.columns)

    @property
    def each(self) -> tuple[Column, ...]:
        """The columns."""
        return (self.columns,) if isinstance(self.columns, Column) else tuple(column for _, column in self.columns)

    def records(self) -> list[Any]:
        """Records worth trying, the simplest first: of several columns each value once, beside the simplest others."""
        lists = [column.values() for column in self.each]
        if isinstance(self.columns, Column):
            return lists[0]
        first = tuple(values[0] for values in lists)
        found = {repr(first): first}
        diagonal = zip(*(values * (max(map(len, lists)) // len(values) + 1) for values in lists), strict=False)
        for row in list(diagonal)[: max(map(len, lists))]:
            found.setdefault(repr(row), row)
        for place, values in enumerate(lists):
            for value in values[1:]:
                row = (*first[:place], value, *first[place + 1 :])
                found.setdefault(repr(row), row)
        return list(found.values())

    def holds(self, data: Data) -> bool:
        """Whether this is a dataset of the space."""
        if not self.fewest <= len(data) <= self.most:
            return False
        if isinstance(self.columns, Column):
            column = self.columns
            return all(column.holds(value) for value in _distinct(data))
        return all(
            isinstance(row, tuple) and len(row) == len(self.each)
            and all(column.holds(value) for column, value in zip(self.each, row, strict=True))
            for row in _distinct(data)
        )  # fmt: skip

    def steps_between(self, left: Data, right: Data) -> int | float:
        """How many records must be inserted or deleted (or replaced) to come from one dataset to the other."""
        a, b = [record_key(x) for x in left], [record_key(x) for x in right]
        if self.any_order:
            one, two = Counter(a), Counter(b)
            apart = sum(((one - two) + (two - one)).values())
            if self.relation == "add-remove":
                return apart
            return apart // 2 if len(a) == len(b) else math.inf
        if self.relation == "substitute":
            return sum(x != y for x, y in zip(a, b, strict=True)) if len(a) == len(b) else math.inf
        return edit_distance(a, b)

    def build(self, data: Data) -> Any:
        """The dataset in the form in which a function gets it."""
        return build(data, self.form, self.names, self.each, self.dtype)

    def describe(self) -> str:
        """The space in a few words."""
        moves = "a record is added or removed" if self.relation == "add-remove" else "one record is replaced"
        return moves + ", in any order" * self.any_order


def _limited(dtype: str | None) -> Callable[[Column], Column]:
    """Whole numbers of arrays and frames are those of their type; a 64-bit one where none is named."""
    text = (dtype or "int64").lower()
    width = int(digits) if text.lstrip("u").startswith("int") and (digits := text.lstrip("u")[3:]).isdigit() else 64
    least, most = (0, 2**width - 1) if text.startswith("u") else (-(2 ** (width - 1)), 2 ** (width - 1) - 1)

    def limited(column: Column) -> Column:
        if column.kind != "whole":
            return column
        low = least if column.low is None else max(least, int(column.low))
        return replace(column, low=low, high=most if column.high is None else min(most, int(column.high)))

    return limited


def of_records(space: Records) -> Rows:
    """A `Records` space as rows: its values as a plain function gets them."""
    if isinstance(space.domain, Box):
        sides = {f"x{k}": reals(float(side.low), float(side.high)) for k, side in enumerate(space.domain.sides)}
        return Rows(sides, (space.fewest, space.most), space.relation)
    if isinstance(space.domain, Interval):
        column = reals(float(space.domain.low), float(space.domain.high))
    else:
        column = choices(*(_plain(value) for value in space.domain))
    return Rows(column, (space.fewest, space.most), space.relation)


def _plain(value: Any) -> Any:
    value = tuple(map(_plain, value)) if isinstance(value, tuple) else shipped(value)
    return float(value) if isinstance(value, Fraction) else value


def record_key(value: Any) -> tuple[str, Any]:
    """A key that two records share exactly where they are the same by type and value; NaN is itself."""
    if isinstance(value, tuple):
        return "tuple", tuple(map(record_key, value))
    return type(value).__name__, repr(value) if isinstance(value, float) else value


def _distinct(data: Data) -> list[Any]:
    """Every record once: of a long run of equal ones only one needs to be looked at."""
    return list(data) if len(data) <= 64 else list({record_key(x): x for x in data}.values())


def edit_distance(a: Sequence[Any], b: Sequence[Any]) -> int:
    """Insertions and deletions between two sequences: |a| + |b| − 2·(longest common subsequence).

    >>> edit_distance("abcd", "axd")
    3
    """
    start = 0
    while start < min(len(a), len(b)) and a[start] == b[start]:
        start += 1
    end = 0
    while end < min(len(a), len(b)) - start and a[-1 - end] == b[-1 - end]:
        end += 1
    a, b = a[start : len(a) - end], b[start : len(b) - end]
    row = [0] * (len(b) + 1)
    for x in a if b else ():
        before = 0
        for j, y in enumerate(b):
            before, row[j + 1] = row[j + 1], before + 1 if x == y else max(row[j + 1], row[j])
    return len(a) + len(b) - 2 * row[-1]


def build(data: Data, form: Form, names: Sequence[str] | None, each: Sequence[Column], dtype: str | None = None) -> Any:
    """Records as a list, a tuple, an array, a frame or a list of dicts."""
    if form == "tuple":
        return tuple(data)
    if form == "list":
        return list(data)
    columns = list(names or ("value",))
    rows = [(row,) if names is None else row for row in data]
    if form == "dicts":
        return [dict(zip(columns, row, strict=True)) for row in rows]
    if form == "numpy":
        import numpy as np

        if names is None:
            return np.array(list(data), dtype=dtype) if data else np.array([], dtype=dtype or _kind(each[0]))
        return np.array(rows, dtype=dtype).reshape(len(rows), len(columns))
    kinds = [dtype or _kind(column) for column in each]
    lists = [[row[i] for row in rows] for i in range(len(columns))]
    if form == "pandas":
        import pandas as pd

        return pd.DataFrame({n: pd.Series(v, dtype=k) for n, v, k in zip(columns, lists, kinds, strict=True)})
    import polars as pl

    types = [None if kind is None else getattr(pl, kind.capitalize().replace("Uint", "UInt")) for kind in kinds]
    return pl.DataFrame([pl.Series(n, v, t) for n, v, t in zip(columns, lists, types, strict=True)])


def _kind(column: Column) -> str | None:
    """The type that a column of an array or a frame has, whatever stands in it; None: whatever the library makes."""
    if column.kind == "real":
        return "float64"
    if column.kind == "whole":
        return "float64" if column.missing else "int64"
    return None
