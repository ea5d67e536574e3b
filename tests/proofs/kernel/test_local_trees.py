"""Random trees of one record: what the kernel accepts is not less than what brute force finds."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.proofs.kernel.truth_local import Law, Wrong, log_ratio

from dpwitness.core.errors import OutsideFragment
from dpwitness.proofs.kernel.algebra.field import Number
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.laws.local.cuts import cuts

F = Fraction
HALVES = st.integers(-4, 4).map(lambda k: str(F(k, 2)))
MOVES = st.sampled_from(["0", "0", "0", "1", "-1", "1/2", "exp(-1)"])
CHANCES = st.sampled_from(
    [("1/2", "0"), ("1/3", "1/3"), ("1/4", "1/2"), ("1/2", "-1/4"), ("exp(-1/2)", "0"), ("0", "1")]
)
SEEN = Counter[str]()


@st.composite
def trees(draw: Any, drawn: int = 0, depth: int = 0) -> dict[str, Any]:
    """A tree with at most two draws and four levels."""
    kinds = (
        ["output"] if depth >= 4 else ["output", "coin", "test", "choose"] if drawn else ["coin", "uniform", "uniform"]
    )
    kind = draw(st.sampled_from(kinds + (["uniform"] if drawn == 1 and depth < 3 else [])))
    if kind == "uniform":
        low, high = F(draw(HALVES)), F(draw(st.integers(1, 6)), 2)
        move = draw(MOVES)
        ends = [{"1": str(end), "x": move} for end in (low, low + high)]
        if draw(st.integers(0, 5)) == 0:
            ends[1] = {"1": str(low + high), "x": draw(MOVES)}
        return {"uniform": ends, "then": draw(trees(drawn + 1, depth + 1))}
    if kind == "coin":
        p, slope = draw(CHANCES)
        return {"coin": {"1": p, "x": slope}, "then": [draw(trees(drawn, depth + 1)) for _ in range(2)]}
    if kind == "choose":
        weights = [{"1": "1", "x": "1/2"}, {"1": "1", "x": "-1/2"}, {"1": draw(st.sampled_from(["1", "exp(1)"]))}]
        return {"choose": weights, "then": [draw(trees(drawn, depth + 1)) for _ in weights]}
    if kind == "test":
        form = {"1": draw(HALVES), "x": draw(MOVES)}
        if draw(st.integers(0, 4)):
            form[f"v{draw(st.integers(0, drawn - 1))}"] = draw(st.sampled_from(["1", "-1", "2"]))
        then = [draw(trees(drawn, depth + 1)) for _ in range(2)]
        return {"test": form, "strict": draw(st.booleans()), "then": then}
    label = draw(st.sampled_from(["a", "a", "a", "b"]))
    if not drawn or draw(st.integers(0, 5)) == 0:
        return {"output": [label], "values": draw(st.sampled_from([[], [], [{"1": "1"}], [{"1": "1", "x": "0"}]]))}
    value = {f"v{drawn - 1}": draw(st.sampled_from(["1", "1", "-1", "1/2"])), "1": draw(HALVES), "x": draw(MOVES)}
    return {"output": [label], "values": [value]}


def truth(tree: dict[str, Any]) -> float:
    """The loss on a grid of records."""
    try:
        laws = [
            Law(tree, x, F(1)) for x in (0.0, 1e-7, 0.1, 0.25, 1 / 3, 0.4999999, 0.5, 0.5000001, 0.7, 0.9999999, 1.0)
        ]
    except Wrong:
        return math.inf
    return max(log_ratio(one, two) for one in laws for two in laws)


def accepted(tree: dict[str, Any], eps: Fraction) -> bool:
    ends = Number.of(0, False), Number.of(1, False)
    try:
        found = cuts(tree, *ends, Number.exp(eps, False))
    except (Rejected, Undecided, OutsideFragment):
        return False
    certificate = {"type": "local-report", "records": ["0", "1"], "tree": tree, "unit": "1",
                   "cuts": [cut.text() for cut in found], "epsilon": str(eps)}  # fmt: skip
    return bool(examine(certificate))


@settings(max_examples=40, deadline=None)
@given(trees())
def test_no_tree_is_accepted_below_its_loss(tree: dict[str, Any]) -> None:
    compare(tree)


@pytest.mark.slow
@settings(max_examples=600, deadline=None)
@given(trees())
def test_no_tree_of_many_is_accepted_below_its_loss(tree: dict[str, Any]) -> None:
    compare(tree)


def compare(tree: dict[str, Any]) -> None:
    """Refused below its loss, and counted where it is accepted a little above."""
    loss = truth(tree)
    SEEN["trees"] += 1
    if math.isinf(loss) or loss > 20:
        assert not accepted(tree, F(25))
        return
    SEEN["finite"] += 1
    below = F(loss * 0.999 - 1e-6).limit_denominator(10**6)
    if below >= 0:
        assert not accepted(tree, below)
    SEEN["accepted"] += accepted(tree, F(loss + 0.5).limit_denominator(1000))


def test_some_random_trees_are_accepted() -> None:
    """The test above would be empty if the kernel refused everything."""
    assert SEEN["finite"] == 0 or SEEN["accepted"] >= SEEN["finite"] / 4
