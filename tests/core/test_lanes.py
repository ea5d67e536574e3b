from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import pytest
from tests.exact_tests import counts_agree

from dpwitness.core.errors import BadInput, ImpureProgram, LanesExploded, ProgramFailed, ProgramTimeout
from dpwitness.core.readers.lanes import run_block
from dpwitness.core.readers.outputs import Outputs
from dpwitness.core.readers.stream import Stream


def block(program: Any, size: int = 4000, **options: Any) -> Outputs:
    return run_block(program, np.random.default_rng(0), size, **options)


def test_a_branch_splits_the_lanes() -> None:
    runs = []

    def program(noise: Any) -> Any:
        runs.append(1)
        x = noise.laplace(1)
        return "low" if x < 0 else x

    out = block(program)
    assert len(runs) == 3  # the mixed run, and one for each side
    values = out.values()
    assert all(v == "low" or v >= 0 for v in values)
    low = sum(v == "low" for v in values)
    assert counts_agree([low, len(values) - low], [0.5, 0.5])


def test_draws_after_a_split_are_fresh_and_draws_before_it_are_kept() -> None:
    def program(noise: Any) -> Any:
        x = noise.laplace(1)
        again = noise.laplace(1) if x > 0 else noise.exponential(1)
        return (x, again, x)

    out = block(program).array()
    assert out is not None
    assert (out[:, 0] == out[:, 2]).all()
    negative = out[out[:, 0] <= 0, 1]
    assert (negative >= 0).all()
    assert abs(np.corrcoef(out[:, 0], out[:, 1])[0, 1]) < 0.9


def test_comparisons_that_are_only_released_do_not_split() -> None:
    runs = []

    def program(noise: Any) -> Any:
        runs.append(1)
        return [noise.laplace(1) > 0 for _ in range(20)]

    values = block(program, 100).values()
    assert len(runs) == 1
    assert all(type(x) is bool for row in values for x in row)


def test_lanes_may_be_used_as_an_index_and_in_arithmetic() -> None:
    def program(noise: Any) -> Any:
        k = noise.choice([1, 1, 2])
        return ["a", "b", "c"][k]

    values = block(program).values()
    assert counts_agree([values.count(c) for c in "abc"], [0.25, 0.25, 0.5])


def test_argmax_and_max_agree_with_the_builtins() -> None:
    def program(noise: Any) -> Any:
        xs = [noise.laplace(1) for _ in range(5)] + [0]
        return (noise.argmax(xs), noise.max(xs), *xs)

    table = block(program).array()
    assert table is not None
    assert (table[:, 0] == table[:, 2:].argmax(axis=1)).all()
    assert (table[:, 1] == table[:, 2:].max(axis=1)).all()


def test_same_seed_same_outputs_in_any_batch_size() -> None:
    def program(noise: Any) -> Any:
        return [noise.laplace(1) > 0 for _ in range(3)]

    whole = Stream(program, np.random.SeedSequence(7)).take(3000).values()
    for step in (1, 7, 999, 3000):
        stream = Stream(program, np.random.SeedSequence(7))
        pieces: list[Any] = []
        while len(pieces) < 3000 and len(pieces) < 40 * step:
            pieces += stream.take(min(step, 3000 - len(pieces))).values()
        assert pieces == whole[: len(pieces)]


def test_other_seed_other_outputs() -> None:
    def program(noise: Any) -> Any:
        return noise.laplace(1)

    one, two = (Stream(program, np.random.SeedSequence(s)).take(10).values() for s in (1, 2))
    assert one != two


def test_an_explosion_of_paths_falls_back_to_single_runs_with_a_warning() -> None:
    def program(noise: Any) -> Any:
        return ["up" if noise.laplace(1) > 0 else "down" for _ in range(20)]

    with pytest.warns(LanesExploded, match="one by one"):
        values = block(program, 2000).values()
    assert len(values) == 2000
    ups = sum(v[0] == "up" for v in values)
    last = sum(v[19] == "up" for v in values)
    assert counts_agree([ups, 2000 - ups], [0.5, 0.5])
    assert counts_agree([last, 2000 - last], [0.5, 0.5])


def test_advice_is_given_once_and_is_no_error_where_warnings_are_errors() -> None:
    def slow(noise: Any) -> Any:
        return ["up" if noise.laplace(1) > 0 else "down" for _ in range(20)]

    def slow_too(noise: Any) -> Any:
        return ["up" if noise.laplace(1) > 0 else "down" for _ in range(20)]

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(block(slow, 400).values()) == 400
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        for _ in range(3):
            block(slow_too, 400)
    assert [note.category for note in said] == [LanesExploded]
    assert "slow_too took more than" in str(said[0].message)


def test_a_program_that_needs_single_numbers_gets_them() -> None:
    import math

    def program(noise: Any) -> Any:
        return math.erf(noise.gaussian(1))  # math wants a float

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        out = block(program, 200).array()
    assert out is not None
    assert (np.abs(out) <= 1).all()


def test_impurity_is_detected_and_named() -> None:
    calls = []

    def flip(noise: Any) -> Any:
        calls.append(1)
        x = noise.laplace(1) if len(calls) % 2 else noise.exponential(1)
        return 1 if x > 1 else 0

    with pytest.raises(ImpureProgram, match="instead of laplace"):
        block(flip)

    state = {"bound": 0.0}

    def drift(noise: Any) -> Any:
        state["bound"] += 1
        return 1 if noise.laplace(1) > state["bound"] - 1 else 0

    with pytest.raises(ImpureProgram, match="decision 0"):
        block(drift)


def test_the_programs_own_error_is_reported_as_such() -> None:
    def program(noise: Any) -> Any:
        noise.laplace(1)
        raise KeyError("salary")

    with pytest.raises(ProgramFailed, match=r"KeyError.*salary"):
        block(program, 10)


def test_a_loop_without_end_is_stopped() -> None:
    def program(noise: Any) -> Any:
        while True:
            noise.laplace(1)

    with pytest.raises(ProgramTimeout, match="draws"):
        block(program, 10, deadline=time.monotonic() + 0.2)


@pytest.mark.parametrize("scale", [0, -1, float("nan"), float("inf"), "x", "0", None, True])
def test_scales_must_be_positive_numbers(scale: object) -> None:
    with pytest.raises(BadInput, match="scale="):
        block(lambda noise: noise.laplace(scale), 10)


def test_a_scale_that_is_negative_in_one_lane_is_refused() -> None:
    with pytest.raises(BadInput, match="scale="):
        block(lambda noise: noise.laplace(noise.laplace(1)), 1000)


def test_memory_does_not_grow_with_the_number_of_samples() -> None:
    import tracemalloc

    stream = Stream(lambda noise: noise.laplace(1), np.random.SeedSequence(0))
    stream.take(200_000)
    tracemalloc.start()
    for _ in range(20):
        stream.take(100_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30 * 2**20
