r"""What one guarantee says of another, each step a proved inequality with outward rounding.

- ε-DP gives ρ-zCDP with :math:`\rho = \varepsilon^2/2` (Bun and Steinke 2016, proposition 1.4).
- ρ-zCDP gives (α, ρα)-Rényi DP for every α > 1: the definition.
- (α,r)-Rényi DP gives (ε,δ) with the formula of `renyi_to_delta` (Canonne, Kamath and Steinke 2020, proposition 12).
- μ-GDP gives (ε,δ) by the curve of N(0,1) against N(μ,1), and μ²/2-zCDP.
- ε-DP gives μ-GDP by `pure_to_gdp`, and (α,r)-Rényi DP by `renyi_of_response`.
- (ε,δ) gives the trade-off function of its two supporting lines; a trade-off function gives (ε,δ) by its conjugate
  (`trade_off_to_delta`).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.core.errors import BadInput
from dpwitness.core.guarantees import ZCDP, ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP
from dpwitness.core.numbers import exact
from dpwitness.proofs.kernel.arith import ball, enclose, outward
from dpwitness.proofs.kernel.laws.curves import normal
from dpwitness.proofs.kernel.laws.noise import enclosure


def pure_to_zcdp(eps: object) -> Fraction:
    r"""ρ such that every ε-DP mechanism is ρ-zCDP: ε²/2.

    The Rényi divergence of order α of an ε-DP pair is at most that of randomized response, which is at most αε²/2.

    >>> pure_to_zcdp(1)
    Fraction(1, 2)
    """
    e = Fraction(exact(eps, "eps"))
    return e * e / 2


def renyi_of_response(order: object, eps: object) -> tuple[Fraction, Fraction]:
    r"""The Rényi divergence of order α of randomized response, the largest among ε-DP mechanisms, enclosed.

    :math:`D_\alpha = \frac1{\alpha-1}\ln\frac{e^{\alpha\varepsilon}+e^{(1-\alpha)\varepsilon}}{1+e^\varepsilon}`

    >>> low, high = renyi_of_response(2, 1)
    >>> round(float(low), 12), round(float(high), 12)
    (0.735325664056, 0.735325664056)
    """
    a, e = Fraction(exact(order, "order")), Fraction(exact(eps, "eps"))
    if a <= 1:
        raise BadInput(f"order={a} must exceed 1")

    def compute() -> Any:
        top = ball(a * e).exp() + ball((1 - a) * e).exp()
        return (top / (1 + ball(e).exp())).log() / ball(a - 1)

    return outward(*enclose(compute))


def renyi_to_delta(order: object, divergence: object, eps: object) -> Fraction:
    r"""δ such that (α, r)-Rényi DP implies (ε,δ)-DP, rounded up and at most 1.

    .. math:: \delta = \frac{e^{(\alpha-1)(r-\varepsilon)}}{\alpha}\Bigl(1-\frac1\alpha\Bigr)^{\alpha-1}

    It maximises :math:`(1-e^{\varepsilon-\ell})_+ \le c\,e^{(\alpha-1)\ell}` over the loss ℓ, which is attained at
    :math:`e^{\varepsilon-\ell} = 1 - 1/\alpha`.

    >>> float(renyi_to_delta(10, 1, 3)) < 1e-6 * 1.6
    True
    """
    a, r, e = (Fraction(exact(v, n)) for v, n in ((order, "order"), (divergence, "divergence"), (eps, "eps")))
    if a <= 1:
        raise BadInput(f"order={a} must exceed 1")
    _, high = enclose(lambda: (ball((a - 1) * (r - e)) + ball(a - 1) * ball(1 - 1 / a).log()).exp() / ball(a))
    return min(Fraction(1), outward(high, high)[1])


def zcdp_to_delta(rho: object, eps: object) -> Fraction:
    r"""δ such that ρ-zCDP implies (ε,δ)-DP, rounded up: the best order α. Any order is sound, so the search is free.

    >>> float(zcdp_to_delta("1/8", 2)) < 1e-3
    True
    """
    from math import log1p

    p, e = Fraction(exact(rho, "rho")), Fraction(exact(eps, "eps"))
    if p <= 0:
        raise BadInput(f"rho={p} must be positive")
    low, high = 1.0000001, 2 + 2 * float(e) / float(p) + 10
    for _ in range(200):  # a convex exponent in α: golden section by thirds
        one, two = low + (high - low) / 3, high - (high - low) / 3
        values = [(a - 1) * (a * float(p) - float(e)) + (a - 1) * log1p(-1 / a) - _log(a) for a in (one, two)]
        low, high = (low, two) if values[0] < values[1] else (one, high)
    order = Fraction((low + high) / 2).limit_denominator(10**6)
    return renyi_to_delta(max(order, Fraction(1000001, 1000000)), p * order, e)


def _log(x: float) -> float:
    from math import log

    return log(x)


def zcdp_to_renyi(rho: object, order: object) -> RenyiDP:
    """The Rényi guarantee of one order: (α, ρα), by definition.

    >>> print(zcdp_to_renyi("1/8", 4))
    Rényi order 4, ε = 1/2
    """
    a = Fraction(exact(order, "order"))
    return RenyiDP(a, a * Fraction(exact(rho, "rho")))


def gdp_to_zcdp(mu: object) -> ZCDP:
    r"""μ-GDP gives μ²/2-zCDP.

    The pair is a post-processing of N(0,1) and N(μ,1) (Blackwell), whose divergence of order α is αμ²/2.

    >>> print(gdp_to_zcdp(2))
    ρ-zCDP, ρ = 2
    """
    m = Fraction(exact(mu, "mu"))
    return ZCDP(m * m / 2)


def pure_to_gdp(eps: object) -> Fraction:
    r"""μ such that every ε-DP mechanism is μ-GDP, rounded up: :math:`\Phi(-\mu/2) = 1/(1+e^\varepsilon)`.

    The trade-off function of ε-DP is made of the chords between (0,1), (c,c) and (1,0), c = 1/(1+e^ε). That of μ-GDP is
    convex and runs through the same three points, so it lies below: the claim is weaker. No smaller μ will do, since
    randomized response meets the point (c,c).

    >>> mu = pure_to_gdp(1)
    >>> round(float(mu), 12)
    1.232035385345
    """
    e = Fraction(exact(eps, "eps"))
    if e < 0:
        raise BadInput(f"eps={e} must not be negative")
    if e == 0:
        return Fraction(0)
    # 1 − 2c = tanh(ε/2)
    _, high = enclose(lambda: 2 * ball(2).sqrt() * ball(e / 2).tanh().erfinv())
    return outward(high, high)[1]


def trade_off_to_delta(guarantee: Guarantee, eps: object, points: int = 200) -> Fraction:
    r"""A δ that a trade-off function f allows at most: :math:`\delta(\varepsilon) = \sup_\alpha 1 - f(\alpha) -
    e^\varepsilon\alpha`, rounded up.

    On a cell [a, b] of levels f does not rise, so :math:`1 - f(b) - e^\varepsilon a` is an upper bound; f is convex, so
    the supremum of a concave function is bracketed by the cells, of which `points` are used.

    >>> float(trade_off_to_delta(PureDP(1), 1)) < 0.02
    True
    """
    e = Fraction(exact(eps, "eps"))
    if e < 0 or points < 1:
        raise BadInput(f"eps={e} must not be negative and points={points} must be positive")
    down = _exp(e)[0]
    worst = Fraction(0)
    for n in range(points):
        low, high = Fraction(n, points), Fraction(n + 1, points)
        worst = max(worst, 1 - trade_off(guarantee, high)[0] - down * low)
    return min(Fraction(1), outward(worst, worst)[1])


def gdp_to_delta(mu: object, eps: object) -> tuple[Fraction, Fraction]:
    """δ(ε) of μ-GDP, exactly enclosed: the curve of N(0,1) against N(μ,1)."""
    m, e = Fraction(exact(mu, "mu")), Fraction(exact(eps, "eps"))
    if m <= 0:
        raise BadInput(f"mu={m} must be positive")
    return outward(*enclosure(normal(m * m, e)), 25)


def _exp(x: Fraction) -> tuple[Fraction, Fraction]:
    return enclose(lambda: ball(x).exp())  # the ball of x is made again at each precision


def trade_off(guarantee: Guarantee, type_one: object) -> tuple[Fraction, Fraction]:
    r"""f(α): the smallest type-II error that a test of level α can have, enclosed.

    For (ε,δ): :math:`f(\alpha) = \max(0, 1-\delta-e^\varepsilon\alpha, e^{-\varepsilon}(1-\delta-\alpha))`; for μ-GDP:
    :math:`\Phi(\Phi^{-1}(1-\alpha)-\mu)`.

    >>> low, high = trade_off(PureDP(1), "1/2")
    >>> round(float(low), 12), round(float(high), 12)
    (0.183939720586, 0.183939720586)
    """
    level = Fraction(exact(type_one, "type_one"))
    if not 0 <= level <= 1:
        raise BadInput(f"type_one={level} must lie in [0, 1]")
    if isinstance(guarantee, GaussianDP):
        if level in (0, 1):
            return (1 - level,) * 2
        mu = Fraction(guarantee.mu)

        def compute() -> Any:
            root = ball(2).sqrt()
            quantile = ball(1 - 2 * level).erfinv() * root  # Φ⁻¹(1 − α)
            return ((ball(mu) - quantile) / root).erfc() / 2

        return outward(*enclose(compute), 25)
    if isinstance(guarantee, PureDP | ApproxDP):
        eps = Fraction(guarantee.eps)
        delta = Fraction(guarantee.delta) if isinstance(guarantee, ApproxDP) else Fraction(0)
        up, down = (_exp(e) for e in (eps, -eps))
        rest = 1 - delta - level
        steep = 1 - delta - up[1] * level, 1 - delta - up[0] * level
        flat = min(x * rest for x in down), max(x * rest for x in down)
        return max(Fraction(0), steep[0], flat[0]), max(Fraction(0), steep[1], flat[1])
    raise BadInput(f"{guarantee} has no trade-off function here; convert it first")


def to_approx(guarantee: Guarantee, eps: object) -> ApproxDP:
    """The (ε,δ) guarantee at a given ε that another one implies.

    >>> print(to_approx(ZCDP("1/8"), 3))
    ε = 3, δ = 2.00143e-09
    """
    e = Fraction(exact(eps, "eps"))
    if isinstance(guarantee, ZCDP):
        return ApproxDP(e, zcdp_to_delta(guarantee.rho, e))
    if isinstance(guarantee, RenyiDP):
        return ApproxDP(e, renyi_to_delta(guarantee.order, guarantee.eps, e))
    if isinstance(guarantee, GaussianDP):
        return ApproxDP(e, gdp_to_delta(guarantee.mu, e)[1])
    if isinstance(guarantee, PureDP):  # the curve of randomized response
        from dpwitness.proofs.laws.composition import optimal_delta

        return ApproxDP(e, optimal_delta(1, guarantee.eps, e)[1] if e < guarantee.eps else 0)
    raise BadInput(f"{guarantee} is already approximate")
