r"""A ring of formulas in positive variables: exact identities, and signs that are seen from coefficients.

Every variable stands for some number > 0. A term is :math:`c\prod_i a_i^{e_i}` with a rational c; an atom a is a
variable, Euler's number, a sum that is positive (:math:`1+x`), or the logarithm of one; an exponent is again a quotient
of sums, so that :math:`x^{\gamma-1}` and :math:`e^{-x/b}` are terms. A `Quotient` is a sum of terms over a product of
positive sums.

**What is concluded.** Two quotients of equal form are equal wherever both are defined. A sum is positive where all of
its coefficients are; the same after :math:`g = 1 + w` for powers g that are seen to exceed 1, such as
:math:`e^{x/b}`; and :math:`Ag^2 + Bg + C` where A and :math:`4AC - B^2` are. Nothing is ever concluded from forms that
differ: atoms are treated as independent numbers, and what holds for all of their values holds for those that they have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from math import gcd, lcm
from typing import Any

from flint import Ordering, fmpq, fmpq_mpoly_ctx

from dpwitness.proofs.kernel.arith import Undecided
from dpwitness.proofs.kernel.derivations.atoms import EULER, Atom, Keyed
from dpwitness.proofs.kernel.limits import tick

MAX_TERMS, MAX_POWER, MAX_DEGREE = 3_000, 40, 120
Term = tuple[tuple["Atom", "Quotient"], ...]  # atoms in the order of their keys, each with its exponent


@dataclass(frozen=True, eq=False)
class Sum(Keyed):
    """A sum of terms with rational coefficients."""

    terms: Mapping[Term, Fraction] = field(default_factory=dict)

    @cached_property
    def key(self) -> str:
        """What sums are compared by."""
        return " + ".join(sorted(f"{c}*{term_key(t)}" for t, c in self.terms.items()))

    def __bool__(self) -> bool:
        return bool(self.terms)

    def __add__(self, other: Sum) -> Sum:
        total = dict(self.terms)
        for term, c in other.terms.items():
            total[term] = total.get(term, Fraction(0)) + c
        return Sum({t: c for t, c in total.items() if c})

    def __mul__(self, other: Sum) -> Sum:
        if len(self.terms) * len(other.terms) > MAX_TERMS:
            raise Undecided("a product has too many terms")
        total: dict[Term, Fraction] = {}
        whole = Sum()
        for a, c in self.terms.items():
            for b, d in other.terms.items():
                tick()
                term = times(a, b)
                large = next((pair for pair in term if _whole_part(*pair) > 0), None) if a and b else None
                if large is None:
                    total[term] = total.get(term, Fraction(0)) + c * d
                else:  # a power of a sum with a whole part is multiplied out
                    less = times(term, ((large[0], number(-1)),))
                    whole = whole + Sum({less: c * d}) * (large[0].of or Sum())
        found = Sum({t: c for t, c in total.items() if c})
        return found + whole if whole else found

    def scaled(self, factor: Fraction) -> Sum:
        """A multiple."""
        return Sum({t: c * factor for t, c in self.terms.items()}) if factor else Sum()

    @cached_property
    def variables(self) -> frozenset[str]:
        """The variables that occur."""
        return frozenset().union(*(a.variables | e.variables for t in self.terms for a, e in t))

    @cached_property
    def constant(self) -> Fraction | None:
        """The number, where no atom occurs."""
        if not self.terms:
            return Fraction(0)
        return self.terms.get(()) if set(self.terms) == {()} else None

    @cached_property
    def sign(self) -> int | None:
        """1 or −1 where it is positive (negative) for all values of the variables, 0 where it is no term, else None."""
        return _sign(self)


@dataclass(frozen=True, eq=False)
class Quotient(Keyed):
    """A sum over a product of powers of positive sums."""

    top: Sum
    bottom: tuple[tuple[Sum, int], ...] = ()

    @cached_property
    def key(self) -> str:
        """What quotients are compared by."""
        return self.top.key + "".join(f" / ({f.key})^{k}" for f, k in self.bottom)

    def __bool__(self) -> bool:
        return bool(self.top)

    @cached_property
    def variables(self) -> frozenset[str]:
        """The variables that occur."""
        return self.top.variables.union(*(f.variables for f, _ in self.bottom))

    @property
    def constant(self) -> Fraction | None:
        """The number, where no atom occurs."""
        return None if self.bottom else self.top.constant

    @property
    def sign(self) -> int | None:
        """The sign for all values of the variables, or None where it is not seen."""
        return self.top.sign

    @lru_cache(maxsize=50_000)  # noqa: B019  # the same exponents are added again and again
    def __add__(self, other: Quotient) -> Quotient:
        if not self or not other:
            return other or self
        mine, yours = dict(self.bottom), dict(other.bottom)
        shared = {f: max(mine.get(f, 0), yours.get(f, 0)) for f in (*mine, *yours)}
        tops = [
            reduce(lambda s, f: s * f, (f for f, k in shared.items() for _ in range(k - own.get(f, 0))), top)
            for top, own in ((self.top, mine), (other.top, yours))
        ]
        return reduced(tops[0] + tops[1], shared)

    def __neg__(self) -> Quotient:
        return Quotient(self.top.scaled(Fraction(-1)), self.bottom)

    def __sub__(self, other: Quotient) -> Quotient:
        return self + -other

    @lru_cache(maxsize=50_000)  # noqa: B019
    def __mul__(self, other: Quotient) -> Quotient:
        shared = dict(self.bottom)
        for f, k in other.bottom:
            shared[f] = shared.get(f, 0) + k
        return reduced(self.top * other.top, shared)

    def __truediv__(self, other: Quotient) -> Quotient:
        return self * other.inverse()

    def inverse(self) -> Quotient:
        """1/self, where the sign of each factor is seen."""
        if not self.top:
            raise Undecided("a denominator is zero")
        c, term, factors = factor(self.top)
        shared: dict[Sum, int] = {}
        for f, k in factors:
            sign = f.sign
            if not sign:
                raise Undecided(f"a denominator may be zero: {f.key[:120]}")
            if sign < 0:
                f, c = f.scaled(Fraction(-1)), c * (-1) ** k  # noqa: PLW2901
            shared[f] = shared.get(f, 0) + k
        flipped: list[tuple[Atom, Quotient]] = []
        for a, e in term:
            k = _whole_part(a, -e)
            if k < 0 and a.of is not None:  # kept as a denominator, so that exponents have no whole part
                if a.of.constant is None:
                    shared[a.of] = shared.get(a.of, 0) - k
                else:
                    c *= a.of.constant**-k
            flipped.append((a, -e - number(min(k, 0))))
        top = Sum({tuple((a, e) for a, e in flipped if e): 1 / c})
        return reduced(reduce(lambda s, f: s * f, (f for f, k in self.bottom for _ in range(k)), top), shared)


def number(value: Fraction | int) -> Quotient:
    """A number."""
    return Quotient(Sum({(): Fraction(value)} if value else {}))


def variable(name: str) -> Quotient:
    """A positive variable."""
    return power_of(Atom("var", name), ONE)


def power_of(atom: Atom, exponent: Quotient) -> Quotient:
    """One atom to a power."""
    return Quotient(Sum({((atom, exponent),) if exponent else (): Fraction(1)}))


def term_key(term: Term) -> str:
    """What terms are compared by."""
    return "*".join(f"{a.key}^[{e.key}]" for a, e in term)


def _whole_part(atom: Atom, e: Quotient) -> int:
    """The whole part of the constant term of an exponent, of a power of a sum."""
    start = e.top.terms.get((), Fraction(0)) if atom.kind == "power" and not e.bottom else Fraction(0)
    return start.numerator // start.denominator


def times(a: Term, b: Term) -> Term:
    """The product of two terms."""
    if not a or not b:
        return a or b
    total = dict(a)
    for atom, e in b:
        total[atom] = total[atom] + e if atom in total else e
    return tuple(sorted(((x, e) for x, e in total.items() if e), key=lambda pair: pair[0].key))


def reduced(top: Sum, bottom: Mapping[Sum, int]) -> Quotient:
    """The quotient with common factors cancelled."""
    if not top:
        return Quotient(top)
    left: list[tuple[Sum, int]] = []
    for f, power in bottom.items():
        k = power
        while k and (quotient := divided(top, f)) is not None:
            top, k = quotient, k - 1
        if k:
            left.append((f, k))
    return Quotient(top, tuple(sorted(left, key=lambda pair: pair[0].key)))


class Generators:
    """The atoms of some sums as generators of a polynomial ring: each sum becomes a polynomial times a term."""

    def __init__(self, sums: Iterable[Sum]) -> None:
        found: dict[Atom, list[Quotient]] = {}
        for one in sums:
            for term in one.terms:
                for atom, e in term:
                    found.setdefault(atom, []).append(e)
        self.bottoms: dict[Atom, Quotient] = {}
        steps: dict[tuple[Atom, Term], int] = {}
        for atom, exponents in found.items():
            shared: dict[Sum, int] = {}
            for e in exponents:
                for f, k in e.bottom:
                    shared[f] = max(shared.get(f, 0), k)
            below = Quotient(reduce(lambda s, f: s * f, (f for f, k in shared.items() for _ in range(k)), ONE.top))
            self.bottoms[atom] = below
            for e in exponents:
                for t, c in (e * below).top.terms.items():
                    steps[atom, t] = lcm(steps.get((atom, t), 1), c.denominator)
        self.steps = dict(sorted(steps.items(), key=lambda item: (item[0][0].key, term_key(item[0][1]))))
        self.places = {name: i for i, name in enumerate(self.steps)}
        self.context: Any = fmpq_mpoly_ctx.get(tuple(f"x{i}" for i in range(max(1, len(self.steps)))), Ordering.lex)

    def vector(self, term: Term) -> list[int]:
        """The whole exponents of a term."""
        powers = [0] * max(1, len(self.steps))
        for atom, e in term:
            for t, c in (e * self.bottoms[atom]).top.terms.items():
                powers[self.places[atom, t]] = int(c * self.steps[atom, t])
        if any(abs(p) > 200 for p in powers):
            raise Undecided("a power is too large")
        return powers

    def polynomial(self, one: Sum) -> tuple[Any, list[int]]:
        """A polynomial, and the exponents of the term that was taken out of the sum."""
        rows = [(self.vector(t), c) for t, c in one.terms.items()]
        least = [min(column) for column in zip(*(v for v, _ in rows), strict=True)]
        made = {tuple(x - y for x, y in zip(v, least, strict=True)): fmpq(c.numerator, c.denominator) for v, c in rows}
        return self.context.from_dict(made), least

    def term(self, powers: Iterable[int]) -> Term:
        """The term with these whole exponents."""
        total: Term = ()
        for (atom, t), k in zip(self.steps, powers, strict=False):
            if k:
                e = Quotient(Sum({t: Fraction(k, self.steps[atom, t])}))
                total = times(total, ((atom, e / self.bottoms[atom]),))
        return total

    def sum(self, polynomial: Any) -> Sum:
        """A polynomial as a sum."""
        made: dict[Term, Fraction] = {}
        for powers, c in polynomial.to_dict().items():
            tick()
            made[self.term(int(p) for p in powers)] = Fraction(int(c.p), int(c.q))
        return Sum(made)


@lru_cache(maxsize=20_000)
def divided(top: Sum, by: Sum) -> Sum | None:
    """top/by where that is a sum again."""
    if len(top.terms) == 1 and len(by.terms) > 1:
        return None
    here = Generators((top, by))
    p, first = here.polynomial(top)
    q, second = here.polynomial(by)
    quotient, rest = divmod(p, q)
    if rest != 0:
        return None
    outside = here.term(a - b for a, b in zip(first, second, strict=True))
    return here.sum(quotient) * Sum({outside: Fraction(1)})


def factor(one: Sum) -> tuple[Fraction, Term, list[tuple[Sum, int]]]:
    """c·(a term)·∏ fᵏ with irreducible sums f that have no term in common, whole coefficients and a fixed sign."""
    if len(one.terms) == 1:
        ((term, c),) = one.terms.items()
        return c, term, []
    if len(one.terms) > MAX_TERMS // 10:
        raise Undecided("a sum is too long")
    here = Generators((one,))
    polynomial, least = here.polynomial(one)
    if sum(polynomial.degrees()) > MAX_DEGREE:
        raise Undecided("a sum has too high powers")
    c, factors = polynomial.factor()
    total, term, found = Fraction(int(c.p), int(c.q)), here.term(least), []
    for p, power in factors:
        k = int(power)
        f = here.sum(p)
        if len(f.terms) == 1:
            ((t, d),) = f.terms.items()
            total, term = total * d**k, times(term, tuple((a, e * number(k)) for a, e in t))
            continue
        size, first = content(f)
        if first < 0:
            size = -size
        total *= size**k
        found.append((f.scaled(1 / size), k))
    return total, term, found


def content(f: Sum) -> tuple[Fraction, int]:
    """The number that leaves whole coefficients without a common divisor, and the sign of most of the coefficients."""
    bottom = lcm(*(c.denominator for c in f.terms.values()))
    top = gcd(*(int(c * bottom) for c in f.terms.values()))
    first = max(f.terms.items(), key=lambda item: term_key(item[0]))[1]
    return Fraction(top, bottom), sum(1 if c > 0 else -1 for c in f.terms.values()) or (1 if first > 0 else -1)


@lru_cache(maxsize=20_000)
def _sign(one: Sum, depth: int = 0) -> int | None:
    if not one.terms:
        return 0
    if any(not positive(a) for t in one.terms for a, _ in t):
        return None
    signs = {c > 0 for c in one.terms.values()}
    if len(signs) == 1:
        return 1 if signs.pop() else -1
    here = Generators((one,))
    polynomial, _ = here.polynomial(one)
    large = [exceeds_one(atom, t) for atom, t in here.steps]
    if not any(large):
        return _quadratic(polynomial, here, depth)
    if sum(polynomial.degrees()) > MAX_DEGREE or len(polynomial.to_dict()) > MAX_TERMS // 10:
        return None
    gens = here.context.gens()
    moved = polynomial.compose(*(g + 1 if big else g for g, big in zip(gens, large, strict=True)), ctx=here.context)
    signs = {c > 0 for c in moved.to_dict().values()}
    return _quadratic(polynomial, here, depth) if len(signs) != 1 else 1 if signs.pop() else -1


def _quadratic(polynomial: Any, here: Generators, depth: int) -> int | None:
    """The sign of A·g² + B·g + C where 4AC − B² > 0: that of A."""
    rows = polynomial.to_dict()
    if len(rows) > 40 or depth > 1:
        return None
    for i, degree in enumerate(polynomial.degrees()):
        if degree != 2:
            continue
        parts = [here.context.from_dict({p: c for p, c in rows.items() if p[i] == k}) for k in (0, 1, 2)]
        c, b, a = (here.sum(p) for p in parts)
        b = b * Sum({here.term(-1 if j == i else 0 for j in range(len(here.steps))): Fraction(1)})
        a = a * Sum({here.term(-2 if j == i else 0 for j in range(len(here.steps))): Fraction(1)})
        up = _sign(a, depth + 1)
        if up and _sign((a * c).scaled(Fraction(4)) + (b * b).scaled(Fraction(-1)), depth + 1) == 1:
            return up
    return None


def positive(atom: Atom) -> bool:
    """Whether an atom is seen to be a positive number."""
    if atom.kind == "atan":
        return atom.at is not None and atom.at.sign == 1
    return atom.kind != "log" or above_one(atom)


def above_one(atom: Atom) -> bool:
    """Whether the sum inside an atom is seen to exceed 1: then its logarithm is positive."""
    return atom.of is not None and (atom.of + Sum({(): Fraction(-1)})).sign == 1


def exceeds_one(atom: Atom, exponent: Term) -> bool:
    """Whether an atom to this positive power exceeds 1; a logarithm never counts, and no exponent holds one."""
    if any(a.kind in ("log", "atan") for a, _ in exponent):
        return False
    return atom == EULER or (atom.kind == "power" and above_one(atom))


ONE = Quotient(Sum({(): Fraction(1)}))
ZERO = Quotient(Sum())
