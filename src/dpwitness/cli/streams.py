"""Standard output that may be closed, full, or unable to write ε: none of this may change or hide a verdict."""

from __future__ import annotations

import codecs
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any

from dpwitness.core.failures import ToolFailure, why

_ASCII = {
    "ε": "eps", "δ": "delta", "α": "alpha", "ρ": "rho", "μ": "mu", "γ": "gamma", "≤": "<=", "≥": ">=", "·": "|",
    "→": "->", "∞": "inf", "…": "...", "′": "'", "−": "-", "–": "-", "—": "-", "×": "x", "ℓ": "l", "∈": "in",
    "✓": "+", "✗": "x", "│": "|", "━": "-",
}  # fmt: skip


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    part = error.object[error.start : error.end]
    return "".join(_ASCII.get(c, c.encode("ascii", "backslashreplace").decode()) for c in part), error.end


codecs.register_error("dpwitness", _in_ascii)


def settle_streams() -> bool:
    """Make the standard streams usable for a command; returns whether somebody can read the output.

    A closed descriptor is given to the null device, or the next file that is opened would become standard output.
    Where the encoding has no ε, it is spelled out.
    """
    open_before = [_is_open(stream) for stream in (0, 1, 2)]
    while not all(_is_open(stream) for stream in (0, 1, 2)):
        os.open(os.devnull, os.O_RDWR)
    for name, stream in (("stdout", 1), ("stderr", 2)):
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(stream, "w", encoding="utf-8", closefd=False))
        encoding = str(getattr(getattr(sys, name), "encoding", None) or "")
        if encoding.lower().replace("-", "") not in ("utf8", ""):
            _spell_out(getattr(sys, name))
    return open_before[1]


def _is_open(stream: int) -> bool:
    try:
        os.fstat(stream)
    except OSError:
        return False
    return True


def _spell_out(stream: Any) -> None:
    if hasattr(stream, "reconfigure"):  # a test's or a notebook's own stream may have no such thing
        stream.reconfigure(errors="dpwitness")


@contextmanager
def printing() -> Iterator[None]:
    """Print what was already written to files: a reader who goes away takes nothing from the verdict.

    A stream that fails in any other way is a failure of its own, which the command reports by its status.
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        drop(sys.stdout)
    except OSError as error:
        drop(sys.stdout)
        raise ToolFailure(f"standard output cannot be written: {why(error)}") from error


def deliver(text: str) -> None:
    """Print a result that goes nowhere else: it must arrive."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except (OSError, ValueError) as error:
        drop(sys.stdout)
        raise ToolFailure(f"the result cannot be written to standard output: {why(error)}") from error


def drop(stream: IO[str]) -> None:
    """Send what is still to come, and what Python would write when it ends, to the null device."""
    try:
        handle = stream.fileno()
    except (OSError, ValueError):
        return
    silence = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silence, handle)
    os.close(silence)
