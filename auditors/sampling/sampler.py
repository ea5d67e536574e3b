"""Calling a sampler: which kind it is, with which random stream, and what can go wrong.

Whatever a sampler does to its surroundings is undone after each batch: it works on a copy of its input, what it prints
is caught, and everything that `dpwitness.auditors.sampling.isolation` lists is put back.
"""

from __future__ import annotations

import copy
import inspect
import math
import mmap
import struct
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from dpwitness.auditors.outputs.forms import plain_repr
from dpwitness.auditors.sampling.generators import Dice
from dpwitness.auditors.sampling.isolation import interrupts, silenced, surroundings_kept, warned_once
from dpwitness.auditors.sampling.meter import Meter
from dpwitness.auditors.sampling.seeds import SeedBranch
from dpwitness.core.errors import BadInput, LimitReached, ProgramFailed, ProgramTimeout
from dpwitness.core.limits import Deadline, interrupted

Side = Literal[0, 1]
SIDES = ("left", "right")
_SINGLE, _FEW, _MANY = 128, (16, 512), 128  # runs of a plain sampler up to which each has its own streams, and beyond


class CallEnds:
    """When the present call of a sampler must have ended: for another process, which can end it from outside."""

    def __init__(self, shared: bool = False) -> None:
        self._place = mmap.mmap(-1, 8) if shared else None

    def mark(self, at: float) -> None:
        """Write the moment down; 0 for none."""
        if self._place is not None:
            struct.pack_into("d", self._place, 0, at)

    def overdue(self, grace: float) -> bool:
        """Whether a call should have ended so many seconds ago."""
        at = 0.0 if self._place is None else struct.unpack_from("d", self._place, 0)[0]
        return at > 0 and time.monotonic() > at + grace


_ends = CallEnds()


def watched_by(ends: CallEnds) -> None:
    """Have all calls in this process watched from outside."""
    global _ends  # noqa: PLW0603 - there is one process, and one who watches it
    _ends = ends


