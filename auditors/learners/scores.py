"""Learning π for vectors, tuples, ragged lists and mixed outputs.

A score in one dimension is learnt on one half of the pairs and calibrated on the other half with the method for
numbers: the sum of one log-odds per column and per form (exact where the columns are independent), re-weighted by a
small logistic regression together with the most telling single features. A gradient-boosted classifier is a second
score, once there are enough pairs; the most telling single feature is a third.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpwitness.auditors.bounds.learner import Partition
from dpwitness.auditors.learners.boosting import Trees, fit_trees
from dpwitness.auditors.learners.line import STRATEGIES, LinePartition, fit_line
from dpwitness.auditors.learners.logistic import logistic
from dpwitness.auditors.outputs.arrays import Floats, Ints
from dpwitness.auditors.outputs.features import Features
from dpwitness.auditors.outputs.table import Table

MOST_TRAINING = 1 << 17
MOST_BOOSTED = 1 << 13
BOOST_FROM = 512
_TOP = 3


def _logit(p: Floats) -> Floats:
    return np.asarray(np.log(p) - np.log1p(-p), dtype=np.float64)


@dataclass(frozen=True)
class Additive:
    """Log-odds of every column and form, and a re-weighting of their sum with the most telling features."""

    features: Features
    lines: tuple[LinePartition, ...]
    forms: Floats
    top: tuple[int, ...]
    beta: Floats

    def design(self, table: Table) -> Floats:
        """Constant, sum over columns, form, and the top features."""
        matrix = self.features.matrix(table)
        codes = np.minimum(table.codes, len(self.forms) - 1)
        total = np.zeros(len(table))
        for j in range(len(self.features.columns)):
            total += self._odds(j, matrix)
        best = [self._odds(j, matrix) for j in self.top]
        return np.stack([np.ones(len(table)), total, self.forms[codes], *best], axis=1)

    def _odds(self, j: int, matrix: Floats) -> Floats:
        line = self.lines[j]
        return _logit(line.pi[0])[line.cells(matrix[:, j])]

    def score(self, table: Table) -> Floats:
        """The score of every output: large where it speaks for the left input."""
        return np.asarray(self.design(table) @ self.beta, dtype=np.float64)


@dataclass(frozen=True)
class Boosted:
    """Gradient-boosted trees on all features and on the log-odds of the form."""

    features: Features
    forms: Floats
    trees: Trees

    def score(self, table: Table) -> Floats:
        """Log-odds of every output."""
        return self.trees.score(_with_forms(self.features, self.forms, table))


@dataclass(frozen=True)
class ScorePartition:
    """Cells of a score."""

    scorer: Additive | Boosted
    line: LinePartition
    pi: Floats
    names: tuple[str, ...]

    def cells(self, table: Table) -> Ints:
        """The cell of every output."""
        return self.line.cells(self.scorer.score(table))


@dataclass(frozen=True)
class FeaturePartition:
    """Cells of one feature."""

    features: Features
    index: int
    line: LinePartition
    pi: Floats
    names: tuple[str, ...] = ("column",)

    def cells(self, table: Table) -> Ints:
        """The cell of every output."""
        return self.line.cells(self.features.matrix(table)[:, self.index])


def _with_forms(features: Features, forms: Floats, table: Table) -> Floats:
    odds = forms[np.minimum(table.codes, len(forms) - 1)]
    both = np.concatenate([features.matrix(table), odds[:, None]], axis=1)
    return np.asarray(np.clip(both, -1e300, 1e300), dtype=np.float64)


def fit_compound(
    places: Sequence[str], left: Table, right: Table, models: dict[int, Any] | None = None,
    *, boosted: bool = True,
) -> list[Partition]:  # fmt: skip
    """All learners for outputs that are not a single number.

    The boosted classifier is fitted anew only when the pairs have doubled: on the first :math:`2^k` of them, so that
    the same pairs always give the same model.
    """
    left, right = left[:MOST_TRAINING], right[:MOST_TRAINING]
    features = Features.seen(places, left, right)
    if len(left) < 8:
        return []
    half = [(t[0::2], t[1::2]) for t in (left, right)]
    additive = _fit_additive(features, half[0][0], half[1][0], half[0][1], half[1][1])
    fitted: list[Partition] = [_calibrated(additive, half[0][1], half[1][1], ("score", "curve"))]
    fitted.append(_best_feature(features, additive, left, right))
    if boosted and len(left) >= BOOST_FROM and len(features.names) > 1:
        power = min(len(left).bit_length() - 1, MOST_BOOSTED.bit_length() - 1)
        known = {} if models is None else models
        if power not in known:
            for other in [key for key in known if key]:  # 0 is not a power of two that has a model
                del known[other]
            some = 1 << (power - 1)
            known[power] = _fit_boosted(features, additive.forms, half[0][0][:some], half[1][0][:some])
        fitted.append(_calibrated(known[power], half[0][1], half[1][1], ("boosted",)))
    return fitted


def _fit_additive(features: Features, left: Table, right: Table, left_held: Table, right_held: Table) -> Additive:
    a, b = features.matrix(left), features.matrix(right)
    lines = tuple(fit_line(a[:, j], b[:, j], 32, simple=True) for j in range(a.shape[1]))
    count = int(max(left.codes.max(initial=0), right.codes.max(initial=0))) + 2
    tallies = [np.bincount(t.codes, minlength=count).astype(np.float64) for t in (left, right)]
    forms = _logit((tallies[0] + 1) / (tallies[0] + tallies[1] + 2))
    plain = Additive(features, lines, forms, (), np.array([0.0, 1.0, 1.0]))
    held = features.matrix(left_held), features.matrix(right_held)
    gain = [_held_out_gain(line, held[0][:, j], held[1][:, j]) for j, line in enumerate(lines)]
    order = np.argsort(gain)[::-1]
    top = tuple(int(j) for j in order[:_TOP] if gain[j] > 0)
    additive = Additive(features, lines, forms, top, plain.beta)
    design = np.concatenate([additive.design(left_held), additive.design(right_held)], axis=0)
    wins = np.concatenate([np.ones(len(left_held)), np.zeros(len(right_held))])
    start = np.concatenate([[0.0, 1.0, 1.0], np.zeros(len(top))])
    beta = logistic(design, wins, np.ones(len(wins)), ridge=4.0, toward=start)[0]
    return Additive(features, lines, forms, top, beta)


def _held_out_gain(line: LinePartition, left: Floats, right: Floats) -> float:
    """Log-likelihood gained over π = ½ on pairs that the line has not seen."""
    pi = line.pi[0]
    return float(np.sum(np.log(2 * pi[line.cells(left)])) + np.sum(np.log(2 * (1 - pi[line.cells(right)]))))


def _calibrated(scorer: Additive | Boosted, left: Table, right: Table, names: tuple[str, ...]) -> ScorePartition:
    line = fit_line(scorer.score(left), scorer.score(right))
    rows = [STRATEGIES.index("smooth" if name == "curve" else "blend") for name in names]
    return ScorePartition(scorer, line, line.pi[rows], names)


def _best_feature(features: Features, additive: Additive, left: Table, right: Table) -> FeaturePartition:
    index = additive.top[0] if additive.top else 0
    line = fit_line(features.matrix(left)[:, index], features.matrix(right)[:, index], simple=True)
    return FeaturePartition(features, index, line, line.pi)


def _fit_boosted(features: Features, forms: Floats, left: Table, right: Table) -> Boosted:
    both = np.concatenate([_with_forms(features, forms, t) for t in (left, right)], axis=0)
    return Boosted(features, forms, fit_trees(both, np.arange(len(both)) < len(left)))
