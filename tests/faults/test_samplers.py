"""Generators that take no seed, samplers that stop working, and outputs that depend on each other."""

from __future__ import annotations

import numpy as np
import pytest
from tests.faults import samplers
from tests.faults.samplers import BROKEN, RIGHT

from dpwitness.auditors import audit
from dpwitness.auditors.dependence import dependent, serial_correlation
from dpwitness.auditors.table import Encoder
from dpwitness.core.errors import BadInput


@pytest.mark.parametrize("dice", [samplers.system_dice, samplers.hardware_dice])
@pytest.mark.parametrize("scale", [RIGHT, BROKEN])
def test_a_generator_that_takes_no_seed_is_left_alone(dice, scale):
    result = audit(dice(scale), 0.0, 1.0, epsilon=1, max_pairs=1500)
    assert result.refuted == (scale == BROKEN)
    assert not result.reproducible
    assert any("not reproducible from the seed" in text for text in result.warnings)


def test_a_generator_that_takes_a_seed_is_reproducible():
    dice = np.random.default_rng()
    assert audit(lambda data: data + dice.laplace(), 0.0, 1.0, epsilon=1, max_pairs=500).reproducible


@pytest.mark.parametrize("after", [30, 90, 500])
@pytest.mark.parametrize("isolate", [True, False])
def test_a_sampler_that_starts_to_fail_is_not_refuted_by_that(after, isolate):
    result = audit(samplers.runs_out(RIGHT, after), 0.0, 1.0, epsilon=1, max_pairs=5000, isolate=isolate)
    assert not result.refuted
    assert (
        "the sampler has started to fail, on both inputs: PermissionError: the budget is spent" in result.details["cut"]
    )


def test_a_broken_sampler_that_starts_to_fail_is_refuted_by_what_it_did_before():
    assert audit(samplers.runs_out(BROKEN, 500), 0.0, 1.0, epsilon=1, max_pairs=5000).refuted


def test_an_exception_that_one_input_raises_is_named_in_the_event():
    def release(data):
        if data == 1.0:
            raise ValueError("too large")
        return data + samplers.noise(RIGHT)

    result = audit(release, 0.0, 1.0, epsilon=1, max_pairs=500)
    assert result.refuted
    assert "raises ValueError: " in result.event
    assert "on the right, 0 of " in result.event


def test_exceptions_that_both_inputs_raise_alike_are_no_violation():
    def release(data):
        if np.random.random() < 0.3:  # noqa: NPY002
            raise ValueError("now and then")
        return data + samplers.noise(RIGHT)

    assert not audit(release, 0.0, 1.0, epsilon=1, max_pairs=3000).refuted


@pytest.mark.parametrize("rho", [0.9, 0.5])
@pytest.mark.parametrize("seed", range(5))
def test_outputs_that_depend_on_each_other_are_refused(rho, seed):
    with pytest.raises(BadInput, match="depend on each other"):
        audit(samplers.wandering(rho), 0.0, 1.0, epsilon=1, max_pairs=20_000, seed=seed)


def test_the_refusal_is_paid_for():
    result = audit(lambda data, size, rng: rng.laplace(data, 1.0, size), 0.0, 1.0, epsilon=1, max_pairs=2000)
    assert ("whether the outputs are independent", pytest.approx(1e-5)) in list(result.ledger)


def test_the_statistic_has_mean_0_and_variance_1_over_all_orders():
    """Small enough to try every order: the moments are exact, ties included."""
    from itertools import permutations

    for values in ([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0, 1.0, 2.0, 2.0, 3.0, 3.0], [1.0, 1.0, 1.0, 2.0, 2.0, 2.0]):
        found = [serial_correlation(np.array(order))[1] for order in permutations(values)]
        assert abs(np.mean(found)) < 1e-9
        assert np.mean(np.square(found)) == pytest.approx(1.0)


LAWS = {
    "laplace": lambda rng, n: rng.laplace(size=n), "bits": lambda rng, n: rng.random(n) < 0.3,
    "geometric": lambda rng, n: rng.geometric(0.5, n), "rare": lambda rng, n: np.where(rng.random(n) < 0.02, 1.0, 0.0),
    "vectors": lambda rng, n: rng.normal(size=(n, 8)), "heavy": lambda rng, n: rng.standard_cauchy(n),
}  # fmt: skip


@pytest.mark.calibration
@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("count", [24, 64, 512])
def test_independent_outputs_are_refused_no_more_often_than_declared(law, count):
    level, runs = 0.01, 2000
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(runs):
        encoder = Encoder()
        sides = tuple(encoder.encode(LAWS[law](rng, count).astype(float), count) for _ in range(2))
        refused += dependent(sides, level) is not None
    assert refused <= level * runs + 3 * np.sqrt(level * runs)
