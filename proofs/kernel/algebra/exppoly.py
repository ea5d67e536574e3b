r"""Exponential polynomials in ε, and the sign of one at a rational ε (`signs`: for every ε > 0).

The probability that a program with Laplace or exponential noise of scales :math:`s_k/\varepsilon` gives an output is
an element of :math:`\mathbb{Q}[\varepsilon][e^{r\varepsilon}]`. At a rational ε such a number is zero exactly when
the coefficients of all distinct exponents are (Lindemann–Weierstrass), and otherwise enclosures of growing precision
decide its sign.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import fmpq

from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.limits import short, tick

Key = tuple[int, Fraction]  # power of ε and exponent r; coefficients are fmpq, which is fast
MAX_TERMS = 20_000


def rational(value: Any) -> Any:
    """A `Fraction` or int as a fast rational of python-flint."""
    return fmpq(value.numerator, value.denominator) if not isinstance(value, fmpq) else value


def fraction(value: Any) -> Fraction:
    """The inverse of `rational`."""
    return Fraction(int(value.p), int(value.q))


@dataclass(frozen=True)
class ExpPoly:
    r""":math:`\sum c\,\varepsilon^j e^{r\varepsilon}`: `terms` maps (j, r) to c.

    >>> x = ExpPoly.exp(Fraction(1)) - 1
    >>> str(x * x), (x * x).sign_at(Fraction(2))
    ('1 - 2·e^(eps) + e^(2·eps)', 1)
    """

    terms: Mapping[Key, Any]

    @staticmethod
    def of(value: Fraction | int) -> ExpPoly:
        """A rational constant."""
        return ExpPoly({(0, Fraction(0)): rational(value)} if value else {})

    @staticmethod
    def exp(rate: Fraction | int) -> ExpPoly:
        """e^(rate·ε)."""
        return ExpPoly({(0, Fraction(rate)): fmpq(1)})

    def __add__(self, other: ExpPoly | Fraction | int) -> ExpPoly:
        right = other if isinstance(other, ExpPoly) else ExpPoly.of(other)
        total = dict(self.terms)
        for key, value in right.terms.items():
            new = total.get(key, 0) + value
            if new:
                total[key] = new
            else:
                total.pop(key, None)
        return ExpPoly(total)

    __radd__ = __add__

    def __neg__(self) -> ExpPoly:
        return ExpPoly({key: -value for key, value in self.terms.items()})

    def __sub__(self, other: ExpPoly | Fraction | int) -> ExpPoly:
        return self + (-(other if isinstance(other, ExpPoly) else ExpPoly.of(other)))

    def __mul__(self, other: ExpPoly) -> ExpPoly:
        if len(self.terms) * len(other.terms) > MAX_TERMS * 10:
            raise Rejected("a product of exponential polynomials is too large")
        total: dict[Key, Any] = {}
        for (j, r), c in self.terms.items():
            tick()
            for (k, s), d in other.terms.items():
                key = (j + k, r + s)
                total[key] = total.get(key, 0) + c * d
        return ExpPoly({key: value for key, value in total.items() if value})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ExpPoly) and dict(self.terms) == dict(other.terms)

    def __hash__(self) -> int:
        return hash(frozenset(self.terms.items()))

    def at(self, eps: Fraction) -> ExpSum:
        """The value at a rational ε, exactly."""
        total: dict[Fraction, Fraction] = {}
        for (j, r), c in self.terms.items():
            exponent = r * eps
            short(j * max(eps.numerator.bit_length(), eps.denominator.bit_length()))
            total[exponent] = total.get(exponent, Fraction(0)) + fraction(c) * eps**j
        return ExpSum({r: c for r, c in total.items() if c})

    def sign_at(self, eps: Fraction) -> int:
        """−1, 0 or 1 at a rational ε, decided exactly."""
        return self.at(eps).sign()

    def to_json(self) -> dict[str, str]:
        """``{"j,r": "coefficient"}``."""
        ordered = sorted(((j, r), fraction(c)) for (j, r), c in self.terms.items())
        return {f"{j},{r}": str(c) for (j, r), c in ordered}

    @staticmethod
    def from_json(value: object) -> ExpPoly:
        """Read what `to_json` writes."""
        if not isinstance(value, Mapping) or len(value) > MAX_TERMS:
            raise Rejected("an exponential polynomial is a map from 'power,exponent' to a coefficient")
        terms: dict[Key, Any] = {}
        for key, coefficient in value.items():
            power, _, rate = str(key).partition(",")
            if not power.isascii() or not power.isdigit() or len(power) > 4:
                raise Rejected(f"{str(key)[:40]!r} is not 'power,exponent'")
            place = (int(power), number(rate))
            if place in terms:
                raise Rejected("the same term twice")
            terms[place] = rational(number(coefficient))
        return ExpPoly({key: value for key, value in terms.items() if value})

    def text(self, name: str = "eps") -> str:
        """In words of mathematics, with `name` for ε."""
        parts: list[str] = []
        for (j, r), c in sorted(((j, r), fraction(c)) for (j, r), c in self.terms.items()):
            power = {0: "", 1: name}.get(j, f"{name}^{j}")
            rate = "" if r == 0 else f"e^({_times(r, name)})"
            factors = [x for x in (power, rate) if x]
            size = abs(c)
            body = "·".join(([str(size)] if size != 1 or not factors else []) + factors)
            parts.append((("-" if c < 0 else "") if not parts else (" - " if c < 0 else " + ")) + body)
        return "".join(parts) or "0"

    __str__ = text


def _times(r: Fraction, name: str) -> str:
    return name if r == 1 else f"-{name}" if r == -1 else f"{r}·{name}"


def derivative(poly: ExpPoly) -> ExpPoly:
    """d/dε."""
    total: dict[Key, Any] = {}
    for (j, r), c in poly.terms.items():
        if r:
            total[(j, r)] = total.get((j, r), 0) + c * rational(r)
        if j:
            total[(j - 1, r)] = total.get((j - 1, r), 0) + c * j
    return ExpPoly({key: value for key, value in total.items() if value})
