"""Draws that lead a run of a transcript into branches that were not reached."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from dpwitness.core.coexecution.comparing import odds
from dpwitness.core.laws import Law


class Guide:
    """Draws that make released numbers what a search wants them to be."""

    def __init__(self, rng: random.Random, levels: Sequence[float]) -> None:
        self.rng, self.levels = rng, levels
        self.values: list[Any] = []
        self.laws: list[Law] = []
        self.released: list[float] = []

    def source(self, law: Law) -> Any:
        """A draw of any size; a release sets it anew."""
        if law.support == "finite":
            found: Any = self.rng.choice([i for i, p in enumerate(odds(law)) if p > 0])
            found = found == 0 if law.name in ("bernoulli", "logit") else found
        else:
            found = self.rng.choice((-1, 1)) * law.spread() * self.rng.choice((0.5, 1, 3, 10))
            found = abs(found) if law.nonnegative else found
            found = round(found) if law.support == "integers" else float(found)
        self.values.append(found)
        self.laws.append(law)
        return found

    def target(self) -> float:
        """A value for a released number: at some level of the transcript, or beside it, or far away."""
        level = self.rng.choice(self.levels) if self.levels and self.rng.random() < 0.6 else 0.0
        found = level + self.rng.choice((-1000.0, -10.0, -1.5, -0.3, 0.2, 0.7, 1.5, 5.0, 10.0, 1000.0))
        self.released.append(found)
        return found


class Again(Guide):
    """The way of another run with other data: the same choices, and draws that release the same numbers."""

    def __init__(self, first: Guide) -> None:
        super().__init__(first.rng, first.levels)
        self.first = first

    def source(self, law: Law) -> Any:
        k, first = len(self.values), self.first
        if k >= len(first.values) or type(first.laws[k]) is not type(law):
            return super().source(law)
        self.values.append(first.values[k])
        self.laws.append(law)
        return first.values[k]

    def target(self) -> float:
        k = len(self.released)
        found = self.first.released[k] if k < len(self.first.released) else 0.0
        self.released.append(found)
        return found


__all__ = ["Again", "Guide"]
