from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from dpwitness.core import Answers, ApproxDP, PureDP, mechanism
from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Counterexample, Event, LowerBound, Scope, Unsupported, UpperBound
from dpwitness.core.verdict import Decision, judge


@mechanism(data=Answers(size=3), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def program(noise: Any, answers: Any, *, eps: Any) -> Any:
    return answers[0] + noise.laplace(1 / eps)


CLAIM: Claim = program.claims()[0]
INPUTS = {"left": (0, 0, 0), "right": (1, 1, 1), "event": Event("output > 0")}


def proof(eps: object = 1, **scope: Any) -> UpperBound:
    return UpperBound(PureDP(eps), Scope(**scope))


def exact(eps: int | None = 2, size: int = 3) -> Counterexample:
    return Counterexample((0,) * size, (1,) * size, Event("output > 0"), "1/2", "1/20", 0.5, 0.05,
                          None if eps is None else Fraction(eps), Scope(size, "1"))  # fmt: skip


def audit(eps: float, *, refutes: bool = False) -> LowerBound:
    return LowerBound(eps, 1e-3, 1000, 0, refutes, direction="left", scope=Scope(3, "1"), **INPUTS)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("evidence", "decision"),
    [
        ([], Decision.UNDECIDED),
        ([Unsupported("no")], Decision.UNDECIDED),
        ([proof()], Decision.PROVED),
        ([proof("1/2"), audit(0.4)], Decision.PROVED),
        ([proof(2)], Decision.UNDECIDED),  # a weaker bound proves nothing about the claim
        ([proof(2), audit(0.4)], Decision.NOT_REFUTED),
        ([proof(queries=2)], Decision.UNDECIDED),  # the claim speaks of three answers
        ([proof(queries=3)], Decision.PROVED),
        ([exact()], Decision.REFUTED),
        ([exact(None)], Decision.REFUTED),
        ([audit(1.5, refutes=True)], Decision.REFUTED),
        ([audit(0.9)], Decision.NOT_REFUTED),
        ([proof(), exact()], Decision.CONTRADICTION),
        ([proof(), audit(1.2, refutes=True)], Decision.CONTRADICTION),
        ([proof("1/2"), audit(0.7)], Decision.CONTRADICTION),  # the bracket is empty though the claim is not refuted
        ([proof(2), exact(3)], Decision.CONTRADICTION),
        ([proof(2), exact(2)], Decision.REFUTED),
        ([proof(queries=2), exact(2, size=3)], Decision.REFUTED),  # the proof does not speak of three answers
    ],
)
def test_decisions(evidence: list[Any], decision: Decision) -> None:
    assert judge(CLAIM, evidence).decision is decision
    assert judge(CLAIM, evidence[::-1]).decision is decision


def test_doubles_do_not_contradict_a_proof_about_reals() -> None:
    doubles = replace(audit(9.0, refutes=True), scope=Scope(3, "1", "doubles"))
    assert judge(CLAIM, [proof(), doubles]).decision is Decision.REFUTED


def test_an_audit_alone_never_proves() -> None:
    assert judge(CLAIM, [audit(0.0)]).decision is not Decision.PROVED


def test_the_tightest_proof_is_kept() -> None:
    verdict = judge(CLAIM, [proof(1), proof("1/2")])
    assert verdict.upper is not None
    assert verdict.upper.guarantee == PureDP("1/2")


def test_surprises() -> None:
    broken = replace(CLAIM, expected_to_hold=False)
    assert judge(broken, [proof()]).surprise
    assert not judge(broken, [exact()]).surprise
    assert judge(CLAIM, [exact()]).surprise
    assert not judge(CLAIM, [audit(0.2)]).surprise
    assert judge(CLAIM, [audit(0.2)]).open


def test_a_proof_with_delta_does_not_prove_a_pure_claim() -> None:
    bound = UpperBound(ApproxDP(1, "1e-9"), Scope())
    assert judge(CLAIM, [bound]).decision is Decision.UNDECIDED
