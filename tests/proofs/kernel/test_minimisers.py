"""Certificates about minimisers: what they verify agrees with densities computed otherwise, and changes are noticed."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.algebra.slopes import Slope
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import ball, precision
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.releases.minimisers import box, loss, read_vectors, widest

F = Fraction
INSIDE: dict[str, Any] = {
    "type": "minimiser",
    "noise": "inside",
    "slope": "-1/(exp(m) + 1)",
    "range": ["-1", "0"],
    "curvature": "1/4",
    "points": ["str:'a'", "str:'b'", "bool:True"],
    "vectors": [["1", "0"], ["-1", "0"], ["3/5", "4/5"]],
    "size": 3,
    "ridge": "3",
    "scale": "2/(1 - 2*log(13/12))",
    "guarantee": {"kind": "pure", "epsilon": "1"},
}
OUTSIDE = {**INSIDE, "noise": "outside", "ridge": "3/10", "scale": "20/3"}
BROKEN: dict[str, Any] = {
    "type": "minimiser-violation",
    "noise": "inside",
    "slope": "-1/(exp(m) + 1)",
    "points": ["str:'a'", "str:'b'", "bool:True"],
    "vectors": [["1", "0"], ["0", "-1"], ["-3/5", "4/5"]],
    "left": [2, 1, 1],
    "right": [1, 1, 1],
    "ridge": "3/100",
    "scale": "2",
    "centre": ["333/25", "4909/500"],
    "radius": "1/5",
    "near": [],
    "guarantee": {"kind": "pure", "epsilon": "2"},
}
FAR: dict[str, Any] = {
    **BROKEN,
    "noise": "outside",
    "ridge": "3",
    "scale": "1/10",
    "left": [0, 0],
    "right": [0, 1],
    "near": [["0.2752", "0"], ["0.1494", "-0.1494"]],
    "centre": ["3/10", "1/10"],
    "radius": "1/100",
    "guarantee": {"kind": "pure", "epsilon": "1"},
}


def number(text: str) -> float:
    with precision(64):
        found = over(parse(text, frozenset()), {})
        return float(found.lo.union(found.hi).mid())


def phi(formula: str, m: Any) -> Any:
    return value_of(parse(formula), np.clip(m, -60, 60))


def value_of(expr: Any, m: Any) -> Any:
    if expr.op == "num":
        return float(expr.value) + 0 * m
    if expr.op == "var":
        return m
    parts = [value_of(part, m) for part in expr.args]
    return {"+": np.add, "-": np.subtract, "*": np.multiply, "/": np.divide, "neg": np.negative, "exp": np.exp}[
        expr.op
    ](*parts)


class Truth:
    """Densities in floats, the derivative of the field by differences: nothing is shared with the kernel."""

    def __init__(self, certificate: Any) -> None:
        self.vectors = np.array([[float(F(x)) for x in v] for v in certificate["vectors"]])
        self.slope, self.where = certificate["slope"], certificate["noise"]
        self.ridge, self.scale = number(certificate["ridge"]), number(certificate["scale"])
        self.roots: dict[Any, Any] = {}

    def field(self, records: Any, f: Any) -> Any:
        v = self.vectors[list(records)]
        return phi(self.slope, v @ f) @ v + self.ridge * f

    def root(self, records: Any) -> Any:
        key = tuple(sorted(records))
        if key not in self.roots:
            start = np.zeros(self.vectors.shape[1])
            self.roots[key] = optimize.root(lambda f: self.field(records, f), start, tol=1e-13).x
        return self.roots[key]

    def height(self, records: Any, f: Any) -> float:
        """Ln of the density at an output, up to a constant."""
        if self.where == "outside":
            return -float(np.linalg.norm(f - self.root(records))) / self.scale
        d, h = f.size, 1e-6
        bend = [(self.field(records, f + h * e) - self.field(records, f - h * e)) / (2 * h) for e in np.eye(d)]
        return float(np.log(np.linalg.det(np.array(bend))) - np.linalg.norm(self.field(records, f)) / self.scale)


@pytest.mark.parametrize("certificate", [INSIDE, OUTSIDE, BROKEN], ids=["inside", "outside", "broken"])
def test_valid(certificate: Any) -> None:
    verdict = examine(certificate)
    assert verdict, verdict.reason


@settings(deadline=None, max_examples=15)
@given(
    st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=4, unique=True),
    st.sampled_from(["1/20", "1/2", "2", "9"]),
    st.sampled_from(["1/3", "1", "4"]),
    st.sampled_from(["inside", "outside"]),
    st.integers(0, 2**32),
)
def test_no_pair_of_neighbours_loses_more_than_a_verified_bound(
    vectors: list[tuple[int, int]], ridge: str, scale: str, where: str, seed: int
) -> None:
    certificate = {**INSIDE, "points": [f"int:{k}" for k in range(len(vectors))],
                   "vectors": [[f"{a}/4", f"{b}/4"] for a, b in vectors], "ridge": ridge, "scale": scale,
                   "noise": where, "size": 2}  # fmt: skip
    grid = [F(k, 8) for k in range(1, 400)]
    eps = next((e for e in grid if examine({**certificate, "guarantee": {"kind": "pure", "epsilon": str(e)}})), None)
    if eps is None:
        return
    truth, rng = Truth(certificate), np.random.default_rng(seed)
    points = rng.normal(size=(8, 2)) * 10.0 ** rng.integers(-1, 3, size=(8, 1))
    for a, b, c in product(range(len(vectors)), repeat=3):
        for f in points:
            assert truth.height((a, c), f) - truth.height((b, c), f) <= float(eps) + 1e-4


def test_enclosed_losses_hold_the_true_ones() -> None:
    rng = np.random.default_rng(5)
    for _ in range(40):
        certificate = {**BROKEN, "ridge": str(F(int(rng.integers(1, 40)), 20)), "scale": "3/2"}
        truth, vectors = Truth(certificate), read_vectors(BROKEN["points"], BROKEN["vectors"])
        left, right = rng.integers(0, 3, size=2), rng.integers(0, 3, size=2)
        centre = [F(int(x), 10) for x in rng.integers(-60, 60, size=2)]
        sides = [[vectors[k] for k in side] for side in (left, right)]
        with precision(128):
            ridge = ball(F(certificate["ridge"]))
            found = loss("inside", Slope(BROKEN["slope"]), sides, ridge, arb(3) / 2, box(centre, F(1, 20)))
        for _ in range(10):
            f = np.array([float(x) for x in centre]) + rng.uniform(-0.05, 0.05, size=2)
            exact = truth.height(left, f) - truth.height(right, f)
            assert float(found.lower()) - 1e-6 <= exact <= float(found.upper()) + 1e-6


def numbers_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from numbers_in(inner, (*path, key))
    elif isinstance(value, list):
        for k, inner in enumerate(value):
            yield from numbers_in(inner, (*path, k))
    elif path[0] not in ("type", "noise", "points") and path[-1] != "kind":
        yield path, value


def changed(certificate: Any, path: tuple[Any, ...], value: Any) -> Any:
    made = copy.deepcopy(certificate)
    place = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return made


def others(value: Any) -> list[Any]:
    if isinstance(value, int):
        return [value + 1, value - 1, 0, True, str(value)]
    if "exp" in value or "log" in value:
        return [value.replace("1", "2"), value.replace("-", "+"), value.replace("2", "3"), value + "+1", value + "-1"]
    exact = F(value)
    return [str(x) for x in (exact + F(1, 10), exact - F(1, 10), -exact, 2 * exact, exact / 2, F(0))]


def true_bound(certificate: Any) -> float:
    """The published argument in floats: the largest pull of a replaced record, and the change of volume."""
    truth = Truth(certificate)
    m = np.linspace(-40, 40, 8001)
    values = phi(certificate["slope"], m)
    low, high, most = values.min(), values.max(), np.gradient(values, m).max()
    ends = [(v, a) for v in truth.vectors for a in (low, high)]
    step = max(float(np.linalg.norm(a * v - b * w)) for v, a in ends for w, b in ends if not np.array_equal(v, w))
    if truth.where == "outside":
        return step / (truth.ridge * truth.scale)
    longest = max(float(v @ v) for v in truth.vectors)
    return step / truth.scale + math.log(1 + most * longest / truth.ridge)


@pytest.mark.parametrize("certificate", [INSIDE, OUTSIDE], ids=["inside", "outside"])
def test_a_changed_proof_is_refused_unless_it_is_true(certificate: Any) -> None:
    accepted = 0
    for path, value in numbers_in(certificate):
        for other in others(value):
            if other == value:
                continue
            made = changed(certificate, path, other)
            if examine(made):
                accepted += 1
                assert true_bound(made) <= number(made["guarantee"]["epsilon"]) + 1e-6, (path, other)
    assert accepted < 40


def test_a_changed_violation_is_refused_unless_it_is_true() -> None:
    for certificate in (BROKEN, outside_violation()):
        for path, value in numbers_in(certificate):
            for other in others(value):
                made = changed(certificate, path, other)
                if other == value or not examine(made):
                    continue
                truth = Truth(made)
                centre, radius = [float(F(x)) for x in made["centre"]], float(F(made["radius"]))
                for corner in product((-1, 0, 1), repeat=2):
                    f = np.array(centre) + radius * np.array(corner)
                    gap = truth.height(made["left"], f) - truth.height(made["right"], f)
                    assert gap > number(made["guarantee"]["epsilon"]) - 1e-4, (path, other)


def outside_violation() -> dict[str, Any]:
    truth = Truth(FAR)
    near = [[str(F(float(x)).limit_denominator(10**9)) for x in truth.root(FAR[side])] for side in ("left", "right")]
    return {**FAR, "near": near}


def test_a_violation_by_noise_outside() -> None:
    verdict = examine(outside_violation())
    assert verdict, verdict.reason
    far_off = {**outside_violation(), "near": [["0", "0"], ["0", "0"]]}
    assert not examine(far_off)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("noise", "beside"), ("size", 0), ("size", "3"), ("size", True), ("vectors", [["1", "0"]]), ("vectors", []),
        ("vectors", [["1", "0"], ["1"]]), ("vectors", [["1", "0"], ["1", "0"]]), ("vectors", "all"),
        ("points", ["int:0", "int:0", "int:1"]), ("points", ["int:0", "int:1"]), ("points", [0, 1, 2]),
        ("vectors", [[], []]), ("range", ["-1"]), ("range", ["0", "-1"]), ("curvature", "-1"), ("ridge", "0"),
        ("ridge", "-1"), ("ridge", "log(1/2)"), ("ridge", "log(1)"), ("scale", "0"), ("scale", "1 - exp(1)"),
        ("scale", "m"), ("slope", "1/(1+exp(m))"), ("slope", "exp(m)"), ("slope", 3), ("guarantee", {"kind": "pure"}),
        ("guarantee", {"kind": "zcdp", "rho": "1"}), ("vectors", [["nan", "0"], ["1", "0"]]),
    ],
)  # fmt: skip
def test_malformed_proofs_are_refused(name: str, value: Any) -> None:
    assert not examine({**INSIDE, name: value})
    assert not examine({**OUTSIDE, name: value})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("left", [2, 1]), ("left", [0, 0, 1]), ("left", [1, 1, 1]), ("left", [3, 1, 1]), ("left", [-1, 1, 1]),
        ("left", []), ("left", [True, 1, 1]), ("right", [1, 1, 1, 1]), ("radius", "0"), ("radius", "-1"),
        ("radius", "50"),
        ("centre", ["1"]), ("centre", ["0", "0"]), ("near", [["0", "0"], ["0", "0"]]), ("noise", "outside"),
        ("slope", "1/(exp(m) + 1)"), ("slope", "exp(m)/(1+exp(2*m))"), ("scale", "20"), ("scale", "-2"), ("ridge", "3"),
        ("guarantee", {"kind": "pure", "epsilon": "3"}),
        ("guarantee", {"kind": "approximate", "epsilon": "2", "delta": "0"}),
    ],
)  # fmt: skip
def test_malformed_violations_are_refused(name: str, value: Any) -> None:
    assert not examine({**BROKEN, name: value})


def test_equality_is_enough_where_all_is_rational() -> None:
    assert examine(OUTSIDE)  # the loss is exactly ε
    assert not examine({**OUTSIDE, "scale": "19999999/3000000"})
    assert not examine({**OUTSIDE, "guarantee": {"kind": "pure", "epsilon": "999999/1000000"}})


def test_irrational_scales_of_noise_outside() -> None:
    assert examine({**OUTSIDE, "scale": "20/3*exp(1/1000)"})
    assert not examine({**OUTSIDE, "scale": "20/3*exp(-1/1000)"})
    assert examine({**OUTSIDE, "ridge": "3/10*exp(1/1000)"})
    assert not examine({**OUTSIDE, "ridge": "3/10*exp(-1/1000)"})


units = st.fractions(0, 1, max_denominator=9)
vectors_of_two = st.tuples(st.fractions(-2, 2, max_denominator=5), st.fractions(-2, 2, max_denominator=5))


@given(st.lists(vectors_of_two, min_size=2, max_size=4, unique=True), st.fractions(-2, 2), units, st.data())
def test_the_widest_pull_is_an_attained_maximum(
    vectors: list[tuple[Fraction, Fraction]], low: Fraction, width: Fraction, data: st.DataObject
) -> None:
    found = widest(vectors, low, low + width)
    v, w = data.draw(st.permutations(vectors))[:2]
    a, b = (low + width * data.draw(units) for _ in range(2))
    assert sum((a * x - b * y) ** 2 for x, y in zip(v, w, strict=True)) <= found
    ends = [(v, a) for v in vectors for a in (low, low + width)]
    every = [sum((a * x - b * y) ** 2 for x, y in zip(v, w, strict=True)) for v, a in ends for w, b in ends if v != w]
    assert found == max(every)


def test_only_neighbours_and_only_rising_pulls_can_be_told_apart() -> None:
    easy = {**BROKEN, "ridge": "3", "radius": "1/1000", "guarantee": {"kind": "pure", "epsilon": "1/1000"}}
    accepted = 0
    for left, right in product(product(range(3), repeat=3), repeat=2):
        found = examine({**easy, "left": list(left), "right": list(right)})
        different = sum(a != b for a, b in zip(left, right, strict=True))
        assert not found or different == 1
        accepted += bool(found)
    assert accepted > 20
    one = next(k for k in product(range(3), repeat=3) if examine({**easy, "left": list(k), "right": [1, 1, 1]}))
    for slope in ("1/(exp(m) + 1)", "1 - exp(m)/(1 + exp(m))", "exp(m)/(1 + exp(2*m))"):
        for left, right in ((list(one), [1, 1, 1]), ([1, 1, 1], list(one))):
            assert not examine({**easy, "slope": slope, "left": left, "right": right})


@pytest.mark.parametrize("near", ["", {}, None, "12", [["0", "0"]]])
def test_points_are_lists(near: Any) -> None:
    assert examine(BROKEN)
    assert not examine({**BROKEN, "near": near})
    assert not examine({**BROKEN, "centre": "99"})
    assert not examine({**INSIDE, "vectors": ["10", "01"]})
