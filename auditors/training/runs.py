"""`audit_runs`: start runs with and without the record, look now and then, and stop as soon as the claim falls."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from dpwitness.auditors.bounds.curves import ApproxCurve, points_of
from dpwitness.auditors.bounds.ledger import Ledger
from dpwitness.auditors.running.checkpoint import Checkpoint, identity
from dpwitness.auditors.training.looks import SCHEDULE, schedule_for
from dpwitness.auditors.training.reading import read_alpha, read_claim, read_delta, read_schedule
from dpwitness.auditors.training.result import TrainingAudit
from dpwitness.auditors.training.scores import INDEPENDENT, plane
from dpwitness.core.errors import BadInput, ProgramFailed

Run = Callable[[int], Any]
LADDER = (0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0)


def audit_runs(
    run_in: Run,
    run_out: Run,
    *,
    claim: Any,
    looks: Sequence[int] = SCHEDULE,
    alpha: float = 1e-3,
    seed: int = 0,
    checkpoint: str | Path | None = None,
    watch: Callable[[int, int], None] | None = None,
) -> TrainingAudit:
    """Start runs on both sides until the claim is refuted, or the schedule of looks is at its end.

    Parameters
    ----------
    run_in, run_out
        ``run_in(seed)`` trains once with the record and returns a score, ``run_out(seed)`` without it; a larger score
        should look more like "with". Seeds are all different; randomness of their own is as good.
    claim
        As in `audit_scores`.
    looks
        Numbers of runs on each side at which to look.
    checkpoint
        A file that keeps every score as soon as it is known; an existing one is resumed.
    watch
        Called after every run with the number of runs on each side.

    Examples
    --------
    >>> from dpwitness.core.guarantees import GaussianDP
    >>> draw = lambda shift: lambda seed: np.random.default_rng(seed).normal(shift)
    >>> result = audit_runs(draw(4.0), draw(0.0), claim=GaussianDP(1))
    >>> result.refuted, result.runs[0] <= 60
    (True, True)
    """
    alpha, seed = read_alpha(alpha, seed)
    if claim is None:
        raise BadInput("claim=None: runs are started until a claim falls; use audit_scores for a bound without a claim")
    curve, schedule = read_claim(claim), read_schedule(looks)
    for name, run in (("run_in", run_in), ("run_out", run_out)):
        if not callable(run):
            raise BadInput(f"{name}={run!r} must be a function of a seed that returns a score")
    if run_in is run_out:
        raise BadInput("run_in and run_out are the same function: one must train with the record, the other without")
    store = None if checkpoint is None else Checkpoint(Path(checkpoint), identity("training", curve.words, schedule,
                                                                                 alpha, seed))  # fmt: skip
    kept = None if store is None else store.load()
    scores: list[list[float]] = [[], []] if kept is None else [list(side) for side in kept]
    plan = schedule_for(curve, schedule, alpha, seed)
    path: list[tuple[int, float]] = []
    p, refuted = 1.0, False
    for look, runs in enumerate(schedule):
        _draw(run_in, run_out, runs, scores, seed, store, watch)
        inside, outside = (np.array(side[:runs]) for side in scores)
        if runs >= schedule[0] and np.array_equal(inside, outside):
            raise BadInput("runs with the record score exactly as runs without it: does run_in use the record?")
        path.append((runs, plan.statistic(look, inside, outside)))
        p = min(p, plan.p_value(look, inside, outside))
        if p <= alpha:
            refuted = True
            break
    ledger = Ledger(alpha)
    ledger.spend(f"looks at {', '.join(map(str, schedule))} runs a side, together", alpha)
    at = read_delta(None, curve)
    eps = _ladder(scores, schedule[: len(path)], schedule, at, alpha, seed) if refuted else 0.0
    return TrainingAudit(
        "runs", refuted, p, eps, at, alpha, seed, curve.words, INDEPENDENT, (runs, runs),
        points=points_of(curve), ledger=ledger.entries,
        details={"looks": [list(point) for point in path], "boundary": plan.boundary},
        figure={**plane(inside, outside, curve, alpha, seed), "looks": [list(point) for point in path],
                "boundary": plan.boundary, "schedule": list(schedule)},
    )  # fmt: skip


def _ladder(
    scores: list[list[float]], taken: Sequence[int], schedule: tuple[int, ...], delta: float, alpha: float, seed: int
) -> float:
    """The largest ε of `LADDER` that the looks reject at δ, with all below it.

    The claim and then the ladder are tested in a fixed order, each at level α by a schedule of looks of its own, up to
    the first that stands. Only the first true one can err, so that the bound costs no share of α; it is spoken of only
    after the claim fell.
    """
    found = 0.0
    for eps in LADDER:
        plan = schedule_for(ApproxCurve(eps, delta), schedule, alpha, seed)
        sides = [tuple(np.array(side[:runs]) for side in scores) for runs in taken]
        if all(plan.p_value(look, *sides[look]) > alpha for look in range(len(taken))):
            break
        found = eps
    return found


def _draw(
    run_in: Run, run_out: Run, runs: int, scores: list[list[float]], seed: int, store: Checkpoint | None,
    watch: Callable[[int, int], None] | None,
) -> None:  # fmt: skip
    """Runs in turn, so that a break leaves both sides even; each is kept as soon as it is done."""
    while min(map(len, scores)) < runs:
        side = 0 if len(scores[0]) <= len(scores[1]) else 1
        own = int(np.random.SeedSequence([seed, 30, side, len(scores[side])]).generate_state(1, np.uint32)[0])
        scores[side].append(_score((run_in, run_out)[side], own, ("run_in", "run_out")[side]))
        if store is not None:
            store.save((scores[0], scores[1]), force=True)
        if watch is not None:
            watch(len(scores[0]), len(scores[1]))


def _score(run: Run, seed: int, name: str) -> float:
    try:
        found = run(seed)
    except (Exception, SystemExit) as error:
        raise ProgramFailed(f"{name}({seed}) raised {type(error).__name__}: {error}") from error
    try:
        value = float(found)
    except (TypeError, ValueError, OverflowError):
        raise BadInput(f"{name}({seed}) returned {found!r}; one number, the score of the run, is needed") from None
    if math.isnan(value):
        raise BadInput(f"{name}({seed}) returned NaN: a run without a score cannot be ranked")
    return value
