"""Boxes of outputs that tell two neighbours of a minimiser apart: guessed in floats, certified by the kernel."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpwitness.core.evidence import Event
from dpwitness.core.forms import Form, floating
from dpwitness.proofs.kernel.algebra.slopes import Slope
from dpwitness.proofs.kernel.arith import Undecided, lower, precision, text
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.releases.minimisers import Vector, box, loss, read_positive
from dpwitness.proofs.labels import labels
from dpwitness.proofs.laws.formulas import formula

Floats = NDArray[np.float64]
MAX_SETTINGS, DIRECTIONS, LENGTHS, REFINEMENTS = 400, 48, 24, 60
FAR = 3.0  # the noise is at most this many scales long: outputs that others can see when they run the program
HALVINGS = 16


@dataclass(frozen=True)
class Statement:
    """What a program states: noise inside or outside, φ in m, the records with their vectors, size, R and s."""

    where: str
    slope: str
    records: Sequence[tuple[Vector, Any]]
    size: int
    ridge: Form
    scale: Form

    @property
    def vectors(self) -> list[Vector]:
        """The different vectors, in the order of the records."""
        return list(dict.fromkeys(vector for vector, _ in self.records))

    def place(self, vector: Vector) -> int:
        """The first record with this vector."""
        return next(i for i, (other, _) in enumerate(self.records) if other == vector)

    def to_json(self) -> dict[str, Any]:
        """Every record of the domain with its vector, as certificates state them."""
        points = list(labels([record for _, record in self.records]))
        return {"points": points, "vectors": [[text(x) for x in vector] for vector, _ in self.records]}


class Numeric:
    """φ and φ′ in floats, without overflow; and the field G on many points at once."""

    def __init__(self, stated: Statement) -> None:
        phi = Slope(stated.slope)
        self.phi = _quotient(phi.top, phi.bottom)
        self.turn = _quotient(phi.turn, phi.bottom * phi.bottom)
        self.vectors = np.array([[float(x) for x in v] for v in stated.vectors])
        self.ridge, self.scale = float(floating(stated.ridge, {})), float(floating(stated.scale, {}))

    def pulls(self, points: Floats) -> tuple[Floats, Floats]:
        """φ(v·f)v (vector, point, axis) and φ′(v·f)vvᵀ (vector, point, axis, axis)."""
        margins = self.vectors @ points.T
        v = self.vectors[:, None, :]
        bends = self.turn(margins)[:, :, None, None] * (v[..., :, None] * v[..., None, :])
        return self.phi(margins)[:, :, None] * v, bends

    def heights(self, common: Sequence[int], points: Floats) -> tuple[Floats, Floats]:
        """Ln of the density up to a constant, and ‖G‖/s, for common records and each other one (record, point)."""
        pulls, bends = self.pulls(points)
        field = pulls + self.ridge * points + pulls[list(common)].sum(axis=0)
        slope = bends + self.ridge * np.eye(points.shape[1]) + bends[list(common)].sum(axis=0)
        away = np.linalg.norm(field, axis=2) / self.scale
        return np.linalg.slogdet(slope)[1] - away, away

    def minimiser(self, records: Sequence[int]) -> Floats:
        """The zero of G, by Newton steps that are halved until G gets shorter."""
        point = np.zeros((1, self.vectors.shape[1]))
        for _ in range(100):
            pulls, bends = self.pulls(point)
            field = pulls[list(records), 0].sum(axis=0) + self.ridge * point[0]
            slope = bends[list(records), 0].sum(axis=0) + self.ridge * np.eye(field.size)
            step = np.linalg.solve(slope, field)
            while True:
                new = point - step
                pull = self.pulls(new)[0][list(records), 0].sum(axis=0) + self.ridge * new[0]
                if np.linalg.norm(pull) < np.linalg.norm(field) or not np.any(new != point):
                    break
                step = step / 2
            if not np.any(new != point) or np.linalg.norm(pull) >= np.linalg.norm(field):
                break
            point = new
        return np.asarray(point[0])


def _quotient(top: Any, bottom: Any) -> Any:
    """P(e^m)/Q(e^m) as a function of arrays: in powers of e^m for m ≤ 0, of e^(−m) for m > 0."""
    degree = max(top.degree(), bottom.degree())
    up, down = ([float(p[k]) for k in range(degree + 1)] for p in (top, bottom))

    def value(m: Floats) -> Floats:
        u = np.exp(-np.abs(m))
        small = np.polyval(up[::-1], u) / np.polyval(down[::-1], u)
        large = np.polyval(up, u) / np.polyval(down, u)
        return np.where(m > 0, large, small)

    return value


def largest_bend(phi: Slope) -> Fraction:
    """About the largest value of a bounded φ′: a simple rational that it does not exceed, where one is near."""
    seen = float(np.max(_quotient(phi.turn, phi.bottom * phi.bottom)(np.linspace(-30, 30, 6001))))
    simple = Fraction(seen).limit_denominator(1000)
    return simple if phi.bends(simple) else Fraction(seen * 1.00001).limit_denominator(10**6)


Guess = tuple[list[int], list[int], Floats, list[Floats]]  # records left and right, an output, near the two minimisers


def violation(stated: Statement, eps: Fraction, common: Mapping[str, Any]) -> dict[str, Any] | None:
    """A counterexample: neighbours and a box on which the densities differ by more than e^ε everywhere."""
    if floating(stated.ridge, {}) <= 0 or not Slope(stated.slope).bends(None):
        return None  # the minimiser may not be one point
    numeric = Numeric(stated)
    guess = _inside(stated, numeric) if stated.where == "inside" else _outside(stated, numeric)
    return None if guess is None else _certified(stated, eps, guess, common)


def _inside(stated: Statement, numeric: Numeric) -> Guess:
    """The best point for the best neighbours: records in common, two others, and where their densities differ most."""
    rng = np.random.default_rng(0)
    d, k = numeric.vectors.shape[1], len(numeric.vectors)
    rays = np.concatenate([rng.normal(size=(DIRECTIONS, d)), numeric.vectors, np.zeros((1, d))])
    rays = rays / np.maximum(np.linalg.norm(rays, axis=1, keepdims=True), 1e-9)
    reach = (stated.size * float(np.abs(numeric.vectors).sum(axis=1).max()) + FAR * numeric.scale) / numeric.ridge
    points = (np.geomspace(reach / 3000, reach, LENGTHS)[:, None, None] * rays).reshape(-1, d)
    best: tuple[float, tuple[int, ...], Floats] = (-math.inf, (), points[0])
    for shared in islice(combinations_with_replacement(range(k), stated.size - 1), MAX_SETTINGS):
        gain = _gains(numeric, shared, points)[0]
        place = int(np.argmax(gain))
        if gain[place] > best[0]:
            best = float(gain[place]), shared, points[place]
    value, shared, point = best
    width = 0.3 * float(np.linalg.norm(point)) + 0.1 * numeric.scale / numeric.ridge
    for _ in range(REFINEMENTS):
        tries = point + width * rng.normal(size=(64, d))
        gain = _gains(numeric, shared, tries)[0]
        place = int(np.argmax(gain))
        if gain[place] > value:
            value, point = float(gain[place]), tries[place]
        else:
            width *= 0.7
    _, high, low = _gains(numeric, shared, point[None])
    return [int(high[0]), *shared], [int(low[0]), *shared], point, []


def _gains(numeric: Numeric, shared: Sequence[int], points: Floats) -> tuple[Floats, Any, Any]:
    """The largest ratio of densities at each point, and which records reach it."""
    heights, away = numeric.heights(shared, points)
    seen = np.where(away < FAR, heights, -math.inf)
    high, low = np.argmax(seen, axis=0), np.argmin(heights, axis=0)
    columns = np.arange(points.shape[0])
    return seen[high, columns] - heights[low, columns], high, low


def _outside(stated: Statement, numeric: Numeric) -> Guess | None:
    """The neighbours whose minimisers are furthest apart, and a point beyond the first of them."""
    best: tuple[float, Guess | None] = (0.0, None)
    for shared in islice(combinations_with_replacement(range(len(numeric.vectors)), stated.size - 1), MAX_SETTINGS):
        roots = [numeric.minimiser((i, *shared)) for i in range(len(numeric.vectors))]
        for i, here in enumerate(roots):
            for j, there in enumerate(roots):
                far = float(np.linalg.norm(here - there))
                if far > best[0]:
                    beyond = here + numeric.scale * (here - there) / far
                    best = far, ([i, *shared], [j, *shared], beyond, [here, there])
    return best[1]


def _certified(stated: Statement, eps: Fraction, guess: Guess, common: Mapping[str, Any]) -> dict[str, Any] | None:
    """A box around the centre on which half of the excess over ε is certified.

    Densities are continuous, so the loss at the centre itself is a bound on the true ε as well.
    """
    left, right, centre, near = guess
    vectors = stated.vectors
    sides = [[vectors[k] for k in side] for side in (left, right)]
    ridge, scale = formula(stated.ridge), formula(stated.scale)
    phi, r, s = Slope(stated.slope), read_positive(ridge), read_positive(scale)
    middle = [Fraction(f"{x:.4g}") for x in centre]
    close = [tuple(Fraction(f"{x:.17g}") for x in point) for point in near]

    def reached(radius: Fraction) -> Fraction | None:
        with precision(128):
            found = loss(stated.where, phi, sides, r(), s(), box(middle, radius), close)
            try:
                return Fraction(math.floor(lower(found) * 10**6), 10**6)
            except Undecided:
                return None

    most = reached(Fraction(0))
    if most is None or most <= eps:
        return None
    radius = Fraction(f"{float(floating(stated.scale, {})) / (float(floating(stated.ridge, {})) or 1):.1g}")
    for _ in range(HALVINGS):
        radius /= 2
        seen = reached(radius)
        if seen is not None and seen >= eps + (most - eps) * Fraction(1, 2):
            break
    else:
        return None
    certificate = {
        "type": "minimiser-violation",
        "noise": stated.where,
        "slope": stated.slope,
        **stated.to_json(),
        "left": [stated.place(vectors[k]) for k in left],
        "right": [stated.place(vectors[k]) for k in right],
        "ridge": ridge,
        "scale": scale,
        "centre": [text(x) for x in middle],
        "radius": text(radius),
        "near": [[text(x) for x in point] for point in close],
        **common,
    }
    if not examine(certificate):
        return None
    p, q = _masses(stated, left, right, [float(x) for x in middle], float(radius), near)
    shown = ", ".join(f"{float(x):.6g}" for x in middle)
    density = "e^(-|G(f)|/s)·det G'(f)" if stated.where == "inside" else "e^(-|f - minimiser|/s)"
    return {
        "left": tuple(stated.records[stated.place(vectors[k])][1] for k in left),
        "right": tuple(stated.records[stated.place(vectors[k])][1] for k in right),
        "event": Event(f"every coordinate of the output is within {float(radius):.6g} of ({shown})"),
        "p_left": f"integral of {density}/Z over the box, left",
        "p_right": f"integral of {density}/Z over the box, right",
        "p_left_decimal": p,
        "p_right_decimal": q,
        "epsilon_lower": most,
        "certificate": certificate,
    }


def _masses(
    stated: Statement, left: list[int], right: list[int], centre: list[float], radius: float, near: list[Floats]
) -> tuple[float, float]:
    """About the probabilities of the box: volume times the mean density on a grid of it."""
    numeric = Numeric(stated)
    d = len(centre)
    steps = (np.arange(5) - 2) * 0.4 * radius
    points = np.array(centre) + np.stack(np.meshgrid(*[steps] * d), axis=-1).reshape(-1, d)
    sphere = 2 * math.pi ** (d / 2) / math.gamma(d / 2)
    volume = (2 * radius) ** d / (sphere * math.gamma(d) * numeric.scale**d)
    found = []
    for k, side in enumerate((left, right)):
        if stated.where == "inside":
            heights = numeric.heights(side[1:], points)[0][side[0]]
        else:
            heights = -np.linalg.norm(points - near[k], axis=1) / numeric.scale
        found.append(float(np.exp(heights).mean() * volume))
    return found[0], found[1]
