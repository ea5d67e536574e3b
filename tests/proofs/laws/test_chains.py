"""Loops that end by chance: exact laws, compared with plain unrolling, and what is refused."""

import heapq
import json
import time
from fractions import Fraction as F

import pytest
from tests.proofs.laws import deceptive_calls, deceptive_loops, deceptive_state
from tests.proofs.models.side_by_side import compare

import dpwitness as dpw
from dpwitness import Answers, ApproxDP, Decision, PureDP, Records, exp, mechanism
from dpwitness.core.budget import Budget
from dpwitness.core.errors import DPWitnessError, OutsideFragment
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.judging.judge import judge
from dpwitness.core.readers.chains import has_loops, leaves, read_chain
from dpwitness.core.readers.door import reading
from dpwitness.core.readers.finite import Outcomes, finite_weights
from dpwitness.core.readers.outputs import put_together, take_apart
from dpwitness.proofs.checker import KernelChecker
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.releases.chains import law_of_chain, masses
from dpwitness.proofs.labels import label
from dpwitness.proofs.laws.chains import ChainTables, visits
from dpwitness.proofs.laws.finite import FiniteProver

HONEST = [*deceptive_loops.HONEST, *deceptive_calls.HONEST]
REFUSED = {**deceptive_loops.REFUSED, **deceptive_calls.REFUSED, **deceptive_state.REFUSED}


class Stop(BaseException):
    """A run that is deep enough."""


class Short(Outcomes):
    """A run that stops at the first draw after the prescribed ones, and keeps the chances of its outcomes."""

    def draw(self, law):
        if len(self.taken) == len(self.prefix):
            self.chances = [float(weight) for weight in finite_weights(law)[1]]
            raise Stop
        return super().draw(law)


def unrolled(program, most=1_000):
    """Lower bounds of the probabilities of all outputs, from the most probable runs, and the rest."""
    found, todo = {}, [(-1.0, ())]
    with reading(program):
        for _ in range(most):
            if not todo or -sum(weight for weight, _ in todo) < 1e-4:
                break
            weight, prefix = heapq.heappop(todo)
            noise = Short(prefix)
            try:
                output = program(noise)
            except Stop:
                for k, chance in enumerate(noise.chances):
                    heapq.heappush(todo, (weight * chance, (*prefix, k)))
                continue
            name = label(put_together(take_apart(output, lambda _: False)[0], iter(())))
            found[name] = found.get(name, 0.0) - weight
    return found, 1 - sum(found.values())


def exact(program):
    """The law by the chain."""
    chain = read_chain(program)
    table = ChainTables.__new__(ChainTables)
    table.choices, table.weights = {}, []
    ends = {leaf[1] for tree in chain.states for leaf in leaves(tree) if leaf[0] == "output"}
    table.outputs = sorted(ends, key=repr)
    states = [masses(table._tree(tree), table.weights) for tree in chain.states]
    row = law_of_chain(states, visits(states), len(table.outputs))
    names = [label(put_together(output, iter(()))) for output in table.outputs]
    return {name: float(share.mid()) for name, share in zip(names, row.shares, strict=True)}


def on(program, data):
    def run(noise):
        return program(noise, list(data))

    run.__wrapped__ = program
    return run


@pytest.mark.parametrize("data", [pytest.param((0,), marks=pytest.mark.slow), (1,)])
@pytest.mark.parametrize("program", HONEST, ids=lambda p: p.__name__)
def test_the_law_of_a_loop_is_that_of_its_unrolled_runs(program, data):
    given = on(program, data)
    law = exact(given)
    below, missing = unrolled(given)
    assert abs(sum(law.values()) - 1) < 1e-12
    assert missing < 0.8
    assert set(below) <= set(law)
    for name, chance in law.items():
        assert below.get(name, 0.0) - 1e-12 <= chance <= below.get(name, 0.0) + missing + 1e-12


@pytest.mark.parametrize(("program", "words"), REFUSED.items(), ids=lambda p: getattr(p, "__name__", ""))
def test_what_hides_its_state_or_need_not_end_is_refused(program, words):
    with pytest.raises(DPWitnessError, match=words):
        read_chain(on(program, (1,)))
    bound = mechanism(data=Records([0, 1], 1), claim=lambda eps: PureDP(eps), typical={"eps": 1})(_with_eps(program))
    found = FiniteProver(max_runs=300).run(bound.claims()[0], Budget(seconds=20))
    assert not isinstance(found, UpperBound)  # a few are over after some rounds, and are refuted by their runs


def _with_eps(program):
    def run(noise, data, *, eps):
        return program(noise, data)

    return run


def test_programs_without_loops_by_while_are_read_as_before():
    def plain(noise, data):
        return [noise.bernoulli(F(1, 2)) for _ in range(2)]

    assert not has_loops(plain)
    assert has_loops(on(HONEST[0], (0,)))


