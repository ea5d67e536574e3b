r"""How large a function of one record can be on a cell of the domain: enclosures with public forms as their ends.

A *cell* is one point of a finite domain, or a product of points and open intervals of a box. A function of one record
is an expression: a public form, ``["x", k]`` (coordinate k), sums, products, ``max``, ``min``, ``abs``, ``exp``,
``log``, ``sqrt``, ``["mod", x, m]`` and ``["floor", x, m]`` (x less the largest multiple of m that is not above it, and
which multiple that is, for a number m above 0), ``["if", test, yes, no]`` and ``["clip", norm, vector, bound, k]``:
coordinate k of a vector, scaled down to an ℓ1 or ℓ2 norm of at most `bound`. Its span on a cell holds every value that
it has there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.laurent import Poly, from_json, monomial, to_json
from dpwitness.proofs.kernel.arith import Rejected, lower, number, precision, upper
from dpwitness.proofs.kernel.arith import ball as ball_of
from dpwitness.proofs.kernel.composition.knowledge import BITS, INF, Knowledge
from dpwitness.proofs.kernel.limits import tick

Cell = tuple[tuple[Fraction, Fraction], ...]  # by coordinate; a point where both ends are equal
ONE, ZERO = Poly.constant(1), Poly()
DIGITS = tuple("-0123456789")
COMPARISONS = (">", ">=", "==", "!=")


@dataclass(frozen=True)
class Span:
    """low ≤ value ≤ high; None where there is no bound."""

    low: Poly | None
    high: Poly | None

    @staticmethod
    def of(form: Poly) -> Span:
        """One public number."""
        return Span(form, form)

    @property
    def point(self) -> Poly | None:
        """The number, where there is only one."""
        return self.low if self.low is not None and self.low == self.high else None

    def numbers(self) -> tuple[Fraction, Fraction] | None:
        """Both ends, where they are plain numbers."""
        ends = [None if end is None else end.value() for end in (self.low, self.high)]
        return None if None in ends else (ends[0], ends[1])  # type: ignore[return-value]


NOTHING = Span(None, None)
NOUGHT = Span(ZERO, ZERO)


def plus(one: Span, two: Span) -> Span:
    """The sum."""
    low = None if one.low is None or two.low is None else one.low + two.low
    high = None if one.high is None or two.high is None else one.high + two.high
    return Span(low, high)


def minus(one: Span) -> Span:
    """The opposite number."""
    return Span(None if one.high is None else -one.high, None if one.low is None else -one.low)


def scaled(one: Span, factor: Poly, known: Knowledge) -> Span:
    """A multiple by a public number."""
    if not factor.terms:
        return NOUGHT
    if known.nonnegative(factor):
        return Span(*(None if end is None else end * factor for end in (one.low, one.high)))
    if known.nonnegative(-factor):
        return Span(*(None if end is None else end * factor for end in (one.high, one.low)))
    numbers, (least, most) = one.numbers(), known.range(factor)
    if one.point is not None:
        return Span.of(one.point * factor)
    if numbers is None or INF in (-least, most):
        return NOTHING
    ends = [a * b for a in numbers for b in (least, most)]
    return Span(Poly.constant(min(ends)), Poly.constant(max(ends)))


def product(one: Span, two: Span, known: Knowledge) -> Span:
    """The product of two numbers of the same record."""
    for a, b in ((one, two), (two, one)):
        if b.point is not None:
            return scaled(a, b.point, known)
    first, second = one.numbers(), two.numbers()
    if first is not None and second is not None:
        ends = [a * b for a in first for b in second]
        return Span(Poly.constant(min(ends)), Poly.constant(max(ends)))
    low, least, high, most = one.low, two.low, one.high, two.high
    if low is None or least is None or high is None or most is None:
        return NOTHING
    if known.nonnegative(low) and known.nonnegative(least):
        return Span(low * least, high * most)
    return NOTHING


def largest(parts: Sequence[Span], known: Knowledge) -> Span:
    """The maximum of several numbers."""
    low, high = parts[0].low, parts[0].high
    for part in parts[1:]:
        if low is None or (part.low is not None and not known.at_most(part.low, low)):
            low = part.low if part.low is not None else low  # each of them is a lower bound of the maximum
        high = _above(high, part.high, known)
    return Span(low, high)


def _above(one: Poly | None, two: Poly | None, known: Knowledge) -> Poly | None:
    """A form that is at least as large as both."""
    if one is None or two is None:
        return None
    if known.at_most(one, two):
        return two
    if known.at_most(two, one):
        return one
    top = max(known.range(one)[1], known.range(two)[1])
    return None if top == INF else Poly.constant(Fraction(top))


def smallest(parts: Sequence[Span], known: Knowledge) -> Span:
    """The minimum of several numbers."""
    return minus(largest([minus(part) for part in parts], known))


def joined(parts: Sequence[Span], known: Knowledge) -> Span:
    """A span that holds all of them."""
    return Span(
        smallest(parts, known).low if all(p.low is not None for p in parts) else None,
        largest(parts, known).high if all(p.high is not None for p in parts) else None,
    )


def absolute(one: Span, known: Knowledge) -> Span:
    """The size of a number."""
    if one.low is not None and known.nonnegative(one.low):
        return one
    if one.high is not None and known.nonnegative(-one.high):
        return minus(one)
    return Span(ZERO, largest([one, minus(one)], known).high)


def smooth(name: str, one: Span, known: Knowledge) -> Span:
    """exp, log or sqrt, all of which rise; refused where it may fail."""
    low = one.low
    if name == "log" and (low is None or not known.positive(low)):
        raise Rejected("the logarithm of a number of a record that may not be positive")
    if name == "sqrt" and (low is None or not known.nonnegative(low)):
        raise Rejected("the square root of a number of a record that may be negative")
    ends = [None if end is None else end.value() for end in (one.low, one.high)]
    with precision(BITS):
        bottom = None if ends[0] is None else lower(_value(name, ends[0]))
        top = None if ends[1] is None else upper(_value(name, ends[1]))
    if name != "log":
        bottom = max(bottom or Fraction(0), Fraction(0))
    return Span(None if bottom is None else Poly.constant(bottom), None if top is None else Poly.constant(top))


def _value(name: str, at: Fraction) -> Any:
    return ball_of(at) if name == "sqrt" and at == 0 else getattr(ball_of(at), name)()


def in_steps(name: str, one: Span, step: Poly) -> Span:
    """What is left of a number after the multiples of `step`, or how many there are of them.

    >>> found = in_steps("mod", Span(Poly.constant(Fraction(5, 2)), Poly.constant(3)), Poly.constant(2))
    >>> print(found.low, found.high)
    1/2 1
    """
    size, ends = step.value(), one.numbers()
    if size is None or size <= 0:
        raise Rejected("the multiples are those of a plain number above 0")
    if ends is None:
        return Span(ZERO, step) if name == "mod" else NOTHING
    first, last = (end // size for end in ends)
    if name == "floor":
        return Span(Poly.constant(first), Poly.constant(last))
    return Span(*(Poly.constant(end - first * size) for end in ends)) if first == last else Span(ZERO, step)


def span(expr: Any, cell: Cell, known: Knowledge) -> Span:
    """The span of an expression on a cell.

    >>> known = Knowledge()
    >>> found = span(["max", ["x", 0], Poly()], ((Fraction(-1), Fraction(2)),), known)
    >>> print(found.low, found.high)
    0 2
    """
    tick()
    if isinstance(expr, Poly):
        for symbol in expr.symbols():
            known.of(symbol)
        return Span.of(expr)
    head, *rest = expr
    match head:
        case "x":
            low, high = cell[rest[0]]
            return Span(Poly.constant(low), Poly.constant(high))
        case "+":
            total = NOUGHT
            for part in rest:
                total = plus(total, span(part, cell, known))
            return total
        case "*":
            return product(span(rest[0], cell, known), span(rest[1], cell, known), known)
        case "square":
            return square(span(rest[0], cell, known), known)
        case "max":
            return largest([span(part, cell, known) for part in rest], known)
        case "min":
            return smallest([span(part, cell, known) for part in rest], known)
        case "abs":
            return absolute(span(rest[0], cell, known), known)
        case "exp" | "log" | "sqrt":
            return smooth(head, span(rest[0], cell, known), known)
        case "mod" | "floor":
            return in_steps(head, span(rest[0], cell, known), rest[1])
        case "if":
            return joined([span(rest[1], cell, known), span(rest[2], cell, known)], known)
        case "clip":
            bound = rest[2]
            if not known.positive(bound):
                raise Rejected("a bound of a norm that may not be positive")
            return Span(-bound, bound)
    raise Rejected(f"the operation {str(head)[:20]!r} of a record is unknown")


def square(one: Span, known: Knowledge) -> Span:
    """The square of a number."""
    size = absolute(one, known)
    return product(size, size, known) if size.numbers() is not None else Span(ZERO, None)


def read_form(data: Any) -> Poly:
    """A form: a number, a monomial, or an object from monomial to number.

    >>> print(read_form("1/2"), read_form("$3"), read_form({"$3 eps": "2"}))
    1/2 $3 2 $3 eps
    """
    if isinstance(data, str):
        return Poly.constant(number(data)) if data[:1] in DIGITS else Poly.term(monomial(data))
    return from_json(data)


def read_expr(data: Any, width: int, depth: int = 0) -> Any:
    """An expression from JSON: forms become polynomials, and everything is checked for its shape.

    >>> read_expr(["+", ["x", 0], "1/2"], 1)
    ['+', ['x', 0], Poly(1/2)]
    """
    tick()
    if depth > 200:
        raise Rejected("an expression of a record is too deep")
    if isinstance(data, str | Mapping):
        return read_form(data)
    if not isinstance(data, list) or not data:
        raise Rejected("an expression is a number, a form or a list")
    head, *rest = data

    def inner(parts: Sequence[Any]) -> list[Any]:
        return [read_expr(part, width, depth + 1) for part in parts]

    if head == "x" and len(rest) == 1 and type(rest[0]) is int and 0 <= rest[0] < width:
        return ["x", rest[0]]
    if head in ("+", "max", "min") and rest:
        return [head, *inner(rest)]
    if (head == "*" and len(rest) == 2) or (head in ("abs", "exp", "log", "sqrt", "square") and len(rest) == 1):
        return [head, *inner(rest)]
    if head in ("mod", "floor") and len(rest) == 2:
        step = read_expr(rest[1], width, depth + 1)
        if not isinstance(step, Poly) or step.value() is None:
            raise Rejected("the multiples are those of a plain number above 0")
        return [head, read_expr(rest[0], width, depth + 1), step]
    if head == "if" and len(rest) == 3 and isinstance(rest[0], list) and len(rest[0]) == 2:
        op, left = rest[0]
        if op not in COMPARISONS:
            raise Rejected("an unknown comparison")
        return ["if", [op, read_expr(left, width, depth + 1)], *inner(rest[1:])]
    if head == "clip" and len(rest) == 4 and rest[0] in (1, 2) and isinstance(rest[1], list):
        bound = read_expr(rest[2], width, depth + 1)
        if not isinstance(bound, Poly) or type(rest[3]) is not int or not 0 <= rest[3] < len(rest[1]):
            raise Rejected("a clipped vector has a public bound and such a coordinate")
        return ["clip", rest[0], inner(rest[1]), bound, rest[3]]
    raise Rejected(f"the expression {str(head)[:20]!r} is malformed")


def expr_json(expr: Any) -> Any:
    """An expression as JSON."""
    if isinstance(expr, Poly):
        value = expr.value()
        return to_json(expr) if value is None else str(value)
    return [expr_json(part) if isinstance(part, Poly | list) else part for part in expr]


__all__ = [
    "NOTHING", "NOUGHT", "Cell", "Span", "absolute", "expr_json", "in_steps", "joined", "largest", "minus", "plus",
    "product", "read_expr", "read_form", "scaled", "smallest", "smooth", "span", "square",
]  # fmt: skip
