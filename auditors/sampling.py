"""Calling a sampler: which kind it is, with which random stream, and what can go wrong.

Whatever a sampler does to its surroundings is undone after each batch: it works on a copy of its input, what it prints
is caught, and everything that `dpwitness.auditors.surroundings` lists is put back.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import math
import signal
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Literal

import numpy as np

from dpwitness.auditors.dice import thrown
from dpwitness.auditors.forms import plain_repr
from dpwitness.auditors.surroundings import interrupts, silenced, surroundings_kept, warned_once
from dpwitness.core.errors import BadInput, ProgramFailed, ProgramTimeout

Side = Literal[0, 1]
SIDES = ("left", "right")
_DICE = 7000
_LONGEST = 1e8


class Rang(BaseException):
    """Time is up; nothing that a sampler is likely to catch."""


@dataclass(frozen=True)
class Raised:
    """The output of a run that ended in an exception: whether it did is itself an observation."""

    kind: str = field(repr=False)  # outputs are read by what they show

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
        with silenced(), surroundings_kept(), warned_once():
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
    odd = next((name for name, is_odd in _NOT_PLAIN.items() if is_odd(function)), None)
    if odd is not None:
        raise BadInput(f"sampler={function!r} is {odd}: calling it runs nothing; give a function that returns outputs")
    if timeout is not None:
        _check_timeout(timeout)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return Sampler(function, batched=False, timeout=timeout)
    batched, plain = _takes(signature, None, 1, None), _takes(signature, None)
    optional = any(p.default is not p.empty for p in signature.parameters.values())
    if plain and optional and not {"size", "rng"} & set(signature.parameters):
        batched = False  # f(data, eps=1, bound=2) is a plain callable with options
    if batched or plain:
        return Sampler(function, batched, timeout)
    raise BadInput(f"sampler has signature {signature}; it must accept (data, size, rng), or (data) alone")


def _takes(signature: inspect.Signature, *arguments: Any) -> bool:
    try:
        signature.bind(*arguments)
    except TypeError:
        return False
    return True


_NOT_PLAIN: dict[str, Callable[[Any], bool]] = {
    "a generator function": inspect.isgeneratorfunction, "asynchronous": inspect.iscoroutinefunction,
    "an asynchronous generator": inspect.isasyncgenfunction,
}  # fmt: skip


def _check_timeout(timeout: Any) -> None:
    number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    if not number or not (math.isfinite(timeout) and timeout > 0):
        raise BadInput(f"timeout={timeout!r} must be a positive number of seconds, or None for no limit")


def stream(seed: int, *key: int) -> np.random.Generator:
    """The random stream at one place of the seed tree: streams at different keys are independent."""
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


def draw_chunk(
    sampler: Sampler, data: Any, key: tuple[int, ...], size: int, seed: int, *, abroad: bool = False
) -> Any:  # fmt: skip
    """One chunk of outputs; an exception becomes `ProgramFailed` that says how to repeat it.

    Generators that are not the `rng` of the call get streams at the same place of the seed tree; `abroad` says that
    this is not the process where the sampler is at home (see `dpwitness.auditors.dice`).
    """
    own = np.random.SeedSequence(seed, spawn_key=(*key, _DICE))
    with interrupts() as came:
        try:
            with thrown(sampler.function, own, abroad=abroad):
                return sampler.draw(data, size, stream(seed, *key))
        except (BadInput, ProgramTimeout, Rang):
            raise
        except BaseException as error:
            if came:  # the user wants to stop
                raise
            raise ProgramFailed(
                f"the sampler raised {told(error)} (side {SIDES[key[-2]]}, chunk {key[-1]}, size={size}, seed={seed})"
            ) from error


def told(error: BaseException) -> str:
    """An exception in a few words, whatever its own are worth."""
    try:
        text = str(error)
    except Exception:  # a broken __str__ must not end an audit
        text = plain_repr(error)
    return f"{type(error).__name__}: {text[:200]}"


def copied(data: Any) -> Any:
    """A copy of an input, or the input itself where it cannot be copied (an open file, a connection)."""
    try:
        return copy.deepcopy(data)
    except Exception:  # whatever a foreign __deepcopy__ raises
        return data


@contextlib.contextmanager
def _deadline(seconds: float | None) -> Iterator[None]:
    """Interrupt the block after `seconds`; outside the main thread, complain when it ends too late."""
    if seconds is None:
        yield
        return
    late = f"a call of the sampler took more than timeout={seconds:g} seconds"
    started = time.monotonic()
    rang = Rang()
    try:
        with _alarm(min(seconds, _LONGEST), rang):
            yield
    except Rang as error:
        if error is not rang:  # the limit of somebody else
            raise
        raise ProgramTimeout(late) from None
    if time.monotonic() - started > seconds:
        raise ProgramTimeout(late)


@contextlib.contextmanager
def _alarm(seconds: float, rang: Rang) -> Iterator[None]:
    """Raise `rang` in the block after `seconds`, and again and again where it is caught."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise rang

    started = time.monotonic()
    outer, interval = signal.getitimer(signal.ITIMER_REAL)
    if outer and outer <= seconds:  # the caller's own limit comes first
        yield
        return
    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, max(seconds, 0.1))
    try:
        yield
    finally:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        finally:  # it may ring on the way here
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        if outer:  # a limit set by the caller goes on
            signal.setitimer(signal.ITIMER_REAL, max(1e-3, outer - (time.monotonic() - started)), interval)
