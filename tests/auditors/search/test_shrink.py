"""Counterexamples shrink to the smallest pair that still refutes."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwitness.auditors import audit
from dpwitness.auditors.bounds.evalue import Null
from dpwitness.auditors.bounds.ledger import Budget
from dpwitness.auditors.sampling.sampler import Sampler
from dpwitness.auditors.search.shrink import shrink, simpler_pairs
from dpwitness.auditors.search.simplest_event import simplest_event
from dpwitness.core.adjacency import AddRemove, Ball
from dpwitness.core.spaces import Answers


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


def noisy_total(data, size, rng):
    return rng.laplace(float(np.sum(data)), 0.4, size)


def test_an_audit_shrinks_what_its_search_has_found():
    pairs = [([7, 3, 5], [7, 3, 6]), ([2, 2, 9], [2, 2, 8])]
    result = audit(noisy_total, epsilon=1.0, neighbours=pairs, max_pairs=20_000, adjacency=Answers("one", 1, size=3))
    assert result.refuted
    assert (result.shrunk["left"], result.shrunk["right"]) in (([0], [1]), ([1], [0]))
    assert result.shrunk["alpha"] < result.alpha / 10
    assert sum(share for what, share in result.ledger if "simpler" in what) == pytest.approx(result.shrunk["alpha"])
    assert "simplest: " in str(result)


def test_without_a_relation_only_the_given_pairs_are_tried():
    pairs = [([7, 3, 5], [7, 3, 6]), ([0, 0, 0], [0, 0, 1]), ([5, 5, 5], [5, 5, 5.01])]
    result = audit(noisy_total, epsilon=1.0, neighbours=pairs, max_pairs=20_000)
    assert (result.shrunk["left"], result.shrunk["right"]) in [pairs[0], pairs[1]]


def test_the_same_seed_shrinks_to_the_same_witness():
    pairs = [([7, 3, 5], [7, 3, 6]), ([0, 0, 0], [0, 0, 1])]
    one, two = (audit(noisy_total, epsilon=1.0, neighbours=pairs, max_pairs=20_000).shrunk for _ in range(2))
    assert one == two


@pytest.mark.parametrize(
    ("sampler", "words"),
    [
        (lambda data, size, rng: rng.laplace(10 * data[0], 1.0, size), r"output [≤≥] \d"),
        (lambda data, size, rng: (rng.random(size) < (0.9 if data[0] else 0.1)).astype(int), "output"),
        (lambda data, size, rng: ["yes" if rng.random() < 0.1 + 0.8 * data[0] else None for _ in range(size)],
         "output is (None|'yes')"),
    ],
)  # fmt: skip
def test_events_become_simple(sampler, words):
    found = simplest_event(Sampler(sampler, True), [0], [1], (Null(1.0),), 1e-3, 2000, 0)
    assert re.match(words, found.words)
    assert found.epsilon > 1.0


@given(st.lists(st.integers(-50, 50), min_size=1, max_size=6), st.integers(0, 5), st.integers(-3, 3))
def test_shrinking_ends(base, at, move):
    """From any pair, taking the first proposal again and again comes to an end."""
    left, right = list(base), list(base)
    right[at % len(base)] += move or 1
    for _ in range(400):
        following = next((p for p in simpler_pairs(left, right) if p[0] != p[1] and p[0] and p[1]), None)
        if following is None:
            return
        left, right = following
    raise AssertionError((base, at, move, left, right))
