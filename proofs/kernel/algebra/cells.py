"""f > 0 or f ≥ 0 on a box, by a tree of cells.

A proof is a tree. Each node speaks of one formula on one box (ends may be infinite):

``{"by": "interval"}``
    interval arithmetic on the whole box shows it;
``{"by": "mean"}``
    the mean-value form shows it: f(x) lies in f(m) + Σ ∂f/∂xᵢ(box)·(xᵢ − mᵢ) for the centre m;
``{"by": "exact"}``
    the box is a point, and the sign there is decided exactly;
``{"by": "split", "variable", "at", "parts": [left, right]}``
    both halves are proved;
``{"by": "rising" | "falling", "variable", "slope": node, "face": node}``
    ∂f/∂x ≥ 0 (≤ 0) on the box is proved by `slope`, f at the lower (upper) end of x by `face`.

`verify` replays a tree and is all that needs to be trusted. Equality is never claimed from an enclosure: where f
touches zero it takes the exact node. A formula with ``Abs``, ``Min``, ``Max`` is Lipschitz where its parts are, and
the mean-value and slope rules hold with the set-valued derivative.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.expr import Expr, parse
from dpwitness.proofs.kernel.algebra.interval import Interval
from dpwitness.proofs.kernel.algebra.values import exact_sign, over
from dpwitness.proofs.kernel.arith import Rejected, Undecided, number, precision, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.statements import NO_INPUTS, subject
from dpwitness.proofs.kernel.theorem import Theorem

Ends = tuple[Fraction | None, Fraction | None]
Box = Mapping[str, Ends]
BITS, MAX_TREE, MAX_ORDER = 128, 60_000, 6
Task = tuple[Expr, Box, bool, object, int]  # what to show, and how many derivatives were taken to come there


def intervals(box: Box) -> dict[str, Interval]:
    """The box as intervals at the current precision."""
    return {name: Interval.of(low, high) for name, (low, high) in box.items()}


def holds(value: Interval, strict: bool) -> bool:
    """Whether every number of the interval is positive (non-negative where not strict)."""
    return bool(value.lo > 0 if strict else value.lo >= 0)


def mean_value(expr: Expr, box: Box) -> Interval:
    """The mean-value enclosure over a finite box."""
    centre: dict[str, Ends] = {}
    for name, (low, high) in box.items():
        if low is None or high is None:
            raise Undecided("the mean-value form needs a finite box")
        middle = (low + high) / 2
        centre[name] = (middle, middle)
    whole, points = intervals(box), intervals(centre)
    total = over(expr, points)
    for name in sorted(expr.variables()):
        total = total + over(expr.derivative(name), whole) * (whole[name] - points[name])
    return total


def face(box: Box, name: str, *, low: bool) -> dict[str, Ends]:
    """The box with one variable fixed at its lower or upper end."""
    end = box[name][0 if low else 1]
    if end is None:
        raise Rejected(f"{name} has no such end: it is unbounded there")
    return {**box, name: (end, end)}


def halves(box: Box, name: str, at: Fraction) -> tuple[dict[str, Ends], dict[str, Ends]]:
    """The two parts of a box, cut at one value of one variable."""
    low, high = box[name]
    if (low is not None and at <= low) or (high is not None and at >= high):
        raise Rejected(f"the cut {name} = {at} is not inside the box")
    return {**box, name: (low, at)}, {**box, name: (at, high)}


def verify(expr: Expr, box: Box, strict: bool, proof: object, *, bits: int = BITS) -> int:
    """Replay a proof that the formula is positive (non-negative) on the box; returns its number of nodes.

    Raises `Rejected` or `Undecided` where any step fails.
    """
    count = 0
    stack: list[Task] = [(expr, box, strict, proof, 0)]
    with precision(bits):
        while stack:
            count += 1
            if count > MAX_TREE:
                raise Rejected(f"a proof of more than {MAX_TREE} nodes")
            stack.extend(_step(*stack.pop()))
    return count


def _step(expr: Expr, box: Box, strict: bool, proof: object, order: int) -> list[Task]:
    rule = proof.get("by") if isinstance(proof, Mapping) else None
    if rule in ("interval", "mean"):
        fields(proof, "by")
        value = over(expr, intervals(box)) if rule == "interval" else mean_value(expr, box)
        if not holds(value, strict):
            wanted = "positive" if strict else "non-negative"
            raise Rejected(f"{rule}: derivative {order} is not shown to be {wanted} on {show(box)}")
        return []
    if rule == "exact":
        fields(proof, "by")
        if not point_holds(expr, box, strict):
            raise Rejected(f"exact: derivative {order} fails, or is not decided, at {show(box)}")
        return []
    if rule == "split":
        name, at, parts = fields(proof, "by", "variable", "at", "parts")[1:]
        if name not in box or not isinstance(parts, list | tuple) or len(parts) != 2:
            raise Rejected("split: an unknown variable, or not two parts")
        left, right = halves(box, name, number(at))
        return [(expr, left, strict, parts[0], order), (expr, right, strict, parts[1], order)]
    if rule in ("rising", "falling"):
        name, slope, rest = fields(proof, "by", "variable", "slope", "face")[1:]
        if name not in box or order >= MAX_ORDER:
            raise Rejected(f"{rule}: the variable {str(name)[:40]!r} is unknown, or more than {MAX_ORDER} derivatives")
        derivative = expr.derivative(name)
        return [
            (derivative if rule == "rising" else -derivative, box, False, slope, order + 1),
            (expr, face(box, name, low=rule == "rising"), strict, rest, order),
        ]
    raise Rejected(f"unknown rule {str(rule)[:40]!r}")


def point_holds(expr: Expr, box: Box, strict: bool) -> bool:
    """Whether f > 0 (≥ 0) at the only point of the box, decided exactly; False where it is not decided."""
    point: dict[str, Fraction] = {}
    for name, (low, high) in box.items():
        if name not in expr.variables():
            continue
        if low is None or low != high:
            return False
        point[name] = low
    sign = exact_sign(expr, point)
    return sign is not None and (sign > 0 or (sign == 0 and not strict))


def show(box: Box) -> str:
    """The box in words, as in ``x in [0, 1], y in [2, inf)``."""
    parts = []
    for name, (low, high) in box.items():
        left = "(-inf" if low is None else f"[{text(low)}"
        right = "inf)" if high is None else f"{text(high)}]"
        parts.append(f"{name} in {left}, {right}")
    return ", ".join(parts)


def box_from_json(value: object) -> dict[str, Ends]:
    """Read ``{"x": ["0", "inf"]}``."""
    if not isinstance(value, Mapping) or not value:
        raise Rejected("a box maps variables to [low, high]")
    box: dict[str, Ends] = {}
    for name, ends in value.items():
        if not isinstance(ends, list | tuple) or len(ends) != 2:
            raise Rejected("a range is [low, high]")
        low = None if ends[0] == "-inf" else number(ends[0])
        high = None if ends[1] == "inf" else number(ends[1])
        if low is not None and high is not None and low > high:
            raise Rejected(f"the range of {name} is empty")
        box[str(name)] = (low, high)
    return box


def check_positive(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "positive", "formula", "box", "strict", "proof"}``."""
    formula, ranges, strict, proof = fields(certificate, "type", "formula", "box", "strict", "proof")[1:]
    box = box_from_json(ranges)
    if not isinstance(strict, bool):
        raise Rejected("strict must be true or false")
    expr = parse(formula, frozenset(box))
    verify(expr, box, strict, proof)
    said = f"{formula} {'>' if strict else '>='} 0 for {show(box)}"
    model = subject(certificate, "formula", "box", "strict")
    return Theorem("positive", said, model, False, {}, NO_INPUTS, "any")


CHECKERS = {"positive": check_positive}
