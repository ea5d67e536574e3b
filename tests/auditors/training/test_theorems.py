"""What carries the promise: the worst pair, the program of one run, bets against a curve."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwitness import ApproxDP, GaussianDP, RenyiDP, gaussian, laplace, poisson
from dpwitness.auditors.bounds.curve_bets import JointNull, joined, log_factors, tuned
from dpwitness.auditors.bounds.curves import ApproxCurve, GaussianCurve, TradeoffCurve, as_curve, epsilon_of
from dpwitness.auditors.bounds.evalue import growth
from dpwitness.auditors.bounds.evalue import tuned as tuned_alone
from dpwitness.auditors.bounds.implied import implied
from dpwitness.auditors.training.one_run import Count
from dpwitness.auditors.training.program import closed_form, sharp
from dpwitness.auditors.training.ranks import prefixes, scan
from dpwitness.auditors.training.recursion import recursion_p

CURVES = [GaussianCurve(1.0), ApproxCurve(1.0, 0.01), as_curve(RenyiDP(2, 1)), as_curve(gaussian("3/2") * 2),
          as_curve(TradeoffCurve(((0, 0.9), (0.3, 0.3), (0.9, 0), (1, 0))))]  # fmt: skip


@pytest.mark.parametrize("curve", CURVES, ids=lambda c: c.words)
def test_the_worst_pair_meets_the_trade_off_and_does_not_break_it(curve: object) -> None:
    """At a threshold u of the scores without, P[in ≤ u] = f(1 − u), up to what 200 000 draws show."""
    out, ins = curve.pair(200_000, np.random.default_rng(1))
    for level in (0.05, 0.3, 0.7):
        at = np.quantile(out, 1 - level)
        wanted = float(curve.tradeoff(np.array([np.mean(out > at)]))[0])
        assert abs(np.mean(ins <= at) - wanted) < 0.006


@pytest.mark.parametrize("curve", CURVES, ids=lambda c: c.words)
def test_points_lie_on_the_curve_and_the_trade_off_is_their_envelope(curve: object) -> None:
    x = np.linspace(0.01, 0.99, 40)
    f = curve.tradeoff(x)
    for eps in (0.0, 0.5, 1.0, 2.0):
        delta = float(curve.deltas(np.array([eps]))[0])
        assert np.all(f >= 1 - delta - math.exp(eps) * x - 2e-2)  # between its points an envelope may be lower
        assert np.all(f + 1e-9 >= 0)
        assert np.all(np.diff(f) <= 1e-12)


@pytest.mark.parametrize("runs", [3, 40, 300])
def test_many_rankings_have_the_statistics_of_each_alone(runs: int) -> None:
    """Of many the tails are looked up, of one they are computed: the same numbers, to the last bit."""
    lengths = prefixes(runs)
    counts = np.minimum(np.random.default_rng(1).integers(0, runs + 1, (2000, len(lengths))), lengths)
    for odds in (0.01, 0.5, 0.99):
        found = scan(counts, lengths, odds)
        assert found[:50].tolist() == [float(scan(row[None], lengths, odds)[0]) for row in counts[:50]]
        k, n = counts[7], lengths
        exact = min(sum(math.comb(m, j) * odds**j * (1 - odds) ** (m - j) for j in range(c, m + 1))
                    for c, m in zip(k.tolist(), n.tolist(), strict=True))  # fmt: skip
        assert found[7] == pytest.approx(-math.log(max(exact, 1e-300)), rel=1e-6, abs=1e-9)


def test_losses_of_a_composition_have_its_curve() -> None:
    whole = poisson(gaussian(1), "1/5") * 4 + laplace(2)
    out, ins = whole.pair(400_000, np.random.default_rng(0))
    for eps in (0.0, 0.5, 1.5):
        bracket = whole.delta(eps)
        one = np.mean(np.maximum(0, 1 - np.exp(eps - ins)))  # with against without
        other = np.mean(np.maximum(0, 1 - np.exp(eps + out)))
        assert abs(max(one, other) - float(bracket.high)) < 4e-3
        assert whole.deltas([eps])[0] >= bracket.high


def enumerate_theorem(m: int, c: int, law: list[float], eps: float) -> tuple[float, float]:
    """The largest hockey-stick divergence of the mechanism that attains a law of W, over all changes of one coin."""
    laws = {}
    for coins in itertools.product((0, 1), repeat=m):
        row = {}
        for chosen in itertools.combinations(range(m), c):
            for sides in itertools.product((0, 1), repeat=c):
                right = sum(coins[k] == s for k, s in zip(chosen, sides, strict=True))
                row[chosen, sides] = law[right] / (math.comb(m, c) * math.comb(c, right))
        laws[coins] = row
    worst = 0.0
    for coins, k in itertools.product(laws, range(m)):
        other = tuple(1 - b if i == k else b for i, b in enumerate(coins))
        worst = max(worst, sum(max(0.0, p - math.exp(eps) * laws[other][t]) for t, p in laws[coins].items()))
    left = sum(max(0.0, j * law[j] - math.exp(eps) * (c - j + 1) * law[j - 1]) for j in range(1, c + 1))
    left += sum(max(0.0, (c - j + 1) * law[j - 1] - math.exp(eps) * j * law[j]) for j in range(1, c + 1))
    return worst, left / m


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 4), st.data())
def test_the_mechanism_of_a_law_spends_exactly_its_budget(m: int, data: st.DataObject) -> None:
    c = data.draw(st.integers(1, m))
    law = np.array(data.draw(st.lists(st.floats(0.01, 1), min_size=c + 1, max_size=c + 1)))
    worst, budget = enumerate_theorem(m, c, list(law / law.sum()), data.draw(st.floats(0, 2)))
    assert worst == pytest.approx(budget, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(20, 400), st.integers(2, 40), st.floats(0.3, 2.0), st.floats(0.5, 1.0))
def test_the_recursion_is_never_below_the_program(m: int, c: int, mu: float, share: float) -> None:
    c = min(c, m)
    right = max(1, round(share * c))
    found = sharp(GaussianCurve(mu), m, c, right, 2, 48)
    assert found is not None
    assert recursion_p(GaussianCurve(mu), m, c, right, 2) >= found.bound * 0.94 - 1e-9  # 48 values of ε


def test_where_one_side_is_guessed_neither_bound_is_always_the_smaller() -> None:
    # 17 of 20 canaries are said to be in: no more can be right than are in, which the recursion knows in part
    curve = GaussianCurve(2.0)
    found, seldom = sharp(curve, 20, 17, 11, 1, 48), sharp(curve, 400, 20, 18, 1, 48)
    assert found is not None
    assert seldom is not None
    truth = sum(math.comb(20, k) for k in range(11, 21)) / 2**20
    assert truth < recursion_p(curve, 20, 17, 11, 1) < 0.95 * found.bound
    assert recursion_p(curve, 400, 20, 18, 1) > seldom.bound


@settings(max_examples=40, deadline=None)
@given(st.integers(20, 2000), st.integers(2, 60), st.floats(0.1, 3.0), st.floats(1e-6, 1e-2), st.floats(0.4, 1.0))
def test_the_closed_form_is_never_below_the_program(m: int, c: int, eps: float, delta: float, share: float) -> None:
    c = min(c, m)
    right, curve = max(1, round(share * c)), ApproxCurve(eps, delta)
    found, closed = sharp(curve, m, c, right, 2), closed_form(curve, m, c, right, 2)
    assert found is not None
    assert closed.bound >= found.bound - 1e-6


@pytest.mark.parametrize(("c", "right"), [(5000, 4990), (5000, 3800), (300, 290), (40, 12)])
def test_the_closed_form_holds_where_masses_are_below_the_smallest_double(c: int, right: int) -> None:
    """Beside the formula in rational arithmetic, with odds 3 to 1."""
    m, delta = 100_000, Fraction(1, 10**5)
    b = [math.comb(c, j) * 3**j for j in range(c + 1)]  # over 4^c
    above = list(itertools.accumulate(reversed(b)))[::-1]
    whole = above[0]
    worst = max(
        Fraction(
            above[right] * (whole - above[i]) if i <= right else (whole - above[right]) * above[i], i * b[i] * whole
        )
        for i in [*range(1, c + 1, max(1, c // 200)), right, right + 1]
    )
    exact = Fraction(above[right], whole) + m * delta * worst
    found = closed_form(ApproxCurve(math.log(3), float(delta)), m, c, right, 2).bound
    assert found == pytest.approx(min(1.0, float(exact)), rel=1e-6)


def test_figures_of_the_sharp_bound() -> None:
    """Recomputed by the program: bounds beside those that are published."""
    assert Count(1000, 100, 92, 2).p_value(GaussianCurve(0.7), 0.05)[0] == pytest.approx(0.0619, abs=2e-4)
    assert recursion_p(GaussianCurve(0.7), 1000, 100, 92, 2) == pytest.approx(0.0731, abs=2e-4)
    assert closed_form(ApproxCurve(2.4, 1e-5), 100_000, 1000, 950, 2).bound == pytest.approx(0.00245, abs=1e-5)


def test_randomized_response_attains_the_bound_without_delta() -> None:
    from scipy.stats import binom

    p = 1 / (1 + math.exp(-1.0))
    assert closed_form(ApproxCurve(1.0), 50, 50, 40, 2).bound == pytest.approx(float(binom.sf(39, 50, p)), rel=1e-9)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0.02, 0.98), st.floats(0.01, 1)), min_size=2, max_size=6), st.integers(0, 10**6))
def test_bets_against_a_curve_are_fair_on_every_pair_that_keeps_it(cells: list[tuple[float, float]], seed: int) -> None:
    """Means of the factors add up to at most 2 on pairs of laws on the cells that keep all points of the curve."""
    pi, mass = (np.array(column) for column in zip(*cells, strict=True))
    nulls = implied(GaussianDP(1))
    null = tuned(joined(nulls)[0], pi, mass / mass.sum())
    f, g = (np.exp(x) for x in log_factors(pi, null))
    rng = np.random.default_rng(seed)
    for _ in range(40):
        p = rng.dirichlet(np.full(len(pi), rng.choice([0.2, 1.0, 5.0])))
        q = rng.dirichlet(np.full(len(pi), rng.choice([0.2, 1.0, 5.0])))
        while not all(
            np.maximum(a - math.exp(n.eps) * b, 0).sum() <= n.delta for n in nulls for a, b in ((p, q), (q, p))
        ):
            p, q = (p + (p + q) / 2) / 2, (q + (p + q) / 2) / 2
        assert p @ f + q @ g <= 2 + 1e-9


def test_bets_against_a_curve_grow_at_least_as_fast_as_against_its_best_point() -> None:
    from scipy.special import ndtr

    edges = np.linspace(-5, 6, 120)
    left, right = (np.diff(np.concatenate([[0.0], ndtr((edges - s) / 0.6), [1.0]])) for s in (0.0, 1.0))
    mass = (left + right) / 2
    pi = np.clip(left / np.maximum(left + right, 1e-300), 1e-12, 1 - 1e-12)
    nulls = implied(GaussianDP(1))
    null = tuned(joined(nulls)[0], pi, mass)
    assert isinstance(null, JointNull)
    f, g = log_factors(pi, null)
    best = max(growth(left, right, pi, tuned_alone(n, pi, mass)) for n in nulls)
    assert left @ f + right @ g >= best - 1e-9


def test_epsilon_of_curves() -> None:
    assert epsilon_of(GaussianCurve(1.0), 1e-5) == pytest.approx(4.3771780956, abs=1e-5)
    assert epsilon_of(as_curve(ApproxDP(1, "1e-5")), 2e-5) == 1.0
    assert epsilon_of(as_curve(ApproxDP(1, "1e-5")), 1e-6) == math.inf
