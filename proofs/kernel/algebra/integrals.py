"""Rigorous integrals of formulas in one variable: Petras' algorithm of Arb, with every branch cut checked."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import acb, arb, ctx, fmpq

from dpwitness.proofs.kernel.algebra.expr import Expr
from dpwitness.proofs.kernel.arith import Rejected, Undecided, integrate

Function = Callable[[Any, bool], Any]


def complex_function(expr: Expr) -> Function:
    """The formula as a function of a complex ball; not finite where `analytic` is asked for and it may not be analytic.

    The formula is walked once, not at every point, and what does not depend on the point is computed once: an enclosure
    of it stays one at any precision.
    """
    if expr.op == "var":
        return lambda x, analytic: x
    if expr.op == "num":
        return _constant(acb(fmpq(expr.value.numerator, expr.value.denominator)))
    if expr.op in ("pi", "E"):
        return _constant(acb(arb.pi() if expr.op == "pi" else arb(1).exp()))
    args = [complex_function(a) for a in expr.args]
    made = _binary(expr, *args) if len(args) == 2 else _unary(expr.op, *args)
    return made if expr.variables() else _constant(made(acb(0), True))  # not finite on a branch cut


def _constant(value: Any) -> Function:
    return lambda x, analytic: value


def _unary(op: str, f: Function) -> Function:
    if op in ("neg", "pos"):
        return (lambda x, analytic: -f(x, analytic)) if op == "neg" else f
    if op in ("exp", "sinh", "cosh", "tanh", "erf", "erfc"):
        plain = getattr(acb, op)
        return lambda x, analytic: plain(f(x, analytic))
    if op in ("log", "sqrt", "Abs", "sign"):
        cut = getattr(acb, {"Abs": "real_abs", "sign": "real_sgn"}.get(op, op))
        return lambda x, analytic: cut(f(x, analytic), analytic=analytic)
    if op == "atan":
        return lambda x, analytic: _atan(f(x, analytic), analytic)
    raise Rejected(f"{op!r} cannot be integrated")


def _atan(a: Any, analytic: bool) -> Any:
    if analytic and not (abs(a.imag) < 1 or a.real > 0 or a.real < 0):
        return acb(arb.nan(), arb.nan())
    return a.atan()


def _binary(expr: Expr, f: Function, g: Function) -> Function:
    if expr.op == "+":
        return lambda x, analytic: f(x, analytic) + g(x, analytic)
    if expr.op == "-":
        return lambda x, analytic: f(x, analytic) - g(x, analytic)
    if expr.op == "*":
        return lambda x, analytic: f(x, analytic) * g(x, analytic)
    if expr.op == "/":
        return lambda x, analytic: f(x, analytic) / g(x, analytic)
    if expr.op in ("Max", "Min"):
        choose = acb.real_max if expr.op == "Max" else acb.real_min
        return lambda x, analytic: choose(f(x, analytic), g(x, analytic), analytic=analytic)
    exponent = expr.args[1]
    if exponent.op == "num" and exponent.value.denominator == 1:
        whole = int(exponent.value)
        return lambda x, analytic: f(x, analytic) ** whole
    return lambda x, analytic: f(x, analytic).pow(g(x, analytic), analytic=analytic)


def integral(expr: Expr, low: Fraction, high: Fraction) -> Any:
    """A ball that contains ∫ of the formula over [low, high], at the current precision.

    >>> from dpwitness.proofs.kernel.algebra.expr import parse
    >>> integral(parse("exp(-Abs(z))"), Fraction(-40), Fraction(40)).contains(2 - 2 * arb(-40).exp())
    True
    """
    if low == high:
        return arb(0)
    tolerance = arb(2) ** (8 - ctx.prec)
    function = complex_function(expr)
    value = integrate(
        lambda x, analytic: function(x, bool(analytic)),
        low,
        high,
        rel_tol=tolerance,
        abs_tol=tolerance * tolerance,
    )
    if not value.is_finite():
        raise Undecided(f"the integral over [{low}, {high}] was not enclosed")
    return value.real
