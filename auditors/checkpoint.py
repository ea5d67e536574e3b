"""Checkpoints: the state of a run in a file, written after chunks, so that a killed run goes on where it stopped.

The file is a pickle written by this package for its own use. Loading a pickle runs code: resume only from files that
you have written yourself.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpwitness.core.errors import BadInput

_MAGIC = b"dpwitness checkpoint 1\n"
_EVERY_SECONDS = 0.5


def identity(*parts: Any) -> str:
    """A hash of what a run depends on; a checkpoint of another run is refused."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@dataclass
class Checkpoint:
    """A file that holds the latest state of one run.

    Parameters
    ----------
    path
        Where; its folder must exist.
    run
        The `identity` of the run.
    """

    path: Path
    run: str
    _last: float = field(default=0.0, repr=False)

    def save(self, state: Any, *, force: bool = False) -> None:
        """Write the state, atomically; at most twice a second unless forced."""
        now = time.monotonic()
        if not force and now - self._last < _EVERY_SECONDS:
            return
        handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=self.path.name)
        with os.fdopen(handle, "wb") as file:
            file.write(_MAGIC + self.run.encode() + b"\n")
            pickle.dump(state, file, protocol=pickle.HIGHEST_PROTOCOL)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, self.path)
        self._last = now

    def load(self) -> Any | None:
        """The state, None where there is no file; an error where the file belongs to something else."""
        try:
            with self.path.open("rb") as file:
                if file.readline() != _MAGIC:
                    raise BadInput(f"checkpoint={str(self.path)!r} is not a checkpoint of this version of dpwitness")
                if file.readline().strip().decode() != self.run:
                    raise BadInput(f"checkpoint={str(self.path)!r} belongs to a run with other arguments")
                return pickle.load(file)
        except FileNotFoundError:
            return None

    def clear(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)
