"""The prover as the rest of the project sees it."""

from __future__ import annotations

import resource
from dataclasses import dataclass
from fractions import Fraction

import pytest

from dpwitness.core import budget as decided
from dpwitness.core import exp
from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Counterexample, Unsupported, UpperBound
from dpwitness.core.guarantees import ZCDP, ApproxDP
from dpwitness.core.judging.judge import judge
from dpwitness.core.mechanism import BlackBox
from dpwitness.core.spaces import Answers, Interval, Records
from dpwitness.core.verdict import Decision
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.programs.route import ProgramProver
from dpwitness.routes import kernel_checker, preflight


@dataclass(frozen=True)
class Budget:
    seconds: float | None = None
    seed: int = 0


def test_supports_and_run_agree(programs):
    made = programs.make(programs.noisy_max(), name="p")
    claim = made.claims()[0]
    prover = ProgramProver(queries=2)
    assert prover.supports(claim) is None
    black = BlackBox("b", lambda *_: None, claim.space, claim.guarantee)
    cases = {
        "black box": Claim(black, {}, claim.guarantee, claim.space),
        "doubles": Claim(made, claim.params, claim.guarantee, claim.space, numerics="doubles"),
        "zcdp": Claim(made, claim.params, ZCDP(1), claim.space),
    }
    for word, other in cases.items():
        assert word in prover.supports(other)
        evidence = prover.run(other, Budget())
        assert isinstance(evidence, Unsupported)
        assert evidence.reason == prover.supports(other)


def test_pure_proof_serves_an_approximate_claim(programs):
    made = programs.make(programs.noisy_max(), name="p")
    claim = made.claims()[0]
    evidence = ProgramProver(queries=3).run(Claim(made, claim.params, ApproxDP(1, "1/100"), claim.space))
    assert isinstance(evidence, UpperBound)
    assert evidence.guarantee.implies(ApproxDP(1, "1/100"))


def test_approximate_claim_is_refuted_only_beyond_delta(programs):
    made = programs.make(programs.histogram(), "all", name="p")
    claim = made.claims()[0]
    weak = ProgramProver(queries=2).run(Claim(made, claim.params, ApproxDP(1, "9/10"), claim.space))
    assert not isinstance(weak, Counterexample)


def test_same_evidence_twice(programs):
    claim = programs.make(programs.svt(release="noisy"), name="p").claims()[0]
    first, second = (ProgramProver(queries=5).run(claim, Budget(20)) for _ in range(2))
    assert first.certificate == second.certificate


def two_tests_a_query(scale):
    """4^N ways through N queries: 2^20 at ten."""

    def program(noise, q, *, eps):
        t = noise.laplace(2 / eps)
        return [(x + noise.laplace(scale * len(q) / eps) >= t, x + noise.laplace(scale * len(q) / eps) >= t) for x in q]

    return program


def test_a_million_ways_are_bounded_and_what_was_covered_is_kept(programs):
    claim = programs.make(two_tests_a_query(8), data=Answers("all", size=10), name="p").claims()[0]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    evidence = ProgramProver().run(claim, Budget(seconds=2.0))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100_000  # kilobytes
    assert isinstance(evidence, UpperBound)
    assert 1 <= evidence.scope.queries < 10
    assert examine(evidence.certificate)
    assert "with 10 queries there are more ways" in evidence.method
    verdict = judge(claim, [evidence], kernel_checker())
    assert verdict.decision is Decision.UNDECIDED  # a proof for fewer queries proves no more
    assert verdict.upper is not None
    assert verdict.upper.scope.queries == evidence.scope.queries


def test_a_million_ways_do_not_hide_a_violation(programs):
    claim = programs.make(two_tests_a_query(Fraction(1, 4)), data=Answers("all", size=10), name="p").claims()[0]
    evidence = ProgramProver().run(claim, Budget(seconds=4.0))
    assert isinstance(evidence, Counterexample)
    assert evidence.scope.queries < 10
    assert examine(evidence.certificate)


def endless(noise, q, *, eps):
    tries = 0
    while q[0] + noise.laplace(1 / eps) < 100:
        tries += 1
    return tries


def squared(noise, q, *, eps):
    value = q[0] + noise.laplace(1 / eps)
    return 1 if value * value > 4 else 0


def squared_output(noise, q, *, eps):
    value = q[0] + noise.laplace(1 / eps)
    if value < 0:
        return None
    return [value, value * value]


