"""Probabilities and weights that are written with e^ε: exact laws of finite choices, equal ones recognised as equal."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest

from dpwitness import Exact, PureDP, Records, exp, log, mechanism
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.judging.judge import judge
from dpwitness.core.laws import Choice
from dpwitness.core.readers import finite
from dpwitness.core.readers.finite import quotient
from dpwitness.proofs.laws.finite import FiniteProver
from dpwitness.routes import kernel_checker

BIT, FIVE = Records((0, 1), 1), Records((0, 1, 2, 3, 4), 1)


def decide(program, space=BIT, eps=1):
    made = mechanism(data=space, claim=lambda eps: PureDP(eps), typical={"eps": eps})(program)
    claim = made.claims()[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return judge(claim, [FiniteProver().run(claim)], kernel_checker()).decision.value


def by_weights(noise, data, *, eps):
    return noise.choice([exp(eps) if v == data[0] else 1 for v in range(5)])


def kept(noise, data, *, eps):
    keep = noise.bernoulli(exp(eps) / (1 + exp(eps)))
    return data[0] if keep else 1 - data[0]


def by_chance(noise, data, *, eps):
    p = exp(eps) / (1 + exp(eps))
    return 1 * noise.bernoulli(p * data[0] + (1 - p) * (1 - data[0]))


def by_a_choice_of_two(noise, data, *, eps):
    return [data[0], 1 - data[0]][noise.choice([exp(eps), 1])]


@pytest.mark.parametrize("eps", [1, "1/3", 4])
def test_proved(eps) -> None:
    assert decide(by_weights, FIVE, eps) == "PROVED"
    assert decide(kept, eps=eps) == decide(by_chance, eps=eps) == decide(by_a_choice_of_two, eps=eps) == "PROVED"


def weight_of_the_square(noise, data, *, eps):
    """not private: e^(2ε) against 1."""
    return noise.choice([exp(eps) * exp(eps) if v == data[0] else 1 for v in range(5)])


def half_a_weight_for_others(noise, data, *, eps):
    """not private: e^ε against 1/2."""
    return noise.choice([exp(eps) if v == data[0] else Exact(1, 2) for v in range(5)])


def nearly_one(noise, data, *, eps):
    """not private: the chance is larger by a millionth."""
    keep = noise.bernoulli(exp(eps) / (1 + exp(eps)) + Exact(1, 10**6))
    return data[0] if keep else 1 - data[0]


def two_coins(noise, data, *, eps):
    """not private: the record is shown where either coin keeps it."""
    one = noise.bernoulli(exp(eps) / (1 + exp(eps)))
    two = noise.bernoulli(exp(eps) / (1 + exp(eps)))
    return data[0] if one | two else 1 - data[0]


def never(noise, data, *, eps):
    """not private: a weight is e^ε - e^ε = 0 for some records."""
    return noise.choice([exp(eps) - (exp(eps) if data[0] else 1), 1])


@pytest.mark.parametrize("program", [weight_of_the_square, half_a_weight_for_others, nearly_one, two_coins, never])
def test_refuted(program) -> None:
    assert decide(program, FIVE if "weight" in program.__name__ else BIT) == "REFUTED"


def test_numbers_that_are_no_quotients_of_powers_are_refused() -> None:
    for number in (log(Fraction(2)), exp(log(Fraction(2))), exp(Fraction(1)) / log(Fraction(3))):
        with pytest.raises(OutsideFragment):
            quotient(number, "p")
    e = exp(Fraction(1))
    with pytest.raises((OutsideFragment, ZeroDivisionError)):
        quotient(1 / (e - e), "p")
    assert float(quotient(1 / (1 - e), "p")) == pytest.approx(1 / (1 - np.e))
    assert quotient((e * e - 1) / (e + 1), "p") == quotient(e - 1, "p")


def test_a_law_that_forgets_the_denominator_is_noticed(monkeypatch) -> None:
    """Read otherwise, a chance is not the one that the program draws by."""
    monkeypatch.setattr(finite, "_inverted", lambda value, name: finite.Probability.of(Fraction(1, 4)))
    assert decide(kept) == "UNDECIDED"


def test_samples_follow_the_weights() -> None:
    rng = np.random.default_rng(1)
    drawn = Choice((exp(Fraction(1)), Exact(1), Exact(0))).sample(rng, 40_000)
    shares = np.bincount(drawn, minlength=3) / 40_000
    assert shares == pytest.approx([np.e / (1 + np.e), 1 / (1 + np.e), 0], abs=0.01)
