"""Learning π on the real line: quantile cells, and several guesses of π on them.

The cells are cut at pooled quantiles that are evenly spaced on the logit scale, so that both tails are resolved down to
a few samples; a value that repeats gets a cell of its own. On the cells three guesses are made:

- *segments*: Bayesian averaging over all three-segment partitions and over a dyadic tree (flat ratios, jumps);
- *folds*: the same on the distance from the median, for leaks of scale, and on its antisymmetric twin, for shifts;
- *smooth*: a logistic curve in u, \\|u\\| and u², for ratios that rise steadily.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dpwitness.auditors.arrays import Bools, Floats, Ints
from dpwitness.auditors.segments import three_segments, tree

STRATEGIES = ("segments", "folds", "smooth")
WEIGHTS = (0.55, 0.2, 0.25)
_SUBSAMPLE = 20_000


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
    """Fit all strategies (the first alone where `simple`) to outputs seen on the two inputs; NaN is no number."""
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
    count = 2
    while count < most_cells and 4 * count <= len(pool) and (count < 64 or len(pool) >= 8192):
        count *= 2
    edges = quantile_edges(pool, count)
    a, b, where = _counts(edges, pool, side)
    segments = _average([three_segments(*_coarse(a, b)), tree(_pad(a), _pad(b))], len(a))
    if simple:
        return LinePartition(edges, np.concatenate([segments, [nothing]])[None, :])
    center = float(np.median(pool if len(pool) <= _SUBSAMPLE else pool[:: len(pool) // _SUBSAMPLE]))
    if not np.isfinite(center):
        center = 0.0
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(pool - center)
    folded = quantile_edges(distance, count, tails="upper")
    cuts = np.unique(np.concatenate([edges, center - folded, [center], center + folded]))
    cuts = cuts[np.isfinite(cuts)] if len(cuts) else cuts
    middles = _middles(cuts)
    pi = np.full((rows, len(cuts) + 2), nothing)
    home = np.searchsorted(edges, middles, side="left")
    pi[0, :-1] = segments[home]
    pi[1, :-1] = _folds(folded, distance, side, pool > center, np.abs(middles - center), middles > center)
    pi[2, :-1] = _smooth(a, b, _cell_means(pool, where, len(a)))[home]
    return LinePartition(cuts, pi)


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


def _average(fits: list[tuple[Floats, float]], cells: int) -> Floats:
    """Average guesses by their evidence, each stretched back to `cells` cells."""
    evidence = np.array([fit[1] for fit in fits])
    weights = np.exp(evidence - evidence.max())
    weights /= weights.sum()
    total = np.zeros(cells)
    for weight, (pi, _) in zip(weights, fits, strict=True):
        step = 1
        while len(pi) * step < cells:
            step *= 2
        total += weight * np.repeat(pi, step)[:cells]
    return total


def _folds(edges: Floats, distance: Floats, side: Bools, above: Bools, at: Floats, at_above: Bools) -> Floats:
    """Average of an even and an antisymmetric function of the distance from the median."""
    even = _counts(edges, distance, side)[:2]
    odd = _counts(edges, distance, side ^ above)[:2]
    home = np.searchsorted(edges, at, side="left")
    fits = [tree(_pad(x), _pad(y)) for x, y in (even, odd)]
    fits += [three_segments(*_coarse(x, y)) for x, y in (even, odd)]
    weights = np.array([fit[1] for fit in fits])
    weights = np.exp(weights - weights.max())
    weights /= weights.sum()
    total = np.zeros(len(at))
    for index, (weight, fit) in enumerate(zip(weights, fits, strict=True)):
        guess = _average([fit], len(even[0]))[home]
        total += weight * (guess if index % 2 == 0 else np.where(at_above, 1 - guess, guess))
    return total


def _cell_means(pool: Floats, where: Ints, cells: int) -> Floats:
    finite = np.clip(pool, -1e150, 1e150)
    return np.bincount(where, weights=finite, minlength=cells) / np.maximum(np.bincount(where, minlength=cells), 1)


def _smooth(a: Ints, b: Ints, at: Floats, ridge: float = 1.0) -> Floats:
    r"""Penalised logistic fit of π on :math:`1, u, |u|, u^2` by Newton's method on the cells."""
    total = a + b
    weight = total / total.sum()
    center = float(np.sum(weight * at))
    spread = float(np.sqrt(np.sum(weight * (at - center) ** 2)))
    if not np.isfinite(spread) or spread == 0:
        return np.full(len(a), (a.sum() + 1) / (total.sum() + 2))
    u = np.clip((at - center) / spread, -6, 6)
    design = np.stack([np.ones_like(u), u, np.abs(u) - 0.8, (u * u - 1) / 2], axis=1)
    return logistic(design, a.astype(np.float64), total.astype(np.float64), ridge)[1]


def logistic(
    design: Floats, wins: Floats, trials: Floats, ridge: float = 1.0, toward: Floats | None = None
) -> tuple[Floats, Floats]:
    """Coefficients and fitted probabilities of a logistic regression on grouped counts, shrunk `toward` a point."""
    center = np.zeros(design.shape[1]) if toward is None else toward
    beta = center.copy()
    for _ in range(12):
        p = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        gradient = design.T @ (wins - trials * p) - ridge * (beta - center)
        hessian = (design * (trials * p * (1 - p))[:, None]).T @ design + ridge * np.eye(len(beta))
        step = np.linalg.solve(hessian, gradient)
        size = float(np.abs(step).max())
        beta = beta + step * min(1.0, 2.0 / size if size > 0 else 1.0)
        if size < 1e-6:
            break
    return beta, 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
