"""What is known of the public numbers of a transcript: their ranges and signs.

A public number is a Laurent polynomial in open parameters (positive), in numbers that are computed from public ones,
and in values that were released before. Every number that was released has a range, at first all real numbers; branches
narrow it. *Closed* numbers depend on no released value: they can be enclosed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.laurent import UNIT, Monomial, Poly, times
from dpwitness.proofs.kernel.arith import Rejected, ball, lower, precision, upper
from dpwitness.proofs.kernel.composition.powers import Powers
from dpwitness.proofs.kernel.limits import tick

INF = math.inf
Range = tuple[Any, Any]  # rationals, or ±∞
ANY: Range = (-INF, INF)
SMOOTH = ("exp", "log", "sqrt", "inverse")
CHOSEN = ("max", "min", "abs", "argmax")
TESTS = {"test>": ">", "test>=": ">=", "test==": "==", "test!=": "!="}
ROUGH = ("mod", "floordiv", "round", "floor", "ceil", "int")
OPERATIONS = (*SMOOTH, *CHOSEN, *TESTS, *ROUGH)
BITS = 192


@dataclass(frozen=True)
class Let:
    """A public number that is computed from others: one of `OPERATIONS` of some forms."""

    operation: str
    forms: tuple[Poly, ...]


class Knowledge:
    """Ranges of public symbols at one place of a transcript.

    >>> known = Knowledge(("eps",))
    >>> known.ranges["$1"] = (Fraction(1), INF)
    >>> known.positive(Poly.symbol("$1") * Poly.symbol("eps")), known.nonnegative(Poly.symbol("$1") - 1)
    (True, True)
    """

    def __init__(self, params: Sequence[str] = ()) -> None:
        self.params = frozenset(params)
        self.ranges: dict[str, Range] = {}
        self.above: set[str] = set()
        self.lets: dict[str, Let] = {}
        self.closed: set[str] = set()

    def copy(self) -> Knowledge:
        """Another one that knows the same."""
        made = Knowledge(tuple(self.params))
        made.ranges, made.above = dict(self.ranges), set(self.above)
        made.lets, made.closed = dict(self.lets), set(self.closed)
        return made

    # definitions

    def define(self, symbol: str, bounds: Range = ANY) -> None:
        """A new symbol of which only a range is known."""
        self.ranges[symbol] = bounds

    def let(self, symbol: str, made: Let) -> None:
        """A new symbol that is computed from public ones; refused where the computation may fail."""
        forms = made.forms
        self.lets[symbol] = made
        if made.operation in SMOOTH and all(self.is_closed(s) for s in forms[0].symbols()):
            self.closed.add(symbol)
        bounds = self._computed(made)
        self.ranges[symbol] = bounds
        if self._strictly(made):
            self.above.add(symbol)

    def _strictly(self, made: Let) -> bool:
        if made.operation in ("exp", "sqrt"):
            return made.operation == "exp" or self.positive(made.forms[0])
        if made.operation == "max":
            return any(self.positive(form) for form in made.forms)
        if made.operation == "min":
            return all(self.positive(form) for form in made.forms)
        return made.operation == "inverse" and self.positive(made.forms[0])

    def _computed(self, made: Let) -> Range:
        """The range of a computed number."""
        ranges = [self.range(form) for form in made.forms]
        low, high = ranges[0]
        match made.operation:
            case "max":
                return max(r[0] for r in ranges), max(r[1] for r in ranges)
            case "min":
                return min(r[0] for r in ranges), min(r[1] for r in ranges)
            case "abs":
                return (Fraction(0) if low <= 0 <= high else min(abs(low), abs(high))), max(abs(low), abs(high))
            case "test>" | "test>=" | "test==" | "test!=":
                return Fraction(0), Fraction(1)
            case "argmax":
                return Fraction(0), Fraction(len(ranges) - 1)
            case "exp":
                return Fraction(1 if low >= 0 else 0), (Fraction(1) if high <= 0 else INF)
            case "sqrt":
                if not self.nonnegative(made.forms[0]):
                    raise Rejected("the square root of a number that may be negative")
                return Fraction(0), INF
            case "log":
                if not self.positive(made.forms[0]):
                    raise Rejected("the logarithm of a number that may not be positive")
                return (Fraction(0) if low >= 1 else -INF), (Fraction(0) if high <= 1 else INF)
            case "inverse":
                return power_range((low, high), -1)
            case "floor" | "int" | "round" | "ceil":
                return low - 1, high + 1
        return ANY

    def is_closed(self, symbol: str) -> bool:
        """Whether a symbol depends on parameters alone, and not on what was released."""
        return symbol in self.params or symbol in self.closed

    # ranges and signs

    def of(self, symbol: str) -> Range:
        """The range of a symbol."""
        if symbol in self.params:
            return Fraction(0), INF
        if symbol not in self.ranges:
            raise Rejected(f"{symbol} is not defined here")
        low, high = self.ranges[symbol]
        if symbol in self.closed and not self._open(symbol):
            with precision(BITS):
                value = self.enclose(Poly.symbol(symbol))
                low, high = max(low, lower(value)), min(high, upper(value))
        return low, high

    def _open(self, symbol: str) -> bool:
        """Whether a closed symbol depends on a parameter that is left open."""
        return any(s in self.params or self._open(s) for form in self.lets[symbol].forms for s in form.symbols())

    def range(self, form: Poly) -> Range:
        """An interval that holds every value of a public form."""
        low: Any = Fraction(0)
        high: Any = Fraction(0)
        for mono, number in form.terms.items():
            tick()
            part: Range = (number, number)
            for symbol, power in mono:
                part = times_range(part, power_range(self.of(symbol), power))
            low, high = low + part[0], high + part[1]
        return low, high

    def positive_symbol(self, symbol: str) -> bool:
        """Whether a symbol is known to be above 0."""
        return symbol in self.params or symbol in self.above or self.of(symbol)[0] > 0

    def positive(self, form: Poly) -> bool:
        """Whether a form is known to be above 0."""
        if self.range(form)[0] > 0:
            return True
        signs = [self._sign(mono) if c > 0 else -1 for mono, c in form.terms.items()]
        return (1 in signs and -1 not in signs) or self._by_powers(form, strict=True)

    def _by_powers(self, form: Poly, *, strict: bool) -> bool:
        """The sign of a form in powers of e, which its terms one by one do not show."""
        if len(form.terms) < 2 or not all(self.is_closed(s) for s in form.symbols()):
            return False
        if not any(s in self.lets for s in form.symbols()):
            return False
        powers = Powers(self.lets, self.params)
        try:
            top, _ = powers.quotient(form)
        except Rejected:
            return False
        return powers.is_positive(top) if strict else powers.is_nonnegative(top)

    def _sign(self, mono: Monomial) -> int:
        """1 where a product is known to be above 0, 0 where it is known not to be below, else −1."""
        found = 1
        for symbol, power in mono:
            low, high = self.of(symbol)
            if self.positive_symbol(symbol) or (power % 2 == 0 and high < 0):
                continue
            if low < 0 and power % 2:
                return -1
            found = 0
        return found

    def nonnegative(self, form: Poly) -> bool:
        """Whether a form is known to be at least 0."""
        if not form.terms or self.range(form)[0] >= 0 or self.positive(form):
            return True
        if all(c > 0 and self._sign(mono) >= 0 for mono, c in form.terms.items()):
            return True
        return self._by_powers(form, strict=False)

    def at_most(self, left: Poly, right: Poly) -> bool:
        """Whether one form is known to be no larger than another."""
        return left == right or self.nonnegative(right - left)

    def nonzero(self, form: Poly) -> bool:
        """Whether a form is known not to vanish."""
        return self.positive(form) or self.positive(-form)

    def refine(self, form: Poly, *, strict: bool) -> None:
        """Note form > 0 (`strict`) or form ≥ 0, where it bounds one unknown, or its product with positive ones."""
        if strict and len(form.terms) == 1:
            ((mono, c),) = form.terms.items()
            open_ones = [(s, p) for s, p in mono if not self.positive_symbol(s)]
            if c > 0 and len(open_ones) == 1 and open_ones[0][1] % 2:
                self.above.add(open_ones[0][0])
                return
        unknown = [(m, c) for m, c in form.terms.items() if m != UNIT]
        if len(unknown) != 1 or len(unknown[0][0]) != 1:
            return
        ((symbol, power),), c = unknown[0]
        if power != 1 or self.is_closed(symbol):
            return
        low, high = self.of(symbol)
        end = -form.terms.get(UNIT, Fraction(0)) / c
        if strict and end == 0 and c > 0:
            self.above.add(symbol)
        self.ranges[symbol] = (max(low, end), high) if c > 0 else (low, min(high, end))

    # numbers

    def without_released(self, form: Poly) -> Poly | None:
        """An upper bound of a form in which only closed symbols are left; None where none is known."""
        total = Poly()
        for mono, number in form.terms.items():
            kept = Poly.term(tuple((s, p) for s, p in mono if self.is_closed(s)), number)
            released = [(s, p) for s, p in mono if not self.is_closed(s)]
            if released and not all(self.positive_symbol(s) for s, _ in mono if self.is_closed(s)):
                return None
            part: Range = (Fraction(1), Fraction(1))
            for symbol, power in released:
                part = times_range(part, power_range(self.of(symbol), power))
            end = part[1] if number > 0 else part[0]
            if end in (INF, -INF):
                return None
            total = total + kept * end
        return total

    def reduce(self, form: Poly) -> Poly:
        """The same form with even powers of square roots multiplied out, and with p · (1/p) as 1."""
        form = self._cancelled(form)
        total = Poly()
        for mono, number in form.terms.items():
            term = Poly.constant(number)
            for symbol, power in mono:
                made = self.lets.get(symbol)
                inner = made.forms[0] if made is not None and made.operation == "sqrt" else None
                if inner is not None and power % 2 == 0 and (power > 0 or len(inner.terms) == 1):
                    term = term * inner.power(power // 2)
                else:
                    term = term * Poly.term(((symbol, power),))
            total = total + term
        return total

    def _cancelled(self, form: Poly) -> Poly:
        """The same form where the multiple of an inverse is a multiple of what it is the inverse of."""
        for symbol in form.symbols():
            made = self.lets.get(symbol)
            if made is None or made.operation != "inverse":
                continue
            with_it = {m: c for m, c in form.terms.items() if dict(m).get(symbol) == 1}
            if not with_it or any(abs(dict(m).get(symbol, 0)) > 1 for m in form.terms):
                continue
            factor = Poly(with_it) * Poly.term(((symbol, -1),))
            lead, first = min(factor.terms), min(made.forms[0].terms)
            quotient = Poly.term(times(lead, tuple((s, -p) for s, p in first)), factor.terms[lead]) * (
                1 / made.forms[0].terms[first]
            )
            if quotient * made.forms[0] == factor:
                rest = Poly({m: c for m, c in form.terms.items() if m not in with_it})
                return self._cancelled(rest + quotient)
        return form

    def inverse_parts(self, form: Poly) -> tuple[Poly, Poly]:
        """(a, p) with form = a · p, where a is one term that all terms of the form have in common."""
        common = dict(next(iter(form.terms)))
        for mono in form.terms:
            powers = dict(mono)
            common = {s: p for s, p in common.items() if powers.get(s) == p}
        head = Poly.term(tuple(sorted(common.items())), form.terms[min(form.terms)])
        return head, form * head.power(-1)

    def enclose(self, form: Poly) -> Any:
        """A closed form as a ball; refused where it has an open parameter."""
        total = ball(Fraction(0))
        for mono, number in form.terms.items():
            term = ball(number)
            for symbol, power in mono:
                made = self.lets.get(symbol)
                if symbol not in self.closed or made is None:
                    raise Rejected(f"{symbol} has no value that is known in advance")
                inner = self.enclose(made.forms[0])
                base = 1 / inner if made.operation == "inverse" else getattr(inner, made.operation)()
                term = term * (base**power if power > 0 else (1 / base) ** (-power))
            total = total + term
        return total


def times_range(one: Range, two: Range) -> Range:
    """All products of numbers of two intervals.

    >>> times_range((Fraction(-1), INF), (Fraction(0), Fraction(2)))
    (Fraction(-2, 1), inf)
    >>> tiny = Fraction(1, 10**400)
    >>> times_range((tiny, tiny), (Fraction(1), INF))[1]
    inf
    """
    ends = [_times(x, y) for x in one for y in two]
    return min(ends), max(ends)


def _times(x: Any, y: Any) -> Any:
    """A product of ends; 0 · ∞ is the limit of 0 · x. A rational times ∞ would go through a double, which may be 0."""
    if 0 in (x, y):
        return Fraction(0)
    if x in (INF, -INF) or y in (INF, -INF):
        return INF if (x > 0) == (y > 0) else -INF
    return x * y


def power_range(base: Range, power: int) -> Range:
    """All whole powers of numbers of an interval; all numbers where a division by 0 is possible."""
    low, high = base
    if power < 0:
        if low < 0 < high or (low == high == 0):
            return ANY
        flip = (_inverse(high, 1), _inverse(low, 1)) if low >= 0 else (_inverse(high, -1), _inverse(low, -1))
        (low, high), power = flip, -power
    result: Range = (Fraction(1), Fraction(1))
    for _ in range(power):
        result = times_range(result, (low, high))
    return (max(result[0], Fraction(0)), result[1]) if power % 2 == 0 else result


def _inverse(value: Any, side: int) -> Any:
    if value == 0:
        return side * INF
    return Fraction(0) if value in (INF, -INF) else 1 / Fraction(value)


def hull(parts: Sequence[Range]) -> Range:
    """The smallest interval that holds all of them."""
    return min(p[0] for p in parts), max(p[1] for p in parts)


__all__ = ["ANY", "INF", "OPERATIONS", "SMOOTH", "TESTS", "Knowledge", "Let", "Range", "hull", "power_range"]
