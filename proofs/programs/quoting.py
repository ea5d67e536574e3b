"""Reasons that show the line of the program they speak of."""

from __future__ import annotations

import linecache
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
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


def busiest(lines: Iterable[int | None]) -> int | None:
    """The line that is asked most often.

    >>> busiest([3, 7, None, 7])
    7
    """
    counts = Counter(line for line in lines if line is not None)
    return counts.most_common(1)[0][0] if counts else None
