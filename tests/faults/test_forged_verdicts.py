"""A kept verdict is judged again: what somebody wrote into its file decides nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dpwitness import Answers, PureDP, mechanism
from dpwitness.core.budget import Budget
from dpwitness.core.evidence import Confirmation, Event, LowerBound, Scope, UpperBound
from dpwitness.core.verdict import Decision, Verdict
from dpwitness.rejudging import rejudge
from dpwitness.routes import decide

BUDGET = Budget(seconds=10.0)
ONE = Answers("all", 1, size=1)


@mechanism(data=ONE, claim=lambda eps: PureDP(eps), typical={"eps": 1})
def noisy(noise, answers, *, eps):
    """An answer with noise."""
    return answers[0] + noise.laplace(1 / eps)


@mechanism(data=ONE, claim=lambda eps: PureDP(eps), typical={"eps": 1})
def quieter(noise, answers, *, eps):
    """An answer with half of the noise that it needs."""
    return answers[0] + noise.laplace(1 / (2 * eps))


@mechanism(data=ONE, claim=lambda eps: PureDP(1), typical={"eps": 1})
def at_one_only(noise, answers, *, eps):
    """An answer whose noise is enough at ε = 1 and at no larger one."""
    return answers[0] + noise.laplace(1 / eps)


def claim_of(made: Any) -> Any:
    return made.claims()[0]


@pytest.fixture(scope="module")
def honest() -> Verdict:
    return decide(claim_of(noisy), BUDGET, "prove")


def test_an_honest_verdict_is_confirmed_again(honest: Verdict) -> None:
    forgotten = replace(honest, upper=replace(honest.upper, confirmed=None))  # type: ignore[type-var]
    assert rejudge(claim_of(noisy), forgotten, BUDGET, "prove") == honest
    refuted = decide(claim_of(quieter), BUDGET, "prove")
    assert refuted.decision is Decision.REFUTED
    assert rejudge(claim_of(quieter), refuted, BUDGET, "prove") == refuted


def bare(_: Verdict) -> UpperBound:
    seen = Confirmation("every claim holds", "x", (), 1, 1, 1, frozenset({"eps"}))
    return UpperBound(PureDP(1), Scope(), None, confirmed=seen)


def of_another_program(honest: Verdict) -> UpperBound:
    assert honest.upper is not None
    return honest.upper


def without_proof(honest: Verdict) -> UpperBound:
    assert honest.upper is not None
    return replace(honest.upper, certificate={"type": "tables"})


@pytest.mark.parametrize("forge", [bare, of_another_program, without_proof])
def test_a_forged_proof_proves_nothing(honest: Verdict, forge: Callable[[Verdict], UpperBound]) -> None:
    forged = Verdict(claim_of(quieter), Decision.PROVED, forge(honest), None)
    assert rejudge(claim_of(quieter), forged, BUDGET, "prove") is None


def test_a_decision_without_evidence_is_none() -> None:
    for decision in (Decision.PROVED, Decision.REFUTED, Decision.NOT_REFUTED, Decision.CONTRADICTION):
        assert rejudge(claim_of(quieter), Verdict(claim_of(quieter), decision, None, None), BUDGET, "verify") is None


def test_a_counterexample_elsewhere_cannot_be_left_out() -> None:
    whole = decide(claim_of(at_one_only), BUDGET, "prove")
    assert whole.decision is Decision.REFUTED
    here = decide(at_one_only.claims(eps=1)[0], BUDGET, "prove")
    assert here.decision is Decision.PROVED
    assert rejudge(claim_of(at_one_only), replace(here, tried=()), BUDGET, "prove") is None


@pytest.mark.parametrize(
    "change",
    [
        {"alpha": 0.5},  # more than the budget has
        {"left": (0,), "right": (7,)},  # no neighbours
        {"epsilon": 0.5},  # refutes nothing
    ],
)
def test_a_bound_that_is_not_of_this_claim_refutes_nothing(change: dict[str, Any]) -> None:
    fields: dict[str, Any] = {
        "epsilon": 1.5, "alpha": BUDGET.alpha, "pairs": 1000, "seed": 0, "refutes": True, "left": (0,), "right": (1,),
        "direction": "left", "event": Event("output > 0"), "scope": Scope(1, "1"),
    }  # fmt: skip
    kept = Verdict(claim_of(quieter), Decision.REFUTED, None, LowerBound(**fields))
    assert rejudge(claim_of(quieter), kept, BUDGET, "audit") is not None
    forged = replace(kept, lower=LowerBound(**{**fields, **change}))
    assert rejudge(claim_of(quieter), forged, BUDGET, "audit") is None


def test_a_forged_file_is_decided_anew(tmp_path: Path) -> None:
    from dpwitness import batch

    file = tmp_path / "mine.py"
    file.write_text(
        "from dpwitness import Answers, PureDP, mechanism\n\n\n"
        "@mechanism(data=Answers('all', 1, size=1), claim=lambda eps: PureDP(eps), typical={'eps': 1})\n"
        "def bare(noise, answers, *, eps):\n    return answers[0]\n"
    )
    work = batch.tasks([f"{file}::bare"], {})
    where = batch.Workers(1, folder=tmp_path / "unfinished")
    forged = Verdict(work[0][1], Decision.PROVED, UpperBound(PureDP(1), Scope(), {"type": "tables"}), None)
    batch._save(tmp_path / "unfinished", *work[0], BUDGET, "prove", forged)
    assert list((tmp_path / "unfinished").glob("*.verdict"))
    (found,) = batch.decide_all(work, BUDGET, "prove", where)
    assert found.decision is Decision.REFUTED
