r"""Quotients of polynomials in symbols that have ranges, and when such a polynomial is never negative.

A symbol y has a range [a, b], [a, ∞) or none. With y = (a + b·s)/(1 + s), or y = a + s, the symbol becomes s ≥ 0 and
the polynomial, times (1+s)^d, one in s. Where all coefficients of that are ≥ 0, the polynomial is ≥ 0 on the box: in
one variable these are the coefficients of Bernstein's form. A symbol without a range must not occur.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb

from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.limits import TooMuch, tick

Mono = tuple[tuple[str, int], ...]
Poly = Mapping[Mono, Fraction]
Range = tuple[Fraction, Fraction | None]  # None: unbounded above
MAX_TERMS, MAX_CUTS = 4_000, 200
ONE: Poly = {(): Fraction(1)}


def symbol(name: str) -> Poly:
    """One symbol."""
    return {((name, 1),): Fraction(1)}


def add(a: Poly, b: Poly, factor: Fraction | int = 1) -> Poly:
    """a + factor·b."""
    total = dict(a)
    for mono, c in b.items():
        value = total.get(mono, Fraction(0)) + factor * c
        if value:
            total[mono] = value
        else:
            total.pop(mono, None)
    return total


def times(a: Poly, b: Poly) -> Poly:
    """The product."""
    total: dict[Mono, Fraction] = {}
    if len(a) * len(b) > 50 * MAX_TERMS:
        raise TooMuch("a product of too many terms")
    for first, c in a.items():
        for second, d in b.items():
            tick()
            powers = dict(first)
            for name, p in second:
                powers[name] = powers.get(name, 0) + p
            mono = tuple(sorted(powers.items()))
            total[mono] = total.get(mono, Fraction(0)) + c * d
    if len(total) > MAX_TERMS:
        raise TooMuch(f"a polynomial of more than {MAX_TERMS} terms")
    return {mono: c for mono, c in total.items() if c}


@dataclass(frozen=True)
class Ratio:
    """top/bottom; whoever divides has shown before that the divisor is never 0."""

    top: Poly
    bottom: Poly

    @staticmethod
    def of(value: Fraction | int) -> Ratio:
        """A number."""
        return Ratio({(): Fraction(value)} if value else {}, ONE)

    @staticmethod
    def symbol(name: str) -> Ratio:
        """A symbol."""
        return Ratio(symbol(name), ONE)

    def __add__(self, other: Ratio) -> Ratio:
        return self._plus(other, 1)

    def __sub__(self, other: Ratio) -> Ratio:
        return self._plus(other, -1)

    def _plus(self, other: Ratio, factor: int) -> Ratio:
        if self.bottom == other.bottom:
            return Ratio(add(self.top, other.top, factor), self.bottom)
        if not other.top:
            return self
        left, right = times(self.top, other.bottom), times(other.top, self.bottom)
        return Ratio(add(left, right, factor), times(self.bottom, other.bottom))

    def __mul__(self, other: Ratio) -> Ratio:
        return Ratio(times(self.top, other.top), times(self.bottom, other.bottom))

    def over(self, other: Ratio) -> Ratio:
        """The quotient."""
        return Ratio(times(self.top, other.bottom), times(self.bottom, other.top))

    def power(self, n: int) -> Ratio:
        """A whole power ≥ 0."""
        result = Ratio.of(1)
        for _ in range(n):
            result = result * self
        return result

    def value(self) -> Fraction | None:
        """The number, where it is one."""
        if set(self.top) <= {()} and set(self.bottom) == {()}:
            return self.top.get((), Fraction(0)) / self.bottom[()]
        return None


def same(a: Ratio, b: Ratio) -> bool:
    """Whether two quotients are equal wherever both are defined."""
    return times(a.top, b.bottom) == times(b.top, a.bottom)


def in_positive_symbols(poly: Poly, ranges: Mapping[str, Range | None]) -> tuple[list[str], dict[Mono, Fraction]]:
    """The polynomial in s ≥ 0, times powers of 1 + s; and the symbols whose ranges are bounded."""
    names = sorted({name for mono in poly for name, _ in mono})
    bounded = []
    current: Poly = poly
    for name in names:
        span = ranges.get(name)
        if span is None:
            raise Rejected(f"the formula depends on {name}, of which no range is known")
        low, high = span
        degree = max((p for mono in current for n, p in mono if n == name), default=0)
        if high is not None:
            bounded.append(name)
        table = []  # y^k becomes the k-th of these polynomials in s
        for k in range(degree + 1):
            row: list[Fraction] = []
            for j in range(degree + 1):
                if high is None:
                    row.append(comb(k, j) * low ** (k - j) if j <= k else Fraction(0))
                else:
                    row.append(
                        sum(
                            (
                                comb(k, i) * low ** (k - i) * high**i * comb(degree - k, j - i)
                                for i in range(max(0, j - degree + k), min(k, j) + 1)
                            ),
                            Fraction(0),
                        )
                    )
            table.append(row)
        made: dict[Mono, Fraction] = {}
        for mono, c in current.items():
            powers = dict(mono)
            k = powers.pop(name, 0)
            for j, factor in enumerate(table[k]):
                if factor:
                    tick()
                    key = tuple(sorted({**powers, name: j}.items())) if j else tuple(sorted(powers.items()))
                    made[key] = made.get(key, Fraction(0)) + c * factor
        if len(made) > MAX_TERMS:
            raise TooMuch(f"a polynomial of more than {MAX_TERMS} terms")
        current = {mono: c for mono, c in made.items() if c}
    return bounded, dict(current)


def nonnegative(poly: Poly, ranges: Mapping[str, Range | None], proof: object = None) -> None:
    """Raise unless the polynomial is seen to be ≥ 0 on the box; `proof` cuts it: ``{"cut", "at", "parts"}``, or null.

    >>> y = symbol("y")
    >>> nonnegative(add(y, times(y, y), -1), {"y": (Fraction(0), Fraction(1))})
    """
    todo: list[tuple[Mapping[str, Range | None], object]] = [(ranges, proof)]
    count = 0
    while todo:
        box, node = todo.pop()
        count += 1
        if count > MAX_CUTS:
            raise TooMuch(f"more than {MAX_CUTS} cuts")
        if node is None:
            worst = min(in_positive_symbols(poly, box)[1].values(), default=Fraction(0))
            if worst < 0:
                raise Rejected("a coefficient is negative: the bound is not shown")
            continue
        name, at, parts = fields(node, "cut", "at", "parts")
        span, place = box.get(name), number(at)
        if span is None or not isinstance(parts, list) or len(parts) != 2:
            raise Rejected("a cut names a symbol with a range, and has two parts")
        low, high = span
        if place <= low or (high is not None and place >= high):
            raise Rejected("a cut lies inside the range of its symbol")
        todo += [({**box, name: (low, place)}, parts[0]), ({**box, name: (place, high)}, parts[1])]


def positive(poly: Poly, ranges: Mapping[str, Range | None]) -> None:
    """Raise unless the polynomial is seen to be > 0 on the whole closed box."""
    bounded, made = in_positive_symbols(poly, ranges)
    if min(made.values(), default=Fraction(0)) < 0:
        raise Rejected("a number that must be positive is not seen to be")
    degrees = {name: max((p for mono in poly for n, p in mono if n == name), default=0) for name in bounded}
    for powers in product(*(range(degrees[name] + 1) for name in bounded)):
        key = tuple(sorted((name, p) for name, p in zip(bounded, powers, strict=True) if p))
        if made.get(key, Fraction(0)) <= 0:
            raise Rejected("a number that must be positive may be zero")


def sign_on(poly: Poly, ranges: Mapping[str, Range | None]) -> int:
    """1 or −1 where the polynomial is positive or negative on the whole box; raises otherwise."""
    try:
        positive(poly, ranges)
        return 1
    except TooMuch:
        raise
    except Rejected:
        positive({mono: -c for mono, c in poly.items()}, ranges)
        return -1


__all__ = ["ONE", "Poly", "Range", "Ratio", "add", "nonnegative", "positive", "same", "sign_on", "symbol", "times"]
