from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dpwitness.core import Answers, Mechanism, PureDP, Refuted, mechanism, whole
from dpwitness.core.errors import BadInput, ProgramTimeout
from dpwitness.core.limits import time_limit


def make(**options: Any) -> Any:
    return mechanism(**{"data": Answers(size=2), "claim": lambda eps: PureDP(eps), "typical": {"eps": 1}, **options})


def laplace(noise: Any, answers: Any, *, eps: Any) -> Any:
    """Adds noise."""
    return answers[0] + noise.laplace(1 / eps)


def test_a_decorated_function_is_a_mechanism() -> None:
    made: Mechanism = make()(laplace)
    assert made.name == "laplace"
    assert made.summary == "Adds noise."
    (claim,) = made.claims()
    assert claim.guarantee == PureDP(1)
    assert claim.expected_to_hold


def test_parameters_can_be_replaced_and_are_checked() -> None:
    made = make()(laplace)
    assert made.claims(eps="1/3")[0].guarantee == PureDP("1/3")
    for bad, message in [({"eps": 0}, "eps=0"), ({"sigma": 1}, "no parameter 'sigma'"), ({"eps": "x"}, "eps='x'")]:
        with pytest.raises(BadInput, match=message):
            made.claims(**bad)


def test_domains() -> None:
    def program(noise: Any, answers: Any, *, eps: Any, cutoff: Any) -> Any:
        return list(range(cutoff))

    made = make(typical={"eps": 1, "cutoff": 2}, domains={"cutoff": whole(1)})(program)
    assert made.program(None, [], **made.params()) == [0, 1]
    with pytest.raises(BadInput, match="cutoff=1/2 must be a whole number"):
        made.params(cutoff="1/2")
    with pytest.raises(BadInput, match="cutoff=0 must be at least 1"):
        made.params(cutoff=0)


def test_twins_claim_the_same_and_are_expected_to_fail() -> None:
    made = make()(laplace)

    @made.twin("half")
    def _(noise: Any, answers: Any, *, eps: Any) -> Any:
        return answers[0] + noise.laplace(1 / (2 * eps))

    (twin,) = made.twins
    assert twin.name == "laplace/half"
    assert twin.parent == "laplace"
    assert not twin.claims()[0].expected_to_hold
    assert twin.claims()[0].guarantee == PureDP(1)


def test_more_claims_under_other_adjacencies() -> None:
    made = make()(laplace).also(data=Answers("all", by=2, size=2), claim=lambda eps: PureDP(eps), expected=Refuted)
    one, two = made.claims()
    assert (one.expected_to_hold, two.expected_to_hold) == (True, False)
    assert (one.index, two.index) == (0, 1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"typical": {}}, "lacks a value for the parameter 'eps'"),
        ({"typical": {"eps": 1, "sigma": 2}}, "names 'sigma'"),
        ({"typical": {"eps": -1}}, "eps=-1"),
        ({"claim": lambda rho: PureDP(rho)}, "the claim uses 'rho'"),
    ],
)
def test_a_wrong_declaration_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        make(**options)(laplace)


def test_a_decorator_on_a_method_is_refused() -> None:
    with pytest.raises(BadInput, match=r"Holder\.release: a method has hidden state"):

        class Holder:
            @make()
            def release(self, noise: Any, answers: Any, *, eps: Any) -> Any:
                return 0


def test_too_few_arguments() -> None:
    with pytest.raises(BadInput, match="first two arguments"):
        make(typical={})(lambda noise: 0)


def test_sampling_through_the_mechanism() -> None:
    made = make()(laplace)
    out = made.sample([10, 0], 5000, np.random.default_rng(0)).array()
    assert out is not None
    assert abs(float(np.median(out)) - 10) < 0.2
    again = made.sample([10, 0], 5000, np.random.default_rng(0)).array()
    assert (out == again).all()


@pytest.mark.parametrize(("data", "message"), [([], "data is empty"), ([0, float("nan")], r"data\[1\]=nan")])
def test_data_are_checked_before_sampling(data: list[float], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        make()(laplace).sample(data, 10, np.random.default_rng(0))


def test_the_program_cannot_change_the_callers_data() -> None:
    def greedy(noise: Any, answers: Any, *, eps: Any) -> Any:
        answers.clear()
        return noise.laplace(1 / eps)

    data = [1, 2]
    make()(greedy).sample(data, 10, np.random.default_rng(0))
    assert data == [1, 2]


def test_a_loop_without_noise_is_stopped() -> None:
    def spin() -> None:
        while True:
            pass

    with pytest.raises(ProgramTimeout, match="spinning did not finish"), time_limit(0.2, "spinning"):
        spin()
