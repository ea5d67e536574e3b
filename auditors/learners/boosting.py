r"""Gradient-boosted trees of depth three, for scores that see combinations of columns.

Every column is cut into at most 32 bins at quantiles of the training outputs; a value that is missing has a bin of its
own. Tree after tree is fitted to the residuals :math:`y - p` of a logistic model: a node is split where the sum of the
squared residual totals of both parts, over their sizes, is largest, and a leaf adds a damped Newton step
:math:`\eta \sum (y-p) / (\sum p(1-p) + 1)` to the log-odds. Nothing is random, and a fitted model is a few arrays.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpwitness.auditors.outputs.arrays import Bools, Floats, Ints

BINS = 32
DEPTH = 3
TREES = 30
RATE = 0.2
FEWEST = 20  # training outputs in a leaf


@dataclass(frozen=True)
class Trees:
    """A sum of trees.

    Parameters
    ----------
    edges
        The inner cuts of every column.
    column, cut
        For every tree and inner node, breadth first: outputs whose bin in `column` is above `cut` go right.
    value
        For every tree and leaf, what it adds to the log-odds.
    base
        Log-odds before the first tree.
    """

    edges: tuple[Floats, ...]
    column: Ints
    cut: Ints
    value: Floats
    base: float

    def score(self, matrix: Floats) -> Floats:
        """Log-odds of every row."""
        used, column_of = np.unique(self.column, return_inverse=True)
        bins = _bins(matrix[:, used], tuple(self.edges[j] for j in used))
        rows = np.arange(len(matrix))
        total = np.full(len(matrix), self.base)
        for column, cut, value in zip(column_of.reshape(self.column.shape), self.cut, self.value, strict=True):
            node = np.zeros(len(matrix), dtype=np.int64)
            for _ in range(DEPTH):
                node = 2 * node + 1 + (bins[rows, column[node]] > cut[node])
            total += value[node - (2**DEPTH - 1)]
        return total


def fit_trees(matrix: Floats, side: Bools) -> Trees:
    """Trees that tell rows with `side` true from the others; NaN is a missing value.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=(2000, 2))
    >>> trees = fit_trees(x, x[:, 0] * x[:, 1] > 0)            # no single column tells anything
    >>> bool(((trees.score(x) > 0) == (x[:, 0] * x[:, 1] > 0)).mean() > 0.95)
    True
    """
    edges = tuple(_edges(matrix[:, j]) for j in range(matrix.shape[1]))
    bins = _bins(matrix, edges)
    width = BINS + 1
    flat = bins + width * np.arange(bins.shape[1])
    share = (side.sum() + 1) / (len(side) + 2)
    base = float(np.log(share / (1 - share)))
    odds = np.full(len(side), base)
    shape = (TREES, 2**DEPTH - 1)
    column, cut = np.zeros(shape, dtype=np.int64), np.full(shape, width, dtype=np.int64)
    value = np.zeros((TREES, 2**DEPTH))
    size = bins.shape[1] * width
    all_counts = np.bincount(flat.ravel(), minlength=size)
    for tree in range(TREES):
        chance = 1 / (1 + np.exp(-odds))
        residual = side - chance
        node = np.zeros(len(side), dtype=np.int64)
        found = {0: (np.arange(len(side)), all_counts, _sums(flat, residual, size))}
        for at in range(2**DEPTH - 1):
            rows, counts, sums = found.pop(at)
            best = _best_split(counts.reshape(-1, width), sums.reshape(-1, width))
            if best is None:  # nothing to tell apart: all go left
                left, right = rows, rows[:0]
                parts = [(counts, sums), (np.zeros_like(counts), np.zeros_like(sums))]
            else:
                column[tree, at], cut[tree, at] = best
                goes = bins[rows, best[0]] > best[1]
                left, right = rows[~goes], rows[goes]
                fewer = left if len(left) <= len(right) else right
                mine = (np.bincount(flat[fewer].ravel(), minlength=size), _sums(flat[fewer], residual[fewer], size))
                rest = (counts - mine[0], sums - mine[1])
                parts = [mine, rest] if fewer is left else [rest, mine]
            node[left], node[right] = 2 * at + 1, 2 * at + 2
            found[2 * at + 1], found[2 * at + 2] = (left, *parts[0]), (right, *parts[1])
        leaf = node - (2**DEPTH - 1)
        steps = np.bincount(leaf, residual, minlength=2**DEPTH)
        bends = np.bincount(leaf, chance * (1 - chance), minlength=2**DEPTH)
        value[tree] = RATE * steps / (bends + 1.0)
        odds += value[tree][leaf]
    return Trees(edges, column, cut, value, base)


def _edges(column: Floats) -> Floats:
    known = column[~np.isnan(column)]
    if not len(known):
        return np.zeros(0)
    values = np.unique(known)
    if len(values) <= BINS:  # every value has a bin
        return np.asarray(values[:-1], dtype=np.float64)
    return np.unique(np.quantile(known, np.linspace(0, 1, BINS + 1)[1:-1], method="lower"))


def _bins(matrix: Floats, edges: tuple[Floats, ...]) -> Ints:
    """The bin of every value, from 1 on; 0 where it is missing."""
    bins = np.empty(matrix.shape, dtype=np.int64)
    for j, cuts in enumerate(edges):
        column = matrix[:, j]
        bins[:, j] = np.where(np.isnan(column), 0, 1 + np.searchsorted(cuts, column, side="left"))
    return bins


def _sums(flat: Ints, residual: Floats, size: int) -> Floats:
    return np.bincount(flat.ravel(), np.repeat(residual, flat.shape[1]), minlength=size).astype(np.float64)


def _best_split(counts: Ints, sums: Floats) -> tuple[int, int] | None:
    """Column and bin after which to split; None where no split gains."""
    left, total = counts.cumsum(axis=1)[:, :-1], counts[0].sum()
    right = total - left
    allowed = (left >= FEWEST) & (right >= FEWEST)
    if not allowed.any():
        return None
    whole = sums[0].sum()
    gone = sums.cumsum(axis=1)[:, :-1]
    gain = gone**2 / np.maximum(left, 1) + (whole - gone) ** 2 / np.maximum(right, 1)
    best = int(np.argmax(np.where(allowed, gain, -np.inf)))
    column, cut = divmod(best, gain.shape[1])
    if gain[column, cut] <= whole**2 / total * (1 + 1e-12):
        return None
    return column, cut
