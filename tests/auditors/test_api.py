"""`audit`: every kind of output, every kind of bad input."""

from __future__ import annotations

import math
import random
import time
from dataclasses import replace

import numpy as np
import pytest

from dpwitness.auditors import audit
from dpwitness.core.errors import BadInput, ProgramFailed, ProgramTimeout


def laplace(scale):
    return lambda data, size, rng: rng.laplace(data, scale, size)


def test_refuted_with_few_pairs_and_an_event_in_words():
    result = audit(laplace(0.5), 0.0, 1.0, epsilon=1)
    assert result.refuted
    assert result.pairs < 1000
    assert result.epsilon_lower >= 1
    assert "output" in result.event
    assert "refuted" in str(result)
    assert math.fsum(share for what, share in result.ledger if not what.startswith(" ")) <= result.alpha * (1 + 1e-12)


def test_refuted_by_a_hair_says_that_the_claim_is_exceeded():
    result = audit(lambda data, size, rng: np.full(size, data), 0, 1, epsilon=1, max_pairs=30)
    assert result.refuted
    assert str(replace(result, epsilon_lower=1.0)).startswith("refuted: ε > 1, not 1")
    assert str(replace(result, epsilon_lower=1.0004)).startswith("refuted: ε > 1, not 1")
    assert str(replace(result, epsilon_lower=1.0104)).startswith("refuted: ε ≥ 1.01, not 1")


def test_not_refuted_says_what_it_would_have_seen():
    result = audit(laplace(1.0), 0.0, 1.0, epsilon=1, max_pairs=50_000)
    assert not result.refuted
    assert 0.9 < result.epsilon_lower <= 1
    assert 1 < result.detectable < 1.1
    assert "no violation found" in str(result)
    assert "private" not in str(result)


@pytest.mark.parametrize(("pairs", "eps"), [(1, 1.0), (100, 5.0)])
def test_too_few_pairs_promise_nothing(pairs, eps):
    result = audit(laplace(1.0), 0.0, 1.0, epsilon=eps, max_pairs=pairs)
    assert not result.refuted
    assert result.detectable is None
    assert "would have seen" not in str(result)
    assert "so few samples show only the plainest violations, if any" in str(result)


def test_no_claim_gives_the_best_bound():
    result = audit(laplace(0.5), 0.0, 1.0, epsilon=None, max_pairs=100_000)
    assert not result.refuted
    assert 1.9 < result.epsilon_lower <= 2


def test_same_seed_same_result_and_other_seed_other_samples():
    def run(seed):
        result = audit(laplace(0.9), 0.0, 1.0, epsilon=1, max_pairs=3000, seed=seed)
        return {k: v for k, v in vars(result).items() if k != "seconds"}

    assert run(1) == run(1)
    assert run(1) != run(2)


@pytest.mark.parametrize(("scale", "refuted"), [(1.0, False), (0.5, True)])
def test_noise_on_integers_that_doubles_cannot_tell_apart(scale, refuted):
    """A time in nanoseconds with two-sided geometric noise: at 2^60 doubles are 256 apart."""

    def released(data, size, rng):
        p = 1 - math.exp(-1 / scale)
        return 2**60 + data + rng.geometric(p, size) - rng.geometric(p, size)

    assert audit(released, 0, 1, epsilon=1, max_pairs=8000).refuted == refuted


@pytest.mark.parametrize("kind", ["text", "vector", "tuple", "ragged", "none", "bool", "dict"])
def test_every_kind_of_output_is_told_apart(kind):
    def sampler(data, size, rng):
        hits = rng.random(size) < (0.2 if data else 0.8)
        noise = rng.normal(size=size)
        make = {
            "text": lambda h, z: "yes" if h else "no",
            "vector": lambda h, z: [z, 1.0 + h * 2, z * z],
            "tuple": lambda h, z: (z, "a", None if h else 3),
            "ragged": lambda h, z: [z] * (1 + int(h)),
            "none": lambda h, z: None if h else z,
            "bool": lambda h, z: bool(h),
            "dict": lambda h, z: {"value": z, "flag": bool(h)},
        }[kind]
        return [make(bool(h), float(z)) for h, z in zip(hits, noise, strict=True)]

    broken = audit(sampler, 0, 1, epsilon=0.7, max_pairs=4000)
    assert broken.refuted, kind
    assert broken.event
    right = audit(sampler, 0, 1, epsilon=1.4, max_pairs=1500)  # ln(0.8/0.2) = 1.386
    assert not right.refuted
    assert right.epsilon_lower <= 1.387


def test_plain_callables_and_exceptions_as_outputs():
    source = random.Random(5)

    def release(data):
        if source.random() < (0.9 if data else 0.1):
            raise ValueError("no")
        return 1

    result = audit(release, 0, 1, epsilon=1, max_pairs=2000)
    assert result.refuted
    assert "raised ValueError" in result.event or "1" in result.event


def test_inputs_are_not_mutated_and_prints_are_swallowed(capsys):
    def rude(data, size, rng):
        print("hello")
        data.append(1)
        return rng.laplace(len(data), 1, size)

    left = [1]
    audit(rude, left, [1, 1], epsilon=1, max_pairs=300, isolate=True)
    assert left == [1]
    assert capsys.readouterr().out == ""


