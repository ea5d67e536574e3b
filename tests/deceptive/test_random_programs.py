"""Random programs against a truth that no reader of the project has a part in.

A claim is set at the true loss, a little above or a little below it. PROVED is wrong where the loss is larger than the
claim by more than the oracle's own error, and REFUTED exactly where it is smaller.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from dpwitness import PureDP, mechanism
from dpwitness.core.budget import Budget
from dpwitness.routes import decide
from tests.deceptive.generator import FAMILIES, Sample, compiled, generate
from tests.deceptive.truth import NotOfThisFamily, Truth, true_loss
from tests.deceptive.ways import SECONDS, quiet

DEFAULT, SLOW, PART = 40, 2000, 50
ERROR = 1e-6  # of an exact loss in floats
NEAR = 0.02  # how far below the truth a loss on a grid may lie


def claimed(sample: Sample, truth: Truth) -> Fraction:
    """The claim of a program: at its loss, above it or below it, by its seed."""
    if math.isinf(truth.loss) or truth.loss == 0:
        return Fraction(1)
    exact = truth.loss if isinstance(truth.loss, Fraction) else Fraction(truth.loss).limit_denominator(10**6)
    return max(exact * (Fraction(1), Fraction(11, 10), Fraction(4, 5), Fraction(1))[sample.seed % 4], Fraction(1, 100))


def ask(sample: Sample, claim: Fraction) -> str:
    """The decision of the provers alone."""
    by_eps = sample.family != "finite"  # choices do not depend on ε, and neither does their claim
    made = mechanism(
        data=sample.space, claim=(lambda eps: PureDP(claim * eps)) if by_eps else (lambda eps: PureDP(claim)),
        typical={"eps": 1}, name=f"random-{sample.seed}",
    )(sample.function)  # fmt: skip
    with quiet():
        return decide(made.claims()[0], Budget(seconds=SECONDS), "prove").decision.value


def wrong(sample: Sample, truth: Truth, claim: Fraction, said: str) -> bool:
    """Whether a decision contradicts the truth by more than the oracle's error."""
    slack = ERROR if truth.exact else NEAR
    if said == "PROVED":
        return bool(truth.loss > claim * (1 + Fraction(1, 10**6)))
    return said == "CONTRADICTION" or (said == "REFUTED" and bool(truth.loss < float(claim) * (1 - slack)))


def examine(seeds: Any) -> Counter[tuple[str, str]]:
    """Decide the programs of some seeds; an assertion shows the first wrong one."""
    seen: Counter[tuple[str, str]] = Counter()
    for seed in seeds:
        sample = generate(seed)
        try:
            truth = true_loss(sample.family, sample.function, sample.space)
        except (NotOfThisFamily, ZeroDivisionError, TypeError, IndexError) as error:
            seen[sample.family, type(error).__name__] += 1
            continue
        claim = claimed(sample, truth)
        said = ask(sample, claim)
        seen[sample.family, said] += 1
        facts = f"seed {seed}, {sample.space}\n{sample.source}loss {truth.loss}, claim {claim}: {said}"
        assert not wrong(sample, truth, claim, said), facts
    return seen


@pytest.mark.parametrize("start", range(0, DEFAULT, 10))
def test_some_random_programs(start: int) -> None:
    examine(range(start, start + 10))


@pytest.mark.slow
@pytest.mark.parametrize("start", range(0, SLOW, PART))
def test_many_random_programs(start: int) -> None:
    seen = examine(range(start, start + PART))
    words = Counter(said for (_, said), count in seen.items() for _ in range(count))
    assert words["PROVED"] >= PART // 10, seen
    assert words["REFUTED"] >= PART // 10, seen


def test_every_family_is_generated() -> None:
    assert {generate(seed).family for seed in range(40)} == set(FAMILIES)


BROKEN = {  # what a wrong reader would believe, beside the text that runs
    "the remainder is never 1": ("n % 2 == 1", "False"),
    "a truth value is 0": ("x * flag", "x * 0"),
    "the last answer is not read": ("enumerate(q)", "enumerate(q[:-1])"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_wrong_model_is_noticed(name: str) -> None:
    """The oracle has power: what is true of the text that a broken reader sees is not true of the one that runs."""
    text, seen = BROKEN[name]
    noticed = 0
    for seed in range(400):
        sample = generate(seed)
        if sample.family != "linear" or text not in sample.source:
            continue
        try:
            truth = true_loss("linear", sample.function, sample.space)
            function = compiled(sample.source.replace(text, seen), f"broken_{seed}")
            believed = true_loss("linear", function, sample.space)
        except (NotOfThisFamily, ZeroDivisionError, TypeError, IndexError):
            continue
        if not math.isinf(believed.loss):
            noticed += wrong(sample, truth, Fraction(believed.loss), "PROVED")
    assert noticed >= 1
