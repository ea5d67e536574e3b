"""Find a tree of cells that proves an inequality, or a point where it fails; the kernel replays what is found here."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import islice, product
from typing import Any

from dpwitness.proofs.kernel.algebra.cells import (
    BITS,
    Box,
    Ends,
    face,
    halves,
    holds,
    intervals,
    mean_value,
    point_holds,
    verify,
)
from dpwitness.proofs.kernel.algebra.expr import Expr, num, parse
from dpwitness.proofs.kernel.algebra.interval import Interval
from dpwitness.proofs.kernel.algebra.values import exact_sign, over
from dpwitness.proofs.kernel.arith import Rejected, Undecided, precision, text

Ranges = Mapping[str, tuple[Fraction | int | None, Fraction | int | None]]


class Disproved(Exception):
    """The inequality fails at `point`, where the value lies in `value`."""

    def __init__(self, formula: str, point: Mapping[str, Fraction], value: Interval) -> None:
        where = ", ".join(f"{name} = {x}" for name, x in point.items())
        super().__init__(f"{formula} fails at {where}: the value is about {float(value.hi.mid()):.6g}")
        self.point, self.value = dict(point), value


def prove(
    formula: str | Expr, box: Ranges, *, strict: bool = False, max_cells: int = 20_000, order: int = 4, bits: int = BITS
) -> dict[str, Any]:
    """Prove f > 0 (`strict`) or f ≥ 0 on a box; returns a certificate that `check` accepts.

    Parameters
    ----------
    formula
        Text or a parsed formula in the variables of `box`.
    box
        Ranges as ``{"x": (low, high)}``; None is an infinite end.
    max_cells
        Raise `Undecided` after this many cells.
    order
        How many derivatives may be taken in a row; needed where f touches zero with its derivatives.

    Raises
    ------
    Disproved
        With a rational point where the inequality fails.
    Undecided
        Where neither was found within the caps.

    >>> prove("exp(x) - 1 - x", {"x": (0, 1)})["proof"]["by"]
    'rising'
    >>> prove("exp(x) - 1 - 2*x**2", {"x": (0, 3)})  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    dpwitness.proofs.laws.positivity.Disproved: exp(x) - 1 - 2*x**2 fails at x = 1: the value is about -0.281718
    """
    ranges: dict[str, Ends] = {
        name: (None if low is None else Fraction(low), None if high is None else Fraction(high))
        for name, (low, high) in box.items()
    }
    expr = parse(formula, frozenset(ranges)) if isinstance(formula, str) else formula
    with precision(bits):
        tree = _Search(expr, strict, max_cells, order).run(ranges)
    source = formula if isinstance(formula, str) else str(expr)
    verify(parse(source, frozenset(ranges)), ranges, strict, tree, bits=BITS)
    return {"type": "positive", "formula": source, "box": box_to_json(ranges), "strict": strict, "proof": tree}


def prove_between(
    formula: str | Expr, box: Ranges, low: Fraction | int, high: Fraction | int, **options: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Prove low ≤ f ≤ high on a box, as two certificates.

    >>> [c["formula"] for c in prove_between("1/(1+x**2)", {"x": (0, None)}, 0, 1)]
    ['1/(1 + x**2)', '1 - 1/(1 + x**2)']
    """
    expr = parse(formula, frozenset(box)) if isinstance(formula, str) else formula
    return prove(expr - num(Fraction(low)), box, **options), prove(num(Fraction(high)) - expr, box, **options)


