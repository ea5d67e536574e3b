from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwitness.core import Answers, Interval, Records
from dpwitness.core.adjacency import AddRemove, Ball, Monotone, OneAnswer, Substitution
from dpwitness.core.errors import BadInput

vectors = st.lists(st.fractions(-3, 3), min_size=1, max_size=4)


@given(vectors, vectors)
def test_relations_are_symmetric_and_nobody_is_his_own_neighbour(left: list, right: list) -> None:
    balls = (Ball("l1", 2), Ball("l2", 2), Ball("linf", 2))
    for relation in (*balls, OneAnswer(2), Monotone(2), Substitution(), AddRemove()):
        assert relation.related(left, right) == relation.related(right, left)
        assert not relation.related(left, left)


@given(vectors, vectors)
def test_relations_on_answers_are_nested(left: list, right: list) -> None:
    everything = Ball("linf", 1).related(left, right)
    for smaller in (Ball("l1", 1), Ball("l2", 1), OneAnswer(1), Monotone(1)):
        assert everything or not smaller.related(left, right)
    assert Ball("l1", 1).related(left, right) or not OneAnswer(1).related(left, right)


def test_monotone_means_one_direction() -> None:
    assert Monotone(1).related((0, 0), (1, "1/2"))
    assert Monotone(1).related((0, 0), (-1, 0))
    assert not Monotone(1).related((0, 0), (1, -1))


def test_add_remove_allows_any_position() -> None:
    assert AddRemove().related("ac", "abc")
    assert not AddRemove().related("ac", "abd")


@pytest.mark.parametrize("moves", ["all", "one", "up", "down", "l1", "l2"])
@pytest.mark.parametrize("size", [1, 2, 5, 9])
def test_typical_pairs_are_neighbours(moves: str, size: int) -> None:
    space = Answers(moves, by="3/2", size=size)  # type: ignore[arg-type]
    pairs = space.typical_pairs()
    assert pairs
    assert all(space.adjacency.related(p.left, p.right) and len(p.left) == size for p in pairs)


def test_typical_pairs_respect_bounds() -> None:
    space = Answers("all", low=0, high=2, size=3)
    for pair in space.typical_pairs():
        space.validate(pair.left)
        space.validate(pair.right)


@pytest.mark.parametrize("moves", ["all", "one", "up", "l1", "l2"])
def test_whole_answers(moves: str) -> None:
    space = Answers(moves, low="1/2", size=3, whole=True)  # type: ignore[arg-type]
    assert space.validate([1, 2, 3]) == (1, 2, 3)
    with pytest.raises(BadInput, match="must be a whole number"):
        space.validate([1, "3/2", 2])
    assert all(x.denominator == 1 for p in Answers("all", whole=True).typical_pairs() for x in (*p.left, *p.right))
    assert "whole" in space.describe()


def test_all_pairs_of_a_finite_space_are_exactly_the_neighbours() -> None:
    space = Answers("all", values=(-1, 0, 1), size=2)
    every = list(itertools.product((-1, 0, 1), repeat=2))
    near = [(a, b) for a in every for b in every if max(abs(x - y) for x, y in zip(a, b, strict=True)) == 1]
    expected = set(near)
    assert {(p.left, p.right) for p in space.all_pairs()} == expected


@pytest.mark.parametrize("adjacency", ["substitute", "add-remove"])
def test_all_pairs_of_records(adjacency: str) -> None:
    space = Records((0, 1), 3, adjacency)  # type: ignore[arg-type]
    pairs = list(space.all_pairs())
    assert all(space.adjacency.related(p.left, p.right) for p in pairs)
    assert {(p.right, p.left) for p in pairs} == {(p.left, p.right) for p in pairs}
    inputs = list(space.all_inputs())
    brute = sum(space.adjacency.related(a, b) for a in inputs for b in inputs)
    assert len({(p.left, p.right) for p in pairs}) == brute


def test_typical_pairs_of_bounded_records_are_neighbours_in_the_domain() -> None:
    space = Records(Interval(0, 10), 7)
    pairs = space.typical_pairs()
    assert pairs
    for pair in pairs:
        assert space.adjacency.related(space.validate(pair.left), space.validate(pair.right))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Answers("sideways"), "moves='sideways'"),
        (lambda: Answers(by=0), "by=0"),
        (lambda: Answers(size=0), "size=0"),
        (lambda: Answers(values=(1,)), "values="),
        (lambda: Answers(low=1, high=0), "low=1"),
        (lambda: Answers(values=(0, "1/2"), whole=True), "values="),
        (lambda: Records((0,), 3), "domain="),
        (lambda: Records((0, 1), 0), "size=0"),
        (lambda: Records((0, 1), 3, "swap"), "adjacency='swap'"),
        (lambda: Interval(1, 1), "low=1"),
        (lambda: Answers().validate([]), "data is empty"),
        (lambda: Answers().validate([0, float("nan")]), r"data\[1\]=nan"),
        (lambda: Records((0, 1), 3).validate([0, 1, 2]), r"data\[2\]="),
        (lambda: Records((0, 1), 3).validate([]), "data has 0 records"),
        (lambda: Records(Interval(0, 1), 2).validate([0, 2]), r"data\[1\]="),
    ],
)
def test_bad_input_names_the_argument(make, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        make()
