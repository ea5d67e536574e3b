r"""Claims as curves: the largest hockey-stick divergence δ(ε) that a claim allows, and its worst pair of laws.

A claim says, of the laws P and Q of the outcome with and without one record, that
:math:`\sum (P - e^\varepsilon Q)_+ \le \delta(\varepsilon)` for every ε ≥ 0, in both orders. Equivalently no event of
probability x under Q has a complement of probability below f(x) under P, where

.. math:: f(x) = \sup_{\varepsilon\ge 0} \max\{0,\ 1-\delta(\varepsilon)-e^\varepsilon x,\
          e^{-\varepsilon}(1-\delta(\varepsilon)-x)\}.

Finitely many points (ε, δ) give an f that is never above the claim's own, so what refutes it refutes the claim.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Protocol, TypeAlias

import numpy as np

from dpwitness.auditors.outputs.arrays import Floats
from dpwitness.core.errors import BadInput
from dpwitness.core.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP

Shape: TypeAlias = int | tuple[int, ...]

_UP = 1 + 1e-9
_CANCELLED = 1e-15  # what the difference of two probabilities may have lost
_NEGLIGIBLE = 1e-9  # points of a curve are taken up to where δ is this small
POINTS = 24
MOST_DRAWS = 50  # random numbers for one score: beyond, the points of the curve are drawn from, which takes one


class Curve(Protocol):
    """What an audit asks of a claim."""

    @property
    def words(self) -> str:
        """The claim in a few words."""

    def deltas(self, eps: Floats) -> Floats:
        """Upper ends of δ(ε) for every ε of an array."""

    def pair(self, shape: Shape, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Scores of runs without and with the record under the worst pair; larger looks more like "with"."""

    def tradeoff(self, false_positives: Floats) -> Floats:
        """f: the smallest share of misses at each share of false positives."""


@dataclass(frozen=True)
class ApproxCurve:
    r"""(ε,δ)-privacy: the two lines of slopes :math:`-e^{\varepsilon}` and :math:`-e^{-\varepsilon}`.

    >>> curve = ApproxCurve(1.0, 0.0)
    >>> curve.tradeoff(np.array([0.1])).round(4), curve.deltas(np.array([0.0, 1.0])).round(4)
    (array([0.7282]), array([0.4621, 0.    ]))
    """

    eps: float
    delta: float = 0.0

    @property
    def words(self) -> str:
        return f"ε = {self.eps:g}" + (f", δ = {self.delta:g}" if self.delta else "")

    @property
    def level(self) -> float:
        return self.eps

    def at(self, level: float) -> ApproxCurve:
        """The same δ with another ε."""
        return replace(self, eps=level)

    def deltas(self, eps: Floats) -> Floats:
        small = np.minimum(eps, self.eps)
        below = 1 - (1 + np.exp(small)) * (1 - self.delta) / (1 + math.exp(self.eps))
        return np.where(np.asarray(eps) >= self.eps, self.delta, np.maximum(below, self.delta))

    def cells(self) -> tuple[Floats, Floats]:
        """The worst pair on four outcomes: certainly without, rather without, rather with, certainly with."""
        high = math.exp(self.eps) / (1 + math.exp(self.eps))
        rest, sure = 1 - self.delta, self.delta
        return np.array([sure, rest * high, rest * (1 - high), 0.0]), np.array(
            [0.0, rest * (1 - high), rest * high, sure]
        )

    def pair(self, shape: Shape, rng: np.random.Generator) -> tuple[Floats, Floats]:
        out, ins = self.cells()
        cells = [np.searchsorted(np.cumsum(law)[:-1], rng.random(shape), side="right") for law in (out, ins)]
        return cells[0] + rng.random(shape), cells[1] + rng.random(shape)

    def tradeoff(self, false_positives: Floats) -> Floats:
        return _lines(np.asarray(false_positives, dtype=np.float64), [(self.eps, self.delta)])


