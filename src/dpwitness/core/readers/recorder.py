"""Record and replay: what a run drew, what it was added to, and the same draws on a neighbour."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from dpwitness.core.errors import ImpureProgram
from dpwitness.core.identity import same
from dpwitness.core.laws import Law
from dpwitness.core.noise import Noise
from dpwitness.core.public import public
from dpwitness.core.readers.outputs import take_apart
from dpwitness.core.readers.scalar import Scalar
from dpwitness.core.readers.where import current_line, program_code


@dataclass
class Entry:
    """One draw: its law, its value, the line that drew it, and the first number it was added to (None: none)."""

    law: Law
    value: Any
    line: int | None
    added_to: float | None = None


@dataclass(frozen=True)
class Recording:
    """A run: its draws in order and its output."""

    entries: tuple[Entry, ...]
    output: Any


class Drawn(float):
    """A drawn number that notes the first number it is added to."""

    entry: Entry

    def __new__(cls, value: float, entry: Entry) -> Drawn:
        number = super().__new__(cls, value)
        number.entry = entry
        return number

    def _note(self, other: Any) -> None:
        if self.entry.added_to is None and isinstance(other, int | float | Fraction | np.number):
            self.entry.added_to = float(other)

    def __add__(self, other: Any) -> Any:
        self._note(other)
        return float(self) + other

    def __radd__(self, other: Any) -> Any:
        self._note(other)
        return other + float(self)

    def __rsub__(self, other: Any) -> Any:
        self._note(other)
        return other - float(self)


class Recorder(Noise):
    """Draws like `Scalar` (or replays given values) and keeps a record."""

    def __init__(self, source: Scalar, code: Any, replay: Sequence[Entry] = ()) -> None:
        self.source = source
        self.code = code
        self.replay = replay
        self.entries: list[Entry] = []
        self.diverged: str | None = None

    def draw(self, law: Law) -> Any:
        k = len(self.entries)
        old = self.replay[k] if k < len(self.replay) else None
        if old is not None and old.law.name != law.name:
            self.diverged = self.diverged or f"draw {k} came from {law.name} instead of {old.law.name}"
            old = None
        value = self.source.draw(law) if old is None else old.value
        entry = Entry(law, value, current_line(self.code))
        self.entries.append(entry)
        return Drawn(value, entry) if isinstance(value, float) else value

    def check(self, name: str, value: Any, *, above: int | None, below: int | None = None, closed: bool = False) -> Any:
        return self.source.check(name, value, above=above, below=below, closed=closed)

    def argmax(self, values: Sequence[Any]) -> Any:
        return self.source.argmax(values)

    def max(self, values: Sequence[Any]) -> Any:
        return self.source.max(values)

    def minimiser(self, gradient: Callable[[list[Any]], Sequence[Any]], size: int) -> list[Any]:
        return self.source.minimiser(gradient, size)


def record(
    program: Callable[..., Any], rng: np.random.Generator, *args: Any, replay: Sequence[Entry] = (), **kwargs: Any
) -> Recording:
    """Run ``program(noise, *args, **kwargs)`` and keep every draw; `replay` supplies values for the first draws."""
    noise = Recorder(Scalar(rng), program_code(program), replay)
    given = [[public(x) for x in arg] if isinstance(arg, list) else public(arg) for arg in args]
    output = program(noise, *given, **{name: public(value) for name, value in kwargs.items()})
    take_apart(output, lambda _: False, by_value=True)  # an output of an unknown type is refused here
    return Recording(tuple(noise.entries), output)


def check_pure(program: Callable[..., Any], rng: np.random.Generator, *args: Any, **kwargs: Any) -> None:
    """Raise `ImpureProgram` unless the same draws give the same run twice."""
    first = record(program, rng, *args, **kwargs)
    again = record(program, rng, *args, replay=first.entries, **kwargs)
    name = getattr(program, "__name__", "the program")
    for k, (one, two) in enumerate(zip(first.entries, again.entries, strict=False)):
        if one.law != two.law:
            raise ImpureProgram(
                f"{name} is not a function of its arguments and noise: draw {k} (line {two.line}) came from {two.law} "
                f"after {one.law} on the first run"
            )
    if len(first.entries) != len(again.entries):
        raise ImpureProgram(
            f"{name} is not a function of its arguments and noise: it made {len(first.entries)} draws, "
            f"then {len(again.entries)} on the same draws"
        )
    if not same(first.output, again.output):
        raise ImpureProgram(
            f"{name} is not a function of its arguments and noise: the same draws gave {first.output!r}, "
            f"then {again.output!r}; does it read a clock, a global or another source of randomness?"
        )
