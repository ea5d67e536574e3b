"""Rules for outputs that are one number: guess a side on the outer parts of the line.

The end points are single outputs, so they are placed far more finely than the cells of the learners can be: where the
ratio is flat up to a point and falls behind it, as with Laplace noise, the bound depends on how exactly that point is
met.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from dpwitness.auditors.bounds.count import bounds
from dpwitness.auditors.learners.line import LinePartition
from dpwitness.auditors.learners.plans import NumberPartition, number_column
from dpwitness.auditors.outputs.arrays import Floats, Ints
from dpwitness.auditors.outputs.table import Table
from dpwitness.auditors.rules.rule import Aim, Rule

_POINTS = 600
FEWEST = 4


def _numbers(left: Table, right: Table) -> tuple[int, Floats, Floats]:
    column = number_column(left, right)
    x, y = (t.columns[:, column] if t.width > column else np.zeros(0) for t in (left, right))
    return column, x[~np.isnan(x)], y[~np.isnan(y)]


def _rule(column: int, low: tuple[float, int] | None, high: tuple[float, int] | None, name: str) -> Rule:
    """Guess a side up to a point, another beyond a point, and abstain between."""
    edges = [part[0] for part in (low, high) if part is not None]
    guess = np.zeros(len(edges) + 3, dtype=np.int64)
    if low is not None:
        guess[0] = low[1]
    if high is not None:
        guess[len(edges)] = high[1]
    line = LinePartition(np.array(edges), np.full((1, len(edges) + 2), 0.5))
    return Rule(NumberPartition(line, np.full((1, len(edges) + 3), 0.5), column, (name,)), guess, name)


def half_lines(left: Table, right: Table, aim: Aim, cautions: tuple[float, ...]) -> Iterator[tuple[Rule, float]]:
    """For every degree of caution, the best of: a lower half-line, an upper one, or both.

    The end points maximise the expected bound less `caution` standard errors of the log-odds counted so far.
    """
    column, x, y = _numbers(left, right)
    if min(len(x), len(y)) < 8:
        return
    tails = [_Tail(x, y, aim), _Tail(-x, -y, aim)]
    for caution in cautions:
        low, high = (tail.best(caution) for tail in tails)
        options = [(low, None), (None, high)]
        if low is not None and high is not None and low.point < -high.point:
            options.append((low, high))
        found = [(_value(part, aim, caution), part) for part in options if any(part)]
        if not found:
            continue
        low, high = max(found, key=lambda item: item[0])[1]
        lower = None if low is None else (low.point, low.side)
        upper = None if high is None else (float(np.nextafter(-high.point, -np.inf)), high.side)
        yield _rule(column, lower, upper, "half-lines"), caution


class _Part:
    """A half-line up to `point` with `right` and `wrong` guesses among `runs`."""

    def __init__(self, point: float, side: int, right: int, wrong: int, runs: int) -> None:
        self.point, self.side, self.right, self.wrong, self.runs = point, side, right, wrong, runs


class _Tail:
    """Counts below a grid of end points, spaced evenly in the logarithm of the number of outputs below."""

    def __init__(self, x: Floats, y: Floats, aim: Aim) -> None:
        x, y = np.sort(x), np.sort(y)
        pool = np.sort(np.concatenate([x, y]))
        ranks = np.unique(np.geomspace(FEWEST, len(pool), _POINTS).astype(np.int64)) - 1
        self.points = np.unique(pool[ranks])
        self.a: Ints = np.searchsorted(x, self.points, side="right").astype(np.int64)
        self.b: Ints = np.searchsorted(y, self.points, side="right").astype(np.int64)
        self.runs = len(pool)
        scale = aim.runs / self.runs
        v, w = np.maximum(self.a, self.b), np.minimum(self.a, self.b)
        self.expected = bounds(v * scale, (w + 0.5) * scale, aim.runs + scale + 1, aim.alpha, aim.delta, 1)
        self.error = np.sqrt(1 / (v + 0.5) + 1 / (w + 0.5))

    def best(self, caution: float) -> _Part | None:
        value = self.expected - caution * self.error
        at = int(np.argmax(value))
        if not math.isfinite(value[at]):
            return None
        a, b = int(self.a[at]), int(self.b[at])
        return _Part(float(self.points[at]), 1 if a >= b else -1, max(a, b), min(a, b), self.runs)


def _value(parts: tuple[_Part | None, _Part | None], aim: Aim, caution: float) -> float:
    there = [part for part in parts if part is not None]
    v, w = sum(part.right for part in there), sum(part.wrong for part in there)
    scale = aim.runs / there[0].runs
    sides = len({part.side for part in there})
    right, wrong = np.array([v * scale]), np.array([(w + 0.5) * scale])
    found = bounds(right, wrong, aim.runs + scale + 1, aim.alpha, aim.delta, sides)
    return float(found[0]) - caution * math.sqrt(1 / (v + 0.5) + 1 / (w + 0.5))


def clean_half_lines(left: Table, right: Table) -> list[tuple[int, Rule]]:
    """The half-line on which only one side was ever seen, pulled in to half of what it held, and what it held."""
    column, x, y = _numbers(left, right)
    if min(len(x), len(y)) == 0:
        return []
    best: tuple[int, int, bool, float] | None = None
    for side, inside, outside in ((1, x, y), (-1, y, x)):
        for low in (True, False):
            u, v = (inside, outside) if low else (-inside, -outside)
            clean = u[u < v.min()]
            if len(clean) >= FEWEST and (best is None or len(clean) > best[0]):
                edge = float(np.partition(clean, len(clean) // 2)[len(clean) // 2])
                best = (len(clean), side, low, edge if low else float(np.nextafter(-edge, -np.inf)))
    if best is None:
        return []
    held, side, low, edge = best
    part = (edge, side)
    return [(held, _rule(column, part if low else None, None if low else part, "clean"))]
