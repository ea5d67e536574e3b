"""A run of a transcript: the values of forms, and sums over the records from the expressions on their cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpwitness.core.coexecution.rounding import NEAR
from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.composition.spans import read_form

_read: dict[int, tuple[Any, Poly]] = {}  # by identity, with what was read: the latest forms
MOST_READ = 50_000


def read_poly(data: Any) -> Poly:
    """A form of a certificate."""
    if isinstance(data, str):
        return _plain_form(data)
    known = _read.get(id(data))
    if known is None or known[0] is not data:
        if len(_read) >= MOST_READ:
            _read.clear()
        known = _read[id(data)] = data, read_form(data)
    return known[1]


@lru_cache(maxsize=4096)
def _plain_form(data: str) -> Poly:
    return read_form(data)


def _is_short(value: Fraction) -> bool:
    """Whether a double holds a number as it is."""
    return Fraction(float(value)) == value


def holds(op: str, sign: int) -> bool:
    return {">": sign > 0, ">=": sign >= 0, "==": sign == 0, "!=": sign != 0}[op]


class RecordRun:
    """The part of a run that computes numbers, record by record where they are private."""

    model: Any
    values: dict[str, Any]
    samples: dict[Any, list[Any]]
    places_of: dict[Any, list[int]]
    doubt: bool

    def form(self, data: Any) -> Any:
        """The value of a form."""
        return self.poly(read_poly(data))

    def poly(self, poly: Poly) -> Any:
        total: Any = Fraction(0)
        for mono, c in poly.terms.items():
            term: Any = c
            for symbol, power in mono:
                term = term * self.values[symbol] ** power
            total = total + term
        return total

    def cells(self, sample: Any) -> list[int]:
        """The cells of the records of a sample."""
        if sample not in self.places_of:
            self.places_of[sample] = [self.model.cell(record) for record in self.samples[sample]]
        return self.places_of[sample]

    def do_sum(self, symbol: str, table: Any, *rest: Any) -> None:
        sample = rest[0] if len(rest) > 1 else None  # the last one is the place
        by_cell, everywhere = self.model.table(table)
        total: Any = Fraction(0)
        for k, record in zip(self.cells(sample), self.samples[sample], strict=True):
            expr = everywhere if everywhere is not None else by_cell.get(k)
            if expr is not None:
                parts = record if isinstance(record, tuple) else (record,)
                total = total + self.expr(expr, parts)
        self.values[symbol] = total

    def expr(self, expr: Any, record: Sequence[Any]) -> Any:
        """An expression of one record."""
        if not isinstance(expr, list):
            return self.form(expr)
        head, *rest = expr
        if head == "x":
            return Fraction(record[rest[0]])
        if head == "if":
            op, left = rest[0]
            return self.expr(rest[1] if holds(op, self._record_sign(left, record)) else rest[2], record)
        if head == "clip":
            return self._clipped(rest, record)
        values = [self.expr(part, record) for part in rest]
        if head in ("mod", "floor"):
            return self._in_steps(head, *values)
        match head:
            case "+":
                return sum(values[1:], values[0])
            case "*":
                return values[0] * values[1]
            case "square":
                return values[0] * values[0]
            case "max" | "min":
                return (max if head == "max" else min)(values)
            case "abs":
                return abs(values[0])
        return getattr(math, head)(values[0])

    def _in_steps(self, name: str, value: Any, step: Any) -> Any:
        """The rest after multiples, or how many; with a doubt where rounding could decide."""
        if abs(float(value / step) - round(value / step)) <= NEAR * (1 + abs(float(value / step))):
            self.doubt = self.doubt or not (isinstance(value, Fraction) and _is_short(value) and _is_short(step))
        return value % step if name == "mod" else value // step

    def _record_sign(self, expr: Any, record: Sequence[Any]) -> int:
        value = self.expr(expr, record)
        if not isinstance(value, Fraction) and abs(value) <= NEAR * (1 + abs(value)):
            self.doubt = True
        return int(value > 0) - int(value < 0)

    def _clipped(self, rest: Sequence[Any], record: Sequence[Any]) -> Any:
        norm, vector, bound, k = rest
        values = [self.expr(part, record) for part in vector]
        if not any(values):
            return values[k]
        total = sum(map(abs, values)) if norm == 1 else math.hypot(*map(float, values))
        return values[k] * min(1.0, float(self.form(bound)) / float(total))


__all__ = ["RecordRun", "holds", "read_poly"]
