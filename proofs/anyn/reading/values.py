"""Values of a symbolic run, and one run with its record: draws, reads, definitions and tests in their order.

Numbers are `Number`; ``True``, ``False``, ``None`` and texts are themselves. A list is a `Listing`: it is only written
to, and whatever enters it counts as released.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.anyn.clock import tick
from dpwitness.proofs.anyn.reading.numbers import Number
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.loops.heads import Domains
from dpwitness.proofs.kernel.loops.trees import QUERIES, Let

MAX_CHOICES = 60
Law: TypeAlias = Literal["laplace", "exponential", "discrete_laplace"]


class Fails(Exception):
    """The program itself would raise an exception here; such a path must be shown to be impossible."""

    line: int | None = None


@dataclass(frozen=True)
class Mark:
    """A value that is not a number: an infinity, an unbound name."""

    name: str


UNBOUND = Mark("unbound")
INFINITY, MINUS_INFINITY = Mark("inf"), Mark("-inf")
INFINITE = {INFINITY: 1, MINUS_INFINITY: -1}


@dataclass(frozen=True)
class Old:
    """All that was in a list of the loop head when it was reached."""

    index: int


@dataclass(eq=False)
class Listing:
    """A list object, by what it holds: values, and former lists. Two listings are the same only as objects."""

    parts: list[Any] = field(default_factory=list)


Value: TypeAlias = "Number | bool | str | Mark | Listing | tuple[Any, ...] | None"


def listings(value: Value) -> list[Listing]:
    """All lists inside a value, itself included, each as often as it is referred to."""
    if isinstance(value, Listing):
        return [value, *(inner for part in value.parts for inner in listings(part))]
    return [inner for part in value for inner in listings(part)] if isinstance(value, tuple) else []


@dataclass(frozen=True)
class Test:
    """A test ``poly op 0`` with its outcome."""

    poly: Poly
    op: Literal[">=", "=="]
    outcome: bool


@dataclass(frozen=True)
class Drawn:
    """A draw of a law, with 1/scale."""

    law: Law
    rate: Poly


@dataclass(frozen=True)
class Read:
    """The answer at a place is read."""

    index: Poly


Event: TypeAlias = "Test | Drawn | Read | Let"


@dataclass
class Facts:
    """What a run may assume of public symbols, and the public numbers that are defined by parameters alone."""

    known: Domains
    fixed: frozenset[str] = frozenset()
    atoms: list[Let] = field(default_factory=list)


class Run:
    """One way through a piece of the program: forks by replay along a prefix of choices.

    Symbols of variables stand for the values at the loop head, so that a definition has one meaning within one run. It
    has another one in the next iteration: definitions are kept beyond a run only where they mention nothing but
    parameters and the number of queries.
    """

    def __init__(self, prefix: Sequence[int], facts: Facts) -> None:
        tick()
        self.facts = facts
        self.prefix = list(prefix)
        self.choices: list[int] = []
        self.pending: list[list[int]] = []
        self.events: list[Event] = []
        self.reads: list[Poly] = []
        self.lets: list[Let] = []
        self.draws = 0
        self.memo: dict[tuple[str, Poly], bool] = {}

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

    def ask(self, poly: Poly, op: Literal[">=", "=="]) -> bool:
        """Fork on a test."""
        if poly.private:
            poly.linear()
        outcome = self.choose(2) == 0
        self.events.append(Test(poly, op, outcome))
        return outcome

    def nonnegative(self, poly: Poly) -> bool:
        """Whether poly ≥ 0, by a fork where it is not a number."""
        number = poly.value()
        if number is not None:
            return number >= 0
        opposite = self.memo.get((">=", -poly))
        if opposite is False or (opposite and self.memo.get(("==", poly)) is False):
            return not opposite
        if (">=", poly) not in self.memo:
            self.memo[">=", poly] = self.ask(poly, ">=")
        return self.memo[">=", poly]

    def zero(self, poly: Poly) -> bool:
        """Whether a public poly = 0; where it is not, its sign is asked as well."""
        number = poly.value()
        if number is not None:
            return number == 0
        if poly.private:
            raise OutsideFragment("a private value is tested for equality")
        if ("==", poly) not in self.memo:
            outcome = self.ask(poly, "==")
            self.memo["==", poly] = self.memo["==", -poly] = outcome
            if not outcome and not any(s[0] == "@" for s in poly.symbols()):
                self.nonnegative(poly)
        return self.memo["==", poly]

    def draw(self, law: Law, scale: Poly) -> Poly:
        """A fresh draw."""
        self.events.append(Drawn(law, self.inverse(scale)))
        self.draws += 1
        return Poly.symbol(f"~{self.draws - 1}")

    def read(self, index: Poly) -> Poly:
        """The answer to the query at a public index; one symbol for one index."""
        if index not in self.reads:
            self.reads.append(index)
            self.events.append(Read(index))
        return Poly.symbol(f"?{self.reads.index(index)}")

    # definitions

    def define(self, op: str, left: Poly, right: Poly) -> Poly:
        """A public number of which only its definition is known; equal definitions give one symbol."""
        for let in (*self.facts.atoms, *self.lets):
            if (let.op, let.left, let.right) == (op, left, right):
                return Poly.symbol(let.symbol)
        known = {*self.facts.fixed, QUERIES, *(let.symbol for let in self.facts.atoms)}
        plus = "+" * (op == "/")
        if left.symbols() | right.symbols() <= known:
            self.facts.atoms.append(Let(f"@{plus}{len(self.facts.atoms)}", op, left, right))
            return Poly.symbol(self.facts.atoms[-1].symbol)
        made = Let(f"@{plus}t{len(self.lets)}", op, left, right)
        self.lets.append(made)
        self.events.append(made)
        return Poly.symbol(made.symbol)

    def inverse(self, poly: Poly) -> Poly:
        """1/poly of a public number that cannot be zero."""
        if poly.private:
            raise OutsideFragment("division by a private value, or noise with a private scale")
        if not poly:
            raise Fails("division by zero")
        known = self.facts.known
        if len(poly.terms) == 1:
            ((mono, value),) = poly.terms.items()
            plain: list[tuple[str, int]] = []
            result = Poly.constant(1 / value)
            inverses = {let.symbol: let.right for let in (*self.facts.atoms, *self.lets) if let.op == "/"}
            for symbol, power in mono:
                if symbol in inverses and power > 0:
                    result = result * inverses[symbol].power(power)
                elif symbol in known.positive or symbol.startswith("@+"):
                    plain.append((symbol, -power))
                else:
                    raise OutsideFragment(f"division by {symbol.lstrip('$#')}, which is not known to be positive")
            return result * Poly.term(tuple(plain))
        for factor, rest in _factors(poly, known):
            if known.surely_positive(rest):
                return self.define("/", Poly.constant(1), rest) * factor.power(-1)
        raise OutsideFragment(f"division by {poly}, which is not known to be positive")


def _factors(poly: Poly, known: Domains) -> list[tuple[Poly, Poly]]:
    """``(positive monomial, rest)`` with poly = monomial · rest: what all terms share, taken out or not."""
    powers = {s: min(dict(m).get(s, 0) for m in poly.terms) for s in poly.symbols()}
    shared = tuple(sorted((s, p) for s, p in powers.items() if p and s in known.positive))
    mono = Poly.term(shared)
    return [(Poly.constant(1), poly), *([(mono, poly * mono.power(-1))] if shared else [])]
