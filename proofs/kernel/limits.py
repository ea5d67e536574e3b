"""What a certificate may ask for: its size before it is read, and the time while it is checked.

Certificates come from strangers. Before a checker sees one, its characters, values, depth and the lengths of its
numbers are counted. While it is checked, the inner loops of the rings call `tick`, which stops the check where its time
is up: by the processor time of the thread, so that it ends in threads too and does not depend on the machine's load.

Exact numbers grow where many denominators meet: the sum of all numbers of a certificate has a denominator that divides
the product of the different ones. So their lengths together are limited, and no sum is longer than that.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

MAX_CHARACTERS, MAX_VALUES, MAX_DEPTH, MAX_TEXT = 4_000_000, 400_000, 900, 20_000
MAX_DENOMINATORS = 40_000  # digits of all different denominators together
MAX_NUMBER_BITS = 1 << 20  # of a coefficient that is computed
MAX_WHOLE = 400  # bits of a number that is not text: an output may be one
SECONDS = 1.2
_OFTEN = 64  # the clock is asked once in so many ticks
_DENOMINATOR = re.compile(r"/([0-9]+)|\.([0-9]+)", re.ASCII)


class Rejected(Exception):
    """A certificate, a formula or a number that the kernel does not accept; the text says why."""


class TooMuch(Rejected):
    """A certificate asks for more than the kernel is ready to spend."""


class _Clock:
    __slots__ = ("end", "left")

    def __init__(self, end: float) -> None:
        self.end, self.left = end, _OFTEN


_clock: ContextVar[_Clock | None] = ContextVar("clock", default=None)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """So much processor time for the block; a block inside another one has no more than the outer one has left."""
    outer, end = _clock.get(), time.thread_time() + seconds
    token = _clock.set(_Clock(end if outer is None else min(end, outer.end)))
    try:
        yield
    finally:
        _clock.reset(token)


def tick(cost: int = 1) -> None:
    """Stop here if the time is up; `cost` is how many ticks the work since the last one was worth."""
    clock = _clock.get()
    if clock is None:
        return
    clock.left -= cost
    if clock.left <= 0:
        if time.thread_time() > clock.end:
            raise TooMuch("the check takes too long")  # as will every further tick
        clock.left = _OFTEN


def short(bits: int) -> None:
    """Refuse a number that has become too long; also a tick."""
    if bits > MAX_NUMBER_BITS:
        raise TooMuch(f"a number of more than {MAX_NUMBER_BITS} bits")
    tick()


def inspect(certificate: Mapping[str, Any]) -> None:
    """Refuse a certificate that is too large, too deep, or full of long numbers.

    >>> inspect({"a": ["1/3"]})
    """
    characters = values = 0
    denominators: dict[str, None] = {}
    digits = 0
    todo: list[tuple[Any, int]] = [(certificate, 0)]
    while todo:
        value, depth = todo.pop()
        values += 1
        if values > MAX_VALUES or depth > MAX_DEPTH:
            raise TooMuch(f"more than {MAX_VALUES} values, or nested more than {MAX_DEPTH} deep")
        if isinstance(value, Mapping):
            todo += ((part, depth + 1) for pair in value.items() for part in pair)
        elif isinstance(value, list | tuple):
            if len(value) > MAX_VALUES:
                raise TooMuch(f"more than {MAX_VALUES} values")
            todo += ((part, depth + 1) for part in value)
        elif isinstance(value, str):
            characters += len(value)
            if len(value) > MAX_TEXT or characters > MAX_CHARACTERS:
                raise TooMuch(f"a text of more than {MAX_TEXT} characters, or {MAX_CHARACTERS} of them in all")
            for found in _DENOMINATOR.finditer(value):
                one = found[1] or found[2]
                if one not in denominators:
                    denominators[one] = None
                    digits += len(one)
            if digits > MAX_DENOMINATORS:
                raise TooMuch(f"the different denominators have more than {MAX_DENOMINATORS} digits together")
        elif isinstance(value, int) and not isinstance(value, bool):
            if value.bit_length() > MAX_WHOLE:
                raise TooMuch(f"a whole number of more than {MAX_WHOLE} bits that is not text")
        elif value is not None and not isinstance(value, bool | float):
            raise TooMuch(f"a value of type {type(value).__name__} is no JSON")
