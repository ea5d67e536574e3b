"""Sensitivities with exact expectations: the 49 functions of the exam, and more; each is compared with a search."""

from __future__ import annotations

from fractions import Fraction

import pytest
from tests.proofs.sensitivity.oracle import largest_move

import dpwitness as dpw
from dpwitness.core.errors import BadInput, OutsideFragment
from dpwitness.proofs.kernel.check import check

ALL = "every n >= 1: "
CHAIN = "for i in range(n-1)"
EXPECTED = {
    "sum(x)": [ALL + "1"],
    "prod(x)": [ALL + "1"],
    "max(x)": [ALL + "1"],
    "min(x)": [ALL + "1"],
    "mean(x)": [ALL + "1/n"],
    "sqrt(sum(x**2))": [ALL + "1"],
    f"sum(abs(x[i] - x[i+1]) {CHAIN})": ["n = 1: 0", "n = 2: 1", "every n >= 3: 2"],
    "sum(abs(x - mean(x)))": [ALL + "(2*n - 2)/n"],
    "sum((x - mean(x))**2)": [ALL + "(n - 1)/n"],
    "sum((x - 1)**2)": [ALL + "1"],
    "sum(x**2)": [ALL + "1"],
    "sum(x**3)": [ALL + "1"],
    "sum(sqrt(x))": [ALL + "1"],
    "sum(log(x + 1))": [ALL + "log(2)"],
    "sum(exp(x))": [ALL + "exp(1) - 1"],
    "sum(sin(pi*x))": [ALL + "1"],
    "sum(cos(pi*x))": [ALL + "2"],
    "sum(atan(x))": [ALL + "(1/4)*pi"],
    "sum(x*(1 - x))": [ALL + "1/4"],
    "sum(x**2*(1 - x)**2)": [ALL + "1/16"],
    "median(x)": ["every n = 1, 3, 5, ...: 1", "every n = 2, 4, 6, ...: 1/2"],
    "quantile(x, 3/4) - quantile(x, 1/4)": ["n = 1: 0", "every n >= 2: 1"],
    "sum(x > 0.5)": [ALL + "1"],
    "sum(1/4 <= x <= 3/4)": [ALL + "1"],
    f"sum(x[i]*x[i+1] {CHAIN})": ["n = 1: 0", "n = 2: 1", "every n >= 3: 2"],
    "(sum(x)**2 - sum(x**2))/2": [ALL + "n - 1"],
    "sum(x[2*i] - x[2*i+1] for i in range(n//2))": ["n = 1: 0", "every n >= 2: 1"],
    "sum(x)**2": [ALL + "2*n - 1"],
    "sum((i+1)*x[i] for i in range(n))": [ALL + "n"],
    "sum(x) > n/2": [ALL + "1"],
    "sum(x > 0.7)": [ALL + "1"],
    "prod(x > 0.3)": [ALL + "1"],
    "x[0] > x[1]": ["every n >= 2: 1"],
    "sum(x > 0.5) % 2": [ALL + "1"],
    "log(1 + sum(x**2))": [ALL + "log(2)"],
    "sqrt(sum((x[i] - x[(i+1) % n])**2 for i in range(n)))": ["n = 1: 0", "every n >= 2: sqrt(2)"],
    "sum(x**2)/(1 + sum(x))": [ALL + "1/2"],
    "exp(-sum(x**2))": [ALL + "(exp(1) - 1)/exp(1)"],
    "sum(1/(1 + x**2))": [ALL + "1/2"],
    "sum(sigmoid(x))": [ALL + "((1/2)*exp(1) - 1/2)/(exp(1) + 1)"],
    "sum(x*exp(x))/sum(exp(x))": [ALL + "exp(1)/(n + exp(1) - 1)"],
    "sum(abs(x - 1/2))": [ALL + "1/2"],
    f"sum((x[i] - x[i+1])**2 {CHAIN})": ["n = 1: 0", "n = 2: 1", "every n >= 3: 2"],
    "sum(x[perm(i)] for i in range(n))": [ALL + "1"],
    "sum(x[j] < x[0] for j in range(n))": ["n = 1: 0", "every n >= 2: n - 1"],
    "sum(x[i] for i in range(1, n, 2))": ["n = 1: 0", "every n >= 2: 1"],
    "sum(x[i]/(i+1) for i in range(n))": [ALL + "1"],
    "sum(-x*log(x + 2))": [ALL + "log(3)"],
    "sum(abs(x[i] - (i+1)/n) for i in range(n))": [ALL + "1"],
}


