"""Cells of the line: where to cut, and what falls between."""

from __future__ import annotations

import numpy as np

from dpwitness.auditors.outputs.arrays import Bools, Floats, Ints

MOST_SORTED = 20_000  # numbers that quantiles are taken of


def quantile_edges(pool: Floats, count: int, *, tails: str = "both") -> Floats:
    """At most `count` − 1 cut points at logit-spaced quantiles; a repeated value is cut off on both sides.

    >>> quantile_edges(np.arange(8.0), 4)
    array([2.5, 3.5, 4.5])
    """
    ordered = np.sort(pool if len(pool) <= MOST_SORTED else pool[:: len(pool) // MOST_SORTED])
    n = len(ordered)
    if n < 2:
        return np.zeros(0)
    reach = np.log(max(n / 4.0, 3.0))
    if tails == "both":
        levels = 1 / (1 + np.exp(-np.linspace(-reach, reach, count + 1)[1:-1]))
    else:
        levels = 1 - np.exp(-np.linspace(0, reach, count + 1)[1:-1])
    at = np.clip(np.floor(levels * n - 0.5).astype(np.int64), 0, n - 2)
    low, high = ordered[at], ordered[at + 1]
    tied = low == high
    with np.errstate(invalid="ignore", over="ignore"):
        middle = low + (high - low) / 2
    middle = np.where(np.isfinite(middle), middle, low)
    cuts = np.concatenate([middle[~tied], low[tied], np.nextafter(low[tied], -np.inf)])
    return np.unique(cuts[~np.isnan(cuts)])


def tallied(edges: Floats, pool: Floats, side: Bools) -> tuple[Ints, Ints, Ints]:
    """Left and right outputs in every cell, and the cell of every output; `side` is true on the left."""
    where = np.searchsorted(edges, pool, side="left").astype(np.int64)
    a = np.bincount(where[side], minlength=len(edges) + 1).astype(np.int64)
    b = np.bincount(where, minlength=len(edges) + 1).astype(np.int64) - a
    return a, b, where


def cell_means(pool: Floats, where: Ints, cells: int) -> Floats:
    """The average of the numbers of every cell."""
    finite = np.clip(pool, -1e150, 1e150)
    return np.bincount(where, weights=finite, minlength=cells) / np.maximum(np.bincount(where, minlength=cells), 1)
