"""Releases of sorted real records: location and scale read from the program for all datasets, as a certificate.

The program is run on records of which only the order statistics are known. Every path gives a location that is linear
in the gaps and a scale that is the largest of several forms. The paths are then shown to speak of one function: the
same location everywhere, and a scale that is the largest of *all* forms of all paths (on each path every other form is
below one of its own, by the tests that led there).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Form, Monomial
from dpwitness.core.laws import Law
from dpwitness.proofs.laws.formulas import Exps
from dpwitness.proofs.laws.reading import Leaf
from dpwitness.proofs.laws.sorted_records.gaps import NEAR, NONE, Row, follows, gap_row, subtract
from dpwitness.proofs.laws.sorted_records.running import OrderedRun, leaves_when_sorted


@dataclass(frozen=True)
class SortedRelease:
    """location(x) + noise times the largest of `scales`, for records in [low, high]; rows are over the gaps."""

    gaps: int
    location: tuple[Fraction, ...]
    scales: tuple[Row, ...]
    law: Law


def read_sorted(program: Any, size: int, params: Any, low: Fraction, high: Fraction) -> SortedRelease:
    """The release of a program that sorts its records and returns one number, or `OutsideFragment`."""
    leaves = leaves_when_sorted(program, size, params, low, high)
    parts = [_parts(leaf, size + 1, high - low) for leaf in leaves]
    location, law = parts[0][0], parts[0][2]
    forms = _Forms()
    owned = [[forms.number(row) for row in rows] for _, rows, _ in parts]
    every = forms.largest()
    for leaf, (place, _, drawn), own in zip(leaves, parts, owned, strict=True):
        if drawn != law or not _same(place, location, _run(leaf).zero):
            raise OutsideFragment("the release is not one formula of the sorted records")
        if not all(forms.dominated(i, own, every, _run(leaf)) for i in every):
            raise OutsideFragment("the scale is not shown to be the largest of its forms")
    scales = tuple(forms.rows[i] for i in every)
    return SortedRelease(size + 1, tuple(_rational(location.get(j, NONE)) for j in range(size + 1)), scales, law)


def _parts(leaf: Leaf, gaps: int, width: Fraction) -> tuple[Row, list[Row], Law]:
    if leaf.random or len(leaf.values) != 1 or len(leaf.draws) != 1 or leaf.output != ("slot",):
        raise OutsideFragment("the program does not release one number with one draw")
    draw = leaf.draws[0]
    rest: dict[Monomial, Fraction] = {}
    scale: dict[Monomial, Fraction] = {}
    for mono, number in leaf.values[0].terms.items():
        powers = dict(mono)
        power = powers.pop(draw.symbol, 0)
        if power not in (0, 1):
            raise OutsideFragment("the output is not linear in the noise")
        (scale if power else rest)[tuple(powers.items())] = number
    location = gap_row(Form(rest), gaps, width)
    options = [gap_row(form, gaps, width) for form in _run(leaf).expand(Form(scale))]
    if location is None or any(row is None for row in options):
        raise OutsideFragment("location or scale is not linear in the records")
    return location, [row for row in options if row is not None], draw.law


def _run(leaf: Leaf) -> OrderedRun:
    assert isinstance(leaf.run, OrderedRun)
    return leaf.run


def _same(left: Row, right: Row, zero: frozenset[int]) -> bool:
    return all(j in zero for j in subtract(left, right))


def _rational(value: Exps) -> Fraction:
    exact = value.form().value()
    if exact is None:
        raise OutsideFragment("the location is not a rational combination of the records")
    return Fraction(exact)


class _Forms:
    """The forms of all paths, by number; their differences are worked out once."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._numbers: dict[Any, int] = {}
        self._gaps: dict[tuple[int, int], tuple[Row, bool]] = {}

    def number(self, row: Row) -> int:
        """The number of a form, the same for equal forms."""
        key = frozenset((j, frozenset(c.terms.items())) for j, c in row.items())
        if key not in self._numbers:
            self._numbers[key] = len(self.rows)
            self.rows.append(row)
        return self._numbers[key]

    def gap(self, large: int, small: int) -> tuple[Row, bool]:
        """large − small, and whether no coefficient of it is negative."""
        if (large, small) not in self._gaps:
            row = subtract(self.rows[large], self.rows[small])
            self._gaps[large, small] = row, all(c.sign() >= 0 for c in row.values())
        return self._gaps[large, small]

    def largest(self) -> list[int]:
        """The forms that are not below another one for every dataset."""
        kept: list[int] = []
        for i in range(len(self.rows)):
            if not any(self.gap(j, i)[1] for j in kept):
                kept = [j for j in kept if not self.gap(i, j)[1]] + [i]
        return kept

    def above(self, large: int, small: int, run: OrderedRun) -> bool:
        """Whether large ≥ small on this path, by the coefficients alone or by one of the tests that led there."""
        row, plain = self.gap(large, small)
        if plain:
            return True
        row = {j: c for j, c in row.items() if j not in run.zero}
        if all(c.near() > -NEAR for c in row.values()) and all(c.sign() >= 0 for c in row.values()):
            return True
        return any(follows(row, known, run.zero) for known in run.rows)

    def dominated(self, form: int, own: Sequence[int], every: Sequence[int], run: OrderedRun) -> bool:
        """Whether `form` is at most one of `own` on this path, through a chain of forms."""
        seen, todo = {form}, [form]
        while todo:
            here = todo.pop()
            if here in own or any(self.above(i, here, run) for i in own):
                return True
            for other in every:
                if other not in seen and self.above(other, here, run):
                    seen.add(other)
                    todo.append(other)
        return False
