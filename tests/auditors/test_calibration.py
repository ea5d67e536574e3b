"""False alarms on mechanisms that are exactly as private as claimed, over thousands of seeds.

A run is a false alarm where the claim is refuted or the lower bound exceeds the true ε. Their number must be
consistent with a probability of at most α by an exact binomial test.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binomtest

from dpwitness.auditors.budget import Budget
from dpwitness.auditors.doubles import audit_doubles
from dpwitness.auditors.evalue import Null
from dpwitness.auditors.neighbours import Candidate, search
from dpwitness.auditors.runner import Task, run
from dpwitness.auditors.sampling import Sampler

ALPHA = 0.05
TOP = math.e / (1 + math.e)


def laplace(data, size, rng):
    return rng.laplace(data, 1.0, size)


def geometric(data, size, rng):
    p = 1 - math.exp(-1.0)
    return data + rng.geometric(p, size) - rng.geometric(p, size)


def truncated_geometric(data, size, rng):
    return np.clip(geometric(data, size, rng), 0, 1)


def randomized_response(data, size, rng):
    return np.where(rng.random(size) < TOP, data, 1 - data)


def five_ary_response(data, size, rng):
    keep = rng.random(size) < math.e / (math.e + 4)
    return np.where(keep, data, (data + rng.integers(1, 5, size)) % 5)


def exponential_mechanism(data, size, rng):
    """Two candidates of which the scores swap: exactly tight at ε = 1 with scores moving by 1/2 each way."""
    return [("a", "b")[i] for i in (rng.random(size) < (TOP if data else 1 - TOP)).astype(int)]


def staircase(data, size, rng):
    sign = rng.choice([-1.0, 1.0], size)
    steps = rng.geometric(1 - math.exp(-1.0), size) - 1
    part = rng.random(size) < 0.5 / (0.5 + 0.5 * math.exp(-1.0))
    return data + sign * np.where(part, steps + 0.5 * rng.random(size), steps + 0.5 + 0.5 * rng.random(size))


def laplace_vector(data, size, rng):
    return rng.laplace(data, 2.0, (size, 2)) * np.array([1.0, 1.0])


def gaussian(data, size, rng):
    return rng.normal(data, 1.0, size)


def leaky(data, size, rng):
    """With probability 1/100 the input itself, else randomized response: exactly (1, 0.01)-private."""
    told = rng.random(size) < 0.01
    answers = randomized_response(data, size, rng)
    return [("told", int(data)) if t else int(r) for t, r in zip(told, answers, strict=True)]


def ragged(data, size, rng):
    """Randomized response that answers with lists of different lengths and a number that says nothing."""
    answers = randomized_response(data, size, rng)
    return [[float(z)] * (1 + int(r)) for r, z in zip(answers, rng.normal(size=size), strict=True)]


def noisy_max(data, size, rng):
    return (np.asarray(data) + rng.exponential(2.0, (size, len(data)))).argmax(axis=1)


def above_threshold(data, size, rng):
    noisy = np.asarray(data) + rng.laplace(0, 4.0, (size, len(data))) >= rng.laplace(0, 2.0, size)[:, None]
    return [int(row.argmax()) if row.any() else None for row in noisy]


GAUSSIAN_DELTA = 0.12693673750664394  # of N(0,1) against N(1,1) at ε = 1

TIGHT = {
    "laplace": (laplace, 0.0, 1.0, 0.0),
    "geometric": (geometric, 0, 1, 0.0),
    "truncated geometric": (truncated_geometric, 0, 1, 0.0),
    "randomized response": (randomized_response, 0, 1, 0.0),
    "five-ary response": (five_ary_response, 0, 1, 0.0),
    "exponential mechanism": (exponential_mechanism, 0, 1, 0.0),
    "staircase": (staircase, 0.0, 1.0, 0.0),
    "vector": (laplace_vector, [0.0, 0.0], [1.0, 1.0], 0.0),
    "gaussian at its δ": (gaussian, 0.0, 1.0, GAUSSIAN_DELTA),
    "leak of δ": (leaky, 0, 1, 0.01),
    "ragged": (ragged, 0, 1, 0.0),
    "noisy max": (noisy_max, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], 0.0),
    "sparse vector": (above_threshold, [0.0, 0.0, 0.0], [1.0, 1.0, 1.0], 0.0),
}


PAIRS = 200  # few: a run that errs does so early, where guesses are wildest


def alarms(name: str, seeds: int, pairs: int = PAIRS) -> int:
    """Runs, with the neighbour search on, that refute a true claim or give a bound above the true ε."""
    function, left, right, delta = TIGHT[name]
    sampler = Sampler(function, batched=True)
    candidates = [Candidate(left, right, "as given"), Candidate(right, left, "swapped")]
    count = 0
    for seed in range(seeds):
        found = search(sampler, candidates, (Null(1.0, delta),), delta, Budget(ALPHA, pairs, None, seed)).outcome
        count += found.refuted or found.epsilon_lower > 1.0
    return count


def consistent(count: int, seeds: int, level: float = ALPHA) -> bool:
    return bool(binomtest(count, seeds, level, alternative="greater").pvalue > 1e-3)


@pytest.mark.calibration
@pytest.mark.parametrize("name", TIGHT)
def test_false_alarms_over_two_thousand_seeds(name):
    assert consistent(alarms(name, 2000), 2000)


@pytest.mark.parametrize("name", ["laplace", "randomized response", "leak of δ"])
def test_false_alarms_over_few_seeds(name):
    assert consistent(alarms(name, 15, 120), 15)


@pytest.mark.calibration
def test_bounds_without_a_claim_cover():
    wrong = 0
    for seed in range(2000):
        task = Task(Sampler(laplace, True), 0.0, 1.0, None, 0.0, Budget(ALPHA, 400, None, seed))
        wrong += run(task).epsilon_lower > 1.0
    assert consistent(wrong, 2000)


def snapping(data, size, rng):
    """Clamp, add Laplace noise, round to a multiple of a power of two above the scale, clamp."""
    return np.clip(np.rint(rng.laplace(data, 10.0, size) / 16) * 16, -64, 64)


def discrete_gaussian(data, size, rng):
    support = np.arange(-60, 61)
    weights = np.exp(-(support**2) / (2 * 100.0))
    return (data + rng.choice(support, size, p=weights / weights.sum())) / 4


@pytest.mark.calibration
@pytest.mark.parametrize(
    ("function", "eps", "delta"),
    [(lambda d, n, r: geometric(d, n, r) / 8, 1.0, 0.0), (snapping, 0.2, 0.0), (discrete_gaussian, 0.5, 1e-3)],
    ids=["geometric", "snapping", "discrete gaussian"],
)
def test_clean_samplers_are_not_refuted_as_doubles(function, eps, delta):
    wrong = 0
    for seed in range(200):
        finding = audit_doubles(Sampler(function, True), 0.0, 1.0, eps, delta, Budget(1e-3, 20_000, None, seed))
        wrong += finding is not None and finding.refuted
    assert wrong <= 1
