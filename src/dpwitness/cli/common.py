"""What the commands share: where output goes."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpwitness.core.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

WIDE = 170


def console(*, stderr: bool = False) -> Console:
    """A console that is wide where nobody looks at a screen; NO_COLOR and COLUMNS are honoured."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else WIDE
    return Console(file=stream, width=width, highlight=False, soft_wrap=False)


def write_json(content: Any, place: str) -> None:
    """Write JSON to a file, whole or not at all; ``-`` is standard output."""
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    if place == "-":
        sys.stdout.write(text)
        return
    target = Path(place)
    try:
        handle, fresh = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
        os.replace(fresh, target)
    except OSError as error:
        raise BadInput(f"json={place!r} cannot be written: {error.strerror}") from error
