r"""Finite sums :math:`\sum_r c_r e^r` with rational r and c: an exact field of definition for finite laws.

By the theorem of Lindemann and Weierstrass the numbers :math:`e^r` of distinct rational r are linearly independent
over the rationals, so such a sum is zero exactly when all its coefficients are. A nonzero sum has its sign decided by
enclosures of doubling precision, which terminates.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import ctx

from dpwitness.proofs.kernel.arith import MAX_BITS, Rejected, ball, number, sign, text
from dpwitness.proofs.kernel.limits import short, tick

MAX_TERMS = 50_000


@lru_cache(maxsize=20_000)
def _power(exponent: Fraction, bits: int) -> Any:
    """e^exponent at the precision in force, which is `bits`."""
    return ball(exponent).exp()


@dataclass(frozen=True)
class ExpSum:
    """An exact number: `terms` maps an exponent r to the coefficient of e^r.

    >>> x = ExpSum.exp(1) - 1
    >>> str(x * x), (x * x).sign(), (x - x).sign()
    ('1 - 2·e^1 + e^2', 1, 0)
    """

    terms: Mapping[Fraction, Fraction]

    @staticmethod
    def of(value: ExpSum | Fraction | int) -> ExpSum:
        """A rational as a sum."""
        if isinstance(value, ExpSum):
            return value
        return ExpSum({Fraction(0): Fraction(value)} if value != 0 else {})

    @staticmethod
    def exp(exponent: Fraction | int) -> ExpSum:
        """e^exponent."""
        return ExpSum({Fraction(exponent): Fraction(1)})

    def __add__(self, other: ExpSum | Fraction | int) -> ExpSum:
        total = dict(self.terms)
        for exponent, coefficient in ExpSum.of(other).terms.items():
            short(coefficient.denominator.bit_length())
            value = total.get(exponent, Fraction(0)) + coefficient
            if value:
                total[exponent] = value
            else:
                del total[exponent]
        return ExpSum(total)

    __radd__ = __add__

    def __neg__(self) -> ExpSum:
        return ExpSum({r: -c for r, c in self.terms.items()})

    def __sub__(self, other: ExpSum | Fraction | int) -> ExpSum:
        return self + (-ExpSum.of(other))

    def __rsub__(self, other: ExpSum | Fraction | int) -> ExpSum:
        return ExpSum.of(other) + (-self)

    def __mul__(self, other: ExpSum | Fraction | int) -> ExpSum:
        right = ExpSum.of(other)
        if len(self.terms) * len(right.terms) > MAX_TERMS:
            raise Rejected(f"a product of {len(self.terms)} × {len(right.terms)} exponential terms is too large")
        total: dict[Fraction, Fraction] = {}
        for r, c in self.terms.items():
            for s, d in right.terms.items():
                short(c.denominator.bit_length() + d.denominator.bit_length() + c.numerator.bit_length())
                total[r + s] = total.get(r + s, Fraction(0)) + c * d
        return ExpSum({r: c for r, c in total.items() if c})

    __rmul__ = __mul__

    @property
    def rational(self) -> Fraction | None:
        """The value where it is rational, else None (e^r is transcendental for r ≠ 0)."""
        if not self.terms:
            return Fraction(0)
        return self.terms.get(Fraction(0)) if set(self.terms) == {Fraction(0)} else None

    def ball(self) -> Any:
        """An enclosure at the current precision."""
        total = ball(0)
        for exponent, coefficient in self.terms.items():
            tick()
            total += ball(coefficient) * _power(exponent, ctx.prec)
        return total

    def sign(self) -> int:
        """−1, 0 or 1, decided exactly."""
        if not self.terms:
            return 0
        exact = self.rational
        if exact is not None:
            return 1 if exact > 0 else -1
        if all(c > 0 for c in self.terms.values()):
            return 1
        return sign(self.ball, cap=MAX_BITS)

    def to_json(self) -> str | dict[str, str]:
        """``"p/q"`` for a rational, else ``{"exponent": "coefficient"}``."""
        exact = self.rational
        if exact is not None:
            return text(exact)
        return {text(r): text(c) for r, c in sorted(self.terms.items())}

    @staticmethod
    def from_json(value: object) -> ExpSum:
        """Read what `to_json` writes; anything else is rejected."""
        if isinstance(value, str):
            return ExpSum.of(number(value))
        if not isinstance(value, dict) or len(value) > MAX_TERMS:
            raise Rejected(f"{str(value)[:40]!r} is neither exact number text nor a map from exponent to coefficient")
        total = ExpSum({})
        for exponent, coefficient in value.items():
            total = total + number(coefficient) * ExpSum.exp(number(exponent))
        return total

    def __str__(self) -> str:
        parts: list[str] = []
        for exponent, coefficient in sorted(self.terms.items()):
            size = abs(coefficient)
            factor = "" if size == 1 and exponent else f"{size}" + ("·" if exponent else "")
            plain = exponent.denominator == 1 and exponent > 0
            power = "" if exponent == 0 else f"e^{exponent}" if plain else f"e^({exponent})"
            joint = ("-" if coefficient < 0 else "") if not parts else (" - " if coefficient < 0 else " + ")
            parts.append(joint + factor + power)
        return "".join(parts) or "0"
