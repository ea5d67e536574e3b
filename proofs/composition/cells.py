"""The domain of records in cells, and numbers of one record.

A number of one record is an expression in its coordinates together with its span on the cell that is being looked at.
Where a coordinate is compared with a plain number inside its cell the cell is cut there, and the program is read anew.
Other tests that a cell leaves open are followed both ways.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.spaces import REAL, Box, Records
from dpwitness.proofs.composition.values import Gone, Listing, Number, Test, Value, constant, refuse
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.composition import spans
from dpwitness.proofs.kernel.composition.knowledge import Knowledge
from dpwitness.proofs.kernel.composition.spans import Span
from dpwitness.proofs.labels import labels

MAX_CUTS, MAX_WAYS = 450, 256
FAR = 16  # how many times larger a number may be that is added to a record and taken away again
ONE, ZERO = Poly.constant(1), Poly()
Line = tuple[int, Fraction, Fraction, Fraction, Fraction]  # coordinate k with ends a, b: the value is c·x_k + d


class Split(Exception):
    """Cells must be cut, at points of coordinates."""

    def __init__(self, cuts: Collection[tuple[int, Fraction]]) -> None:
        super().__init__(", ".join(f"coordinate {axis} at {point}" for axis, point in cuts))
        self.cuts = frozenset(cuts)


@dataclass(frozen=True)
class RecordNumber:
    """A number of one record on one cell.

    Attributes
    ----------
    expr
        As the kernel reads it: see `dpwitness.proofs.kernel.composition.spans`.
    line
        Where it is an affine function of one coordinate: the coordinate, the ends of its cell, slope and constant.
    far
        The largest plain number that was added on the way to such a function.
    """

    expr: Any
    span: Span
    whole: bool = False
    line: tuple[int, Fraction, Fraction, Fraction, Fraction] | None = None
    far: Fraction = Fraction(0)


@dataclass(frozen=True)
class RecordTest:
    """``expr op 0``, which the cell does not decide."""

    op: str
    expr: Any


def is_local(space: Records) -> bool:
    """Whether there is exactly one record, which is replaced."""
    return space.relation == "substitute" and space.fewest == space.most == 1


def inputs_json(space: Records, cuts: set[tuple[int, Fraction]]) -> dict[str, Any]:
    """Records as certificates state them, with the cuts of their domain."""
    stated: dict[str, Any] = {"inputs": "records", "relation": space.relation}
    if is_local(space):
        stated["count"] = 1
    if not isinstance(space.domain, REAL):
        return {**stated, "points": list(labels(space.domain))}
    sides = space.domain.sides if isinstance(space.domain, Box) else (space.domain,)
    found = [[str(p) for p in sorted(p for axis, p in cuts if axis == k)] for k in range(len(sides))]
    if isinstance(space.domain, Box):
        box = [[str(Fraction(side.low)), str(Fraction(side.high))] for side in sides]
        return {**stated, "box": box, "cuts": found}
    return {**stated, "low": str(Fraction(sides[0].low)), "high": str(Fraction(sides[0].high)), "cuts": found}


def record_on(space: Records, cell: spans.Cell, k: int) -> Value:
    """The stand-in for a record of a cell."""
    if not isinstance(space.domain, REAL):
        return point_value(space.domain[k])
    found = [
        RecordNumber(
            ["x", axis], Span(Poly.constant(a), Poly.constant(b)), False, (axis, a, b, Fraction(1), Fraction(0))
        )
        for axis, (a, b) in enumerate(cell)
    ]
    return Listing(list(found), "tuple", -1) if isinstance(space.domain, Box) else found[0]


def point_value(value: Any) -> Value:
    """A record of a finite domain as a value of the reader."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, tuple):
        return Listing([point_value(part) for part in value], "tuple", -1)
    shipped = value.shipped() if hasattr(value, "shipped") else value
    return constant(Fraction(value), whole=isinstance(shipped, int))


def as_record(value: Value) -> RecordNumber:
    """A number of one record; public numbers are constant ones."""
    if isinstance(value, RecordNumber):
        return value
    if isinstance(value, RecordTest):
        return RecordNumber(["if", [value.op, value.expr], ONE, ZERO], Span(ZERO, ONE), True)
    if isinstance(value, bool):
        return RecordNumber(Poly.constant(int(value)), Span.of(Poly.constant(int(value))), True)
    if isinstance(value, Number) and not value.form.private:
        return RecordNumber(value.form, Span.of(value.form), value.whole)
    return refuse("something that is no public number meets a number of one record")  # type: ignore[no-any-return]


