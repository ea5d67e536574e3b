"""Run one audit from start to end: sampling, time limit, checkpoints, failures."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import Executor
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from dpwitness import __version__
from dpwitness.auditors.budget import Budget
from dpwitness.auditors.checkpoint import Checkpoint, identity
from dpwitness.auditors.dependence import ENOUGH
from dpwitness.auditors.digest import Frozen, frozen, swallow
from dpwitness.auditors.engine import Engine, Outcome
from dpwitness.auditors.evalue import Null
from dpwitness.auditors.failures import sound
from dpwitness.auditors.likeness import likeness
from dpwitness.auditors.meter import Meter
from dpwitness.auditors.sampling import Sampler, draw_chunk
from dpwitness.auditors.service import SLOW, Chunk, Job, chunks
from dpwitness.auditors.threads import one_thread
from dpwitness.core.errors import BadInput, LimitReached, ProgramFailed, ProgramTimeout

_BOUND_EVERY = 1.0
_FIRST = 9700
_SLOW_ORDER = 1.0  # seconds that outputs may take by which only the order is judged


@dataclass(frozen=True)
class Progress:
    """Where a run stands.

    Parameters
    ----------
    pairs, of
        Pairs drawn, out of how many at most.
    runs
        Runs of the sampler up to now, for whatever purpose.
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
    runs: int = 0


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
    keep
        Told of the state of an audit after every chunk, so that nothing is lost when the process is.
    """

    executor: Executor | None = None
    checkpoint: Path | None = None
    watch: Callable[[Progress], None] | None = None
    stand_in: Callable[..., Any] | None = None
    keep: Callable[[Task, Engine], None] | None = None


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


def current() -> Service:
    """The service in use."""
    return _service.get()


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
    """What a checkpoint holds: the audit, and the time and the runs that it has taken."""

    engine: Engine
    seconds: float = 0.0
    runs: int = 0


@one_thread()
def run(
    task: Task,
    executor: Executor | None = None,
    checkpoint: Path | None = None,
    watch: Callable[[Progress], None] | None = None,
) -> Outcome:
    """Draw until the claim is refuted or the budget is spent.

    A sampler that fails before a single pair is drawn is an error; one that fails later ends the run, and the outcome
    says so: the e-process is valid wherever it stops. So does a time limit. What is not given comes from the `Service`
    in use, and the limits from the meter of the sampler, where it has one.
    """
    service = _service.get()
    store = _store(task, checkpoint, service)
    state = store.load() if store is not None else None
    if state is None:
        state = State(Engine(task.claim, task.delta, task.budget, task.branch, task.sequential))
    elif not isinstance(state, State):
        raise BadInput(f"checkpoint={str(store.path) if store else ''!r} does not hold the state of an audit")
    task = _metered(task)
    engine, started = state.engine, time.monotonic() - state.seconds
    meter = task.sampler.meter or Meter()
    meter.root.used = max(meter.root.used, state.runs)
    job = _job(task, engine, executor or service.executor, service.stand_in)
    feed = _feed(job, engine, executor or service.executor)
    clock = _Clock(task, watch or service.watch, started)
    try:
        if not engine.position and not engine.done:
            _first_look(task)
        while not engine.done and engine.cut is None:
            _take_in(engine, job, next(feed))
            state.seconds, state.runs = time.monotonic() - started, meter.root.used
            clock.tick(engine, state.seconds)
            if store is not None:
                store.save(state, force=engine.done or engine.cut is not None or clock.slow)
            if service.keep is not None and not engine.done:
                service.keep(task, engine)
        _judge_order(engine, job)
    except LimitReached as error:
        if not engine.drawn:
            raise ProgramTimeout(too_slow(task.sampler.meter or Meter())) from None
        engine.cut = _stopped(task, engine, error)
    except (ProgramFailed, ProgramTimeout) as error:
        if not engine.drawn:
            raise
        engine.cut = str(error)
    finally:
        feed.close()
    engine.check_order()
    return engine.outcome()


def _metered(task: Task) -> Task:
    """The task with a meter: its budget's own where none was handed down."""
    if task.sampler.meter is not None:
        return task
    return replace(task, sampler=replace(task.sampler, meter=Meter.of(task.budget.seconds)))


def _first_look(task: Task) -> None:
    """How long a run takes, where the time is limited and nothing is known of a batched sampler: one run tells."""
    meter = task.sampler.meter
    if meter is not None and meter.deadline.limited and meter.pace is None and task.sampler.batched:
        draw_chunk(task.sampler, task.left, (*task.branch, _FIRST, 0, 0), 1, task.budget.seed)


