"""Reading JSON that somebody else wrote: ordinary files of a bounded size, without traps.

Refused are pipes and devices, files that are too large, keys that occur twice (two readers could disagree about
them), numbers that no double holds or whose digits alone would take minutes to compute with, and nesting that exhausts
the stack.
"""

from __future__ import annotations

import json
import math
import os
import stat
from pathlib import Path
from typing import Any

from dpwitness.core.errors import BadInput

MOST_BYTES = 8 * 2**20  # a file of brackets alone takes thirty times its size in memory
MOST_DIGITS = 400


class BadFile(BadInput):
    """A file does not hold what it should."""


def read_bytes(path: str | Path, limit: int = MOST_BYTES) -> bytes:
    """The content of an ordinary file of at most `limit` bytes; raises `BadFile`, or `OSError` where there is none."""
    # not blocking: opening a pipe that nobody writes to would wait for ever
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise BadFile("it is not an ordinary file")
    with os.fdopen(handle, "rb") as file:
        data = file.read(limit + 1)  # a file may grow while it is read
    if len(data) > limit:
        raise BadFile(f"it is larger than {limit:,} bytes")
    return data


def read_json(path: str | Path, limit: int = MOST_BYTES) -> Any:
    """The JSON of an ordinary file; raises `BadFile`, or `OSError` where it cannot be opened."""
    return parse_json(read_bytes(path, limit))


def parse_json(data: bytes | str) -> Any:
    """JSON from outside.

    >>> parse_json('{"a": [1, 2.5]}')
    {'a': [1, 2.5]}
    >>> parse_json('{"a": 1, "a": 2}')
    Traceback (most recent call last):
    dpwitness.core.loading.BadFile: the key 'a' occurs twice
    >>> parse_json("1e99999999")
    Traceback (most recent call last):
    dpwitness.core.loading.BadFile: the number 1e99999999 is out of range
    """
    try:
        text = data.decode("utf-8") if isinstance(data, bytes) else data
        return json.loads(
            text, object_pairs_hook=_once, parse_int=_whole, parse_float=_real, parse_constant=_no_constant
        )
    except BadFile:
        raise
    except UnicodeDecodeError:
        raise BadFile("it is not UTF-8 text") from None
    except RecursionError:
        raise BadFile("it is nested too deep") from None
    except ValueError as error:
        raise BadFile(f"it is not JSON ({_short(str(error))})") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise BadFile(f"the key {_short(repr(twice))} occurs twice")
    return found


def _whole(text: str) -> int:
    if len(text) > MOST_DIGITS:
        raise BadFile(f"the number {_short(text)} has more than {MOST_DIGITS} digits")
    return int(text)


def _real(text: str) -> float:
    value = float(text) if len(text) <= MOST_DIGITS else math.inf
    if not math.isfinite(value):
        raise BadFile(f"the number {_short(text)} is out of range")
    return value


def _no_constant(text: str) -> float:
    raise BadFile(f"{text} is not a number")


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
