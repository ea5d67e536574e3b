"""Outputs of many runs, stored by columns.

An output may be a number, a list, a tuple, text, None, or any nesting of these. Its *skeleton* is the structure with
all constants, which are the same or not by `dpwitness.core.identity`; its *slots* are the places of values that differ
from run to run. Runs that took the same path share a
skeleton, so a million sparse-vector outputs are a column of small integers and a short list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.identity import constant, constant_value, is_own

Skeleton: TypeAlias = tuple[Any, ...]
Array: TypeAlias = NDArray[Any]

SLOT: Skeleton = ("slot",)


def take_apart(output: Any, is_slot: Callable[[Any], bool], *, by_value: bool = False) -> tuple[Skeleton, list[Any]]:
    """The skeleton of an output and the values of its slots, in order.

    Parameters
    ----------
    by_value
        Whether `Exact` numbers count as the plain numbers that they stand for: in statistics of runs, and not in
        proofs, since whoever holds an output tells ``exact(1)`` from 1.
    """
    if not by_value:
        _refuse_own(output)
    slots: list[Any] = []
    return _visit(output, is_slot, slots), slots


def _refuse_own(value: Any) -> None:
    """Raise `OutsideFragment` where an output holds an exact number that the program made."""
    if isinstance(value, list | tuple):
        for part in value:
            _refuse_own(part)
    elif is_own(value):
        words = f"an output of type {type(value).__name__}, which an observer tells from a plain number"
        raise OutsideFragment(f"{words}: return int(x), float(x) or Fraction(x)")


def _visit(value: Any, is_slot: Callable[[Any], bool], slots: list[Any]) -> Skeleton:
    # not a closure: a function that refers to itself would keep whole batches alive until garbage collection
    if is_slot(value):
        slots.append(value)
        return SLOT
    if isinstance(value, np.ndarray):
        return ("array", *(_visit(x, is_slot, slots) for x in value.tolist()))
    if isinstance(value, list | tuple):
        return ("list" if isinstance(value, list) else "tuple", *(_visit(x, is_slot, slots) for x in value))
    found = constant(value)
    if found is not None:
        return found
    raise OutsideFragment(
        f"an output of type {type(value).__name__} is not supported; return numbers, text, None, lists or tuples"
    )


def put_together(skeleton: Skeleton, slots: Iterator[Any]) -> Any:
    """The inverse of `take_apart`."""
    kind = skeleton[0]
    if kind == "slot":
        return next(slots)
    if kind == "const":
        return constant_value(skeleton)
    items = [put_together(part, slots) for part in skeleton[1:]]
    return items if kind == "list" else np.array(items) if kind == "array" else tuple(items)


def _leaves(skeleton: Skeleton) -> Iterator[Skeleton]:
    if skeleton[0] in ("slot", "const"):
        yield skeleton
    else:
        for part in skeleton[1:]:
            yield from _leaves(part)


def _depth_one(skeleton: Skeleton) -> bool:
    return skeleton[0] in ("list", "tuple", "array") and all(part[0] in ("slot", "const") for part in skeleton[1:])


def _numeric(leaf: Skeleton) -> bool:
    return leaf[0] == "slot" or leaf[1] in ("int", "float", "bool", "Fraction")


def _kind(slot: Any) -> str:
    """Whether a slot holds truth values, integers or floats."""
    return "i" if (kind := np.asarray(slot).dtype.kind) == "u" else kind


@dataclass(frozen=True, eq=False)
class Outputs:
    """`len(self)` outputs: run i has skeleton ``skeletons[codes[i]]``.

    ``columns[s][j]`` holds slot j of all runs with skeleton s, in the order of the runs.
    """

    codes: NDArray[np.int64]
    skeletons: tuple[Skeleton, ...]
    columns: tuple[tuple[Array, ...], ...]

    @staticmethod
    def from_groups(size: int, groups: Iterable[tuple[NDArray[np.int64], Skeleton, Sequence[Any]]]) -> Outputs:
        """Assemble from groups of runs: positions, common skeleton, one array (or number) for each slot."""
        by_skeleton: dict[tuple[Skeleton, str], list[tuple[NDArray[np.int64], Sequence[Any]]]] = {}
        for positions, skeleton, slots in groups:
            kinds = "".join(_kind(slot) for slot in slots)  # a 1 must not become a 1.0 beside a 2.5
            by_skeleton.setdefault((skeleton, kinds), []).append((positions, slots))
            if positions.size == size:  # one group of all runs: nothing to sort
                whole = tuple(np.broadcast_to(np.asarray(slot), (size,)) for slot in slots)
                return Outputs(np.zeros(size, dtype=np.int64), (skeleton,), (whole,))
        # a canonical order, so that the same outputs are stored alike however the runs were grouped
        ordered = sorted(by_skeleton.items(), key=lambda item: repr(item[0]))
        codes = np.zeros(size, dtype=np.int64)
        columns: list[tuple[Array, ...]] = []
        for code, (_, parts) in enumerate(ordered):
            positions = np.concatenate([p for p, _ in parts])
            codes[positions] = code
            order = np.argsort(positions, kind="stable") if len(parts) > 1 else slice(None)
            width = len(parts[0][1])
            columns.append(
                tuple(
                    np.concatenate([np.broadcast_to(np.asarray(slots[j]), p.shape) for p, slots in parts])[order]
                    for j in range(width)
                )
            )
        return Outputs(codes, tuple(s for (s, _), _ in ordered), tuple(columns))

    @staticmethod
    def from_values(values: Sequence[Any]) -> Outputs:
        """Assemble from Python objects; floats become slots."""
        groups: dict[Skeleton, tuple[list[int], list[list[Any]]]] = {}
        for i, value in enumerate(values):
            skeleton, slots = take_apart(value, lambda x: isinstance(x, float | np.floating), by_value=True)
            where, rows = groups.setdefault(skeleton, ([], []))
            where.append(i)
            rows.append(slots)
        return Outputs.from_groups(
            len(values),
            ((np.array(where), skeleton, list(zip(*rows, strict=True))) for skeleton, (where, rows) in groups.items()),
        )

    def __len__(self) -> int:
        return int(self.codes.size)

    def __getitem__(self, part: slice) -> Outputs:
        start, stop, step = part.indices(len(self))
        if step != 1:
            raise ValueError("outputs are sliced with step 1")
        before = np.bincount(self.codes[:start], minlength=len(self.skeletons))
        inside = np.bincount(self.codes[start:stop], minlength=len(self.skeletons))
        columns = tuple(
            tuple(column[before[s] : before[s] + inside[s]] for column in slots) for s, slots in enumerate(self.columns)
        )
        return Outputs(self.codes[start:stop], self.skeletons, columns)

    @staticmethod
    def concatenate(parts: Sequence[Outputs]) -> Outputs:
        """Several batches as one."""
        offset, groups = 0, []
        for part in parts:
            for s, skeleton in enumerate(part.skeletons):
                positions = np.flatnonzero(part.codes == s)
                if positions.size:
                    groups.append((positions + offset, skeleton, part.columns[s]))
            offset += len(part)
        return Outputs.from_groups(offset, groups)

    def values(self) -> list[Any]:
        """Every output as a Python object."""
        result: list[Any] = [None] * len(self)
        for s, skeleton in enumerate(self.skeletons):
            rows = [column.tolist() for column in self.columns[s]]
            for k, i in enumerate(np.flatnonzero(self.codes == s).tolist()):
                result[i] = put_together(skeleton, iter([row[k] for row in rows]))
        return result

    def array(self) -> Array | None:
        """The outputs as an array of shape (n,) or (n, d), where all are numbers, or vectors of one length."""
        used = [(s, k) for s, k in enumerate(self.skeletons) if k[0] in ("slot", "const") or _depth_one(k)]
        if len(used) < len(self.skeletons) or not all(_numeric(leaf) for _, k in used for leaf in _leaves(k)):
            return None
        shapes = {None if k[0] in ("slot", "const") else len(k) - 1 for _, k in used}
        if len(shapes) != 1:
            return None
        (width,) = shapes
        wide = 1 if width is None else width
        kinds = [column.dtype for slots in self.columns for column in slots]
        constants = [constant_value(leaf) for _, k in used for leaf in _leaves(k) if leaf[0] == "const"]
        kinds += [np.asarray(float(c) if isinstance(c, Fraction) else c).dtype for c in constants]
        table = np.empty((len(self), wide), dtype=np.result_type(*kinds) if kinds else np.float64)
        for s, skeleton in used:
            rows = self.codes == s
            columns = iter(self.columns[s])
            for j, leaf in enumerate(_leaves(skeleton)):
                table[rows, j] = next(columns) if leaf[0] == "slot" else constant_value(leaf)
        return table[:, 0] if width is None else table
