"""Programs with geometric noise: exact ε, exact counterexamples, and mutants judged by exact sums."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from tests.proofs.programs.events import confirm
from tests.proofs.programs.test_mutants import largest_loss

from dpwitness.catalogue import catalogue
from dpwitness.core import Answers, PureDP, mechanism
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.programs.losses import exact_loss
from dpwitness.proofs.programs.route import ProgramProver

F = Fraction


@pytest.mark.parametrize(
    ("name", "other", "index"),
    [
        ("geometric-noisy-max", "report-noisy-max", 0),
        ("geometric-noisy-max", "report-noisy-max", 1),
        ("geometric-sparse-vector", "sparse-vector", 0),
        ("geometric-partial-sum", "partial-sum", 0),
        ("geometric-noisy-max/half-scale", "report-noisy-max/half-scale", 0),
    ],
)
def test_exact_loss_is_that_of_laplace_noise(name, other, index):
    """The shifts by whole numbers are the best ones, so that the suprema are the same."""
    for queries in (2, 3, 5):
        found = exact_loss(catalogue()[name].claims()[index], queries)
        assert found == exact_loss(catalogue()[other].claims()[index], queries)
        assert found[1]


@pytest.mark.parametrize(
    "name",
    [
        "geometric-noisy-max/half-scale", "geometric-sparse-vector/no-query-noise",
        "geometric-sparse-vector/half-scale", "geometric-partial-sum/half-scale",
    ],
)  # fmt: skip
def test_twins_are_refuted_by_whole_inputs(name):
    target = catalogue()[name]
    claim = target.claims()[0]
    found = ProgramProver().run(claim)
    assert isinstance(found, Counterexample)
    assert examine(found.certificate)
    assert all(x.denominator == 1 for x in (*found.left, *found.right))
    confirm(target, claim, found, 20_000, 7, 1e-6)


def test_real_answers_are_not_proved(programs):
    claim = programs.make(
        lambda noise, q, *, eps: noise.argmax([x + noise.discrete_laplace(2 / eps) for x in q]), name="p"
    )
    assert not isinstance(ProgramProver(queries=2).run(claim.claims()[0]), UpperBound)


def test_one_half_added_to_a_whole_draw_still_ranks():
    """Tests against constants that are not whole are exact: x > 1/2 is x >= 1."""

    def program(noise, q, *, eps):
        return 1 if q[0] + noise.discrete_laplace(1 / eps) > F(1, 2) else 0

    claim = mechanism(data=Answers("one", size=1, whole=True), claim=lambda eps: PureDP(eps), typical={"eps": 1})
    found = ProgramProver().run(claim(program).claims()[0])
    assert (found.guarantee.eps, found.exact) == (1, True)


def made(threshold, query, cutoff, release, strict):
    """A sparse vector with geometric noise: scales, cutoff, what is released, and the kind of its test."""

    def program(noise, q, *, eps):
        t = noise.discrete_laplace(threshold / eps) if threshold else 0
        out, count = [], 0
        for x in q:
            v = x + (noise.discrete_laplace(query / eps) if query else 0)
            if v > t if strict else v >= t:
                out.append({"bit": True, "gap": v - t, "noisy": v, "exact": x}[release])
                count += 1
                if cutoff is not None and count >= cutoff:
                    break
            else:
                out.append(False)
        return out

    space = Answers("all", size=2, whole=True)
    return mechanism(data=space, claim=lambda eps: PureDP(eps), typical={"eps": 1}, name="p")(program)


KNOBS = list(
    itertools.product([0, 1, 2, 4], [0, 1, 2, 4, 8], [None, 1, 2], ["bit", "gap", "noisy", "exact"], [False, True])
)


def verify(knobs, runs=0):
    target = made(*knobs)
    claim = target.claims()[0]
    found = ProgramProver(queries=2).run(claim)
    if isinstance(found, Counterexample):
        assert examine(found.certificate)
        if runs and found.p_left_decimal >= 1e-4:
            confirm(target, claim, found, runs, KNOBS.index(knobs), 1e-3 / len(KNOBS))
        return "refuted"
    if not isinstance(found, UpperBound):
        return "undecided"
    assert largest_loss(target, 2) <= float(found.guarantee.eps) + 1e-9, knobs
    return "proved" if found.guarantee.implies(claim.guarantee) else "undecided"


@pytest.mark.parametrize("start", range(4))
def test_a_sample_of_mutants(start):
    decided = [verify(knobs) for knobs in KNOBS[start * 5 :: 59]]
    assert decided.count("undecided") <= 1
    assert "refuted" in decided


@pytest.mark.slow
def test_all_mutants():
    decided = [verify(knobs, runs=10_000) for knobs in KNOBS]
    assert len(decided) >= 300
    assert decided.count("undecided") <= 0.05 * len(decided)
    assert decided.count("proved") >= 50
