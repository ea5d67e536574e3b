"""The sensitivity of functions of vectors: each output reads one coordinate, and bounds of coordinates are combined."""

from __future__ import annotations

import ast
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal

from dpwitness.core.errors import BadInput, OutsideFragment
from dpwitness.core.records import Box, Records
from dpwitness.proofs.kernel.arith import Rejected, lower, precision, text
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.kernel.sensitivity.boxes import combined, move_between
from dpwitness.proofs.kernel.sensitivity.language import parse_function
from dpwitness.proofs.kernel.sensitivity.values import enclosed, value_at
from dpwitness.proofs.sensitivity.reading import ADVICE, canonical, returned
from dpwitness.proofs.sensitivity.result import Sensitivity, SensitivityCase

Function = str | Sequence[str] | Callable[..., Any]
Vectors = tuple[tuple[Fraction, ...], ...]
TRIES, CLOSE = 25, 1e-9


@dataclass(frozen=True)
class BoxSensitivity(Sensitivity):
    """The sensitivity of a function of vectors, with two datasets at the fewest records that were asked for."""

    box: Box = field(kw_only=True)
    reached: tuple[Vectors, Vectors] | None = field(kw_only=True, repr=False)

    def pair(self, n: int) -> Any:
        """Two neighbouring datasets on which the function moves as far as is known; None where there is none of n."""
        self.case(n)
        return self.reached if self.reached is not None and min(map(len, self.reached)) == n else None

    def lines(self) -> list[str]:
        """The report."""
        shown = self.function[0] if len(self.function) == 1 else "(" + ", ".join(self.function) + ")"
        how = "one record replaced" if self.relation == "substitute" else "one record added or removed"
        where = " x ".join(f"[{side.low}, {side.high}]" for side in self.box.sides)
        found = [f"f(x) = {shown}", f"records in {where}, {how}, norm {self.norm}"]
        found += ["  " + case.describe() for case in self.cases]
        if self.reached is not None:
            one, two = (", ".join("(" + ", ".join(map(str, r)) + ")" for r in side) for side in self.reached)
            found.append(f"    reached at ({one}) and ({two})")
        return found


def box_sensitivity(
    f: Function, space: Records, norm: Literal["l1", "l2", "linf"], *, n: int | Literal["any"] | None, seconds: float
) -> BoxSensitivity:
    """As `sensitivity`, for records that are vectors.

    >>> found = box_sensitivity(["sum(r[0] for r in x)", "sum(r[1] for r in x)"], Records(Box((0, 3), (0, 4)), 2),
    ...                         "l2", n="any", seconds=20)
    >>> found.lines()[2:]
    ['  every n >= 1: at most 5, and at least 5 at n = 1', '    reached at ((0, 0)) and ((3, 4))']
    """
    from dpwitness.proofs.sensitivity.searching import sensitivity

    assert isinstance(space.domain, Box)
    sides = space.domain.sides
    outputs = read_outputs(f, len(sides))
    if callable(f):
        compare(f, outputs, space.domain)
    inner: dict[int, Sensitivity] = {}
    for k in sorted({k for k, _ in outputs}):
        texts = [source for j, source in outputs if j == k]
        column = Records(sides[k], (space.fewest, space.most), space.relation)
        inner[k] = sensitivity(texts, column, norm, n=n, seconds=seconds / len(sides))
    first = next(iter(inner.values()))
    if any([c.sizes for c in found.cases] != [c.sizes for c in first.cases] for found in inner.values()):
        raise OutsideFragment("the coordinates have different formulas for different numbers of records: ask for one n")
    settings = {k: found.setting for k, found in inner.items()}
    reached, low = _reached(inner, settings, norm, space)
    witness = None
    if reached is not None:
        one, two = ([[text(x) for x in record] for record in side] for side in reached)
        witness = {"left": one, "right": two, "move": text(low)}
    certificate = {
        "type": "box-sensitivity",
        "box": [[text(Fraction(side.low)), text(Fraction(side.high))] for side in sides],
        "norm": norm,
        "coordinates": [dict(inner[k].certificate) if k in inner else None for k in range(len(sides))],
        "witness": witness,
    }
    try:
        statement = check(certificate, seconds=60.0).statement
    except Rejected as error:
        raise OutsideFragment(f"the kernel refuses the certificate: {error}") from None
    cases = []
    for i, case in enumerate(first.cases):
        bound = _shown(combined(norm, [found.cases[i].upper for found in inner.values()]))
        at = reached is not None and min(map(len, reached)) == case.sizes.first
        cases.append(SensitivityCase(case.sizes, bound, text(low) if at else None, witness if at else None))
    names = tuple(f"coordinate {k}: {source}" for k, source in outputs)
    return BoxSensitivity(
        names, norm, first.relation, first.setting, tuple(cases), certificate, statement, box=space.domain,
        reached=reached,
    )  # fmt: skip


