"""The folder of a report: what this program wrote there is listed in a manifest, and nothing else is ever touched.

A folder that holds other things and no manifest is refused, unless the caller insists; even then nothing is removed
that is not listed. New files are made in a folder of their own inside, which the next run uses again if this one is
killed, and are then moved into place.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from dpwitness.core.errors import BadInput
from dpwitness.core.failures import CannotWrite, why
from dpwitness.core.files import LOCK, locked, write_whole
from dpwitness.core.loading import BadFile, read_json

MANIFEST = "dpwitness-manifest.json"
FRESH = ".dpwitness-fresh"
UNFINISHED = "unfinished"
SCHEMA = "dpwitness.folder/1"
_OURS = re.compile(r"(?:certificates/|figures/)?[A-Za-z0-9_-][A-Za-z0-9._-]{0,160}")
_SUBFOLDERS = ("certificates", "figures")


@contextmanager
def opened(folder: Path, *, force: bool = False) -> Iterator[Path]:
    """Make a folder this program's own for the time of the block; yields its full path.

    Parameters
    ----------
    force
        Also write into a folder that holds other things: files of the same name are replaced, others stay.
    """
    made = [place for place in (folder, *folder.parents) if not place.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise BadInput(f"out={str(folder)!r} is a file; a folder is needed") from None
    except OSError as error:
        raise CannotWrite(f"out={str(folder)!r} cannot be written: {why(error)}") from error
    place = folder.resolve()
    try:
        with locked(place):
            known = _claim(place, force=force)
            try:
                yield place
            finally:
                with contextlib.suppress(OSError):  # somebody may have removed the folder
                    shutil.rmtree(place / FRESH, ignore_errors=True)
                    if not known and set(os.listdir(place)) <= {LOCK, MANIFEST}:  # nothing was written in the end
                        (place / MANIFEST).unlink(missing_ok=True)
    finally:
        with contextlib.suppress(OSError):  # what was made and is empty goes again
            for empty in made:
                empty.rmdir()


def refuse_foreign(folder: Path) -> None:
    """Raise `BadInput` where a folder holds things that this program did not write."""
    if folder.is_dir():
        _foreign(folder)


def _foreign(place: Path) -> bool:
    """Whether the folder has a manifest; raises where it has none and holds other things."""
    others = [name for name in os.listdir(place) if name != LOCK]
    if MANIFEST in others:
        _read(place)
        return True
    if others:
        raise BadInput(
            f"out={str(place)!r} holds files that dpwitness did not write, such as {min(others)!r}: choose another "
            "folder, or write beside them with --force"
        )
    return False


def _claim(place: Path, *, force: bool) -> bool:
    """Whether the folder has a manifest already; gives it one."""
    try:
        if (not force or (place / MANIFEST).exists()) and _foreign(place):
            return True
    except OSError as error:
        raise CannotWrite(f"out={str(place)!r} cannot be read: {why(error)}") from error
    _note(place, [])
    return False


def _read(place: Path) -> set[str]:
    """The files that the manifest lists; a manifest that lists anything but a report's files is refused."""
    path = place / MANIFEST
    try:
        stored = read_json(path)
        if not isinstance(stored, dict) or stored.get("schema") != SCHEMA or not isinstance(stored.get("files"), list):
            raise BadFile(f"its schema is not {SCHEMA}")
        names = stored["files"]
        wrong = next((name for name in names if not isinstance(name, str) or not _OURS.fullmatch(name)), None)
        if wrong is not None:
            raise BadFile(f"it lists {str(wrong)[:80]!r}, which no report holds")
    except FileNotFoundError:
        return set()
    except (OSError, BadFile) as error:
        reason = why(error) if isinstance(error, OSError) else error
        raise BadInput(f"{str(path)!r} cannot be used: {reason}; remove it, or choose another folder") from None
    return set(names)


def _note(place: Path, names: Iterable[str]) -> None:
    text = json.dumps({"schema": SCHEMA, "files": sorted(names)}, indent=1) + "\n"
    write_whole(place / MANIFEST, text, "manifest")


def fill(place: Path, make: Callable[[Path], None], *, force: bool = False) -> None:
    """Let `make` write a report's files, then put them into an `opened` folder in place of the former report's."""
    fresh = place / FRESH
    try:
        shutil.rmtree(fresh, ignore_errors=True)  # of a run that was killed
        fresh.mkdir()
        make(fresh)
        _move(place, fresh, force=force)
    except OSError as error:
        raise CannotWrite(f"out={str(place)!r} cannot be written: {why(error)}") from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _move(place: Path, fresh: Path, *, force: bool) -> None:
    before = _read(place)
    names = sorted(path.relative_to(fresh).as_posix() for path in fresh.rglob("*") if path.is_file())
    _refuse_collisions(place, names, before, force=force)
    _note(place, before | set(names))  # whenever this is interrupted, what is ours is known
    for name in names:
        (place / name).parent.mkdir(exist_ok=True)
        os.replace(fresh / name, place / name)
    for name in sorted(before - set(names)):
        if not (place / name).is_dir():
            (place / name).unlink(missing_ok=True)
    for name in _SUBFOLDERS:
        if (fresh / name).is_dir():
            (place / name).mkdir(exist_ok=True)
        elif not (place / name).is_symlink():
            with contextlib.suppress(OSError):  # somebody may have put other files there
                (place / name).rmdir()
    _note(place, names)


def _refuse_collisions(place: Path, names: Iterable[str], before: set[str], *, force: bool) -> None:
    for name in names:
        file = place / name
        if file.parent != place and file.parent.is_symlink():
            raise CannotWrite(f"out={str(place)!r}: {file.parent.name!r} is a link to another folder; remove it")
        if file.is_dir() or (os.path.lexists(file) and name not in before and not force):
            raise CannotWrite(f"out={str(place)!r}: {name!r} is there already and was not written by dpwitness")
