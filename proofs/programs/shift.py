r"""The exact ε of a program at a fixed number of queries, certified from both sides.

Above: for every event a shift that serves all moves, found by one exact linear program (or one for each vertex of the
adjacency). Below: for the event that costs most, a dual vector and a strictly feasible point. Where the two meet, ε* is
known exactly; where not, the truth lies between.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.polyhedra import show
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.moves import Moves, Part
from dpwitness.proofs.kernel.programs.shift import check_part, read_shift, shifted
from dpwitness.proofs.kernel.programs.trees import Leaf, Tree
from dpwitness.proofs.programs.alignment import Alignment, Event, shift_json
from dpwitness.proofs.programs.floor import Floor, lower_bound
from dpwitness.proofs.programs.folding import fold
from dpwitness.proofs.programs.merging import merge
from dpwitness.proofs.programs.rays import EVERYWHERE, Inside
from dpwitness.proofs.programs.tables import Table

ZERO = Fraction(0)
MAX_VERTICES = 1024
MAX_GROUP = 128


@dataclass
class Bounded:
    """An event with the best shift known: `cost` None where there is no shift at all."""

    event: Event
    alignment: Alignment
    cost: Fraction | None
    shift: Any
    hardest: tuple[Fraction, ...]
    refined: bool = False
    folded: list[Bounded] = field(default_factory=list)

    @property
    def rank(self) -> tuple[int, Fraction]:
        """Order by cost, infinite ones last."""
        return (1, ZERO) if self.cost is None else (0, self.cost)


@dataclass
class Bounds:
    """What is known of ε* in units of the table: ``lower <= eps* <= upper``; `upper` None where no shift exists."""

    table: Table
    moves: Moves
    events: list[Bounded]
    upper: Fraction | None
    lower: Floor | None
    complete: bool = True
    seconds: float = 0.0
    inside: Inside = EVERYWHERE

    @property
    def exact(self) -> bool:
        """Whether the two sides meet, with all inputs of the lower one where they may lie."""
        return self.lower is not None and self.lower.value == self.upper and self.lower.inside == self.inside


def bound(table: Table, moves: Moves, *, seconds: float | None = None, inside: Inside = EVERYWHERE) -> Bounds:
    """Bounds on ε* for all answers `inside` and all moves of the adjacency.

    The upper bound holds for all real answers (whole ones, for integer-valued noise). Where no lower bound is found
    inside, one is given for answers everywhere: it says where a counterexample may be, and never makes ε* exact.

    Parameters
    ----------
    seconds
        Stop refining after this long; what was found so far is sound.
    """
    start = time.monotonic()

    def late() -> bool:
        return seconds is not None and time.monotonic() - start > seconds

    events = [_first(event, moves) for event in gather(table.tree, late)]
    events = _folded(table.tree, events, moves, late)
    best = _below(table.tree, events, moves, late, inside)
    if best is None and inside != EVERYWHERE:
        best = _below(table.tree, events, moves, late, EVERYWHERE)
    upper = max(events, key=lambda e: e.rank).cost if events else ZERO
    return Bounds(table, moves, events, upper, best, not late(), time.monotonic() - start, inside)


def _below(tree: Tree, events: list[Bounded], moves: Moves, late: Callable[[], bool], inside: Inside) -> Floor | None:
    """The best lower bound, the costliest events first; their costs are refined on the way."""
    best: Floor | None = None
    tried: set[int] = set()
    while True:
        top = max(events, key=lambda e: e.rank)
        if best is not None and (best.value is None or (top.cost is not None and best.value >= top.cost)):
            break
        if not top.refined and not late():
            _refine(top, moves)
            continue
        open_ = [e for e in events if e.event.members[0] not in tried and e.rank >= _floor_rank(best)]
        if not open_ or late():
            break
        pick = max(open_, key=lambda e: e.rank)
        tried.add(pick.event.members[0])
        if not pick.refined:
            _refine(pick, moves)
        apart = [x for e in events for x in (e.folded or [e])]
        found = None
        for item in pick.folded or [pick]:
            for move in dict.fromkeys([item.hardest, *_plain_moves(moves)] if pick.folded else [item.hardest]):
                new = lower_bound(tree, [(e.event, e.alignment) for e in apart], item.event, move, inside)
                if new is not None and (found is None or _above(new, found)):
                    found = new
            if pick.folded and found is not None and found.value == pick.cost:
                break
        if found is not None and (best is None or _above(found, best)):
            best = found
    return best


def _folded(tree: Tree, events: list[Bounded], moves: Moves, late: Callable[[], bool]) -> list[Bounded]:
    """Replace leaves that differ by a maximum only by one event about it, where that is cheaper."""
    if len(events) < 3:
        return events
    groups: dict[Any, list[Bounded]] = {}
    for item in events:
        if item.event.merge is None:
            groups.setdefault((item.event.output, item.event.leaf.choices), []).append(item)
    for group in groups.values():
        found = fold(tree, [item.event.leaf for item in group], moves) if len(group) > 1 and not late() else None
        if found is None:
            continue
        event, wider, stay = found
        cheap = _first(event, wider)
        if cheap.cost is None or stay & shifted(cheap.shift):
            continue
        for item in group:
            _refine(item, moves)
        if cheap.rank < max(item.rank for item in group):
            cheap.refined, cheap.folded = True, list(group)
            events = [item for item in events if item not in group] + [cheap]
    return events


def _above(found: Floor, best: Floor) -> bool:
    return best.value is not None and (found.value is None or found.value > best.value)


def _floor_rank(best: Floor | None) -> tuple[int, Fraction]:
    if best is None:
        return (0, ZERO)
    return (1, ZERO) if best.value is None else (0, best.value)


def gather(tree: Tree, late: Any = lambda: False) -> list[Event]:
    """The events of a tree: leaves, and groups of leaves with the same output whose union is one polyhedron."""
    groups: dict[Any, list[Leaf]] = {}
    for leaf in tree.leaves:
        groups.setdefault((leaf.output, leaf.choices, tuple(show(v) for v in leaf.values)), []).append(leaf)
    events: list[Event] = []
    for group in groups.values():
        joined = merge(tree, group) if 1 < len(group) <= MAX_GROUP and not late() else None
        if joined is not None:
            events.append(joined)
        else:
            events += [Event(leaf.rows, leaf, (leaf.number,)) for leaf in group]
    return events


def _first(event: Event, moves: Moves) -> Bounded:
    """The cheapest shift of the form m + Y d that was found."""
    alignment = Alignment(event)
    maps: list[dict[str, str]] = []
    hardest, worst = None, ZERO
    for part in moves.parts():
        best: tuple[Fraction, dict[str, str], tuple[Fraction, ...]] | None = None
        for shift, move in alignment.uniform(part):
            text = shift_json(shift)
            value = _cost(event, text, part)
            if value is not None and (best is None or value < best[0]):
                best = (value, text, move)
        if best is None:
            return Bounded(event, alignment, None, None, _any_vertex(moves))
        maps.append(best[1])
        if hardest is None or best[0] > worst:
            worst, hardest = best[0], best[2]
    assert hardest is not None
    return Bounded(event, alignment, worst, maps[0] if all(m == maps[0] for m in maps) else {"parts": maps}, hardest)


def _cost(event: Event, shift: Mapping[str, str], part: Part) -> Fraction | None:
    """The kernel's cost of a shift on one part of the adjacency."""
    try:
        return check_part(event.rows, event.leaf, read_shift(shift), part, Fraction(-1))
    except Rejected:
        return None