def test_neighbours_are_searched():
    def only_the_last_pair_leaks(data, size, rng):
        return rng.laplace(0, 0.2 if data == "bad" else 1.0, size) + (1 if data == "bad" else 0)

    pairs = [("a", "b"), ("c", "d"), ("e", "bad")]
    result = audit(only_the_last_pair_leaks, epsilon=1, neighbours=pairs, max_pairs=20_000)
    assert result.refuted
    assert result.right == "bad"
    assert result.ledger[0][0].startswith("screening of 3 pairs")


def test_doubles_are_a_claim_of_their_own():
    ideal = audit(laplace(10.0), 0.0, 1.0, epsilon=0.1, max_pairs=200_000)
    assert not ideal.refuted
    assert ideal.doubles.refuted
    assert "as doubles" in str(ideal)
    bits = audit(laplace(10.0), 0.0, 1.0, epsilon=0.1, max_pairs=200_000, numerics="doubles")
    assert bits.refuted
    assert bits.epsilon_lower > 5
    both = audit(laplace(10.0), 0.0, 1.0, epsilon=0.1, max_pairs=200_000, numerics="both")
    assert both.refuted


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alpha": 0}, "alpha"), ({"alpha": 1.0}, "alpha"), ({"alpha": math.nan}, "alpha"),
        ({"max_pairs": 0}, "max_pairs"), ({"max_pairs": 2.5}, "max_pairs"), ({"seed": -1}, "seed"),
        ({"epsilon": 0}, "epsilon"), ({"epsilon": -1.0}, "epsilon"), ({"epsilon": math.inf}, "epsilon"),
        ({"epsilon": "one"}, "epsilon"), ({"delta": 1.0}, "delta"), ({"delta": -0.1}, "delta"),
        ({"right": 0.0}, "same input"), ({"numerics": "single"}, "numerics"), ({"sampler": 3}, "callable"),
        ({"sampler": lambda a, b: 0}, "signature"), ({"executor": 0}, "executor"), ({"seconds": -1}, "seconds"),
        ({"neighbours": []}, "not both"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named(change, message):
    arguments = {"sampler": laplace(1.0), "left": 0.0, "right": 1.0, "epsilon": 1.0, **change}
    with pytest.raises(BadInput, match=message):
        audit(**arguments)


def test_empty_neighbours_and_equal_neighbours_are_refused():
    with pytest.raises(BadInput, match="empty"):
        audit(laplace(1.0), epsilon=1, neighbours=[])
    with pytest.raises(BadInput, match="same input"):
        audit(laplace(1.0), epsilon=1, neighbours=[(np.array([1.0, np.nan]), np.array([1.0, np.nan]))])


@pytest.mark.parametrize(
    ("sampler", "message"),
    [
        (lambda data, size, rng: rng.normal(size=size + 1), "size=64"),
        (lambda data, size, rng: 1.0, "array"),
        (lambda data, size, rng: np.zeros((size, 1000)), "length 1000"),
    ],
)
def test_wrong_shapes_are_named(sampler, message):
    with pytest.raises(BadInput, match=message):
        audit(sampler, 0, 1, epsilon=1)


def test_a_sampler_that_always_raises_is_an_error_that_says_how_to_repeat_it():
    def broken(data, size, rng):
        raise KeyError("missing")

    with pytest.raises(ProgramFailed, match=r"KeyError.*seed=0"):
        audit(broken, 0, 1, epsilon=1)
    with pytest.raises(ProgramFailed, match="KeyError"):
        audit(lambda data: {}["x"], 0, 1, epsilon=1)


def test_a_sampler_that_raises_later_loses_nothing():
    def tires(data, size, rng):
        if size > 500:
            raise RuntimeError("tired")
        return rng.laplace(data, 1.0, size)

    result = audit(tires, 0.0, 1.0, epsilon=1)
    assert not result.refuted
    assert "tired" in result.details["cut"]
    assert result.pairs >= 500


def test_a_call_that_hangs_is_interrupted():
    with pytest.raises(ProgramTimeout, match=r"timeout=0\.2"):
        audit(lambda data: time.sleep(60), 0, 1, epsilon=1, timeout=0.2)


@pytest.mark.parametrize("outputs", [0.0, math.nan, math.inf, None, "x"])
def test_constant_outputs_get_a_clear_verdict(outputs):
    result = audit(lambda data, size, rng: [outputs] * size, 0, 1, epsilon=1, max_pairs=500)
    assert not result.refuted
    assert result.epsilon_lower == 0


def test_types_that_change_on_the_way_are_refused():
    def fickle(data, size, rng):
        return rng.normal(size=size) if size < 100 else [str(x) for x in range(size)]

    with pytest.raises(BadInput, match="depend on each other"):
        audit(fickle, 0, 1, epsilon=1, max_pairs=400)


@pytest.mark.parametrize("pairs", [1, 2, 3, 59, 60, 61])
def test_tiny_budgets_work(pairs):
    result = audit(laplace(1.0), 0.0, 1.0, epsilon=1, max_pairs=pairs)
    assert not result.refuted
    assert result.pairs == pairs


def test_time_limit_leaves_a_valid_bound():
    def slow(data, size, rng):
        time.sleep(size * 1e-4)
        return rng.laplace(data, 0.9, size)

    result = audit(slow, 0.0, 1.0, epsilon=1, seconds=0.5)
    assert result.refuted or "limit" in result.details["cut"]
    assert result.epsilon_lower <= 1 / 0.9


def test_progress_is_reported():
    seen = []
    audit(laplace(1.0), 0.0, 1.0, epsilon=1, max_pairs=2000, watch=seen.append)
    assert [p.pairs for p in seen] == sorted(p.pairs for p in seen)
    assert seen[-1].of <= 2000
