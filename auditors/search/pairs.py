"""Choosing the pair of neighbouring inputs: cheap runs on many pairs choose, fresh runs on the best certify.

Screening spends no α: it only decides which pairs are audited, with random numbers that are never used again. The
best pair is audited with most of α and, where that does not refute, the runner-up with the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, Protocol

from dpwitness.auditors.bounds.evalue import Null
from dpwitness.auditors.bounds.ledger import Budget
from dpwitness.auditors.running.engine import Outcome
from dpwitness.auditors.running.runner import Task, run
from dpwitness.auditors.running.shares import SEARCH, Shares
from dpwitness.auditors.sampling.meter import Meter
from dpwitness.auditors.sampling.sampler import Sampler
from dpwitness.auditors.sampling.seeds import SeedBranch
from dpwitness.auditors.search.finals import FEWEST, FINALISTS, settled
from dpwitness.auditors.search.screening import Candidate, Screening, screen
from dpwitness.core.errors import BadInput, ProgramFailed, ProgramTimeout

__all__ = ["Candidate", "Found", "Screening", "screen", "search"]

FINAL = 1 / 3  # of the runs for comparing: for the finals, where these are enough for them
MANY = 12  # pairs, from which on the luckiest of them may be far from the worst
LOOKING = 0.6  # of the rest: for the pairs that were given, before those around the best of them
_WINNER = 0.9
_PARENTS = 2
_FREE = 1000  # times the pairs of the audit: where nothing is shared out, comparing is not limited
Pairs = Sequence[tuple[Any, Any, str]]


class Nearby(Protocol):
    """Which pairs lie around a pair, each with a word on how it was made."""

    def moves(self, left: Any, right: Any) -> Pairs:
        """Pairs that differ a little from the given one."""

    def steepest(self, sampler: Sampler, left: Any, budget: Budget, place: int) -> Pairs:
        """Neighbours of `left` in directions that its outputs ask for."""


@dataclass(frozen=True)
class Found:
    """The pair that was certified; the outcome is None until it is."""

    outcome: Outcome | None
    left: Any
    right: Any
    why: str
    screened: int
    remarks: tuple[str, ...] = ()


def search(
    sampler: Sampler,
    candidates: Sequence[Candidate],
    claim: tuple[Null, ...] | None,
    delta: float,
    budget: Budget,
    executor: Executor | None = None,
    *,
    sequential: bool = True,
    nearby: Nearby | None = None,
    shares: Shares | None = None,
    chosen: Callable[[Found], None] = lambda found: None,
) -> Found:
    """Screen all candidates by successive halving, then audit the best with fresh samples.

    Where `nearby` says which pairs lie around a pair, and screening has not yet seen the claim violated, the pairs
    around the best few are screened too, and those that move all answers along the slopes of an output. As long as no
    pair stands out against a claim, the best few are compared once more on samples that had no part in choosing them.

    Parameters
    ----------
    shares
        How the limits of the sampler's meter are shared out; where None they are those of the budget alone.
    chosen
        Told which pair is audited, with what is known by then.
    """
    if not candidates:
        raise BadInput("neighbours is empty: at least one pair of inputs is needed")
    meter = sampler.meter or Meter.of(budget.seconds)
    plan = shares or Shares(budget.max_pairs * _FREE, budget.max_pairs // 4, 0, 0, 0, SEARCH)
    screened = Screening(list(candidates), len(candidates))
    if len(candidates) > 1:
        compared = meter.portion(runs=2 * plan.compare, until=plan.until.final)
        final = FINAL * compared.left if claim and len(candidates) >= MANY else 0.0
        final = final if final >= 4 * FINALISTS * FEWEST else 0.0
        share = (LOOKING if final else 1 / 2) * (compared.left - final)
        looking = replace(sampler, meter=compared.portion(runs=share, until=plan.until.compare))
        screened = screen(looking, candidates, claim, delta, budget)
        if not screened.telling and screened.tried:
            end = plan.until.around if final else plan.until.final
            around = replace(sampler, meter=compared.portion(runs=max(0.0, compared.left - final), until=end))
            more = _around(around, screened, nearby, claim, delta, budget) if nearby is not None else None
            both = screened.then(more)
            if final and not both.telling:
                finalists = [*screened.ranked[:FINALISTS], *(more.ranked[:FINALISTS] if more is not None else ())]
                both = settled(replace(sampler, meter=compared), both, finalists, delta, budget)
            screened = both
    ranked = screened.ranked
    winner = ranked[0]
    alone = len(ranked) == 1
    size = budget.max_pairs
    if shares is not None:
        size = max(1, min(size, int(meter.left // 2) - plan.aside(second=not alone)))
    part = replace(budget, alpha=budget.alpha * (1.0 if alone else _WINNER), max_pairs=size)
    main = replace(sampler, meter=meter.portion(until=plan.until.main))
    best = Found(None, winner.left, winner.right, winner.why, screened.tried, screened.remarks)
    chosen(best)
    first = run(
        Task(main, winner.left, winner.right, claim, delta, part, (SeedBranch.CERTIFYING, 0), sequential), executor
    )
    best = replace(best, outcome=first)
    if alone or first.refuted:
        return with_ledger(best, budget, alone)
    second = ranked[1]
    pairs = max(1, min(plan.second, budget.max_pairs // 4, int(min(meter.left, 1e15) // 2) - plan.aside(second=False)))
    smaller = replace(budget, alpha=budget.alpha * (1 - _WINNER), max_pairs=pairs)
    last = replace(sampler, meter=meter.portion(until=plan.until.second))
    try:
        again = run(
            Task(last, second.left, second.right, claim, delta, smaller, (SeedBranch.CERTIFYING, 1), sequential),
            executor,
        )
    except (ProgramFailed, ProgramTimeout) as error:
        remark = f"the runner-up was not audited: {error}"
        return with_ledger(replace(best, remarks=(*best.remarks, remark)), budget, alone)
    if again.refuted or again.epsilon_lower > first.epsilon_lower:
        best = Found(again, second.left, second.right, second.why, screened.tried, screened.remarks)
    return with_ledger(best, budget, alone)


def with_ledger(found: Found, budget: Budget, alone: bool) -> Found:
    """The same with the shares of the search in the ledger, and what it has tried in the details."""
    assert found.outcome is not None
    if alone:
        return found
    rows = (
        (f"screening of {found.screened} pairs, on samples not used again", 0.0),
        ("best pair", _WINNER * budget.alpha),
        ("runner-up", (1 - _WINNER) * budget.alpha),
    )
    details = {**found.outcome.details, "pair": found.why, "screened": found.screened}
    if found.remarks:
        details["screening"] = list(found.remarks)
    return replace(found, outcome=replace(found.outcome, ledger=rows + found.outcome.ledger, details=details))


def _around(
    sampler: Sampler, before: Screening, nearby: Nearby, claim: tuple[Null, ...] | None, delta: float, budget: Budget
) -> Screening | None:
    """Screen the pairs around the best few, by other random numbers."""
    found: dict[str, Candidate] = {}
    lefts: list[str] = []
    for parent in before.ranked[:_PARENTS]:
        pairs = list(nearby.moves(parent.left, parent.right))
        if repr(parent.left) not in lefts:  # these come first: the clock may end the comparison
            lefts.append(repr(parent.left))
            pairs = [*nearby.steepest(sampler, parent.left, budget, len(lefts)), *pairs]
        for left, right, how in pairs:
            found.setdefault(repr((left, right)), Candidate(left, right, f"{parent.why}; {how}" if parent.why else how))
    return screen(sampler, list(found.values()), claim, delta, budget, branch=1) if found else None
