"""Which cells a rule guesses on."""

from __future__ import annotations

import numpy as np
import pytest

from dpwitness.auditors.bounds.limit import best_bound
from dpwitness.auditors.rules.rule import Aim
from dpwitness.auditors.rules.thresholds import best_threshold, outlooks


def test_threshold_keeps_the_certain_cells_only():
    pi = np.array([0.95, 0.9, 0.5, 0.5, 0.05])
    counts = np.array([90, 95, 50, 50, 5]), np.array([5, 10, 50, 50, 90])
    assert best_threshold(pi, *counts, Aim(10_000, 0.05)).tolist() == [1, 0, 0, 0, -1]
    assert best_threshold(pi, *counts, Aim(60, 0.05)).tolist() == [1, 1, 0, 0, -1]  # few runs need a larger event
    assert best_threshold(np.array([0.5]), np.array([0]), np.array([0]), Aim(10, 0.05)) is None


def test_a_tail_that_seems_a_little_less_clear_is_taken_along():
    pi = np.array([0.88, 0.9, 0.92, 0.6, 0.5, 0.5])
    counts = np.array([44, 90, 184, 600, 900, 950]), np.array([6, 10, 16, 400, 900, 950])
    aim = Aim(100_000, 0.05)
    assert best_threshold(pi, *counts, aim).tolist() != [1, 1, 1, 0, 0, 0]
    assert best_threshold(pi, *counts, aim, ordered=6).tolist() == [1, 1, 1, 0, 0, 0]


def test_an_event_in_the_middle_is_not_stretched_to_an_end():
    pi = np.array([0.5, 0.5, 0.92, 0.5, 0.5])
    counts = np.array([900, 900, 184, 900, 900]), np.array([900, 900, 16, 900, 900])
    assert best_threshold(pi, *counts, Aim(100_000, 0.05), ordered=5).tolist() == [0, 0, 1, 0, 0]


@pytest.mark.parametrize("delta", [0.0, 0.01, 0.03])
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((0.5, 0.204, 0.102, 0.194), (0.583, 0.199, 0.053, 0.165)),  # one output tells, on one side
        ((0.7, 0.2, 0.1), (0.1, 0.2, 0.7)),  # both sides tell alike
        ((0.3, 0.3, 0.4), (0.2, 0.15, 0.65)),
    ],
)
def test_the_bound_to_be_expected_is_the_best_one_also_where_each_side_costs_delta(left, right, delta):
    p, q = np.array(left), np.array(right)
    counts = (100_000 * p).astype(int), (100_000 * q).astype(int)
    found = [expected.max() for expected, _, _ in outlooks(p / (p + q), *counts, Aim(1_000_000, 0.001, delta))]
    assert max(found) == pytest.approx(best_bound(p, q, 1_000_000, 0.001, delta), abs=0.002)


def test_delta_makes_the_rule_guess_one_side_alone():
    pi, counts = np.array([0.9, 0.5, 0.12]), (np.array([300, 9500, 200]), np.array([33, 8500, 1467]))
    assert best_threshold(pi, *counts, Aim(100_000, 0.05)).tolist() == [1, 0, -1]
    assert best_threshold(pi, *counts, Aim(100_000, 0.05, 0.02)).tolist() == [0, 0, -1]
