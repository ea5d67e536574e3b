"""The seeds of the field: finite laws and claims by exact enumeration, calibrations, smooth sensitivity, solvers."""

from __future__ import annotations

import importlib
import itertools
import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats

from dpwitness.catalogue import of_module
from dpwitness.core import ApproxDP, Mechanism, Proved, PureDP
from dpwitness.core.laws import Law
from dpwitness.core.noise import Noise
from dpwitness.core.readers.finite import FiniteLaw, Probability, finite_law
from dpwitness.mechanisms import smooth_sensitivity as smooth
from dpwitness.mechanisms.gaussian import gaussian_analytic, gaussian_classical
from dpwitness.mechanisms.geometric import truncated_geometric
from dpwitness.mechanisms.histogram import stability_histogram
from dpwitness.mechanisms.means import LEAST, clipped_mean
from dpwitness.mechanisms.metric import metric_on_the_unit
from dpwitness.mechanisms.objective_perturbation import LABELLED, minimiser, noisy_minimiser, objective_perturbation
from dpwitness.mechanisms.query_server import PEOPLE, ROUNDS, next_question, query_server
from dpwitness.mechanisms.rappor import bloom_filter, one_time_rappor, rappor
from dpwitness.mechanisms.sanitised_database import CANDIDATES, CONJUNCTIONS, TABLE, UNIVERSE, answers
from dpwitness.mechanisms.smooth_sensitivity import local_sensitivity, median, smooth_sensitivity

MODULES = (
    "laplace", "counting", "geometric", "gaussian", "staircase", "randomized_response", "rare_outcomes", "rappor",
    "exponential_mechanism", "metric", "histogram", "median", "sample_aggregate", "objective_perturbation",
    "sanitised_database", "query_server", "sanitisation", "means",
)  # fmt: skip
TARGETS = [
    target
    for name in MODULES
    for target in of_module(importlib.import_module(f"dpwitness.mechanisms.{name}"))
    if isinstance(target, Mechanism)
]
POINTS: tuple[Any, ...] = tuple(LABELLED.domain)  # type: ignore[arg-type]
# the clamped geometric count has a finite range, but is drawn from an endless law
FINITE = [t for t in TARGETS if "finite" in t.tags and t.name != "clamped-geometric"]


