"""Choosing the pair of neighbouring inputs: cheap runs on many pairs choose, fresh runs on the best certify.

Screening spends no α: it only decides which pairs are audited, with random numbers that are never used again. The
best pair is audited with most of α and, where that does not refute, the runner-up with the rest.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dpwitness.auditors.budget import Budget
from dpwitness.auditors.engine import Outcome
from dpwitness.auditors.evalue import Null
from dpwitness.auditors.rules import Aim, promise
from dpwitness.auditors.runner import Task, run
from dpwitness.auditors.sampling import Sampler, draw_chunk
from dpwitness.auditors.table import Encoder, Table, join
from dpwitness.core.errors import BadInput, ProgramFailed, ProgramTimeout

FIRST_LOOK = 256
FIRST_LOOK_PLAIN = 64
MOST_FIRST = 2048
MOST_LOOK = 1 << 14
FEWER_FROM = 1 << 12
_SCREEN, _CERTIFY = 2000, 3000
_WINNER = 0.85
_SCREEN_TIME = 0.25


@dataclass(frozen=True)
class Candidate:
    """A pair of neighbouring inputs and the reason for trying it."""

    left: Any
    right: Any
    why: str = ""


@dataclass(frozen=True)
class Found:
    """The pair that was certified."""

    outcome: Outcome
    left: Any
    right: Any
    why: str
    screened: int


@dataclass(frozen=True)
class _Look:
    """What has been drawn of one candidate, and how telling it is."""

    index: int
    candidate: Candidate
    encoder: Encoder
    left: Table
    right: Table
    score: tuple[float, float, float]


def search(
    sampler: Sampler,
    candidates: Sequence[Candidate],
    claim: tuple[Null, ...] | None,
    delta: float,
    budget: Budget,
    executor: Executor | None = None,
    *,
    sequential: bool = True,
) -> Found:
    """Screen all candidates by successive halving, then audit the best with fresh samples."""
    if not candidates:
        raise BadInput("neighbours is empty: at least one pair of inputs is needed")
    ranked = screen(sampler, candidates, claim, delta, budget) if len(candidates) > 1 else list(candidates)
    winner = ranked[0]
    alone = len(ranked) == 1
    first = run(
        Task(sampler, winner.left, winner.right, claim, delta, _part(budget, 1.0 if alone else _WINNER), (_CERTIFY, 0),
             sequential), executor
    )  # fmt: skip
    best = Found(first, winner.left, winner.right, winner.why, len(candidates))
    if alone or first.refuted:
        return _with_ledger(best, budget, alone)
    second = ranked[1]
    smaller = replace(_part(budget, 1 - _WINNER), max_pairs=max(1, budget.max_pairs // 4))
    again = run(Task(sampler, second.left, second.right, claim, delta, smaller, (_CERTIFY, 1), sequential), executor)
    if again.refuted or again.epsilon_lower > first.epsilon_lower:
        best = Found(again, second.left, second.right, second.why, len(candidates))
    return _with_ledger(best, budget, alone)


def _part(budget: Budget, share: float) -> Budget:
    """A share of α, and of the time that screening leaves."""
    seconds = None if budget.seconds is None else budget.seconds * share * (1 if share == 1 else 1 - _SCREEN_TIME)
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
    return replace(found, outcome=replace(found.outcome, ledger=rows + found.outcome.ledger, details=details))


def screen(
    sampler: Sampler, candidates: Sequence[Candidate], claim: tuple[Null, ...] | None, delta: float, budget: Budget
) -> list[Candidate]:
    """Candidates, the most telling first: each round triples the samples and keeps the better third."""
    first = max(FIRST_LOOK, min(MOST_FIRST, budget.max_pairs // 256)) if sampler.batched else FIRST_LOOK_PLAIN
    size = min(first, max(8, budget.max_pairs // 8))
    started = time.monotonic()
    limit = None if budget.seconds is None else _SCREEN_TIME * budget.seconds
    looks: list[_Look] = []
    for index, candidate in enumerate(candidates):
        look = _look(sampler, index, candidate, None, size, 0, claim, delta, budget)
        if look is not None:
            looks.append(look)
        if limit is not None and time.monotonic() - started > limit and len(looks) >= 2:
            break  # a slow sampler: what has been seen must do
    if not looks:
        raise ProgramFailed("the sampler failed on every pair of neighbours that was tried")
    looks.sort(key=lambda look: (look.score, -look.index), reverse=True)
    rounds = 0
    most = min(max(MOST_LOOK, budget.max_pairs // 16) if sampler.batched else 8 * FIRST_LOOK_PLAIN, budget.max_pairs)
    while len(looks) > 2 and size < most and (limit is None or time.monotonic() - started < limit):
        rounds += 1
        keep = max(2 if size >= FEWER_FROM else 4, math.ceil(len(looks) / 3))  # rare events show late
        again = []
        for look in _promising(looks, keep):
            new = _look(sampler, look.index, look.candidate, look, 3 * size, rounds, claim, delta, budget)
            again.append(look if new is None else new)
        again.sort(key=lambda look: (look.score, -look.index), reverse=True)
        looks = again
        if keep == 2 and rounds > 1:
            break
        size *= 4
    return [look.candidate for look in looks]


def _promising(looks: list[_Look], keep: int) -> list[_Look]:
    """The surest two thirds, and of the others those that would be the best if what they show is no accident."""
    sure = looks[: math.ceil(2 * keep / 3)]
    rest = sorted(looks[len(sure) :], key=lambda look: (look.score[2], -look.index), reverse=True)
    return sure + rest[: keep - len(sure)]


def _look(
    sampler: Sampler, index: int, candidate: Candidate, before: _Look | None, size: int, rounds: int,
    claim: tuple[Null, ...] | None, delta: float, budget: Budget,
) -> _Look | None:  # fmt: skip
    encoder = Encoder() if before is None else before.encoder
    tables = []
    for side, data in ((0, candidate.left), (1, candidate.right)):
        try:
            outputs = draw_chunk(sampler, data, (_SCREEN, index, side, rounds), size, budget.seed)
        except (ProgramFailed, ProgramTimeout):
            return None
        tables.append(encoder.encode(outputs, size))
    if before is not None:
        tables = [join([before.left, tables[0]]), join([before.right, tables[1]])]
    width = max(t.width for t in tables)
    left, right = (t.widened(width) for t in tables)
    aim = Aim(2 * budget.max_pairs, budget.alpha, delta)
    score = promise(encoder.places, left, right, aim, claim or (), budget.seed)
    return _Look(index, candidate, encoder, left, right, score)


def random_pairs(
    low: float, high: float, size: int, by: float, count: int, rng: np.random.Generator
) -> list[Candidate]:
    """Random query answers in a box, moved by up to `by` in random directions: pairs beyond the usual patterns."""
    found = []
    for _ in range(count):
        base = rng.uniform(low, high, size)
        move = rng.choice([-1.0, 0.0, 1.0], size)
        if move.any():
            found.append(Candidate(base.tolist(), (base + by * move).tolist(), "random"))
    return found
