"""Mechanisms with finitely many outputs: every claim is decided by enumeration."""

from __future__ import annotations

import importlib
import math
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from tests.mechanisms.scripted import twin

from dpwitness.catalogue import of_module
from dpwitness.core import ApproxDP, Mechanism, Proved, PureDP
from dpwitness.core.readers.finite import FiniteLaw, Probability, finite_law
from dpwitness.mechanisms.geometric import truncated_geometric
from dpwitness.mechanisms.rappor import bloom_filter, one_time_rappor, rappor

MODULES = (
    "laplace", "counting", "geometric", "gaussian", "staircase", "randomized_response", "rare_outcomes", "rappor",
    "exponential_mechanism", "metric", "histogram", "median", "sample_aggregate", "objective_perturbation",
    "sanitised_database", "query_server", "sanitisation", "means",
)  # fmt: skip
TARGETS = [
    target
    for name in MODULES
    for target in of_module(importlib.import_module(f"dpwitness.mechanisms.{name}"))
    if isinstance(target, Mechanism)
]
# the clamped geometric count has a finite range, but is drawn from an endless law
FINITE = [t for t in TARGETS if "finite" in t.tags and t.name != "clamped-geometric"]


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.name)
def test_declaration(target: Mechanism) -> None:
    assert target.summary.endswith((".", "`."))
    assert target.cites
    for promise in (*target.promises, *target.more):
        assert promise.space.typical_pairs()
    if target.parent is None:
        assert target.promises[0].expected is Proved
        assert any(t.promises[0].expected is not Proved for t in target.twins)


@cache
def law_of(target: Mechanism, data: tuple[Any, ...]) -> FiniteLaw:
    return finite_law(target.bind(data, target.params()))


@pytest.mark.parametrize("target", FINITE, ids=lambda t: t.name)
def test_finite_laws_sum_to_one(target: Mechanism) -> None:
    for pair in target.space.typical_pairs()[:2]:
        total = Probability.of(0)
        for _, probability in law_of(target, pair.left).table:
            total = total + probability
        assert total == Probability.of(1)


def privacy(left: FiniteLaw, right: FiniteLaw, eps: float) -> tuple[float, float]:
    """The loss and δ(ε) of one ordered pair."""
    other = {skeleton: float(p) for skeleton, p in right.table}
    rows = [(float(p), other.get(skeleton, 0.0)) for skeleton, p in left.table if float(p) > 0]
    loss = max(math.log(p / q) if q else math.inf for p, q in rows)
    return loss, sum(max(0.0, p - math.exp(eps) * q) for p, q in rows)


@pytest.mark.parametrize("target", [t for t in FINITE if t.name.partition("/")[0] not in ("rappor", "one-time-rappor")],
                         ids=lambda t: t.name)  # fmt: skip
def test_finite_claims_are_as_expected(target: Mechanism) -> None:
    for promise in (*target.promises, *target.more):
        pairs = list(promise.space.all_pairs())
        for guarantee in promise.guarantees(target.params()):
            assert isinstance(guarantee, PureDP | ApproxDP)
            eps, delta = float(guarantee.eps), float(guarantee.delta) if isinstance(guarantee, ApproxDP) else 0.0
            found = [privacy(law_of(target, p.left), law_of(target, p.right), eps) for p in pairs]
            if delta:
                holds = max(d for _, d in found) <= delta + 1e-12
            else:
                holds = max(loss for loss, _ in found) <= eps + 1e-12
            assert holds == (promise.expected is Proved)


def test_truncated_geometric_uses_the_binary_logarithm() -> None:
    # the ratio of two neighbouring probabilities inside the range is e^ε̃ = 1 + 2^(−k)
    for target, k in ((truncated_geometric, 5), (twin(truncated_geometric, "natural-logarithm"), 3)):
        law = law_of(target, (0,) * 5)
        assert law[1] * Probability.of(Fraction(2**k, 2**k + 1)) == law[2]


@pytest.mark.parametrize(("target", "bits"), [(one_time_rappor, 2), (rappor, 2)], ids=lambda v: getattr(v, "name", v))
def test_rappor_claims_are_attained_on_small_filters(target: Mechanism, bits: int) -> None:
    params = target.params(hashes=bits, width=2 * bits)
    zero, one = (finite_law(target.bind((v,), params)) for v in (0, 1))
    (claimed,) = target.promises[0].guarantees(params)
    assert isinstance(claimed, PureDP)
    loss = max(privacy(zero, one, 0.0)[0], privacy(one, zero, 0.0)[0])
    assert float(claimed.eps) - 2e-4 < loss <= float(claimed.eps)


def test_filters_of_different_values_do_not_meet() -> None:
    filters = [bloom_filter(v, 4, 20) for v in range(5)]
    assert [sum(f) for f in filters] == [4] * 5
    assert [sum(column) for column in zip(*filters, strict=True)] == [1] * 20
