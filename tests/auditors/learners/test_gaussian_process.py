"""Smooth log-odds of any shape: bumps are learnt, nothing is read into noise."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwitness.auditors.learners.gaussian_process import waves
from dpwitness.auditors.learners.segments import tree

AT = np.linspace(-6, 6, 64)


def counts(odds, each, seed=0):
    rng = np.random.default_rng(seed)
    a = rng.binomial(each, 1 / (1 + np.exp(-odds)))
    return a, each - a


def lost(pi, odds):
    """Expected log-likelihood of the truth less that of the guess, per output."""
    truth = 1 / (1 + np.exp(-odds))
    return float(np.mean(truth * np.log(truth / pi) + (1 - truth) * np.log((1 - truth) / (1 - pi))))


@pytest.mark.parametrize("odds", [0.3 * np.sin(AT), 0.4 * np.exp(-(AT**2)), 0.2 * AT], ids=["wave", "bump", "line"])
def test_a_smooth_shape_is_learnt_better_than_by_partitions(odds):
    a, b = counts(odds, 100)
    pi, evidence = waves(a, b, AT)
    other, other_evidence = tree(a, b)
    assert lost(pi, odds) < 0.5 * lost(other, odds)
    assert evidence > other_evidence


def test_large_log_odds_are_not_taken_for_small_ones():
    odds = 3 * np.sin(AT / 2)
    pi, _ = waves(*counts(odds, 400), AT)
    assert np.abs(np.log(pi / (1 - pi)) - odds).max() < 0.5


def test_of_no_difference_nothing_is_learnt():
    found = [waves(*counts(np.zeros(64), 100, seed), AT) for seed in range(20)]
    assert np.mean([lost(pi, np.zeros(64)) for pi, _ in found]) < 1 / 6400  # a nat over all outputs seen
    assert max(evidence for _, evidence in found) < -6400 * np.log(2) + 3


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1, max_size=40))
def test_any_counts_give_probabilities(pairs):
    a, b = np.array(pairs).T
    pi, evidence = waves(a, b, np.linspace(-3, 3, len(a)))
    assert ((pi > 0) & (pi < 1)).all()
    assert np.isfinite(evidence)


def test_an_edge_is_not_smoothed_away():
    rng = np.random.default_rng(0)
    u = np.linspace(-6, 6, 64)
    truth = np.where(u > 0.3, -0.12, 0.06) + 0.05 * np.sin(u)
    total = np.full(64, 6000)
    a = rng.binomial(total, 1 / (1 + np.exp(-truth)))
    pi, _ = waves(a, total - a, u)
    odds = np.log(pi / (1 - pi))
    edge = int(np.searchsorted(u, 0.3))
    assert odds[edge - 1] - odds[edge] > 0.1
    assert np.abs(odds - truth).mean() < 0.015


def test_beside_an_edge_nothing_is_read_into_noise():
    """One jump and otherwise flat: the waves that remain are as smooth as if there were no jump."""
    truth = np.where(AT > 0.3, -0.12, 0.08)
    wrong = [np.abs(np.log(pi) - np.log1p(-pi) - truth).mean() for pi, _ in _fits(truth, 1000)]
    assert np.mean(wrong) < 0.014  # 64 independent positions would be 0.05 off, two flat sides 0.009


def _fits(truth, each):
    return [waves(*counts(truth, np.full(64, each), seed), AT) for seed in range(10)]


def test_what_a_family_explains_is_not_learnt_again():
    """A steep shape that a family proposes, at the wrong height, and a slow wave that it does not know."""
    shape = np.tanh(8 * AT) / (1 + AT**2)
    truth = 0.3 * shape + 0.04 * np.cos(AT / 2)

    def learnt(along):
        found = [waves(*counts(truth, np.full(64, 500), seed), AT, along) for seed in range(10)]
        odds = np.array([np.log(pi) - np.log1p(-pi) for pi, _ in found])
        return np.abs(odds - truth).mean(), np.mean([evidence for _, evidence in found])

    (alone, without), (told, with_it), (misled, with_noise) = map(learnt, (None, 0.25 * shape, np.cos(20 * AT)))
    assert told < 0.8 * alone
    assert with_it > without + 3
    assert misled < 1.1 * alone
    assert with_noise >= without - 1e-6
