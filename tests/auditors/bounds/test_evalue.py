"""The e-value is valid for every guess π, and optimal for the true one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwitness.auditors.bounds.evalue import Null, growth, log_factors, tuned
from dpwitness.auditors.bounds.limit import best_bound, divergence, fewest_pairs
from dpwitness.core.errors import BadInput

unit = st.floats(0.001, 0.999)


@st.composite
def private_pairs(draw):
    """Two laws on a few cells that are (ε,δ)-private, most of them exactly tight, with ε and δ."""
    size = draw(st.integers(2, 6))
    eps = draw(st.sampled_from([0.0, 0.01, 0.5, 1.0, 3.0]))
    delta = draw(st.sampled_from([0.0, 1e-5, 0.01, 0.3]))
    base = np.array(draw(st.lists(unit, min_size=size, max_size=size)))
    ratio = np.array(draw(st.lists(st.sampled_from([-1.0, 1.0, 0.0, 0.5]), min_size=size, max_size=size)))
    p = base * np.exp(eps / 2 * ratio)
    q = base * np.exp(-eps / 2 * ratio)
    # two-point correction so that both sum to one without leaving the band: mix towards their common part
    p, q = p / p.sum(), q / q.sum()
    worst = max(np.max(p / q), np.max(q / p))
    if worst > math.exp(eps):  # shrink towards the mean law until the band holds
        low, high = 0.0, 1.0
        mean = (p + q) / 2
        for _ in range(60):
            t = (low + high) / 2
            a, b = mean + t * (p - mean), mean + t * (q - mean)
            if max(np.max(a / b), np.max(b / a)) <= math.exp(eps):
                low = t
            else:
                high = t
        p, q = mean + low * (p - mean), mean + low * (q - mean)
    left, right = np.zeros(size), np.zeros(size)
    left[draw(st.integers(0, size - 1))] = 1
    right[draw(st.integers(0, size - 1))] = 1
    return (1 - delta) * p + delta * left, (1 - delta) * q + delta * right, eps, delta


@settings(max_examples=200, deadline=None)
@given(private_pairs(), st.data())
def test_expected_factor_is_at_most_one_for_any_guess(pair, data):
    p, q, eps, delta = pair
    pi = np.array(data.draw(st.lists(st.floats(0.0, 1.0), min_size=len(p), max_size=len(p))))
    null = Null(eps, delta, data.draw(st.floats(0.05, 1.95)), data.draw(unit), data.draw(unit))
    for hypothesis in (Null(eps, delta), null):
        f, g = (np.exp(x) for x in log_factors(pi, hypothesis))
        assert np.sum(p * f) + np.sum(q * g) <= 2 + 1e-9
        assert np.sum(p * f) * np.sum(q * g) <= 1 + 1e-9


@given(st.floats(0.001, 0.999), st.floats(0.0, 5.0))
def test_closed_form_of_the_pure_case(pi, eps):
    big = math.exp(eps)
    c = min(max(pi, 1 / (1 + big)), big / (1 + big))
    f, g = log_factors(np.array([pi]), Null(eps))
    assert math.exp(f[0]) == pytest.approx(pi / c, rel=1e-9)
    assert math.exp(g[0]) == pytest.approx((1 - pi) / (1 - c), rel=1e-9)


def test_no_bet_inside_the_band_without_delta():
    f, g = log_factors(np.array([0.3, 0.5, 0.7]), Null(1.0))
    assert np.allclose(f, 0)
    assert np.allclose(g, 0)


@pytest.mark.parametrize(("true", "claimed"), [(1.3, 1.0), (2.0, 1.0), (0.2, 0.1)])
def test_true_guess_reaches_the_information_limit_on_randomized_response(true, claimed):
    """KL* has a closed form here: the nearest private pair is randomized response at the claimed ε."""
    a, b = (math.exp(e) / (1 + math.exp(e)) for e in (true, claimed))
    left, right = np.array([a, 1 - a]), np.array([1 - a, a])
    kl = 2 * (a * math.log(a / b) + (1 - a) * math.log((1 - a) / (1 - b)))
    assert divergence(left, right, claimed) == pytest.approx(kl, rel=1e-6)
    assert growth(left, right, left / (left + right), Null(claimed)) == pytest.approx(kl, rel=1e-6)
    assert fewest_pairs(left, right, claimed, alpha=0.01) == pytest.approx(math.log(100) / kl, rel=1e-6)


def test_divergence_is_zero_for_private_pairs_and_found_by_a_general_solver():
    from scipy.optimize import minimize

    p, q = np.array([0.7, 0.2, 0.1]), np.array([0.15, 0.25, 0.6])

    def laws(t):
        a, b = np.exp(np.append(t[:2], 0.0)), np.exp(np.append(t[2:], 0.0))
        return a / a.sum(), b / b.sum()

    def kl(t):
        a, b = laws(t)
        return float(np.sum(p * np.log(p / a)) + np.sum(q * np.log(q / b)))

    def slack(t):
        a, b = laws(t)
        return np.concatenate([1.0 - np.log(a / b), 1.0 + np.log(a / b)])

    found = minimize(kl, np.zeros(4), method="SLSQP", constraints={"type": "ineq", "fun": slack})
    assert divergence(p, q, 1.0) == pytest.approx(found.fun, rel=1e-3)
    assert divergence(p, q, 2.0) == 0.0


@pytest.mark.parametrize("bad", [{"eps": -1.0}, {"eps": math.nan}, {"eps": 1.0, "delta": 1.0}, {"eps": 1e6}])
def test_bad_hypotheses_are_refused(bad):
    with pytest.raises(BadInput):
        Null(**bad)


@given(private_pairs(), st.lists(unit, min_size=6, max_size=6), st.lists(unit, min_size=6, max_size=6))
def test_the_balance_and_the_caps_that_are_chosen_are_valid_and_no_worse(pair, guesses, weights):
    p, q, eps, delta = pair
    pi, mass = np.array(guesses[: len(p)]), np.array(weights[: len(p)]) + 1e-3
    mass /= mass.sum()
    null = tuned(Null(eps, delta), pi, mass)
    f, g = log_factors(pi, null)
    assert float(p @ np.exp(f)) * float(q @ np.exp(g)) <= 1 + 1e-9
    rates = [growth(2 * mass * pi, 2 * mass * (1 - pi), pi, choice) for choice in (Null(eps, delta), null)]
    assert rates[1] >= rates[0] - 1e-12


def test_a_leak_on_one_side_grows_faster_when_the_other_side_is_not_paid_for():
    p, q, pi = np.array([0.03, 0.97]), np.array([0.0, 1.0]), np.array([1 - 1e-9, 0.5])
    plain, best = Null(1.0, 0.01), tuned(Null(1.0, 0.01), pi, (p + q) / 2)
    assert growth(p, q, pi, best) > 2 * growth(p, q, pi, plain) > 0


def test_the_choice_comes_close_to_the_limit():
    p, q = np.array([0.35, 0.33, 0.32]), np.array([0.3, 0.35, 0.35])
    for delta in (0.0, 1e-4):
        limit = divergence(p, q, 0.1, delta)
        assert (
            0.97 * limit < growth(p, q, p / (p + q), tuned(Null(0.1, delta), p / (p + q), (p + q) / 2)) < 1.001 * limit
        )


def test_the_best_bound_is_below_the_truth_and_grows_with_the_samples():
    top = math.exp(2) / (1 + math.exp(2))
    p, q = np.array([top, 1 - top]), np.array([1 - top, top])
    found = [best_bound(p, q, runs, 0.05) for runs in (100, 10_000, 1_000_000)]
    assert found == sorted(found)
    assert 1.98 < found[-1] < 2.0
