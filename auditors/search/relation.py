"""What an audit reports beside its verdict: manners of the sampler, explanations by replay, a simpler witness."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from dpwitness.auditors.bounds.evalue import Null
from dpwitness.auditors.bounds.ledger import Budget
from dpwitness.auditors.replay.causes import cause
from dpwitness.auditors.replay.compare import Finding, replay_audit
from dpwitness.auditors.replay.recorder import Draw, Hook, Recording, record
from dpwitness.auditors.running.shares import FEWEST_RUNS
from dpwitness.auditors.sampling.generators import Dice
from dpwitness.auditors.sampling.isolation import silenced, surroundings_kept, warned_once
from dpwitness.auditors.sampling.meter import Meter
from dpwitness.auditors.sampling.sampler import Sampler
from dpwitness.auditors.search.ascent import steepest
from dpwitness.auditors.search.moves import moves
from dpwitness.auditors.search.pairs import Candidate
from dpwitness.auditors.search.shrink import among, shrink
from dpwitness.core.adjacency import Adjacency
from dpwitness.core.errors import BadInput, LimitReached
from dpwitness.core.limits import interrupted
from dpwitness.core.spaces import Answers, Records

SHRINK_SHARE = 0.05  # of α, for the simpler witness of a refutation that a search has found
_PAIRS = 4
_RUNS, _SECONDS = 60, 3.0  # it is made only where so many runs take no longer
Relation = Adjacency | Answers | Records


def without_shrinking(budget: Budget) -> Budget:
    """What is left of a budget when the share of the simpler witness has been put aside."""
    return dataclasses.replace(budget, alpha=budget.alpha * (1 - SHRINK_SHARE))


def shrink_row(budget: Budget) -> tuple[tuple[str, float], ...]:
    """The entry of the ledger for that share."""
    return (("a simpler pair and event, where the search has refuted", SHRINK_SHARE * budget.alpha),)


def relation(adjacency: Relation | None) -> Callable[[Any, Any], bool] | None:
    """Whether two inputs are neighbours, as a function; a space also says which inputs there are."""
    if adjacency is None:
        return None
    if isinstance(adjacency, Adjacency):
        return _related(adjacency)
    if not isinstance(adjacency, Answers | Records):
        raise BadInput(f"adjacency={adjacency!r} must be Answers(...), Records(...) or an Adjacency")
    space, related = adjacency, _related(adjacency.adjacency)

    def inside(left: Any, right: Any) -> bool:
        try:
            return related(space.validate(left), space.validate(right))
        except (BadInput, TypeError, ValueError):
            return False

    return inside


@dataclasses.dataclass(frozen=True)
class Around:
    """The pairs around a pair, for a search."""

    space: Relation
    related: Callable[[Any, Any], bool]

    def moves(self, left: Any, right: Any) -> Sequence[tuple[Any, Any, str]]:
        """Pairs that differ a little from the given one."""
        return moves(left, right, self.space, self.related)

    def steepest(self, sampler: Sampler, left: Any, budget: Budget, place: int) -> Sequence[tuple[Any, Any, str]]:
        """Neighbours of `left` in directions that its outputs ask for."""
        return steepest(sampler, left, self.space, self.related, budget, place)


def nearby(adjacency: Relation | None) -> Around | None:
    """The pairs around a pair, for a search; None where the adjacency is not known."""
    related = relation(adjacency)
    return None if adjacency is None or related is None else Around(adjacency, related)


def _related(adjacency: Adjacency) -> Callable[[Any, Any], bool]:
    def related(left: Any, right: Any) -> bool:
        try:
            return bool(adjacency.related(left, right))
        except (BadInput, TypeError, ValueError):  # not sequences of numbers
            return False

    return related


def check_neighbours(pairs: Sequence[Candidate], adjacency: Relation | None) -> None:
    """Refuse pairs that are not neighbours: whatever is seen on them says nothing about the claim."""
    related = relation(adjacency)
    for pair in pairs if related is not None and adjacency is not None else ():
        if related is not None and not related(pair.left, pair.right):
            said = adjacency.describe() if adjacency is not None else ""
            raise BadInput(f"left={pair.left!r} and right={pair.right!r} are not neighbours: adjacency is {said!r}")


def explanations(
    sampler: Sampler, pairs: Sequence[tuple[Any, Any]], eps: float | None, delta: float, seed: int,
    hooks: Sequence[Hook] = (),
) -> tuple[str, ...]:  # fmt: skip
    """What replaying the noise shows on a few pairs, each kind of finding once."""
    seen: dict[str, str] = {}
    for left, right in pairs[:_PAIRS]:
        meter = sampler.meter
        if meter is not None and (meter.deadline.passed or meter.left < FEWEST_RUNS or meter.lasts(_RUNS) > _SECONDS):
            break
        for finding in notice_sampler(sampler, left, right, epsilon=eps, delta=delta, seed=seed, hooks=hooks):
            seen.setdefault(finding.kind, f"replay: {finding}")
    return tuple(seen.values())


def notice_sampler(
    sampler: Sampler, left: Any, right: Any, *, epsilon: float | None, delta: float, seed: int,
    hooks: Sequence[Hook] = (),
) -> tuple[Finding, ...]:  # fmt: skip
    """`replay_audit` for a sampler of either kind; nothing where the code cannot be run that way."""

    meter = sampler.meter or Meter()

    def one(data: Any) -> Any:
        meter.take(1)
        if not sampler.batched:
            return sampler.call(data)
        outputs = sampler.call(data, 1, np.random.default_rng())  # the recorder's own, at the seed of the run
        return outputs[0] if len(outputs) == 1 else outputs

    try:
        with Dice(sampler.function), interrupted(meter.deadline), silenced(), surroundings_kept(), warned_once():
            return replay_audit(
                one, left, right, epsilon=epsilon, delta=delta, seed=seed, hooks=hooks, home=sampler.function
            )
    except (Exception, LimitReached):  # it explains and decides nothing: whatever goes wrong, the audit is not lost
        return ()


def cause_of_sampler(
    sampler: Sampler, left: Any, right: Any, epsilon: float | None, delta: float, seed: int, hooks: Sequence[Hook] = ()
) -> str:  # fmt: skip
    """What to look at in a sampler of either kind; empty where the code cannot be run that way."""
    meter = sampler.meter or Meter()

    def one(data: Any) -> Any:
        meter.take(1)
        if not sampler.batched:
            return sampler.call(data)
        outputs = sampler.call(data, 1, np.random.default_rng())  # the recorder's own, at the seed of the run
        return outputs[0] if len(outputs) == 1 else outputs

    def run(data: Any, number: int, draws: Sequence[Draw]) -> Recording:
        return record(one, data, seed=seed * 1_000_003 + number, replay=draws, hooks=hooks, home=sampler.function)

    try:
        with Dice(sampler.function), interrupted(meter.deadline), silenced(), surroundings_kept(), warned_once():
            return cause(run, left, right, epsilon, delta)
    except (Exception, LimitReached):  # it explains and decides nothing
        return ""


def simpler_witness(
    sampler: Sampler, left: Any, right: Any, claim: tuple[Null, ...], delta: float, budget: Budget, pairs: int,
    related: Callable[[Any, Any], bool] | None, given: Sequence[Candidate] = (),
) -> dict[str, Any] | None:  # fmt: skip
    """The simplest pair and event that still refute, at a share of the α of `budget`; None where there is none.

    Without a relation, only the given pairs are known to be neighbours.
    """
    if not all(isinstance(side, list | tuple) for side in (left, right)):
        return None
    mine = dataclasses.replace(budget, alpha=SHRINK_SHARE * budget.alpha, max_pairs=max(1, pairs), seconds=None)
    listed = [(c.left, c.right) for c in given if all(isinstance(s, list | tuple) for s in (c.left, c.right))]
    proposals = None if related is not None else among(listed)
    try:
        found = shrink(sampler, left, right, claim, delta, mine, related or (lambda a, b: True), proposals=proposals)
    except LimitReached:  # the refutation stands without it
        return None
    return found.details()
