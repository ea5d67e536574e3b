"""The batched sampler: a program with real `if`s, run on whole arrays.

All runs of a block go through the program together. Where a condition holds in some lanes and fails in others, the
block splits, and each part re-runs the program on the draws that were already made. The number of executions is the
number of paths, not the number of samples.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpwitness.core.errors import (
    BadInput,
    DPWitnessError,
    ImpureProgram,
    LanesExploded,
    ProgramFailed,
    ProgramTimeout,
)
from dpwitness.core.laws import Law
from dpwitness.core.noise import Noise
from dpwitness.core.readers.drawing import sample
from dpwitness.core.readers.lane import Lane, NeedsScalar
from dpwitness.core.readers.outputs import Outputs, Skeleton, take_apart
from dpwitness.core.readers.scalar import MAX_DRAWS, Scalar, check_number

Program = Callable[[Noise], Any]
Group = tuple[NDArray[np.int64], Skeleton, Sequence[Any]]


class _Split(Exception):
    """The lanes disagree: `labels` holds each lane's answer."""

    def __init__(self, labels: NDArray[Any]) -> None:
        self.labels = labels


class Lanes(Noise):
    """One execution of the program on a set of lanes, replaying the draws that these lanes already made."""

    def __init__(
        self,
        rng: np.random.Generator,
        lanes: NDArray[np.int64],
        draws: list[NDArray[Any]],
        names: list[str],
        decisions: list[Any],
        deadline: float | None,
    ) -> None:
        self.rng = rng
        self.lanes = lanes
        self.draws = draws
        self.names = names
        self.decisions = decisions
        self.deadline = deadline
        self._next_draw = 0
        self._next_decision = 0

    def draw(self, law: Law) -> Any:
        k = self._next_draw
        self._next_draw += 1
        if k == len(self.draws):
            if k >= MAX_DRAWS or (self.deadline is not None and time.monotonic() > self.deadline):
                raise ProgramTimeout(f"the program was still drawing noise after {k} draws: does its loop end?")
            bare = type(law)(*(_bare(value) for value in law.__dict__.values()))
            self.draws.append(sample(bare, self.rng, self.lanes.size))
            self.names.append(law.name)
        elif self.names[k] != law.name:
            raise ImpureProgram(
                f"on replay draw {k} came from {law.name} instead of {self.names[k]}: "
                "the program depends on something other than its arguments and its noise"
            )
        return Lane(self, self.draws[k])

    def decide(self, labels: NDArray[Any]) -> Any:
        """The common answer of all lanes; raises `_Split` where they disagree."""
        k = self._next_decision
        self._next_decision += 1
        first = labels[0]
        same = bool((labels == first).all())
        if k < len(self.decisions):
            if not same or first != self.decisions[k]:
                raise ImpureProgram(
                    f"on replay decision {k} came out differently: "
                    "the program depends on something other than its arguments and its noise"
                )
        elif not same:
            raise _Split(labels)
        else:
            self.decisions.append(first)
        return first

    def check(self, name: str, value: Any, *, above: int | None, below: int | None = None, closed: bool = False) -> Any:
        if not isinstance(value, Lane):
            return check_number(name, value, above, below, closed)
        array = value.array
        low = array.min() if array.size else above
        high = array.max() if array.size else below
        for worst in (low, high):
            check_number(name, worst, above, below, closed)
        return value

    def argmax(self, values: Sequence[Any]) -> Any:
        if not len(values):
            raise BadInput("argmax of no values")
        best = self._array(values[0])
        where = np.zeros(self.lanes.size, dtype=np.int64)
        for i, value in enumerate(values[1:], start=1):
            other = self._array(value)
            larger = other > best
            where[larger] = i
            best = np.maximum(best, other)
        return Lane(self, where)

    def max(self, values: Sequence[Any]) -> Any:
        if not len(values):
            raise BadInput("max of no values")
        result = self._array(values[0])
        for value in values[1:]:
            result = np.maximum(result, self._array(value))
        return Lane(self, result)

    def _array(self, value: Any) -> NDArray[Any]:
        if isinstance(value, Lane):
            return value.array
        return np.full(self.lanes.size, float(value))


def _bare(value: Any) -> Any:
    if isinstance(value, Lane):
        return value.array
    if isinstance(value, tuple):
        return tuple(_bare(x) for x in value)
    return value


class _Continue(Scalar):
    """Scalar draws that begin with those already made."""

    def __init__(self, rng: np.random.Generator, made: list[Any], deadline: float | None) -> None:
        super().__init__(rng, deadline=deadline)
        self.made = made

    def draw(self, law: Law) -> Any:
        if self.count < len(self.made):
            self.count += 1
            return self.made[self.count - 1]
        return super().draw(law)


