"""A claim that is a function of other parameters than ε: what was proved at one of their values says so.

Each program keeps its claim at the typical parameters and breaks it elsewhere, where no other value is tried.
"""

from __future__ import annotations

from typing import Any

import pytest

import dpwitness as dpw
from dpwitness import Answers, PureDP, mechanism
from dpwitness.core.budget import Budget
from dpwitness.core.domains import whole
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.verdict import Decision
from dpwitness.reports.model import explain

ONE = Answers("all", 1, size=1)
SMALL = Budget(max_pairs=100, seconds=4)


def _releases(noise: Any, a: Any, *, eps: Any, k: Any) -> Any:
    """k numbers, and from k = 5 on twice as many: then the loss is 2kε."""
    return [a[0] + noise.laplace(1 / eps) for _ in range(k if k < 5 else 2 * k)]


def _aside(noise: Any, a: Any, *, eps: Any, k: Any) -> Any:
    """Loss ε up to k = 2, and kε from there on; the claim does not mention k."""
    return a[0] + noise.laplace(1 / (eps * k) if k > 2 else 1 / eps)


AT_TWO = {"eps": 1, "k": 2}
DECLARED = mechanism(data=ONE, claim=lambda eps, k: PureDP(eps * k), typical=AT_TWO, domains={"k": whole(1)})(_releases)
UNDECLARED = mechanism(data=ONE, claim=lambda eps, k: PureDP(eps * k), typical=AT_TWO)(_releases)
ASIDE = mechanism(data=ONE, claim=lambda eps: PureDP(eps), typical=AT_TWO)(_aside)
EVERY = pytest.mark.parametrize("made", [DECLARED, UNDECLARED, ASIDE], ids=["declared", "undeclared", "aside"])


@EVERY
def test_the_claim_is_false_elsewhere(made: Mechanism) -> None:
    assert dpw.verify(made, budget=SMALL, k=5).decision is Decision.REFUTED


@EVERY
def test_a_proof_at_one_value_says_so(made: Mechanism) -> None:
    verdict = dpw.verify(made, budget=SMALL)
    assert verdict.decision is not Decision.PROVED or "k = 2" in explain(verdict)


def test_without_a_domain_a_claim_is_made_at_the_typical_value() -> None:
    claim = UNDECLARED.claims()[0]
    assert claim.varies == ("eps",)  # nobody said which numbers k may be, so no other one is tried


def test_the_farthest_value_is_tried() -> None:
    """The claim breaks from k = 5 on; 2·2 + 2 = 6 is the farthest value that is tried."""
    verdict = dpw.verify(DECLARED, budget=SMALL)
    assert verdict.decision is Decision.REFUTED
    assert "k = 6" in explain(verdict)
