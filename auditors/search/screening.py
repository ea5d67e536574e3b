"""Comparing pairs of neighbouring inputs by cheap runs: which of them will tell most?

Nothing here is evidence: the random numbers are never used again, and no α is spent.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpwitness.auditors.bounds.evalue import Null
from dpwitness.auditors.bounds.ledger import Budget
from dpwitness.auditors.outputs.table import Encoder, Table, join
from dpwitness.auditors.rules.choose import Aim, promise
from dpwitness.auditors.running.threads import one_thread
from dpwitness.auditors.sampling.meter import Meter
from dpwitness.auditors.sampling.sampler import Sampler, draw_chunk
from dpwitness.auditors.sampling.seeds import SeedBranch
from dpwitness.core.errors import LimitReached, ProgramFailed, ProgramTimeout

FEWEST = 8
FIRST_LOOK = 256
FIRST_LOOK_PLAIN = 64
MOST_FIRST = 1 << 13
MOST_LOOK = 1 << 14
LAST_LOOK = 1 << 18
SCREEN_TIME = 0.4  # of the time limit, for all screening together: a slight violation shows on the right pair alone
_AMPLE = 4.0
_SLOW = 0.02  # seconds of a run from which on the clock decides how many are made


@dataclass(frozen=True)
class Candidate:
    """A pair of neighbouring inputs and the reason for trying it."""

    left: Any
    right: Any
    why: str = ""


@dataclass(frozen=True)
class Screening:
    """Candidates, the most telling first; how many were tried, whether the claim seems violated, what went wrong.

    `score` is that of the first (see `dpwitness.auditors.rules.choose.promise`).
    """

    ranked: list[Candidate]
    tried: int
    telling: bool = False
    remarks: tuple[str, ...] = ()
    score: tuple[float, float, float] = (0.0, 0.0, 0.0)

    def then(self, other: Screening | None) -> Screening:
        """The same after a search around the best: what it has found comes first where it is clearly better, or second.

        Of many pairs that are much alike the best is mostly the luckiest; so its bound, less its error, must exceed
        the one that was hoped for before.
        """
        if other is None:
            return self
        better = other.telling or other.score[1] > max(self.score[1:])
        first, rest = (other, self) if better else (self, other)
        ranked = [first.ranked[0], rest.ranked[0], *first.ranked[1:]]
        return Screening(ranked, self.tried + other.tried, first.telling, self.remarks + other.remarks, first.score)


@dataclass(frozen=True)
class _Look:
    """What has been drawn of one candidate, and how telling it is."""

    index: int
    candidate: Candidate
    encoder: Encoder
    left: Table
    right: Table
    score: tuple[float, float, float]


@one_thread()
def screen(
    sampler: Sampler, candidates: Sequence[Candidate], claim: tuple[Null, ...] | None, delta: float, budget: Budget,
    branch: int = 0,
) -> Screening:  # fmt: skip
    """Compare candidates: each round adds three times the samples and keeps the better third.

    Single numbers are cheap to draw and to judge, so as long as a claim does not seem violated, a round keeps as many
    candidates as it can without drawing more than the audit will: the violation may be slight. Without a claim the
    largest loss is looked for, which shows early. `branch` is the place of this screening in the seed tree. A sampler
    that fails on a pair, and a limit that ends the comparison early, are remarked on. Limits are those of the meter of
    the sampler; half of what it has left is for the first round.
    """
    meter = sampler.meter or Meter.of(None if budget.seconds is None else SCREEN_TIME * budget.seconds / 2)
    sampler = replace(sampler, meter=meter)
    least = 2 * 2 * FEWEST
    if meter.left < least or meter.lasts(least) > meter.deadline.remaining():  # not even two of them can be compared
        return Screening(list(candidates), 0, False, ("the limit ended the comparison of pairs before it began",))
    first = max(FIRST_LOOK, min(MOST_FIRST, budget.max_pairs // 256)) if sampler.batched else FIRST_LOOK_PLAIN
    size = min(first, max(FEWEST, budget.max_pairs // 8), max(FEWEST, _affordable(meter, len(candidates))))
    looks: list[_Look] = []
    failed: list[str] = []
    remarks: list[str] = []
    for index, candidate in enumerate(candidates):
        try:
            looks.append(_look(sampler, index, candidate, None, size, (branch, 0), claim, delta, budget))
        except LimitReached:
            remarks.append(f"the limit ended the comparison after {index} of {len(candidates)} pairs")
            break  # what has been seen must do
        except (ProgramFailed, ProgramTimeout) as error:
            failed.append(str(error))
    if not looks and failed:
        raise ProgramFailed(
            f"the sampler failed on every pair of neighbours that was tried; the last time: {failed[-1]}"
        )
    seen = {look.index for look in looks} if remarks else set(range(len(candidates)))
    rest = [candidate for index, candidate in enumerate(candidates) if index not in seen]
    if not looks:
        return Screening(rest, 0, False, tuple(remarks))
    tried = len(looks) + len(failed)
    looks.sort(key=_rank, reverse=True)
    rounds = 0
    most = min(
        max(MOST_LOOK, min(LAST_LOOK, budget.max_pairs // 8)) if sampler.batched else 8 * FIRST_LOOK_PLAIN,
        budget.max_pairs,
    )
    while len(looks) > 2 and size < most:
        rounds += 1
        more = min(3 * size, most)
        keep = max(2 if 16 * size >= most else 4, math.ceil(len(looks) / 3))  # rare events show late
        if claim and sampler.batched and looks[0].left.width == 1 and not _telling(looks[0], claim, budget):
            keep = max(keep, budget.max_pairs // (size + more))  # a round may then cost as much as the audit itself
        keep = int(min(keep, meter.left // (2 * more)))
        again: list[_Look] = []
        promising = _promising(looks, keep) if keep >= 2 else []
        for look in promising:
            try:
                again.append(
                    _look(sampler, look.index, look.candidate, look, more, (branch, rounds), claim, delta, budget)
                )
            except LimitReached:
                break
            except (ProgramFailed, ProgramTimeout) as error:
                failed.append(str(error))
                again.append(look)
        if len(again) < max(2, len(promising)):
            if meter.deadline.remaining() <= 0:  # samples are shared out beforehand: their end is no surprise
                remarks.append(f"the limit ended the comparison at {size} runs of each of {len(looks)} pairs")
            break
        again.sort(key=_rank, reverse=True)
        looks = again
        size *= 4
    if failed:
        remarks.append(f"the sampler failed on {len(failed)} pairs; the last time: {failed[-1]}")
    telling = _telling(looks[0], claim, budget)
    return Screening([*(look.candidate for look in looks), *rest], tried, telling, tuple(remarks), looks[0].score)


def _affordable(meter: Meter, candidates: int) -> int:
    """Runs of a side that a first look at every candidate may take."""
    runs = meter.left / 2
    if meter.deadline.limited and meter.lasts(1) > _SLOW:
        runs = min(runs, meter.deadline.remaining() / 2 / meter.lasts(1))
    return int(min(runs / (2 * candidates), MOST_FIRST))


def _telling(look: _Look, claim: tuple[Null, ...] | None, budget: Budget) -> bool:
    """Whether an audit of the pair would refute; of many strategies on few samples one seems to gain by luck."""
    return bool(claim) and look.score[0] * budget.max_pairs > _AMPLE * math.log(1 / budget.alpha)


def _rank(look: _Look) -> tuple[float, float, int]:
    """Wealth gained; then the bound to be expected, less half of its error: what is rare shows in few samples only."""
    grows, sure, hoped = look.score
    return grows, (sure + max(sure, hoped)) / 2, -look.index


def _promising(looks: list[_Look], keep: int) -> list[_Look]:
    """The surest two thirds, and of the others those that would be the best if what they show is no accident."""
    sure = looks[: math.ceil(2 * keep / 3)]
    rest = sorted(looks[len(sure) :], key=lambda look: (look.score[2], -look.index), reverse=True)
    return sure + rest[: keep - len(sure)]


def _look(
    sampler: Sampler, index: int, candidate: Candidate, before: _Look | None, size: int, place: tuple[int, int],
    claim: tuple[Null, ...] | None, delta: float, budget: Budget,
) -> _Look:  # fmt: skip
    encoder = Encoder() if before is None else before.encoder
    tables = []
    for side, data in ((0, candidate.left), (1, candidate.right)):
        outputs = draw_chunk(sampler, data, (SeedBranch.SCREENING + place[0], index, side, place[1]), size, budget.seed)
        tables.append(encoder.encode(outputs, size))
    if before is not None:
        tables = [join([before.left, tables[0]]), join([before.right, tables[1]])]
    width = max(t.width for t in tables)
    left, right = (t.widened(width) for t in tables)
    aim = Aim(2 * budget.max_pairs, budget.alpha, delta)
    score = promise(encoder.places, left, right, aim, claim or ())
    return _Look(index, candidate, encoder, left, right, score)
