"""Certificates about functions that try to have something false accepted, one for each idea."""

from __future__ import annotations

from typing import Any

import pytest

from dpwitness.proofs.kernel.check import check, examine
from dpwitness.proofs.kernel.limits import Rejected

ZERO_ONE = {"others": "0", "old": "0", "new": "1", "place": "0"}
RANGE: dict[str, Any] = {"by": "range"}


def difference(**changes: Any) -> dict[str, Any]:
    return {"by": "difference", "ranges": [], "shares": [], "written": False, "cuts": {}} | changes


def certificate(formula: str | list[str], bound: str, proof: dict[str, Any], sizes: dict[str, Any], **more: Any) -> Any:
    case = {"sizes": sizes, "bound": bound, "proof": proof, "witness": more.pop("witness", None)}
    texts = [formula] if isinstance(formula, str) else formula
    base = {"params": {}, "records": ["0", "1"], "relation": "substitute", "norm": "l1"}
    return {"type": "sensitivity", "formula": texts, **base, **more, "cases": [case]}


def violation(formula: str, scale: str, where: dict[str, Any], **more: Any) -> dict[str, Any]:
    function = {"formula": [formula], "params": {}, "records": ["0", "1"], "relation": "substitute", "norm": "l1"}
    base = {"type": "function-release-violation", "kind": "release", "noise": "laplace", "scale": scale}
    return (
        {**base, "params": {}, "where": where, "columns": None, "eps": None}
        | more
        | {"function": function | more.get("function", {})}
    )


def family(sizes: dict[str, Any], bound: str, witness: Any, reach: str = "1") -> dict[str, Any]:
    return {"sizes": sizes, "bound": bound, "witness": witness, "reach": reach}


