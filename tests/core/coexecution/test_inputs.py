"""Inputs come from the whole space: every size, ties, edges, both neighbours, equal records that are not the same."""

import random

import pytest

from dpwitness import Answers, Interval, Records
from dpwitness.core.coexecution.inputs import disguises, inputs
from dpwitness.core.identity import key
from dpwitness.core.numbers import Exact


def offered(space, most=80, some=40):
    return inputs(space, random.Random(0), most, some)


@pytest.mark.parametrize(
    "space",
    [
        Records(Interval(0, 1), (2, 5)),
        Records(range(10), (1, 4)),
        Records([0, 1], 6, adjacency="add-remove"),
    ],
    ids=str,
)
def test_every_allowed_size_is_tried(space):
    assert {len(data) for data in offered(space)} == set(range(space.fewest, space.most + 1))


def test_no_empty_dataset_is_tried_where_it_has_no_neighbour():
    assert () not in offered(Records([0, 1], (0, 2)))


def test_a_small_space_is_tried_whole_and_records_that_are_equal_are_not_the_same():
    found = {key(data) for data in offered(Records([0, False, "0"], 2))}
    assert len(found) == 9
    assert key((Exact(0), False)) in found
    assert key((False, Exact(0))) in found


def test_edges_ties_and_both_orders_of_real_records():
    found = offered(Records(Interval(0, 1), 3))
    assert (0, 0, 0) in found
    assert (1, 1, 1) in found
    assert any(len(set(data)) == 3 for data in found)
    assert any(list(data) != sorted(data) for data in found)
    assert any(len(set(data)) == 2 for data in found), "ties"


def test_answers_have_the_size_that_is_studied_and_lie_in_the_space():
    for space in (Answers("all", 1, size=3), Answers("one", 1, size=2, low=0), Answers("all", 1, size=2, whole=True)):
        found = offered(space)
        assert {len(data) for data in found} == {space.size}
        assert all(space.validate(data) for data in found)
        assert len(set(found)) > 10
    pairs = {side for pair in Answers("all", 1, size=3).typical_pairs() for side in (pair.left, pair.right)}
    assert len(pairs & set(offered(Answers("all", 1, size=3)))) >= 10


def test_a_space_with_fewer_inputs_than_are_wanted_ends():
    assert offered(Answers("one", 1, size=1, whole=True, low=0, high=3))


def test_disguises_are_the_same_numbers_in_the_types_that_a_caller_may_use():
    assert disguises(Answers(size=2), (Exact(1), Exact(1, 3))) == [(1, Exact(1, 3))]
    (whole, real) = disguises(Answers(size=2), (Exact(1), Exact(1, 2)))
    assert list(map(type, whole)) == [int, Exact]
    assert list(map(type, real)) == [float, float]
    assert disguises(Answers(size=1, whole=True), (Exact(2),)) == [(2,)]
    assert disguises(Records(["a", "b"], 2), ("a", "b")) == []
