"""Counterexamples shrink to the smallest pair that still refutes."""

from __future__ import annotations

import numpy as np

from dpwitness.auditors.budget import Budget
from dpwitness.auditors.evalue import Null
from dpwitness.auditors.sampling import Sampler
from dpwitness.auditors.shrink import shrink, simpler_pairs
from dpwitness.core.adjacency import AddRemove, Ball


def noisy_sum(data, size, rng):
    return rng.laplace(float(np.sum(data)), 0.3, size)


def test_records_that_do_not_matter_are_dropped_and_values_become_simple():
    relation = Ball("linf", 1)
    found = shrink(
        Sampler(noisy_sum, True), [7, 3, 5, 2], [7, 3, 6, 2], (Null(1.0),), 0.0, Budget(1e-3, 20_000), relation.related
    )
    assert found.outcome.refuted
    assert (found.left, found.right) == ([0], [1])


def test_neighbours_stay_neighbours():
    relation = AddRemove()
    seen = []

    def spy(data, size, rng):
        seen.append(list(data))
        return noisy_sum(data, size, rng)

    found = shrink(Sampler(spy, True), [1, 1, 1], [1, 1, 1, 1], (Null(1.0),), 0.0, Budget(1e-3, 5000), relation.related)
    assert relation.related(found.left, found.right)
    assert (found.left, found.right) == ([], [1])


def test_nothing_simpler_leaves_the_pair():
    found = shrink(Sampler(noisy_sum, True), [0], [1], (Null(1.0),), 0.0, Budget(1e-3, 5000), Ball("linf", 1).related)
    assert (found.left, found.right) == ([0], [1])
    assert found.outcome is not None


def test_a_pair_that_does_not_refute_says_so():
    found = shrink(Sampler(noisy_sum, True), [0.0], [0.1], (Null(1.0),), 0.0, Budget(1e-3, 500))
    assert found.outcome is None


def test_proposals_are_simpler():
    for left, right in simpler_pairs([4, 0, 9], [4, 1, 9]):
        assert len(left) + len(right) < 6 or sum(map(abs, left + right)) < 27