ALL: dict[str, Any] = {"from": 1}
SUM = "sum(x[i] for i in range(n))"
OTHER_SUM = "sum(x[j] for j in range(n))"
FALSE: dict[str, Any] = {
    "a bound that is too small": certificate(SUM, "999/1000", difference(), ALL),
    "a bound for n - 1": certificate(f"{SUM}**2", "2*n-2", difference(), ALL),
    "0/0 at n records equal to 0": certificate(f"{SUM}/{SUM}", "0", difference(), ALL),
    "1/x at 0": certificate("sum(1/x[i] for i in range(n))", "1", difference(), ALL),
    "log 0 times 0": certificate("0*sum(log(x[i]) for i in range(n))", "0", difference(), ALL),
    "log 0 in a comparison": certificate("sum(log(x[i]) for i in range(n)) > 0", "1", RANGE, ALL),
    "a division that cancels": certificate("sum(x[i]/x[i] for i in range(n))", "0", difference(), ALL),
    "a constant that is undefined": certificate("1/(n-3)", "0", difference(), {"only": 3}),
    "the same, written out": certificate("1/(n-3)", "0", difference(written=True), {"only": 3}),
    "the root of a negative number": certificate(f"sqrt({SUM} - 1)", "1", difference(by="sqrt"), ALL),
    "an index beyond the last record": certificate("sum(x[i+1] for i in range(n))", "1", difference(), ALL),
    "an index below 0": certificate("sum(x[i-1] for i in range(n))", "1", difference(), ALL),
    "a record that does not exist": certificate("x[0] > x[1]", "1", RANGE, ALL),
    "a weight that is undefined for one index": certificate(
        "sum(x[i]/(i-2) for i in range(n))", "1", difference(), ALL),
    "no records": certificate(SUM, "1", difference(), {"from": 0}),
    "three records are not two": certificate(
        "sum(Abs(x[i]-x[i+1]) for i in range(n-1))", "1", difference(), {"from": 2}
    ),
    "a circle of one record": certificate("sum((x[i]-x[(i+1)%n])**2 for i in range(n))", "2", difference(), ALL),
    "the median of odd and even numbers": certificate("median(x)", "1/2", {"by": "order"}, ALL),
    "a parity of something not whole": certificate("sum(x[i] for i in range(n)) % 2", "1", RANGE, ALL),
    "an attained bound that is attained at odd n only": certificate(
        "median(x)", "1", {"by": "order"}, ALL, witness="order"
    ),
    "a family with a record that does not exist": certificate(
        "sum(x[i] for i in range(1, n, 2))", "1", difference(), ALL, witness={**ZERO_ONE, "place": "1"}
    ),
    "a family with a record outside the interval": certificate(
        SUM, "2", difference(), ALL, witness={**ZERO_ONE, "new": "2"}),
    "a family that moves less": certificate(SUM, "2", difference(), ALL, witness=ZERO_ONE),
    "a pair that is no pair of neighbours": certificate(
        SUM, "1", difference(), {"only": 2}, witness={"left": ["0", "0"], "right": ["1", "1"], "move": "1"}
    ),
    "a pair of other sizes": certificate(
        SUM, "1", difference(), {"only": 3}, witness={"left": ["0", "0"], "right": ["0", "1"], "move": "1"}
    ),
    "a parameter with the name of a symbol": certificate(
        f"A0*{SUM}", "1", difference(), ALL, params={"A0": ["0", "2"]}
    ),
    "a parameter called n": certificate("n*x[0]", "1", difference(written=True), {"only": 2}, params={"n": ["0", "1"]}),
    "a share of a product in a sum": certificate(
        f"prod(x[i]**2 for i in range(n))*100 - {SUM}", "2",
        difference(shares=[{"of": "rest:0", "factor": "z", "whole": "rest:1"}]), ALL),
    "a share with a factor that is none": certificate(
        f"sum(x[i]**2 for i in range(n))/(1 + {SUM})", "1/4",
        difference(shares=[{"of": "rest:0", "factor": "1/2", "whole": "rest:1"}]), ALL),
    "a range that is too narrow": certificate(
        "sum(exp(x[i]) for i in range(n))", "1",
        difference(ranges=[{"formula": "exp(z)", "low": "1", "high": "2",
                            "pieces": [{"to": "1", "by": "rising", "slope": {"by": "interval"}}]}]), ALL),
    "a range of half of the interval": certificate(
        "sum(exp(x[i]) for i in range(n))", "exp(1/2) - 1",
        difference(ranges=[{"formula": "exp(z)", "low": "1", "high": "exp(1/2)",
                            "pieces": [{"to": "1/2", "by": "rising", "slope": {"by": "interval"}}]}]), ALL),
    "a range of a jump": certificate(
        "sum(sign(x[i] - 1/2) for i in range(n))", "1",
        difference(ranges=[{"formula": "sign(z - 1/2)", "low": "-1", "high": "0",
                            "pieces": [{"to": "1/2", "by": "rising", "slope": {"by": "interval"}},
                                       {"to": "1", "by": "rising", "slope": {"by": "interval"}}]}]), ALL),
    "a range of a root, simplified away": certificate(
        "sum(0*log(x[i]) for i in range(n))", "0",
        difference(ranges=[{"formula": "0*log(z)", "low": "0", "high": "0", "pieces": [{"to": "1", "by": "inside"}]}]),
        ALL),
    "added records and their number": certificate(
        f"{SUM}/n", "1/n", difference(), {"from": 0}, relation="add-remove"),
    "added records and places": certificate(
        "sum(x[i]*x[i+1] for i in range(n-1))", "1", difference(), {"from": 2}, relation="add-remove"),
    "two names of one record": certificate("x[0] + x[n-1]", "1", difference(), ALL),
    "a factor that depends on the number of records": certificate(
        f"n*{SUM}", "n", {"by": "scaled", "bound": "1", "proof": difference()}, {"from": 0}, relation="add-remove"),
    "a part that is left out": certificate(
        f"{SUM} + max(x)", "1", {"by": "parts", "parts": [{"bound": "1", "proof": difference()}]}, ALL),
    "parts that are too small together": certificate(
        f"max(x) + {SUM}", "3/2", {"by": "parts", "parts": [{"bound": "1", "proof": {"by": "order"}},
                                                           {"bound": "1", "proof": difference()}]}, ALL),
    "a factor that may be negative": certificate(
        f"(1-n)*{SUM}", "0", {"by": "scaled", "bound": "1", "proof": difference()}, ALL),
    "a norm that is too small": certificate([SUM, SUM], "1", difference(), ALL, norm="l1"),
    "an l2 norm that is negative": certificate([SUM, SUM], "-sqrt(2)", difference(), ALL, norm="l2"),
    "an own index in an inner sum": certificate(
        "sum(Abs(x[i] - sum(x[j]*i for j in range(n))) for i in range(n))", "2",
        {"by": "terms", "own": "1", "other": "1/n", "same": "0"}, ALL),
    "a term rule for a sum of part of the records": certificate(
        "sum(x[i] < x[0] for i in range(1, n))", "1/2", {"by": "terms", "own": "1", "other": "0", "same": "0"}, ALL),
    "a rank that does not move": certificate(
        "sum(x[i] < x[0] for i in range(n))", "1", {"by": "terms", "own": "1", "other": "0", "same": "0"}, ALL),
    "a circle that is too small, in a violation": violation(
        "sum((x[i]-x[(i+2)%n])**2 for i in range(n))", "1", family({"only": 2}, "2", {**ZERO_ONE, "others": "0"})),
    "a place far away, in a violation": violation(
        "sum(x[i]*x[(i+5)%n] for i in range(n))", "1/4", family({"from": 2}, "1", {**ZERO_ONE, "others": "1"})),
    "a record that does not exist, in a violation": violation(
        "x[4] + 2*x[0]", "1", family(ALL, "2", ZERO_ONE)),
    "a maximum of a sum that changes": violation(  # the function is 0
        f"sum(x[i] - max({OTHER_SUM}, 0)/n for i in range(n))", "1/2",
        family({"from": 5}, "1", {**ZERO_ONE, "old": "3", "new": "4"}), function={"records": ["0", "10"]}),
    "terms with their index that hold a sum that changes": violation(  # the function is 0
        f"sum(x[i] - {OTHER_SUM}/n + i - i for i in range(n))", "1/2", family({"from": 5}, "1-1/n", ZERO_ONE)),
    "places of different strides, in a violation": violation(  # it moves by 18
        "sum(x[i]*x[2*i] for i in range(n//2))", "50",
        family({"from": 6}, "99", {"others": "1", "old": "1", "new": "10", "place": "1"}),
        function={"records": ["0", "10"]}),
    "two numbers by the sum of their moves": violation(  # the squares of the moves sum to 2
        "x[0]", "3", {"left": ["0"], "right": ["1"]}, noise="gaussian-zcdp", function={"formula": ["x[0]", "x[0]"]}),
    "any order beside a known one": certificate(
        "sum(i*x[perm(i)] for i in range(n)) - sum(i*x[i] for i in range(n))", "0", difference(written=True),
        {"only": 3}),
    "the number of records, where one is added": certificate("n", "0", RANGE, {"only": 3}, relation="add-remove"),
    "a violation where the noise is enough": violation(SUM, "1", family(ALL, "1", ZERO_ONE)),
    "a violation of a selection with two columns": violation(
        SUM, "1", family(ALL, "1", ZERO_ONE), kind="selection", noise="gumbel", columns=2, eps="1"),
    "a violation with a reach that is not reached": violation(
        SUM, "2", family(ALL, "1", ZERO_ONE, "3"), kind="selection", noise="gumbel", columns=3, eps="1"),
    "columns that cannot move against each other": violation(
        SUM, "1", {"left": ["0"], "right": ["0", "1"]}, kind="selection", noise="gumbel", columns=3, eps="1",
        function={"relation": "add-remove"}),
    "a scale that depends on a number of records that changes": {
        "type": "function-release", "kind": "release", "noise": "laplace", "scale": "1/n",
        "function": certificate(f"{SUM}/n", "1/(n+1)", difference(), {"from": 1}, relation="add-remove")},
    "a release of a bound that is too large": {
        "type": "function-release", "kind": "selection", "noise": "laplace", "scale": "1",
        "function": certificate(SUM, "1", difference(), ALL)},
    "a release with two outputs": {
        "type": "function-release", "kind": "release", "noise": "laplace", "scale": "2",
        "function": certificate([SUM, SUM], "2", difference(), ALL)},
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_false_certificates_are_rejected(name: str) -> None:
    with pytest.raises(Rejected) as caught:
        check(FALSE[name])
    assert "malformed" not in str(caught.value), "refused for its form and not for what it says"


TRUE = {
    "the bound that is just right": certificate(SUM, "1", difference(), ALL, witness=ZERO_ONE),
    "a larger one": certificate(SUM, "1001/1000", difference(), ALL),
    "the circle of two": certificate("sum((x[i]-x[(i+1)%n])**2 for i in range(n))", "2", difference(), {"from": 2}),
    "the median of even numbers": certificate(
        "median(x)", "1/2", {"by": "order"}, {"from": 2, "step": 2}, witness="order"
    ),
    "a parameter with a harmless name": certificate(
        f"A0*{SUM}", "2", difference(), ALL, params={"A0": ["0", "2"]}
    ),
    "two names of two records": certificate("x[0] + x[n-1]", "1", difference(), {"from": 2}),
    "a factor that does not depend on the number of records": certificate(
        f"{SUM}*2", "2", {"by": "scaled", "bound": "1", "proof": difference()}, {"from": 0}, relation="add-remove"),
    "parts that are large enough": certificate(
        f"max(x) + {SUM}", "2", {"by": "parts", "parts": [{"bound": "1", "proof": {"by": "order"}},
                                                         {"bound": "1", "proof": difference()}]}, ALL),
    "two sums in one": certificate([SUM, SUM], "2", difference(), ALL),
    "added records": certificate(f"{SUM}/n", "1/(n+1)", difference(), ALL, relation="add-remove"),
    "a circle of three with a gap of two": violation(
        "sum((x[i]-x[(i+2)%n])**2 for i in range(n))", "1", family({"from": 3}, "2", ZERO_ONE)),
    "a violation of a selection with three columns": violation(
        SUM, "1", family(ALL, "1", ZERO_ONE), kind="selection", noise="gumbel", columns=3, eps="1"),
}  # fmt: skip


@pytest.mark.parametrize("name", TRUE)
def test_the_true_ones_beside_them_are_accepted(name: str) -> None:
    """The false ones are refused for what is false in them, and not for their form."""
    checked = examine(TRUE[name])
    assert checked.valid, checked.reason


def test_a_theorem_about_a_function_decides_no_claim_about_a_program() -> None:
    import dpwitness as dpw
    from dpwitness.core.judging.matching import foreign_reason

    @dpw.mechanism(data=dpw.Records(dpw.Interval(0, 1), 2), claim=lambda eps: dpw.PureDP(eps), typical={"eps": 1})
    def noisy_sum(noise, data, *, eps):  # type: ignore[no-untyped-def]
        return sum(data) + noise.laplace(1 / eps)

    (claim,) = noisy_sum.claims(eps=1)
    theorem = check({"type": "function-release", "kind": "release", "noise": "laplace", "scale": "1",
                     "function": TRUE["the bound that is just right"]})  # fmt: skip
    assert "function of records" in (foreign_reason(theorem, claim, str) or "")


def test_a_witness_is_described_as_the_pair_that_was_compared() -> None:
    import dpwitness as dpw
    from dpwitness import Interval, Records

    for relation, words in (("substitute", "x[0] from -1 to 1"), ("add-remove", "a record -1 more")):
        found = dpw.sensitivity("sum(x)", Records(Interval(-1, 1), (1, 2), relation))  # type: ignore[arg-type]
        said = check(found.certificate).statement
        assert words in said
        assert ("x[0] from" in said) is (relation == "substitute")


def test_a_short_number_with_a_long_exponent_is_not_written_out() -> None:
    """Nothing stops the check while Python writes out a billion digits."""
    for number in ("1e99999", "1E+999999999", "1e-999999999"):
        with pytest.raises(Rejected, match="decimal number"):
            check(certificate(f"{number}*x[0]", "1", difference(), ALL))
    check(certificate("1e-3*x[0]", "1/1000", difference(), ALL))
