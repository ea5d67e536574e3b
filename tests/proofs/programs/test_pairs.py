"""Datasets with real outputs, pair by pair; exact losses between two inputs."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from tests.proofs.programs.draws import drawn

from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.guarantees import PureDP
from dpwitness.core.mechanism import mechanism
from dpwitness.core.spaces import Answers, Records
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.programs.losses import between
from dpwitness.proofs.programs.route import ProgramProver


def make(program, space, factor=1):
    return mechanism(data=space, claim=lambda eps: PureDP(factor * eps), typical={"eps": 1})(program).claims()[0]


def count(scale, law="laplace"):
    def program(noise, data, *, eps):
        return sum(data) + drawn(noise, law, scale / eps)

    return program


def histogram(noise, data, *, eps):
    return [sum(x == v for x in data) + noise.laplace(1 / eps) for v in (0, 1, 2)]


@pytest.mark.parametrize("relation", ["substitute", "add-remove"])
def test_counts(relation):
    space = Records((0, 1), 3, relation)
    evidence = ProgramProver().run(make(count(1), space))
    assert isinstance(evidence, UpperBound)
    assert evidence.guarantee.eps == 1
    assert evidence.scope.epsilon == "all"
    assert examine(evidence.certificate)
    refuted = ProgramProver().run(make(count(Fraction(1, 2)), space))
    assert isinstance(refuted, Counterexample)
    assert space.adjacency.related(refuted.left, refuted.right)
    assert examine(refuted.certificate)


def test_the_histogram_tells_the_adjacencies_apart():
    added = ProgramProver().run(make(histogram, Records((0, 1, 2), 2, "add-remove")))
    replaced = ProgramProver().run(make(histogram, Records((0, 1, 2), 2), 2))
    assert (added.guarantee.eps, replaced.guarantee.eps) == (1, 2)
    assert isinstance(ProgramProver().run(make(histogram, Records((0, 1, 2), 2))), Counterexample)


def test_integer_noise_on_counts():
    evidence = ProgramProver().run(make(count(1, "discrete_laplace"), Records((0, 1), 3)))
    assert isinstance(evidence, UpperBound)
    half = make(lambda noise, data, *, eps: sum(data) / 2 + noise.discrete_laplace(1 / eps), Records((0, 1), 3))
    assert not isinstance(ProgramProver().run(half), UpperBound)


def test_euclidean_moves_are_not_refuted_by_other_pairs():
    def program(noise, q, *, eps):
        return [x + noise.laplace(1 / eps) for x in q]

    claim = make(program, Answers("l2", 1, size=2), Fraction(3, 2))
    evidence = ProgramProver().run(claim)  # the truth is the square root of 2
    assert not isinstance(evidence, Counterexample)
    assert not getattr(evidence, "exact", False)
    tight = ProgramProver().run(make(program, Answers("l2", 1, size=2), Fraction(9, 10)))
    if isinstance(tight, Counterexample):
        assert Answers("l2", 1, size=2).adjacency.related(tight.left, tight.right)


def test_loss_between_two_inputs(programs):
    claim = programs.make(programs.noisy_max(), name="p").claims()[0]
    table = between(claim, [0, 0], [1, -1])
    low, output = table.at(Fraction(1))
    assert "0" in output or "1" in output
    # P[n0 >= n1] = 1/2 against P[n0 + 2 >= n1] with scale 2: 1 - (2 + 1) e^-1 / 4
    other = (2 + 1) * math.exp(-1) / 4
    assert float(low) == pytest.approx(math.log(0.5 / other), abs=1e-9)
    curve = table.curve([Fraction(1, 10), Fraction(1), Fraction(4)])
    assert all(value <= eps + 1e-12 for eps, value in curve)
    assert sum(p for p, _ in table.decimals(Fraction(1)).values()) == pytest.approx(1)
