r"""A smooth score with few parameters, for outputs with several numbers or of several forms.

Many outputs are the same small leak many times over: twenty copies of one count, ten sums that each add one noisy
answer. Log-odds learnt place by place drown there in the noise of learning. So one function of a number is learnt for
all places together: with :math:`B_k` the part of a number between the k-th and the (k+1)-th knot, the log-odds are

.. math:: c_{form} + \sum_k \beta_k \sum_j B_k(x_j) + \sum_k \gamma_k \sum_j B_k(x_j - x_{j-1})
          + \sum_k \zeta_k\, d \sum_j B_k(x_j) + \sum_j \eta_j\, [x_j],

the second sum for prefix sums and the like, d being the place of the first number (how far a program went before it
released something) and [x] a number clipped to its usual range. The score is one number for each output, so end points
on it are chosen by the methods for numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dpwitness.auditors.bounds.learner import Partition
from dpwitness.auditors.learners.logistic import gram
from dpwitness.auditors.outputs.arrays import Floats, Ints
from dpwitness.auditors.outputs.features import Features
from dpwitness.auditors.outputs.table import Table

LEVELS = (0.002, 0.02, 0.1, 0.25, 0.42, 0.58, 0.75, 0.9, 0.98, 0.998)
MOST_FORMS = 32
MOST_PLACES = 32  # with a slope of their own
MOST_CELLS = 1 << 23  # of the design: more rows than this allows are not learnt from
_SUBSAMPLE = 1 << 14
RIDGES = (1.0, 100.0, 10_000.0)


@dataclass(frozen=True)
class Channel:
    """Numbers that share one function: where their middle is, the knots, and the usual range."""

    middles: Floats
    knots: Floats

    @staticmethod
    def seen(values: Floats) -> Channel:
        """Middles of every place and knots of all places together; a place without numbers has its middle at 0."""
        few = values[: _SUBSAMPLE * 2 : 2] if len(values) > _SUBSAMPLE else values
        there = np.isfinite(few)
        middles = np.array([np.median(few[ok, j]) if ok.any() else 0.0 for j, ok in enumerate(there.T)])
        rest = (few - middles)[there]
        knots = np.quantile(rest, LEVELS) if len(rest) else np.zeros(len(LEVELS))
        return Channel(middles, knots)

    def parts(self, values: Floats) -> Floats:
        """Per output, the sums over places of the parts between neighbouring knots, each in units of its width."""
        z = np.clip(values - self.middles, self.knots[0], self.knots[-1])
        found = np.empty((len(values), len(self.knots) - 1))
        for k, (low, high) in enumerate(zip(self.knots, self.knots[1:], strict=False)):
            width = high - low
            part = (np.clip(z, low, high) - low) / width if width > 0 else np.zeros_like(z)
            found[:, k] = np.nansum(part, axis=1)
        return found

    def clipped(self, values: Floats) -> Floats:
        """Every number between the outer knots, 0 where there is none."""
        z = np.clip(values - self.middles, self.knots[1], self.knots[-2])
        return np.asarray(np.nan_to_num(z / max(self.knots[-2] - self.knots[1], 1e-300)), dtype=np.float64)


@dataclass(frozen=True)
class Pooled:
    """The fitted score; large where an output speaks for the left input."""

    columns: tuple[int, ...]
    codes: tuple[int, ...]
    numbers: Channel
    steps: Channel | None
    beta: Floats
    center: Floats
    spread: Floats

    def score(self, table: Table) -> Floats:
        """Log-odds of every output."""
        raw = np.concatenate(design(table, self.columns, self.codes, self.numbers, self.steps), axis=1)
        return np.asarray(((raw - self.center) / self.spread) @ self.beta[1:] + self.beta[0], dtype=np.float64)


def design(
    table: Table, columns: tuple[int, ...], codes: tuple[int, ...], numbers: Channel, steps: Channel | None
) -> list[Floats]:
    """One row for each output, one column for each term of the formula above but the constant; the terms by kind."""
    values = table.widened(max(columns, default=-1) + 1).columns[:, list(columns)]
    parts = [(table.codes[:, None] == np.array(codes)[None, :]).astype(np.float64)] if len(codes) > 1 else []
    if columns:
        pooled = numbers.parts(values)
        middle = pooled.shape[1] // 2  # alone it counts on which side of the middle the numbers lie
        parts += [pooled[:, middle : middle + 1], np.delete(pooled, middle, axis=1)]
        if len(codes) > 1 and len(columns) > 1:
            there = ~np.isnan(values)
            depth = np.where(there.any(axis=1), there.argmax(axis=1), 0) / len(columns)
            parts.append(depth[:, None] * pooled)
        if steps is not None:
            parts.append(steps.parts(_steps(values)))
        if len(codes) == 1 and 1 < len(columns) <= MOST_PLACES:
            parts.append(numbers.clipped(values))
    return parts


def _steps(values: Floats) -> Floats:
    """The first number and the differences of neighbours."""
    with np.errstate(invalid="ignore"):  # infinity less infinity is no number
        return np.concatenate([values[:, :1], np.diff(values, axis=1)], axis=1)


def fit_pooled(places: Sequence[str], left: Table, right: Table) -> Pooled | None:
    """Fit the score to outputs of both sides; None where there is nothing to learn from.

    How many of the terms take part, and how strongly they are drawn to 0, is what predicts the sides of one half of
    the outputs best when it is learnt from the other half.
    """
    columns = Features.seen(places, left, right).columns
    counts = np.bincount(np.concatenate([left.codes, right.codes]))
    order = np.argsort(-counts, kind="stable")[:MOST_FORMS]
    codes = tuple(int(code) for code in order if counts[code] > 0)
    width = max(columns, default=-1) + 1
    seen = np.concatenate([t.widened(width).columns[:_SUBSAMPLE, list(columns)] for t in (left, right)], axis=0)
    numbers = Channel.seen(seen)
    steps = Channel.seen(_steps(seen)) if len(codes) == 1 and len(columns) > 1 else None
    blocks = [part.shape[1] for part in design(left[:1], columns, codes, numbers, steps)]
    terms = sum(blocks)
    if not terms or min(len(left), len(right)) < 16:
        return None
    rows = max(64, MOST_CELLS // (2 * terms))
    parts = [design(t[:rows], columns, codes, numbers, steps) for t in (left, right)]
    raw = np.concatenate([np.concatenate(part, axis=1) for part in parts], axis=0)
    center, spread = raw.mean(axis=0), raw.std(axis=0)
    spread = np.where(spread > 1e-12, spread, np.inf)
    scaled = np.concatenate([np.ones((len(raw), 1)), (raw - center) / spread], axis=1)
    wins = (np.arange(len(raw)) < min(rows, len(left))).astype(np.float64)
    tries = []
    for count in range(1, len(blocks) + 1):
        some = scaled[:, : 1 + sum(blocks[:count])]
        tries += [(*_held_out(some, wins, ridge), count, ridge) for ridge in RIDGES]
    _, start, count, ridge = max(tries, key=lambda item: item[0])
    found = _newton(scaled[:, : len(start)], wins, start, 2, ridge)
    beta = np.concatenate([found, np.zeros(1 + terms - len(found))])
    return Pooled(columns, codes, numbers, steps, beta, center, spread)


def _held_out(terms: Floats, wins: Floats, ridge: float) -> tuple[float, Floats]:
    """The log-likelihood of the sides of every second output, with what the others teach; and what they teach."""
    beta = _newton(terms[::2], wins[::2], np.zeros(terms.shape[1]), 4, ridge)
    odds = np.clip(terms[1::2] @ beta, -30, 30)
    return -float(np.logaddexp(0.0, np.where(wins[1::2] > 0, -odds, odds)).sum()), beta


def _newton(terms: Floats, wins: Floats, beta: Floats, steps: int, ridge: float) -> Floats:
    """So many steps towards the penalised logistic fit; from a good start two are enough."""
    for _ in range(steps):
        p = 1 / (1 + np.exp(-np.clip(terms @ beta, -30, 30)))
        hessian = gram(terms, p * (1 - p)) + ridge * np.eye(len(beta))
        step = np.linalg.solve(hessian, terms.T @ (wins - p) - ridge * beta)
        beta = beta + step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
    return beta


@dataclass(frozen=True)
class Scored:
    """A partition of the line, applied to a score."""

    scorer: Pooled
    inner: Partition
    names: tuple[str, ...]

    @property
    def pi(self) -> Floats:
        """The guesses of the partition of the line."""
        return self.inner.pi

    @property
    def ordered(self) -> int:
        """How many cells, the first ones, lie along the line of scores."""
        return int(getattr(self.inner, "ordered", 0))

    def cells(self, table: Table) -> Ints:
        """The cell of every output."""
        return self.inner.cells(as_numbers(self.scorer, table))


def as_numbers(scorer: Pooled, table: Table) -> Table:
    """The scores as outputs that are one number; computed once for each table."""
    if scorer.beta.tobytes() not in table.known:
        table.known[scorer.beta.tobytes()] = scorer.score(table)[:, None]
    return Table(np.zeros(len(table), dtype=np.int64), table.known[scorer.beta.tobytes()])
