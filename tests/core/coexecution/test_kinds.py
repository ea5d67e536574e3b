"""Types of computed numbers are compared between runs, and the batched reader is run at every place of a model."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import pytest

from dpwitness import Answers, PureDP, mechanism
from dpwitness.core import laws
from dpwitness.core.coexecution import Computed, Probe, Trace, Unfaithful, coexecute

VALUES = Answers("one", 1, size=1, values=range(40), whole=True)
WHOLE = Answers("one", 1, size=1, low=-3, high=3, whole=True)


class Sum:
    """The answer plus integer noise, with a place for every answer or one for all."""

    def __init__(self, *, apart: bool = False, factor: int = 1) -> None:
        self.apart, self.factor = apart, factor

    def _place(self, answer: Any) -> str:
        return f"answer {answer}" if self.apart else "sum"

    def places(self) -> Collection[str]:
        return [self._place(k) for k in range(40)] if self.apart else ["sum"]

    def probes(self, claim: Any, rng: Any) -> Iterator[Probe]:
        return iter([Probe((answer,), claim.params) for answer in VALUES.values or ()] if self.apart else [])

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Any) -> Trace:
        law = laws.DiscreteLaplace(Fraction(1) / params["eps"])
        return Trace((law,), Computed(self.factor * (data[0] + source(law))), (self._place(data[0]),))


def claim_of(program: Any, space: Any) -> Any:
    return mechanism(data=space, claim=lambda eps: PureDP(eps), typical={"eps": 1})(program).claims()[0]


def plain(noise, q, *, eps):
    return q[0] + noise.discrete_laplace(1 / eps)


def float_above_zero(noise, q, *, eps):
    total = q[0] + noise.discrete_laplace(1 / eps)
    return float(total) if q[0] > 0 else total


def signed_zero(noise, q, *, eps):
    total = float(q[0] + noise.discrete_laplace(1 / eps))
    return 0.0 * total if q[0] > 0 else -0.0


def other_in_one_lane(noise, q, *, eps):
    drawn = noise.discrete_laplace(1 / eps)
    return q[0] + drawn + (type(drawn) is not int and q[0] == 37)


def test_one_type_passes():
    assert coexecute(claim_of(plain, WHOLE), Sum()).places == 1


def test_a_type_that_depends_on_the_data_is_seen():
    with pytest.raises(Unfaithful, match=r"number 0 of the output is (int|float) here, and was (float|int)"):
        coexecute(claim_of(float_above_zero, WHOLE), Sum())


def test_a_sign_of_zero_that_depends_on_the_data_is_seen():
    with pytest.raises(Unfaithful, match=r"number 0 of the output is -?0\.0 here, and was -?0\.0"):
        coexecute(claim_of(signed_zero, WHOLE), Sum(factor=0))


def test_the_batched_reader_is_run_at_every_place():
    assert coexecute(claim_of(plain, VALUES), Sum(apart=True)).lanes > 40
    with pytest.raises(Unfaithful, match="in the batched reader"):
        coexecute(claim_of(other_in_one_lane, VALUES), Sum(apart=True))
