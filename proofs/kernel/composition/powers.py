"""Public numbers that are quotients of sums of powers of e, such as e^ε/(1 + e^ε): their signs, and odds of coins.

Such a number is built from parameters, exponentials of them and inverses. With the parameter ε left open its sign is
decided for every ε > 0; else the exponents are plain numbers, and the sign is decided at these.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.exppoly import ExpPoly
from dpwitness.proofs.kernel.algebra.laurent import UNIT, Poly
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.programs.signs import find_negative, positive_around_one

ONE = ExpPoly.of(1)
Quotient = tuple[ExpPoly, ExpPoly]  # numerator, and a denominator that is above 0
MOST_TERMS = 400


class Powers:
    """Quotients of powers of e, at one place of a transcript.

    Parameters
    ----------
    lets
        How public numbers were computed.
    params
        The parameters that are left open: none, or one, of which everything is a function. It is called ε here.
    """

    def __init__(self, lets: Mapping[str, Any], params: Collection[str]) -> None:
        self.lets, self.open = lets, bool(params)
        self.eps = next(iter(params)) if len(params) == 1 else ""

    def quotient(self, form: Poly) -> Quotient:
        """A form as a quotient; refused where something else is in it."""
        top, bottom = ExpPoly.of(0), ONE
        for mono, c in form.terms.items():
            part: Quotient = (ExpPoly.of(c), ONE)
            for symbol, power in mono:
                base = self._symbol(symbol)
                for _ in range(abs(power)):
                    part = _times(part, base if power > 0 else self._inverted(base))
            top, bottom = top * part[1] + part[0] * bottom, bottom * part[1]
            if len(top.terms) + len(bottom.terms) > MOST_TERMS:
                raise Rejected("a quotient of powers of e with too many terms")
        return top, bottom

    def _symbol(self, symbol: str) -> Quotient:
        if symbol == self.eps:
            return ExpPoly({(1, Fraction(0)): ONE.terms[0, Fraction(0)]}), ONE
        made = self.lets.get(symbol)
        if made is not None and made.operation == "exp":
            return ExpPoly.exp(self.rate(made.forms[0])), ONE
        if made is not None and made.operation == "inverse":
            return self._inverted(self.quotient(made.forms[0]))
        raise Rejected(f"{symbol} is no quotient of powers of e")

    def rate(self, exponent: Poly) -> Fraction:
        """c, where an exponent is c·ε with ε left open, or the number c."""
        wanted = ((self.eps, 1),) if self.open else UNIT
        if any(mono != wanted for mono in exponent.terms):
            raise Rejected(f"e^({exponent}) is no power of e^ε")
        return exponent.terms.get(wanted, Fraction(0))

    def _inverted(self, value: Quotient) -> Quotient:
        for top in (value[0], -value[0]):
            if self.is_positive(top):
                return (value[1] if top is value[0] else -value[1]), top
        raise Rejected("a division by what may be 0")

    def is_positive(self, poly: ExpPoly) -> bool:
        """Whether a sum of powers is above 0: at its exponents, or for every ε > 0."""
        if not poly.terms:
            return False
        if not self.open:
            return poly.sign_at(Fraction(1)) > 0
        plain = all(j == 0 for j, _ in poly.terms)
        return all(c > 0 for c in poly.terms.values()) or (plain and positive_around_one(poly))

    def is_nonnegative(self, poly: ExpPoly) -> bool:
        """Whether a sum of powers is never below 0."""
        if not poly.terms:
            return True
        return find_negative(poly) is True if self.open else poly.sign_at(Fraction(1)) >= 0

    def bounds_coin(self, ends: Sequence[tuple[Poly, Poly]], loss: Poly) -> bool:
        """Whether coins with chances between these ends are told apart by at most `loss`.

        With l the least chance and h the greatest: h ≤ e^loss · l and 1 − l ≤ e^loss · (1 − h).
        """
        rate = self.rate(loss)
        if rate < 0:
            return False
        factor = ExpPoly.exp(rate)
        lows, highs = ([self.quotient(end[k]) for end in ends] for k in (0, 1))
        return all(
            self.is_nonnegative(factor * a * d - c * b) and self.is_nonnegative(factor * (d - c) * b - (b - a) * d)
            for a, b in lows for c, d in highs
        )  # fmt: skip


def _times(one: Quotient, two: Quotient) -> Quotient:
    return one[0] * two[0], one[1] * two[1]


__all__ = ["Powers"]
