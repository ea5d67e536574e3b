"""One audit of one pair of inputs: chunks in, evidence out.

The error probability is split, before anything is drawn, between the e-process (which may stop the audit at any pair)
and the exact count of right guesses at the end of the budget. Both look at the same outputs. The state is a plain
object that can be pickled between chunks, so a run that was killed goes on where it stopped.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from dpwitness.auditors.bounds.count import Count, detectable, detectable_by_bets, lower_bound, rarest_event
from dpwitness.auditors.bounds.eprocess import EProcess
from dpwitness.auditors.bounds.evalue import Null
from dpwitness.auditors.bounds.learner import Partition
from dpwitness.auditors.bounds.ledger import Budget, Ledger
from dpwitness.auditors.learners.describe import words
from dpwitness.auditors.learners.plans import Plans
from dpwitness.auditors.outputs.arrays import AnyArray, Bools
from dpwitness.auditors.outputs.forms import OTHER
from dpwitness.auditors.outputs.table import Encoder, Table, join
from dpwitness.auditors.rules.choose import Aim, Rule, choose_rules
from dpwitness.auditors.rules.rule import Hits, count_hits, guesses
from dpwitness.auditors.running.chunks import Chunk
from dpwitness.auditors.running.failures import Failures
from dpwitness.auditors.sampling.dependence import ENOUGH, dependent
from dpwitness.auditors.sampling.sampler import stream
from dpwitness.core.errors import BadInput
from dpwitness.core.limits import Deadline

SELECTION, MANY, OF_MANY = 0.1, 1_000_000, 0.2  # share of the first so many pairs, and of those beyond
MOST_SELECTION = 1 << 20
AMPLE, MOST_CELLS = 1 << 18, 10_000_000  # pairs kept to choose from however wide, and numbers kept of a side beyond
FEWEST_FOR_COUNT = 60
MOST_EXAMPLES = 1 << 13
MOST_POINTS = 199
INDEPENDENCE = 0.01  # share of α of the test that the outputs are independent
_LEVEL = 1 << 10
# an audit with another seed chooses its event anew, and not as well: how much farther from the claim an ε must lie to
# be seen with the probability that is promised, as measured over broken laws (tests/auditors/test_foreseen.py)
CHOOSING = 1.6
MOST_UNREAD = 0.8  # share of outputs that tell nothing beyond which an audit promises nothing
Direction = Literal["left", "right"]


@dataclass(frozen=True)
class Outcome:
    """What one audit has shown."""

    refuted: bool
    epsilon_lower: float
    pairs: int
    direction: Direction
    event: str
    ledger: tuple[tuple[str, float], ...]
    detectable: float | None
    method: str
    log_wealth: float = 0.0
    details: dict[str, Any] = field(default_factory=dict)


def selected(pairs: int) -> int:
    """How many of so many pairs choose the rules of the count: a tenth, and a fifth of those beyond a million.

    The count of many pairs is so precise that a better rule gains more than a few of them more would.

    >>> selected(1_000), selected(5_000_000), selected(10**9)
    (100, 900000, 1048576)
    """
    beyond = max(0, pairs - MANY)
    return min(MOST_SELECTION, int(SELECTION * (pairs - beyond)) + int(OF_MANY * beyond))


@dataclass
class Engine:
    """The state of one audit.

    Parameters
    ----------
    claim
        Hypotheses implied by the claim; None makes no claim and spends everything on the final bound.
    delta
        The δ at which the lower bound on ε is wanted.
    sequential
        Whether to bet pair by pair; the share of α goes to the final count otherwise.
    """

    claim: tuple[Null, ...] | None
    delta: float
    budget: Budget
    branch: tuple[int, ...] = ()
    sequential: bool = True
    encoder: Encoder = field(default_factory=Encoder)
    position: int = 0
    done: bool = False
    cut: str | None = None

    def __post_init__(self) -> None:
        pairs, alpha = self.budget.max_pairs, self.budget.alpha
        counting = pairs >= FEWEST_FOR_COUNT
        betting = self.claim is not None and (self.sequential or not counting)
        climbing = self.budget.seconds is not None or not counting
        bet, climb = (0.5 if counting else 0.9) if betting else 0.0, (0.1 if counting or betting else 1.0)
        climb -= 0.0 if counting else INDEPENDENCE
        self.ledger = Ledger(alpha)
        self.selection = selected(pairs) if counting else 0
        self.runs = 2 * (pairs - self.selection) if counting else 0
        heads = int(stream(self.budget.seed, *self.branch, 2).binomial(self.runs, 0.5))
        self.size_left = self.selection + heads if counting else pairs
        self.size_right = self.selection + self.runs - heads if counting else pairs
        self.drawn = 0
        self.bets: EProcess | None = None
        self.climb_alpha = self.count_alpha = 0.0
        if betting:
            spent = self.ledger.spend("e-process, both orders, at any time", bet * alpha)
            self.bets = EProcess(self.encoder, self.claim or (), spent, Plans())
        if climbing:
            self.climb_alpha = self.ledger.spend("ladder of ε from 0, where the count is not reached", climb * alpha)
            if self.bets is None:
                self.bets = EProcess(self.encoder, (Null(0.0, self.delta),), 1.0, Plans(), halts=False)
        self.order_alpha = self.ledger.spend("whether the outputs are independent", INDEPENDENCE * alpha)
        if counting:
            self.count_alpha = self.ledger.spend("count of right guesses at the full budget", self.ledger.left)
        self.rules: list[Rule] | None = None
        self.tallies: list[Hits] = []
        self._selected: tuple[list[Table], list[Table]] = ([], [])
        self._examples: tuple[Table, Table] | None = None
        self.passed_over: str | None = None
        self.ordered = False
        self.failures = Failures()

    def absorb(self, chunk: Chunk, deadline: Deadline | None = None) -> bool:
        """Use the next chunk; True when nothing more is needed."""
        if chunk.start != self.position:
            raise ValueError(f"run {chunk.start} came where run {self.position} was expected")
        if chunk.start & (chunk.start - 1) == 0 or chunk.start % _LEVEL == 0:  # wherever chunks of full size begin
            self.encoder.settle()
        left, right = self._read(chunk)
        self.failures.count(chunk.left, chunk.right)
        self.position = chunk.stop
        pairs = min(len(left), len(right))
        self.drawn = chunk.start + pairs
        if self.bets is not None and self.bets.feed(left[:pairs], right[:pairs], deadline):
            self.done, self.drawn = True, self.bets.refuted_at or self.drawn
            return True
        self._count(chunk.start, left, right)
        self.done = chunk.stop >= max(self.size_left, self.size_right)
        if self.done or self.drawn >= ENOUGH:
            self.check_order()
        return self.done

    def _read(self, chunk: Chunk) -> tuple[Table, Table]:
        sizes = [max(0, min(chunk.stop, size) - chunk.start) for size in (self.size_left, self.size_right)]
        left, right = (
            self.encoder.encode(outputs, size) for outputs, size in zip((chunk.left, chunk.right), sizes, strict=True)
        )
        if self._examples is None:
            self._examples = (left, right)
        elif len(self._examples[0]) < MOST_EXAMPLES:
            self._examples = (join([self._examples[0], left]), join([self._examples[1], right]))
        else:
            return left, right
        self.passed_over = self.encoder.passed_over  # among outputs that are read here, however many workers there are
        return left, right

    @property
    def seen(self) -> int:
        """Outputs of a side by which its order can be judged."""
        return 0 if self._examples is None else min(map(len, self._examples))

    def look_at(self, chunk: Chunk) -> None:
        """Outputs that only the order is judged by: the claim is already refuted."""
        self._read(chunk)

    def check_order(self) -> None:
        """Refuse outputs that depend on each other, once and for all; whatever was found on them is worth nothing."""
        if self.ordered or self._examples is None:
            return
        self.ordered = True
        words = dependent(self._examples, self.order_alpha)
        if words is not None:
            raise BadInput(words)

    def _count(self, start: int, left: Table, right: Table) -> None:
        if not self.runs:
            return
        cut = max(0, self.selection - start)
        kept = min(cut, max(AMPLE, MOST_CELLS // max(left.width, right.width, 1)) - start)
        if kept > 0:
            self._selected[0].append(left[:kept])
            self._selected[1].append(right[:kept])
        if self.rules is None and start + max(len(left), len(right)) >= self.selection:
            picked = [join(side) for side in self._selected]
            width = max(t.width for t in picked)
            aim = Aim(self.runs, self.count_alpha, self.delta)
            self.rules = choose_rules(self.encoder.places, picked[0].widened(width), picked[1].widened(width), aim)
            self.tallies = [(0, 0, 0, 0)] * len(self.rules)
            self._selected = ([], [])
        if self.rules is not None:
            self.add(count_hits(self.rules, left[cut:], right[cut:]))

    def add(self, more: Sequence[Hits]) -> None:
        """Count further guesses of the rules."""
        self.tallies = [
            (a + x, b + y, c + z, d + w) for (a, b, c, d), (x, y, z, w) in zip(self.tallies, more, strict=True)
        ]

    def outcome(self) -> Outcome:
        """The evidence so far; final once `done` (or cut short, in which case only the e-process counts)."""
        bets = self.bets
        found = self._outcome()
        found = replace(found, event=self.failures.named(found.event))
        if self.passed_over is not None:
            found = replace(found, details={**found.details, "uncompared": self.passed_over})
        if bets is None:
            return found
        if not found.refuted and self.claim is not None and found.pairs:
            events = [rarest_event(found.pairs, n.eps, self.budget.alpha, n.delta) for n in self.claim]
            unread = {"unread": share} if (share := self._unread()) > MOST_UNREAD else {}
            found = replace(found, details={**found.details, "rarest": float(f"{min(events):.2g}"), **unread})
        details = {**found.details, "wealth": _thinned([*bets.path, (found.pairs, bets.log_wealth)])}
        return replace(found, details=details, log_wealth=bets.log_wealth)

    def _outcome(self) -> Outcome:
        bets = self.bets
        if bets is not None and bets.refuted_at is not None and self.claim is not None:
            # a refuted curve says that one of its points is violated, not which: no bound on ε at one δ follows
            alone = len(self.claim) == 1
            bound = bets.climb(self.claim[0].eps, self.delta, bets.alpha) if alone else 0.0
            leader = bets.leader()[1]
            details = {} if alone else {"point": [leader.eps, leader.delta]}
            direction, event = self._event_of_bets(bets)
            details |= self._fresh_of_bets(bets, direction)
            return Outcome(True, bound, bets.refuted_at, direction, event, self.ledger.entries, None,
                           "e-process", details=details)  # fmt: skip
        if self.done and self.cut is None and self.rules:
            return self._outcome_of_count()
        bound = bets.climb(0.0, self.delta, self.climb_alpha) if bets is not None and self.climb_alpha else 0.0
        direction, event = self._event_of_bets(bets) if bets is not None else ("left", "no event stands out")
        found = self._fresh_of_bets(bets, direction) if bets is not None else {}
        return Outcome(False, bound, self.drawn, direction, event, self.ledger.entries, self._visible_to_bets(),
                       "e-process", details={**({"cut": self.cut} if self.cut else {}), **found})  # fmt: skip

    def _unread(self) -> float:
        """The share of outputs without a number whose form was seen once only, or too late to be told from others."""
        if self._examples is None:
            return 0.0
        both = join(self._examples)
        if len(both) < FEWEST_FOR_COUNT:
            return 0.0
        once = np.bincount(both.codes)[both.codes] == 1
        further = np.array([form == OTHER for form in self.encoder.forms])[both.codes]
        return round(float(np.mean((once | further) & np.isnan(both.columns).all(axis=1))), 3)

    def _visible_to_bets(self) -> float | None:
        """About the ε, at an event of half of all outputs, that the bets would have shown with probability 0.9."""
        if self.bets is None or self.claim is None or not self.drawn:
            return None
        each = self.bets.alpha / len(self.claim)
        visible = [detectable_by_bets(self.drawn, null.eps, each, null.delta) for null in self.claim]
        return min((x for x in visible if x is not None), default=None)

    def _outcome_of_count(self) -> Outcome:
        assert self.rules
        counts = [Count(*guesses(t), self.runs, rule.sides) for rule, t in zip(self.rules, self.tallies, strict=True)]
        points = len(self.claim or (None,))  # a curve is tested at several points, the bound is at the last
        levels = [self.count_alpha * rule.share / points for rule in self.rules]
        bounds = [lower_bound(count, level, self.delta) for count, level in zip(counts, levels, strict=True)]
        best = int(np.argmax(bounds))
        rule, count = self.rules[best], counts[best]
        refuted, seen = False, None
        if self.claim is not None:
            tests = [(c, level, null) for null in self.claim for c, level in zip(counts, levels, strict=True)]
            refuted = any(lower_bound(c, level, null.delta) > null.eps for c, level, null in tests)
            # of the event that is told: another rule may need less, at an event that no violation of this kind moves
            visible = [(detectable(count, null.eps, levels[best], null.delta), null.eps) for null in self.claim]
            wider = [eps + CHOOSING * (x - eps) for x, eps in visible if x is not None]
            seen = None if refuted else min(wider, default=self._visible_to_bets())
        direction, event = self._describe(rule.partition, rule.guess > 0, rule.guess < 0)
        ledger = self.ledger.entries + tuple(
            (f"  of the count: rule {r.name}", level) for r, level in zip(self.rules, levels, strict=True)
        )
        details = {"right": count.right, "wrong": count.wrong, "runs": count.runs, "rule": rule.name}
        hits = self.tallies[best][:2] if direction == "left" else self.tallies[best][2:]
        if any(hits):
            sizes = self.size_left - self.selection, self.size_right - self.selection
            details["fresh"] = [hits[0], sizes[0], hits[1], sizes[1]]
        return Outcome(refuted, bounds[best], self.budget.max_pairs, direction, event, ledger, seen, "exact count",
                       details=details)  # fmt: skip

    def _event_of_bets(self, bets: EProcess) -> tuple[Direction, str]:
        if not bets.epochs or not bets.epochs[-1].partitions:
            return "left", "no event stands out"
        name, null = bets.leader()
        epoch = bets.epochs[-1]
        for partition in epoch.partitions:
            if name in partition.names:
                pi = partition.pi[partition.names.index(name)]
                high = 1 / (1 + np.exp(-null.eps))
                return self._describe(partition, pi > high, pi < 1 - high)
        return "left", "no event stands out"

    def _fresh_of_bets(self, bets: EProcess, direction: Direction) -> dict[str, Any]:
        """How often the event of the bets came since the last fit: [hits, outputs] on the left, and on the right."""
        if not bets.epochs or not bets.epochs[-1].pairs:
            return {}
        name, null = bets.leader()
        epoch = bets.epochs[-1]
        high = 1 / (1 + np.exp(-null.eps))
        for i, partition in enumerate(epoch.partitions):
            if name in partition.names:
                pi = partition.pi[partition.names.index(name)]
                event = pi > high if direction == "left" else pi < 1 - high
                hits = int(epoch.left[i][event].sum()), int(epoch.right[i][event].sum())
                return {"fresh": [hits[0], epoch.pairs, hits[1], epoch.pairs]} if any(hits) else {}
        return {}

    def _describe(self, partition: Partition, left: Bools, right: Bools) -> tuple[Direction, str]:
        """The event of the side that is told apart more often, in words."""
        seen = self._recent()
        size = partition.pi.shape[1]
        hits: list[AnyArray] = [np.bincount(partition.cells(t), minlength=size) for t in seen]
        total = hits[0] + hits[1]
        for_left, for_right = int(hits[0][left].sum()), int(hits[1][right].sum())
        direction: Direction = "left" if for_left >= for_right else "right"
        return direction, words(self.encoder, partition, left if direction == "left" else right, total, seen)

    def _recent(self) -> tuple[Table, Table]:
        if self.bets is not None and self.bets.epochs:
            return self.bets.training()
        assert self._examples is not None
        return self._examples


def _thinned(path: Sequence[tuple[int, float]]) -> list[list[float]]:
    """Pairs and log-wealth along the way, evenly thinned to what a figure can show."""
    step = math.ceil(len(path) / MOST_POINTS)
    return [[pairs, round(wealth, 6)] for pairs, wealth in (*path[:-1:step], path[-1])]
