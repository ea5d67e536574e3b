"""Doubles are not reals: what the bit patterns of the outputs give away.

Noise that is private as a real number may not be as a double: the sum of an input and a draw can only fall on a
lattice that depends on the input (Mironov 2012). The *level* of a number z ≠ 0 is the e for which z = odd · 2^e; "z is
not a multiple of 2^k" is level < k, which is exact. Events ``|z| < 2^a and z is (not) a multiple of 2^k`` are compared
on a part of the samples; the best one is counted on the rest, with the exact bound of `dpwitness.auditors.fixed`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpwitness.auditors.arrays import AnyArray, Bools, Floats, Ints
from dpwitness.auditors.budget import Budget
from dpwitness.auditors.fixed import Count, bounds, lower_bound
from dpwitness.auditors.sampling import Sampler, draw_chunk, stream
from dpwitness.auditors.table import Encoder
from dpwitness.core.errors import ProgramFailed, ProgramTimeout

_BRANCH = 1000
_PROBE = 256
_SELECTION = 0.1
_CHUNK = 1 << 16
_MOST_COLUMNS = 16
_SIZES = (-24, 24)
_LEVELS = (-120, 8)
QUICK_PAIRS = 1 << 17
QUICK_PLAIN = 1 << 10
QUICK_SECONDS = 2.0


@dataclass(frozen=True)
class BitEvent:
    """``|z| < 2^size`` (any size where None) and z is a multiple of ``2^level``, or is not."""

    column: int
    size: int | None
    level: int
    multiple: bool
    side: int

    def holds(self, z: Floats) -> Bools:
        """For which numbers the event is true; NaN and infinities are in no event."""
        with np.errstate(invalid="ignore"):
            small = np.isfinite(z) if self.size is None else np.abs(z) < 2.0**self.size
        return np.asarray(small & ((level(z) >= self.level) == self.multiple), dtype=bool)

    def words(self, place: str) -> str:
        """The event in words."""
        near = "" if self.size is None else f"|{place}| < 2^{self.size} and "
        return f"{near}{place} is {'' if self.multiple else 'not '}a multiple of 2^{self.level}"


@dataclass(frozen=True)
class DoublesFinding:
    """Evidence on the claim about doubles: a lower bound on ε with its event."""

    refuted: bool
    epsilon_lower: float
    pairs: int
    alpha: float
    direction: Literal["left", "right"]
    event: str
    right: int = 0
    wrong: int = 0

    def __str__(self) -> str:
        return (
            f"ε ≥ {int(self.epsilon_lower * 1000) / 1000:g} with probability ≥ {1 - self.alpha:g}, {self.pairs} pairs; "
            f"more likely on {self.direction}: {self.event}"
        )


def level(z: Floats) -> Ints:
    """The exponent of the lowest set bit: z = odd · 2^level; 2000 for 0, NaN and infinities.

    >>> level(np.array([1.0, 0.75, 12.0, 0.1])).tolist()
    [0, -2, 2, -55]
    """
    finite = np.isfinite(z) & (z != 0)
    fraction, exponent = np.frexp(np.where(finite, z, 1.0))
    whole = np.abs(np.ldexp(fraction, 53)).astype(np.int64)
    lowest = (whole & -whole).astype(np.float64)
    trailing = np.frexp(lowest)[1] - 1
    return np.where(finite, exponent.astype(np.int64) - 53 + trailing, 2000).astype(np.int64)


def _histogram(z: Floats) -> Ints:
    """Counts by size and level, cumulated so that entry (i, j) counts |z| < 2^a_i and level < k_j."""
    z = z[np.isfinite(z)]
    size = np.clip(np.frexp(np.where(z == 0, 1e-300, z))[1], _SIZES[0], _SIZES[1] + 1) - _SIZES[0]
    depth = np.clip(level(z), _LEVELS[0] - 1, _LEVELS[1]) - _LEVELS[0] + 1
    shape = (_SIZES[1] - _SIZES[0] + 2, _LEVELS[1] - _LEVELS[0] + 2)
    flat = np.bincount(size * shape[1] + depth, minlength=shape[0] * shape[1]).reshape(shape)
    return np.asarray(flat.cumsum(axis=0).cumsum(axis=1), dtype=np.int64)


def choose_event(left: Floats, right: Floats, runs: int, alpha: float, delta: float) -> tuple[float, BitEvent] | None:
    """The most promising event of one column, and the bound that it is expected to give."""
    tables = [_histogram(left), _histogram(right)]
    scale = runs / max(1, len(left) + len(right))
    best: tuple[float, BitEvent] | None = None
    for multiple in (False, True):
        counts = [t[:, -1:] - t if multiple else t for t in tables]
        for side in (0, 1):
            v = counts[side].astype(np.float64)
            w = counts[1 - side].astype(np.float64)
            enough = v >= 8
            some = np.where(enough, v * scale, 0.0)
            expected = bounds(some, (w + 0.5) * scale, runs + scale + 1, alpha, delta, sides=1)
            expected = np.where(enough, expected - np.sqrt(1 / (v + 0.5) + 1 / (w + 0.5)), -np.inf)
            at = np.unravel_index(int(np.argmax(expected)), expected.shape)
            value = float(expected[at])
            if np.isfinite(value) and (best is None or value > best[0]):
                power, depth = int(at[0]) + _SIZES[0], int(at[1]) + _LEVELS[0]
                best = (value, BitEvent(0, None if power > _SIZES[1] else power, depth, multiple, side))
    return best


def audit_doubles(
    sampler: Sampler, left: Any, right: Any, eps: float, delta: float, budget: Budget, *, thorough: bool = False
) -> DoublesFinding | None:
    """Test the claim about doubles; None where the outputs hold no doubles (whole numbers, text, ...).

    Parameters
    ----------
    thorough
        Draw up to ``budget.max_pairs``; otherwise a quick look that costs little beside the main audit.
    """
    quick = QUICK_PAIRS if sampler.batched else QUICK_PLAIN
    pairs = budget.max_pairs if thorough else min(budget.max_pairs, quick)
    source = _Source(sampler, (left, right), budget.seed)
    try:
        started = time.monotonic()
        probe = [source.draw(side, _PROBE) for side in (0, 1)]
        if not thorough and (time.monotonic() - started) / _PROBE * pairs > QUICK_SECONDS:
            pairs = _PROBE * max(1, int(QUICK_SECONDS / max(1e-9, time.monotonic() - started)))
            pairs = 1 << (pairs.bit_length() - 1)  # a coarse number: the same on machines of like speed
        if pairs < 2 * _PROBE or not any(_fractional(p) for p in probe):
            return None
        chosen = max(_PROBE, int(_SELECTION * pairs))
        runs = 2 * (pairs - chosen)
        heads = int(stream(budget.seed, _BRANCH, 2).binomial(runs, 0.5))
        picked = [source.draw(side, chosen) for side in (0, 1)]
        width = min(_MOST_COLUMNS, picked[0].shape[1], picked[1].shape[1])
        options = []
        for column in range(width):
            found = choose_event(picked[0][:, column], picked[1][:, column], runs, budget.alpha, delta)
            if found is not None:
                event = found[1]
                options.append((found[0], BitEvent(column, event.size, event.level, event.multiple, event.side)))
        if not options:
            return DoublesFinding(False, 0.0, pairs, budget.alpha, "left", "no event stands out")
        event = max(options, key=lambda option: option[0])[1]
        hits = [source.count(side, size, event) for side, size in ((0, heads), (1, runs - heads))]
    except (ProgramFailed, ProgramTimeout):
        return None  # the main audit reports it
    count = Count(hits[event.side], hits[1 - event.side], runs, sides=1)
    bound = lower_bound(count, budget.alpha, delta)
    place = source.encoder.places[event.column]
    side: Literal["left", "right"] = "left" if event.side == 0 else "right"
    return DoublesFinding(bound > eps, bound, pairs, budget.alpha, side, event.words(place), count.right, count.wrong)


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

    def count(self, side: int, size: int, event: BitEvent) -> int:
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
