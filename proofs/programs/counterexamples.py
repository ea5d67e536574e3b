r"""Exact counterexamples, found along the lines that the linear programs name, and shrunk.

The linear programs say which event, and along which line of inputs, the loss rises above the claim (it rises
monotonically to its supremum where the event is one polyhedron). Here points of that line are evaluated exactly
until :math:`P[E \mid q] > e^{\varepsilon} P[E \mid q'] + \delta`; then inputs are made as plain as possible.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from dpwitness.proofs.kernel.algebra.quotients import Quotient
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.moves import Moves
from dpwitness.proofs.kernel.programs.comparisons import NotAForest
from dpwitness.proofs.kernel.programs.lower import Box
from dpwitness.proofs.kernel.programs.witness import _alone, event_probability, violation
from dpwitness.proofs.programs.candidates import Inputs, boxes, pairs_along, plainer, size
from dpwitness.proofs.programs.floor import Floor
from dpwitness.proofs.programs.points import Empty
from dpwitness.proofs.programs.shift import Bounds
from dpwitness.proofs.programs.tables import Table

ZERO = Fraction(0)


@dataclass(frozen=True)
class Witness:
    """Two neighbours and an event with both probabilities, which break (epsilon, delta) at `eps`."""

    table: Table
    moves: Moves
    left: Inputs
    right: Inputs
    output: int
    box: Box
    p_left: Quotient
    p_right: Quotient
    eps: Fraction
    epsilon: Fraction
    delta: Fraction
    datasets: dict[str, Any] | None = None

    def certificate(self, program: str, target: str) -> dict[str, Any]:
        """As the kernel checks it."""
        more = {} if self.datasets is None else {"datasets": self.datasets}
        return more | {
            "type": "program-counterexample",
            "target": target,
            "program": program,
            "tree": self.table.json,
            "adjacency": self.moves.to_json(),
            "left": [str(x) for x in self.left],
            "right": [str(x) for x in self.right],
            "event": {"output": self.output, "box": [[_text(lo), _text(hi)] for lo, hi in self.box]},
            "eps": str(self.eps),
            "claim": {"epsilon": str(self.epsilon), "delta": str(self.delta)},
            "p_left": [poly.to_json() for poly in self.p_left],
            "p_right": [poly.to_json() for poly in self.p_right],
        }


def _text(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


@dataclass(frozen=True)
class Goal:
    """What must be broken: the claim (epsilon, delta) at a value of ε, inside a space of inputs.

    `allowed` and `related` say which inputs and pairs belong to the claim's space. `corner` gives, for a move, an
    input from which the move stays inside a bounded space.
    """

    eps: Fraction
    epsilon: Fraction
    delta: Fraction
    allowed: Callable[[Inputs], bool]
    related: Callable[[Inputs, Inputs], bool] = lambda left, right: True
    corner: Callable[[Inputs], Inputs] | None = None


class Search:
    """Evaluates candidate pairs for one table, with a memory of probabilities."""

    def __init__(self, table: Table, moves: Moves, goal: Goal, deadline: float) -> None:
        self.table, self.moves, self.goal, self.deadline = table, moves, goal, deadline
        self.known: dict[Any, Quotient | None] = {}

    def late(self) -> bool:
        """Whether time is up."""
        return time.monotonic() > self.deadline

    def probability(self, output: int, box: Box, inputs: Inputs) -> Quotient | None:
        """The exact probability of an event, None where it cannot be integrated."""
        key = (output, tuple(box), inputs)
        if key not in self.known:
            try:
                self.known[key] = event_probability(self.table.tree, output, box, inputs)
            except (NotAForest, Rejected):
                self.known[key] = None
        return self.known[key]

    def test(self, output: int, box: Box, left: Inputs, right: Inputs) -> Witness | None:
        """The pair as a witness where it breaks the claim."""
        goal = self.goal
        move = tuple(b - a for a, b in zip(left, right, strict=True))
        if not any(move) or not self.moves.related(move) or not (goal.allowed(left) and goal.allowed(right)):
            return None
        if not goal.related(left, right):
            return None
        p, q = self.probability(output, box, left), self.probability(output, box, right)
        if p is None or q is None or not p[0].terms:
            return None
        at = goal.eps if self.table.epsilon is None and self.table.tree.unit == "eps" else Fraction(1)
        if violation(p, q, at, goal.epsilon, goal.delta).sign() <= 0:
            return None
        return Witness(self.table, self.moves, left, right, output, box, p, q, at, goal.epsilon, goal.delta)

    def anywhere(self) -> Witness | None:
        """A witness on the inputs 0 and 1 of a tree of one answer: every output, in half-lines and short intervals."""
        tree = self.table.tree
        for output in sorted({leaf.output for leaf in tree.leaves}):
            slots = next(len(leaf.values) for leaf in tree.leaves if leaf.output == output)
            for box in boxes(slots):
                try:
                    _alone(tree, output, box)
                except Rejected:
                    continue
                for left in (ZERO, Fraction(1)):
                    found = self.test(output, box, (left,), (1 - left,))
                    if found is not None or self.late():
                        return found
        return None


def find(bounds: Bounds, goal: Goal, *, seconds: float = 5.0) -> Witness | None:
    """An exact counterexample to the goal, or None where the search found none in time."""
    search = Search(bounds.table, bounds.moves, goal, time.monotonic() + seconds)
    for output, box, move, start in _leads(bounds, goal):
        try:
            _alone(bounds.table.tree, output, box)
        except Rejected:
            continue
        for left, right in pairs_along(_within(move, bounds.moves.by, goal), start):
            found = search.test(output, box, left, right)
            if found is not None:
                return shrink(search, found)
            if search.late():
                return None
            if search.known.get((output, tuple(box), left), ()) is None:
                break
    return None


def _within(move: Inputs, by: Fraction, goal: Goal) -> Inputs:
    """The move, made shorter where the claim's relation (a Euclidean ball) does not allow all of it."""
    if goal.related((ZERO,) * len(move), move):
        return move
    square = sum(x * x for x in move)
    share = Fraction(isqrt(int(10**6 * by * by / square)), 1000) if square else Fraction(1)
    return tuple(x * share for x in move)


