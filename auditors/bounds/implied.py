r"""What a guarantee implies in terms of (ε,δ): every implied pair is a hypothesis, and violating one refutes all.

- pure and approximate privacy: the pair itself;
- Gaussian: :math:`\delta(\varepsilon) = \Phi(-\varepsilon/\mu + \mu/2) - e^\varepsilon\Phi(-\varepsilon/\mu - \mu/2)`
  (Dong, Roth, Su 2022, corollary 1);
- Rényi of order a, and zero-concentrated (all orders):
  :math:`\delta(\varepsilon) = e^{(a-1)(\tau-\varepsilon)}\,(1-1/a)^a/(a-1)`, τ the Rényi bound at order a
  (Canonne, Kamath, Steinke 2020, proposition 12).

δ is rounded up by a relative 10⁻⁹, which makes the hypotheses weaker and the audit sound; points of a curve beyond
what sampling can test are left out.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from dpwitness.auditors.bounds.evalue import MAX_EPSILON, Null
from dpwitness.core.errors import BadInput
from dpwitness.core.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP

_UP = 1 + 1e-9
_CANCELLED = 1e-15  # what the difference of two probabilities may have lost
_POINTS = 8


def implied(guarantee: Guarantee | Any) -> tuple[Null, ...]:
    """The (ε,δ) hypotheses that a guarantee implies: one, or a few along its curve.

    >>> from dpwitness.core.guarantees import PureDP
    >>> implied(PureDP(1))
    (Null(eps=1.0, delta=0.0, balance=1.0, cap_left=1.0, cap_right=1.0),)
    """
    if isinstance(guarantee, PureDP):
        return (Null(_above(guarantee.eps)),)
    if isinstance(guarantee, ApproxDP):
        return (Null(_above(guarantee.eps), float(guarantee.delta) * _UP if guarantee.delta else 0.0),)
    if isinstance(guarantee, GaussianDP):
        mu = float(guarantee.mu)
        grid = [0.0, mu * mu / 4, *_grid(mu * mu / 2, mu)]
        return _curve([(eps, gaussian_delta(eps, mu) + _CANCELLED) for eps in grid])
    if isinstance(guarantee, ZCDP):
        rho = float(guarantee.rho)
        return _curve([(eps, zcdp_delta(eps, rho)) for eps in _grid(rho, math.sqrt(2 * rho))])
    if isinstance(guarantee, RenyiDP):
        order, tau = float(guarantee.order), float(guarantee.eps)
        return _curve([(eps, renyi_delta(eps, order, tau)) for eps in _grid(tau, max(1.0 / (order - 1), 0.1 * tau))])
    if not isinstance(guarantee, Guarantee):
        return _picked(guarantee)
    raise BadInput(f"guarantee={guarantee!r} has no known (ε,δ) consequences")


def _picked(claim: Any) -> tuple[Null, ...]:
    """Points of an accountant's curve: those of `dpwitness.auditors.bounds.curves`, every third of them."""
    from dpwitness.auditors.bounds.curves import as_curve

    curve = as_curve(claim)
    points = getattr(curve, "points", None)
    if points is None:
        return implied(_guarantee_of(curve))
    return _curve([*points[:6], *points[6::3]])


def _guarantee_of(curve: Any) -> Guarantee:
    if hasattr(curve, "mu"):
        return GaussianDP(Fraction(curve.mu))
    return ApproxDP(Fraction(curve.eps), Fraction(curve.delta)) if curve.delta else PureDP(Fraction(curve.eps))


def gaussian_delta(eps: float, mu: float) -> float:
    """δ(ε) of μ-Gaussian privacy.

    >>> round(gaussian_delta(1.0, 1.0), 4)
    0.1269
    """
    from scipy.special import log_ndtr

    return math.exp(log_ndtr(-eps / mu + mu / 2)) - math.exp(eps + log_ndtr(-eps / mu - mu / 2))


def renyi_delta(eps: float, order: float, tau: float) -> float:
    """δ(ε) implied by Rényi divergence at most `tau` at `order`."""
    log_delta = (order - 1) * (tau - eps) + order * math.log1p(-1 / order) - math.log(order - 1)
    return math.exp(min(log_delta, 0.0))


def zcdp_delta(eps: float, rho: float) -> float:
    """δ(ε) implied by ρ-zCDP: the best order."""
    orders = 1 + np.exp(np.linspace(math.log(1e-3), math.log(1e5), 4000))
    return min(renyi_delta(eps, float(order), rho * float(order)) for order in orders)


def _grid(mean: float, spread: float) -> list[float]:
    """Values of ε where the privacy loss has its mean and its tail."""
    return [mean + spread * float(step) for step in np.linspace(0.0, 4.5, _POINTS)]


def _curve(points: list[tuple[float, float]]) -> tuple[Null, ...]:
    return tuple(Null(eps, delta * _UP) for eps, delta in points if eps <= MAX_EPSILON and 0 <= delta * _UP < 0.9)


def _above(value: Fraction) -> float:
    """The exact ε as a float, not below it."""
    number = float(value)
    return number if Fraction(number) >= value else math.nextafter(number, math.inf)
