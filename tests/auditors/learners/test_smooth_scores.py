"""One function for all places finds what places one by one cannot show, and names no output outside the tables."""

from __future__ import annotations

import numpy as np
import pytest

from dpwitness.auditors.learners.smooth_scores import Scored, as_numbers, fit_pooled
from dpwitness.auditors.outputs.table import Encoder
from dpwitness.auditors.rules.choose import Aim, choose_rules, tally
from dpwitness.auditors.running.serialise import pack, unpack


def tables(sampler, left, right, size, seed=0):
    rng = np.random.default_rng(seed)
    encoder = Encoder()
    return encoder, encoder.encode(sampler(left, size, rng)), encoder.encode(sampler(right, size, rng))


def copies(data, size, rng):
    return rng.laplace(data, 20.0, (size, 20))


def prefix_sums(data, size, rng):
    return np.cumsum(rng.laplace(data, 10.0, (size, 10)), axis=1)


def stops(data, size, rng):
    """Nothing, or one number at a place that says how far the program went."""
    values = data + rng.laplace(0, 1.0, (size, 4))
    first = np.arange(4) == rng.integers(0, 5, size)[:, None]
    return np.where(first, values, np.nan)


@pytest.mark.parametrize(("sampler", "statistic"), [
    (copies, lambda x: np.sign(x - 0.5).sum(axis=1)),
    (prefix_sums, lambda x: np.clip(np.diff(x, axis=1, prepend=0.0), 0, 1).sum(axis=1)),
])  # fmt: skip
def test_the_score_orders_outputs_as_the_likelihood_ratio_does(sampler, statistic):
    encoder, left, right = tables(sampler, 0.0, 1.0, 20_000)
    scorer = fit_pooled(encoder.places, left, right)
    assert scorer is not None
    _, fresh, _ = tables(sampler, 0.0, 1.0, 4000, seed=1)
    found = np.corrcoef(scorer.score(fresh), statistic(fresh.columns))[0, 1]
    assert found < -0.6


def test_scores_exist_for_every_form_seen_or_not():
    encoder, left, right = tables(stops, 0.0, 1.0, 4000)
    scorer = fit_pooled(encoder.places, left, right)
    assert scorer is not None
    other = encoder.encode([None, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0], "text", [float("inf")]])
    assert np.isfinite(scorer.score(other)).all()
    assert np.isfinite(scorer.score(left[:0])).all()


@pytest.mark.parametrize("outputs", [["a"] * 40, [0.0] * 40, [[1e300, -1e300], [0.0, 1.0]] * 20, [[np.inf, 1.0]] * 40])
def test_outputs_that_say_nothing_or_too_much_do_no_harm(outputs):
    encoder = Encoder()
    left, right = encoder.encode(outputs), encoder.encode(outputs)
    scorer = fit_pooled(encoder.places, left, right)
    if scorer is not None:
        assert np.isfinite(scorer.score(left)).all()


def test_few_outputs_are_not_learnt_from():
    encoder, left, right = tables(copies, 0.0, 1.0, 8)
    assert fit_pooled(encoder.places, left, right) is None


def test_a_rule_on_a_score_is_the_same_on_parts_of_a_table_and_after_a_checkpoint():
    encoder, left, right = tables(copies, 0.0, 1.0, 1500)
    rules = choose_rules(encoder.places, left, right, Aim(100_000, 0.05))
    pooled = [rule for rule in rules if isinstance(rule.partition, Scored)]
    assert pooled
    whole = pooled[0].partition.cells(left)
    parts = np.concatenate([pooled[0].partition.cells(left[:1000]), pooled[0].partition.cells(left[1000:])])
    assert np.array_equal(whole, parts)
    (v, w), *_ = tally(pooled, *(tables(copies, 0.0, 1.0, 50_000, seed=2)[1:]))
    assert v > w
    assert tally(unpack(pack(rules)), left, right) == tally(rules, left, right)


def test_scores_are_computed_once_for_each_table():
    encoder, left, right = tables(copies, 0.0, 1.0, 100)
    scorer = fit_pooled(encoder.places, left, right)
    assert scorer is not None
    assert as_numbers(scorer, left).columns is as_numbers(scorer, left).columns
