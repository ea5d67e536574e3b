"""Numbers on the command line: a huge or odd one is wrong usage, and never reaches the work."""

from __future__ import annotations

import argparse

from dpwitness.core.errors import BadInput
from dpwitness.core.text import line

_MOST_TEXT = 60
_BOUNDS = {  # the least and the most, and what it is called
    "max_pairs": (1, 10**12, "number of pairs"),
    "seconds": (1e-3, 1e7, "number of seconds"),
    "import_seconds": (1e-3, 1e7, "number of seconds"),
    "jobs": (0, 4096, "number of processes, or 0 for one for each core"),
    "seed": (0, 2**64 - 1, "whole number"),
}


def whole(text: str) -> int:
    """A whole number of moderate length."""
    return int(_short(text))


def real(text: str) -> float:
    """A number of moderate length."""
    return float(_short(text))


def _short(text: str) -> str:
    if len(text) > _MOST_TEXT:
        raise argparse.ArgumentTypeError(f"{line(text, 40)!r} is too long for a number")
    return text


def check_bounds(options: argparse.Namespace) -> None:
    """Raise `BadInput` where a number is out of its range."""
    for name, (least, most, what) in _BOUNDS.items():
        value = getattr(options, name, None)
        if value is not None and not least <= value <= most:
            raise BadInput(f"{name}={value} must be a positive {what}, from {least:g} to {most:.4g}")
