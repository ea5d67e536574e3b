"""Sensitivities, smooth bounds, and (ε,δ) on outcomes and on sets."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwitness.core.errors import BadInput
from dpwitness.core.spaces import Records
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.laws.outcomes import on_outcomes, on_sets, post_process, probabilistic, row, separation
from dpwitness.proofs.laws.sensitivity import (
    at_distance,
    closed_form,
    distance,
    global_,
    local,
    order_at_distance,
    order_statistic,
)
from dpwitness.proofs.laws.smooth import is_smooth_bound, smooth_on, smooth_order

F = Fraction
GRID = (0, 1, 2)


def histogram(data: Any) -> tuple[int, ...]:
    counts = Counter(data)
    return tuple(counts[value] for value in GRID)


def median(data: Any) -> Fraction:
    x, half = sorted(data), len(data) // 2
    return F(x[half]) if len(x) % 2 else F(x[half - 1] + x[half], 2)


@pytest.mark.parametrize(
    ("name", "f", "adjacency", "size"),
    [
        ("sum", sum, "substitute", 3),
        ("sum", sum, "add-remove", 3),
        ("histogram", histogram, "substitute", 3),
        ("histogram", histogram, "add-remove", 3),
        ("mean", lambda d: F(sum(d), len(d)), "substitute", 3),
        ("median", median, "substitute", 3),
        ("median", median, "substitute", 4),
        ("count", lambda d: d.count(2), "substitute", 3),
        ("count", len, "add-remove", 3),
    ],
)
def test_closed_forms_against_enumeration(name: str, f: Any, adjacency: Any, size: int) -> None:
    space = Records(GRID, size, adjacency)
    known = closed_form(name, adjacency, low=0, high=2, size=size)
    for norm in ("l1", "l2-squared", "linf"):
        assert global_(f, space, distance(norm)) == known[norm]


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_order_statistics_at_distance(rank: int) -> None:
    space = Records(GRID, 3)
    assert global_(order_statistic(rank), space) == closed_form("order", high=2, size=3, rank=rank)["l1"]
    for data, values in at_distance(order_statistic(rank), space).items():
        assert values == [order_at_distance(data, rank, 0, 2, k) for k in range(len(values))]


def test_smooth_sensitivity_is_smooth_and_minimal() -> None:
    space, f, beta = Records(GRID, 3), order_statistic(2), F(1, 3)
    best = smooth_on(f, space, beta)
    assert is_smooth_bound(best, f, space, beta) is None
    for data, value in best.items():
        assert (value - smooth_order(data, 2, 0, 2, beta)).sign() == 0
        lowered = {**best, data: value * F(999999, 1000000)}
        assert is_smooth_bound(lowered, f, space, beta) is not None  # no smooth bound lies below it
    constant = {data: ExpSum.of(global_(f, space)) for data in best}
    assert is_smooth_bound(constant, f, space, 0) is None
    assert is_smooth_bound({data: ExpSum.of(local(f, data, space)) for data in best}, f, space, beta) is not None


def test_bad_statistics() -> None:
    with pytest.raises(BadInput):
        closed_form("mean", "add-remove")
    with pytest.raises(BadInput):
        closed_form("sum", low=2, high=1)


@pytest.mark.parametrize(
    ("outcomes", "eps", "delta", "exists"),
    [(3, "1/10", "1/20", True), (2, "1/10", "1/20", False), (3, "1/100", "1/3", False)],
)
def test_separation(outcomes: int, eps: str, delta: str, exists: bool) -> None:
    found = separation(outcomes, eps, delta)
    assert (found is not None) == exists
    if found is not None:
        p, q = row(found.left), row(found.right)
        assert on_outcomes(p, q, F(eps), F(delta))
        assert not on_sets(p, q, F(eps), F(delta))
        assert on_sets(p, q, F(eps), (outcomes - 1) * F(delta))


laws_ = st.lists(st.integers(0, 6), min_size=3, max_size=3).filter(any).map(lambda v: row([F(x, sum(v)) for x in v]))


@settings(max_examples=60, deadline=None)
@given(laws_, laws_, st.fractions(0, 1, max_denominator=6), st.fractions(0, F(9, 10), max_denominator=10))
def test_how_the_notions_follow_from_each_other(p: Any, q: Any, eps: Fraction, delta: Fraction) -> None:
    if on_sets(p, q, eps, delta):
        assert on_outcomes(p, q, eps, delta)
        merged = [post_process(x, [[1, 0], [0, 1], ["1/2", "1/2"]]) for x in (p, q)]
        assert on_sets(*merged, eps, delta)
    if on_outcomes(p, q, eps, delta) and 2 * delta < 1:
        assert on_sets(p, q, eps, 2 * delta)
    if probabilistic(p, q, eps, delta):
        assert on_sets(p, q, eps, delta)


def test_private_on_sets_but_not_probabilistically() -> None:
    p, q = row(["1/2", "1/2"]), row(["9/20", "11/20"])
    assert on_sets(p, q, F(1, 20), F(1, 20))
    assert not probabilistic(p, q, F(1, 20), F(1, 20))


def test_rows_must_sum_to_one() -> None:
    with pytest.raises(BadInput, match="sum to"):
        row(["1/2", "1/3"])
