"""The parts of an audit in their order, each within its share of the limits; and what is left when a part is lost.

`perform` looks at the sampler, audits the pair (or searches for one), looks at doubles, for a simpler witness and for
an explanation. What it has found stands in `Findings`, which can be sent from one process to another at any time.
"""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from dpwitness.auditors.bounds.evalue import Null
from dpwitness.auditors.bounds.ledger import Budget
from dpwitness.auditors.doubles.audit import QUICK_PAIRS, QUICK_PLAIN, DoublesFinding, audit_doubles
from dpwitness.auditors.replay.recorder import Hook
from dpwitness.auditors.running.engine import Engine, Outcome
from dpwitness.auditors.running.runner import Service, Task, run, too_slow, using
from dpwitness.auditors.running.shares import Shares, share_out
from dpwitness.auditors.running.workers import opened
from dpwitness.auditors.sampling.behaviour import Manners, look
from dpwitness.auditors.sampling.meter import Meter
from dpwitness.auditors.sampling.sampler import Sampler
from dpwitness.auditors.search.pairs import Candidate, Found, search, with_ledger
from dpwitness.auditors.search.relation import (
    Relation,
    cause_of_sampler,
    explanations,
    nearby,
    relation,
    simpler_witness,
    without_shrinking,
)
from dpwitness.core.errors import LimitReached, ProgramFailed, ProgramTimeout
from dpwitness.core.limits import Deadline
from dpwitness.core.processes import ProcessLost

SLOW_RUN = 0.02  # seconds of a run from which on it is not repeated to name a cause
_PROPOSE, _PROPOSE_UNTIL = 1 / 16, 0.12  # of the runs that are left, and of the time, to find further pairs
_OFTEN = 8.0  # times as long as it takes to send what was found, before it is sent again


class Parts:
    """The parts that depend on what is audited: here a function of a user's."""

    def look(self, ask: Question, draw: Sampler) -> Manners:
        """What a few runs show of the sampler."""
        first = ask.given[0]
        return look(draw, first.left, first.right, ask.budget.seed, ahead=not ask.searches)

    def propose(self, ask: Question, draw: Sampler) -> Sequence[Candidate]:
        """Pairs to compare beside the given ones."""
        return ()

    def only_bits(self, ask: Question, draw: Sampler) -> tuple[int, DoublesFinding | None]:
        """Where doubles alone decide: the number of the pair, and what its bit patterns give away."""
        first = ask.given[0]
        return 0, audit_doubles(draw, first.left, first.right, ask.eps or 0.0, ask.delta, ask.part, thorough=True)

    def bits(self, ask: Question, draw: Sampler, pair: tuple[Any, Any], budget: Budget) -> DoublesFinding | None:
        """What the bit patterns on the pair that was audited give away."""
        return audit_doubles(draw, *pair, ask.eps or 0.0, ask.delta, budget, thorough=ask.numerics == "both")

    def cause(self, ask: Question, draw: Sampler, pair: tuple[Any, Any]) -> str:
        """What to look at, where the same noise shows it on the pair; a slow sampler's runs are too dear for this."""
        if draw.meter is not None and draw.meter.lasts(1) > SLOW_RUN:
            return ""
        return cause_of_sampler(draw, *pair, ask.eps, ask.delta, ask.budget.seed, ask.hooks)

    def explain(self, ask: Question, draw: Sampler, pair: tuple[Any, Any]) -> tuple[str, ...]:
        """What replaying the noise shows."""
        pairs = [pair, *((c.left, c.right) for c in ask.given if c.left is not pair[0])]
        return explanations(draw, pairs, ask.eps, ask.delta, ask.budget.seed, ask.hooks)


