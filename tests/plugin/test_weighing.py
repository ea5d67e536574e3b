"""A verdict says which claim its evidence is about, and at which level."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dpwitness.core.evidence import DOUBLES, IDEAL_REALS, LowerBound
from dpwitness.core.guarantees import PureDP
from dpwitness.core.verdict import Decision
from dpwitness.plugin.weighing import Question, weigh


def enough(data: float, size: int, rng: Any) -> Any:
    return data + rng.laplace(0, 10.0, size)


def too_little(data: float, size: int, rng: Any) -> Any:
    return data + rng.laplace(0, 2.0, size)


@pytest.mark.parametrize(
    ("sampler", "numerics", "decision", "about"),
    [
        (enough, "ideal", Decision.NOT_REFUTED, IDEAL_REALS), (too_little, "ideal", Decision.REFUTED, IDEAL_REALS),
        (enough, "doubles", Decision.REFUTED, DOUBLES), (too_little, "doubles", Decision.REFUTED, DOUBLES),
        (enough, "both", Decision.REFUTED, DOUBLES), (too_little, "both", Decision.REFUTED, IDEAL_REALS),
    ],
)  # fmt: skip
def test_bit_patterns_refute_the_claim_about_doubles_alone(
    sampler: Any, numerics: Any, decision: Decision, about: Any
) -> None:
    question = Question.about_function(sampler, PureDP("0.1"), [(0.0, 1.0)], None, {})
    verdict = weigh(replace(question, numerics=numerics, max_pairs=100_000, alpha=0.001))
    assert verdict.decision is decision
    assert isinstance(verdict.lower, LowerBound)
    assert verdict.lower.scope.numerics == about
    assert verdict.lower.alpha == 0.001
