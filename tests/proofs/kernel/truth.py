"""Whether a changed certificate is itself valid, decided in doubles with nothing of the kernel's mathematics.

The margin is positive where the statement holds, negative where it fails; `tolerance` is what doubles can tell.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import integrate, stats
from tests.proofs.kernel import released

from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.algebra.interval import Interval
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import precision

Density = Callable[[Any], Any]
POINTS = 200_001


def number(text: Any) -> float:
    return float(Fraction(text))


def margin(certificate: Mapping[str, Any]) -> tuple[float, float]:
    """(margin, tolerance) of the statement that the certificate makes."""
    return MARGINS[certificate["type"]](certificate)


def _tables(certificate: Mapping[str, Any]) -> tuple[float, float]:
    eps, delta = number(certificate["epsilon"]), number(certificate["delta"])
    rows = [_row(row) for row in certificate["rows"]]
    use = certificate["use"]
    pairs = [(rows[use[i]], rows[use[j]]) for i, j in released.neighbours(certificate["space"])]
    worst = max(np.maximum(p - math.exp(eps) * q, 0).sum() for a, b in pairs for p, q in ((a, b), (b, a)))
    return delta - worst, 1e-12


def _table_violation(certificate: Mapping[str, Any]) -> tuple[float, float]:
    p, q = (_row(certificate[side]) for side in ("left", "right"))
    event = certificate["event"]
    gap = p[event].sum() - math.exp(number(certificate["epsilon"])) * q[event].sum()
    return gap - number(certificate["delta"]), 1e-12


def _row(weights: Any) -> Any:
    values = np.array([_weight(w) for w in weights])
    return values / values.sum()


def _weight(weight: Any) -> float:
    if isinstance(weight, dict):
        return sum(number(c) * math.exp(number(r)) for r, c in weight.items())
    return number(weight)


def _positive(certificate: Mapping[str, Any]) -> tuple[float, float]:
    """The least value on a grid of its one variable."""
    ((name, (low, high)),) = certificate["box"].items()
    expr, least = parse(certificate["formula"], frozenset([name])), math.inf
    with precision(80):
        for n in range(801):
            point = Fraction(low) + (Fraction(high) - Fraction(low)) * Fraction(n, 800)
            least = min(least, float(over(expr, {name: Interval.of(point, point)}).hi))
    return least, 1e-18


def value_of(text: str) -> float:
    """The value of a formula without variables."""
    with precision(60):
        return float(over(parse(text, frozenset()), {}).hi)


def _formula(text: str) -> Density:
    expr = parse(text, frozenset(["z"]))

    def value(z: float) -> float:
        with precision(60):
            point = Fraction(z)
            return float(over(expr, {"z": Interval.of(point, point)}).hi)

    return value


def _density(certificate: Mapping[str, Any]) -> tuple[float, float]:
    """The slide by the largest step, both ways, on a grid: all densities here are symmetric."""
    by, eps, delta = (number(certificate[key]) for key in ("by", "epsilon", "delta"))
    value, grid = _formula(certificate["formula"]), np.linspace(-30, 30, 2401)
    here, there = (np.array([value(z + s) for z in grid]) for s in (0, by))
    if delta == 0:
        return eps - float(np.max(np.abs(np.log(here / there)))), 1e-9
    total = integrate.quad(value, 0, np.inf)[0] * 2
    gaps = [np.maximum(a - math.exp(eps) * b, 0) / total for a, b in ((here, there), (there, here))]
    return delta - max(float(integrate.trapezoid(gap, grid)) for gap in gaps), 1e-3


def _vector(certificate: Mapping[str, Any]) -> tuple[float, float]:
    """Several coordinates with Laplace noise (pure) or normal noise, by the textbook formulas."""
    guarantee, laws = certificate["guarantee"], certificate["laws"]
    kind, moves = released.moves(certificate)
    worst, sign = 0.0, 1 if certificate["type"] == "noise" else -1
    for move in moves:
        sizes = [float(size) for size in move]
        if any("discrete" in law["name"] and size % 1 for size, law in zip(sizes, laws, strict=True)):
            return sign * -math.inf, 0
        if all("gaussian" in law["name"] for law in laws):
            parts = [size**2 / number(law["variance"]) for size, law in zip(sizes, laws, strict=True)]
            if guarantee["kind"] == "pure" and max(parts) > 0:
                return sign * -math.inf, 0
        else:
            parts = [size / number(law["scale"]) for size, law in zip(sizes, laws, strict=True)]
            assert kind != "l2"
        worst = max(worst, sum(parts) if kind in ("all", "listed") else max(parts))
    if guarantee["kind"] == "approximate" and laws[0]["name"] == "laplace":
        assert (kind, len(moves)) in (("all", 1), ("listed", 1))
        return sign * (number(guarantee["delta"]) - _laplace(parts, number(guarantee["epsilon"]))), 2e-3
    if guarantee["kind"] == "approximate":
        m, eps = math.sqrt(worst), number(guarantee["epsilon"])
        delta = stats.norm.cdf(m / 2 - eps / m) - math.exp(eps) * stats.norm.cdf(-m / 2 - eps / m)
        return sign * (number(guarantee["delta"]) - delta), 1e-13
    value = {"pure": worst, "zcdp": worst / 2, "gaussian": math.sqrt(worst)}.get(guarantee["kind"])
    if value is None:
        value = number(guarantee["order"]) * worst / 2
    claimed = next(number(guarantee[key]) for key in ("epsilon", "rho", "mu") if key in guarantee)
    return sign * (claimed - value), 1e-12


def _laplace(losses: list[float], eps: float) -> float:
    """E[(1 − e^(ε−L))₊] of the privacy loss L of independent Laplace coordinates, on a grid."""
    step = sum(losses) / 8000 or 1.0
    law = np.ones(1)
    for a in losses:
        n = round(a / step)
        part = np.exp((np.arange(-n, n + 1) * step - a) / 2) / 4 * step
        part[0], part[-1] = math.exp(-a) / 2, 0.5
        law = np.convolve(law, part / part.sum())
    values = (np.arange(law.size) - law.size // 2) * step
    return float((law * np.maximum(0, 1 - np.exp(eps - values))).sum())


def _noise(certificate: Mapping[str, Any]) -> tuple[float, float]:
    """One coordinate: the divergence, or the largest log-ratio, on a fine grid."""
    if len(certificate["laws"]) > 1 or certificate["guarantee"]["kind"] not in ("pure", "approximate"):
        return _vector(certificate)
    (law,), guarantee = certificate["laws"], certificate["guarantee"]
    shift = max(move[0] for move in released.moves(certificate)[1])
    eps, delta = number(guarantee["epsilon"]), number(guarantee.get("delta", "0"))
    sign = 1 if certificate["type"] == "noise" else -1
    if "discrete" in law["name"] and Fraction(shift).denominator != 1:
        return sign * -math.inf, 0  # the supports are disjoint
    p, q, step = _values(law, number(shift), near=guarantee["kind"] == "pure")
    if guarantee["kind"] == "pure":
        if law["name"] in ("gaussian", "discrete_gaussian", "uniform", "exponential"):
            return sign * (0 if Fraction(shift) == 0 else -math.inf), 0  # an unbounded loss
        inside = (p > 1e-250) & (q > 1e-250)
        return sign * (eps - float(np.max(np.abs(np.log(p[inside] / q[inside]))))), 1e-6
    worst = max(np.maximum(a - math.exp(eps) * b, 0).sum() * step for a, b in ((p, q), (q, p)))
    return sign * (delta - worst), 1e-9 if step == 1 and "discrete" in law["name"] else 2e-4


def _values(law: Mapping[str, Any], shift: float, near: bool) -> tuple[Any, Any, float]:
    """Both densities at the middles of cells, and the width of a cell; `near`: where ratios are largest."""
    params = {key: number(value) for key, value in law.items() if key != "name"}
    if law["name"] in ("discrete_laplace", "discrete_gaussian"):
        k = np.arange(-3000, 3001)
        if law["name"] == "discrete_laplace":
            weights = np.exp(-np.abs(k) / params["scale"])
        else:
            weights = np.exp(-(k**2) / (2 * params["variance"]))
        weights /= weights.sum()
        return weights[3 : -3 - int(shift)], weights[3 + int(shift) : -3], 1.0
    make, reach = _CONTINUOUS[law["name"]](params)
    if near and law["name"] == "admissible":  # dense around both centres, where the density may have a cusp
        sizes = np.geomspace(1e-9, 100, POINTS) * (params["scale"] + shift)
        around = np.concatenate([-sizes, [0], sizes])
        places = np.concatenate([around, around + shift])
        return make(places), make(places - shift), 0.0
    grid, step = np.linspace(-reach - shift, reach + shift, POINTS, retstep=True)
    middle = (grid[1:] + grid[:-1]) / 2
    p, q = make(middle), make(middle - shift)
    total = integrate.trapezoid(make(grid), grid) if law["name"] == "staircase" else 1
    return p / total, q / total, float(step)


def _stair(params: Mapping[str, float]) -> tuple[Density, float]:
    def value(z: Any) -> Any:
        t = np.abs(z) / params["sensitivity"]
        return np.exp(-params["eps"] * (np.floor(t) + (t - np.floor(t) >= params["split"])))

    return value, params["sensitivity"] * (40 / params["eps"] + 2)


def _heavy(gamma: float, scale: float) -> Density:
    """The density 1/(1+|z|^γ) has the integral (2π/γ)/sin(π/γ)."""
    total = 2 * scale * math.pi / gamma / math.sin(math.pi / gamma)
    return lambda z: 1 / (1 + np.abs(z / scale) ** gamma) / total


_CONTINUOUS: dict[str, Callable[[Mapping[str, float]], tuple[Density, float]]] = {
    "laplace": lambda p: (stats.laplace(scale=p["scale"]).pdf, 40 * p["scale"]),
    "exponential": lambda p: (stats.expon(scale=p["scale"]).pdf, 40 * p["scale"]),
    "gaussian": lambda p: (stats.norm(scale=math.sqrt(p["variance"])).pdf, 12 * math.sqrt(p["variance"])),
    "uniform": lambda p: (stats.uniform(0, p["width"]).pdf, 2 * p["width"]),
    "staircase": _stair,
    "admissible": lambda p: (_heavy(**p), 300 * p["scale"]),
}
MARGINS = {
    "tables": _tables,
    "table-violation": _table_violation,
    "positive": _positive,
    "density": _density,
    "noise": _noise,
    "noise-violation": _noise,
}
