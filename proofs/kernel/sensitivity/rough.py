r"""Interval arithmetic for whole functions of records, with n symbolic: coarse, and enough for indicators and parities.

A sum of at most n terms in [a, b] lies between min(0, a·∞) and max(0, b·∞); a product of terms in [0, 1] in [0, 1].
A comparison lies in [0, 1] and a remainder E % 2 in [0, 2), in [0, 1] where E is a whole number. Every part must be
defined on its intervals, also where it only occurs in a comparison.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.expr import Expr
from dpwitness.proofs.kernel.algebra.interval import INF, NEG_INF, ONE, ZERO, Interval
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import Rejected, precision, upper
from dpwitness.proofs.kernel.sensitivity.folds import Linear, check_places, linear, read_fold
from dpwitness.proofs.kernel.sensitivity.setting import Setting, Sizes


def rough_range(f: Expr, setting: Setting, sizes: Sizes) -> tuple[Fraction, Fraction]:
    """Numbers between which the function lies, for all datasets of these sizes."""
    env = {name: Interval.of(low, high) for name, (low, high) in setting.params.items()}
    more = setting.relation == "add-remove"  # the larger dataset has n + 1 records
    env["n"] = Interval.of(sizes.first, None if sizes.only is None else sizes.first + more)
    with precision(128):
        found = _rough(f, setting, sizes, env)
    if not found.finite:
        raise Rejected("the values of the function are not seen to be bounded")
    return -upper(-found.lo), upper(found.hi)


def _rough(node: Expr, setting: Setting, sizes: Sizes, env: Mapping[str, Interval]) -> Interval:
    if node.op == "var":
        if node.name not in env:
            raise Rejected(f"the name {node.name} is unknown here")
        return env[node.name]
    if node.op == "half":
        return Interval(_half(env["n"].lo), env["n"].hi)
    if node.op in ("rec", "order"):
        if node.op == "rec":
            check_record(node.args[0], sizes)
        elif sizes.first < 1 and node.name != "any":
            raise Rejected("an order statistic of no records")
        return Interval.of(*setting.ends)
    if node.op in ("sum", "prod"):
        return _fold(node, setting, sizes, env)
    args = [_rough(a, setting, sizes, env) for a in node.args]
    if node.op in ("gt", "ge"):
        return Interval(ZERO, ONE)
    if node.op == "mod":
        return Interval(ZERO, ONE if whole(node.args[0]) else ONE + ONE)
    if not args:
        return over(node, {})
    names = {f"a{k}": value for k, value in enumerate(args)}
    holes = tuple(a if a.op == "num" else Expr("var", name=f"a{k}") for k, a in enumerate(node.args))
    return over(Expr(node.op, holes), names)


def _half(value: Any) -> Any:
    return (value - 1) / 2 if value > 1 else ZERO


def _fold(node: Expr, setting: Setting, sizes: Sizes, env: Mapping[str, Interval]) -> Interval:
    fold = read_fold(node)
    check_places(fold, sizes.first)
    low = fold.start.least(sizes.first)
    if low is None:
        raise Rejected("the range of an index is not read")
    inner = {**env, node.name: Interval.of(low, None)}
    body = _rough(_without_places(node.args[0]), setting, sizes, inner)
    if node.op == "prod":
        if body.lo >= 0 and body.hi <= 1:
            return Interval(ZERO, ONE)
        raise Rejected("a product of numbers outside [0, 1]")
    return Interval(ZERO if body.lo >= 0 else NEG_INF, ZERO if body.hi <= 0 else INF)


def _without_places(body: Expr) -> Expr:
    """The records of a sum as x[0]: their places were checked, and all records have one interval."""
    if body.op == "rec":
        return Expr("order", name="any")
    return Expr(body.op, tuple(_without_places(a) for a in body.args), body.value, body.name) if body.args else body


def check_record(place: Expr, sizes: Sizes) -> None:
    """Raise unless a record outside of sums exists for all these sizes: 0 ≤ place ≤ n − 1."""
    if place.op in ("wrap", "perm"):
        raise Rejected("a record outside of sums has a fixed place")
    form = linear(place)
    first, room = form.least(sizes.first), Linear(n=Fraction(1)).minus(form).least(sizes.first)
    if form.constant.denominator != 1 or form.n.denominator != 1 or form.half.denominator != 1:
        raise Rejected(f"x[{place}] has no whole place")
    if first is None or first < 0 or room is None or room < 1:
        raise Rejected(f"x[{place}] does not exist for all these n: records are counted from 0 to n-1")


def whole(expr: Expr) -> bool:
    """Whether a formula is seen to be a whole number."""
    if expr.op == "num":
        return expr.value.denominator == 1
    if expr.op in ("gt", "ge", "half"):
        return True
    if expr.op == "var":
        return expr.name == "n"
    if expr.op in ("sum", "prod"):
        return whole(expr.args[0])
    return expr.op in ("+", "-", "*", "neg") and all(whole(a) for a in expr.args)


__all__ = ["check_record", "rough_range", "whole"]