def program(**settings):
    return mechanism(data=Records([0, 1, 2], 1), claim=lambda eps: PureDP(eps), typical={"eps": 1}, **settings)


@program()
def response_by_rejection(noise, data, *, eps):
    """Keeps the true answer, and others with probability e^-ε."""
    while True:
        k = noise.choice([1, 1, 1])
        if k == data[0] or noise.bernoulli(exp(-eps)):
            return k


@program()
def too_sure(noise, data, *, eps):
    """Tries twice for the true answer: one ε too much."""
    while True:
        k = noise.choice([1, 1, 1])
        if k == data[0] or (noise.bernoulli(exp(-eps)) and noise.bernoulli(exp(-eps))):
            return k


@mechanism(data=Answers(size=1, moves="one", by=1, values=(0, 1, 2)), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def cut_laplace(noise, answers, *, eps):
    """The discrete Laplace law by rejection, cut at 4 and kept in 0..2."""
    while True:
        k = 0
        while k < 4 and noise.bernoulli(exp(-eps)):
            k += 1
        negative = noise.bernoulli(F(1, 2))
        if not negative or k > 0:
            break
    return max(0, min(2, int(answers[0]) + (-k if negative else k)))


@mechanism(data=Records([0, 1], 1), claim=lambda eps: ApproxDP(eps, F(1, 8)), typical={"eps": 1})
def late_leak(noise, data, *, eps):
    """Shows the record after three tails: δ = 1/8, reached exactly."""
    n = 0
    while not noise.bernoulli(F(1, 2)):
        n += 1
        if n == 3:
            return data[0]
    spin(noise)
    return "no"


def spin(noise):
    while noise.bernoulli(F(1, 3)):
        pass


def decide(target, **more):
    claim = target.claims(**more)[0]
    start = time.monotonic()
    found = FiniteProver().run(claim, Budget(seconds=30))
    assert time.monotonic() - start < 30
    return claim, found, judge(claim, [found], KernelChecker())


@pytest.mark.parametrize(
    ("target", "decision", "kind"),
    [
        (response_by_rejection, Decision.PROVED, "chains"),
        (too_sure, Decision.REFUTED, "chain-violation"),
        (cut_laplace, Decision.PROVED, "chains"),
        (late_leak, Decision.PROVED, "chains"),
    ],
    ids=lambda x: getattr(x, "name", ""),
)
def test_claims_about_loops_are_decided(target, decision, kind):
    claim, found, verdict = decide(target)
    assert isinstance(found, UpperBound | Counterexample), found
    assert verdict.decision is decision, str(verdict)
    assert found.certificate["type"] == kind
    assert len(json.dumps(found.certificate)) < 5_000
    done = compare(claim, found)
    assert done.reached == done.places > 0


def test_curves_of_loops_are_those_of_their_chains():
    low, high = dpw.epsilon(response_by_rejection, delta=0)
    assert low <= 1 <= high
    assert high - low < F(1, 10**9)
    low, high = dpw.delta(late_leak, eps=1)
    assert low <= F(1, 8) <= high
    assert high - low < F(1, 10**9)


def test_a_loop_that_is_not_read_as_a_chain_is_given_up_in_time():
    with pytest.raises(OutsideFragment, match="keys are taken away"):
        dpw.delta(
            mechanism(data=Records([0, 1], 1), claim=lambda eps: PureDP(eps), typical={"eps": 1})(
                _with_eps(deceptive_calls.keys_that_come_back)
            ),
            eps=1,
        )


def test_a_smaller_delta_is_refuted():
    claim = mechanism(data=Records([0, 1], 1), claim=lambda eps: ApproxDP(eps, F(31, 250)), typical={"eps": 1})(
        late_leak.program
    ).claims()[0]
    found = FiniteProver().run(claim, Budget(seconds=30))
    assert isinstance(found, Counterexample)
    assert judge(claim, [found], KernelChecker()).decision is Decision.REFUTED


def test_visits_of_a_chain_with_irrational_chances_solve_its_equations():
    e = ExpSum.exp(F(-1, 3))
    states = [
        {"n1": e, "o0": ExpSum.of(1)},
        {"n0": ExpSum.of(F(1, 7)), "n1": e * e, "o1": ExpSum.exp(2)},
    ]
    row = law_of_chain(states, visits(states), 2)
    a = float(e.ball().mid())
    up, own, back, out = a / (a + 1), a * a, 1 / 7, float(ExpSum.exp(2).ball().mid())
    total = own + back + out
    first = (1 - up) / (1 - up * (back / total) / (1 - own / total))
    assert abs(float(row.shares[0].mid()) - first) < 1e-12
