"""Finding the line of the program that is running."""

from __future__ import annotations

import sys
from types import CodeType
from typing import Any


def program_code(program: Any) -> CodeType | None:
    """The code object of a Python function, through wrappers."""
    while hasattr(program, "__wrapped__"):
        program = program.__wrapped__
    return getattr(program, "__code__", None)


def current_line(code: CodeType | None) -> int | None:
    """The line of `code` (or of a function nested in it) that is on the call stack now."""
    if code is None:
        return None
    nested = {code, *(c for c in code.co_consts if isinstance(c, CodeType))}
    frame = sys._getframe(1)
    while frame is not None:
        if frame.f_code in nested:
            return frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]
    return None