@dataclass(frozen=True)
class Raised:
    """The output of a run that ended in an exception: whether it did is itself an observation."""

    kind: str = field(repr=False)  # outputs are read by what they show
    message: str = field(default="", repr=False, compare=False)

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
        Seconds that one call may take.
    meter
        What all calls together may use; it stays in this process.
    """

    function: Callable[..., Any]
    batched: bool
    timeout: float | None = None
    meter: Meter | None = field(default=None, compare=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "meter": None}

    def call(self, *args: Any) -> Any:
        """One call within its own time limit."""
        if self.timeout is None:
            return self.function(*args)
        late = f"a call of the sampler took more than timeout={self.timeout:g} seconds"
        deadline = Deadline.after(self.timeout)
        _ends.mark(deadline.at)
        own: type[LimitReached] | None = None
        try:
            with interrupted(deadline) as own:
                found = self.function(*args)
        except LimitReached as error:
            if own is None or not isinstance(error, own):  # the limit of somebody else
                raise
            raise ProgramTimeout(late) from None
        finally:
            _ends.mark(0.0)
        if deadline.passed:  # where a call cannot be interrupted
            raise ProgramTimeout(late)
        return found

    def run(self, data: Any) -> Any:
        """One run of a plain sampler; an exception is an output too."""
        try:
            return self.call(try_deepcopy(data))
        except ProgramTimeout:
            raise
        except (Exception, SystemExit) as error:
            return Raised(type(error).__name__, describe_exception(error))


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


def blocks(start: int, stop: int) -> Iterator[tuple[int, int]]:
    """The runs of a plain sampler that share their streams: each of the first few is alone, later ones are not.

    Where a block begins depends on nothing else, so runs can be made one by one or by the thousand.

    >>> list(blocks(126, 160))
    [(126, 127), (127, 128), (128, 144), (144, 160)]
    """
    while start < stop:
        size = block_at(start)
        end = min(stop, start - start % size + size)
        yield start, end
        start = end


def block_at(run: int) -> int:
    """How many runs the block has to which a run belongs."""
    return 1 if run < _SINGLE else _FEW[0] if run < _FEW[1] else _MANY


def draw_chunk(
    sampler: Sampler, data: Any, key: tuple[int, ...], size: int, seed: int, *, abroad: bool = False, start: int = 0
) -> Any:  # fmt: skip
    """One chunk of outputs; an exception becomes `ProgramFailed` that says how to repeat it.

    Parameters
    ----------
    key
        The place of the chunk in the seed tree; of a plain sampler, that of the runs from `start` on.
    abroad
        Whether this is not the process where the sampler is at home (see `dpwitness.auditors.sampling.generators`).

    Notes
    -----
    Generators that are not the `rng` of the call get streams at the same place of the seed tree. Runs are taken from
    the meter of the sampler, and interrupted at its deadline.
    """
    meter = sampler.meter
    if meter is not None:
        meter.take(size)
    made = size if sampler.batched or meter is None else _still_to_make(meter, data, key, seed, start, size)
    deadline = Deadline() if meter is None else meter.deadline
    with interrupts() as came:
        try:
            with (
                Dice(sampler.function, abroad=abroad) as dice, interrupted(deadline), silenced(), surroundings_kept(),
                warned_once(),
            ):  # fmt: skip
                outputs, seconds = _draw(sampler, dice, data, key, size, seed, start)
        except (BadInput, ProgramTimeout, LimitReached):
            raise
        except BaseException as error:
            if came:  # the user wants to stop
                raise
            where = f"side {SIDES[key[-2]]}, chunk {key[-1]}" if sampler.batched else f"runs from {start} on"
            raise ProgramFailed(
                f"the sampler raised {describe_exception(error)} ({where}, size={size}, seed={seed})"
            ) from error
    if meter is not None:
        if made:
            meter.note(made, seconds)
        meter.root.refused.update(dict.fromkeys(dice.refused))
    return outputs


def _still_to_make(meter: Meter, data: Any, key: tuple[int, ...], seed: int, start: int, size: int) -> int:
    """How many of the runs were not made ahead of their turn."""
    kept = meter.root.kept
    found = [kept[place] for run in range(start, start + size) if (place := (seed, key, run)) in kept] if kept else []
    return size - sum(ahead[0] is data for ahead in found)


def _draw(
    sampler: Sampler, dice: Dice, data: Any, key: tuple[int, ...], size: int, seed: int, start: int
) -> tuple[Any, float]:  # fmt: skip
    """The outputs, and the seconds that the sampler itself took."""
    if sampler.batched:
        dice.throw(np.random.SeedSequence(seed, spawn_key=(*key, SeedBranch.GENERATORS)))
        begun = time.monotonic()
        found = sampler.call(try_deepcopy(data), size, stream(seed, *key))
        return found, time.monotonic() - begun
    outputs: list[Any] = []
    seconds = 0.0
    kept = {} if sampler.meter is None else sampler.meter.root.kept
    for first, last in blocks(start, start + size):
        ahead = kept.get((seed, key, first))
        if ahead is not None and ahead[0] is data and last - first == 1:
            outputs.append(ahead[1])
            continue
        dice.throw(np.random.SeedSequence(seed, spawn_key=(*key, first, SeedBranch.GENERATORS)))
        begun = time.monotonic()
        outputs += [sampler.run(data) for _ in range(last - first)]
        seconds += time.monotonic() - begun
    return outputs, seconds


def describe_exception(error: BaseException) -> str:
    """An exception in a few words, whatever its own are worth."""
    try:
        text = str(error)
    except Exception:  # a broken __str__ must not end an audit
        text = plain_repr(error)
    return f"{type(error).__name__}: {text[:200]}"


def try_deepcopy(data: Any) -> Any:
    """A copy of an input, or the input itself where it cannot be copied (an open file, a connection)."""
    try:
        return copy.deepcopy(data)
    except Exception:  # whatever a foreign __deepcopy__ raises
        return data
