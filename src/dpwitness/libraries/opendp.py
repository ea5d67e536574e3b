"""OpenDP: measurements, and transformations whose stability maps are checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import opendp.prelude as dp

from dpwitness.core import Answers, ApproxDP, PureDP
from dpwitness.core.spaces import Answers as Vectors
from dpwitness.core.stability.claim import Stable
from dpwitness.core.stability.columns import choices, reals, wholes
from dpwitness.core.stability.rows import Rows
from dpwitness.libraries.adapter import COUNT, NUMBER, SCORES, Item, Release

dp.enable_features("contrib", "floating-point", "honest-but-curious")
DEVIATION = 1.9  # (1, 0.01)-private for a move by 1
BIT = Answers("one", 1, size=1, values=(0, 1))
FLOAT = dp.atom_domain(T=float, nan=False)


def items() -> Iterator[Item]:
    """Measurements at ε = 1."""
    floats, ints = (FLOAT, dp.absolute_distance(T=float)), (dp.atom_domain(T=int), dp.absolute_distance(T=int))
    vector = dp.vector_domain(FLOAT)
    yield Item(
        "make_laplace (float)", lambda share: _on_float(dp.m.make_laplace(*floats, scale=share)), NUMBER, single=True
    )
    yield Item("make_laplace (int)", lambda share: dp.m.make_laplace(*ints, scale=share), COUNT, single=True)
    yield Item("make_geometric", lambda share: dp.m.make_geometric(*ints, scale=share), COUNT, single=True)
    yield Item("make_laplace (vector)", lambda share: _on_floats(
        dp.m.make_laplace(vector, dp.l1_distance(T=float), scale=share)), Answers("l1", 1, size=3))  # fmt: skip
    yield Item("make_gaussian (float)", lambda share: _on_float(dp.m.make_gaussian(*floats, scale=DEVIATION * share)),
               NUMBER, ApproxDP(1, "0.01"), single=True)  # fmt: skip
    yield Item("make_gaussian (int)", lambda share: dp.m.make_gaussian(*ints, scale=DEVIATION * share), COUNT,
               ApproxDP(1, "0.01"), single=True)  # fmt: skip
    yield Item("make_noisy_max", lambda share: _on_floats(dp.m.make_noisy_max(
        vector, dp.linf_distance(T=float), dp.max_divergence(), 2.0 * share)), SCORES)  # fmt: skip
    yield Item("make_randomized_response_bool", _response, BIT, PureDP(1), single=True)


def _response(share: float) -> Release:
    noisy = dp.m.make_randomized_response_bool(prob=1 / (1 + math.exp(-1 / share)))
    return lambda bit: noisy(bool(bit))


def _on_float(noisy: Any) -> Release:
    return lambda x: noisy(float(x))


def _on_floats(noisy: Any) -> Release:
    return lambda values: noisy([float(x) for x in values])


def maps() -> Iterator[Stable]:
    """Transformations with the bound that their own map states."""
    numbers = dp.vector_domain(dp.atom_domain(bounds=(0.0, 10.0), nan=False)), dp.symmetric_distance()
    ints = dp.vector_domain(dp.atom_domain(bounds=(0, 10))), dp.symmetric_distance()
    any_float = dp.vector_domain(FLOAT), dp.symmetric_distance()
    texts = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    real, whole, text = reals(0, 10), wholes(0, 10), choices("a", "b", "c")
    yield _map("make_clamp", dp.t.make_clamp(*any_float, bounds=(0.0, 1.0)), Rows(reals(-5, 5)), "symmetric")
    yield _map("make_count", dp.t.make_count(*ints), Rows(whole), "l1")
    yield _map("make_count_distinct", dp.t.make_count_distinct(*texts), Rows(text), "l1")
    yield _map("make_sum (int)", dp.t.make_sum(*ints), Rows(whole), "l1")
    yield _map("make_sum (float)", dp.t.make_sum(*numbers), Rows(real), "l1")
    counts = dp.t.make_count_by_categories(*texts, categories=["a", "b"], MO=dp.L1Distance[int])
    yield _map("make_count_by_categories", counts, Rows(text), "l1")
    yield _map("make_cast_default", dp.t.make_cast_default(*texts, TOA=int), Rows(text), "symmetric")
    scores = dp.t.make_quantile_score_candidates(*ints, candidates=[2, 5, 8], alpha=0.5)
    yield _map("make_quantile_score_candidates", scores, Rows(whole), "linf")
    tree = dp.t.make_b_ary_tree(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), leaf_count=4,
                                branching_factor=2)  # fmt: skip
    yield Stable.of(
        tree, Vectors("l1", 1, size=4, low=-1000, high=1000, whole=True), "l1", _bound(tree), name="make_b_ary_tree"
    )


def _map(name: str, made: Any, space: Rows, distance: str) -> Stable:
    return Stable.of(made, space, distance, _bound(made), name=name)


def _bound(made: Any) -> Callable[[Any], Any]:
    """The library's own map, as a function of the number of steps."""
    return lambda steps: Fraction(made.map(d_in=int(steps))) if steps else 0  # a float here is that very number
