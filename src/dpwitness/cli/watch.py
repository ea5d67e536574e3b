"""``--watch``: decide again whenever a file of the targets is saved."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from dpwitness.cli.common import console
from dpwitness.cli.streams import printing
from dpwitness.core.errors import BadInput

PAUSE = 0.3
Stamps = dict[Path, tuple[int, int]]


def watched(targets: Sequence[str]) -> list[Path]:
    """The folders whose Python files are looked at: those of the files and modules that the targets name.

    >>> from pathlib import Path
    >>> watched(["mine.py::laplace"]) == [Path.cwd()]
    True
    """
    folders: dict[Path, None] = {}
    for target in targets:
        name = target.split("::")[0]
        if name.endswith(".py"):
            folders[Path(name).resolve().parent] = None
        elif ":" in name:
            folders[_folder_of_module(name.split(":")[0])] = None
    if not folders:
        raise BadInput("--watch needs a target of your own: path/to/file.py or package.module:function")
    return list(folders)


def _folder_of_module(name: str) -> Path:
    """Where a module lies, without running it (its parent packages are imported)."""
    if "" not in sys.path:
        sys.path.insert(0, "")
    try:
        spec = importlib.util.find_spec(name)
    except (ImportError, ValueError):
        spec = None
    if spec is None or spec.origin is None or not spec.origin.endswith(".py"):
        raise BadInput(f"--watch: there is no Python file of a module {name!r} to look at")
    return Path(spec.origin).resolve().parent


def stamps(folders: Sequence[Path]) -> Stamps:
    """Time and size of every Python file in the folders; a file that disappears meanwhile is left out."""
    found: Stamps = {}
    for folder in folders:
        for file in folder.glob("*.py"):
            try:
                about = file.stat()
            except OSError:
                continue
            found[file] = (about.st_mtime_ns, about.st_size)
    return found


def watch(
    targets: Sequence[str],
    decide: Callable[[], int],
    *,
    rounds: int | None = None,
    pause: Callable[[float], None] = time.sleep,
) -> int:
    """Decide, wait for a change, and decide again, until interrupted; returns the last exit status.

    Each time is a process of its own, so that the saved files are imported afresh.
    """
    folders = watched(targets)
    done = 0
    while True:
        before = stamps(folders)
        status = decide()
        done += 1
        if done == rounds:
            return status
        with printing():
            console(stderr=True).print(f"status {status}; waiting for a change in {', '.join(map(str, folders))} "
                                       "(Ctrl-C ends)", markup=False)  # fmt: skip
        try:
            while stamps(folders) == before:
                pause(PAUSE)
        except KeyboardInterrupt:
            return status


def run_again(arguments: Sequence[str]) -> Callable[[], int]:
    """The same command without ``--watch``, in a process of its own."""
    command = [sys.executable, "-m", "dpwitness", *(word for word in arguments if word != "--watch")]
    return lambda: subprocess.run(command, check=False).returncode
