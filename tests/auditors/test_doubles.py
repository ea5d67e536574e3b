"""Bit patterns give naive noise away, and leave clean noise alone."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwitness.auditors.budget import Budget
from dpwitness.auditors.doubles import BitEvent, audit_doubles, choose_event, level
from dpwitness.auditors.sampling import Sampler


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_level_is_the_exponent_of_the_lowest_bit(z):
    (found,) = level(np.array([z])).tolist()
    if z == 0:
        assert found == 2000
        return
    fraction = Fraction(z)
    assert (fraction / Fraction(2) ** found).denominator == 1
    assert (fraction / Fraction(2) ** (found + 1)).denominator == 2


def test_level_of_what_is_no_number():
    assert level(np.array([np.nan, np.inf, -np.inf])).tolist() == [2000] * 3


@given(st.floats(-8, 8), st.integers(-4, 4), st.integers(-60, 2), st.booleans())
def test_events_mean_what_they_say(z, size, depth, multiple):
    event = BitEvent(0, size, depth, multiple, 0)
    is_multiple = (Fraction(z) / Fraction(2) ** depth).denominator == 1
    assert event.holds(np.array([z]))[0] == (abs(z) < 2.0**size and is_multiple == multiple)


def numpy_laplace(data, size, rng):
    return rng.laplace(0.0, 10.0, size) + data


def numpy_gaussian(data, size, rng):
    return data + rng.normal(0.0, 10.0, size)


def textbook_laplace(data, size, rng):
    u = rng.random(size) - 0.5
    return data - 10.0 * np.sign(u) * np.log1p(-2 * np.abs(u))


def single_precision(data, size, rng):
    return (np.float32(data) + rng.laplace(0.0, 10.0, size).astype(np.float32)).astype(np.float32)


@pytest.mark.parametrize("sampler", [numpy_laplace, numpy_gaussian, textbook_laplace, single_precision])
def test_naive_noise_is_refuted(sampler):
    finding = audit_doubles(Sampler(sampler, True), 0.0, 1.0, 0.1, 0.0, Budget(0.05, 200_000), thorough=True)
    assert finding.refuted
    assert finding.epsilon_lower > 4
    assert "multiple of 2^" in finding.event


def test_vectors_are_looked_at_by_column():
    def last_column_leaks(data, size, rng):
        whole = np.rint(rng.normal(size=(size, 2)))
        return np.concatenate([whole, numpy_laplace(data, size, rng)[:, None]], axis=1)

    finding = audit_doubles(Sampler(last_column_leaks, True), 0.0, 1.0, 0.1, 0.0, Budget(0.05, 100_000))
    assert finding.refuted
    assert "output[2]" in finding.event


@pytest.mark.parametrize("sampler", [
    lambda data, size, rng: data + rng.geometric(0.5, size) - rng.geometric(0.5, size),
    lambda data, size, rng: ["x"] * size,
    lambda data, size, rng: [None] * size,
])  # fmt: skip
def test_outputs_without_fractions_make_no_claim(sampler):
    assert audit_doubles(Sampler(sampler, True), 0, 1, 1.0, 0.0, Budget(0.05, 20_000)) is None


def test_clean_noise_on_a_common_lattice_is_not_refuted():
    def lattice(data, size, rng):
        p = 1 - math.exp(-0.25)
        return (4 * data + rng.geometric(p, size) - rng.geometric(p, size)) / 4

    for seed in range(5):
        finding = audit_doubles(Sampler(lattice, True), 0.0, 1.0, 1.0, 0.0, Budget(1e-3, 50_000, None, seed))
        assert not finding.refuted
        assert finding.epsilon_lower <= 1.0


def test_choose_event_finds_a_planted_lattice():
    rng = np.random.default_rng(0)
    coarse, fine = rng.integers(-99, 99, 5000) / 8, rng.integers(-99, 99, 5000) / 64
    _, event = choose_event(coarse, fine, 10_000, 0.05, 0.0)
    assert event.side in (0, 1)
    assert -6 <= event.level <= -3 + 1
