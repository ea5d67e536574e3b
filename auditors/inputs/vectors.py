"""Vectors of numbers that move within a ball: base points, and the directions that a norm allows."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dpwitness.core.numbers import Exact
from dpwitness.core.spaces import Answers

Vector = tuple[Any, ...]
FAR = (Exact(10), Exact(1000), Exact(10) ** 6, Exact(2) ** 31, Exact(2) ** 53)


def points(space: Answers) -> Iterator[tuple[Vector, str]]:
    """Base points: those of the typical pairs, then points far away, and each coordinate alone."""
    seen: set[Vector] = set()
    found = [(pair.left, pair.why) for pair in space.typical_pairs()]
    size = space.size
    if space.values is None:
        for scale in FAR:
            found += [((scale * sign,) * size, "all far away") for sign in (1, -1)]
            found += [(tuple(scale * sign if i == k else Exact(0) for i in range(size)), "one far away")
                      for k in range(min(size, 4)) for sign in (1, -1)]  # fmt: skip
        found += [(tuple(Exact(i) / 2 for i in range(size)), "halves")]
    for point, why in found:
        if point not in seen and space._inside(point):
            seen.add(point)
            yield point, why


def moved(point: Vector, space: Answers, by: Fraction) -> Iterator[tuple[Vector, str]]:
    """Neighbours of a point at distance `by` at most: along each axis, along diagonals, and with mixed signs."""
    bounded = space.values is not None or space.low is not None or space.high is not None
    for direction, how in _directions(len(point), space.moves):
        other = tuple(x + Exact(by * d) if d else x for x, d in zip(point, direction, strict=True))
        if space.whole and any(x.denominator != 1 for x in other):
            continue
        if other != point and (not bounded or space._inside(other)):
            yield other, how


def _directions(size: int, moves: str) -> Iterator[tuple[list[Fraction], str]]:
    zero, one = Fraction(0), Fraction(1)
    for i in dict.fromkeys((0, size - 1, *range(min(size, 16)))):
        for sign in (one, -one):
            yield [sign if k == i else zero for k in range(size)], f"coordinate {i} moved"
    if size == 1 or moves == "one":
        return
    share = {"l1": Fraction(1, size), "l2": _root(size)}.get(moves, one)
    signs = [[one] * size, [-one] * size]
    if moves not in ("up", "down"):
        signs += [[one if i % 2 else -one for i in range(size)], [one] + [-one] * (size - 1),
                  [one] * (size - 1) + [-one], [one] * (size // 2) + [-one] * (size - size // 2)]  # fmt: skip
    for pattern in signs:
        yield [share * x for x in pattern], "all coordinates moved"
    for k in range(2, size):
        part = {"l1": Fraction(1, k), "l2": _root(k)}.get(moves, one)
        yield [part if i < k else zero for i in range(size)], f"the first {k} coordinates moved"


def _root(size: int) -> Fraction:
    """1/√size, rounded down so that the vector stays in the ball."""
    root = math.isqrt(size)
    if root * root == size:
        return Fraction(1, root)
    return Fraction(int(10**9 / math.sqrt(size)) - 1, 10**9)
