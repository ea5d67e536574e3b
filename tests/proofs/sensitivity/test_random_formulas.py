"""A certified bound is never below the difference of two neighbours: random formulas, evaluated by Python itself."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.proofs.sensitivity.oracle import largest_move

import dpwitness as dpw
from dpwitness.core.errors import BadInput, OutsideFragment

ONE = st.sampled_from(
    ["x[i]", "x[i]**2", "(1-x[i])", "x[i]*(1-x[i])", "exp(x[i])", "(x[i] > 1/3)", "(x[i] <= 1/2)*x[i]", "abs(x[i]-1/3)",
     "sqrt(x[i])", "(x[i]+i)", "x[i]/(i+2)", "x[i]/n", "(i+1)*x[i]", "1/(1+x[i])", "log(2+x[i])", "sin(2*x[i])"]
)  # fmt: skip
TWO = st.sampled_from(["x[i]*x[i+1]", "abs(x[i]-x[i+1])", "(x[i]-x[i+1])**2", "(x[i] > x[i+1])", "x[i]+2*x[i+1]"])


TOTAL = "sum(x[i] for i in range(n))"
SHAPES = [
    "{f}", "{f}", "{f}", "({f})**2", "{f} - {g}", f"({{f}})/(1 + {TOTAL})", "log(1 + ({f})**2)", "({f}) > n/3",
    f"exp(-{TOTAL})*({{f}})",
]  # fmt: skip


@st.composite
def terms(draw: st.DrawFn) -> str:
    body = draw(ONE)
    if draw(st.booleans()):
        body = f"{body}{draw(st.sampled_from(['+', '-', '*']))}{draw(ONE)}"
    return body


@st.composite
def aggregates(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(["sum", "sum", "sum", "mean", "chain", "steps", "order"]))
    if kind == "sum":
        return f"sum({draw(terms())} for i in range(n))"
    if kind == "mean":
        return f"sum({draw(terms())} for i in range(n))/n"
    if kind == "chain":
        return f"sum({draw(TWO)} for i in range(n-1))"
    if kind == "steps":
        start, step = draw(st.integers(0, 1)), draw(st.integers(1, 2))
        return f"sum({draw(terms())} for i in range({start}, n, {step}))"
    return draw(st.sampled_from(["max(x)", "median(x)", "quantile(x, 1/3) - min(x)", "2*max(x) - median(x)"]))


@st.composite
def formulas(draw: st.DrawFn) -> str:
    f = draw(aggregates())
    shape = draw(st.sampled_from(SHAPES))
    return shape.format(f=f, g=draw(aggregates()))


@settings(max_examples=10, deadline=None, suppress_health_check=list(HealthCheck))
@given(formulas(), st.sampled_from(["substitute", "substitute", "add-remove"]), st.integers(0, 2**20))
def test_no_neighbours_differ_by_more_than_the_bound(formula: str, relation: str, seed: int) -> None:
    compare(formula, relation, seed)


def compare(formula: str, relation: str, seed: int) -> bool:
    """Compare the bound with a search; whether there was a bound."""
    space = dpw.Records(dpw.Interval(0, 1), 3, relation)  # type: ignore[arg-type]
    for n in ("any", 3):
        try:
            found = dpw.sensitivity(formula, space, n=n)  # type: ignore[arg-type]
        except (OutsideFragment, BadInput):
            continue
        for size in (1, 2, 3, 4, 7):
            inside = [case for case in found.cases if size in case.sizes]
            if not inside:
                continue
            low, high = found.at(size)
            best = largest_move(found.function, size, relation=relation, seed=seed, count=20)
            assert best <= float(high) + 1e-9, (found.function, size, str(high))
            assert low <= high
            pair = found.pair(size)
            if pair is not None and inside[0].sharp:
                moved = largest_between(found.function[0], pair)
                assert moved == pytest.approx(float(high), abs=1e-9)
        return True
    return False


def largest_between(source: str, pair: tuple[tuple[object, ...], tuple[object, ...]]) -> float:
    from tests.proofs.sensitivity.oracle import evaluate

    left, right = ([float(v) for v in side] for side in pair)  # type: ignore[arg-type]
    return abs(evaluate(source, left) - evaluate(source, right))


@pytest.mark.slow
def test_many_random_formulas() -> None:
    """Thousands of formulas; most of them must be decided, or the test shows nothing."""
    decided: list[bool] = []

    @settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck), database=None)
    @given(formulas(), st.sampled_from(["substitute", "add-remove"]), st.integers(0, 2**20))
    def run(formula: str, relation: str, seed: int) -> None:
        decided.append(compare(formula, relation, seed))

    run()
    assert sum(decided) > len(decided) / 3
