"""What an audit may spend: error probability, pairs, seconds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

from dpwitness.core.errors import BadInput

MOST_PAIRS = 10**12


@dataclass(frozen=True)
class Budget:
    """The limits of one audit.

    Parameters
    ----------
    alpha
        Probability, over the samples, that the audit says anything false.
    max_pairs
        Outputs drawn from each of the two inputs, at most.
    seconds
        Wall-clock limit; None for none. A run that it cuts short reports what the e-process alone has shown.
    seed
        Root of the tree of random streams.
    """

    alpha: float = 1e-3
    max_pairs: int = 1_000_000
    seconds: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if isinstance(self.alpha, bool) or not isinstance(self.alpha, float | int) or not 0 < self.alpha < 1:
            raise BadInput(f"alpha={self.alpha!r} must lie strictly between 0 and 1, such as 0.001")
        if isinstance(self.max_pairs, bool) or not isinstance(self.max_pairs, int) or self.max_pairs < 1:
            raise BadInput(f"max_pairs={self.max_pairs!r} must be a positive whole number")
        if self.max_pairs > MOST_PAIRS:
            raise BadInput(f"max_pairs={self.max_pairs!r} must be at most {MOST_PAIRS}")
        number = isinstance(self.seconds, int | float) and not isinstance(self.seconds, bool)
        if self.seconds is not None and not (number and math.isfinite(self.seconds) and self.seconds > 0):
            raise BadInput(f"seconds={self.seconds!r} must be positive, or None for no limit")
        if isinstance(self.seed, bool) or not isinstance(self.seed, int) or self.seed < 0:
            raise BadInput(f"seed={self.seed!r} must be a whole number ≥ 0")


@dataclass
class Ledger:
    """Who spent which share of α, in the order of spending; overspending is an error.

    >>> ledger = Ledger(0.01)
    >>> ledger.spend("e-process", 0.005), ledger.spend("final count", 0.005)
    (0.005, 0.005)
    >>> ledger.entries
    (('e-process', 0.005), ('final count', 0.005))
    """

    alpha: float
    _rows: list[tuple[str, float]] = field(default_factory=list)

    def spend(self, what: str, amount: float) -> float:
        """Take `amount` out of what is left, and return it."""
        if not amount > 0:
            raise BadInput(f"amount={amount!r} spent on {what!r} must be positive")
        if amount > self.left * (1 + 1e-9) + 1e-300:
            raise BadInput(f"amount={amount!r} for {what!r} exceeds what is left of alpha: {self.left!r}")
        self._rows.append((what, amount))
        return amount

    @property
    def left(self) -> float:
        """What has not been spent."""
        return max(0.0, self.alpha - math.fsum(amount for _, amount in self._rows))

    @property
    def entries(self) -> tuple[tuple[str, float], ...]:
        """All spending so far."""
        return tuple(self._rows)


class Limits(Protocol):
    """What a route is given to spend (`dpwitness.core.budget.Budget`, or the one of this package)."""

    @property
    def alpha(self) -> float: ...
    @property
    def max_pairs(self) -> int: ...
    @property
    def seconds(self) -> float | None: ...
    @property
    def seed(self) -> int: ...
