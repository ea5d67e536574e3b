"""The sampling service: chunks of outputs in a fixed order, drawn anywhere.

What a chunk holds depends on the seed, the side and its index alone, and chunks are handed out in the order of their
indices; so an audit sees the same bytes with one worker or with many. Only a few chunks are ever under way, so memory
does not grow with the number of samples. A worker that dies costs one chunk, which is drawn again elsewhere.

The runs of a plain sampler have their own places in the seed tree, so a slow one is drawn run by run, and every run is
evidence as soon as it is made; a quick one is drawn by the thousand, with the same outputs. A batched sampler is asked
for chunks of fixed sizes, unless the time limit leaves no room for them.

Once an audit has stopped learning it needs of a chunk only how often which cell was hit: workers then send back such a
digest in place of the outputs, and the counting is done where the drawing is.
"""

from __future__ import annotations

import bisect
import math
import os
import pickle
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from dpwitness.auditors.meter import Meter
from dpwitness.auditors.pools import Lost, Processes, check_sendable, patience, send, wait_for, width
from dpwitness.auditors.sampling import Sampler, block_at, draw_chunk
from dpwitness.core.errors import ProgramFailed
from dpwitness.core.limits import Deadline

FIRST_CHUNK = 64
SLOW = 0.1  # seconds that a chunk of a slow sampler may take: so often is evidence taken in, and kept
_INSIDE = 9000  # place of chunks that begin inside one of full size
AHEAD = 0.5  # of the time that is left, for the next chunk
LARGEST_BATCHED = 1 << 16
LARGEST_PLAIN = 1 << 10


class Digester(Protocol):
    """Turns the outputs of a chunk into what an audit needs of them; None where it needs the outputs themselves."""

    def __call__(self, left: Any, right: Any, start: int, sizes: tuple[int, int]) -> Any: ...


