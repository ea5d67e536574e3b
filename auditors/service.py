"""The sampling service: chunks of outputs in a fixed order, drawn anywhere.

What a chunk holds depends on the seed, the side and its index alone, and chunks are handed out in the order of their
indices; so an audit sees the same bytes with one worker or with many. Only a few chunks are ever under way, so memory
does not grow with the number of samples. A worker that dies costs one chunk, which is drawn again elsewhere.

Once an audit has stopped learning it needs of a chunk only how often which cell was hit: workers then send back such a
digest in place of the outputs, and the counting is done where the drawing is.
"""

from __future__ import annotations

import os
import pickle
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from typing import Any, Protocol

from dpwitness.auditors.pools import Lost, Processes, check_sendable, patience, send, wait_for, width
from dpwitness.auditors.sampling import Sampler, draw_chunk
from dpwitness.core.errors import ProgramFailed

FIRST_CHUNK = 64
LARGEST_BATCHED = 1 << 16
LARGEST_PLAIN = 1 << 10


class Digester(Protocol):
    """Turns the outputs of a chunk into what an audit needs of them; None where it needs the outputs themselves."""

    def __call__(self, left: Any, right: Any, start: int, sizes: tuple[int, int]) -> Any: ...


@dataclass(frozen=True)
class Chunk:
    """Outputs ``start`` to ``stop`` of both sides (a side that has fewer gives fewer), or their digest."""

    index: int
    start: int
    stop: int
    left: Any
    right: Any
    digest: Any = None


@dataclass(frozen=True)
class Job:
    """What to draw: the sampler, both inputs, how many from each, where in the seed tree, and for which process."""

    sampler: Sampler
    left: Any
    right: Any
    size_left: int
    size_right: int
    seed: int
    branch: tuple[int, ...] = ()
    home: int = field(default_factory=os.getpid)

    @property
    def at_home(self) -> int:
        """Outputs up to this one are drawn here: so few are drawn sooner than sent for."""
        return LARGEST_BATCHED if self.sampler.batched else FIRST_CHUNK

    def spans(self, first: int = 0) -> Iterator[tuple[int, int, int]]:
        """Index, start and stop of every chunk from index `first` on: sizes double up to a limit."""
        largest = LARGEST_BATCHED if self.sampler.batched else LARGEST_PLAIN
        start, index, end = 0, 0, max(self.size_left, self.size_right)
        while start < end:
            stop = min(end, max(FIRST_CHUNK, min(2 * start, start + largest)))
            if index >= first:
                yield index, start, stop
            start, index = stop, index + 1

    def sizes(self, start: int, stop: int) -> tuple[int, int]:
        """How many outputs of each side a chunk holds."""
        left, right = (max(0, min(stop, size) - start) for size in (self.size_left, self.size_right))
        return left, right

    def draw(self, index: int, start: int, stop: int) -> Chunk:
        """One chunk, drawn here."""
        sides = []
        for side, (data, size) in enumerate(zip((self.left, self.right), self.sizes(start, stop), strict=True)):
            key = (*self.branch, side, index)
            abroad = os.getpid() != self.home
            sides.append(draw_chunk(self.sampler, data, key, size, self.seed, abroad=abroad) if size else [])
        return Chunk(index, start, stop, *sides)


def chunks(
    job: Job,
    executor: Executor | None = None,
    first: int = 0,
    digester: Callable[[], Digester | None] = lambda: None,
) -> Iterator[Chunk]:
    """All chunks from index `first` on, in order; `digester` is asked, chunk by chunk, how to sum up the outputs."""
    spans = job.spans(first)
    for span in spans:
        if executor is not None and span[1] >= job.at_home:
            yield from _ahead(job, executor, span, spans, digester)
            return
        yield job.draw(*span)


def _ahead(
    job: Job,
    executor: Executor,
    span: tuple[int, int, int],
    spans: Iterator[tuple[int, int, int]],
    digester: Callable[[], Digester | None],
) -> Iterator[Chunk]:
    """Keep a few chunks under way; a chunk whose worker died is sent out once more, alone, to fresh workers."""
    check_sendable(executor, job)
    waiting: deque[tuple[tuple[Any, ...], Future[Chunk]]] = deque()
    following: tuple[int, int, int] | None = span
    packed, known = b"", None
    pool, most = executor, 2 * width(executor) + 1
    try:
        while following is not None or waiting:
            while following is not None and len(waiting) < most:
                current = digester()
                if current is not known:  # pickled once, not once for every chunk
                    packed, known = pickle.dumps(current, protocol=pickle.HIGHEST_PROTOCOL), current
                call = (job, following, packed)
                waiting.append((call, send(pool, fetch, *call)))
                following = next(spans, None)
            call, future = waiting.popleft()
            limit = _limit(job, call[1])
            try:
                chunk = wait_for(future, limit)
            except Lost:
                pool = _renewed(pool, executor)
                chunk = _alone(pool, call, limit)
                again = [(other, send(pool, fetch, *other)) for other, _ in waiting]  # they were lost with it
                waiting = deque(again)
            yield chunk
    finally:
        for _, future in waiting:
            future.cancel()
        if pool is not executor:
            pool.shutdown(wait=False, cancel_futures=True)


def _limit(job: Job, span: tuple[int, int, int]) -> float | None:
    return patience(job.sampler.timeout, 2 if job.sampler.batched else 2 * (span[2] - span[1]))


def _renewed(pool: Executor, given: Executor) -> Executor:
    """Fresh workers: of the same executor where it can replace them, else of a process pool of our own."""
    renew = getattr(pool, "renew", None)
    if renew is None:
        return Processes(width(given))
    renew()
    return pool


def _alone(pool: Executor, call: tuple[Any, ...], limit: float | None) -> Chunk:
    try:
        return wait_for(send(pool, fetch, *call), limit)
    except Lost as error:
        raise ProgramFailed(
            f"a worker died twice while drawing chunk {call[1][0]}: the sampler ends the process, or memory ran out "
            f"({error})"
        ) from None


_unpacked: tuple[bytes, Any] = (b"", None)


def fetch(job: Job, span: tuple[int, int, int], packed: bytes) -> Chunk:
    """Draw one chunk in a worker; its digest takes the place of the outputs where that is enough."""
    global _unpacked  # noqa: PLW0603 - the digester is the same for thousands of chunks
    chunk = job.draw(*span)
    if not packed:
        return chunk
    if _unpacked[0] != packed:
        _unpacked = (packed, pickle.loads(packed))  # written by `_ahead` of this very run
    digester = _unpacked[1]
    found = None if digester is None else digester(chunk.left, chunk.right, span[1], job.sizes(*span[1:]))
    return chunk if found is None else Chunk(*span, None, None, found)