def _shown(bound: str) -> str:
    """A bound without n as a number, where it is rational."""
    if any(isinstance(part, ast.Name) and part.id == "n" for part in ast.walk(ast.parse(bound, mode="eval"))):
        return bound
    try:
        values = {value_at(parse_function(bound), [Fraction(0)], {})}
    except Rejected:
        return bound
    one = next(iter(values))
    return text(one.value) if len(values) == 1 and one.op == "num" else bound


def _reached(
    inner: Mapping[int, Sensitivity], settings: Mapping[int, Any], norm: str, space: Records
) -> tuple[tuple[Vectors, Vectors] | None, Fraction]:
    """Datasets of vectors put together from those of the coordinates, and how far the function moves between them."""
    n = next(iter(inner.values())).cases[0].sizes.first
    columns: dict[int, tuple[list[Fraction], list[Fraction]]] = {}
    for k, found in inner.items():
        pair = found.pair(n)
        if pair is None:
            return None, Fraction(0)
        columns[k] = _moved_last(*pair)
    assert isinstance(space.domain, Box)
    lengths = [len(side) for side in next(iter(columns.values()))]
    sides: list[Vectors] = []
    for which, length in enumerate(lengths):
        rest = [Fraction(side.low) for side in space.domain.sides]
        sides.append(
            tuple(
                tuple(columns[k][which][i] if k in columns else rest[k] for k in range(len(rest)))
                for i in range(length)
            )
        )
    try:
        move = move_between(norm, settings, list(sides[0]), list(sides[1]))
    except Rejected:
        return None, Fraction(0)
    with precision(128):
        value = enclosed(move)
        low = max(Fraction(0), lower(value.lo))
    if norm == "l2":
        low = _root_below(low)
    return (sides[0], sides[1]), low


def _root_below(square: Fraction) -> Fraction:
    """The square root, or a number a little below it."""
    from math import isqrt

    top, bottom = isqrt(square.numerator), isqrt(square.denominator)
    if top * top == square.numerator and bottom * bottom == square.denominator:
        return Fraction(top, bottom)
    return Fraction(isqrt(int(square * 10**24)), 10**12)


def _moved_last(one: Sequence[Fraction], two: Sequence[Fraction]) -> tuple[list[Fraction], list[Fraction]]:
    """A pair with the changed or added record at the end, the shorter dataset first."""
    small, large = sorted((list(one), list(two)), key=len)
    if len(small) == len(large):
        small, large = list(one), list(two)
        at = next((i for i, (a, b) in enumerate(zip(small, large, strict=True)) if a != b), len(small) - 1)
        return [*small[:at], *small[at + 1 :], small[at]], [*large[:at], *large[at + 1 :], large[at]]
    at = next(i for i in range(len(large)) if large[:i] + large[i + 1 :] == small)
    return small, [*large[:at], *large[at + 1 :], large[at]]


def read_outputs(f: Function, width: int) -> list[tuple[int, str]]:
    """The coordinate that each output reads, and its formula in the records of that coordinate.

    >>> read_outputs(["sum(r[1]**2 for r in x)/n", "sum(x[i][0] for i in range(n))"], 2)
    [(1, 'sum(x[i] ** 2 for i in range(n)) / n'), (0, 'sum(x[i] for i in range(n))')]
    """
    outside: dict[str, float] = {}
    records = "x"
    if callable(f):
        parts, records, outside = returned(f)
    else:
        texts = [f] if isinstance(f, str) else list(f)
        try:
            parts = [ast.parse(source.strip(), mode="eval").body for source in texts]
        except (SyntaxError, ValueError, AttributeError, RecursionError, MemoryError):
            raise BadInput(f"{f!r} is not a formula, or a list of formulas. {ADVICE}") from None
    found = []
    for part in parts:
        reader = _Coordinates(records, width)
        node = reader.visit(part)
        if len(reader.seen) > 1:
            read = " and ".join(map(str, sorted(reader.seen)))
            raise OutsideFragment(f"one output reads the coordinates {read}: give an output for each coordinate")
        found.append((min(reader.seen, default=0), canonical(node, records, (), outside)))
    return found


