"""Limits bound everything that an audit does, and what was learnt before they end it is kept."""

from __future__ import annotations

import time

import numpy as np
import pytest
from tests.faults import samplers
from tests.faults.samplers import BROKEN, RIGHT

from dpwitness.auditors import audit
from dpwitness.core.errors import ProgramTimeout
from dpwitness.core.spaces import Answers

ROOM = 20.0  # seconds of slack: the machine may be busy


def counted(scale, batched):
    """A sampler and the number of runs that it has made."""
    runs = [0]

    def many(data, size, rng):
        runs[0] += size
        return rng.laplace(np.sum(data), scale, size)

    def one(data):
        runs[0] += 1
        return float(np.sum(data)) + samplers.noise(scale)

    return (many if batched else one), runs


@pytest.mark.parametrize("scale", [RIGHT, BROKEN])
@pytest.mark.parametrize("batched", [True, False])
@pytest.mark.parametrize("pairs", [1, 7, 100, 3000])
@pytest.mark.parametrize("numerics", ["ideal", "both"])
def test_no_more_runs_are_made_than_pairs_were_allowed(scale, batched, pairs, numerics):
    sampler, runs = counted(scale, batched)
    result = audit(sampler, 0.0, 1.0, epsilon=1, max_pairs=pairs, numerics=numerics, isolate=False)
    assert runs[0] <= 2 * pairs
    assert result.runs == runs[0]
    if numerics == "ideal":  # as doubles, the noise of numpy is broken at every scale
        assert result.refuted == (scale == BROKEN and pairs >= 100)


@pytest.mark.parametrize("scale", [RIGHT, BROKEN])
@pytest.mark.parametrize("batched", [True, False])
@pytest.mark.parametrize("pairs", [20, 100, 4000])
def test_a_search_is_bounded_too(scale, batched, pairs):
    sampler, runs = counted(scale, batched)
    neighbours = [([k, 0.0], [k + 1.0, 0.0]) for k in range(6)]
    result = audit(sampler, neighbours=neighbours, epsilon=1, max_pairs=pairs, isolate=False,
                   adjacency=Answers(moves="one", by=1, size=2))  # fmt: skip
    assert runs[0] <= 2 * pairs
    assert result.refuted == (scale == BROKEN) or pairs < 100


def test_a_slow_release_that_leaks_plainly_costs_as_many_pairs_as_refute_it():
    runs = [0]

    def release(data):
        runs[0] += 1
        time.sleep(0.03)
        return data

    result = audit(release, 0.0, 1.0, epsilon=1, max_pairs=100_000, isolate=False, seconds=60)
    assert result.refuted
    assert runs[0] <= 2 * result.pairs + 60  # the look at the sampler, and at its noise
    assert result.pairs < 40


@pytest.mark.parametrize("scale", [RIGHT, BROKEN])
def test_when_time_is_up_the_audit_says_what_it_has_seen(scale):
    result = audit(samplers.slow(scale, 0.01), 0.0, 1.0, epsilon=1, seconds=2.0)
    assert result.refuted == (scale == BROKEN)
    assert result.pairs > 5
    if scale == RIGHT:
        assert "stopped by the time limit of 2 seconds" in result.details["cut"]


def test_not_a_single_pair_is_an_error_and_says_so():
    with pytest.raises(
        ProgramTimeout, match=r"not a single pair of outputs could be drawn within the time limit of 0\.5"
    ):
        audit(samplers.slow(RIGHT, 30.0), 0.0, 1.0, epsilon=1, seconds=0.5)


@pytest.mark.parametrize("isolate", [True, False])
@pytest.mark.parametrize("kind", ["slow", "batched", "search", "catches everything", "hangs in C"])
@pytest.mark.parametrize("scale", [RIGHT, BROKEN])
def test_a_limit_is_kept(kind, scale, isolate, monkeypatch):
    """What hangs is ended a second after its limit here; the test after this one waits for as long as users do."""
    monkeypatch.setattr("dpwitness.auditors.own_process.GRACE", 1.0)
    if not isolate and kind in ("hangs in C", "catches everything"):
        pytest.skip("only another process can end it")
    sampler = {
        "slow": samplers.slow(scale, 0.2), "search": samplers.slow(scale, 0.05),
        "batched": lambda data, size, rng: (time.sleep(0.05 * size), rng.laplace(data, scale, size))[1],
        "catches everything": samplers.catches_everything(scale, 60), "hangs in C": samplers.hangs_in_c(scale, 60),
    }[kind]  # fmt: skip
    where = {"neighbours": [(0.0, 1.0), (1.0, 2.0), (2.0, 3.0)]} if kind == "search" else {"left": 0.0, "right": 1.0}
    started = time.monotonic()
    result = audit(sampler, **where, epsilon=1, seconds=1.0, isolate=isolate)
    assert time.monotonic() - started < 1.0 + ROOM
    assert result.pairs >= 1
    if kind in ("catches everything", "hangs in C") and scale == RIGHT:
        assert "did not return within its time, and was ended" in result.details["cut"]
        assert not result.refuted


def test_one_call_that_hangs_in_c_is_ended_by_its_timeout():
    started = time.monotonic()
    result = audit(samplers.hangs_in_c(RIGHT, 1000), 0.0, 1.0, epsilon=1, timeout=1.0)
    assert time.monotonic() - started < 6.0 + ROOM
    assert result.pairs >= 10
    assert not result.refuted


def test_every_run_of_a_slow_sampler_is_kept_and_shown(tmp_path, monkeypatch):
    seen = []
    audit(
        samplers.slow(RIGHT, 0.06), 0.0, 1.0, epsilon=1, max_pairs=9, checkpoint=tmp_path / "state", watch=seen.append
    )
    assert [p.pairs for p in seen] == list(range(1, 10))
    assert seen[-1].runs == 18
    assert (tmp_path / "state").exists()


def test_slow_and_quick_runs_give_the_same_evidence():
    def evidence(sampler):
        result = audit(sampler, 0.0, 1.0, epsilon=1, max_pairs=40)
        return {k: v for k, v in vars(result).items() if k != "seconds"}

    assert evidence(samplers.slow(0.8, 0.06)) == evidence(samplers.slow(0.8, 0.0))
