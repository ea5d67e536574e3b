r"""Noise-dependent shifts: a maximum over draws that stay where they are counts as one more answer.

Where leaves of equal output differ only in which of several forms :math:`g_1, ..., g_p` is the largest, their union
is one event about :math:`m = \max_j g_j`: leaf j is the set where :math:`g_j \ge g_l` for all l and the rows R hold
at :math:`m = g_j`; its real outputs are the forms O at :math:`m = g_j`. Given the draws in the g's, which are not
shifted, m is a number that moves with the answers: each g is one answer plus noise, so m moves no further than the
answers do. A shift of the other draws that serves R and O for all moves of the answers *and* of m bounds the
conditional loss, and so the loss. In terms of all draws the shift depends on the noise: noisy max with gap at four
or more queries needs this.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.polyhedra import Linear, Row, multipliers, parse, part, plus, refutes, unknowns
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.moves import Moves
from dpwitness.proofs.kernel.programs.trees import Leaf, Tree


def replaced(form: Linear, name: str, value: Linear) -> dict[str, Fraction]:
    """The form with `name` replaced by another form."""
    rest = {n: v for n, v in form.items() if n != name}
    return plus(rest, value, form[name]) if name in form else rest


def largest(forms: Sequence[Linear], j: int) -> list[Row]:
    """Rows that say that form j is the largest."""
    return [Row(plus(forms[j], other, -1), False) for i, other in enumerate(forms) if i != j]


def implied(row: Row, given: Sequence[Row], continuous: set[str], proof: object) -> bool:
    """Whether the rows imply the row up to null sets: it is one of them, or Farkas multipliers refute its opposite."""
    if any(row.form == mine.form and (mine.strict or not row.strict) for mine in given):
        return True
    system = [r.open(continuous) for r in (*given, row.opposite())]
    return refutes(system, multipliers(proof))


def check_fold(tree: Tree, value: object, moves: Moves) -> tuple[list[Row], Leaf, Moves, set[str]]:
    """The event about m, a leaf with its outputs, the moves of answers and m, and what shifts must leave alone."""
    numbers, forms_json, rows_json, outputs_json, inside, outside = fields(
        value, "leaves", "forms", "rows", "values", "inside", "outside"
    )
    leaves = [tree.leaves[i] for i in numbers if isinstance(i, int) and i >= 0]
    if len(leaves) != len(numbers) or len(set(numbers)) != len(numbers) or len(forms_json) != len(leaves):
        raise Rejected("one form for each leaf is needed")
    first, extra = leaves[0], f"q{tree.queries}"
    same = all((x.output, x.choices, x.draws) == (first.output, first.choices, first.draws) for x in leaves)
    if not same or not all(x in first.continuous for x in (f"n{k}" for k in range(len(first.draws)))):
        raise Rejected("folded leaves have the same output, choices and continuous laws")
    forms = [parse(text) for text in forms_json]
    rows = [Row(parse(text), strict) for text, strict in rows_json]
    outputs = [parse(text) for text in outputs_json]
    stay = {name for form in forms for name in part(form, "n")}
    _shapes(tree, forms, rows, outputs, stay, first, moves)
    for j, leaf in enumerate(leaves):
        if [replaced(o, extra, forms[j]) for o in outputs] != [dict(v) for v in leaf.values]:
            raise Rejected("the real outputs are not those of the folded form")
        event = [*largest(forms, j), *(Row(replaced(row.form, extra, forms[j]), row.strict) for row in rows)]
        _same_set(leaf, event, inside[j], outside[j])
    if moves.relation in ("l1", "one"):  # m may move together with an answer inside it: shifts must not follow both
        stay |= {name for form in forms for name in part(form, "q")}
    shape = Leaf(first.number, tuple(rows), first.draws, first.choices, first.output, tuple(outputs))
    return rows, shape, Moves(moves.relation, moves.by, tree.queries + 1), stay


def _shapes(
    tree: Tree, forms: Any, rows: Sequence[Row], outputs: Sequence[Linear], stay: set[str], leaf: Leaf, moves: Moves
) -> None:
    known = {f"n{k}" for k in range(len(leaf.draws))} | {f"q{i}" for i in range(tree.queries + 1)}
    used = unknowns([*forms, *(row.form for row in rows), *outputs])
    if any(name[0] != "w" and name != "u" and name not in known for name in used):
        raise Rejected("a folded form uses an unknown draw or answer")
    answers = [part(form, "q") for form in forms]
    if any(list(a.values()) != [Fraction(1)] or f"q{tree.queries}" in a for a in answers):
        raise Rejected("each form is one answer plus noise")
    for i, form in enumerate(forms):
        if any(not part(plus(form, other, -1), "n") for other in forms[:i]):
            raise Rejected("two forms may be equal with positive probability")
    if stay & unknowns([*(row.form for row in rows), *outputs]):
        raise Rejected("the draws of the maximum must not occur beside it")
    if moves.relation in ("l1", "one"):
        inner = {name for a in answers for name in a}
        if inner & unknowns([*(row.form for row in rows), *outputs]):
            raise Rejected("an answer inside the maximum occurs beside it")


def _same_set(leaf: Leaf, event: Sequence[Row], inside: Mapping[str, Any], outside: Mapping[str, Any]) -> None:
    for i, row in enumerate(event):
        if not implied(row, leaf.rows, leaf.continuous, inside.get(str(i), {})):
            raise Rejected(f"leaf {leaf.number} is not inside the folded event")
    for i, row in enumerate(leaf.rows):
        if not implied(row, event, leaf.continuous, outside.get(str(i), {})):
            raise Rejected(f"the folded event is larger than leaf {leaf.number}")
