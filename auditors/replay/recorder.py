"""Record every random draw of unmodified Python code, and replay the same draws on another input.

For the duration of a run the random functions of numpy (new and legacy), `random`, `secrets`, `os.urandom` and
`scipy.stats` are replaced by ones that write to a `Tape` (`dpwitness.auditors.replay.patches`). Draws from a family
with location and scale are stored without them, so that a program that passes its data as the location of the noise is
replayed with the same noise around the other input. A library's own noise functions can be named.
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpwitness.auditors.sampling.isolation import interrupts
from dpwitness.auditors.sampling.sampler import describe_exception, try_deepcopy
from dpwitness.core.errors import LimitReached, ProgramTimeout

Hook = tuple[Any, str]

_LOCATED = {"laplace": ("loc", "scale"), "normal": ("loc", "scale"), "gumbel": ("loc", "scale"),
            "logistic": ("loc", "scale"), "gauss": ("mu", "sigma"), "normalvariate": ("mu", "sigma")}  # fmt: skip


@dataclass
class Draw:
    """One call of a random function: its name, its scale where it has one, and the value without location and scale."""

    name: str
    scale: Any
    value: Any

    @property
    def signature(self) -> str:
        """What must not depend on the data: the family, the scale and the shape."""
        return f"{self.name}, scale {self.scale!r}, shape {np.shape(self.value)}"


@dataclass
class Tape:
    """The draws of a run; where `replay` is given, its values are handed out again in order."""

    replay: Sequence[Draw] = ()
    draws: list[Draw] = field(default_factory=list)
    closed: bool = False
    _depth: int = 0
    _thread: int = field(default_factory=threading.get_ident)

    @property
    def turns(self) -> bool:
        """Whether the run is under way and this is its thread."""
        return not self.closed and threading.get_ident() == self._thread

    @property
    def listening(self) -> bool:
        """Whether a call is to be recorded: what a random function calls in turn is not."""
        return self.turns and not self._depth

    def call(self, name: str, real: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Draw, or replay, and write down; calls made by the random functions themselves are not recorded."""
        if not self.listening:
            return real(*args, **kwargs)
        self._depth += 1
        try:
            value = real(*args, **kwargs)
        finally:
            self._depth -= 1
        location, scale = _where(name, args, kwargs)
        with np.errstate(all="ignore"):
            bare = value if location is None else np.where(scale == 0, 0.0, (np.asarray(value) - location) / scale)[()]
        k = len(self.draws)
        old = self.replay[k] if k < len(self.replay) else None
        if old is not None and old.name == name and np.shape(old.value) == np.shape(bare):
            bare = copy.deepcopy(old.value)
            value = bare if location is None else np.asarray(location + scale * np.asarray(bare))[()]
            if location is not None and np.ndim(value) == 0:
                value = float(value)
        self.draws.append(Draw(name, None if scale is None else np.asarray(scale).tolist(), bare))
        return value


def _where(name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, Any]:
    if name in _LOCATED:
        places = _LOCATED[name]
        values = [args[i] if i < len(args) else kwargs.get(key, float(i)) for i, key in enumerate(places)]
        return np.asarray(values[0], dtype=np.float64), np.asarray(values[1], dtype=np.float64)
    if name == "expovariate":
        return np.asarray(0.0), 1 / np.asarray(args[0] if args else kwargs.get("lambd", 1.0), dtype=np.float64)
    if name == "uniform":
        low, high = (args[i] if i < len(args) else kwargs.get(a, kwargs.get(b, float(i)))
                     for i, (a, b) in enumerate((("low", "a"), ("high", "b"))))  # fmt: skip
        return np.asarray(low, dtype=np.float64), np.asarray(high, dtype=np.float64) - np.asarray(low, dtype=np.float64)
    if name == "exponential":
        return np.asarray(0.0), np.asarray(args[0] if args else kwargs.get("scale", 1.0), dtype=np.float64)
    return None, None


@dataclass(frozen=True)
class Recording:
    """A run: its draws in order, and its output (an exception counts as one)."""

    draws: tuple[Draw, ...]
    output: Any


def record(
    function: Callable[[Any], Any],
    data: Any,
    *,
    seed: int = 0,
    replay: Sequence[Draw] = (),
    hooks: Sequence[Hook] = (),
    home: Callable[..., Any] | None = None,
) -> Recording:
    """Run ``function(data)`` on a tape.

    Parameters
    ----------
    seed
        Seeds every generator that the function makes without a seed of its own.
    replay
        Draws of an earlier run, to be used again.
    hooks
        ``(module or object, attribute)`` of further noise functions, such as a library's own.
    home
        The function whose module and object may hold generators; `function` where None.

    Examples
    --------
    >>> first = record(lambda x: x + np.random.default_rng().laplace(0, 2), 5.0)
    >>> second = record(lambda x: x + np.random.default_rng().laplace(0, 2), 6.0, replay=first.draws)
    >>> round(second.output - first.output, 9), first.draws[0].scale
    (1.0, 2.0)
    """
    from dpwitness.auditors.replay.patches import patched

    tape = Tape(tuple(replay))
    with interrupts() as came, patched(tape, home or function, seed, hooks):
        try:
            output = function(try_deepcopy(data))
        except (ProgramTimeout, LimitReached):
            raise
        except BaseException as error:
            if came:  # the user wants to stop
                raise
            output = f"raised {describe_exception(error)}"
    return Recording(tuple(tape.draws), output)
