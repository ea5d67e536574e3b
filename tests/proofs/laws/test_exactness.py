"""Exact bounds, bounds for every ε, and fingerprints that go stale."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from dpwitness.core.evidence import UpperBound
from dpwitness.core.guarantees import ZCDP, ApproxDP, PureDP
from dpwitness.core.mechanism import mechanism
from dpwitness.core.spaces import Answers, Interval, Records
from dpwitness.proofs.laws.additive import AdditiveProver
from dpwitness.proofs.laws.stamps import program_print

F = Fraction
ONE = Answers("one", 1, size=1)


def bound(program: Any, space: Any = ONE, claim: Any = lambda eps: PureDP(eps), **typical: Any) -> UpperBound:
    made = mechanism(data=space, claim=claim, typical={"eps": 1, **typical})(program)
    evidence = AdditiveProver().run(made.claims()[0])
    assert isinstance(evidence, UpperBound)
    return evidence


def laplace(scale: Any) -> Any:
    def program(noise: Any, x: Any, *, eps: Any) -> Any:
        return sum(x) + noise.laplace(scale / eps)

    return program


def test_exact_for_every_epsilon() -> None:
    evidence = bound(laplace(1))
    assert (evidence.exact, evidence.scope.epsilon, evidence.formula) == (True, "all", "1·eps")


def test_more_noise_than_needed_is_not_exact() -> None:
    evidence = bound(laplace(2))
    assert (evidence.exact, evidence.scope.epsilon, evidence.formula) == (False, "all", "1/2·eps")


@pytest.mark.parametrize(
    "program",
    [
        lambda noise, x, *, eps: x[0] + noise.laplace(1 / eps**2),
        lambda noise, x, *, eps: x[0] + noise.laplace(1),
        lambda noise, x, *, eps: x[0] * eps + noise.laplace(1 / eps),
    ],
    ids=["square", "constant", "scaled answer"],
)
def test_not_every_epsilon(program: Any) -> None:
    evidence = bound(program)
    assert evidence.scope.epsilon == "1"
    assert evidence.formula is None


def test_only_some_datasets_scale_with_epsilon() -> None:
    def program(noise: Any, data: Any, *, eps: Any) -> Any:
        return sum(data) + noise.laplace((1 if data[0] else 1 / eps) * 1)

    assert bound(program, Records((0, 1), 2)).scope.epsilon == "1"


def test_intervals_and_vectors() -> None:
    def program(noise: Any, data: Any, *, eps: Any) -> Any:
        return [x + noise.laplace(2 / eps) for x in data]

    assert bound(program, Records(Interval(0, 2), 3)).exact
    assert bound(program, Answers("all", 1, size=2)).exact
    assert not bound(program, Answers("all", 1, size=2), lambda eps: ApproxDP(eps, "1e-3")).exact


def test_normal_noise() -> None:
    def program(noise: Any, x: Any, *, eps: Any) -> Any:
        return x[0] + noise.gaussian(2)

    assert bound(program, claim=lambda eps: ZCDP(F(1, 8))).exact
    assert not bound(program, claim=lambda eps: ZCDP(F(1, 7))).exact


def test_fingerprints_follow_the_meaning() -> None:
    def rewritten(noise: Any, x: Any, *, eps: Any) -> Any:
        z = noise.laplace(1 / eps)
        return z + sum(x)

    first, same, other = (
        mechanism(data=ONE, claim=lambda eps: PureDP(eps), typical={"eps": 1})(p).claims()[0]
        for p in (laplace(1), rewritten, laplace(2))
    )
    assert program_print(first) == program_print(same)
    assert program_print(first) != program_print(other)
    certificate = AdditiveProver().run(first).certificate  # type: ignore[union-attr]
    assert certificate is not None
    assert certificate["about"]["program"] == program_print(first)


def test_a_helper_that_changes_is_noticed_on_records() -> None:
    """The program is read on datasets, so what its helpers do counts, and not their text alone."""
    scale = {"of": 1}

    def program(noise: Any, data: Any, *, eps: Any) -> Any:
        return sum(data) + noise.laplace(scale["of"] / eps)

    made = mechanism(data=Records((0, 1), 2), claim=lambda eps: PureDP(eps), typical={"eps": 1})(program)
    before = program_print(made.claims()[0])
    scale["of"] = 2
    assert program_print(made.claims()[0]) != before


def test_an_unreadable_program_is_known_by_its_source() -> None:
    def program(noise: Any, data: Any, *, eps: Any) -> Any:
        return float(data[0]) + float(noise.laplace(1 / eps))

    made = mechanism(data=Records((0, 1), 2), claim=lambda eps: PureDP(eps), typical={"eps": 1})(program)
    assert program_print(made.claims()[0]).startswith("source:")
