"""Values of a symbolic run, and one run with its record: draws, reads, tests and released values.

A number is a Laurent polynomial; ``True``, ``False``, ``None`` and texts are themselves. A list is only ever written
to: whatever enters a list counts as released at once, so its contents need not be known.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, TypeAlias

from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.anyn.clock import tick
from dpwitness.proofs.kernel.laurent import Monomial, Poly
from dpwitness.proofs.kernel.loops import Domains

MAX_CHOICES = 60


class Fails(Exception):
    """The program itself would raise an exception here; such a path must be shown to be impossible."""

    line: int | None = None


@dataclass(frozen=True)
class Mark:
    """A value that is not a number and carries no information: a list, an infinity, an unbound name."""

    name: str


LIST, UNBOUND = Mark("list"), Mark("unbound")
INFINITY, MINUS_INFINITY = Mark("inf"), Mark("-inf")
INFINITE = {INFINITY: 1, MINUS_INFINITY: -1}

Value = Poly | bool | str | Mark | tuple[Any, ...] | None


Kind: TypeAlias = Literal["laplace", "exponential", "discrete_laplace"]


@dataclass(frozen=True)
class Draw:
    """A draw: its symbol, 1/scale, and its law."""

    symbol: str
    rate: Poly
    kind: Kind


@dataclass(frozen=True)
class Asked:
    """A test ``poly op 0`` with its outcome; `op` is ``>=`` or ``==``."""

    poly: Poly
    op: Literal[">=", "=="]
    outcome: bool


@dataclass
class Facts:
    """What a run may assume of public symbols, and the meaning of the atoms that it makes."""

    known: Domains
    atoms: dict[str, tuple[str, Poly, Poly]] = field(default_factory=dict)
    strict: list[Poly] = field(default_factory=list)

    def atom(self, op: str, left: Poly, right: Poly) -> Poly:
        """A public number of which only its definition is known; equal definitions give one symbol."""
        for name, meaning in self.atoms.items():
            if meaning == (op, left, right):
                return Poly.symbol(name)
        name = f"@{'+' if op == '/' else ''}{len(self.atoms)}"
        self.atoms[name] = (op, left, right)
        return Poly.symbol(name)

    def surely_positive(self, poly: Poly) -> bool:
        """Whether poly > 0 by the domains."""
        if poly and self.known.sure(poly):
            return True
        return any(poly == fact * c for fact in self.strict for c in _ratio(poly, fact))

    def factors(self, poly: Poly) -> list[tuple[Poly, Poly]]:
        """``(positive monomial, rest)`` with poly = monomial · rest: what all terms share, taken out or not."""
        powers = {s: min(dict(m).get(s, 0) for m in poly.terms) for s in poly.symbols()}
        shared = tuple(sorted((s, p) for s, p in powers.items() if p and s in self.known.positive))
        mono = Poly.term(shared)
        return [(Poly.constant(1), poly), *([(mono, poly * mono.power(-1))] if shared else [])]

    def inverse(self, poly: Poly) -> Poly:
        """1/poly of a public number that cannot be zero."""
        if poly.private:
            raise OutsideFragment("division by a private value, or noise with a private scale")
        if not poly:
            raise Fails("division by zero")
        if len(poly.terms) == 1:
            ((mono, value),) = poly.terms.items()
            plain: list[tuple[str, int]] = []
            result = Poly.constant(1 / value)
            for symbol, power in mono:
                if symbol in self.atoms and self.atoms[symbol][0] == "/" and power > 0:
                    result = result * self.atoms[symbol][2].power(power)
                elif symbol in self.known.positive or symbol.startswith("@+"):
                    plain.append((symbol, -power))
                else:
                    raise OutsideFragment(f"division by {symbol.lstrip('$#')}, which is not known to be positive")
            return result * Poly.term(tuple(plain))
        for factor, rest in self.factors(poly):
            if self.surely_positive(rest):
                return self.atom("/", Poly.constant(1), rest) * factor.power(-1)
        raise OutsideFragment(f"division by {poly}, which is not known to be positive")


def _ratio(poly: Poly, fact: Poly) -> list[Fraction]:
    mono: Monomial = next(iter(fact.terms))
    ratio = poly.terms.get(mono, Fraction(0)) / fact.terms[mono]
    return [ratio] if ratio > 0 else []


class Run:
    """One way through a piece of the program: forks by replay along a prefix of choices."""

    def __init__(self, prefix: Sequence[int], facts: Facts) -> None:
        tick()
        self.facts = facts
        self.prefix = list(prefix)
        self.choices: list[int] = []
        self.pending: list[list[int]] = []
        self.asked: list[Asked] = []
        self.public: list[tuple[Poly, bool]] = []
        self.private: list[Poly] = []
        self.draws: list[Draw] = []
        self.reads: list[Poly] = []
        self.released: list[Poly] = []
        self.effects: list[Any] = []
        self.memo: dict[tuple[str, Poly], Any] = {}

    def choose(self, count: int) -> int:
        """One of `count` alternatives; the others are noted for later runs."""
        k = len(self.choices)
        if k >= MAX_CHOICES:
            raise OutsideFragment(f"more than {MAX_CHOICES} tests on one path")
        if k < len(self.prefix):
            taken = self.prefix[k]
        else:
            taken = 0
            self.pending += [[*self.choices, other] for other in range(1, count)]
        self.choices.append(taken)
        return taken

    def assume(self, poly: Poly, strict: bool) -> None:
        """Note that poly ≥ 0 (or > 0) on this path."""
        if poly.private:
            poly.linear()
            self.private.append(poly)
        elif poly.value() is None:
            self.public.append((poly, strict))

    def nonnegative(self, poly: Poly) -> bool:
        """Whether poly ≥ 0, by a fork where it is not a number."""
        number = poly.value()
        if number is not None:
            return number >= 0
        if self.memo.get(("ge", -poly)) is False:
            return True
        if ("ge", poly) not in self.memo:
            outcome = self.choose(2) == 0
            self.memo["ge", poly] = outcome
            self.asked.append(Asked(poly, ">=", outcome))
            self.assume(*((poly, False) if outcome else (-poly, True)))
        return bool(self.memo["ge", poly])

    def zero(self, poly: Poly) -> bool:
        """Whether a public poly = 0, by a fork into =, > and <."""
        number = poly.value()
        if number is not None:
            return number == 0
        if poly.private:
            raise OutsideFragment("a private value is tested for equality")
        key = ("eq", poly)
        if key not in self.memo and ("eq", -poly) in self.memo:
            key = ("eq", -poly)
        if key not in self.memo:
            if any(s[0] == "@" for s in poly.symbols()):
                outcome = self.choose(2) == 0
                self.asked.append(Asked(poly, "==", outcome))
                self.memo[key] = outcome
            else:
                sign = (0, 1, -1)[self.choose(3)]
                self.asked.append(Asked(poly, "==", sign == 0))
                self.memo[key] = sign == 0
                if sign:
                    self.asked.append(Asked(poly * sign, ">=", True))
                    self.assume(poly * sign, True)
                else:
                    self.assume(poly, False)
                    self.assume(-poly, False)
        return bool(self.memo[key])

    def draw(self, kind: Kind, scale: Poly) -> Poly:
        """A fresh draw."""
        symbol = f"~{len(self.draws)}"
        self.draws.append(Draw(symbol, self.facts.inverse(scale), kind))
        return Poly.symbol(symbol)

    def read(self, index: Poly) -> Poly:
        """The answer to the query at a public index; one symbol for one index."""
        if index not in self.reads:
            self.reads.append(index)
        return Poly.symbol(f"?{self.reads.index(index)}")

    def release(self, value: Value) -> None:
        """Note that a value becomes part of the output."""
        if isinstance(value, tuple):
            for part in value:
                self.release(part)
        elif isinstance(value, Poly):
            if value.private and value not in self.released:
                value.linear()
                self.released.append(value)
        elif value in INFINITE or value is UNBOUND:
            raise OutsideFragment("an infinite number is released")
