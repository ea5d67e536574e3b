"""Pairs around a pair are neighbours, whatever the relation, and a search over them finds what patterns miss."""

from __future__ import annotations

import numpy as np
import pytest

from dpwitness.auditors.bounds.evalue import Null
from dpwitness.auditors.bounds.ledger import Budget
from dpwitness.auditors.sampling.sampler import Sampler
from dpwitness.auditors.search.moves import MOST, moves
from dpwitness.auditors.search.pairs import Candidate, screen, search
from dpwitness.auditors.search.relation import nearby
from dpwitness.core.errors import ProgramFailed
from dpwitness.core.spaces import Answers, Interval, Records

SPACES = [
    Answers("all", 1), Answers("one", 2), Answers("up", 1), Answers("l1", 1), Answers("l2", 1),
    Answers("all", 1, low=0, high=3), Answers("all", 1, values=(0, 1, 2)), Answers("all", 1, size=1),
    Records((0, 1, 2), 3), Records((0, 1), 3, "add-remove"), Records(Interval(-1, 2), (1, 5), "add-remove"),
]  # fmt: skip


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_everything_around_a_pair_is_a_pair_of_neighbours(space):
    around = nearby(space)
    assert around is not None
    for start in space.typical_pairs()[:12]:
        found = around.moves(start.left, start.right)
        assert len(found) <= MOST
        for left, right, _ in found:
            assert space.adjacency.related(space.validate(left), space.validate(right))
            assert (left, right) != (start.left, start.right)


def test_moves_go_further_than_the_difference():
    found = moves([0.0, 0.0], [1.0, 0.0], Answers("one", 1, size=2), lambda a, b: True)
    assert all(isinstance(x, float) for left, right, _ in found for x in (*left, *right))
    assert max(abs(x) for left, _, _ in found for x in left) >= 16


def whole(data, size, rng):
    """Integer noise, which hides steps of 1 and no others."""
    p = 1 - np.exp(-1.0)
    return sum(data) + rng.geometric(p, size) - rng.geometric(p, size)


def test_integer_noise_on_answers_that_are_not_whole_is_found_by_halving_the_difference():
    space = Answers("one", 1, size=2)
    pairs = [Candidate([0.0, 0.0], [1.0, 0.0]), Candidate([0.0, 0.0], [0.0, 1.0])]
    found = search(Sampler(whole, True), pairs, (Null(1.0),), 0.0, Budget(max_pairs=20_000), nearby=nearby(space))
    assert found.outcome.refuted
    assert sorted(abs(a - b) for a, b in zip(found.left, found.right, strict=True)) == [0.0, 0.5]


def test_inputs_that_are_not_lists_and_relations_that_are_not_known_are_not_moved():
    assert moves(0.0, 1.0, Answers("all", 1), lambda a, b: True) == []
    assert nearby(None) is None


def far_from_zero(data, size, rng):
    """Private near 0; no noise at all once both answers are above 3."""
    values = np.asarray(data, dtype=float)
    scale = 0.2 if (values > 3).all() else 2.0
    return values.sum() + rng.laplace(0, scale, size)


PATTERNS = [Candidate([0.0, 0.0], [1.0, 1.0], "up"), Candidate([0.0, 0.0], [1.0, 0.0], "first up")]


def test_a_violation_away_from_the_patterns_is_found_by_search_only():
    sampler, claim, budget = Sampler(far_from_zero, True), (Null(1.0),), Budget(max_pairs=20_000)
    without = search(sampler, PATTERNS, claim, 0.0, budget)
    assert not without.outcome.refuted
    space = Answers("all", 1, size=2)
    found = search(sampler, PATTERNS, claim, 0.0, budget, nearby=nearby(space))
    assert found.outcome.refuted
    assert space.adjacency.related(found.left, found.right)
    assert found.screened > len(PATTERNS)
    again = search(sampler, PATTERNS, claim, 0.0, budget, nearby=nearby(space))
    assert (again.left, again.right, again.outcome) == (found.left, found.right, found.outcome)


def test_a_search_spends_no_more_than_alpha():
    found = search(
        Sampler(far_from_zero, True), PATTERNS, (Null(1.0),), 0.0, Budget(0.01, 5000), nearby=nearby(Answers("all", 1))
    )
    rows = [(what, share) for what, share in found.outcome.ledger if "pair" in what or "runner-up" in what]
    assert sum(share for what, share in rows if what in ("best pair", "runner-up")) == pytest.approx(0.01)


def test_screening_says_what_failed():
    def moody(data, size, rng):
        if data[0] > 0:
            raise ValueError("too large")
        return rng.laplace(data[0], 1.0, size)

    pairs = [Candidate([0.0], [-1.0]), Candidate([-2.0], [-1.0]), Candidate([5.0], [4.0])]
    result = screen(Sampler(moody, True), pairs, (Null(1.0),), 0.0, Budget(max_pairs=1000))
    assert len(result.ranked) == 2
    assert "failed on 1 pairs" in result.remarks[0]
    assert "too large" in result.remarks[0]
    with pytest.raises(ProgramFailed, match="too large"):
        screen(Sampler(moody, True), pairs[2:] * 2, (Null(1.0),), 0.0, Budget(max_pairs=1000))
