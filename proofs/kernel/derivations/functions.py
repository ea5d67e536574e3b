"""Functions of quotients: exponentials, logarithms, powers, derivatives and substitution; signs that must be seen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import isqrt

from dpwitness.proofs.kernel.arith import Undecided
from dpwitness.proofs.kernel.derivations.atoms import EULER, Atom
from dpwitness.proofs.kernel.derivations.ring import (
    MAX_POWER,
    ONE,
    ZERO,
    Quotient,
    Sum,
    Term,
    factor,
    number,
    positive,
    power_of,
    term_key,
    variable,
)
from dpwitness.proofs.kernel.limits import tick


def exp(x: Quotient) -> Quotient:
    """e^x; logarithms in x become powers."""
    plain, result = ZERO, ONE
    for term, c in x.top.terms.items():
        logs = [(a, e) for a, e in term if a.kind == "log"]
        part = Quotient(Sum({tuple((a, e) for a, e in term if a.kind != "log"): c}), x.bottom)
        if not logs:
            plain = plain + part
        elif len(logs) == 1 and logs[0][1] == ONE and logs[0][0].of is not None:
            result = result * power(Quotient(logs[0][0].of), part)
        else:
            raise Undecided("the exponential of a product of logarithms")
    return result * power_of(EULER, plain) if plain else result


def log(x: Quotient) -> Quotient:
    """ln x, as a sum of logarithms of irreducible positive sums."""
    if x.sign != 1:
        raise Undecided("the logarithm of a number that is not seen to be positive")
    c, term, factors = factor(x.top)
    total = _log_number(abs(c))
    for atom, e in term:
        if atom == EULER:
            total = total + e
        elif atom.kind == "power" and atom.of is not None:
            total = total + e * _log_sum(atom.of)
        elif atom.kind != "var":
            raise Undecided(f"the logarithm of a product with {atom.kind}")
        else:
            total = total + e * power_of(Atom("log", of=variable(atom.name).top), ONE)
    for f, k in [*factors, *((f, -k) for f, k in x.bottom)]:
        total = total + number(k) * _log_sum(f if f.sign == 1 else f.scaled(Fraction(-1)))
    return total


HALF = number(Fraction(1, 2))


def special(kind: str, x: Quotient) -> Quotient:
    """erfc x or atan x; erfc(−x) = 2 − erfc x and atan(−x) = −atan x leave one of x and −x."""
    if not x:
        return ONE if kind == "erfc" else ZERO
    first = max(x.top.terms.items(), key=lambda item: term_key(item[0]))[1]
    if first < 0:
        return number(2) - special(kind, -x) if kind == "erfc" else -special(kind, -x)
    return power_of(Atom(kind, at=x), ONE)


def _log_sum(f: Sum) -> Quotient:
    if f.sign != 1:
        raise Undecided("the logarithm of a number that is not seen to be positive")
    return power_of(Atom("log", of=f), ONE)


def _log_number(c: Fraction) -> Quotient:
    """ln c, as a sum over the primes of c where these are small."""
    total = ZERO
    for p, k in _primes(c):
        total = total + number(k) * power_of(Atom("log", of=number(p).top), ONE)
    return total


def _primes(c: Fraction) -> Iterator[tuple[int, int]]:
    """The small primes of a positive number, and what is left, each with its power."""
    for size, sign in ((c.numerator, 1), (c.denominator, -1)):
        rest, p = size, 2
        while rest > 1:
            tick()
            if p > 200:
                p = rest
            k = 0
            while rest % p == 0:
                rest, k = rest // p, k + 1
            if k:
                yield p, sign * k
            p += 1


def power(base: Quotient, exponent: Quotient) -> Quotient:
    """base^exponent, for a whole exponent or a positive base."""
    n = exponent.constant
    if n is not None and n.denominator == 1:
        if abs(n) > MAX_POWER:
            raise Undecided(f"a power of more than {MAX_POWER}")
        result, one = ONE, base if n >= 0 else base.inverse()
        for _ in range(abs(int(n))):
            result = result * one
        return result
    if not base and exponent.sign == 1:
        return ZERO
    if base.sign != 1:
        raise Undecided("a real power of a number that is not seen to be positive")
    c, term, factors = factor(base.top)
    result = _number_power(abs(c), exponent)
    for atom, e in term:
        if not positive(atom) or atom.kind == "log":
            raise Undecided(f"a real power of {atom.kind}")
        result = result * _atom_power(atom, e * exponent)
    for f, k in [*factors, *((f, -k) for f, k in base.bottom)]:
        base_of = f if f.sign == 1 else f.scaled(Fraction(-1))
        if base_of.sign != 1:
            raise Undecided("a real power of a number that is not seen to be positive")
        result = result * _atom_power(Atom("power", of=base_of), exponent * number(k))
    return result


def _atom_power(atom: Atom, e: Quotient) -> Quotient:
    """An atom to a power; the whole part of a constant exponent of a sum is multiplied out."""
    if atom.kind != "power" or atom.of is None:
        return power_of(atom, e)
    whole = 0
    if not e.bottom:
        start = e.top.terms.get((), Fraction(0))
        whole = start.numerator // start.denominator
    rest = power_of(atom, e - number(whole))
    return rest * power(Quotient(atom.of), number(whole)) if whole else rest


def _number_power(c: Fraction, e: Quotient) -> Quotient:
    n = e.constant
    if n is not None and n.denominator == 2:
        top, bottom = isqrt(c.numerator), isqrt(c.denominator)
        if top * top == c.numerator and bottom * bottom == c.denominator:
            return power(number(Fraction(top, bottom)), number(2 * n))
    result = ONE
    for p, k in _primes(c):
        result = result * _atom_power(Atom("power", of=number(p).top), e * number(k))
    return result


def derivative(x: Quotient, name: str) -> Quotient:
    """The derivative in one variable."""
    if name not in x.variables:
        return ZERO
    total = Quotient(Sum())
    below = Quotient(Sum({(): Fraction(1)}), x.bottom)
    for term, c in x.top.terms.items():
        tick()
        factor_of = _relative(term, name)
        if factor_of:
            total = total + Quotient(Sum({term: c})) * factor_of
    total = total * below
    for f, k in x.bottom:
        change = derivative(Quotient(f), name)
        if change:
            total = total - x * number(k) * change * Quotient(Sum({(): Fraction(1)}), ((f, 1),))
    return total


def _relative(term: Term, name: str) -> Quotient:
    """(ln term)'."""
    total = ZERO
    for atom, e in term:
        if name in e.variables:
            if atom != EULER:
                raise Undecided("the derivative of a power with a variable exponent")
            total = total + derivative(e, name)
        if name in atom.variables:
            if atom.kind == "var":
                total = total + e / variable(name)
            elif atom.at is not None:
                total = total + e * _slope(atom, derivative(atom.at, name)) / power_of(atom, ONE)
            elif atom.of is not None:
                inner = derivative(Quotient(atom.of), name) / Quotient(atom.of)
                total = total + e * (inner if atom.kind == "power" else inner / power_of(atom, ONE))
    return total


