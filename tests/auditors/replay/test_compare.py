"""Recorded draws replayed on a neighbour: each classical mistake is found, correct code is left alone."""

from __future__ import annotations

import os
import random
import secrets

import numpy as np
import pytest
import scipy.stats
from numpy.random import laplace as laplace_by_name

from dpwitness.auditors import audit
from dpwitness.auditors.replay.compare import replay_audit
from dpwitness.auditors.replay.recorder import record

GENERATOR = np.random.default_rng(3)
STATE = np.random.RandomState(4)


def correct_sum(values):
    return float(np.sum(np.clip(values, 0, 1)) + GENERATOR.laplace(0, 1.0))


def correct_gaussian(values):
    return float(np.sum(np.clip(values, 0, 1))) + random.gauss(0, 5.0)


def correct_vector(values):
    return np.random.default_rng().laplace(np.clip(values, 0, 1), 2.0)


def correct_sparse_vector(values):
    threshold = np.random.laplace(0, 2.0)  # noqa: NPY002
    for i, value in enumerate(values):
        if value + np.random.laplace(0, 4.0) >= threshold:  # noqa: NPY002
            return i
    return None


def correct_legacy(values):
    return float(np.sum(np.clip(values, 0, 1))) + STATE.laplace(scale=1.0)


def correct_scipy(values):
    return float(np.sum(np.clip(values, 0, 1))) + scipy.stats.laplace.rvs(scale=1.0)


@pytest.mark.parametrize(
    "function",
    [correct_sum, correct_gaussian, correct_vector, correct_sparse_vector, correct_legacy, correct_scipy],
)
def test_correct_code_is_left_alone(function):
    for left, right in (([0.0, 0.5], [1.0, 0.5]), ([0.2, 0.2], [0.2, 9.0])):
        assert replay_audit(function, left, right, epsilon=1.0, delta=0.01) == ()


def wrong_sensitivity(values):
    return float(np.sum(np.clip(values, 0, 1)) + GENERATOR.laplace(0, 0.5))


def no_clipping(values):
    return sum(values) + np.random.default_rng().laplace(0, 1.0)


def overflow(values):
    return float(np.sum(np.array(values, dtype=np.int8), dtype=np.int8)) + np.random.laplace(0, 1.0)  # noqa: NPY002


def inferred_domain(values):
    return {key: values.count(key) + np.random.laplace(0, 1.0) for key in sorted(set(values))}  # noqa: NPY002


def skipped_noise(values):
    return sum(values) + (np.random.laplace(0, 1.0) if sum(values) > 1 else 0)  # noqa: NPY002


def twice_as_often(values):
    return sum(values) + sum(np.random.laplace(0, 3.0) for _ in range(1 + (sum(values) > 1)))  # noqa: NPY002


def data_dependent_scale(values):
    return sum(values) + np.random.laplace(0, max(values))  # noqa: NPY002


def no_noise(values):
    return sum(values)


def too_little_gaussian(values):
    return sum(values) + random.gauss(0, 1.0)


def weak_scipy(values):
    return sum(values) + scipy.stats.laplace.rvs(scale=0.25)


@pytest.mark.parametrize(
    ("function", "left", "right", "kind"),
    [
        (wrong_sensitivity, [0.0, 0.0], [1.0, 0.0], "sensitivity"),
        (no_clipping, [0, 1], [0, 9], "sensitivity"),
        (overflow, [127], [127, 1], "sensitivity"),
        (inferred_domain, list("aab"), list("aa"), "form"),
        (skipped_noise, [1, 0], [1, 1], "noise"),
        (twice_as_often, [1, 0], [1, 1], "count"),
        (data_dependent_scale, [1, 0], [1, 2], "draws"),
        (no_noise, [1, 0], [1, 1], "noise"),
        (too_little_gaussian, [0, 0], [0, 1], "sensitivity"),
        (weak_scipy, [0, 0], [0, 1], "sensitivity"),
    ],
)
def test_each_mistake_is_found(function, left, right, kind):
    findings = replay_audit(function, left, right, epsilon=1.0, delta=1e-5 if function is too_little_gaussian else 0.0)
    assert findings
    assert findings[0].kind == kind
    assert str(findings[0])


def test_the_loss_of_additive_laplace_is_exact():
    (finding,) = replay_audit(no_clipping, [0, 1], [0, 9], epsilon=1.0)
    assert finding.epsilon == pytest.approx(8.0)
    (finding,) = replay_audit(correct_vector, [0.0, 0.0], [1.0, 1.0], epsilon=0.5)
    assert finding.epsilon == pytest.approx(1.0)


def test_declared_against_measured_sensitivity():
    (finding,) = replay_audit(no_clipping, [0, 1], [0, 3], sensitivity=1.0)
    assert "moves the output by 2; declared was 1" in str(finding)
    assert replay_audit(no_clipping, [0, 1], [0, 2], sensitivity=1.0) == ()


def test_hooks_name_the_noise_functions_of_a_library(tmp_path):
    class Library:
        @staticmethod
        def own_noise():
            return secrets.randbelow(1000) / 1000

    def release(values):
        return sum(values) + Library.own_noise()

    first = record(release, [1], hooks=[(Library, "own_noise")])
    second = record(release, [3], replay=first.draws, hooks=[(Library, "own_noise")])
    assert second.output - first.output == pytest.approx(2)


