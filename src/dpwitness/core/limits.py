"""Stopping a program that does not stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dpwitness.core.errors import ProgramTimeout


@contextmanager
def time_limit(seconds: float, what: str) -> Iterator[None]:
    """Raise `ProgramTimeout` in the block after `seconds` (main thread on POSIX; elsewhere the block runs freely)."""
    usable = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()
    if not usable:
        yield
        return

    def stop(_signal: int, _frame: Any) -> None:
        raise ProgramTimeout(f"{what} did not finish within {seconds:g} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
