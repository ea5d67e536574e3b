"""Whether a certificate about a release whose location or scale depends on the data states something true.

Laws are compared on grids of doubles and datasets are drawn by chance: nothing of the kernel is used but its parser.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from scipy import integrate, stats
from tests.proofs.kernel.released import neighbours, noise
from tests.proofs.kernel.truth import margin, number
from tests.proofs.kernel.truth import value_of as formula

F = Fraction
Margin = tuple[float, float]
Law = tuple[float, float]  # location and scale
_LAWS = {"laplace": stats.laplace, "gaussian": stats.norm, "exponential": stats.expon, "uniform": stats.uniform}


def tent(certificate: Mapping[str, Any]) -> Margin:
    """Log-ratios on a grid of centres and outputs."""
    rate, eps = number(certificate["rate"]), number(certificate["epsilon"])
    bottom, top = (number(end) for end in certificate["support"])
    if rate <= 0 or bottom >= top:
        return -math.inf, 0.0
    outputs = np.linspace(bottom, top, 801)

    def log(centre: float) -> Any:
        mass = (2 - math.exp(-rate * (centre - bottom)) - math.exp(-rate * (top - centre))) / rate
        return -rate * np.abs(outputs - centre) - math.log(mass)

    if certificate["type"] == "tent-violation":
        left, right = (centre_of(certificate, side) for side in certificate["inputs"])
        outside = not bottom < left < top or not bottom <= right <= top
        return (-math.inf if outside else float(np.max(log(left) - log(right))) - eps), 1e-9
    ends, slopes = certificate["records"], [number(c) for c in certificate["coefficients"]]
    low, high = (centre_of(certificate, [ends[(slope > 0) == up] for slope in slopes]) for up in (False, True))
    if not bottom <= low <= high <= top:
        return -math.inf, 0.0
    worst, move = 0.0, max(map(abs, slopes)) * (number(ends[1]) - number(ends[0]))
    for centre in np.linspace(low, max(low, high - move), 61):
        for step in np.linspace(0, move, 9):
            if centre + step <= high + 1e-12:
                worst = max(worst, float(np.max(np.abs(log(centre) - log(centre + step)))))
    return eps - worst, 1e-9


def centre_of(certificate: Mapping[str, Any], records: Sequence[str]) -> float:
    parts = (number(c) * number(x) for c, x in zip(certificate["coefficients"], records, strict=True))
    return number(certificate["offset"]) + sum(parts)


def distance(noise: Mapping[str, str], one: Law, two: Law, eps: float) -> float:
    """Σ (P − e^ε Q)₊ of two laws location + scale·noise, by quadrature."""
    density = _density(noise)
    reach = 60 if noise["name"] != "admissible" else 3_000
    wide = reach * max(one[1], two[1])
    around = np.sinh(np.linspace(-12, 12, 40_001)) / math.sinh(12) * wide
    grid = np.unique(np.concatenate([m + s * around / wide for m, s in (one, two) for wide in (1, 20 / s)]))
    p, q = (density((grid - m) / s) / s for m, s in (one, two))
    return float(integrate.trapezoid(np.maximum(p - math.exp(eps) * q, 0), grid))


def _density(noise: Mapping[str, str]) -> Any:
    if noise["name"] == "admissible":
        gamma = number(noise["gamma"])
        total = 2 * math.pi / gamma / math.sin(math.pi / gamma)
        return lambda z: 1 / (1 + np.abs(z) ** gamma) / total
    return _LAWS[noise["name"]].pdf


def _claim(guarantee: Mapping[str, str]) -> tuple[float, float]:
    return number(guarantee["epsilon"]), number(guarantee.get("delta", "0"))


def scales(certificate: Mapping[str, Any]) -> Margin:
    """Pairs of laws in both orders; without δ the excess over e^ε must be what quadrature cannot tell from 0."""
    eps, delta = _claim(certificate["guarantee"])
    least = math.inf
    laws = [(formula(m), formula(s)) for m, s in certificate["laws"]]
    pairs = {(certificate["use"][i], certificate["use"][j]) for i, j in neighbours(certificate["space"])}
    for one, two in ((laws[i], laws[j]) for i, j in pairs):
        for a, b in ((one, two), (two, one)):
            least = min(least, delta - distance(certificate["noise"], a, b, eps))
    return least, 1e-5


def scales_violation(certificate: Mapping[str, Any]) -> Margin:
    """Probabilities of the event by distribution functions."""
    event, noise = certificate["event"], certificate["noise"]
    eps, delta = _claim(certificate["guarantee"])
    ends = [None if event[end] is None else number(event[end]) for end in ("low", "high")]
    shares = []
    for side in ("left", "right"):
        m, s = (formula(part) for part in certificate[side])
        if s == 0:
            share = float((ends[0] is None or m >= ends[0]) and (ends[1] is None or m <= ends[1]))
        else:
            low, high = (None if end is None else (end - m) / s for end in (ends if s > 0 else ends[::-1]))
            share = (1.0 if high is None else _below(noise, high)) - (0.0 if low is None else _below(noise, low))
        shares.append(share if event["inside"] else 1 - share)
    return shares[0] - math.exp(eps) * shares[1] - delta, 1e-7


def _below(noise: Mapping[str, str], x: float) -> float:
    if noise["name"] != "admissible":
        return float(_LAWS[noise["name"]].cdf(x))
    density = _density(noise)
    inner = integrate.quad(density, 0, min(abs(x), 1.0))[0]
    if abs(x) > 1:  # far out in the variable 1/z
        inner += integrate.quad(lambda t: density(1 / t) / t**2, 1 / abs(x), 1)[0]
    return 0.5 + math.copysign(inner, x)


def sorted_release(certificate: Mapping[str, Any]) -> Margin:
    """Random datasets that differ in one record: both laws, compared by quadrature."""
    eps, delta = _claim(certificate["guarantee"])
    location = [number(c) for c in certificate["location"]]
    unit, beta, n = formula(certificate["unit"]), formula(certificate["beta"]), len(location) - 1
    low, high = (number(end) for end in certificate["records"])
    forms = [(form["power"], [number(c) for c in form["gaps"]]) for form in certificate["scales"]]
    if unit <= 0 or beta < 0:
        return -math.inf, 0.0
    least, rng = math.inf, np.random.default_rng(0)
    for trial in range(12):
        t = math.exp(-beta * (1 if trial % 3 else rng.random()))
        first = rng.random(n) ** rng.choice([1, 4]) if trial % 2 else rng.integers(0, 3, n) / 2
        second = first.copy()
        second[rng.integers(n)] = rng.choice([0, 1, rng.random()])
        laws = []
        for data in (first, second):
            gaps = np.diff([0.0, *sorted(data), 1.0]) * (high - low)
            laws.append((float(gaps @ location), unit * max(t**k * float(gaps @ c) for k, c in forms)))
        (m, s), (k, r) = laws
        if s == 0 or r == 0:
            least = min(least, 0.0 if laws[0] == laws[1] else -math.inf)
            continue
        for one, two in (((m, s), (k, r)), ((k, r), (m, s))):
            least = min(least, delta - distance(certificate["noise"], one, two, eps))
    return least, 1e-5


def piecewise(certificate: Mapping[str, Any]) -> Margin:
    """Random neighbours: each lies in some piece, and values that the pieces allow differ by no more than stated."""
    (low, high), step = (number(end) for end in certificate["records"]), number(certificate["step"])
    pieces = [
        (np.array([[number(c) for c in row] for row in piece["rows"]]), np.array([number(c) for c in piece["value"]]))
        for piece in certificate["pieces"]
    ]
    n, rng = len(pieces[0][1]) - 1, np.random.default_rng(0)
    law, (eps, delta) = certificate["law"], _claim(certificate["guarantee"])
    if low > high:
        return -math.inf, 0.0
    least = 0.0  # where nothing moves any noise will do
    if step > 0 and law["name"] == "laplace":
        least = delta - distance({"name": "laplace"}, (0.0, number(law["scale"])), (step, number(law["scale"])), eps)
    elif step > 0:
        least = margin(noise([law], "all", [certificate["step"]], certificate["guarantee"]))[0]
    for trial in range(400):
        first = low + (high - low) * (rng.random(n) if trial % 2 else rng.integers(0, 2, n))
        second = first.copy()
        second[rng.integers(n)] = low + (high - low) * (rng.random() if trial % 4 else rng.integers(0, 2))
        values = []
        for data in (first, second):
            point = np.concatenate([[1.0], data])
            values.append([float(v @ point) for rows, v in pieces if np.all(rows.reshape(-1, n + 1) @ point >= 0)])
            if not values[-1]:
                return -math.inf, 0.0
        least = min(least, step - max(abs(a - b) for a in values[0] for b in values[1]))
    return least, 1e-5


MARGINS = {
    "tent": tent,
    "tent-violation": tent,
    "scales": scales,
    "scales-violation": scales_violation,
    "sorted-release": sorted_release,
    "piecewise-release": piecewise,
}
