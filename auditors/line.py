"""Learning π on the real line: quantile cells, and several guesses of π on them.

The cells are cut at pooled quantiles that are evenly spaced on the logit scale, so that both tails are resolved down to
a few samples; a value that repeats gets a cell of its own. On the cells four guesses are made:

- *segments*: Bayesian averaging over all three-segment partitions and over a dyadic tree (flat ratios, jumps);
- *folds*: the same on the distance from the median, for leaks of scale, and on its antisymmetric twin, for shifts;
- *smooth*: a logistic curve in u, \\|u\\| and u², for ratios that rise steadily;
- *blend*: the average of all of these and of ramps, each weighted by the probability that it gave to the sides seen so
  far. Which shape is right shows in that probability long before it shows in the wealth, since the wealth counts only
  what lies beyond the claim; so the blend holds most of the money.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from dpwitness.auditors.arrays import Bools, Floats, Ints
from dpwitness.auditors.curves import smooth
from dpwitness.auditors.ramps import ramps
from dpwitness.auditors.segments import three_segments, tree

Fit: TypeAlias = tuple[Floats, float]  # a guess of π in every cell, and its log evidence

STRATEGIES = ("blend", "segments", "folds", "smooth")
_SUBSAMPLE = 20_000
_FEW, _LOOK = 8, 64


@dataclass(frozen=True)
class LinePartition:
    """Cells of the line and one row of guesses per strategy.

    Parameters
    ----------
    edges
        Increasing; cell k holds ``edges[k-1] < z <= edges[k]``. NaN (no number there) has the last cell.
    pi
        Guess of the probability of the left side, strategies × (len(edges) + 2).
    """

    edges: Floats
    pi: Floats

    @property
    def size(self) -> int:
        """Number of cells, the one for NaN included."""
        return len(self.edges) + 2

    def cells(self, z: Floats) -> Ints:
        """The cell of every number."""
        found = np.searchsorted(self.edges, z, side="left").astype(np.int64)
        absent = np.isnan(z)
        if absent.any():
            found[absent] = len(self.edges) + 1
        return found


def quantile_edges(pool: Floats, count: int, *, tails: str = "both") -> Floats:
    """At most `count` − 1 cut points at logit-spaced quantiles; a repeated value is cut off on both sides.

    >>> quantile_edges(np.arange(8.0), 4)
    array([2.5, 3.5, 4.5])
    """
    ordered = np.sort(pool if len(pool) <= _SUBSAMPLE else pool[:: len(pool) // _SUBSAMPLE])
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


def fit_line(left: Floats, right: Floats, most_cells: int = 128, *, simple: bool = False) -> LinePartition:
    """Fit all strategies (segments alone where `simple`) to outputs seen on the two inputs; NaN is no number."""
    rows = 1 if simple else len(STRATEGIES)
    pool = np.concatenate([left, right])
    side = np.concatenate([np.ones(len(left), dtype=bool), np.zeros(len(right), dtype=bool)])
    missing = np.isnan(pool)
    absent = (np.count_nonzero(missing & side), np.count_nonzero(missing & ~side))
    if missing.any():
        pool, side = pool[~missing], side[~missing]
    nothing = (absent[0] + 0.5) / (absent[0] + absent[1] + 1.0)
    if len(pool) < 2:
        return LinePartition(np.zeros(0), np.array([[0.5, nothing]] * rows))
    few = _few_values(pool, side) if simple else None
    if few is not None:
        return LinePartition(few[0], np.concatenate([few[1], [nothing]])[None, :])
    count = 2
    while count < most_cells and 4 * count <= len(pool) and (count < 64 or len(pool) >= 8192):
        count *= 2
    edges = quantile_edges(pool, count)
    a, b, where = _counts(edges, pool, side)
    plain = [_stretch(fit, len(a)) for fit in (three_segments(*_coarse(a, b)), tree(_pad(a), _pad(b)))]
    if simple:
        return LinePartition(edges, np.concatenate([_average(plain), [nothing]])[None, :])
    center = float(np.median(pool if len(pool) <= _SUBSAMPLE else pool[:: len(pool) // _SUBSAMPLE]))
    if not np.isfinite(center):
        center = 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(pool - center)
    folded = quantile_edges(distance, count, tails="upper")
    cuts = np.unique(np.concatenate([edges, center - folded, [center], center + folded]))
    cuts = cuts[np.isfinite(cuts)] if len(cuts) else cuts
    middles = _middles(cuts)
    home = np.searchsorted(edges, middles, side="left")
    at = _cell_means(pool, where, len(a))
    segments = [(pi[home], evidence) for pi, evidence in plain]
    curves = [(pi[home], evidence) for pi, evidence in (smooth(a, b, at), ramps(a, b, at, _knots(len(pool))))]
    folds, even_ramps = _folds(folded, distance, side, pool > center, np.abs(middles - center), middles > center)
    guesses = (_average([*segments, *curves, *folds, even_ramps]), _average(segments), _average(folds), curves[0][0])
    pi = np.full((rows, len(cuts) + 2), nothing)
    pi[:, :-1] = guesses
    return LinePartition(cuts, pi)


def _few_values(pool: Floats, side: Bools) -> tuple[Floats, Floats] | None:
    """One cell for every value, with a Beta(½,½) guess, where there are few values: bits, and differences of bits."""
    if len(np.unique(pool[:_LOOK])) > _FEW:
        return None
    values = np.unique(pool)
    if len(values) > _FEW:
        return None
    a, b, _ = _counts(values[:-1], pool, side)
    return values[:-1], np.asarray((a + 0.5) / (a + b + 1.0), dtype=np.float64)


def _knots(samples: int) -> int:
    """How finely ramps are placed: as finely as so many samples can tell."""
    return 8 if samples < 512 else 16 if samples < 16384 else 32


def _counts(edges: Floats, pool: Floats, side: Bools) -> tuple[Ints, Ints, Ints]:
    where = np.searchsorted(edges, pool, side="left").astype(np.int64)
    a = np.bincount(where[side], minlength=len(edges) + 1).astype(np.int64)
    b = np.bincount(where, minlength=len(edges) + 1).astype(np.int64) - a
    return a, b, where


def _middles(cuts: Floats) -> Floats:
    """One point inside every cell: the cell's upper edge, and a point beyond the last."""
    if len(cuts) == 0:
        return np.zeros(1)
    beyond = cuts[-1] + max(1.0, abs(cuts[-1])) if abs(cuts[-1]) < 1e300 else np.inf
    return np.concatenate([cuts, [beyond]])


