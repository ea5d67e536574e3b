r"""Leaves of equal output whose union is, up to null sets, one polyhedron P.

Every leaf of the union satisfies the rows of P, and P meets no other leaf of the tree: both are Farkas proofs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.proofs.kernel.algebra.polyhedra import Row, multipliers, parse, refutes, unknowns
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.programs.trees import Leaf, Tree


def check_merge(tree: Tree, value: object) -> tuple[list[Row], Leaf]:
    """The polyhedron that equals the union of some leaves, and a leaf that stands for all of them."""
    numbers, rows_json, inside, outside = fields(value, "leaves", "rows", "inside", "outside")
    leaves = [tree.leaves[_leaf_number(i, tree)] for i in numbers]
    first = max(leaves, key=lambda leaf: len(leaf.draws))
    for leaf in leaves:
        same = leaf.output == first.output and leaf.choices == first.choices and list(leaf.values) == list(first.values)
        if not same or leaf.draws != first.draws[: len(leaf.draws)]:
            raise Rejected("merged leaves must have the same output, choices and laws")
    rows = [Row(parse(form), strict) for form, strict in rows_json]
    if any(not isinstance(row.strict, bool) for row in rows):
        raise Rejected("a row is [form, true or false]")
    known = {f"n{k}" for k in range(len(first.draws))} | {f"q{i}" for i in range(tree.queries)} | {"u"}
    if any(name[0] != "w" and name not in known for name in unknowns(row.form for row in rows)):
        raise Rejected("a row of a merged class uses a draw that not all of its leaves share")
    laws = [draw.law for draw in first.draws]
    if any(a != b for cut in tree.cuts for a, b in zip(laws, cut, strict=False)):
        # a branch is cut off by what its own laws make impossible, which says nothing about draws from other laws
        raise Rejected("leaves are merged beside a branch that was cut off among draws of other laws")
    _contained(leaves, rows, first, inside)
    _covered(tree, {leaf.number for leaf in leaves}, rows, first, outside)
    return rows, first


def _contained(leaves: Sequence[Leaf], rows: Sequence[Row], first: Leaf, proofs: Any) -> None:
    """Every leaf satisfies every row of P (a row that the leaf has itself needs no proof)."""
    for leaf in leaves:
        own = [*leaf.rows, *leaf.supports()]
        given = proofs.get(str(leaf.number), {})
        for i, row in enumerate(rows):
            if any(row.form == mine.form and (mine.strict or not row.strict) for mine in own):
                continue
            system = [r.open(first.continuous) for r in (*own, row.opposite())]
            if not refutes(system, multipliers(given.get(str(i), {}))):
                raise Rejected(f"leaf {leaf.number} is not inside the merged polyhedron: row {i}")


def _covered(tree: Tree, members: set[int], rows: Sequence[Row], first: Leaf, proofs: Any) -> None:
    """P meets no leaf outside the class: the tree's leaves are a partition, so P lies in the union of its members."""
    base = [*rows, *first.supports()]
    by_prefix = {tuple(_leaf_number(i, tree) for i in entry[0]): multipliers(entry[1]) for entry in proofs}
    proved: set[int] = set()
    for span, proof in by_prefix.items():
        low, high = span
        shared = _shared_rows(tree.leaves[low : high + 1])
        system = [r.open(first.continuous) for r in (*base, *shared)]
        if not refutes(system, proof):
            raise Rejected(f"the merged polyhedron may meet the leaves {low} to {high}")
        proved.update(range(low, high + 1))
    same = tree.leaves[min(members)].choices
    for leaf in tree.leaves:
        apart = any(a[0] == b[0] and a[1] != b[1] for a, b in zip(leaf.choices, same, strict=False))
        if leaf.number not in members and leaf.number not in proved and not apart:
            raise Rejected(f"nothing shows that the merged polyhedron does not meet leaf {leaf.number}")


def _shared_rows(leaves: Sequence[Leaf]) -> list[Row]:
    """Rows that several leaves have in common from the root on."""
    shared: list[Row] = []
    for group in zip(*(leaf.rows for leaf in leaves), strict=False):
        if any(row != group[0] for row in group):
            break
        shared.append(group[0])
    return shared


def _leaf_number(value: object, tree: Tree) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < len(tree.leaves):
        raise Rejected(f"{str(value)[:20]!r} is not the number of a leaf")
    return value
