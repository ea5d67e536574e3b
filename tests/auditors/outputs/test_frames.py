"""Data frames as inputs and outputs: their text leaves most of them out."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import pytest

from dpwitness.auditors import audit
from dpwitness.auditors.sampling.behaviour import equal_inputs
from dpwitness.auditors.sampling.stable_hash import likeness
from dpwitness.core.errors import BadInput


def frame(change=0.0, size=200):
    values = np.zeros(size)
    values[size // 2] = change
    return pd.DataFrame({"a": values, "b": "x"})


def laplace(scale):
    return random.expovariate(1 / scale) * random.choice((-1, 1))


def noisy_sum(data):
    return data["a"].sum() + laplace(1.0)


def noisy_frame(data):
    released = data.copy()
    released.loc[100, "a"] += laplace(0.25)
    return released


def test_a_difference_in_the_middle_of_a_frame_counts():
    assert repr(frame()) == repr(frame(change=1.0))
    assert likeness(frame()) != likeness(frame(change=1.0))
    assert likeness(frame()) == likeness(frame())
    assert not equal_inputs(frame(), frame(change=1.0))
    assert equal_inputs(frame(), frame())
    assert not equal_inputs(frame(), frame().rename(columns={"a": "c"}))
    assert not equal_inputs(frame(size=3)["a"], frame(size=4)["a"])


def test_equal_frames_are_refused():
    with pytest.raises(BadInput, match="same input"):
        audit(noisy_sum, frame(), frame(), epsilon=1.0)


def test_a_sampler_that_leaves_its_frame_alone_is_not_blamed():
    result = audit(noisy_sum, frame(), frame(change=1.0), epsilon=1.0, max_pairs=300)
    assert not result.refuted
    assert not result.warnings


def test_a_sampler_that_changes_its_frame_is_noticed():
    def careless(data):
        data["a"] += 1
        return laplace(1.0)

    result = audit(careless, frame(), frame(change=1.0), epsilon=1.0, max_pairs=300)
    assert any("changes its input" in warning for warning in result.warnings)


def test_noise_in_the_middle_of_a_released_frame_is_seen():
    result = audit(noisy_frame, frame(), frame(change=1.0), epsilon=1.0, max_pairs=300)
    assert result.refuted
    assert "values[100][0]" in result.event


@pytest.mark.parametrize("once", [lambda: iter([1, 2]), lambda: (x for x in (1, 2)), lambda: map(abs, [1])])
def test_inputs_that_can_be_read_once_are_refused(once):
    with pytest.raises(BadInput, match="read once only"):
        audit(lambda data: sum(data) + laplace(1.0), once(), [1, 3], epsilon=1.0)
