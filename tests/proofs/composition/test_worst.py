"""A failed proof says which release costs too much, and names neighbours on which it does."""

from __future__ import annotations

import pytest

from dpwitness import ZCDP, Exact, Interval, PureDP, Records, mechanism
from dpwitness.core.evidence import Unsupported
from dpwitness.proofs.composition.route import CompositionProver
from dpwitness.routes import hinted

UNIT = Records(Interval(0, 1), 4, "add-remove")


def failed(program, space=UNIT):
    claim = mechanism(data=space, claim=lambda eps: PureDP(eps), typical={"eps": 1})(program).claims()[0]
    found = CompositionProver().run(claim)
    assert isinstance(found, Unsupported)
    return claim, found


def half_spent_twice(noise, data, *, eps):
    n = len(data) + noise.laplace(2 / eps)
    total = sum(data) + noise.laplace(1 / eps)
    return n, total


def dear_branch(noise, data, *, eps):
    n = len(data) + noise.laplace(2 / eps)
    if n > 2:
        return sum(data) + noise.laplace(Exact(1, 4) / eps)
    return sum(data) + noise.laplace(2 / eps)


def test_the_dearest_release_is_named_with_its_line() -> None:
    _, found = failed(half_spent_twice)
    assert "together ε = 3/2 where 1 is claimed" in found.reason
    assert "the second of 2 releases costs 1, 1/2 more than its share" in found.reason


def test_the_dearer_branch_counts() -> None:
    _, found = failed(dear_branch)
    assert "together ε = 9/2" in found.reason
    assert found.line == dear_branch.__code__.co_firstlineno + 3


@pytest.mark.parametrize("space", [UNIT, Records(Interval(0, 1), 3), Records((0, 1, 2), 3, "add-remove")])
def test_the_pairs_are_neighbours_and_are_tried_first(space) -> None:
    claim, found = failed(half_spent_twice, space) if space.relation == "add-remove" else failed(dear_branch, space)
    assert found.pairs
    for left, right in found.pairs:
        assert space.adjacency.related(left, right)
    next_claim = hinted(claim, [found])
    first = next_claim.space.typical_pairs()[0]
    assert (first.left, first.right) == found.pairs[0]
    assert hinted(claim, []) is claim


def equal_turns(noise, data, *, eps):
    out = 0
    for _ in range(20):
        out = out / 2 + sum(data) + noise.laplace(10 / eps)
    return out


def test_turns_of_a_loop_count_as_often_as_they_are_made() -> None:
    _, found = failed(equal_turns)
    assert "together ε = 2 where 1 is claimed" in found.reason


def sampled_and_plain(noise, data, *, eps):
    first = len(data) + noise.laplace(2 / eps)
    return first, sum(noise.subsample(data, Exact(99, 100))) + noise.laplace(Exact(1, 2) / eps)


def clipped_and_plain(noise, data, *, eps):
    rows = [noise.clip([r], 1, norm=1) for r in data]
    return len(data) + noise.laplace(2 / eps), sum(v[0] for v in rows) + noise.laplace(1 / eps)


@pytest.mark.parametrize("program", [sampled_and_plain, clipped_and_plain])
def test_no_sum_is_stated_where_it_is_not_the_sum_of_what_is_noted(program) -> None:
    _, found = failed(program)
    assert "cost more than is claimed" in found.reason
    assert "together" not in found.reason


def pure_and_normal(noise, data):
    return len(data) + noise.laplace(1), sum(data) + noise.gaussian(1)


def test_losses_and_squares_are_not_added() -> None:
    """A pure step of ε = 1 and a normal one of shift 1 are both ρ = 1/2."""
    claim = mechanism(data=UNIT, claim=lambda: ZCDP(Exact(1, 2)), typical={})(pure_and_normal).claims()[0]
    assert "together ρ = 1 where 1/2 is claimed" in CompositionProver().run(claim).reason
