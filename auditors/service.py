"""The sampling service: chunks of outputs in a fixed order, drawn anywhere.

What a chunk holds depends on the seed, the side and its index alone, and chunks are handed out in the order of their
indices; so an audit sees the same bytes with one worker or with many. Only a few chunks are ever under way, so memory
does not grow with the number of samples.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor
from dataclasses import dataclass
from typing import Any

from dpwitness.auditors.sampling import Sampler, draw_chunk
from dpwitness.core.errors import BadInput

FIRST_CHUNK = 64
LARGEST_BATCHED = 1 << 16
LARGEST_PLAIN = 1 << 10
_LOOKAHEAD = 3


@dataclass(frozen=True)
class Chunk:
    """Outputs ``start`` to ``stop`` of both sides (a side that has fewer gives fewer)."""

    index: int
    start: int
    stop: int
    left: Any
    right: Any


@dataclass(frozen=True)
class Job:
    """What to draw: the sampler, both inputs, how many from each, and where in the seed tree."""

    sampler: Sampler
    left: Any
    right: Any
    size_left: int
    size_right: int
    seed: int
    branch: tuple[int, ...] = ()

    def spans(self) -> Iterator[tuple[int, int, int]]:
        """Index, start and stop of every chunk: sizes double up to a limit."""
        largest = LARGEST_BATCHED if self.sampler.batched else LARGEST_PLAIN
        start, index, end = 0, 0, max(self.size_left, self.size_right)
        while start < end:
            stop = min(end, max(FIRST_CHUNK, min(2 * start, start + largest)))
            yield index, start, stop
            start, index = stop, index + 1

    def call(self, side: int, index: int, start: int, stop: int) -> tuple[Any, ...] | None:
        """The arguments of `draw_chunk` for one side of one chunk; None where the side has nothing left."""
        size = min(stop, (self.size_left, self.size_right)[side]) - start
        if size <= 0:
            return None
        return self.sampler, (self.left, self.right)[side], (*self.branch, side, index), size, self.seed


def chunks(job: Job, executor: Executor | None = None, first: int = 0) -> Iterator[Chunk]:
    """All chunks from index `first` on, in order."""
    spans = [span for span in job.spans() if span[0] >= first]
    if executor is None:
        for index, start, stop in spans:
            sides = [_here(job.call(side, index, start, stop)) for side in (0, 1)]
            yield Chunk(index, start, stop, *sides)
        return
    yield from _ahead(job, executor, spans)


def _here(call: tuple[Any, ...] | None) -> Any:
    return [] if call is None else draw_chunk(*call)


def _ahead(job: Job, executor: Executor, spans: list[tuple[int, int, int]]) -> Iterator[Chunk]:
    """Keep a few chunks under way; a chunk whose worker died is drawn here instead."""
    waiting: deque[tuple[tuple[int, int, int], list[Future[Any] | None]]] = deque()
    pending = deque(spans)
    alive = True
    try:
        while pending or waiting:
            while pending and len(waiting) < _LOOKAHEAD:
                span = pending.popleft()
                futures: list[Future[Any] | None] = [None, None]
                for side in (0, 1):
                    call = job.call(side, *span)
                    if call is not None and alive:
                        try:
                            futures[side] = executor.submit(draw_chunk, *call)
                        except (BrokenExecutor, RuntimeError):
                            alive = False
                waiting.append((span, futures))
            span, futures = waiting.popleft()
            results = []
            for side in (0, 1):
                future = futures[side]
                try:
                    results.append(_here(job.call(side, *span)) if future is None else future.result())
                except BrokenExecutor:
                    alive = False
                    results.append(_here(job.call(side, *span)))
            yield Chunk(*span, *results)
    finally:
        for _, futures in waiting:
            for future in futures:
                if future is not None:
                    future.cancel()


def open_executor(name: str | Executor | int | None) -> tuple[Executor | None, Callable[[], None]]:
    """An executor and how to close it: a number of worker processes, ``"dask=ADDRESS"``, ``"dask=local"``, or as given.

    Sampler and inputs are sent to other processes, so they must be picklable: functions at the top of a module.
    """
    if name is None or (isinstance(name, int) and not isinstance(name, bool) and name == 1):
        return None, lambda: None
    if isinstance(name, Executor):
        return name, lambda: None
    if isinstance(name, int) and not isinstance(name, bool) and name > 1:
        pool = ProcessPoolExecutor(max_workers=name)
        return pool, lambda: pool.shutdown(wait=False, cancel_futures=True)
    if isinstance(name, str) and name.startswith("dask="):
        return _dask(name.removeprefix("dask="))
    if hasattr(name, "submit"):  # anything that looks like an executor, such as a Dask client's
        lookalike: Any = name
        return lookalike, lambda: None
    raise BadInput(f"executor={name!r} must be a number of workers, an Executor, 'dask=local' or 'dask=ADDRESS'")


def _dask(address: str) -> tuple[Executor, Callable[[], None]]:
    try:
        from distributed import Client
    except ImportError:
        raise BadInput("executor='dask=...' needs the package `distributed`: pip install 'dpwitness[dask]'") from None
    client = Client(processes=True, dashboard_address=None) if address == "local" else Client(address)
    executor: Executor = client.get_executor(pure=False)
    return executor, client.close