def exponential_output(noise, q, *, eps):
    value = q[0] + noise.laplace(1 / eps)
    return exp(value) if value < 3 else 0


def spread(noise, q, *, eps):
    return q[0] + noise.laplace(q[1] / eps)


@pytest.mark.parametrize(
    ("program", "text"),
    [
        (endless, "'while q[0] + noise.laplace(1 / eps) < 100:' (test_route.py:"),
        (squared, "'return 1 if value * value > 4 else 0' (test_route.py:"),
        (squared_output, "'return [value, value * value]' (test_route.py:"),
        (exponential_output, "'return exp(value) if value < 3 else 0' (test_route.py:"),
        (spread, "'return q[0] + noise.laplace(q[1] / eps)' (test_route.py:"),
    ],
)
def test_a_refusal_shows_the_line_that_is_its_reason(programs, program, text):
    claim = programs.make(program, data=Answers("all", size=2)).claims()[0]
    evidence = ProgramProver().run(claim, Budget(seconds=2.0))
    assert isinstance(evidence, Unsupported)
    assert text in evidence.reason
    assert evidence.line is not None
    assert f"test_route.py:{evidence.line}" in evidence.reason


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (lambda noise, q, eps: q[0] * noise.laplace(1 / eps) >= 1, "linear"),
        (lambda noise, q, eps: q[0] + noise.gaussian(1 / eps), "gaussian"),
        (lambda noise, q, eps: [1] * int(q[0] + noise.laplace(1 / eps)), "conversion to int"),
        (lambda noise, q, eps: q[0] == noise.laplace(1 / eps), "equality"),
    ],
)
def test_outside_the_fragment(programs, body, words):
    def program(noise, q, *, eps):
        return body(noise, q, eps)

    evidence = ProgramProver(queries=2).run(programs.make(program, name="p").claims()[0])
    assert isinstance(evidence, Unsupported)
    assert words in evidence.reason


def test_constant_output_is_private_at_any_eps(programs):
    evidence = ProgramProver(queries=2).run(programs.make(lambda noise, q, *, eps: 3, name="p").claims()[0])
    assert isinstance(evidence, UpperBound)
    assert examine(evidence.certificate)


def test_records_of_an_interval(programs):
    made = programs.make(programs.partial_sum(), name="p", data=Records(Interval(0, 1), 3))
    evidence = ProgramProver().run(made.claims()[0])
    assert isinstance(evidence, UpperBound)
    assert evidence.guarantee.eps == 1
    assert not evidence.exact
    wider = programs.make(programs.partial_sum(), name="p", data=Records(Interval(-1, 1), 3))
    assert isinstance(ProgramProver().run(wider.claims()[0]), Counterexample)


def test_choices_with_fixed_weights(programs):
    def program(noise, q, *, eps):
        if noise.bernoulli(Fraction(1, 3)):
            return "nothing"
        return q[0] + noise.laplace(1 / eps) >= 0

    evidence = ProgramProver(queries=1).run(programs.make(program, name="p").claims()[0])
    assert isinstance(evidence, UpperBound)
    assert evidence.guarantee.eps == 1
    assert evidence.exact


def test_integer_noise_needs_integer_inputs(programs):
    def program(noise, q, *, eps):
        return q[0] + noise.discrete_laplace(1 / eps)

    real = ProgramProver(queries=1).run(programs.make(program, "one", name="p").claims()[0])
    assert isinstance(real, Unsupported)
    whole = programs.make(program, name="p", data=Answers("one", values=(0, 1, 2), size=1))
    evidence = ProgramProver().run(whole.claims()[0])
    assert isinstance(evidence, UpperBound)
    assert evidence.guarantee.eps == 1


def scale_is_an_answer(noise, q, *, eps):
    return q[0] + noise.laplace(q[0] / eps)  # fails on the answer 0


def never_ends(noise, q, *, eps):
    steps = 0
    while steps >= 0:
        steps = steps + 1
    return steps


@pytest.mark.parametrize(("program", "words"), [(scale_is_an_answer, "scale=0"), (never_ends, "did not finish")])
def test_a_program_that_does_not_run_is_named_with_its_line(programs, program, words):
    found = preflight(programs.make(program, "one").claims()[0], decided.Budget(seconds=0.5))
    assert words in found.reason
    lines = range(program.__code__.co_firstlineno + 1, program.__code__.co_firstlineno + 4)
    assert found.line in lines
