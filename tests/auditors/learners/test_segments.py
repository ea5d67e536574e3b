"""Bayesian averaging over partitions, against brute force."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwitness.auditors.learners.cells import quantile_edges
from dpwitness.auditors.learners.line import average, fit_line
from dpwitness.auditors.learners.logistic import logistic
from dpwitness.auditors.learners.segments import three_segments, tree

counts = st.integers(0, 30)


def evidence(a: int, b: int) -> float:
    return math.lgamma(a + 1) + math.lgamma(b + 1) - math.lgamma(a + b + 2)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(counts, counts), min_size=1, max_size=6))
def test_three_segments_equals_the_average_over_all_cuts(cells):
    a, b = (np.array(x) for x in zip(*cells, strict=True))
    k = len(cells)
    total, pi = 0.0, np.zeros(k)
    for i, j in itertools.combinations_with_replacement(range(k + 1), 2):
        weight, guess = 0.0, np.zeros(k)
        for part in (slice(0, i), slice(i, j), slice(j, k)):
            x, y = int(a[part].sum()), int(b[part].sum())
            weight += evidence(x, y)
            guess[part] = (x + 1) / (x + y + 2)
        total += math.exp(weight)
        pi += math.exp(weight) * guess
    got, log_evidence = three_segments(a, b)
    assert got == pytest.approx(pi / total)
    assert math.exp(log_evidence) == pytest.approx(total / ((k + 1) * (k + 2) / 2))


def brute_tree(a, b, split=0.5):
    if len(a) == 1:
        w = math.exp(evidence(int(a[0]), int(b[0])))
        return w, w * np.array([(a[0] + 1) / (a[0] + b[0] + 2)])
    x, y = int(a.sum()), int(b.sum())
    stop = (1 - split) * math.exp(evidence(x, y))
    half = len(a) // 2
    w1, p1 = brute_tree(a[:half], b[:half])
    w2, p2 = brute_tree(a[half:], b[half:])
    weight = stop + split * w1 * w2
    pi = stop * np.full(len(a), (x + 1) / (x + y + 2)) + split * np.concatenate([p1 * w2, p2 * w1])
    return weight, pi


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(counts, counts), min_size=8, max_size=8), st.sampled_from([1, 2, 4, 8]))
def test_tree_equals_the_recursion(cells, size):
    a, b = (np.array(x[:size]) for x in zip(*cells, strict=True))
    weight, pi = brute_tree(a, b)
    got, log_evidence = tree(a, b)
    assert got == pytest.approx(pi / weight)
    assert math.exp(log_evidence) == pytest.approx(weight)


def test_edges_isolate_repeated_values():
    edges = quantile_edges(np.array([0.0] * 50 + [1.0] * 50 + list(np.linspace(0.1, 0.9, 50))), 16)
    cells = np.searchsorted(edges, [0.0, 1e-9, 1.0, np.nextafter(1.0, 0)])
    assert cells[0] != cells[1]
    assert cells[2] != cells[3]


@pytest.mark.parametrize("value", [np.inf, -np.inf, 0.0, 1e300, 5e-324])
def test_line_accepts_every_number_and_nan(value):
    rng = np.random.default_rng(0)
    left = np.concatenate([rng.normal(size=50), [value, np.nan]])
    right = np.concatenate([rng.normal(size=50), [value, np.nan]])
    line = fit_line(left, right)
    assert np.all((line.pi > 0) & (line.pi < 1))
    assert line.cells(np.array([value, np.nan, 0.0]))[1] == line.size - 1


@pytest.mark.parametrize(
    "numbers", [np.zeros(0), np.zeros(1), np.full(9, np.nan), np.full(9, 3.0), np.array([np.inf] * 4)]
)
def test_line_survives_degenerate_samples(numbers):
    line = fit_line(numbers, numbers)
    assert line.pi.shape[1] == line.size
    assert np.all((line.pi > 0) & (line.pi < 1))


def test_logistic_recovers_known_coefficients():
    rng = np.random.default_rng(1)
    x = rng.normal(size=40_000)
    design = np.stack([np.ones_like(x), x], axis=1)
    wins = (rng.random(len(x)) < 1 / (1 + np.exp(-(0.3 - 0.8 * x)))).astype(float)
    beta, _, _ = logistic(design, wins, np.ones_like(x))
    assert beta == pytest.approx([0.3, -0.8], abs=0.05)


def test_a_median_between_the_infinities_is_no_warning():
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        line = fit_line(np.array([-np.inf, 0.0, 1.0] * 4), np.array([np.inf, 0.0, 1.0] * 4))
        ends = fit_line(np.full(6, -np.inf), np.full(6, np.inf))
    assert np.all((line.pi > 0) & (line.pi < 1))
    assert ends.pi[0][ends.cells(np.array([-np.inf, np.inf]))] == pytest.approx([0.9, 0.1], abs=0.1)


def test_infinite_outputs_that_tell_are_not_drowned_by_finite_ones_that_do_not():
    rng = np.random.default_rng(7)
    left, right = rng.normal(size=80), rng.normal(size=80)
    left[::4] = np.inf
    line = fit_line(left, right)
    assert line.pi[0][line.cells(np.array([np.inf]))][0] > 0.85
    assert abs(line.pi[0][line.cells(np.array([0.0]))][0] - 0.45) < 0.15


def test_a_shape_that_is_thrice_as_likely_counts_as_three():
    one, two = (np.array([0.2, 0.6]), -3.0), (np.array([0.9, 0.5]), -2.0)
    pi, evidence = average([one, two], [3.0, 1.0])
    again, same = average([one, one, one, two])
    np.testing.assert_allclose(pi, again)
    assert evidence == pytest.approx(same)
