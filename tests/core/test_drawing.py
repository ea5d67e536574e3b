"""Every law: draws follow it, and a wrong scale is noticed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.exact_tests import counts_agree, draws_agree, scaled

from dpwitness.core import laws
from dpwitness.core.errors import BadInput
from dpwitness.core.readers import discrete
from dpwitness.core.readers.drawing import sample

N = 40_000
CONTINUOUS = [
    laws.Laplace(Fraction(3, 2)),
    laws.Exponential(2),
    laws.Gaussian(0.7),
    laws.Uniform(0, 3),
    laws.Gamma(3, Fraction(1, 2)),
    laws.Admissible(Fraction(3, 2)),
    laws.Admissible(4),
    laws.Staircase(1, 2, Fraction(1, 3)),
]
INTEGERS = [
    laws.DiscreteLaplace(Fraction(1)),
    laws.DiscreteLaplace(Fraction(7, 3)),
    laws.DiscreteLaplace(Fraction(1, 3)),
    laws.DiscreteGaussian(Fraction(1)),
    laws.DiscreteGaussian(Fraction(23, 7)),
    laws.DiscreteGaussian(Fraction(1, 5)),
]


@pytest.mark.parametrize("law", CONTINUOUS + INTEGERS, ids=str)
def test_draws_follow_the_law_and_a_wrong_scale_is_rejected(law: laws.Law) -> None:
    draws = sample(law, np.random.default_rng(1), N)
    assert draws.shape == (N,)
    assert draws_agree(law, draws)
    assert not draws_agree(scaled(law, 1.15), draws)
    assert not draws_agree(scaled(law, 0.85), draws)


def test_finite_laws() -> None:
    rng = np.random.default_rng(2)
    for law, p in [
        (laws.Bernoulli(Fraction(1, 3)), [2 / 3, 1 / 3]),
        (laws.Logit(1), [1 / (1 + np.e), np.e / (1 + np.e)]),
        (laws.Choice((Fraction(1), Fraction(2), Fraction(0), Fraction(1, 2))), [2 / 7, 4 / 7, 0, 1 / 7]),
        (laws.LogChoice((0, 1, -1)), np.exp([0, 1, -1]) / np.exp([0, 1, -1]).sum()),
    ]:
        counts = np.bincount(sample(law, rng, N).astype(int), minlength=len(p)).tolist()
        assert counts_agree(counts, list(p))
        wrong = [1 / len(p)] * len(p)
        assert not counts_agree(counts, wrong)


def test_parameters_may_differ_from_lane_to_lane() -> None:
    rng = np.random.default_rng(3)
    scales = np.repeat([1.0, 5.0], N)
    draws = sample(laws.Laplace(scales), rng, 2 * N)
    assert draws_agree(laws.Laplace(1), draws[:N])
    assert draws_agree(laws.Laplace(5), draws[N:])
    whole = sample(laws.DiscreteLaplace(scales), rng, 2 * N)
    assert draws_agree(laws.DiscreteLaplace(5), whole[N:])


def test_bernoulli_exp_is_exact_for_large_and_small_exponents() -> None:
    rng = np.random.default_rng(4)
    for top, bottom in [(0, 5), (1, 5), (5, 5), (12, 5)]:
        hits = int(discrete.bernoulli_exp(rng, top, bottom, N).sum())
        p = float(np.exp(-top / bottom))
        assert counts_agree([hits, N - hits], [p, 1 - p])


def test_integer_laws_use_no_floating_point_number(monkeypatch: pytest.MonkeyPatch) -> None:
    class OnlyIntegers:
        """A generator that can do nothing but draw bounded integers."""

        def __init__(self) -> None:
            self._rng = np.random.default_rng(5)

        def integers(self, low: int, high: int, size: int, dtype: type) -> np.ndarray:
            assert isinstance(high, int)
            return self._rng.integers(low, high, size=size, dtype=dtype)

    rng = OnlyIntegers()
    for law in INTEGERS:
        assert sample(law, rng, 100).dtype == np.int64  # type: ignore[arg-type]


def test_a_rational_too_fine_for_64_bits_is_refused_clearly() -> None:
    with pytest.raises(BadInput, match="too fine"):
        sample(laws.DiscreteLaplace(Fraction(10**25 + 1, 10**19)), np.random.default_rng(0), 1)


def test_large_variance() -> None:
    draws = sample(laws.DiscreteGaussian(Fraction(10**6)), np.random.default_rng(6), 4000)
    assert draws_agree(laws.Gaussian(1000), draws + np.random.default_rng(7).uniform(-0.5, 0.5, 4000))
