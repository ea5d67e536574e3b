"""Symbolic paths as an executable model: a decision tree whose tests, laws and outputs are forms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dpwitness.core.coexecution.model import NoWay, Source
from dpwitness.core.coexecution.rounding import Rounding
from dpwitness.core.forms import Form
from dpwitness.core.laws import Law
from dpwitness.core.readers.outputs import Skeleton
from dpwitness.core.readers.paths import Path
from dpwitness.proofs.laws.reading import Leaf
from dpwitness.proofs.models.formulas import Lookup, law_at, lookup, output_at, sign


@dataclass(frozen=True)
class Way:
    """One way through a program: what it asked for, the branch taken at each fork, and its output."""

    trace: Sequence[tuple[Any, ...]]
    answers: Sequence[int]
    output: Skeleton
    values: Sequence[Form]

    @staticmethod
    def of(path: Path | Leaf) -> Way:
        """From a path, or from a leaf that keeps its run."""
        run = path if isinstance(path, Path) else path.run
        return Way(tuple(run.trace), tuple(run.answers), path.output, path.values)


@dataclass
class Fork:
    """A node: what is asked for (a draw, a test, a maximum, a choice), or a way that ends here."""

    step: tuple[Any, ...] = ()
    branches: dict[int, Fork] = field(default_factory=dict)
    way: int | None = None


@dataclass(frozen=True)
class Followed:
    """A run of the tree: the laws, the draws, the number of the way taken and what its symbols stand for."""

    laws: tuple[Law, ...]
    way: int
    value: Lookup
    doubt: bool


class PathTree:
    """The ways of a program as one tree."""

    def __init__(self, ways: Iterable[Way]) -> None:
        self.ways = list(ways)
        self.root = Fork()
        for number, way in enumerate(self.ways):
            node, answers = self.root, iter(way.answers)
            for step in way.trace:
                node.step = step
                node = node.branches.setdefault(0 if step[0] == "draw" else next(answers), Fork())
            node.way = number

    def follow(self, inputs: Sequence[Any], params: Mapping[str, Any], source: Source) -> Followed:
        """Walk down the tree."""
        draws: list[Any] = []
        asked: list[Law] = []
        tests = Rounding()
        value = lookup(inputs, draws, params)
        node = self.root
        while node.way is None:
            kind = node.step[0]
            if kind == "draw":
                asked.append(law_at(node.step[1], value))
                draws.append(source(asked[-1]))
                branch = 0
            elif kind == "choice":
                asked.append(law_at(node.step[1], value))
                picked = source(asked[-1])
                branch = (0 if picked else 1) if isinstance(picked, bool) else int(picked)
            else:
                branch = _decide(node.step, value, tests)
            if branch not in node.branches:
                raise NoWay("a branch that was not followed", doubt=tests.doubt)
            node = node.branches[branch]
        return Followed(tuple(asked), node.way, value, tests.doubt)

    def output(self, run: Followed) -> Any:
        """The output of the way taken."""
        way = self.ways[run.way]
        return output_at(way.output, way.values, run.value)


def _decide(step: tuple[Any, ...], value: Lookup, tests: Rounding) -> int:
    if step[0] == "if":
        way = sign(step[1], value, tests)
        return 0 if way > 0 or (way == 0 and not step[2]) else 1
    best = 0
    for i in range(1, len(step[1])):
        if sign(step[1][i] - step[1][best], value, tests) > 0:
            best = i
    return best
