"""Generators that a sampler holds: every chunk has noise of its own, wherever it is drawn."""

from __future__ import annotations

import functools
import random

import numpy as np
import pytest

from dpwitness.auditors import audit
from dpwitness.auditors.route import ClaimSampler
from dpwitness.auditors.running import chunks as service
from dpwitness.auditors.running.chunks import Job, chunks
from dpwitness.auditors.running.workers import open_executor
from dpwitness.auditors.sampling.generators import Dice, reachable_generators
from dpwitness.auditors.sampling.sampler import as_sampler
from dpwitness.catalogue import find
from dpwitness.core.guarantees import PureDP
from dpwitness.core.mechanism import BlackBox
from dpwitness.core.spaces import Answers

GENERATOR = np.random.default_rng(5)


class Object:
    """A mechanism with dice of its own, as libraries make them."""

    def __init__(self):
        self.dice = np.random.RandomState(3)

    def __call__(self, data):
        return data + self.dice.laplace(0, 1.0)


class Owner:
    def __init__(self):
        self.inner = Object()


OWNER = Owner()


def of_numpy(data):
    return data + np.random.laplace(0, 1.0)  # noqa: NPY002


def of_random(data):
    return data + random.expovariate(1.0) - random.expovariate(1.0)


def of_module(data):
    return data + GENERATOR.laplace(0, 1.0)


def of_owner(data):
    return OWNER.inner(data)


def with_keyword(data, *, dice):
    return data + dice.laplace(0, 1.0)


def samplers():
    return [of_numpy, of_random, of_module, of_owner, Object(), Object().__call__,
            functools.partial(with_keyword, dice=np.random.default_rng(8))]  # fmt: skip


@pytest.fixture
def small_chunks(monkeypatch):
    monkeypatch.setattr(service, "LARGEST_PLAIN", 64)


@pytest.mark.parametrize("number", range(7))
def test_chunks_of_different_workers_share_no_noise(number, small_chunks):
    pool, close = open_executor(2)
    try:
        job = Job(as_sampler(samplers()[number]), 0.0, 1.0, 640, 640, seed=1)
        drawn = [np.round(x, 9) for chunk in chunks(job, pool) for x in (chunk.left, np.asarray(chunk.right) - 1.0)]
    finally:
        close()
    noise = np.concatenate(drawn)
    assert len(np.unique(noise)) == len(noise)


@pytest.mark.parametrize("number", range(7))
def test_plain_callables_repeat_from_the_seed_with_any_number_of_workers(number, small_chunks):
    here = audit(samplers()[number], 0.0, 1.0, epsilon=1, max_pairs=200)
    again = audit(samplers()[number], 0.0, 1.0, epsilon=1, max_pairs=200)
    there = audit(samplers()[number], 0.0, 1.0, epsilon=1, max_pairs=200, executor=2)
    other = audit(samplers()[number], 0.0, 1.0, epsilon=1, max_pairs=200, seed=1)
    assert here.details == again.details == there.details != other.details


def test_everything_within_reach_is_found_once():
    dice, state = random.Random(1), np.random.RandomState(2)

    def outer(x):
        return [dice.random() for _ in range(2)], state.laplace(), GENERATOR.random(), OWNER.inner(x)

    found = reachable_generators(functools.partial(outer))
    assert {id(x) for x in found} == {id(x) for x in (dice, state, GENERATOR, OWNER.inner.dice)}
    assert reachable_generators(functools.partial(GENERATOR.normal, scale=2.0)) == [GENERATOR]
    bits = np.random.PCG64(1)
    one, two = np.random.Generator(bits), np.random.Generator(bits)
    assert reachable_generators(lambda x: one.random() + two.random()) == [one]


def test_streams_differ_and_are_put_back():
    one, two, dice = np.random.default_rng(1), np.random.default_rng(1), random.Random(1)

    def drawn(x):
        return one.random(), two.random(), dice.random(), random.random(), np.random.random()  # noqa: NPY002

    before = one.bit_generator.state, dice.getstate(), random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    key = np.random.SeedSequence(3)
    with Dice(drawn) as thrown:
        thrown.throw(key)
        first = drawn(0)
    with Dice(drawn) as thrown:
        thrown.throw(np.random.SeedSequence(3))
        assert drawn(0) == first
    assert len(set(first)) == 5
    after = one.bit_generator.state, dice.getstate(), random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    assert after == before


def test_the_sampler_behind_a_claim_is_looked_at_and_programs_are_not():
    def batched(data, size, rng):
        return sum(data) + np.random.laplace(0, 1.0, size) + GENERATOR.laplace(0, 1.0, size)  # noqa: NPY002

    box = BlackBox("box", batched, Answers(moves="one", by=1, size=1), PureDP(1))
    for claim, moved in ((box.claims()[0], True), (find(["report-noisy-max"])[0].claims()[0], False)):
        before = GENERATOR.bit_generator.state, np.random.get_state()[1].tolist()  # noqa: NPY002
        with Dice(ClaimSampler(claim)) as thrown:
            thrown.throw(np.random.SeedSequence(1))
            inside = GENERATOR.bit_generator.state, np.random.get_state()[1].tolist()  # noqa: NPY002
        assert [a != b for a, b in zip(before, inside, strict=True)] == [moved, moved]


def test_dice_of_the_system_are_left_alone():
    dice = random.SystemRandom()
    with Dice(lambda x: dice.random()) as thrown:
        thrown.throw(np.random.SeedSequence(0))
        assert 0 <= dice.random() < 1
    assert thrown.refused == ["SystemRandom"]
