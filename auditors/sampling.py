"""Calling a sampler: which kind it is, with which random stream, and what can go wrong.

Whatever a sampler does to its surroundings is undone after each batch: it works on a copy of its input, what it prints
is caught, and the working directory, the environment and numpy's error settings are put back.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import FrameType
from typing import Any, Literal

import numpy as np

from dpwitness.core.errors import BadInput, ProgramFailed, ProgramTimeout

Side = Literal[0, 1]
SIDES = ("left", "right")


@dataclass(frozen=True)
class Raised:
    """The output of a run that ended in an exception: whether it did is itself an observation."""

    kind: str

    def __repr__(self) -> str:
        return f"raised {self.kind}"


@dataclass(frozen=True)
class Sampler:
    """A user's callable, called in one way.

    Parameters
    ----------
    function
        ``function(data, size, rng)`` returning `size` outputs, or ``function(data)`` returning one.
    batched
        Which of the two.
    timeout
        Seconds that one call may take. In the main thread of a process a call is interrupted; elsewhere it is judged
        when it returns.
    """

    function: Callable[..., Any]
    batched: bool
    timeout: float | None = None

    def draw(self, data: Any, size: int, rng: np.random.Generator) -> Any:
        """`size` outputs on `data`."""
        with silenced(), surroundings_kept():
            if self.batched:
                return self.call(copied(data), size, rng)
            return [self._one(data) for _ in range(size)]

    def call(self, *args: Any) -> Any:
        """One call within the time limit."""
        with _deadline(self.timeout):
            return self.function(*args)

    def _one(self, data: Any) -> Any:
        try:
            return self.call(copied(data))
        except ProgramTimeout:
            raise
        except (Exception, SystemExit) as error:
            return Raised(type(error).__name__)


def as_sampler(function: Any, timeout: float | None = None) -> Sampler:
    """Tell by its signature how a callable wants to be called.

    >>> as_sampler(lambda data, size, rng: rng.laplace(sum(data), 1, size)).batched
    True
    >>> as_sampler(lambda data: 0).batched
    False
    """
    if not callable(function):
        raise BadInput(f"sampler={function!r} is not callable; give sampler(data, size, rng) or sampler(data)")
    if timeout is not None and not timeout > 0:
        raise BadInput(f"timeout={timeout!r} must be a positive number of seconds, or None for no limit")
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return Sampler(function, batched=False, timeout=timeout)
    for arguments, batched in (((None, 1, None), True), ((None,), False)):
        try:
            signature.bind(*arguments)
        except TypeError:
            continue
        optional = [p for p in signature.parameters.values() if p.default is not p.empty]
        if batched and optional and not {"size", "rng"} & set(signature.parameters):
            continue  # f(data, eps=1, bound=2) is a plain callable with options
        return Sampler(function, batched, timeout)
    raise BadInput(f"sampler has signature {signature}; it must accept (data, size, rng), or (data) alone")


def stream(seed: int, *key: int) -> np.random.Generator:
    """The random stream at one place of the seed tree: streams at different keys are independent."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def draw_chunk(sampler: Sampler, data: Any, key: tuple[int, ...], size: int, seed: int) -> Any:
    """One chunk of outputs; an exception becomes `ProgramFailed` that says how to repeat it."""
    try:
        return sampler.draw(data, size, stream(seed, *key))
    except (BadInput, ProgramTimeout):
        raise
    except (Exception, SystemExit) as error:
        raise ProgramFailed(
            f"the sampler raised {type(error).__name__}: {error} (side {SIDES[key[-2]]}, chunk {key[-1]}, "
            f"size={size}, seed={seed})"
        ) from error


def copied(data: Any) -> Any:
    """A copy of an input, or the input itself where it cannot be copied (an open file, a connection)."""
    try:
        return copy.deepcopy(data)
    except Exception:  # whatever a foreign __deepcopy__ raises
        return data


@contextlib.contextmanager
def surroundings_kept() -> Iterator[None]:
    """Put back the working directory, the environment and numpy's error settings."""
    place, environment, settings = os.getcwd(), dict(os.environ), np.geterr()
    try:
        yield
    finally:
        np.seterr(**settings)
        if dict(os.environ) != environment:
            os.environ.clear()
            os.environ.update(environment)
        if not _is_here(place):
            os.chdir(place)


def _is_here(place: str) -> bool:
    try:
        return os.getcwd() == place
    except FileNotFoundError:  # the directory was removed under us
        return False


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


_ears = threading.Lock()
_open_ears: list[_Ear] = []


@contextlib.contextmanager
def silenced() -> Iterator[list[str]]:
    """Catch what this thread prints; several threads may do so at once, and the last one puts everything back."""
    heard: list[str] = []
    with _ears:
        if not _open_ears or sys.stdout is not _open_ears[-1]:
            ear = _Ear(sys.stdout)
            sys.stdout = ear
        else:
            ear = _open_ears[-1]
        _open_ears.append(ear)
    before = getattr(ear.local, "heard", None)
    ear.local.heard = heard
    try:
        yield heard
    finally:
        ear.local.heard = before
        with _ears:
            _open_ears.remove(ear)
            if ear not in _open_ears:
                sys.stdout = ear.real  # even where the sampler has put something else there


@contextlib.contextmanager
def _deadline(seconds: float | None) -> Iterator[None]:
    """Interrupt the block after `seconds`; outside the main thread, complain when it ends too late."""
    if seconds is None:
        yield
        return
    late = f"a call of the sampler took more than timeout={seconds:g} seconds"
    started = time.monotonic()
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        if time.monotonic() - started > seconds:
            raise ProgramTimeout(late)
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise ProgramTimeout(late)

    outer, interval = signal.getitimer(signal.ITIMER_REAL)
    if outer and outer <= seconds:  # the caller's own limit comes first
        yield
        return
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if outer:  # a limit set by the caller goes on
            signal.setitimer(signal.ITIMER_REAL, max(1e-3, outer - (time.monotonic() - started)), interval)
