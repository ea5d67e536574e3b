"""Limits and evidence with workers: processes, threads, and a Dask cluster where it is installed."""

from __future__ import annotations

import time

import pytest
from tests.faults import samplers as targets

from dpwitness.auditors import audit

ROOM = 40.0  # seconds of slack: starting a cluster takes long on a busy machine


def needs(kind):
    if kind.startswith("dask"):
        pytest.importorskip("distributed", reason="the extra [dask] is not installed")


@pytest.mark.parametrize("kind", ["processes", "threads", pytest.param("dask=local", marks=pytest.mark.slow)])
@pytest.mark.parametrize("broken", [True, False])
def test_a_slow_sampler_is_drawn_by_workers_within_the_limit(kind, broken):
    needs(kind)
    started, seconds = time.monotonic(), 30.0 if kind.startswith("dask") else 4.0  # a cluster takes long to start
    sampler = targets.slow_broken if broken else targets.slow_right
    result = audit(sampler, 0.0, 1.0, epsilon=1, seconds=seconds, executor=kind)
    assert time.monotonic() - started < seconds + ROOM
    assert result.refuted == broken
    assert result.pairs >= 3


@pytest.mark.parametrize("kind", ["processes", "threads"])
def test_workers_that_hang_are_ended_and_leave_their_evidence(kind):
    started = time.monotonic()
    result = audit(targets.hangs_abroad, 0.0, 1.0, epsilon=1, seconds=3.0, executor=kind)
    assert time.monotonic() - started < 3.0 + ROOM
    assert not result.refuted
    assert result.pairs >= 1


@pytest.mark.parametrize("kind", ["processes", "threads", pytest.param("dask=local", marks=pytest.mark.slow)])
def test_workers_give_the_same_evidence_for_a_slow_sampler(kind):
    needs(kind)

    def evidence(executor):
        found = audit(targets.slow_right, 0.0, 1.0, epsilon=1, max_pairs=20, executor=executor)
        return {k: v for k, v in vars(found).items() if k not in ("seconds", "left", "right")}

    if kind == "threads":
        pytest.skip("threads share the generators of numpy and of random")
    assert evidence(kind) == evidence(None)
