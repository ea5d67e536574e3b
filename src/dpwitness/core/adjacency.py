"""Neighbour relations. Each is symmetric: a guarantee speaks of both orders of a pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Literal, NamedTuple

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.identity import key
from dpwitness.core.numbers import Exact, exact, positive, show

Norm = Literal["l1", "l2", "linf"]


class Pair(NamedTuple):
    """Two neighbouring inputs and the reason for trying them."""

    left: tuple[Any, ...]
    right: tuple[Any, ...]
    why: str


@dataclass(frozen=True)
class Adjacency:
    """Base of the neighbour relations."""

    name: ClassVar[str]

    def related(self, left: Sequence[Any], right: Sequence[Any]) -> bool:
        """Whether two inputs are neighbours (an input is not its own neighbour)."""
        raise NotImplementedError

    def describe(self) -> str:
        """The relation in a few words."""
        return self.name


@dataclass(frozen=True)
class Substitution(Adjacency):
    """Datasets of equal size that differ in one record."""

    name: ClassVar[str] = "substitute"

    def related(self, left: Sequence[Any], right: Sequence[Any]) -> bool:
        return len(left) == len(right) and sum(not _same(a, b) for a, b in zip(left, right, strict=True)) == 1

    def describe(self) -> str:
        return "one record is replaced"


@dataclass(frozen=True)
class AddRemove(Adjacency):
    """Datasets of which one is the other with one record more."""

    name: ClassVar[str] = "add-remove"

    def related(self, left: Sequence[Any], right: Sequence[Any]) -> bool:
        short, long = sorted((list(left), list(right)), key=len)
        if len(long) != len(short) + 1:
            return False
        first = next((i for i, (a, b) in enumerate(zip(short, long, strict=False)) if not _same(a, b)), len(short))
        return all(_same(a, b) for a, b in zip(short[first:], long[first + 1 :], strict=True))

    def describe(self) -> str:
        return "one record is added or removed"


def _same(left: Any, right: Any) -> bool:
    """Whether two records are the same, by type and value: a program tells 0 from False."""
    try:
        return key(left) == key(right)
    except OutsideFragment:  # records of other kinds, of black boxes
        return bool(left == right)


@dataclass(frozen=True)
class AnswersMove(Adjacency):
    """Base of the relations on vectors of query answers: how far, and how, the answers may move."""

    by: Exact

    def __init__(self, by: object = 1) -> None:
        object.__setattr__(self, "by", positive(by, "by"))

    def differences(self, left: Sequence[Any], right: Sequence[Any]) -> list[Fraction] | None:
        """Exact coordinate differences; None where the lengths differ or nothing moved."""
        if len(left) != len(right):
            return None
        moves: list[Fraction] = [exact(b) - exact(a) for a, b in zip(left, right, strict=True)]
        return moves if any(moves) else None


@dataclass(frozen=True, init=False)
class Ball(AnswersMove):
    """The vector of answers moves within a norm ball: ``l1``, ``l2`` or ``linf`` (every answer moves by up to `by`)."""

    norm: Norm = "linf"
    name: ClassVar[str] = "ball"

    def __init__(self, norm: Norm = "linf", by: object = 1) -> None:
        super().__init__(by)
        object.__setattr__(self, "norm", norm)

    def related(self, left: Sequence[Any], right: Sequence[Any]) -> bool:
        moves = self.differences(left, right)
        if moves is None:
            return False
        if self.norm == "l1":
            return sum(map(abs, moves)) <= self.by
        if self.norm == "l2":
            return sum(move * move for move in moves) <= self.by * self.by
        return max(map(abs, moves)) <= self.by

    def describe(self) -> str:
        norm = {"l1": "ℓ1", "l2": "ℓ2", "linf": "all"}[self.norm]
        return f"{norm} ≤ {show(self.by)}"


@dataclass(frozen=True, init=False)
class OneAnswer(AnswersMove):
    """Exactly one answer moves, by up to `by`."""

    name: ClassVar[str] = "one"

    def related(self, left: Sequence[Any], right: Sequence[Any]) -> bool:
        moves = self.differences(left, right)
        return moves is not None and sum(map(bool, moves)) == 1 and max(map(abs, moves)) <= self.by

    def describe(self) -> str:
        return f"one ≤ {show(self.by)}"


@dataclass(frozen=True, init=False)
class Monotone(AnswersMove):
    """All answers move the same way, each by up to `by`."""

    name: ClassVar[str] = "monotone"

    def related(self, left: Sequence[Any], right: Sequence[Any]) -> bool:
        moves = self.differences(left, right)
        if moves is None or max(map(abs, moves)) > self.by:
            return False
        return all(move >= 0 for move in moves) or all(move <= 0 for move in moves)

    def describe(self) -> str:
        return f"monotone ≤ {show(self.by)}"
