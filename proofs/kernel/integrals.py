"""Rigorous integrals of formulas in one variable: Petras' algorithm of Arb, with every branch cut checked."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import acb, arb, ctx, fmpq

from dpwitness.proofs.kernel.arith import Rejected, Undecided, ball
from dpwitness.proofs.kernel.expr import Expr


def complex_value(expr: Expr, x: Any, analytic: bool) -> Any:
    """The formula at a complex ball; not finite where `analytic` is asked for and the formula may not be analytic."""
    if expr.op == "num":
        return acb(fmpq(expr.value.numerator, expr.value.denominator))
    if expr.op == "var":
        return x
    if expr.op in ("pi", "E"):
        return acb(arb.pi() if expr.op == "pi" else arb(1).exp())
    args = [complex_value(a, x, analytic) for a in expr.args]
    a = args[0]
    if len(args) == 2:
        return _binary(expr, a, args[1], analytic)
    if expr.op in ("neg", "pos"):
        return -a if expr.op == "neg" else a
    if expr.op in ("exp", "sinh", "cosh", "tanh", "erf", "erfc"):
        return getattr(a, expr.op)()
    if expr.op in ("log", "sqrt"):
        return getattr(a, expr.op)(analytic=analytic)
    if expr.op == "Abs":
        return a.real_abs(analytic=analytic)
    if expr.op == "sign":
        return a.real_sgn(analytic=analytic)
    if expr.op == "atan":
        value = a.atan()
        cut = analytic and not (abs(a.imag) < 1 or a.real > 0 or a.real < 0)
        return acb(arb.nan(), arb.nan()) if cut else value
    raise Rejected(f"{expr.op!r} cannot be integrated")


def _binary(expr: Expr, a: Any, b: Any, analytic: bool) -> Any:
    if expr.op == "+":
        return a + b
    if expr.op == "-":
        return a - b
    if expr.op == "*":
        return a * b
    if expr.op == "/":
        return a / b
    if expr.op == "Max":
        return a.real_max(b, analytic=analytic)
    if expr.op == "Min":
        return a.real_min(b, analytic=analytic)
    exponent = expr.args[1]
    if exponent.op == "num" and exponent.value.denominator == 1:
        return a ** int(exponent.value)
    return a.pow(b, analytic=analytic)


def integral(expr: Expr, low: Fraction, high: Fraction) -> Any:
    """A ball that contains ∫ of the formula over [low, high], at the current precision.

    >>> from dpwitness.proofs.kernel.expr import parse
    >>> integral(parse("exp(-Abs(z))"), Fraction(-40), Fraction(40)).contains(2 - 2 * arb(-40).exp())
    True
    """
    if low == high:
        return arb(0)
    tolerance = arb(2) ** (8 - ctx.prec)
    value = acb.integral(
        lambda x, analytic: complex_value(expr, x, bool(analytic)),
        acb(ball(low)),
        acb(ball(high)),
        rel_tol=tolerance,
        abs_tol=tolerance * tolerance,
    )
    if not value.is_finite():
        raise Undecided(f"the integral over [{low}, {high}] was not enclosed")
    return value.real
