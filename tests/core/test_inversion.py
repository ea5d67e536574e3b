"""Integer laws by inversion: exact, also where the first bits of a draw do not decide."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy import stats

from dpwitness.core.readers import inversion
from dpwitness.core.readers.discrete import (
    discrete_gaussian,
    discrete_laplace,
    gaussian_by_rejection,
    laplace_by_rejection,
)

ALPHA = 1e-6


def weights(kind: str, parameter: Fraction, reach: int = 60) -> np.ndarray:
    k = np.arange(-reach, reach + 1)
    raw = np.exp(-np.abs(k) / float(parameter)) if kind == "laplace" else np.exp(-(k**2) / (2 * float(parameter)))
    return raw / raw.sum()


def p_value(draws: np.ndarray, law: np.ndarray) -> float:
    """Pearson's test, rare values together."""
    reach = len(law) // 2
    seen = np.bincount(np.clip(draws, -reach, reach) + reach, minlength=len(law))
    often = law * len(draws) > 10
    observed = np.append(seen[often], seen[~often].sum())
    expected = np.append(law[often], law[~often].sum()) * len(draws)
    keep = expected > 5
    expected = expected[keep] * observed[keep].sum() / expected[keep].sum()
    return float(stats.chisquare(observed[keep], expected).pvalue)


CASES = [
    ("laplace", Fraction(2)),
    ("laplace", Fraction(2, 5)),
    ("gaussian", Fraction(9, 4)),
    ("gaussian", Fraction(30)),
]


@pytest.mark.parametrize(("kind", "parameter"), CASES)
def test_draws_have_the_law_and_not_a_neighbouring_one(kind, parameter):
    draw = discrete_laplace if kind == "laplace" else discrete_gaussian
    draws = draw(np.random.default_rng(1), parameter, 200_000)
    assert p_value(draws, weights(kind, parameter)) > ALPHA
    assert p_value(draws, weights(kind, parameter * Fraction(21, 20))) < ALPHA


@pytest.mark.parametrize("bits", [1, 2, 5])
@pytest.mark.parametrize(("kind", "parameter"), CASES[:3])
def test_the_law_is_the_same_where_most_draws_need_further_bits(kind, parameter, bits, monkeypatch):
    monkeypatch.setattr(inversion, "BITS", bits)
    of = inversion.laplace_survivals if kind == "laplace" else inversion.gaussian_survivals

    @cache
    def survivals(count: int) -> tuple[list[Decimal], Decimal]:
        return of(parameter, count)

    thresholds = inversion.table(survivals)
    assert thresholds is not None
    draws = inversion.signed(np.random.default_rng(2), thresholds, survivals, 6000)
    assert p_value(draws, weights(kind, parameter)) > ALPHA
    assert p_value(draws, weights(kind, parameter * Fraction(13, 10))) < ALPHA


def test_further_bits_decide_as_the_next_digits_of_the_probability_do():
    def survivals(bits: int) -> tuple[list[Decimal], Decimal]:
        return inversion.laplace_survivals(Fraction(3), bits)

    (first, _), (second, _) = inversion.floors(survivals, inversion.BITS)[:2]
    rest = inversion.floors(survivals, 2 * inversion.BITS)[1][0] - (second << inversion.BITS)
    assert inversion.resolved(second, survivals, lambda: rest - 1) == 2
    assert inversion.resolved(second, survivals, lambda: rest + 1) == 1
    assert inversion.resolved(first, survivals, lambda: 0) == 1
    bits = iter([rest, 0])  # equal once more
    assert inversion.resolved(second, survivals, lambda: next(bits)) == 2


def test_thresholds_are_floors_of_the_probabilities():
    with localcontext() as context:
        context.prec = 120
        q = (Decimal(-1) / 4).exp()
        exact = [int(Decimal(2) ** 62 * 2 * q**m / (1 + q)) for m in range(1, 100)]
    table = inversion.laplace_table(Fraction(4))
    assert table is not None
    assert table[:99].tolist() == exact
    assert table[-1] == 0


def test_wide_laws_are_drawn_by_rejection_and_agree():
    assert inversion.laplace_table(Fraction(10**6)) is None
    assert inversion.gaussian_table(Fraction(10**6)) is None
    rng = np.random.default_rng(3)
    for narrow, wide, parameter in (
        (discrete_laplace, laplace_by_rejection, Fraction(5, 2)),
        (discrete_gaussian, gaussian_by_rejection, Fraction(4)),
    ):
        a, b = narrow(rng, parameter, 50_000), wide(rng, parameter, 50_000)
        low, high = min(a.min(), b.min()), max(a.max(), b.max())
        table = np.array([np.bincount(x - low, minlength=high - low + 1) for x in (a, b)])
        table = table[:, table.sum(axis=0) > 20]
        assert stats.chi2_contingency(table).pvalue > ALPHA
    assert math.isclose(np.abs(discrete_laplace(rng, Fraction(10**5), 20_000)).mean(), 1e5, rel_tol=0.05)
