"""Learning π on the real line: quantile cells, and several guesses of π on them.

The cells are cut at pooled quantiles that are evenly spaced on the logit scale, so that both tails are resolved down to
a few samples; a value that repeats gets a cell of its own. On the cells these guesses are made:

- *segments*: Bayesian averaging over all three-segment partitions and over a dyadic tree (flat ratios, jumps);
- *folds*: three segments of the distance from the median, for leaks of scale, and their antisymmetric twin, for shifts;
- *smooth*: a logistic curve in u, \\|u\\| and u², for ratios that rise steadily;
- *blend*: the average of all of these, of ramps and waves along the ranks, of families of noise and, where there are
  few values, of one guess for every value, each weighted by the probability that it gave to the sides seen so far.
  Which shape is right shows in that probability long before it shows in the wealth, since the wealth counts only what
  lies beyond the claim; so the blend holds most of the money;
- *patient*: the blend again, as long as a coin explains the sides as well drawn to ½. A blatant leak is seen soonest by
  betting at once; where a leak is small, early bets are bets on noise, and here is the money that they have not lost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy.special import betaln

from dpwitness.auditors.learners.cells import MOST_SORTED, cell_means, quantile_edges, tallied
from dpwitness.auditors.learners.gaussian_process import waves
from dpwitness.auditors.learners.logistic import smooth
from dpwitness.auditors.learners.noise_cells import Guesses, Noise
from dpwitness.auditors.learners.ramps import ramps
from dpwitness.auditors.learners.segments import three_segments, tree
from dpwitness.auditors.outputs.arrays import Bools, Floats, Ints

Fit: TypeAlias = tuple[Floats, float]  # a guess of π in every cell, and its log evidence

STRATEGIES = ("blend", "patient", "segments", "folds", "smooth")
_FEW, _LOOK = 8, 64
_DOUBT = 1.5  # nats by which the patient want a guess to be better than a coin
WAVES_FROM = 512  # outputs: fewer do not show a wave


@dataclass(frozen=True)
class LinePartition:
    """Cells of the line and one row of guesses per strategy.

    Parameters
    ----------
    edges
        Increasing; cell k holds ``edges[k-1] < z <= edges[k]``. NaN (no number there) has the last cell.
    pi
        Guess of the probability of the left side, strategies × (len(edges) + 2).
    evidence
        Logarithm of the probability that the first strategy gave to the sides of the numbers it was fitted to.
    """

    edges: Floats
    pi: Floats
    evidence: float = 0.0

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


def fit_line(
    left: Floats, right: Floats, most_cells: int = 128, *, simple: bool = False, named: float = 1.0
) -> LinePartition:
    """Fit all strategies (segments alone where `simple`) to outputs seen on the two inputs; NaN is no number.

    A family of noise that has a name is taken to be `named` times as likely, beforehand, as any other shape.
    """
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
    values = _few_values(pool, side)
    if simple and values is not None:
        return LinePartition(values[0], np.append(values[1], nothing)[None, :], values[2])
    count = 2
    while count < most_cells and 4 * count <= len(pool) and (count < 64 or len(pool) >= 8192):
        count *= 2
    edges = quantile_edges(pool, count)
    a, b, where = tallied(edges, pool, side)
    plain = [_stretch(fit, len(a)) for fit in (three_segments(*_coarse(a, b)), tree(_pad(a), _pad(b)))]
    if simple:
        pi, evidence = average(plain)
        return LinePartition(edges, np.append(pi, nothing)[None, :], evidence)
    center = _finite_median(pool)
    with np.errstate(invalid="ignore", over="ignore"):
        distance = np.abs(pool - center)
    folded = quantile_edges(distance, count, tails="upper")
    with np.errstate(over="ignore"):
        parts = [edges, center - folded, np.array([center]), center + folded]
    noise = None
    if values is None:
        noise = Noise(pool, side, center, distance)
        parts.append(noise.cuts)
    cuts = np.unique(np.concatenate(parts))
    cuts = cuts[cuts < np.inf]  # −∞ may be cut off: it is an output like any other
    middles = _middles(cuts)
    home = np.searchsorted(edges, middles, side="left")
    segments = [(pi[home], evidence) for pi, evidence in plain]
    wide = _coarse(a, b)
    rank = (np.cumsum(wide[0] + wide[1]) - (wide[0] + wide[1]) / 2 + 0.5) / (len(pool) + 1)
    logit = np.log(rank) - np.log1p(-rank)
    ramp = _stretch(ramps(*wide, logit, _knots(len(pool))), len(a))
    curve = smooth(a, b, cell_means(pool, where, len(a)))
    found = [curve, ramp]
    guessed = Guesses() if noise is None else noise.fits(middles)
    others = [*guessed.symmetric, *guessed.largest]
    if len(pool) >= WAVES_FROM:
        # not around the law of a largest value: its log-odds grow without bound, and what is drawn to it does too
        around = [*guessed.named, *guessed.symmetric]
        along = max(around, key=lambda fit: fit[1])[0] if around else None
        found.append(_stretch(waves(*wide, logit, _odds(along, home, len(a), len(wide[0]))), len(a)))
    curves = [(pi[home], evidence) for pi, evidence in found]
    folds = _folds(folded, distance, side, pool > center, np.abs(middles - center), middles > center)
    if values is not None:
        others.append((values[1][np.searchsorted(values[0], middles, side="left")], values[2]))
    others += [*segments, *curves, *folds]
    blend, evidence = average([*guessed.named, *others], [named] * len(guessed.named) + [1.0] * len(others))
    pi = np.full((rows, len(cuts) + 2), nothing)
    pi[:, :-1] = (blend, _patient(blend, evidence, len(pool)), average(segments)[0], average(folds)[0], curves[0][0])
    return LinePartition(cuts, pi, evidence)


def _patient(blend: Floats, evidence: float, outputs: int) -> Floats:
    """The same guess, drawn to ½ while it explains the sides no better than a coin would."""
    behind = _DOUBT - outputs * math.log(2.0) - evidence
    return 0.5 + (blend - 0.5) / (1 + math.exp(min(max(behind, -700.0), 700.0)))


def _finite_median(pool: Floats) -> float:
    """The median of some of the numbers, 0 where it is infinite or none (between −∞ and ∞)."""
    with np.errstate(invalid="ignore", over="ignore"):
        center = float(np.median(pool if len(pool) <= MOST_SORTED else pool[:: len(pool) // MOST_SORTED]))
    return center if np.isfinite(center) else 0.0


def _few_values(pool: Floats, side: Bools) -> tuple[Floats, Floats, float] | None:
    """One cell for every value, with a Beta(½,½) guess, where there are few values: bits, and differences of bits."""
    if len(np.unique(pool[:_LOOK])) > _FEW:
        return None
    values = np.unique(pool)
    if len(values) > _FEW:
        return None
    a, b, _ = tallied(values[:-1], pool, side)
    evidence = float(np.sum(betaln(a + 0.5, b + 0.5)) - len(values) * betaln(0.5, 0.5))
    return values[:-1], np.asarray((a + 0.5) / (a + b + 1.0), dtype=np.float64), evidence


def _knots(samples: int) -> int:
    """How finely ramps are placed: as finely as so many samples can tell."""
    return 8 if samples < 512 else 16 if samples < 16384 else 32


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


def _odds(pi: Floats | None, home: Ints, cells: int, merged: int) -> Floats | None:
    """Log-odds of guesses in fine cells that lie in the cells `home`, averaged over these, which may be merged."""
    if pi is None:
        return None
    step = 1
    while step * merged < cells:
        step *= 2
    odds = np.log(pi) - np.log1p(-pi)
    count = np.bincount(home // step, minlength=merged)
    return np.asarray(np.bincount(home // step, odds, minlength=merged) / np.maximum(count, 1), dtype=np.float64)


def average(fits: Sequence[Fit], prior: Sequence[float] | None = None) -> Fit:
    """Average guesses by their evidence and, where given, by how much more likely some are than others beforehand."""
    evidence = np.array([fit[1] for fit in fits])
    before = np.ones(len(fits)) if prior is None else np.asarray(prior)
    top = float(evidence.max())
    weights = before * np.exp(evidence - top)
    mass = float(weights.sum())
    pi = weights @ np.array([fit[0] for fit in fits]) / mass
    return np.asarray(pi, dtype=np.float64), top + math.log(mass / float(before.sum()))


def _folds(edges: Floats, distance: Floats, side: Bools, above: Bools, at: Floats, at_above: Bools) -> list[Fit]:
    """Even and antisymmetric functions of the distance from the median."""
    even, odd = tallied(edges, distance, side)[:2], tallied(edges, distance, side ^ above)[:2]
    home = np.searchsorted(edges, at, side="left")
    fits: list[Fit] = []
    for (p, q), turns in ((even, False), (odd, True)):
        pi, evidence = _stretch(three_segments(*_coarse(p, q)), len(p))
        guess = pi[home]
        fits.append((np.where(at_above, 1 - guess, guess) if turns else guess, evidence))
    return fits
