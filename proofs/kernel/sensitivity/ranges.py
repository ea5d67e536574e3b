r"""The range of a function of one record, by monotone pieces.

``{"formula", "low", "high", "pieces": [{"to": "1/2", "by": "rising", "slope": tree}, …]}``: the record z runs through
its interval from left to right. On a piece the function rises or falls (its slope has that sign, shown by a tree of
`cells`), or interval arithmetic shows that it stays within low and high (``"inside"``). Where it is monotone, its
values lie between those at the ends of the piece; these are compared with ``low`` and ``high``, which are formulas
without z: as the same formula, exactly, or by enclosures. The function must be defined on the whole interval.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.cells import BITS, Box, intervals, verify
from dpwitness.proofs.kernel.algebra.expr import Expr, num, parse, rebuild
from dpwitness.proofs.kernel.algebra.interval import Interval
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import Rejected, Undecided, number, precision
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.sensitivity.language import parse_function
from dpwitness.proofs.kernel.sensitivity.values import simplify

MAX_PIECES = 40


def resolved(expr: Expr, box: Box) -> Expr:
    """The formula with \\|a\\|, Min and Max replaced where their branch is certain on the closed box."""
    args = tuple(resolved(a, box) for a in expr.args)
    if expr.op in ("Abs", "Min", "Max"):
        gap = args[0] if expr.op == "Abs" else args[0] - args[1]
        value = over(gap, intervals(box))
        if value.lo >= 0 or value.hi <= 0:
            up = bool(value.lo >= 0)
            if expr.op == "Abs":
                return args[0] if up else -args[0]
            return args[0] if up == (expr.op == "Max") else args[1]
    return rebuild(expr, args) if args else expr


def rebuilt(expr: Expr) -> Expr:
    """The formula with its simplest parts put together."""
    return rebuild(expr, tuple(rebuilt(a) for a in expr.args)) if expr.args else expr


def at(expr: Expr, place: Fraction) -> Expr:
    """The value at one record, simplified where that is exact."""
    if expr.op == "var":
        return num(place) if expr.name == "z" else expr
    args = tuple(at(a, place) for a in expr.args)
    if any(a.variables() for a in args):
        return rebuild(expr, args)
    return simplify(expr.op, args) if args else (Expr("exp", (num(1),)) if expr.op == "E" else expr)


def below(a: Expr, b: Expr, params: Box) -> bool:
    """Whether a ≤ b for all public parameters: the same formula, or by enclosures."""
    if a == b:
        return True
    gap = simplify("-", (b, a)) if not (a.variables() | b.variables()) else b - a
    if gap.op == "num":
        return gap.value >= 0
    try:
        return bool(over(gap, intervals(params)).lo >= 0)
    except Undecided:
        return False


def check_range(item: Mapping[str, Any], ends: tuple[Fraction, Fraction], params: Box) -> tuple[Expr, Expr, Expr]:
    """The formula in z, its lower and its upper bound, verified for every record and all public parameters.

    >>> piece = {"to": "1", "by": "rising", "slope": {"by": "interval"}}
    >>> made = {"formula": "exp(z)", "low": "1", "high": "exp(1)", "pieces": [piece]}
    >>> [str(e) for e in check_range(made, (Fraction(0), Fraction(1)), {})]
    ['exp(z)', '1', 'exp(1)']
    """
    formula, low_text, high_text, pieces = fields(item, "formula", "low", "high", "pieces")
    raw = parse_function(formula, ("z", *params))
    expr = rebuilt(raw)
    low, high = (at(parse(t, frozenset(params)), Fraction(0)) for t in (low_text, high_text))
    if not isinstance(pieces, list) or not 1 <= len(pieces) <= MAX_PIECES:
        raise Rejected(f"1 to {MAX_PIECES} pieces")
    start = ends[0]
    with precision(BITS):
        for piece in pieces:
            stop, rule = number(piece.get("to")), piece.get("by")
            if not start < stop <= ends[1]:
                raise Rejected("the pieces follow each other from the lower end to the upper end")
            box = {**params, "z": (start, stop)}
            if rule == "inside":
                fields(piece, "to", "by")
                _inside(expr, low, high, box)
            else:
                _monotone(expr, low, high, box, piece, params)
            over(raw, intervals(box))  # defined on the whole piece, with nothing simplified away: raises otherwise
            start = stop
    if start != ends[1]:
        raise Rejected("the pieces do not reach the upper end")
    return raw, low, high


def _inside(expr: Expr, low: Expr, high: Expr, box: Box) -> None:
    value = over(expr, intervals(box))
    ranges = intervals(box)
    if not (value.lo >= _end(low, ranges).hi and value.hi <= _end(high, ranges).lo):
        raise Rejected("interval arithmetic does not keep a piece within its bounds")


def _end(expr: Expr, ranges: Mapping[str, Interval]) -> Interval:
    return over(expr, ranges)


def _monotone(expr: Expr, low: Expr, high: Expr, box: Box, piece: Mapping[str, Any], params: Box) -> None:
    _, rule, slope = fields(piece, "to", "by", "slope")
    if rule not in ("rising", "falling"):
        raise Rejected("a piece is rising, falling or inside")
    plain = resolved(expr, box)
    derivative = plain.derivative("z")
    verify(derivative if rule == "rising" else -derivative, box, False, slope)
    left, right = (at(expr, end) for end in box["z"] if end is not None)
    small, large = (left, right) if rule == "rising" else (right, left)
    if not below(low, small, params) or not below(large, high, params):
        raise Rejected(f"the value at an end of a piece is not between {low} and {high}")


__all__ = ["at", "check_range"]