def _plain_moves(moves: Moves) -> list[tuple[Fraction, ...]]:
    """Moves in which one answer goes one way and the others the other way, or stay."""
    found = []
    for part in moves.parts():
        ends = (part.centre + part.half, part.centre - part.half)
        for i in range(moves.queries):
            for one, rest in (ends, ends[::-1], (ends[0], ZERO), (ends[1], ZERO)):
                move = tuple(one if j == i else rest for j in range(moves.queries))
                if moves.related(move) and any(move):
                    found.append(move)
    return found


def _any_vertex(moves: Moves) -> tuple[Fraction, ...]:
    return next(iter(moves.parts()[0].vertices()))


def _refine(bounded: Bounded, moves: Moves) -> None:
    """Replace the bound by the exact maximum over the vertices of the adjacency, where these are few enough."""
    bounded.refined = True
    alignment = bounded.alignment
    quick = alignment.solve(bounded.hardest)
    if quick.value is not None and quick.value == bounded.cost:
        return
    parts = moves.parts()
    if quick.value is None:
        bounded.cost, bounded.shift = None, None
        return
    if sum(part.count for part in parts) > MAX_VERTICES:
        return
    shifts: list[dict[str, str]] = []
    worst, hardest = ZERO, bounded.hardest
    for part in parts:
        for vertex in part.vertices():
            found = alignment.solve(vertex)
            if found.value is None:
                bounded.cost, bounded.shift, bounded.hardest = None, None, vertex
                return
            shifts.append({name: str(v) for name, v in alignment.shift(found).items()})
            if found.value > worst:
                worst, hardest = found.value, vertex
    bounded.hardest = hardest
    whole = any(draw.law == "discrete_laplace" for draw in bounded.event.leaf.draws)
    if not whole and (bounded.cost is None or worst < bounded.cost):  # between vertices a shift would not be integral
        bounded.cost, bounded.shift = worst, {"vertices": shifts}


def certificate(
    bounds: Bounds, program: str, target: str, neighbours: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """The certificate of type ``program-bound`` of a finite upper bound.

    Parameters
    ----------
    neighbours
        The relation where the unknown numbers are not answers that move by so much, but records of an interval.
    """
    if bounds.upper is None:
        raise ValueError("no shift serves every event: there is no upper bound to certify")
    table: dict[str, int] = {}
    shifts: list[Any] = []
    use: dict[str, int] = {}
    merged: list[dict[str, Any]] = []
    folded: list[dict[str, Any]] = []
    for item in bounds.events:
        if item.event.merge is not None:
            (folded if item.folded else merged).append({**item.event.merge, "shift": item.shift})
            continue
        key = repr(item.shift)
        if key not in table:
            table[key] = len(shifts)
            shifts.append(item.shift)
        use[str(item.event.members[0])] = table[key]
    result: dict[str, Any] = {
        "type": "program-bound",
        "target": target,
        "program": program,
        "tree": bounds.table.json,
        "adjacency": bounds.moves.to_json() if neighbours is None else dict(neighbours),
        "bound": str(bounds.upper),
        "shifts": shifts,
        "use": use,
        "merged": merged,
    }
    if folded:
        result["folded"] = folded
    if bounds.exact and bounds.lower is not None and neighbours is None:  # its lines of inputs leave an interval
        result["lower"] = bounds.lower.json(merged_numbers(bounds.events))
    return result


def merged_numbers(events: Sequence[Bounded]) -> Mapping[tuple[int, ...], int]:
    """The number that each merged event has in the certificate."""
    return {e.event.members: k for k, e in enumerate(x for x in events if x.event.merge is not None and not x.folded)}


__all__ = ["Bounded", "Bounds", "bound", "certificate", "gather"]
