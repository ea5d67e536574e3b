"""Every number of a certificate about a function changed: what is still accepted is still true, by brute force.

Judged by Python's own evaluation of the formula on random and corner neighbours, by float comparisons of bounds, scales
and moves, and by quadrature for selections; nothing of the kernel is used.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from typing import Any

import pytest
from benchmarks.exam.brute import wins
from tests.proofs.kernel.mutate import mutants, put
from tests.proofs.sensitivity.oracle import evaluate, largest_move

import dpwitness as dpw
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.sensitivity.releases import NoisyFunction, decide

CLOSE = 1e-6
FORMULAS = [
    "sum(x**2)/n", "sum(exp(x))", "sum(abs(x[i] - x[i+1]) for i in range(n-1))", "median(x)", "sum(x**2)/(1 + sum(x))",
    "sum(abs(x - mean(x)))", "sum(x[j] < x[0] for j in range(n))", "sqrt(sum(x**2))", "log(1 + sum(x**2))",
    "sum(x > 1/2) % 2", "sum(x[2*i] - x[2*i+1] for i in range(n//2))", "quantile(x, 3/4) - quantile(x, 1/4)",
]  # fmt: skip
RELEASES = [
    NoisyFunction("median(x)", "release", "laplace", "1/2"),
    NoisyFunction("mean(x)", "release", "gaussian-gdp", "(1/n)**2/2"),
    NoisyFunction("sum(x)", "selection", "gumbel", "1"),
    NoisyFunction("max(x)", "selection", "laplace", "1"),
    NoisyFunction("sum(x**2)", "selection", "exponential", "2"),
]


def moved(texts: list[str], left: list[float], right: list[float], norm: str) -> float:
    gaps = [abs(evaluate(t, right) - evaluate(t, left)) for t in texts]
    return max(gaps) if norm == "linf" else math.hypot(*gaps) if norm == "l2" else sum(gaps)


def sizes_of(sizes: Mapping[str, Any]) -> list[int]:
    if "only" in sizes:
        return [sizes["only"]] if sizes["only"] <= 8 else []
    first, step = sizes["from"], sizes.get("step", 1)
    return [n for n in (first, first + step, first + 2 * step) if n <= 8]


def search(function: Mapping[str, Any], n: int) -> float:
    low, high = map(fraction, function["records"])
    return largest_move(
        function["formula"], n, norm=function["norm"], relation=function["relation"], ends=(low, high), count=12
    )


def fraction(text: str) -> float:
    top, _, bottom = text.partition("/")
    return int(top) / int(bottom or 1)


def bound_at(source: str, n: int) -> float:
    return evaluate(source, [0.0] * n)


def family(where: Mapping[str, Any], n: int, relation: str) -> tuple[list[float], list[float]]:
    others, old, new = (fraction(where[k]) for k in ("others", "old", "new"))
    if relation != "substitute":
        return [others] * n, [*[others] * n, new]
    p = round(evaluate(where["place"], [0.0] * n))
    assert 0 <= p < n
    return tuple([*[others] * p, v, *[others] * (n - 1 - p)] for v in (old, new))  # type: ignore[return-value]


def true_cases(function: Mapping[str, Any]) -> str:
    """Empty where every case is true as far as a search sees; else what is wrong."""
    for case in function["cases"]:
        for n in sizes_of(case["sizes"]):
            bound = bound_at(case["bound"], n)
            if search(function, n) > bound + CLOSE:
                return f"n = {n}: {search(function, n)} > {bound}"
            wrong = true_witness(function, case, n, bound)
            if wrong:
                return wrong
    return ""


def true_witness(function: Mapping[str, Any], case: Mapping[str, Any], n: int, bound: float) -> str:
    witness = case["witness"]
    if isinstance(witness, dict) and "left" in witness:
        left, right = ([fraction(v) for v in witness[side]] for side in ("left", "right"))
        move = moved(function["formula"], left, right, function["norm"])
        return "" if move >= fraction(witness["move"]) - CLOSE else f"the pair moves by {move}"
    if isinstance(witness, dict):
        move = moved(function["formula"], *family(witness, n, function["relation"]), function["norm"])
        return "" if abs(move - bound) < CLOSE else f"n = {n}: the family moves by {move}, not {bound}"
    if witness in ("none", "order"):
        ends = map(fraction, function["records"])
        order = witness == "order"
        found = (
            moved(function["formula"], *worst_order(function["formula"][0], n, *ends), "l1")
            if order
            else search(function, n)
        )
        return "" if abs(found - bound) < CLOSE else f"n = {n}: attained is {found}, not {bound}"
    return ""


def true_release(certificate: Mapping[str, Any]) -> str:
    function = certificate["function"]
    wrong = true_cases(function)
    for case in function["cases"]:
        for n in sizes_of(case["sizes"]):
            move, scale = search(function, n), bound_at(certificate["scale"], n)
            need = move**2 if "gaussian" in certificate["noise"] else move
            need *= 2 if certificate["kind"] == "selection" else 1
            if need > scale + CLOSE:
                wrong = f"n = {n}: {need} > {scale}"
    return wrong


def true_violation(certificate: Mapping[str, Any]) -> str:
    function, where = certificate["function"], certificate["where"]
    if "left" in where:
        pairs = [tuple([fraction(v) for v in where[side]] for side in ("left", "right"))]
    elif where["witness"] == "order":
        low, high = map(fraction, function["records"])
        pairs = [worst_order(function["formula"][0], n, low, high) for n in sizes_of(where["sizes"])]
    else:
        pairs = [family(where["witness"], n, "substitute") for n in sizes_of(where["sizes"])]
    for left, right in pairs:
        move, scale = moved(function["formula"], left, right, "l1"), bound_at(certificate["scale"], len(left))
        if certificate["kind"] == "release":
            if (move**2 if "gaussian" in certificate["noise"] else move) <= scale - CLOSE:
                return f"{move} is no more than {scale}"
        else:
            eps = fraction(certificate["eps"])
            low, high = wins(certificate["noise"], move * eps / scale, certificate["columns"])
            if math.log(high / low) <= eps - CLOSE:
                return f"a loss of {math.log(high / low)} at eps = {eps}"
    return ""


def worst_order(formula: str, n: int, low: float, high: float) -> tuple[list[float], list[float]]:
    pairs = [([low] * r + [high] * (n - 1 - r) + [low], [low] * r + [high] * (n - 1 - r) + [high]) for r in range(n)]
    return max(pairs, key=lambda p: moved([formula], *p, "l1"))


JUDGES = {"sensitivity": true_cases, "function-release": true_release, "function-release-violation": true_violation}


def made() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [dict(dpw.sensitivity(f).certificate) for f in FORMULAS]
    found.append(
        dict(dpw.sensitivity("mean(x)", dpw.Records(dpw.Interval(0, 1), 2, "add-remove"), n="any").certificate)
    )
    found.append(dict(dpw.sensitivity(["sum(x < 1/2)", "sum(x >= 1/2)"], norm="l2").certificate))
    for question in RELEASES:
        found += [dict(case.certificate or {}) for case in decide(question).cases]
    return found


def judged(certificate: dict[str, Any], every: int, first: int) -> tuple[int, int]:
    """Change every so-manieth number; how many changes there were, and how many were accepted (and true)."""
    tried = accepted = 0
    for k, (path, value) in enumerate(mutants(certificate)):
        if k % every != first % every:
            continue
        changed = put(certificate, path, value)
        tried += 1
        if examine(changed, seconds=1.0).valid:
            accepted += 1
            try:
                wrong = JUDGES[certificate["type"]](changed)
            except (ArithmeticError, ValueError, LookupError) as error:
                wrong = f"the search fails: {error!r}"
            assert not wrong, f"{path} -> {value!r}: {wrong}\n{json.dumps(changed)[:900]}"
    return tried, accepted


def test_the_judges_agree_with_the_certificates_and_catch_lies() -> None:
    """A judge that accepts everything would show nothing."""
    function = dict(dpw.sensitivity("sum(x**2)/n").certificate)
    assert true_cases(function) == ""
    (case,) = function["cases"]
    assert true_cases({**function, "cases": [{**case, "bound": "1/(n+1)", "witness": None}]})
    assert true_cases({**function, "cases": [{**case, "bound": "2/n"}]})
    release = decide(NoisyFunction("sum(x)", "selection", "gumbel", "1")).cases[0].certificate or {}
    assert true_violation(release) == ""
    assert true_violation({**release, "scale": "3"})


@pytest.mark.parametrize("number", range(3))
def test_some_changed_numbers(number: int) -> None:
    counts = [judged(certificate, 11, number) for certificate in made()]
    tried, accepted = (sum(c) for c in zip(*counts, strict=True))
    assert tried > 90
    assert accepted < tried


@pytest.mark.slow
def test_every_changed_number() -> None:
    counts = [judged(certificate, 1, 0) for certificate in made()]
    tried, accepted = (sum(c) for c in zip(*counts, strict=True))
    assert tried > 900
    assert accepted < tried / 2


def test_labels_alone_are_free() -> None:
    certificate = {**dpw.sensitivity("mean(x)").certificate, "about": {"target": "anything"}}
    assert examine(certificate).valid
    assert re.search("at most every n >= 1: 1/n", examine(certificate).statement)