MORE = {
    "log(sum(exp(x)))": [ALL + "log((n + exp(1) - 1)/n)"],
    "sqrt(mean(x**2))": [ALL + "sqrt(1/n)"],
    "sqrt(sum((x - mean(x))**2))": [ALL + "sqrt((n - 1)/n)"],
    "sum((x - mean(x))**2)/(n - 1)": ["every n >= 2: 1/n"],
    "sum(abs(x - mean(x)))/n": [ALL + "(2*n - 2)/(n**2)"],
    "sum(x**2) - sum(x)": [ALL + "1/4"],
    "x[0]*sum(x)": [ALL + "n"],
    "mean(x) - x[0]": ["n = 1: 0", "every n >= 2: (n - 1)/n"],
    "max(x) - min(x)": ["n = 1: 0", "every n >= 2: 1"],
    "low_median(x)": [ALL + "1"],
    "sum(x)*mean(x)": [ALL + "(2*n - 1)/n"],
}


@pytest.mark.parametrize(("formula", "expected"), MORE.items(), ids=lambda v: v if isinstance(v, str) else "")
def test_more_functions(formula: str, expected: list[str]) -> None:
    found = dpw.sensitivity(formula)
    assert [case.describe() for case in found.cases] == expected
    for n in (3, 4):
        assert largest_move(found.function, n) == pytest.approx(float(found.at(n)[1]), abs=1e-9)


def test_a_soft_max_weight() -> None:
    (*_, late) = dpw.sensitivity("exp(x[0])/sum(exp(x))").cases
    assert late.describe() == "every n >= 3: (n*exp(1) - n - exp(1) + 1)/(n**2 + n*exp(1) - n)"


def test_sums_of_functions_add_their_bounds() -> None:
    found = dpw.sensitivity("median(x) + mean(x)")
    assert [case.describe() for case in found.cases] == [ALL + "at most (n + 1)/n, and at least 2 at n = 1"]
    assert found.at(4) == (0, Fraction(5, 4))


def test_there_are_49_functions() -> None:
    assert len(EXPECTED) == 49


@pytest.mark.parametrize(("formula", "expected"), EXPECTED.items(), ids=lambda v: v if isinstance(v, str) else "")
def test_the_sensitivity_is_exact_and_certified(formula: str, expected: list[str]) -> None:
    found = dpw.sensitivity(formula)
    assert [case.describe() for case in found.cases] == expected
    assert found.sharp
    assert check(found.certificate).statement == found.statement
    for case in found.cases:
        n = case.sizes.first
        low, high = found.at(n)
        assert high - low < Fraction(1, 10**20)
        search = largest_move(found.function, n)
        assert search <= float(high) + 1e-9
        pair = found.pair(n)
        assert high == 0 or pair is not None
        at_pair = largest_move_of(found.function[0], *pair) if pair else 0.0
        assert at_pair == pytest.approx(float(high), abs=1e-9)


def largest_move_of(source: str, left: tuple[Fraction, ...], right: tuple[Fraction, ...]) -> float:
    from tests.proofs.sensitivity.oracle import evaluate

    return abs(evaluate(source, [float(v) for v in left]) - evaluate(source, [float(v) for v in right]))


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("sum(x)", "every n >= 0: 1"),
        ("mean(x)", "every n >= 1: 1/(n + 1)"),
        ("prod(x)", "every n >= 0: 1"),
        ("sum(x)**2", "every n >= 0: 2*n + 1"),
        ("sum(x)/(n + 1)", "every n >= 0: 1/(n + 2)"),
        ("exp(-sum(x))", "every n >= 0: (exp(1) - 1)/exp(1)"),
        ("sqrt(sum(x**2))", "every n >= 0: 1"),
    ],
)
def test_records_added_or_removed(formula: str, expected: str) -> None:
    found = dpw.sensitivity(formula, dpw.Records(dpw.Interval(0, 1), 3, "add-remove"), n="any")
    assert [case.describe() for case in found.cases] == [expected]
    for n in (1, 2, 4):
        assert largest_move(found.function, n, relation="add-remove") == pytest.approx(float(found.at(n)[1]))