def add(one: RecordNumber, two: RecordNumber) -> RecordNumber:
    """The sum."""
    if isinstance(one.expr, Poly) and isinstance(two.expr, Poly):
        return RecordNumber(one.expr + two.expr, Span.of(one.expr + two.expr), one.whole and two.whole)
    line, far = None, max(one.far, two.far)
    for a, b in ((one, two), (two, one)):
        shift = b.expr.value() if isinstance(b.expr, Poly) else None
        if a.line is not None and shift is not None:
            line, far = (*a.line[:4], a.line[4] + shift), max(far, abs(shift))
        if isinstance(b.expr, Poly) and not b.expr.terms:
            return a
    found = spans.plus(one.span, two.span)
    return RecordNumber(["+", one.expr, two.expr], found, one.whole and two.whole, line, far)


def multiply(one: RecordNumber, two: RecordNumber, known: Knowledge) -> RecordNumber:
    """The product."""
    if isinstance(one.expr, Poly) and isinstance(two.expr, Poly):
        return RecordNumber(one.expr * two.expr, Span.of(one.expr * two.expr), one.whole and two.whole)
    if one is two or one.expr == two.expr:
        return RecordNumber(["square", one.expr], spans.square(one.span, known), one.whole)
    line, far = None, Fraction(0)
    for a, b in ((one, two), (two, one)):
        factor = b.expr.value() if isinstance(b.expr, Poly) else None
        if factor == 1:
            return a
        if factor == 0:
            return RecordNumber(ZERO, Span(ZERO, ZERO), one.whole and two.whole)
        if a.line is not None and factor is not None:
            line, far = (*a.line[:3], a.line[3] * factor, a.line[4] * factor), a.far * abs(factor)
    found = spans.product(one.span, two.span, known)
    return RecordNumber(["*", one.expr, two.expr], found, one.whole and two.whole, line, far)


def negative(one: RecordNumber) -> RecordNumber:
    """The opposite number."""
    line = None if one.line is None else (*one.line[:3], -one.line[3], -one.line[4])
    expr = -one.expr if isinstance(one.expr, Poly) else ["*", one.expr, Poly.constant(-1)]
    return RecordNumber(expr, spans.minus(one.span), one.whole, line, one.far)


def narrowed(value: Value, cell: spans.Cell, known: Knowledge) -> Value:
    """What was found on a cell, as it is on a smaller one inside it."""
    if isinstance(value, Listing):
        return Listing([narrowed(part, cell, known) for part in value.items], value.kind, value.owner)
    if not isinstance(value, RecordNumber) or isinstance(value.expr, Poly):
        return value
    line = value.line
    if line is not None:
        line = (line[0], *cell[line[0]], *line[3:])
    return RecordNumber(value.expr, spans.span(value.expr, cell, known), value.whole, line, value.far)


