"""Tests of data that exclude each other for real numbers alone: the ways that Python's rounding may take all the same.

``a >= 0.7``, ``b >= 0.1`` and ``a + b < 0.8`` hold for no real numbers, and for the doubles 0.7 and 0.1. A proof says
nothing of such a way. It is found by a linear program: there is no point where all tests of data hold, and one where
those that Python rounds hold but for rounding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.readers.paths import Condition
from dpwitness.proofs.kernel.algebra.polyhedra import ONE, Row
from dpwitness.proofs.programs.points import Empty, decide

SLACK = Fraction(1, 2**40)  # of the sizes of the terms: far more than rounding makes of them
MOST_ROWS = 40
EXCLUDED = (
    "tests of the data of which no real numbers pass all, and that doubles may pass where Python rounds: compare "
    "numbers that were computed alike"
)


def refuse_excluded(ways: Iterable[Sequence[Condition]]) -> None:
    """Raise where rounding may lead to a way that real numbers do not take."""
    for conditions in ways:
        chosen = [condition for condition in conditions if _of_data(condition)]
        if not any(condition.rounded for condition in chosen):
            continue
        rows = [_row(condition) for condition in chosen]
        if len(rows) > MOST_ROWS or any(row is None for row in rows):
            raise OutsideFragment("many tests of the data, or tests that are not linear, of which Python rounds some")
        known = [row for row in rows if row is not None]
        if not isinstance(decide(known), Empty):
            continue
        near = [_nearly(row) if condition.rounded else row for row, condition in zip(known, chosen, strict=True)]
        if not isinstance(decide(near), Empty):
            raise OutsideFragment(EXCLUDED)


def _of_data(condition: Condition) -> bool:
    return condition.form.private and not any(symbol.kind == "draw" for symbol in condition.form.symbols())


def _row(condition: Condition) -> Row | None:
    """A test as a row in the data; None where it is not linear in them with rational factors."""
    parts = condition.form.linear()
    rest = None if parts is None else parts[1].value()
    if parts is None or rest is None:
        return None
    form = {ONE: rest}
    for symbol, factor in parts[0].items():
        number = factor.value()
        if number is None:
            return None
        form[f"q{symbol.index}"] = number
    return Row(form, condition.strict)


def _nearly(row: Row) -> Row:
    size = sum(map(abs, row.form.values()), Fraction(0))
    return Row({**row.form, ONE: row.form[ONE] + SLACK * size}, False)


__all__ = ["EXCLUDED", "refuse_excluded"]
