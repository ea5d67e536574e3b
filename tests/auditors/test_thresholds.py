"""Which cells a rule guesses on."""

from __future__ import annotations

import numpy as np

from dpwitness.auditors.guesses import Aim
from dpwitness.auditors.thresholds import best_threshold


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
