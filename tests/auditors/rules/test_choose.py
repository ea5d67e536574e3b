"""Rules are chosen without looking at what they are counted on, and choose well."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpwitness.auditors.bounds.count import Count, lower_bound
from dpwitness.auditors.outputs.table import Encoder
from dpwitness.auditors.rules.choose import Aim, choose_rules, clean_half_lines, promise, tally
from dpwitness.auditors.rules.half_lines import half_lines


def tables(sampler, size, seed=0):
    rng = np.random.default_rng(seed)
    encoder = Encoder()
    return encoder, encoder.encode(sampler(0.0, size, rng)), encoder.encode(sampler(1.0, size, rng))


def laplace(scale):
    return lambda data, size, rng: rng.laplace(data, scale, size)


def bound(sampler, pairs, alpha=0.05, seed=0, delta=0.0):
    encoder, left, right = tables(sampler, pairs, seed)
    part = pairs // 10
    heads = int(np.random.default_rng(seed + 10**6).binomial(2 * (pairs - part) - 2000, 0.5))
    runs = 2 * (pairs - part) - 2000
    rules = choose_rules(encoder.places, left[:part], right[:part], Aim(runs, alpha, delta))
    counts = tally(rules, left[part : part + heads], right[part : part + runs - heads])
    assert math.fsum(rule.share for rule in rules) == pytest.approx(1.0)
    return max(
        lower_bound(Count(v, w, runs, rule.sides), alpha * rule.share, delta)
        for rule, (v, w) in zip(rules, counts, strict=True)
    )


@pytest.mark.parametrize(("sampler", "low", "high"), [
    (laplace(1.0), 0.975, 1.01), (laplace(0.5), 1.95, 2.01),
    (lambda data, size, rng: data + rng.exponential(1.0, size), 8.0, 14.0),
    (lambda data, size, rng: (rng.random(size) < (0.75 if data else 0.25)).astype(int), 1.07, 1.12),
])  # fmt: skip
def test_bounds_come_close_to_the_truth(sampler, low, high):
    assert low < bound(sampler, 100_000) < high


def test_a_rule_that_guesses_everywhere_is_counted_completely():
    encoder, left, right = tables(laplace(1.0), 2000)
    for rule in choose_rules(encoder.places, left, right, Aim(4000, 0.05)):
        ((v, w),) = tally([rule], left, right)
        assert 0 <= v + w <= 4000


def test_clean_half_line_is_on_the_right_side():
    _, left, right = tables(lambda data, size, rng: data + rng.exponential(1.0, size), 1000)
    ((held, rule),) = clean_half_lines(left, right)
    assert held > 300
    ((v, w),) = tally([rule], left, right)
    assert w == 0
    assert abs(v - held / 2) <= 1


def test_promise_ranks_pairs_and_sees_growth_only_where_there_is_some():
    aim = Aim(20_000, 0.05)
    from dpwitness.auditors.bounds.evalue import Null

    found = []
    for scale in (1.0, 0.3):
        encoder, left, right = tables(laplace(scale), 2000)
        found.append(promise(encoder.places, left, right, aim, (Null(1.0),)))
    assert found[0][0] == 0
    assert found[1][0] > 0
    assert found[1][1] > found[0][1]


def test_half_lines_meet_the_point_where_a_flat_ratio_ends():
    _, left, right = tables(laplace(0.5), 100_000)
    ((rule, caution),) = half_lines(left, right, Aim(2_000_000, 0.05), (4.0,))
    low, high = rule.partition.line.edges
    assert caution == 4.0
    assert rule.guess.tolist()[:3] == [1, 0, -1]
    assert low == pytest.approx(0.0, abs=0.15)
    assert high == pytest.approx(1.0, abs=0.15)


def test_half_lines_need_some_numbers():
    encoder = Encoder()
    left, right = encoder.encode([None] * 20), encoder.encode([None] * 20)
    assert list(half_lines(left, right, Aim(100, 0.05), (1.0,))) == []


def test_a_smooth_curve_is_trusted_only_where_it_explains_the_sides():
    _, left, right = tables(lambda data, size, rng: rng.normal(data, 1.0, size), 20_000)
    names = [rule.name for rule in choose_rules(["output"], left, right, Aim(400_000, 0.05, 1e-5))]
    assert "smooth" in names
    _, left, right = tables(laplace(0.5), 20_000)
    best = max(choose_rules(["output"], left, right, Aim(400_000, 0.05)), key=lambda rule: rule.share)
    assert best.name != "smooth"


def test_outputs_with_a_number_in_one_of_many_places():
    """A classifier must not be given features that no output of its sample has."""

    def first_above(data, size, rng):
        noisy = data + rng.laplace(0, 2, (size, 10))
        hit = (noisy > 1) & ((noisy > 1).cumsum(axis=1) == 1)
        return np.where(hit, noisy, np.nan)

    encoder, left, right = tables(first_above, 3000)
    rules = choose_rules(encoder.places, left, right, Aim(20_000, 0.05))
    assert math.fsum(rule.share for rule in rules) == pytest.approx(1.0)
    assert tally(rules, left[:0], right[:0]) == [(0, 0)] * len(rules)
