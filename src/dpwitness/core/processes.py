"""Running a function in a process of its own, and ending it when its time is over.

The process is forked, so the function sees everything as it is now: modules as they were patched, data as they were
loaded. What it changes (directories, environment, generators, global variables, standard output) stays in it, and when
it crashes or hangs in code outside Python, it alone is ended. It tells what it has found so far, so that nothing of
that is lost with it.
"""

from __future__ import annotations

import contextlib
import ctypes
import faulthandler
import gc
import os
import pickle
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe
from typing import Any, NoReturn

from dpwitness.core.errors import DPWitnessError
from dpwitness.core.limits import Deadline

_leave = os._exit  # the real one: while a sampler runs, another stands in its place
_LOCK_WAIT = 1.0
_EACH = 0.5
_UNSAFE = 86  # exit status of a process that was forked while a lock was held that it needs
_PARENT_DEATH = 1  # PR_SET_PDEATHSIG
_INHERITED: list[Any] = []
_FORKING = threading.Lock()  # linear algebra stops its threads before a fork: two at once may leave its lock closed
Tell = Callable[[Any], None]


class ProcessLost(Exception):
    """The process ended, or was ended, before it had an answer.

    Parameters
    ----------
    reason
        What has happened, in words that follow the name of the process.
    hung
        Whether it was ended because its time was over.
    unsafe
        Whether it could not begin: another thread held a lock that it needs.
    """

    def __init__(self, reason: str, *, hung: bool = False, unsafe: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.hung, self.unsafe = reason, hung, unsafe


class Unsendable(TypeError):
    """The process has an answer that cannot be sent back."""


def can_fork() -> bool:
    """Whether a process of its own can be had: on Linux (elsewhere system libraries do not survive a fork)."""
    return sys.platform.startswith("linux") and hasattr(os, "fork")


def alone() -> bool:
    """Whether this is the only thread of Python in the process."""
    return len(sys._current_frames()) == 1


@dataclass
class _Child:
    pid: int
    pipe: Connection
    status: int | None = field(default=None)

    def end(self) -> None:
        """End it, whatever it is doing; one that was waited for has no number any more."""
        if self.status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self.wait()

    def wait(self) -> int:
        if self.status is None:
            try:
                self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
            except ChildProcessError:  # somebody else has waited for it
                self.status = 0
        return self.status


def run_apart(
    function: Callable[[Tell], Any], hear: Tell = lambda message: None, deadline: Deadline | None = None,
    grace: float = 5.0, overdue: Callable[[], bool] | None = None, still: float | None = None,
) -> Any:  # fmt: skip
    """What ``function(tell)`` returns, found in a forked process.

    Parameters
    ----------
    hear
        Called here with everything that the function tells.
    deadline, grace
        So many seconds after the deadline the process is ended: the function should have stopped by itself.
    overdue
        Asked twice a second whether the function hangs for another reason.
    still
        A process that has told nothing yet and has not worked for so many seconds is ended as one that waits for a lock
        of another thread.

    Examples
    --------
    >>> run_apart(lambda tell: tell("half-way") or 42, hear=print) if can_fork() else 42
    half-way
    42
    """
    limit = deadline or Deadline()
    child = _fork(function)
    ends = Deadline(limit.at + grace)
    stillness = _Stillness(child.pid, still)
    try:
        while True:
            if not child.pipe.poll(_EACH):
                if ends.passed or (overdue is not None and overdue()):
                    raise ProcessLost("did not return within its time, and was ended", hung=True)
                if stillness.lasts():
                    raise ProcessLost("stood still, and was ended", unsafe=True)
                continue
            stillness.limit = None
            kind, content = pickle.loads(child.pipe.recv_bytes())  # written by `_serve` below
            if kind == "done":
                return content
            if kind == "failed":
                raise content
            if kind == "warned":
                warnings.warn_explicit(*content)
            elif kind == "told":
                hear(content)
    except EOFError:
        status = child.wait()
        raise ProcessLost(_how(status), unsafe=status == _UNSAFE) from None
    finally:
        child.end()
        child.pipe.close()


@dataclass
class _Stillness:
    """How long a process has not worked, by the processor time that it has used."""

    pid: int
    limit: float | None
    used: str = ""
    since: float = field(default_factory=time.monotonic)

    def lasts(self) -> bool:
        """Whether it has stood still for too long."""
        if self.limit is None:
            return False
        try:
            with open(f"/proc/{self.pid}/stat", encoding="ascii", errors="replace") as file:
                used = " ".join(file.read().rpartition(")")[2].split()[11:15])  # its own time, and that of its children
        except OSError:
            return False
        if used != self.used:
            self.used, self.since = used, time.monotonic()
        return time.monotonic() - self.since > self.limit


def _how(status: int) -> str:
    if status == _UNSAFE:
        return "was forked while another thread held a lock of numpy's generator"
    if status >= 0:
        return f"ended by itself, with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = str(-status)
    return f"was ended by signal {name}"


def _fork(function: Callable[[Tell], Any]) -> _Child:
    here, there = Pipe(duplex=False)
    parent = os.getpid()
    with _FORKING, _no_warning():
        pid = os.fork()
    if pid == 0:
        _serve(function, here, there, parent)
    there.close()
    return _Child(pid, here)


@contextlib.contextmanager
def _no_warning() -> Iterator[None]:
    """Python 3.12 warns of every fork beside threads, also of those that linear algebra keeps waiting."""
    if sys.version_info < (3, 12):
        yield
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        yield


def _serve(function: Callable[[Tell], Any], here: Connection, there: Connection, parent: int) -> NoReturn:
    """The life of the forked process."""
    try:
        gc.freeze()  # garbage collection here would look at all that the parent holds, and so copy all of its memory
        here.close()
        end_with_parent(parent)
        faulthandler.disable()  # how it ends is told by its parent
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
        if _SIGNALS:
            signal.setitimer(signal.ITIMER_REAL, 0)
        _fresh_streams()
        if not _dice_are_free():
            _leave(_UNSAFE)
        said: set[Any] = set()

        def tell(content: Any, kind: str = "told") -> None:
            there.send_bytes(pickle.dumps((kind, content), protocol=pickle.HIGHEST_PROTOCOL))

        def warn(message: Any, category: Any, filename: Any, lineno: Any, *_: Any, **__: Any) -> None:
            if (key := (category, str(message))) not in said:
                said.add(key)
                _first_that_pickles(lambda: tell((message, category, filename, lineno), "warned"),
                                    lambda: tell((str(message), UserWarning, filename, lineno), "warned"))  # fmt: skip

        warnings.showwarning = warn
        try:
            result = function(tell)
        except BaseException as error:
            _fail(error, tell)
        else:
            _first_that_pickles(lambda: tell(result, "done"), lambda: _fail(Unsendable(
                f"the result of type {type(result).__name__} cannot be sent back"), tell))  # fmt: skip
    finally:
        _leave(0)


def _fail(error: BaseException, tell: Callable[..., None]) -> None:
    """Send an exception, with the place where it was raised."""
    where = "".join(traceback.format_exception(error))
    if not isinstance(error, DPWitnessError | Unsendable):
        error.add_note(f"raised in a process of its own:\n{where}")
    error.__traceback__ = error.__cause__ = error.__context__ = None
    _first_that_pickles(lambda: tell(error, "failed"), lambda: tell(RuntimeError(where), "failed"))


def _first_that_pickles(*ways: Callable[[], None]) -> None:
    for way in ways:
        try:
            return way()
        except OSError:  # nobody listens any more
            _leave(0)
        except Exception:  # whatever the __reduce__ of foreign objects raises
            continue


def end_with_parent(parent: int) -> None:
    """Have this process ended together with its parent, whatever it is doing then."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PARENT_DEATH, signal.SIGKILL)
    if os.getppid() != parent:
        _leave(1)


def _fresh_streams() -> None:
    """Standard streams of its own: another thread may have held the locks of the inherited ones."""
    _INHERITED.extend((sys.stdout, sys.stderr))  # kept: closing them might wait for such a lock
    sys.stdout = os.fdopen(os.dup(1), "w", buffering=1, errors="replace") if _open(1) else None
    sys.stderr = os.fdopen(os.dup(2), "w", buffering=1, errors="replace") if _open(2) else None


def _open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _dice_are_free() -> bool:
    """Whether no other thread was drawing from numpy's global generator: its lock would stay closed for ever."""
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return True
    lock: Any = numpy.random.mtrand._rand._bit_generator.lock
    if not lock.acquire(timeout=_LOCK_WAIT):
        return False
    lock.release()
    return True


_SIGNALS = hasattr(signal, "setitimer")
