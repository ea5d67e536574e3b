"""Run one audit from start to end: sampling, time limit, checkpoints, failures."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dpwitness.auditors.budget import Budget
from dpwitness.auditors.checkpoint import Checkpoint, identity
from dpwitness.auditors.engine import Engine, Outcome
from dpwitness.auditors.evalue import Null
from dpwitness.auditors.sampling import Sampler
from dpwitness.auditors.service import Job, chunks
from dpwitness.core.errors import ProgramFailed, ProgramTimeout


@dataclass(frozen=True)
class Progress:
    """Where a run stands: pairs drawn out of how many, log-wealth, seconds since the start."""

    pairs: int
    of: int
    log_wealth: float
    seconds: float


@dataclass(frozen=True)
class Task:
    """One pair of inputs to audit.

    Parameters
    ----------
    claim
        Hypotheses that the claim implies, or None for no claim.
    branch
        Place in the seed tree, so that different tasks of one run never share random numbers.
    """

    sampler: Sampler
    left: Any
    right: Any
    claim: tuple[Null, ...] | None
    delta: float
    budget: Budget
    branch: tuple[int, ...] = ()
    sequential: bool = True


def run(
    task: Task,
    executor: Executor | None = None,
    checkpoint: Path | None = None,
    watch: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Draw until the claim is refuted or the budget is spent.

    A sampler that fails before the first chunk is complete is an error; one that fails later ends the run, and the
    outcome says so: the e-process is valid wherever it stops.
    """
    started = time.monotonic()
    store = None if checkpoint is None else Checkpoint(checkpoint, _identity(task))
    engine = (store.load() if store is not None else None) or Engine(
        task.claim, task.delta, task.budget, task.branch, task.sequential
    )
    job = Job(
        task.sampler, task.left, task.right, engine.size_left, engine.size_right, task.budget.seed, task.branch
    )  # fmt: skip
    feed = chunks(job, executor, engine.next_chunk) if not engine.done else iter(())
    limit = task.budget.seconds
    while not engine.done:
        try:
            chunk = next(feed)
        except (ProgramFailed, ProgramTimeout) as error:
            if engine.next_chunk == 0:
                raise
            engine.cut = str(error)
            break
        engine.absorb(chunk)
        elapsed = time.monotonic() - started
        if watch is not None:
            wealth = engine.bets.log_wealth if engine.bets is not None else 0.0
            watch(Progress(engine.drawn, task.budget.max_pairs, wealth, elapsed))
        if limit is not None and elapsed > limit and not engine.done:
            engine.cut = f"stopped after {limit:g} seconds"
            break
        if store is not None:
            store.save(engine, force=engine.done)
    return engine.outcome()


def _identity(task: Task) -> str:
    function = task.sampler.function
    name = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', type(function).__name__)}"
    return identity(name, task.left, task.right, task.claim, task.delta, task.budget, task.branch, task.sequential)
