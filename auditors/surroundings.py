"""What a sampler does to its surroundings is undone, and what it prints is caught.

Put back are the working directory, the environment, numpy's error settings, the filters of warnings, the recursion
limit, signal handlers and timers, the garbage collector, the locale, the context of decimals, the level of logging and
the standard streams. Objects that belong to the whole process, such as standard output, are exchanged only while no
other thread runs: one that is printing would be left with an object that is gone.
"""

from __future__ import annotations

import contextlib
import decimal
import gc
import io
import locale
import logging
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from dpwitness.core.processes import alone

_NAMES = ("SIGINT", "SIGTERM", "SIGALRM", "SIGHUP", "SIGCHLD", "SIGPIPE", "SIGUSR1", "SIGUSR2")
_SIGNALS = [int(getattr(signal, name)) for name in _NAMES if hasattr(signal, name)]


def surroundings() -> dict[str, Any]:
    """The present surroundings, by what they are called in a message."""
    return {
        "the working directory": _here(),
        "the environment": dict(os.environ),
        "numpy's error settings": (np.geterr(), np.geterrcall()),
        "the filters of warnings": list(warnings.filters),
        "the recursion limit": sys.getrecursionlimit(),
        "signal handlers": _handlers(),
        "the garbage collector": gc.isenabled(),
        "the locale": locale.setlocale(locale.LC_ALL),
        "the context of decimals": _decimals(),
        "the level of logging": (logging.root.level, logging.root.manager.disable),
        "standard error": sys.stderr,
    }


@contextlib.contextmanager
def surroundings_kept() -> Iterator[None]:
    """Put everything back when the block ends."""
    before = surroundings()
    timer = _timer()
    try:
        with staying():
            yield
    finally:
        after = surroundings()
        for name, value in before.items():
            if after[name] != value:
                _PUT_BACK[name](value)
        if _timer()[0] and not timer[0]:  # an alarm that nobody would be waiting for
            signal.setitimer(signal.ITIMER_REAL, 0)


def _here() -> str | None:
    try:
        return os.getcwd()
    except FileNotFoundError:  # the directory was removed under us
        return None


def _go_back(place: str | None) -> None:
    if place is not None:
        with contextlib.suppress(OSError):
            os.chdir(place)


