"""Formulas as quotients; absolute values, signs, Min and Max go where the sign of what they hold is seen."""

from __future__ import annotations

from collections.abc import Mapping

from dpwitness.proofs.kernel.algebra.expr import Expr, parse
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.derivations.atoms import EULER
from dpwitness.proofs.kernel.derivations.functions import decided as seen
from dpwitness.proofs.kernel.derivations.functions import exp, log, power, special
from dpwitness.proofs.kernel.derivations.ring import ONE, ZERO, Quotient, number, power_of, variable
from dpwitness.proofs.kernel.limits import tick

PI = "pi"  # a positive number of which nothing else is used


def read(expr: Expr, values: Mapping[str, Quotient]) -> Quotient:
    """The formula with its variables replaced; `Undecided` where a sign is needed and not seen.

    >>> from dpwitness.proofs.kernel.algebra.expr import parse
    >>> x = variable("x")
    >>> read(parse("Abs(-y) + Max(1, 1 + y)"), {"y": x}) == x + x + ONE
    True
    """
    tick()
    if expr.op == "num":
        return number(expr.value)
    if expr.op == "var":
        if expr.name not in values:
            raise Rejected(f"the name {expr.name!r} is unknown here; known: {', '.join(sorted(values))}")
        return values[expr.name]
    if expr.op == "pi":
        return variable(PI)
    if expr.op == "E":
        return power_of(EULER, ONE)
    args = [read(a, values) for a in expr.args]
    if len(args) == 2:
        return _binary(expr.op, *args)
    (a,) = args
    if expr.op == "neg":
        return -a
    if expr.op == "exp":
        return exp(a)
    if expr.op == "log":
        return log(a)
    if expr.op == "sqrt":
        return power(a, number(1) / number(2)) if a else ZERO
    if expr.op in ("Abs", "sign"):
        sign = seen(a)
        return (a if sign > 0 else -a) if expr.op == "Abs" else number(sign)
    if expr.op in ("erfc", "erf", "atan"):
        value = special("atan" if expr.op == "atan" else "erfc", a)
        return ONE - value if expr.op == "erf" else value
    if expr.op in ("sinh", "cosh", "tanh"):
        up, down = exp(a), exp(-a)
        half = number(2).inverse()
        if expr.op == "cosh":
            return (up + down) * half
        return (up - down) * half if expr.op == "sinh" else (up - down) / (up + down)
    raise Undecided(f"{expr.op} is outside what is derived with symbols")


def _binary(op: str, a: Quotient, b: Quotient) -> Quotient:
    if op == "+":
        return a + b
    if op == "-":
        return a - b
    if op == "*":
        return a * b
    if op == "/":
        return a / b
    if op == "**":
        return power(a, b)
    if op in ("Min", "Max"):
        return a if (seen(a - b) >= 0) == (op == "Max") else b
    raise Undecided(f"{op} is outside what is derived with symbols")


def formula(source: object, names: Mapping[str, Quotient]) -> Quotient:
    """Text as a quotient."""
    if not isinstance(source, str):
        raise Rejected("a formula is text")
    return read(parse(source, frozenset(names)), names)
