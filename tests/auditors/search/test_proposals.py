"""Pairs that the same noise tells apart: small ones, front insertions, middle values, and jumps along counts."""

from __future__ import annotations

import numpy as np
import pytest

from dpwitness.auditors.sampling.sampler import Sampler
from dpwitness.auditors.search.proposals import KEPT, proposals
from dpwitness.core import Interval, Records


def never(left, right):
    return False


def first(function, space, known=never):
    """The best pair for a function with Laplace noise."""

    def sampler(data, size, rng):
        return float(function(data)) + rng.laplace(size=size)

    return proposals(Sampler(sampler, True), space, 0, known)


def test_a_mean_moves_most_on_few_records():
    space = Records((0, 1), (1, 40), "add-remove")
    best = first(lambda data: 100 * sum(data) / len(data), space)[0]
    assert max(len(best.left), len(best.right)) <= 3


def test_an_insertion_at_the_front():
    """The number of times that the last record is another one than the first, weighted by its length."""
    space = Records((0, 1), (0, 6), "add-remove")
    best = first(lambda data: 9 * len(data) if data and data[0] == 1 and sum(data) == 1 else 0, space)[0]
    long, short = sorted((best.left, best.right), key=len, reverse=True)
    assert sum(long) != sum(short) or long[0] != short[0]


def test_a_middle_value_of_an_interval():
    space = Records(Interval(0, 1), (1, 6))
    best = first(lambda data: 50 * sum(x == 0.5 for x in data), space)[0]
    assert any(float(x) == 0.5 for x in (*best.left, *best.right))


@pytest.mark.parametrize(("most", "where"), [(300, 128), (2000, 1492), (5000, 777)])
def test_a_jump_along_a_count_is_found_by_halving(most, where):
    space = Records((0, 1), (0, most), "add-remove")
    best = first(lambda data: 500 if len(data) >= where else 0, space)[0]
    assert sorted((len(best.left), len(best.right))) == [where - 1, where]


def test_an_exception_on_one_side_counts_as_the_largest_move():
    def sampler(data, size, rng):
        if len(data) == 3 and data[1] == 1:
            raise ValueError("no")
        return rng.laplace(size=size)

    best = proposals(Sampler(sampler, True), Records((0, 1), (0, 5), "add-remove"), 0, never)[0]
    assert (3 in (len(best.left), len(best.right))) is True


def test_pairs_are_neighbours_few_and_the_same_for_the_same_seed():
    space = Records(("a", "b", "c"), (0, 8), "add-remove")
    function = lambda data: data.count("a") + 2 * data.count("b")  # noqa: E731
    one, two = first(function, space), first(function, space)
    assert one == two
    assert 0 < len(one) <= KEPT
    for pair in one:
        assert space.adjacency.related(space.validate(pair.left), space.validate(pair.right))


def test_known_pairs_are_not_proposed_again():
    space = Records((0, 1), (0, 6), "add-remove")
    assert first(sum, space, lambda left, right: True) == []


def test_the_random_stream_is_not_that_of_the_comparison():
    seen = []

    def sampler(data, size, rng):
        seen.append(rng.bit_generator.state["state"]["state"])
        return rng.laplace(size=size) + len(data)

    proposals(Sampler(sampler, True), Records((0, 1), (0, 3), "add-remove"), 0, never)
    assert len(set(seen)) == 1, "one stream for all inputs: what moves the output is the input"
    assert seen[0] != np.random.default_rng(0).bit_generator.state["state"]["state"]
