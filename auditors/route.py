"""The route from a claim to statistical evidence: neighbours, e-process, exact count, doubles."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from dpwitness.auditors.beside import explanations, nearby, relation, shrink_row, simpler_witness, without_shrinking
from dpwitness.auditors.budget import Budget
from dpwitness.auditors.doubles import DoublesFinding, audit_doubles
from dpwitness.auditors.evalue import MAX_EPSILON
from dpwitness.auditors.manners import examine
from dpwitness.auditors.neighbours import Candidate, Found, search
from dpwitness.auditors.sampling import Sampler
from dpwitness.auditors.targets import implied
from dpwitness.core.claims import Claim
from dpwitness.core.errors import BadInput
from dpwitness.core.evidence import DOUBLES, IDEAL_REALS, Event, Evidence, LowerBound, Scope, Unsupported
from dpwitness.core.guarantees import epsilon_delta

MOST_CANDIDATES = 64
_TIME_SHARE = 0.8


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


@dataclass(frozen=True)
class ClaimSampler:
    """The mechanism of a claim as ``sampler(data, size, rng)``."""

    claim: Claim

    def __call__(self, data: Sequence[Any], size: int, rng: np.random.Generator) -> Any:
        params: dict[str, Any] = dict(self.claim.params)
        return self.claim.mechanism.sample(data, size, rng, **params)


@dataclass(frozen=True)
class SequentialAuditor:
    """Screens the typical neighbours of the claim's space, then audits the most telling pair.

    Under ``numerics="both"`` half of α goes to the claim about real numbers and half to the claim about doubles; under
    ``"ideal"`` a finding about doubles is attached to the evidence as a warning, at a level of its own.
    """

    name: str = "sequential audit"

    def supports(self, claim: Claim) -> str | None:
        """None where the claim can be audited, else the reason why not."""
        if not hasattr(claim.mechanism, "sample"):
            return f"{claim.target} has no sampler"
        try:
            nulls = implied(claim.guarantee)
        except BadInput as error:
            return str(error)
        if not nulls:
            return f"{claim.guarantee} implies no (ε,δ) that sampling could test"
        if all(null.eps > MAX_EPSILON for null in nulls):
            return f"ε above {MAX_EPSILON:g} cannot be tested by sampling"
        if not claim.space.typical_pairs():
            return "the input space offers no neighbouring pairs"
        return None

    def run(self, claim: Claim, budget: Limits) -> Evidence:
        """A lower bound on ε at the claim's δ, or why there is none."""
        started = time.monotonic()
        reason = self.supports(claim)
        if reason is not None:
            return Unsupported(reason, method=self.name)
        numerics = getattr(budget, "numerics", "ideal")
        if claim.numerics == DOUBLES:
            numerics = "doubles"
        seconds = None if budget.seconds is None else _TIME_SHARE * budget.seconds
        mine = Budget(budget.alpha, budget.max_pairs, seconds, budget.seed)
        if numerics == "both":
            mine = replace(mine, alpha=mine.alpha / 2)
        sampler = Sampler(ClaimSampler(claim), batched=True)
        given = getattr(budget, "pairs", ())
        candidates = [Candidate(left, right, "given") for left, right in given] or _candidates(claim)
        nulls = implied(claim.guarantee)
        pair = epsilon_delta(claim.guarantee)
        delta = nulls[0].delta if pair is not None else min(null.delta for null in nulls)
        if numerics == "doubles":
            best, finding = self._doubles(sampler, candidates, nulls[0].eps, delta, mine)
            return _bits(claim, best, finding, mine, time.monotonic() - started)
        searches = len(candidates) > 1
        manners: tuple[str, ...] = ()
        own = getattr(claim.mechanism, "sampler", None)  # third-party code is looked at before it is trusted
        if own is not None:
            manners = examine(replace(sampler, function=own), candidates[0].left, candidates[0].right, mine.seed)
        found = search(sampler, candidates, nulls, delta, without_shrinking(mine) if searches else mine,
                       nearby=nearby(claim.space))  # fmt: skip
        finding = _bit_look(sampler, found, candidates[0], nulls[0].eps, delta, mine, numerics == "both")
        if searches:
            found = replace(found, outcome=replace(found.outcome, ledger=found.outcome.ledger + shrink_row(mine)))
        beside: dict[str, Any] = {"warnings": manners + _noticed(claim, sampler, found, nulls[0].eps, delta, mine.seed)}
        if searches and found.outcome.refuted and (seconds is None or time.monotonic() - started < seconds / 2):
            beside["shrunk"] = simpler_witness(
                sampler, found.left, found.right, nulls, delta, mine, found.outcome.pairs, relation(claim.space)
            )
        elapsed = time.monotonic() - started
        if numerics == "both" and not found.outcome.refuted and finding is not None and finding.refuted:
            return _bits(claim, Candidate(found.left, found.right), finding, mine, elapsed)
        return _evidence(claim, found, finding, mine, budget.alpha, elapsed, beside)

    def _doubles(
        self, sampler: Sampler, candidates: Sequence[Candidate], eps: float, delta: float, budget: Budget
    ) -> tuple[Candidate, DoublesFinding | None]:
        """A quick look at the first few pairs chooses; a thorough one, with another seed, certifies."""
        best, score = candidates[0], -1.0
        for candidate in candidates[:12]:
            look = replace(budget, max_pairs=min(budget.max_pairs, 1 << 13), seed=budget.seed + 1)
            finding = audit_doubles(sampler, candidate.left, candidate.right, eps, delta, look)
            if finding is not None and finding.epsilon_lower > score:
                best, score = candidate, finding.epsilon_lower
        return best, audit_doubles(sampler, best.left, best.right, eps, delta, budget, thorough=True)


