"""Laurent polynomials with rational coefficients, as the checker of loop proofs needs them.

Symbols are text; their first character says what they stand for:

========= ==================================================================================
``eps``   a parameter of the program (an identifier)
``#n``    the number of queries
``#1``    how many iterations of the first loop are complete
``$x``    the public variable x of the program
``@0``    a public number that is defined once for all, by parameters and #n; ``@+0`` the same, an inverse
``@t0``   a public number that is defined on the way through one tree; ``@+t0`` the same, an inverse
``%x``    the private variable x
``?0``    the answer to a query that is read in this step
``~0``    a draw that is made in this step
========= ==================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import TypeAlias

from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.limits import tick

Monomial: TypeAlias = "tuple[tuple[str, int], ...]"
UNIT: Monomial = ()
MAX_POWER = 64
MAX_PRODUCTS = 40_000

_SYMBOL = re.compile(r"(?:[A-Za-z_]|[#$@%?~])[A-Za-z0-9_+]*", re.ASCII)


def private(symbol: str) -> bool:
    """Whether a symbol stands for something that depends on the data or on a draw."""
    return symbol[0] in "%?~"


def times(left: Monomial, right: Monomial) -> Monomial:
    """Product of two monomials.

    >>> times((("c", -1), ("eps", 1)), (("c", 1),))
    (('eps', 1),)
    """
    if not left or not right:
        return left or right
    powers = dict(left)
    for symbol, power in right:
        powers[symbol] = powers.get(symbol, 0) + power
    return tuple(sorted((s, p) for s, p in powers.items() if p))


class Poly:
    """An immutable Laurent polynomial.

    >>> eps = Poly.symbol("eps")
    >>> print((eps + 1) * (eps - 1))
    -1 + eps^2
    """

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: Mapping[Monomial, Fraction] | None = None) -> None:
        self.terms: dict[Monomial, Fraction] = {m: c for m, c in (terms or {}).items() if c}
        self._hash: int | None = None

    @staticmethod
    def symbol(name: str) -> Poly:
        """The polynomial that is one symbol."""
        return Poly({((name, 1),): Fraction(1)})

    @staticmethod
    def constant(value: Fraction | int) -> Poly:
        """A rational number."""
        return Poly({UNIT: Fraction(value)})

    @staticmethod
    def term(mono: Monomial, value: Fraction | int = 1) -> Poly:
        """One monomial with its coefficient."""
        return Poly({mono: Fraction(value)})

    def __add__(self, other: Poly | Fraction | int) -> Poly:
        terms = dict(self.terms)
        for mono, value in (other if isinstance(other, Poly) else Poly.constant(other)).terms.items():
            terms[mono] = terms.get(mono, Fraction(0)) + value
        return Poly(terms)

    __radd__ = __add__

    def __neg__(self) -> Poly:
        return Poly({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Poly | Fraction | int) -> Poly:
        return self + (-other)

    def __rsub__(self, other: Fraction | int) -> Poly:
        return -self + other

    def __mul__(self, other: Poly | Fraction | int) -> Poly:
        if not isinstance(other, Poly):
            return Poly({m: c * other for m, c in self.terms.items()})
        if len(self.terms) * len(other.terms) > MAX_PRODUCTS:
            raise Rejected(f"a product of {len(self.terms)} by {len(other.terms)} terms is too large")
        terms: dict[Monomial, Fraction] = {}
        for m1, c1 in self.terms.items():
            tick()
            for m2, c2 in other.terms.items():
                mono = times(m1, m2)
                terms[mono] = terms.get(mono, Fraction(0)) + c1 * c2
        return Poly(terms)

    __rmul__ = __mul__

    def power(self, exponent: int) -> Poly:
        """self to a whole power; a negative one only of a single term."""
        base = self
        if exponent < 0:
            if len(self.terms) != 1:
                raise Rejected(f"cannot divide by {self}")
            ((mono, value),) = self.terms.items()
            base, exponent = Poly({tuple((s, -p) for s, p in mono): 1 / value}), -exponent
        if exponent > MAX_POWER:
            raise Rejected(f"the power {exponent} is too large")
        result = Poly.constant(1)
        for _ in range(exponent):
            result = result * base
        return result

    def substitute(self, values: Mapping[str, Poly]) -> Poly:
        """Replace symbols by polynomials (by single terms where they stand in a denominator)."""
        if not any(s in values for s in self.symbols()):
            return self
        result = Poly()
        for mono, value in self.terms.items():
            term = Poly.constant(value)
            for symbol, power in mono:
                new = values.get(symbol)
                term = term * (Poly.term(((symbol, power),)) if new is None else new.power(power))
            result = result + term
        return result

    def evaluate(self, values: Mapping[str, Fraction] | Callable[[str], Fraction]) -> Fraction:
        """The number at given values of all symbols."""
        value = values if callable(values) else values.__getitem__
        total = Fraction(0)
        for mono, coefficient in self.terms.items():
            term = coefficient
            for symbol, power in mono:
                term *= value(symbol) ** power
            total += term
        return total

    def value(self) -> Fraction | None:
        """The number, where there are no symbols."""
        if not self.terms:
            return Fraction(0)
        return self.terms[UNIT] if len(self.terms) == 1 and UNIT in self.terms else None

    def symbols(self) -> set[str]:
        """All symbols that occur."""
        return {symbol for mono in self.terms for symbol, _ in mono}

    @property
    def private(self) -> bool:
        """Whether a private symbol occurs."""
        return any(private(symbol) for mono in self.terms for symbol, _ in mono)

    def linear(self) -> dict[str, Poly]:
        """The public coefficient of every private symbol; rejected where the polynomial is not linear in them."""
        found: dict[str, dict[Monomial, Fraction]] = {}
        for mono, value in self.terms.items():
            inner = [(s, p) for s, p in mono if private(s)]
            if not inner:
                continue
            if len(inner) > 1 or inner[0][1] != 1:
                raise Rejected(f"{show(mono)} is not linear in private values")
            public = tuple(pair for pair in mono if not private(pair[0]))
            found.setdefault(inner[0][0], {})[public] = value
        return {symbol: Poly(terms) for symbol, terms in found.items()}

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poly) and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __str__(self) -> str:
        parts = []
        for mono, value in sorted(self.terms.items()):
            body = show(mono) if abs(value) == 1 and mono else f"{abs(value)} {show(mono)}" if mono else str(abs(value))
            parts.append(("- " if value < 0 else "+ ") + body)
        text = " ".join(parts) or "0"
        return text[2:] if text.startswith("+ ") else "-" + text[2:] if text.startswith("- ") else text

    def __repr__(self) -> str:
        return f"Poly({self})"


def show(mono: Monomial) -> str:
    """A monomial as text, such as ``c^-1 eps``."""
    return " ".join(s if p == 1 else f"{s}^{p}" for s, p in mono)


def to_json(poly: Poly) -> dict[str, str]:
    """A polynomial as a JSON object from monomial to coefficient."""
    return {show(mono): str(value) for mono, value in sorted(poly.terms.items())}


def monomial(text: object) -> Monomial:
    """Read ``"c^-1 eps"``.

    >>> monomial("c^-1 eps")
    (('c', -1), ('eps', 1))
    """
    if not isinstance(text, str) or len(text) > 400:
        raise Rejected("a monomial is text")
    powers: dict[str, int] = {}
    for part in text.split():
        symbol, hat, power = part.partition("^")
        if _SYMBOL.fullmatch(symbol) is None or symbol in powers or (hat and not re.fullmatch(r"-?[1-9]\d?", power)):
            raise Rejected(f"{part!r} is not a power of a symbol")
        powers[symbol] = int(power) if hat else 1
    return tuple(sorted(powers.items()))


def from_json(data: object) -> Poly:
    """Read a polynomial; see `to_json`."""
    if not isinstance(data, Mapping) or len(data) > 500:
        raise Rejected("a polynomial is an object from monomial to number")
    terms = {monomial(mono): number(value) for mono, value in data.items()}
    if len(terms) != len(data):
        raise Rejected("a monomial is named twice")
    return Poly(terms)


def total(parts: Iterable[Poly]) -> Poly:
    """The sum of polynomials."""
    result = Poly()
    for part in parts:
        result = result + part
    return result