@dataclass(frozen=True)
class Question:
    """What an audit was asked, checked.

    Parameters
    ----------
    opinion
        Whether the claim is decided already, and the pairs were chosen for a second opinion on it.
    """

    sampler: Sampler
    given: Sequence[Candidate]
    searches: bool
    claim: tuple[Null, ...] | None
    eps: float | None
    delta: float
    budget: Budget
    numerics: str
    adjacency: Relation | None = None
    hooks: Sequence[Hook] = ()
    executor: Any = None
    deadline: Deadline = field(default_factory=Deadline)
    simplifies: bool = False
    parts: Parts = field(default_factory=Parts)
    opinion: bool = False

    @property
    def shrinks(self) -> bool:
        """Whether a simpler witness is looked for, with a share of α."""
        return self.simplifies and self.claim is not None and self.numerics != "doubles"

    @property
    def part(self) -> Budget:
        """What one of the two claims, about numbers and about doubles, may spend."""
        return replace(self.budget, alpha=self.budget.alpha / 2) if self.numerics == "both" else self.budget

    @property
    def main(self) -> Budget:
        """What the audit of numbers may spend."""
        return without_shrinking(self.part) if self.shrinks else self.part


@dataclass
class Findings:
    """What an audit has found up to now.

    Parameters
    ----------
    pair
        The pair that was audited: its number among the given ones, or the inputs themselves.
    engine
        The state of an audit that is under way; None where there is none.
    chosen
        What the search knew when it chose the pair.
    runs
        Runs of the sampler, for whatever purpose.
    cause
        What to look at in a sampler that was refuted, in words.
    """

    manners: Manners = field(default_factory=Manners)
    pair: Any = 0
    engine: Engine | None = None
    chosen: Found | None = None
    outcome: Outcome | None = None
    finding: DoublesFinding | None = None
    shrunk: dict[str, Any] | None = None
    warnings: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    runs: int = 0
    cause: str = ""

    def inputs(self, ask: Question) -> tuple[Any, Any]:
        """The pair itself."""
        if isinstance(self.pair, int):
            return ask.given[self.pair].left, ask.given[self.pair].right
        return self.pair[0], self.pair[1]


def perform(ask: Question, service: Service | None = None, tell: Callable[[bytes], None] | None = None) -> Findings:
    """All parts of an audit, one after the other; `tell` is given what was found, again and again."""
    found = Findings()
    meter = Meter.of(ask.budget.seconds, ask.budget.max_pairs)
    meter.deadline = meter.deadline.earlier(ask.deadline)
    draw = replace(ask.sampler, meter=meter)
    with opened(ask.executor) as pool:
        base = service or Service()
        base = base if pool is None else replace(base, executor=pool)
        try:
            _perform(ask, draw, meter, found, base, _Sending(found, tell))
        except LimitReached:
            if found.outcome is None and found.finding is None:
                raise ProgramTimeout(too_slow(meter)) from None
    return found


def _perform(ask: Question, draw: Sampler, meter: Meter, found: Findings, service: Service, sending: _Sending) -> None:
    found.manners = ask.parts.look(ask, draw)
    shares = share_out(
        draw, ask.budget.max_pairs, searches=ask.searches and len(ask.given) > 1, numerics=ask.numerics,
        fractional=found.manners.fractional, quick=QUICK_PAIRS if draw.batched else QUICK_PLAIN, opinion=ask.opinion,
    )  # fmt: skip

    def until(share: float) -> Sampler:
        return replace(draw, meter=meter.portion(until=share))

    if ask.numerics == "doubles":  # where there are no doubles, the claim is about numbers
        found.pair, found.finding = ask.parts.only_bits(ask, until(shares.until.doubles))
    if found.finding is None:
        found.pair = 0
        with using(replace(service, keep=sending.keep)):
            _numbers(ask, draw, meter, found, shares)
        found.engine = None
        sending.now()
        assert found.outcome is not None
        if ask.shrinks and found.outcome.refuted and ask.claim is not None:
            found.shrunk = simpler_witness(
                until(shares.until.simpler), *found.inputs(ask), ask.claim, ask.delta, ask.part, found.outcome.pairs,
                relation(ask.adjacency), ask.given if ask.adjacency is None else (),
            )  # fmt: skip
        if shares.doubles or found.manners.fractional:
            bits = replace(ask.part, max_pairs=_pairs(ask.part, meter, shares.explain))
            few = replace(draw, meter=meter.portion(runs=2 * bits.max_pairs, until=shares.until.doubles))
            found.finding = ask.parts.bits(ask, few, found.inputs(ask), bits)
    found.runs, found.refused = meter.used, tuple(meter.refused)
    sending.now()
    if ask.opinion or (found.outcome is not None and found.outcome.refuted):
        found.cause = ask.parts.cause(ask, until(shares.until.explain), found.inputs(ask))
    found.warnings = ask.parts.explain(ask, until(shares.until.explain), found.inputs(ask))
    found.runs = meter.used


