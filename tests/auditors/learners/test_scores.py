"""Scores of outputs with many parts: what each strategy that bets on them looks like."""

from __future__ import annotations

import numpy as np

from dpwitness.auditors.learners.line import STRATEGIES
from dpwitness.auditors.learners.scores import fit_compound
from dpwitness.auditors.outputs.table import Encoder


def test_score_is_the_blend_and_curve_the_smooth_guess():
    rng = np.random.default_rng(4)
    encoder = Encoder()
    left, right = (encoder.encode(rng.normal(c, 1.0, (2000, 2))) for c in (1.0, 0.0))
    found = {name: p for p in fit_compound(encoder.places, left, right, {}, boosted=False) for name in p.names}
    for name, guess in (("score", "blend"), ("curve", "smooth")):
        partition = found[name]
        pi = partition.pi[partition.names.index(name)]
        same = [k for k, row in enumerate(partition.line.pi) if np.array_equal(row, pi)]
        assert STRATEGIES.index(guess) in same
