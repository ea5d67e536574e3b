"""Numbers on the command line: a huge or odd one is wrong usage, and never reaches the work."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from dpwitness.core.text import line

MOST_PAIRS = 10**12
MOST_SECONDS = 1e7  # four months
MOST_JOBS = 4096
MOST_SEED = 2**128
_MOST_TEXT = 60


def whole(low: int, high: int) -> Callable[[str], int]:
    """A reader of whole numbers between `low` and `high`."""

    def read(text: str) -> int:
        try:
            value = int(text) if len(text) <= _MOST_TEXT else None
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{line(text, 40)!r} must be a whole number from {low} to {high}")
        return value

    return read


def seconds(text: str) -> float:
    """A reader of limits of time."""
    try:
        value = float(text) if len(text) <= _MOST_TEXT else 0.0
    except ValueError:
        value = 0.0
    if not 0 < value <= MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"{line(text, 40)!r} must be a positive number, at most {MOST_SECONDS:g}")
    return value
