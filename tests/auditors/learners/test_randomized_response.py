"""Bits that are reported by one randomized response."""

from __future__ import annotations

import math

import numpy as np

from dpwitness.auditors.learners.randomized_response import responses
from dpwitness.auditors.learners.weighted_sums import fit_linear
from dpwitness.auditors.outputs.features import Features
from dpwitness.auditors.outputs.table import Encoder

BITS = 20
SET = (0.3, 0.7)


def counts(truth: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    return rng.binomial(size, np.where(truth, SET[1], SET[0]))


def inputs() -> tuple[np.ndarray, np.ndarray]:
    left, right = np.zeros(BITS, dtype=bool), np.zeros(BITS, dtype=bool)
    left[:4] = right[4:8] = True
    left[8] = right[8] = True
    return left, right


def test_which_bits_differ_is_learnt_and_equal_bits_have_equal_probabilities():
    left, right = inputs()
    rng = np.random.default_rng(0)
    p, q, evidence = responses(counts(left, 200, rng), counts(right, 200, rng), 200, 200)
    assert np.abs(p - np.where(left, SET[1], SET[0])).max() < 0.05
    assert np.abs(q - np.where(right, SET[1], SET[0])).max() < 0.05
    assert np.ptp(p[9:]) < 0.01
    assert evidence > 50


def test_told_or_flipped_needs_fewer_reports():
    left, right = inputs()

    def evidence(low: float, high: float, size: int = 400) -> float:
        a, b = (np.rint(size * np.where(truth, high, low)).astype(int) for truth in (left, right))
        return responses(a, b, size, size)[2]

    told_or_flipped, elsewhere = evidence(0.45, 0.55), evidence(0.35, 0.45)
    assert told_or_flipped > elsewhere  # though reports nearer to 1/2 vary more


def test_no_difference_has_no_evidence():
    rng = np.random.default_rng(1)
    same = inputs()[0]
    found = [responses(counts(same, 300, rng), counts(same, 300, rng), 300, 300)[2] for _ in range(20)]
    assert np.mean(found) < 0
    assert max(found) < 3


def test_bits_that_never_or_always_occur_are_no_trouble():
    for column in ([0] * 6, [50] * 6, [0, 50, 0, 50, 0, 50]):
        p, q, evidence = responses(np.array(column), np.array(column), 50, 50)
        assert np.all((p > 0) & (p < 1) & (q > 0) & (q < 1))
        assert math.isfinite(evidence)


def log_loss(size: int, seed: int) -> float:
    """Nats for each output that a weighted sum, learnt from `size` reports a side, loses to the truth."""
    left, right = inputs()
    rng = np.random.default_rng(seed)
    encoder = Encoder()

    def draw(truth, count):
        return (rng.random((count, BITS)) < np.where(truth, 0.55, 0.45)).astype(float)

    tables = [encoder.encode(draw(truth, count)) for count in (size, 20_000) for truth in (left, right)]
    fit = fit_linear(Features.seen(encoder.places, *tables[:2]), *tables[:2])
    assert fit is not None
    weights = math.log(0.55 / 0.45) * (left.astype(float) - right)
    total = 0.0
    for table, sign in zip(tables[2:], (1, -1), strict=True):
        pi = fit.pi[0][fit.cells(table)]
        odds = sign * (2 * table.columns[:, :BITS] - 1) @ weights
        total += float(np.mean(-np.logaddexp(0.0, -odds) - np.log(pi if sign > 0 else 1 - pi))) / 2
    return total


def test_reports_are_learnt_from_fewer_outputs_than_a_weight_for_each_bit_needs():
    # a weight of its own for each of n bits costs about n / (2 * outputs) nats
    losses = [log_loss(1500, seed) for seed in range(5)]
    assert np.median(losses) < 0.5 * BITS / (2 * 2 * 1500)
