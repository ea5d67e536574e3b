r"""Polynomials in the record x, and their signs and ranges on a point or an open interval of records.

A sign on an open interval is that of an affine form with no zero inside: the form does not change its sign from one end
to the other, and is not 0 in the middle. Where this is not so the interval has to be cut.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb

from dpwitness.proofs.kernel.algebra.field import Number
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.limits import tick

MAX_DEGREE = 8


@dataclass(frozen=True)
class Line:
    """Σ cₖ xᵏ; affine in most places. The last coefficient is not 0; the form 0 has no coefficients."""

    parts: tuple[Number, ...]
    opened: bool

    @staticmethod
    def of(parts: Sequence[Number], opened: bool) -> Line:
        """From coefficients, the constant first."""
        kept = list(parts)
        while kept and kept[-1].zero:
            kept.pop()
        if len(kept) > MAX_DEGREE + 1:
            raise Rejected(f"a polynomial in the record of degree above {MAX_DEGREE}")
        return Line(tuple(kept), opened)

    @staticmethod
    def constant(value: Fraction | int, opened: bool) -> Line:
        """A number."""
        return Line.of([Number.of(value, opened)], opened)

    def __add__(self, other: Line) -> Line:
        nothing = Number.of(0, self.opened)
        size = max(len(self.parts), len(other.parts))
        a, b = ([*line.parts, *[nothing] * (size - len(line.parts))] for line in (self, other))
        return Line.of([x + y for x, y in zip(a, b, strict=True)], self.opened)

    def __neg__(self) -> Line:
        return Line(tuple(-part for part in self.parts), self.opened)

    def __sub__(self, other: Line) -> Line:
        return self + -other

    def __mul__(self, other: Line) -> Line:
        total = [Number.of(0, self.opened)] * max(0, len(self.parts) + len(other.parts) - 1)
        for i, a in enumerate(self.parts):
            for j, b in enumerate(other.parts):
                total[i + j] = total[i + j] + a * b
        return Line.of(total, self.opened)

    def over(self, other: Line) -> Line:
        """self / other where the division leaves no rest; rejected where it does.

        >>> x = Line.of([Number.of(0, False), Number.of(1, False)], False)
        >>> one = Line.constant(1, False)
        >>> (x * x - one).over(x + one) == x - one
        True
        """
        if not other.parts:
            raise Rejected("a division by zero")
        rest, found = self, Line((), self.opened)
        while rest.parts:
            tick()
            if len(rest.parts) < len(other.parts):
                raise Rejected("a quotient of two forms in the record that is no polynomial")
            shift = [Number.of(0, self.opened)] * (len(rest.parts) - len(other.parts))
            step = Line.of([*shift, rest.parts[-1] / other.parts[-1]], self.opened)
            size = len(rest.parts)
            found, rest = found + step, rest - step * other
            if len(rest.parts) >= size:
                raise Rejected("a division that does not end")
        return found

    def at(self, x: Number) -> Number:
        """The value at a record."""
        total = Number.of(0, self.opened)
        for part in reversed(self.parts):
            total = total * x + part
        return total


class Uncut(Rejected):
    """An affine form changes its sign inside an interval of records, which has to be cut at its zero."""

    def __init__(self, line: Line) -> None:
        super().__init__("a form changes its sign inside an interval of records that is not cut there")
        self.line = line


@dataclass(frozen=True)
class Place:
    """The record `low`, where both ends are the same, or all records strictly between `low` and `high`."""

    low: Number
    high: Number

    @property
    def point(self) -> bool:
        """Whether it is one record."""
        return self.low == self.high

    def sign(self, line: Line) -> int:
        """The sign of an affine form, the same for all records of the place."""
        if self.point or len(line.parts) < 2:
            return line.at(self.low).sign()
        if len(line.parts) > 2:
            raise Rejected("a form that decides something is not affine in the record")
        ends = {line.at(self.low).sign(), line.at(self.high).sign()} - {0}
        if len(ends) != 1:  # of an affine form that is not constant one end is not 0
            raise Uncut(line)
        return ends.pop()

    def range(self, line: Line) -> tuple[Number, Number]:
        r"""Bounds of a form: its least and largest coefficient in Bernstein's basis.

        With :math:`p(a + t(b-a)) = \sum_i c_i t^i` and degree d these are
        :math:`b_k = \sum_{i \le k} \binom{k}{i} c_i / \binom{d}{i}`, and p is a mean of them, as
        :math:`\binom{d}{k} t^k (1-t)^{d-k}` are weights that sum to 1. For d ≤ 1 they are the values at the ends.
        """
        if self.point:
            return line.at(self.low), line.at(self.low)
        opened = line.opened
        inside = Line.of([self.low, self.high - self.low], opened)
        moved = Line((), opened)
        for part in reversed(line.parts):
            moved = moved * inside + Line.of([part], opened)
        d = max(0, len(moved.parts) - 1)
        bounds = []
        for k in range(d + 1):
            total = Number.of(0, opened)
            for i, c in enumerate(moved.parts[: k + 1]):
                total = total + c * Number.of(Fraction(comb(k, i), comb(d, i)), opened)
            bounds.append(total)
        low = high = bounds[0]
        for value in bounds[1:]:
            low = value if (value - low).sign() < 0 else low
            high = value if (value - high).sign() > 0 else high
        return low, high


__all__ = ["Line", "Place", "Uncut"]
