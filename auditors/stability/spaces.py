"""The two kinds of inputs behind one protocol: datasets of rows, and vectors that move within a ball."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol

from dpwitness.auditors.inputs import vectors
from dpwitness.auditors.inputs.datasets import datasets, known_records, runs
from dpwitness.auditors.inputs.mutate import mutated
from dpwitness.auditors.inputs.neighbours import at_steps
from dpwitness.core.identity import shipped
from dpwitness.core.spaces import Answers
from dpwitness.core.stability.claim import Stable
from dpwitness.core.stability.rows import Rows, record_key

Data = tuple[Any, ...]
Step = tuple[Data, Any, str]
LONG = 64


class Inputs(Protocol):
    """Where inputs come from, what lies around them, and how far apart two of them are."""

    def starts(self) -> Iterator[tuple[Data, str]]:
        """Inputs to begin with, the simplest first."""

    def long(self, most: int) -> Iterator[tuple[Data, str]]:
        """Long runs of at most so many records."""

    def around(self, data: Data) -> Iterator[Step]:
        """Neighbours, each with its distance and a word on how it was made."""

    def mutated(self, data: Data, rng: random.Random) -> Data:
        """Another input, made from this one."""

    def build(self, data: Data) -> Any:
        """The input as the function gets it."""

    def key(self, data: Data) -> Hashable:
        """What two inputs share exactly where they are the same."""

    def within(self, left: Data, right: Data, apart: Any) -> bool:
        """Whether both belong to the space, at this distance or less."""


@dataclass(frozen=True)
class RowInputs:
    """Datasets of a `Rows` space."""

    space: Rows
    steps: Sequence[int]
    constants: Sequence[Any] = ()
    records: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.records.extend(known_records(self.space, self.constants))

    def starts(self) -> Iterator[tuple[Data, str]]:
        return datasets(self.space, self.constants)

    def long(self, most: int) -> Iterator[tuple[Data, str]]:
        return runs(self.space, self.constants, most)

    def around(self, data: Data) -> Iterator[Step]:
        if self.space.any_order:
            yield from at_steps(data, self.space, self.records, 0)
        records = self.records if len(data) <= LONG else [*self.records[:4], data[0]]
        for steps in self.steps:
            yield from at_steps(data, self.space, records, steps)

    def mutated(self, data: Data, rng: random.Random) -> Data:
        return mutated(data, self.space, self.records, rng)

    def build(self, data: Data) -> Any:
        return self.space.build(data)

    def key(self, data: Data) -> Hashable:
        if len(data) <= LONG:
            return tuple(map(record_key, data))
        return len(data), hash(tuple(map(record_key, data)))

    def within(self, left: Data, right: Data, apart: Any) -> bool:
        return self.space.holds(left) and self.space.holds(right) and self.space.steps_between(left, right) <= apart


@dataclass(frozen=True)
class VectorInputs:
    """Vectors of an `Answers` space; the distance of inputs is that of its norm."""

    space: Answers
    scales: Sequence[Fraction]

    def starts(self) -> Iterator[tuple[Data, str]]:
        return vectors.points(self.space)

    def long(self, most: int) -> Iterator[tuple[Data, str]]:
        return iter(())

    def around(self, data: Data) -> Iterator[Step]:
        for scale in self.scales:
            for other, how in vectors.moved(data, self.space, scale):
                yield other, scale, how

    def mutated(self, data: Data, rng: random.Random) -> Data:
        place = rng.randrange(len(data))
        by = self.space.by * rng.choice((1, -1, 3, -7, 100))
        moved = (*data[:place], data[place] + by, *data[place + 1 :])
        return moved if self.space._inside(moved) else data

    def build(self, data: Data) -> Any:
        return [shipped(x) for x in data]

    def key(self, data: Data) -> Hashable:
        return tuple((x.numerator, x.denominator) for x in data)

    def within(self, left: Data, right: Data, apart: Any) -> bool:
        ball = Answers(self.space.moves, apart, size=len(left)).adjacency
        return self.space._inside(left) and self.space._inside(right) and ball.related(left, right)


def inputs_of(claim: Stable, constants: Sequence[Any]) -> Inputs:
    """The inputs of a claim."""
    space = claim.space
    if isinstance(space, Rows):
        return RowInputs(space, claim.steps, constants)
    by = Fraction(space.by)
    return VectorInputs(space, (by,) if len(claim.steps) == 1 else (by, by / 2, 2 * by, 10 * by))
