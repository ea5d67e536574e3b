"""What a sampler does besides sampling: printing, changing its input, changing global state, seeding, ignoring `rng`.

None of this stops an audit, but some of it makes one worthless: outputs that are not independent, or that cannot be
repeated from the seed. A few runs on each input, before the audit and in this process, tell; what they tell depends on
nothing else, so that it is the same for any number of workers.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from dpwitness.auditors.sampling import SIDES, Sampler, copied, silenced, stream, surroundings_kept
from dpwitness.auditors.table import Encoder
from dpwitness.core.errors import BadInput, ProgramFailed, ProgramTimeout

_BRANCH = 6000
_CALLS = 4
_LARGEST = 1 << 14


def same(left: Any, right: Any) -> bool:
    """Whether two inputs are equal, arrays and NaN included."""
    try:
        if isinstance(left, np.ndarray) or isinstance(right, np.ndarray):
            return bool(np.array_equal(left, right, equal_nan=True))
    except TypeError:
        return bool(np.array_equal(left, right))
    try:
        return bool(left == right) or repr(left) == repr(right)  # NaN inside a list is not equal to itself
    except Exception:  # inputs may be of any type; an odd == is no reason to refuse them
        return left is right


def examine(sampler: Sampler, left: Any, right: Any, seed: int) -> tuple[str, ...]:
    """What a few runs on each input show, in words; empty for a well-behaved sampler.

    A sampler that does nothing but raise is an error.

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
    with surroundings_kept(), silenced() as heard:
        for _ in range(_CALLS):
            mine = copied(data)
            try:
                outputs.append(sampler.call(mine, 2, stream(*key)) if sampler.batched else sampler.call(mine))
            except ProgramTimeout:
                raise
            except (Exception, SystemExit) as error:  # part of the output, unless it is all there is
                outputs.append(None)
                failed.append(f"{type(error).__name__}: {error}")
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
    if sampler.batched and not _repeats(outputs):
        yield "the sampler draws randomness that is not from rng: the seed does not repeat this audit"


def _generators() -> tuple[int, int]:
    kind, words, *rest = np.random.get_state(legacy=True)  # noqa: NPY002
    return hash(random.getstate()), hash((kind, np.asarray(words).tobytes(), tuple(rest)))


def _repeats(outputs: list[Any]) -> bool:
    """Whether calls with the same stream gave the same outputs; True where they cannot be read."""
    encoder = Encoder()
    try:
        tables = [encoder.encode(x) for x in outputs if x is not None]
    except BadInput:
        return True
    return len({t.keys().tobytes() for t in tables}) <= 1


def _footprint(function: Callable[..., Any]) -> dict[str, str]:
    """The plain values that a run can change: globals, closure, defaults, environment, working directory."""
    found: dict[str, Any] = {
        "the working directory": os.getcwd(), "the environment": sorted(os.environ.items()),
        "numpy's error settings": np.geterr(),
    }  # fmt: skip
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
    return {name: _text(value) for name, value in found.items() if _plain(value)}


def _plain(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.size <= _LARGEST and value.dtype != object
    if isinstance(value, list | tuple | set | frozenset | dict):
        return len(value) <= _LARGEST
    return value is None or isinstance(value, bool | int | float | complex | str | bytes)


def _text(value: Any) -> str:
    return f"{value.dtype}{value.shape}{value.tobytes()!r}" if isinstance(value, np.ndarray) else repr(value)
