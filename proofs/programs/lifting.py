"""Counterexamples with few answers as counterexamples with as many as a claim is about: padded with equal answers."""

from __future__ import annotations

import time
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.programs.lower import Box
from dpwitness.proofs.kernel.programs.witness import _alone
from dpwitness.proofs.programs.candidates import Inputs
from dpwitness.proofs.programs.counterexamples import Goal, Search, Witness, find
from dpwitness.proofs.programs.shift import Bounds

FAR = (Fraction(0), Fraction(-8), Fraction(8), Fraction(-64), Fraction(64))


def lift(bounds: Bounds, witness: Witness, goal: Goal, *, seconds: float = 5.0) -> Witness | None:
    """A witness on as many answers as `bounds` has, from one on fewer: padded where that does, else searched for.

    Events are tried in the order of how much of the smaller output they begin with.
    """
    deadline = time.monotonic() + seconds / 2
    search = Search(bounds.table, bounds.moves, goal, deadline)
    tree = bounds.table.tree
    small = witness.table.tree.outputs[witness.output]
    order = sorted({leaf.output for leaf in tree.leaves}, key=lambda k: -_shared(small, tree.outputs[k]))
    for more in FAR:
        for output in order:
            slots = next(len(leaf.values) for leaf in tree.leaves if leaf.output == output)
            box: Box = [*witness.box[:slots], *[(None, None)] * (slots - len(witness.box))]
            try:
                _alone(tree, output, box)
            except Rejected:
                continue
            found = search.test(output, box, *_padded(witness, more, tree.queries))
            if found is not None:
                return found
            if search.late():
                return find(bounds, goal, seconds=seconds / 2)
    return find(bounds, goal, seconds=seconds / 2)


def _padded(witness: Witness, value: Fraction, size: int) -> tuple[Inputs, Inputs]:
    more = (value,) * (size - len(witness.left))
    return (*witness.left, *more), (*witness.right, *more)


def _shared(small: Any, large: Any) -> int:
    """How many entries of one output are those with which another one begins."""
    count = 0
    for a, b in zip(_flat(small), _flat(large), strict=False):
        if a != b:
            break
        count += 1
    return count


def _flat(output: Any) -> Iterator[Any]:
    if isinstance(output, list):
        for part in output:
            yield from _flat(part)
    else:
        yield output
