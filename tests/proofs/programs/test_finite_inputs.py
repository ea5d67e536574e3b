"""All pairs of finitely many inputs, for every epsilon."""

from __future__ import annotations

import copy
from fractions import Fraction

import pytest

from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.guarantees import ApproxDP, PureDP
from dpwitness.core.mechanism import mechanism
from dpwitness.core.spaces import Answers, Records
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.programs.finite_inputs import check_all, check_at, read_inputs, worst_loss
from dpwitness.proofs.programs.route import ProgramProver

F = Fraction


@pytest.mark.parametrize("name", ["svt", "noisy max"])
def test_all_pairs_of_three_values(programs, name):
    program = programs.svt() if name == "svt" else programs.noisy_max()
    claim = programs.make(program, name="p").claims()[0]
    found = read_inputs(claim, values=(-1, 0, 1), queries=3)
    assert len(found.inputs) == 27
    assert check_all(found, F(1)) is None
    loss = worst_loss(found, F(1))
    assert loss is not None
    assert loss[0] < 1
    proof = found.certificate({"factor": "1"}, "", "p")
    assert examine(proof)
    assert not examine({**proof, "claim": {"factor": "1/2"}})


def test_failure_names_pair_output_and_eps(programs):
    claim = programs.make(programs.svt(2, 0, None), name="p").claims()[0]
    found = read_inputs(claim, values=(-1, 0, 1), queries=2)
    broken = check_all(found, F(1))
    assert broken is not None
    assert broken.eps > 0


def test_randomized_response_on_records():
    def program(noise, data, *, eps):
        return [x if noise.bernoulli(log_odds=eps) else 1 - x for x in data]

    made = mechanism(data=Records((0, 1), 2), claim=lambda eps: PureDP(eps), typical={"eps": 1})(program)
    evidence = ProgramProver().run(made.claims()[0])
    assert isinstance(evidence, UpperBound)
    assert evidence.scope.epsilon == "all"
    assert examine(evidence.certificate)
    tight = mechanism(data=Records((0, 1), 2), claim=lambda eps: PureDP(eps / 2), typical={"eps": 1})(program)
    refuted = ProgramProver().run(tight.claims()[0])
    assert isinstance(refuted, Counterexample)
    assert examine(refuted.certificate)


def test_delta_needs_sets_of_outputs():
    # each single outcome passes, the set of both does not
    def program(noise, data, *, eps):
        pick = noise.choice(weights=[F(1, 10), F(1, 10), F(8, 10)])
        return f"{data[0]}{pick}" if pick < 2 else "same"

    def claim(delta):
        return mechanism(data=Records((0, 1), 1), claim=lambda eps: ApproxDP(eps, delta), typical={"eps": "1/10"})(
            program
        ).claims()[0]

    assert isinstance(ProgramProver().run(claim(F(1, 5))), UpperBound)
    refuted = ProgramProver().run(claim(F(1, 10)))
    assert isinstance(refuted, Counterexample)
    assert examine(refuted.certificate)


def test_exponential_mechanism_with_weights_from_the_data():
    def program(noise, q, *, eps):
        return noise.choice(log_weights=[eps * x / 2 for x in q])

    made = mechanism(data=Answers("all", values=(0, 1, 2), size=2), claim=lambda eps: PureDP(eps), typical={"eps": 1})(
        program
    )
    evidence = ProgramProver().run(made.claims()[0])
    assert isinstance(evidence, UpperBound)
    assert examine(evidence.certificate)


def test_a_changed_tree_is_noticed(programs):
    claim = programs.make(programs.svt(), name="p").claims()[0]
    found = read_inputs(claim, values=(0, 1), queries=2)
    proof = found.certificate({"factor": "1"}, "", "p")
    broken = copy.deepcopy(proof)
    broken["trees"][0]["draws"][1][1] = "1/8"
    assert not examine(broken)
    assert not examine({**proof, "space": {**proof["space"], "queries": 1}})
    assert check_at(found, F(1), F(1), F(0)) is None


@pytest.mark.slow
def test_four_answers_within_the_time(programs):
    claim = programs.make(programs.svt(), name="p").claims()[0]
    found = read_inputs(claim, values=(-1, 0, 1), queries=4)
    assert len(found.pairs) == 2320
    assert check_all(found, F(1)) is None


def test_constant_log_weights_are_not_read_as_multiples_of_eps():
    # odds of e^2 whatever eps is: private at 2, not at eps
    def program(noise, data, *, eps):
        return data[0] if noise.bernoulli(log_odds=2) else 1 - data[0]

    def claim(factor):
        return mechanism(data=Records((0, 1), 1), claim=lambda eps: PureDP(factor * eps), typical={"eps": 1})(
            program
        ).claims()[0]

    assert isinstance(ProgramProver().run(claim(1)), Counterexample)
    held = ProgramProver().run(claim(2))
    assert isinstance(held, UpperBound)
    assert held.scope.epsilon == "1"
    assert isinstance(ProgramProver().run(claim(F(3, 2))), Counterexample)


def test_weights_that_cannot_be_read_are_told_apart():
    # both weights are outside the exact arithmetic, but they are not the same
    def program(noise, data, *, eps):
        if noise.bernoulli(eps * (1 + data[0]) / 4):
            return "rare"
        return sum(data) + noise.laplace(1 / eps)

    made = mechanism(data=Records((0, 1), 1), claim=lambda eps: PureDP(eps / 100), typical={"eps": "1/2"})(program)
    assert not isinstance(ProgramProver().run(made.claims()[0]), UpperBound) or not ProgramProver().run(
        made.claims()[0]
    ).guarantee.implies(made.claims()[0].guarantee)
