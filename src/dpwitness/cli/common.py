"""What the commands share: where output goes, and how far a command has come."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dpwitness.cli.streams import deliver
from dpwitness.core.files import write_whole

if TYPE_CHECKING:
    from rich.console import Console

WIDE = 170
PATIENCE = 1.0


def console(*, stderr: bool = False) -> Console:
    """A console that is wide where nobody looks at a screen; NO_COLOR and COLUMNS are honoured."""
    from rich.console import Console

    class Ours(Console):
        def on_broken_pipe(self) -> None:
            """Rich would end the program with status 1, which means that a claim is refuted."""
            raise BrokenPipeError

    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else WIDE
    return Ours(file=stream, width=width, highlight=False, soft_wrap=False)


def write_json(content: Any, place: str) -> None:
    """Write JSON to a file, whole or not at all; ``-`` is standard output."""
    text = json.dumps(content, indent=1, ensure_ascii=False) + "\n"
    if place == "-":
        deliver(text)
    else:
        write_whole(Path(place), text, "json")


@contextmanager
def stdout_kept_clean(wanted: bool) -> Iterator[None]:
    """Send to standard error what anybody, a library or a worker process included, prints to standard output."""
    if not wanted:
        yield
        return
    real = sys.stdout
    real.flush()
    try:
        ours = real.fileno() == 1
    except (OSError, ValueError):  # a test's or a notebook's own stream
        ours = False
    saved = os.dup(1) if ours else -1
    if ours:
        os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        yield
    finally:
        sys.stdout = real
        if ours:
            os.dup2(saved, 1)
            os.close(saved)


class Bar:
    """How far a command has come; this one shows nothing."""

    def advance(self, what: str = "") -> None:
        """One more item is done."""

    def tell(self, text: str) -> None:
        """What is being done at the moment."""


class _Shown(Bar):
    def __init__(self, shown: Any, task: Any) -> None:
        self._shown, self._task = shown, task

    def advance(self, what: str = "") -> None:
        self._shown.update(self._task, advance=1, description=_escaped(what))

    def tell(self, text: str) -> None:
        self._shown.update(self._task, description=_escaped(text))


def _escaped(text: str) -> str:
    from rich.markup import escape

    return escape(text)


@contextmanager
def progress(total: int | None, *, quiet: bool = False) -> Iterator[Bar]:
    """A progress bar on standard error: on a terminal only, and only for what takes longer than a second.

    Parameters
    ----------
    total
        How many items there are; None where that is not known.
    quiet
        Show nothing.

    Examples
    --------
    >>> with progress(2, quiet=True) as bar:
    ...     for name in ("one", "two"):
    ...         bar.advance(name)
    """
    if quiet or not sys.stderr.isatty():
        yield Bar()
        return
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    counted = (MofNCompleteColumn(),) if total is not None else ()
    left = (TextColumn("left"), TimeRemainingColumn()) if total is not None else ()
    columns = (BarColumn(), *counted, TimeElapsedColumn(), *left, TextColumn("{task.description}"))
    shown = Progress(*columns, console=console(stderr=True), transient=True)
    task = shown.add_task("", total=total)
    later = threading.Timer(PATIENCE, shown.start)
    later.daemon = True
    later.start()
    try:
        yield _Shown(shown, task)
    finally:
        later.cancel()
        later.join()
        shown.stop()
