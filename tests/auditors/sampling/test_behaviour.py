"""Samplers that misbehave are survived and reported; bad input is one clear sentence."""

from __future__ import annotations

import math
import os
import random
import sys
import threading
import time

import numpy as np
import pytest

from dpwitness.auditors import audit
from dpwitness.auditors.sampling.behaviour import equal_inputs, examine
from dpwitness.auditors.sampling.isolation import silenced
from dpwitness.auditors.sampling.sampler import Sampler, as_sampler
from dpwitness.core.errors import BadInput, ProgramFailed, ProgramTimeout

COUNT = 0


def good(data, size, rng):
    return rng.laplace(np.sum(data), 1.0, size)


def plain(data):
    return random.gauss(0, 1)


def prints(data, size, rng):
    print("drawing", size)
    return good(data, size, rng)


def mutates(data, size, rng):
    found = good(data, size, rng)
    data.append(9)
    return found


def counts(data, size, rng):
    global COUNT  # noqa: PLW0603
    COUNT += 1
    return good(data, size, rng)


def remembers(data, size, rng, cache=[]):  # noqa: B006
    cache.append(size)
    return good(data, size, rng)


def seeds(data):
    random.seed(3)
    return random.gauss(0, 1)


def seeds_numpy(data):
    np.random.seed(3)  # noqa: NPY002
    return float(np.random.laplace())  # noqa: NPY002


def has_its_own_dice(data, size, rng):
    return good(data, size, np.random.default_rng())


def moves_away(data, size, rng):
    os.chdir("/")
    os.environ["DPWITNESS_TEST_LEFT_BEHIND"] = "1"
    np.seterr(all="ignore")
    return good(data, size, rng)


@pytest.mark.parametrize(
    ("sampler", "said"),
    [
        (prints, "prints: 'drawing "), (mutates, "changes its input left"), (counts, "the global variable COUNT"),
        (remembers, "its default argument 0"), (seeds, "seeds the global generator of random"),
        (seeds_numpy, "seeds the global generator of numpy.random"), (has_its_own_dice, "not from rng"),
        (moves_away, "the working directory"),
    ],
)  # fmt: skip
def test_each_bad_habit_is_reported_and_survived(sampler, said, capsys):
    place, settings = os.getcwd(), np.geterr()
    result = audit(sampler, [0], [1], epsilon=2, max_pairs=300, isolate=True)
    assert any(said in text for text in result.warnings), result.warnings
    assert f"warning: {next(t for t in result.warnings if said in t)}" in str(result)
    assert capsys.readouterr().out == ""
    assert (os.getcwd(), np.geterr()) == (place, settings)
    assert "DPWITNESS_TEST_LEFT_BEHIND" not in os.environ


@pytest.mark.parametrize("sampler", [good, plain])
def test_good_manners_need_no_words(sampler):
    assert examine(as_sampler(sampler), [0], [1], 0) == ()


def test_standard_output_is_not_exchanged_while_other_threads_run(capsys):
    before = sys.stdout
    go_on = threading.Event()
    thread = threading.Thread(target=go_on.wait, args=(10,))
    thread.start()
    with silenced() as heard:
        assert sys.stdout is before
        print("shown")
    go_on.set()
    thread.join(10)
    assert heard == []
    assert capsys.readouterr().out == "shown\n"


def raises(data, size, rng):
    raise RuntimeError("no such luck")


def exits(data):
    sys.exit(1)


def hangs(data):
    while True:
        pass


def sleeps(data, size, rng):
    time.sleep(60)


@pytest.mark.parametrize(
    ("sampler", "error", "said"),
    [
        (raises, ProgramFailed, "RuntimeError: no such luck"),
        (exits, ProgramFailed, "SystemExit"),
        (hangs, ProgramTimeout, "more than timeout=0.2 seconds"),
        (sleeps, ProgramTimeout, "more than timeout=0.2 seconds"),
        (lambda data, size, rng: rng.laplace(0, 1, size + 1), BadInput, "outputs where size="),
        (lambda data, size, rng: 3.0, BadInput, "an array or list of outputs is needed"),
        (lambda data, size, rng: "text", BadInput, "an array or list of outputs is needed"),
        (lambda data, size, rng: None, BadInput, "an array or list of outputs is needed"),
        (lambda data, size, rng: np.float64(1.0), BadInput, "single number|an array or list"),
    ],
)
def test_samplers_that_cannot_be_used(sampler, error, said):
    with pytest.raises(error, match=said):
        audit(sampler, [0], [1], epsilon=1, max_pairs=200, timeout=0.2)


