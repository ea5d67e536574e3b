"""Inputs of a transcript, and the ways in which neighbours differ.

A *move* is a class of ordered pairs of neighbours. Records: under add/remove a move is a cell of the domain (a record
of that cell is there or not); under replacement it is a pair of cells, a cell with itself where it is not a point. A
cell holds all records that a transcript does not tell apart, so that nothing depends on the number of records, unless
``"count": 1`` states that there is one record and no other. Answers: each answer is known by how far it moves.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.composition.spans import Cell

MAX_CELLS, MAX_ANSWERS = 5_000, 2_000
Move = int | tuple[int, int]


@dataclass(frozen=True)
class Inputs:
    """Records in cells, or answers.

    Attributes
    ----------
    relation
        As theorems state it.
    cells
        The cells of the domain in order; a point of a finite domain has no coordinates. None for answers.
    size, by, moves, whole
        Of answers.
    single
        Whether there is one record and no other, which is replaced.
    """

    relation: Mapping[str, Any]
    cells: tuple[Cell, ...] | None = None
    size: int = 0
    by: Fraction = Fraction(0)
    moves: str = ""
    whole: bool = False
    single: bool = False

    @property
    def replaced(self) -> bool:
        """Whether records are replaced."""
        return self.relation.get("relation") == "substitute"

    def is_point(self, cell: int) -> bool:
        """Whether a cell holds one record alone."""
        assert self.cells is not None
        return all(low == high for low, high in self.cells[cell])

    def touching(self, cells: Sequence[int]) -> list[Move]:
        """The moves in which a record of one of these cells takes part."""
        assert self.cells is not None
        if not self.replaced:
            return list(cells)
        found: dict[Move, None] = {}
        for i, j in itertools.product(cells, range(len(self.cells))):
            if i != j or not self.is_point(i):
                found[min(i, j), max(i, j)] = None
        return list(found)

    def sizes(self) -> tuple[int, ...] | str:
        """The sizes for which a transcript holds."""
        if self.cells is None:
            return (self.size,)
        return (1,) if self.single else "any"


def read_inputs(data: Any) -> Inputs:
    """Inputs as certificates state them.

    >>> ends = {"low": "0", "high": "1", "cuts": [["1/2"]]}
    >>> read_inputs({"inputs": "records", "relation": "add-remove", **ends}).cells[1]
    ((Fraction(0, 1), Fraction(1, 2)),)
    """
    kind = data.get("inputs") if isinstance(data, Mapping) else None
    if kind == "answers":
        _, moves, by, whole, size = fields(data, "inputs", "moves", "by", "whole", "size", optional=("values",))
        values = data.get("values")
        if values is not None and (not whole or any(number(v).denominator != 1 for v in values)):
            raise Rejected("values of answers are stated where they are whole numbers")
        if moves not in ("all", "one", "up", "down", "l1") or type(whole) is not bool or number(by) <= 0:
            raise Rejected("how answers move is all, one, up, down or l1, by a positive number")
        if type(size) is not int or not 1 <= size <= MAX_ANSWERS:
            raise Rejected(f"1 to {MAX_ANSWERS} answers")
        stated = {"inputs": "answers", "moves": moves, "by": by, "whole": whole}
        relation = {**stated, "low": None, "high": None, "values": values}
        return Inputs(relation, None, size, number(by), moves, whole)
    if kind != "records" or data.get("relation") not in ("substitute", "add-remove"):
        raise Rejected("inputs are answers, or records under add-remove or substitute")
    single = "count" in data
    if single and (type(data["count"]) is not int or data["count"] != 1 or data["relation"] != "substitute"):
        raise Rejected("a count of records is stated where it is 1, and the record is replaced")
    data = {name: value for name, value in data.items() if name != "count"}
    if "points" in data:
        _, _, points = fields(data, "inputs", "relation", "points")
        if not isinstance(points, list) or not 2 <= len(set(points)) == len(points) <= MAX_CELLS:
            raise Rejected("a finite domain has different points")
        return Inputs(data, ((),) * len(points), single=single)
    if "box" in data:
        _, relation, box, cuts = fields(data, "inputs", "relation", "box", "cuts")
        axes = [(number(low), number(high)) for low, high in box]
        stated = {"inputs": "records", "relation": relation, "box": box}
    else:
        _, relation, low, high, cuts = fields(data, "inputs", "relation", "low", "high", "cuts")
        axes = [(number(low), number(high))]
        stated = {"inputs": "records", "relation": relation, "low": low, "high": high}
    if not 1 <= len(axes) == len(cuts) <= 16:
        raise Rejected("each coordinate has its cuts")
    return Inputs(stated, tuple(itertools.product(*map(_parts, axes, cuts))), single=single)


def _parts(axis: tuple[Fraction, Fraction], cuts: Sequence[str]) -> list[tuple[Fraction, Fraction]]:
    """Points and the open intervals between them."""
    points = [axis[0], *map(number, cuts), axis[1]]
    if any(a >= b for a, b in pairwise(points)) or len(points) > MAX_CELLS:
        raise Rejected("cuts lie inside the interval, in order")
    found = [(points[0], points[0])]
    for a, b in pairwise(points):
        found += [(a, b), (b, b)]
    return found


__all__ = ["Inputs", "Move", "read_inputs"]
