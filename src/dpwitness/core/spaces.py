"""Input spaces: what a mechanism reads, and which pairs of inputs to try.

`Answers` is a vector of query answers; `Records` (`dpwitness.core.records`) is a dataset. Both validate inputs, name
their adjacency, enumerate all neighbouring pairs where these are few, and offer typical and extreme pairs where they
are not.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

from dpwitness.core.adjacency import Adjacency, AnswersMove, Ball, Monotone, OneAnswer, Pair
from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import Exact, exact, positive
from dpwitness.core.records import REAL, Box, Interval, Records

Moves = Literal["all", "one", "up", "down", "l1", "l2"]


@dataclass(frozen=True, init=False)
class Answers:
    """A list of query answers.

    Parameters
    ----------
    moves
        ``"all"`` (every answer moves by up to `by`), ``"one"`` (one answer moves), ``"up"`` or ``"down"`` (all move
        the same way; the two name the same relation, since a guarantee speaks of both orders), ``"l1"``, ``"l2"``.
    by
        How far.
    size
        How many answers: a claim is about exactly so many. A proof may hold for any number, and a counterexample with
        fewer counts where it is one with all of them, padded with equal answers.
    values
        The only values that an answer may take; makes the space finite.
    low, high
        Bounds of each answer.
    whole
        Whether every answer is a whole number, as counts are.
    """

    moves: Moves
    by: Exact
    size: int
    values: tuple[Exact, ...] | None
    low: Exact | None
    high: Exact | None
    whole: bool

    def __init__(
        self,
        moves: Moves = "all",
        by: object = 1,
        *,
        size: int = 5,
        values: Sequence[object] | None = None,
        low: object = None,
        high: object = None,
        whole: bool = False,
    ) -> None:
        if moves not in ("all", "one", "up", "down", "l1", "l2"):
            raise BadInput(f"moves={moves!r} must be one of 'all', 'one', 'up', 'down', 'l1', 'l2'")
        if not isinstance(size, int) or size < 1:
            raise BadInput(f"size={size!r} must be a positive whole number of answers")
        put = object.__setattr__
        put(self, "moves", moves)
        put(self, "by", positive(by, "by"))
        put(self, "size", size)
        put(self, "values", None if values is None else tuple(exact(v, "values") for v in values))
        put(self, "low", None if low is None else exact(low, "low"))
        put(self, "high", None if high is None else exact(high, "high"))
        put(self, "whole", bool(whole))
        if self.whole and any(v.denominator != 1 for v in self.values or ()):
            raise BadInput(f"values={values!r} must be whole numbers")
        if self.values is not None and len(set(self.values)) < 2:
            raise BadInput(f"values={values!r} must hold at least two different numbers")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise BadInput(f"low={self.low} must be below high={self.high}")

    @property
    def adjacency(self) -> Adjacency:
        """The neighbour relation."""
        if self.moves == "one":
            return OneAnswer(self.by)
        if self.moves in ("up", "down"):
            return Monotone(self.by)
        return Ball({"all": "linf", "l1": "l1", "l2": "l2"}[self.moves], self.by)  # type: ignore[arg-type]

    def of_size(self, size: int) -> Answers:
        """The same space with so many answers."""
        return Answers(
            self.moves, self.by, size=size, values=self.values, low=self.low, high=self.high, whole=self.whole
        )

    @property
    def finite(self) -> bool:
        """Whether all pairs can be enumerated."""
        return self.values is not None and len(self.values) ** (2 * self.size) <= 2_000_000

    @property
    def unbounded(self) -> bool:
        """Whether every real (or, where `whole`, every whole) number is a possible answer."""
        return self.values is None and self.low is None and self.high is None

    def key(self, data: tuple[Any, ...]) -> Any:
        """A key that two inputs share exactly where they are the same: answers are numbers, and nothing but numbers."""
        return data

    def describe(self) -> str:
        """The space in a few words."""
        inside = "" if self.values is None else " in {" + ", ".join(map(str, self.values)) + "}"
        return self.adjacency.describe() + inside + ", whole" * self.whole

    def validate(self, data: Sequence[Any], name: str = "data") -> tuple[Exact, ...]:
        """The input as exact numbers, or an error that says which answer is wrong."""
        result = tuple(exact(x, f"{name}[{i}]") for i, x in enumerate(data))
        if not result:
            raise BadInput(f"{name} is empty: at least one answer is needed")
        for i, x in enumerate(result):
            if self.whole and x.denominator != 1:
                raise BadInput(f"{name}[{i}]={x} must be a whole number")
            if self.values is not None and x not in self.values:
                raise BadInput(f"{name}[{i}]={x} is not one of the allowed values {', '.join(map(str, self.values))}")
            if (self.low is not None and x < self.low) or (self.high is not None and x > self.high):
                raise BadInput(f"{name}[{i}]={x} lies outside [{self.low}, {self.high}]")
        return result

    def all_pairs(self) -> Iterator[Pair]:
        """Every ordered pair of neighbours of a finite space."""
        if not self.finite or self.values is None:
            raise BadInput("all pairs can be listed only for few answers from a finite set of values")
        relation = self.adjacency
        inputs = list(itertools.product(self.values, repeat=self.size))
        for left, right in itertools.permutations(inputs, 2):
            if relation.related(left, right):
                yield Pair(left, right, "enumerated")

    def typical_pairs(self, size: int | None = None) -> list[Pair]:
        """The patterns on which mechanisms are known to fail, inside the bounds of the space."""
        n = size or self.size
        if self.finite and self.values is not None and len(self.values) ** (2 * n) <= 200 and n == self.size:
            return list(self.all_pairs())
        shapes = _patterns(n, self.moves)
        pairs: list[Pair] = []
        for base, why in self._bases(n):
            for moves, how in shapes:
                left = tuple(base)
                right = tuple(b + self.by * m for b, m in zip(base, moves, strict=True))
                if self._inside(left) and self._inside(right) and self.adjacency.related(left, right):
                    pairs.append(Pair(left, right, f"{why}, {how}"))
        return pairs

    def _inside(self, data: Sequence[Fraction]) -> bool:
        try:
            self.validate(data)
        except BadInput:
            return False
        return True

    def _bases(self, n: int) -> list[tuple[list[Exact], str]]:
        if self.values is not None:
            points = sorted(self.values)
            bases = [([p] * n, f"all at {p}") for p in (points[0], points[len(points) // 2], points[-1])]
            return [*bases, ([points[i % len(points)] for i in range(n)], "mixed")]
        if self.low is not None or self.high is not None:
            low = self.low if self.low is not None else exact(self.high) - 10 * self.by
            high = self.high if self.high is not None else low + 10 * self.by
            return [([low] * n, "at the lower bound"), ([high] * n, "at the upper bound"),
                    ([(low + high) / 2] * n, "in the middle")]  # fmt: skip
        zero, step = Exact(0), self.by
        stairs = [step * i for i in range(n)]
        far = [zero] * (n - 1) + [10 * step]
        return [([zero] * n, "all equal"), (stairs, "staircase"), (far, "one far away")]


def _patterns(n: int, moves: Moves) -> list[tuple[list[Exact], str]]:
    zero, one = Exact(0), Exact(1)
    half = n // 2
    first, last = [one] + [zero] * (n - 1), [zero] * (n - 1) + [one]
    shapes: list[tuple[list[Exact], str]] = [
        (first, "first up"),
        ([-x for x in first], "first down"),
        (last, "last up"),
        ([-x for x in last], "last down"),
    ]
    if moves == "l1":
        return [*shapes, ([one / n] * n, "spread up")]
    if moves == "l2":
        root = next((k for k in range(n, 0, -1) if round(k**0.5) ** 2 == k), 1)
        step = one / round(root**0.5)
        return [*shapes, ([step] * root + [zero] * (n - root), "spread up")]
    if moves == "one":
        return shapes
    shapes = [([one] * n, "all up"), ([-one] * n, "all down"), *shapes]
    if moves in ("up", "down"):
        rest = [one] * (n - 1) + [zero]
        but_the_last = [(rest, "all but the last up"), ([-x for x in rest], "all but the last down")]
        return shapes + (but_the_last if n > 2 else [])
    return [
        *shapes,
        ([one] + [-one] * (n - 1), "first up, rest down"),
        ([-one] + [one] * (n - 1), "first down, rest up"),
        ([one] * (n - 1) + [-one], "last down, rest up"),
        ([-one] * (n - 1) + [one], "last up, rest down"),
        ([one] * half + [-one] * (n - half), "half up, half down"),
        ([-one] * half + [one] * (n - half), "half down, half up"),
        ([one if i % 2 else -one for i in range(n)], "alternating"),
    ]


Space = Answers | Records

__all__ = ["REAL", "Answers", "AnswersMove", "Box", "Interval", "Pair", "Records", "Space"]
