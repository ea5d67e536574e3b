r"""One released number, piecewise linear in real records, with noise that does not depend on the data.

The records lie in [low, high]. A piece is a polyhedron of datasets (rows: forms that are ≥ 0 on it) with the linear
value of the location there. Together the pieces contain every dataset: space is cut at a row, then each half again,
until every cell lies in a piece because all rows of that piece are known to hold there. For datasets x in piece P and y
in piece Q that differ in record i alone the certificate shows

.. math:: D - v_P(x) + v_Q(y) = \sum_r \lambda_r\,\text{row}_r + R, \qquad \lambda \ge 0,

where the rows are those of P at x and of Q at y, and the rest R is non-negative on the box (each variable at its worse
end). Taken over both orders, the location moves by at most D, and the noise does the rest. Pieces that never meet need
no other rule: their rows contradict each other, and multiples of them prove any bound.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, number, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.claims import claim_from_json, words
from dpwitness.proofs.kernel.laws.curves import INTEGER_LAWS
from dpwitness.proofs.kernel.laws.noise import NoiseLaw
from dpwitness.proofs.kernel.limits import tick
from dpwitness.proofs.kernel.releases.additive import holds
from dpwitness.proofs.kernel.spaces import read_ends
from dpwitness.proofs.kernel.statements import guarantee as stated
from dpwitness.proofs.kernel.statements import subject
from dpwitness.proofs.kernel.theorem import Theorem

Line = tuple[Fraction, ...]  # constant, then one coefficient for each record
MAX_PIECES, MAX_RECORDS, MAX_CELLS = 60, 60, 10_000


def joined(line: Line, replaced: int | None) -> list[Fraction]:
    """A form of a dataset over the joint variables x₁ … xₙ, yᵢ: for y record `replaced` is the last variable.

    >>> joined((Fraction(0), Fraction(1), Fraction(2)), 0)
    [Fraction(0, 1), Fraction(0, 1), Fraction(2, 1), Fraction(1, 1)]
    """
    row = [*line, Fraction(0)]
    if replaced is not None:
        row[1 + replaced], row[-1] = Fraction(0), row[1 + replaced]
    return row


def lines(rows: Sequence[Line], replaced: int | None) -> list[list[Fraction]]:
    """Several forms over the joint variables."""
    return [joined(row, replaced) for row in rows]


def least(row: Sequence[Fraction], low: Fraction, high: Fraction) -> Fraction:
    """The smallest value of a form on the box."""
    return row[0] + sum((c * (low if c > 0 else high) for c in row[1:] if c), Fraction(0))


def cover(pieces: Sequence[Sequence[Line]]) -> bool:
    """Whether the pieces, each given by its rows, are shown to contain every dataset.

    Each cut is at the first row that is open in the first piece still possible, which is how a program with tests cuts.
    Where a row fails its opposite holds, so a cell with no piece left may be empty, but is not known to be: False.

    >>> above, below = (Fraction(-1), Fraction(2)), (Fraction(1, 2), Fraction(-1))
    >>> cover([[above], [below]]), cover([[above], [(Fraction(0), Fraction(-1))]])
    (True, False)
    """
    todo = [[[row for line in rows if (row := _scaled(line)) is not None] for rows in pieces]]
    for _ in range(MAX_CELLS):
        if not todo:
            return True
        tick()
        cell = todo.pop()  # the pieces still possible, with the rows that are not known to hold
        if not cell:
            return False
        if all(cell):
            row = cell[0][0]
            for true, false in ((row, _opposite(row)), (_opposite(row), row)):
                todo.append([[r for r in piece if r != true] for piece in cell if false not in piece])
    raise Rejected(f"the pieces are not seen to be complete within {MAX_CELLS} cells")


def _opposite(row: Line) -> Line:
    return tuple(-c for c in row)


def _scaled(line: Line) -> Line | None:
    """The row divided by the size of its first coefficient; None where it holds everywhere."""
    size = next((abs(c) for c in line[1:] if c), abs(line[0]))
    if not any(line[1:]) and line[0] >= 0:
        return None
    return tuple(c / size for c in line)


def check_piecewise(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "piecewise-release", "records", "pieces", "law", "step", "proofs", "guarantee"}``.

    ``records`` is the interval [low, high]; a location and every row is linear on the dataset in its given order.
    `proofs` lists the multipliers for (P, Q, i) in lexicographic order: of the rows of P, then of Q. Zeros at the end
    may be left out.
    """
    ends, pieces, step_json, proofs, law, guarantee = fields(
        certificate, "type", "records", "pieces", "step", "proofs", "law", "guarantee", optional=("about",)
    )[1:]
    (low, high), step = read_ends(ends), number(step_json)
    if step < 0 or not isinstance(pieces, list) or not 1 <= len(pieces) <= MAX_PIECES:
        raise Rejected(f"an interval, a step that is not negative and 1 to {MAX_PIECES} pieces are needed")
    read = [_piece(piece) for piece in pieces]
    sizes = {len(line) for rows, value in read for line in (*rows, value)}
    if len(sizes) != 1 or not 2 <= max(sizes) <= MAX_RECORDS + 1:
        raise Rejected("all forms must have one constant and the same number of records")
    if not cover([rows for rows, _ in read]):
        raise Rejected("the pieces are not shown to contain every dataset")
    records = sizes.pop() - 1
    cases = [(p, q, i) for p in range(len(read)) for q in range(len(read)) for i in range(records)]
    if not isinstance(proofs, list) or len(proofs) != len(cases):
        raise Rejected(f"{len(cases)} lists of multipliers are needed")
    left = [(lines(rows, None), joined(value, None)) for rows, value in read]
    right = [[(lines(rows, i), joined(value, i)) for i in range(records)] for rows, value in read]
    for (p, q, i), weights in zip(cases, proofs, strict=True):
        (first, here), (second, there) = left[p], right[q][i]
        rows = first + second
        tick()
        if not isinstance(weights, list) or len(weights) > len(rows):
            raise Rejected("more multipliers than rows")
        rest = [b - a for a, b in zip(here, there, strict=True)]
        rest[0] += step
        for weight, row in zip((number(w) for w in weights), rows, strict=False):
            if weight < 0:
                raise Rejected("a multiplier is negative")
            if weight:
                rest = [a - weight * b for a, b in zip(rest, row, strict=True)]
        if least(rest, low, high) < 0:
            raise Rejected(f"pieces {p} and {q}: the location may move by more than {step} with record {i}")
    claim = claim_from_json(guarantee)
    noise = NoiseLaw.from_json(law)
    if noise.name in INTEGER_LAWS:  # smaller moves need not be whole, and tell the two datasets apart
        raise Rejected("integer noise on real records")
    if not holds([(noise, step)], "all", claim):
        raise Rejected(f"{noise} against moves of {text(step)} does not give {words(claim)}")
    inside = {"inputs": "records", "relation": "substitute", "low": text(low), "high": text(high)}
    said = (
        f"{records} records in [{text(low)}, {text(high)}], one of them replaced: {len(read)} pieces, location moves "
    )
    said += f"by at most {text(step)}, {noise}: {words(claim)}"
    model = subject(certificate, "records", "pieces", "law")
    return Theorem("piecewise-release", said, model, False, stated(claim), inside, (records,))


def _piece(value: object) -> tuple[list[Line], Line]:
    rows, line = fields(value, "rows", "value")
    if not isinstance(rows, list) or not isinstance(line, list) or not all(isinstance(row, list) for row in rows):
        raise Rejected("a piece has rows and a value")
    return [tuple(number(c) for c in row) for row in rows], tuple(number(c) for c in line)


CHECKERS = {"piecewise-release": check_piecewise}