def _leads(bounds: Bounds, goal: Goal) -> Iterator[tuple[int, Box, Inputs, Inputs]]:
    """Events with the directions in which the linear programs say that they fail, the worst first."""
    n = bounds.table.tree.queries
    origin = (ZERO,) * n
    floor = bounds.lower
    if floor is not None:
        point = tuple(floor.point.get(f"q{i}", {}).get("", ZERO) for i in range(n))
        full: Box = list(floor.box)
        for sides in dict.fromkeys([tuple(_used_sides(bounds, floor)), tuple(full)]):
            for start in dict.fromkeys((origin, point)):
                yield floor.output, list(sides), floor.move, start
    costly = sorted(bounds.events, key=lambda e: e.rank, reverse=True)[:40]
    for item in costly:
        quarter = Fraction(1, 4)
        centred: Box = [(-quarter, quarter) for _ in item.event.leaf.values]
        away: Box = [(2 - quarter, 2 + quarter) for _ in item.event.leaf.values]
        for box in [centred, away] if item.event.leaf.values else [centred]:
            yield item.event.output, box, item.hardest, origin
    if goal.corner is None:
        return
    for item in costly:  # the inputs are bounded: move the event
        for direction in (item.hardest, tuple(-x for x in item.hardest)):
            corner = goal.corner(direction)
            for box in boxes(len(item.event.leaf.values)):
                yield item.event.output, box, direction, corner


def _used_sides(bounds: Bounds, floor: Floor) -> Box:
    """The box without the sides that the dual vectors do not use: the bound below holds without them too."""
    used: set[tuple[int, int]] = set()
    for item in bounds.events:
        dual = floor.duals.get(item.event.members)
        if dual is None:
            continue
        if isinstance(dual, Empty):
            return list(floor.box)
        first = len(item.event.rows)
        used |= {divmod(j - first, 2) for j, v in dual.items() if v and first <= j < first + 2 * len(floor.box)}
    return [
        (low if (i, 0) in used else None, high if (i, 1) in used else None) for i, (low, high) in enumerate(floor.box)
    ]


def shrink(search: Search, witness: Witness) -> Witness:
    """Plainer inputs that still break the claim: zeros, then small whole numbers."""
    best = witness
    improved = True
    while improved and not search.late():
        improved = False
        for left, right in plainer(best.left, best.right):
            if size(left, right) >= size(best.left, best.right):
                continue
            found = search.test(best.output, best.box, left, right)
            if found is not None:
                best, improved = found, True
                break
    return best
