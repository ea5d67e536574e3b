r"""Looks at growing numbers of runs: stop early, and stay exact.

"Some look of the schedule rejects" is itself a statistic of the ranking of the longest schedule that rises with the
scores of runs with the record, so the theorem of `dpwitness.auditors.training.worst_pair` calibrates any schedule as a
whole, without a table of spending functions. Each look's rank sum is put on one scale by the mean and the deviation of
a first set of draws; the law of the largest over all looks comes from a second set.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from dpwitness.auditors.outputs.arrays import Floats
from dpwitness.auditors.training.ranks import order, rank_sum
from dpwitness.auditors.training.worst_pair import AT_ONCE, draws_for

SCHEDULE = (5, 10, 15, 20, 30, 40, 60, 80, 120, 160)


class Looks:
    """A schedule: the claim falls at the first look whose p-value is at most α.

    >>> from dpwitness.auditors.bounds.curves import GaussianCurve
    >>> looks = Looks(GaussianCurve(1.0), (5, 10), alpha=0.05)
    >>> looks.p_value(1, np.arange(10.0) + 20, np.arange(10.0)) <= 0.05
    True
    """

    def __init__(self, curve: Any, sizes: Sequence[int], *, alpha: float, seed: int = 0) -> None:
        self.sizes, self.alpha, self.seed = tuple(sizes), alpha, seed
        draws = draws_for(alpha)
        scale = self._draws(curve, 1000, 0)
        self._mean, self._deviation = scale.mean(axis=0), scale.std(axis=0) + 1e-9
        self.largest = np.sort(self._standard(self._draws(curve, draws, 1)).max(axis=1))

    def _draws(self, curve: Any, draws: int, branch: int) -> Floats:
        longest = max(self.sizes)
        batch = max(1, AT_ONCE // (2 * longest))
        parts = []
        for number, start in enumerate(range(0, draws, batch)):
            rng = np.random.default_rng([self.seed, 10 + branch, number])
            out, ins = curve.pair((min(batch, draws - start), longest), rng)
            parts.append(np.stack([rank_sum(order(ins[:, :n], out[:, :n], rng)) for n in self.sizes], axis=1))
        return np.concatenate(parts)

    def _standard(self, values: Floats) -> Floats:
        found: Floats = (values - self._mean) / self._deviation
        return found

    def statistic(self, look: int, inside: Floats, outside: Floats) -> float:
        """The standardised rank sum of the runs that a look sees."""
        n = self.sizes[look]
        rng = np.random.default_rng([self.seed, 20, look])
        seen = float(rank_sum(order(inside[None, :n], outside[None, :n], rng))[0])
        return float((seen - self._mean[look]) / self._deviation[look])

    def p_value(self, look: int, inside: Floats, outside: Floats) -> float:
        """Of one look, as one of the whole schedule."""
        value = self.statistic(look, inside, outside)
        beyond = len(self.largest) - int(np.searchsorted(self.largest, value, "left"))
        return (1 + beyond) / (1 + len(self.largest))

    @property
    def boundary(self) -> float:
        """The standardised rank sum above which a look rejects."""
        most = int(self.alpha * (1 + len(self.largest)) + 1e-9) - 1  # so many draws may lie at or beyond it
        return float(self.largest[len(self.largest) - 1 - max(most, 0)])


@lru_cache(maxsize=32)
def schedule_for(curve: Any, sizes: tuple[int, ...], alpha: float, seed: int) -> Looks:
    """The schedule, remembered: its draws do not depend on any run."""
    return Looks(curve, sizes, alpha=alpha, seed=seed)
