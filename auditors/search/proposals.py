"""Pairs of datasets that the same noise tells apart most: what to compare beside the typical pairs.

Small datasets come first, with a record inserted, deleted or replaced at every place and by values from the ends and
the middle of the domain; then long runs of equal records, in which a jump is found by halving. The sampler runs on both
inputs of a pair with the same random stream, so what moves its outputs is the input. The pairs that are moved furthest,
measured by the spread of the outputs, are proposed. None of this is evidence: it only says where to look.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpwitness.auditors.inputs.datasets import datasets, runs
from dpwitness.auditors.inputs.neighbours import neighbours
from dpwitness.auditors.outputs.table import Encoder, Table
from dpwitness.auditors.sampling.sampler import Sampler, draw_chunk
from dpwitness.auditors.sampling.seeds import SeedBranch
from dpwitness.auditors.search.screening import Candidate
from dpwitness.core.errors import BadInput, LimitReached, ProgramFailed, ProgramTimeout
from dpwitness.core.numbers import Exact
from dpwitness.core.records import Box, Interval, Records
from dpwitness.core.stability.columns import choices
from dpwitness.core.stability.rows import Rows, record_key

RUNS = 8  # of the sampler on each dataset, with one random stream for all of them
MOST_RECORDS = 16_000  # that all datasets which are run may hold together
MOST_PAIRS = 600
SLOW = 5e-3  # seconds of a run from which on the time is better spent on the comparison itself
KEPT, ALIKE = 12, 2  # pairs to propose; of those that are moved equally far
STRETCHES = 4  # of long runs that are halved
LONG = 32  # records from which on runs are looked at for jumps
SEPARATE = 1e6  # where outputs cannot be compared at all
Data = tuple[Any, ...]


def proposals(sampler: Sampler, space: Records, seed: int, known: Callable[[Data, Data], bool]) -> list[Candidate]:
    """At most `KEPT` pairs of neighbours that the same noise moves furthest apart, the furthest first.

    Parameters
    ----------
    known
        Whether a pair is among the candidates already.
    """
    rows = Rows(choices(*_points(space)), (space.fewest, space.most), space.relation)
    mover = _Mover(sampler, seed)
    ranked: list[tuple[float, int, Candidate]] = []
    with contextlib.suppress(BadInput, LimitReached):  # what was seen by then must do
        for left, right, how in _pairs(rows, mover):
            if mover.spent or (sampler.meter is not None and sampler.meter.lasts(1) > SLOW):
                break
            moved = mover.moved(left, right)
            if moved > 0 and not known(left, right):
                ranked.append((-moved, len(ranked), Candidate(left, right, how)))
    ranked.sort(key=lambda item: item[:2])
    kept: list[Candidate] = []
    last, alike = math.nan, 0
    for moved, _, candidate in ranked:
        alike = alike + 1 if math.isclose(moved, last, rel_tol=1e-6) else 1
        last = moved
        if alike <= ALIKE:
            kept.append(candidate)
    return kept[:KEPT]


def _points(space: Records) -> list[Any]:
    if isinstance(space.domain, Box):
        return list(space.domain.edges())
    if not isinstance(space.domain, Interval):
        domain = list(space.domain)
        return domain if len(domain) <= 12 else [domain[round(i * (len(domain) - 1) / 11)] for i in range(12)]
    low, high = space.domain.low, space.domain.high
    parts = (Exact(0), Exact(1), Exact(1, 2), Exact(1, 4), Exact(3, 4), Exact(1, 10), Exact(9, 10))
    return [low + (high - low) * part for part in parts]


def _pairs(rows: Rows, mover: _Mover) -> Iterator[tuple[Data, Data, str]]:
    """Pairs to look at: jumps along long runs, then small datasets with all their neighbours."""
    if rows.most > LONG:
        yield from _jumps(rows, mover)
    seen: set[Any] = set()
    count = 0
    for data, why in datasets(rows):
        for other, how in neighbours(data, rows, rows.records()):
            pair = frozenset((_key(data), _key(other)))
            if pair not in seen and rows.holds(other):
                seen.add(pair)
                count += 1
                yield data, other, f"{why}, {how}"
            if count >= MOST_PAIRS:
                return


def _jumps(rows: Rows, mover: _Mover) -> Iterator[tuple[Data, Data, str]]:
    """The steepest steps between long runs of one record, found by halving the stretches that move furthest.

    Of both halves of a stretch the one is followed that moves further a record: where a count wraps around, or a sum
    raises, at one place, that place is found.
    """
    stretches: list[tuple[float, int, Data, Data]] = []
    before: Data = ()
    for data, _ in runs(rows, most=4096, kinds=2):
        if before and len(before) < len(data) and _key(before[:1]) == _key(data[:1]):
            steep = mover.moved(before, data) / (len(data) - len(before))
            stretches.append((-steep, len(stretches), before, data))
        before = data
    for _, _, first, whole in sorted(stretches, key=lambda item: item[:2])[:STRETCHES]:
        short, long = first, whole
        while len(long) - len(short) > 1:
            middle = whole[: (len(short) + len(long)) // 2]
            lower = mover.moved(short, middle) / (len(middle) - len(short))
            upper = mover.moved(middle, long) / (len(long) - len(middle))
            short, long = (short, middle) if lower > upper else (middle, long)
        if rows.relation == "add-remove":
            yield short, long, f"{len(short)} equal records and one more"


def _key(data: Data) -> Any:
    return tuple(map(record_key, data)) if len(data) <= 64 else (len(data), record_key(data[0]), record_key(data[-1]))


@dataclass
class _Mover:
    """Runs the sampler with one random stream on every dataset, and compares."""

    sampler: Sampler
    seed: int
    records: int = 0
    _encoder: Encoder = field(default_factory=Encoder)
    _tables: dict[Any, Table | None] = field(default_factory=dict)

    @property
    def spent(self) -> bool:
        """Whether as many records were looked at as may be."""
        return self.records >= MOST_RECORDS

    def table(self, data: Data) -> Table | None:
        """Outputs on a dataset; None where the sampler fails on it."""
        key = _key(data)
        if key not in self._tables:
            self.records += 8 + len(data) // 8
            try:
                outputs = draw_chunk(self.sampler, data, (SeedBranch.PROPOSING, 0, 0), RUNS, self.seed)
                self._tables[key] = self._encoder.encode(outputs, RUNS)
            except (ProgramFailed, ProgramTimeout):
                self._tables[key] = None
        return self._tables[key]

    def moved(self, left: Data, right: Data) -> float:
        """How far the same noise moves the outputs, in units of their spread, on average over the runs."""
        one, two = self.table(left), self.table(right)
        if one is None or two is None:
            return 0.0 if one is two else SEPARATE
        width = max(one.width, two.width)
        one, two = one.widened(width), two.widened(width)
        if (one.codes != two.codes).any():
            share = float(np.mean(one.codes != two.codes))
            return SEPARATE * share if share == 1 else 10 * share
        with np.errstate(all="ignore"):
            apart = np.abs(two.columns - one.columns)
            spread = np.abs(one.columns - np.median(one.columns, axis=0)).mean(axis=0)
            alike = (apart == 0) | (np.isnan(one.columns) & np.isnan(two.columns))  # NaN: a place that is not there
            moved = np.where(alike, 0.0, apart / np.maximum(spread, 1e-9))
        total = float(np.nan_to_num(moved, nan=SEPARATE, posinf=SEPARATE).sum(axis=1).mean())
        return min(SEPARATE, total)
