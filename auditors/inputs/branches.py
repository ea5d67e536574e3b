"""Which branches of a function an input reaches, by the lines that follow each other in the files of its package."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from dpwitness.auditors.sampling.sampler import try_deepcopy
from dpwitness.core.limits import Deadline, interrupted

Edge = tuple[int, int, int]
MOST_EVENTS = 20_000


def edges_of(function: Callable[[Any], Any], data: Any, deadline: Deadline) -> frozenset[Edge]:
    """The branches that a call takes, up to the deadline; none where another tool traces this process already.

    A branch is a pair of lines that were run one after the other in one code object. Code outside the folder of the
    function's file is not looked at, nor is what comes after many events.
    """
    code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
    if code is None or sys.gettrace() is not None:
        return frozenset()
    home = str(Path(code.co_filename).parent)
    found: set[Edge] = set()
    last: dict[int, int] = {}
    events = 0

    def local(frame: FrameType, event: str, argument: Any) -> Any:
        nonlocal events
        events += 1
        if events > MOST_EVENTS:
            sys.settrace(None)
            return None
        if event == "line":
            found.add((id(frame.f_code), last.get(id(frame), 0), frame.f_lineno))
            last[id(frame)] = frame.f_lineno
        return local

    def begin(frame: FrameType, event: str, argument: Any) -> Any:
        return local if frame.f_code.co_filename.startswith(home) else None

    with interrupted(deadline), contextlib.suppress(Exception, SystemExit):  # an exception takes a branch too
        sys.settrace(begin)
        try:
            function(try_deepcopy(data))
        finally:
            sys.settrace(None)
    return frozenset(found)
