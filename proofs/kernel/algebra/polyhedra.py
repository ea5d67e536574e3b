r"""Linear forms, rows and Farkas proofs: the geometry on which proofs about programs rest.

A form is a rational combination of named unknowns: draws ``n0, n1, ...``, private answers ``q0, q1, ...``, public
constants ``w0, ...`` of unknown value, ``u`` (which stands for :math:`1/\varepsilon`, a positive number) and 1. A
row is the inequality *form > 0* or *form ≥ 0*.

A set of rows is empty when non-negative multipliers :math:`\lambda` make all unknowns cancel:
:math:`\sum_j \lambda_j f_j = \kappa_0 + \kappa_1 u` with :math:`\kappa_0, \kappa_1 \le 0`, where one of the two is
negative or one row with a positive multiplier is strict (Farkas, Motzkin).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.limits import tick

ONE, UNIT = "", "u"
ZERO = Fraction(0)
MAX_TEXT = 4000
_NAME = r"[nqw](?:0|[1-9][0-9]{0,4})(?![0-9])|u"  # one spelling for each unknown: n00 is not n0, so it is no name
_TERM = re.compile(rf"([+-]?)(?:([0-9]+(?:/[0-9]+)?)\*)?({_NAME})|([+-]?)([0-9]+(?:/[0-9]+)?)", re.ASCII)

Linear = Mapping[str, Fraction]


def parse(text: object) -> dict[str, Fraction]:
    """Read a form such as ``"n1-n0+2*q0-1/2"``; anything else is rejected.

    >>> parse("n1-2*q0+1/2") == {"n1": 1, "q0": -2, "": Fraction(1, 2)}
    True
    """
    if not isinstance(text, str) or len(text) > MAX_TEXT:
        raise Rejected(f"{str(text)[:40]!r} is not a linear form")
    form: dict[str, Fraction] = {}
    place = 0
    while place < len(text):
        match = _TERM.match(text, place)
        if match is None or (place > 0 and not (match[1] or match[4])):
            raise Rejected(f"{text[:40]!r} is not a linear form such as 'n1-n0+q0-1/2'")
        name = match[3] or ONE
        size = number(match[2] or "1") if match[3] else number(match[5])
        negative = (match[1] or match[4]) == "-"
        form[name] = form.get(name, ZERO) + (-size if negative else size)
        place = match.end()
    return {name: value for name, value in form.items() if value}


def show(form: Linear) -> str:
    """The text that `parse` reads.

    >>> show({"n1": Fraction(1), "q0": Fraction(-2), "": Fraction(1, 2)})
    'n1-2*q0+1/2'
    """
    parts = []
    for name, value in sorted(form.items(), key=lambda item: (item[0] == ONE, item[0][:1], _index(item[0]))):
        if not value:
            continue
        sign = "-" if value < 0 else "+"
        size = str(abs(value))
        parts.append(sign + (size if name == ONE else name if size == "1" else f"{size}*{name}"))
    return "".join(parts).removeprefix("+") or "0"


def _index(name: str) -> int:
    return int(name[1:]) if len(name) > 1 else -1


def plus(left: Linear, right: Linear, factor: Fraction | int = 1) -> dict[str, Fraction]:
    """left + factor · right."""
    tick()
    total = dict(left)
    for name, value in right.items():
        sum_ = total.get(name, ZERO) + factor * value
        if sum_:
            total[name] = sum_
        else:
            total.pop(name, None)
    return total


def times(form: Linear, factor: Fraction | int) -> dict[str, Fraction]:
    """factor · form."""
    return {name: value * factor for name, value in form.items()} if factor else {}


def part(form: Linear, kind: str) -> dict[str, Fraction]:
    """The terms in unknowns of one kind: ``"n"``, ``"q"`` or ``"w"``."""
    return {name: value for name, value in form.items() if name.startswith(kind)}


@dataclass(frozen=True)
class Row:
    """``form > 0`` where `strict`, else ``form >= 0``."""

    form: Linear
    strict: bool

    def opposite(self) -> Row:
        """The row that holds exactly where this one does not."""
        return Row(times(self.form, -1), not self.strict)

    def open(self, continuous: Collection[str]) -> Row:
        """The same row, strict where that changes it by a null set only: where it involves a continuous draw."""
        return self if self.strict or not any(name in continuous for name in self.form) else Row(self.form, True)

    def __str__(self) -> str:
        return f"{show(self.form)} {'>' if self.strict else '>='} 0"


def combine(rows: Sequence[Row], multipliers: Mapping[int, Fraction]) -> dict[str, Fraction]:
    """Σ λ_j f_j; a multiplier that is negative or belongs to no row is rejected."""
    total: dict[str, Fraction] = {}
    for j, factor in multipliers.items():
        if not 0 <= j < len(rows) or factor < 0:
            raise Rejected(f"multiplier {factor} of row {j}: multipliers are non-negative and belong to a row")
        total = plus(total, rows[j].form, factor)
    return total


def refutes(rows: Sequence[Row], multipliers: Mapping[int, Fraction]) -> bool:
    """Whether the multipliers prove that no point satisfies all rows.

    >>> rows = [Row(parse("n0-q0"), True), Row(parse("q0-n0"), False)]
    >>> refutes(rows, {0: Fraction(1), 1: Fraction(1)}), refutes(rows[1:], {0: Fraction(1)})
    (True, False)
    """
    total = combine(rows, multipliers)
    constant, unit = total.pop(ONE, ZERO), total.pop(UNIT, ZERO)
    if total or constant > 0 or unit > 0:
        return False
    return constant < 0 or unit < 0 or any(rows[j].strict for j, factor in multipliers.items() if factor > 0)


def multipliers(value: object) -> dict[int, Fraction]:
    """Read ``{"row": "multiplier"}``."""
    if not isinstance(value, Mapping):
        raise Rejected("multipliers are a map from row numbers to numbers")
    result = {}
    for row, factor in value.items():
        if not isinstance(row, str) or not row.isascii() or not row.isdigit():
            raise Rejected(f"{str(row)[:20]!r} is not a row number")
        result[int(row)] = number(factor)
    return result


def holds(row: Row, point: Mapping[str, Linear]) -> bool:
    """Whether the row holds for every u > 0 at a point whose coordinates are forms in 1 and u.

    Where `row` is strict one of the two coefficients of its value must be positive and none negative.
    """
    total: dict[str, Fraction] = {}
    for name, value in row.form.items():
        total = plus(total, {name: value}) if name in (ONE, UNIT) else plus(total, point[name], value)
    if any(name not in (ONE, UNIT) for name in total):
        raise Rejected("the coordinates of a point are numbers, or numbers and multiples of u")
    values = [total.get(ONE, ZERO), total.get(UNIT, ZERO)]
    return all(v >= 0 for v in values) and (not row.strict or any(v > 0 for v in values))


def unknowns(forms: Iterable[Linear]) -> set[str]:
    """All names in the forms except 1."""
    return {name for form in forms for name in form if name != ONE}