def _bit_look(
    sampler: Sampler, found: Found, typical: Candidate, eps: float, delta: float, budget: Budget, thorough: bool
) -> DoublesFinding | None:
    """The doubles of the pair that was found and, since inputs near 0 tell most, of the first typical pair."""
    pairs = [(found.left, found.right)]
    if not thorough and (typical.left, typical.right) != pairs[0]:
        pairs.append((typical.left, typical.right))
    each = replace(budget, alpha=budget.alpha / len(pairs))
    best: DoublesFinding | None = None
    for left, right in pairs:
        look = audit_doubles(sampler, left, right, eps, delta, each, thorough=thorough)
        if look is not None and (best is None or look.epsilon_lower > best.epsilon_lower):
            best = look
        if look is None or look.refuted:
            break
    return best


def _noticed(claim: Claim, sampler: Sampler, found: Found, eps: float, delta: float, seed: int) -> tuple[str, ...]:
    """What replaying the noise shows."""
    pair = (found.left, found.right)
    if not hasattr(claim.mechanism, "sampler"):
        from dpwitness.auditors.grey import notice

        return tuple(f"replay: {text}" for text in notice(claim, [pair], seed))
    # the class that stands between holds no generators: look at the user's own function
    own = replace(sampler, function=claim.mechanism.sampler)
    return explanations(own, [pair], eps, delta, seed)


def _candidates(claim: Claim) -> list[Candidate]:
    """Typical pairs, each unordered pair once (the tests look at both orders), evenly thinned where there are many."""
    pairs = list({frozenset((repr(p.left), repr(p.right))): p for p in claim.space.typical_pairs()}.values())
    if len(pairs) > MOST_CANDIDATES:
        pairs = [pairs[round(i * (len(pairs) - 1) / (MOST_CANDIDATES - 1))] for i in range(MOST_CANDIDATES)]
    return [Candidate(p.left, p.right, p.why) for p in pairs]


def _scope(claim: Claim, found: Candidate | Found, numerics: Any) -> Scope:
    pair = epsilon_delta(claim.guarantee)
    size = max(len(found.left), len(found.right))
    return Scope(size, str(pair[0]) if pair is not None else str(claim.guarantee), numerics)


def _evidence(
    claim: Claim, found: Found, finding: DoublesFinding | None, budget: Budget, alpha: float, seconds: float,
    beside: dict[str, Any],
) -> LowerBound:  # fmt: skip
    outcome = found.outcome
    details: dict[str, Any] = {**outcome.details, "log_wealth": outcome.log_wealth, "why": found.why}
    details.update({name: value for name, value in beside.items() if value})
    if finding is not None:
        details["doubles"] = {
            "refuted": finding.refuted, "epsilon": finding.epsilon_lower, "event": finding.event,
            "pairs": finding.pairs, "alpha": finding.alpha, **({"cut": finding.cut} if finding.cut else {}),
        }  # fmt: skip
    return LowerBound(
        epsilon=outcome.epsilon_lower, alpha=alpha, pairs=outcome.pairs, seed=budget.seed, refutes=outcome.refuted,
        left=tuple(found.left), right=tuple(found.right), direction=outcome.direction, event=Event(outcome.event),
        scope=_scope(claim, found, IDEAL_REALS), detectable=outcome.detectable, ledger=outcome.ledger,
        method=outcome.method, seconds=seconds, details=details,
    )  # fmt: skip


def _bits(claim: Claim, pair: Candidate, finding: DoublesFinding | None, budget: Budget, seconds: float) -> Evidence:
    if finding is None:
        return Unsupported("the outputs hold no doubles: the claim about real numbers is the claim about doubles",
                           method="doubles audit", seconds=seconds)  # fmt: skip
    return LowerBound(
        epsilon=finding.epsilon_lower, alpha=budget.alpha, pairs=finding.pairs, seed=budget.seed,
        refutes=finding.refuted, left=tuple(pair.left), right=tuple(pair.right), direction=finding.direction,
        event=Event(finding.event), scope=_scope(claim, pair, DOUBLES),
        ledger=(("count of a bit event on fresh samples", budget.alpha),), method="doubles audit", seconds=seconds,
        details={"right": finding.right, "wrong": finding.wrong},
    )  # fmt: skip
