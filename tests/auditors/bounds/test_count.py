"""The exact bound from a count, against statsmodels and by enumeration."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom
from statsmodels.stats.proportion import proportion_confint

from dpwitness.auditors.bounds.count import Count, detectable, detectable_by_bets, lower_bound, refutes
from dpwitness.core.errors import BadInput


@given(st.integers(0, 500), st.integers(0, 500), st.sampled_from([0.05, 1e-3]))
def test_pure_bound_is_clopper_pearson_on_the_odds_scale(right, wrong, alpha):
    bound = lower_bound(Count(right, wrong, 2000), alpha)
    if right + wrong == 0:
        assert bound == 0
        return
    a, _ = proportion_confint(right, right + wrong, alpha=2 * alpha, method="beta")
    expected = max(0.0, math.log(a / (1 - a))) if 0 < a < 1 else 0.0
    assert bound == pytest.approx(expected, abs=1e-6)
    assert bound <= expected + 1e-12


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 60), st.floats(0.0, 3.0), st.sampled_from([0.2, 0.05]))
def test_exact_level_of_the_pure_bound(guesses, eps, alpha):
    """Sum the probabilities of all counts that would refute a claim that is exactly tight."""
    p = 1 / (1 + math.exp(-eps))
    wrong = sum(
        binom.pmf(v, guesses, p) for v in range(guesses + 1) if refutes(Count(v, guesses - v, 2 * guesses), eps, alpha)
    )
    assert wrong <= alpha + 1e-12


@pytest.mark.parametrize("delta", [0.01, 0.1])
@pytest.mark.parametrize("sides", [1, 2])
def test_exact_level_with_delta(delta, sides):
    """The tight (ε,δ) pair: with probability δ the output names its side, else randomized response."""
    eps, alpha, runs = 1.0, 0.05, 60
    q = (1 - delta) / (1 + math.exp(eps))
    right_probability = 1 - q if sides == 2 else (delta + (1 - delta) * math.exp(eps) / (1 + math.exp(eps))) / 2
    wrong_probability = q if sides == 2 else q / 2
    guess = right_probability + wrong_probability
    total = 0.0
    for m in range(runs + 1):
        weight = binom.pmf(m, runs, min(1.0, guess))
        if weight < 1e-12:
            continue
        for v in range(m + 1):
            if refutes(Count(v, m - v, runs, sides), eps, alpha, delta):
                total += weight * binom.pmf(v, m, right_probability / guess)
    assert total <= alpha + 1e-9


def test_detectable_is_what_its_name_says():
    count, eps, alpha = Count(700, 300, 2000), 1.0, 0.01
    seen = detectable(count, eps, alpha)
    a = 1 / (1 + math.exp(-seen))
    power = sum(binom.pmf(v, 1000, a) for v in range(1001) if refutes(Count(v, 1000 - v, 2000), eps, alpha))
    assert power == pytest.approx(0.9, abs=0.01)


def test_detectable_is_unknown_without_guesses_or_hope():
    assert detectable(Count(0, 0, 100), 1.0, 0.01) is None
    assert detectable(Count(1, 1, 100), 5.0, 0.01) is None


def test_bound_grows_with_right_guesses_and_falls_with_delta():
    bounds = [lower_bound(Count(v, 100 - v, 400), 0.05) for v in range(101)]
    assert bounds == sorted(bounds)
    assert lower_bound(Count(90, 10, 400), 0.05, 0.01) < lower_bound(Count(90, 10, 400), 0.05)
    assert np.isfinite(bounds[-1])


@pytest.mark.parametrize("bad", [(-1, 0, 10), (6, 5, 10), (1, 1, 10, 3)])
def test_impossible_counts_are_refused(bad):
    with pytest.raises(BadInput):
        Count(*bad)


def test_bets_see_less_with_fewer_pairs_and_never_below_the_claim():
    seen = [detectable_by_bets(pairs, 1.0, 1e-3) for pairs in (50, 500, 5000, 50_000)]
    assert seen == sorted(seen, reverse=True)
    assert 1.0 < seen[-1] < 1.1
    assert detectable_by_bets(5000, 1.0, 1e-3, delta=0.01) > detectable_by_bets(5000, 1.0, 1e-3)


@pytest.mark.parametrize(("pairs", "eps"), [(1, 0.1), (10, 1.0), (100, 5.0)])
def test_bets_that_cannot_win_promise_nothing(pairs, eps):
    most = pairs * math.log((1 + math.exp(eps)) / math.exp(eps))  # log-wealth when every guess is right and certain
    assert most < math.log(1 / 1e-3)
    assert detectable_by_bets(pairs, eps, 1e-3) is None