def test_a_limit_for_the_whole_is_one_for_each_call():
    with pytest.raises(ProgramTimeout, match=r"0\.3 seconds"):
        audit(hangs, [0], [1], epsilon=1, max_pairs=200, seconds=0.3)


def sometimes(data):
    if random.random() < 0.3:
        raise ValueError("now and then")
    return random.gauss(0, 1)


@pytest.mark.parametrize(
    "sampler",
    [
        sometimes, lambda data, size, rng: [0.0] * size, lambda data, size, rng: [math.nan] * size,
        lambda data, size, rng: rng.choice([math.inf, -math.inf, math.nan, 0.0], size),
        lambda data, size, rng: [(None, "a", 2, [1.0], {"b": 1})[i] for i in rng.integers(5, size=size)],
        lambda data, size, rng: np.full((size, 3), math.inf),
        lambda data, size, rng: np.zeros((size, 0)), lambda data, size, rng: [[] for _ in range(size)],
    ],
)  # fmt: skip
def test_odd_outputs_get_a_verdict(sampler):
    result = audit(sampler, [0], [1], epsilon=1, max_pairs=300)
    assert not result.refuted


def test_outputs_whose_type_depends_on_the_data_are_refuted():
    def changes_type(data, size, rng):
        return ["text"] * size if data[0] else rng.laplace(0, 1, size)

    result = audit(changes_type, [0], [1], epsilon=1, max_pairs=1000)
    assert result.refuted
    assert any("replay" in text for text in result.warnings)


def test_inputs_that_look_alike_may_differ():
    class Dataset:
        def __init__(self, value):
            self.value = value

        def __repr__(self):
            return "<dataset of 3 rows>"

    result = audit(lambda d, size, rng: rng.laplace(d.value, 1, size), Dataset(0), Dataset(1), epsilon=2, max_pairs=100)
    assert not result.refuted
    nan = [math.nan, (np.zeros(3), {"a": math.nan})]
    assert equal_inputs(nan, [math.nan, (np.zeros(3), {"a": math.nan})])
    assert not equal_inputs(nan, [math.nan, (np.ones(3), {"a": math.nan})])


@pytest.mark.parametrize(
    ("sampler", "said"),
    [
        (lambda data, size, rng: np.full(size, sum(data) + rng.laplace()), "one output 16 times in every call"),
        (lambda data, size, rng: np.random.default_rng(0).laplace(sum(data), 1, size), "for 4 different rng"),
        (lambda data, size, rng: rng.laplace(0, 1, (size, int(rng.integers(1, 500)))), "one form of output 16 times"),
        (lambda data, size, rng: set(rng.laplace(0, 1, size)), "returned set"),
    ],
)
def test_outputs_that_are_no_independent_draws_are_refused(sampler, said):
    with pytest.raises(BadInput, match=said):
        audit(sampler, [0], [1], epsilon=1, max_pairs=2000)


@pytest.mark.parametrize("p", [0.0, 0.01, 0.5, 1.0])
def test_rare_and_constant_outputs_are_no_reason_to_refuse(p):
    for seed in range(50):
        examine(as_sampler(lambda data, size, rng: rng.random(size) < p), [0], [1], seed)


def yields(data):
    yield random.gauss(0, 1)


async def waits(data):
    return random.gauss(0, 1)


@pytest.mark.parametrize("sampler", [yields, waits])
def test_functions_that_run_nothing_when_called_are_refused(sampler):
    with pytest.raises(BadInput, match="calling it runs nothing"):
        audit(sampler, [0], [1], epsilon=1, max_pairs=100)


@pytest.mark.parametrize("make", [object, lambda: lambda: 0, lambda: (x for x in ()), lambda: [object()]])
def test_where_an_object_lies_in_memory_is_no_output(make):
    """Addresses are used again in the same order on each side: bets on them would win."""
    result = audit(lambda data: make(), [0], [1], epsilon=0.1, max_pairs=4000)
    assert not result.refuted
    assert result.epsilon_lower == 0
    assert " at 0x" not in result.event


def test_objects_without_a_value_are_pointed_out():
    result = audit(lambda data: object(), [0], [1], epsilon=1, max_pairs=100)
    assert any("of type object without a readable value" in text for text in result.warnings)


def test_an_input_that_cannot_be_copied_is_passed_on():
    lock = threading.Lock()
    result = audit(
        lambda data, size, rng: rng.laplace(data[1], 1, size), (lock, 0), (lock, 1), epsilon=2, max_pairs=100
    )
    assert not result.refuted


def test_late_calls_in_other_threads_are_noticed():
    found = []

    def call():
        try:
            Sampler(lambda data: time.sleep(0.2), False, timeout=0.05).call(0)
        except ProgramTimeout as error:
            found.append(str(error))

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert "timeout=0.05" in found[0]
