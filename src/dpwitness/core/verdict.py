"""The judge: evidence in, one verdict out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Counterexample, Evidence, LowerBound, Unsupported, UpperBound
from dpwitness.core.guarantees import epsilon_delta

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
    """A decided claim with its witnesses: the best upper bound, the best lower bound, and what could not be done."""

    claim: Claim
    decision: Decision
    upper: UpperBound | None
    lower: Counterexample | LowerBound | None
    silent: tuple[Unsupported, ...] = ()
    seconds: float = 0.0

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


def judge(claim: Claim, evidence: Iterable[Evidence]) -> Verdict:
    """Weigh all evidence on one claim.

    A proof decides PROVED when what it proves implies the claim at the claim's own size. A counterexample or a
    rejection at level α decides REFUTED. Both together, or a lower bound above an upper bound within the same scope,
    is a CONTRADICTION: one of the two routes is wrong.
    """
    found = list(evidence)
    uppers = [e for e in found if isinstance(e, UpperBound)]
    exact = [e for e in found if isinstance(e, Counterexample)]
    lowers = [e for e in found if isinstance(e, LowerBound)]
    silent = tuple(e for e in found if isinstance(e, Unsupported))
    upper = min(uppers, key=lambda u: (not proves(u, claim), _epsilon(u)), default=None)
    refuting: list[Counterexample | LowerBound] = [*exact, *(e for e in lowers if e.refutes)]
    weak = max(lowers, key=lambda e: e.epsilon, default=None)
    lower: Counterexample | LowerBound | None = refuting[0] if refuting else weak
    proved = upper is not None and proves(upper, claim)
    below: list[Counterexample | LowerBound] = [*exact, *lowers]
    if any(_crosses(u, e) for u in uppers for e in below) or (
        proved and upper is not None and any(_same_scope(upper, e) for e in refuting)
    ):
        decision = Decision.CONTRADICTION
    elif refuting:
        decision = Decision.REFUTED
    elif proved:
        decision = Decision.PROVED
    else:
        decision = Decision.NOT_REFUTED if lowers else Decision.UNDECIDED
    return Verdict(claim, decision, upper, lower, silent, sum(e.seconds for e in found))


def _epsilon(bound: UpperBound) -> float:
    pair = epsilon_delta(bound.guarantee)
    return float("inf") if pair is None else float(pair[0])


def proves(bound: UpperBound, claim: Claim) -> bool:
    """Whether the proof gives the guarantee at the claim's own size: it may hold at one and not at another."""
    return bound.guarantee.implies(claim.guarantee) and bound.scope.queries in ("any", claim.queries)


def _covers(bound: UpperBound, queries: int) -> bool:
    """Whether inputs of this size may be among those of the proof."""
    return bound.scope.queries == "any" or bound.scope.queries >= queries


def _same_scope(bound: UpperBound, against: Counterexample | LowerBound) -> bool:
    """Whether the proof speaks of the inputs on which the refutation was found."""
    if bound.scope.numerics != against.scope.numerics:
        return False
    size = max(len(against.left), len(against.right))
    return _covers(bound, size)


def _crosses(bound: UpperBound, against: Counterexample | LowerBound) -> bool:
    """Whether a lower bound on ε lies above a proved upper bound at the same δ."""
    proved = epsilon_delta(bound.guarantee)
    if proved is None or not _same_scope(bound, against):
        return False
    if proved[1] != 0:
        return False  # a bound at one δ says nothing of the ε at another
    floor = against.epsilon_lower if isinstance(against, Counterexample) else against.epsilon
    return floor is None or floor > float(proved[0]) * (1 + 1e-12)
