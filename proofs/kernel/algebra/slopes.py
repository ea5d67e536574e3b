r"""Rational functions of :math:`u = e^m`: their bounds for all real m, and those of their derivative, decided exactly.

A polynomial is ≥ 0 for every u > 0 exactly where its leading coefficient is positive and no root u > 0 has odd
multiplicity; roots are counted by Sturm's theorem on the square-free factors.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from typing import Any

from flint import arb, fmpq, fmpq_poly

from dpwitness.proofs.kernel.algebra.expr import Expr, num, parse
from dpwitness.proofs.kernel.arith import Rejected

MAX_DEGREE, MAX_HEIGHT = 40, 2_000  # of the polynomials, and bits of their coefficients


class Slope:
    """φ(m) = P(u)/Q(u) with Q > 0 for u = e^m > 0; its derivative in m is T(u)/Q(u)², T = u(P′Q − PQ′).

    >>> logistic = Slope("-1/(1+exp(m))")
    >>> logistic.between(Fraction(-1), Fraction(0)), logistic.bends(Fraction(1, 4)), logistic.bends(Fraction(1, 5))
    (True, True, False)
    """

    def __init__(self, source: str) -> None:
        top, bottom = _rational(parse(source, frozenset(("m",))))  # no denominator on the way has a zero
        shared = top.gcd(bottom) if top else bottom
        self.top, self.bottom = top / shared, bottom / shared
        if self.bottom(1) < 0:
            self.top, self.bottom = -self.top, -self.bottom
        turn = self.top.derivative() * self.bottom - self.top * self.bottom.derivative()
        self.turn = fmpq_poly([0, 1]) * turn

    def between(self, low: Fraction, high: Fraction) -> bool:
        """Whether low ≤ φ ≤ high everywhere."""
        return nonnegative(self.top - self.bottom * _q(low)) and nonnegative(self.bottom * _q(high) - self.top)

    def bends(self, most: Fraction | None) -> bool:
        """Whether 0 ≤ φ′ ≤ most everywhere (None: no upper bound)."""
        bounded = most is None or nonnegative(self.bottom * self.bottom * _q(most) - self.turn)
        return nonnegative(self.turn) and bounded

    def at(self, margin: Any) -> tuple[Any, Any]:
        """Enclosures of a rising φ, by its values at the ends, and of φ′ ≥ 0, over a ball of margins."""
        ends = [_value(self.top, u) / _value(self.bottom, u) for u in (margin.lower().exp(), margin.upper().exp())]
        u = margin.exp()
        bend = _value(self.turn, u) / _value(self.bottom, u) ** 2
        return ends[0].union(ends[1]), arb(0).max(bend.lower()).union(bend.upper())


def _q(value: Fraction) -> Any:
    return fmpq(value.numerator, value.denominator)


def _value(poly: Any, u: Any) -> Any:
    total = arb(0)
    for coefficient in reversed(poly.coeffs()):
        total = total * u + arb(coefficient)
    return total


def _rational(expr: Expr) -> tuple[Any, Any]:
    """Numerator and denominator in u = e^m."""
    one = fmpq_poly([1])
    if expr.op == "num":
        return _small(fmpq_poly([_q(expr.value)]), one)
    if expr.op == "exp":
        power = _power(expr.args[0])
        u = fmpq_poly([0] * abs(power) + [1])
        return (u, one) if power >= 0 else (one, u)
    if expr.op not in ("+", "-", "*", "/", "neg", "**"):
        raise Rejected(f"{str(expr)[:60]} is not a rational function of exp(m)")
    top, bottom = _rational(expr.args[0])
    if expr.op == "neg":
        return -top, bottom
    if expr.op == "**":
        exponent = expr.args[1].value
        if expr.args[1].op != "num" or exponent.denominator != 1 or not 0 <= exponent <= MAX_DEGREE:
            raise Rejected("a power is a small whole number")
        times = int(exponent)
        if times * max(top.degree(), bottom.degree(), 0) > MAX_DEGREE:
            raise Rejected(f"a rational function of degree more than {MAX_DEGREE}")
        return _small(top**times, bottom**times)
    other, below = _rational(expr.args[1])
    if expr.op == "*":
        return _small(top * other, bottom * below)
    if expr.op == "/":
        if not other:
            raise Rejected("division by zero in a formula")
        if positive_roots(other):
            raise Rejected(f"a denominator in {str(expr)[:60]} has a zero")
        return _small(top * below, bottom * other)
    return _small(top * below + other * bottom if expr.op == "+" else top * below - other * bottom, bottom * below)


def _small(top: Any, bottom: Any) -> tuple[Any, Any]:
    if max(top.degree(), bottom.degree()) > MAX_DEGREE:
        raise Rejected(f"a rational function of degree more than {MAX_DEGREE}")
    if any(max(int(c.p).bit_length(), int(c.q).bit_length()) > MAX_HEIGHT for p in (top, bottom) for c in p.coeffs()):
        raise Rejected(f"a rational function with coefficients of more than {MAX_HEIGHT} bits")
    return top, bottom


def _power(argument: Expr) -> int:
    """The whole number k with argument = k·m."""
    k, start = argument.derivative("m"), argument.substitute({"m": num(0)})
    if k.op != "num" or start != num(0) or k.value.denominator != 1 or abs(k.value) > MAX_DEGREE:
        raise Rejected(f"{str(argument)[:60]} is not a whole multiple of m")
    return int(k.value)


def positive_roots(poly: Any) -> int:
    """How many different roots u > 0 a polynomial has, by Sturm's theorem."""
    if not poly:
        raise Rejected("the zero polynomial has every number as a root")
    while poly(0) == 0:
        poly = poly.right_shift(1)
    chain = [poly / poly.gcd(poly.derivative())] if poly.degree() > 0 else [poly]
    if poly.degree() > 0:
        chain.append(chain[0].derivative())
        while chain[-1].degree() > 0:
            chain.append(-(chain[-2] % chain[-1]))

    def changes(values: list[Any]) -> int:
        signs = [value > 0 for value in values if value != 0]
        return sum(a != b for a, b in pairwise(signs))

    return changes([p(0) for p in chain]) - changes([p.leading_coefficient() for p in chain])


def nonnegative(poly: Any) -> bool:
    """Whether a polynomial is ≥ 0 for every u > 0: at infinity, and with no root of odd multiplicity on the way."""
    if not poly:
        return True
    factors = poly.factor_squarefree()[1]
    return poly.leading_coefficient() > 0 and not any(power % 2 and positive_roots(q) for q, power in factors)
