r"""Leaves of equal output whose union is one polyhedron.

Candidates for the rows of the union are the rows of its leaves that hold on all of them. The leaves of the tree are
a partition, so the union is the polyhedron P of these rows exactly when P meets no leaf outside. Both directions are
Farkas proofs, up to null sets.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.polyhedra import Row, show
from dpwitness.proofs.kernel.programs.trees import Leaf, Tree
from dpwitness.proofs.programs.alignment import Event
from dpwitness.proofs.programs.points import Empty, decide

ONE_EACH = Fraction(1)


def merge(tree: Tree, group: Sequence[Leaf]) -> Event | None:
    """The union of a group of leaves as one event with its proof, or None where it is not a polyhedron."""
    first = max(group, key=lambda leaf: len(leaf.draws))
    if any(leaf.draws != first.draws[: len(leaf.draws)] for leaf in group):
        return None
    rows: list[Row] = []
    inside: dict[str, dict[str, dict[str, str]]] = {}
    for row in _candidates(group):
        proofs = _valid(row, group, first)
        if proofs is not None:
            for number, proof in proofs.items():
                inside.setdefault(str(number), {})[str(len(rows))] = proof
            rows.append(row)
    outside = _outside(tree, rows, group, first)
    if outside is None:
        return None
    numbers = sorted(leaf.number for leaf in group)
    whole: dict[str, object] = {
        "leaves": numbers,
        "rows": [[show(row.form), row.strict] for row in rows],
        "inside": inside,
        "outside": outside,
    }
    return Event(tuple(rows), first, tuple(numbers), whole)


def _candidates(group: Sequence[Leaf]) -> list[Row]:
    seen: dict[str, Row] = {}
    for leaf in group:
        for row in leaf.rows:
            key = show(row.form)
            if key not in seen or (seen[key].strict and not row.strict):
                seen[key] = row
    return list(seen.values())


def _json(proof: Any) -> dict[str, str]:
    return {str(j): str(v) for j, v in proof.items()}


def _valid(row: Row, group: Sequence[Leaf], first: Leaf) -> dict[int, dict[str, str]] | None:
    """Proofs that every leaf of the group satisfies the row; leaves that have it need none."""
    opposite = row.opposite()
    proofs: dict[int, dict[str, str]] = {}
    pending = []
    for leaf in group:
        if any(row.form == mine.form and (mine.strict or not row.strict) for mine in leaf.rows):
            continue
        if any(opposite.form == mine.form for mine in leaf.rows):
            return None
        pending.append(leaf)
    for leaf in pending:
        system = [r.open(first.continuous) for r in (*leaf.rows, *leaf.supports(), opposite)]
        found = decide(system)
        if not isinstance(found, Empty):
            return None
        proofs[leaf.number] = _json(found.proof)
    return proofs


def _outside(tree: Tree, rows: Sequence[Row], group: Sequence[Leaf], first: Leaf) -> list[Any] | None:
    """Proofs that the polyhedron meets no other leaf, one for each maximal run of leaves with common rows."""
    members = {leaf.number for leaf in group}
    base = [*rows, *first.supports()]
    proofs: list[Any] = []
    todo = [(0, len(tree.leaves) - 1, 0)]
    while todo:
        low, high, depth = todo.pop()
        leaves = tree.leaves[low : high + 1]
        if all(leaf.number in members or _apart(leaf, first) for leaf in leaves):
            continue
        while all(len(leaf.rows) > depth and leaf.rows[depth] == leaves[0].rows[depth] for leaf in leaves):
            depth += 1
        if not members & set(range(low, high + 1)):
            proof = _disjoint(base, leaves[0].rows[:depth], first)
            if proof is not None:
                proofs.append([[low, high], proof])
                continue
        if low == high:
            return None
        start = low
        for i in range(low + 1, high + 2):
            if i > high or _key(tree.leaves[i], depth) != _key(tree.leaves[start], depth):
                if (start, i - 1) == (low, high):
                    return None
                todo.append((start, i - 1, depth))
                start = i
    return sorted(proofs)


def _key(leaf: Leaf, depth: int) -> Any:
    return (str(leaf.rows[depth]) if len(leaf.rows) > depth else "end", leaf.choices)


def _apart(leaf: Leaf, first: Leaf) -> bool:
    return any(a[0] == b[0] and a[1] != b[1] for a, b in zip(leaf.choices, first.choices, strict=False))


def _disjoint(base: Sequence[Row], shared: Sequence[Row], first: Leaf) -> dict[str, str] | None:
    if not shared:
        return None
    for i, row in enumerate(base):
        for j, other in enumerate(shared):
            if other.form == {k: -v for k, v in row.form.items()} and (
                row.open(first.continuous).strict or other.strict
            ):
                return _json({i: ONE_EACH, len(base) + j: ONE_EACH})
    found = decide([r.open(first.continuous) for r in (*base, *shared)])
    return _json(found.proof) if isinstance(found, Empty) else None
