"""Mutants of correct programs are never proved unless an independent exact computation agrees that they are private."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from tests.proofs.programs.events import confirm

from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.proofs.kernel.arith import precision
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.programs.comparisons import NotAForest
from dpwitness.proofs.kernel.programs.witness import event_probability
from dpwitness.proofs.programs.route import ProgramProver
from dpwitness.proofs.programs.tables import read_table

F = Fraction
RARE = 1e-4  # events below this are left to exact arithmetic
ALPHA = 1e-3  # chance that the samples of all mutants disagree although every number is right


def mutants():
    """Knobs of the sparse vector: scales changed, tests flipped, noise dropped, cutoffs off, values leaked."""
    scales = itertools.product(
        [0, 1, 2, 4], [0, 1, 2, 4, 8], [None, 1, 2], ["bit", "gap", "noisy", "fresh", "exact"], [False, True]
    )
    yield from scales


ALL = list(mutants())


def largest_loss(made, n):
    """The largest loss over a grid of inputs and of events, from exact probabilities alone."""
    table = read_table(made.claims()[0], n, epsilon=F(1))
    tree = table.tree
    grid = list(itertools.product([F(-2), F(0), F(2)], repeat=n))
    moves = list(itertools.product([F(-1), F(1)], repeat=n))
    known = {}

    def value(output, box, q):
        key = (output, tuple(box), q)
        if key not in known:
            top, bottom = event_probability(tree, output, box, q)
            with precision(128):
                known[key] = float((top.at(F(1)).ball() / bottom.at(F(1)).ball()).mid())
        return known[key]

    worst = 0.0
    for output in range(len(tree.outputs)):
        slots = max((len(leaf.values) for leaf in tree.leaves if leaf.output == output), default=0)
        for low in (F(-1), F(1)):
            box = [(low, low + F(1, 2))] * slots
            for q in grid:
                here = value(output, box, q)
                for d in moves:
                    there = value(output, box, tuple(a + b for a, b in zip(q, d, strict=True)))
                    if here > 1e-15:
                        worst = max(worst, math.inf if there <= 0 else math.log(here / there))
            if not slots:
                break
    return worst


def judge(programs, knobs, n):
    threshold, query, cutoff, release, flip = knobs
    made = programs.make(programs.svt(threshold, query, cutoff, release, flip, 2), name="p")
    return made, ProgramProver(queries=n).run(made.claims()[0])


def verify(programs, knobs, n, runs=0):
    """Proved: no event of the grid disagrees. Refuted: the kernel and `runs` samples agree. Returns the decision."""
    made, evidence = judge(programs, knobs, n)
    if isinstance(evidence, Counterexample):
        assert examine(evidence.certificate)
        if runs and evidence.p_left_decimal >= RARE:
            confirm(made, made.claims()[0], evidence, runs, ALL.index(knobs), ALPHA / len(ALL))
        return "refuted"
    if not isinstance(evidence, UpperBound):
        return "undecided"
    try:
        worst = largest_loss(made, n)
    except NotAForest:
        worst = 0.0
    assert worst <= float(evidence.guarantee.eps) + 1e-9, (knobs, worst, evidence.guarantee)
    return "proved" if evidence.guarantee.implies(made.claims()[0].guarantee) else "undecided"


@pytest.mark.parametrize("start", range(6))
def test_a_sample_of_mutants(programs, start):
    decided = [verify(programs, knobs, 2) for knobs in ALL[start * 7 :: 61]]
    assert decided.count("undecided") <= 1


@pytest.mark.slow
def test_all_mutants(programs):
    decided = [verify(programs, knobs, 3, runs=10_000) for knobs in ALL]
    assert len(decided) >= 300
    assert decided.count("undecided") <= 0.05 * len(decided)


def test_noise_that_is_reused(programs):
    def program(noise, q, *, eps):
        z = noise.laplace(2 / eps)
        return noise.argmax([x + z for x in q])

    assert isinstance(ProgramProver(queries=3).run(programs.make(program, name="p").claims()[0]), Counterexample)


def test_comparison_flipped_in_noisy_max(programs):
    def program(noise, q, *, eps):
        values = [x + noise.laplace(2 / eps) for x in q]
        return min(range(len(q)), key=lambda i: values[i])

    evidence = ProgramProver(queries=3).run(programs.make(program, name="p").claims()[0])
    assert isinstance(evidence, UpperBound)  # the noisy minimum is private as well
    assert evidence.guarantee.eps == 1


def test_data_dependent_scale_is_refused_with_its_line(programs):
    def program(noise, q, *, eps):
        return q[0] + noise.laplace(q[1] / eps)

    evidence = ProgramProver(queries=2).run(programs.make(program, name="p").claims()[0])
    assert type(evidence).__name__ == "Unsupported"
    assert "depends on the data" in evidence.reason
    assert evidence.line == program.__code__.co_firstlineno + 1
