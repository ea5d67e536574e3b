"""What a sampler does besides sampling: printing, changing its input, changing global state, seeding, ignoring `rng`.

None of this stops an audit, but some of it makes one worthless: outputs that are not independent, or that cannot be
repeated from the seed. A few runs on each input, before the audit and in this process, tell; what they tell depends on
nothing else, so that it is the same for any number of workers.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dpwitness.auditors.forms import plain_repr
from dpwitness.auditors.objects import array_parts, unreadable
from dpwitness.auditors.sampling import SIDES, Sampler, copied, stream, told
from dpwitness.auditors.surroundings import interrupts, silenced, surroundings, surroundings_kept, warned_once
from dpwitness.auditors.table import Encoder, Table
from dpwitness.core.errors import BadInput, LimitReached, ProgramFailed, ProgramTimeout

_BRANCH = 6000
_STREAMS = (0, 0, 1, 2, 3)  # of the calls: two must repeat each other, the others must not
_CALLS = len(_STREAMS)
_SIZE = 16
_LARGEST = 1 << 14


def same(left: Any, right: Any) -> bool:
    """Whether two inputs are equal, arrays and NaN included.

    >>> same([float("nan"), np.zeros(2)], [float("nan"), np.zeros(2)])
    True
    """
    if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
        try:
            return bool(np.array_equal(left, right, equal_nan=True))
        except TypeError:
            return bool(np.array_equal(left, right))
    if type(left) is type(right) and isinstance(left, list | tuple):
        return len(left) == len(right) and all(map(same, left, right))
    if type(left) is type(right) is dict:
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left) and math.isnan(right):
        return True
    try:
        if type(left) is type(right) and (parts := array_parts(left)) is not None:
            return same(parts, array_parts(right))
        return left is right or bool(left == right)
    except Exception:  # inputs may be of any type; an odd == is no reason to refuse them
        return False


def examine(sampler: Sampler, left: Any, right: Any, seed: int) -> tuple[str, ...]:
    """What a few runs on each input show, in words; empty for a well-behaved sampler.

    A sampler that does nothing but raise is an error, and so is one whose outputs within a call, or from call to call,
    are plainly no independent draws: whatever an audit said of it would be wrong.

    >>> def rude(data):
    ...     print("sampling")
    ...     data.append(0)
    ...     return np.random.default_rng().laplace(len(data))
    >>> for text in examine(Sampler(rude, batched=False), [1], [1, 2], seed=0):
    ...     print(text)
    the sampler prints: 'sampling'; what it prints is not shown
    the sampler changes its input left; it was given a copy
    the sampler changes its input right; it was given a copy
    """
    found: dict[str, None] = {}
    failed: list[str] = []
    for side, data in enumerate((left, right)):
        for text in _one_side(sampler, data, SIDES[side], (seed, _BRANCH, side), failed):
            found.setdefault(text)
    if len(failed) == 2 * _CALLS:
        raise ProgramFailed(f"the sampler raised {failed[0]} (on each of the first {len(failed)} runs, seed={seed})")
    return tuple(found)


def _one_side(sampler: Sampler, data: Any, name: str, key: tuple[int, ...], failed: list[str]) -> Iterator[str]:
    if not same(data, copied(data)):
        return  # what cannot be copied, or compared, cannot be watched
    before, states, outputs = _footprint(sampler.function), [_generators()], []
    watched: list[str] = []
    with surroundings_kept(), warned_once(), silenced() as heard:
        for place in _STREAMS:
            mine = copied(data)
            with interrupts() as came:
                try:
                    rng = stream(*key, place)
                    outputs.append(sampler.call(mine, _SIZE, rng) if sampler.batched else sampler.call(mine))
                except (ProgramTimeout, LimitReached):
                    raise
                except BaseException as error:  # part of the output, unless it is all there is
                    if came:  # the user wants to stop
                        raise
                    outputs.append(None)
                    failed.append(told(error))
            watched += [] if same(mine, data) else [f"the sampler changes its input {name}; it was given a copy"]
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
    if not sampler.batched or len(tables := _read(outputs)) < _CALLS:
        return
    _check_independent([table.keys().tobytes() for table in tables], "output", name)
    _check_independent([table.codes.tobytes() for table in tables], "form of output", name)
    if tables[0].keys().tobytes() != tables[1].keys().tobytes():
        yield "the sampler draws randomness that is not from rng: the seed does not repeat this audit"


def _generators() -> tuple[int, int]:
    kind, words, *rest = np.random.get_state(legacy=True)  # noqa: NPY002
    return hash(random.getstate()), hash((kind, np.asarray(words).tobytes(), tuple(rest)))


def _read(outputs: list[Any]) -> list[Table]:
    """The outputs of calls as tables; none where they cannot be read."""
    encoder = Encoder()
    try:
        return [encoder.encode(x, _SIZE) for x in outputs if x is not None]
    except BadInput:
        return []


def _check_independent(calls: list[bytes], what: str, name: str) -> None:
    """Refuse what hardly any independent outputs can look like: calls that repeat each other, or one output each."""
    width = len(calls[0]) // _SIZE
    alike = [call == call[:width] * _SIZE for call in calls]
    if len(set(calls[1:])) == 1 and not alike[0]:
        raise BadInput(
            f"the sampler returned the same {_SIZE} outputs on {name} for {_CALLS - 1} different rng: an audit needs "
            "independent outputs, drawn from the rng of the call"
        )
    if all(alike) and len(set(calls[1:])) > 1:
        raise BadInput(
            f"the sampler returned one {what} {_SIZE} times in every call on {name}, and another one in the next call: "
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