def _environment(items: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(items)


def _error_settings(settings: tuple[Any, Any]) -> None:
    np.seterrcall(settings[1])
    np.seterr(**settings[0])


def _filters(filters: list[Any]) -> None:
    warnings.filters[:] = filters  # type: ignore[index]
    with warnings.catch_warnings():  # its end makes Python forget which warnings it has let pass
        pass


def _main() -> bool:
    return threading.current_thread() is threading.main_thread()


def _handlers() -> dict[int, Any]:
    return {number: signal.getsignal(number) for number in _SIGNALS} if _main() else {}


def _handle(handlers: dict[int, Any]) -> None:
    for number, handler in handlers.items():
        if handler is not None and signal.getsignal(number) != handler:
            signal.signal(number, handler)


def _timer() -> tuple[float, float]:
    return signal.getitimer(signal.ITIMER_REAL) if _main() and hasattr(signal, "getitimer") else (0.0, 0.0)


def _decimals() -> tuple[Any, ...]:
    now = decimal.getcontext()
    raised = tuple(kind.__name__ for kind, on in now.traps.items() if on)
    return (now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp, raised)


def _set_decimals(state: tuple[Any, ...]) -> None:
    now = decimal.getcontext()
    now.prec, now.rounding, now.Emin, now.Emax, now.capitals, now.clamp = state[:-1]
    for kind in now.traps:
        now.traps[kind] = kind.__name__ in state[-1]


def _set_level(levels: tuple[int, int]) -> None:
    logging.root.setLevel(levels[0])
    logging.disable(levels[1])


def _standard_error(stream: Any) -> None:
    sys.stderr = stream


_PUT_BACK: dict[str, Callable[[Any], object]] = {
    "the working directory": _go_back, "the environment": _environment, "numpy's error settings": _error_settings,
    "the filters of warnings": _filters, "the recursion limit": sys.setrecursionlimit, "signal handlers": _handle,
    "the garbage collector": lambda on: gc.enable() if on else gc.disable(), "standard error": _standard_error,
    "the locale": lambda name: locale.setlocale(locale.LC_ALL, name), "the context of decimals": _set_decimals,
    "the level of logging": _set_level,
}  # fmt: skip


@contextlib.contextmanager
def staying() -> Iterator[None]:
    """Make `os._exit` an exception, in this process: a child that a sampler forks must still end there."""
    real, parent = os._exit, os.getpid()

    def leave(status: int) -> NoReturn:
        if os.getpid() != parent:
            real(status)
        raise SystemExit(f"os._exit({status!r})")

    if not _main() or not alone():
        yield
        return
    os._exit = leave
    try:
        yield
    finally:
        os._exit = real


@contextlib.contextmanager
def warned_once() -> Iterator[None]:
    """Show each warning once: a sampler that warns would do so at every run."""
    real, seen = warnings.showwarning, set()

    def show(message: Any, category: Any, *where: Any, **more: Any) -> None:
        if (key := (category, str(message))) not in seen:
            seen.add(key)
            real(message, category, *where, **more)

    mine = _main() and alone()
    if mine:
        warnings.showwarning = show
    try:
        yield
    finally:
        if mine:
            warnings.showwarning = real


@contextlib.contextmanager
def interrupts() -> Iterator[list[int]]:
    """Note the user's own Ctrl-C, to tell it from a `KeyboardInterrupt` that a sampler raises by itself."""
    came: list[int] = []
    before = signal.getsignal(signal.SIGINT) if _main() else None
    if not callable(before):
        yield came
        return
    real = before

    def note(number: int, frame: Any) -> None:
        came.append(number)
        real(number, frame)

    signal.signal(signal.SIGINT, note)
    try:
        yield came
    finally:
        signal.signal(signal.SIGINT, before)


class _Ear(io.TextIOBase):
    """Standard output for as long as samplers run: their threads are heard, all others pass through."""

    def __init__(self, real: Any) -> None:
        self.real = real
        self.local = threading.local()

    def write(self, text: str) -> int:
        heard: list[str] | None = getattr(self.local, "heard", None)
        if heard is None:
            return int(self.real.write(text))
        if sum(map(len, heard)) < 400:  # enough to recognise it by
            heard.append(str(text))
        return len(text)

    def flush(self) -> None:
        self.real.flush()

    def fileno(self) -> int:
        return int(self.real.fileno())

    def isatty(self) -> bool:
        return bool(self.real.isatty())


_kept: dict[int, _Ear] = {}  # an ear is never thrown away: a thread that began to print through it may still do so


def listen() -> None:
    """Put an ear to standard output for good: in a process of its own, before there are threads."""
    if sys.stdout is not None and not isinstance(sys.stdout, _Ear):
        sys.stdout = _kept.setdefault(id(sys.stdout), _Ear(sys.stdout))


@contextlib.contextmanager
def silenced() -> Iterator[list[str]]:
    """Catch what this thread prints, where that can be done without harm to other threads."""
    heard: list[str] = []
    real = sys.stdout
    if not isinstance(real, _Ear) and (real is None or not alone()):
        yield heard
        return
    ear = real if isinstance(real, _Ear) else _kept.setdefault(id(real), _Ear(real))
    if real is not ear:
        sys.stdout = ear
    before = getattr(ear.local, "heard", None)
    ear.local.heard = heard
    try:
        yield heard
    finally:
        ear.local.heard = before
        if real is not ear and alone():
            sys.stdout = real  # even where the sampler has put something else there
        elif real is ear and sys.stdout is not ear:
            sys.stdout = ear