def in_steps(name: str, one: RecordNumber, step: Fraction) -> RecordNumber:
    """What is left after the multiples of a number ("mod"), or how many there are of them ("floor")."""
    size, ends = Poly.constant(step), one.span.numbers()
    found = spans.in_steps(name, one.span, size)
    if found.point is not None and name == "floor":
        return RecordNumber(found.point, found)
    if name == "mod" and ends is not None and ends[0] // step == ends[1] // step:
        less = Poly.constant(-step * (ends[0] // step))  # the same multiple on the whole cell
        return add(one, RecordNumber(less, Span.of(less)))
    return RecordNumber([name, one.expr, size], found)


def extreme(which: str, parts: Sequence[RecordNumber], known: Knowledge) -> RecordNumber:
    """The largest or smallest of numbers of one record."""
    found = (spans.largest if which == "max" else spans.smallest)([p.span for p in parts], known)
    return RecordNumber([which, *(p.expr for p in parts)], found, all(p.whole for p in parts))


def size_of(one: RecordNumber, known: Knowledge, wanted: set[tuple[int, Fraction]]) -> RecordNumber:
    """The size of a number; a cell on which its sign is plain keeps its line."""
    answer = compare(one, ">=", known, wanted)
    if isinstance(answer, bool):
        return one if answer else negative(one)
    return RecordNumber(["abs", one.expr], spans.absolute(one.span, known), one.whole)


def compare(
    difference: RecordNumber, op: str, known: Knowledge, wanted: set[tuple[int, Fraction]]
) -> bool | RecordTest:
    """Whether difference op 0 on this cell; a `RecordTest` where it is so for some of its records.

    Where a cut of the cell would decide, the cut is added to `wanted`.
    """
    if difference.line is not None:
        axis, a, b, c, d = difference.line
        root = -d / c if c else None
        if c and root is not None and a < root < b:
            if difference.far > FAR * max(abs(d), abs(c) * (b - a)):
                refuse("rounding decides a comparison: a much larger number is added to a record and taken away before")
            wanted.add((axis, root))
            return RecordTest(op, difference.expr)
        at = c * a + d if a == b else c * (a + b) / 2 + d  # one sign on the whole open cell
        return {">": at > 0, ">=": at >= 0, "==": at == 0, "!=": at != 0}[op]
    low, high, point = difference.span.low, difference.span.high, difference.span.point
    if point is not None and not point.terms:
        return op in (">=", "==")
    if low is not None and known.positive(low):
        return op != "=="
    if high is not None and known.positive(-high):
        return op == "!="
    if op == ">=" and low is not None and known.nonnegative(low):
        return True
    if op == ">" and high is not None and known.nonnegative(-high):
        return False
    return RecordTest(op, difference.expr)


@dataclass
class Ways:
    """All ways through a function of one record: tests that its cell leaves open are answered both ways."""

    prefix: list[bool]
    asked: list[tuple[str, Any]]
    answers: list[bool]

    def fork(self, op: str, expr: Any) -> bool:
        """An answer to an open test."""
        for old, answer in zip(self.asked, self.answers, strict=True):
            if old == (op, expr):
                return answer
        k = len(self.answers)
        self.asked.append((op, expr))
        self.answers.append(self.prefix[k] if k < len(self.prefix) else True)
        return self.answers[-1]


def all_ways(function: Callable[[Ways], Value], known: Knowledge) -> Value:
    """What all ways through a function of one record give together."""
    todo: list[list[bool]] = [[]]
    found: list[tuple[Ways, Value]] = []
    while todo:
        ways = Ways(todo.pop(), [], [])
        result = function(ways)
        found.append((ways, result))
        todo += [[*ways.answers[:k], False] for k in range(len(ways.prefix), len(ways.answers))]
        if len(found) > MAX_WAYS:
            refuse(f"a function of one record with more than {MAX_WAYS} ways: use min, max and arithmetic in it")
    return _together(found, 0, known)


def _together(found: list[tuple[Ways, Value]], depth: int, known: Knowledge) -> Value:
    if len(found) == 1:
        return found[0][1]
    op, expr = found[0][0].asked[depth]
    sides = [[f for f in found if f[0].answers[depth] is answer] for answer in (True, False)]
    yes, no = (_together(side, depth + 1, known) for side in sides)
    return either(op, expr, yes, no, known)


def either(op: str, expr: Any, yes: Value, no: Value, known: Knowledge) -> Value:
    """``yes if expr op 0 else no``."""
    if yes is no or (
        type(yes) is type(no) and isinstance(yes, Gone | Number | RecordNumber | str | bool) and yes == no
    ):
        return yes
    if isinstance(yes, Listing) and isinstance(no, Listing):
        if yes.kind != no.kind or len(yes.items) != len(no.items):
            refuse("a function of one record returns lists of different lengths")
        parts = [either(op, expr, a, b, known) for a, b in zip(yes.items, no.items, strict=True)]
        return Listing(parts, yes.kind, -1)
    truth = all(isinstance(v, bool | RecordTest) for v in (yes, no))
    a, b = as_record(yes), as_record(no)
    made = RecordNumber(["if", [op, expr], a.expr, b.expr], spans.joined([a.span, b.span], known), a.whole and b.whole)
    return RecordTest("!=", made.expr) if truth else made


__all__ = [
    "RecordNumber", "RecordTest", "Split", "Test", "Ways", "add", "all_ways", "as_record", "compare", "either",
    "extreme", "inputs_json", "is_local", "multiply", "narrowed", "negative", "point_value", "record_on", "size_of",
]  # fmt: skip
