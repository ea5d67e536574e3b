"""What a sampler does besides sampling: printing, changing its input, changing global state, seeding, ignoring `rng`.

None of this stops an audit, but some of it makes one worthless: outputs that are not independent, or that cannot be
repeated from the seed. A few runs on each input, before the audit and in this process, tell; what they tell depends on
nothing else, so that it is the same for any number of workers.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from dpwitness.auditors.outputs.forms import plain_repr
from dpwitness.auditors.outputs.objects import array_parts, unreadable
from dpwitness.auditors.outputs.table import Encoder, Table
from dpwitness.auditors.sampling.generators import Dice
from dpwitness.auditors.sampling.isolation import interrupts, silenced, surroundings, surroundings_kept, warned_once
from dpwitness.auditors.sampling.meter import Meter
from dpwitness.auditors.sampling.sampler import SIDES, Sampler, describe_exception, draw_chunk, stream, try_deepcopy
from dpwitness.auditors.sampling.seeds import SeedBranch
from dpwitness.core.errors import BadInput, LimitReached, ProgramFailed, ProgramTimeout
from dpwitness.core.limits import interrupted

_STREAMS = (0, 0, 1, 2, 3)  # of the calls: two must repeat each other, the others must not
_CALLS = len(_STREAMS)
_SIZE = 16
_LARGEST = 1 << 14
_FIRST = 9600
_SHARE = {True: 16, False: 12}  # one run in so many of a batched, and of a plain, sampler may be spent on looking
_WARM = 2e-3  # seconds of a run from which on it is timed once more
_TIME, _PATIENCE = 0.05, 5.0  # share of the time limit, and seconds, that looking may take


def equal_inputs(left: Any, right: Any) -> bool:
    """Whether two inputs are equal, arrays and NaN included.

    >>> equal_inputs([float("nan"), np.zeros(2)], [float("nan"), np.zeros(2)])
    True
    """
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        try:
            return bool(np.array_equal(left, right, equal_nan=True))
        except TypeError:
            return bool(np.array_equal(left, right))
    if type(left) is type(right) and isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(equal_inputs, left, right))
    if type(left) is type(right) is dict:
        return left.keys() == right.keys() and all(equal_inputs(left[key], right[key]) for key in left)
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left) and math.isnan(right):
        return True
    try:
        if type(left) is type(right) and (parts := array_parts(left)) is not None:
            return equal_inputs(parts, array_parts(right))
        return left is right or bool(left == right)
    except Exception:  # inputs may be of any type; an odd == is no reason to refuse them
        return False


@dataclass(frozen=True)
class Manners:
    """What a few runs show of a sampler.

    Parameters
    ----------
    warnings
        In words; empty for a well-behaved sampler.
    fractional
        Whether outputs hold numbers that are not whole; None where none were looked at.
    repeatable
        Whether the same seed gave the same outputs; None where that was not looked at.
    """

    warnings: tuple[str, ...] = ()
    fractional: bool | None = None
    repeatable: bool | None = None


def examine(sampler: Sampler, left: Any, right: Any, seed: int) -> tuple[str, ...]:
    """What a few runs on each input show, in words; empty for a well-behaved sampler.

    A sampler that does nothing but raise is an error, and so is one whose outputs within a call, or from call to call,
    are plainly no independent draws: whatever an audit said of it would be wrong.

    >>> def rude(data):
    ...     data.append(0)
    ...     return np.random.default_rng().laplace(len(data))
    >>> for text in examine(Sampler(rude, batched=False), [1], [1, 2], seed=0):
    ...     print(text)
    the sampler changes its input left; it was given a copy
    the sampler changes its input right; it was given a copy
    """
    return look(sampler, left, right, seed).warnings


def look(sampler: Sampler, left: Any, right: Any, seed: int, *, ahead: bool = False) -> Manners:
    """What a few runs on each input show; nothing where so many runs, or so much time, cannot be spared.

    Parameters
    ----------
    ahead
        Whether the audit will be of these two inputs: its first runs may then be made now.
    """
    meter = sampler.meter or Meter()
    _probe(sampler, left, right, seed, ahead)
    size = _spare(sampler, meter)
    if not size:
        return Manners()
    found = _Seen()
    part = replace(sampler, meter=meter.portion(runs=2 * _CALLS * size, until=_TIME))
    try:
        for side, data in enumerate((left, right)):
            for text in _one_side(part, data, SIDES[side], (seed, SeedBranch.BEHAVIOUR, side), size, found):
                found.words.setdefault(text)
    except LimitReached:  # a call that took far longer than the first: the audit itself goes on
        meter.check()
    if len(found.failed) == 2 * _CALLS:
        raise ProgramFailed(
            f"the sampler raised {found.failed[0]} (on each of the first {len(found.failed)} runs, seed={seed})"
        )
    return Manners(tuple(found.words), found.fractional, found.repeatable)


def _size(sampler: Sampler, runs: float) -> int:
    """Outputs to ask for in every call."""
    share = runs / (_SHARE[sampler.batched] * 2 * _CALLS)
    return min(_SIZE if sampler.batched else 1, int(min(share, _SIZE)))


def _probe(sampler: Sampler, left: Any, right: Any, seed: int, ahead: bool) -> None:
    """How long a run takes. Of a plain sampler, these are the first runs of the audit, made ahead of their turn."""
    meter = sampler.meter
    if meter is None or meter.pace is not None:
        return
    if sampler.batched:
        if meter.deadline.limited:
            for again in (0, 1):
                draw_chunk(sampler, left, (SeedBranch.BEHAVIOUR, _FIRST, 0, again), 1, seed)
                if not _WARM < meter.lasts(1) < _TIME * (meter.root.seconds or 0.0) / 2:
                    break  # the first call may have loaded libraries
        return
    for side, data in enumerate((left, right) if ahead else ()):
        meter.root.kept[seed, (side,), 0] = (data, draw_chunk(sampler, data, (side,), 1, seed)[0])
        meter.give_back(1)  # it is counted when its turn comes


def _spare(sampler: Sampler, meter: Meter) -> int:
    size = _size(sampler, meter.left)
    whole = meter.root.seconds
    patience = _PATIENCE if whole is None else min(_PATIENCE, _TIME * whole)
    return size if meter.lasts(2 * _CALLS * size) <= patience else 0


@dataclass
class _Seen:
    words: dict[str, None] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    fractional: bool | None = None
    repeatable: bool | None = None


def _one_side(
    sampler: Sampler, data: Any, name: str, key: tuple[int, ...], size: int, found: _Seen
) -> Iterator[str]:  # fmt: skip
    if not equal_inputs(data, try_deepcopy(data)):
        return  # what cannot be copied, or compared, cannot be watched
    meter = sampler.meter or Meter()
    states, outputs = [_generators()], []
    watched: list[str] = []
    with (
        Dice(sampler.function) as dice, interrupted(meter.deadline), surroundings_kept(), warned_once(),
        silenced() as heard,
    ):  # fmt: skip
        before = _footprint(sampler.function)  # a limit has a handler of signals, too
        for place in _STREAMS:
            mine = try_deepcopy(data)
            meter.take(size)
            dice.throw(np.random.SeedSequence(key[0], spawn_key=(*key[1:], place, _FIRST)))
            with interrupts() as came:
                try:
                    rng = stream(*key, place)
                    outputs.append(sampler.call(mine, size, rng) if sampler.batched else sampler.call(mine))
                except (ProgramTimeout, LimitReached):
                    raise
                except BaseException as error:  # part of the output, unless it is all there is
                    if came:  # the user wants to stop
                        raise
                    outputs.append(None)
                    found.failed.append(describe_exception(error))
            watched += (
                [] if equal_inputs(mine, data) else [f"the sampler changes its input {name}; it was given a copy"]
            )
            states.append(_generators())
        after = _footprint(sampler.function)
    if heard:
        first = next((line.strip() for line in "".join(heard).splitlines() if line.strip()), "")
        yield f"the sampler prints: {first[:60]!r}; what it prints is not shown"
    yield from dict.fromkeys(watched)
    changed = [where for where in before if after.get(where) != before[where]]
    if changed:
        yield f"the sampler changes {', '.join(changed[:3])}: its runs may not be independent"
    for which, whose in enumerate(("random", "numpy.random")):
        seen = [state[which] for state in states]
        if len(set(seen[1:])) == 1 and seen[0] != seen[1]:
            yield f"the sampler seeds the global generator of {whose} in every run: its runs are not independent"
    for kind in sorted({type(x).__name__ for x in outputs if unreadable(x)}):
        yield f"the outputs are objects of type {kind} without a readable value: nothing but their type is compared"
    tables = _read(outputs if sampler.batched else [[x] for x in outputs if x is not None], size)
    if tables:
        held = np.concatenate([table.columns.ravel() for table in tables])
        held = held[np.isfinite(held)]
        found.fractional = bool(found.fractional) or bool(np.any(held != np.rint(held)))
    if len(tables) < _CALLS:
        return
    if sampler.batched and size >= _SIZE // 2:
        _check_independent([table.keys().tobytes() for table in tables], "output", name, size)
        _check_independent([table.codes.tobytes() for table in tables], "form of output", name, size)
    alike = tables[0].keys().tobytes() == tables[1].keys().tobytes()
    found.repeatable = alike and found.repeatable is not False
    if not alike and sampler.batched:
        yield "the sampler draws randomness that is not from rng: the seed does not repeat this audit"


def _generators() -> tuple[int, int]:
    kind, words, *rest = np.random.get_state(legacy=True)  # noqa: NPY002
    return hash(random.getstate()), hash((kind, np.asarray(words).tobytes(), tuple(rest)))


def _read(outputs: list[Any], size: int) -> list[Table]:
    """The outputs of calls as tables; none where they cannot be read."""
    encoder = Encoder()
    try:
        return [encoder.encode(x, size) for x in outputs if x is not None]
    except BadInput:
        return []


def _check_independent(calls: list[bytes], what: str, name: str, size: int) -> None:
    """Refuse what hardly any independent outputs can look like: calls that repeat each other, or one output each."""
    width = len(calls[0]) // size
    alike = [call == call[:width] * size for call in calls]
    if len(set(calls[1:])) == 1 and not alike[0]:
        raise BadInput(
            f"the sampler returned the same {size} outputs on {name} for {_CALLS - 1} different rng: an audit needs "
            "independent outputs, drawn from the rng of the call"
        )
    if all(alike) and len(set(calls[1:])) > 1:
        raise BadInput(
            f"the sampler returned one {what} {size} times in every call on {name}, and another one in the next call: "
            "an audit needs size independent outputs (is size missing where the noise is drawn?)"
        )


def _footprint(function: Callable[..., Any]) -> dict[str, str]:
    """The plain values that a run can change: globals, closure, defaults, environment, working directory."""
    found: dict[str, Any] = {}
    code = getattr(function, "__code__", None)
    if code is not None:
        everything = getattr(function, "__globals__", {})
        names = [name for name in code.co_names if name in everything]
        found.update({f"the global variable {name}": everything[name] for name in names})
        for name, cell in zip(code.co_freevars, getattr(function, "__closure__", None) or (), strict=False):
            try:
                found[f"the outer variable {name}"] = cell.cell_contents
            except ValueError:  # not yet bound
                continue
        found.update({f"its default argument {i}": v for i, v in enumerate(function.__defaults__ or ())})
    if not hasattr(function, "__code__") and hasattr(function, "__dict__"):
        found.update({f"its attribute {name}": value for name, value in vars(function).items()})
    plain = {name: _text(value) for name, value in found.items() if _plain(value)}
    return {name: plain_repr(value, short=False) for name, value in surroundings().items()} | plain


def _plain(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.size <= _LARGEST and value.dtype != object
    if isinstance(value, list | tuple | set | frozenset | dict):
        return len(value) <= _LARGEST
    return value is None or isinstance(value, bool | int | float | complex | str | bytes)


def _text(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype}{value.shape}{value.tobytes()!r}"
    return plain_repr(value, short=False)
