r"""Floats that steer the search for an enclosure. Nothing here is evidence.

For each pair of `kernel.account_pairs`: ln M(c), how large \|M(c+it)\|/M(c) is, and what the kernel's bounds on it
would give, so that the search can choose where to stop.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import exp, expm1, log, log1p, pi, sqrt
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from dpwitness.proofs.kernel.accounts.pairs import Gaussian, Laplace, Pair, Parts, Response, Sampled

Array = Any


def short(value: float, bits: int = 40) -> Fraction:
    """A rational near a float, small to write."""
    return Fraction(value).limit_denominator(1 << bits)


def sigma_of(pair: Sampled) -> float:
    """The deviation of the noise of a sampled Gaussian step."""
    return sqrt(float(pair.variance))


@lru_cache(maxsize=256)
def log_moment(pair: Pair, c: float) -> float:
    """ln M(c)."""
    if isinstance(pair, Gaussian):
        return float(pair.squared) / 2 * c * (c + 1)
    if isinstance(pair, Laplace):
        a = float(pair.loss)
        return c * a + log1p(c * expm1(-(2 * c + 1) * a) / (2 * c + 1))
    if isinstance(pair, Response):
        a, (p, low, rest) = float(pair.loss), (float(mass.mid()) for mass in pair.masses())
        return c * a + log(p + low * exp(-2 * c * a) + max(rest, 0.0) * exp(-c * a))
    assert isinstance(pair, Sampled)
    _, weights, top = tilted(pair, c, min(sigma_of(pair) / 2, float(pair.variance)))
    return top + log(float(weights.sum()))


def tilted(pair: Sampled, c: float, gap: float, reach: float = 12.0) -> tuple[Array, Array, float]:
    """Points x, the terms of the rule for M(c) there divided by e^top, and top."""
    sigma, e = sigma_of(pair), c + 1 if pair.remove else -c
    low, high = -reach * sigma, max(e, 0.0) + reach * sigma
    x = np.linspace(low, high, min(max(int((high - low) / gap), 64), 200_000))
    logs = psi(pair, x) * e - x * x / (2 * sigma**2) + log((x[1] - x[0]) / sqrt(2 * pi) / sigma)
    top = float(logs.max())
    return x, np.exp(logs - top), top


def psi(pair: Sampled, x: Array) -> Array:
    """ln Z(x)."""
    q, variance = float(pair.rate), float(pair.variance)
    return np.logaddexp(log1p(-q), log(q) + (x - 0.5) / variance)


@dataclass(frozen=True)
class Cumulant:
    """K(c) = Σ k ln M(c) of a composition, by interpolation between about eighty values of c."""

    parts: tuple[tuple[Pair, int], ...]

    LOW, HIGH, POINTS = 1e-3, 2e4, 320

    @cached_property
    def _curve(self) -> CubicSpline:
        points = np.geomspace(self.LOW, self.HIGH, self.POINTS)
        totals = [sum(k * (log_moment(p, float(c)) - log1p(-float(p.infinite))) for p, k in self.parts) for c in points]
        if not np.isfinite(totals).all():
            raise OverflowError("the moments of these steps are no doubles")
        return CubicSpline(np.log(points), np.log(np.maximum(np.array(totals) / (points * (points + 1)), 1e-300)))

    @cached_property
    def kept(self) -> float:
        """ln Π(1 − ηⱼ)."""
        return sum(k * log1p(-float(p.infinite)) for p, k in self.parts)

    def __call__(self, c: Array) -> Array:
        return np.exp(self._curve(np.log(c))) * c * (c + 1) + self.kept

    @cached_property
    def _grid(self) -> tuple[Array, Array]:
        c = np.geomspace(self.LOW, self.HIGH, 1600)
        return c, self(c)

    def saddle(self, eps: float) -> tuple[float, float]:
        """The c at which e^(−cε)M(c)/(c(c+1)) is least, and the logarithm of an estimate of u(ε)."""
        c, k = self._grid
        values = k - c * eps - np.log(c) - np.log1p(c)
        i = int(np.argmin(values[8:-8])) + 8
        ratio = log(c[1] / c[0])
        curve = (values[i + 4] - 2 * values[i] + values[i - 4]) / (4 * ratio) ** 2 / c[i] ** 2
        return float(c[i]), float(values[i]) - 0.5 * log(2 * pi * max(float(curve), 1e-12))

    def enough(self, eps: float, want: float) -> float:
        """The smallest d with M(d)e^(−dε) ≤ e^want, or the one where it is least."""
        c, k = self._grid
        values = k - c * eps
        below = np.nonzero(values <= want)[0]
        return float(c[below[0] if len(below) else int(np.argmin(values))]) * 1.001

    def epsilon(self, delta: float) -> float:
        """An estimate of the ε at which u(ε) = δ; 0 where it would not be positive."""
        want, low, high = log(delta), 0.0, 1e-3
        if self.saddle(low)[1] <= want:
            return 0.0
        while self.saddle(high)[1] > want and high < 1e9:
            low, high = high, 2 * high
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if self.saddle(middle)[1] > want else (low, middle)
        return high


class Fall:
    """How fast |M(c+it)| of a sampled Gaussian falls: in truth, and by the kernel's bounds."""

    def __init__(self, pair: Sampled, c: float) -> None:
        self.pair, self.c = pair, c
        self._known: dict[float, tuple[float, list[Any]]] = {}
        sigma = sigma_of(pair)
        x, weights, self.top = tilted(pair, c, min(sigma / 200, (12 + c) * sigma / 4000), 9.0)
        self.total = float(weights.sum())
        keep = weights > 1e-22 * weights.max()
        self.x, self.weights, self.losses = x[keep], weights[keep] / self.total, psi(pair, x[keep])

    @cached_property
    def mean(self) -> float:
        """E|L − a| under the tilted law, a the end of the losses nearest to 0."""
        return float(self.weights @ self.losses) - log1p(-float(self.pair.rate))

    def true(self, t: Array) -> Array:
        """|M(c+it)|/M(c)."""
        return np.abs(np.exp(1j * np.outer(t, self.losses)) @ self.weights)

    def cells(self, reach: float) -> tuple[float, list[Any]]:
        """What `Sampled.far` gives at T with its best cells, and these cells."""
        if reach not in self._known:
            self._known[reach] = self._cells(reach)
        return self._known[reach]

    def _cells(self, reach: float) -> tuple[float, list[Any]]:
        sigma, e = sigma_of(self.pair), self.c + 1 if self.pair.remove else -self.c
        q, best, run = float(self.pair.rate), 0.0, [0.0, sigma, 0]
        size = self.top + log(self.total)
        for part in (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1):
            width = part * sigma
            a = np.arange(float(self.x[0]), float(self.x[-1]), width)
            b, low = a + width, psi(self.pair, a)
            steep = -np.expm1(log1p(-q) - low) / sigma**2
            least = e * (low if self.pair.remove else psi(self.pair, b)) - np.maximum(a * a, b * b) / (2 * sigma**2)
            with np.errstate(divide="ignore"):  # where the loss is flat nothing is gained
                room = np.maximum(width - 2 / (reach * steep), 0)
            gain = np.exp(np.minimum(least - size, 50)) / sqrt(2 * pi) / sigma * room
            if np.isfinite(gain).all() and gain.sum() > best:
                used = np.nonzero(gain > 1e-4 * gain.sum() / len(gain))[0]
                best, run = float(gain.sum()), [float(a[used[0]]), width, int(used[-1] - used[0]) + 1]
        return max(1 - best, 1e-9), run


def log_decay(pair: Pair, c: float, reach: float, fall: Fall | None) -> float:
    """ln ρ of the kernel's bound at T."""
    if isinstance(pair, Gaussian):
        return -float(pair.squared) * reach * reach / 2
    if isinstance(pair, Laplace):
        a = float(pair.loss)
        size = log_moment(pair, c)
        return min(0.0, log((exp(c * a - size) + exp(-(c + 1) * a - size)) * (0.5 + 0.25 / reach)))
    return log(fall.cells(reach)[0]) if fall is not None else 0.0


__all__ = ["Cumulant", "Fall", "Parts", "log_decay", "log_moment", "short"]
