r"""Exact tests of a claimed curve from the scores of independent runs with and without one record.

**Theorem.** Let R be a statistic of the sequence of labels in the pooled ranking, ties broken by fair coins, that does
not fall when the score of a run with the record is raised. If the trainer keeps the trade-off function f on the pair,
:math:`P[R \ge r] \le P_f[R \ge r]` for every r, where under :math:`P_f` scores without the record are uniform on (0,1)
and scores with it have the distribution function :math:`f(1-u)`, with what is missing of mass 1 above all others.

*Proof.* Let ties be broken by independent uniform numbers, so that the distribution function F of a score without the
record is continuous. F(out) is uniform. The test "score above the u-quantile" has false-positive rate 1 − u and misses
with probability :math:`P[F(in) \le u] \ge f(1-u)`: F(in) is stochastically smaller than the claim's worst score.
Couple each score with a larger one, independently over runs. F does not change the order between scores with and
without, so R does not change, and it does not fall under the coupling. ∎

So the p-value of any such statistic is found by drawing rankings from the worst pair, for any number of runs, without a
threshold to choose and without a correction for having looked at all of them. With n draws of the null and the ranking
that was seen among them, :math:`(1 + \#\{R_i \ge R\})/(n+1)` is at most α with probability at most α.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from dpwitness.auditors.bounds.curves import ApproxCurve
from dpwitness.auditors.outputs.arrays import Bools, Floats, Ints
from dpwitness.auditors.training.ranks import hits, order, prefixes, rank_sum, scan, tails

Statistic = Literal["both", "sum", "scan"]
AT_ONCE = 2_000_000  # numbers of one batch of draws
MOST_DRAWS = 20_000
_TOP = 40.0


def draws_for(alpha: float) -> int:
    """How many rankings to draw, so that a p-value of α/10 can be seen, and α times one more is a whole number.

    >>> draws_for(0.05), draws_for(0.001)
    (999, 9999)
    """
    return int(min(MOST_DRAWS, max(1000, math.ceil(10 / alpha)))) - 1


class Ranking:
    """The labels of the runs in the order of their scores, and draws of such labels under any claim.

    Parameters
    ----------
    inside, outside
        Scores of runs with and without the record.
    draws
        How many rankings are drawn under each claim; the same random numbers serve all claims.
    """

    def __init__(self, inside: Floats, outside: Floats, *, draws: int, seed: int) -> None:
        self.sizes = len(inside), len(outside)
        self.draws, self.seed = draws, seed
        self.first = order(inside[None], outside[None], np.random.default_rng([seed, 0]))
        self.lengths = prefixes(sum(self.sizes))

    def p_value(self, curve: Any, statistic: Statistic = "both") -> float:
        """The p-value of a claim.

        ``"both"`` takes the smaller of the two ranks among all draws, and its rank again: a statistic that rises with
        the scores as well, because the rank of what was seen can only improve when what was seen does.
        """
        odds = self._odds(curve)
        found = []
        if statistic == "scan" and isinstance(curve, ApproxCurve):
            found.append(self._scan(self._counts_of_cells(curve), odds))
        else:
            null = self._rankings(curve, statistic, odds)
            if statistic != "scan":
                found.append(np.concatenate([rank_sum(self.first), null["sum"]]))
            if statistic != "sum":
                found.append(np.concatenate([self._seen(odds), null["scan"]]))
        small = np.min([tails(values) for values in found], axis=0)
        return float(np.mean(small <= small[0]))

    def _seen(self, odds: float) -> Floats:
        return scan(hits(self.first, self.lengths), self.lengths, odds)

    def _scan(self, counts: Ints, odds: float) -> Floats:
        return np.concatenate([self._seen(odds), scan(counts, self.lengths, odds)])

    def _odds(self, curve: Any) -> float:
        """How likely the best run has the record if the claim's ε were reached (1 where a curve has none)."""
        a, b = self.sizes
        big = math.exp(min(curve.eps, _TOP) if isinstance(curve, ApproxCurve) else 1.0)
        return a * big / (a * big + b)

    def _rankings(self, curve: Any, statistic: Statistic, odds: float) -> dict[str, Floats]:
        """The statistics of rankings drawn under the worst pair of the claim."""
        a, b = self.sizes
        batch = max(1, AT_ONCE // (a + b))
        found: dict[str, list[Floats]] = {"sum": [], "scan": []}
        for number, start in enumerate(range(0, self.draws, batch)):
            rows = min(batch, self.draws - start)
            out, ins = curve.pair((rows, max(a, b)), np.random.default_rng([self.seed, 1, number]))
            first: Bools = order(ins[:, :a], out[:, :b], np.random.default_rng([self.seed, 2, number]))
            if statistic != "scan":
                found["sum"].append(rank_sum(first))
            if statistic != "sum":
                found["scan"].append(scan(hits(first, self.lengths), self.lengths, odds))
        return {name: np.concatenate(parts) for name, parts in found.items() if parts}

    def _counts_of_cells(self, curve: ApproxCurve) -> Ints:
        """Runs with the record in every prefix, drawn without sorting: the worst pair of (ε,δ) has four outcomes, and
        within one of them all orders are equally likely.
        """
        rng = np.random.default_rng([self.seed, 3])
        out, ins = curve.cells()
        without, with_it = (
            rng.multinomial(self.sizes[1], out, self.draws),
            rng.multinomial(self.sizes[0], ins, self.draws),
        )
        total = np.zeros((self.draws, len(self.lengths)), dtype=np.int64)
        start = np.zeros(self.draws, dtype=np.int64)
        for cell in (3, 2, 1, 0):
            good, bad = with_it[:, cell].copy(), without[:, cell].copy()
            if not (good.any() or bad.any()):
                continue
            size, taken, sofar = good + bad, np.zeros(self.draws, dtype=np.int64), np.zeros(self.draws, dtype=np.int64)
            for k, length in enumerate(self.lengths):
                reach = np.clip(length - start, 0, size)
                more = reach - taken
                if more.any():  # most prefixes end before or after a cell: a sample of none draws no random number
                    new = rng.hypergeometric(good, bad, more)
                    good, bad = good - new, bad - (more - new)
                    taken, sofar = reach, sofar + new
                total[:, k] += sofar
            start = start + size
        return total


def lower_bound(rejects: Callable[[float], bool], *, top: float, ladder: bool, step: float = 0.01) -> float:
    """The largest level below which all levels are rejected.

    A ladder tries the levels of a fixed grid from below up to the first that stands: only the first true one can err.
    Where rejection is monotone in the level (one ranking statistic, common random numbers), halving is as good.

    >>> lower_bound(lambda level: level < 0.5, top=8.0, ladder=True) <= 0.5
    True
    """
    grid = [step]
    while grid[-1] < top:
        grid.append(grid[-1] + max(2 * step, 0.025 * grid[-1]))
    if not rejects(grid[0]):
        return 0.0
    if ladder:
        stands = next((k for k, level in enumerate(grid) if not rejects(level)), len(grid))
        return grid[stands - 1]
    low, high = 0, 1
    while high < len(grid) and rejects(grid[high]):
        low, high = high, 2 * high
    high = min(high, len(grid))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if rejects(grid[middle]) else (low, middle)
    return grid[low]
