"""Choosing the pair of neighbouring inputs: cheap runs on many pairs choose, fresh runs on the best certify.

Screening spends no α: it only decides which pairs are audited, with random numbers that are never used again. The
best pair is audited with most of α and, where that does not refute, the runner-up with the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any, Protocol

from dpwitness.auditors.budget import Budget
from dpwitness.auditors.engine import Outcome
from dpwitness.auditors.evalue import Null
from dpwitness.auditors.runner import Task, run
from dpwitness.auditors.sampling import Sampler
from dpwitness.auditors.screening import SCREEN_TIME, Candidate, Screening, screen
from dpwitness.core.errors import BadInput

__all__ = ["Candidate", "Found", "Screening", "screen", "search"]

_CERTIFY = 3000
_WINNER = 0.9
_PARENTS = 2
Pairs = Sequence[tuple[Any, Any, str]]


class Nearby(Protocol):
    """Which pairs lie around a pair, each with a word on how it was made."""

    def moves(self, left: Any, right: Any) -> Pairs:
        """Pairs that differ a little from the given one."""

    def steepest(self, sampler: Sampler, left: Any, budget: Budget, place: int) -> Pairs:
        """Neighbours of `left` in directions that its outputs ask for."""


@dataclass(frozen=True)
class Found:
    """The pair that was certified."""

    outcome: Outcome
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
) -> Found:
    """Screen all candidates by successive halving, then audit the best with fresh samples.

    Where `nearby` says which pairs lie around a pair, and screening has not yet seen the claim violated, the pairs
    around the best few are screened too, and those that move all answers along the slopes of an output.
    """
    if not candidates:
        raise BadInput("neighbours is empty: at least one pair of inputs is needed")
    screened = Screening(list(candidates), len(candidates))
    if len(candidates) > 1:
        screened = screen(sampler, candidates, claim, delta, budget)
        if nearby is not None and not screened.telling:
            screened = screened.then(_around(sampler, screened, nearby, claim, delta, budget))
    ranked = screened.ranked
    winner = ranked[0]
    alone = len(ranked) == 1
    first = run(
        Task(sampler, winner.left, winner.right, claim, delta, _part(budget, 1.0 if alone else _WINNER), (_CERTIFY, 0),
             sequential), executor
    )  # fmt: skip
    best = Found(first, winner.left, winner.right, winner.why, screened.tried, screened.remarks)
    if alone or first.refuted:
        return _with_ledger(best, budget, alone)
    second = ranked[1]
    smaller = replace(_part(budget, 1 - _WINNER), max_pairs=max(1, budget.max_pairs // 4))
    again = run(Task(sampler, second.left, second.right, claim, delta, smaller, (_CERTIFY, 1), sequential), executor)
    if again.refuted or again.epsilon_lower > first.epsilon_lower:
        best = Found(again, second.left, second.right, second.why, screened.tried, screened.remarks)
    return _with_ledger(best, budget, alone)


def _part(budget: Budget, share: float) -> Budget:
    """A share of α, and of the time that screening leaves."""
    seconds = None if budget.seconds is None else budget.seconds * share * (1 if share == 1 else 1 - SCREEN_TIME)
    return replace(budget, alpha=budget.alpha * share, seconds=seconds)


def _with_ledger(found: Found, budget: Budget, alone: bool) -> Found:
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
