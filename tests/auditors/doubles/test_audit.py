"""Bit patterns give naive noise away, and leave clean noise alone."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwitness.auditors import audit
from dpwitness.auditors.bounds.ledger import Budget
from dpwitness.auditors.doubles.audit import audit_doubles
from dpwitness.auditors.doubles.bit_events import BitEvent, LatticeEvent, choose_event, find_lattice, level
from dpwitness.auditors.sampling.sampler import Sampler


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


@given(st.floats(0.01, 50), st.floats(-5, 5), st.lists(st.integers(-999, 999), min_size=12, max_size=40, unique=True))
def test_lattices_are_found(step, origin, numbers):
    whole = np.array([*numbers, min(numbers) + 1])  # neighbours on the lattice, so that no coarser one fits
    found = find_lattice(origin + step * whole)
    assert found is not None
    assert found[1] == pytest.approx(step, rel=1e-6)
    assert LatticeEvent(0, *found, True, 0).holds(origin + step * np.arange(-50.0, 50.0)).all()


def test_what_lies_on_no_lattice_is_told():
    rng = np.random.default_rng(1)
    assert find_lattice(rng.normal(size=200)) is None
    assert find_lattice(np.array([1.0, 2.0])) is None
    assert find_lattice(np.full(50, 3.0)) is None


def test_lattices_of_different_spacing_are_refuted():
    def scaled_by_the_data(data, size, rng):
        return (0.1 if data else 0.3) * rng.integers(-40_000, 40_000, size)

    finding = audit_doubles(Sampler(scaled_by_the_data, True), 0.0, 1.0, 1.0, 0.0, Budget(1e-3, 20_000))
    assert finding.refuted
    assert "not a multiple of 0.3" in finding.event
    assert finding.direction == "right"


@pytest.mark.parametrize("sampler", [numpy_laplace, numpy_gaussian, textbook_laplace, single_precision])
def test_a_default_audit_warns_of_doubles(sampler):
    result = audit(sampler, 0.0, 1.0, epsilon=0.2, delta=0.001, max_pairs=40_000)
    assert not result.refuted
    assert result.doubles.refuted
    assert "as doubles" in str(result)


def test_plain_callables_are_looked_at_too():
    generator = np.random.default_rng(5)
    result = audit(lambda data: data + float(generator.laplace()), 0.0, 1.0, epsilon=1.0, max_pairs=4000)
    assert not result.refuted
    assert result.doubles.refuted


def two_sided_geometric(data, size, rng):
    p = 1 - math.exp(-1)
    return data + rng.geometric(p, size) - rng.geometric(p, size)


def discrete_gaussian(data, size, rng):
    grid = np.arange(-40, 41)
    weights = np.exp(-(grid**2) / 8.0)
    return data + rng.choice(grid, size, p=weights / weights.sum())


def lattice_geometric(data, size, rng):
    return two_sided_geometric(4 * data, size, rng) / 4  # fractions, on a lattice that both inputs share


def snapping(data, size, rng):
    """Mironov 2012 with scale 1/2, bound 64: rounded to a power of two, so to multiples of 1/2."""
    sign = rng.choice([-1.0, 1.0], size)
    # uniform doubles with full precision, as the mechanism needs
    u = np.ldexp(1.0 + rng.integers(0, 1 << 52, size) / float(1 << 52), -rng.geometric(0.5, size).astype(np.int32))
    noisy = np.clip(data, -64, 64) + sign * 0.5 * np.log(u)
    return np.clip(np.round(noisy / 0.5) * 0.5, -64, 64)


CLEAN = {two_sided_geometric: 1.0, discrete_gaussian: 3.0, lattice_geometric: 4.0, snapping: 2.5}


@pytest.mark.slow
@pytest.mark.parametrize("sampler", list(CLEAN))
def test_clean_noise_is_not_refuted_in_200_seeds(sampler):
    delta = 0.05 if sampler is discrete_gaussian else 0.0
    for seed in range(200):
        budget = Budget(1e-3, 20_000, None, seed)
        finding = audit_doubles(Sampler(sampler, True), 0.0, 1.0, CLEAN[sampler], delta, budget, thorough=True)
        assert finding is None or not finding.refuted, (seed, finding)
