r"""How far the answers may move: the polytope of differences between neighbours, in convex parts.

A guarantee speaks of both orders of a pair, so every relation here is symmetric; the monotone one is the union of two
boxes. A linear function of the move d is bounded over a part in closed form, so one shift :math:`x(d) = m + Y d` is
checked for all d at once.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, number, text
from dpwitness.proofs.kernel.check import fields

ZERO = Fraction(0)
RELATIONS = ("linf", "l1", "one", "monotone")
NAMES = {"linf": "all", "l1": "l1", "l2": "l2", "one": "one", "monotone": "up"}  # in theorems


@dataclass(frozen=True)
class Part:
    """A convex set of moves: a box around `centre` of half-width `half`, or (`cross`) the ℓ1 ball of radius `half`."""

    name: str
    queries: int
    centre: Fraction
    half: Fraction
    cross: bool

    def least(self, constant: Fraction, slope: Mapping[int, Fraction]) -> Fraction:
        r"""min over the part of constant + Σ slope_i d_i.

        >>> Part("", 2, ZERO, Fraction(1), False).least(Fraction(3), {0: Fraction(1), 1: Fraction(-1)})
        Fraction(1, 1)
        """
        middle = constant + self.centre * sum(slope.values(), ZERO)
        sizes = [abs(v) for v in slope.values()]
        return middle - self.half * (max(sizes, default=ZERO) if self.cross else sum(sizes, ZERO))

    def vertices(self) -> Iterator[tuple[Fraction, ...]]:
        """The extreme points."""
        if self.cross:
            for i in range(self.queries):
                for step in (self.half, -self.half):
                    yield tuple(step if j == i else ZERO for j in range(self.queries))
            return
        yield from itertools.product((self.centre + self.half, self.centre - self.half), repeat=self.queries)

    @property
    def count(self) -> int:
        """How many extreme points there are."""
        return 2 * self.queries if self.cross else 2**self.queries

    def contains(self, move: tuple[Fraction, ...]) -> bool:
        """Whether a move belongs to the part."""
        if len(move) != self.queries:
            return False
        if self.cross:
            return sum(map(abs, move), ZERO) <= self.half
        return all(abs(x - self.centre) <= self.half for x in move)


@dataclass(frozen=True)
class Moves:
    """A relation between vectors of answers and the distance `by`."""

    relation: str
    by: Fraction
    queries: int

    def parts(self) -> tuple[Part, ...]:
        """Convex parts whose union holds every move and its opposite."""
        if self.relation == "linf":
            return (Part("all", self.queries, ZERO, self.by, False),)
        if self.relation in ("l1", "one"):
            return (Part("one", self.queries, ZERO, self.by, True),)
        if self.relation != "monotone":
            raise Rejected(f"the moves of the relation {self.relation} are no polytope")
        half = self.by / 2
        return (Part("up", self.queries, half, half, False), Part("down", self.queries, -half, half, False))

    def related(self, move: tuple[Fraction, ...]) -> bool:
        """Whether two inputs that differ by `move` are neighbours."""
        if self.relation == "one" and sum(map(bool, move)) > 1:
            return False
        if self.relation == "l2":
            return len(move) == self.queries and sum((x * x for x in move), ZERO) <= self.by**2
        return any(part.contains(move) for part in self.parts())

    def to_json(self) -> dict[str, str]:
        """As it stands in a certificate."""
        return {"relation": self.relation, "by": str(self.by)}

    def stated(self, *, whole: bool = False, values: Sequence[str] | None = None) -> dict[str, Any]:
        """The relation of a theorem about all such answers, or about all that take these values."""
        bounds = {"low": None, "high": None, "values": None if values is None else list(values)}
        return {"inputs": "answers", "moves": NAMES[self.relation], "by": text(self.by), "whole": whole, **bounds}


def read_moves(value: object, queries: int, *, ball: bool = False) -> Moves:
    """Read the adjacency of a certificate; a Euclidean `ball` is allowed where moves are listed one by one."""
    relation, by = fields(value, "relation", "by")
    if relation not in (*RELATIONS, *(["l2"] if ball else [])) or number(by) <= 0:
        raise Rejected(f"relation must be one of {', '.join(RELATIONS)} and by positive")
    return Moves(relation, number(by), queries)


def read_neighbours(value: object, queries: int, *, whole: bool) -> tuple[Moves, dict[str, Any]]:
    """How far the unknown numbers of a tree may move, and the relation that a theorem about it states.

    ``{"relation": "linf", "by": "1"}`` is a relation between answers; ``{"relation": "substitute", "low": "0",
    "high": "1"}`` says that the numbers are records of an interval, of which one is replaced.
    """
    if not isinstance(value, Mapping) or value.get("relation") != "substitute":
        moves = read_moves(value, queries)
        return moves, moves.stated(whole=whole)
    low, high = (number(end) for end in fields(value, "relation", "low", "high")[1:])
    if low >= high or whole:
        raise Rejected("records lie in an interval, and are not whole numbers")
    ends = {"low": text(low), "high": text(high)}
    return Moves("one", high - low, queries), {"inputs": "records", "relation": "substitute", **ends}
