"""The route from a claim to statistical evidence: neighbours, e-process, exact count, doubles."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpwitness.auditors.bounds.evalue import MAX_EPSILON
from dpwitness.auditors.bounds.implied import implied
from dpwitness.auditors.bounds.ledger import Budget, Limits
from dpwitness.auditors.doubles.audit import DoublesFinding, audit_doubles
from dpwitness.auditors.outputs.table import Encoder
from dpwitness.auditors.own_process import perform_apart
from dpwitness.auditors.pipeline import Findings, Parts, Question
from dpwitness.auditors.running.engine import Outcome
from dpwitness.auditors.running.runner import current
from dpwitness.auditors.sampling.behaviour import Manners, look
from dpwitness.auditors.sampling.sampler import Sampler, draw_chunk
from dpwitness.auditors.search.pairs import Candidate
from dpwitness.auditors.search.proposals import proposals
from dpwitness.auditors.search.relation import cause_of_sampler, explanations, shrink_row
from dpwitness.core.adjacency import Pair
from dpwitness.core.claims import Claim
from dpwitness.core.errors import BadInput
from dpwitness.core.evidence import DOUBLES, IDEAL_REALS, Event, Evidence, LowerBound, Scope, Unsupported
from dpwitness.core.guarantees import epsilon_delta
from dpwitness.core.limits import Deadline
from dpwitness.core.readers.where import packaged
from dpwitness.core.records import Records

MOST_CANDIDATES = 64
_PROBE = 8
_BRANCH = 9800


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
        """A lower bound on ε at the claim's δ, or why there is none.

        All limits of `budget` hold for everything together, and are kept here: nobody else needs to interrupt it.
        Code that is not the package's own runs in a process of its own where that is possible.
        """
        started = time.monotonic()
        reason = self.supports(claim)
        if reason is not None:
            return Unsupported(reason, method=self.name)
        numerics = "doubles" if claim.numerics == DOUBLES else getattr(budget, "numerics", "ideal")
        mine = Budget(budget.alpha, budget.max_pairs, budget.seconds, budget.seed)
        given = getattr(budget, "pairs", ())
        candidates = [Candidate(left, right, "given") for left, right in given] or _candidates(claim)
        nulls = implied(claim.guarantee)
        pair = epsilon_delta(claim.guarantee)
        delta = nulls[0].delta if pair is not None else min(null.delta for null in nulls)
        ask = Question(
            Sampler(ClaimSampler(claim), batched=True), candidates, True, nulls, nulls[0].eps, delta, mine, numerics,
            claim.space, deadline=Deadline.after(mine.seconds), simplifies=len(candidates) > 1, parts=ClaimParts(claim),
            opinion=bool(given),
        )  # fmt: skip
        found = perform_apart(ask, current(), False if packaged(claim.mechanism) else None)
        return _answer(claim, ask, found, time.monotonic() - started)


@dataclass(frozen=True)
class ClaimParts(Parts):
    """The parts of an audit of a claim: its mechanism is a program, or third-party code."""

    claim: Claim

    @property
    def own(self) -> Any:
        """The user's own function; None for a program."""
        return getattr(self.claim.mechanism, "sampler", None)

    def look(self, ask: Question, draw: Sampler) -> Manners:
        """Third-party code is looked at before it is trusted; a program is run a few times."""
        first = ask.given[0]
        if self.own is not None:
            return look(replace(draw, function=self.own), first.left, first.right, ask.budget.seed)
        if ask.budget.max_pairs < _PROBE * 8:
            return Manners()
        outputs = draw_chunk(draw, first.left, (_BRANCH, 0, 0), _PROBE, ask.budget.seed)
        held = Encoder().encode(outputs, _PROBE).columns
        held = held[np.isfinite(held)]
        return Manners(fractional=bool(np.any(held != np.rint(held))))

    def propose(self, ask: Question, draw: Sampler) -> Sequence[Candidate]:
        """Of datasets: the pairs that the same noise tells apart most. A second opinion has its own pairs."""
        if ask.opinion or not isinstance(self.claim.space, Records):
            return ()
        key = self.claim.space.key
        listed = {frozenset((key(c.left), key(c.right))) for c in ask.given}
        known = lambda left, right: frozenset((key(left), key(right))) in listed  # noqa: E731
        return proposals(draw, self.claim.space, ask.budget.seed, known)

    def only_bits(self, ask: Question, draw: Sampler) -> tuple[int, DoublesFinding | None]:
        """A quick look at the first few pairs chooses; a thorough one, with another seed, certifies."""
        best, score, few = 0, -1.0, ask.given[:12]
        each = min(1 << 13, ask.budget.max_pairs // (4 * len(few)))
        quick = replace(ask.budget, max_pairs=each, seed=ask.budget.seed + 1)
        for number, candidate in enumerate(few if len(few) > 1 else ()):
            finding = audit_doubles(draw, candidate.left, candidate.right, ask.eps or 0.0, ask.delta, quick)
            if finding is not None and finding.epsilon_lower > score:
                best, score = number, finding.epsilon_lower
        pair = ask.given[best]
        return best, audit_doubles(draw, pair.left, pair.right, ask.eps or 0.0, ask.delta, ask.part, thorough=True)

    def bits(self, ask: Question, draw: Sampler, pair: tuple[Any, Any], budget: Budget) -> DoublesFinding | None:
        """The doubles of the pair that was found and, since inputs near 0 tell most, of the first typical pair.

        A second opinion has few samples, and spends them on the first pair alone.
        """
        thorough, typical = ask.numerics == "both", (ask.given[0].left, ask.given[0].right)
        pairs = [pair] if thorough or typical == tuple(pair) else [typical] if ask.opinion else [pair, typical]
        runs = 2**62 if len(pairs) == 1 or draw.meter is None else draw.meter.left // 2
        each = replace(budget, alpha=budget.alpha / len(pairs))
        best: DoublesFinding | None = None
        for left, right in pairs:
            part = draw if draw.meter is None else replace(draw, meter=draw.meter.portion(runs=runs))
            found = audit_doubles(part, left, right, ask.eps or 0.0, ask.delta, each, thorough=thorough)
            if found is not None and (best is None or found.epsilon_lower > best.epsilon_lower):
                best = found
            if found is None or found.refuted:
                break
        return best

    def cause(self, ask: Question, draw: Sampler, pair: tuple[Any, Any]) -> str:
        """What to look at, where the same noise shows it on the pair."""
        if self.own is None:
            from dpwitness.auditors.replay.programs import cause_of_claim

            return cause_of_claim(self.claim, pair, ask.budget.seed, draw.meter)
        return cause_of_sampler(replace(draw, function=self.own), *pair, ask.eps, ask.delta, ask.budget.seed)

    def explain(self, ask: Question, draw: Sampler, pair: tuple[Any, Any]) -> tuple[str, ...]:
        """What replaying the noise shows."""
        if self.own is None:
            from dpwitness.auditors.replay.programs import notice

            return tuple(f"replay: {text}" for text in notice(self.claim, [pair], ask.budget.seed, draw.meter))
        # the class that stands between holds no generators: look at the user's own function
        return explanations(replace(draw, function=self.own), [pair], ask.eps, ask.delta, ask.budget.seed)


def _answer(claim: Claim, ask: Question, found: Findings, seconds: float) -> Evidence:
    left, right = found.inputs(ask)
    pair, finding, outcome = Candidate(left, right), found.finding, found.outcome
    if ask.numerics == "doubles":
        return _bits(claim, pair, finding, ask.part, seconds)
    assert outcome is not None
    if ask.numerics == "both" and not outcome.refuted and finding is not None and finding.refuted:
        return _bits(claim, pair, finding, ask.part, seconds)
    beside = {
        "warnings": (*found.manners.warnings, *found.warnings), "shrunk": found.shrunk, "runs": found.runs,
        "cause": found.cause,
        "unrepeatable": found.manners.repeatable is False or bool(found.refused),
    }  # fmt: skip
    if ask.shrinks:
        outcome = replace(outcome, ledger=outcome.ledger + shrink_row(ask.part))
    why = found.chosen.why if found.chosen is not None else ""
    return _evidence(claim, pair, outcome, why, finding, ask.budget, seconds, beside)


def _candidates(claim: Claim) -> list[Candidate]:
    """Typical pairs, each unordered pair once (the tests look at both orders), evenly thinned where there are many;
    examples, which were asked for, stay."""
    found: dict[frozenset[str], Pair] = {}
    for pair in claim.space.typical_pairs():
        key = frozenset((repr(pair.left), repr(pair.right)))
        if key not in found or found[key].why != "example":
            found[key] = pair
    pairs = list(found.values())
    if len(pairs) > MOST_CANDIDATES:
        given = [p for p in pairs if p.why == "example"][: MOST_CANDIDATES // 2]
        others = [p for p in pairs if p.why != "example"]
        room = MOST_CANDIDATES - len(given)
        if len(others) > room:
            others = [others[round(i * (len(others) - 1) / (room - 1))] for i in range(room)]
        pairs = given + others
    return [Candidate(p.left, p.right, p.why) for p in pairs]


def _scope(claim: Claim, found: Candidate, numerics: Any) -> Scope:
    pair = epsilon_delta(claim.guarantee)
    size = max(len(found.left), len(found.right))
    return Scope(size, str(pair[0]) if pair is not None else str(claim.guarantee), numerics)


def _evidence(
    claim: Claim, found: Candidate, outcome: Outcome, why: str, finding: DoublesFinding | None, budget: Budget,
    seconds: float, beside: dict[str, Any],
) -> LowerBound:  # fmt: skip
    details: dict[str, Any] = {**outcome.details, "log_wealth": outcome.log_wealth, "why": why}
    details.update({name: value for name, value in beside.items() if value})
    if finding is not None:
        details["doubles"] = {
            "refuted": finding.refuted, "epsilon": finding.epsilon_lower, "event": finding.event,
            "pairs": finding.pairs, "alpha": finding.alpha, **({"cut": finding.cut} if finding.cut else {}),
        }  # fmt: skip
    return LowerBound(
        epsilon=outcome.epsilon_lower, alpha=budget.alpha, pairs=outcome.pairs, seed=budget.seed,
        refutes=outcome.refuted, left=tuple(found.left), right=tuple(found.right), direction=outcome.direction,
        event=Event(outcome.event), scope=_scope(claim, found, IDEAL_REALS), detectable=outcome.detectable,
        ledger=outcome.ledger, method=outcome.method, seconds=seconds, details=details,
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
