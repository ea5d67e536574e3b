r"""Learning π for outputs with many numbers of which each tells little: bits, counts, repeated or summed releases.

The log-odds are a weighted sum over the columns, or over the differences of neighbouring columns, each number taken as
it is (in standard units) or as above or below its median. One normal prior holds all weights together, so that twenty
weights which are each far from certain are still worth a bet on their sum; it is wider for the average of all weights,
since often all numbers move alike. A second prior takes all weights as equal but for their signs
(`dpwitness.auditors.learners.equal_weights`), a third takes bits for randomized responses
(`dpwitness.auditors.learners.randomized_response`). The priors, and which of these sums it is, are compared by
their evidence, the first two by what it is around zero,

.. math:: \ln p(\text{sides} \mid \beta) \approx -n \ln 2 + g^\top\beta - \tfrac18\,\beta^\top X^\top X\,\beta,
          \qquad g = X^\top(\text{side} - \tfrac12),

which is exact to second order and costs one matrix product for all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from dpwitness.auditors.learners.cells import quantile_edges
from dpwitness.auditors.learners.equal_weights import equal_weights
from dpwitness.auditors.learners.logistic import gram, logistic
from dpwitness.auditors.learners.randomized_response import responses
from dpwitness.auditors.outputs.arrays import Floats, Ints
from dpwitness.auditors.outputs.features import Features
from dpwitness.auditors.outputs.table import Table

MOST_COLUMNS = 64
MOST_NUMBERS = 1 << 20  # of the outputs learnt from on one side
_RIDGES = np.array([4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0])
_ALIKE = 3.0  # how much farther from 0 the average of all weights may be than each from their average
_CELLS = 128
_ENOUGH = 1 << 11  # outputs to find medians and spreads
_DOUBTFUL = 1 << 12  # outputs from which on the weights are certain enough
# constant, weights and weight of their sum; and what is not known of them, as a matrix
_Weights: TypeAlias = Callable[[], tuple[Floats, Floats | None]]


@dataclass(frozen=True)
class Linear:
    """A weighted sum of some features, in standard units or as signs."""

    features: Features
    chosen: Ints
    center: Floats
    spread: Floats
    signs: bool
    beta: Floats
    doubt: Floats | None  # of the weights, as a matrix: uncertain log-odds are drawn towards 0

    def score(self, table: Table) -> Floats:
        """Log-odds of every output, averaged over what is not known of the weights."""
        x = _encode(self.features.matrix(table)[:, self.chosen], self.center, self.spread, signs=self.signs)
        x = np.concatenate([np.ones((len(x), 1)), x], axis=1)
        odds = x @ self.beta
        if self.doubt is not None:
            odds = odds / np.sqrt(1 + math.pi / 8 * np.einsum("ij,jk,ik->i", x, self.doubt, x))
        return np.asarray(odds, dtype=np.float64)


@dataclass(frozen=True)
class LinearPartition:
    """Cells of the score of a weighted sum."""

    scorer: Linear
    edges: Floats
    pi: Floats
    evidence: float = 0.0
    names: tuple[str, ...] = ("linear",)

    def cells(self, table: Table) -> Ints:
        """The cell of every output."""
        return np.searchsorted(self.edges, self.scorer.score(table), side="left").astype(np.int64)


def _encode(columns: Floats, center: Floats, spread: Floats, *, signs: bool) -> Floats:
    """Numbers in standard units, at most 3, or as −1, 0, 1; 0 where there is none. Their sum stands last."""
    with np.errstate(invalid="ignore", over="ignore"):
        offset = columns - center
    encoded = np.nan_to_num(np.sign(offset) if signs else np.clip(offset / spread, -3.0, 3.0))
    return np.concatenate([encoded, _ALIKE * encoded.sum(axis=1, keepdims=True)], axis=1)


def _standards(columns: Floats) -> tuple[Floats, Floats, Floats]:
    """Median, mean and a robust standard deviation of every column, from some of its finite numbers."""
    some = columns[:: max(1, len(columns) // _ENOUGH)]
    with np.errstate(over="ignore", invalid="ignore"):  # a column whose numbers overflow is left out
        if np.isfinite(some).all():
            median, mean = np.median(some, axis=0), some.mean(axis=0)
            spread = 1.25 * np.abs(some - median).mean(axis=0)
        else:
            parts = [column[np.isfinite(column)] for column in some.T]
            parts = [part if len(part) else np.zeros(1) for part in parts]
            median, mean = (np.array([f(part) for part in parts]) for f in (np.median, np.mean))
            spread = 1.25 * np.array([np.abs(part - m).mean() for part, m in zip(parts, median, strict=True)])
    usable = np.isfinite(spread)
    return np.where(usable, median, 0.0), np.where(usable, mean, 0.0), np.where(usable, spread, 0.0)


def _groups(features: Features) -> Iterator[list[int]]:
    """Features whose sum is tried: the columns; the first column and the differences of neighbours."""
    count = len(features.columns)
    yield list(range(count))
    steps = [j for j, name in enumerate(features.names) if " − " in name]
    if steps:
        yield [0, *steps]


def most_outputs(features: Features) -> int:
    """How many outputs of each side are learnt from."""
    return MOST_NUMBERS // max(16, len(features.names))


def fit_linear(features: Features, left: Table, right: Table) -> LinearPartition | None:
    """Learn a weighted sum; None where there are too few outputs or numbers, or too many columns."""
    most = most_outputs(features)
    left, right = left[:most], right[:most]
    if len(left) < 4 or not 2 <= len(features.columns) <= MOST_COLUMNS:
        return None
    matrix = np.concatenate([features.matrix(t) for t in (left, right)], axis=0)
    side = np.concatenate([np.ones(len(left)), np.zeros(len(right))])
    median, mean, spread = _standards(matrix)
    best: tuple[float, Ints, bool, _Weights] | None = None
    mass, tried = -math.inf, 0
    bits = _binary(matrix[:, : len(features.columns)])
    for group in list(_groups(features))[: 1 if bits else None]:  # differences of bits are sums of bits
        chosen = np.array([j for j in group if spread[j] > 0], dtype=np.int64)
        for signs in (False, True):
            if not len(chosen) or (signs and bits):
                continue
            center = (median if signs else mean)[chosen]
            x = _encode(matrix[:, chosen], center, spread[chosen], signs=signs)
            for gain, weights in _priors(x, side, bits=bits):
                evidence = gain - len(side) * math.log(2.0)
                mass, tried = float(np.logaddexp(mass, evidence)), tried + 1
                if best is None or evidence > best[0]:
                    best = (evidence, chosen, signs, weights)
    if best is None:
        return None
    _, chosen, signs, weights = best
    center = (median if signs else mean)[chosen]
    beta, doubt = weights()
    scorer = Linear(features, chosen, center, spread[chosen], signs, beta, doubt)
    scores = np.concatenate([scorer.score(left), scorer.score(right)])
    edges = quantile_edges(scores, _CELLS)
    where = np.searchsorted(edges, scores, side="left")
    hits = np.bincount(where, minlength=len(edges) + 1)
    middle = np.bincount(where, weights=scores, minlength=len(edges) + 1) / np.maximum(hits, 1)
    ends = np.append(edges, edges[-1] if len(edges) else 0.0)
    pi = 1 / (1 + np.exp(-np.where(hits > 0, middle, ends)))
    return LinearPartition(scorer, edges, pi[None, :], mass - math.log(tried))


def _priors(x: Floats, side: Floats, *, bits: bool) -> Iterator[tuple[float, _Weights]]:
    """For every prior of the weights, its log evidence above that of no weights, and the weights themselves."""
    quarter, slope = gram(x) / 4, x.T @ (side - 0.5)
    gain, ridge = _evidence(quarter, slope)
    yield gain, partial(_unequal, x, side, ridge)
    center, doubts, gain = equal_weights(slope[:-1], quarter[:-1, :-1])
    yield gain, lambda: (np.concatenate([[0.0], center, [0.0]]), np.diag(np.concatenate([[0.0], doubts, [0.0]])))
    if bits and (found := _reported(x[:, :-1], side)) is not None:
        beta = found[0]
        yield found[1], lambda: (np.append(beta, 0.0), None)


def _unequal(x: Floats, side: Floats, ridge: float) -> tuple[Floats, Floats | None]:
    """Weights held together by a normal prior alone, and what is not known of them."""
    x = np.concatenate([np.ones((len(x), 1)), x], axis=1)
    beta = logistic(x, side, np.ones(len(side)), ridge)[0]
    if len(x) > _DOUBTFUL:
        return beta, None
    p = 1 / (1 + np.exp(-np.clip(x @ beta, -30.0, 30.0)))
    doubt = np.linalg.inv(gram(x, p * (1 - p)) + ridge * np.eye(x.shape[1]))
    return beta, np.asarray(doubt, dtype=np.float64)


def _reported(x: Floats, side: Floats) -> tuple[Floats, float] | None:
    """Constant and weights where every bit is reported by the same randomized response, and the log evidence.

    None where a column has a third value: outputs in which a number is missing. Where bits depend on each other their
    evidence is counted twice, so it is never taken for more than what the weights gain on the very outputs seen.
    """
    low, high = x.min(axis=0), x.max(axis=0)
    report = x == high
    if not np.all(report | (x == low)):
        return None
    left = side > 0
    p, q, gain = responses(report[left].sum(axis=0), report[~left].sum(axis=0), int(left.sum()), int((~left).sum()))
    there, absent = np.log(p) - np.log(q), np.log1p(-p) - np.log1p(-q)
    weight = (there - absent) / (high - low)
    constant = float(np.sum(absent - weight * low))
    odds = constant + x @ weight
    seen = float(np.sum(math.log(2.0) - np.logaddexp(0.0, np.where(left, -odds, odds))))
    return np.append(constant, weight), min(gain, seen)


def _binary(columns: Floats) -> bool:
    """Whether every column has at most two values: then its sign says what it says."""
    low = np.where(np.isnan(columns), np.inf, columns).min(axis=0)
    high = np.where(np.isnan(columns), -np.inf, columns).max(axis=0)
    return bool(np.all(np.isnan(columns) | (columns == low) | (columns == high)))


def _evidence(quarter: Floats, slope: Floats) -> tuple[float, float]:
    """Log evidence, averaged over the precisions of the prior, above that of no weights, and the best precision."""
    values, vectors = np.linalg.eigh(quarter)
    pull = (vectors.T @ slope) ** 2
    values = np.maximum(values, 0.0)[None, :]
    ridges = _RIDGES[:, None]
    evidence = 0.5 * np.sum(pull / (values + ridges) + np.log(ridges / (values + ridges)), axis=1)
    total = float(np.logaddexp.reduce(evidence)) - math.log(len(_RIDGES))
    return total, float(_RIDGES[int(np.argmax(evidence))])
