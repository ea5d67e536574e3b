r"""Limits of quotients, and how fast they grow.

**Limits.** For :math:`v\to\infty` a term is :math:`c\,v^a e^{E(v)}` times what does not depend on v, E a polynomial
in v (real powers allowed) without terms that stay bounded. Of two terms the one with the larger E, then the larger a
dominates, where these comparisons are decided; a sum behaves like its dominant terms together, and its powers and
logarithms like theirs. Where dominant terms of *different* form cancel, nothing is concluded. A limit at 0 is that
of 1/v.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from dpwitness.proofs.kernel.arith import Undecided
from dpwitness.proofs.kernel.derivations.atoms import EULER, Atom
from dpwitness.proofs.kernel.derivations.functions import HALF, decided, exp, log, power, put, special
from dpwitness.proofs.kernel.derivations.ring import ONE, ZERO, Quotient, Sum, Term, number, power_of, variable

INFINITY = "infinity"


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


def _leading_sign(rate: Quotient, name: str) -> int:
    """The sign for large v of what grows beyond all bounds."""
    growth, c = leading(rate, name)
    if growth.compare(STILL, name) <= 0:
        raise Undecided("an exponent does not grow")
    return decided(c)


def _growing(e: Quotient, name: str) -> tuple[Quotient, Quotient, bool]:
    r"""An exponent of Euler's number as what grows with v, what does not depend on it, and whether that is all.

    What vanishes is left out. A power of a sum L + R with dominant L is :math:`L^e + eL^{e-1}R` up to terms of the size
    of :math:`L^{e-1}R \cdot R/L`, which vanish where :math:`L^{e-1}R` stays bounded.
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
    power_of_e = next((e for a, e in term if a == EULER and name in e.variables), ZERO)
    up, still, known = _growing(power_of_e, name)
    if not known:  # e^(still + what vanishes), beside factors that stay bounded
        others = tuple((a, e) for a, e in term if a != EULER)
        if up or (others and _leading_term(others, name)[0].compare(STILL, name) > 0):
            raise Undecided("an exponential of an exponential is not known exactly")
        return _plain(others, name)[0] * exp(still), False
    result, extra, exact = ONE, ZERO, True
    powers = [a for a, _ in term if a.kind == "power" and name in a.variables]
    rest = Quotient(Sum({tuple((a, x) for a, x in term if a.kind != "power" or name not in a.variables): Fraction(1)}))
    for atom, e in term:
        if atom.kind == "log" and name in atom.variables:
            raise Undecided("an exponent with a logarithm")
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
        elif atom.of is None:
            raise Undecided(f"{atom.kind} of what depends on the variable")
        else:
            inner, d = _leading_sum(atom.of, name)
            if inner.logs:
                raise Undecided("a power of logarithms")
            rate, degree = rate + inner.rate * e, degree + inner.power * e
            c = c * power(d, e)
    return Growth(rate, degree, logs), c


def _settled(x: Quotient, name: str) -> Quotient:
    """erfc and atan replaced by their limits, in terms whose other factors stay bounded (or, for a limit 0, do not grow
    like an exponential: erfc falls faster than any power).
    """
    if not any(a.at is not None and name in a.variables for t in x.top.terms for a, _ in t):
        return x
    if any(name in f.variables for f, _ in x.bottom):
        raise Undecided("a special function in a quotient")
    total = ZERO
    for term, c in x.top.terms.items():
        special_ones = [(a, e) for a, e in term if a.at is not None and name in a.variables]
        rest = tuple((a, e) for a, e in term if a.at is None or name not in a.variables)
        growth = _leading_term(rest, name)[0] if rest else STILL
        part = Quotient(Sum({rest: c}), x.bottom)
        for atom, e in special_ones:
            assert atom.at is not None
            if e.constant is None or e.constant.denominator != 1 or e.constant <= 0:
                raise Undecided("a power of a special function")
            end = limit(atom.at, name, at_zero=False)
            if end == INFINITY and atom.kind == "erfc":
                if growth.rate or not _fast(atom.at, name):
                    raise Undecided("a special function beside exponentials")
                part = ZERO
                continue
            if growth.compare(STILL, name) > 0:
                raise Undecided("a special function beside what grows")
            if isinstance(end, Quotient):
                value = special(atom.kind, end)
            else:
                value = (
                    number(2) if atom.kind == "erfc" else variable("pi") * HALF * number(1 if end == INFINITY else -1)
                )
            part = part * power(value, e)
        total = total + part
    return total


def _fast(x: Quotient, name: str) -> bool:
    """Whether x grows at least like a power of v."""
    growth, _ = leading(x, name)
    return bool(growth.rate) or decided(growth.power) > 0


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
    x = _without_logs(_settled(x, name), name)
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
