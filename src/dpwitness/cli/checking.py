"""``dpwitness check``: re-check certificates with the kernel alone."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

MAX_BYTES = 64 * 2**20


def add(commands: Any) -> None:
    """Declare the command."""
    command = commands.add_parser("check", help="re-check certificates with the small kernel alone")
    command.add_argument("files", nargs="+", metavar="CERTIFICATE")
    command.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Check every file; status 1 where one is invalid."""
    from dpwitness.proofs.kernel.check import examine

    status = 0
    for name in options.files:
        try:
            path = Path(name)
            if path.stat().st_size > MAX_BYTES:
                raise ValueError(f"larger than {MAX_BYTES} bytes")
            found = examine(json.loads(path.read_text(encoding="utf-8")))
            if not found.valid:
                raise ValueError(found.reason)
        except OSError as error:
            print(f"dpwitness: {name!r} cannot be read: {error.strerror}", file=sys.stderr)
            return 2
        except Exception as error:
            print(f"INVALID  {name}: {error}")
            status = 1
        else:
            print(f"VALID    {name}: {found.statement}")
    return status
