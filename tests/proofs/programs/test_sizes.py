"""A claim about N answers is about exactly N: what fails with fewer refutes it where it fails with N as well."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from dpwitness import Answers, PureDP, mechanism
from dpwitness.core.budget import Budget
from dpwitness.core.coexecution.embedding import embeds
from dpwitness.core.evidence import Counterexample, Unsupported
from dpwitness.core.judging.judge import confirm
from dpwitness.core.verdict import Decision
from dpwitness.proofs.programs.route import ProgramProver
from dpwitness.routes import decide, kernel_checker


def claim_of(program: Any, size: int) -> Any:
    made = mechanism(data=Answers("one", 1, size=size), claim=lambda eps: PureDP(eps), typical={"eps": 1})(program)
    return made.claims()[0]


def bare_alone(noise, q, *, eps):
    """A single answer is released; more of them have their noise."""
    if len(q) == 1:
        return [q[0]]
    return [x + noise.laplace(1 / eps) for x in q]


def compared_bare_alone(noise, q, *, eps):
    """A single answer is compared without noise; with more there are too many ways to follow."""
    scale = 1 / eps if len(q) > 1 else 1 / (100 * eps)
    return [x + noise.laplace(scale) > y for x in q for y in range(3)]


def loud(noise, q, *, eps):
    """Every answer has a tenth of its noise, and a test besides, so that there are many ways."""
    return [x + noise.laplace(1 / (10 * eps)) > 0 for x in q]


def loud_index(noise, q, *, eps):
    """The first answer above 0, with a tenth of its noise."""
    for i, x in enumerate(q):
        if x + noise.laplace(1 / (10 * eps)) > 0:
            return i
    return None


def first_found(program: Any, size: int) -> Counterexample:
    found = ProgramProver().run(claim_of(program, 1))
    assert isinstance(found, Counterexample)
    assert len(found.left) == 1
    return replace(found, whole=None)


@pytest.mark.parametrize("program", [bare_alone, compared_bare_alone])
def test_what_leaks_at_one_answer_only_is_not_refuted_at_more(program: Any) -> None:
    assert decide(claim_of(program, 1), Budget(seconds=10), "prove").decision is Decision.REFUTED
    assert isinstance(confirm(claim_of(program, 3), first_found(program, 3), kernel_checker()), Unsupported)
    assert decide(claim_of(bare_alone, 3), Budget(seconds=10), "prove").decision is Decision.PROVED


def test_what_fails_with_fewer_where_more_cannot_be_read_is_not_refuted() -> None:
    """With 20 answers there are too many ways, so that the prover looks at fewer."""
    claim = claim_of(compared_bare_alone, 20)
    found = ProgramProver().run(claim, Budget(seconds=4))
    assert isinstance(found, Counterexample)
    assert not isinstance(confirm(claim, found, kernel_checker()), Counterexample)


@pytest.mark.parametrize("program", [loud, loud_index])
def test_what_leaks_at_every_size_is_refuted_by_a_pair_of_one(program: Any) -> None:
    claim, found = claim_of(program, 20), first_found(program, 20)
    assert embeds(claim, found.left, found.right)
    assert isinstance(confirm(claim, found, kernel_checker()), Counterexample)


def test_a_pair_of_fewer_answers_carries_one_of_all() -> None:
    claim = claim_of(loud, 3)
    found = ProgramProver().run(claim)
    assert isinstance(found, Counterexample)
    assert found.whole is not None
    assert (len(found.left), len(found.whole.left)) == (1, 3)
    assert isinstance(confirm(claim, found.whole, kernel_checker()), Counterexample)
