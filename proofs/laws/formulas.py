"""Public numbers of a program (forms of atoms such as exp(−ε/6)): their signs, and their text for the kernel."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Form, Monomial, Symbol, floating, times
from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.algebra.interval import Interval
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import Rejected, Undecided, precision, text

MAX_BITS = 2048


def formula(form: Form, opened: bool = False) -> str:
    """The text of a public form, as the kernel reads it; `opened`: with the names of parameters that are left open.

    >>> from dpwitness.core import exp
    >>> formula((exp(Fraction(-1, 6)) / 3).form)
    '(1/3)*exp(-1/6)'
    """
    parts = []
    for mono, number in sorted(form.terms.items()):
        factors = [_power(symbol, power, opened) for symbol, power in mono]
        if number != 1 or not factors:
            factors.insert(0, f"({text(number)})" if number < 0 or number.denominator != 1 else text(number))
        parts.append("*".join(factors))
    if len(parts) == 1 and form.value() is not None:
        return text(next(iter(form.terms.values())))
    return " + ".join(parts) or "0"


def _power(symbol: Symbol, power: int, opened: bool) -> str:
    if opened and symbol.kind == "param":
        return symbol.name if power == 1 else f"{symbol.name}**({power})"
    if symbol.kind != "atom" or symbol.of is None:
        raise OutsideFragment(f"{symbol} is not a public constant")
    inner = formula(symbol.of, opened)
    body = f"(1/({inner}))" if symbol.name == "inverse" else f"{symbol.name}({inner})"
    return body if power == 1 else f"{body}**({power})"


def enclosed(form: Form) -> Interval:
    """An enclosure of a public form at the precision in force."""
    return over(parse(formula(form), frozenset()), {})


@lru_cache(maxsize=50_000)
def public_sign(form: Form) -> int:
    """−1, 0 or 1. Zero is seen only where the form has no terms; `OutsideFragment` where the sign stays open.

    >>> from dpwitness.core import exp
    >>> public_sign(1 - exp(Fraction(-1, 6)).form)
    1
    """
    value = form.value()
    if value is not None:
        return (value > 0) - (value < 0)
    bits = 64
    while bits <= MAX_BITS:
        with precision(bits):
            try:
                found: Any = enclosed(form)
            except (Undecided, Rejected):
                break
            if found.lo > 0:
                return 1
            if found.hi < 0:
                return -1
        bits *= 2
    raise OutsideFragment(f"the sign of {form} is not decided")


class Exps:
    """A public number as Σ c·e^a·m: `terms` maps (a, m) to c, with a public form a and a monomial m of other atoms.

    Products of exponentials are merged, which forms alone do not do.

    >>> from dpwitness.core import exp
    >>> x = Exps.of((exp(Fraction(-1, 6))).form)
    >>> (x * x - Exps.of(exp(Fraction(-1, 3)).form)).terms
    {}
    """

    __slots__ = ("_near", "terms")

    def __init__(self, terms: Mapping[Key, Fraction]) -> None:
        self.terms = {key: c for key, c in terms.items() if c}
        self._near: float | None = None

    @staticmethod
    def of(form: Form) -> Exps:
        """Read a public form."""
        return _exps(form)

    def __add__(self, other: Exps) -> Exps:
        total = dict(self.terms)
        for key, c in other.terms.items():
            total[key] = total.get(key, Fraction(0)) + c
        return Exps(total)

    def __neg__(self) -> Exps:
        return Exps({key: -c for key, c in self.terms.items()})

    def __sub__(self, other: Exps) -> Exps:
        return self + -other

    def __mul__(self, other: Exps) -> Exps:
        total: dict[Key, Fraction] = {}
        for (a, m), c in self.terms.items():
            for (b, n), d in other.terms.items():
                key = a + b, times(m, n)
                total[key] = total.get(key, Fraction(0)) + c * d
        return Exps(total)

    def inverse(self) -> Exps | None:
        """1/self where self is one term."""
        if len(self.terms) != 1:
            return None
        (((a, m), c),) = self.terms.items()
        return Exps({(-a, tuple((s, -p) for s, p in m)): 1 / c})

    def form(self) -> Form:
        """Back to a form."""
        total = Form()
        for (a, m), c in self.terms.items():
            power = Form.of_symbol(Symbol("atom", 0, "exp", a)) if a.terms else Form.constant(1)
            total = total + power * Form({m: c})
        return total

    def near(self) -> float:
        """About the value: good for choosing what to try, never evidence."""
        if self._near is None:
            self._near = sum((float(c) * _about(a, m) for (a, m), c in self.terms.items()), 0.0)
        return self._near

    def sign(self) -> int:
        """−1, 0 or 1; see `public_sign`."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and not next(iter(self.terms))[1]:
            return 1 if next(iter(self.terms.values())) > 0 else -1
        return public_sign(self.form())


Key = tuple[Form, Monomial]


@lru_cache(maxsize=50_000)
def _about(power: Form, rest: Monomial) -> float:
    value: float = math.exp(floating(power, {})) * floating(Form({rest: Fraction(1)}), {})
    return value


@lru_cache(maxsize=50_000)
def _exps(form: Form) -> Exps:
    total: dict[Key, Fraction] = {}
    for mono, c in form.terms.items():
        power, rest = Form(), []
        for symbol, p in mono:
            if symbol.kind == "atom" and symbol.name == "exp" and symbol.of is not None:
                power = power + symbol.of * p
            else:
                rest.append((symbol, p))
        key = power, tuple(rest)
        total[key] = total.get(key, Fraction(0)) + c
    return Exps(total)
