r"""Numbers made of ε and powers of e by + − · ÷, such as :math:`(e^{\varepsilon/2}+1)/(e^{\varepsilon/2}-1)`.

A number is a quotient of two exponential polynomials. With ε open it is a function of ε, and it has a sign where it is
seen to have the same one at **every** ε > 0; else :math:`e^r` stands for itself with a rational r, and every sign is
decided. Nothing is divided by before its sign is known, so a quotient has a value wherever signs are spoken of.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpwitness.proofs.kernel.algebra.exppoly import ExpPoly, fraction
from dpwitness.proofs.kernel.algebra.expr import Expr, parse
from dpwitness.proofs.kernel.algebra.quotients import reduced
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.limits import tick
from dpwitness.proofs.kernel.programs.signs import find_negative

MAX_TERMS, MAX_POWER, MAX_NESTING = 300, 40, 60
ONE = ExpPoly.of(1)
CONSTANT = (0, Fraction(0))


@dataclass(frozen=True)
class Number:
    """``top / bottom``; `opened` says whether ε is left open.

    >>> c = Number.read("(exp(eps/2)+1)/(exp(eps/2)-1)", True)
    >>> (c - Number.of(1, True)).sign(), (c * c - c * c).sign()
    (1, 0)
    """

    top: ExpPoly
    bottom: ExpPoly
    opened: bool

    @staticmethod
    def of(value: Fraction | int, opened: bool) -> Number:
        """A rational."""
        return Number(ExpPoly.of(value), ONE, opened)

    @staticmethod
    def exp(rate: Fraction, opened: bool) -> Number:
        """e^(rate·ε), or e^rate."""
        return Number(ExpPoly.exp(rate), ONE, opened)

    @staticmethod
    def read(source: object, opened: bool) -> Number:
        """A formula in numbers, ``exp`` and, where it is open, ``eps``."""
        if not isinstance(source, str):
            raise Rejected("a number is text")
        return _read(parse(source, frozenset({"eps"} if opened else ())), opened, 0)

    def _made(self, top: ExpPoly, bottom: ExpPoly) -> Number:
        tick()
        if set(bottom.terms) == {CONSTANT}:  # a number: no denominator is needed
            top, bottom = top * ExpPoly.of(1 / fraction(bottom.terms[CONSTANT])), ONE
        if len(top.terms) + len(bottom.terms) > 2:
            top, bottom = reduced((top, bottom))
        if len(top.terms) + len(bottom.terms) > MAX_TERMS:
            raise Rejected("a number with too many powers of e")
        return Number(top, bottom, self.opened)

    def __add__(self, other: Number) -> Number:
        if self.bottom == other.bottom:
            return self._made(self.top + other.top, self.bottom)
        return self._made(self.top * other.bottom + other.top * self.bottom, self.bottom * other.bottom)

    def __neg__(self) -> Number:
        return Number(-self.top, self.bottom, self.opened)

    def __sub__(self, other: Number) -> Number:
        return self + -other

    def __mul__(self, other: Number) -> Number:
        if self.bottom == other.top:
            return self._made(self.top, other.bottom)
        if self.top == other.bottom:
            return self._made(other.top, self.bottom)
        return self._made(self.top * other.top, self.bottom * other.bottom)

    def __truediv__(self, other: Number) -> Number:
        if other.sign() == 0:
            raise Rejected("a division by zero")
        return self * Number(other.bottom, other.top, self.opened)

    @property
    def zero(self) -> bool:
        """Whether it is 0 (where ε is open: at every ε)."""
        return not self.top.terms

    def text(self) -> str:
        """As `read` reads it."""
        top, bottom = (_text(poly, self.opened) for poly in (self.top, self.bottom))
        return top if bottom == "1" else f"({top})/({bottom})"

    def sign(self) -> int:
        """−1, 0 or 1; `Undecided` where it is not seen to be the same at every ε > 0."""
        return _sign(self.top, self.opened) * _sign(self.bottom, self.opened)


@lru_cache(maxsize=20_000)
def _sign(poly: ExpPoly, opened: bool) -> int:
    """The sign of a sum; `find_negative` says True of a sum that is not 0 only where it is above 0 at every ε > 0."""
    if not poly.terms:
        return 0
    here = poly.sign_at(Fraction(1))  # of a plain number the exponents are those at ε = 1
    if opened and (not here or find_negative(poly if here > 0 else -poly) is not True):
        raise Undecided(f"the sign of {str(poly)[:200]} is not seen to be the same at every ε > 0")
    return here


def _text(poly: ExpPoly, opened: bool) -> str:
    parts = []
    for (j, r), c in sorted((key, fraction(c)) for key, c in poly.terms.items()):
        factors = [f"({c})"] if c != 1 or not (j or r) else []
        factors += ["eps" if j == 1 else f"eps**{j}"] if j else []
        factors += [f"exp(({r})*eps)" if opened else f"exp({r})"] if r else []
        parts.append("*".join(factors))
    text = " + ".join(parts) or "0"
    return text[1:-1] if len(parts) == 1 and text[0] == "(" and text.count("(") == 1 else text


def _read(expr: Expr, opened: bool, depth: int) -> Number:
    tick()
    if depth > MAX_NESTING:
        raise Rejected("a formula is nested too deep")
    if expr.op == "num":
        return Number.of(expr.value, opened)
    if expr.op == "var":
        return Number(ExpPoly({(1, Fraction(0)): ONE.terms[CONSTANT]}), ONE, opened)
    if expr.op == "**":
        return _power(_read(expr.args[0], opened, depth + 1), expr.args[1])
    args = [_read(arg, opened, depth + 1) for arg in expr.args]
    if expr.op in ("neg", "pos"):
        return -args[0] if expr.op == "neg" else args[0]
    if expr.op == "exp":
        return Number.exp(_rate(args[0]), opened)
    if expr.op in ("+", "-", "*", "/"):
        one, two = args
        sums: dict[str, Any] = {"+": one.__add__, "-": one.__sub__, "*": one.__mul__, "/": one.__truediv__}
        found: Number = sums[expr.op](two)
        return found
    raise Rejected(f"{expr.op} is not among + - * / ** exp")


def _rate(exponent: Number) -> Fraction:
    """The r of an exponent r, or r·ε where ε is open."""
    key = (1 if exponent.opened else 0, Fraction(0))
    if exponent.bottom != ONE or any(term != key for term in exponent.top.terms):
        raise Rejected("an exponent is a number, or a number times an open eps")
    return fraction(exponent.top.terms[key]) if exponent.top.terms else Fraction(0)


def _power(base: Number, exponent: Expr) -> Number:
    sign = -1 if exponent.op == "neg" else 1
    size = exponent.args[0] if exponent.op == "neg" else exponent
    power = sign * size.value
    if size.op != "num" or power.denominator != 1 or abs(power) > MAX_POWER:
        raise Rejected(f"a power is a whole number up to {MAX_POWER}")
    result = Number.of(1, base.opened)
    for _ in range(abs(int(power))):
        result = result * base
    return result if power >= 0 else Number.of(1, base.opened) / result


__all__ = ["Number"]
