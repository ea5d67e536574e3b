"""Closed intervals of the extended line with exact end points, every operation rounded outward.

A ball of python-flint that covers [0, 1] also covers a little below 0, which spoils square roots, logarithms and
inequalities that are tight at the edge of their domain. Here both end points are kept as exact dyadic numbers, an end
point may be infinite, and an operation that is undefined somewhere on its argument raises `Undecided`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from dpwitness.proofs.kernel.arith import Undecided, ball

INF, NEG_INF, ZERO, ONE = arb.pos_inf(), arb.neg_inf(), arb(0), arb(1)


def _down(value: Any) -> Any:
    bound = value.lower()
    return NEG_INF if bound.is_nan() else bound


def _up(value: Any) -> Any:
    bound = value.upper()
    return INF if bound.is_nan() else bound


@dataclass(frozen=True)
class Interval:
    """[lo, hi] with exact `arb` end points, ±∞ allowed.

    >>> x = Interval.of(0, 1)
    >>> (x * x - x).lo, x.sqrt().hi
    (-1.00000000000000, 1.00000000000000)
    """

    lo: Any
    hi: Any

    @staticmethod
    def of(low: Fraction | int | None, high: Fraction | int | None) -> Interval:
        """The interval of two rationals; None is an infinite end."""
        return Interval(NEG_INF if low is None else _down(ball(low)), INF if high is None else _up(ball(high)))

    @staticmethod
    def around(value: Any) -> Interval:
        """The interval of a ball."""
        return Interval(_down(value), _up(value))

    @property
    def finite(self) -> bool:
        """Whether both ends are finite."""
        return bool(self.lo.is_finite() and self.hi.is_finite())

    def __contains__(self, value: int) -> bool:
        return bool(self.lo <= value <= self.hi)

    def __add__(self, other: Interval) -> Interval:
        return Interval(_down(self.lo + other.lo), _up(self.hi + other.hi))

    def __neg__(self) -> Interval:
        return Interval(-self.hi, -self.lo)

    def __sub__(self, other: Interval) -> Interval:
        return self + (-other)

    def __mul__(self, other: Interval) -> Interval:
        products = [_times(a, b) for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return Interval(_least([_down(p) for p in products]), _greatest([_up(p) for p in products]))

    def __truediv__(self, other: Interval) -> Interval:
        if 0 in other:
            raise Undecided("a denominator may be zero")
        return self * Interval(_down(ONE / other.hi), _up(ONE / other.lo))

    def power(self, n: int) -> Interval:
        """The n-th power, n a whole number."""
        if n < 0:
            return Interval(ONE, ONE) / self.power(-n)
        if n == 0:
            return Interval(ONE, ONE)
        if n % 2 == 0:
            size = self.abs()
            return Interval(_down(_whole(size.lo, n)), _up(_whole(size.hi, n)))
        return Interval(_down(_whole(self.lo, n)), _up(_whole(self.hi, n)))

    def real_power(self, exponent: Interval) -> Interval:
        """x^y for x ≥ 0: y·ln x is bilinear in (ln x, y), so the extremes are at the corners."""
        if self.lo < 0 or (self.lo == 0 and not exponent.lo > 0):
            raise Undecided("a real power of a number that may be negative, or zero to a power that is not positive")
        values = [_corner(x, y) for x in (self.lo, self.hi) for y in (exponent.lo, exponent.hi)]
        return Interval(_least([_down(v) for v in values]), _greatest([_up(v) for v in values]))

    def rising(self, function: Callable[[Any], Any], at_minus: Any, at_plus: Any) -> Interval:
        """The image under a rising function with the given limits at −∞ and +∞."""
        low = at_minus if self.lo == NEG_INF else at_plus if self.lo == INF else _down(function(self.lo))
        high = at_plus if self.hi == INF else at_minus if self.hi == NEG_INF else _up(function(self.hi))
        return Interval(low, high)

    def exp(self) -> Interval:
        """e^x."""
        image = self.rising(lambda x: x.exp(), ZERO, INF)
        return Interval(_greatest([image.lo, ZERO]), image.hi)

    def log(self) -> Interval:
        """ln x, for x > 0."""
        if not self.lo > 0:
            raise Undecided("the logarithm of a number that may not be positive")
        return self.rising(lambda x: x.log(), NEG_INF, INF)

    def sqrt(self) -> Interval:
        """√x, for x ≥ 0."""
        if self.lo < 0:
            raise Undecided("the square root of a number that may be negative")
        return self.rising(lambda x: x.sqrt(), NEG_INF, INF)

    def abs(self) -> Interval:
        """|x|."""
        if self.lo >= 0:
            return self
        if self.hi <= 0:
            return -self
        return Interval(ZERO, _greatest([-self.lo, self.hi]))

    def sign(self) -> Interval:
        """The derivative of |x| (a set-valued one at 0)."""
        low = ONE if self.lo > 0 else -ONE
        high = -ONE if self.hi < 0 else ONE
        return Interval(low, high)

    def minimum(self, other: Interval) -> Interval:
        """The smaller of two numbers."""
        return Interval(_least([self.lo, other.lo]), _least([self.hi, other.hi]))

    def maximum(self, other: Interval) -> Interval:
        """The larger of two numbers."""
        return Interval(_greatest([self.lo, other.lo]), _greatest([self.hi, other.hi]))

    def hull(self, other: Interval) -> Interval:
        """The smallest interval that contains both."""
        return Interval(_least([self.lo, other.lo]), _greatest([self.hi, other.hi]))

    def meet(self, other: Interval) -> Interval:
        """The common part of two enclosures of the same number."""
        return Interval(_greatest([self.lo, other.lo]), _least([self.hi, other.hi]))


def _times(a: Any, b: Any) -> Any:
    if a == 0 or b == 0:
        return ZERO  # 0 · ∞ is the limit of 0 · x
    if a.is_finite() and b.is_finite():
        return a * b
    return INF if (a > 0) == (b > 0) else NEG_INF


def _whole(x: Any, n: int) -> Any:
    if x.is_finite():
        return x**n
    return INF if x > 0 or n % 2 == 0 else NEG_INF


def _corner(x: Any, y: Any) -> Any:
    if x == 0:
        return ZERO
    exponent = _times(ZERO if x == 1 else x.log(), y)
    if exponent == NEG_INF:
        return ZERO
    return INF if exponent == INF else exponent.exp()


def _least(values: list[Any]) -> Any:
    best = values[0]
    for value in values[1:]:
        best = min(best, value)
    return best


def _greatest(values: list[Any]) -> Any:
    best = values[0]
    for value in values[1:]:
        best = max(best, value)
    return best
