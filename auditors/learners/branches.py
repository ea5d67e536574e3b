"""Learning π where every output holds at most one number, and its form says which number it is.

A sparse vector that releases one answer, a program that stops at different places: the form is telling, the number is
telling, and the number tells different things under different forms. Three guesses are made for every form:

- *its own*: the method for numbers, on the outputs of this form alone;
- *shared*: log-odds of the number, learnt from all forms together, plus one constant for the form;
- *crossed*: log-odds that are piecewise linear in the rank of the number and change linearly from place to place, as
  when each answer that was passed over adds to the loss.

The last two need few outputs of a form, the first follows what is peculiar to it. They are averaged form by form, by
the probability that they gave to the sides seen so far.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from dpwitness.auditors.learners.cells import quantile_edges
from dpwitness.auditors.learners.line import LinePartition, fit_line
from dpwitness.auditors.learners.logistic import logistic
from dpwitness.auditors.outputs.arrays import Bools, Floats, Ints
from dpwitness.auditors.outputs.features import in_order
from dpwitness.auditors.outputs.table import Table

MOST_BRANCHES = 64
_FEWEST = 8  # outputs of a form from which on it has a line of its own
_CELLS, _KNOTS, _RIDGES = 32, (0.1, 0.25, 0.5, 0.75), (1.0, 8.0)
_LEVEL = 1.0  # prior standard deviation of the constant of a form


def one_number(table: Table) -> tuple[Floats, Bools]:
    """The number of every output that has exactly one (NaN elsewhere), and which outputs have several."""
    there = ~np.isnan(table.columns)
    count = there.sum(axis=1)
    values = np.where(there, table.columns, 0.0).sum(axis=1) if table.width else np.zeros(len(table))
    return np.where(count == 1, values, np.nan), np.asarray(count > 1, dtype=bool)


@dataclass(frozen=True)
class BranchPartition:
    """Cells of the line for every form with a number, one cell for every form without, and one for all others."""

    lines: tuple[LinePartition, ...]
    codes: Ints
    starts: Ints
    pi: Floats
    names: tuple[str, ...] = ("branches",)

    def cells(self, table: Table) -> Ints:
        """The cell of every output."""
        found = np.full(len(table), self.pi.shape[1] - 1, dtype=np.int64)
        values, several = one_number(table)
        order = np.argsort(table.codes, kind="stable")
        ends = np.searchsorted(table.codes[order], self.codes, side="right")
        begins = np.searchsorted(table.codes[order], self.codes, side="left")
        for line, start, begin, end in zip(self.lines, self.starts, begins, ends, strict=True):
            rows = order[begin:end]
            found[rows] = start + line.cells(values[rows])
        found[several] = self.pi.shape[1] - 1
        return found


def fit_branches(places: Sequence[str], left: Table, right: Table) -> BranchPartition:
    """Learn from outputs that hold at most one number each."""
    values = [one_number(t)[0] for t in (left, right)]
    everywhere = fit_line(values[0], values[1])
    codes = np.unique(np.concatenate([left.codes, right.codes]))
    if len(codes) > MOST_BRANCHES:  # the most frequent, so that one output more or less changes little
        often = np.bincount(np.concatenate([left.codes, right.codes]))[codes]
        codes = np.sort(codes[np.argsort(-often, kind="stable")[:MOST_BRANCHES]])
    sides = [tuple(v[t.codes == code] for v, t in zip(values, (left, right), strict=True)) for code in codes]
    crossed = _crossed(_order(places, codes, left, right), sides, values)
    fits = [_branch(x, y, everywhere, cross) for (x, y), cross in zip(sides, crossed, strict=True)]
    prior = _prior([evidence for _, _, evidence in fits])
    lines = [_averaged(edges, pi, evidence + prior) for edges, pi, evidence in fits]
    sizes = np.array([line.size for line in lines], dtype=np.int64)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    pi = np.concatenate([*(line.pi[0] for line in lines), [0.5]])[None, :]
    return BranchPartition(tuple(lines), codes, starts[:-1], pi)


def _order(places: Sequence[str], codes: Ints, left: Table, right: Table) -> Ints:
    """For every form, the rank of the place of its number among all places that hold one; −1 where it has none."""
    columns = np.full(len(codes), -1, dtype=np.int64)
    for table in (left, right):
        rows, cols = np.nonzero(~np.isnan(table.columns))
        where = np.searchsorted(codes, table.codes[rows])
        known = (where < len(codes)) & (codes[np.minimum(where, len(codes) - 1)] == table.codes[rows])
        columns[where[known]] = cols[known]
    ranked = in_order(places, {int(c) for c in columns if c >= 0})
    rank = {column: k for k, column in enumerate(ranked)}
    return np.array([rank.get(int(c), -1) for c in columns], dtype=np.int64)


@dataclass(frozen=True)
class _Cross:
    """Cells, guesses, and the log evidence of a form's outputs under the crossed model."""

    edges: Floats
    pi: Floats
    evidence: float


