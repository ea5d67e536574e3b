r"""The search for two inputs on which a function moves further than claimed.

Listed inputs come first, small ones before large ones; then long runs; then random changes of those inputs that reach
new branches of the function. Beside neighbours, inputs far apart are compared: where a path of k steps lies between
them and the outputs are further apart than k·b, one of its steps violates the bound, by the triangle inequality, and
halving the path finds it.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpwitness.auditors.inputs.branches import edges_of
from dpwitness.auditors.stability.calls import Answer, Caller, shown
from dpwitness.auditors.stability.spaces import Data, Inputs, Step
from dpwitness.auditors.stability.violation import Violation, violation
from dpwitness.core.errors import LimitReached
from dpwitness.core.stability.claim import Stable
from dpwitness.core.stability.distances import NAMES, OF_DATASETS
from dpwitness.core.stability.rows import Rows

MUTANTS = 40  # random inputs between two looks at the limit
AROUND, ORDINARY = 48, 2  # neighbours of those that reach a new branch, and of others
KEPT, FRESH = 64, 2
LISTED, LONG = 0.5, 0.65  # shares of the pairs after which listed inputs, and long runs, give way to random ones
FIRST_RUNS, MOST_RUNS = 1 << 12, 1 << 17


@dataclass(frozen=True)
class Found:
    """Two inputs, what they gave, and what that shows."""

    left: Data
    right: Data
    apart: Any
    how: str
    before: Answer
    after: Answer
    shows: Violation


@dataclass
class Search:
    """One search: how many pairs it may compare, and what it has seen."""

    claim: Stable
    inputs: Inputs
    call: Caller
    most: int
    seed: int = 0
    pairs: int = 0
    rounding: Found | None = None
    stopped: str = ""
    _repeated: int = 0
    _starts: list[Data] = field(default_factory=list)

    def run(self) -> Found | None:
        """The first violation, or None when the limit is reached."""
        try:
            for found in self._stages():
                if found.shows.kind != "rounding":
                    return found
                self.rounding = self.rounding or found
        except LimitReached:
            running = "" if self.call.running is None else f", while the function ran on {shown(self.call.running, 60)}"
            self.stopped = f"the time limit{running}"
        return None

    def _stages(self) -> Iterator[Found]:
        yield from self._jumps()
        yield from self._listed()
        yield from self._long()
        yield from self._random()

    def _listed(self) -> Iterator[Found]:
        before: Data | None = None
        for data, _ in self.inputs.starts():
            self._starts.append(data)
            if self._repeated < 3:
                self._repeated += 1
                self.call.confirm((data, self.answer(data)))
            if before is not None and (found := self._far(before, data)) is not None:
                yield found
            before = data
            yield from self._around(data)
            if self.full or self.pairs >= LISTED * self.most:
                return

    def _jumps(self) -> Iterator[Found]:
        """Long runs alone, up to a few thousand records: a jump anywhere along them is found by halving."""
        before: Data = ()
        for data, _ in self.inputs.long(FIRST_RUNS):
            alike = bool(before) and before[-1] is data[-1] and len(before) < len(data)
            if alike and (found := self._far(before, data)) is not None:
                yield found
            before = data

    def _long(self) -> Iterator[Found]:
        before: Data = ()
        for data, _ in self.inputs.long(MOST_RUNS):
            if before and before[-1] is not data[-1]:
                before = ()
            if before and (found := self._far(before, data)) is not None:
                yield found
            before = data
            yield from self._around(data, 12)
            if self.full or self.pairs >= LONG * self.most:
                return

    def _random(self) -> Iterator[Found]:
        rng = random.Random(self.seed)
        seen = frozenset[Any]()
        step = max(1, len(self._starts) // KEPT)
        kept = [data for data in self._starts[::-step][::-1] if data] or self._starts[:1]  # of every size
        while kept and not self.full:
            for _ in range(MUTANTS):
                parents = kept[-FRESH:] if rng.random() < 0.5 else kept  # the last to reach something new, or any
                data = self.inputs.mutated(rng.choice(parents), rng)
                edges = edges_of(self.call.function, self.inputs.build(data), self.call.deadline)
                new = bool(edges - seen)
                if new:
                    seen |= edges
                    kept = [*kept[-KEPT:], data]
                for other, apart, how in self._some(data, rng, AROUND if new else ORDINARY):
                    if (found := self.compare(data, other, apart, how)) is not None:
                        yield found
                if self.full:
                    return

    def _some(self, data: Data, rng: random.Random, most: int) -> list[Step]:
        """A few neighbours: a sample of all of them, or some of the first where only a few are wanted."""
        if most < AROUND:
            first = rng.randrange(4 * most)
            return list(itertools.islice(self.inputs.around(data), first, first + most))
        around = list(self.inputs.around(data))
        return rng.sample(around, min(len(around), most))

    @property
    def full(self) -> bool:
        """Whether as many pairs were compared as may be."""
        if self.pairs >= self.most:
            self.stopped = f"the limit of {self.most} pairs"
        return self.pairs >= self.most

    def answer(self, data: Data) -> Answer:
        """The answer of the function."""
        return self.call(data, self.inputs.key(data))

    def compare(self, left: Data, right: Data, apart: Any, how: str) -> Found | None:
        """What two inputs show."""
        self.pairs += 1
        before, after = self.answer(left), self.answer(right)
        shows = violation(self.claim, apart, before, after)
        if shows is None or not self.inputs.within(left, right, apart):
            return None
        return Found(left, right, apart, how, before, after, shows)

    def _around(self, data: Data, most: int = 1 << 30) -> Iterator[Found]:
        for number, (other, apart, how) in enumerate(self.inputs.around(data)):
            if number >= most or self.full:
                return
            if (found := self.compare(data, other, apart, how)) is not None:
                yield found

    def _far(self, left: Data, right: Data) -> Found | None:
        """A step of a path between two inputs that violates the bound, where their outputs prove that there is one."""
        if not isinstance(self.claim.space, Rows) or not _is_metric(self.claim) or self.claim.bound is None:
            return None
        path = Path(left, right, self.claim.space)
        low, high = 0, len(path) - 1
        if high < 2 or high > 1 << 18:
            return None
        while high - low > 1:
            if not self._too_far(path, low, high):
                return None
            middle = (low + high) // 2
            low, high = (low, middle) if self._too_far(path, low, middle) else (middle, high)
        return self.compare(path[low], path[high], 1, "along a path between two inputs")

    def _too_far(self, path: Sequence[Data], low: int, high: int) -> bool:
        """Whether outputs are further apart than so many steps allow; NaN and exceptions are told at their step."""
        self.pairs += 1
        one, two = self.answer(path[low]), self.answer(path[high])
        if one.raised != two.raised:
            return True
        if one.raised is not None:
            return False
        bound = self.claim.allowed(1)
        assert bound is not None
        measure = self.claim.distance.measure(one.value, two.value)
        return measure > ((high - low) * bound) ** self.claim.distance.power


def _is_metric(claim: Stable) -> bool:
    """Whether the triangle inequality holds, and the bound is that of one step."""
    return claim.distance.name in (*NAMES, *OF_DATASETS) and claim.distance.function is None


class Path(Sequence[Data]):
    """The datasets on a way from one to another, a step apart: records are deleted from the end, then inserted.

    >>> from dpwitness.core.stability.columns import wholes
    >>> list(Path((1, 2), (1, 3), Rows(wholes(0, 9), (0, 9))))
    [(1, 2), (1,), (1, 3)]
    """

    def __init__(self, left: Data, right: Data, space: Rows) -> None:
        common = 0
        while common < min(len(left), len(right)) and left[common] is right[common]:
            common += 1
        self.left, self.right, self.common = left, right, max(common, min(space.fewest, len(left), len(right)))
        self.replaces = space.relation == "substitute"
        if self.replaces:
            self.common = 0
        elif self.common > common:
            self.common = -1  # the way would leave the space

    def __len__(self) -> int:
        if self.replaces:
            return len(self.left) + 1 if len(self.left) == len(self.right) else 0
        return 0 if self.common < 0 else len(self.left) + len(self.right) - 2 * self.common + 1

    def __getitem__(self, place: Any) -> Any:
        if not 0 <= place < len(self):
            raise IndexError(place)
        if self.replaces:
            return self.right[:place] + self.left[place:]
        fewer = len(self.left) - self.common
        return self.left[: len(self.left) - place] if place <= fewer else self.right[: self.common + place - fewer]
