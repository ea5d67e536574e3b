"""Values of a formula: enclosures over a box, and exact values at a rational point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from flint import arb, ctx

from dpwitness.proofs.kernel.algebra.expr import Expr
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.algebra.interval import INF, NEG_INF, ONE, ZERO, Interval
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.limits import tick


def over(expr: Expr, box: Mapping[str, Interval]) -> Interval:
    """An interval that contains every value of the formula on the box (natural interval extension).

    >>> from dpwitness.proofs.kernel.algebra.expr import parse
    >>> over(parse("1/(1+x**2)"), {"x": Interval.of(1, None)}).hi
    0.500000000000000
    """
    memo: dict[int, Interval] = {}

    def value(node: Expr) -> Interval:
        key = id(node)
        if key not in memo:
            tick()
            memo[key] = _over(node, box, value)
        return memo[key]

    return value(expr)


@lru_cache(maxsize=4096)
def _number(value: Fraction, bits: int) -> Interval:
    """A number at the precision in force, which is `bits`."""
    return Interval.of(value, value)


def _over(node: Expr, box: Mapping[str, Interval], value: Callable[[Expr], Interval]) -> Interval:
    if node.op == "num":
        return _number(node.value, ctx.prec)
    if node.op == "var":
        if node.name not in box:
            raise Rejected(f"the variable {node.name!r} has no range")
        return box[node.name]
    if node.op == "pi":
        return Interval.around(arb.pi())
    if node.op == "E":
        return Interval.around(arb(1).exp())
    args = [value(a) for a in node.args]
    a = args[0]
    if len(args) == 2:
        return _binary(node, a, args[1])
    if node.op == "neg":
        return -a
    if node.op in ("exp", "log", "sqrt", "abs", "sign"):
        return getattr(a, node.op)()  # type: ignore[no-any-return]
    if node.op == "Abs":
        return a.abs()
    if node.op == "pos":
        return a.meet(Interval(ZERO, INF))
    if node.op == "flat":
        if 0 in a:
            raise Undecided("the derivative of a sign where it may jump")
        return Interval(ZERO, ZERO)
    if node.op == "erf":
        return a.rising(lambda x: x.erf(), -ONE, ONE)
    if node.op == "erfc":
        image = (-a).rising(lambda x: (-x).erfc(), ZERO, ONE + ONE)
        return Interval(image.lo if image.lo > 0 else ZERO, image.hi)
    if node.op in ("sin", "cos"):
        if not a.finite:
            return Interval(-ONE, ONE)
        ball = a.lo.union(a.hi)
        return Interval.around(ball.sin() if node.op == "sin" else ball.cos()).meet(Interval(-ONE, ONE))
    if node.op == "sinh":
        return a.rising(lambda x: x.sinh(), NEG_INF, INF)
    if node.op == "cosh":
        return a.abs().rising(lambda x: x.cosh(), INF, INF)
    if node.op == "tanh":
        return a.rising(lambda x: x.tanh(), -ONE, ONE)
    if node.op == "atan":
        half = Interval.around(arb.pi() / 2)
        return a.rising(lambda x: x.atan(), -half.hi, half.hi)
    raise Rejected(f"unknown operation {node.op!r}")


def _binary(node: Expr, a: Interval, b: Interval) -> Interval:
    if node.op == "+":
        return a + b
    if node.op == "-":
        return a - b
    if node.op == "*":
        return a.power(2) if node.args[0] == node.args[1] else a * b
    if node.op == "/":
        return a / b
    if node.op == "Min":
        return a.minimum(b)
    if node.op == "Max":
        return a.maximum(b)
    exponent = node.args[1]
    if exponent.op == "num" and exponent.value.denominator == 1:
        return a.power(int(exponent.value))
    return a.real_power(b)


class Inexact(ArithmeticError):
    """The value at this point is not in the field of exponential sums."""


Quotient = tuple[ExpSum, ExpSum]


def exact_sign(expr: Expr, point: Mapping[str, Fraction]) -> int | None:
    """The sign at a rational point, decided exactly, or None where the value is not a quotient of exponential sums.

    >>> from dpwitness.proofs.kernel.algebra.expr import parse
    >>> exact_sign(parse("exp(x) * exp(-x) - 1"), {"x": Fraction(1, 3)})
    0
    """
    try:
        top, bottom = exact_value(expr, point)
    except Inexact:
        return None
    return top.sign() * bottom.sign()


def exact_value(expr: Expr, point: Mapping[str, Fraction]) -> Quotient:
    """The value at a rational point as a quotient of exponential sums; raises `Inexact` where it is not one."""
    one = ExpSum.of(1)
    if expr.op == "num":
        return ExpSum.of(expr.value), one
    if expr.op == "var":
        return ExpSum.of(point[expr.name]), one
    if expr.op == "E":
        return ExpSum.exp(1), one
    if expr.op == "pi":
        raise Inexact
    args = [exact_value(a, point) for a in expr.args]
    top, bottom = args[0]
    if expr.op == "neg":
        return -top, bottom
    if expr.op == "pos":
        return top, bottom
    if expr.op in ("+", "-"):
        other, below = args[1]
        if below == bottom:
            return (top + other if expr.op == "+" else top - other), bottom
        return (top * below + other * bottom if expr.op == "+" else top * below - other * bottom), bottom * below
    if expr.op == "*":
        return top * args[1][0], bottom * args[1][1]
    if expr.op == "/":
        if args[1][0].sign() == 0:
            raise Undecided("division by zero at a point")
        return top * args[1][1], bottom * args[1][0]
    if expr.op in ("Min", "Max"):
        other, below = args[1]
        order = (top * below - other * bottom).sign() * bottom.sign() * below.sign()
        return args[0] if (order <= 0) == (expr.op == "Min") else args[1]
    if expr.op == "flat":
        if top.sign() == 0:
            raise Undecided("the derivative of a sign where it jumps")
        return ExpSum.of(0), one
    if expr.op in ("Abs", "sign"):
        sign = top.sign() * bottom.sign()
        return (ExpSum.of(sign), one) if expr.op == "sign" else ((top, bottom) if sign >= 0 else (-top, bottom))
    if expr.op == "**":
        return _exact_power(args[0], args[1])
    return _exact_function(expr.op, args[0])


def _rational(value: Quotient) -> Fraction | None:
    top, bottom = value[0].rational, value[1].rational
    return None if top is None or bottom is None else top / bottom


def _exact_power(base: Quotient, exponent: Quotient) -> Quotient:
    n = _rational(exponent)
    if n is None or n.denominator != 1 or abs(n) > 64:
        raise Inexact
    top, bottom = base if n >= 0 else base[::-1]
    if bottom.sign() == 0:
        raise Undecided("division by zero at a point")
    result = ExpSum.of(1), ExpSum.of(1)
    for _ in range(abs(int(n))):
        result = result[0] * top, result[1] * bottom
    return result


def _exact_function(op: str, value: Quotient) -> Quotient:
    one, x = ExpSum.of(1), _rational(value)
    if op == "exp" and x is not None:
        return ExpSum.exp(x), one
    if op == "log" and len(value[0].terms) == len(value[1].terms) == 1:
        ((r, c),), ((s, d),) = value[0].terms.items(), value[1].terms.items()
        if c == d:
            return ExpSum.of(r - s), one
    if op == "sqrt" and x is not None and x >= 0:
        top, bottom = isqrt(x.numerator), isqrt(x.denominator)
        if top * top == x.numerator and bottom * bottom == x.denominator:
            return ExpSum.of(Fraction(top, bottom)), one
    if x == 0 and op in ("erf", "sin", "sinh", "tanh", "atan"):
        return ExpSum.of(0), one
    if x == 0 and op in ("erfc", "cos", "cosh"):
        return one, one
    if x is not None and op in ("sinh", "cosh"):
        other = ExpSum.exp(-x)
        return (ExpSum.exp(x) - other if op == "sinh" else ExpSum.exp(x) + other), ExpSum.of(2)
    if x is not None and op == "tanh":
        return ExpSum.exp(2 * x) - 1, ExpSum.exp(2 * x) + 1
    raise Inexact
