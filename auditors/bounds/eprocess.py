"""The sequential auditor: bets on pairs of outputs until the wealth refutes the claim.

Every pair (X, Y), one output from each input, multiplies the wealth of every strategy by its e-value; the strategies'
wealths are averaged with fixed shares. Learners are refitted on all earlier pairs whenever these have grown by a fixed
factor. The average reaches 1/α with probability at most α if the claim is true, whenever one looks.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from dpwitness.auditors.bounds.curve_bets import Hypothesis, joined, log_factors, tuned
from dpwitness.auditors.bounds.evalue import Null
from dpwitness.auditors.bounds.learner import Learner, Partition, Plan
from dpwitness.auditors.outputs.arrays import AnyArray, Floats, Ints
from dpwitness.auditors.outputs.table import Encoder, Table, join
from dpwitness.core.limits import Deadline

FIRST_BET = 2
_ROOM = 3.0  # times the last fit that must be left for the next one, which has more to learn from
MOST_NUMBERS_KEPT = 1 << 21
MOST_PAIRS_KEPT = 1 << 18
MOST_TUNED = 1 << 14
MOST_LEARNT = 1 << 14  # by slow learners: more makes them slower and hardly better
# the slowest learner goes on only while it pays: pairs, and what it must have gained by then
_MUST_GAIN = ((1 << 13, 0.5), (1 << 11, -0.5))


@dataclass
class Epoch:
    """The bets between two fits: the partitions, the hypotheses that each of their strategies bets against (with
    balance and caps of its own), and how often each cell was hit on each side.
    """

    plan: Plan
    partitions: Sequence[Partition]
    nulls: list[list[tuple[Hypothesis, ...]]]
    left: list[Ints]
    right: list[Ints]
    start: int
    pairs: int = 0


@dataclass
class EProcess:
    """Wealth against a claim, pair by pair.

    Parameters
    ----------
    claim
        The hypotheses that the claim implies (one for pure and approximate privacy, several for a curve); a violation
        of any refutes. Several are bet against at once (`dpwitness.auditors.bounds.curve_bets`).
    alpha
        Refuted when the wealth reaches 1/α.
    learner
        Guesses which input an output came from; valid whatever it guesses, since it sees earlier pairs alone.
    halts
        Whether to stop there.

    Attributes
    ----------
    path
        Pairs and log-wealth at every fit.
    """

    encoder: Encoder
    claim: tuple[Null, ...]
    alpha: float
    learner: Learner
    halts: bool = True
    pairs: int = 0
    refuted_at: int | None = None
    epochs: list[Epoch] = field(default_factory=list)
    log_wealth: float = 0.0
    path: list[tuple[int, float]] = field(default_factory=list)
    _wealth: dict[str, Floats] = field(default_factory=dict)
    _given: dict[str, Floats] = field(default_factory=dict)
    _kept: tuple[list[Table], list[Table]] = field(default_factory=lambda: ([], []))
    _models: dict[int, Any] = field(default_factory=dict)
    _next_fit: int = FIRST_BET
    _full: bool = False
    _fitting: float = 0.0

    def feed(self, left: Table, right: Table, deadline: Deadline | None = None) -> bool:
        """Bet on further pairs; True as soon as the claim is refuted (the remaining pairs are not looked at).

        Where the deadline comes before the guesses could be fitted anew, the present ones go on.
        """
        if len(left) != len(right):
            raise ValueError("pairs need as many left as right outputs")
        at = 0
        while at < len(left) and self.refuted_at is None:
            if self.pairs == self._next_fit and not self._full:
                begun = time.monotonic()
                if deadline is not None and self.epochs and deadline.remaining() < _ROOM * self._fitting:
                    self._next_fit = self.epochs[-1].plan.next_fit(self.pairs)
                else:
                    self._fit()
                    self._fitting = time.monotonic() - begun
            step = len(left) - at if self._full else min(len(left) - at, self._next_fit - self.pairs)
            part = slice(at, at + step)
            if self.epochs:
                self._bet(left[part], right[part])
            if not self._full:
                self._keep(left[part], right[part])
            self.pairs += step
            at += step
        return self.refuted_at is not None

    def training(self) -> tuple[Table, Table]:
        """The pairs kept for learning."""
        for side in self._kept:
            if len(side) > 1:
                side[:] = [join(side)]
        return self._kept[0][0], self._kept[1][0]

    def _keep(self, left: Table, right: Table) -> None:
        self._kept[0].append(left)
        self._kept[1].append(right)

    def _fit(self) -> None:
        left, right = self.training()
        width = max(left.width, right.width, 1)
        left, right = left.widened(width), right.widened(width)
        plan = self.learner.choose(left, right)
        # names of places are labels only; which columns are used depends on the pairs kept alone
        if not self.epochs or plan.kind != self.epochs[-1].plan.kind:  # the wealth is shared out anew
            before = self._by_null()
            self._wealth = {name: before + math.log(share) for name, share in plan.shares.items()}
            self._given = dict(self._wealth)
        boosted = self._pays("boosted")
        partitions = plan.fit(self.encoder.places, left, right, self._models, boosted=boosted, most=MOST_LEARNT)
        nulls = [self._tuned(partition, left, right) for partition in partitions]
        counts = [np.zeros(p.pi.shape[1], dtype=np.int64) for p in partitions]
        self.epochs.append(Epoch(plan, partitions, nulls, counts, [c.copy() for c in counts], self.pairs))
        self.path.append((self.pairs, self.log_wealth))
        self._next_fit = plan.next_fit(self.pairs)
        if len(left) >= MOST_PAIRS_KEPT or len(left) * width >= MOST_NUMBERS_KEPT:
            self._full = True
            self._kept = ([left[: 1 << 12]], [right[: 1 << 12]])

    def _tuned(self, partition: Partition, left: Table, right: Table) -> list[tuple[Hypothesis, ...]]:
        """The hypotheses with the balance and the caps that would have paid most on the last pairs, by strategy."""
        size = partition.pi.shape[1]
        hits = sum(np.bincount(partition.cells(t[-MOST_TUNED:]), minlength=size) for t in (left, right))
        mass = np.asarray(hits, dtype=np.float64) / np.sum(hits)
        return [tuple(tuned(null, pi, mass) for null in self._against) for pi in partition.pi]

    def _pays(self, name: str) -> bool:
        """Whether a strategy has gained enough to go on; decided from earlier pairs, so its wealth may rest."""
        if name not in self._wealth:
            return False
        gained = float((self._wealth[name] - self._given[name]).max())
        return gained >= next((least for pairs, least in _MUST_GAIN if self.pairs >= pairs), -math.inf)

    def _by_null(self) -> Floats:
        if not self._wealth:
            return np.full(len(self._against), -math.log(len(self._against)))
        return np.asarray(np.logaddexp.reduce(np.array(list(self._wealth.values())), axis=0), dtype=np.float64)

    def _bet(self, left: Table, right: Table) -> None:
        epoch = self.epochs[-1]
        count = len(left)
        paths: list[Floats] = []
        idle = dict(self._wealth)
        for index, partition in enumerate(epoch.partitions):
            x, y = partition.cells(left), partition.cells(right)
            size = partition.pi.shape[1]
            epoch.left[index] += np.bincount(x, minlength=size)
            epoch.right[index] += np.bincount(y, minlength=size)
            for name, pi, nulls in zip(partition.names, partition.pi, epoch.nulls[index], strict=True):
                before = idle.pop(name)
                after = np.empty_like(before)
                for k, null in enumerate(nulls):
                    log_f, log_g = log_factors(pi, null)
                    path = self._path(before[k], log_f[x] + log_g[y])
                    paths.append(path)
                    after[k] = path[-1]
                self._wealth[name] = after
        total = _log_sum(paths, count)
        if idle:  # strategies that do not bet yet keep their wealth
            total = np.logaddexp(total, np.logaddexp.reduce(np.concatenate(list(idle.values()))))
        epoch.pairs += count
        self.log_wealth = float(total[-1])
        crossed = np.flatnonzero(total >= math.log(1 / self.alpha))
        if len(crossed) and self.halts:
            self.refuted_at = self.pairs + int(crossed[0]) + 1
            self.log_wealth = float(total[crossed[0]])

    def _path(self, before: float, gains: Floats) -> Floats:
        """Wealth after every pair. While pairs may come one by one, the sum must not depend on how many come at once;
        once nothing is learnt any more they come in chunks of fixed sizes, which may be summed up elsewhere.
        """
        if self._full:
            return np.asarray(before + np.cumsum(gains), dtype=np.float64)
        return np.asarray(np.cumsum(np.concatenate([[before], gains]))[1:], dtype=np.float64)

    @property
    def _against(self) -> tuple[Hypothesis, ...]:
        """What is bet against: all points of a curve are one hypothesis."""
        return joined(self.claim)

    def leader(self) -> tuple[str, Hypothesis]:
        """The strategy and the hypothesis with the largest wealth, as it was last bet against."""
        name, wealth = max(self._wealth.items(), key=lambda item: float(item[1].max()))
        for partition, nulls in zip(self.epochs[-1].partitions, self.epochs[-1].nulls, strict=True):
            if name in partition.names:
                return name, nulls[partition.names.index(name)][int(np.argmax(wealth))]
        return name, self._against[int(np.argmax(wealth))]

    def wealth_against(self, eps: Sequence[float], delta: float = 0.0) -> Floats:
        """The largest log-wealth that the same guesses have reached, at the end of an epoch, against other ε."""
        best = np.zeros(len(eps))
        wealth: dict[str, Floats] = {}
        kind = ""
        for epoch in self.epochs:
            if epoch.plan.kind != kind:
                total = np.logaddexp.reduce(np.array(list(wealth.values())), axis=0) if wealth else np.zeros(len(eps))
                wealth = {name: total + math.log(share) for name, share in epoch.plan.shares.items()}
                kind = epoch.plan.kind
            for partition, x, y in zip(epoch.partitions, epoch.left, epoch.right, strict=True):
                hit = np.flatnonzero((x > 0) | (y > 0))
                for name, pi in zip(partition.names, partition.pi, strict=True):
                    wealth[name] = wealth[name] + gains(pi[hit], x[hit], y[hit], eps, delta)
            best = np.maximum(best, np.logaddexp.reduce(np.array(list(wealth.values())), axis=0))
        return best

    def climb(self, start: float, delta: float, alpha: float, top: float = 60.0) -> float:
        """The largest ε on a grid from `start` up such that it and all grid values below it are rejected.

        Only one true hypothesis, the smallest grid value at or above the true ε, decides whether the bound is wrong,
        so the whole grid costs a single α. Returns `start` where nothing above it is rejected.
        """
        reached, need = start, math.log(1 / alpha)
        grid = _grid(start, top)
        for at in range(0, len(grid), 32):
            block = grid[at : at + 32]
            wealth = self.wealth_against(block, delta)
            for eps, value in zip(block, wealth, strict=True):
                if value < need:
                    return reached
                reached = eps
        return reached


def _grid(start: float, top: float) -> list[float]:
    values: list[float] = []
    eps = start
    while True:
        eps += max(0.01, 0.01 * eps)
        if eps > top:
            return values
        values.append(eps)


def gains(pi: Floats, left: AnyArray, right: AnyArray, eps: Sequence[float], delta: float) -> Floats:
    """Log-wealth gained by cells hit `left` and `right` times, against each ε (`log_factors` for many ε at once)."""
    low = 1 / (1 + np.exp(np.asarray(eps, dtype=np.float64)))[:, None]
    center = np.clip(pi[None, :], low, 1 - low)
    for_left, for_right = np.log(pi / center), np.log((1 - pi) / (1 - center))
    fee = np.log1p(delta * np.exp(-np.asarray(eps, dtype=np.float64))) * float(left.sum() + right.sum())
    return np.asarray(for_left @ left + for_right @ right - fee, dtype=np.float64)


def _log_sum(paths: list[Floats], count: int) -> Floats:
    if not paths:
        return np.full(count, -math.inf)
    return np.asarray(np.logaddexp.reduce(np.array(paths), axis=0), dtype=np.float64)
