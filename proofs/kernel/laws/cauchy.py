r"""Generalised Cauchy noise, density :math:`h(z) \propto 1/(1+|z|^\gamma)` with γ > 1.

Write :math:`\varphi(x) = \ln(1+x^\gamma)`; its slope :math:`\gamma x^{\gamma-1}/(1+x^\gamma)` rises up to
:math:`x = (\gamma-1)^{1/\gamma}` and falls afterwards. So for a shift Δ > 0 the log-ratio at z = −t ≤ 0,
:math:`r(t) = \varphi(t+\Delta) - \varphi(t)`, first rises and then falls to 0 (its slope is positive where t+Δ is left
of the peak, negative where t is right of it, and falls in between), and between 0 and Δ the log-ratio
:math:`\varphi(\Delta-z) - \varphi(z)` falls. Hence :math:`\{p > e^\varepsilon q\}` is one interval (a, b): its ends are
roots of monotone functions, found by bisection with certified signs.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb, ctx

from dpwitness.proofs.kernel.arith import Rejected, Undecided, ball, between, precision


def _phi(x: Any, gamma: Fraction) -> Any:
    return (1 + x ** ball(gamma)).log()


def _ratio(t: Fraction, gamma: Fraction, shift: Fraction) -> Any:
    """r(t) for t ≥ 0."""
    low = _phi(ball(t), gamma) if t else ball(0)
    return _phi(ball(t + shift), gamma) - low


def _slope(t: Fraction, gamma: Fraction, shift: Fraction) -> Any:
    """The sign of r'(t) for t > 0: (t+Δ)^(γ−1) (1+t^γ) − t^(γ−1) (1+(t+Δ)^γ)."""
    x, y, g = ball(t), ball(t + shift), ball(gamma)
    return y ** (g - 1) * (1 + x**g) - x ** (g - 1) * (1 + y**g)


def falling_root(
    function: Callable[[Fraction], Any], low: Fraction, high: Fraction, width: Fraction
) -> tuple[Fraction, Fraction]:
    """A bracket (low, high) of the zero of a function that is positive on its left and negative on its right.

    Points where the sign is not decided at the current precision are stepped over: the bracket then keeps both sides.
    """
    while high - low > width:
        for part in (Fraction(1, 2), Fraction(3, 7), Fraction(4, 7), Fraction(2, 5), Fraction(3, 5)):
            middle = low + (high - low) * part
            value = function(middle)
            if value > 0:
                low = middle
                break
            if value < 0:
                high = middle
                break
        else:
            break
        low, high = _shorten(low, high)
    return low, high


