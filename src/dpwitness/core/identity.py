"""When two values are the same: by type and value, as whoever holds the Python objects can tell.

Python calls ``0``, ``False``, ``0.0`` and ``-0.0`` equal, and so do its dictionaries. An observer of an output, and a
program that looks at a record, tell them apart. Every reader, the tables of the provers and the auditors ask here.

===========================  =================================================================
the same                     ``nan`` and ``nan``; a number and itself as a numpy scalar
not the same                 ``0`` and ``False``; ``1`` and ``1.0``; ``0.0`` and ``-0.0``; ``1`` and ``"1"``;
                             ``Fraction(1, 2)`` and ``0.5``; ``[1]`` and ``(1,)``
===========================  =================================================================

`Exact` numbers stand for what a user passes: a parameter or a piece of data. `shipped` says which Python number that
is: the int or the float (or, where it was given as one, the `Fraction`).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import Any, TypeVar

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.numbers import Exact
from dpwitness.core.public import Public

Constant = tuple[str, str, Any]
T = TypeVar("T")

_TEXTS: dict[str, Callable[[str], Any]] = {"float": float, "Fraction": Fraction}


def _of_numpy(value: Any, kind: str) -> bool:
    """Whether a value is a scalar or an array of numpy, which is not imported for this: without it there are none."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, getattr(numpy, kind))


def shipped(value: Any) -> Any:
    """The Python object that a number of a reader stands for: an `Exact` is the int or the float that a user passes.

    >>> shipped(Exact(2)), shipped(Exact(1, 2)), shipped(Fraction(1, 2)), shipped(True)
    (2, 0.5, Fraction(1, 2), True)
    """
    if _of_numpy(value, "generic"):
        return value.item()
    return value.shipped() if isinstance(value, Exact) else value


def is_own(value: Any) -> bool:
    """Whether a number is an `Exact` one that a program made itself, by ``exact(1)``: whoever holds it sees that.

    What readers hand out stands for a plain number, and is `Public`.

    >>> from dpwitness.core.public import public
    >>> is_own(Exact(1)), is_own(public(Exact(1))), is_own(1)
    (True, False, False)
    """
    return isinstance(value, Exact) and not isinstance(value, Public)


def constant(value: Any) -> Constant | None:
    """A value without parts as ``("const", kind, value)``, equal exactly where values are the same; None for others.

    Floats and rationals are kept as text, so that ``-0.0`` and ``nan`` are what they are.

    >>> constant(-0.0), constant(True), constant(1) == constant(1.0)
    (('const', 'float', '-0.0'), ('const', 'bool', True), False)
    """
    value = shipped(value)
    if value is None or isinstance(value, bool | str):
        return "const", type(value).__name__, value
    if isinstance(value, int):
        return "const", _kind(value, int), int(value)
    if isinstance(value, float):
        return "const", "float", repr(float(value))  # subclasses of this package remember a formula: the double counts
    if isinstance(value, Fraction):
        return "const", _kind(value, Fraction), str(Fraction(value))
    return None


def _kind(value: Any, plain: type) -> str:
    """The name of the type; one of another module is named in full, so that no two types share a name."""
    kind = type(value)
    return plain.__name__ if kind is plain else f"{kind.__module__}.{kind.__qualname__}"


def constant_value(part: tuple[Any, ...]) -> Any:
    """The value of a constant: the inverse of `constant` (floats may stand in it as floats too)."""
    kind, value = part[1], part[2]
    return _TEXTS[kind](value) if kind in _TEXTS and isinstance(value, str) else value


def key(value: Any) -> Hashable:
    """A key that two values share exactly where they are the same, whatever they hold.

    >>> key((0, [1])) == key((False, [1])), key((0, 1)) == key([0, 1]), key((0, "a")) == key((0, "a"))
    (False, False, True)
    """
    if isinstance(value, list | tuple):
        return type(value).__name__, *map(key, value)
    if _of_numpy(value, "ndarray"):
        return "array", *map(key, value.tolist())
    found = constant(value)
    if found is not None:
        return found
    raise OutsideFragment(f"a value of type {type(value).__name__} is not known by type and value")


def same(left: Any, right: Any) -> bool:
    """Whether two values are the same."""
    return key(left) == key(right)


def distinct(values: Iterable[T]) -> list[T]:
    """Every value once, in order of first appearance.

    >>> distinct([0, False, 0.0, 0])
    [0, False, 0.0]
    """
    found: dict[Hashable, T] = {}
    for value in values:
        found.setdefault(key(value), value)
    return list(found.values())
