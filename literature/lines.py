"""Piecewise linear inequalities in two variables, and losses that are proportional to a budget."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

import sympy

from dpwitness.literature.finding import Check
from dpwitness.literature.tools import SAMPLES, at, show, to_sympy
from dpwitness.proofs.kernel.algebra.expr import Expr, parse
from dpwitness.proofs.kernel.algebra.values import exact_sign
from dpwitness.proofs.kernel.arith import Undecided

F = Fraction
Pair = tuple[Fraction, Fraction]


def linear(expr: Expr, names: tuple[str, str]) -> Pair | None:
    """The coefficients of a homogeneous linear form, or None where the formula is not one."""
    if expr.op == "var":
        return F(expr.name == names[0]), F(expr.name == names[1])
    if expr.op == "neg":
        inner = linear(expr.args[0], names)
        return None if inner is None else (-inner[0], -inner[1])
    if expr.op in ("+", "-"):
        a, b = (linear(arg, names) for arg in expr.args)
        sign = 1 if expr.op == "+" else -1
        return None if a is None or b is None else (a[0] + sign * b[0], a[1] + sign * b[1])
    if expr.op == "*" and expr.args[0].op == "num":
        inner, c = linear(expr.args[1], names), expr.args[0].value
        return None if inner is None else (c * inner[0], c * inner[1])
    return None


def kinks(expr: Expr, names: tuple[str, str]) -> Iterator[Pair]:
    """The lines on which a piecewise linear formula may bend; raises where it is not piecewise linear."""
    if linear(expr, names) is not None:
        return
    if expr.op == "Abs":
        form = linear(expr.args[0], names)
        if form is None:
            raise Undecided(f"{expr} is not an absolute value of a linear form")
        yield form
    elif expr.op in ("+", "-", "neg") or (expr.op == "*" and expr.args[0].op == "num"):
        for arg in expr.args:
            if arg.op != "num":
                yield from kinks(arg, names)
    else:
        raise Undecided(f"{expr} is not piecewise linear")


def piecewise_at_most(left: str, right: str, names: tuple[str, str] = ("y", "w"), *, note: str = "") -> Check:
    """Prove left ≤ right for all real values, both sides sums of absolute values of linear forms.

    The difference is linear on every cone between two neighbouring kink lines, so it is non-negative everywhere
    exactly when it is on the rays of these lines (and of the axes).

    >>> piecewise_at_most("Abs(w) - Abs(y)", "Abs(y - w)").ok, piecewise_at_most("Abs(w)", "Abs(y)").ok
    (True, False)
    """
    gap = parse(f"({right}) - ({left})", frozenset(names))
    forms = {*kinks(gap, names), (F(1), F(0)), (F(0), F(1))}
    for a, b in sorted(forms):
        for ray in ((b, -a), (-b, a)):
            point = dict(zip(names, ray, strict=True))
            if (exact_sign(gap, point) or 0) < 0:
                sides = {side: show(at(side, {n: point[n] for n in parse(side).variables()})) for side in (left, right)}
                return Check(False, f"{left} ≤ {right} fails", {**{n: str(x) for n, x in point.items()}, **sides})
    return Check(True, note or f"{left} ≤ {right} on all {2 * len(forms)} rays between which both sides are linear")


def within_budget(loss: str, budget: str, names: Sequence[str]) -> Check:
    """Whether a loss is at most its budget for all positive parameters, where their quotient is a constant.

    >>> within_budget("1/(1/e)", "e", ["e"]).ok, within_budget("2/(1/e)", "e", ["e"]).ok
    (True, False)
    """
    symbols = {name: sympy.Symbol(name, positive=True) for name in names}
    wanted = frozenset(names)
    quotient = sympy.simplify(to_sympy(parse(f"({loss})/({budget})", wanted), symbols))
    if quotient.is_Rational:
        ratio = F(int(quotient.p), int(quotient.q))
        witness = {} if ratio <= 1 else {"loss/budget": str(ratio)}
        return Check(ratio <= 1, f"({loss})/({budget}) = {ratio} for all parameters", witness)
    gap = parse(f"({budget}) - ({loss})", wanted)
    for scale in (F(1), F(1, 10), F(10), F(1, 1000), F(1000)):
        for shift in range(len(SAMPLES)):
            point = {name: scale * SAMPLES[(shift + 3 * i) % len(SAMPLES)] for i, name in enumerate(names)}
            if (exact_sign(gap, point) or 0) < 0:
                sides = {s: show(at(s, {n: point[n] for n in parse(s).variables()})) for s in (loss, budget)}
                return Check(False, f"{loss} ≤ {budget} fails", {**{n: str(x) for n, x in point.items()}, **sides})
    raise Undecided(f"{loss} ≤ {budget} was neither proved nor refuted")
