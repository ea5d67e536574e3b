"""Finite laws compared exactly."""

from __future__ import annotations

import itertools
from fractions import Fraction
from math import exp, log
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.releases.tables import Row, hockey_stick, pure_loss, within

weights = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any)
F = Fraction


def law(values: list[int]) -> Row:
    return Row.weighted([F(v) for v in values])


@settings(max_examples=60)
@given(weights, weights, st.fractions(0, 2, max_denominator=8))
def test_hockey_stick_is_the_maximum_over_sets(a: list[int], b: list[int], eps: Fraction) -> None:
    p, q = law(a), law(b)
    top, bottom = hockey_stick(p, q, eps)
    value = float(top.ball()) / float(bottom.ball())
    sets = itertools.product((0, 1), repeat=3)
    best = max(
        sum(s * x for s, x in zip(pick, a, strict=True)) / sum(a)
        - exp(eps) * sum(s * x for s, x in zip(pick, b, strict=True)) / sum(b)
        for pick in sets
    )
    assert abs(value - best) < 1e-12


@settings(max_examples=60)
@given(weights, weights)
def test_pure_loss(a: list[int], b: list[int]) -> None:
    loss = pure_loss(law(a), law(b))
    ratios = [(x * sum(b), y * sum(a)) for x, y in zip(a, b, strict=True) if x or y]
    if any(x == 0 or y == 0 for x, y in ratios):
        assert loss is None
    else:
        assert loss is not None
        wanted = max(abs(log(x / y)) for x, y in ratios)
        assert abs(float(loss[0]) - wanted) < 1e-12
        assert loss[0] <= loss[1]


def test_randomized_response_is_exactly_epsilon() -> None:
    e = F(7, 3)
    p = Row.weighted([ExpSum.exp(e), ExpSum.of(1)])
    q = Row.weighted([ExpSum.of(1), ExpSum.exp(e)])
    assert pure_loss(p, q) == (e, e)
    assert within(p, q, e, F(0))
    assert not within(p, q, e - F(1, 10**30), F(0))


@pytest.mark.parametrize("bad", [[], [F(-1), F(2)], [F(0), F(0)]])
def test_bad_rows(bad: list[Fraction]) -> None:
    with pytest.raises(Rejected):
        Row.weighted(bad)


def test_rows_must_sum_to_one() -> None:
    with pytest.raises(Rejected, match="sum to 11/12"):
        Row.law([F(1, 2), F(5, 12)])


CERTIFICATE: dict[str, Any] = {
    "type": "tables",
    "space": {"records": ["int:0", "int:1"], "fewest": 1, "most": 1, "relation": "substitute"},
    "outputs": ["int:0", "bool:False"],
    "rows": [[{"1": "1"}, "1"], ["1", {"1": "1"}]],
    "use": [0, 1],
    "epsilon": "1",
    "delta": "0",
}


def test_certificate_and_its_mutations() -> None:
    assert examine(CERTIFICATE)
    step = F(1, 10**6)
    assert not examine({**CERTIFICATE, "epsilon": str(1 - step)})
    for i, j in itertools.product((0, 1), repeat=2):
        for sign in (1, -1):
            rows = [list(row) for row in CERTIFICATE["rows"]]
            old = rows[i][j]
            rows[i][j] = {"1": str(1 + sign * step)} if isinstance(old, dict) else str(1 + sign * step)
            assert bool(examine({**CERTIFICATE, "rows": rows})) == _private(rows)
    for use in ([], [0], [0, 2], [0, 1, 0], [True, False], [0, 0], "01"):
        assert not examine({**CERTIFICATE, "use": use}), use
    assert not examine({**CERTIFICATE, "delta": "1"})
    for outputs in (["int:0"], ["int:0", "int:0"], [0, 1], []):
        assert not examine({**CERTIFICATE, "outputs": outputs}), outputs


def test_what_the_theorem_says() -> None:
    found = examine(CERTIFICATE).theorem
    assert found is not None
    assert found.relation == {"inputs": "records", "relation": "substitute", "points": ["int:0", "int:1"]}
    assert (found.sizes, found.guarantee) == ((1,), {"kind": "pure", "epsilon": ((F(1), ()),)})


def test_every_input_has_one_law_and_all_neighbours_are_compared() -> None:
    """Laws that are compared with themselves alone say something true: that the inputs have no influence."""
    far = [["1", "0"], ["0", "1"]]
    assert not examine({**CERTIFICATE, "rows": far})
    assert not examine({**CERTIFICATE, "rows": far, "use": [0, 0]})  # a law that no input has
    same = examine({**CERTIFICATE, "rows": far[:1], "use": [0, 0], "epsilon": "0"})
    assert "the same on all neighbours" in same.statement
    apart = {**CERTIFICATE["space"], "relation": "add-remove"}
    assert "neighbours" in examine({**CERTIFICATE, "space": apart}).reason


def _private(rows: list[list[Any]]) -> bool:
    p, q = (Row.weighted([ExpSum.from_json(w) for w in row]) for row in rows)
    loss = pure_loss(p, q)
    return loss is not None and loss[1] <= 1


def test_violation() -> None:
    good = {
        "type": "table-violation",
        "inputs": [["int:0"], ["int:1"]],
        "outputs": ["str:'a'", "str:'b'"],
        "epsilon": "1",
        "delta": "1/10",
        "left": ["3", "1"],
        "right": ["1", "9"],
        "event": [0],
    }
    assert examine(good)
    assert not examine({**good, "event": [1]})
    assert not examine({**good, "event": [0, 0]})
    assert not examine({**good, "event": [2]})
    assert not examine({**good, "delta": "1/2"})
    assert not examine({**good, "epsilon": "2"})
    assert not examine({**good, "inputs": [["int:0"], ["int:0"]]})
    assert not examine({**good, "outputs": ["str:'a'", "str:'a'"]})