def _judge_order(engine: Engine, job: Job) -> None:
    """Look at more outputs where few of a batch have refuted: those inside a batch may depend on each other."""
    if engine.ordered or not job.sampler.batched or engine.position >= max(engine.size_left, engine.size_right):
        return
    for start, stop in job.spans(engine.position):
        meter = job.sampler.meter
        slow = meter is not None and meter.lasts(2 * (stop - start)) > _SLOW_ORDER
        if engine.seen >= ENOUGH or slow or (meter is not None and meter.left < 2 * (stop - start)):
            return
        engine.look_at(job.draw(start, stop))


def _take_in(engine: Engine, job: Job, chunk: Chunk) -> None:
    """Give the next chunk to the audit, up to where the sampler may have started to fail."""
    if chunk.digest is None and (words := engine.failures.began(job, chunk)) is not None:
        pairs = sound(chunk)
        if pairs:
            chunk = replace(chunk, stop=chunk.start + pairs, left=chunk.left[:pairs], right=chunk.right[:pairs])
            _absorb(engine, job, chunk)
        if not engine.done:
            raise ProgramFailed(f"after {engine.drawn} pairs the sampler has started to fail, on both inputs: {words}")
        return
    _absorb(engine, job, chunk)


def _stopped(task: Task, engine: Engine, error: LimitReached) -> str:
    if str(error).startswith("max_pairs"):
        return f"stopped by the limit on the number of runs, at {engine.drawn} pairs"
    limit = task.sampler.meter.root.seconds if task.sampler.meter is not None else None
    asked = "" if limit is None else f" of {limit:.3g} seconds"
    return f"stopped by the time limit{asked}, at {engine.drawn} pairs"


def too_slow(meter: Meter) -> str:
    """Why there is nothing to say."""
    limit = meter.root.seconds
    words = "not a single pair of outputs could be drawn within the time limit"
    words += "" if limit is None else f" of {limit:.3g} seconds"
    return words + ("" if meter.pace is None else f" (a run took {meter.pace:.2g} s)")


def _job(task: Task, engine: Engine, executor: Executor | None, stand_in: Callable[..., Any] | None) -> Job:
    sampler = task.sampler
    if executor is not None and stand_in is not None:
        sampler = replace(sampler, function=stand_in)
    return Job(sampler, task.left, task.right, engine.size_left, engine.size_right, task.budget.seed, task.branch)


def _feed(job: Job, engine: Engine, executor: Executor | None) -> Generator[Chunk, None, None]:
    known: list[Frozen | None] = [None]

    def digester() -> Frozen | None:
        known[0] = frozen(engine, known[0])
        return known[0]

    yield from chunks(job, executor, engine.position, digester)


def _absorb(engine: Engine, job: Job, chunk: Chunk) -> None:
    meter = job.sampler.meter
    deadline = None if meter is None or not meter.deadline.limited else meter.deadline
    if chunk.digest is None:
        engine.absorb(chunk, deadline)
    elif not swallow(engine, chunk.digest, chunk.start, chunk.stop):
        engine.absorb(replace(job, sampler=replace(job.sampler, meter=None)).draw(chunk.start, chunk.stop), deadline)


@dataclass
class _Clock:
    """Tells whoever watches how a run is getting on."""

    task: Task
    watch: Callable[[Progress], None] | None
    started: float
    bound: float = 0.0
    slow: bool = False
    _told: float = -math.inf
    _last: float = field(default_factory=time.monotonic)

    def tick(self, engine: Engine, elapsed: float) -> None:
        now = time.monotonic()
        self.slow, self._last = now - self._last > SLOW / 2, now
        if self.watch is None:
            return
        wealth = 0.0
        if engine.bets is not None:
            wealth = engine.bets.log_wealth
            if elapsed - self._told > _BOUND_EVERY and engine.bets.epochs:
                self._told = elapsed
                self.bound = max(self.bound, engine.bets.climb(0.0, self.task.delta, self.task.budget.alpha))
        meter = self.task.sampler.meter or Meter()
        of = self.task.budget.max_pairs
        left = elapsed * (of - engine.drawn) / max(1, engine.drawn)
        if meter.deadline.limited:
            left = min(left, meter.deadline.remaining())
        self.watch(Progress(engine.drawn, of, wealth, elapsed, self.bound, left, meter.root.used))


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
