"""Deadlines, and stopping a program that does not stop.

A `Deadline` is a moment: whoever has one asks it how much time is left. `time_limit` interrupts a block at such a
moment. In the main thread it does so by a signal, which also ends waiting; in other threads by an exception that Python
raises at the next instruction. Code that is busy outside Python can only be ended together with its process
(`dpwitness.core.processes`).
"""

from __future__ import annotations

import ctypes
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar

from dpwitness.core.errors import LimitReached, ProgramTimeout

_AGAIN = 0.1  # seconds after which a limit that was caught rings once more
_LONGEST = 1e8


@dataclass(frozen=True)
class Deadline:
    """A moment on the monotonic clock; infinite where there is no limit.

    >>> Deadline.after(None).remaining()
    inf
    >>> Deadline.after(60).share(1 / 2).remaining() <= 30
    True
    """

    at: float = math.inf

    @classmethod
    def after(cls, seconds: float | None) -> Deadline:
        """So many seconds from now; None: never."""
        return cls(math.inf if seconds is None else time.monotonic() + seconds)

    def remaining(self) -> float:
        """Seconds left, never below 0."""
        return max(0.0, self.at - time.monotonic())

    @property
    def passed(self) -> bool:
        """Whether the moment is over."""
        return time.monotonic() >= self.at

    @property
    def limited(self) -> bool:
        """Whether there is a limit at all."""
        return math.isfinite(self.at)

    def share(self, part: float) -> Deadline:
        """The deadline of somebody who may use a `part` of what is left."""
        return self if not self.limited else Deadline(time.monotonic() + part * self.remaining())

    def earlier(self, other: Deadline) -> Deadline:
        """Whichever comes first."""
        return self if self.at <= other.at else other


@dataclass(eq=False)
class _Limit:
    """One block under a limit."""

    at: float
    open: bool = True
    lock: Any = field(default_factory=threading.Lock)
    kind: type[LimitReached] = LimitReached

    def __post_init__(self) -> None:
        self.kind = type("LimitReached", (LimitReached,), {})  # each its own: blocks may stand in each other


@contextmanager
def interrupted(deadline: Deadline) -> Iterator[type[LimitReached]]:
    """Raise `LimitReached` in the block at the deadline, and again wherever it is caught; blocks may be nested.

    Yields the class of this block's own exception, by which it is told from that of an outer one.
    """
    if not deadline.limited:
        yield LimitReached
        return
    limit = _Limit(deadline.at)
    alarm = _Signals if threading.current_thread() is threading.main_thread() and _SIGNALS else _Thread
    try:
        alarm.set(limit)
        yield limit.kind
    finally:
        while limit.open:
            try:
                limit.open = False
                alarm.clear(limit)
            except limit.kind:  # it rang on the way here
                limit.open = True


@contextmanager
def time_limit(seconds: float | Deadline, what: str) -> Iterator[None]:
    """End the block after `seconds`; where it has not finished by then, `ProgramTimeout` is raised behind it.

    Inside the block the limit is a `LimitReached`, which no handler of errors catches.

    >>> with time_limit(60, "this"):
    ...     pass
    """
    deadline = seconds if isinstance(seconds, Deadline) else Deadline.after(min(seconds, _LONGEST))
    asked = deadline.remaining()
    own = LimitReached
    try:
        with interrupted(deadline) as own:
            yield
    except LimitReached as error:
        if own is LimitReached or not isinstance(error, own):  # the limit of somebody else
            raise
        late = ProgramTimeout(f"{what} did not finish within {asked:.3g} s")
        raise late.with_traceback(error.__traceback__) from None  # it tells which line was running


_SIGNALS = hasattr(signal, "setitimer")


class _Signals:
    """Limits of the main thread: one timer, set to the earliest of them; a timer of somebody else still rings."""

    stack: ClassVar[list[_Limit]] = []
    before: ClassVar[Callable[[int, Any], Any] | int | None] = None
    foreign: ClassVar[tuple[float, float] | None] = None  # when the timer that was found would ring, and how often

    @classmethod
    def set(cls, limit: _Limit) -> None:
        if not cls.stack:
            left, every = signal.getitimer(signal.ITIMER_REAL)
            cls.foreign = (time.monotonic() + left, every) if left else None
            found = signal.getsignal(signal.SIGALRM)
            cls.before = signal.SIG_DFL if found == cls.ring else found  # our own may still stand there
        cls.stack.append(limit)
        if signal.getsignal(signal.SIGALRM) != cls.ring:
            signal.signal(signal.SIGALRM, cls.ring)
        cls.arm()

    @classmethod
    def clear(cls, limit: _Limit) -> None:
        if limit in cls.stack:
            cls.stack.remove(limit)
        if cls.stack:
            cls.arm()
            return
        signal.setitimer(signal.ITIMER_REAL, 0)
        if cls.before is not None:
            signal.signal(signal.SIGALRM, cls.before)
        if cls.foreign is not None:
            signal.setitimer(signal.ITIMER_REAL, max(1e-3, cls.foreign[0] - time.monotonic()), cls.foreign[1])
        cls.before = cls.foreign = None

    @classmethod
    def arm(cls) -> None:
        """Set the timer to the next moment, once: one that repeats itself could ring while its handler still runs."""
        moments = [limit.at for limit in cls.stack if limit.open] + ([cls.foreign[0]] if cls.foreign else [])
        if moments:
            signal.setitimer(signal.ITIMER_REAL, min(_LONGEST, max(1e-3, min(moments) - time.monotonic())))

    @classmethod
    def ring(cls, number: int, frame: Any) -> None:
        now = time.monotonic()
        for limit in cls.stack:
            if limit.open and limit.at <= now:
                signal.setitimer(signal.ITIMER_REAL, _AGAIN)
                raise limit.kind
        if cls.foreign is not None and cls.foreign[0] <= now:
            cls.foreign = (now + cls.foreign[1], cls.foreign[1]) if cls.foreign[1] else None
            if callable(cls.before):
                cls.before(number, frame)
        if cls.stack:
            cls.arm()


class _Thread:
    """Limits of other threads: a thread that waits, then has Python raise in the one that asked."""

    @classmethod
    def set(cls, limit: _Limit) -> None:
        target = threading.get_ident()
        threading.Thread(target=cls.wait, args=(limit, target), daemon=True).start()

    @classmethod
    def wait(cls, limit: _Limit, target: int) -> None:
        while limit.open:
            left = limit.at - time.monotonic()
            if left > 0:
                time.sleep(min(left, 0.25))
                continue
            with limit.lock:
                if limit.open:
                    _raise_in(target, limit.kind)
            time.sleep(_AGAIN)

    @classmethod
    def clear(cls, limit: _Limit) -> None:
        """Wait for an exception that is on its way: `interrupted` catches it.

        It is not taken back by asking Python to raise nothing: in Python 3.11 that leaves a flag set for ever, with
        which traced code does not go on.
        """
        with limit.lock:  # nothing is sent from here on
            pass
        for _ in range(100):  # Python raises it between two of these instructions
            pass


def _raise_in(thread: int, kind: type[BaseException]) -> None:
    """Have Python raise in a thread at its next instruction."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(kind))
