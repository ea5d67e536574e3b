"""The form of an output: its structure, with everything that is not a number.

A form says of what type a number is: whoever sees an output tells 1 from 1.0 and from True, as
`dpwitness.core.identity` has it for the provers. NaN and -0.0 are forms of their own, since columns of doubles, sorted
and compared, would lose them.

Doubles tell integers apart up to 2^53. A larger one, such as a time in nanoseconds, is several numbers: itself without
its lowest bits, and these, in parts that are doubles.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from dpwitness.core.errors import BadInput
from dpwitness.core.identity import constant_value, shipped

Form: TypeAlias = tuple[Any, ...]

NUMBER: Form = ("number",)  # a float; other numbers name their type
KINDS = {"i": ("int",), "u": ("int",), "b": ("bool",)}  # of numpy's types
NAN: Form = ("const", "NaN")
MINUS_ZERO: Form = ("const", "-0.0")
OTHER: Form = ("const", "any further form")
MOST_TEXT = 60
EXACT = 1 << 53  # integers up to here are doubles
_DIGITS, _LOW, _DOUBLE = 53, 11, 1024  # bits of a double, of the low part of a 64-bit integer, and of finite doubles
ADDRESS = re.compile(r" at 0x[0-9A-Fa-f]+")


def places_of(form: Form, prefix: str = "output") -> Iterator[str]:
    """The names of the numbers of a form, in order."""
    if form[0] == "number":
        yield prefix
    elif form[0] == "integer":
        yield from (prefix, *(f"{prefix} mod 2^{cut}" for cut in form[1:]))
    elif form[0] in ("list", "tuple"):
        for i, part in enumerate(form[1:]):
            yield from places_of(part, f"{prefix}[{i}]")
    elif form[0] == "dict":
        for part in form[1:]:
            yield from places_of(part[2], f"{prefix}[{part[1]}]")
    elif form[0] == "object":
        for part in form[2:]:
            yield from places_of(part[2], f"{prefix}.{part[1]}")
    elif form[0] == "text":
        alone = len(form) == 4 and form[1] == form[3].lstrip(".0…") == "'"  # a text that is nothing but a number
        for i, part in enumerate(form[2::2]):
            yield from places_of(part, prefix if alone else f"number {i + 1} of {prefix}")


def show_form(form: Form, numbers: Iterator[float] | None = None) -> str:
    """A form as text, with its numbers where given and dots where not."""
    if form[0] == "number":
        return "·" if numbers is None else f"{next(numbers):.6g}"
    if form[0] == "integer":
        parts = [] if numbers is None else [next(numbers) for _ in form]  # as many as there are cuts, and one
        return f"{sum(map(int, parts)):d}" if parts and all(map(math.isfinite, parts)) else "·"
    if form[0] == "const":
        return str(form[1])
    if form[0] == "dict":
        return "{" + ", ".join(f"{part[1]}: {show_form(part[2], numbers)}" for part in form[1:]) + "}"
    if form[0] == "object":
        return f"{form[1]}({', '.join(f'{part[1]}={show_form(part[2], numbers)}' for part in form[2:])})"
    if form[0] == "text":
        return "".join(part if isinstance(part, str) else show_form(part, numbers) for part in form[1:])
    inside = ", ".join(show_form(part, numbers) for part in form[1:])
    if form[0] == "tuple":
        return f"({inside},)" if len(form) == 2 else f"({inside})"
    return f"[{inside}]"


def form_of_skeleton(skeleton: Sequence[Any], slots: Iterator[Any], numbers: list[Any]) -> Form:
    """The form that a skeleton of a columnar batch describes; its numbers are appended to `numbers`."""
    kind = skeleton[0]
    if kind == "slot":
        numbers.append(next(slots))
        return ("number", *KINDS.get(np.asarray(numbers[-1]).dtype.kind, ()))
    if kind == "const":
        value = constant_value(tuple(skeleton))
        if isinstance(value, bool | int | float | Fraction):
            return typed_form(value, numbers)
        return ("const", repr(value))
    return ("tuple" if kind == "tuple" else "list", *(form_of_skeleton(p, slots, numbers) for p in skeleton[1:]))


def typed_form(value: Any, numbers: list[Any]) -> Form:
    """`form_of_number`, with its type where it is no float.

    >>> [typed_form(x, []) for x in (1.0, 1, True, -0.0)]
    [('number',), ('number', 'int'), ('number', 'bool'), ('const', '-0.0')]
    """
    value = shipped(value)
    if isinstance(value, float) and value == 0 and math.copysign(1, value) < 0:
        return MINUS_ZERO
    form = form_of_number(value, numbers)
    return form if isinstance(value, float) or form != NUMBER else ("number", type(value).__name__)


def with_holes(form: Form, leaves: Iterator[Form | None]) -> Form:
    """A form in which numbers are replaced, in order, by forms of their own (None: the number remains)."""
    if form[0] == "number":
        return next(leaves) or form
    if form[0] in ("list", "tuple"):
        return (form[0], *(with_holes(part, leaves) for part in form[1:]))
    return form


def form_of_number(value: Any, numbers: list[Any]) -> Form:
    """The form of a number, which is appended to `numbers`: as it is, or in parts where it is a large integer.

    >>> parts = []
    >>> form = form_of_number(2**60 + 7, parts)
    >>> form, parts == [2.0**60, 7.0], show_form(form, iter(parts))
    (('integer', 11), True, '1152921504606846983')
    """
    if not too_large(value):
        number = as_float(value)
        if math.isnan(number):
            return NAN
        numbers.append(number)
        return NUMBER
    size = value.bit_length()
    if size >= _DOUBLE:
        return ("const", shortened(f"{value:#x}"))
    cuts = range(max(_LOW, size - _DIGITS), 0, -_DIGITS)
    rest = [value, *(value % (1 << cut) for cut in cuts), 0]
    numbers += [float(more - less) for more, less in itertools.pairwise(rest)]
    return ("integer", *cuts)


def too_large(value: Any) -> bool:
    """Whether a value is an integer that doubles may not tell from its neighbours."""
    return type(value) is int and not -EXACT <= value <= EXACT


def as_float(value: Any) -> float:
    """A number as a double; an integer beyond the doubles is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
    except Exception:  # a subclass may do as it likes
        return math.nan


