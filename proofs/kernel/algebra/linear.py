r"""Numbers that are linear in real inputs, or given for each input of a finite space: how far they move.

Inputs are so many real (or whole) answers with a relation between them, or so many records of an interval of which one
is replaced. For released numbers :math:`\sum_j a_{ij} x_j + c_i` the moves are computed here from the matrix:

* every answer moves by up to b (in both directions, or all in one): number i moves by at most :math:`b\sum_j |a_{ij}|`;
* one answer moves, or one record of an interval of width b is replaced: for some j all numbers move by at most
  :math:`b|a_{ij}|`;
* the answers move in an ℓ1 or ℓ2 ball: where each number reads one answer and no two the same, the numbers do too, each
  in units of :math:`b|a_{ij}|`. In an ℓ1 ball a convex function of the move is largest at a vertex, where one answer
  takes the whole move: so for Laplace and normal noise and all guarantees but approximate ones.

Whole answers move by whole numbers.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, number, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.laws.curves import INTEGER_LAWS
from dpwitness.proofs.kernel.moves import NAMES, RELATIONS
from dpwitness.proofs.kernel.spaces import Space

MAX_SIZE, MAX_NUMBERS = 2_000, 5_000
Vector = tuple[Fraction, ...]


@dataclass(frozen=True)
class Reals:
    """`size` answers that move by at most `by`, or (``"substitute"``) records in an interval from `low` on.

    >>> Reals(3, "linf", Fraction(1)).describe()
    '3 real answers, linf <= 1'
    """

    size: int
    relation: str
    by: Fraction
    whole: bool = False
    low: Fraction | None = None

    def describe(self) -> str:
        """The inputs in words."""
        if self.low is not None:
            return f"{self.size} records in [{text(self.low)}, {text(self.low + self.by)}], one of them replaced"
        return f"{self.size} {'whole' if self.whole else 'real'} answers, {self.relation} <= {text(self.by)}"

    def stated(self) -> dict[str, Any]:
        """The relation of a theorem about these inputs."""
        if self.low is not None:
            ends = {"low": text(self.low), "high": text(self.low + self.by)}
            return {"inputs": "records", "relation": "substitute", **ends}
        moves = NAMES[self.relation]
        bounds = {"low": None, "high": None, "values": None}
        return {"inputs": "answers", "moves": moves, "by": text(self.by), "whole": self.whole, **bounds}

    def to_json(self) -> dict[str, Any]:
        """As it stands in certificates."""
        if self.low is not None:
            ends = {"low": text(self.low), "high": text(self.low + self.by)}
            return {"records": self.size, "relation": "substitute", **ends}
        return {"answers": self.size, "relation": self.relation, "by": text(self.by), "whole": self.whole}


def read_reals(value: object) -> Reals:
    """Read ``{"answers": 3, "relation": "l1", "by", "whole"}``, or records: ``{"records": 3, "relation": "substitute",
    "low", "high"}``."""
    if isinstance(value, Mapping) and "answers" in value:
        size, relation, by, whole = fields(value, "answers", "relation", "by", "whole")
        found = Reals(size, relation, number(by), whole)
        if relation not in (*RELATIONS, "l2") or not isinstance(whole, bool):
            raise Rejected(f"relation must be one of {', '.join(RELATIONS)}, l2, and whole true or false")
    else:
        size, relation, low, high = fields(value, "records", "relation", "low", "high")
        found = Reals(size, relation, number(high) - number(low), False, number(low))
        if relation != "substitute":
            raise Rejected("records of an interval are replaced")
    if type(size) is not int or not 1 <= size <= MAX_SIZE or found.by <= 0:
        raise Rejected(f"1 to {MAX_SIZE} numbers that may move")
    return found


def read_matrix(value: object, size: int) -> list[Vector]:
    """One row of `size` coefficients for each number."""
    if not isinstance(value, list) or len(value) > MAX_NUMBERS or any(not isinstance(row, list) for row in value):
        raise Rejected(f"rows are lists of coefficients, not more than {MAX_NUMBERS}")
    rows = [tuple(number(c) for c in row) for row in value]
    if any(len(row) != size for row in rows):
        raise Rejected(f"a row has {size} coefficients")
    return rows


def steps(space: Reals, rows: Sequence[Vector], laws: Sequence[str], kind: str) -> tuple[str, list[Vector]]:
    """How the numbers move, as `additive` reads it: the kind of the moves, and their sizes.

    Parameters
    ----------
    laws
        The name of the noise of each number.
    kind
        The kind of the guarantee.

    >>> steps(Reals(2, "one", Fraction(1)), [(Fraction(1), Fraction(-2))], ["laplace"], "pure")
    ('listed', [(Fraction(1, 1),), (Fraction(2, 1),)])
    """
    for name, row in zip(laws, rows, strict=True):
        if name in INTEGER_LAWS and (not space.whole or any(c.denominator != 1 for c in row)):
            raise Rejected("integer noise needs whole answers with whole coefficients")
    whole = space.whole and (space.relation != "l2" or space.size == 1)
    by = Fraction(floor(space.by)) if whole else space.by
    sums = tuple(by * sum(map(abs, row), Fraction(0)) for row in rows)
    if space.relation in ("linf", "monotone"):
        return "all", [sums]
    columns = list(dict.fromkeys(tuple(by * abs(row[j]) for row in rows) for j in range(space.size)))
    if space.relation in ("one", "substitute"):
        return "listed", columns
    read = [j for row in rows for j, c in enumerate(row) if c]
    if all(sum(map(bool, row)) <= 1 for row in rows) and len(set(read)) == len(read):
        return space.relation, [sums]
    if space.relation == "l1" and set(laws) in ({"laplace"}, {"gaussian"}) and kind != "approximate":
        return "listed", columns
    raise Rejected("several answers are mixed in one number under this relation")


def read_locations(value: object, inputs: int, numbers: int) -> list[Vector]:
    """The numbers on each input."""
    if not isinstance(value, list) or len(value) != inputs:
        raise Rejected(f"the numbers on each of {inputs} inputs are needed")
    return read_matrix(value, numbers) if numbers else [() for _ in value]


def differences(space: Space, locations: Sequence[Vector]) -> list[Vector]:
    """The sizes of the moves between all neighbours of a finite space, each once."""
    known: dict[tuple[Vector, Vector], Vector] = {}
    found: dict[Vector, None] = {}
    for i, j in space.pairs():
        ends = locations[i], locations[j]
        if ends not in known:
            known[ends] = tuple(abs(b - a) for a, b in zip(*ends, strict=True))
        found[known[ends]] = None
    return list(found)


def moved(rows: Sequence[Vector], left: Collection[Fraction], right: Collection[Fraction]) -> Vector:
    """By how much each number moves between two inputs."""
    change = [b - a for a, b in zip(left, right, strict=True)]
    return tuple(sum((c * d for c, d in zip(row, change, strict=True)), Fraction(0)) for row in rows)