def _shorten(low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
    """Dyadic ends just outside, so that numbers stay short."""
    if max(low.denominator.bit_length(), high.denominator.bit_length()) <= 2 * ctx.prec:
        return low, high
    scale = 1 << (2 * ctx.prec)
    return Fraction(low * scale // 1, scale), Fraction(-(-high * scale // 1), scale)


def _beyond(function: Callable[[Fraction], Any], start: Fraction) -> Fraction:
    """A point where a function that ends negative is certified negative."""
    point = start
    for _ in range(4000):
        if function(point) < 0:
            return point
        point *= 2
    raise Undecided("no point with a negative value was found")


def _peak(gamma: Fraction, shift: Fraction) -> tuple[Fraction, Fraction]:
    """A bracket of the t at which r is largest."""

    def slope(t: Fraction) -> Any:
        return _slope(t, gamma, shift)

    high = _beyond(slope, Fraction(2) + shift)
    width = Fraction(1, 1 << (ctx.prec // 2))
    low, high = falling_root(slope, Fraction(0), high, width)
    return low, high


def cauchy_loss(gamma: Fraction, shift: Fraction) -> Callable[[], Any]:
    """An enclosure of max_t r(t): the pure loss of a shift.

    >>> from dpwitness.proofs.kernel.arith import enclose
    >>> low, high = enclose(cauchy_loss(Fraction(2), Fraction(1)))       # 2 asinh(1/2)
    >>> round(float(low), 12), round(float(high), 12)
    (0.962423650119, 0.962423650119)
    """
    if gamma <= 1 or shift <= 0:
        raise Rejected(f"gamma={gamma} must exceed 1 and shift={shift} must be positive")

    def compute() -> Any:
        low, high = _peak(gamma, shift)
        t = between(low, high)
        if low > 0:
            return _phi(t + ball(shift), gamma) - _phi(t, gamma)
        return _phi(t + ball(shift), gamma) - (1 + arb(0).union(ball(high) ** ball(gamma))).log()

    return compute


def cauchy_curve(gamma: Fraction, shift: Fraction, eps: Fraction) -> Callable[[], Any]:
    """An enclosure of the hockey-stick divergence H_ε of a shift; 0 where ε is certified to exceed the pure loss."""
    if gamma <= 1 or shift <= 0:
        raise Rejected(f"gamma={gamma} must exceed 1 and shift={shift} must be positive")

    def compute() -> Any:
        with precision(ctx.prec + 32):
            return _curve(gamma, shift, eps)

    return compute


def _curve(gamma: Fraction, shift: Fraction, eps: Fraction) -> Any:
    def left(t: Fraction) -> Any:
        return _ratio(t, gamma, shift) - ball(eps)

    def right(z: Fraction) -> Any:
        low = _phi(ball(z), gamma) if z else ball(0)
        return (_phi(ball(shift - z), gamma) if shift > z else ball(0)) - low - ball(eps)

    if eps == 0:  # total variation: the favourable set is z < Δ/2
        return 2 * half_mass(ball(shift / 2), gamma) / normaliser(gamma)
    width = Fraction(1, 1 << ctx.prec)
    low, high = _peak(gamma, shift)
    best = low if low > 0 else (low + high) / 2
    top = left(best)
    if not top > 0:
        loss = cauchy_loss(gamma, shift)()
        if loss <= ball(eps):
            return arb(0)
        raise Undecided("ε is too close to the pure loss")
    far = _beyond(left, max(best, Fraction(1)) * 2)
    a = falling_root(left, best, far, width)
    if right(Fraction(0)) > 0:
        b = falling_root(right, Fraction(0), shift, width)
    elif right(Fraction(0)) < 0:
        near, beyond = falling_root(lambda t: -left(t), Fraction(0), best, width)
        b = -beyond, -near
    else:
        raise Undecided("the left end of the favourable set is too close to 0")
    minus_a, end, d = between(*a), between(*b), ball(shift)
    mass = _signed(end, gamma) + _signed(minus_a, gamma)
    moved = _signed(end - d, gamma) + _signed(minus_a + d, gamma)
    return (mass - ball(eps).exp() * moved) / normaliser(gamma)


def normaliser(gamma: Fraction) -> Any:
    r"""∫ dz/(1+|z|^γ) over the line, :math:`2(\pi/\gamma)/\sin(\pi/\gamma)`."""
    angle = arb.pi() / ball(gamma)
    return 2 * angle / angle.sin()


def _signed(x: Any, gamma: Fraction) -> Any:
    """∫_0^x dz/(1+|z|^γ) for a ball that does not straddle 0 widely."""
    if x < 0:
        return -half_mass(-x, gamma)
    if x > 0:
        return half_mass(x, gamma)
    return x * (1 + arb(0, 1)) / 2  # the integrand lies in (0, 1]


def half_mass(x: Any, gamma: Fraction) -> Any:
    r"""∫_0^x for x > 0: :math:`x\,{}_2F_1(1, 1/\gamma; 1+1/\gamma; -x^\gamma)`, or from the far end for x > 1."""
    g = ball(gamma)
    inverse = 1 / g
    if x > 1:
        tail = x ** (1 - g) / (g - 1) * (-(x ** (-g))).hypgeom_2f1(arb(1), 1 - inverse, 2 - inverse)
        return normaliser(gamma) / 2 - tail
    return x * (-(x**g)).hypgeom_2f1(arb(1), inverse, 1 + inverse)
