"""Reasons that show the line of the program they speak of."""

from __future__ import annotations

import linecache
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import Any

from dpwitness.core.readers.where import program_code


def quoted(reason: str, program: Any, line: int | None) -> str:
    """The reason with the text of the line and its place, where the line is known and can be read."""
    code = program_code(program) if line is not None else None
    if line is None or code is None:
        return reason
    text = linecache.getline(code.co_filename, line).strip()
    place = f"{Path(code.co_filename).name}:{line}"
    return f"{reason}: {text!r} ({place})" if text else f"{reason} ({place})"


def returned_at(program: Callable[..., Any], run: Callable[[], Any]) -> int | None:
    """The line at which the program returns when `run` runs it once more.

    >>> def chosen(x):
    ...     if x:
    ...         return 1
    ...     return 2
    >>> returned_at(chosen, lambda: chosen(0)) - chosen.__code__.co_firstlineno
    3
    """
    code, before, lines = program_code(program), sys.gettrace(), []

    def inside(frame: FrameType, event: str, _: Any) -> Any:
        if event == "return":
            lines.append(frame.f_lineno)
        return inside

    sys.settrace(lambda frame, _event, _argument: inside if frame.f_code is code else None)
    try:
        run()
    finally:
        sys.settrace(before)
    return lines[-1] if lines else None


def busiest(lines: Iterable[int | None]) -> int | None:
    """The line that is asked most often.

    >>> busiest([3, 7, None, 7])
    7
    """
    counts = Counter(line for line in lines if line is not None)
    return counts.most_common(1)[0][0] if counts else None
