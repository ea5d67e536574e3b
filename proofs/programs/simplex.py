r"""Small linear programs in exact rationals: max w·x, G x ≤ h, x ≥ 0, with h ≥ 0.

The tableau is condensed and holds integers over one common denominator, the last pivot (Edmonds' integer pivoting):
every division is exact. The origin is feasible, so there is no first phase, and after a change of the objective the
search goes on from the last vertex. Rows of the programs in this package are few (twice the number of draws), so a
solve takes well under a millisecond.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

MAX_PIVOTS = 5000


class PivotLimit(ArithmeticError):
    """The search took more pivots than allowed."""


@dataclass(frozen=True)
class Solution:
    """The optimum `value` with primal `x` and dual `y`; `value` None: a ray `x` along which w·x grows for ever."""

    value: Fraction | None
    x: tuple[Fraction, ...]
    y: tuple[Fraction, ...]


class Simplex:
    """A feasible region {x ≥ 0 : G x ≤ h} that serves many objectives.

    >>> region = Simplex([[Fraction(1), Fraction(1)]], [Fraction(3)])
    >>> region.maximise([Fraction(1), Fraction(2)])
    Solution(value=Fraction(6, 1), x=(Fraction(0, 1), Fraction(3, 1)), y=(Fraction(2, 1),))
    """

    def __init__(
        self, matrix: Sequence[Sequence[Fraction]], limits: Sequence[Fraction], columns: int | None = None
    ) -> None:
        self.rows = len(matrix)
        self.columns = columns if columns is not None else len(matrix[0])  # without rows the number must be given
        if any(limit < 0 for limit in limits):
            raise ValueError("the origin must be feasible")
        self.scale = [lcm(*(v.denominator for v in (*row, h))) for row, h in zip(matrix, limits, strict=True)]
        self.table = [[int(v * k) for v in (*row, h)] for row, h, k in zip(matrix, limits, self.scale, strict=True)]
        self.bottom = 1  # common denominator of the table
        self.basic = [self.columns + i for i in range(self.rows)]  # slack variables
        self.free = list(range(self.columns))

    def maximise(self, weights: Sequence[Fraction]) -> Solution:
        """Maximise one objective, starting from the vertex where the last search ended."""
        size = lcm(*(w.denominator for w in weights)) if weights else 1
        whole = [int(w * size) for w in weights] + [0] * self.rows
        line = self._reduced(whole)
        degenerate = 0
        for _ in range(MAX_PIVOTS):
            enter = self._entering(line, bland=degenerate > 20)
            if enter is None:
                return self._solution(line, size)
            leave = self._leaving(enter)
            if leave is None:
                return self._ray(enter)
            degenerate = degenerate + 1 if self.table[leave][-1] == 0 else 0
            line = self._pivot(leave, enter, line)
        raise PivotLimit(f"more than {MAX_PIVOTS} pivots")

    def _reduced(self, whole: Sequence[int]) -> list[int]:
        """The objective in terms of the free variables; its last entry is minus the value."""
        line = [whole[j] * self.bottom for j in self.free] + [0]
        for i, b in enumerate(self.basic):
            if whole[b]:
                factor, row = whole[b], self.table[i]
                line = [v - factor * r for v, r in zip(line, row, strict=True)]
        return line

    def _entering(self, line: Sequence[int], *, bland: bool) -> int | None:
        if bland:
            open_ = [j for j in range(self.columns) if line[j] > 0]
            return min(open_, key=lambda j: self.free[j]) if open_ else None
        best = max(range(self.columns), key=lambda j: line[j], default=None)
        return best if best is not None and line[best] > 0 else None

    def _leaving(self, enter: int) -> int | None:
        best: int | None = None
        for i, row in enumerate(self.table):
            if row[enter] <= 0:
                continue
            if best is None:
                best = i
                continue
            mine, other = row[-1] * self.table[best][enter], self.table[best][-1] * row[enter]
            if mine < other or (mine == other and self.basic[i] < self.basic[best]):
                best = i
        return best

    def _pivot(self, leave: int, enter: int, line: list[int]) -> list[int]:
        pivot, bottom, key = self.table[leave][enter], self.bottom, self.table[leave]
        for i, row in enumerate(self.table):
            if i != leave:
                self.table[i] = _eliminate(row, key, enter, pivot, bottom)
        line = _eliminate(line, key, enter, pivot, bottom)
        key[enter] = bottom
        self.bottom = pivot
        self.basic[leave], self.free[enter] = self.free[enter], self.basic[leave]
        return line

    def _solution(self, line: Sequence[int], size: int) -> Solution:
        values = [Fraction(0)] * (self.columns + self.rows)
        for i, b in enumerate(self.basic):
            values[b] = Fraction(self.table[i][-1], self.bottom)
        duals = [Fraction(0)] * self.rows
        for j, f in enumerate(self.free):
            if f >= self.columns:
                duals[f - self.columns] = Fraction(-line[j] * self.scale[f - self.columns], self.bottom * size)
        return Solution(Fraction(-line[-1], self.bottom * size), tuple(values[: self.columns]), tuple(duals))

    def _ray(self, enter: int) -> Solution:
        values = [Fraction(0)] * (self.columns + self.rows)
        values[self.free[enter]] = Fraction(1)
        for i, b in enumerate(self.basic):
            values[b] = Fraction(-self.table[i][enter], self.bottom)
        return Solution(None, tuple(values[: self.columns]), ())


def _eliminate(row: Sequence[int], key: Sequence[int], enter: int, pivot: int, bottom: int) -> list[int]:
    factor = row[enter]
    if factor == 0:
        if pivot == bottom:
            return list(row)
        return [v * pivot // bottom for v in row]
    new = [(v * pivot - factor * k) // bottom for v, k in zip(row, key, strict=True)]
    new[enter] = -factor
    return new
