"""Planned numbers of pairs against simulation: the power is reached within ten percent of them."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dpwitness import plan
from dpwitness.auditors.bounds.count import bounds
from dpwitness.auditors.planning import Plan, best_bets
from dpwitness.cli import main
from dpwitness.core.errors import BadInput
from dpwitness.core.reference import p_value

CASES = [(1.0, 1.4, 0.0, None), (1.0, 1.6, 0.0, 0.2), (0.5, 1.0, 0.01, 0.3)]


def power_of_score(found: Plan, pairs: int, rounds: int, rng: np.random.Generator) -> float:
    a, b = (rng.binomial(pairs, x, rounds) for x in (found.event, found.other))
    hits = [
        p_value(int(x), pairs, int(y), pairs, found.epsilon, found.delta) < found.alpha
        for x, y in zip(a, b, strict=True)
    ]
    return float(np.mean(hits))


def power_of_count(found: Plan, pairs: int, rounds: int, rng: np.random.Generator, sides: int) -> float:
    heads = rng.binomial(2 * pairs, 0.5, rounds)
    right, wrong = rng.binomial(heads, found.event), rng.binomial(2 * pairs - heads, found.other)
    if sides == 2:
        right = right + rng.binomial(2 * pairs - heads, 1 - found.other)
        wrong = wrong + rng.binomial(heads, 1 - found.event)
    low = bounds(right.astype(float), wrong.astype(float), 2 * pairs, found.alpha, found.delta, sides)
    return float(np.mean(low > found.epsilon))


def stops(found: Plan, rounds: int, rng: np.random.Generator) -> np.ndarray:
    """How many pairs the best bets need."""
    left, right = np.array([found.event, 1 - found.event]), np.array([found.other, 1 - found.other])
    f, g = best_bets(left, right, found.epsilon, found.delta)
    most = int(4 * found.bets)
    times = np.full(rounds, most)
    for i in range(rounds):
        x, y = rng.random(most) >= left[0], rng.random(most) >= right[0]
        path = np.cumsum(f[x.astype(int)] + g[y.astype(int)])
        over = np.nonzero(path >= math.log(1 / found.alpha))[0]
        times[i] = over[0] + 1 if len(over) else most
    return times


@pytest.mark.parametrize(("eps", "true", "delta", "event"), CASES)
def test_the_classical_test_and_the_count(eps: float, true: float, delta: float, event: float | None) -> None:
    """Ten percent more pairs are enough for the power, and ten percent fewer are not (three standard errors off)."""
    found = plan(eps, true, delta=delta, event_probability=event)
    rng = np.random.default_rng(5)
    sides = 2 if event is None else 1
    for pairs, power in ((found.classical, power_of_score), (found.count, lambda *a: power_of_count(*a, sides))):
        assert power(found, math.ceil(1.1 * pairs), 2000, rng) > 0.9 - 0.02  # type: ignore[operator]
        assert power(found, math.floor(0.9 * pairs), 2000, rng) < 0.9 + 0.02  # type: ignore[operator]


@pytest.mark.parametrize(("eps", "true", "delta", "event"), CASES)
def test_the_bets(eps: float, true: float, delta: float, event: float | None) -> None:
    found = plan(eps, true, delta=delta, event_probability=event)
    times = stops(found, 600, np.random.default_rng(3))
    assert np.mean(times <= 1.1 * found.bets) > 0.9 - 0.035
    assert np.mean(times <= 0.9 * found.bets) < 0.9 + 0.035
    assert np.mean(times) > 0.95 * found.limit  # no test does better on average than the limit allows


def test_more_power_and_closer_truths_need_more() -> None:
    near, far = plan(1.0, 1.2), plan(1.0, 2.0)
    assert all(x > y for (_, x, _), (_, y, _) in zip(near.rows(), far.rows(), strict=True))
    assert plan(1.0, 1.2, power=0.99).count > near.count
    assert "information limit" in str(near)


@pytest.mark.parametrize(("arguments", "message"), [
    ({"epsilon": 1, "true": 1}, "true=1 must be larger"),
    ({"epsilon": 0, "true": 1}, "epsilon=0"),
    ({"epsilon": 1, "true": 2, "alpha": 0}, "alpha=0"),
    ({"epsilon": 1, "true": 2, "delta": 1}, "delta=1"),
    ({"epsilon": 1, "true": 2, "event_probability": 1.5}, "event_probability=1.5"),
])  # fmt: skip
def test_bad_input(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        plan(**arguments)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", "--epsilon", "1", "--true", "1.5"]) == 0
    text = capsys.readouterr().out
    assert all(name in text for name in ("classical test", "our count", "sequential bets", "information limit"))
    assert main(["plan", "--epsilon", "1", "--true", "0.5"]) == 2
