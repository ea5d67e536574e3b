r"""Lower bounds on ε*: a dual vector for every event that can give the output, and one strictly feasible point.

For real outputs the event is the output together with a box of values. Where several formulas can give the same kind of
output, the box is placed, if possible, where only one of them reaches (an *output cell*).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.polyhedra import ONE, UNIT, Linear, Row, plus, show
from dpwitness.proofs.kernel.programs.lower import box_rows, chosen, compatible, separated
from dpwitness.proofs.kernel.programs.trees import Tree
from dpwitness.proofs.programs.alignment import Alignment, Event
from dpwitness.proofs.programs.points import Empty, decide
from dpwitness.proofs.programs.rays import EVERYWHERE, Inside, bend, interior_point

ZERO = Fraction(0)
Box = list[tuple[Fraction, Fraction]]


@dataclass(frozen=True)
class Floor:
    """ε* is at least `value` (None: infinite), along the line through `point` in the direction `move`.

    All inputs that show it lie `inside`; `ray` and `along` are the bend of the line and the shift that follows it.
    """

    value: Fraction | None
    output: int
    move: tuple[Fraction, ...]
    box: Box
    point: Mapping[str, Linear]
    duals: Mapping[tuple[int, ...], Mapping[int, Fraction] | Empty]
    inside: Inside = EVERYWHERE
    ray: tuple[Fraction, ...] = ()
    along: Mapping[str, Fraction] = field(default_factory=dict)

    def json(self, merged: Mapping[tuple[int, ...], int]) -> dict[str, Any]:
        """As it stands in certificates; `merged` numbers the merged events."""
        duals: dict[str, Any] = {}
        for members, dual in self.duals.items():
            key = f"merged {merged[members]}" if members in merged else f"leaf {members[0]}"
            proof = dual.proof if isinstance(dual, Empty) else dual
            entry = {str(j): str(v) for j, v in proof.items() if v}
            duals[key] = {"empty": entry} if isinstance(dual, Empty) else entry
        return {
            "output": self.output,
            "move": [str(x) for x in self.move],
            "box": [[str(low), str(high)] for low, high in self.box],
            "point": {name: show(form) for name, form in sorted(self.point.items())},
            "duals": duals,
        } | ({} if self.inside == EVERYWHERE else {"inside": self._space()})

    def _space(self) -> dict[str, Any]:
        low, high = (None if x is None else str(x) for x in (self.inside.low, self.inside.high))
        ray, along = [str(x) for x in self.ray], {name: str(x) for name, x in self.along.items()}
        return {"low": low, "high": high, "whole": self.inside.whole, "ray": ray, "along": along}


Pair = tuple[Event, Alignment]


def lower_bound(
    tree: Tree, events: Sequence[Pair], event: Event, move: Sequence[Fraction], inside: Inside = EVERYWHERE
) -> Floor | None:
    """The best lower bound for one event in one direction."""
    if inside.whole and any(x.denominator != 1 for x in move):
        return None
    forms = [*(row.form for row in event.rows), *event.leaf.values]
    if not chosen(tree, event.leaf):
        return None  # a choice of weight 0, or of a weight that is not known, lies on the way
    if any(name[:1] == "w" for form in forms for name in form):
        return None  # whether the event can happen may depend on a constant of unknown value
    own = [(e, a) for e, a in events if e.output == event.output]
    rivals = [e for e, _ in own if e.members != event.members]
    best: Floor | None = None
    goal = next(a for e, a in own if e.members == event.members).solve(move).value
    for cell in _cells(event, rivals):
        found = _attempt(tree, own, event, tuple(move), cell, inside)
        if found is not None and found.value == goal:
            return found
        if found is not None and (best is None or _better(found.value, best.value)):
            best = found
    return best


def _better(new: Fraction | None, old: Fraction | None) -> bool:
    return old is not None and (new is None or new > old)


def _cells(event: Event, rivals: Sequence[Event]) -> list[list[Row]]:
    """Extra rows on the real outputs: none; or such that no rival with a bounded output reaches them."""
    cells: list[list[Row]] = [[]]
    if rivals and event.leaf.values:
        extra: list[Row] = []
        for rival in rivals:
            for value, theirs in zip(event.leaf.values, rival.leaf.values, strict=True):
                bound = _bound(rival, theirs)
                if bound is not None:
                    sign, limit = bound  # sign·value ≤ limit on the rival
                    form = {name: sign * v for name, v in value.items()}
                    extra.append(Row(plus(form, limit, -1), True))
                    break
        if extra:
            cells.append(extra)
    far = Fraction(3, 2)  # away from constants such as 0 and True, which other outputs may hold in the same place
    above = [Row(plus(value, {ONE: -far}), True) for value in event.leaf.values]
    below = [Row(plus({ONE: -far}, value, -1), True) for value in event.leaf.values]
    return cells if not above else [*cells, *([*cell, *side] for side in (above, below) for cell in reversed(cells))]


def _bound(rival: Event, value: Linear) -> tuple[int, dict[str, Fraction]] | None:
    """(s, c) where some row of the rival says s·value ≤ c with c public."""
    drawn = {n: v for n, v in value.items() if n[:1] in ("n", "q")}
    for row in rival.rows:
        mine = {n: v for n, v in row.form.items() if n[:1] in ("n", "q")}
        if not mine or set(mine) != set(drawn):
            continue
        ratios = {mine[n] / drawn[n] for n in drawn}
        if len(ratios) == 1:
            (ratio,) = ratios
            rest = plus({n: v / abs(ratio) for n, v in row.form.items()}, value, -1 if ratio > 0 else 1)
            # row: ±value + rest > 0
            if ratio < 0:
                return 1, rest
            return -1, rest
    return None


def _attempt(
    tree: Tree, own: Sequence[Pair], event: Event, move: tuple[Fraction, ...], cell: list[Row], inside: Inside
) -> Floor | None:
    system = [*event.rows, *cell, *event.leaf.supports(), *inside.rows(tree.queries)]
    point = interior_point(tree, event.leaf, [r.open(event.leaf.continuous) for r in system], inside.whole)
    bent = bend(next(a for e, a in own if e.members == event.members), move, inside, tree.discrete)
    if point is None or bent is None:
        return None
    ray, along = bent
    steps = tuple(a + b for a, b in zip(ray, move, strict=True))
    box: Box = []
    for value in event.leaf.values:
        at = _evaluate(value, point)
        if UNIT in at:
            return None  # a box of fixed width must serve every ε
        box.append((at.get(ONE, ZERO) - Fraction(1, 4), at.get(ONE, ZERO) + Fraction(1, 4)))
    if not _alone(tree, event, box):
        return None
    duals: dict[tuple[int, ...], Mapping[int, Fraction] | Empty] = {}
    values: list[Fraction | None] = []
    for other, alignment in own:
        if other.members != event.members and other.leaf.values:
            rows = [*other.rows, *box_rows(other.leaf.values, box), *other.leaf.supports()]
            away = decide([r.open(other.leaf.continuous) for r in rows])
            if isinstance(away, Empty):
                duals[other.members] = away
                continue
        solved = alignment.solve(steps)
        duals[other.members] = {j: v for j, v in enumerate(solved.x) if v}
        values.append(solved.value)
    finite = [v for v in values if v is not None]
    price = sum((abs(x) / event.leaf.draws[int(n[1:])].scale for n, x in along.items()), ZERO)
    least = min(finite) - price if finite else None
    return Floor(least, event.output, move, box, point, duals, inside, ray, along)


def _evaluate(form: Linear, point: Mapping[str, Linear]) -> dict[str, Fraction]:
    total: dict[str, Fraction] = {n: v for n, v in form.items() if n in (ONE, UNIT)}
    for name, value in form.items():
        if name not in (ONE, UNIT):
            total = plus(total, point.get(name, {}), value)
    return total


def _alone(tree: Tree, event: Event, box: Box) -> bool:
    """Whether no other kind of output can look like the event."""
    wanted = tree.outputs[event.output]
    return all(
        leaf.output == event.output
        or not compatible(wanted, tree.outputs[leaf.output])
        or separated(wanted, box, tree.outputs[leaf.output], leaf)
        for leaf in tree.leaves
    )
