"""The form of any Python object: what a reader of the object sees, with the numbers in it.

Text alone would tell outputs apart only where they recur: with continuous noise every text is new. So an object that
holds others (a data class, a deque, a data frame, a date) is taken apart, and a number that stands in a text is a
number. Reading an output must not depend on other outputs, so there is nothing here but functions of one object.
"""

from __future__ import annotations

import dataclasses
import datetime
import math
import re
import types
from collections.abc import Mapping, Sequence, Set, ValuesView
from decimal import Decimal
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from dpwitness.auditors.arrays import AnyArray
from dpwitness.auditors.forms import (
    ADDRESS,
    EXACT,
    OTHER,
    Form,
    as_float,
    form_of_number,
    plain_repr,
    shortened,
    typed_form,
)
from dpwitness.core.errors import BadInput

MOST_ENTRIES = 1 << 13
_MOST_DEPTH, _MOST_PARTS = 20, 1 << 16
_MOST_IN_TEXT, _MOST_READ = 64, 1 << 11  # numbers in a text, and characters in which they are looked for
_DIGITS = 19  # a text with more is no double as Python writes it, with its sign and point
_IN_TEXT = re.compile(r"(?<![\w.])-?\d{1,300}(?:\.\d{1,40})?(?:e[+-]?\d{1,3})?(?!\w|\.\d)")
_HUGE = 10**300  # what is larger is not written out
_MICROSECOND = datetime.timedelta(microseconds=1)
Parts: TypeAlias = list[tuple[str, Any]]


def form_of_object(value: Any, numbers: list[float]) -> Form:
    """The form of a value; its numbers are appended to `numbers`.

    >>> numbers = []
    >>> form_of_object([None, Decimal("2.5"), "about -3.25 %"], numbers), numbers
    (('list', ('const', 'None'), ('number', 'Decimal'), ('text', "'about ", ('number',), " %'")), [2.5, -3.25])
    """
    return _Reader(numbers).form(value)


def form_of_text(text: str, numbers: list[float]) -> Form:
    """A text in which the numbers are numbers; what more there is to how they are written remains text.

    >>> form_of_text("x=0.5, y=1.70, id=007, n=12", numbers := []), numbers
    (('text', 'x=', ('number',), ', y=', ('number',), '0, id=007, n=', ('number',), ''), [0.5, 1.7, 12.0])
    """
    pieces: list[Any] = []
    at, rest = 0, ""
    for found in _IN_TEXT.finditer(text, 0, _MOST_READ):  # what follows is compared as text
        read = _as_written(found[0])
        if read is not None and len(pieces) < 2 * _MOST_IN_TEXT:
            pieces += [shortened(rest + text[at : found.start()]), form_of_number(read[0], numbers)]
            at, rest = found.end(), read[1]
    return ("text", *pieces, shortened(rest + text[at:])) if pieces else ("const", shortened(text))


def unreadable(value: Any) -> bool:
    """Whether nothing can be told of an object but its type: its text says where in memory it lies."""
    try:
        return _bare(value) and not _public(value)
    except Exception:  # an object that does not want to be looked at
        return True


def array_parts(value: Any) -> dict[str, AnyArray] | None:
    """The values of a data frame, a series or a tensor, and its labels; None where an object is no array.

    The text of such an object leaves most of it out, and comparing two of them does not say whether they are equal.
    """
    if not hasattr(type(value), "__array__"):
        return None
    labels = {name: getattr(value, name, None) for name in ("index", "columns")}
    arrays = {"values": value} | {name: x for name, x in labels.items() if hasattr(type(x), "__array__")}
    return {name: np.asarray(x) for name, x in arrays.items()}


def _as_written(digits: str) -> tuple[int | float, str] | None:
    """The number that a text begins with and what is left of it, so that different texts remain different.

    Digits beyond those of a double are left out, as they are of other numbers. None where the number alone does not
    tell how it was written: 007 is not 7.
    """
    if digits.startswith("-") and not digits.strip("-0."):
        return None  # −0 equals 0
    short = digits.rstrip("0").rstrip(".") if "." in digits and "e" not in digits else digits
    value = int(short) if short.lstrip("-").isdigit() else float(short)
    if repr(value) == short:
        return value, digits[len(short) :]
    whole = digits.lstrip("-").partition(".")[0]
    return (value, "…") if len(short) > _DIGITS and str(int(whole)) == whole and "e" not in digits else None