@dataclass(frozen=True)
class GaussianCurve:
    """μ-Gaussian privacy: N(0,1) without the record, N(μ,1) with it."""

    mu: float

    @property
    def words(self) -> str:
        return f"μ-GDP, μ = {self.mu:g}"

    @property
    def level(self) -> float:
        return self.mu

    def at(self, level: float) -> GaussianCurve:
        """Another μ."""
        return GaussianCurve(level)

    def deltas(self, eps: Floats) -> Floats:
        from scipy.special import log_ndtr

        eps = np.asarray(eps, dtype=np.float64)
        left = log_ndtr(self.mu / 2 - eps / self.mu)
        right = eps + log_ndtr(-self.mu / 2 - eps / self.mu)
        found: Floats = np.exp(left) * -np.expm1(np.minimum(right - left, 0.0)) * _UP + _CANCELLED
        return found

    def pair(self, shape: Shape, rng: np.random.Generator) -> tuple[Floats, Floats]:
        return rng.standard_normal(shape), rng.standard_normal(shape) + self.mu

    def tradeoff(self, false_positives: Floats) -> Floats:
        from scipy.special import ndtr, ndtri

        found: Floats = ndtr(-ndtri(np.asarray(false_positives, dtype=np.float64)) - self.mu)
        return found


@dataclass(frozen=True)
class Envelope:
    """What finitely many points of a claim's curve say of it.

    Parameters
    ----------
    source
        The curve δ(ε), rounded up.
    points
        The points (ε, δ) that were picked, in order of ε.
    scaled
        The curve of the same family at another level, where there is one.
    """

    words: str
    source: Callable[[Floats], Floats]
    points: tuple[tuple[float, float], ...]
    level: float = math.nan
    family: Callable[[float], Envelope] | None = None

    def at(self, level: float) -> Envelope:
        """The same family at another level."""
        if self.family is None:
            raise BadInput(f"the claim {self.words} is not one of a family")
        return self.family(level)

    def deltas(self, eps: Floats) -> Floats:
        known = dict(self.points)
        given = np.asarray(eps, dtype=np.float64)
        if all(float(e) in known for e in np.ravel(given)):  # an accountant takes its time
            return np.array([known[float(e)] for e in np.ravel(given)]).reshape(given.shape)
        return np.clip(np.asarray(self.source(given), dtype=np.float64), 0.0, 1.0)

    def pair(self, shape: Shape, rng: np.random.Generator) -> tuple[Floats, Floats]:
        out, level = rng.random(shape), rng.random(shape)
        reach = np.full(np.shape(level), -1.0)  # the largest x with f(x) ≥ level; below 0 where f(0) is smaller
        for eps, delta in self.points:
            big = math.exp(eps)
            np.maximum(reach, np.maximum((1 - delta - level) / big, 1 - delta - big * level), out=reach)
        return out, np.where(reach < 0, 2.0, 1.0 - reach)

    def tradeoff(self, false_positives: Floats) -> Floats:
        return _lines(np.asarray(false_positives, dtype=np.float64), self.points)


@dataclass(frozen=True)
class Drawn(Envelope):
    """An envelope whose worst pair can be drawn exactly, by the accountant that made the claim."""

    draw: Callable[[int, np.random.Generator], tuple[Any, Any]] | None = None

    def pair(self, shape: Shape, rng: np.random.Generator) -> tuple[Floats, Floats]:
        assert self.draw is not None
        size = math.prod((shape,) if isinstance(shape, int) else shape)
        out, ins = (np.asarray(side, dtype=np.float64) for side in self.draw(size, rng))
        if out.shape != (size,) or ins.shape != (size,) or np.isnan(out).any() or np.isnan(ins).any():
            raise BadInput(f"the claim's pair(n, rng) must return two arrays of {size} numbers, without and with")
        return out.reshape(shape), ins.reshape(shape)


