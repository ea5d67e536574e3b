"""What `audit` returns."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from dpwitness.auditors.doubles.audit import DoublesFinding
from dpwitness.auditors.running.engine import Direction
from dpwitness.core.evidence import beyond, foreseen
from dpwitness.core.reference import LEVEL, Reference, reference


@dataclass(frozen=True)
class Audit:
    """The result of an audit.

    Parameters
    ----------
    refuted
        Whether the claim is rejected at level `alpha` (under ``numerics="doubles"`` or ``"both"``, also as doubles).
    epsilon_lower
        With probability at least 1 − `alpha`, the true ε at the given δ is at least this.
    pairs
        Outputs drawn from each input until the audit stopped.
    direction
        The side on which `event` is more likely.
    event
        The most telling event in words.
    detectable
        The ε that would have been seen with probability 0.9; None where the claim was refuted, or where there are too
        few samples to promise any.
    ledger
        How `alpha` was spent.
    doubles
        What the bit patterns of the outputs gave away: a claim of its own, at its own α.
    warnings
        What does not decide the claim but should be known: a sampler that prints, changes its input or seeds global
        generators, and what replaying its noise shows.
    shrunk
        A simpler pair and event that refute on fresh samples, where the pair was searched for.
    runs
        Runs of the sampler that the audit has made, on both inputs and for whatever purpose.
    reproducible
        Whether the same seed repeats the audit, as far as could be seen; not where the sampler draws from a generator
        that takes no seed.
    """

    refuted: bool
    epsilon_lower: float
    pairs: int
    alpha: float
    direction: Direction
    event: str
    seconds: float
    epsilon: float | None
    delta: float
    seed: int
    left: Any
    right: Any
    detectable: float | None = None
    ledger: tuple[tuple[str, float], ...] = ()
    method: str = ""
    doubles: DoublesFinding | None = None
    details: dict[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    shrunk: dict[str, Any] | None = None
    runs: int = 0
    reproducible: bool = True

    def reference(self, level: float = LEVEL) -> Reference | None:
        """The usual intervals of the event's probabilities and of their ratio, on samples that did not choose it.

        They are no part of `alpha`, and no verdict uses them. None where there is no event, or no such samples.
        """
        counts = self.details.get("fresh")
        if counts is None:
            return None
        return reference(counts, self.direction, epsilon=self.epsilon, delta=self.delta, level=level)

    def __str__(self) -> str:
        bound = f"ε ≥ {_down(self.epsilon_lower)}"
        at = f" at δ = {self.delta:g}" if self.delta else ""
        sure = f"with probability ≥ {1 - self.alpha:g}, {self.pairs} pairs, seed {self.seed}"
        if self.epsilon is None:
            text = f"{bound}{at} {sure}; event: {self.event}"
        elif self.refuted:
            if float(_down(self.epsilon_lower)) <= self.epsilon <= self.epsilon_lower:
                bound = f"ε > {self.epsilon:g}"  # by a hair: the claim is excluded, and no value above it that shows
            text = f"refuted: {bound}{at}, not {self.epsilon:g} ({sure}); more likely on {self.direction}: {self.event}"
        else:
            seen = foreseen(self.detectable, self.details)
            text = f"no violation found{'; ' if seen else ''}{seen} ({bound}{at} {sure})"
            text += f"\n{rare}" if (rare := beyond(self.details)) else ""
        if self.doubles is not None and self.doubles.refuted and self.method != "doubles":
            text += f"\nas doubles: {self.doubles}"
        if self.shrunk is not None:
            simple = self.shrunk
            text += f"\nsimplest: {simple['left']} and {simple['right']}, {simple['event']}"
        return text + "".join(f"\nwarning: {warning}" for warning in self.warnings)


def _down(value: float) -> str:
    return f"{math.floor(value * 1000) / 1000:g}"
