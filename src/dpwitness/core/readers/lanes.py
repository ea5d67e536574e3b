"""The batched sampler: a program with real `if`s, run on whole arrays.

All runs of a block go through the program together. Where a condition holds in some lanes and fails in others, the
block splits, and each part re-runs the program on the draws that were already made. The number of executions is the
number of paths, not the number of samples.
"""

from __future__ import annotations

import operator
import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpwitness.core.errors import (
    DPWitnessError,
    ImpureProgram,
    LanesExploded,
    ProgramFailed,
    ProgramTimeout,
    advise,
)
from dpwitness.core.identity import shipped
from dpwitness.core.laws import Law
from dpwitness.core.minimising import trace
from dpwitness.core.noise import Noise
from dpwitness.core.postprocessing import computed, plain_value
from dpwitness.core.readers.drawing import sample
from dpwitness.core.readers.lane import Lane, NeedsScalar
from dpwitness.core.readers.outputs import Outputs, Skeleton, take_apart
from dpwitness.core.readers.scalar import MAX_DRAWS, Scalar, check_number
from dpwitness.core.readers.selecting import first_largest
from dpwitness.core.readers.solving import solve

Program = Callable[[Noise], Any]
Group = tuple[NDArray[np.int64], Skeleton, Sequence[Any]]
Script = Callable[[int, Law, NDArray[np.int64]], NDArray[Any]]  # draw number, its law, lanes: their values
_Work = tuple[NDArray[np.int64], list[tuple[str, str]], list[Any]]  # lanes, draws made, decisions taken


class _Split(Exception):
    """The lanes disagree: `labels` holds each lane's answer."""

    def __init__(self, labels: NDArray[Any]) -> None:
        self.labels = labels

    def parts(self) -> Iterator[tuple[Any, NDArray[np.int64]]]:
        """Each answer with the positions of its lanes."""
        if self.labels.dtype == np.bool_:
            yield True, np.flatnonzero(self.labels)
            yield False, np.flatnonzero(~self.labels)
        else:
            for label in np.unique(self.labels)[::-1]:
                yield label.item(), np.flatnonzero(self.labels == label)


class Tape:
    """The draws of a block: for draw k and each type of number, one array over all lanes of the block."""

    def __init__(self, size: int) -> None:
        self.size = size
        self._arrays: dict[tuple[int, str], NDArray[Any]] = {}

    def write(self, k: int, lanes: NDArray[np.int64], values: NDArray[Any]) -> None:
        """Keep the k-th draw of some lanes."""
        key = (k, values.dtype.char)
        if lanes.size == self.size:
            self._arrays[key] = values
            return
        if key not in self._arrays:
            self._arrays[key] = np.empty(self.size, dtype=values.dtype)
        self._arrays[key][lanes] = values

    def read(self, k: int, kind: str, lanes: NDArray[np.int64] | np.int64) -> Any:
        """The k-th draw of some lanes."""
        return self._arrays[k, kind][lanes]


