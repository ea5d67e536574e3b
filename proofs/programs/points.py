r"""Interior points and Farkas proofs: one exact linear program decides which of the two exists.

For rows :math:`f_j(z) > 0` (strict) and :math:`f_j(z) \ge 0` the program is max t ≤ 1 with :math:`f_j(z) \ge t` for
the strict rows. It is solved in the dual, where the origin is feasible: the dual vector is the Farkas proof, and the
multipliers of the dual's rows are the point.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpwitness.proofs.kernel.algebra.polyhedra import ONE, UNIT, Row, refutes, unknowns
from dpwitness.proofs.programs.simplex import PivotLimit, Simplex

ZERO = Fraction(0)


@dataclass(frozen=True)
class Empty:
    """No point satisfies the rows: multipliers that prove it."""

    proof: Mapping[int, Fraction]


Point = dict[str, Fraction]


def decide(rows: Sequence[Row]) -> Point | Empty | None:
    """A point that satisfies all rows, or a proof that there is none; None where neither is found.

    The unknown ``u`` is positive.

    >>> from dpwitness.proofs.kernel.algebra.polyhedra import parse
    >>> decide([Row(parse("n0-q0"), True), Row(parse("q0-n0-1"), False)])
    Empty(proof={0: Fraction(1, 1), 1: Fraction(1, 1)})
    """
    names = sorted(unknowns(row.form for row in rows))
    system = [*rows, Row({UNIT: Fraction(1)}, True)] if UNIT in names else list(rows)
    if not system:
        return {}
    matrix = [[row.form.get(name, ZERO) for row in system] for name in names]
    lines = matrix + [[-v for v in line] for line in matrix]
    lines.append([Fraction(int(row.strict)) for row in system])
    limits = [ZERO] * (2 * len(names)) + [Fraction(1)]
    weights = [int(row.strict) - row.form.get(ONE, ZERO) for row in system]
    try:
        found = Simplex(lines, limits, len(system)).maximise(weights)
    except PivotLimit:
        return None
    if found.value is None or found.value >= 1:  # t = 1 − value ≤ 0
        proof = {j: v for j, v in enumerate(found.x) if v and j < len(rows)}
        return Empty(proof) if refutes(rows, proof) else None
    k = len(names)
    point = {name: found.y[i] - found.y[k + i] for i, name in enumerate(names)}
    return point if satisfies(rows, point) else None


def satisfies(rows: Sequence[Row], point: Mapping[str, Fraction]) -> bool:
    """Whether a point satisfies every row, the strict ones strictly."""
    for row in rows:
        value = row.form.get(ONE, ZERO) + sum((v * point[n] for n, v in row.form.items() if n != ONE), ZERO)
        if value < 0 or (row.strict and value == 0):
            return False
    return True


def decide_all(rows: Sequence[Row]) -> dict[str, dict[str, Fraction]] | Empty | None:
    """Like `decide`, for every u > 0 at once: the coordinates of the point are forms in 1 and u."""
    if not any(UNIT in row.form for row in rows):
        found = decide(rows)
        return (
            found if found is None or isinstance(found, Empty) else {k: {ONE: v} if v else {} for k, v in found.items()}
        )
    doubled: list[Row] = []
    for row in rows:
        low = {f"{n}.0" if n != ONE else ONE: v for n, v in row.form.items() if n != UNIT}
        high = {f"{n}.1": v for n, v in row.form.items() if n not in (ONE, UNIT)}
        high[ONE] = row.form.get(UNIT, ZERO)
        both = {**low, **high, ONE: row.form.get(ONE, ZERO) + high[ONE]}
        doubled += [Row(low, False), Row(high, False), Row(both, row.strict)]
    found = decide(doubled)
    if found is None or isinstance(found, Empty):
        single = decide(rows)
        return single if isinstance(single, Empty) else None
    names = unknowns(row.form for row in rows) - {UNIT}
    return {
        n: {k: v for k, v in ((ONE, found.get(f"{n}.0", ZERO)), (UNIT, found.get(f"{n}.1", ZERO))) if v} for n in names
    }
