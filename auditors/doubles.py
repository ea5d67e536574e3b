"""Doubles are not reals: what the bit patterns of the outputs give away.

Noise that is private as a real number may not be as a double: the sum of an input and a draw can only fall on a
lattice that depends on the input (Mironov 2012). Events about multiples (`dpwitness.auditors.bits`) are compared on a
part of the samples; the best one is counted on the rest, with the exact bound of `dpwitness.auditors.fixed`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpwitness.auditors.arrays import AnyArray, Floats
from dpwitness.auditors.bits import Event, choose_event
from dpwitness.auditors.budget import Budget
from dpwitness.auditors.fixed import Count, lower_bound
from dpwitness.auditors.meter import Meter
from dpwitness.auditors.sampling import Sampler, draw_chunk, stream
from dpwitness.auditors.table import Encoder
from dpwitness.core.errors import LimitReached, ProgramFailed, ProgramTimeout

_BRANCH = 1000
_PROBE, _AGAIN = 256, 32
_IN_TIME = 0.8  # of the time that is left
_SELECTION = 0.1
_MOST_SELECTION = 1 << 16
_FEW = 1 << 11
_CHUNK = 1 << 16
_MOST_COLUMNS = 32
QUICK_PAIRS = 1 << 17
QUICK_PLAIN = 1 << 12
QUICK_SECONDS = 0.5
SLOW_SECONDS = 2.0


@dataclass(frozen=True)
class DoublesFinding:
    """Evidence on the claim about doubles: a lower bound on ε with its event.

    Parameters
    ----------
    right, wrong
        How often the event was seen on the side where it is more likely, and on the other one.
    cut
        Set where a slow sampler was given fewer pairs: this part of the evidence depends on the clock.
    """

    refuted: bool
    epsilon_lower: float
    pairs: int
    alpha: float
    direction: Literal["left", "right"]
    event: str
    right: int = 0
    wrong: int = 0
    cut: str | None = None

    def __str__(self) -> str:
        return (
            f"ε ≥ {int(self.epsilon_lower * 1000) / 1000:g} with probability ≥ {1 - self.alpha:g}, {self.pairs} pairs; "
            f"more likely on {self.direction}: {self.event}"
        )


def audit_doubles(
    sampler: Sampler, left: Any, right: Any, eps: float, delta: float, budget: Budget, *, thorough: bool = False
) -> DoublesFinding | None:
    """Test the claim about doubles; None where the outputs hold no doubles (whole numbers, text, ...).

    Parameters
    ----------
    thorough
        Draw up to ``budget.max_pairs``; otherwise a quick look that costs little beside the main audit.
    """
    meter = sampler.meter or Meter()
    room = int(min(budget.max_pairs, meter.left // 2 - _PROBE))  # the probe comes out of the same runs
    if room < 2 * _PROBE or meter.lasts(4 * _PROBE) > meter.deadline.remaining():
        return None
    if not thorough and sampler.meter is not None and meter.lasts(2 * _PROBE) > SLOW_SECONDS:
        return None
    source = _Source(sampler, (left, right), budget.seed)
    try:
        started = _now()
        probe = [source.draw(side, _PROBE) for side in (0, 1)]
        if not any(map(_fractional, probe)):
            return None
        pairs, cut = room, None
        if not thorough:
            pairs, cut = _affordable(source, room, budget, _since(started))
        in_time = int(min(pairs, _IN_TIME * meter.deadline.remaining() / max(meter.lasts(2), 1e-12)))
        if in_time < pairs:
            pairs, cut = in_time, "the time limit"
        if pairs < 2 * _PROBE:
            return None
        return _look(source, pairs, cut, eps, delta, budget)
    except (LimitReached, ProgramFailed, ProgramTimeout):
        return None  # the main audit reports it


def _affordable(source: _Source, room: int, budget: Budget, first: float) -> tuple[int, str | None]:
    """How many pairs a quick look takes. Only a sampler that would need far more than its share is cut down."""
    pairs = min(room, QUICK_PAIRS if source.sampler.batched else QUICK_PLAIN)
    share = 1.0 if budget.seconds is None else min(1.0, budget.seconds / SLOW_SECONDS)
    if first / _PROBE * pairs <= share * SLOW_SECONDS:
        return pairs, None
    again = _now()  # the first calls may have loaded libraries; these are thrown away, so that no stream moves
    throwaway = _Source(source.sampler, source.inputs, source.seed)
    for side in (0, 1):
        throwaway.draw(side, _AGAIN)
    pairs -= _AGAIN
    each = _since(again) / _AGAIN
    if each * pairs <= share * SLOW_SECONDS:
        return pairs, None
    fits = max(1, int(share * QUICK_SECONDS / each))
    return min(pairs, 1 << (fits.bit_length() - 1)), f"a slow sampler: {each * 1000:.1g} ms for a pair"


def _now() -> tuple[float, float]:
    return time.thread_time(), time.monotonic()


def _since(started: tuple[float, float]) -> float:
    """CPU time, which does not depend on what else the machine does; a sampler that waits is timed by the clock."""
    cpu, wall = (now - then for now, then in zip(_now(), started, strict=True))
    return max(cpu, wall / 8)


def _look(
    source: _Source, pairs: int, cut: str | None, eps: float, delta: float, budget: Budget
) -> DoublesFinding | None:
    """Choose an event on a part of the samples, and count it on the rest."""
    # few pairs: a larger part of them, or the event is chosen badly
    chosen = min(_MOST_SELECTION, max(_PROBE, int(_SELECTION * pairs), min(_FEW, pairs // 3)))
    runs = 2 * (pairs - chosen)
    heads = int(stream(budget.seed, _BRANCH, 2).binomial(runs, 0.5))
    picked = [source.draw(side, chosen) for side in (0, 1)]
    columns = range(min(_MOST_COLUMNS, picked[0].shape[1], picked[1].shape[1]))
    options = [choose_event(picked[0][:, j], picked[1][:, j], runs, budget.alpha, delta, j) for j in columns]
    best = max((option for option in options if option is not None), key=lambda option: option[0], default=None)
    if best is None:
        return DoublesFinding(False, 0.0, pairs, budget.alpha, "left", "no event stands out", cut=cut)
    event = best[1]
    hits = [source.count(side, size, event) for side, size in ((0, heads), (1, runs - heads))]
    count = Count(hits[event.side], hits[1 - event.side], runs, sides=1)
    bound = lower_bound(count, budget.alpha, delta)
    words = event.words(source.encoder.places[event.column])
    side: Literal["left", "right"] = "left" if event.side == 0 else "right"
    return DoublesFinding(bound > eps, bound, pairs, budget.alpha, side, words, count.right, count.wrong, cut)


class _Source:
    """Columns of outputs, drawn in chunks from a branch of the seed tree of their own."""

    def __init__(self, sampler: Sampler, inputs: tuple[Any, Any], seed: int) -> None:
        self.sampler, self.inputs, self.seed = sampler, inputs, seed
        self.encoder = Encoder()
        self._chunk = [0, 0]

    def draw(self, side: int, size: int) -> Floats:
        parts: list[Floats] = []
        while size > 0:
            step = min(size, _CHUNK)
            outputs = draw_chunk(self.sampler, self.inputs[side], (_BRANCH, side, self._chunk[side]), step, self.seed)
            self._chunk[side] += 1
            parts.append(self.encoder.encode(outputs, step).columns[:, :_MOST_COLUMNS])
            size -= step
        width = max((p.shape[1] for p in parts), default=0)
        same = [np.pad(p, ((0, 0), (0, width - p.shape[1])), constant_values=np.nan) for p in parts]
        return np.concatenate(same, axis=0) if same else np.zeros((0, width))

    def count(self, side: int, size: int, event: Event) -> int:
        total = 0
        while size > 0:
            step = min(size, _CHUNK)
            columns = self.draw(side, step)
            if columns.shape[1] > event.column:
                total += int(np.count_nonzero(event.holds(columns[:, event.column])))
            size -= step
        return total


def _fractional(columns: AnyArray) -> bool:
    finite = columns[np.isfinite(columns)]
    return bool(len(finite)) and bool(np.any(finite != np.rint(finite)))
