"""How many pairs choose the rules of the count, and what is kept of them."""

from __future__ import annotations

import numpy as np
import pytest

from dpwitness.auditors import engine
from dpwitness.auditors.api import audit


def vectors(data, size, rng):
    return rng.laplace(data, 1.0, (size, 3))


def test_a_tenth_chooses_and_more_where_there_are_millions():
    assert engine.selected(1_000_000) == 100_000
    sizes = [engine.selected(10**k) for k in range(2, 10)]
    assert sizes == sorted(sizes)
    assert sizes[-1] == engine.MOST_SELECTION
    assert engine.selected(2_000_000) > 2 * engine.selected(1_000_000)


@pytest.mark.parametrize(("ample", "cells", "kept"), [(10, 150, 50), (60, 0, 60), (10, 10_000, 200)])
def test_wide_outputs_keep_no_more_than_fits(monkeypatch, ample, cells, kept):
    seen = []
    choose = engine.choose_rules

    def spy(places, left, right, aim):
        seen.append((len(left), len(right)))
        return choose(places, left, right, aim)

    monkeypatch.setattr(engine, "AMPLE", ample)
    monkeypatch.setattr(engine, "MOST_CELLS", cells)
    monkeypatch.setattr(engine, "choose_rules", spy)
    result = audit(vectors, np.zeros(3), np.full(3, 4.0), epsilon=None, alpha=0.05, max_pairs=2000, isolate=False)
    most = engine.selected(result.pairs)
    assert seen == [(min(kept, most), min(kept, most))]
    assert result.epsilon_lower > 1
