"""Finding the line of the program that is running."""

from __future__ import annotations

import sys
from types import CodeType
from typing import Any

from dpwitness.core.errors import OutsideFragment


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


def raised_at(error: BaseException, code: CodeType | None) -> int | None:
    """The line of `code` (or of a function nested in it) that was running when the error was raised.

    >>> def program(x):
    ...     y = x + 1
    ...     return 1 / y
    >>> try:
    ...     program(-1)
    ... except ZeroDivisionError as error:
    ...     print(raised_at(error, program.__code__) - program.__code__.co_firstlineno)
    2
    """
    if code is None:
        return None
    nested = {code, *(c for c in code.co_consts if isinstance(c, CodeType))}
    line, step = None, error.__traceback__
    while step is not None:
        if step.tb_frame.f_code in nested:
            line = step.tb_lineno
        step = step.tb_next
    return line


def located(error: OutsideFragment, code: CodeType | None) -> OutsideFragment:
    """The same refusal with the line of the program at which it was raised."""
    return error if error.line is not None else OutsideFragment(error.reason, raised_at(error, code))
