r"""E ≥ 0 for all positive variables, by a tree of rules.

``{"by": "coefficients"}``
    the coefficients show it (`ring`);
``{"by": "numerator", "then"}``
    the denominator is positive: the numerator decides;
``{"by": "times", "factor", "then"}``
    after multiplication by a positive formula;
``{"by": "exponential", "then"}``
    :math:`e^E - 1 \ge 0`;
``{"by": "put", "variable", "as", "then"}``
    the variable is replaced by a formula with limits 0 and ∞ as its own variable runs from 0 to ∞ or back: it is
    continuous, so it takes every positive value;
``{"by": "split", "variable", "at", "below", "equal", "above"}``
    :math:`v = a/(1+v')`, v = a and :math:`v = a + v'`, with a positive formula a without v;
``{"by": "rising" | "falling", "variable", "slope", "end"}``
    E rises (falls) in v, so it is at least its limit for v → 0 (v → ∞), which is shown to be ≥ 0 by `end`.
"""

from __future__ import annotations

from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.derivations.functions import derivative, exp, put
from dpwitness.proofs.kernel.derivations.growth import INFINITY, limit
from dpwitness.proofs.kernel.derivations.reading import formula
from dpwitness.proofs.kernel.derivations.ring import ONE, ZERO, Quotient, variable
from dpwitness.proofs.kernel.limits import tick

MAX_DEPTH = 40


def verify(e: Quotient, tree: Any, depth: int = 0) -> None:
    """Replay a proof that a quotient is ≥ 0 for all positive values of its variables; raises where a step fails."""
    tick()
    if depth > MAX_DEPTH:
        raise Rejected(f"a proof of more than {MAX_DEPTH} steps in a row")
    rule = tree.get("by") if isinstance(tree, dict) else None
    if rule == "coefficients":
        fields(tree, "by")
        if e.sign not in (0, 1):
            raise Rejected("coefficients: the signs do not show it")
    elif rule == "numerator":
        (then,) = fields(tree, "by", "then")[1:]
        verify(Quotient(e.top), then, depth + 1)
    elif rule == "exponential":
        (then,) = fields(tree, "by", "then")[1:]
        verify(exp(e) - ONE, then, depth + 1)
    elif rule == "times":
        source, then = fields(tree, "by", "factor", "then")[1:]
        positive = formula(source, {n: variable(n) for n in e.variables})
        if positive.sign != 1:
            raise Rejected("times: the factor is not seen to be positive")
        verify(e * positive, then, depth + 1)
    elif rule == "put":
        name, source, then = fields(tree, "by", "variable", "as", "then")[1:]
        verify(put(e, {name: onto(e, name, source)}), then, depth + 1)
    elif rule == "split":
        name, source, below, equal, above = fields(tree, "by", "variable", "at", "below", "equal", "above")[1:]
        for value, part in zip(parts(e, name, source), (below, equal, above), strict=True):
            verify(put(e, {name: value}), part, depth + 1)
    elif rule in ("rising", "falling"):
        name, slope, end = fields(tree, "by", "variable", "slope", "end")[1:]
        change = derivative(e, name)
        verify(change if rule == "rising" else -change, slope, depth + 1)
        start = far(e, name, at_zero=rule == "rising")
        if start == "-" + INFINITY:
            raise Rejected(f"{rule}: the limit is −∞")
        if isinstance(start, Quotient):
            verify(start, end, depth + 1)
    else:
        raise Rejected(f"unknown rule {str(rule)[:40]!r}")


def far(e: Quotient, name: str, *, at_zero: bool) -> Quotient | str:
    """The limit, or where logarithms stand in the way, e^limit − 1, which has the same sign."""
    try:
        return limit(e, name, at_zero=at_zero)
    except Undecided:
        found = limit(exp(e), name, at_zero=at_zero)
        return found - ONE if isinstance(found, Quotient) else found


def onto(e: Quotient, name: object, source: object) -> Quotient:
    """A formula that takes exactly the positive values as one variable runs through them."""
    if not isinstance(name, str):
        raise Rejected("a variable is text")
    value = formula(source, {n: variable(n) for n in (*e.variables, name)})
    if value.sign != 1:
        raise Rejected(f"put: the new {name[:40]} is not seen to be positive")
    ends = {limit(value, name, at_zero=zero) for zero in (True, False)}
    if ends != {ZERO, INFINITY}:
        raise Rejected(f"put: the new {name[:40]} does not take every positive value")
    return value


def parts(e: Quotient, name: object, source: object) -> tuple[Quotient, Quotient, Quotient]:
    """The three images of a positive variable: below a formula, at it and above it."""
    if not isinstance(name, str):
        raise Rejected("a variable is text")
    at = formula(source, {n: variable(n) for n in e.variables - {name}})
    if at.sign != 1:
        raise Rejected("split: the place is not seen to be positive")
    v = variable(name)
    return at / (ONE + v), at, at + v
