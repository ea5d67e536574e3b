"""Text from outside, made safe to show."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from dpwitness.core.numbers import show

MAX_TEXT = 2000
# terminal escapes as a whole, then whatever moves the cursor, turns the direction of writing, or no XML may hold
_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")


def clean(text: object, limit: int = MAX_TEXT) -> str:
    r"""Text from outside made safe to show: terminal escapes and control characters removed, length bounded.

    >>> clean("\x1b[31mred\x1b[0m\x07"), clean("ab" * 10, 5)
    ('red', 'abab…')
    """
    plain = _CONTROL.sub("", _ESCAPE.sub("", str(text)[: 4 * limit]))
    return plain if len(plain) <= limit else plain[: limit - 1] + "…"


def line(text: object, limit: int = MAX_TEXT) -> str:
    r"""`clean`, on one line.

    >>> line("two\n  lines")
    'two lines'
    """
    return " ".join(clean(text, limit).split())


def show_data(data: Iterable[Any]) -> str:
    """An input in short.

    >>> show_data([Fraction(1, 2), ("a", Fraction(3)), *range(8)])
    "(1/2, ('a', 3), 0, 1, 2, 3, 4, 5, …)"
    """
    items = list(itertools.islice(data, 9))
    return f"({', '.join(_show_record(x) for x in items[:8])}{', …' if len(items) > 8 else ''})"


def _show_record(record: Any) -> str:
    if isinstance(record, Fraction):
        return show(record)
    if type(record) is tuple:
        parts = [line(repr(part), 80) if isinstance(part, str) else _show_record(part) for part in record[:8]]
        return f"({', '.join(parts)}{',' if len(record) == 1 else ''}{', …' if len(record) > 8 else ''})"
    return line(record, 80)
