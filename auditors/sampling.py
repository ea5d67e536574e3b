"""Calling a sampler: which kind it is, with which random stream, and what can go wrong."""

from __future__ import annotations

import contextlib
import copy
import inspect
import io
import signal
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
        Seconds that one call may take (measured where the call runs in the main thread of its process).
    """

    function: Callable[..., Any]
    batched: bool
    timeout: float | None = None

    def draw(self, data: Any, size: int, rng: np.random.Generator) -> Any:
        """`size` outputs on `data`."""
        with contextlib.redirect_stdout(io.StringIO()):
            if self.batched:
                with _deadline(self.timeout):
                    return self.function(copy.deepcopy(data), size, rng)
            return [self._one(data) for _ in range(size)]

    def _one(self, data: Any) -> Any:
        try:
            with _deadline(self.timeout):
                return self.function(copy.deepcopy(data))
        except ProgramTimeout:
            raise
        except Exception as error:
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
    except Exception as error:
        raise ProgramFailed(
            f"the sampler raised {type(error).__name__}: {error} (side {SIDES[key[-2]]}, chunk {key[-1]}, "
            f"size={size}, seed={seed})"
        ) from error


@contextlib.contextmanager
def _deadline(seconds: float | None) -> Iterator[None]:
    """Interrupt the block after `seconds`; only the main thread of a process can be interrupted."""
    if seconds is None or threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise ProgramTimeout(f"a call of the sampler took more than timeout={seconds:g} seconds")

    before = signal.signal(signal.SIGALRM, ring)
    started = time.monotonic()
    outer, interval = signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        left = max(1e-3, outer - (time.monotonic() - started)) if outer else 0.0
        signal.signal(signal.SIGALRM, before)
        signal.setitimer(signal.ITIMER_REAL, left, interval)  # a limit set by the caller goes on