@dataclass(frozen=True)
class Chunk:
    """Outputs ``start`` to ``stop`` of both sides (a side that has fewer gives fewer), or their digest."""

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
    largest: int = field(default_factory=lambda: LARGEST_BATCHED)  # of a batched sampler; the same for every worker

    @property
    def at_home(self) -> int:
        """Outputs up to this one are drawn here: so few are drawn sooner than sent for."""
        meter = self.sampler.meter
        if not self.sampler.batched and meter is not None and meter.lasts(1) > SLOW / 2:
            return 1  # a slow sampler is worth sending for from the first run on
        return self.largest if self.sampler.batched else FIRST_CHUNK

    def whole(self, start: int) -> tuple[int, int, int]:
        """Index, start and stop of the chunk of full size to which an output belongs: sizes double up to a limit.

        >>> job = Job(Sampler(min, True), 0, 1, 10**9, 10**9, seed=0)
        >>> job.whole(63), job.whole(64), job.whole(1 << 20)
        ((0, 0, 64), (1, 64, 128), (26, 1048576, 1114112))
        """
        largest = self.largest if self.sampler.batched else LARGEST_PLAIN
        starts = [0, FIRST_CHUNK]
        while starts[-1] <= largest:
            starts.append(2 * starts[-1])
        if start < starts[-1]:
            index = bisect.bisect_right(starts, start) - 1
            return index, starts[index], starts[index + 1]
        more = (start - starts[-1]) // largest
        first = starts[-1] + more * largest
        return len(starts) - 1 + more, first, first + largest

    def spans(self, position: int = 0) -> Iterator[tuple[int, int]]:
        """Start and stop of every chunk from `position` on, as large as the pace of the sampler allows."""
        at, last = position, max(self.size_left, self.size_right)
        while at < last:
            end = min(last, self.whole(at)[2], at + self._room(at))
            yield at, end
            at = end

    def _room(self, at: int) -> int:
        """How many outputs to ask for next."""
        meter = self.sampler.meter
        if meter is None or meter.pace is None:
            return self.largest if self.sampler.batched or meter is None else 1
        most: float = math.inf
        pair = max(meter.lasts(2), 1e-12)
        if meter.deadline.limited:
            most = max(1, AHEAD * meter.deadline.remaining() / pair)
        if self.sampler.batched:
            return int(min(self.largest, most))
        # a block of runs is not divided: its runs share their streams
        unit = block_at(at)
        room = max(1, int(min(LARGEST_PLAIN, most, SLOW / pair, max(1, at))))
        return max(unit - at % unit, (at + room) // unit * unit - at)

    def sizes(self, start: int, stop: int) -> tuple[int, int]:
        """How many outputs of each side a chunk holds."""
        left, right = (max(0, min(stop, size) - start) for size in (self.size_left, self.size_right))
        return left, right

    def key(self, side: int, start: int) -> tuple[int, ...]:
        """The place of a chunk in the seed tree."""
        if not self.sampler.batched:
            return (*self.branch, side)
        index, first, _ = self.whole(start)
        return (*self.branch, side, index) if start == first else (*self.branch, _INSIDE, start, side, index)

    def draw(self, start: int, stop: int) -> Chunk:
        """One chunk, drawn here."""
        sides = []
        abroad = os.getpid() != self.home
        for side, (data, size) in enumerate(zip((self.left, self.right), self.sizes(start, stop), strict=True)):
            at = self.key(side, start)
            drawn = draw_chunk(self.sampler, data, at, size, self.seed, abroad=abroad, start=start) if size else []
            sides.append(drawn)
        return Chunk(start, stop, *sides)


def chunks(
    job: Job,
    executor: Executor | None = None,
    position: int = 0,
    digester: Callable[[], Digester | None] = lambda: None,
) -> Iterator[Chunk]:
    """All chunks from `position` on, in order; `digester` is asked, chunk by chunk, how to sum up the outputs."""
    spans = job.spans(position)
    for span in spans:
        if executor is not None and span[0] >= job.at_home:
            yield from _ahead(job, executor, span, spans, digester)
            return
        yield job.draw(*span)


def _ahead(
    job: Job,
    executor: Executor,
    span: tuple[int, int],
    spans: Iterator[tuple[int, int]],
    digester: Callable[[], Digester | None],
) -> Iterator[Chunk]:
    """Keep a few chunks under way; a chunk whose worker died is sent out once more, alone, to fresh workers."""
    meter = job.sampler.meter or Meter()
    job = replace(job, sampler=replace(job.sampler, meter=None))  # runs are counted where they are asked for
    check_sendable(executor, job)
    waiting: deque[tuple[tuple[Any, ...], Future[Chunk]]] = deque()
    following: tuple[int, int] | None = span
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
            meter.take(sum(job.sizes(*call[1])))  # in their order: what is under way in vain is not evidence
            limit = _limit(job, call[1])
            try:
                chunk = wait_for(future, limit, meter.deadline)
            except Lost:
                pool = _renewed(pool, executor)
                chunk = _alone(pool, call, limit, meter.deadline)
                again = [(other, send(pool, fetch, *other)) for other, _ in waiting]  # they were lost with it
                waiting = deque(again)
            yield chunk
    finally:
        for _, future in waiting:
            future.cancel()
        if pool is not executor:
            pool.shutdown(wait=False, cancel_futures=True)


def _limit(job: Job, span: tuple[int, int]) -> float | None:
    return patience(job.sampler.timeout, 2 if job.sampler.batched else 2 * (span[1] - span[0]))


def _renewed(pool: Executor, given: Executor) -> Executor:
    """Fresh workers: of the same executor where it can replace them, else of a process pool of our own."""
    renew = getattr(pool, "renew", None)
    if renew is None:
        return Processes(width(given))
    renew()
    return pool


def _alone(pool: Executor, call: tuple[Any, ...], limit: float | None, deadline: Deadline) -> Chunk:
    try:
        return wait_for(send(pool, fetch, *call), limit, deadline)
    except Lost as error:
        raise ProgramFailed(
            f"a worker died twice while drawing runs {call[1][0]} to {call[1][1]}: the sampler ends the process, or "
            f"memory ran out ({error})"
        ) from None


_unpacked: tuple[bytes, Any] = (b"", None)


def fetch(job: Job, span: tuple[int, int], packed: bytes) -> Chunk:
    """Draw one chunk in a worker; its digest takes the place of the outputs where that is enough."""
    global _unpacked  # noqa: PLW0603 - the digester is the same for thousands of chunks
    chunk = job.draw(*span)
    if not packed:
        return chunk
    if _unpacked[0] != packed:
        _unpacked = (packed, pickle.loads(packed))  # written by `_ahead` of this very run
    digester = _unpacked[1]
    found = None if digester is None else digester(chunk.left, chunk.right, span[0], job.sizes(*span))
    return chunk if found is None else Chunk(*span, None, None, found)
