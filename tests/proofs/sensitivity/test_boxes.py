"""Sensitivity of functions of vectors: bounds, the pairs that reach them, and what is refused."""

import itertools
from fractions import Fraction as F

import pytest

import dpwitness as dpw
from dpwitness import Box, Records
from dpwitness.core.errors import BadInput, OutsideFragment
from dpwitness.proofs.kernel.check import check

BOX = Box((0, 3), (-2, 4))


def sums(data):
    return sum(r[0] for r in data), sum(r[1] for r in data)


def clipped_means(data):
    return [sum(min(r[0], 1) for r in data) / len(data), sum(r[1] * r[1] for r in data) / len(data)]


def largest_move(function, norm, n, relation):
    """By trying corners and middles."""
    points = list(itertools.product((F(0), F(1), F(3)), (F(-2), F(0), F(4))))
    best = 0.0
    for base in itertools.combinations_with_replacement(points, n - 1):
        for one, two in itertools.product(points, repeat=2):
            left = [*base, one] if relation == "substitute" else list(base)
            moves = [abs(float(a - b)) for a, b in zip(function(left), function([*base, two]), strict=True)]
            size = {"l1": sum(moves), "linf": max(moves), "l2": sum(m * m for m in moves) ** 0.5}[norm]
            best = max(best, size)
    return best


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
@pytest.mark.parametrize(
    ("function", "relation"), [(sums, "substitute"), (sums, "add-remove"), (clipped_means, "substitute")]
)
def test_the_bound_is_what_corners_reach(function, relation, norm):
    found = dpw.sensitivity(function, Records(BOX, (2, 3), relation), norm, n=2)
    low, high = found.at(2)
    truth = largest_move(function, norm, 2 if relation == "substitute" else 3, relation)
    assert float(low) - 1e-9 <= truth <= float(high) + 1e-9
    assert float(high) - truth < 1e-9
    assert check(found.certificate).relation["box"] == [["0", "3"], ["-2", "4"]]


def test_every_number_of_records_at_once():
    found = dpw.sensitivity(
        ["sum(r[0] for r in x)/n", "sum(x[i][1] for i in range(n))/n"], Records(BOX, 4), "l1", n="any"
    )
    assert found.cases[0].describe().startswith("every n >= 1: at most (3/n) + (6/n)")
    assert found.at(3)[1] == 3
    assert found.at(1) == (9, 9)
    assert found.pair(1) == (((0, -2),), ((3, 4),))


@pytest.mark.parametrize(
    ("f", "words"),
    [
        ("sum(r[0]*r[1] for r in x)", "reads the coordinates 0 and 1"),
        ("sum(x)", "x is a vector"),
        ("sum(r for r in x)", "r is a vector"),
        ("sum(r[2] for r in x)", "a number from 0 to 1"),
        ("sum(r[-1] for r in x)", "a number from 0 to 1"),
        ("sum(x[0] for i in range(n))", "not read: write r"),
        ("max(x)", "x is a vector"),
        ("sum(r[0] for r in x for s in x)", "one loop"),
    ],
)
def test_what_is_not_read_is_refused(f, words):
    with pytest.raises((OutsideFragment, BadInput), match=words):
        dpw.sensitivity(f, Records(BOX, 3), n="any")


def test_a_function_that_is_not_its_formula_is_refused():
    def shadowed(data):
        return sum(r[0] for r in data)

    shadowed.__globals__["sum"] = lambda values: 7.0
    try:
        with pytest.raises(OutsideFragment, match="sum is a function of your own"):
            dpw.sensitivity(shadowed, Records(BOX, 3), n="any")
    finally:
        del shadowed.__globals__["sum"]


def test_public_parameters_are_refused():
    with pytest.raises(BadInput, match="public parameters"):
        dpw.sensitivity("sum(r[0] for r in x)*m", Records(BOX, 3), params={"m": (0, 1)}, n="any")
