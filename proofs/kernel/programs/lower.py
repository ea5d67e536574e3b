r"""Lower bounds on the privacy loss of a program, from a dual vector and one point: no integration is needed.

Let an event be one polyhedron :math:`\{A\eta + Bq + c \ge 0\}` that has positive probability at some q₀, and let
:math:`\lambda \ge 0` with :math:`|(A^T\lambda)_k| \le 1/s_k` for all k. Then on the line q₀ + td the probability
falls at least as fast as :math:`e^{-\varepsilon t(-\lambda\cdot Bd)}` up to a polynomial, so some step of the line
has a loss of at least any number below :math:`-\lambda\cdot Bd`: the supremum over all real inputs of the loss is no
smaller. For a union of polyhedra the smallest of these numbers serves. Where :math:`A^T\lambda = 0` and
:math:`\lambda\cdot Bd < 0` the event becomes impossible on the line, and the loss is infinite.

Where the answers are bounded on one side, inputs must not leave the space. Then a *ray* u with u and u + d both
pointing inwards is given, with a shift x that keeps the event while the answers move by u. From q₀ + nu, where the
probability is at least :math:`e^{-\varepsilon n|x|_s}P_{q_0}`, to q₀ + n(u + d) there are n steps d inside the space,
so some step has a loss of nearly :math:`-\lambda\cdot B(u+d) - |x|_s`. See ``docs/exactness.md``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.polyhedra import ONE, UNIT, Row, combine, holds, multipliers, parse, plus, refutes
from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.moves import Moves
from dpwitness.proofs.kernel.programs.trees import Leaf, Tree

ZERO = Fraction(0)
Box = Sequence[tuple[Fraction | None, Fraction | None]]  # None where a side is open
Merged = Sequence[tuple[frozenset[int], Sequence[Row], Leaf]]


def box_rows(values: Sequence[Mapping[str, Fraction]], box: Sequence[tuple[Fraction, Fraction]]) -> list[Row]:
    """Rows that say that the real outputs lie in a closed box."""
    rows = []
    for value, (low, high) in zip(values, box, strict=True):
        rows += [Row(plus(value, {ONE: -low}), False), Row(plus({ONE: high}, value, -1), False)]
    return rows


def compatible(left: Any, right: Any) -> bool:
    """Whether two outputs can look alike: equal up to slots, which may hold any number.

    >>> compatible(["list", ["slot"], ["const", "bool", True]], ["list", ["const", "int", 0], ["const", "bool", True]])
    True
    """
    if left[0] == "slot" or right[0] == "slot":
        return all(x[0] == "slot" or (x[0] == "const" and constant(x) is not None) for x in (left, right))
    if left[0] != right[0]:
        return False
    if left[0] == "const":
        numbers = constant(left), constant(right)
        return bool(left[1:] == right[1:]) or (None not in numbers and numbers[0] == numbers[1])
    return len(left) == len(right) and all(compatible(a, b) for a, b in zip(left[1:], right[1:], strict=True))


def constant(part: Any) -> Fraction | None:
    """The number that a constant of an output is, None where it is text or nothing; True is 1.

    >>> constant(["const", "bool", True]), constant(["const", "Fraction", "1/3"]), constant(["const", "str", "1"])
    (Fraction(1, 1), Fraction(1, 3), None)
    """
    kind, value = part[1], part[2]
    return Fraction(repr(value) if kind == "float" else value) if kind in ("int", "float", "bool", "Fraction") else None


def separated(event: Any, box: Box, other: Any, leaf: Leaf) -> bool:
    """Whether a leaf with a `compatible` output differs from the event: a constant outside the box, or a draw."""
    places, theirs_values = iter(box), iter(leaf.values)

    def visit(mine: Any, theirs: Any) -> bool:
        value = next(theirs_values) if theirs[0] == "slot" else {}
        if mine[0] == "slot":
            low, high = next(places)
            value_there = constant(theirs) if theirs[0] == "const" else None
            below = value_there is not None and low is not None and value_there < low
            return below or (value_there is not None and high is not None and value_there > high)
        if mine[0] == "const":
            return any(name in leaf.continuous for name in value)
        return any(visit(a, b) for a, b in zip(mine[1:], theirs[1:], strict=True))

    return visit(event, other)


def check_lower(value: object, tree: Tree, moves: Moves, merged: Merged) -> Fraction | None:
    """The certified lower bound on ε in units of the tree, None where it is infinite."""
    output, move_json, box_json, point_json, duals = fields(
        value, "output", "move", "box", "point", "duals", optional=("inside",)
    )
    space = value.get("inside") if isinstance(value, Mapping) else None
    move = tuple(number(x) for x in move_json)
    if not moves.related(move) or len(move) != tree.queries:
        raise Rejected("the two inputs are not neighbours")
    if not isinstance(output, int) or not 0 <= output < len(tree.outputs):
        raise Rejected("the event is an output of the tree")
    if tree.discrete and any(x.denominator != 1 for x in move):
        raise Rejected("integer-valued noise needs an integral move")
    box = [(number(low), number(high)) for low, high in box_json]
    if any(low >= high for low, high in box):
        raise Rejected("the box of real outputs needs an interior")
    point = {name: parse(text) for name, text in point_json.items()}
    if any(name[:1] not in ("n", "q") for name in point):
        raise Rejected("a point gives values to draws and answers")
    ray, along = _inside_space(space, move, point, tree) if space is not None else ((ZERO,) * len(move), {})
    steps = tuple(a + b for a, b in zip(ray, move, strict=True))
    if tree.discrete and any(name == UNIT or x.denominator != 1 for f in point.values() for name, x in f.items()):
        raise Rejected("integer-valued noise needs an integral point")
    finite: list[Fraction] = []
    reached: list[Fraction] = []
    for rows, leaf, key in _events(tree, output, box, merged):
        entry = duals.get(key)
        if entry is None:
            raise Rejected(f"no multipliers for {key}")
        system = [*rows, *box_rows(leaf.values, box), *leaf.supports()]
        if set(entry) == {"empty"}:
            if not refutes([r.open(leaf.continuous) for r in system], multipliers(entry["empty"])):
                raise Rejected(f"{key} may reach the event")
            continue
        bound = _dual(system, leaf, multipliers(entry), steps)
        if bound is not None:
            finite.append(bound)
        if chosen(tree, leaf) and _inside(system, leaf, point) and _kept(system, along, ray):
            reached.append(_price(along, leaf))
    if not reached:
        raise Rejected("the point lies in no part of the event, or its shift does not keep that part")
    return min(finite) - min(reached) if finite else None


def _inside_space(
    value: object, move: Sequence[Fraction], point: Mapping[str, Mapping[str, Fraction]], tree: Tree
) -> tuple[tuple[Fraction, ...], dict[str, Fraction]]:
    """The ray u and its shift, once the point, u and u + d are known to stay in the space."""
    low_json, high_json, whole, ray_json, along_json = fields(value, "low", "high", "whole", "ray", "along")
    low, high = (None if x is None else number(x) for x in (low_json, high_json))
    ray = tuple(number(x) for x in ray_json)
    along = {name: number(x) for name, x in along_json.items()}
    if len(ray) != len(move) or any(name[:1] != "n" for name in along):
        raise Rejected("a ray moves every answer, and its shift moves draws")
    for edge, sign in ((low, 1), (high, -1)):
        if edge is None:
            continue
        if any(sign * x < 0 for u, d in zip(ray, move, strict=True) for x in (u, u + d)):
            raise Rejected("the line leaves the space")
        for i in range(tree.queries):
            if not holds(Row({f"q{i}": Fraction(sign), ONE: -sign * edge}, False), point):
                raise Rejected("the line begins outside the space")
    starts = [x for i in range(tree.queries) for x in point[f"q{i}"].items()]
    if whole not in (True, False):
        raise Rejected("whole is true or false")
    if (whole or tree.discrete) and any(
        n == UNIT or v.denominator != 1 for n, v in (*starts, *((ONE, u) for u in ray))
    ):
        raise Rejected("whole answers need a whole line")
    if whole and any(d.denominator != 1 for d in move):
        raise Rejected("whole answers need a whole move")
    if tree.discrete and any(x.denominator != 1 for x in along.values()):
        raise Rejected("integer-valued noise needs an integral shift")
    return ray, along


def _kept(system: Sequence[Row], along: Mapping[str, Fraction], ray: Sequence[Fraction]) -> bool:
    """Whether no row falls while the answers move by the ray and the draws by the shift."""
    return all(
        sum(
            (
                v * (ray[int(n[1:])] if n[0] == "q" else along.get(n, ZERO))
                for n, v in row.form.items()
                if n[:1] in ("n", "q")
            ),
            ZERO,
        )
        >= 0
        for row in system
    )


def _price(along: Mapping[str, Fraction], leaf: Leaf) -> Fraction:
    if any(int(name[1:]) >= len(leaf.draws) for name in along):
        raise Rejected("the shift moves a draw that the event does not have")
    return sum((abs(x) / leaf.draws[int(name[1:])].scale for name, x in along.items()), ZERO)


def _events(tree: Tree, output: int, box: Any, merged: Merged) -> list[tuple[Sequence[Row], Leaf, str]]:
    """Everything that can produce the event: merged classes, and leaves one by one."""
    wanted = tree.outputs[output]
    events: list[tuple[Sequence[Row], Leaf, str]] = []
    done: set[int] = set()
    for k, (members, rows, leaf) in enumerate(merged):
        if leaf.output == output:
            events.append((rows, leaf, f"merged {k}"))
            done |= members
    for leaf in tree.leaves:
        other = tree.outputs[leaf.output]
        if leaf.number in done or (leaf.output != output and not compatible(wanted, other)):
            continue
        if leaf.output != output:
            if not separated(wanted, box, other, leaf):
                raise Rejected(f"output {leaf.output} may look like the event")
            continue
        events.append((leaf.rows, leaf, f"leaf {leaf.number}"))
    return events


def _dual(
    system: Sequence[Row], leaf: Leaf, weights: Mapping[int, Fraction], move: Sequence[Fraction]
) -> Fraction | None:
    total = combine(system, weights)
    drawn = {name: v for name, v in total.items() if name[:1] == "n"}
    drop = -sum((v * move[int(name[1:])] for name, v in total.items() if name[:1] == "q"), ZERO)
    if not drawn and drop > 0:
        return None
    for name, v in drawn.items():
        if abs(v) * leaf.draws[int(name[1:])].scale > 1:
            raise Rejected(f"the multipliers exceed the density of {name}")
    return drop


def chosen(tree: Tree, leaf: Leaf) -> bool:
    """Whether the choices on the way to a leaf surely have positive probability."""
    weights = [tree.choices[index][outcome] for index, outcome in leaf.choices]
    return all(w.startswith("exp(") or (w[:1] not in ("?", "=") and number(w) > 0) for w in weights)


def _inside(system: Sequence[Row], leaf: Leaf, point: Mapping[str, Any]) -> bool:
    """Whether the point gives the event positive probability: rows with a continuous draw hold strictly."""
    try:
        return all(holds(row.open(leaf.continuous), point) for row in system)
    except KeyError:
        return False
