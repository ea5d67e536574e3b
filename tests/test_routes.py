"""One orchestration: a proof about real-valued noise decides nothing where doubles are asked about."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import dpwitness as dpw
from dpwitness import Answers, PureDP, mechanism
from dpwitness.core.budget import Budget
from dpwitness.core.claims import Claim
from dpwitness.core.evidence import DOUBLES, Counterexample, Evidence, Unsupported, UpperBound
from dpwitness.core.judging.judge import judge
from dpwitness.core.verdict import Decision
from dpwitness.rejudging import rejudge
from dpwitness.routes import _decide, as_asked, decide, kernel_checker


def noisy(noise: Any, data: Any, *, eps: Any) -> Any:
    return [q + noise.laplace(1 / eps) for q in data]


def clear(noise: Any, data: Any, *, eps: Any) -> Any:
    return data[0] > 0


def claim_of(program: Any) -> Any:
    made = mechanism(data=Answers("l1", 1, size=2), claim=lambda eps: PureDP(eps), typical={"eps": 1})
    return made(program).claims()[0]


@pytest.mark.parametrize(("numerics", "decision"), [
    ("ideal", Decision.PROVED), ("doubles", Decision.UNDECIDED), ("both", Decision.UNDECIDED)
])  # fmt: skip
def test_a_proof_decides_the_claim_about_real_numbers_alone(numerics: Any, decision: Decision) -> None:
    assert decide(claim_of(noisy), Budget(numerics=numerics, seconds=20), "prove").decision is decision


@pytest.mark.parametrize(("numerics", "decision"), [
    ("ideal", Decision.REFUTED), ("both", Decision.REFUTED), ("doubles", Decision.UNDECIDED)
])  # fmt: skip
def test_a_counterexample_in_real_numbers_is_one_of_both(numerics: Any, decision: Decision) -> None:
    assert decide(claim_of(clear), Budget(numerics=numerics, seconds=20), "prove").decision is decision


def test_a_kept_proof_decides_no_more() -> None:
    claim = claim_of(noisy)
    kept = decide(claim, Budget(seconds=20), "prove")
    assert kept.decision is Decision.PROVED
    assert rejudge(claim, kept, Budget(seconds=20), "prove") is not None
    for numerics in ("doubles", "both"):
        assert rejudge(claim, kept, Budget(seconds=20, numerics=numerics), "prove") is None  # type: ignore[arg-type]


def test_the_judge_compares_reals_and_doubles() -> None:
    """Whatever a scope says of itself."""
    claim = claim_of(noisy)
    proof = dpw.prove(claim.mechanism)
    assert isinstance(proof, UpperBound)
    for numerics in (proof.scope.numerics, DOUBLES):
        forged = replace(proof, scope=replace(proof.scope, numerics=numerics))  # type: ignore[arg-type]
        verdict = judge(replace(claim, numerics=DOUBLES), [forged], kernel_checker())
        assert verdict.decision is Decision.UNDECIDED
        found = judge(claim, [forged], kernel_checker()).upper
        assert found is not None
        assert found.scope.numerics != DOUBLES


def test_what_is_silenced_says_so() -> None:
    proof = dpw.prove(claim_of(noisy).mechanism)
    (said,) = as_asked([proof], "doubles")  # type: ignore[list-item]
    assert isinstance(said, Unsupported)
    assert "real-valued noise" in said.reason
    broken = dpw.prove(claim_of(clear).mechanism)
    assert isinstance(broken, Counterexample)
    assert as_asked([broken], "both") == [broken]


@pytest.mark.parametrize("pairs", [20, 300, 4000])
def test_a_second_opinion_has_no_more_pairs_than_were_allowed(pairs: int) -> None:
    asked = []

    def audit(claim: Claim, budget: Budget) -> list[Evidence]:
        asked.append(budget.max_pairs)
        return []

    verdict = _decide(claim_of(noisy), audit, Budget(max_pairs=pairs, seconds=20), "verify", lambda verdict: None)
    assert verdict.decision is Decision.PROVED
    assert asked == [min(pairs, 2000)]


@pytest.mark.parametrize(("scale", "rounded"), [(0.9999999999999999, True), (0.999, False)])
def test_an_excess_that_rounding_leaves_is_named(scale: float, rounded: bool) -> None:
    @mechanism(data=Answers("all", 1, size=2), claim=lambda eps: PureDP(eps), typical={"eps": 1})
    def little_noise(noise, q, *, eps):  # type: ignore[no-untyped-def]
        return q[0] + noise.laplace(scale / eps)

    verdict = dpw.verify(little_noise, budget=Budget(max_pairs=100, seconds=60))
    assert verdict.decision is Decision.REFUTED
    assert ("rounding" in verdict.cause) == rounded
