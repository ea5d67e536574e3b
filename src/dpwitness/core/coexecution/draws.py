"""Values of draws for runs of model and program: given ones, and random ones of several magnitudes."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Literal

from dpwitness.core import laws
from dpwitness.core.coexecution.comparing import odds
from dpwitness.core.laws import Law

Kind = Literal["ordinary", "grid", "tiny", "huge", "zero", "named"]
KINDS: tuple[Kind, ...] = ("ordinary", "grid", "tiny", "huge", "zero", "named")
FACTORS = {"ordinary": 1.0, "grid": 1.0, "tiny": 1e-9, "huge": 1e3, "zero": 1.0, "named": 1.0}


def as_drawn(law: Law, value: Any) -> Any:
    """A value as a run gets it: a double, a whole number, a truth value or an index."""
    if law.support == "finite":
        return bool(value) if law.name in ("bernoulli", "logit") else int(value)
    if law.support == "integers":
        return round(value)
    return float(value)


class Script:
    """The draws of one run: the given values first, then random ones of one kind.

    The kind ``grid`` takes few values that doubles add without rounding, so that ties occur; ``zero`` takes 0 at every
    third draw where the law allows it; ``named`` takes `hints`, the numbers that the program names, and numbers beside
    them.
    """

    def __init__(
        self, first: Sequence[Any], rng: random.Random, kind: Kind = "ordinary", hints: Sequence[Fraction] = ()
    ) -> None:
        self.first, self.rng, self.kind, self.hints = first, rng, kind, hints
        self.count = 0

    def __call__(self, law: Law) -> Any:
        """The value of the next draw."""
        k = self.count
        self.count += 1
        return as_drawn(law, self.first[k] if k < len(self.first) else self._random(law))

    def spare(self, law: Law) -> Any:
        """A value for a draw that only the model makes."""
        return as_drawn(law, self._random(law))

    def _random(self, law: Law) -> Any:
        rng = self.rng
        if law.support == "finite":
            possible = [i for i, p in enumerate(odds(law)) if p > 0]
            pick = rng.choice(possible)
            return pick == 0 if law.name in ("bernoulli", "logit") else pick
        if isinstance(law, laws.Uniform):
            low, high = float(law.low), float(law.high)
            share = {"tiny": 1e-9, "huge": 1 - 1e-9, "grid": rng.randrange(1, 8) / 8}.get(self.kind, rng.random())
            return low + (high - low) * share
        nought = self.kind == "zero" and rng.random() < 1 / 3 and law.zero_has_density
        scale = law.spread()
        if self.kind == "named" and self.hints:
            size = abs(float(rng.choice(self.hints)) + rng.choice((0.0, 0.5, -0.5, 1.0, -1.0)))
            size = size or scale
        elif self.kind == "grid":
            size = rng.choice((0.5, 1.0, 1.0, 2.0)) * power_of_two(scale)
        else:
            size = rng.expovariate(1.0) * scale * FACTORS[self.kind]
        size = 0.0 if nought else size
        return size if not size or law.nonnegative or rng.random() < 0.5 else -size


def power_of_two(value: float) -> float:
    """The largest power of two that is not above a positive number."""
    size = Fraction(value)
    power = size.numerator.bit_length() - size.denominator.bit_length()
    found = 2.0**power
    return found if found <= value else found / 2
