"""Guesses of π from families of noise, on cells of their own."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from dpwitness.auditors.learners import noise_families as families
from dpwitness.auditors.learners.cells import MOST_SORTED, cell_means, quantile_edges, tallied
from dpwitness.auditors.outputs.arrays import Bools, Floats

_FINE, _FINER, _MANY = 96, 384, 1 << 13  # cells: few outputs tell much of a family, and many outputs tell more
_BEYOND = np.array([0.0, 0.3, 0.6, 1.0, 1.5, 2.0, 3.0])  # cells outside of all outputs seen, in mean distances


class Guesses(NamedTuple):
    """What the families guess, kept apart by how far each is believed and followed; all empty without outputs."""

    named: tuple[families.Fit, ...] = ()  # well-known noise: Laplace and normal
    symmetric: tuple[families.Fit, ...] = ()  # any symmetric noise: moved, and moved and stretched
    largest: tuple[families.Fit, ...] = ()  # noise of a largest value, whose log-odds grow without bound


class Noise:
    """Guesses from families of noise, on cells of their own: fine ones, and some beyond all outputs seen."""

    def __init__(self, pool: Floats, side: Bools, center: float, distance: Floats) -> None:
        usable = np.abs(pool) < 1e150
        self.center = center
        self.fee = math.log(2.0) * np.count_nonzero(~usable)  # of outputs too large for a family, on which it is silent
        self.pool, self.side = (pool, side) if usable.all() else (pool[usable], side[usable])
        few = np.sort(self.pool) if len(self.pool) <= _FINE else None
        cells = _FINE if len(self.pool) < _MANY else _FINER
        self.cuts = few[:-1] + np.diff(few) / 2 if few is not None else quantile_edges(self.pool, cells)
        if len(self.cuts):
            step = float(distance[usable].mean()) * _BEYOND
            self.cuts = np.unique(np.concatenate([self.cuts, self.pool.min() - step, self.pool.max() + step]))

    def fits(self, middles: Floats) -> Guesses:
        """Guesses at the points `middles`, and their evidence."""
        if len(self.cuts) < 2:
            return Guesses()
        a, b, where = tallied(self.cuts, self.pool, self.side)
        inner = self.cuts[:-1] + np.diff(self.cuts) / 2
        empty = np.concatenate([self.cuts[:1], inner, self.cuts[-1:]])
        at = np.where(a + b > 0, cell_means(self.pool, where, len(a)), empty)
        home = np.searchsorted(self.cuts, middles, side="left")
        step = max(1, len(self.pool) // MOST_SORTED)
        x, y = (np.sort(self.pool[side][::step]) for side in (self.side, ~self.side))

        def placed(fit: families.Fit) -> families.Fit:
            return fit[0][home], fit[1] - self.fee

        return Guesses(
            named=tuple(placed(family(a, b, at, self.center)) for family in (families.laplace, families.normal)),
            symmetric=tuple(placed(families.shifted(x, y, a, b, at, stretched=both)) for both in (False, True)),
            largest=(placed(families.largest(a, b, at, self.center)),),
        )