class Unhashable:
    """A noise function that is known by what it equals and cannot be looked up."""

    __hash__ = None

    def __eq__(self, other):
        return isinstance(other, Unhashable)

    def __call__(self):
        return secrets.randbelow(1000) / 1000


UNHASHABLE = Unhashable()


class Sources:
    """A library that offers it beside another one."""

    first, second = Unhashable(), Unhashable()


def held_unhashable(values):
    return sum(values) + UNHASHABLE()


def test_noise_functions_that_cannot_be_hashed_are_found_where_they_are_held():
    hooks = [(Sources, "first"), (Sources, "second")]
    first = record(held_unhashable, [1], hooks=hooks)
    assert [draw.name for draw in first.draws] == ["first"], "the first of those that are equal"
    second = record(held_unhashable, [3], replay=first.draws, hooks=hooks)
    assert second.output - first.output == pytest.approx(2)


def test_everything_is_put_back():
    before = (np.random.default_rng, np.random.RandomState, np.random.laplace, random.gauss, secrets.randbelow,
              scipy.stats.laplace.rvs.__func__, GENERATOR, STATE)  # fmt: skip
    record(lambda data: 1 / 0, None)
    after = (np.random.default_rng, np.random.RandomState, np.random.laplace, random.gauss, secrets.randbelow,
             scipy.stats.laplace.rvs.__func__, GENERATOR, STATE)  # fmt: skip
    assert all(a is b for a, b in zip(before, after, strict=True))


def test_same_seed_same_recording():
    def draws(seed):
        return record(correct_vector, [0.0], seed=seed).output.tolist()

    assert draws(1) == draws(1)
    assert draws(1) != draws(2)


@pytest.mark.parametrize(
    ("function", "left", "right", "words"),
    [
        (wrong_sensitivity, [0.0, 0.0], [1.0, 0.0], "the privacy loss is 2, above 1"),
        (no_clipping, [0, 1], [0, 9], "the privacy loss is 8, above 1"),
        (overflow, [127], [127, 1], "moves the output by 255"),
        (inferred_domain, list("aab"), list("aa"), "the output has the form"),
        (skipped_noise, [1, 0], [1, 1], "no noise is drawn on the left"),
        (twice_as_often, [1, 0], [1, 1], "1 draws are made on left but 2 on right"),
    ],
)
def test_an_audit_explains_each_mistake(function, left, right, words):
    result = audit(function, left, right, epsilon=1.0, max_pairs=2000)  # explanations come out of the same runs
    assert any(words in text for text in result.warnings), result.warnings


@pytest.mark.parametrize(
    "function", [correct_sum, correct_vector, correct_sparse_vector, correct_legacy, correct_scipy]
)
def test_an_audit_of_correct_code_warns_of_nothing(function):
    assert audit(function, [0.0, 0.5], [1.0, 0.5], epsilon=1.0, max_pairs=100).warnings == ()


def batched_wrong(data, size, rng):
    return rng.laplace(sum(data), 0.25, size)


def batched_right(data, size, rng):
    return rng.laplace(sum(data), 1.0, size)


def test_batched_samplers_are_replayed_too():
    found = audit(batched_wrong, [0], [1], epsilon=1.0, max_pairs=600).warnings
    assert any("the privacy loss is 4, above 1" in text for text in found)
    assert audit(batched_right, [0], [1], epsilon=1.0, max_pairs=600).warnings == ()


class Library:
    """Keeps its generator in an attribute, as libraries do."""

    def __init__(self):
        self.dice = random.SystemRandom()
        self.generator = np.random.Generator(np.random.PCG64(1))

    def release(self, values):
        return sum(values) + self.generator.laplace(0, 1.0) + 0 * self.dice.random()


@pytest.mark.parametrize(
    "function",
    [
        Library().release,
        lambda values: sum(values) + laplace_by_name(0, 1.0),  # noqa: NPY002
        lambda values: sum(values) + np.random.Generator(np.random.PCG64(3)).laplace(0, 1.0),
        lambda values: sum(values) + random.Random(4).gauss(0, 1.0),
        lambda values: sum(values) + scipy.stats.norm.rvs(0, 1.0),
        lambda values: sum(values) + float(scipy.stats.norm(loc=0, scale=1.0).rvs()),
        lambda values: sum(values) + int.from_bytes(os.urandom(2), "big"),
        lambda values, own=GENERATOR: scipy.stats.laplace.rvs(sum(values), 1.0),
    ],
)  # fmt: skip
def test_noise_is_recorded_wherever_it_comes_from(function):
    first = record(function, [1])
    second = record(function, [3], replay=first.draws)
    assert first.draws
    assert second.output - first.output == pytest.approx(2)


def test_isinstance_goes_on_working_while_patched():
    def checks(values):
        assert isinstance(GENERATOR, np.random.Generator)
        assert isinstance(np.random.default_rng(), np.random.Generator)
        assert isinstance(np.random.RandomState(1), np.random.RandomState)
        return sum(values)

    assert record(checks, [1]).output == 1


PAST_THE_RECORDER = random.Random.random


def hidden(values):
    return sum(values) + PAST_THE_RECORDER(random._inst)


def test_randomness_that_is_not_seen_leads_to_no_finding():
    assert replay_audit(hidden, [0], [1], epsilon=1.0) == ()
