"""Pairs of inputs and events on real outputs that a search for counterexamples tries, and plainer pairs."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.programs.lower import Box

ZERO = Fraction(0)
STEPS = [Fraction(t) for t in (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 128, 256)]
Inputs = tuple[Fraction, ...]


def boxes(slots: int) -> Iterator[Box]:
    """Events on real outputs: half-lines and short intervals, near and far."""
    if not slots:
        yield []
        return
    for place in (0, 1, -1, 2, -2, 4, -4, 8, -8):
        c = Fraction(place)
        for side in ((None, c), (c, None), (c - Fraction(1, 4), c + Fraction(1, 4))):
            yield [side] * slots


def pairs_along(move: Inputs, start: Inputs) -> Iterator[tuple[Inputs, Inputs]]:
    """Neighbours that differ by the move, along the line through `start`."""
    for t in STEPS:
        left = tuple(s + t * d for s, d in zip(start, move, strict=True))
        yield left, tuple(x + d for x, d in zip(left, move, strict=True))
    for t in STEPS[1:6]:  # the other way round: spaces with a bound may cut off the ray
        left = tuple(s - t * d for s, d in zip(start, move, strict=True))
        yield left, tuple(x + d for x, d in zip(left, move, strict=True))


def plainer(left: Inputs, right: Inputs) -> Iterator[tuple[Inputs, Inputs]]:
    """The same pair with one answer made plainer on both sides."""
    for i in range(len(left)):
        for a, b in ((ZERO, ZERO), (ZERO, right[i] - left[i]), (left[i] - right[i], ZERO), (left[i], left[i])):
            yield _put(left, i, a), _put(right, i, b)
        for step in (Fraction(1), Fraction(-1)):
            yield _put(left, i, left[i] + step), _put(right, i, right[i] + step)
        half = Fraction(int(left[i] / 2))
        yield _put(left, i, half), _put(right, i, half + right[i] - left[i])


def _put(values: Inputs, i: int, value: Fraction) -> Inputs:
    return (*values[:i], value, *values[i + 1 :])


def size(left: Inputs, right: Inputs) -> tuple[Any, ...]:
    """What makes a pair hard to read: large numbers, fractions, many answers that move."""
    moved = sum(a != b for a, b in zip(left, right, strict=True))
    bottoms = max(x.denominator for x in (*left, *right))
    return sum(abs(x) for x in (*left, *right)), bottoms, moved, [abs(x) for x in left]
