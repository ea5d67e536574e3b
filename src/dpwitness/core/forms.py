"""Exact algebra of symbolic values: Laurent polynomials with rational coefficients.

The symbols are the program's public parameters, its private inputs, its draws, and *atoms* (functions such as
``sqrt(log(2/delta))`` of public values, kept whole). Where a program is linear in inputs and draws, `Form.linear`
takes the form apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias

Kind = Literal["param", "input", "draw", "atom"]


class Symbol(NamedTuple):
    """One unknown. `of` is the argument of an atom."""

    kind: Kind
    index: int  # type: ignore[assignment]
    name: str
    of: Form | None = None

    @property
    def private(self) -> bool:
        """Whether the value depends on the data or on a draw."""
        return self.kind in ("input", "draw")

    def __str__(self) -> str:
        return f"{self.name}({self.of})" if self.of is not None else self.name


Monomial: TypeAlias = "tuple[tuple[Symbol, int], ...]"
UNIT: Monomial = ()


def times(left: Monomial, right: Monomial) -> Monomial:
    """Product of two monomials."""
    if not left:
        return right
    if not right:
        return left
    powers = dict(left)
    for symbol, power in right:
        powers[symbol] = powers.get(symbol, 0) + power
    return tuple(sorted((s, p) for s, p in powers.items() if p))


class Form:
    """An immutable Laurent polynomial. Equality and hash are those of the polynomial.

    >>> x = Form.of_symbol(Symbol("input", 0, "q0"))
    >>> print(2 * x + 1 - x)
    1 + q0
    """

    __slots__ = ("_hash", "terms")

    def __init__(self, terms: Mapping[Monomial, Fraction] | None = None) -> None:
        self.terms: dict[Monomial, Fraction] = {m: c for m, c in (terms or {}).items() if c}
        self._hash: int | None = None

    @staticmethod
    def of_symbol(symbol: Symbol) -> Form:
        """The symbol itself."""
        return Form({((symbol, 1),): Fraction(1)})

    @staticmethod
    def constant(value: Fraction | int) -> Form:
        """A rational number."""
        return Form({UNIT: Fraction(value)})

    # algebra

    def __add__(self, other: Form | Fraction | int) -> Form:
        right = other if isinstance(other, Form) else Form.constant(other)
        terms = dict(self.terms)
        for mono, coefficient in right.terms.items():
            terms[mono] = terms.get(mono, Fraction(0)) + coefficient
        return Form(terms)

    __radd__ = __add__

    def __neg__(self) -> Form:
        return Form({m: -c for m, c in self.terms.items()})

    def __sub__(self, other: Form | Fraction | int) -> Form:
        return self + (-other)

    def __rsub__(self, other: Fraction | int) -> Form:
        return -self + other

    def __mul__(self, other: Form | Fraction | int) -> Form:
        if not isinstance(other, Form):
            return Form({m: c * other for m, c in self.terms.items()})
        terms: dict[Monomial, Fraction] = {}
        for m1, c1 in self.terms.items():
            for m2, c2 in other.terms.items():
                mono = times(m1, m2)
                terms[mono] = terms.get(mono, Fraction(0)) + c1 * c2
        return Form(terms)

    __rmul__ = __mul__

    def inverse(self) -> Form | None:
        """1/self where self is a single public term; None otherwise."""
        if len(self.terms) != 1:
            return None
        ((mono, coefficient),) = self.terms.items()
        if any(symbol.private for symbol, _ in mono):
            return None
        return Form({tuple((s, -p) for s, p in mono): 1 / coefficient})

    def power(self, exponent: int) -> Form:
        """self to a whole power ≥ 0."""
        result = Form.constant(1)
        for _ in range(exponent):
            result = result * self
        return result

    # inspection

    def value(self) -> Fraction | None:
        """The number, where the form has no symbols."""
        if not self.terms:
            return Fraction(0)
        return self.terms[UNIT] if len(self.terms) == 1 and UNIT in self.terms else None

    def symbols(self) -> frozenset[Symbol]:
        """All symbols that occur."""
        return frozenset(symbol for mono in self.terms for symbol, _ in mono)

    @property
    def private(self) -> bool:
        """Whether the form depends on the data or on a draw."""
        return any(symbol.private for symbol in self.symbols())

    def linear(self) -> tuple[dict[Symbol, Form], Form] | None:
        """``(coefficients, rest)`` with public coefficients of each private symbol; None where not linear in them."""
        coefficients: dict[Symbol, dict[Monomial, Fraction]] = {}
        rest: dict[Monomial, Fraction] = {}
        for mono, number in self.terms.items():
            private = [(s, p) for s, p in mono if s.private]
            if not private:
                rest[mono] = number
            elif len(private) == 1 and private[0][1] == 1:
                public = tuple((s, p) for s, p in mono if not s.private)
                coefficients.setdefault(private[0][0], {})[public] = number
            else:
                return None
        return {s: Form(t) for s, t in coefficients.items()}, Form(rest)

    def substitute(self, values: Mapping[Symbol, Fraction | Form]) -> Form:
        """Replace symbols by numbers or forms (a symbol in a denominator by a number or a single term)."""
        result = Form()
        for mono, number in self.terms.items():
            term = Form.constant(number)
            for symbol, power in mono:
                new = values.get(symbol)
                base = Form.of_symbol(symbol) if new is None else new if isinstance(new, Form) else Form.constant(new)
                if power < 0:
                    inverse = base.inverse()
                    if inverse is None:
                        raise ZeroDivisionError(f"cannot divide by {base}")
                    base = inverse
                term = term * base.power(abs(power))
            result = result + term
        return result

    def evaluate(self, value: Callable[[Symbol], Any]) -> Any:
        """Numerical value with `value` giving each symbol (float, array, or any number type)."""
        total: Any = 0
        for mono, number in self.terms.items():
            term: Any = number
            for symbol, power in mono:
                term = term * (value(symbol) ** power)
            total = total + term
        return total

    # identity and display

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Form) and self.terms == other.terms

    def __lt__(self, other: Form) -> bool:
        """An arbitrary fixed order, by which symbols that differ in their argument alone are sorted."""
        return str(self) < str(other)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.terms.items()))
        return self._hash

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        parts = []
        for mono, number in sorted(self.terms.items()):
            name = "·".join(f"{s}" if p == 1 else f"{s}^{p}" for s, p in mono)
            sign = "-" if number < 0 else "+"
            size = abs(number)
            body = str(size) if not name else name if size == 1 else f"{size}·{name}"
            parts.append((sign, body))
        head = parts[0][1] if parts[0][0] == "+" else "-" + parts[0][1]
        return head + "".join(f" {sign} {body}" for sign, body in parts[1:])

    def __repr__(self) -> str:
        return f"Form({self})"


def deep_symbols(form: Form) -> frozenset[Symbol]:
    """All symbols of a form and of the arguments of its atoms."""
    plain = form.symbols()
    return plain.union(*(deep_symbols(s.of) for s in plain if s.of is not None))


def floating(form: Form, params: Mapping[str, Any], inputs: Any = (), draws: Any = ()) -> Any:
    """A form as floats (or arrays): parameters by name, inputs and draws by index."""

    def value(symbol: Symbol) -> Any:
        if symbol.kind == "param":
            return float(params[symbol.name])
        if symbol.kind == "input":
            return inputs[symbol.index]
        if symbol.kind == "draw":
            return draws[symbol.index]
        assert symbol.of is not None
        inner = float(symbol.of.evaluate(value))
        return 1 / inner if symbol.name == "inverse" else getattr(math, symbol.name)(inner)

    result: Any = 0.0
    for mono, number in form.terms.items():
        term: Any = float(number)
        for symbol, power in mono:
            term = term * value(symbol) ** power
        result = result + term
    return result
