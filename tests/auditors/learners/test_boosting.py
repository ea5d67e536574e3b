"""Boosted trees see combinations of columns, treat missing values as values, and never see what is not there."""

from __future__ import annotations

import numpy as np
import pytest

from dpwitness.auditors.learners.boosting import TREES, fit_trees


def loss(score, side):
    return float(np.mean(np.logaddexp(0, -np.where(side, score, -score))))


@pytest.fixture
def rng():
    return np.random.default_rng(5)


def test_an_interaction_is_learnt_close_to_the_best_possible(rng):
    def draw(size):
        x = rng.normal(size=(size, 3))
        odds = 2 * np.sign(x[:, 0] * x[:, 1])
        return x, rng.random(size) < 1 / (1 + np.exp(-odds)), odds

    x, side, _ = draw(8000)
    fresh, other, odds = draw(8000)
    assert loss(fit_trees(x, side).score(fresh), other) < loss(odds, other) + 0.02


def test_noise_is_hardly_learnt(rng):
    x, side = rng.normal(size=(4000, 4)), rng.random(4000) < 0.5
    fresh = rng.normal(size=(4000, 4))
    assert loss(fit_trees(x, side).score(fresh), rng.random(4000) < 0.5) < np.log(2) + 0.06


def test_whether_a_value_is_missing_tells(rng):
    x = rng.normal(size=(1000, 2))
    side = rng.random(1000) < 0.5
    x[side, 1] = np.nan
    assert ((fit_trees(x, side).score(x) > 0) == side).all()


@pytest.mark.parametrize("rows", [0, 1, 5])
def test_few_rows_and_constant_columns_give_the_base_rate(rows):
    trees = fit_trees(np.full((rows, 2), np.nan), np.ones(rows, dtype=bool))
    score = trees.score(np.array([[0.0, 1.0], [np.nan, np.inf]]))
    assert score[0] == score[1] >= 0
    assert (trees.value[:, 1:] == 0).all()


def test_same_rows_same_trees(rng):
    x, side = rng.normal(size=(600, 3)), rng.random(600) < 0.5
    one, two = fit_trees(x, side), fit_trees(x.copy(order="F"), side)
    assert one.value.tobytes() == two.value.tobytes()
    assert len(one.value) == TREES


def test_a_monotone_change_of_a_column_changes_nothing(rng):
    x, side = rng.normal(size=(900, 2)), rng.random(900) < 0.5
    assert fit_trees(x, side).score(x).tobytes() == fit_trees(np.exp(x), side).score(np.exp(x)).tobytes()