def run_block(
    program: Program, rng: np.random.Generator, size: int, *, batched: bool = True, deadline: float | None = None
) -> Outputs:
    """`size` independent runs of `program`."""
    if not batched:
        return _one_by_one(program, rng, [(np.arange(size), [])], size, [], deadline)
    todo: list[tuple[NDArray[np.int64], list[NDArray[Any]], list[str], list[Any]]] = [(np.arange(size), [], [], [])]
    groups: list[Group] = []
    executions, limit = 0, 64 + size // 8
    while todo:
        if executions >= limit:
            warnings.warn(
                f"the program took more than {limit} control-flow paths on {size} runs: the rest is run one by one; "
                "noise.argmax and noise.max avoid a path for every comparison",
                LanesExploded,
                stacklevel=2,
            )
            return _one_by_one(program, rng, [(lanes, draws) for lanes, draws, _, _ in todo], size, groups, deadline)
        executions += 1
        lanes, draws, names, decisions = todo.pop()
        noise = Lanes(rng, lanes, draws, names, list(decisions), deadline)
        try:
            output = program(noise)
            skeleton, slots = take_apart(output, lambda x: isinstance(x, Lane))
        except _Split as split:
            for label in np.unique(split.labels)[::-1]:
                keep = split.labels == label
                part = [draw[keep] for draw in noise.draws]
                todo.append((lanes[keep], part, list(noise.names), [*noise.decisions, label]))
            continue
        except DPWitnessError:
            raise
        except Exception as error:  # NeedsScalar, or numpy refusing lanes: single runs will tell which
            if executions == 1 or isinstance(error, NeedsScalar):
                todo.append((lanes, noise.draws, names, decisions))
                return _one_by_one(program, rng, [(a, b) for a, b, _, _ in todo], size, groups, deadline)
            raise ProgramFailed(f"the program raised {type(error).__name__}: {error}") from error
        groups.append((lanes, skeleton, [slot.array for slot in slots]))
    return Outputs.from_groups(size, groups)


def _one_by_one(
    program: Program,
    rng: np.random.Generator,
    todo: list[tuple[NDArray[np.int64], list[NDArray[Any]]]],
    size: int,
    groups: list[Group],
    deadline: float | None,
) -> Outputs:
    values: list[Any] = []
    positions: list[int] = []
    for lanes, draws in todo:
        for k, lane in enumerate(lanes.tolist()):
            noise = _Continue(rng, [draw[k].item() for draw in draws], deadline)
            try:
                values.append(program(noise))
            except DPWitnessError:
                raise
            except Exception as error:
                raise ProgramFailed(f"the program raised {type(error).__name__}: {error}") from error
            positions.append(lane)
    alone = Outputs.from_values(values)
    where = np.array(positions)
    for s, skeleton in enumerate(alone.skeletons):
        groups.append((where[alone.codes == s], skeleton, alone.columns[s]))
    return Outputs.from_groups(size, groups)


_BLOCKS = (256, 1024, 4096, 16384)
_BLOCK = 65536


class Stream:
    """An endless stream of outputs: the same seed gives the same outputs, however they are taken.

    Blocks have fixed sizes and seeds of their own, so neither the batch size nor the number of workers matters, and
    memory does not grow with the number of samples.
    """

    def __init__(self, program: Program, seed: np.random.SeedSequence, *, batched: bool = True) -> None:
        self.program = program
        self.seed = seed
        self.batched = batched
        self._block = 0
        self._rest: Outputs | None = None

    def take(self, size: int, *, deadline: float | None = None) -> Outputs:
        """The next `size` outputs."""
        parts: list[Outputs] = []
        missing = size
        while missing > 0:
            if self._rest is None or not len(self._rest):
                self._rest = self._run_next(deadline)
            parts.append(self._rest[:missing])
            self._rest = self._rest[missing:]
            missing -= len(parts[-1])
        return parts[0] if len(parts) == 1 else Outputs.concatenate(parts)

    def _run_next(self, deadline: float | None) -> Outputs:
        k = self._block
        self._block += 1
        length = _BLOCKS[k] if k < len(_BLOCKS) else _BLOCK
        key = (*self.seed.spawn_key, k)
        rng = np.random.default_rng(np.random.SeedSequence(self.seed.entropy, spawn_key=key))
        return run_block(self.program, rng, length, batched=self.batched, deadline=deadline)
