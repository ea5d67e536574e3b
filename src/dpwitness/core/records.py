"""Datasets: records from a finite domain or an interval, known by type and value.

A program tells 0 from False and from 0.0, so these are three records, and two datasets that differ in nothing else are
neighbours.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

from dpwitness.core.adjacency import AddRemove, Adjacency, Pair, Substitution
from dpwitness.core.errors import BadInput
from dpwitness.core.identity import distinct, key, same
from dpwitness.core.numbers import Exact, exact, written

_MANY = 1024  # neighbours of a dataset from which on not all of them are listed


@dataclass(frozen=True)
class Interval:
    """Numbers between two bounds."""

    low: Exact
    high: Exact

    def __init__(self, low: object, high: object) -> None:
        object.__setattr__(self, "low", exact(low, "low"))
        object.__setattr__(self, "high", exact(high, "high"))
        if self.low >= self.high:
            raise BadInput(f"low={self.low} must be below high={self.high}")

    def __contains__(self, value: object) -> bool:
        return bool(self.low <= exact(value) <= self.high)

    def edges(self) -> tuple[Exact, ...]:
        """The bounds and the middle."""
        return (self.low, self.high, (self.low + self.high) / 2)


@dataclass(frozen=True, init=False)
class Box:
    """Vectors, each coordinate of which lies between two bounds: ``Box((-1, 1), (0, 10))``.

    >>> (0, 5) in Box((-1, 1), (0, 10)), (0, 5, 1) in Box((-1, 1), (0, 10))
    (True, False)
    """

    sides: tuple[Interval, ...]

    def __init__(self, *sides: object) -> None:
        if not sides:
            raise BadInput("Box() has no coordinates: give a pair of bounds for each, such as Box((-1, 1), (-1, 1))")
        made = []
        for k, side in enumerate(sides):
            if not isinstance(side, Interval) and not (isinstance(side, tuple | list) and len(side) == 2):
                raise BadInput(f"side {k} of the box is {side!r}: a pair of bounds such as (-1, 1) is needed")
            made.append(side if isinstance(side, Interval) else Interval(*side))
        object.__setattr__(self, "sides", tuple(made))

    def __contains__(self, value: object) -> bool:
        if not isinstance(value, tuple | list) or len(value) != len(self.sides):
            return False
        return all(not isinstance(x, bool) and x in side for x, side in zip(value, self.sides, strict=True))

    def edges(self) -> tuple[tuple[Exact, ...], ...]:
        """Two opposite corners, the middle, and the corners that differ from the first in one coordinate."""
        low = tuple(side.low for side in self.sides)
        high = tuple(side.high for side in self.sides)
        middle = tuple((side.low + side.high) / 2 for side in self.sides)
        turned = [(*low[:k], high[k], *low[k + 1 :]) for k in range(len(low))]
        return tuple(dict.fromkeys((low, high, middle, *turned)))


REAL = (Interval, Box)
"""Domains of real numbers and of vectors of them: their records cannot be listed."""


@dataclass(frozen=True, init=False)
class Records:
    """A dataset: `size` records from a finite domain, an `Interval` or a `Box`.

    Parameters
    ----------
    domain
        A sequence of all possible records, an `Interval`, or a `Box` of vectors.
    size
        The number of records, or ``(fewest, most)``. Under add/remove a single number n means 0 to n.
    adjacency
        ``"substitute"`` or ``"add-remove"``.
    """

    domain: tuple[Any, ...] | Interval | Box
    fewest: int
    most: int
    relation: Literal["substitute", "add-remove"]
    examples: tuple[tuple[tuple[Any, ...], tuple[Any, ...]], ...] = field(default=())

    def __init__(
        self,
        domain: Sequence[Any] | Interval | Box,
        size: int | tuple[int, int] = 3,
        adjacency: Literal["substitute", "add-remove"] = "substitute",
        *,
        examples: Sequence[tuple[Sequence[Any], Sequence[Any]]] = (),
    ) -> None:
        if adjacency not in ("substitute", "add-remove"):
            raise BadInput(f"adjacency={adjacency!r} must be 'substitute' or 'add-remove'")
        fewest, most = size if isinstance(size, tuple) else ((0 if adjacency == "add-remove" else size), size)
        if not 0 <= fewest <= most or most < 1 or (adjacency == "add-remove" and fewest == most):
            raise BadInput(f"size={size!r} must be a positive number of records, or (fewest, most)")
        points: tuple[Any, ...] | Interval | Box = (
            domain if isinstance(domain, REAL) else tuple(distinct(_record(value) for value in domain))
        )
        if not isinstance(domain, REAL) and any(isinstance(value, list) for value in domain):
            raise BadInput(f"domain={domain!r}: write records of several parts as tuples, which a program gets")
        if not isinstance(points, REAL) and len(points) < 2:
            raise BadInput(f"domain={domain!r} must hold at least two different records")
        put = object.__setattr__
        put(self, "domain", points)
        put(self, "fewest", fewest)
        put(self, "most", most)
        put(self, "relation", adjacency)
        put(self, "examples", tuple((self.validate(a), self.validate(b)) for a, b in examples))

    @property
    def adjacency(self) -> Adjacency:
        """The neighbour relation."""
        return Substitution() if self.relation == "substitute" else AddRemove()

    @property
    def size(self) -> int:
        """The largest number of records."""
        return self.most

    @property
    def finite(self) -> bool:
        """Whether all pairs can be enumerated."""
        if isinstance(self.domain, REAL):
            return False
        k = len(self.domain)
        return bool(sum(k**n for n in range(self.fewest, self.most + 1)) * max(self.most, 1) * k <= 1_000_000)

    def describe(self) -> str:
        """The space in a few words."""
        return {"substitute": "substitute", "add-remove": "add/remove"}[self.relation]

    def validate(self, data: Sequence[Any], name: str = "data") -> tuple[Any, ...]:
        """The dataset with exact numbers, or an error that says which record is wrong."""
        result = tuple(data)
        if not self.fewest <= len(result) <= self.most:
            raise BadInput(f"{name} has {len(result)} records; {self.fewest} to {self.most} are allowed")
        return tuple(self._own(value, f"{name}[{i}]") for i, value in enumerate(result))

    def _own(self, value: Any, name: str) -> Any:
        """The record of the domain that is the same as `value`, or the only one that is equal to it."""
        if isinstance(self.domain, Interval):
            if isinstance(value, bool) or value not in self.domain:
                raise BadInput(f"{name}={value!r} is not in the domain")
            return exact(value)
        if isinstance(self.domain, Box):
            if value not in self.domain:
                sides = ", ".join(f"({side.low}, {side.high})" for side in self.domain.sides)
                raise BadInput(f"{name}={value!r} is no vector of the box {sides}")
            return tuple(exact(x) for x in value)
        record = _record(value)
        own = [x for x in self.domain if same(x, record)] or [x for x in self.domain if x == record]
        if len(own) != 1:
            several = f"could be any of {own}" if own else "is not in the domain"
            raise BadInput(f"{name}={value!r} {several}")
        return own[0]

    def key(self, data: tuple[Any, ...]) -> Any:
        """A key that two datasets share exactly where they are the same: 0 and False are equal, and not the same."""
        return data if self._plain else key(data)

    @cached_property
    def _plain(self) -> bool:
        """Whether records that are equal are the same."""
        return isinstance(self.domain, REAL) or len(set(self.domain)) == len(self.domain)

    def neighbours(self, data: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
        """Every neighbour of a dataset over a finite domain (over an interval: with the edge values)."""
        points = self.domain.edges() if isinstance(self.domain, REAL) else self.domain
        base = self.validate(data)
        if self.relation == "substitute":
            for i, old in enumerate(base):
                yield from ((*base[:i], value, *base[i + 1 :]) for value in points if not same(value, old))
            return
        found: list[tuple[Any, ...]] = []
        if len(base) > self.fewest:
            found += [base[:i] + base[i + 1 :] for i in range(len(base))]
        if len(base) < self.most:
            found += [(*base[:i], v, *base[i:]) for i in range(len(base) + 1) for v in points]
        yield from {self.key(data): data for data in found}.values()

    def _ends(self, base: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        """Neighbours of a long dataset that change at the front, in the middle or at the end."""
        points = self.domain.edges() if isinstance(self.domain, REAL) else self.domain
        n = len(base)
        for i in (0, n // 2, n - 1):
            if self.relation == "substitute":
                yield from ((*base[:i], v, *base[i + 1 :]) for v in (points[0], points[-1]) if not same(v, base[i]))
                continue
            if n > self.fewest:
                yield base[:i] + base[i + 1 :]
            if n < self.most:
                yield from ((*base[:i], v, *base[i:]) for v in (points[0], points[-1]))

    def all_inputs(self) -> Iterator[tuple[Any, ...]]:
        """Every dataset of a finite space."""
        if isinstance(self.domain, REAL) or not self.finite:
            raise BadInput("all datasets can be listed only for few records from a small finite domain")
        for n in range(self.fewest, self.most + 1):
            yield from itertools.product(self.domain, repeat=n)

    def all_pairs(self) -> Iterator[Pair]:
        """Every ordered pair of neighbours of a finite space."""
        for left in self.all_inputs():
            for right in self.neighbours(left):
                yield Pair(left, right, "enumerated")

    def typical_pairs(self, size: int | None = None) -> list[Pair]:
        """All pairs where these are few; otherwise given examples and datasets at the edges of the domain."""
        given = [Pair(a, b, "example") for a, b in self.examples]
        points = self.domain.edges() if isinstance(self.domain, REAL) else self.domain
        k, n = len(points), size or self.most
        if not isinstance(self.domain, REAL) and self.finite and k**n * n * k <= 300:
            return given + list(self.all_pairs())
        pairs = given + self._edge_pairs(points, n)
        for fewer in dict.fromkeys((max(self.fewest, 1), (max(self.fewest, 1) + n) // 2)):
            if size is None and fewer < n:  # a statistic may move further on few records than on many
                pairs += self._edge_pairs(points, fewer)
        return list({(self.key(p.left), self.key(p.right)): p for p in (*pairs, *given)}.values())

    def _edge_pairs(self, points: tuple[Any, ...], n: int) -> list[Pair]:
        """Datasets of `n` records at the edges of the domain, each with a few neighbours."""
        low, high = points[0], points[-1] if not isinstance(self.domain, REAL) else points[1]
        half = n // 2
        # the add/remove neighbour of a full dataset is one record shorter
        bases = [
            ((low,) * n, "all records equal, at the first value"),
            ((high,) * n, "all records equal, at the last value"),
            ((low,) * (n - half) + (high,) * half, "half at each end"),
            ((low,) * half + (high,) * (n - half), "half at each end"),
            (tuple(points[i % len(points)] for i in range(n)), "mixed"),
        ]
        pairs = []
        for base, why in {self.key(base): (base, why) for base, why in bases}.values():
            for right in _few(list(self.neighbours(base) if n * len(points) <= _MANY else self._ends(base)), 4):
                pairs.append(Pair(base, right, why))
                pairs.append(Pair(right, base, why))
        return pairs


def _few(items: list[Any], count: int) -> list[Any]:
    if len(items) <= count:
        return items
    return [items[round(i * (len(items) - 1) / (count - 1))] for i in range(count)]


def _record(value: Any) -> Any:
    """Numbers become exact ones that know how they were written; tuples and lists are read element by element."""
    if isinstance(value, bool | str | Exact) or value is None:
        return value
    if isinstance(value, tuple | list):
        return tuple(_record(x) for x in value)
    return written(value) if type(value) in (int, float, Fraction) else exact(value, "record")
