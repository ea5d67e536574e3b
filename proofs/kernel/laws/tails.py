r"""Formulas far out: enclosures that hold for every z ≥ T.

A tail term is :math:`c\,z^p \exp(\sum_q e_q z^q)` with a coefficient c (exact, or an interval when it varies with z), a
rational power p and rational :math:`e_q`; a tail value is a sum of terms. Sums are kept until a quotient or a power
needs one term; then all others are absorbed into the coefficient of the dominant one.

**Decay lemma.** Let :math:`r(z) = z^p \exp(\sum_q e_q z^q)` with largest exponent m and :math:`e_m < 0`, T ≥ 1 and
:math:`\kappa = m|e_m| - \sum_{e_q>0} q\,e_q T^{q-m} - \max(p,0)T^{-m} \ge 0`. For z ≥ T, :math:`-z\,(\ln r)' \ge
\kappa z^m \ge \kappa T^m =: s`, since :math:`z^q \le z^m T^{q-m}`. So r does not rise, :math:`r(z) \le r(T)(z/T)^{-s}`,
and :math:`\int_T^\infty r \le r(T)\,T/(s-1)` if s > 1. Without an exponential part the same holds with s = −p.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from dpwitness.proofs.kernel.algebra.expr import Expr
from dpwitness.proofs.kernel.algebra.interval import INF, ONE, ZERO, Interval
from dpwitness.proofs.kernel.arith import Undecided, ball

MAX_TERMS = 400
Growth = tuple[tuple[Fraction, Fraction], ...]


@dataclass(frozen=True)
class Term:
    """c·z^p·exp(Σ e_q z^q) for z ≥ T; `growth` lists (q, e_q) with the largest q first."""

    coefficient: Fraction | Interval
    power: Fraction
    growth: Growth = ()

    @property
    def interval(self) -> Interval:
        """The coefficient as an interval."""
        c = self.coefficient
        return c if isinstance(c, Interval) else Interval.of(c, c)

    def rate(self, start: Fraction) -> Any:
        """The s of the decay lemma on z ≥ start, as an exact lower bound; None where the term is not seen to decay."""
        if not self.growth:
            return ball(-self.power) if self.power <= 0 else None
        m, e = self.growth[0]
        if e >= 0:
            return None
        t = ball(start)
        kappa = ball(-m * e) - ball(max(self.power, Fraction(0))) * t ** ball(-m)
        for q, coefficient in self.growth[1:]:
            if coefficient > 0:
                kappa -= ball(q * coefficient) * t ** ball(q - m)
        return (kappa * t ** ball(m)).lower() if kappa >= 0 else None

    def size(self, start: Fraction) -> Any:
        """z^p·exp(Σ e_q z^q) at z = start."""
        t = ball(start)
        exponent = arb(0)
        for q, e in self.growth:
            exponent += ball(e) * t ** ball(q)
        return t ** ball(self.power) * exponent.exp()


Tail = tuple[Term, ...]


def tail(expr: Expr, start: Fraction) -> Tail:
    """The formula in z for z ≥ start, as a sum of terms.

    >>> from dpwitness.proofs.kernel.algebra.expr import parse
    >>> single(tail(parse("1/(1+Abs(z)**4)"), Fraction(10)), Fraction(10)).power
    Fraction(-4, 1)
    """
    if start < 1:
        raise ValueError(f"start={start} must be at least 1")
    if expr.op == "num":
        return (Term(expr.value, Fraction(0)),) if expr.value else ()
    if expr.op == "var":
        return (Term(Fraction(1), Fraction(1)),)
    if expr.op in ("pi", "E"):
        return (Term(Interval.around(arb.pi() if expr.op == "pi" else arb(1).exp()), Fraction(0)),)
    args = [tail(a, start) for a in expr.args]
    a = args[0]
    if expr.op == "neg":
        return _scale(a, Fraction(-1))
    if expr.op in ("+", "-"):
        return _add(a, args[1] if expr.op == "+" else _scale(args[1], Fraction(-1)))
    if expr.op == "*":
        return _multiply(a, args[1])
    if expr.op == "/":
        return _multiply(a, _raise(args[1], Fraction(-1), start))
    if expr.op == "**":
        exponent = _constant(args[1])
        if exponent.denominator == 1 and 0 < exponent <= 6:
            result = a
            for _ in range(int(exponent) - 1):
                result = _multiply(result, a)
            return result
        return _raise(a, exponent, start)
    return _function(expr.op, args, start)


def _function(op: str, args: Sequence[Tail], start: Fraction) -> Tail:
    a = args[0]
    if op == "exp":
        return _exp(a, start)
    if op == "sqrt":
        return _raise(a, Fraction(1, 2), start)
    if op in ("Abs", "sign"):
        if not a:
            return ()
        up = _sign(a, start)
        return (Term(Fraction(up), Fraction(0)),) if op == "sign" else _scale(a, Fraction(up))
    if op == "flat":
        _sign(a, start)
        return ()
    if op in ("Max", "Min"):
        difference = _add(a, _scale(args[1], Fraction(-1)))
        first = not difference or (_sign(difference, start) > 0) == (op == "Max")
        return a if first else args[1]
    if op in ("cosh", "sinh", "tanh"):
        plus, minus = _exp(a, start), _exp(_scale(a, Fraction(-1)), start)
        if op == "cosh":
            return _scale(_add(plus, minus), Fraction(1, 2))
        difference = _add(plus, _scale(minus, Fraction(-1)))
        if op == "sinh":
            return _scale(difference, Fraction(1, 2))
        return _multiply(difference, _raise(_add(plus, minus), Fraction(-1), start))
    if op == "log":
        term = single(a, start)
        if term.power == 0 and term.interval.lo > 0:
            log = (Term(term.interval.log(), Fraction(0)),) if term.coefficient != 1 else ()
            return _add(log, tuple(Term(e, q) for q, e in term.growth))
        raise Undecided("the logarithm of a power of z is outside the tail calculus")
    if op == "atan" and a == (Term(Fraction(1), Fraction(1)),):
        return (Term(Interval.of(start, None).rising(lambda x: x.atan(), ZERO, (arb.pi() / 2).upper()), Fraction(0)),)
    raise Undecided(f"{op} is outside the tail calculus")


def single(value: Tail, start: Fraction) -> Term:
    """One term that contains the whole sum: the dominant one, with the rest in its coefficient."""
    if not value:
        return Term(Fraction(0), Fraction(0))
    best = max(value, key=lambda term: (*_order(term), term.power))
    if len(value) == 1:
        return best
    total = best.interval
    for term in value:
        if term is best:
            continue
        ratio = Term(Fraction(1), term.power - best.power, _merge(term.growth, best.growth, -1))
        if ratio.rate(start) is None:
            raise Undecided("a sum has no dominant term from here on")
        bound = Interval(ZERO, ratio.size(start).upper())
        total = total + term.interval * bound
    return Term(total, best.power, best.growth)


def _order(term: Term) -> tuple[Any, ...]:
    """A sort key: e_q compared from the largest q on (all terms are compared over the same grid of exponents)."""
    return (_Growth(term.growth),)


@dataclass(frozen=True)
class _Growth:
    growth: Growth

    def __lt__(self, other: _Growth) -> bool:
        difference = _merge(self.growth, other.growth, -1)
        return bool(difference) and difference[0][1] < 0


def _merge(left: Growth, right: Growth, factor: Fraction | int) -> Growth:
    total = dict(left)
    for q, e in right:
        total[q] = total.get(q, Fraction(0)) + factor * e
    return tuple(sorted(((q, e) for q, e in total.items() if e), reverse=True))


def _add(a: Tail, b: Tail) -> Tail:
    total: dict[tuple[Fraction, Growth], Fraction | Interval] = {}
    for term in (*a, *b):
        key = term.power, term.growth
        old, new = total.get(key), term.coefficient
        if old is None:
            total[key] = new
        elif isinstance(old, Fraction) and isinstance(new, Fraction):
            total[key] = old + new
        else:
            total[key] = Term(old, Fraction(0)).interval + term.interval
    if len(total) > MAX_TERMS:
        raise Undecided("the formula has too many terms for the tail calculus")
    return tuple(Term(c, *key) for key, c in total.items() if c != 0)


def _scale(a: Tail, factor: Fraction) -> Tail:
    return _multiply(a, (Term(factor, Fraction(0)),))


def _multiply(a: Tail, b: Tail) -> Tail:
    if len(a) * len(b) > MAX_TERMS:
        raise Undecided("the formula has too many terms for the tail calculus")
    result: Tail = ()
    for x in a:
        for y in b:
            exact = isinstance(x.coefficient, Fraction) and isinstance(y.coefficient, Fraction)
            c = x.coefficient * y.coefficient if exact else x.interval * y.interval  # type: ignore[operator]
            result = _add(result, (Term(c, x.power + y.power, _merge(x.growth, y.growth, 1)),))
    return result


def _raise(a: Tail, exponent: Fraction, start: Fraction) -> Tail:
    term = single(a, start)
    growth = tuple((q, e * exponent) for q, e in term.growth)
    c = term.coefficient
    if isinstance(c, Fraction) and exponent.denominator == 1 and c != 0:
        return (Term(c ** int(exponent), term.power * exponent, growth),)
    if exponent.denominator == 1:
        return (Term(term.interval.power(int(exponent)), term.power * exponent, growth),)
    if c == 1:
        return (Term(c, term.power * exponent, growth),)
    return (Term(term.interval.real_power(Interval.of(exponent, exponent)), term.power * exponent, growth),)


def _exp(a: Tail, start: Fraction) -> Tail:
    growth: Growth = ()
    factor = Interval(ZERO, ZERO)
    for term in a:
        if not term.growth and term.power > 0:
            if not isinstance(term.coefficient, Fraction):
                raise Undecided("an exponent is not known exactly far out")
            growth = _merge(growth, ((term.power, term.coefficient),), 1)
        elif not term.growth and term.power == 0:
            factor = factor + term.interval
        elif term.rate(start) is not None:
            factor = factor + term.interval * Interval(ZERO, term.size(start).upper())
        else:
            raise Undecided("an exponential of an exponential is outside the tail calculus")
    exact = factor.lo == 0 and factor.hi == 0
    return (Term(Fraction(1) if exact else factor.exp(), Fraction(0), growth),)


def _sign(a: Tail, start: Fraction) -> int:
    coefficient = single(a, start).interval
    if coefficient.lo > 0:
        return 1
    if coefficient.hi < 0:
        return -1
    raise Undecided("a sign is not decided far out")


def _constant(a: Tail) -> Fraction:
    if not a:
        return Fraction(0)
    if len(a) == 1 and not a[0].growth and a[0].power == 0 and isinstance(a[0].coefficient, Fraction):
        return a[0].coefficient
    raise Undecided("an exponent varies with z")


class Diverges(Undecided):
    """The integral far out is infinite."""


def tail_range(expr: Expr, start: Fraction) -> Interval:
    """An interval that contains the formula for every z ≥ start, possibly unbounded."""
    term = single(tail(expr, start), start)
    c = term.interval
    if term.power == 0 and not term.growth:
        return c
    if term.rate(start) is not None:
        return c * Interval(ZERO, term.size(start).upper())
    return c * Interval(ZERO if term.growth else _down(term.size(start)), INF)


def _down(value: Any) -> Any:
    bound = value.lower()
    return bound if bound > 0 else ZERO


def tail_mass(expr: Expr, start: Fraction) -> Any:
    """An upper bound on ∫ of a non-negative formula over z ≥ start; raises `Diverges` where it is infinite.

    >>> from dpwitness.proofs.kernel.algebra.expr import parse
    >>> float(tail_mass(parse("exp(-z)"), Fraction(10))) < 1.2 * 4.54e-5
    True
    """
    term = single(tail(expr, start), start)
    if term.coefficient == 0:
        return ZERO
    s = term.rate(start)
    grows = bool(term.growth) and term.growth[0][1] > 0
    if (grows or (not term.growth and term.power >= -1)) and term.interval.lo > 0:
        raise Diverges("the integral is infinite: the density does not fall fast enough")
    if s is None or not s > ONE:
        raise Undecided("the tail is not seen to decay from here on")
    return (Interval(ZERO, term.interval.hi) * Interval.around(term.size(start) * ball(start) / (s - 1))).hi
