"""Learners: from outputs already seen on both inputs to guesses of π on a finite partition of all outputs.

A `Partition` sends every output to a cell and holds, for each of its strategies, a guess of π in every cell. Learners
see earlier pairs only, so whatever they guess is predictable, and the e-values built on it are valid. Which strategies
take part, and with which share of the wealth, is fixed by the kind of outputs before the first bet.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaln

from dpwitness.auditors.bounds.learner import Partition
from dpwitness.auditors.learners.line import STRATEGIES, LinePartition, fit_line
from dpwitness.auditors.learners.weighted_sums import LinearPartition, fit_linear, most_outputs
from dpwitness.auditors.outputs.arrays import AnyArray, Floats, Ints
from dpwitness.auditors.outputs.features import Features
from dpwitness.auditors.outputs.table import Table, join


@dataclass(frozen=True)
class NumberPartition:
    """Outputs with at most one number: cells of the line, and one cell for every form without a number."""

    line: LinePartition
    pi: Floats
    column: int = 0
    names: tuple[str, ...] = STRATEGIES

    @property
    def ordered(self) -> int:
        """How many cells, the first ones, lie along the line."""
        return self.line.size - 1

    def cells(self, table: Table) -> Ints:
        """The cell of every output."""
        numbers = self.line.size - 1
        there = table.width > self.column
        found = self.line.cells(table.columns[:, self.column] if there else np.full(len(table), np.nan))
        absent = found == numbers
        if absent.any():
            found[absent] = np.minimum(numbers + table.codes[absent], self.pi.shape[1] - 1)
        return found


def number_column(left: Table, right: Table) -> int:
    """The first column in which one of the tables holds a number."""
    used = np.flatnonzero(~(np.isnan(left.columns).all(axis=0) & np.isnan(right.columns).all(axis=0)))
    return int(used[0]) if len(used) else 0


def fit_number(left: Table, right: Table) -> NumberPartition:
    """Learn from outputs of which each holds at most one number, always in the same column."""
    column = number_column(left, right)
    a, b = (t.columns[:, column] if t.width > column else np.full(len(t), np.nan) for t in (left, right))
    line = fit_line(a, b, named=_NAMED)
    forms = int(max(left.codes.max(initial=0), right.codes.max(initial=0))) + 2  # one more for forms not yet seen
    guess = _beta(
        np.bincount(left.codes[np.isnan(a)], minlength=forms), np.bincount(right.codes[np.isnan(b)], minlength=forms)
    )
    pi = np.concatenate([line.pi[:, :-1], np.broadcast_to(guess, (len(line.pi), forms))], axis=1)
    return NumberPartition(line, pi, column)


@dataclass(frozen=True)
class ValuePartition:
    """One cell for each whole output seen; all others have the cells of a weighted sum, or one, where π = ½."""

    keys: AnyArray
    pi: Floats
    rest: LinearPartition | None = None
    names: tuple[str, ...] = ("values",)

    def cells(self, table: Table) -> Ints:
        """The cell of every output."""
        count = len(self.keys)
        if not count:
            return self.rest.cells(table) if self.rest else np.zeros(len(table), dtype=np.int64)
        keys = table.keys()
        at = np.minimum(np.searchsorted(self.keys, keys), count - 1)
        found = np.where(self.keys[at] == keys, at, count).astype(np.int64)
        new = found == count
        if self.rest is not None and new.any():
            found[new] = count + self.rest.cells(table[new])
        return found


def fit_values(places: Sequence[str], left: Table, right: Table) -> ValuePartition:
    """Learn π for whole outputs: counts of each, and a weighted sum of its parts, averaged by their evidence.

    Counts need many outputs of every value; where answers are independent of each other, as the bits of a sparse
    vector, the log-odds are a sum over the answers, which is learnt much sooner and speaks of values not yet seen.
    """
    both = join([left, right])
    keys, first, inverse = np.unique(both.keys(), return_index=True, return_inverse=True)
    a = np.bincount(inverse[: len(left)], minlength=len(keys))
    b = np.bincount(inverse[len(left) :], minlength=len(keys))
    counted, alone = _counted(a, b)
    features = Features.seen(places, left, right)
    rest = fit_linear(features, left, right) if len(keys) > 2 else None
    if rest is None:
        return ValuePartition(keys, np.append(counted, 0.5)[None, :])
    seen = min(len(left), most_outputs(features))
    behind = alone * seen / len(left) - rest.evidence
    weight = 1 / (1 + math.exp(min(max(behind, -700.0), 700.0)))
    if weight > _SURE:
        return ValuePartition(keys[:0], rest.pi, rest)
    if weight < 1 - _SURE:
        return ValuePartition(keys, np.append(counted, 0.5)[None, :])
    sums = rest.pi[0]
    guess = weight * sums[rest.cells(both[first])] + (1 - weight) * counted
    return ValuePartition(keys, np.concatenate([guess, weight * sums + (1 - weight) * 0.5])[None, :], rest)


def _beta(a: AnyArray, b: AnyArray, prior: float = 0.5) -> Floats:
    return np.asarray((a + prior) / (a + b + 2 * prior), dtype=np.float64)


def _counted(a: AnyArray, b: AnyArray) -> tuple[Floats, float]:
    """π of every value by its counts, averaged over priors that draw it to ½ by the evidence; and the log evidence."""
    fits = np.array([np.sum(betaln(a + k, b + k)) - len(a) * betaln(k, k) for k in _DRAWN])
    total = float(np.logaddexp.reduce(fits))
    guess = np.exp(fits - total) @ np.array([_beta(a, b, k) for k in _DRAWN])
    return np.asarray(guess, dtype=np.float64), total - math.log(len(_DRAWN))


_NAMED = 4.0  # a number that is released as a whole is most often something plus noise of a well-known family
_DRAWN = (0.5, 2.0, 8.0, 32.0, 128.0)
_SURE = 0.999
_KEPT, _PATIENCE = 0, 1.6  # slow learners are kept until there are so many times as many pairs
_OFTEN = 16  # times that an output is seen, on average, before other learners add nothing to counting


@dataclass(frozen=True)
class Plan:
    """Which strategies bet, with which share of the wealth, and how much t grows between two fits.

    `slower` holds ``(pairs, growth)``, the largest first: from so many pairs on, fits are rarer.
    """

    kind: str
    shares: dict[str, float]
    growth: float
    slower: tuple[tuple[int, float], ...] = ((1 << 16, 1.5), (1 << 11, 1.35), (1 << 5, 1.22))

    def next_fit(self, pairs: int) -> int:
        """The number of pairs at which to fit again after a fit at `pairs`."""
        factor = next((slow for size, slow in self.slower if pairs >= size), self.growth)
        return max(pairs + 1, int(pairs * factor))

    def fit(
        self, places: Sequence[str], left: Table, right: Table, models: dict[int, Any] | None = None,
        *, boosted: bool = True, most: int | None = None,
    ) -> list[Partition]:  # fmt: skip
        """Fit every learner of the plan to the pairs seen so far.

        `models` keeps slow ones from one fit to the next; without `boosted` the slowest is left out, and the slow ones
        look at the first `most` pairs only.
        """
        if self.kind in ("number", "integer"):
            fitted: list[Partition] = [fit_number(left, right)]
            return fitted if self.kind == "number" else [*fitted, fit_values(places, left, right)]
        from dpwitness.auditors.learners.scores import fit_compound

        def compound() -> list[Partition]:
            known = {} if models is None else models
            if _KEPT not in known or len(left) >= _PATIENCE * known[_KEPT][0]:
                found = fit_compound(places, left[:most], right[:most], known, boosted=boosted)
                known[_KEPT] = (len(left), found)
            return list(known[_KEPT][1])

        if self.kind == "branches":
            from dpwitness.auditors.learners.branches import fit_branches

            branches: Partition = fit_branches(places, left, right)
            return [branches] if most is not None else [branches, *compound()]
        if self.kind == "reals":
            sums = fit_linear(Features.seen(places, left, right), left, right)
            return [*compound(), *([sums] if sums is not None else [])]
        values = fit_values(places, left, right)
        # whole outputs recur: to bet on them, counting says it all (to choose an event once, every learner is asked)
        if most is not None and 0 < _OFTEN * len(values.keys) <= len(left) + len(right):
            return [values]
        return [values, *compound()]


_RARELY = ((1 << 15, 1.7), (1 << 12, 1.4), (1 << 9, 1.3))
_OFTENER = ((1 << 15, 1.7), (1 << 14, 1.3), (1 << 9, 1.17))
NUMBER_PLAN = Plan(
    "number",
    {"blend": 0.67, "patient": 0.3, "segments": 0.01, "folds": 0.01, "smooth": 0.01},
    1.25,
    ((1 << 16, 1.25), (1 << 5, 1.22)),
)
INTEGER_PLAN = Plan(
    "integer", {"values": 0.25, "blend": 0.5, "patient": 0.15, "segments": 0.04, "folds": 0.03, "smooth": 0.03}, 1.25
)  # fmt: skip
BRANCHES_PLAN = Plan("branches", {"branches": 1.0}, 1.25, ((1 << 14, 1.7), (1 << 11, 1.35)))
REALS_PLAN = Plan(
    "reals", {"linear": 0.3, "score": 0.3, "curve": 0.1, "column": 0.2, "boosted": 0.1}, 1.3, _RARELY
)  # fmt: skip
MIXED_PLAN = Plan(
    "mixed", {"values": 0.8, "score": 0.07, "curve": 0.03, "column": 0.07, "boosted": 0.03}, 1.17, _OFTENER
)  # fmt: skip


def choose_plan(left: Table, right: Table) -> Plan:
    """The plan for the kind of outputs seen so far (and of nothing else: the choice must be predictable)."""
    columns = join([left, right]).columns
    there = ~np.isnan(columns)
    used = np.flatnonzero(there.any(axis=0))
    integral = bool(np.all(columns[there] == np.rint(columns[there])))
    if len(used) <= 1:
        codes = np.concatenate([left.codes, right.codes])
        with_number = codes[there.any(axis=1)]
        if len(with_number) == 0 or (with_number == with_number[0]).all():
            return INTEGER_PLAN if integral else NUMBER_PLAN
    if integral:
        return MIXED_PLAN
    few = np.concatenate([t[: 1 << 12].keys() for t in (left, right)])
    if (there.sum(axis=1) <= 1).all():
        return BRANCHES_PLAN
    return REALS_PLAN if len(np.unique(few)) > 0.8 * len(few) else MIXED_PLAN


class Plans:
    """The learner of every audit: `choose_plan` as an object, which a checkpoint can name."""

    def choose(self, left: Table, right: Table) -> Plan:
        """A plan for outputs like these."""
        return choose_plan(left, right)
