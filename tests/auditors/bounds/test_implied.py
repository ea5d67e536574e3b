"""Implied (ε,δ) pairs are implied: checked on mechanisms whose exact curve is known."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from dpwitness.auditors.bounds.implied import gaussian_delta, implied, renyi_delta, zcdp_delta
from dpwitness.core.guarantees import ZCDP, ApproxDP, GaussianDP, PureDP, RenyiDP


@pytest.mark.parametrize(("eps", "mu"), [(0.5, 1.0), (2.0, 1.0), (1.0, 0.3)])
def test_gaussian_curve_is_the_hockey_stick_integral(eps, mu):
    def excess(x):
        return max(0.0, norm.pdf(x, mu) - math.exp(eps) * norm.pdf(x))

    assert gaussian_delta(eps, mu) == pytest.approx(quad(excess, -10, 15, limit=400, points=[0, mu])[0], abs=1e-8)


@pytest.mark.parametrize("rho", [0.05, 0.5])
def test_zcdp_curve_lies_above_the_gaussian_mechanism_of_the_same_rho(rho):
    """A Gaussian with ρ = μ²/2 is ρ-zCDP, so the implied δ must be at least its own."""
    mu = math.sqrt(2 * rho)
    for eps in np.linspace(rho, rho + 4 * mu, 9):
        own = gaussian_delta(float(eps), mu)
        assert zcdp_delta(float(eps), rho) >= own
        assert renyi_delta(float(eps), 3.0, 3.0 * rho) >= own
        assert zcdp_delta(float(eps), rho) <= math.exp(-((eps - rho) ** 2) / (4 * rho)) + 1e-12


def test_pure_and_approximate_claims_are_one_hypothesis_not_below_the_claim():
    (pure,) = implied(PureDP("1/3"))
    assert pure.eps >= 1 / 3
    (approx,) = implied(ApproxDP(1, "1e-5"))
    assert (approx.eps, approx.delta) == (1.0, pytest.approx(1e-5, rel=1e-8))
    assert approx.delta >= 1e-5


@pytest.mark.parametrize("guarantee", [GaussianDP(1), ZCDP("1/2"), RenyiDP(2, 1), RenyiDP(10, "1/10")])
def test_curves_become_several_hypotheses(guarantee):
    nulls = implied(guarantee)
    assert len(nulls) >= 3
    assert all(a.eps < b.eps and a.delta >= b.delta for a, b in itertools.pairwise(nulls))


def test_points_beyond_sampling_are_left_out():
    found = [null.eps for null in implied(ZCDP(250))]
    assert len(found) == 3
    assert max(found) <= 300
    assert implied(GaussianDP(50)) == ()


def test_the_curve_is_not_below_the_exact_one_where_digits_cancel():
    mu = 1e-9
    for null in implied(GaussianDP("1e-9")):
        x = null.eps / mu
        exact = mu * (norm.pdf(x) - x * norm.sf(x))  # to first order in μ, and less by what follows
        assert null.delta >= exact * (1 - mu)