def _slope(atom: Atom, inner: Quotient) -> Quotient:
    """The derivative of erfc or atan, given that of what it holds."""
    square: Quotient = atom.at * atom.at
    if atom.kind == "atan":
        return inner / (ONE + square)
    return number(-2) * power(variable("pi"), -HALF) * exp(-square) * inner


def put(x: Quotient, values: Mapping[str, Quotient]) -> Quotient:
    """Replace variables by quotients that are positive for all values of theirs."""
    if not x.variables & values.keys():
        return x
    total = ZERO
    for term, c in x.top.terms.items():
        tick()
        part = number(c)
        for atom, e in term:
            exponent = put(e, values)
            if atom == EULER:
                part = part * exp(exponent)
            elif atom.kind == "var":
                part = part * power(values.get(atom.name, variable(atom.name)), exponent)
            elif atom.at is not None:
                part = part * power(special(atom.kind, put(atom.at, values)), exponent)
            elif atom.of is not None:
                inner = put(Quotient(atom.of), values)
                part = part * (power(inner, exponent) if atom.kind == "power" else power(log(inner), exponent))
        total = total + part
    for f, k in x.bottom:
        total = total / power(put(Quotient(f), values), number(k))
    return total


class Unseen(Undecided):
    """A sign that is not seen to be the same for all values of the variables; `of` is the quotient."""

    def __init__(self, of: Quotient) -> None:
        super().__init__(f"the sign of {of.key[:160]} is not seen to be the same everywhere")
        self.of = of


def decided(x: Quotient) -> int:
    """The sign, which must be seen."""
    sign = sign_of(x)
    if sign is None:
        raise Unseen(x)
    return sign


def sign_of(x: Quotient) -> int | None:
    """The sign where it is seen, of logarithms by that of e^x − 1."""
    if x.sign is None and any(a.kind == "log" for t in x.top.terms for a, _ in t):
        try:
            return (exp(x) - ONE).sign
        except Undecided:
            return None
    return x.sign
