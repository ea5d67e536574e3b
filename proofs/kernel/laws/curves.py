r"""Privacy curves of the classical noise laws: closed forms.

For noise Z and a shift Δ of the answer, with both orders of the pair considered,

.. math:: H_\varepsilon(\Delta) = \sup_S P[Z \in S] - e^\varepsilon P[Z+\Delta \in S].

**Shift lemma.** If the law of Z is symmetric and its density (or mass function) h does not rise with \|z\|, then for
ε ≥ 0 the two orders agree and H grows with \|Δ\|: beyond Δ the integrand :math:`(h(z) - e^\varepsilon h(z-\Delta))_+`
vanishes, as \|z−Δ\| < \|z\| there; below Δ the number \|z−Δ\| = Δ−z grows with Δ, so the integrand does. Hence the
worst shift of size at most Δ is Δ. All laws below but the exponential one are of this kind; for that one the larger
order is :math:`1 - e^{-\Delta/b}`, which grows with Δ as well.

A value is an exact quotient of exponential sums where there is one, else a function that returns an enclosure at the
precision in force.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import pairwise
from math import ceil
from typing import Any

from flint import arb

from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import Rejected, ball
from dpwitness.proofs.kernel.laws.cauchy import cauchy_curve, cauchy_loss
from dpwitness.proofs.kernel.limits import tick

Params = Mapping[str, Fraction]
Value = tuple[ExpSum, ExpSum] | Callable[[], Any]
MAX_STAIRS, MAX_TERMS = 2_000, 4_000_000
INTEGER_LAWS = frozenset({"discrete_laplace", "discrete_gaussian"})


def exact(value: ExpSum | Fraction | int) -> Value:
    """A value that is an exponential sum."""
    return ExpSum.of(value), ExpSum.of(1)


def laplace(p: Params, shift: Fraction, eps: Fraction) -> Value:
    r"""Density :math:`e^{-|z|/b}/2b`: :math:`H = 1 - e^{(\varepsilon-\Delta/b)/2}` for ε < Δ/b, else 0."""
    loss = shift / p["scale"]
    return exact(0 if eps >= loss else 1 - ExpSum.exp((eps - loss) / 2))


def gaussian(p: Params, shift: Fraction, eps: Fraction) -> Value:
    r"""Normal noise: :math:`H = \Phi(m/2 - \varepsilon/m) - e^\varepsilon\Phi(-m/2 - \varepsilon/m)`, m = Δ/σ."""
    return normal(shift * shift / p["variance"], eps)


def normal(squared: Fraction, eps: Fraction) -> Value:
    """The curve of N(0,1) against N(m,1), given m²."""
    if squared == 0:
        return exact(0)

    def compute() -> Any:
        m, e, root = ball(squared).sqrt(), ball(eps), arb(2).sqrt()
        return ((e / m - m / 2) / root).erfc() / 2 - e.exp() * ((e / m + m / 2) / root).erfc() / 2

    return compute


def uniform(p: Params, shift: Fraction, eps: Fraction) -> Value:
    """Uniform on an interval of length w: H = min(1, Δ/w) for every ε, since the densities are equal or one is 0."""
    return exact(min(Fraction(1), shift / p["width"]))


def exponential(p: Params, shift: Fraction, eps: Fraction) -> Value:
    r"""Density :math:`e^{-z/b}/b` on z ≥ 0, the larger of the two orders: :math:`1 - e^{-\Delta/b}`.

    The set [0, Δ) has that probability before the shift and 0 after it; the other order gives
    :math:`(1 - e^{\varepsilon-\Delta/b})_+`, which is smaller.
    """
    return exact(1 - ExpSum.exp(-shift / p["scale"]))


def discrete_laplace(p: Params, shift: Fraction, eps: Fraction) -> Value:
    r"""Mass :math:`\propto a^{|k|}`, :math:`a = e^{-1/b}`; with K the largest integer below (Δ − εb)/2,
    :math:`H = 1 - (a^{K+1} + e^\varepsilon a^{\Delta-K})/(1+a)`.
    """
    d, b = _whole(shift), p["scale"]
    if eps >= d / b:
        return exact(0)
    k = ceil((d - eps * b) / 2) - 1
    one_plus = 1 + ExpSum.exp(-1 / b)
    return one_plus - ExpSum.exp(-(k + 1) / b) - ExpSum.exp(eps - (d - k) / b), one_plus


def discrete_gaussian(p: Params, shift: Fraction, eps: Fraction) -> Value:
    r"""Mass :math:`\propto e^{-k^2/2v}`: the set is k ≤ K, K the largest integer below Δ/2 − εv/Δ.

    Tail lemma: for n ≥ 1 successive terms fall by at least :math:`r = e^{-(2n+1)/2v}`, so
    :math:`0 < \sum_{k>n} e^{-k^2/2v} < e^{-(n+1)^2/2v}/(1 - r)`.
    """
    d, v = _whole(shift), p["variance"]
    if d == 0:
        return exact(0)
    top = ceil(Fraction(d, 2) - eps * v / d) - 1

    def compute() -> Any:
        half = gaussian_tail(1, v)
        total = 1 + 2 * half
        return (_up_to(top, v, half) - ball(eps).exp() * _up_to(top - d, v, half)) / total

    return compute


def _up_to(k: int, v: Fraction, half: Any) -> Any:
    """Σ_{j ≤ k} e^(−j²/2v); `half` is the sum over j ≥ 1."""
    if k < 0:
        return gaussian_tail(-k, v)
    return 1 + 2 * half - gaussian_tail(k + 1, v)


def gaussian_share(k: int, v: Fraction) -> float:
    """P[noise ≤ k] of the integer Gaussian law, for display."""
    half = gaussian_tail(1, v)
    return float(_up_to(k, v, half) / (1 + 2 * half))


def gaussian_tail(first: int, v: Fraction) -> Any:
    """Σ_{k ≥ first} e^(−k²/2v) for first ≥ 1, summed until a term is negligible, plus the tail lemma."""
    from flint import ctx

    step, n = ball(-1 / (2 * v)), first
    term, ratio, square = (step * (n * n)).exp(), (step * (2 * n + 1)).exp(), (step * 2).exp()
    total, floor = arb(0), arb(2) ** (-ctx.prec - 8)
    start = term
    while not term < start * floor:
        total += term
        term, ratio, n = term * ratio, ratio * square, n + 1
        if n - first > MAX_TERMS:
            raise Rejected(f"variance {v} needs more than {MAX_TERMS} terms")
        tick()
        if (n - first) % 64 == 0:  # keep rounding errors from growing
            term, ratio = (step * (n * n)).exp(), (step * (2 * n + 1)).exp()
    rest = term / (1 - ratio)
    return total + rest / 2 + (rest / 2) * arb(0, 1)


def staircase(p: Params, shift: Fraction, eps: Fraction) -> Value:
    r"""The staircase law: with :math:`x = e^{-\varepsilon_0}` the density at t = \|z\| is :math:`\propto x^{n(t)}`,
    n(t) = ⌊t/s⌋ + [t/s − ⌊t/s⌋ ≥ g].

    For z < 0 the integrand is :math:`x^{n(t)}(1 - e^\varepsilon x^{n(t+\Delta)-n(t)})_+`, which falls by x from one
    stair to the next, so one period gives the whole; between 0 and Δ there are finitely many pieces.
    """
    rate, width, split = p["eps"], p["sensitivity"], p["split"]
    x = ExpSum.exp(-rate)
    period = middle = ExpSum.of(0)
    for low, high in _pieces(Fraction(0), width, [Fraction(0), -shift], width, split):
        n, m = (_stair((low + high) / 2 + s, width, split) for s in (Fraction(0), shift))
        if eps < rate * (m - n):
            period += (high - low) * (ExpSum.exp(-rate * n) - ExpSum.exp(eps - rate * m))
    for low, high in _pieces(Fraction(0), shift, [Fraction(0)], width, split, mirror=shift):
        centre = (low + high) / 2
        n, m = _stair(centre, width, split), _stair(shift - centre, width, split)
        if eps < rate * (m - n):
            middle += (high - low) * (ExpSum.exp(-rate * n) - ExpSum.exp(eps - rate * m))
    return period + (1 - x) * middle, 2 * width * (split + (1 - split) * x)


def _stair(t: Fraction, width: Fraction, split: Fraction) -> int:
    steps = t / width
    return int(steps // 1) + (steps - steps // 1 >= split)


def _pieces(
    low: Fraction,
    high: Fraction,
    origins: list[Fraction],
    width: Fraction,
    split: Fraction,
    mirror: Fraction | None = None,
) -> list[tuple[Fraction, Fraction]]:
    """[low, high] cut wherever a stair of one of the two densities begins or falls."""
    if (high - low) / width > MAX_STAIRS or any(abs(o) / width > MAX_STAIRS for o in origins):
        raise Rejected(f"a shift of more than {MAX_STAIRS} stairs")
    cuts = {low, high}
    for origin in origins:
        for k in range(int((low - origin) // width) - 1, int((high - origin) // width) + 2):
            cuts |= {origin + k * width, origin + (k + split) * width}
    if mirror is not None:
        cuts |= {mirror - c for c in cuts}
    ends = sorted(c for c in cuts if low <= c <= high)
    return list(pairwise(ends))


def _whole(shift: Fraction) -> int:
    if shift.denominator != 1:
        raise Rejected(f"the shift {shift} of an integer law is not a whole number: the supports are disjoint")
    return shift.numerator


CURVES: dict[str, Callable[[Params, Fraction, Fraction], Value]] = {
    "laplace": laplace,
    "gaussian": gaussian,
    "uniform": uniform,
    "exponential": exponential,
    "discrete_laplace": discrete_laplace,
    "discrete_gaussian": discrete_gaussian,
    "staircase": staircase,
    "admissible": lambda p, shift, eps: exact(0) if shift == 0 else cauchy_curve(p["gamma"], shift / p["scale"], eps),
}


def pure_loss(name: str, p: Params, shift: Fraction) -> Fraction | Callable[[], Any] | None:
    """The largest |log-ratio| over shifts of size at most `shift`: exact, as an enclosure, or None where infinite."""
    if shift == 0:
        return Fraction(0)
    if name in ("laplace", "discrete_laplace"):
        return shift / p["scale"]
    if name == "staircase":
        width, split = p["sensitivity"], p["split"]
        rises = [
            _stair((low + high) / 2 + shift, width, split) - _stair((low + high) / 2, width, split)
            for low, high in _pieces(Fraction(0), width, [Fraction(0), -shift], width, split)
        ]
        return p["eps"] * max(rises)
    if name == "admissible":
        return cauchy_loss(p["gamma"], shift / p["scale"])
    return None
