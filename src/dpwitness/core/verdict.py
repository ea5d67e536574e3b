"""Verdicts: what is known of a claim, and by which witnesses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Counterexample, LowerBound, Unsupported, UpperBound
from dpwitness.core.numbers import Exact

PREFLIGHT = "preflight"  # the method named by evidence that the program could not be run at all


class Decision(StrEnum):
    """What is known of a claim."""

    PROVED = "PROVED"
    REFUTED = "REFUTED"
    NOT_REFUTED = "NOT_REFUTED"
    UNDECIDED = "UNDECIDED"
    CONTRADICTION = "CONTRADICTION"


@dataclass(frozen=True)
class Verdict:
    """A decided claim with its witnesses: the best upper bound, the best lower bound, and what could not be done.

    `tried` lists other values of the parameters at which a claim that is a function of them was decided as well.
    """

    claim: Claim
    decision: Decision
    upper: UpperBound | None
    lower: Counterexample | LowerBound | None
    silent: tuple[Unsupported, ...] = ()
    seconds: float = 0.0
    tried: tuple[tuple[Mapping[str, Exact], Decision], ...] = ()

    @property
    def open(self) -> bool:
        """Neither proved nor refuted."""
        return self.decision in (Decision.NOT_REFUTED, Decision.UNDECIDED)

    @property
    def failed_to_run(self) -> bool:
        """The program itself failed, hung, or is not a function of its arguments."""
        return any(s.method == PREFLIGHT for s in self.silent)

    @property
    def surprise(self) -> bool:
        """A decision against what is expected of the claim."""
        if self.decision is Decision.CONTRADICTION:
            return True
        return not self.open and (self.decision is Decision.PROVED) != self.claim.expected_to_hold
