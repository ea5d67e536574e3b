"""Exact probabilities against closed forms, against quadrature, and against each other: they sum to one."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest

from dpwitness.proofs.kernel.algebra.exppoly import ExpPoly, derivative
from dpwitness.proofs.kernel.algebra.polyhedra import Row, parse
from dpwitness.proofs.kernel.programs.comparisons import NotAForest
from dpwitness.proofs.kernel.programs.integrate import probability
from dpwitness.proofs.kernel.programs.signs import find_negative
from dpwitness.proofs.kernel.programs.trees import Draw
from dpwitness.proofs.programs.tables import read_table

F = Fraction


def prob(texts, scales, q=(), law="laplace"):
    draws = [Draw(law, F(s)) for s in scales]
    top, bottom = probability([Row(parse(t), False) for t in texts], draws, [F(x) for x in q])
    assert bottom == ExpPoly.of(1)
    return top


def test_one_draw():
    assert str(prob(["n0-q0"], [1], [2])) == "1/2·e^(-2·eps)"
    assert str(prob(["n0-q0"], [1], [-2])) == "-1/2·e^(-2·eps) + 1"
    assert prob(["n0+1", "-1*n0-2"], [1]).terms == {}


def test_sum_of_two_laplace_draws():
    # P[n0 + n1 >= t] = (2 + t) e^-t / 4
    assert prob(["n0+n1-q0"], [1, 1], [3]) == ExpPoly.from_json({"0,-3": "1/2", "1,-3": "3/4"})


def test_exponential_draws():
    assert str(prob(["n0-n1-q0"], [1, 1], [1], "exponential")) == "1/2·e^(-eps)"
    assert prob(["n0-q0"], [2], [-1], "exponential") == ExpPoly.of(1)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_every_order_is_equally_likely(count):
    # a circle of comparisons: x0 <= x1, ..., all below x_last and above x0 twice over
    texts = [f"n{i + 1}-n{i}" for i in range(count - 1)] + [f"n{count - 1}-n0"]
    assert prob(texts, [1] * count) == ExpPoly.of(F(1, math.factorial(count)))


def test_circles_are_opened():
    # P[n0 < n2 < n1 and n0 < n3 < n1] = 2·2·(1/4!)/... : of 24 orders, n0 first and n1 last leave 2
    assert prob(["n2-n0", "n1-n2", "n3-n0", "n1-n3"], [1, 1, 1, 1]) == ExpPoly.of(F(1, 12))
    # without n0 < n1 given: both below both
    assert prob(["n2-n0", "n2-n1", "n3-n0", "n3-n1"], [1, 1, 1, 1]) == ExpPoly.of(F(1, 6))


def test_contradictory_circle_is_null():
    assert prob(["n0-n1-1", "n1-n2", "n2-n0"], [1, 1, 1]).terms == {}


def test_three_draws_in_a_row_are_refused():
    with pytest.raises(NotAForest):
        prob(["n0+n1+n2"], [1, 1, 1])


def test_against_quadrature():
    from scipy.integrate import quad

    q, eps = [F(1, 2), F(-1)], 0.7
    exact = prob(["n0-n1-q0", "n2+q1-n0"], [2, 4, 4], q)

    def cdf(x, b):
        return 0.5 * math.exp(x / b) if x < 0 else 1 - 0.5 * math.exp(-x / b)

    b0, b1 = 2 / eps, 4 / eps
    value, _ = quad(
        lambda t: math.exp(-abs(t) / b0) / (2 * b0) * cdf(t - 0.5, b1) * (1 - cdf(t + 1, b1)), -60, 60, limit=400
    )
    assert float(exact.at(F(7, 10)).ball().mid()) == pytest.approx(value, abs=1e-8)


@pytest.mark.parametrize("name", ["noisy max", "running", "svt", "no cutoff", "exponential", "two thirds"])
def test_sum_to_one_symbolically(programs, name):
    program = {
        "noisy max": programs.noisy_max(),
        "running": programs.running_max,
        "svt": programs.svt(),
        "no cutoff": programs.svt(2, 2, None),
        "exponential": programs.noisy_max(2, "exponential"),
        "two thirds": programs.svt(F(2, 3), F(5, 2), 2),
    }[name]
    table = read_table(programs.make(program, name="p").claims()[0], 3)
    for q in itertools.product([F(0), F(1), F(-3, 2)], repeat=3):
        total = ExpPoly.of(0)
        for leaf in table.tree.leaves:
            total = total + probability(leaf.rows, leaf.draws, q)[0]
        assert total == ExpPoly.of(1)


def test_sign_at_a_rational_point_is_exact():
    x = ExpPoly.exp(1) * ExpPoly.exp(-1) - 1
    assert x.sign_at(F(1, 3)) == 0
    close = ExpPoly.exp(F(1)) - ExpPoly.of(F(math.e))
    assert close.sign_at(F(1)) != 0


@pytest.mark.parametrize(
    ("terms", "good"),
    [
        ({"0,1": "1", "0,0": "-1"}, True),
        ({"0,1": "1", "0,0": "-1", "1,0": "-1"}, True),  # e^x - 1 - x
        ({"0,1": "1", "0,0": "-1", "1,0": "-2"}, False),
        ({"0,2": "1", "0,1": "-2", "0,0": "1"}, True),  # (e^x - 1)^2
        ({"0,2": "1", "0,1": "-4", "0,0": "4"}, None),  # (e^x - 2)^2 touches zero
        ({"0,2": "1", "0,1": "-4", "0,0": "401/100"}, True),
        ({"0,2": "1", "0,1": "-4", "0,0": "399/100"}, False),
        ({"2,0": "1", "1,0": "-2", "0,0": "99/100"}, False),
        ({"0,-1": "-1", "0,0": "1"}, True),
    ],
)
def test_sign_for_all_eps(terms, good):
    found = find_negative(ExpPoly.from_json(terms))
    if good is None:
        assert found is None or found is True
    elif good:
        assert found is True
    else:
        assert isinstance(found, F)
        assert ExpPoly.from_json(terms).sign_at(found) < 0


def test_derivative_and_json():
    x = ExpPoly.from_json({"1,2": "3", "0,-1/2": "1"})
    assert derivative(x) == ExpPoly.from_json({"0,2": "3", "1,2": "6", "0,-1/2": "-1/2"})
    assert ExpPoly.from_json(x.to_json()) == x