def plain_repr(value: Any, *, short: bool = True) -> str:
    """A text for any object that does not depend on where in memory it lies; long ones end in a hash.

    >>> plain_repr(object()), plain_repr("a" * 100)[:4], len(plain_repr("a" * 100))
    ('<object object>', "'aaa", 59)
    """
    try:
        text = repr(value)
    except Exception:  # a broken __repr__ must not end an audit
        text = f"<{type(value).__name__} without a repr>"
    text = ADDRESS.sub("", text)
    return shortened(text) if short else text


def shortened(text: str) -> str:
    """A text, or the beginning of a long one with a hash of all of it."""
    if len(text) <= MOST_TEXT:
        return text
    return f"{text[:40]}... #{hashlib.sha256(text.encode(errors='replace')).hexdigest()[:14]}"


def batch_length(outputs: Any) -> int:
    """How many outputs a batch holds; an error where it is no batch."""
    if isinstance(outputs, str | bytes | dict | set | frozenset) or not hasattr(outputs, "__len__"):
        kind = type(outputs).__name__
        raise BadInput(f"the sampler returned {kind} {plain_repr(outputs)}; an array or list of outputs is needed")
    if isinstance(outputs, np.ndarray) and outputs.ndim == 0:
        raise BadInput("the sampler returned a single number; an array with one output per row is needed")
    try:
        return len(outputs)
    except Exception as error:  # a foreign __len__
        kind = type(outputs).__name__
        raise BadInput(f"the sampler returned {kind} whose length cannot be told ({type(error).__name__})") from None
