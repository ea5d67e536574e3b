"""Events in words say what was counted."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from dpwitness.auditors.learners.cells import quantile_edges
from dpwitness.auditors.learners.describe import intervals
from dpwitness.reports.figures.events import members


@given(
    st.lists(st.integers(-6, 6), min_size=20, max_size=200),
    st.sampled_from([1.0, 0.25, 3.0]),
    st.integers(-6, 6),
    st.integers(0, 12),
)
def test_values_that_recur_are_on_the_side_that_the_words_say(
    drawn: list[int], unit: float, least: int, width: int
) -> None:
    pool = unit * np.array(drawn, dtype=np.float64)
    edges = quantile_edges(pool, 16)
    values = np.unique(pool)
    cell = np.searchsorted(edges, values, side="left")
    inside = np.zeros(len(edges) + 1, dtype=bool)
    inside[cell[(values >= unit * least) & (values <= unit * (least + width))]] = True
    hits = np.bincount(np.searchsorted(edges, pool, side="left"), minlength=len(inside))
    held = inside[cell]
    assume(held.any() and not held.all())
    words = " or ".join(intervals("output", edges, inside, hits))
    assert members(words, values.tolist()) == tuple(held.tolist())
