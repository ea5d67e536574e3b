"""The kernel's parts of a proof by composition: ranges, spans, moves, costs and rules, each against what is known."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import check, examine
from dpwitness.proofs.kernel.composition.costs import (
    Cost,
    amplified,
    conclude,
    gaussian,
    larger,
    normal_delta,
    pure,
    renyi_delta,
)
from dpwitness.proofs.kernel.composition.inputs import read_inputs
from dpwitness.proofs.kernel.composition.knowledge import INF, Knowledge, Let
from dpwitness.proofs.kernel.composition.spans import expr_json, read_expr, span

F = Fraction
EPS = Poly.symbol("eps")
ONE = Poly.constant(1)


def number(value: Any) -> Poly:
    return Poly.constant(F(value))


# ranges


def test_ranges_and_signs_of_forms() -> None:
    known = Knowledge(("eps",))
    known.define("$1", (F(1), INF))
    known.define("$2", (F(-1), F(2)))
    one, two = Poly.symbol("$1"), Poly.symbol("$2")
    assert known.positive(one * EPS)
    assert known.nonnegative(one - 1)
    assert not known.positive(one - 1)
    assert known.range(two * two) == (0, 4)
    assert known.range(one.power(-1)) == (0, 1)
    assert not known.nonzero(two)
    assert known.at_most(two, number(2))


def test_a_branch_narrows_a_range() -> None:
    known = Knowledge()
    known.define("$1")
    known.refine(Poly.symbol("$1") * 2 - 3, strict=False)
    assert known.of("$1") == (F(3, 2), INF)
    known.refine(5 - Poly.symbol("$1"), strict=True)
    assert known.of("$1") == (F(3, 2), 5)


def test_a_positive_product_makes_its_unknown_factor_positive() -> None:
    known = Knowledge(("eps",))
    known.define("$1")
    known.refine(Poly.symbol("$1") * EPS.power(-1) * 2, strict=True)
    assert known.positive(Poly.symbol("$1"))


@pytest.mark.parametrize(("operation", "value"), [("sqrt", -1), ("log", 0), ("log", -2)])
def test_what_may_fail_is_refused(operation: str, value: int) -> None:
    with pytest.raises(Rejected):
        Knowledge().let("$1", Let(operation, (number(value),)))


def test_a_multiple_of_an_inverse_cancels() -> None:
    known = Knowledge()
    known.define("$1", (F(0), INF))
    form = Poly.symbol("$1") + 1
    known.let("$2", Let("inverse", (form,)))
    assert known.reduce(form * 3 * Poly.symbol("$2")) == number(3)
    assert known.reduce((form + 1) * Poly.symbol("$2")) != ONE


def test_squares_of_roots_are_exact() -> None:
    known = Knowledge()
    known.let("$1", Let("sqrt", (number(2),)))
    assert known.reduce(Poly.symbol("$1").power(2)) == number(2)
    assert known.reduce(Poly.symbol("$1").power(-2)) == number(F(1, 2))


# functions of one record


def expressions(depth: int = 3) -> st.SearchStrategy[Any]:
    leaves = st.one_of(st.just(["x", 0]), st.just(["x", 1]), st.integers(-3, 3).map(number))
    if depth == 0:
        return leaves
    inner = expressions(depth - 1)
    return st.one_of(
        leaves,
        st.tuples(st.sampled_from(["+", "*", "max", "min"]), inner, inner).map(list),
        st.tuples(st.sampled_from(["abs", "square"]), inner).map(list),
        st.tuples(st.sampled_from(["mod", "floor"]), inner, st.sampled_from([F(1, 2), F(1), F(3)]).map(number)).map(
            list
        ),
        st.tuples(inner, inner, inner).map(lambda p: ["if", [">", p[0]], p[1], p[2]]),
    )


def evaluate(expr: Any, x: tuple[Fraction, ...]) -> Fraction:
    if isinstance(expr, Poly):
        return expr.value() or F(0)
    head, *rest = expr
    if head == "x":
        return x[rest[0]]
    if head == "if":
        return evaluate(rest[1] if evaluate(rest[0][1], x) > 0 else rest[2], x)
    values = [evaluate(part, x) for part in rest]
    if head in ("mod", "floor"):
        return values[0] % values[1] if head == "mod" else F(values[0] // values[1])
    table = {"+": sum, "*": math.prod, "max": max, "min": min}
    if head in table:
        return F(table[head](values))
    return abs(values[0]) if head == "abs" else values[0] ** 2


@settings(max_examples=200, deadline=None)
@given(expressions(), st.integers(0, 2**32))
def test_a_span_holds_every_value(expr: Any, seed: int) -> None:
    rng = random.Random(seed)
    cell = tuple(tuple(sorted(F(rng.randint(-8, 8), 4) for _ in range(2))) for _ in range(2))
    found = span(expr, cell, Knowledge())
    for _ in range(12):
        x = tuple(low + (high - low) * F(rng.randint(0, 16), 16) for low, high in cell)
        value = evaluate(expr, x)
        assert found.low is None or found.low.value() <= value
        assert found.high is None or value <= found.high.value()


@settings(max_examples=60, deadline=None)
@given(expressions())
def test_expressions_survive_json(expr: Any) -> None:
    assert read_expr(expr_json(expr), 2) == expr


@pytest.mark.parametrize("step", ["0", "-1"])
def test_multiples_of_what_is_not_positive_are_refused(step: str) -> None:
    with pytest.raises(Rejected):
        span(read_expr(["mod", ["x", 0], step], 1), ((F(0), F(1)),), Knowledge())


def test_clipping_at_a_released_level_gives_that_level() -> None:
    known = Knowledge()
    known.define("$1", (F(1, 100), INF))
    found = span(["min", ["max", ["x", 0], number(0)], Poly.symbol("$1")], ((F(0), F(1)),), known)
    assert (found.low, found.high) == (Poly(), Poly.symbol("$1"))


@pytest.mark.parametrize(
    "bad",
    [
        ["x", 5],
        ["y", 0],
        ["log"],
        ["if", "1", "2", "3"],
        ["clip", 3, ["1"], "1", 0],
        7,
        ["mod", "1", ["x", 0]],
        ["mod"],
    ],
)
def test_malformed_expressions(bad: Any) -> None:
    with pytest.raises(Rejected):
        read_expr(bad, 2)


# moves


def test_cells_and_moves_of_an_interval() -> None:
    stated = {"inputs": "records", "low": "0", "high": "1", "cuts": [["1/2"]]}
    added = read_inputs({**stated, "relation": "add-remove"})
    replaced = read_inputs({**stated, "relation": "substitute"})
    assert len(added.cells) == 5
    assert added.touching([1, 3]) == [1, 3]
    assert set(replaced.touching([1])) == {(0, 1), (1, 1), (1, 2), (1, 3), (1, 4)}  # an open cell with itself
    assert (0, 0) not in replaced.touching([0])


@pytest.mark.parametrize(
    "bad",
    [
        {"inputs": "records", "relation": "other", "points": ["a", "b"]},
        {"inputs": "records", "relation": "substitute", "points": ["a", "a"]},
        {"inputs": "records", "relation": "substitute", "low": "0", "high": "1", "cuts": [["2"]]},
        {"inputs": "records", "relation": "substitute", "low": "0", "high": "1", "cuts": []},
        {"inputs": "answers", "moves": "l2", "by": "1", "whole": False, "size": 2},
        {"inputs": "answers", "moves": "all", "by": "0", "whole": False, "size": 2},
    ],
)
def test_malformed_inputs(bad: Any) -> None:
    with pytest.raises(Rejected):
        read_inputs(bad)


# rules


def test_delta_of_a_normal_shift() -> None:
    for mu, eps in ((1, 1), (F(1, 2), F(1, 4)), (3, 2)):
        m, e = float(mu), float(eps)
        truth = norm.cdf(m / 2 - e / m) - math.exp(e) * norm.cdf(-m / 2 - e / m)
        assert float(normal_delta(F(mu) ** 2, F(eps))) == pytest.approx(truth)


def test_conversion_of_renyi_divergences_lies_above_the_truth() -> None:
    """N(0,1) against N(1,1) has divergence α/2; the converted δ is never below the true one."""
    for eps in (F(1), F(2), F(3)):
        true = normal_delta(F(1), eps)
        assert all(renyi_delta(F(a), F(a, 2), eps) >= true for a in range(2, 30))


def test_a_pure_sample_costs_less_and_a_full_one_the_same() -> None:
    assert float(amplified([pure(ONE)], F(1, 4)).pure.value()) == pytest.approx(math.log(1 + (math.e - 1) / 4))
    assert float(amplified([pure(ONE)], F(1)).pure.value()) == pytest.approx(1)
    with pytest.raises(Rejected, match="different kinds"):
        amplified([pure(ONE), gaussian(ONE)], F(1, 4))


def test_a_full_gaussian_sample_has_the_divergence_of_a_normal_shift() -> None:
    cost = amplified([gaussian(number(F(1, 4)))], F(1))
    assert float(cost.sampled[0]) == pytest.approx(2 * 0.25 / 2)  # order 2


def test_rules_by_kind() -> None:
    claim = {"kind": "pure", "epsilon": EPS}
    assert conclude(pure(EPS), claim)
    assert conclude(pure(EPS * F(3, 2)), claim) is None
    assert conclude(gaussian(ONE), claim) is None
    assert conclude(pure(ONE) + gaussian(ONE), {"kind": "gaussian", "mu": number(2)}) is None
    assert conclude(gaussian(number(4)), {"kind": "gaussian", "mu": number(2)})
    assert conclude(gaussian(number(4), discrete=True), {"kind": "gaussian", "mu": number(2)}) is None
    assert conclude(gaussian(number(4), discrete=True), {"kind": "zcdp", "rho": number(2)})
    assert conclude(pure(ONE), {"kind": "zcdp", "rho": number(F(1, 2))})
    assert conclude(pure(ONE, bounded=True), {"kind": "zcdp", "rho": number(F(1, 8))})
    assert conclude(pure(ONE), {"kind": "zcdp", "rho": number(F(1, 8))}) is None


def test_pure_beside_gaussian_is_tight_where_nothing_is_pure() -> None:
    delta = normal_delta(F(1), F(1))
    claim = {"kind": "approximate", "epsilon": ONE, "delta": Poly.constant(delta)}
    assert conclude(gaussian(ONE), claim)[0] == "pure beside Gaussian"
    less = {**claim, "delta": Poly.constant(delta * F(999, 1000))}
    assert conclude(gaussian(ONE), less) is None


def test_a_delta_is_added_and_spoils_other_guarantees() -> None:
    cost = pure(ONE) + Cost(delta=F(1, 10))
    assert conclude(cost, {"kind": "approximate", "epsilon": ONE, "delta": number(F(1, 10))})
    assert conclude(cost, {"kind": "approximate", "epsilon": ONE, "delta": number(F(1, 11))}) is None
    assert conclude(cost, {"kind": "zcdp", "rho": number(9)}) is None


def test_the_larger_of_two_costs_is_above_both() -> None:
    both = larger(pure(EPS) + gaussian(ONE), pure(EPS * 2))
    assert both.pure == EPS * 2
    assert both.normal == ONE


# transcripts

UNIT = {"inputs": "records", "relation": "add-remove", "low": "0", "high": "1", "cuts": [[]]}


def certificate(*steps: Any, inputs: Any = UNIT, epsilon: Any = "eps") -> dict[str, Any]:
    stated = {"kind": "pure", "epsilon": epsilon}
    return {"type": "program-composition", "inputs": inputs, "open": ["eps"], "guarantee": stated,
            "transcript": list(steps), "parts": []}  # fmt: skip


COUNT = ["sum", "%1", [["*", "1"]]]
NOISE = ["draw", "~1", "laplace", {"scale": "eps^-1"}]
RELEASE = ["release", "$1", {"%1": "1"}, "~1"]
RETURN = ["return", ["number", "$1"]]


def test_the_smallest_transcript() -> None:
    found = check(certificate(COUNT, NOISE, RELEASE, RETURN))
    assert found.sizes == "any"
    assert found.relation == {"inputs": "records", "relation": "add-remove", "low": "0", "high": "1"}
    assert found.guarantee == {"kind": "pure", "epsilon": ((F(1), (("eps", 1),)),)}


@pytest.mark.parametrize(
    "steps",
    [
        (COUNT, NOISE, RELEASE, ["give", "$2", "~1"], RETURN),  # the noise is shown
        (COUNT, NOISE, RELEASE, RELEASE, RETURN),
        (COUNT, NOISE, RELEASE, ["return", ["number", "%1"]]),  # the count in clear
        (COUNT, NOISE, RELEASE, ["return", ["number", {"$1": "1", "~1": "-1"}]]),
        (COUNT, ["draw", "~1", "laplace", {"scale": "%1"}], RELEASE, RETURN),
        (COUNT, ["draw", "~1", "gaussian", {"scale": "eps^-1"}], RELEASE, RETURN),
        (COUNT, ["draw", "~1", "gaussian", {"std": "1"}], RELEASE, RETURN),
        (COUNT, ["draw", "~1", "uniform", {"low": "0", "high": "9"}], RELEASE, RETURN),
        (NOISE, RELEASE, RETURN),
        (COUNT, NOISE, RELEASE, RETURN, RETURN),
        (COUNT, NOISE, RELEASE, ["if", ">", "%1", [RETURN], [RETURN]]),
        (COUNT, NOISE, RELEASE, ["if", ">", "$1", [RETURN]]),
        (COUNT, NOISE, RELEASE, ["pick", "$1", [[RETURN], [RETURN]]]),
        (["sum", "%1", [["*", ["x", 1]]]], NOISE, RELEASE, RETURN),
        (["sum", "%1", [["*", "2"]]], NOISE, RELEASE, RETURN),
        (["sum", "%1", [["*", "1"]], "s1"], NOISE, RELEASE, RETURN),
        (COUNT, ["repeat", 2, {}, [NOISE, RELEASE, ["join", {}]]], ["stop"]),
        (COUNT, NOISE, ["repeat", 1, {}, [RELEASE, ["join", {}]]], ["stop"]),  # a draw from before the loop
    ],
)
def test_transcripts_that_are_refused(steps: tuple[Any, ...]) -> None:
    assert not examine(certificate(*steps))


def test_branches_are_charged_by_the_dearer_one() -> None:
    more = [["draw", "~2", "laplace", {"scale": {"eps^-1": "2"}}], ["release", "$2", {"%1": "1"}, "~2"], ["stop"]]
    steps = (COUNT, ["draw", "~1", "laplace", {"scale": {"eps^-1": "2"}}], RELEASE, ["if", ">", "$1", more, [RETURN]])
    assert examine(certificate(*steps))
    assert not examine(certificate(*steps, epsilon={"eps": "99/100"}))


def test_bins_that_share_no_record_cost_what_one_costs() -> None:
    points = {"inputs": "records", "relation": "add-remove", "points": ["int:0", "int:1", "int:2"]}
    steps = []
    for k in range(3):
        steps += [["sum", f"%{k}", [[[k], "1"]]], ["draw", f"~{k}", "laplace", {"scale": "eps^-1"}],
                  ["release", f"${k}", {f"%{k}": "1"}, f"~{k}"]]  # fmt: skip
    assert examine(certificate(*steps, ["stop"], inputs=points))
    assert not examine(certificate(*steps, ["stop"], inputs={**points, "relation": "substitute"}))
    assert examine(certificate(*steps, ["stop"], inputs={**points, "relation": "substitute"}, epsilon={"eps": "2"}))


def test_names_of_the_kernel_cannot_be_defined() -> None:
    assert not examine(certificate(["let", "$_inverse1", "max", ["1"]], COUNT, NOISE, RELEASE, RETURN))


def test_integer_noise_wants_whole_numbers() -> None:
    whole = ["draw", "~1", "discrete_laplace", {"scale": "eps^-1"}]
    assert examine(certificate(COUNT, whole, RELEASE, RETURN))
    assert not examine(certificate(["sum", "%1", [["*", ["x", 0]]]], whole, RELEASE, RETURN))
    assert not examine(certificate(COUNT, whole, ["release", "$1", {"%1": "1/2"}, "~1"], RETURN))
