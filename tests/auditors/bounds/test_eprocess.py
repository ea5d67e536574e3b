"""The e-process: predictable, valid, powerful, and the ladder of ε built on it."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpwitness.auditors.bounds.eprocess import EProcess, gains
from dpwitness.auditors.bounds.evalue import Null, log_factors
from dpwitness.auditors.learners.plans import (
    BRANCHES_PLAN,
    INTEGER_PLAN,
    MIXED_PLAN,
    NUMBER_PLAN,
    REALS_PLAN,
    Plans,
    choose_plan,
    fit_values,
)
from dpwitness.auditors.outputs.table import Encoder


def process(left, right, eps=1.0, delta=0.0, alpha=1e-3, step=None, **options):
    encoder = Encoder()
    bets = EProcess(encoder, (Null(eps, delta),), alpha, Plans(), **options)
    size = step or len(left)
    for at in range(0, len(left), size):
        if bets.feed(encoder.encode(left[at : at + size]), encoder.encode(right[at : at + size])):
            break
    return bets


def laplace(seed, size, scale):
    rng = np.random.default_rng(seed)
    return rng.laplace(0, scale, size), rng.laplace(1, scale, size)


def test_half_the_noise_is_refuted_within_a_few_hundred_pairs_and_the_right_noise_is_not():
    broken = [process(*laplace(seed, 2000, 0.5)).refuted_at for seed in range(5)]
    assert all(at is not None and at < 600 for at in broken)
    assert not any(process(*laplace(seed, 2000, 1.0)).refuted_at for seed in range(5))


@pytest.mark.parametrize("step", [1, 7, 64, 1000])
def test_the_wealth_does_not_depend_on_how_the_pairs_arrive(step):
    left, right = laplace(3, 600, 0.8)
    whole, parts = process(left, right), process(left, right, step=step)
    assert parts.log_wealth == pytest.approx(whole.log_wealth, abs=1e-9)


def test_a_bet_never_depends_on_its_own_pair_or_on_later_ones():
    """Change the future: the wealth so far must stay the same, form, column order and all."""
    encoder_a, encoder_b = Encoder(), Encoder()
    rng = np.random.default_rng(0)
    common = [[("x", float(v)) if v > 0 else None for v in rng.normal(size=40)] for _ in range(2)]
    one = [*common[0], *[[1.0, 2.0, "new"]] * 60]
    two = [*common[0], *["other"] * 60]
    a = EProcess(encoder_a, (Null(1.0),), 1e-9, Plans(), halts=False)
    b = EProcess(encoder_b, (Null(1.0),), 1e-9, Plans(), halts=False)
    tables = [
        (encoder.encode(first), encoder.encode([*common[1], *first[40:]]))
        for encoder, first in ((encoder_a, one), (encoder_b, two))
    ]
    for bets, (left, right) in zip((a, b), tables, strict=True):
        bets.feed(left[:40], right[:40])
    assert a.log_wealth == pytest.approx(b.log_wealth, abs=1e-12)


def test_swapping_the_sides_gives_the_same_power():
    left, right = laplace(1, 1000, 0.5)
    assert process(left, right).refuted_at is not None
    assert process(right, left).refuted_at is not None


def test_delta_explains_a_leak_of_that_size_and_not_a_larger_one():
    """With probability d the output names its side."""

    def leaky(seed, d):
        rng = np.random.default_rng(seed)
        return [np.where(rng.random(6000) < d, side, 0.5) for side in (0.0, 1.0)]

    assert process(*leaky(0, 0.1), eps=0.1, delta=0.02).refuted_at is not None
    assert process(*leaky(0, 0.1), eps=0.1, delta=0.1).refuted_at is None


def test_curves_are_refuted_through_any_of_their_points():
    rng = np.random.default_rng(5)
    left, right = rng.normal(0, 0.5, 20_000), rng.normal(1, 0.5, 20_000)
    encoder = Encoder()
    nulls = tuple(Null(eps, delta) for eps, delta in ((1.0, 0.127), (2.0, 0.021), (3.0, 0.0015)))
    bets = EProcess(encoder, nulls, 1e-3, Plans())
    assert bets.feed(encoder.encode(left), encoder.encode(right))


def test_ladder_is_contiguous_and_stays_below_the_truth():
    left, right = laplace(9, 20_000, 0.5)
    bets = process(left, right, eps=0.0, halts=False)
    bound = bets.climb(0.0, 0.0, 1e-3)
    assert 1.6 < bound <= 2.0
    assert np.all(bets.wealth_against(list(np.arange(0.05, bound, 0.2))) >= math.log(1000))
    assert bets.climb(0.0, 0.0, 1e-3) == bound


def test_wealth_against_the_claim_itself_is_the_wealth():
    left, right = laplace(2, 3000, 0.9)
    bets = process(left, right, halts=False, alpha=1e-6)
    ends = bets.wealth_against([1.0])[0]
    assert ends >= bets.log_wealth - 1e-9


@pytest.mark.parametrize("delta", [0.0, 0.01])
def test_many_hypotheses_at_once_equal_one_by_one(delta):
    rng = np.random.default_rng(0)
    pi, x, y = rng.uniform(0.01, 0.99, 30), rng.integers(0, 9, 30), rng.integers(0, 9, 30)
    eps = [0.0, 0.3, 1.0, 4.0]
    for e, gain in zip(eps, gains(pi, x, y, eps, delta), strict=True):
        f, g = log_factors(pi, Null(e, delta))
        assert gain == pytest.approx(float(f @ x + g @ y), abs=1e-9)


def test_unequal_sides_are_refused():
    encoder = Encoder()
    with pytest.raises(ValueError, match="as many"):
        EProcess(encoder, (Null(1.0),), 0.1, Plans()).feed(encoder.encode([1.0]), encoder.encode([1.0, 2.0]))


@pytest.mark.parametrize(
    ("outputs", "plan"),
    [
        ([0.5, 1.25, None], NUMBER_PLAN),
        ([1, 2, None, "stop"], INTEGER_PLAN),
        (["a", "b"], INTEGER_PLAN),
        ([[True, False], [True]], MIXED_PLAN),
        ([[0.5, 1.5], [2.5, 1.25]], REALS_PLAN),
        ([("a", 1.5), ("b", 2.5)], BRANCHES_PLAN),
        ([[0.5, None], [None, 1.5], [None, None]], BRANCHES_PLAN),
    ],
)
def test_plans_by_kind_of_output(outputs, plan):
    table = Encoder().encode(outputs * 4)
    distinct = Encoder().encode(outputs)
    assert choose_plan(distinct[:1], distinct[1:]) is plan or choose_plan(table, table[:0]) is plan


def test_a_form_that_one_side_alone_has_shown_so_far_is_no_obstacle():
    rng = np.random.default_rng(0)
    left = [1] * 40 + [("told", 0)] + [0] * 200
    right = [int(x) for x in rng.integers(0, 2, 241)]
    encoder = Encoder()
    bets = EProcess(encoder, (Null(1.0, 0.01),), 1e-3, Plans())
    for at in range(0, 241, 20):
        bets.feed(encoder.encode(left[at : at + 20]), encoder.encode(right[at : at + 20]))
    assert bets.pairs > 0


def test_the_path_of_the_wealth_is_kept_at_every_fit():
    bets = process(*laplace(1, 500, 1.0))
    pairs = [at for at, _ in bets.path]
    assert pairs == sorted(set(pairs)) == [epoch.start for epoch in bets.epochs]
    assert bets.path[0][1] == 0.0


def test_main_effects_are_learnt_sooner_than_a_table():
    """Independent bits: the log-odds are a sum, and 64 whole outputs would need many samples each."""
    rng = np.random.default_rng(5)
    chances = np.array([0.6, 0.6, 0.6, 0.4, 0.4, 0.4])
    left, right = (rng.random((400, 6)) < p for p in (chances, 1 - chances))
    encoder = Encoder()
    values = fit_values(encoder.places, encoder.encode(left.astype(float)), encoder.encode(right.astype(float)))
    every = np.array([[k >> i & 1 for i in range(6)] for k in range(64)], dtype=float)
    truth = 1 / (1 + np.exp(-(2 * every - 1) @ np.log(chances / (1 - chances))))
    guess = values.pi[0][values.cells(encoder.encode(every))]
    assert np.abs(guess - truth).mean() < 0.08
