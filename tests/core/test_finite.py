from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from dpwitness.core.errors import BadInput, ImpureProgram, OutsideFragment
from dpwitness.core.readers.finite import ExpSum, Probability, finite_law


def test_randomized_response_has_exact_probabilities() -> None:
    law = finite_law(lambda noise: 1 if noise.bernoulli(log_odds=Fraction(1)) else 0)
    e = ExpSum.exp(1)
    assert law[1] == Probability(e, e + ExpSum.of(1))
    assert law[1] + law[0] == Probability.of(1)


def test_outcomes_of_different_paths_are_added() -> None:
    def program(noise: Any) -> Any:
        return int(noise.bernoulli(Fraction(1, 2))) + int(noise.bernoulli(Fraction(1, 3)))

    law = finite_law(program)
    assert [str(law[k]) for k in (0, 1, 2)] == ["1/3", "1/2", "1/6"]
    assert law.outputs() == [0, 1, 2]
    assert law[7] == Probability.of(0)


def test_the_exponential_mechanism() -> None:
    law = finite_law(lambda noise: noise.choice(log_weights=[0, Fraction(1, 2)]))
    half = ExpSum.exp(Fraction(1, 2))
    assert law[1] == Probability(half, half + ExpSum.of(1))


def test_exponentials_are_compared_by_their_coefficients() -> None:
    one, e = ExpSum.of(1), ExpSum.exp(1)
    square = (one + e) * (one + e)
    assert square == one + e + e + ExpSum.exp(2)
    assert ExpSum.exp(Fraction(1, 2)) * ExpSum.exp(Fraction(1, 2)) == e
    assert one != e


def test_continuous_noise_is_refused_with_the_reason() -> None:
    with pytest.raises(OutsideFragment, match="laplace noise does not have finitely many outcomes"):
        finite_law(lambda noise: noise.laplace(1))


def test_too_many_outcomes_are_refused() -> None:
    with pytest.raises(OutsideFragment, match="more than 100"):
        finite_law(lambda noise: [noise.bernoulli(Fraction(1, 2)) for _ in range(10)], max_runs=100)


@pytest.mark.parametrize("p", [-1, 2, float("nan")])
def test_probabilities_are_checked(p: float) -> None:
    with pytest.raises(BadInput, match="p="):
        finite_law(lambda noise: noise.bernoulli(p))


def test_weights_must_not_all_vanish() -> None:
    with pytest.raises(BadInput, match="all zero"):
        finite_law(lambda noise: noise.choice([0, 0]))


def test_impurity_is_detected() -> None:
    calls: list[int] = []

    def program(noise: Any) -> Any:
        calls.append(1)
        return noise.bernoulli(Fraction(1, 2)) if len(calls) == 1 else 0

    with pytest.raises(ImpureProgram, match="choices"):
        finite_law(program)
