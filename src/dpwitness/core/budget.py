"""What a route may spend on one claim."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from dpwitness.core.errors import BadInput
from dpwitness.core.limits import Deadline

_SOONEST = 1e-3  # seconds: a budget whose time is over ends at once


@dataclass(frozen=True)
class Budget:
    """Limits for one claim.

    Parameters
    ----------
    alpha
        The probability of a false alarm that an audit may spend.
    max_pairs
        Pairs of samples (one from each neighbour) that an audit may draw, for whatever purpose.
    seconds
        Time limit of one claim, for all of its routes together.
    seed
        Root of all randomness.
    numerics
        Which claim decides: real-valued noise, doubles, or both.
    pairs
        Neighbouring inputs to audit; where empty, the auditor searches.
    """

    alpha: float = 1e-3
    max_pairs: int = 3_000_000
    seconds: float = 60.0
    seed: int = 0
    numerics: Literal["ideal", "doubles", "both"] = "ideal"
    pairs: tuple[tuple[Any, Any], ...] = ()

    def __post_init__(self) -> None:
        if not 0 < self.alpha < 1:
            raise BadInput(f"alpha={self.alpha} must lie strictly between 0 and 1")
        if self.max_pairs < 1:
            raise BadInput(f"max_pairs={self.max_pairs} must be at least 1")
        if not self.seconds > 0:
            raise BadInput(f"seconds={self.seconds} must be positive")
        if self.seed < 0:
            raise BadInput(f"seed={self.seed} must not be negative")
        if self.numerics not in ("ideal", "doubles", "both"):
            raise BadInput(f"numerics={self.numerics!r} must be 'ideal', 'doubles' or 'both'")

    def deadline(self) -> Deadline:
        """The moment at which the time is over, counted from now."""
        return Deadline.after(self.seconds)

    def within(self, deadline: Deadline, share: float = 1.0) -> Budget:
        """The same with a share of the time that is left until `deadline`.

        >>> budget = Budget(seconds=60.0)
        >>> budget.within(budget.deadline(), 1 / 4).seconds <= 15
        True
        """
        left = share * deadline.remaining()
        return replace(self, seconds=max(_SOONEST, min(self.seconds, left)))