class _Reader:
    """Reads one output. Objects may refer to each other in circles, so neither depth nor number is without end."""

    def __init__(self, numbers: list[float]) -> None:
        self.numbers = numbers
        self.depth = self.count = 0

    def form(self, value: Any) -> Form:
        held = len(self.numbers)
        self.count += 1
        self.depth += 1
        try:
            form = self._read(value)
        except BadInput:
            raise
        except Exception:  # whatever a foreign object does when it is looked at
            form = None
        finally:
            self.depth -= 1
        if form is not None:
            return form
        del self.numbers[held:]
        return form_of_text(f"a {type(value).__name__}: {plain_repr(value, short=False)}", self.numbers)

    def _read(self, value: Any) -> Form | None:
        """The form of a value; None where its text must do."""
        if isinstance(value, np.floating):
            value = float(value)
        elif isinstance(value, np.generic):
            value = value.item()
        if isinstance(value, Fraction | Decimal):
            size: Any = abs(value)
            value = int(value) if EXACT < size < _HUGE and size % 1 == 0 else value
        if isinstance(value, bool | int | float | Fraction | Decimal):
            return typed_form(value, self.numbers)
        if value is None or isinstance(value, bytes):
            return ("const", plain_repr(value))
        if isinstance(value, str):
            return form_of_text(plain_repr(value, short=False), self.numbers)
        return OTHER if self.depth > _MOST_DEPTH or self.count > _MOST_PARTS else self._taken_apart(value)

    def _taken_apart(self, value: Any) -> Form | None:
        """The form of an object that holds others; None where it does not."""
        if isinstance(value, np.ndarray):
            value = value.tolist() if value.size <= MOST_ENTRIES else [None] * value.size
            if not isinstance(value, list):
                return self.form(value)
        if isinstance(value, list | tuple):
            if len(value) > MOST_ENTRIES:
                raise BadInput(f"an output is a list of {len(value)} entries; at most {MOST_ENTRIES} can be audited")
            return ("tuple" if isinstance(value, tuple) else "list", *map(self.form, value))
        if isinstance(value, Mapping):
            items = sorted(((plain_repr(k), v) for k, v in value.items()), key=lambda kv: kv[0])
            return ("dict", *(("const", k, self.form(v)) for k, v in items))
        if isinstance(value, Set) and not any(isinstance(x, float | Decimal) for x in value):
            return ("const", "{" + ", ".join(sorted(map(plain_repr, value))) + "}")
        if isinstance(value, Set):
            return ("list", *map(self.form, sorted(value, key=_rank)))
        if isinstance(value, complex):
            return ("object", "complex", *(("const", k, self.form(getattr(value, k))) for k in ("real", "imag")))
        parts = _fields(value)
        if parts is not None:
            return ("object", parts[0], *(("const", k, self.form(v)) for k, v in parts[1]))
        if isinstance(value, Sequence | ValuesView) and len(value) <= MOST_ENTRIES:
            return ("list", *map(self.form, value))
        return None


def _rank(entry: Any) -> tuple[float, str]:
    """Numbers in their order, then everything else by its text."""
    number = as_float(entry) if isinstance(entry, int | float | Decimal) else math.inf
    return math.inf if math.isnan(number) else number, plain_repr(entry)


def _fields(value: Any) -> tuple[str, Parts] | None:
    """The name of an object's kind and its parts by name; None where it has none."""
    kind = type(value).__name__
    if isinstance(value, datetime.datetime):
        epoch = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC if value.tzinfo is not None else None)
        zone = "" if value.tzinfo is None else f" {value.tzinfo}"
        return f"{kind}{zone}", [("microseconds", (value - epoch) // _MICROSECOND)]
    if isinstance(value, datetime.date):
        return kind, [("days", value.toordinal())]
    if isinstance(value, datetime.timedelta):
        return kind, [("microseconds", value // _MICROSECOND)]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        shown = [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value) if f.repr]
    elif isinstance(value, types.SimpleNamespace):
        shown = list(vars(value).items())
    elif (arrays := array_parts(value)) is not None:
        shown = [("values", arrays.pop("values")), *((name, tuple(map(str, x.tolist()))) for name, x in arrays.items())]
    else:
        shown = _public(value) if _bare(value) else []
    return (kind, shown) if shown else None


def _bare(value: Any) -> bool:
    if isinstance(value, str | bytes | dict | list | tuple | set | frozenset):
        return False
    try:
        return ADDRESS.search(repr(value)) is not None
    except Exception:  # a broken __repr__ tells as little
        return True


def _public(value: Any) -> Parts:
    """The attributes of an object that are not marked as its own affair, by name."""
    if isinstance(value, type | types.FunctionType | types.ModuleType):
        return []
    slots = [name for kind in type(value).__mro__ for name in _slots(kind)]
    found = {name: getattr(value, name) for name in slots if hasattr(value, name)} | getattr(value, "__dict__", {})
    return sorted((name, x) for name, x in found.items() if not name.startswith("_"))


def _slots(kind: type) -> tuple[str, ...]:
    slots = kind.__dict__.get("__slots__", ())
    return (slots,) if isinstance(slots, str) else tuple(slots)