@dataclass(frozen=True)
class TradeoffCurve:
    """A claimed trade-off function through points (share of false positives, share of misses), straight between them.

    It must be convex and fall from (0, at most 1) to (1, 0); it is claimed in both orders of the neighbours.

    >>> curve = TradeoffCurve(((0, 1), (0.25, 0.25), (1, 0)))
    >>> curve.deltas(np.array([0.0]))
    array([0.5])
    """

    points: Sequence[tuple[float, float]]

    def __post_init__(self) -> None:
        found = tuple((float(x), float(y)) for x, y in self.points)
        xs, ys = np.array([x for x, _ in found]), np.array([y for _, y in found])
        object.__setattr__(self, "points", found)
        if len(found) < 2 or xs[0] != 0 or xs[-1] != 1 or ys[-1] != 0 or np.any(np.diff(xs) <= 0):
            raise BadInput(f"points={found[:6]!r} of a trade-off curve must run from (0, y) to (1, 0) with growing x")
        slopes = np.diff(ys) / np.diff(xs)
        if np.any(ys > 1 - xs + 1e-12) or np.any(ys < 0) or np.any(np.diff(slopes) < -1e-9):
            raise BadInput(f"points={found[:6]!r} of a trade-off curve must be convex and lie between 0 and 1 - x")

    @property
    def words(self) -> str:
        return f"trade-off curve through {len(self.points)} points"

    def deltas(self, eps: Floats) -> Floats:
        big = np.exp(np.asarray(eps, dtype=np.float64))[..., None]
        x, y = (np.array([p[i] for p in self.points]) for i in (0, 1))
        found: Floats = np.maximum(np.max(1 - y - big * x, axis=-1), np.max(1 - x - big * y, axis=-1))
        return np.clip(found, 0.0, 1.0)


def as_curve(claim: Any) -> Any:
    """The curve of a guarantee, of an accountant's object (``deltas``, and ``pair`` where it has one), or of a curve.

    >>> from dpwitness.core.guarantees import GaussianDP
    >>> as_curve(GaussianDP(1)).words
    'μ-GDP, μ = 1'
    """
    if isinstance(claim, ApproxCurve | GaussianCurve | Envelope):
        return claim
    if isinstance(claim, Guarantee):
        return _of_guarantee(claim)
    if callable(getattr(claim, "deltas", None)):
        try:
            return _of_known(claim)
        except TypeError:  # it cannot be hashed, and so not be remembered
            return _of_object(claim)
    raise BadInput(
        f"claim={claim!r} must be a guarantee such as GaussianDP(1) or ApproxDP(1, '1e-5'), a composition such as "
        "poisson(gaussian(1), '1/100') * 1000, or an object with deltas(eps)"
    )


def _of_guarantee(claim: Guarantee) -> Any:
    from dpwitness.auditors.bounds.implied import renyi_delta, zcdp_delta

    if isinstance(claim, PureDP):
        return ApproxCurve(_above(claim.eps))
    if isinstance(claim, ApproxDP):
        return ApproxCurve(_above(claim.eps), float(claim.delta) * _UP)
    if isinstance(claim, GaussianDP):
        return GaussianCurve(_above(claim.mu))
    if isinstance(claim, ZCDP):
        return _family(lambda rho: lambda eps: _each(lambda e: zcdp_delta(e, rho), eps), _above(claim.rho), "ρ-zCDP, ρ")
    if isinstance(claim, RenyiDP):
        order = float(claim.order)
        return _family(
            lambda tau: lambda eps: _each(lambda e: renyi_delta(e, order, tau), eps), _above(claim.eps),
            f"Rényi order {order:g}, ε",
        )  # fmt: skip
    raise BadInput(f"claim={claim!r} has no known curve δ(ε)")


def _family(make: Callable[[float], Callable[[Floats], Floats]], level: float, words: str) -> Envelope:
    def found(value: float) -> Envelope:
        source = make(value)
        return Envelope(f"{words} = {value:g}", source, chosen_points(source), value, found)

    return found(level)