class Scripted(Noise):
    """Draws that are given beforehand, then zeros; keeps the law of every draw."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self.values = iter(values)
        self.laws: list[Law] = []

    def draw(self, law: Law) -> Any:
        self.laws.append(law)
        return next(self.values, 0)

    def check(self, name: str, value: Any, *, above: int | None, below: int | None = None, closed: bool = False) -> Any:
        return value

    def argmax(self, values: Sequence[Any]) -> Any:
        return max(range(len(values)), key=lambda i: (values[i], -i))

    def max(self, values: Sequence[Any]) -> Any:
        return max(values)


def twin(mechanism: Mechanism, name: str) -> Mechanism:
    return next(t for t in mechanism.twins if t.name == f"{mechanism.name}/{name}")


# declarations


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.name)
def test_declaration(target: Mechanism) -> None:
    assert target.summary.endswith((".", "`."))
    assert target.cites
    for promise in (*target.promises, *target.more):
        assert promise.space.typical_pairs()
    if target.parent is None:
        assert target.promises[0].expected is Proved
        assert any(t.promises[0].expected is not Proved for t in target.twins)


# finite laws: every claim is decided by enumeration


@cache
def law_of(target: Mechanism, data: tuple[Any, ...]) -> FiniteLaw:
    return finite_law(target.bind(data, target.params()))


@pytest.mark.parametrize("target", FINITE, ids=lambda t: t.name)
def test_finite_laws_sum_to_one(target: Mechanism) -> None:
    for pair in target.space.typical_pairs()[:2]:
        total = Probability.of(0)
        for _, probability in law_of(target, pair.left).table:
            total = total + probability
        assert total == Probability.of(1)


def privacy(left: FiniteLaw, right: FiniteLaw, eps: float) -> tuple[float, float]:
    """The loss and δ(ε) of one ordered pair."""
    other = {skeleton: float(p) for skeleton, p in right.table}
    rows = [(float(p), other.get(skeleton, 0.0)) for skeleton, p in left.table if float(p) > 0]
    loss = max(math.log(p / q) if q else math.inf for p, q in rows)
    return loss, sum(max(0.0, p - math.exp(eps) * q) for p, q in rows)


@pytest.mark.parametrize("target", [t for t in FINITE if t.name.partition("/")[0] not in ("rappor", "one-time-rappor")],
                         ids=lambda t: t.name)  # fmt: skip
def test_finite_claims_are_as_expected(target: Mechanism) -> None:
    for promise in (*target.promises, *target.more):
        pairs = list(promise.space.all_pairs())
        for guarantee in promise.guarantees(target.params()):
            assert isinstance(guarantee, PureDP | ApproxDP)
            eps, delta = float(guarantee.eps), float(guarantee.delta) if isinstance(guarantee, ApproxDP) else 0.0
            found = [privacy(law_of(target, p.left), law_of(target, p.right), eps) for p in pairs]
            if delta:
                holds = max(d for _, d in found) <= delta + 1e-12
            else:
                holds = max(loss for loss, _ in found) <= eps + 1e-12
            assert holds == (promise.expected is Proved)


def test_truncated_geometric_uses_the_binary_logarithm() -> None:
    # the ratio of two neighbouring probabilities inside the range is e^ε̃ = 1 + 2^(−k)
    for target, k in ((truncated_geometric, 5), (twin(truncated_geometric, "natural-logarithm"), 3)):
        law = law_of(target, (0,) * 5)
        assert law[1] * Probability.of(Fraction(2**k, 2**k + 1)) == law[2]


@pytest.mark.parametrize(("target", "bits"), [(one_time_rappor, 2), (rappor, 2)], ids=lambda v: getattr(v, "name", v))
def test_rappor_claims_are_attained_on_small_filters(target: Mechanism, bits: int) -> None:
    params = target.params(hashes=bits, width=2 * bits)
    zero, one = (finite_law(target.bind((v,), params)) for v in (0, 1))
    (claimed,) = target.promises[0].guarantees(params)
    assert isinstance(claimed, PureDP)
    loss = max(privacy(zero, one, 0.0)[0], privacy(one, zero, 0.0)[0])
    assert float(claimed.eps) - 2e-4 < loss <= float(claimed.eps)


def test_filters_of_different_values_do_not_meet() -> None:
    filters = [bloom_filter(v, 4, 20) for v in range(5)]
    assert [sum(f) for f in filters] == [4] * 5
    assert [sum(column) for column in zip(*filters, strict=True)] == [1] * 20


# calibrations of the Gaussian


def gaussian_delta(eps: float, sigma: float) -> float:
    mu = 1 / sigma
    upper, lower = stats.norm.cdf([mu / 2 - eps / mu, -mu / 2 - eps / mu])
    return float(upper - math.exp(eps) * lower)


@pytest.mark.parametrize(
    "target",
    [gaussian_classical, gaussian_analytic, *gaussian_classical.twins, *gaussian_analytic.twins],
    ids=lambda t: t.name,
)
def test_gaussian_calibration(target: Mechanism) -> None:
    noise, params = Scripted(), target.params()
    target.program(noise, [0], **params)
    (sigma,) = noise.laws[0].params().values()
    (claimed,) = target.promises[0].guarantees(params)
    assert isinstance(claimed, ApproxDP)
    holds = gaussian_delta(float(claimed.eps), float(sigma)) <= float(claimed.delta)
    assert holds == (target.promises[0].expected is Proved)


def test_threshold_is_passed_with_probability_delta() -> None:
    eps, delta = 1.0, 0.01
    broken = twin(stability_histogram, "threshold-of-an-empty-bin")
    for target, passed in ((stability_histogram, delta), (broken, math.exp(eps) * delta)):
        edge = stats.laplace.isf(passed) / eps  # the noise that lifts a bin of one record over the threshold
        for noise, released in ((edge - 1e-9, 0), (edge + 1e-9, 1)):
            assert len(target.program(Scripted([noise]), ["ann"], **target.params())) == released


# the median


def every(grid: Sequence[Any], n: int) -> list[tuple[Any, ...]]:
    return list(itertools.product(grid, repeat=n))


def brute_local(data: tuple[Any, ...], grid: Sequence[Any]) -> Any:
    """The local sensitivity by trying every replacement."""
    moves = [(*data[:i], v, *data[i + 1 :]) for i in range(len(data)) for v in grid]
    return max(abs(median(y) - median(data)) for y in moves)


@pytest.mark.parametrize(("n", "grid"), [(1, 4), (2, 4), (3, 4), (4, 4), (5, 3), (6, 2)])
def test_smooth_sensitivity_against_all_datasets(n: int, grid: int) -> None:
    points = [Fraction(k, grid - 1) for k in range(grid)]
    datasets = every(points, n)
    local = {y: brute_local(y, points) for y in datasets}
    assert all(local_sensitivity(y, 1) == local[y] for y in datasets)
    levels = np.array([float(local[y]) for y in datasets])
    codes = np.array([[points.index(v) for v in y] for y in datasets])
    for x in datasets:
        if list(x) != sorted(x):
            continue
        distance = (codes != np.array([points.index(v) for v in x])).sum(axis=1)
        for beta in (Fraction(1, 10), Fraction(1, 2), Fraction(2)):
            brute = (levels * np.exp(-float(beta) * distance)).max()
            assert float(smooth_sensitivity(x, beta, 1)) == pytest.approx(brute, rel=1e-12)


def formula(data: Sequence[float], beta: float, top: float) -> float:
    """The O(n²) formula: the widest gap at every distance k."""
    n, m = len(data), (len(data) + 1) // 2
    padded = dict(enumerate(sorted(data), start=1))

    def x(i: int) -> float:
        return 0.0 if i < 1 else top if i > n else padded[i]

    if n % 2:
        widest = [max(x(m + t) - x(m + t - k - 1) for t in range(k + 2)) for k in range(n + 1)]
    else:
        widest = [max(x(m + t) - x(m + t - k - 2) for t in range(1, k + 3)) / 2 for k in range(n + 1)]
    return max(math.exp(-beta * k) * w for k, w in enumerate(widest))


numbers = st.one_of(st.floats(0, 1), st.sampled_from([0.0, 0.25, 0.5, 1.0]))


@settings(deadline=None)
@given(st.lists(numbers, min_size=1, max_size=40), st.floats(0.01, 3))
def test_fast_smooth_sensitivity_is_the_formula(data: list[float], beta: float) -> None:
    assert float(smooth_sensitivity(data, beta, 1.0)) == pytest.approx(formula(data, beta, 1.0), rel=1e-9)


@settings(deadline=None)
@given(st.lists(numbers, min_size=1, max_size=12), st.data(), st.floats(0.01, 2))
def test_bound_is_smooth(data: list[float], draw: st.DataObject, beta: float) -> None:
    i, value = draw.draw(st.integers(0, len(data) - 1)), draw.draw(numbers)
    here = float(smooth_sensitivity(data, beta, 1.0))
    there = float(smooth_sensitivity([*data[:i], value, *data[i + 1 :]], beta, 1.0))
    assert here >= local_sensitivity(data, 1.0)
    assert here <= math.exp(beta) * there * (1 + 1e-12)


def test_work_grows_like_n_log_n(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0

    def shrunk(beta: float, changes: int) -> float:
        nonlocal count
        count += 1
        return math.exp(-beta * changes)

    monkeypatch.setattr(smooth, "_shrunk", shrunk)
    n = 2001
    data = np.random.default_rng(0).random(n).tolist()
    assert smooth_sensitivity(data, 0.01, 1.0) > 0
    assert count < 3 * n * math.log2(n)


def test_evenly_spread_points() -> None:
    # at distance k the widest gap is (k + 1)/n while it fits into the data
    n, beta = 401, 0.05
    data = [Fraction(i, n) for i in range(1, n + 1)]
    best = max(math.exp(-beta * k) * (k + 1) / n for k in range(n // 2))
    assert float(smooth_sensitivity(data, beta, 1)) == pytest.approx(best)


# regression

records = st.lists(st.sampled_from(POINTS), min_size=1, max_size=8)
tilts = st.tuples(st.floats(-50, 50), st.floats(-50, 50))


def objective(f: Any, data: Sequence[Any], ridge: float, tilt: Sequence[float]) -> float:
    rows = np.array([[float(y) * float(v) for v in x] for *x, y in data])
    return float(np.logaddexp(0, -rows @ f).mean() + ridge / 2 * np.dot(f, f) + np.dot(tilt, f))


@settings(deadline=None)
@given(records, st.sampled_from([0.01, 0.1, 1.0, 10.0]), tilts)
def test_gradient_vanishes_at_the_minimiser(data: list[Any], ridge: float, tilt: tuple[float, float]) -> None:
    f = np.array(minimiser(data, ridge, tilt))
    rows = np.array([[float(y) * float(v) for v in x] for *x, y in data])
    slope = -(rows / (1 + np.exp(np.clip(rows @ f, -700, 700)))[:, None]).mean(axis=0) + ridge * f + np.array(tilt)
    assert np.abs(slope).max() < 1e-10 * (1 + np.abs(tilt).max())


def test_minimiser_agrees_with_a_general_solver() -> None:
    data = POINTS[:5]
    ours = minimiser(data, 0.1, [0.3, -0.2])
    other = optimize.minimize(objective, np.zeros(2), args=(data, 0.1, [0.3, -0.2]), method="BFGS", tol=1e-12)
    assert ours == pytest.approx(other.x, abs=1e-5)


def test_weak_regularisation_is_raised() -> None:
    def run(ridge: object) -> Any:
        noise = Scripted([1.0, 0.0, 3.0])  # two coordinates of the direction, then the length
        return objective_perturbation.program(noise, POINTS[:3], **objective_perturbation.params(ridge=ridge))

    enough = 0.25 / (3 * (math.exp(0.25) - 1))  # the change of variables then costs ε/2
    assert run("1/100") == run("1/1000") == pytest.approx(minimiser(POINTS[:3], enough, [1.0, 0.0]))
    assert run(1) == pytest.approx(minimiser(POINTS[:3], 1.0, [1.0, 0.0]))


def test_noise_vector_has_gamma_length_and_uniform_direction() -> None:
    data = POINTS[:3]
    out = noisy_minimiser.sample(data, 2000, np.random.default_rng(1)).array()
    assert out is not None
    moved = out - np.array(minimiser(data, 0.1, [0.0, 0.0]))
    length, angle = np.hypot(*moved.T), np.arctan2(*moved.T)
    assert stats.kstest(length, stats.gamma(2, scale=2 / 0.3).cdf).pvalue > 1e-4
    assert stats.kstest(angle, stats.uniform(-math.pi, 2 * math.pi).cdf).pvalue > 1e-4


# the query server


class Answer(float):
    """A draw that makes the noisy answer this very number, whatever it is added to."""

    def __radd__(self, other: Any) -> float:
        return float(self)


@pytest.mark.parametrize("wanted", [(4, 2, 1), (4, 0, 0), (0, 2, 2), (0, 0, 0)])
def test_refusals_follow_from_the_transcript(wanted: tuple[float, ...]) -> None:
    seen = {
        tuple(query_server.program(Scripted(map(Answer, wanted)), data, **query_server.params()))
        for data in itertools.product((0, 1), repeat=PEOPLE)
    }
    assert len(seen) == 1  # with the same answers, the same refusals


def test_nobody_is_counted_more_often_than_the_budget_allows() -> None:
    refused = 0
    for budget in (1, 2, 3):
        for draws in itertools.product((-9, 9), repeat=ROUNDS):
            shown = query_server.program(Scripted(draws), [0, 1, 0, 1], **query_server.params(budget=budget))
            spent, asked = [0] * PEOPLE, range(PEOPLE)
            for answer in shown:
                if answer is None:
                    refused += 1
                    assert max(spent[i] for i in asked) == budget
                else:
                    spent = [s + (i in asked) for i, s in enumerate(spent)]
                asked = next_question(asked, answer)  # type: ignore[assignment]
            assert max(spent) <= budget
    assert refused


def test_a_server_that_looks_at_the_data_refuses_differently() -> None:
    target = twin(query_server, "refuses-by-the-data")
    first = [target.program(Scripted(), data, **target.params())[0] for data in ([1, 0, 0, 0], [1, 1, 0, 0])]
    assert first[0] is None
    assert first[1] is not None


# synthetic databases, means, bounded noise


def test_penalty_moves_by_at_most_one_record() -> None:
    assert len(CONJUNCTIONS) == 3**2
    n = 3
    penalties = {
        rows: [max(abs(a - t) for a, t in zip(row, answers(rows), strict=True)) for row in TABLE]
        for rows in itertools.product(UNIVERSE, repeat=n)
    }
    moves = [
        abs(a - b)
        for x, y in itertools.combinations(penalties, 2)
        if sum(u != v for u, v in zip(x, y, strict=True)) == 1
        for a, b in zip(penalties[x], penalties[y], strict=True)
    ]
    assert max(moves) == Fraction(1, n)
    assert len(CANDIDATES) == 10


def test_means_without_noise_and_with_a_count_below_zero() -> None:
    params = clipped_mean.params()
    assert clipped_mean.program(Scripted(), [-1, 1, 2], **params) == pytest.approx(2 / 3)
    assert clipped_mean.program(Scripted([-100, 0]), [1, 1], **params) == 2 / LEAST
    # two draws: the count becomes 4, and the mean gets one unit of noise of scale 2/(ε·4)
    assert clipped_mean.program(Scripted([2, 1]), [1, 1], **params) == Fraction(2, 4) + 5


@pytest.mark.parametrize("data", [(0, 0, 0, 0), (1, 0, 0, 0), (1, 1, 0, 1), (1, 1, 1, 1)])
def test_noise_on_the_unit_interval_has_the_metric_density(data: tuple[int, ...]) -> None:
    rate, centre = 2.0, sum(data) / 4
    grid = np.linspace(0, 1, 20001)
    density = np.exp(-rate * abs(grid - centre))
    cdf = np.concatenate([[0], np.cumsum((density[1:] + density[:-1]) / 2)])
    out = metric_on_the_unit.sample(data, 20000, np.random.default_rng(3)).array()
    assert out is not None
    assert stats.kstest(out, lambda y: np.interp(y, grid, cdf / cdf[-1])).pvalue > 1e-4


def test_factor_two_on_the_unit_interval() -> None:
    def loss(rate: float, f: float, g: float) -> float:
        def z(c: float) -> float:
            return 2 - math.exp(-rate * c) - math.exp(-rate * (1 - c))

        return rate * abs(f - g) + math.log(z(g) / z(f))  # at y = f, or beyond it

    means = np.linspace(0, 1, 101)
    near = [(f, g) for f in means for g in means if abs(f - g) <= 0.25 + 1e-12]
    assert max(loss(2, f, g) for f, g in near) <= 1
    assert loss(4, 0, 0.25) == pytest.approx(1.477, abs=1e-3)
    assert max(loss(1, f, g) for f in means for g in means) == pytest.approx(1)