def _crossed(order: Ints, sides: Sequence[tuple[Floats, ...]], values: Sequence[Floats]) -> list[_Cross | None]:
    """The crossed model for every form that has a number."""
    pool = np.concatenate(values)
    pool = pool[~np.isnan(pool)]
    used = np.flatnonzero(order >= 0)
    edges = quantile_edges(pool, _CELLS)
    cells = len(edges) + 1
    none: list[_Cross | None] = [None] * len(sides)
    if len(np.unique(order[used])) < 2 or cells < 4:
        return none
    rank = np.cumsum(np.bincount(np.searchsorted(edges, pool), minlength=cells)) / len(pool)
    hinges = np.stack([rank, *(np.maximum(rank - knot, 0.0) for knot in _KNOTS)], axis=1)
    step = (order[used] - order[used].mean()) / max(float(order[used].std()), 0.5)
    basis = np.concatenate([np.ones((cells, 1)), 4 * (hinges - hinges.mean(axis=0))], axis=1)
    design = np.concatenate([np.concatenate([basis, s * basis], axis=1) for s in step], axis=0)
    a, b = (
        np.concatenate([np.bincount(np.searchsorted(edges, sides[int(k)][i]), minlength=cells) for k in used]).astype(
            float
        )
        for i in (0, 1)
    )
    seen = a + b > 0
    fits = [logistic(design[seen], a[seen], (a + b)[seen], ridge) for ridge in _RIDGES]
    beta, _, evidence = max(fits, key=lambda fit: fit[2])
    odds = np.clip(design @ beta, -30.0, 30.0)
    each = -(a * np.logaddexp(0.0, -odds) + b * np.logaddexp(0.0, odds))
    fee = (evidence - float(each.sum())) / float((a + b).sum())
    for k, part in zip(used, np.split(np.arange(len(odds)), len(used)), strict=True):
        share = float(each[part].sum()) + fee * float((a + b)[part].sum())
        none[k] = _Cross(edges, 1 / (1 + np.exp(-odds[part])), share)
    return none


_Fits: TypeAlias = tuple[Floats, Floats, Floats]  # edges, guesses and log evidence of the three models


def _branch(x: Floats, y: Floats, everywhere: LinePartition, cross: _Cross | None) -> _Fits:
    """Cells of one form, and what the models say of it; a model that says nothing has no evidence."""
    if np.isnan(x).all() and np.isnan(y).all():
        guess = (len(x) + 0.5) / (len(x) + len(y) + 1.0)
        return np.zeros(0), np.full((3, 1), guess), np.array([0.0, -np.inf, -np.inf])
    own = fit_line(x, y, 64) if len(x) + len(y) >= _FEWEST else None
    edges = everywhere.edges if own is None else np.union1d(everywhere.edges, own.edges)
    both = LinePartition(edges, np.zeros((1, len(edges) + 2)))
    a, b = (np.bincount(both.cells(z), minlength=both.size).astype(np.float64) for z in (x, y))
    inside = np.append(edges, np.inf)
    base = everywhere.pi[0][:-1][np.searchsorted(everywhere.edges, inside, side="left")]
    pi = np.full((3, len(inside)), 0.5)
    evidence = np.full(3, -np.inf)
    pi[0], evidence[0] = _shifted(np.log(base) - np.log1p(-base), a[:-1], b[:-1])
    if own is not None:
        pi[1], evidence[1] = own.pi[0][:-1][np.searchsorted(own.edges, inside, side="left")], own.evidence
    if cross is not None:
        pi[2], evidence[2] = cross.pi[np.searchsorted(cross.edges, inside, side="left")], cross.evidence
    return edges, pi, evidence


def _prior(evidence: Sequence[Floats]) -> Floats:
    """Log probabilities of the models, as often as the forms that have all three say that each is right."""
    table = np.array([row for row in evidence if np.isfinite(row).all()])
    share = np.full(3, 1 / 3)
    if not len(table):
        return np.asarray(np.log(share), dtype=np.float64)
    likely = np.exp(table - table.max(axis=1, keepdims=True))
    for _ in range(8):
        each = likely * share
        share = (1 + (each / each.sum(axis=1, keepdims=True)).sum(axis=0)) / (3 + len(table))
    return np.asarray(np.log(share), dtype=np.float64)


def _averaged(edges: Floats, pi: Floats, evidence: Floats) -> LinePartition:
    weight = np.exp(evidence - evidence.max())
    guess = weight @ pi / weight.sum()
    return LinePartition(edges, np.append(guess, guess[-1])[None, :])  # the last cell is for forms without a number


def _shifted(odds: Floats, a: Floats, b: Floats) -> tuple[Floats, float]:
    """Log-odds plus a constant with a normal prior: π averaged over the constant, and the log evidence."""
    level, curve = 0.0, 1.0
    for _ in range(8):
        p = 1 / (1 + np.exp(-(odds + level)))
        curve = float((a + b) @ (p - p * p)) + 1 / _LEVEL**2
        step = (float(a.sum() - (a + b) @ p) - level / _LEVEL**2) / curve
        level += min(max(step, -2.0), 2.0)
        if abs(step) < 1e-3:
            break
    moved = odds + level
    fit = -float(a @ np.logaddexp(0.0, -moved) + b @ np.logaddexp(0.0, moved)) - 0.5 * (level / _LEVEL) ** 2
    pi = 1 / (1 + np.exp(-moved / math.sqrt(1 + math.pi / 8 / curve)))
    return np.asarray(pi, dtype=np.float64), fit - 0.5 * math.log(curve * _LEVEL**2)
