r"""Functions of quotients: exponentials, logarithms, powers, derivatives, substitution and limits.

**Limits.** For :math:`v\to\infty` a term is :math:`c\,v^a e^{E(v)}` times what does not depend on v, with E a polynomial
in v (real powers allowed) without terms that stay bounded. Of two terms the one with the larger E, then the larger a
dominates, where these comparisons are decided; a sum behaves like its dominant terms together, and its powers and
logarithms like theirs. Where dominant terms of *different* form cancel, nothing is concluded. A limit at 0 is one of
1/v.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt

from dpwitness.proofs.kernel.arith import Undecided
from dpwitness.proofs.kernel.derivations.ring import (
    EULER,
    MAX_POWER,
    ONE,
    ZERO,
    Atom,
    Quotient,
    Sum,
    Term,
    factor,
    number,
    power_of,
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
        elif atom.kind == "log":
            raise Undecided("the logarithm of a logarithm")
        else:
            total = total + e * power_of(Atom("log", of=variable(atom.name).top), ONE)
    for f, k in [*factors, *((f, -k) for f, k in x.bottom)]:
        total = total + number(k) * _log_sum(f if f.sign == 1 else f.scaled(Fraction(-1)))
    return total


def _log_sum(f: Sum) -> Quotient:
    if f.sign != 1:
        raise Undecided("the logarithm of a number that is not seen to be positive")
    return power_of(Atom("log", of=f), ONE)


def _log_number(c: Fraction) -> Quotient:
    """ln c, as a sum over the primes of c where these are small."""
    total = ZERO
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
                total = total + number(sign * k) * power_of(Atom("log", of=number(p).top), ONE)
            p += 1
    return total


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
        if atom.kind == "log":
            raise Undecided("a real power of a logarithm")
        result = result * _atom_power(atom, e * exponent)
    for f, k in [*factors, *((f, -k) for f, k in base.bottom)]:
        positive = f if f.sign == 1 else f.scaled(Fraction(-1))
        if positive.sign != 1:
            raise Undecided("a real power of a number that is not seen to be positive")
        result = result * _atom_power(Atom("power", of=positive), exponent * number(k))
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
    return exp(_log_number(c) * e) if c != 1 else ONE


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
            elif atom.of is not None:
                inner = derivative(Quotient(atom.of), name) / Quotient(atom.of)
                total = total + e * (inner if atom.kind == "power" else inner / power_of(atom, ONE))
    return total


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
            elif atom.of is not None:
                inner = put(Quotient(atom.of), values)
                part = part * (power(inner, exponent) if atom.kind == "power" else power(log(inner), exponent))
        total = total + part
    for f, k in x.bottom:
        total = total / power(put(Quotient(f), values), number(k))
    return total


INFINITY = "infinity"


class Unseen(Undecided):
    """A sign that is not seen to be the same for all values of the variables; `of` is the quotient."""

    def __init__(self, of: Quotient) -> None:
        super().__init__(f"the sign of {of.key[:160]} is not seen to be the same everywhere")
        self.of = of


@dataclass(frozen=True)
class Growth:
    """v^power · e^rate · (ln v)^logs for large v; `rate` holds what grows in v alone."""

    rate: Quotient
    power: Quotient
    logs: int = 0

    def compare(self, other: Growth, name: str) -> int:
        """1 where this one dominates, −1 where the other does, 0 where both are of the same form."""
        rate = self.rate - other.rate
        if rate:
            return _leading_sign(rate, name)
        power = self.power - other.power
        if power:
            return decided(power)
        return (self.logs > other.logs) - (self.logs < other.logs)


STILL = Growth(ZERO, ZERO)


def decided(x: Quotient) -> int:
    """The sign, which must be seen."""
    sign = x.sign
    if sign is None:
        raise Unseen(x)
    return sign


def _leading_sign(rate: Quotient, name: str) -> int:
    """The sign for large v of what grows beyond all bounds."""
    growth, c = leading(rate, name)
    if growth.compare(STILL, name) <= 0:
        raise Undecided("an exponent does not grow")
    return decided(c)


def _growing(e: Quotient, name: str) -> tuple[Quotient, Quotient, bool]:
    """An exponent of Euler's number as what grows with v, what does not depend on it, and whether that is all.

    What vanishes is left out. A power of a sum L + R with dominant L is :math:`L^e + eL^{e-1}R` up to terms of the size of
    :math:`L^{e-1}R \cdot R/L`, which vanish where :math:`L^{e-1}R` stays bounded.
    """
    if name not in e.variables:
        return ZERO, e, True
    if any(name in f.variables for f, _ in e.bottom):
        flat, _ = leading(e, name)
        if flat.compare(STILL, name) > 0:
            raise Undecided("an exponent grows like a quotient")
        found = limit(e, name, at_zero=False)
        assert isinstance(found, Quotient)
        return ZERO, found, False
    up, still, exact = ZERO, ZERO, True
    for term, c in e.top.terms.items():
        replaced, whole = _plain(term, name)
        for one, k in replaced.top.terms.items():
            part = Quotient(Sum({one: k}), replaced.bottom) * Quotient(Sum({(): c}), e.bottom)
            growth, d = leading(part, name)
            order = growth.compare(STILL, name)
            if order > 0:
                up = up + part
            elif order == 0:
                still = still + d
            exact &= order >= 0
        exact &= whole
    return up, still, exact


def _plain(term: Term, name: str) -> tuple[Quotient, bool]:
    """A term with powers of sums in v replaced by those of their dominant parts, and whether nothing was replaced."""
    result, extra, exact = ONE, ZERO, True
    powers = [a for a, _ in term if a.kind == "power" and name in a.variables]
    rest = Quotient(Sum({tuple((a, x) for a, x in term if a.kind != "power" or name not in a.variables): Fraction(1)}))
    for atom, e in term:
        if atom.kind == "log" and name in atom.variables:
            raise Undecided("an exponent with a logarithm")
        if atom == EULER and name in e.variables and not _growing(e, name)[2]:
            raise Undecided("an exponential of an exponential is not known exactly")
        if atom.kind == "power" and name in atom.variables and atom.of is not None:
            growth, d = _leading_sum(atom.of, name)
            if growth.logs or growth.rate:
                raise Undecided("an exponent with a power of exponentials")
            main = d * power_of(Atom("var", name), growth.power)
            small = Quotient(atom.of) - main
            if small:
                order, c = leading(rest * power(main, e - ONE) * small, name)
                size = order.compare(STILL, name)
                if size > 0 or len(powers) > 1:
                    raise Undecided("an exponent is not known up to what vanishes")
                extra, exact = e * c if size == 0 else ZERO, False
            result = result * power(main, e)
    return result * rest + extra, exact


def leading(x: Quotient, name: str) -> tuple[Growth, Quotient]:
    """How a quotient grows for v → ∞, and the coefficient of that."""
    top, c = _leading_sum(x.top, name)
    for f, k in x.bottom:
        if name in f.variables:
            below, d = _leading_sum(f, name)
            n = number(k)
            top = Growth(top.rate - below.rate * n, top.power - below.power * n, top.logs - below.logs * k)
            c = c / power(d, n)
        else:
            c = c / power(Quotient(f), number(k))
    return top, c


def _leading_sum(one: Sum, name: str) -> tuple[Growth, Quotient]:
    if not one:
        return Growth(ZERO, ZERO), ZERO
    best: Growth | None = None
    total = ZERO
    for term, c in one.terms.items():
        growth, d = _leading_term(term, name)
        order = 1 if best is None else growth.compare(best, name)
        part = number(c) * d
        if order > 0:
            best, total = growth, part
        elif order == 0:
            total = total + part
    assert best is not None
    if not total:
        raise Undecided("the dominant terms cancel")
    return best, total


def _leading_term(term: Term, name: str) -> tuple[Growth, Quotient]:
    rate, degree, logs, c = ZERO, ZERO, 0, ONE
    for atom, e in term:
        if atom == EULER:
            up, still, _ = _growing(e, name)
            rate, c = rate + up, c * exp(still)
        elif name in e.variables:
            raise Undecided("a variable exponent")
        elif name not in atom.variables:
            c = c * power_of(atom, e)
        elif atom.kind == "var":
            degree = degree + e
        elif atom.kind == "log":
            if atom.of != variable(name).top or e.constant is None:
                raise Undecided("the logarithm of a sum that grows")
            logs += int(e.constant)
        elif atom.of is not None:
            inner, d = _leading_sum(atom.of, name)
            if inner.logs:
                raise Undecided("a power of logarithms")
            rate, degree = rate + inner.rate * e, degree + inner.power * e
            c = c * power(d, e)
    return Growth(rate, degree, logs), c


def _without_logs(x: Quotient, name: str) -> Quotient:
    """Logarithms of sums replaced by those of their dominant terms: the difference tends to 0.

    Only where they occur by themselves, with coefficients that do not depend on v.
    """
    grown = [a for t in x.top.terms for a, _ in t if a.kind == "log" and name in a.variables]
    if not any(a.of != variable(name).top for a in grown):
        return x
    if any(name in f.variables for f, _ in x.bottom):
        raise Undecided("logarithms in a quotient")
    total = ZERO
    for term, c in x.top.terms.items():
        logs = [(a, e) for a, e in term if a.kind == "log" and name in a.variables]
        rest = tuple((a, e) for a, e in term if not (a.kind == "log" and name in a.variables))
        part = Quotient(Sum({rest: c}), x.bottom)
        if logs:
            if len(logs) > 1 or logs[0][1] != ONE or name in part.variables or logs[0][0].of is None:
                raise Undecided("logarithms in a product")
            growth, d = _leading_sum(logs[0][0].of, name)
            if growth.logs:
                raise Undecided("the logarithm of a logarithm")
            by_v = power_of(Atom("log", of=variable(name).top), ONE)
            part = part * (growth.rate + growth.power * by_v + log(d))
        total = total + part
    return total


def limit(x: Quotient, name: str, *, at_zero: bool) -> Quotient | str:
    """The limit for a variable → 0 or → ∞: a quotient, or `INFINITY` or its negative ``"-infinity"``."""
    if name not in x.variables:
        return x
    if at_zero:
        x = put(x, {name: variable(name).inverse()})
    x = _without_logs(x, name)
    if name not in x.variables:
        return x
    below, d = leading(Quotient(ONE.top, x.bottom), name)
    terms = [(number(c), *_leading_term(t, name)) for t, c in x.top.terms.items()]
    order = max(Growth(g.rate + below.rate, g.power + below.power, g.logs).compare(STILL, name) for _, g, _ in terms)
    if order < 0:
        return ZERO
    if order == 0:  # every term has a finite limit
        total = ZERO
        for c, g, e in terms:
            if not Growth(g.rate + below.rate, g.power + below.power, g.logs).compare(STILL, name):
                total = total + c * e * d
        return total
    growth, c = leading(x, name)
    order = growth.compare(STILL, name)
    if order < 0:
        return ZERO
    if order == 0:
        return c
    return INFINITY if decided(c) > 0 else "-" + INFINITY


def ratio_limit(one: Quotient, other: Quotient, name: str, *, at_zero: bool) -> Quotient | str:
    """The limit of one/other, two positive quotients, from their dominant terms."""
    if at_zero:
        one, other = (put(x, {name: variable(name).inverse()}) for x in (one, other))
    (g, c), (k, d) = leading(one, name), leading(other, name)
    order = g.compare(k, name)
    return c / d if order == 0 else INFINITY if order > 0 else ZERO
