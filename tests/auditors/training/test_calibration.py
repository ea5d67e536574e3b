"""False alarms on trainers that are exactly as private as claimed, and power on those that are not.

``pytest -m calibration tests/auditors/training``. Every count of false alarms is compared with α by a binomial test of
level 10⁻⁴, and each kind of test must also find a trainer that breaks the claim.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.stats import binom

import dpwitness as dpw
from dpwitness.auditors.bounds.curves import ApproxCurve, GaussianCurve, as_curve
from dpwitness.auditors.bounds.eprocess import EProcess
from dpwitness.auditors.bounds.implied import implied
from dpwitness.auditors.learners.plans import Plans
from dpwitness.auditors.outputs.table import Encoder
from dpwitness.auditors.training.bands import band
from dpwitness.auditors.training.looks import Looks
from dpwitness.auditors.training.one_run import Count, guess
from dpwitness.auditors.training.program import closed_form
from dpwitness.auditors.training.recursion import impossible
from dpwitness.auditors.training.worst_pair import Ranking

pytestmark = pytest.mark.calibration
ALPHA, SEEDS, SURE = 0.05, 2000, 1e-4


def not_too_many(wrong: int, of: int = SEEDS, alpha: float = ALPHA) -> None:
    assert binom.sf(wrong - 1, of, alpha) > SURE, f"{wrong} false alarms in {of}, α = {alpha}"


CURVES = [GaussianCurve(1.0), ApproxCurve(1.0, 0.01), ApproxCurve(2.0), as_curve(dpw.gaussian(1)),
          as_curve(dpw.TradeoffCurve(((0, 1), (0.2, 0.4), (0.4, 0.2), (1, 0))))]  # fmt: skip


@pytest.mark.parametrize("statistic", ["sum", "scan", "both"])
@pytest.mark.parametrize("curve", CURVES, ids=lambda c: c.words)
def test_ranks(curve: object, statistic: str) -> None:
    """Rates on tight pairs; and 2 α must be rejected more often than α is, so the test is not idle."""
    wrong = nearly = 0
    for seed in range(SEEDS):
        out, ins = curve.pair(20, np.random.default_rng([9, seed]))
        p = Ranking(ins, out, draws=199, seed=seed).p_value(curve, statistic)
        wrong, nearly = wrong + (p <= ALPHA), nearly + (p <= 4 * ALPHA)
    not_too_many(wrong)
    assert nearly > 1.5 * ALPHA * SEEDS


def test_looks() -> None:
    looks = Looks(GaussianCurve(1.0), (10, 20, 40, 80), alpha=ALPHA)
    wrong = found = 0
    for seed in range(SEEDS):
        for mu in (1.0, 2.0):
            out, ins = GaussianCurve(mu).pair(80, np.random.default_rng([8, seed]))
            rejected = any(looks.p_value(k, ins, out) <= ALPHA for k in range(4))
            wrong, found = wrong + (rejected and mu == 1), found + (rejected and mu == 2)
    not_too_many(wrong)
    assert wrong > 0.5 * ALPHA * SEEDS
    assert found > 0.9 * SEEDS


def test_bands_cover() -> None:
    curve, outside = GaussianCurve(1.0), 0
    for seed in range(SEEDS):
        out, ins = curve.pair(50, np.random.default_rng([7, seed]))
        false, missed = band(ins, out, ALPHA)
        outside += bool(np.any(missed < curve.tradeoff(np.clip(false, 1e-12, 1 - 1e-12)) - 1e-9))
    not_too_many(outside)


def test_bets_against_a_curve() -> None:
    nulls, wrong, seeds = implied(dpw.GaussianDP(1)), 0, 2000
    for seed in range(seeds):
        rng, encoder = np.random.default_rng([6, seed]), Encoder()
        bets = EProcess(encoder, nulls, ALPHA, Plans())
        wrong += bets.feed(*[encoder.encode(rng.normal(x, 1.0, 60), 60) for x in (0.0, 1.0)])
    not_too_many(wrong, seeds)


def responses(rng: np.random.Generator, m: int) -> tuple[np.ndarray, np.ndarray]:
    """Randomized response with ε = 1 on each canary; a little noise against ties."""
    coins = rng.random(m) < 0.5
    told = rng.random(m) < 1 / (1 + np.exp(-1.0))
    return np.where(told, coins, ~coins) + 0.1 * rng.random(m), coins


def gaussians(rng: np.random.Generator, m: int) -> tuple[np.ndarray, np.ndarray]:
    coins = rng.random(m) < 0.5
    return rng.normal(1.0 * coins), coins


def shared(rng: np.random.Generator, m: int) -> tuple[np.ndarray, np.ndarray]:
    """All canaries leak together: θ from the law of the loss of N(0,1) against N(1,1), then response with ε = |θ|."""
    coins = rng.random(m) < 0.5
    theta = abs(rng.normal(0.5))
    told = rng.random(m) < 1 / (1 + np.exp(-theta))
    return np.where(told, coins, ~coins) + 0.1 * rng.random(m), coins


MECHANISMS: list[tuple[Callable[..., tuple[np.ndarray, np.ndarray]], object, int, int]] = [
    (responses, ApproxCurve(1.0), 400, 2), (gaussians, GaussianCurve(1.0), 60, 2),
    (gaussians, GaussianCurve(1.0), 60, 1), (shared, GaussianCurve(1.0), 240, 2),
]  # fmt: skip


@pytest.mark.parametrize(("mechanism", "curve", "guesses", "sides"), MECHANISMS)
def test_one_run(
    mechanism: Callable[..., tuple[np.ndarray, np.ndarray]], curve: object, guesses: int, sides: int
) -> None:
    wrong = 0
    for seed in range(SEEDS):
        rng = np.random.default_rng([5, seed])
        scores, coins = mechanism(rng, 400)
        right, _ = guess(scores, coins, guesses, sides, rng)
        wrong += Count(400, guesses, right, sides).rejects(curve, ALPHA)
    not_too_many(wrong)
    if mechanism is responses:  # the bound is attained
        assert binom.cdf(wrong, SEEDS, 0.5 * ALPHA) > SURE


def test_the_worst_law_of_one_run_is_rejected_exactly_at_its_level() -> None:
    """The law that attains the closed form for (1, 1e-3): with 240 guesses of 400 the level is 0.045."""
    curve, m, c = ApproxCurve(1.0, 1e-3), 400, 240
    v = next(v for v in range(c) if closed_form(curve, m, c, v, 2).bound <= ALPHA)
    beta = closed_form(curve, m, c, v, 2).bound
    high = 1 / (1 + np.exp(-1.0))
    b = binom.pmf(np.arange(c + 1), c, high)
    tail = binom.sf(v - 1, c, high)
    law = np.where(np.arange(c + 1) >= v, b * beta / tail, b * (1 - beta) / (1 - tail))
    j = np.arange(1, c + 1)
    rise = np.maximum(j * law[1:] - np.e * (c - j + 1) * law[:-1], 0).sum()
    assert rise == pytest.approx(m * curve.delta, rel=1e-6)  # all of the budget is spent
    drawn = np.random.default_rng(0).choice(c + 1, size=20_000, p=law / law.sum())
    wrong = int(np.sum(drawn >= v))
    not_too_many(wrong, 20_000, beta)
    assert binom.cdf(wrong, 20_000, beta) > SURE


def test_the_assumption_of_independent_canaries_is_not_valid_where_they_leak_together() -> None:
    """What "independent canaries" excludes: the same trainer keeps the claim, and is accused far too often."""
    wrong, seeds = 0, 300
    for seed in range(seeds):
        scores, coins = shared(np.random.default_rng([4, seed]), 400)
        wrong += (
            Ranking(scores[coins], scores[~coins], draws=199, seed=seed).p_value(GaussianCurve(1.0), "both") <= ALPHA
        )
    assert wrong > 2 * ALPHA * seeds


def test_one_run_has_power() -> None:
    found = 0
    for seed in range(200):
        rng = np.random.default_rng([3, seed])
        coins = rng.random(1000) < 0.5
        right, _ = guess(rng.normal(4.0 * coins), coins, 100, 2, rng)
        found += impossible(GaussianCurve(1.0), 1000, 100, right, ALPHA)
    assert found > 190


def test_steps() -> None:
    """The correct step, 400 seeds at α = 0.05: noise and privacy together accuse no more often than α."""
    wrong, seeds = 0, 400
    for seed in range(seeds):
        rng = np.random.default_rng([2, seed])
        step = lambda batch: np.sum(batch, axis=0) + rng.standard_normal(3)  # noqa: B023, E731
        found = dpw.audit_step(step, [np.zeros(3)], [np.array([1.0, 0, 0])], noise_multiplier=1, alpha=ALPHA, runs=100)
        wrong += found.refuted
    not_too_many(wrong, seeds)
