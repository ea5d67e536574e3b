"""Directions in which answers should move, found from the outputs."""

from __future__ import annotations

import numpy as np
import pytest

from dpwitness.auditors.bounds.ledger import Budget
from dpwitness.auditors.sampling.sampler import Sampler
from dpwitness.auditors.search.ascent import MOST_PAIRS, steepest
from dpwitness.auditors.search.relation import relation
from dpwitness.core.adjacency import Ball, Monotone
from dpwitness.core.errors import BadInput
from dpwitness.core.spaces import Answers, Records

LEFT = [0.0] * 5


def bits(data, size, rng):
    """Which answers are above 0, each with noise of its own: only the pattern that occurs tells anything."""
    return (np.asarray(data) + rng.laplace(0, 3, (size, len(data))) > 0).astype(float)


def one_pattern(data, size, rng):
    """Whether the pattern is: above, below, below, above, below."""
    return (bits(data, size, rng) == np.array([1, 0, 0, 1, 0])).all(axis=1).astype(float)


def found(sampler, space, left=LEFT, **budget):
    return steepest(Sampler(sampler, True), left, space, relation(space), Budget(**budget))


def test_the_answers_move_along_the_signs_that_the_output_asks_for():
    rights = [right for _, right, _ in found(one_pattern, Answers("all", 1, size=5))]
    assert [1.0, -1.0, -1.0, 1.0, -1.0] in rights
    assert [-1.0, 1.0, 1.0, -1.0, 1.0] in rights


@pytest.mark.parametrize(
    ("space", "allowed"),
    [
        (Answers("all", 2, size=5), {-2.0, 2.0}),
        (Answers("up", 1, size=5), {0.0, 1.0}),
        (Answers("down", 1, size=5), {0.0, -1.0}),
        (Ball("linf", 1), {-1.0, 1.0}),
        (Monotone(1), {0.0, 1.0}),
    ],
)
def test_every_proposal_is_a_neighbour(space, allowed):
    pairs = found(bits, space)
    assert 0 < len(pairs) <= MOST_PAIRS
    assert len({tuple(right) for _, right, _ in pairs}) == len(pairs)
    related = relation(space)
    assert related is not None
    for left, right, why in pairs:
        assert related(left, right)
        assert set(right) <= allowed
        assert "slopes" in why


@pytest.mark.parametrize("space", [Answers("one", 1, size=5), Ball("l1", 1), Ball("l2", 1), Records((0, 1), 5)])
def test_nothing_where_answers_do_not_move_freely(space):
    assert found(bits, space) == []


def test_nothing_where_outputs_do_not_recur_or_the_sampler_fails():
    space = Answers("all", 1, size=5)
    assert found(lambda data, size, rng: rng.laplace(data, 1, (size, len(data))), space) == []
    assert found(lambda data, size, rng: 1 / 0, space) == []
    assert found(bits, space, left=[0.0]) == []
    assert steepest(Sampler(lambda data: 0, False), LEFT, space, relation(space), Budget()) == []


def test_inputs_outside_the_space_are_never_run():
    space = Answers("all", 1, size=3, values=(-1, 0, 1))
    seen = []

    def recorded(data, size, rng):
        seen.append(tuple(data))
        return bits(data, size, rng)

    inside = {-1.0, 0.0, 1.0}
    for left in ([-1.0, 0.0, 1.0], [0.0, 0.0, 0.0]):
        seen.clear()
        pairs = found(recorded, space, left=left)
        assert pairs
        assert seen
        assert all(set(data) <= inside for data in [*seen, *(right for _, right, _ in pairs)])

    def refuses(data, size, rng):
        raise BadInput("data is not allowed")

    assert found(refuses, space, left=[0.0, 0.0, 0.0]) == []


def test_the_same_seed_gives_the_same_pairs():
    space = Answers("all", 1, size=5)
    assert found(bits, space, seed=3) == found(bits, space, seed=3)
