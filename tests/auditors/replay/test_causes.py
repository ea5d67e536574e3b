"""What a refutation says to look at is seen in every run, and nothing is said where noise was not recorded."""

from __future__ import annotations

import numpy as np
import pytest

from dpwitness import audit
from dpwitness.auditors.replay.causes import cause
from dpwitness.auditors.replay.programs import cause_of_claim
from dpwitness.auditors.replay.recorder import record
from dpwitness.core.budget import Budget
from dpwitness.corpus import bugs
from dpwitness.routes import decide

RNG = np.random  # the legacy generator is one that the recorder knows


def of(function, left, right, epsilon=1.0, delta=0.0):
    return cause(lambda data, k, draws: record(function, data, seed=k, replay=draws), left, right, epsilon, delta)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (
            lambda d: sum(d) + RNG.laplace(0, 0.25),
            "4 times too small: the output moves by 1, and the scale is 0.25",
        ),
        (lambda d: sum(d) + RNG.laplace(0, 1), ""),
        (lambda d: sum(d) + RNG.laplace(0, 1 + sum(d)), "the scale of the noise depends on the data: 1 and 2"),
        (lambda d: sum(d), "no noise is drawn on either input"),
        (lambda d: sum(d) + (RNG.laplace(0, 1) if sum(d) else 0), "no noise is drawn on the left"),
        (
            lambda d: [RNG.laplace(0, 1)] * (1 + sum(d)),
            "the number of outputs depends on the data: 1 on the left, 2",
        ),
        (lambda d: [(z := RNG.laplace(0, 1)), z + sum(d)], "one draw of noise for 2 numbers"),
        (lambda d: 1 / (1 - sum(d)) + RNG.laplace(0, 1), "raises ZeroDivisionError on the right only"),
        (lambda d: (127 if not sum(d) else -128) + RNG.laplace(0, 9), "as a number of 8 bits does"),
        (lambda d: (100 if not sum(d) else -100) + RNG.laplace(0, 9), "22.2 times too small"),
        (lambda d: (float("nan") if sum(d) else 0.0) + RNG.laplace(0, 1), "the output is NaN on the right only"),
    ],
)
def test_a_cause_in_words(function, said):
    found = of(function, [0], [1])
    assert (said in found) if said else found == ""


def test_no_register_is_suspected_without_its_last_number():
    assert "bits" not in of(lambda d: (100 if not sum(d) else -100) + RNG.laplace(0, 9), [0], [1])


def test_normal_noise_is_measured_at_the_delta_of_the_claim():
    found = of(lambda d: sum(d) + RNG.normal(0, 0.5), [0], [1], 1.0, 0.01)
    assert "3.76 times too small" in found  # 1.88 is needed


GENERATOR = np.random.default_rng(1)
HIDDEN = [GENERATOR]


def test_nothing_is_said_where_the_noise_is_not_recorded():
    class Box:
        def __call__(self, data):
            return sum(data) + HIDDEN[0].laplace(0, 0.1)

    box = Box()
    assert of(lambda d: box(d), [0], [1]) == ""


def test_an_audit_tells_the_cause():
    def half(data):
        return sum(data) + np.random.default_rng().laplace(0, 0.5)

    found = audit(half, [0], [1], epsilon=1, max_pairs=4000)
    assert found.refuted
    assert "look at: the noise is 2 times too small" in str(found)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("opendp-2945", "2 times too small: the output moves by 2"),
        ("diffprivlib-20", "the scale of the noise depends on the data: 1 and 5"),
        ("opendp-2930", "no noise is drawn on the left"),
    ],
)
def test_a_verdict_tells_the_cause(name, said):
    verdict = decide(bugs()[name].broken.claims()[0], Budget(seconds=60))
    assert verdict.decision.name == "REFUTED"
    assert said in verdict.cause
    assert said in str(verdict)


def test_black_boxes_have_no_recorded_program():
    claim = bugs()["opendp-414"].broken.claims()[0]
    assert cause_of_claim(claim, ((0,), (1,)), 0, None) == ""
