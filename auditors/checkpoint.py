"""Checkpoints: the state of a run in a file, written after chunks, so that a killed run goes on where it stopped.

What may stand in it, and why reading it runs no code, is said in `dpwitness.auditors.state`.
"""

from __future__ import annotations

import hashlib
import os
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dpwitness.auditors.state import pack, unpack
from dpwitness.core.errors import BadInput
from dpwitness.core.failures import CannotWrite

_MAGIC = b"dpwitness checkpoint 3\n"
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
        try:
            handle, name = tempfile.mkstemp(dir=self.path.parent, prefix=f".{self.path.name}.")
        except OSError as error:
            raise CannotWrite(f"checkpoint={str(self.path)!r} cannot be written: {error.strerror}") from error
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + self.run.encode() + b"\n")
                file.write(pack(state))
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self.path)
        except BaseException:  # an interrupted write leaves the previous checkpoint, and no litter
            Path(name).unlink(missing_ok=True)
            raise
        self._last = time.monotonic()

    def load(self) -> Any | None:
        """The state, None where there is no file; an error where the file belongs to something else."""
        try:
            with self.path.open("rb") as file:
                if file.readline() != _MAGIC:
                    raise BadInput(f"checkpoint={str(self.path)!r} is not a checkpoint of this version of dpwitness")
                if file.readline().strip().decode(errors="replace") != self.run:
                    raise BadInput(f"checkpoint={str(self.path)!r} belongs to a run with other arguments")
                data = file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise BadInput(f"checkpoint={str(self.path)!r} cannot be read: {error.strerror}") from error
        try:
            return unpack(data)
        except BadInput as error:
            raise BadInput(f"checkpoint={str(self.path)!r} cannot be read: {error}") from None

    def clear(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)
