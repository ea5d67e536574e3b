"""Ramps find the shapes that they are made for, and their evidence tells shapes apart."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwitness.auditors.learners.logistic import smooth
from dpwitness.auditors.learners.ramps import ramps
from dpwitness.auditors.learners.segments import tree


def counts(odds, per_cell):
    wins = np.round(per_cell / (1 + np.exp(-odds))).astype(np.int64)
    return wins, per_cell - wins


def test_a_ramp_is_recovered():
    u = np.linspace(-3, 4, 29)
    odds = np.clip(1.0 - 2.0 * u, -1.0, 1.0)
    pi, _ = ramps(*counts(odds, 4000), u, 29)
    assert np.log(pi / (1 - pi)) == pytest.approx(odds, abs=0.1)


def test_evidence_prefers_the_shape_that_is_there():
    u = np.linspace(-4, 4, 32)
    straight, stairs = counts(0.5 * u, 500), counts(np.where(np.arange(32) // 4 % 2, 1.0, -1.0), 500)
    assert smooth(*straight, u)[1] > tree(*straight)[1]
    assert ramps(*stairs, u)[1] < tree(*stairs)[1]


def test_evidence_is_a_probability_of_the_sides():
    """Summed over all ways in which three outputs can fall on two sides, the evidence is about 1 (Laplace's method)."""
    u = np.array([0.0, 1.0, 2.0])
    total = 0.0
    for k in range(8):
        wins = np.array([k & 1, k >> 1 & 1, k >> 2 & 1])
        total += math.exp(ramps(wins, 1 - wins, u)[1])
    assert total == pytest.approx(1.0, rel=0.15)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50), st.floats(-1e150, 1e150)), min_size=1, max_size=20),
)
def test_guesses_are_probabilities_whatever_the_counts(cells):
    a, b = (np.array([c[i] for c in cells]) for i in (0, 1))
    a[0] += 1
    pi, evidence = ramps(a, b, np.sort(np.array([c[2] for c in cells])))
    assert np.all((pi > 0) & (pi < 1))
    assert math.isfinite(evidence)


def test_swapping_the_sides_swaps_the_guess():
    rng = np.random.default_rng(0)
    a, b, u = rng.integers(0, 30, 16), rng.integers(0, 30, 16), np.arange(16.0)
    assert ramps(a, b, u)[0] == pytest.approx(1 - ramps(b, a, u)[0])
