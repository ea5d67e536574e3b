"""A failed proof says which release costs too much, and names neighbours on which it does."""

from __future__ import annotations

import pytest

from dpwitness import ZCDP, Exact, Interval, PureDP, Records, mechanism
from dpwitness.auditors.route import MOST_CANDIDATES, _candidates
from dpwitness.core.budget import Budget
from dpwitness.core.evidence import Unsupported
from dpwitness.proofs.composition.route import CompositionProver
from dpwitness.routes import _decide, decide, hinted

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


def test_the_pairs_reach_the_audit_before_all_others() -> None:
    claim, found = failed(half_spent_twice)
    given = []

    def audit(asked, budget):
        given.append(asked.space.examples)
        return []

    _decide(claim, audit, Budget(max_pairs=1000, seconds=20), "verify", lambda verdict: None)
    assert given[0][: len(found.pairs)] == found.pairs


def test_a_record_is_moved_among_many_none_and_few_that_are_all_alike() -> None:
    _, found = failed(half_spent_twice)
    lefts = [left for left, _ in found.pairs]
    assert {1, 2, 3, 4} <= set(map(len, lefts))
    assert any(len(left) == 4 and len(set(left[:-1])) == 1 for left in lefts)


def test_pairs_that_were_asked_for_are_not_thinned_out() -> None:
    domain = tuple(range(40))
    pairs = [((k,), (k, k)) for k in range(20)]
    space = Records(domain, (1, 60), "add-remove", examples=pairs)
    claim = mechanism(data=space, claim=lambda eps: PureDP(eps), typical={"eps": 1})(half_spent_twice).claims()[0]
    kept = _candidates(claim)
    assert len(kept) <= MOST_CANDIDATES
    assert [(c.left, c.right) for c in kept[:20]] == list(space.examples)


def spread_over_a_ratio(noise, data, *, eps):
    total = sum(data) + noise.laplace(1 / eps)
    return total / max(len(data) + noise.laplace(2 / eps), 1)


@pytest.mark.slow
def test_a_composition_whose_loss_shows_in_a_ratio_is_refuted() -> None:
    space = Records(Interval(-10, 10), 5, "add-remove")
    made = mechanism(data=space, claim=lambda eps: PureDP(eps), typical={"eps": 1})(spread_over_a_ratio)
    assert decide(made.claims()[0], Budget(max_pairs=20_000, seconds=30)).decision.value == "REFUTED"


def bins_that_share_an_edge(noise, data, *, eps):
    return [sum(Exact(k, 10) <= x <= Exact(k + 2, 10) for x in data) + noise.laplace(1 / eps) for k in range(5)]


def test_records_on_a_cut_that_no_double_is_are_not_handed_on() -> None:
    """A record of 1/5 is in three bins, and as a double in two: its sampler would be another program."""
    _, found = failed(bins_that_share_an_edge)
    assert "together ε = 3" in found.reason
    assert found.pairs
    for pair in found.pairs:
        for record in {*pair[0], *pair[1]}:
            assert record.denominator not in (5, 10)
