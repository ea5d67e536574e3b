"""Finite spaces of inputs: which inputs there are and which are neighbours is computed here, never read from a list.

Two kinds, as they stand in certificates::

    {"answers": ["-1", "0", "1"], "queries": 3, "relation": "linf", "by": "1"}
    {"records": ["0", "1"], "fewest": 0, "most": 3, "relation": "add-remove"}

Inputs of the first kind are all vectors of so many answers from these values; of the second, all sequences of so many
records. Records are labels: the relations ask whether two of them are equal and nothing else.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, number, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.limits import tick
from dpwitness.proofs.kernel.moves import Moves, read_moves

MAX_INPUTS, MAX_PAIRS = 4096, 400_000
RELATIONS = ("substitute", "add-remove")
Input = tuple[str, ...]


@dataclass(frozen=True)
class Space:
    """All sequences of `fewest` to `most` of the `points`, with a neighbour relation.

    `moves` is the relation between vectors of numbers, None where `relation` is one between records.

    >>> space = Space(("0", "1"), 0, 2, "add-remove")
    >>> space.inputs()[3:5], space.related(("0",), ("0", "1")), space.related(("0", "0"), ("1",))
    ([('0', '0'), ('0', '1')], True, False)
    """

    points: tuple[str, ...]
    fewest: int
    most: int
    relation: str
    moves: Moves | None = None

    def inputs(self) -> list[Input]:
        """Every input, shorter ones first."""
        sizes = range(self.fewest, self.most + 1)
        return [x for n in sizes for x in itertools.product(self.points, repeat=n)]

    def related(self, left: Sequence[str], right: Sequence[str]) -> bool:
        """Whether two inputs are neighbours (in both orders: every relation here is symmetric)."""
        if self.moves is not None:
            return self.moves.related(tuple(number(b) - number(a) for a, b in zip(left, right, strict=True)))
        if self.relation == "substitute":
            return len(left) == len(right) and sum(a != b for a, b in zip(left, right, strict=True)) <= 1
        small, large = sorted((list(left), list(right)), key=len)
        return len(large) == len(small) + 1 and any(large[:i] + large[i + 1 :] == small for i in range(len(large)))

    def pairs(self) -> list[tuple[int, int]]:
        """Places i < j in `inputs` of all neighbours."""
        inputs = self.inputs()
        if self.moves is None:
            place = {data: i for i, data in enumerate(inputs)}
            near: list[tuple[int, int]] = []
            for i, data in enumerate(inputs):
                tick()
                others = [place[other] for other in dict.fromkeys(self._below(data)) if other in place]
                near += ((min(i, j), max(i, j)) for j in others if j != i and (self.relation == "add-remove" or j > i))
                if len(near) > MAX_PAIRS:
                    raise Rejected(f"more than {MAX_PAIRS} pairs of neighbours")
            return sorted(near)
        values = [number(point) for point in self.points]
        change = {(a, b): y - x for a, x in enumerate(values) for b, y in enumerate(values)}
        codes = list(itertools.product(range(len(values)), repeat=self.most))
        known: dict[tuple[Fraction, ...], bool] = {}
        found = []
        for (i, a), (j, b) in itertools.combinations(enumerate(codes), 2):
            tick()
            move = tuple([change[pair] for pair in zip(a, b, strict=True)])
            if move not in known:
                known[move] = self.moves.related(move)
            if known[move]:
                found.append((i, j))
                if len(found) > MAX_PAIRS:
                    raise Rejected(f"more than {MAX_PAIRS} pairs of neighbours")
        return found

    def _below(self, data: Input) -> list[Input]:
        """Neighbours of a dataset, at least one order of every pair: a record removed, or one record replaced."""
        if self.relation == "add-remove":
            return [data[:i] + data[i + 1 :] for i in range(len(data))]
        return [(*data[:i], value, *data[i + 1 :]) for i in range(len(data)) for value in self.points]

    def stated(self) -> dict[str, Any]:
        """The relation of a theorem about the space."""
        if self.moves is not None:
            return self.moves.stated(whole=all(number(x).denominator == 1 for x in self.points), values=self.points)
        return {"inputs": "records", "relation": self.relation, "points": list(self.points)}

    def sizes(self) -> tuple[int, ...]:
        """How many answers or records its inputs have."""
        return tuple(range(self.fewest, self.most + 1))

    def describe(self) -> str:
        """The space in words."""
        if self.moves is not None:
            values = "{" + ", ".join(self.points) + "}"
            return f"all vectors of {self.most} answers from {values}, {self.relation} <= {self.moves.by}"
        size = str(self.most) if self.fewest == self.most else f"{self.fewest} to {self.most}"
        return f"all datasets of {size} records from {len(self.points)} values, {self.relation}"

    def to_json(self) -> dict[str, Any]:
        """As it stands in certificates."""
        if self.moves is not None:
            return {"answers": list(self.points), "queries": self.most, **self.moves.to_json()}
        return {"records": list(self.points), "fewest": self.fewest, "most": self.most, "relation": self.relation}


def read_space(value: object) -> Space:
    """Read the space of a certificate."""
    if isinstance(value, Mapping) and "answers" in value:
        points, most, relation, by = fields(value, "answers", "queries", "relation", "by")
        if not _count(most):
            raise Rejected("queries must be a whole number")
        moves, fewest = read_moves({"relation": relation, "by": by}, most, ball=True), most
        points = [text(number(x)) for x in points]
        distinct = len(set(points))
    else:
        points, fewest, most, relation = fields(value, "records", "fewest", "most", "relation")
        if relation not in RELATIONS or not _count(fewest) or not _count(most):
            raise Rejected(f"relation must be one of {', '.join(RELATIONS)}, fewest and most whole numbers")
        if any(not isinstance(x, str) for x in points):
            raise Rejected("records are given as text")
        moves, distinct = None, len(set(points))
    if distinct != len(points) or distinct < 2 or not fewest <= most or most < 1:
        raise Rejected("a space has at least two distinct values and inputs that are not empty")
    if most > 64 or sum(len(points) ** n for n in range(fewest, most + 1)) > MAX_INPUTS:
        raise Rejected(f"more than {MAX_INPUTS} inputs")
    return Space(tuple(points), fewest, most, relation, moves)


def read_use(value: object, space: Space, count: int) -> tuple[list[int], list[tuple[int, int]]]:
    """Which of `count` laws each input of the space has, and which different laws neighbours have, each pair once."""
    if not isinstance(value, list) or len(value) != len(space.inputs()):
        raise Rejected(f"use names the law of each of the {len(space.inputs())} inputs of the space, in order")
    if any(type(k) is not int or not 0 <= k < count for k in value):
        raise Rejected(f"use names a law outside 0..{count - 1}")
    if set(value) != set(range(count)):
        raise Rejected("a law is listed that no input has")
    pairs = space.pairs()
    if not pairs:
        raise Rejected("no two inputs of the space are neighbours")
    both = {(min(value[i], value[j]), max(value[i], value[j])) for i, j in pairs}
    return value, sorted((i, j) for i, j in both if i != j)


def read_inputs(value: Any) -> tuple[Input, Input]:
    """Two different inputs, as lists of text; whether they are neighbours is for the reader of the theorem to see."""
    if not isinstance(value, list) or len(value) != 2 or not all(isinstance(side, list) for side in value):
        raise Rejected("two inputs are needed")
    if any(not isinstance(x, str) for side in value for x in side):
        raise Rejected("the parts of an input are given as text")
    left, right = (tuple(side) for side in value)
    if left == right:
        raise Rejected("the two inputs are the same")
    return left, right


def show_inputs(sides: Sequence[Sequence[str]]) -> str:
    """Two inputs in words, cut where they are long.

    >>> show_inputs([["0"], ["0", "1"]])
    '(0) and (0, 1)'
    """
    return " and ".join(f"({', '.join(side)[:200]})" for side in sides)


def read_ends(value: object) -> tuple[Fraction, Fraction]:
    """``[low, high]`` of an interval."""
    if not isinstance(value, list) or len(value) != 2:
        raise Rejected("an interval is [low, high]")
    low, high = (number(end) for end in value)
    if low >= high:
        raise Rejected("an interval is [low, high] with low < high")
    return low, high


def read_pair(space: Space, value: Any) -> tuple[Input, Input]:
    """Two inputs of the space that are neighbours; anything else is rejected."""
    left, right = (tuple(side) for side in value)
    for side in (left, right):
        if not space.fewest <= len(side) <= space.most or any(x not in space.points for x in side):
            raise Rejected(f"({', '.join(map(str, side))[:60]}) is not an input of the space")
    if not space.related(left, right):
        raise Rejected("the two inputs are not neighbours")
    return left, right


def _count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