class _Search:
    def __init__(self, expr: Expr, strict: bool, cells: int, order: int) -> None:
        self.expr, self.strict, self.cells, self.order = expr, strict, cells, order

    def run(self, box: Box) -> dict[str, Any]:
        root: dict[str, Any] = {}
        todo: list[tuple[Box, dict[str, Any], int]] = [(box, root, 0)]
        while todo:
            here, slot, depth = todo.pop()
            self.cells -= 1
            if self.cells < 0:
                raise Undecided(f"{self.expr}: not decided within the allowed number of cells")
            found = self.leaf(self.expr, here, self.strict, min(1, self.order))
            if found is None and self.order > 1 and self.touches(here):
                found = self.leaf(self.expr, here, self.strict, self.order)
            if found is not None:
                slot.update(found)
                continue
            self.try_points(here)
            name = self.widest(here)
            at = _cut(here[name])
            if depth > 200:
                raise Undecided(f"{self.expr}: cells became too small near {name} = {float(at):.6g}")
            parts: list[dict[str, Any]] = [{}, {}]
            slot.update({"by": "split", "variable": name, "at": str(at), "parts": parts})
            left, right = halves(here, name, at)
            todo += [(left, parts[0], depth + 1), (right, parts[1], depth + 1)]
        return root

    def touches(self, box: Box) -> bool:
        """Whether f may vanish at a corner of the cell: only there more derivatives help."""
        ends = [[e for e in dict.fromkeys(pair) if e is not None] or [Fraction(0)] for pair in box.values()]
        for corner in islice(product(*ends), 16):
            try:
                value = over(self.expr, intervals({n: (x, x) for n, x in zip(box, corner, strict=True)}))
            except Undecided:
                continue
            if value.lo <= 0 <= value.hi:
                return True
        return False

    def leaf(self, expr: Expr, box: Box, strict: bool, order: int) -> dict[str, Any] | None:
        """A proof of one cell without splitting it, or None."""
        used = {name: ends for name, ends in box.items() if name in expr.variables()}
        if all(_point(low, high) for low, high in used.values()):
            if point_holds(expr, box, strict):
                return {"by": "exact"}
            return {"by": "interval"} if _safe(over, expr, intervals(box), strict) else None
        if _safe(over, expr, intervals(box), strict):
            return {"by": "interval"}
        if _safe(mean_value, expr, box, strict):
            return {"by": "mean"}
        if order == 0:
            return None
        for name, (low, high) in used.items():
            if _point(low, high):
                continue
            derivative = expr.derivative(name)
            for rule, slope, end in (("rising", derivative, low), ("falling", -derivative, high)):
                if end is None:
                    continue
                edge = face(box, name, low=rule == "rising")
                if not self.plausible(expr, edge, strict):
                    continue
                first = self.leaf(slope, box, False, order - 1)
                second = first and self.leaf(expr, edge, strict, order)
                if first and second:
                    return {"by": rule, "variable": name, "slope": first, "face": second}
        return None

    @staticmethod
    def plausible(expr: Expr, box: Box, strict: bool) -> bool:
        try:
            value = over(expr, intervals(box))
        except (Undecided, Rejected):
            return True
        return bool(value.hi > 0 if strict else value.hi >= 0)

    def try_points(self, box: Box) -> None:
        point = {name: (ends[0] or Fraction(0)) if _point(*ends) else _cut(ends) for name, ends in box.items()}
        try:
            value = over(self.expr, intervals({name: (x, x) for name, x in point.items()}))
        except Undecided:
            return
        if value.hi < 0:
            raise Disproved(str(self.expr), point, value)
        if self.strict and value.lo <= 0 and exact_sign(self.expr, point) == 0:
            raise Disproved(str(self.expr), point, value)

    def widest(self, box: Box) -> str:
        """The variable whose cut should help most: its width times the size of the slope."""
        best, score = "", -1.0
        for name, (low, high) in box.items():
            if _point(low, high) or name not in self.expr.variables():
                continue
            width = float("inf") if low is None or high is None else float(high - low)
            try:
                slope = over(self.expr.derivative(name), intervals(box)).abs().hi
                weight = width * (float(slope) if slope.is_finite() else 1e6)
            except (Undecided, OverflowError):
                weight = width * 1e6
            if low is None or high is None:
                weight = float("inf")
            if weight > score:
                best, score = name, weight
        if not best:
            raise Undecided(f"{self.expr}: not decided at the point {box}")
        return best


def _point(low: Fraction | None, high: Fraction | None) -> bool:
    return low is not None and low == high


def _safe(method: Any, expr: Expr, box: Any, strict: bool) -> bool:
    try:
        return holds(method(expr, box), strict)
    except Undecided:
        return False


def _cut(ends: Ends) -> Fraction:
    low, high = ends
    if low is None and high is None:
        return Fraction(0)
    if high is None:
        assert low is not None
        return 2 * low if low >= 1 else low + 1
    if low is None:
        return 2 * high if high <= -1 else high - 1
    quarter = (high - low) / 4
    return simplest(low + quarter, high - quarter)


def simplest(low: Fraction, high: Fraction) -> Fraction:
    """The rational with the smallest denominator in [low, high]: cuts at such points meet the zeros that people choose.

    >>> simplest(Fraction(3, 10), Fraction(7, 10))
    Fraction(1, 2)
    """
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest(-high, -low)
    whole = -(-low.numerator // low.denominator)
    if whole <= high:
        return Fraction(whole)
    below = whole - 1
    return below + 1 / simplest(1 / (high - below), 1 / (low - below))


def box_to_json(box: Box) -> dict[str, list[str]]:
    """The box as a JSON object."""
    return {
        name: ["-inf" if low is None else text(low), "inf" if high is None else text(high)]
        for name, (low, high) in box.items()
    }
