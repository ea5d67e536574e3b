"""``dpwitness lesson``: teaching demonstrations."""

from __future__ import annotations

import argparse
from typing import Any

from dpwitness.core.errors import UnknownTarget


def add(commands: Any) -> None:
    """Declare the command."""
    command = commands.add_parser("lesson", help="teaching demonstrations")
    command.add_argument("name", nargs="?", metavar="NAME")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Show the lessons."""
    if options.name:
        raise UnknownTarget(f"there is no lesson {options.name!r}; this version ships none yet")
    print("This version ships no lessons yet.")
    return 0
