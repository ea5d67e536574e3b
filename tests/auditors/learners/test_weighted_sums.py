"""Weighted sums: many numbers that each tell little."""

from __future__ import annotations

import numpy as np
import pytest

from dpwitness.auditors.bounds.eprocess import EProcess
from dpwitness.auditors.bounds.evalue import Null
from dpwitness.auditors.learners.logistic import gram
from dpwitness.auditors.learners.plans import Plans, fit_values
from dpwitness.auditors.learners.weighted_sums import fit_linear
from dpwitness.auditors.outputs.features import Features
from dpwitness.auditors.outputs.table import Encoder


def fitted(left, right):
    encoder = Encoder()
    tables = encoder.encode(left), encoder.encode(right)
    return encoder, tables, fit_linear(Features.seen(encoder.places, *tables), *tables)


def held_out_gain(partition, left, right):
    pi = partition.pi[0]
    logs = np.log(2 * pi[partition.cells(left)]).mean() + np.log(2 * (1 - pi[partition.cells(right)])).mean()
    return float(logs)


def test_twenty_uncertain_weights_are_worth_a_bet_on_outputs_never_seen():
    rng = np.random.default_rng(0)
    chances = np.full(20, 0.5) + np.where(np.arange(20) < 4, 0.1, np.where(np.arange(20) < 8, -0.1, 0.0))
    draw = lambda p, n: (rng.random((n, 20)) < p).astype(float)  # noqa: E731
    encoder, tables, partition = fitted(draw(chances, 1500), draw(1 - chances, 1500))
    fresh = [encoder.encode(draw(p, 4000)) for p in (chances, 1 - chances)]
    assert held_out_gain(partition, *fresh) > 0.1  # of 0.16 with the true weights
    assert len(fit_values(encoder.places, *tables).keys) == 0  # counting whole outputs is given up


def test_prefix_sums_are_told_apart_by_their_steps():
    rng = np.random.default_rng(1)
    sides = [np.cumsum(rng.laplace(c, 5.0, (500, 10)), axis=1) for c in (0.0, 1.0)]
    encoder, _, partition = fitted(*sides)
    fresh = [encoder.encode(np.cumsum(rng.laplace(c, 5.0, (4000, 10)), axis=1)) for c in (0.0, 1.0)]
    assert held_out_gain(partition, *fresh) > 0.06  # of about 0.1 with the true law
    assert partition.scorer.signs


def test_nothing_is_bet_where_nothing_tells():
    rng = np.random.default_rng(2)
    encoder, _, partition = fitted(rng.normal(size=(300, 8)), rng.normal(size=(300, 8)))
    fresh = [encoder.encode(rng.normal(size=(4000, 8))) for _ in range(2)]
    assert held_out_gain(partition, *fresh) > -0.03


@pytest.mark.parametrize("odd", [None, np.inf, -np.inf, 1e308])
def test_missing_and_infinite_numbers_are_no_obstacle(odd):
    rng = np.random.default_rng(4)
    draw = lambda shift: [[float(x + shift), float(y), odd] for x, y in rng.normal(size=(60, 2))]  # noqa: E731
    encoder = Encoder()
    left, right = encoder.encode(draw(2.0)), encoder.encode(draw(-2.0))
    partition = fit_linear(Features.seen(encoder.places, left, right), left, right)
    assert partition is not None
    assert np.all((partition.pi > 0) & (partition.pi < 1))
    assert np.isfinite(partition.scorer.score(left)).all()
    fresh = encoder.encode(draw(2.0)), encoder.encode(draw(-2.0))
    assert held_out_gain(partition, *fresh) > 0.8  # of 2 ln 2 where the sides never meet


@pytest.mark.parametrize("outputs", [[[1.0, None], [None, 2.0]], [[1e308, -1e308]] * 2])
def test_nothing_is_learnt_from_columns_that_never_vary_together(outputs):
    encoder = Encoder()
    left, right = encoder.encode(outputs * 5), encoder.encode(outputs[::-1] * 5)
    partition = fit_linear(Features.seen(encoder.places, left, right), left, right)
    assert partition is None or np.allclose(partition.pi, 0.5, atol=0.2)


def test_the_blocked_product_is_the_product():
    rng = np.random.default_rng(3)
    for rows in (0, 5, 512, 1300):
        x, w = rng.normal(size=(rows, 4)), rng.random(rows)
        assert gram(x, w) == pytest.approx(x.T @ np.diag(w) @ x)


def test_bits_with_a_small_lean_each_are_refuted():
    rng = np.random.default_rng(5)
    encoder = Encoder()
    bets = EProcess(encoder, (Null(0.1),), 1e-3, Plans())
    for _ in range(20):
        if bets.feed(*(encoder.encode((rng.random((200, 12)) < p).astype(float)) for p in (0.45, 0.55))):
            break
    assert bets.refuted_at is not None
    assert bets.refuted_at < 2000
