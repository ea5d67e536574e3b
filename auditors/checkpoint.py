"""Checkpoints: the state of a run in a file, written after chunks, so that a killed run goes on where it stopped.

The file is a pickle, read back with a list of what it may hold: this package's own classes, numbers, arrays, and the
classifiers that audits train. A file that names anything else, such as a function to call, is refused unread.
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

_MAGIC = b"dpwitness checkpoint 2\n"
_EVERY_SECONDS = 0.5
_CLASSES_OF = ("dpwitness", "sklearn")
_MAKERS = {
    ("builtins", name) for name in ("set", "frozenset", "slice", "complex", "bytearray", "range")
} | {
    ("collections", "OrderedDict"), ("collections", "deque"), ("collections", "defaultdict"),
    ("fractions", "Fraction"), ("numpy", "ndarray"), ("numpy", "dtype"), ("_codecs", "encode"),
    ("numpy.random._pickle", "__randomstate_ctor"), ("numpy.random._pickle", "__bit_generator_ctor"),
    ("numpy.random._pickle", "__generator_ctor"), ("numpy.random._mt19937", "MT19937"),
    ("numpy.random._pcg64", "PCG64"),
} | {
    (f"numpy.{core}.{module}", name) for core in ("core", "_core")
    for module, name in (("multiarray", "_reconstruct"), ("multiarray", "scalar"), ("numeric", "_frombuffer"))
}  # fmt: skip


def identity(*parts: Any) -> str:
    """A hash of what a run depends on; a checkpoint of another run is refused."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()


class _Reader(pickle.Unpickler):
    """Reads the classes of this package and plain data; nothing that could run code of somebody else."""

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _MAKERS:
            return super().find_class(module, name)
        if module.partition(".")[0] in _CLASSES_OF and "." not in name:
            found = super().find_class(module, name)
            # compiled classes of sklearn are rebuilt by a function of a fixed name
            if isinstance(found, type) or name.startswith("__pyx_unpickle_"):
                return found
        raise pickle.UnpicklingError(f"it holds {module}.{name}, which no checkpoint needs")


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
            raise BadInput(f"checkpoint={str(self.path)!r} cannot be written: {error.strerror}") from error
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + self.run.encode() + b"\n")
                pickle.dump(state, file, protocol=pickle.HIGHEST_PROTOCOL)
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
                return _Reader(file).load()
        except FileNotFoundError:
            return None
        except (pickle.UnpicklingError, EOFError, AttributeError, ImportError, IndexError, TypeError) as error:
            raise BadInput(f"checkpoint={str(self.path)!r} cannot be read: {error}") from None
        except OSError as error:
            raise BadInput(f"checkpoint={str(self.path)!r} cannot be read: {error.strerror}") from error

    def clear(self) -> None:
        """Remove the file."""
        self.path.unlink(missing_ok=True)
