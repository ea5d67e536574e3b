"""`dpwitness.prove` as people call it."""

from __future__ import annotations

from typing import Any

import pytest

import dpwitness as dpw
from dpwitness.core.errors import BadInput
from dpwitness.core.evidence import Counterexample, Unsupported, UpperBound


def made(program: Any, factor: int = 1) -> Any:
    return dpw.mechanism(
        data=dpw.Answers(size=2), claim=lambda eps: dpw.PureDP(factor * eps), typical={"eps": 1}, name="p"
    )(program)


def noisy_max(noise: Any, counts: Any, *, eps: Any) -> Any:
    return noise.argmax([c + noise.laplace(1 / eps) for c in counts])


def squared(noise: Any, counts: Any, *, eps: Any) -> Any:
    value = counts[0]
    if value * value + noise.laplace(1 / eps) >= 2:
        return 1
    return 0


def test_a_bound_above_the_claim_does_not_stand_in_for_a_counterexample() -> None:
    assert isinstance(dpw.prove(made(noisy_max)), Counterexample)
    found = dpw.prove(made(noisy_max, 2), queries="any")
    assert isinstance(found, UpperBound)
    assert (found.guarantee, found.scope.queries) == (dpw.PureDP(2), "any")


def test_a_refusal_names_the_line() -> None:
    found = dpw.prove(made(squared), seconds=5)
    assert isinstance(found, Unsupported)
    assert found.line == squared.__code__.co_firstlineno + 2
    assert "value * value" in found.reason


def test_a_plain_function_is_told_where_to_go() -> None:
    with pytest.raises(BadInput, match="a plain function is audited on two inputs"):
        dpw.verify(lambda data: data, eps=1)  # type: ignore[arg-type]


def test_evidence_prints_in_one_line() -> None:
    assert str(dpw.prove(made(noisy_max, 2), queries="any")).startswith("upper bound: ε = 2 by one-iteration shift")
    assert str(dpw.prove(made(noisy_max))).startswith("counterexample (exact): output ")
    assert str(dpw.prove(made(squared), seconds=5)).startswith("not decided by a prover: line ")
    assert str(dpw.sensitivity("sum(x)")).splitlines()[-2] == "  every n >= 1: 1"
