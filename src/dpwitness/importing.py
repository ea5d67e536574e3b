"""Importing files and modules that somebody else wrote: once in a process, within a limit of time, and not blindly.

A file may end the process, or never come to an end, while it is imported; neither can be undone afterwards. So it is
imported in a child process first, and here only if the child came back.
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import hashlib
import importlib
import importlib.util
import os
import select
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from types import ModuleType

from dpwitness.core.errors import ProgramTimeout, UnknownTarget
from dpwitness.core.limits import time_limit
from dpwitness.core.loading import BadFile, read_bytes

IMPORT_SECONDS = 60.0
PREFIX = "dpwitness_target_"
_GRACE = 5.0
_seconds: ContextVar[float] = ContextVar("seconds", default=IMPORT_SECONDS)
_loaded: dict[tuple[str, str], ModuleType] = {}


@contextmanager
def import_limit(seconds: float) -> Iterator[None]:
    """How long the import of a file or module may take inside the block."""
    token = _seconds.set(seconds)
    try:
        yield
    finally:
        _seconds.reset(token)


def load_file(path: str) -> ModuleType:
    """The module in a file; a file that has not changed is executed once in a process."""
    file = Path(path)
    if not file.is_file():
        raise UnknownTarget(f"there is no file {path!r}")
    try:
        content = read_bytes(file)
    except (OSError, BadFile) as error:
        raise UnknownTarget(f"{path!r} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    place = str(file.resolve())
    known = (place, hashlib.sha256(content).hexdigest())
    if known not in _loaded:
        # files of the same name in different folders are different modules
        name = f"{PREFIX}{file.stem}_{hashlib.sha256(place.encode(errors='surrogateescape')).hexdigest()[:8]}"
        _loaded[known] = _import(lambda: _execute(name, file), f"{path!r}")
    return _loaded[known]


def load_module(name: str) -> ModuleType:
    """A module by its name; the current folder is looked at first, as Python itself does for a script."""
    here = os.getcwd()
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    if name in sys.modules:
        return sys.modules[name]
    return _import(lambda: importlib.import_module(name), f"{name!r}")


def _execute(name: str, file: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise UnknownTarget(f"{str(file)!r} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _import(execute: Callable[[], ModuleType], shown: str) -> ModuleType:
    seconds = _seconds.get()
    if hasattr(os, "fork"):
        _rehearse(execute, shown, seconds)
    try:
        with time_limit(seconds, f"the import of {shown}"):
            return execute()
    except (UnknownTarget, KeyboardInterrupt):
        raise
    except ProgramTimeout as error:
        raise UnknownTarget(str(error)) from None
    except SystemExit as error:
        raise UnknownTarget(f"{shown} does not import: it calls sys.exit({error.code!r})") from None
    except BaseException as error:
        raise UnknownTarget(f"{shown} does not import: {type(error).__name__}: {error}") from error


def _rehearse(execute: Callable[[], ModuleType], shown: str, seconds: float) -> None:
    """Import in a child process, and find out whether it comes back at all."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # a fork beside threads; this child only imports
        child = os.fork()
    if child == 0:
        _play(execute, reading, writing, seconds)
    os.close(writing)
    try:
        came_back = _wait(reading, seconds)
    finally:
        os.close(reading)
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
    if came_back is None:
        raise UnknownTarget(f"the import of {shown} did not finish within {seconds:g} s")
    if not came_back:
        code = os.waitstatus_to_exitcode(status)
        how = f"is ended by signal {-code}" if code < 0 else f"ends the process with status {code}"
        raise UnknownTarget(f"{shown} does not import: it {how}")


def _play(execute: Callable[[], ModuleType], reading: int, writing: int, seconds: float) -> None:
    """What the child does: import in silence, and tell that it came back; an alarm ends it if nobody else can."""
    leave = os._exit  # as it was before foreign code was run
    try:
        gc.freeze()  # to look for garbage among what the parent holds would copy it
        os.close(reading)
        faulthandler.disable()
        silence = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(silence, stream)
        sys.stdout = sys.stderr = os.fdopen(silence, "w")
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE)
        with contextlib.suppress(BaseException):  # the parent meets it again, and tells what it is
            execute()
        os.write(writing, b"+")
    finally:
        leave(0)


def _wait(reading: int, seconds: float) -> bool | None:
    """Whether the child came back; None where it did not in time."""
    ready, _, _ = select.select([reading], [], [], seconds)
    return os.read(reading, 1) == b"+" if ready else None
