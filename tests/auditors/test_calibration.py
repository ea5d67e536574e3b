"""False alarms on mechanisms that are exactly as private as claimed, over thousands of seeds.

A run is a false alarm where the claim is refuted or the lower bound exceeds the true ε. Their number must be
consistent with a probability of at most α by an exact binomial test.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import trapezoid
from scipy.stats import binomtest

from dpwitness.auditors.bounds.evalue import Null
from dpwitness.auditors.bounds.ledger import Budget
from dpwitness.auditors.doubles.audit import audit_doubles
from dpwitness.auditors.running.runner import Task, run
from dpwitness.auditors.sampling.sampler import Sampler
from dpwitness.auditors.search.pairs import Candidate, search

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


def large_geometric(data, size, rng):
    """Integers that doubles cannot tell apart, around a place where their upper part changes."""
    return 2**60 + 2047 + geometric(data, size, rng)


def written(data, size, rng):
    """Numbers in texts, in two forms."""
    return [f"{x} of 100" if x % 3 else f"{x / 4:.2f}" for x in geometric(data, size, rng).tolist()]


def held(data, size, rng):
    """Numbers in objects."""
    return [SimpleNamespace(value=Decimal(x) / 7, unit="m") for x in geometric(data, size, rng).tolist()]


def noisy_max(data, size, rng):
    return (np.asarray(data) + rng.exponential(2.0, (size, len(data)))).argmax(axis=1)


def above_threshold(data, size, rng):
    noisy = np.asarray(data) + rng.laplace(0, 4.0, (size, len(data))) >= rng.laplace(0, 2.0, size)[:, None]
    return [int(row.argmax()) if row.any() else None for row in noisy]


def loss_of_above_threshold(left, right):
    """The largest log-ratio of the probabilities of an output, by integration over the noise of the threshold."""
    t = np.linspace(-120, 120, 1_200_001)
    sides = []
    for data in (left, right):
        still, found = stats.laplace.pdf(t, 0, 2.0), []
        for q in data:
            below = stats.laplace.cdf(t - q, 0, 4.0)
            found.append(trapezoid(still * (1 - below), t))
            still = still * below
        sides.append(np.log([*found, trapezoid(still, t)]))
    return float(np.abs(sides[0] - sides[1]).max()) + 1e-7


GAUSSIAN_DELTA = 0.12693673750664394  # of N(0,1) against N(1,1) at ε = 1
ZEROS, MIXED = [0.0, 0.0, 0.0], [1.0, 1.0, -1.0]


@dataclass(frozen=True)
class Tight:
    """A mechanism that loses exactly `eps` at `delta` on its first pair, and no more on the others."""

    sampler: Callable[..., Any]
    pairs: Sequence[tuple[Any, Any]]
    eps: float = 1.0
    delta: float = 0.0


TIGHT = {
    "laplace": Tight(laplace, [(0.0, 1.0), (1.0, 0.0), (3.0, 4.0), (0.0, 0.5)]),
    "geometric": Tight(geometric, [(0, 1), (1, 0), (7, 8)]),
    "large integers": Tight(large_geometric, [(0, 1), (1, 0), (7, 8)]),
    "texts": Tight(written, [(0, 1), (1, 0), (7, 8)]),
    "objects": Tight(held, [(0, 1), (1, 0), (7, 8)]),
    "truncated geometric": Tight(truncated_geometric, [(0, 1), (1, 0)]),
    "randomized response": Tight(randomized_response, [(0, 1), (1, 0)]),
    "five-ary response": Tight(five_ary_response, [(0, 1), (1, 0), (2, 4), (3, 1)]),
    "exponential mechanism": Tight(exponential_mechanism, [(0, 1), (1, 0)]),
    "staircase": Tight(staircase, [(0.0, 1.0), (1.0, 0.0), (0.0, 0.3)]),
    "vector": Tight(laplace_vector, [([0.0, 0.0], [1.0, 1.0]), ([0.0, 0.0], [1.0, -1.0]), ([1.0, 0.0], [0.0, 0.0])]),
    "gaussian at its δ": Tight(gaussian, [(0.0, 1.0), (1.0, 0.0), (0.0, 0.5)], delta=GAUSSIAN_DELTA),
    "leak of δ": Tight(leaky, [(0, 1), (1, 0)], delta=0.01),
    "ragged": Tight(ragged, [(0, 1), (1, 0)]),
    "noisy max": Tight(noisy_max, [([0.0, 3.0], [1.0, 2.0]), ([2.0, 1.0], [3.0, 0.0]), ([0.0, 0.0], [1.0, 1.0])]),
    "sparse vector": Tight(above_threshold, [(ZEROS, MIXED), (MIXED, ZEROS)], loss_of_above_threshold(ZEROS, MIXED)),
}


FEW, MANY = 120, 5000  # pairs: runs that err do so early, where guesses are wildest; one run in twenty is long


def alarms(name: str, seeds: Sequence[int], pairs: int = FEW) -> int:
    """Runs, with the neighbour search on, that refute a true claim or give a bound above the true ε."""
    case = TIGHT[name]
    sampler = Sampler(case.sampler, batched=True)
    candidates = [Candidate(left, right, "given") for left, right in case.pairs]
    count = 0
    for seed in seeds:
        budget = Budget(ALPHA, pairs, None, seed)
        found = search(sampler, candidates, (Null(case.eps, case.delta),), case.delta, budget).outcome
        count += found.refuted or found.epsilon_lower > case.eps
    return count


def bounds_above(name: str, seeds: Sequence[int], pairs: int = 400) -> int:
    """Runs without a claim whose lower bound exceeds the true ε."""
    case = TIGHT[name]
    left, right = case.pairs[0]
    tasks = (
        Task(Sampler(case.sampler, True), left, right, None, case.delta, Budget(ALPHA, pairs, None, s)) for s in seeds
    )
    return sum(run(task).epsilon_lower > case.eps for task in tasks)


def counted(trial: Callable[..., int], name: str, seeds: int, pairs: int, first: int = 0) -> int:
    """The sum over all seeds, on all processors."""
    parts = [range(first + start, first + min(start + 50, seeds)) for start in range(0, seeds, 50)]
    with ProcessPoolExecutor() as pool:
        count = sum(pool.map(trial, [name] * len(parts), parts, [pairs] * len(parts)))
    print(f"{trial.__name__}: {name}: {count} of {seeds} at α = {ALPHA:g}, {pairs} pairs")
    return count


def consistent(count: int, seeds: int, level: float = ALPHA) -> bool:
    return bool(binomtest(count, seeds, level, alternative="greater").pvalue > 1e-3)


@pytest.mark.calibration
@pytest.mark.parametrize("name", TIGHT)
def test_false_alarms_over_two_thousand_seeds(name):
    short, long = counted(alarms, name, 1900, FEW), counted(alarms, name, 100, MANY, 1900)
    assert consistent(short + long, 2000)


@pytest.mark.calibration
@pytest.mark.parametrize("name", ["laplace", "five-ary response", "gaussian at its δ", "leak of δ", "noisy max"])
def test_bounds_without_a_claim_cover(name):
    assert consistent(counted(bounds_above, name, 2000, 400), 2000)


@pytest.mark.parametrize("name", ["laplace", "randomized response", "leak of δ"])
def test_false_alarms_over_few_seeds(name):
    assert consistent(alarms(name, range(15), 120), 15)


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