class _Coordinates(ast.NodeTransformer):
    """Takes the coordinate away from each record that is read: ``r[0]`` and ``x[i][0]``."""

    def __init__(self, records: str, width: int) -> None:
        self.records, self.width = records, width
        self.vectors: set[str] = set()
        self.seen: set[int] = set()

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id == self.records or node.id in self.vectors:
            raise OutsideFragment(f"{node.id} is a vector, or all of them: write sum(r[0] for r in x) for a coordinate")
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        inner = node.value
        if isinstance(inner, ast.Name) and inner.id in self.vectors:
            self.coordinate(node.slice)
            return inner
        if isinstance(inner, ast.Subscript) and isinstance(inner.value, ast.Name) and inner.value.id == self.records:
            self.coordinate(node.slice)
            return ast.Subscript(inner.value, self.visit(inner.slice), ast.Load())
        raise OutsideFragment(f"{ast.unparse(node)[:60]!r} is not read: write r[0] or x[i][0] for a coordinate")

    def coordinate(self, node: ast.expr) -> None:
        if not isinstance(node, ast.Constant) or type(node.value) is not int or not 0 <= node.value < self.width:
            raise OutsideFragment(f"a coordinate is a number from 0 to {self.width - 1}, not {ast.unparse(node)[:40]}")
        self.seen.add(node.value)

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id == "len" and self.all_of_them(node.args):
            return node
        return ast.Call(node.func, [self.visit(a) for a in node.args], node.keywords)

    def all_of_them(self, args: Sequence[ast.expr]) -> bool:
        return len(args) == 1 and isinstance(args[0], ast.Name) and args[0].id == self.records

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        return self.loop(node)

    def visit_ListComp(self, node: ast.ListComp) -> ast.expr:
        return self.loop(node)

    def loop(self, node: ast.GeneratorExp | ast.ListComp) -> ast.expr:
        """A loop over the records, or over indices."""
        if len(node.generators) != 1:
            raise OutsideFragment(f"one loop in a sum. {ADVICE}")
        made = node.generators[0]
        where, target = made.iter, made.target
        added = None
        if self.all_of_them([where]) and isinstance(target, ast.Name):
            added = target.id
        elif isinstance(where, ast.Call) and isinstance(where.func, ast.Name) and where.func.id == "enumerate":
            if not self.all_of_them(where.args) or not isinstance(target, ast.Tuple) or len(target.elts) != 2:
                raise OutsideFragment("enumerate(x) gives an index and a record")
            added = target.elts[1].id if isinstance(target.elts[1], ast.Name) else None
        else:
            where = self.visit(where)
        before = set(self.vectors)
        named = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
        self.vectors = (self.vectors - named) | ({added} if added is not None else set())
        body, tests = self.visit(node.elt), [self.visit(test) for test in made.ifs]
        self.vectors = before
        return type(node)(body, [ast.comprehension(target, where, tests, 0)])


def compare(function: Callable[..., Any], outputs: Sequence[tuple[int, str]], box: Box) -> None:
    """Raise where the function and the formulas that were read from it differ on some dataset."""
    rng = random.Random(0)
    formulas = [(k, parse_function(source)) for k, source in outputs]
    for trial in range(TRIES):
        data = [
            tuple(
                Fraction(side.low) + (Fraction(side.high) - Fraction(side.low)) * Fraction(rng.randrange(9), 8)
                for side in box.sides
            )
            for _ in range(trial % 6)
        ]
        try:
            exact = [value_at(formula, [record[k] for record in data], {}) for k, formula in formulas]
        except Rejected:  # the formula has no value there
            continue
        try:
            found = function([tuple(map(float, record)) for record in data])
        except Exception as error:
            raise OutsideFragment(f"the function raises {type(error).__name__} on {data}: {error}") from None
        values = list(found) if isinstance(found, tuple | list) else [found]
        if len(values) != len(formulas):
            raise OutsideFragment(f"the function returns {len(values)} numbers, and {len(formulas)} were read")
        for value, ours in zip(values, exact, strict=True):
            with precision(128):
                middle = float(lower(enclosed(ours).lo))
            if abs(middle - float(value)) > CLOSE * (1 + abs(middle)):
                raise OutsideFragment(f"the function is {value} on {data}, and the formula that was read {middle}")


__all__ = ["BoxSensitivity", "box_sensitivity", "read_outputs"]
