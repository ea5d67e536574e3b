from __future__ import annotations

import itertools
import time
from typing import Any

import numpy as np
import pytest

from dpwitness.core.errors import ImpureProgram
from dpwitness.core.readers.recorder import check_pure, record


def noisy(noise: Any, data: Any, *, eps: Any) -> Any:
    return [x + noise.laplace(1 / eps) for x in data]


def test_every_draw_is_recorded_with_what_it_was_added_to() -> None:
    run = record(noisy, np.random.default_rng(0), [3, 5.5], eps=2)
    assert [e.added_to for e in run.entries] == [3, 5.5]
    assert [float(e.law.params()["scale"]) for e in run.entries] == [0.5, 0.5]
    assert [e.line for e in run.entries] == [noisy.__code__.co_firstlineno + 1] * 2
    assert run.output == [3 + run.entries[0].value, 5.5 + run.entries[1].value]


def test_replay_on_a_neighbour_uses_the_same_draws() -> None:
    rng = np.random.default_rng(0)
    left = record(noisy, rng, [3, 5], eps=1)
    right = record(noisy, rng, [4, 5], eps=1, replay=left.entries)
    assert right.output[0] - left.output[0] == pytest.approx(1)
    assert right.output[1] == left.output[1]


def test_a_pure_program_passes() -> None:
    check_pure(noisy, np.random.default_rng(0), [1, 2], eps=1)


def test_a_clock_a_global_and_hidden_randomness_are_noticed() -> None:
    counter = itertools.count(1)

    def clock(noise: Any, data: Any) -> Any:
        return noise.laplace(1) + time.perf_counter()

    def state(noise: Any, data: Any) -> Any:
        return noise.laplace(next(counter))

    def more(noise: Any, data: Any) -> Any:
        return [noise.laplace(1) for _ in range(next(counter))]

    for program, message in [(clock, "clock is not a function"), (state, "draw 0"), (more, "draws")]:
        with pytest.raises(ImpureProgram, match=message):
            check_pure(program, np.random.default_rng(0), [1])
