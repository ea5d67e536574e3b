"""Weights that are equal but for their signs."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwitness.auditors.learners.equal_weights import equal_weights


def reports(weights, outputs, seed=0):
    """Gradient and Hessian at 0 of outputs of ±1 whose log-odds are a weighted sum."""
    rng = np.random.default_rng(seed)
    x = rng.choice([-1.0, 1.0], (outputs, len(weights)))
    side = rng.random(outputs) < 1 / (1 + np.exp(-x @ weights))
    return x.T @ (side - 0.5), x.T @ x / 4


def test_signs_are_learnt_where_single_weights_are_not():
    weights = np.repeat([0.1, -0.1, 0.0], [6, 6, 8])
    better = 0
    for seed in range(20):
        g, h = reports(weights, 8000, seed)
        mean, spread, _ = equal_weights(g, h)
        alone = np.linalg.solve(h + 100.0 * np.eye(20), g)  # a normal prior with the true variance
        better += np.sum((mean - weights) ** 2) < np.sum((alone - weights) ** 2)
        assert (spread >= 0).all()
    assert better >= 18


def test_the_evidence_speaks_for_equal_weights_and_not_for_noise():
    assert equal_weights(*reports(np.full(12, 0.15), 2000))[2] > 20
    assert equal_weights(*reports(np.zeros(12), 2000))[2] < 1


def test_places_that_depend_on_each_other_share_a_weight():
    """Two columns that are nearly the same, of which one tells: together they say what the one says."""
    rng = np.random.default_rng(4)
    first = rng.choice([-1.0, 1.0], 5000)
    x = np.stack([first, np.where(rng.random(5000) < 0.9, first, -first)], axis=1)
    side = rng.random(5000) < 1 / (1 + np.exp(-0.4 * first))
    mean, _, _ = equal_weights(x.T @ (side - 0.5), x.T @ x / 4)
    assert np.corrcoef(x @ mean, 0.4 * first)[0, 1] > 0.9


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8), st.floats(1e-6, 1e9))
def test_any_likelihood_gives_numbers(slopes, curve):
    found = equal_weights(np.array(slopes), curve * np.eye(len(slopes)))
    assert all(np.isfinite(part).all() for part in found)
