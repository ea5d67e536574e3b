"""Noise that programs make themselves: each classical mistake is found, and exact claims are left alone."""

from __future__ import annotations

import math
import os
import random
import secrets

import numpy as np
import pytest
import scipy.stats

from dpwitness.auditors.replay.compare import replay_audit

DICE = random.Random(3)
SYSTEM = secrets.SystemRandom()
GENERATOR = np.random.default_rng(4)


def inverse(u, scale):
    """The textbook's Laplace noise."""
    return -scale * math.copysign(1.0, u - 0.5) * math.log(max(1e-300, 1 - 2 * abs(u - 0.5)))


UNIFORM = {
    "random": lambda b: inverse(random.random(), b),
    "own dice": lambda b: inverse(DICE.random(), b),
    "secrets": lambda b: inverse(SYSTEM.random(), b),
    "numpy": lambda b: inverse(np.random.rand(), b),  # noqa: NPY002
    "centred": lambda b: inverse(np.random.uniform(-0.5, 0.5) + 0.5, b),  # noqa: NPY002
    "mirrored": lambda b: inverse(1 - GENERATOR.random(), b),
}
PAIRS = {
    "expovariate": lambda b: random.expovariate(1 / b) - random.expovariate(1 / b),
    "standard": lambda b: b * (GENERATOR.standard_exponential() - GENERATOR.standard_exponential()),
    "exponential": lambda b: GENERATOR.exponential(b) - GENERATOR.exponential(b),
    "scipy": lambda b: scipy.stats.expon.rvs(scale=b) - scipy.stats.expon.rvs(scale=b),
}
UNKNOWN = {
    "bits": lambda b: inverse((secrets.randbits(53) + 0.5) / 2**53, b),
    "bytes": lambda b: inverse(int.from_bytes(os.urandom(6), "big") / 2**48, b),
}
SOURCES = {**UNIFORM, **PAIRS}


def mistakes(noise):
    """Wrong sensitivity, forgotten clipping, overflow, domain from the data, noise skipped, noise drawn twice."""
    return {
        "wrong sensitivity": (lambda v: sum(np.clip(v, 0, 1)) + noise(0.5), [0.0, 0.5], [1.0, 0.5]),
        "no clipping": (lambda v: sum(v) + noise(1.0), [0.0, 0.5], [9.0, 0.5]),
        "overflow": (
            lambda v: int(np.sum(np.array(v, dtype=np.int8), dtype=np.int8)) + noise(1.0), [100, 27], [100, 28]
        ),
        "domain": (lambda v: sum(v) + noise(max(v) - min(v)), [0.0, 0.5, 1.0], [0.0, 0.5, 3.0]),
        "skipped": (lambda v: sum(v) + noise(1.0) if sum(v) < 5 else sum(v), [0.0, 4.0], [1.0, 4.0]),
        "twice": (lambda v: sum(v) + noise(1.0) + (noise(1.0) if v[0] > 0.5 else 0.0), [0.0, 0.5], [1.0, 0.5]),
    }  # fmt: skip


def grid():
    """Every mistake with every source; one in six runs by default, each mistake and each source among them."""
    for i, mistake in enumerate(mistakes(None)):
        for j, source in enumerate(SOURCES):
            yield pytest.param(source, mistake, marks=() if (i + j) % 6 == 0 else pytest.mark.slow)


@pytest.mark.parametrize(("source", "mistake"), list(grid()))
def test_each_mistake_is_found_whatever_the_noise_is_made_of(source, mistake):
    function, left, right = mistakes(SOURCES[source])[mistake]
    found = replay_audit(function, left, right, epsilon=1.0, home=SOURCES[source])
    assert found
    assert all(f.epsilon is None or f.epsilon > 1 for f in found)


@pytest.mark.parametrize("seeds", [1, pytest.param(5, marks=pytest.mark.slow)])
@pytest.mark.parametrize("source", {**SOURCES, **UNKNOWN})
def test_correct_code_with_an_exact_claim_is_left_alone(source, seeds):
    noise = {**SOURCES, **UNKNOWN}[source]
    for seed in range(seeds):
        found = replay_audit(
            lambda v: float(sum(np.clip(v, 0, 1))) + noise(1.0), [0.0, 0.5], [1.0, 0.5], epsilon=1.0, seed=seed,
            home=noise,
        )  # fmt: skip
        assert found == ()


@pytest.mark.parametrize(
    ("source", "mistake"),
    [
        ("bits", "domain"), ("bytes", "skipped"), ("bits", "twice"),
        *(pytest.param(*pair, marks=pytest.mark.slow)
          for pair in (("bytes", "domain"), ("bits", "skipped"), ("bytes", "twice"))),
    ],
)  # fmt: skip
def test_noise_of_an_unknown_law_still_tells_what_the_data_do_to_it(source, mistake):
    function, left, right = mistakes(UNKNOWN[source])[mistake]
    assert replay_audit(function, left, right, epsilon=1.0)


def test_the_loss_of_pairs_of_exponential_draws_is_exact():
    (found,) = replay_audit(lambda v: sum(v) + PAIRS["expovariate"](0.5), [0.0], [1.0], epsilon=1.0)
    assert found.epsilon == pytest.approx(2.0)


def test_the_loss_of_uniform_draws_is_a_lower_bound_of_the_true_one():
    (found,) = replay_audit(lambda v: sum(v) + UNIFORM["random"](0.5), [0.0], [1.0], epsilon=1.0)
    assert 1.9 < found.epsilon <= 2.0
    assert not replay_audit(lambda v: sum(v) + UNIFORM["random"](0.5), [0.0], [1.0], epsilon=1.0, delta=0.5)


def test_an_output_that_turns_back_is_left_alone():
    assert not replay_audit(lambda v: sum(v) + (random.random() - 0.5) ** 2, [0.0], [0.1], epsilon=1.0)


@pytest.mark.parametrize("starts", [range(5), pytest.param(range(5, 20), marks=pytest.mark.slow)])
def test_dice_that_a_module_holds_give_other_noise_in_every_run(starts):
    """A sparse vector stops at a noisy comparison: one noise alone would make its draws seem to depend on the data."""

    def sparse_vector(values):
        threshold = PAIRS["expovariate"](2.0) + 0 * DICE.random()
        for i, value in enumerate(values):
            if value + DICE.expovariate(0.25) - DICE.expovariate(0.25) >= threshold:
                return i
        return None

    for start in starts:
        DICE.seed(start)
        assert not replay_audit(sparse_vector, [0.0] * 4, [1.0] * 4, epsilon=1.0, seed=start)
