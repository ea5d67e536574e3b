"""Recording functions stand in for random ones in one thread and for one run, and leave nothing behind."""

from __future__ import annotations

import os
import random
import threading

import numpy as np
import pytest

from dpwitness.auditors.replay.compare import replay_audit
from dpwitness.auditors.replay.recorder import record
from dpwitness.core.errors import ProgramTimeout

GENERATOR = np.random.default_rng(3)


def wrong_sensitivity(values):
    return float(np.sum(np.clip(values, 0, 1)) + GENERATOR.laplace(0, 0.5))


def drawn_everywhere():
    return [np.random.random(), random.random(), np.random.default_rng().random(), np.random.RandomState().rand()]  # noqa: NPY002


def test_other_threads_are_neither_recorded_nor_replayed():
    inside, go_on = threading.Event(), threading.Event()

    def waits(values):
        noise = float(np.random.laplace())  # noqa: NPY002
        inside.set()
        go_on.wait(20)
        return sum(values) + noise

    tapes = []
    thread = threading.Thread(target=lambda: tapes.append(record(waits, [1.0], seed=1)))
    np.random.seed(5)  # noqa: NPY002
    expected = float(np.random.laplace())  # noqa: NPY002
    np.random.seed(5)  # noqa: NPY002
    thread.start()
    inside.wait(20)
    others = drawn_everywhere()
    np.random.seed(5)  # noqa: NPY002
    mine = float(np.random.laplace())  # noqa: NPY002
    go_on.set()
    thread.join()
    assert mine == expected
    assert len(set(others)) == 4
    assert [draw.name for draw in tapes[0].draws] == ["laplace"]


def test_several_threads_may_replay_and_everything_is_put_back():
    before = np.random.laplace, np.random.default_rng, np.random.Generator, random.gauss, os.urandom
    found = []

    def work():
        found.append([f.kind for f in replay_audit(wrong_sensitivity, [0.0], [1.0], epsilon=1.0)])

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [["sensitivity"]] * 6
    after = np.random.laplace, np.random.default_rng, np.random.Generator, random.gauss, os.urandom
    assert after == before


LAZY = []


def lazy(values):
    if not LAZY:
        LAZY.append(np.random.default_rng())
    return sum(values) + float(LAZY[0].laplace(0, 1.0))


def test_a_generator_made_during_a_recording_is_free_afterwards():
    first = record(lazy, [0.0])
    again = record(lazy, [0.0], replay=first.draws)
    assert again.draws == ()
    values = [lazy([0.0]) for _ in range(20)]
    assert len({*values, first.output, again.output}) == 22
    LAZY.clear()


def with_keywords(values):
    noise = np.random.default_rng(seed=None).laplace(0, 1.0) + np.random.RandomState(seed=3).laplace(0, 1.0)
    return sum(values) + float(noise)


def test_generators_may_be_made_with_keywords():
    assert [draw.name for draw in record(with_keywords, [0.0]).draws] == ["laplace", "laplace"]


def test_a_run_that_takes_too_long_is_not_repeated():
    calls = []

    def late(values):
        calls.append(values)
        raise ProgramTimeout("too long")

    with pytest.raises(ProgramTimeout):
        replay_audit(late, [0.0], [1.0], epsilon=1.0)
    assert len(calls) == 1


def test_no_exception_of_a_recorded_run_escapes():
    def interrupts_itself(values):
        raise KeyboardInterrupt

    assert record(interrupts_itself, [0.0]).output == "raised KeyboardInterrupt: "
