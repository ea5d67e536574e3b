"""Scores, coins and runs that cannot be what they should be, and results that say what they rest on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dpwitness as dpw
from dpwitness.core.errors import BadInput, ProgramFailed

GDP = dpw.GaussianDP(1)


@pytest.mark.parametrize(
    ("inside", "outside", "words"),
    [([1.0, float("nan")], [0, 1], r"inside\[1\] is NaN"), ([1], [0, 1], "inside has 1 numbers"),
     ([1, 2], [1, 2], "the same scores"),
     ([1, 1, 1], [1, 1], "all scores are 1"), ([[1, 2]], [0, 1], "2 dimensions"),
     (["a", "b"], [0, 1], "must be numbers")],
)  # fmt: skip
def test_scores_that_are_refused(inside: object, outside: object, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        dpw.audit_scores(inside, outside, claim=GDP)


@pytest.mark.parametrize(
    ("included", "words"),
    [([1] * 40, "no fair coins"), ([0.5] * 40, "must be 0 or 1"), ([1, 0], "shape"), (["a"] * 40, "must be 0 or 1")],
)  # fmt: skip
def test_coins_that_are_refused(included: object, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        dpw.audit_one_run(np.arange(40.0), included, claim=GDP)


def test_a_fixed_half_is_warned_of() -> None:
    coins = np.arange(200) % 2
    found = dpw.audit_one_run(np.arange(200.0), coins, claim=GDP, guesses=10)
    assert any("fixed half" in text for text in found.warnings)


@pytest.mark.parametrize("guesses", [0, 41, 2.5, True, [3, 3], [], "5"])
def test_guesses_that_are_refused(guesses: object) -> None:
    coins = np.random.default_rng(0).integers(0, 2, 40)
    with pytest.raises(BadInput, match="guesses="):
        dpw.audit_one_run(np.arange(40.0), coins, claim=GDP, guesses=guesses)


def test_several_numbers_of_guesses_share_alpha() -> None:
    """Whichever of them says most, the probability of a false statement is spent once."""
    rng = np.random.default_rng(1)
    coins = rng.integers(0, 2, 600)
    scores = rng.normal(4.0 * coins)
    one = dpw.audit_one_run(scores, coins, claim=GDP, guesses=80)
    two = dpw.audit_one_run(scores, coins, claim=GDP, guesses=[80, 10])
    assert two.p_value == pytest.approx(2 * one.p_value)
    assert two.epsilon_lower < one.epsilon_lower
    assert sum(share for _, share in two.ledger) <= 0.05 * (1 + 1e-9)


def test_runs_that_are_the_same_are_refused() -> None:
    run = lambda seed: float(seed % 7)  # noqa: E731
    with pytest.raises(BadInput, match="same function"):
        dpw.audit_runs(run, run, claim=GDP)
    with pytest.raises(BadInput, match="does run_in use the record"):
        dpw.audit_runs(lambda seed: 1.0, lambda seed: 1.0, claim=GDP)


def test_runs_that_fail() -> None:
    def broken(seed: int) -> float:
        raise RuntimeError("out of memory")

    with pytest.raises(ProgramFailed, match="out of memory"):
        dpw.audit_runs(broken, lambda seed: 0.0, claim=GDP)
    with pytest.raises(BadInput, match="NaN"):
        dpw.audit_runs(lambda seed: float("nan"), lambda seed: 0.0, claim=GDP)
    with pytest.raises(BadInput, match="looks="):
        dpw.audit_runs(lambda seed: 1.0, lambda seed: 0.0, claim=GDP, looks=(10, 10))


def test_the_assumption_is_never_silent() -> None:
    rng = np.random.default_rng(0)
    coins = rng.integers(0, 2, 400)
    scores = rng.normal(3.0 * coins)
    plain = dpw.audit_one_run(scores, coins, claim=GDP)
    assumed = dpw.audit_one_run(scores, coins, claim=GDP, assume="independent canaries")
    assert plain.assumes == "fair coins only"
    assert "fair coins only" in plain.verdict
    assert assumed.refuted
    assert assumed.verdict.endswith("assuming independent canaries")
    assert str(assumed).splitlines()[0] == assumed.verdict
    with pytest.raises(BadInput, match="assume="):
        dpw.audit_one_run(scores, coins, claim=GDP, assume="independence")


def test_killed_runs_are_resumed(tmp_path: Path) -> None:
    """Scores are kept one by one: after a break nothing is run twice."""
    calls: list[str] = []

    def run(side: str, shift: float, fail_at: int | None) -> object:
        def train(seed: int) -> float:
            if fail_at is not None and len(calls) == fail_at:
                raise KeyboardInterrupt
            calls.append(side)
            return float(np.random.default_rng(seed).normal(shift))

        return train

    place = tmp_path / "runs"
    with pytest.raises(KeyboardInterrupt):
        dpw.audit_runs(run("in", 3.0, 13), run("out", 0.0, 13), claim=GDP, checkpoint=place)
    assert len(calls) == 13
    resumed = dpw.audit_runs(run("in", 3.0, None), run("out", 0.0, None), claim=GDP, checkpoint=place)
    total = len(calls)
    calls.clear()
    whole = dpw.audit_runs(run("in", 3.0, None), run("out", 0.0, None), claim=GDP)
    assert total == len(calls) == sum(whole.runs)
    assert (resumed.refuted, resumed.p_value, resumed.runs) == (whole.refuted, whole.p_value, whole.runs)
    with pytest.raises(BadInput, match="other arguments"):
        dpw.audit_runs(run("in", 3.0, None), run("out", 0.0, None), claim=dpw.GaussianDP(2), checkpoint=place)


@pytest.mark.parametrize("noise", ["normal", "laplace"])
def test_a_quarter_of_the_noise_costs_at_most_sixty_runs(noise: str) -> None:
    claim = GDP if noise == "normal" else dpw.PureDP(1)
    runs = []
    for first in range(5):
        draw = lambda shift: lambda seed: getattr(np.random.default_rng([first, seed]), noise)(shift, 0.25)  # noqa: E731, B023
        found = dpw.audit_runs(draw(1.0), draw(0.0), claim=claim)
        assert found.refuted
        assert 0.2 <= found.epsilon_lower <= 4  # the true one is 4 for Laplace noise, and above it for the normal law
        runs.append(found.runs[0])
    assert max(runs) <= 60


def test_claims_are_curves() -> None:
    rng = np.random.default_rng(2)
    inside, outside = rng.normal(2.5, 1, 60), rng.normal(0, 1, 60)
    claims = [GDP, dpw.PureDP(1), dpw.ApproxDP(1, "1e-5"), dpw.ZCDP("1/8"), dpw.RenyiDP(2, "1/4"), dpw.gaussian(1),
              dpw.TradeoffCurve(((0, 1), (0.3, 0.3), (1, 0)))]  # fmt: skip
    for claim in claims:
        found = dpw.audit_scores(inside, outside, claim=claim)
        assert found.refuted, claim
        assert bool(found.points) == (type(claim).__name__ in ("ZCDP", "RenyiDP", "TradeoffCurve"))
    with pytest.raises(BadInput, match="claim="):
        dpw.audit_scores(inside, outside, claim="gdp")


def test_the_claim_of_a_box_is_a_curve() -> None:
    sampler = lambda data, size, rng: rng.normal(data, 0.4, size)  # noqa: E731
    for claim in (GDP, dpw.ZCDP("1/2"), dpw.gaussian(1)):
        found = dpw.audit(sampler, 0.0, 1.0, claim=claim, max_pairs=3000)
        assert found.refuted
        assert found.pairs < 400
    with pytest.raises(BadInput, match="either epsilon"):
        dpw.audit(sampler, 0.0, 1.0, claim=GDP, epsilon=1)
