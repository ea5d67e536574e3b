"""The input spaces of claims as certificates state them: every input in the kernel's order, records by their labels."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.spaces import REAL, Answers, Interval, Records
from dpwitness.proofs.kernel.algebra.linear import Reals
from dpwitness.proofs.kernel.moves import Moves
from dpwitness.proofs.kernel.spaces import MAX_INPUTS, Space
from dpwitness.proofs.labels import label, labels

RELATIONS = {"all": "linf", "one": "one", "up": "monotone", "down": "monotone", "l1": "l1", "l2": "l2"}
Input = tuple[Any, ...]


def finite_space(space: Answers | Records, queries: int | None = None) -> tuple[Space, list[Input]]:
    """A finite space in the kernel's terms, and its inputs in the order in which the kernel counts them."""
    if isinstance(space, Answers) and space.values is not None:
        points: list[Any] = list(dict.fromkeys(space.values))  # exact numbers: programs get what a caller passes
        n = queries or space.size
        moves = Moves(RELATIONS[space.moves], Fraction(space.by), n)
        found = Space(tuple(map(str, points)), n, n, moves.relation, moves)
    elif isinstance(space, Records) and not isinstance(space.domain, REAL):
        points = list({label(record): record for record in space.domain}.values())
        found = Space(labels(points), space.fewest, space.most, space.relation)
    else:
        raise OutsideFragment("the inputs are not finitely many")
    sizes = range(found.fewest, found.most + 1)
    if sum(len(points) ** n for n in sizes) > MAX_INPUTS:
        raise OutsideFragment(f"more than {MAX_INPUTS} inputs")
    return found, [data for n in sizes for data in itertools.product(points, repeat=n)]


def real_space(space: Answers | Records) -> Reals:
    """Real answers, or records of an interval that are replaced, of one size."""
    if isinstance(space, Answers):
        return Reals(space.size, RELATIONS[space.moves], Fraction(space.by), space.whole)
    if not isinstance(space.domain, Interval) or space.relation != "substitute" or space.fewest != space.most:
        raise OutsideFragment("neither answers nor so many records of an interval, one of which is replaced")
    low, high = Fraction(space.domain.low), Fraction(space.domain.high)
    return Reals(space.most, "substitute", high - low, False, low)


def names(data: Input, space: Answers | Records) -> list[str]:
    """An input as certificates name it: numbers where they are read as numbers, else labels."""
    if isinstance(space, Answers) or isinstance(space.domain, Interval):
        return [str(Fraction(x)) for x in data]
    return [label(record) for record in data]