def _pad(counts: Ints) -> Ints:
    size = 1 << max(1, int(len(counts) - 1).bit_length())
    return np.concatenate([counts, np.zeros(size - len(counts), dtype=np.int64)])


def _coarse(a: Ints, b: Ints) -> tuple[Ints, Ints]:
    """Merge neighbouring cells until the three-segment average is cheap for so many samples."""
    total = int(a.sum() + b.sum())
    most = 32 if total < 4096 else 64 if total < 32768 else 128
    while len(a) > most:
        a, b = (np.add.reduceat(x, np.arange(0, len(x), 2)) for x in (a, b))
    return a, b


def _stretch(fit: tuple[Floats, float], cells: int) -> Fit:
    """Guesses on merged or padded cells, brought back to `cells` cells."""
    pi, evidence = fit
    step = 1
    while len(pi) * step < cells:
        step *= 2
    return np.repeat(pi, step)[:cells], evidence


def _average(fits: Sequence[Fit]) -> Floats:
    """Average guesses by their evidence."""
    evidence = np.array([fit[1] for fit in fits])
    weights = np.exp(evidence - evidence.max())
    return np.asarray(weights @ np.array([fit[0] for fit in fits]) / weights.sum(), dtype=np.float64)


def _folds(
    edges: Floats, distance: Floats, side: Bools, above: Bools, at: Floats, at_above: Bools
) -> tuple[list[Fit], Fit]:
    """Even and antisymmetric functions of the distance from the median, and even ramps."""
    x, y, where = _counts(edges, distance, side)
    odd = _counts(edges, distance, side ^ above)[:2]
    home = np.searchsorted(edges, at, side="left")
    fits: list[Fit] = []
    for sign, (p, q) in ((1, (x, y)), (-1, odd)):
        for fit in (tree(_pad(p), _pad(q)), three_segments(*_coarse(p, q))):
            pi, evidence = _stretch(fit, len(x))
            guess = pi[home]
            fits.append((guess if sign > 0 else np.where(at_above, 1 - guess, guess), evidence))
    pi, evidence = ramps(x, y, _cell_means(distance, where, len(x)), _knots(len(distance)))
    return fits, (pi[home], evidence)


def _cell_means(pool: Floats, where: Ints, cells: int) -> Floats:
    finite = np.clip(pool, -1e150, 1e150)
    return np.bincount(where, weights=finite, minlength=cells) / np.maximum(np.bincount(where, minlength=cells), 1)
