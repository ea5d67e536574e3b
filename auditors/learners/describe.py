"""Events in words: which outputs speak for one of the two inputs."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

import numpy as np

from dpwitness.auditors.bounds.learner import Partition
from dpwitness.auditors.learners.branches import BranchPartition
from dpwitness.auditors.learners.plans import NumberPartition, ValuePartition
from dpwitness.auditors.learners.scores import FeaturePartition, ScorePartition
from dpwitness.auditors.learners.smooth_scores import Scored
from dpwitness.auditors.learners.weighted_sums import LinearPartition
from dpwitness.auditors.outputs.arrays import AnyArray, Bools, Floats, Ints
from dpwitness.auditors.outputs.features import Features
from dpwitness.auditors.outputs.table import Encoder, Table, join, show_form

_MOST_PARTS = 3
_EXAMPLES = 2048


def number(value: float) -> str:
    """Four digits are enough for a reader."""
    return f"{value:.4g}"


def interval(name: str, low: float, high: float) -> str:
    """``low < name ≤ high`` without the infinite sides.

    A value that recurs is cut off by the last double below it, which reads as the value itself: there the sign says
    on which side it lies.

    >>> interval("output", -np.inf, 0.25), interval("output[1]", 1, np.inf)
    ('output ≤ 0.25', 'output[1] > 1')
    >>> interval("output", np.nextafter(2, 0), np.inf), interval("output", -1, np.nextafter(2, 0))
    ('output ≥ 2', '-1 < output < 2')
    """
    if np.isinf(low) and np.isinf(high):
        return f"{name} is any number"
    if np.isinf(low):
        return f"{name} {_bounded(high, '≤', '<')}"
    if np.isinf(high):
        return f"{name} {_bounded(low, '>', '≥')}"
    if high <= np.nextafter(np.nextafter(low, np.inf), np.inf):
        return f"{name} = {number(high)}"
    sign, least = _bounded(low, "<", "≤").split()
    return f"{least} {sign} {name} {_bounded(high, '≤', '<')}"


def _bounded(cut: float, sign: str, beyond: str) -> str:
    """A bound at a cut; with the other sign at the value just above it, where that one is a much shorter number."""
    value = math.nextafter(cut, math.inf)  # quietly infinite at the largest number
    if abs(cut) < np.finfo(float).tiny and cut < 0:
        return f"{beyond} 0"
    return f"{beyond} {value:.10g}" if len(repr(value)) + 4 < len(repr(float(cut))) else f"{sign} {number(cut)}"


def intervals(name: str, edges: Floats, inside: Bools, hits: AnyArray) -> list[str]:
    """The runs of chosen cells of a line, the most frequent first; a cell that was never hit joins its neighbours."""
    bounds = np.concatenate([[-np.inf], edges, [np.inf]])
    runs: list[tuple[int, int, int]] = []
    start: int | None = None
    last = -1
    total = 0
    for k in range(len(edges) + 1):
        if inside[k]:
            start = k if start is None else start
            last, total = k, total + int(hits[k])
        elif hits[k] > 0 and start is not None:
            runs.append((total, start, last))
            start, total = None, 0
    if start is not None:
        runs.append((total, start, last))
    runs = [run for run in runs if run[0] > 0]
    top = sorted(runs, reverse=True)[:_MOST_PARTS]
    return [interval(name, bounds[a], bounds[b + 1]) for _, a, b in sorted(top, key=lambda r: r[1])]


def words(encoder: Encoder, partition: Partition, inside: Bools, hits: AnyArray, seen: tuple[Table, Table]) -> str:
    """The chosen cells of a partition in words.

    Parameters
    ----------
    inside
        Which cells belong to the event.
    hits
        How often each cell was hit; cells never hit are left out.
    seen
        Outputs of both sides, as examples.
    """
    parts: list[str] = []
    if isinstance(partition, NumberPartition):
        count = partition.line.size - 1
        name = encoder.places[partition.column] if encoder.places else "output"
        parts = intervals(name, partition.line.edges, inside[:count], hits[:count])
        for code, form in enumerate(encoder.forms):
            at = count + code
            if at < len(inside) and inside[at] and hits[at] > 0:
                parts.append(f"output is {show_form(form)}")
    elif isinstance(partition, FeaturePartition):
        parts = intervals(partition.features.names[partition.index], partition.line.edges, inside[:-1], hits[:-1])
        if inside[-1] and hits[-1] > 0:
            parts.append(f"{partition.features.names[partition.index]} does not exist")
    elif isinstance(partition, ValuePartition) and len(partition.keys):
        parts = _values(encoder, partition, inside, hits, seen)
    elif isinstance(partition, ScorePartition | ValuePartition | BranchPartition | LinearPartition | Scored):
        both = join([t[:_EXAMPLES] for t in seen])
        parts = [explain(encoder, both, np.asarray(inside[partition.cells(both)], dtype=bool))]
    return " or ".join(parts[: _MOST_PARTS + 1]) if parts else "no event stands out"


def _values(
    encoder: Encoder, partition: ValuePartition, inside: Bools, hits: AnyArray, seen: tuple[Table, Table]
) -> list[str]:
    both = join(seen)
    keys = both.keys()
    chosen = [int(k) for k in np.argsort(-hits, kind="stable") if inside[k] and hits[k] > 0 and k < len(partition.keys)]
    parts = []
    for cell in chosen[:_MOST_PARTS]:
        rows = np.flatnonzero(keys == partition.keys[cell])
        if len(rows):
            parts.append(f"output = {show_output(encoder, both, int(rows[0]))}")
    if len(chosen) > _MOST_PARTS:
        parts.append(f"{len(chosen) - _MOST_PARTS} further values")
    return parts


def show_output(encoder: Encoder, table: Table, row: int) -> str:
    """One output of a table as text."""
    form = encoder.forms[int(table.codes[row])]
    layout = encoder.layout(form)
    return show_form(form, iter([float(table.columns[row, j]) if j >= 0 else np.nan for j in layout]))


def explain(encoder: Encoder, table: Table, member: Bools) -> str:
    """A conjunction of at most two plain conditions close to the event, for events without a short form."""
    features = Features.seen(encoder.places, table)
    matrix = features.matrix(table)
    left_over = np.ones(len(table), dtype=bool)
    chosen: list[str] = []
    for _ in range(2):
        found = _best_condition(encoder, features, matrix, table.codes, member, left_over)
        if found is None:
            break
        text, satisfied = found
        if chosen and re.split(" [<>≤≥=] ", text)[0] == re.split(" [<>≤≥=] ", chosen[0])[0]:
            break  # the same feature twice says no more than once
        chosen.append(text)
        left_over &= satisfied
    return "about: " + " and ".join(chosen) if chosen else "no short description"


def _best_condition(
    encoder: Encoder, features: Features, matrix: Floats, codes: Ints, member: Bools, within: Bools
) -> tuple[str, Bools] | None:
    def agreement(satisfied: Bools) -> float:
        """Youden's index of the condition inside the part already selected."""
        inside, outside = member & within, ~member & within
        if not inside.any() or not outside.any():
            return 0.0
        return float(satisfied[inside].mean() - satisfied[outside].mean())

    best: tuple[float, str, Bools] | None = None
    for j, name in enumerate(features.names):
        column = matrix[:, j]
        present = column[within & ~np.isnan(column)]
        if not len(present):
            continue
        cuts: Sequence[float] = np.unique(np.quantile(present, np.linspace(0.02, 0.98, 25))).tolist()
        with np.errstate(invalid="ignore"):
            for cut in cuts:
                for satisfied, text in (
                    (column <= cut, interval(name, -np.inf, cut)), (column > cut, interval(name, cut, np.inf))
                ):  # fmt: skip
                    value = agreement(satisfied)
                    if best is None or value > best[0] + 1e-9:
                        best = (value, text, satisfied)
    for code in np.unique(codes[within]).tolist():
        satisfied = codes == code
        value = agreement(satisfied)
        if best is None or value > best[0] + 1e-9:
            best = (value, f"output has the form {show_form(encoder.forms[code])}", satisfied)
    return None if best is None or best[0] < 0.02 else (best[1], best[2])
