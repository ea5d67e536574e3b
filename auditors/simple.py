"""The simplest event that refutes: one threshold, one value or one form, counted on fresh samples.

The events that auditors bet on are unions of many cells. Here events that can be said in a breath are compared on a
part of the samples; the simplest one that promises to refute is counted on the rest, with the exact bound of
`dpwitness.auditors.fixed`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from dpwitness.auditors.arrays import Bools
from dpwitness.auditors.bits import Choice
from dpwitness.auditors.evalue import Null
from dpwitness.auditors.fixed import Count, lower_bound
from dpwitness.auditors.sampling import Sampler, draw_chunk, stream
from dpwitness.auditors.table import Encoder, Table, show_form
from dpwitness.core.errors import LimitReached, ProgramFailed, ProgramTimeout

_BRANCH = 5500
_SELECTION = 0.25
_MOST_COLUMNS = 8
_MOST_VALUES = 64
_MARGIN = 1.1


@dataclass(frozen=True)
class Threshold:
    """The number at one place compared with a constant, or the form of the output where `column` is −1."""

    column: int
    relation: Literal["≤", "≥", "="]
    value: float
    words: str
    digits: int

    def holds(self, table: Table) -> Bools:
        """For which outputs the event is true."""
        if self.column < 0:
            return np.asarray(table.codes == int(self.value), dtype=bool)
        if table.width <= self.column:
            return np.zeros(len(table), dtype=bool)
        z = table.columns[:, self.column]
        with np.errstate(invalid="ignore"):
            found = z <= self.value if self.relation == "≤" else z >= self.value
            return np.asarray(z == self.value if self.relation == "=" else found, dtype=bool)


@dataclass(frozen=True)
class SimpleEvent:
    """An event in words and what a fresh count of it shows."""

    words: str
    direction: Literal["left", "right"]
    epsilon: float
    right: int
    wrong: int


def simplest_event(
    sampler: Sampler, left: Any, right: Any, claim: tuple[Null, ...], alpha: float, pairs: int, seed: int
) -> SimpleEvent | None:
    """The simplest event that refutes one of the hypotheses on fresh samples; None where none does."""
    encoder = Encoder()
    chosen = max(32, int(_SELECTION * pairs))
    runs = 2 * max(32, pairs - chosen)
    heads = int(stream(seed, _BRANCH, 2).binomial(runs, 0.5))
    try:
        picked = [_table(encoder, sampler, (left, right)[side], side, 0, chosen, seed) for side in (0, 1)]
        best = _choose(encoder, picked, claim, Choice(runs, alpha / len(claim), claim[0].delta, 2 * chosen))
        if best is None:
            return None
        event, side = best
        sizes = (heads, runs - heads)
        fresh = [_table(encoder, sampler, (left, right)[k], k, 1, sizes[k], seed) for k in (0, 1)]
    except (LimitReached, ProgramFailed, ProgramTimeout):
        return None
    hits = [int(np.count_nonzero(event.holds(t))) for t in fresh]
    count = Count(hits[side], hits[1 - side], runs, sides=1)
    bounds = [(lower_bound(count, alpha / len(claim), null.delta), null) for null in claim]
    if not any(bound > null.eps for bound, null in bounds):
        return None
    direction: Literal["left", "right"] = "left" if side == 0 else "right"
    return SimpleEvent(event.words, direction, max(bound for bound, _ in bounds), count.right, count.wrong)


def _table(encoder: Encoder, sampler: Sampler, data: Any, side: int, part: int, size: int, seed: int) -> Table:
    if not size:
        return Table(np.zeros(0, dtype=np.int64), np.zeros((0, len(encoder.places))))
    return encoder.encode(draw_chunk(sampler, data, (_BRANCH, side, part), size, seed), size)


def _choose(
    encoder: Encoder, tables: list[Table], claim: tuple[Null, ...], choice: Choice
) -> tuple[Threshold, int] | None:
    best: tuple[tuple[bool, int, float], Threshold, int] | None = None
    for event in _events(encoder, tables):
        hits = [np.array([np.count_nonzero(event.holds(t))]) for t in tables]
        for side in (0, 1):
            promise = float(choice.promise(hits[side], hits[1 - side])[0])
            if not math.isfinite(promise):
                continue
            # the simplest of those that should do; where none should, the most promising
            enough = promise > _MARGIN * min(null.eps for null in claim)
            rank = (not enough, event.digits if enough else 0, -promise)
            if best is None or rank < best[0]:
                best = (rank, event, side)
    return None if best is None else (best[1], best[2])


def _events(encoder: Encoder, tables: list[Table]) -> Iterator[Threshold]:
    codes = np.concatenate([t.codes for t in tables])
    for code in np.unique(codes)[:_MOST_VALUES].tolist():
        form = encoder.forms[code]
        if len(np.unique(codes)) > 1:
            yield Threshold(-1, "=", code, f"output is {show_form(form)}", 0)
    for column in range(min(_MOST_COLUMNS, *(t.width for t in tables))):
        numbers = np.concatenate([t.columns[:, column] for t in tables])
        numbers = numbers[np.isfinite(numbers)]
        if not len(numbers):
            continue
        place = encoder.places[column]
        values = np.unique(numbers)
        if len(values) <= _MOST_VALUES:
            for value in values.tolist():
                yield Threshold(column, "=", value, f"{place} = {value:.6g}", 1 + len(f"{value:.6g}"))
        for at in _round_values(numbers):
            yield Threshold(column, "≤", at, f"{place} ≤ {at:.6g}", 1 + len(f"{at:g}"))
            yield Threshold(column, "≥", at, f"{place} ≥ {at:.6g}", 1 + len(f"{at:g}"))


def _round_values(numbers: Any) -> list[float]:
    """Thresholds with few digits where the numbers are."""
    quantiles = np.quantile(numbers, np.linspace(0.002, 0.998, 65))
    spread = float(quantiles[-1] - quantiles[0])
    if spread <= 0:
        return [float(quantiles[0])]
    unit = 10.0 ** math.floor(math.log10(spread))
    found = {float(np.round(q / step) * step) for step in (unit, unit / 4, unit / 20) for q in quantiles}
    return sorted({float(f"{value:.6g}") for value in found})
