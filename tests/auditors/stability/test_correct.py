"""Correct transformations are never refuted; their bounds are tight enough that a smaller one is."""

from __future__ import annotations

import importlib.util

import pytest
from tests.auditors.stability.correct import CORRECT, FRAMES

from dpwitness import stability

PAIRS = 600


def test_there_are_fifty() -> None:
    assert len(CORRECT) == 50
    assert len({name for name, *_ in CORRECT}) == 50


@pytest.mark.parametrize(("name", "function", "space", "distance", "bound"), CORRECT, ids=[c[0] for c in CORRECT])
def test_no_false_report(name, function, space, distance, bound):
    found = stability(function, space, distance, bound, max_pairs=PAIRS, seconds=60, isolate=False)
    assert not found.refuted, found
    assert found.pairs > 20


@pytest.mark.slow
@pytest.mark.parametrize(("name", "function", "space", "distance", "bound"), CORRECT, ids=[c[0] for c in CORRECT])
@pytest.mark.parametrize("seed", [0, 1])
def test_no_false_report_in_a_long_search(name, function, space, distance, bound, seed):
    assert not stability(function, space, distance, bound, max_pairs=20_000, seconds=120, seed=seed).refuted


@pytest.mark.parametrize(("name", "function", "space", "distance", "bound"), FRAMES, ids=[c[0] for c in FRAMES])
def test_no_false_report_on_frames(name, function, space, distance, bound):
    if importlib.util.find_spec(name.split()[0]) is None:
        pytest.skip(f"{name.split()[0]} is not installed")
    assert not stability(function, space, distance, bound, max_pairs=200, seconds=60, isolate=False).refuted


TIGHT = [c for c in CORRECT if isinstance(c[4], int) and c[4] > 0]


@pytest.mark.parametrize(("name", "function", "space", "distance", "bound"), TIGHT, ids=[c[0] for c in TIGHT])
def test_a_smaller_bound_is_refuted(name, function, space, distance, bound):
    """The power check: the same search finds that nine tenths of the bound are too little."""
    found = stability(function, space, distance, f"{9 * bound}/10", max_pairs=PAIRS, seconds=60, isolate=False)
    assert found.refuted
    assert found.kind == "moves"