@lru_cache(maxsize=32)
def _of_known(claim: Any) -> Any:
    return _of_object(claim)


def _of_object(claim: Any) -> Any:
    words = getattr(claim, "words", None)
    words = words if isinstance(words, str) else " ".join(str(claim).split())[:80]
    source: Callable[[Floats], Floats] = claim.deltas
    points = chosen_points(source)
    draw = getattr(claim, "pair", None)
    if not callable(draw) or getattr(claim, "draws_per_pair", 1) > MOST_DRAWS:
        return Envelope(words, source, points)
    try:
        draw(1, np.random.default_rng(0))
    except (BadInput, NotImplementedError):  # no pair is known for this claim: its points are enough
        return Envelope(words, source, points)
    return Drawn(words, source, points, draw=draw)


def chosen_points(source: Callable[[Floats], Floats], count: int = POINTS) -> tuple[tuple[float, float], ...]:
    """Points of a curve from ε = 0 to where δ is negligible, or no longer falls."""
    top, last = 0.25, 2.0
    while top < 200:
        (delta,) = _checked(source, np.array([top]))
        if delta <= _NEGLIGIBLE or (delta >= last and delta < 0.5):
            break
        top, last = top * 1.4, delta
    # closer where the curve is high; short enough for a certificate to name
    eps = np.round(top * np.linspace(0.0, 1.0, count) ** 1.6 * 2**20) / 2**20
    found = [(float(e), float(d)) for e, d in zip(eps, _checked(source, eps), strict=True) if d < 1]
    if not found:
        raise BadInput("the claim allows δ = 1 at every ε: nothing can refute it")
    return tuple(found)


def _checked(source: Callable[[Floats], Floats], eps: Floats) -> Floats:
    found = np.asarray(source(eps), dtype=np.float64)
    if found.shape != eps.shape or not np.all(np.isfinite(found)) or np.any(found < 0):
        raise BadInput("the claim's deltas(eps) must return one number ≥ 0 for every ε of the array")
    return np.minimum(found, 1.0)


def _each(value: Callable[[float], float], eps: Floats) -> Floats:
    return np.array([min(1.0, value(float(e)) * _UP) for e in np.ravel(eps)]).reshape(np.shape(eps))


def _lines(x: Floats, points: Sequence[tuple[float, float]]) -> Floats:
    best = np.zeros_like(x)
    for eps, delta in points:
        big = math.exp(eps)
        best = np.maximum(best, np.maximum(1 - delta - big * x, (1 - delta - x) / big))
    return best


def _above(value: Any) -> float:
    """An exact number as a float, not below it."""
    number = float(value)
    return number if number >= value else math.nextafter(number, math.inf)


def points_of(curve: Any) -> tuple[tuple[float, float], ...]:
    """The points that a test by ranks looks at; none where the whole curve is drawn from."""
    return () if isinstance(curve, Drawn) else tuple(getattr(curve, "points", ()))


def epsilon_of(curve: Any, delta: float) -> float:
    """The smallest ε with δ(ε) ≤ `delta`, by bisection; infinite where there is none below 200.

    >>> round(epsilon_of(GaussianCurve(1.0), 1e-5), 2)
    4.38
    """
    if isinstance(curve, ApproxCurve) and curve.delta <= delta:
        return curve.eps
    points = getattr(curve, "points", ())
    low, high = 0.0, 200.0
    for eps, found in points:  # what is known of an accountant's curve, before it is asked again
        low, high = (eps, high) if found > delta else (low, min(high, eps))
    if high == 200.0 and float(curve.deltas(np.array([high]))[0]) > delta:
        return math.inf
    if low == 0.0 and float(curve.deltas(np.array([low]))[0]) <= delta:
        return 0.0
    fine = 1e-3 if points else 1e-9  # an accountant's curve takes its time
    while high - low > fine * max(1.0, high):
        middle = (low + high) / 2
        low, high = (middle, high) if float(curve.deltas(np.array([middle]))[0]) > delta else (low, middle)
    return high
