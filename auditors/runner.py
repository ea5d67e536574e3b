"""Run one audit from start to end: sampling, time limit, checkpoints, failures."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Executor
from contextvars import ContextVar
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from dpwitness import __version__
from dpwitness.auditors.budget import Budget
from dpwitness.auditors.checkpoint import Checkpoint, identity
from dpwitness.auditors.digest import Frozen, frozen, swallow
from dpwitness.auditors.engine import Engine, Outcome
from dpwitness.auditors.evalue import Null
from dpwitness.auditors.likeness import likeness
from dpwitness.auditors.sampling import Sampler
from dpwitness.auditors.service import Chunk, Job, chunks
from dpwitness.auditors.threads import one_thread
from dpwitness.core.errors import BadInput, ProgramFailed, ProgramTimeout

_BOUND_EVERY = 1.0


@dataclass(frozen=True)
class Progress:
    """Where a run stands.

    Parameters
    ----------
    pairs, of
        Pairs drawn, out of how many at most.
    bound
        The ε that the e-process has excluded so far, renewed once a second.
    seconds, left
        Since the start; and to the end, at the present speed, if nothing is refuted.
    """

    pairs: int
    of: int
    log_wealth: float
    seconds: float
    bound: float = 0.0
    left: float | None = None


@dataclass(frozen=True)
class Service:
    """Where audits are run, for all of a command: workers, checkpoints, and who watches.

    Parameters
    ----------
    executor
        Where chunks are drawn; None: here.
    checkpoint
        The file for the state of an audit; further audits of the same claim put their place in the seed tree behind
        its name.
    stand_in
        A function that can be sent to other processes and samples what the audited one samples.
    """

    executor: Executor | None = None
    checkpoint: Path | None = None
    watch: Callable[[Progress], None] | None = None
    stand_in: Callable[..., Any] | None = None


_ALONE = Service()
_service: ContextVar[Service] = ContextVar("service", default=_ALONE)


@contextlib.contextmanager
def using(service: Service) -> Iterator[None]:
    """Run every audit of the block on a service."""
    token = _service.set(service)
    try:
        yield
    finally:
        _service.reset(token)


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


@dataclass
class State:
    """What a checkpoint holds: the audit, and the time that it has taken."""

    engine: Engine
    seconds: float = 0.0


@one_thread()
def run(
    task: Task,
    executor: Executor | None = None,
    checkpoint: Path | None = None,
    watch: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Draw until the claim is refuted or the budget is spent.

    A sampler that fails before the first chunk is complete is an error; one that fails later ends the run, and the
    outcome says so: the e-process is valid wherever it stops. So does a time limit, which is looked at between chunks.
    What is not given comes from the `Service` in use.
    """
    service = _service.get()
    store = _store(task, checkpoint, service)
    state = store.load() if store is not None else None
    if state is None:
        state = State(Engine(task.claim, task.delta, task.budget, task.branch, task.sequential))
    elif not isinstance(state, State):
        raise BadInput(f"checkpoint={str(store.path) if store else ''!r} does not hold the state of an audit")
    engine, started = state.engine, time.monotonic() - state.seconds
    feed = _feed(task, engine, executor or service.executor, service.stand_in)
    clock = _Clock(task, watch or service.watch, started)
    while not engine.done and engine.cut is None:
        try:
            job, chunk = next(feed)
        except (ProgramFailed, ProgramTimeout) as error:
            if engine.next_chunk == 0:
                raise
            engine.cut = str(error)
            break
        _absorb(engine, job, chunk)
        state.seconds = time.monotonic() - started
        clock.tick(engine, state.seconds)
        if store is not None:
            store.save(state, force=engine.done or engine.cut is not None)
    feed.close()
    return engine.outcome()


def _feed(
    task: Task, engine: Engine, executor: Executor | None, stand_in: Callable[..., Any] | None
) -> Generator[tuple[Job, Chunk], None, None]:
    sampler = task.sampler
    if executor is not None and stand_in is not None:
        sampler = replace(sampler, function=stand_in)
    job = Job(sampler, task.left, task.right, engine.size_left, engine.size_right, task.budget.seed, task.branch)
    known: list[Frozen | None] = [None]

    def digester() -> Frozen | None:
        known[0] = frozen(engine, known[0])
        return known[0]

    for chunk in chunks(job, executor, engine.next_chunk, digester):
        yield job, chunk


def _absorb(engine: Engine, job: Job, chunk: Chunk) -> None:
    span = (chunk.index, chunk.start, chunk.stop)
    if chunk.digest is None:
        engine.absorb(chunk)
    elif not swallow(engine, chunk.digest, *span):
        engine.absorb(job.draw(*span))


@dataclass
class _Clock:
    """Tells the time to whoever watches, and stops a run that has used up its own."""

    task: Task
    watch: Callable[[Progress], None] | None
    started: float
    bound: float = 0.0
    _told: float = -math.inf

    def tick(self, engine: Engine, elapsed: float) -> None:
        limit = self.task.budget.seconds
        if limit is not None and elapsed > limit and not engine.done:
            engine.cut = f"stopped by the time limit of {limit:g} seconds, at {engine.drawn} pairs"
        if self.watch is None:
            return
        wealth = 0.0
        if engine.bets is not None:
            wealth = engine.bets.log_wealth
            if elapsed - self._told > _BOUND_EVERY and engine.bets.epochs:
                self._told = elapsed
                self.bound = max(self.bound, engine.bets.climb(0.0, self.task.delta, self.task.budget.alpha))
        of = self.task.budget.max_pairs
        left = elapsed * (of - engine.drawn) / max(1, engine.drawn)
        if limit is not None:
            left = min(left, max(0.0, limit - elapsed))
        self.watch(Progress(engine.drawn, of, wealth, elapsed, self.bound, left))


def _store(task: Task, checkpoint: Path | None, service: Service) -> Checkpoint | None:
    path = checkpoint
    if path is None and service.checkpoint is not None:
        base = service.checkpoint
        path = base.with_name(base.name + "".join(f".{key}" for key in task.branch))
    return None if path is None else Checkpoint(path, _identity(task))


def _identity(task: Task) -> str:
    who = [likeness(part) for part in (task.sampler.function, task.left, task.right)]
    return identity(
        __version__, *who, task.sampler.batched, task.claim, task.delta, task.budget, task.branch, task.sequential
    )
