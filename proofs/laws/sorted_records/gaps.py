"""Linear forms of sorted records, by their gaps: coefficients, order, and what follows from what."""

from __future__ import annotations

from fractions import Fraction

from dpwitness.core.forms import Form
from dpwitness.proofs.laws.formulas import Exps

Row = dict[int, Exps]  # the coefficient of each gap
NONE = Exps({})
NEAR = 1e-9  # how close floats are looked at before the exact test


def minus(row: Row) -> Row:
    """The same combination with the other sign."""
    return {j: -c for j, c in row.items()}


def subtract(left: Row, right: Row) -> Row:
    """left − right."""
    total = {j: left.get(j, NONE) - right.get(j, NONE) for j in {*left, *right}}
    return {j: c for j, c in total.items() if c.terms}


def follows(goal: Row, row: Row, zero: frozenset[int]) -> bool:
    """Whether goal ≥ 0 follows from row ≥ 0: goal − m·row has no negative coefficient, for some m > 0.

    The m that are tried are quotients of coefficients, which is where the best one lies.
    """
    tried: list[float] = []
    places = [k for k in {*goal, *row} if k not in zero]
    about = {k: (goal.get(k, NONE).near(), row.get(k, NONE).near()) for k in places}
    for j, (top, bottom) in about.items():
        size = top / bottom if j in row and len(row[j].terms) == 1 else 0.0
        if size <= 0 or any(abs(size - other) <= NEAR * size for other in tried):
            continue
        tried.append(size)
        if any(x - size * y < -NEAR * (1 + size) for x, y in about.values()):
            continue
        below = row[j].inverse()
        assert below is not None  # one term
        m = goal[j] * below
        rest = [goal.get(k, NONE) - m * row.get(k, NONE) for k in places]
        if m.sign() > 0 and all(x.sign() >= 0 for x in rest):
            return True
    return False


def gap_row(form: Form, gaps: int, width: Fraction) -> Row | None:
    """The coefficients of the gaps in a linear form; a constant c is c/width times the sum of all gaps."""
    parts = form.linear()
    if parts is None:
        return None
    coefficients, rest = parts
    if any(symbol.kind != "input" or symbol.index >= gaps for symbol in coefficients):
        return None
    share = Exps.of(rest * (1 / width))
    row = dict.fromkeys(range(gaps), share) if share.terms else {}
    for symbol, c in coefficients.items():
        row[symbol.index] = row.get(symbol.index, NONE) + Exps.of(c)
    return {j: c for j, c in row.items() if c.terms}
