"""Writing files whole or not at all, and one run at a time in a folder."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dpwitness.core.errors import BadInput
from dpwitness.core.failures import CannotWrite, ToolFailure, why

try:
    import fcntl
except ImportError:  # pragma: no cover  # Windows: runs in one folder are not kept apart there
    fcntl = None  # type: ignore[assignment]

LOCK = ".dpwitness.lock"
_held: set[Path] = set()


def write_whole(path: Path, text: str, name: str = "file") -> None:
    """Write a text file so that a reader sees the old content or the new one, and never a part.

    The text goes to a file beside it, which then takes its name; the mode is what the umask leaves. Devices and pipes
    are written to directly. What a killed process left beside the file is removed.

    Parameters
    ----------
    name
        What to call the path in an error message, such as ``json``.
    """
    place = Path(os.path.realpath(path))
    try:
        if place.is_dir():
            raise BadInput(f"{name}={str(path)!r} is a folder; a file is needed")
        if place.exists() and not stat.S_ISREG(place.stat().st_mode):
            with place.open("w", encoding="utf-8", newline="\n") as file:
                file.write(text)
            return
        remove_abandoned(place)
        _write_beside(place, text)
    except OSError as error:
        raise CannotWrite(f"{name}={str(path)!r} cannot be written: {why(error)}") from error


def _write_beside(place: Path, text: str) -> None:
    fresh = place.with_name(f".{place.name[:100]}.{os.getpid()}.{secrets.token_hex(4)}.tmp")
    handle = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
        os.replace(fresh, place)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def remove_abandoned(place: Path) -> None:
    """Remove files that processes which are no longer alive have left while they wrote `place`."""
    pattern = re.compile(rf"\.{re.escape(place.name[:100])}\.(\d+)\.[0-9a-f]{{8}}\.tmp")
    for file in place.parent.glob(f".{_literal(place.name[:100])}.*.tmp"):
        found = pattern.fullmatch(file.name)
        if found is not None and not _alive(int(found[1])):
            with contextlib.suppress(OSError):
                file.unlink()


def _literal(name: str) -> str:
    return re.sub(r"([*?\[])", r"[\1]", name)


def _alive(process: int) -> bool:
    """Whether a process of this machine runs; in doubt it does."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        pass
    return True


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other processes from working in a folder; a process that dies lets go of it.

    The lock belongs to the process and is not inherited by its children, so a worker that outlives a killed run keeps
    nobody out. The same process may lock a folder again inside the block.
    """
    place = folder.resolve()
    if fcntl is None or place in _held:
        yield
        return
    handle = _lock(place / LOCK, place)
    _held.add(place)
    try:
        yield
    finally:
        _held.discard(place)
        with contextlib.suppress(OSError):  # the folder may be gone
            (place / LOCK).unlink()
        os.close(handle)


def _lock(file: Path, folder: Path) -> int:
    while True:
        try:
            handle = os.open(file, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        except OSError as error:
            raise CannotWrite(f"out={str(folder)!r} cannot be written: {why(error)}") from error
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # whoever held it before may have removed the file between our two steps
            if os.path.exists(file) and os.path.samestat(os.fstat(handle), os.stat(file)):
                os.ftruncate(handle, 0)
                os.write(handle, str(os.getpid()).encode())
                return handle
        except BlockingIOError:
            owner = os.read(handle, 20).decode(errors="replace")
            os.close(handle)
            who = f" (process {owner})" if owner.isdigit() else ""
            raise ToolFailure(
                f"out={str(folder)!r} is in use by another run{who}: wait for it, or choose another folder"
            ) from None
        except OSError as error:
            os.close(handle)
            raise CannotWrite(f"out={str(folder)!r} cannot be locked: {why(error)}") from error
        os.close(handle)
