"""A rule that guesses the side of an output, and the counting of its guesses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpwitness.auditors.bounds.learner import Partition
from dpwitness.auditors.outputs.arrays import Ints
from dpwitness.auditors.outputs.table import Table


@dataclass(frozen=True)
class Aim:
    """What the count will be: how many coin flips, at which level and δ."""

    runs: int
    alpha: float
    delta: float = 0.0


@dataclass(frozen=True)
class Rule:
    """Guess +1 (left), −1 (right) or 0 (abstain) for every cell of a partition."""

    partition: Partition
    guess: Ints
    name: str
    share: float = 1.0

    @property
    def sides(self) -> int:
        """How many sides are ever guessed."""
        return max(1, int((self.guess > 0).any()) + int((self.guess < 0).any()))


Hits = tuple[int, int, int, int]
"""How often a rule says left, and how often right, first on outputs of the left input and then on those of the right:
(says left on left, says left on right, says right on left, says right on right)."""


def guesses(hits: Hits) -> tuple[int, int]:
    """Right and wrong guesses.

    >>> guesses((5, 1, 2, 7))
    (12, 3)
    """
    return hits[0] + hits[3], hits[1] + hits[2]


def tally(rules: Sequence[Rule], left: Table, right: Table) -> list[tuple[int, int]]:
    """Right and wrong guesses of every rule on outputs whose side is known."""
    return [guesses(hits) for hits in count_hits(rules, left, right)]


def count_hits(rules: Sequence[Rule], left: Table, right: Table) -> list[Hits]:
    """The guesses of every rule on outputs whose side is known; shared partitions are used once."""
    cells: dict[int, tuple[Ints, Ints]] = {}
    result = []
    for rule in rules:
        size = rule.partition.pi.shape[1]
        if id(rule.partition) not in cells:
            x, y = (np.bincount(rule.partition.cells(t), minlength=size) for t in (left, right))
            cells[id(rule.partition)] = (x.astype(np.int64), y.astype(np.int64))
        x, y = cells[id(rule.partition)]
        says_left, says_right = rule.guess > 0, rule.guess < 0
        result.append(
            (int(x[says_left].sum()), int(y[says_left].sum()), int(x[says_right].sum()), int(y[says_right].sum()))
        )
    return result