@pytest.mark.parametrize(
    ("norm", "expected"), [("l1", "2"), ("l2", "sqrt(2)"), ("linf", "1")]
)  # a record leaves one bin for the other
def test_norms_of_a_histogram(norm: str, expected: str) -> None:
    found = dpw.sensitivity(["sum(x < 1/2)", "sum(x >= 1/2)"], norm=norm)  # type: ignore[arg-type]
    assert [case.describe() for case in found.cases] == [ALL + expected]


def test_another_interval() -> None:
    space = dpw.Records(dpw.Interval(-1, 3), 2)
    assert dpw.sensitivity("sum(x**2)", space).cases[0].describe() == "n = 2: 9"
    assert dpw.sensitivity("sum(log(x))", dpw.Records(dpw.Interval("1/10", 1), 2), n="any").sharp
    assert dpw.sensitivity("max(x)", space, n="any").cases[0].describe() == ALL + "4"


def test_parameters() -> None:
    found = dpw.sensitivity("sum(-x*log(x + delta))", params={"delta": (1, None)})
    assert [case.describe() for case in found.cases] == [ALL + "log(1 + delta)"]
    centred = dpw.sensitivity("sum((x - mu)**2)", params={"mu": (0, 1)})
    assert [case.describe() for case in centred.cases] == [ALL + "at most 1"]
    with pytest.raises(BadInput, match="give them values"):
        found.at(3)


def test_what_is_not_attained_is_an_enclosure() -> None:
    found = dpw.sensitivity("sum(sin(5*x))", n=2)
    assert not found.sharp
    low, high = found.at(2)
    search = largest_move(found.function, 2, count=400)
    assert low - Fraction(1, 10**6) <= search <= high


@pytest.mark.parametrize(
    ("formula", "why"),
    [
        ("sum(log(x))", "logarithm|no range|defined"),
        ("sum(1/x)", "denominator|zero"),
        ("1/sum(x)", "denominator|zero"),
        ("sum(x)/sum(x)", "denominator|zero"),
        ("x[n]", "no bound"),
        ("sum(x[i+1] for i in range(n))", "no bound"),
        ("sum(x[i-1] for i in range(n))", "no bound"),
        ("sqrt(sum(x) - 1)", "no bound"),
        ("sum(x[i]/(i - 1) for i in range(n))", "no bound"),
        ("0*sum(log(x))", "no bound"),
        ("0*log(x[0]) + sum(x)", "no bound"),
    ],
)
def test_functions_without_a_value_everywhere_are_refused(formula: str, why: str) -> None:
    with pytest.raises(OutsideFragment, match=why):
        dpw.sensitivity(formula)


OTHERS = ["", "x", "foo(x)", "sum(y)", "sorted(x)[0]", "sum(x[1:])", "__import__('os')", "sum(x if x > 0 else 1)",
          "lambda: 1", "sum(x for x in y)", "x[0:1]", "'a'"]  # fmt: skip


@pytest.mark.parametrize("formula", OTHERS)
def test_other_formulas_are_refused_with_advice(formula: str) -> None:
    with pytest.raises((BadInput, OutsideFragment), match=r"[Ww]rite|one loop|loop over"):
        dpw.sensitivity(formula)


def test_odd_input_is_refused() -> None:
    with pytest.raises(BadInput, match="n=0"):
        dpw.sensitivity("sum(x)", n=0)
    with pytest.raises(BadInput, match="interval"):
        dpw.sensitivity("sum(x)", dpw.Records((0, 1), 3))
    with pytest.raises(BadInput, match="in no case"):
        dpw.sensitivity("x[0] > x[1]").at(1)
