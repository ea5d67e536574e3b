r"""Certificates about functions of vectors of a box: each output reads one coordinate of the records.

``{"type": "box-sensitivity", "box": [["0", "1"], …], "norm", "coordinates": [a certificate of type sensitivity, or null
where no output reads it, …], "witness"}``. Where neighbours differ in one record, each column of coordinates
has at most one changed record, or one added, and is a pair of neighbours or of equal datasets. So the outputs that read
coordinate k move by at most b_k, and all outputs by at most the norm of (b_1, b_2, …). The witness is null, or two
datasets of vectors on which the function moves by at least ``move``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.expr import Expr, num
from dpwitness.proofs.kernel.arith import Rejected, number, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.sensitivity.functions import Bounded, check_cases, moved, numbers_of, sign_or_zero
from dpwitness.proofs.kernel.sensitivity.setting import NORMS, Setting
from dpwitness.proofs.kernel.sensitivity.values import sign_of, simplify
from dpwitness.proofs.kernel.spaces import read_ends
from dpwitness.proofs.kernel.statements import subject
from dpwitness.proofs.kernel.theorem import Theorem

MAX_COORDINATES = 16
Vectors = list[tuple[Fraction, ...]]


def combined(norm: str, bounds: Sequence[str]) -> str:
    """The norm of several bounds as a formula.

    >>> combined("l2", ["1/n", "2/n"]), combined("l1", ["1"])
    ('sqrt((1/n)**2 + (2/n)**2)', '1')
    """
    if len(bounds) == 1:
        return bounds[0]
    if norm == "l1":
        return " + ".join(f"({bound})" for bound in bounds)
    if norm == "l2":
        return "sqrt(" + " + ".join(f"({bound})**2" for bound in bounds) + ")"
    shown = bounds[0]
    for bound in bounds[1:]:
        shown = f"max({shown}, {bound})"
    return shown


def whole_move(norm: str, moves: Sequence[Expr]) -> Expr:
    """The norm of the moves of the coordinates; of ℓ2 its square."""
    total = moves[0] if norm != "l2" else simplify("*", (moves[0], moves[0]))
    for move in moves[1:]:
        if norm == "linf":
            total = move if sign_or_zero(simplify("-", (move, total))) > 0 else total
        else:
            total = simplify("+", (total, move if norm == "l1" else simplify("*", (move, move))))
    return total


def move_between(norm: str, settings: Mapping[int, Setting], left: Vectors, right: Vectors) -> Expr:
    """How far the function moves between two datasets; of ℓ2 the square."""
    columns = [[[record[k] for record in side] for side in (left, right)] for k in settings]
    return whole_move(norm, [moved(settings[k], *pair) for k, pair in zip(settings, columns, strict=True)])


def check_box(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``box-sensitivity``."""
    box, norm, coordinates, witness = fields(
        certificate, "type", "box", "norm", "coordinates", "witness", optional=("about",)
    )[1:]
    if not isinstance(box, list) or not 1 <= len(box) <= MAX_COORDINATES or norm not in NORMS:
        raise Rejected(f"a box has 1 to {MAX_COORDINATES} sides, and the norm is one of {', '.join(NORMS)}")
    ends = [read_ends(side) for side in box]
    if not isinstance(coordinates, list) or len(coordinates) != len(ends):
        raise Rejected("one certificate, or null, for each coordinate")
    settings: dict[int, Setting] = {}
    found: list[list[Bounded]] = []
    for k, inner in enumerate(coordinates):
        if inner is None:
            continue
        if not isinstance(inner, Mapping) or inner.get("type") != "sensitivity":
            raise Rejected("a coordinate has a certificate of type sensitivity")
        settings[k], cases = check_cases(inner)
        found.append(cases)
        if settings[k].ends != ends[k] or settings[k].norm != norm or settings[k].params:
            raise Rejected(f"the certificate of coordinate {k} has another interval or norm, or parameters")
    if not settings or len({setting.relation for setting in settings.values()}) != 1:
        raise Rejected("at least one coordinate is read, and all have the same neighbours")
    relation = next(iter(settings.values())).relation
    sizes = [case.sizes for case in found[0]]
    if any([case.sizes for case in cases] != sizes for cases in found):
        raise Rejected("the coordinates have cases for different numbers of records")
    bounds = [combined(norm, [cases[i].shown for cases in found]) for i in range(len(sizes))]
    said = "; ".join(f"{size.describe()}: {bound}" for size, bound in zip(sizes, bounds, strict=True))
    if witness is not None:
        said += "; " + _reached(norm, ends, settings, sizes, relation, witness)
    read = "; ".join(f"coordinate {k}: {', '.join(setting.texts)}" for k, setting in settings.items())
    where = " x ".join(f"[{text(low)}, {text(high)}]" for low, high in ends)
    how = "one record replaced" if relation == "substitute" else "one record added or removed"
    counts, open_ = numbers_of(sizes)
    return Theorem(
        "box-sensitivity", f"{read}; records in {where}; {how}: {norm} sensitivity at most {said}",
        subject({"box": box, "norm": norm, "formulas": {str(k): list(s.texts) for k, s in settings.items()},
                 "relation": relation}, "box", "norm", "formulas", "relation"),
        False, {}, {"inputs": "function of records", "relation": relation, "box": box}, counts, open_,
    )  # fmt: skip


def _reached(
    norm: str,
    ends: Sequence[tuple[Fraction, Fraction]],
    settings: Mapping[int, Setting],
    sizes: Sequence[Any],
    relation: str,
    witness: Any,
) -> str:
    """Raise unless the function moves as far as the witness says."""
    left_json, right_json, move_json = fields(witness, "left", "right", "move")
    left, right = ([tuple(number(x) for x in record) for record in side] for side in (left_json, right_json))
    for record in (*left, *right):
        if len(record) != len(ends) or any(not a <= x <= b for x, (a, b) in zip(record, ends, strict=True)):
            raise Rejected("a record lies outside of the box")
    if not any(min(len(left), len(right)) in size for size in sizes):
        raise Rejected("the witness has another number of records")
    small, large = sorted((left, right), key=len)
    if relation == "substitute":
        near = len(left) == len(right) and sum(a != b for a, b in zip(left, right, strict=True)) == 1
    else:
        near = len(large) == len(small) + 1 and any(large[:i] + large[i + 1 :] == small for i in range(len(large)))
    move = number(move_json)
    if not near or move < 0:
        raise Rejected("the two datasets are not neighbours, or the move is negative")
    wanted = move * move if norm == "l2" else move
    if sign_of(simplify("-", (move_between(norm, settings, left, right), num(wanted)))) < 0:
        raise Rejected("the function does not move as far as the witness says")
    return f"at least {move_json} between two datasets of {len(left)} and {len(right)} records"


CHECKERS = {"box-sensitivity": check_box}
