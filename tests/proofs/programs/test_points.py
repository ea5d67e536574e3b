"""Interior points and Farkas proofs: exactly one of the two, and each is right."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from dpwitness.proofs.kernel.algebra.polyhedra import Row, holds, multipliers, parse, refutes, show
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.programs.points import Empty, decide, decide_all, satisfies


def rows(*texts):
    return [Row(parse(t.lstrip("=")), not t.startswith("=")) for t in texts]


@pytest.mark.parametrize("seed", range(60))
def test_random_systems_are_decided(seed):
    rng = random.Random(seed)
    names = ["n0", "n1", "q0", "q1"][: rng.randint(1, 4)]
    system = [
        Row({**{n: Fraction(rng.randint(-2, 2)) for n in names}, "": Fraction(rng.randint(-2, 2))}, rng.random() < 0.6)
        for _ in range(rng.randint(1, 6))
    ]
    system = [Row({k: v for k, v in row.form.items() if v}, row.strict) for row in system]
    found = decide(system)
    assert found is not None
    if isinstance(found, Empty):
        assert refutes(system, found.proof)
    else:
        assert satisfies(system, found)


def test_strictness_decides_the_touching_case():
    assert isinstance(decide(rows("n0-q0", "q0-n0")), Empty)
    assert isinstance(decide(rows("=n0-q0", "=q0-n0")), dict)
    assert isinstance(decide(rows("n0-q0", "=q0-n0")), Empty)


def test_u_is_positive():
    assert isinstance(decide(rows("=n0-u", "=-1*n0")), Empty)
    assert isinstance(decide(rows("=n0-u", "=3-n0")), dict)


def test_one_point_for_every_epsilon():
    found = decide_all(rows("n0-u", "q0-n0-1"))
    assert isinstance(found, dict)
    assert all(holds(row, found) for row in rows("n0-u", "q0-n0-1"))
    # for large u there is no room below 3: no single affine point, and no emptiness either
    assert decide_all(rows("n0-u", "3-n0")) is None


@pytest.mark.parametrize("text", ["n0-q1+1/2", "-3/7*n12+2*u-5", "0"])
def test_forms_are_read_and_written(text):
    assert show(parse(text)) == text


@pytest.mark.parametrize("bad", ["n0q1", "2n0", "x0", "n0+", "1.5", "n0*n1", "1e5", " n0", "n0-q1+1/0", 3, None, "n٣"])
def test_malformed_forms_are_rejected(bad):
    with pytest.raises(Rejected):
        parse(bad)


def test_multipliers_must_be_nonnegative_and_belong_to_a_row():
    system = rows("n0", "-1*n0")
    assert refutes(system, {0: Fraction(1), 1: Fraction(1)})
    with pytest.raises(Rejected):
        refutes(system, {0: Fraction(-1), 1: Fraction(-1)})
    with pytest.raises(Rejected):
        refutes(system, {7: Fraction(1)})
    with pytest.raises(Rejected):
        multipliers({"a": "1"})
