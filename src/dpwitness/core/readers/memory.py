"""What a program can remember: every value outside it that it refers to, compared by value.

A program is run many times by its readers and its samplers. If one run could leave something behind for the next, the
program that was read would not be the program that runs later. So everything that can be reached from the program is
noted before and after it is read: globals, closure cells, default arguments, and all that containers hold.
"""

from __future__ import annotations

import types
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import OutsideFragment

MAX_VALUES = 100_000
Fetch = Callable[[], Any]


@dataclass(frozen=True)
class Place:
    """A name outside the program through which it reaches a value."""

    name: str
    fetch: Fetch
    unread: bool = False  # a function that is handed to noise.postprocess


class _Unbound:
    """Stands for a name that has no value."""


UNBOUND = _Unbound()


def read_cell(cell: types.CellType) -> Any:
    """What a closure cell holds, `UNBOUND` where it holds nothing yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return UNBOUND


class Snapshot:
    """The values of all places, frozen."""

    def __init__(self, watched: list[Place]) -> None:
        self.values = [(place.name, _frozen(place)) for place in watched]

    def changed(self, other: Snapshot) -> str | None:
        """The name of a place whose value is another one in `other`; None where all are the same."""
        for (name, mine), (_, theirs) in zip(self.values, other.values, strict=True):
            if mine != theirs:
                return name
        return None


def _frozen(place: Place) -> Any:
    count = [0]
    return freeze(place.fetch(), place.name, count, ())


def freeze(value: Any, name: str, count: list[int], above: tuple[int, ...]) -> Any:
    """A value as nested tuples that are equal exactly when the values are the same by type and content.

    Objects that cannot change, or that the gate lets a program use but not change, are known by their identity.

    >>> freeze([1, 1.0, True], "x", [0], ()) == freeze([1, 1, True], "x", [0], ())
    False
    """
    count[0] += 1
    if count[0] > MAX_VALUES:
        raise OutsideFragment(f"the program refers to {name}, which holds more than {MAX_VALUES} values")
    kind = type(value)
    if kind in (float, complex):
        return kind.__name__, repr(value)  # 0.0 and -0.0 differ, and a NaN is itself
    if kind in (bool, int, str, bytes, types.NoneType, types.EllipsisType) or isinstance(value, Fraction):
        return kind.__name__, value if not isinstance(value, Fraction) else (value.numerator, value.denominator)
    if kind in (list, tuple, dict, set, frozenset):
        if id(value) in above:
            raise OutsideFragment(f"the program refers to {name}, which contains itself")
        inner = (*above, id(value))
        if kind is dict:
            parts = [(freeze(k, name, count, inner), freeze(v, name, count, inner)) for k, v in value.items()]
        else:  # the order of a set counts: a program can see it
            parts = [freeze(x, name, count, inner) for x in value]
        return kind.__name__, id(value) if kind in (list, dict, set) else 0, tuple(parts)
    return "object", id(value)


__all__ = ["MAX_VALUES", "UNBOUND", "Place", "Snapshot", "freeze", "read_cell"]
