"""The judge believes theorems that it had checked, about this claim and this program, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from tests.judging import Ran
from tests.judging import Stated as Theorem

from dpwitness.core import Answers, ApproxDP, Interval, PureDP, Records, mechanism, real
from dpwitness.core.claims import Claim
from dpwitness.core.errors import DPWitnessError
from dpwitness.core.evidence import Counterexample, Event, LowerBound, Scope, Unsupported, UpperBound
from dpwitness.core.judging.judge import judge
from dpwitness.core.verdict import Decision

EPS = ((Fraction(1), (("eps", 1),)),)  # the formula ε
ANSWERS = {"inputs": "answers", "moves": "all", "by": "1", "whole": False, "low": None, "high": None, "values": None}


def number(value: Any) -> Any:
    return ((Fraction(value), ()),) if value else ()


def stated(guarantee: Any, relation: Any = ANSWERS, sizes: Any = "any", **fields: Any) -> Theorem:
    return Theorem(guarantee, relation, sizes, **fields)


class Refuses(DPWitnessError):
    pass


class Checks:
    """Accepts certificates that hold a theorem; `runs` says how running the model beside the program ends."""

    def __init__(self, runs: Any = None) -> None:
        self.runs = runs if runs is not None else Ran()
        self.checked = 0

    def check(self, certificate: Any) -> Any:
        self.checked += 1
        if not isinstance(certificate.get("theorem"), Theorem):
            raise Refuses("not a theorem")
        return certificate["theorem"]

    def coexecute(self, claim: Claim, evidence: Any, theorem: Any) -> Any:
        if isinstance(self.runs, Exception):
            raise self.runs
        return self.runs

    def embeds(self, claim: Claim, evidence: Any) -> bool:
        return True

    def label(self, record: Any) -> str:
        return f"{type(record).__name__}:{record}"


@mechanism(data=Answers(size=3), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def program(noise: Any, answers: Any, *, eps: Any) -> Any:
    return answers[0] + noise.laplace(1 / eps)


CLAIM: Claim = program.claims()[0]
INPUTS = {"left": (0, 0, 0), "right": (1, 1, 1), "event": Event("output > 0")}


def pure(eps: Any) -> dict[str, Any]:
    return {"kind": "pure", "epsilon": eps if isinstance(eps, tuple) else number(eps)}


def proof(eps: Any = 1, **fields: Any) -> UpperBound:
    return UpperBound(PureDP("1/1000"), Scope(), {"theorem": stated(pure(eps), **fields)})


def exact(eps: int | None = 2, size: int = 3, broken: Any = 1, **fields: Any) -> Counterexample:
    left, right = (0,) * size, (1,) * size
    relation = {"inputs": "pair", "left": ["0"] * size, "right": ["1"] * size}
    theorem = stated(pure(broken), relation, (size,), refutes=True)
    return Counterexample(left, right, Event("output > 0"), "1/2", "1/20", 0.5, 0.05,
                          None if eps is None else Fraction(eps), Scope(size, "1"), {"theorem": theorem},
                          **fields)  # fmt: skip


def audit(eps: float, *, refutes: bool = False) -> LowerBound:
    return LowerBound(eps, 1e-3, 1000, 0, refutes, direction="left", scope=Scope(3, "1"), **INPUTS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("evidence", "decision"),
    [
        ([], Decision.UNDECIDED),
        ([Unsupported("no")], Decision.UNDECIDED),
        ([proof()], Decision.PROVED),
        ([proof(EPS, open={"eps": {"above": "0"}})], Decision.PROVED),
        ([proof(Fraction(1, 2)), audit(0.4)], Decision.PROVED),
        ([proof(2)], Decision.UNDECIDED),  # a weaker bound proves nothing about the claim
        ([proof(2), audit(0.4)], Decision.NOT_REFUTED),
        ([proof(sizes=(2,))], Decision.UNDECIDED),  # the claim speaks of three answers
        ([proof(sizes=(1, 2, 3))], Decision.PROVED),
        ([exact()], Decision.REFUTED),
        ([exact(None)], Decision.REFUTED),
        ([audit(1.5, refutes=True)], Decision.REFUTED),
        ([audit(0.9)], Decision.NOT_REFUTED),
        ([proof(), exact()], Decision.CONTRADICTION),
        ([proof(), audit(1.2, refutes=True)], Decision.CONTRADICTION),
        ([proof(Fraction(1, 2)), audit(0.7)], Decision.CONTRADICTION),  # an empty bracket, though nothing is refuted
        ([proof(2), exact(3)], Decision.CONTRADICTION),
        ([proof(2), exact(2)], Decision.REFUTED),
        ([proof(sizes=(3,)), exact(2, size=4)], Decision.REFUTED),  # the proof does not speak of four answers
    ],
)
def test_decisions(evidence: list[Any], decision: Decision) -> None:
    assert judge(CLAIM, evidence, Checks()).decision is decision
    assert judge(CLAIM, evidence[::-1], Checks()).decision is decision


@pytest.mark.parametrize(
    "forged",
    [
        UpperBound(PureDP(1), Scope()),
        UpperBound(PureDP(1), Scope(), {"type": "loop-shift"}),
        replace(exact(), certificate=None),
        replace(exact(), certificate={"type": "tables"}),
    ],
)
def test_evidence_without_a_theorem_decides_nothing(forged: Any) -> None:
    for checker in (None, Checks()):
        verdict = judge(CLAIM, [forged], checker)
        assert verdict.decision is Decision.UNDECIDED
        assert verdict.upper is None
        assert verdict.lower is None
        assert "no verdict" in verdict.silent[0].reason


def test_what_a_prover_says_of_its_proof_counts_for_nothing() -> None:
    boast = UpperBound(PureDP("1/1000"), Scope("any", "all"), {"theorem": stated(pure(1), sizes=(3,))})
    verdict = judge(CLAIM, [boast], Checks())
    assert verdict.upper is not None
    assert verdict.upper.guarantee == PureDP(1)
    assert verdict.upper.scope == Scope(3, "1")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"relation": {**ANSWERS, "moves": "one"}}, "move by one"),
        ({"relation": {**ANSWERS, "by": "1/2"}}, "≤ 1/2"),
        ({"relation": {**ANSWERS, "whole": True}}, "whole"),
        ({"relation": {**ANSWERS, "low": "0"}}, "from 0"),
        ({"relation": {**ANSWERS, "high": "9"}}, "up to 9"),
        ({"relation": {**ANSWERS, "values": ["0", "1"]}}, "fewer values"),
        ({"relation": {"inputs": "none"}}, "no inputs"),
        ({"relation": {"inputs": "records", "relation": "substitute", "points": []}}, "records"),
        ({"open": {"eps": {"above": "1"}}}, "outside the domain"),
        ({"open": {"eps": {"below": "1"}}}, "outside the domain"),
        ({"open": {"eps": {"equals": "2"}}}, "outside the domain"),
        ({"open": {"sigma": {}}}, "sigma"),
        ({"open": {"eps": {"above": "0", "most": "1/2"}}}, "outside the domain"),
        ({"open": {"eps": {"one of": "2; 3"}}}, "outside the domain"),
        ({"refutes": True}, "violation"),
        ({"subject": "another"}, "not the one"),
    ],
)
def test_a_theorem_about_something_else_decides_nothing(fields: Any, words: str) -> None:
    verdict = judge(CLAIM, [proof(**fields)], Checks())
    assert verdict.decision is Decision.UNDECIDED
    assert words in verdict.silent[0].reason


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        (exact(broken=Fraction(1, 2)), "the claim is"),  # ε = 1/2 is broken, ε = 1 was claimed
        (replace(exact(), right=(3, 3, 3)), "not neighbours"),
        (replace(exact(), right=(0, 1, 1)), "two other inputs"),
        (exact(size=3, params={"eps": Fraction(2)}), "the claim is"),
    ],
)
def test_a_violation_of_something_else_decides_nothing(evidence: Any, words: str) -> None:
    verdict = judge(CLAIM, [evidence], Checks())
    assert verdict.decision is Decision.UNDECIDED
    assert words in verdict.silent[0].reason


def test_a_violation_at_another_epsilon_refutes_the_function_and_not_the_claim_at_one() -> None:
    there = exact(broken=4, params={"eps": Fraction(4)})
    assert judge(CLAIM, [there], Checks()).decision is Decision.REFUTED
    assert judge(CLAIM, [proof(), there], Checks()).decision is Decision.REFUTED  # both are true
    asked = program.claims(eps=1)[0]
    assert judge(asked, [there], Checks()).decision is Decision.UNDECIDED
    assert judge(asked, [proof(), there], Checks()).decision is Decision.PROVED


def test_what_is_broken_at_one_epsilon_is_not_said_to_be_at_another() -> None:
    """The theorem says: at ε = 4 the guarantee ε is broken; and the claim is about ε = 1."""
    relation = {"inputs": "pair", "left": ["0"] * 3, "right": ["1"] * 3}
    for at, decision in (("4", Decision.UNDECIDED), ("1", Decision.REFUTED)):
        theorem = stated(pure(EPS), relation, (3,), refutes=True, open={"eps": {"equals": at}})
        found = replace(exact(), certificate={"theorem": theorem})
        assert judge(CLAIM, [found], Checks()).decision is decision


def test_a_model_that_does_not_run_as_the_program_decides_nothing() -> None:
    for evidence in (proof(), exact()):
        verdict = judge(CLAIM, [evidence], Checks(Refuses("draw 0 has scale 2, not 1")))
        assert verdict.decision is Decision.UNDECIDED
        assert "draw 0 has scale 2" in verdict.silent[0].reason


def test_every_epsilon_is_said_of_formulas_alone() -> None:
    def scope(claim: Claim, theorem: Theorem) -> str:
        found = judge(claim, [UpperBound(PureDP(1), Scope(), {"theorem": theorem})], Checks()).upper
        assert found is not None
        return found.scope.epsilon

    every = stated(pure(EPS), open={"eps": {"above": "0"}})
    assert scope(CLAIM, every) == "all"
    assert scope(CLAIM, stated(pure(1))) == "1"
    squared = mechanism(data=Answers(size=3), claim=lambda eps: PureDP(eps * eps), typical={"eps": 1})(program.program)
    assert scope(squared.claims()[0], every) == "1"
    branching = mechanism(data=Answers(size=3), claim=lambda eps: PureDP(eps if eps < 2 else 2), typical={"eps": 1})(
        program.program
    )
    assert scope(branching.claims()[0], every) == "1"
    anything = mechanism(
        data=Answers(size=3), claim=lambda eps: PureDP(eps), typical={"eps": 1}, domains={"eps": real()}
    )(program.program)
    assert scope(anything.claims()[0], every) == "1"  # ε may be negative there


def test_records_are_known_by_type_and_value() -> None:
    mixed = mechanism(data=Records([0, False, 2], 1), claim=lambda eps: PureDP(eps), typical={"eps": 1})(
        program.program
    )
    claim = mixed.claims()[0]
    points = [Checks().label(record) for record in claim.space.domain]  # type: ignore[union-attr]
    relation = {"inputs": "records", "relation": "substitute", "points": points}
    assert judge(claim, [proof(relation=relation, sizes=(1,))], Checks()).decision is Decision.PROVED
    fewer = {**relation, "points": [p for p in points if "False" not in p]}
    assert judge(claim, [proof(relation=fewer, sizes=(1,))], Checks()).decision is Decision.UNDECIDED


def test_every_size_of_the_records_is_needed() -> None:
    made = mechanism(data=Records(Interval(0, 1), (2, 3)), claim=lambda eps: PureDP(eps), typical={"eps": 1})
    claim = made(program.program).claims()[0]
    relation = {"inputs": "records", "relation": "substitute", "low": "0", "high": "1"}
    assert judge(claim, [proof(relation=relation, sizes=(3,))], Checks()).decision is Decision.UNDECIDED
    assert judge(claim, [proof(relation=relation, sizes=(2, 3))], Checks()).decision is Decision.PROVED
    narrow = {**relation, "high": "1/2"}
    assert judge(claim, [proof(relation=narrow, sizes=(2, 3))], Checks()).decision is Decision.UNDECIDED


def test_doubles_do_not_contradict_a_proof_about_reals() -> None:
    doubles = replace(audit(9.0, refutes=True), scope=Scope(3, "1", "doubles"))
    assert judge(CLAIM, [proof(), doubles], Checks()).decision is Decision.REFUTED


def test_an_audit_alone_never_proves() -> None:
    assert judge(CLAIM, [audit(0.0)], Checks()).decision is not Decision.PROVED


def test_the_tightest_proof_is_kept() -> None:
    verdict = judge(CLAIM, [proof(1), proof(Fraction(1, 2))], Checks())
    assert verdict.upper is not None
    assert verdict.upper.guarantee == PureDP("1/2")


def test_a_proof_for_fewer_answers_is_shown_and_proves_no_more() -> None:
    verdict = judge(CLAIM, [proof(sizes=(1, 2))], Checks())
    assert verdict.decision is Decision.UNDECIDED
    assert verdict.upper is not None
    assert verdict.upper.scope.queries == 2


def test_no_influence_of_the_data_proves_every_claim() -> None:
    verdict = judge(CLAIM, [proof(0)], Checks())
    assert verdict.decision is Decision.PROVED


def test_surprises() -> None:
    broken = replace(CLAIM, expected_to_hold=False)
    assert judge(broken, [proof()], Checks()).surprise
    assert not judge(broken, [exact()], Checks()).surprise
    assert judge(CLAIM, [exact()], Checks()).surprise
    assert not judge(CLAIM, [audit(0.2)]).surprise
    assert judge(CLAIM, [audit(0.2)]).open


def test_a_proof_with_delta_does_not_prove_a_pure_claim() -> None:
    theorem = stated({"kind": "approximate", "epsilon": number(1), "delta": number(Fraction(1, 10**9))})
    bound = UpperBound(ApproxDP(1, "1e-9"), Scope(), {"theorem": theorem})
    assert judge(CLAIM, [bound], Checks()).decision is Decision.UNDECIDED
