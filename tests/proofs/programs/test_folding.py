"""Noise-dependent shifts: a maximum over draws that stay counts as one more answer."""

from __future__ import annotations

import copy
from fractions import Fraction

import pytest

from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.programs.route import ProgramProver


@pytest.mark.parametrize(("moves", "value"), [("all", Fraction(1)), ("up", Fraction(1, 2)), ("one", Fraction(1, 2))])
def test_gap_of_the_maximum_is_exact(programs, moves, value):
    made = programs.make(programs.gap_of_maximum, moves, name="p")
    evidence = ProgramProver(queries=4).run(made.claims()[0])
    assert isinstance(evidence, UpperBound)
    assert evidence.guarantee.eps == value
    assert evidence.exact
    assert examine(evidence.certificate)


def test_maximum_with_its_value_is_not_saved(programs):
    def program(noise, q, *, eps):
        return noise.max([x + noise.laplace(2 / eps) for x in q])

    evidence = ProgramProver(queries=3).run(programs.make(program, name="p").claims()[0])
    assert isinstance(evidence, Counterexample)


def test_gap_with_too_little_noise_is_refuted(programs):
    def program(noise, q, *, eps):
        values = [x + noise.laplace(1 / eps) for x in q]
        best = noise.argmax(values)
        return best, values[best] - noise.max(values[:best] + values[best + 1 :])

    evidence = ProgramProver(queries=4).run(programs.make(program, name="p").claims()[0])
    assert isinstance(evidence, Counterexample)


@pytest.mark.parametrize(
    "change",
    [
        lambda f: f["forms"].__setitem__(0, "n1+2*q1"),
        lambda f: f["forms"].__setitem__(0, "n1+q2"),
        lambda f: f["leaves"].pop(),
        lambda f: f["rows"].clear(),
        lambda f: f.update(shift={"n0": "2", "n1": "1"}),
        lambda f: f.update(shift={}),
        lambda f: f["outside"].__setitem__(0, {}),
        lambda f: f["values"].__setitem__(0, "n0+q0"),
    ],
)
def test_a_changed_fold_is_refused(programs, change):
    made = programs.make(programs.gap_of_maximum, name="p")
    proof = copy.deepcopy(ProgramProver(queries=4).run(made.claims()[0]).certificate)
    assert len(proof["folded"]) == 4
    change(proof["folded"][0])
    assert not examine(proof)