class Lanes(Noise):
    """One execution of the program on a set of lanes, replaying the draws that these lanes already made."""

    def __init__(
        self,
        rng: np.random.Generator,
        lanes: NDArray[np.int64],
        tape: Tape,
        made: list[tuple[str, str]],
        decisions: list[Any],
        deadline: float | None,
        script: Script | None = None,
    ) -> None:
        self.rng = rng
        self.script = script
        self.lanes = lanes
        self.tape = tape
        self.made = made  # law and type of number of every draw so far
        self.decisions = decisions
        self.deadline = deadline
        self._next_draw = 0
        self._next_decision = 0

    def draw(self, law: Law) -> Any:
        k = self._next_draw
        self._next_draw += 1
        if k < len(self.made):
            name, kind = self.made[k]
            if name != law.name:
                raise ImpureProgram(
                    f"on replay draw {k} came from {law.name} instead of {name}: "
                    "the program depends on something other than its arguments and its noise"
                )
            return _Replayed(self, k, kind)
        if k >= MAX_DRAWS or (self.deadline is not None and time.monotonic() > self.deadline):
            raise ProgramTimeout(f"the program was still drawing noise after {k} draws: does its loop end?")
        bare = type(law)(*(_bare(value) for value in law.__dict__.values()))
        values = sample(bare, self.rng, self.lanes.size) if self.script is None else self.script(k, bare, self.lanes)
        self.tape.write(k, self.lanes, values)
        self.made.append((law.name, values.dtype.char))
        return Lane.known(self, values)

    def decide(self, value: Lane, *, boolean: bool) -> Any:
        """The common answer of all lanes; raises `_Split` where they disagree."""
        k = self._next_decision
        self._next_decision += 1
        if k < len(self.decisions):
            answer = value.first()
            if (bool(answer) if boolean else answer) != self.decisions[k]:
                raise ImpureProgram(
                    f"on replay decision {k} came out differently: "
                    "the program depends on something other than its arguments and its noise"
                )
            return self.decisions[k]
        labels = value.array
        if boolean and labels.dtype != np.bool_:
            labels = labels != 0
        if not boolean and labels.dtype.kind not in "iub":
            raise NeedsScalar("an index that is not an integer")
        first = labels[0]
        if not (labels.all() if boolean and first else (labels == first).all()):
            raise _Split(labels)
        self.decisions.append(first.item())
        return first.item()

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
        if not any(isinstance(v, Lane) for v in values):
            return first_largest(values)
        return Lane(self, _argmax, *(_plain(v) for v in values))

    def max(self, values: Sequence[Any]) -> Any:
        if not any(isinstance(v, Lane) for v in values):
            return values[first_largest(values)]
        if len({_kind(v) for v in values}) > 1:  # the largest keeps its type: an int beside floats stays an int
            return values[operator.index(self.argmax(values))]
        return Lane(self, _maximum, *(_plain(v) for v in values))

    def postprocess(self, function: Callable[..., Any], *values: Any, size: int | None = None) -> Any:
        if not any(map(_holds_lanes, values)):
            return super().postprocess(function, *values, size=size)
        width = 1 if size is None else size

        def table() -> NDArray[Any]:
            rows = np.empty((self.lanes.size, width))
            for k in range(self.lanes.size):
                given = [plain_value(_at(value, k)) for value in values]
                rows[k] = computed(function, given, size)
            return rows

        rows = table()
        columns = tuple(Lane.known(self, rows[:, j]) for j in range(width))
        return columns[0] if size is None else columns

    def _where(self, test: Any, yes: Any, no: Any) -> Any:
        if not isinstance(test, Lane):
            return yes if test else no
        return Lane(self, lambda t, a, b: np.where(t != 0, a, b), test, _plain(yes), _plain(no))

    def minimiser(self, gradient: Callable[[list[Any]], Sequence[Any]], size: int) -> list[Any]:
        found = solve(trace(gradient, size), lambda x: x.array if isinstance(x, Lane) else float(x))
        return [Lane.known(self, x) if isinstance(x, np.ndarray) else x for x in found]


class _Replayed(Lane):
    """A draw that was made before; taken from the tape only if it is needed."""

    __slots__ = ("kind", "number")

    def __init__(self, run: Lanes, number: int, kind: str) -> None:
        self.number = number
        self.kind = kind
        super().__init__(run, lambda: run.tape.read(number, kind, run.lanes))

    def first(self) -> Any:
        return self.run.tape.read(self.number, self.kind, self.run.lanes[0])


def _holds_lanes(value: Any) -> bool:
    return isinstance(value, Lane) or (isinstance(value, list | tuple) and any(map(_holds_lanes, value)))


def _at(value: Any, k: int) -> Any:
    """A value of one lane."""
    if isinstance(value, Lane):
        return value.array[k].item()
    if isinstance(value, list | tuple):
        return type(value)(_at(part, k) for part in value)
    return value


def _plain(value: Any) -> Any:
    """A value as an operand of a lane: numbers keep their type, and rationals are as near as a float."""
    if isinstance(value, Lane | bool | int | float):
        return value
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    raise NeedsScalar(f"a selection among lanes and {type(value).__name__}")


def _kind(value: Any) -> Any:
    """What the largest of several values would be: an int, a float or a truth value."""
    return value.array.dtype.kind if isinstance(value, Lane) else type(shipped(value))


def _argmax(*values: Any) -> Any:
    best, where = values[0], np.zeros(np.shape(values[0]), dtype=np.int64)
    for i, other in enumerate(values[1:], start=1):
        larger = other > best
        where = np.where(larger, i, where)
        best = np.where(larger, other, best)
    return where


