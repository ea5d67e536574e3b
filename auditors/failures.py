"""Runs that end in an exception: outputs like others, unless it is the sampler that has stopped working.

An exception that one input raises and the other does not tells them apart. But a sampler may also run out of something
(a budget, a connection, memory) after some runs; then one side fails merely because it was drawn later. So when a kind
of exception is first seen, both inputs are run a few times more: where one that had never raised it now always does,
the sampler has started to fail, and the audit ends with what was drawn before.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from dpwitness.auditors.sampling import SIDES, Raised, draw_chunk
from dpwitness.auditors.service import Chunk, Job
from dpwitness.core.errors import ProgramFailed

AGAIN = 8
_TELLING = 0.5  # difference of the rates from which on an exception is named even where the event does not
_BRANCH = 9500


@dataclass
class Failures:
    """How often which exception was raised on each side, of how many runs."""

    runs: list[int] = field(default_factory=lambda: [0, 0])
    raised: dict[str, list[int]] = field(default_factory=dict)

    def count(self, *sides: Any) -> None:
        """Count the runs of a chunk."""
        for side, outputs in enumerate(sides):
            self.runs[side] += len(outputs)
            for kind in _kinds(outputs):
                self.raised.setdefault(kind, [0, 0])[side] += 1

    def named(self, event: str) -> str:
        """An event in words, with exceptions called by what they are and how often they came."""
        for kind, hits in self.raised.items():
            rates = [hits[side] / max(1, self.runs[side]) for side in (0, 1)]
            side = 0 if rates[0] >= rates[1] else 1
            counts = [f"{hits[s]} of {self.runs[s]} on the {SIDES[s]}" for s in (side, 1 - side)]
            shown, words = f"a Raised: raised {kind}", f"raises {kind}: {', '.join(counts)}"
            if shown in event:
                event = event.replace(f"output is {shown}", shown).replace(shown, words)
            elif abs(rates[0] - rates[1]) > _TELLING:  # the event may be that it is not raised
                event = f"{event}; {words}"
        return event

    def began(self, job: Job, chunk: Chunk) -> str | None:
        """What the sampler fails with since this chunk, whatever its input; None where it does not.

        A sampler that has done nothing but fail from the beginning is an error.
        """
        sides = (chunk.left, chunk.right)
        fresh = [kind for kind in dict.fromkeys([*_kinds(sides[0]), *_kinds(sides[1])]) if kind not in self.raised]
        if not fresh:
            return None
        now = [draw_chunk(job.sampler, data, (*job.branch, _BRANCH, chunk.start, side), AGAIN, job.seed)
               for side, data in enumerate((job.left, job.right))]  # fmt: skip
        if not self.runs[0] and all(len(_kinds(outputs)) == len(outputs) for outputs in (*sides, *now)):
            first = next(x for x in sides[0] if isinstance(x, Raised))
            raise ProgramFailed(f"the sampler raised {first.message} (on every one of its runs, seed={job.seed})")
        for kind in fresh:
            before = [self.runs[side] + _until(kind, sides[side]) for side in (0, 1)]
            ends = any(before[side] >= AGAIN and _kinds(now[side]) == [kind] * AGAIN for side in (0, 1))
            if ends:
                return next(x.message for x in (*sides[0], *sides[1]) if isinstance(x, Raised) and x.kind == kind)
        return None


def sound(chunk: Chunk) -> int:
    """How many pairs of a chunk come before its first exception."""
    return min(next((i for i, x in enumerate(side) if isinstance(x, Raised)), len(side))
               for side in (chunk.left, chunk.right))  # fmt: skip


def _kinds(outputs: Any) -> list[str]:
    return [x.kind for x in outputs if isinstance(x, Raised)] if isinstance(outputs, list) else []


def _until(kind: str, outputs: Sequence[Any]) -> int:
    """How many outputs come before the first exception of a kind."""
    return next((i for i, x in enumerate(outputs) if isinstance(x, Raised) and x.kind == kind), len(outputs))
