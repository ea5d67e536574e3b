"""Finding the maximum that leaves of equal output differ by, so that it can count as one more answer."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.polyhedra import Linear, Row, part, plus, show, times, unknowns
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.moves import Moves
from dpwitness.proofs.kernel.programs.folding import check_fold, implied, largest, replaced
from dpwitness.proofs.kernel.programs.trees import Leaf, Tree
from dpwitness.proofs.programs.alignment import Event
from dpwitness.proofs.programs.points import Empty, decide


def fold(tree: Tree, group: Sequence[Leaf], moves: Moves) -> tuple[Event, Moves, set[str]] | None:
    """The leaves as one event about a maximum, with its proof and the moves of answers and maximum, or None."""
    if len(group) < 2 or not group[0].values:
        return None
    for sign in (-1, 1):
        found = _attempt(tree, group, moves, sign)
        if found is not None:
            return found
    return None


def _attempt(tree: Tree, group: Sequence[Leaf], moves: Moves, sign: int) -> tuple[Event, Moves, set[str]] | None:
    extra = f"q{tree.queries}"
    first = group[0]
    place = next((i for i in range(len(first.values)) if any(x.values[i] != first.values[i] for x in group)), None)
    if place is None:
        return None
    common = dict(first.values[place])
    for leaf in group:
        common = {n: v for n, v in common.items() if leaf.values[place].get(n) == v}
    forms = [times(plus(leaf.values[place], common, -1), sign) for leaf in group]
    if not all(forms):
        return None
    outputs = [_with_maximum(value, forms[0], extra) for value in first.values]
    rows: list[Row] = []
    inner = unknowns(part(form, "n") for form in forms)
    for row in first.rows:
        candidate = Row(_with_maximum(row.form, forms[0], extra), row.strict)
        if not inner & set(candidate.form):
            rows.append(candidate)
    proof: dict[str, Any] = {
        "leaves": [leaf.number for leaf in group],
        "forms": [show(form) for form in forms],
        "rows": [[show(row.form), row.strict] for row in rows],
        "values": [show(value) for value in outputs],
        "inside": [],
        "outside": [],
    }
    for j, leaf in enumerate(group):
        event = [*largest(forms, j), *(Row(replaced(row.form, extra, forms[j]), row.strict) for row in rows)]
        inside, outside = _proofs(event, leaf.rows, leaf), _proofs(leaf.rows, event, leaf)
        if inside is None or outside is None:
            return None
        proof["inside"].append(inside)
        proof["outside"].append(outside)
    try:
        checked, shape, wider, stay = check_fold(tree, proof, moves)
    except Rejected:
        return None
    return Event(tuple(checked), shape, tuple(leaf.number for leaf in group), proof), wider, stay


def _with_maximum(form: Linear, inner: Linear, extra: str) -> dict[str, Fraction]:
    """The form with a multiple of `inner` in it written as a multiple of the maximum."""
    ratios = {form[n] / v for n, v in inner.items() if n in form}
    if len(ratios) != 1 or any(n not in form for n in inner):
        return dict(form)
    (factor,) = ratios
    return plus(plus(form, inner, -factor), {extra: factor})


def _proofs(wanted: Sequence[Row], given: Sequence[Row], leaf: Leaf) -> dict[str, dict[str, str]] | None:
    """Farkas proofs that `given` implies each of `wanted`."""
    proofs: dict[str, dict[str, str]] = {}
    for i, row in enumerate(wanted):
        if implied(row, given, leaf.continuous, {}):
            continue
        found = decide([r.open(leaf.continuous) for r in (*given, row.opposite())])
        if not isinstance(found, Empty):
            return None
        proofs[str(i)] = {str(j): str(v) for j, v in found.proof.items()}
    return proofs
