"""Models of minimisers with spherical noise: the output solves the equation that the certificate states."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dpwitness.core import laws
from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import (
    Computed,
    Model,
    NoWay,
    Probe,
    Scoped,
    Source,
    Trace,
    Unfaithful,
    UnknownInput,
)
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.laws import Law
from dpwitness.proofs.kernel.algebra.slopes import Slope
from dpwitness.proofs.labels import label
from dpwitness.proofs.models.releases import number_of, sides_of

PLACE = "the minimiser"
STEPS, HALVINGS, ENOUGH = 100, 60, 1e-14
Floats = NDArray[np.float64]


@dataclass
class MinimiserModel:
    """The equation of a certificate: Σ φ(v·f) v + R f + b = 0 inside; outside without b, which is added to f.

    Attributes
    ----------
    vectors
        The vector of each record, by its label.
    size
        The number of records; None where the certificate speaks of two given datasets.
    """

    claim: Claim
    inside: bool
    slope: Slope
    vectors: Mapping[str, Floats]
    ridge: float
    scale: Fraction | float
    size: int | None
    form: type[list[Any]] | type[tuple[Any, ...]]

    def places(self) -> Collection[str]:
        """One: there are no branches."""
        return [PLACE]

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """None beside those of the harness."""
        return iter(())

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """Draw a direction and a length, and solve."""
        if self.size is not None and len(data) != self.size:
            raise UnknownInput(f"the program was read on {self.size} records, and this input has {len(data)}")
        names = [label(record) for record in data]
        if any(name not in self.vectors for name in names):
            raise UnknownInput("a record has no vector")
        rows = np.array([self.vectors[name] for name in names])
        d = rows.shape[1]
        asked: list[Law] = [laws.Gaussian(Fraction(1))] * d + [laws.Gamma(Fraction(d), self.scale)]
        drawn = [float(source(law)) for law in asked]
        direction = np.array(drawn[:d])
        if not direction.any():
            raise NoWay("a direction of length 0 has probability 0", doubt=True)
        noise = drawn[d] * direction / np.sqrt((direction**2).sum())
        found = self.solve(rows, noise if self.inside else np.zeros(d))
        values = found if self.inside else found + noise
        return Trace(tuple(asked), self.form(Computed(float(x)) for x in values), (PLACE,))

    def solve(self, rows: Floats, noise: Floats) -> Floats:
        """The point at which the gradient vanishes, by Newton steps that are halved until it gets shorter."""
        point = np.zeros(rows.shape[1])
        value, bend = self._gradient(rows, noise, point)
        start = 1.0 + float(np.abs(value).max())
        for _ in range(STEPS):
            if np.abs(value).max() <= ENOUGH * start:
                break
            step = np.linalg.solve(bend, value)
            for k in range(HALVINGS):
                new = point - step * 0.5**k
                there, turned = self._gradient(rows, noise, new)
                if np.abs(there).max() < np.abs(value).max():
                    point, value, bend = new, there, turned
                    break
            else:
                break
        if np.abs(value).max() > 1e-9 * start:
            raise Unfaithful(f"{self.claim.target}: the equation of the certificate was not solved")
        return point

    def _gradient(self, rows: Floats, noise: Floats, point: Floats) -> tuple[Floats, Floats]:
        margins = rows @ point
        pulls, turns = (np.array(part) for part in zip(*(self._slope(float(m)) for m in margins), strict=True))
        bend = (rows * turns[:, None]).T @ rows + self.ridge * np.eye(rows.shape[1])
        return rows.T @ pulls + self.ridge * point + noise, bend

    def _slope(self, margin: float) -> tuple[float, float]:
        """φ and φ′ at a margin m, as a rational function of e^m or, for large m, of e^(−m)."""
        top, bottom = ([float(Fraction(str(c))) for c in part.coeffs()] for part in (self.slope.top, self.slope.bottom))
        degree = max(len(top), len(bottom))
        a, b = (c + [0.0] * (degree - len(c)) for c in (top, bottom))
        turned = margin > 0
        u = np.exp(-abs(margin))
        if turned:
            a, b = a[::-1], b[::-1]
        p, q = np.polynomial.polynomial.polyval(u, a), np.polynomial.polynomial.polyval(u, b)
        dp = np.polynomial.polynomial.polyval(u, np.polynomial.polynomial.polyder(a))
        dq = np.polynomial.polynomial.polyval(u, np.polynomial.polynomial.polyder(b))
        rise = (dp * q - p * dq) / (q * q) * u
        return float(p / q), float(-rise if turned else rise)


def proof(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``minimiser``: all datasets of one size."""
    certificate = evidence.certificate or {}
    return _model(claim, certificate, certificate["size"])


def refutation(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``minimiser-violation``: two datasets."""
    return Scoped(_model(claim, evidence.certificate or {}, None), sides_of(claim, evidence), (claim.params,))


def _model(claim: Claim, certificate: Mapping[str, Any], size: int | None) -> MinimiserModel:
    vectors = {
        name: np.array([float(Fraction(x)) for x in vector])
        for name, vector in zip(certificate["points"], certificate["vectors"], strict=True)
    }
    scale, ridge = number_of(certificate["scale"]), float(number_of(certificate["ridge"]))
    inside = certificate["noise"] == "inside"
    return MinimiserModel(claim, inside, Slope(certificate["slope"]), vectors, ridge, scale, size, list)