def _maximum(*values: Any) -> Any:
    best = values[0]
    for other in values[1:]:
        best = np.where(other > best, other, best)
    return best


def _bare(value: Any) -> Any:
    if isinstance(value, Lane):
        return value.array
    if isinstance(value, tuple):
        return tuple(_bare(x) for x in value)
    return value


class _Continue(Scalar):
    """Scalar draws that begin with those already made."""

    def __init__(
        self, rng: np.random.Generator, made: list[Any], deadline: float | None, lane: int, script: Script | None
    ) -> None:
        super().__init__(rng, deadline=deadline)
        self.made = made
        self.lane = lane
        self.script = script

    def draw(self, law: Law) -> Any:
        if self.count < len(self.made):
            self.count += 1
            return self.made[self.count - 1]
        if self.script is not None:
            self.count += 1
            return self.script(self.count - 1, law, np.array([self.lane]))[0].item()
        return super().draw(law)


def run_block(
    program: Program,
    rng: np.random.Generator,
    size: int,
    *,
    batched: bool = True,
    deadline: float | None = None,
    script: Script | None = None,
) -> Outputs:
    """`size` independent runs of `program`; where there is a `script`, on the draws that it hands out."""
    if not batched:
        return _one_by_one(program, rng, [(np.arange(size), [])], Tape(size), [], deadline, script)
    tape = Tape(size)
    todo: list[_Work] = [(_all_lanes(size), [], [])]
    groups: list[Group] = []
    executions, limit = 0, 256 + size // 8
    while todo:
        if executions >= limit:
            written = getattr(program, "__wrapped__", program)
            name = getattr(written, "__qualname__", "the program")
            advise(
                f"{getattr(written, '__module__', '')}.{name}",
                f"{name} took more than {limit} control-flow paths on {size} runs: the rest is run one by one; "
                "noise.argmax and noise.max avoid a path for every comparison",
                LanesExploded,
            )
            return _one_by_one(program, rng, [(a, b) for a, b, _ in todo], tape, groups, deadline, script)
        executions += 1
        lanes, made, decisions = todo.pop()
        noise = Lanes(rng, lanes, tape, made, decisions, deadline, script)
        try:
            output = program(noise)
            skeleton, slots = take_apart(output, lambda x: isinstance(x, Lane), by_value=True)
        except _Split as split:
            for label, keep in split.parts():
                todo.append((lanes[keep], list(noise.made), [*noise.decisions, label]))
            continue
        except DPWitnessError:
            raise
        except Exception as error:  # NeedsScalar, or numpy refusing lanes: single runs will tell which
            if executions == 1 or isinstance(error, NeedsScalar):
                todo.append((lanes, noise.made, decisions))
                return _one_by_one(program, rng, [(a, b) for a, b, _ in todo], tape, groups, deadline, script)
            raise ProgramFailed(f"the program raised {type(error).__name__}: {error}") from error
        groups.append((lanes, skeleton, [slot.array for slot in slots]))
    return Outputs.from_groups(size, groups)


@lru_cache(maxsize=8)
def _all_lanes(size: int) -> NDArray[np.int64]:
    lanes = np.arange(size)
    lanes.flags.writeable = False
    return lanes


def _one_by_one(
    program: Program,
    rng: np.random.Generator,
    todo: list[tuple[NDArray[np.int64], list[tuple[str, str]]]],
    tape: Tape,
    groups: list[Group],
    deadline: float | None,
    script: Script | None = None,
) -> Outputs:
    values: list[Any] = []
    positions: list[int] = []
    for lanes, made in todo:
        for lane in lanes:
            drawn = [tape.read(k, kind, lane).item() for k, (_, kind) in enumerate(made)]
            try:
                values.append(program(_Continue(rng, drawn, deadline, int(lane), script)))
            except DPWitnessError:
                raise
            except Exception as error:
                raise ProgramFailed(f"the program raised {type(error).__name__}: {error}") from error
            positions.append(int(lane))
    alone = Outputs.from_values(values)
    where = np.array(positions)
    for s, skeleton in enumerate(alone.skeletons):
        groups.append((where[alone.codes == s], skeleton, alone.columns[s]))
    return Outputs.from_groups(tape.size, groups)