def _pairs(budget: Budget, meter: Meter, aside: int) -> int:
    """Pairs for the next part: what is left, without what is set aside."""
    return max(1, int(min(budget.max_pairs, meter.left // 2 - aside)))


def _numbers(ask: Question, draw: Sampler, meter: Meter, found: Findings, shares: Shares) -> None:
    """The audit itself, of the pair that was given or of the one that a search chooses."""
    if not ask.searches:
        part = replace(ask.part, max_pairs=_pairs(ask.part, meter, shares.aside(second=False)))
        main = replace(draw, meter=meter.portion(until=shares.until.main))
        found.outcome = run(Task(main, ask.given[0].left, ask.given[0].right, ask.claim, ask.delta, part))
        return
    few = replace(draw, meter=meter.portion(runs=_PROPOSE * meter.left, until=_PROPOSE_UNTIL))
    proposed = ask.parts.propose(ask, few) if len(ask.given) > 1 else ()
    candidates = [*proposed, *ask.given]  # the clock may end the comparison before the last of them
    best = search(draw, candidates, ask.claim, ask.delta, ask.main, nearby=nearby(ask.adjacency), shares=shares,
                  chosen=lambda best: _choose(ask, found, best))  # fmt: skip
    _choose(ask, found, best)
    found.outcome = best.outcome


def _choose(ask: Question, found: Findings, best: Found) -> None:
    """Note which pair is audited: by its number, where it was given."""
    numbers = [i for i, c in enumerate(ask.given) if c.left is best.left and c.right is best.right]
    found.pair = numbers[0] if numbers else (best.left, best.right)
    found.chosen = replace(best, left=None, right=None, outcome=None)


@dataclass
class _Sending:
    """Sends what was found whenever that costs little beside what it took to find it."""

    found: Findings
    tell: Callable[[bytes], None] | None
    _took: float = 0.0
    _last: float = 0.0

    def keep(self, task: Task, engine: Engine) -> None:
        self.found.engine = engine
        if time.monotonic() - self._last >= _OFTEN * self._took:
            self.now()

    def now(self) -> None:
        if self.tell is None:
            return
        begun = time.monotonic()
        try:
            packed = pickle.dumps(self.found, protocol=pickle.HIGHEST_PROTOCOL)
        except Exception:  # inputs of a search that cannot be sent
            return
        self.tell(packed)
        self._last = time.monotonic()
        self._took = self._last - begun


def salvage(ask: Question, packed: bytes | None, lost: ProcessLost) -> Findings:
    """What can be said after the process that ran the sampler was lost: everything that it had told."""
    found: Findings | None = None if packed is None else pickle.loads(packed)  # written by our own process
    words = f"the process that ran the sampler {lost.reason}"
    if found is not None and found.outcome is None and found.engine is not None and found.engine.drawn:
        engine = found.engine
        engine.cut = f"{words}, at {engine.drawn} pairs"
        engine.check_order()
        found.outcome = engine.outcome()
        if found.chosen is not None:
            best = with_ledger(replace(found.chosen, outcome=found.outcome), ask.main, len(ask.given) == 1)
            found.outcome = best.outcome
        found.engine = None
        return found
    if found is not None and (found.outcome is not None or found.finding is not None):
        found.warnings += (f"after the audit, {words}",)
        return found
    if lost.hung:
        asked = "" if ask.budget.seconds is None else f" of {ask.budget.seconds:.3g} seconds"
        raise ProgramTimeout(f"not a single pair of outputs could be drawn within the time limit{asked}: {words}")
    raise ProgramFailed(f"{words} before a single pair of outputs was drawn")
