r"""Analyse a noise density given as a formula in z.

For noise of density h, scaled by S(x)/α around f(x) with a β-smooth bound S, the mechanism is
:math:`(\varepsilon, \tfrac\delta2(1+e^{\varepsilon/2}))`-DP where h is (α,β)-admissible: every slide by at most α and
every dilation by :math:`e^\lambda`, |λ| ≤ β, is (ε/2, δ/2)-close to h (Nissim, Raskhodnikova and Smith 2007).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from fractions import Fraction

from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import exact
from dpwitness.proofs.kernel.algebra.interval import Interval
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import Rejected, Undecided, ball, enclose, lower, outward, precision, text, upper
from dpwitness.proofs.kernel.laws.density import BITS, Change, Density
from dpwitness.proofs.kernel.laws.shapes import jumps, kinks, range_on_line, resolve, segments
from dpwitness.proofs.laws.density_report import Admissible, DensityReport
from dpwitness.proofs.laws.privacy_curves.curves import Enclosure

STEP = Fraction(1, 10**7)
FAINT = Fraction(1, 10**12)  # a factor of the density this small would drown in what is left out far out
Curve = tuple[tuple[Fraction, Enclosure], ...]
__all__ = ["Admissible", "DensityReport", "analyse"]


def analyse(formula: str, *, eps: object = 1, delta: object = 0) -> DensityReport:
    """Normaliser, losses, and the largest admissible slide and dilation of a noise density.

    Parameters
    ----------
    formula
        A formula in z, such as ``"1/(1+Abs(z)**4)"``; it need not be normalised.
    eps, delta
        The guarantee of the whole mechanism; slide and dilation get one half each.

    >>> report = analyse("exp(-Abs(z))", eps=1)
    >>> report.slide.largest[0], report.dilate.refuted
    (Fraction(1, 2), 'the log-ratio is unbounded')
    """
    start = time.monotonic()
    e, d = Fraction(exact(eps, "eps")), Fraction(exact(delta, "delta"))
    if e <= 0 or not 0 <= d < 1:
        raise BadInput(f"eps={e} must be positive and delta={d} must lie in [0, 1)")
    try:
        density = Density.read(formula)
        total = density.total()
    except (Rejected, Undecided) as error:
        raise BadInput(f"{formula[:80]!r}: {error}") from None
    if total[0] <= FAINT or total[1] >= 1 / FAINT:
        raise BadInput(f"{formula[:80]!r}: the integral is too large or too small: leave out constant factors")
    slope, stretch = (_size(density, i) for i in (0, 1))
    gap = _gap(density)
    changes: list[tuple[Change, Enclosure | None]] = [("slide", slope), ("dilate", stretch)]
    parts = [_admissible(density, change, e / 2, d / 2, bound, gap) for change, bound in changes]
    whole = None
    frontier: tuple[tuple[Fraction, Fraction], ...] = ()
    if all(part.largest is not None for part in parts):
        factor = enclose(lambda: 1 + ball(e / 2).exp())[1]
        whole = e, outward(d / 2 * factor, d / 2 * factor)[1]
    if d == 0 and slope and stretch and slope[1] and stretch[1]:
        frontier = tuple((e * t / slope[1], e * (1 - t) / stretch[1]) for t in (Fraction(k, 8) for k in range(1, 8)))
    return DensityReport(
        formula, e, d, outward(*total, 25), slope, stretch, parts[0], parts[1], whole, frontier,
        *_of_a_unit_slide(density, e, gap), time.monotonic() - start,
    )  # fmt: skip


def _of_a_unit_slide(density: Density, eps: Fraction, gap: bool) -> tuple[Enclosure | None, Curve]:
    """The pure loss of a slide by 1, and δ at half of ε, at ε and at twice ε; only what could be enclosed."""
    loss: Enclosure | None = None
    if not gap and not jumps(density.expr):
        try:
            outer, reached = density.loss(Fraction(1))
            with precision(BITS):
                if outer.finite:
                    low, high = max(lower(reached.hi), -upper(reached.lo)), upper(outer.abs().hi)
                    loss = low, high
        except Undecided:
            pass
    curve = []
    for e in (eps / 2, eps, 2 * eps):
        try:
            curve.append((e, outward(*density.divergence("slide", Fraction(1), e))))
        except Undecided:
            continue
    return loss, tuple(curve)


def _size(density: Density, which: int) -> Enclosure | None:
    """sup |ψ| or sup |χ|, enclosed; None where it is infinite (a jump of h counts as such) or could not be bounded."""
    if jumps(density.expr):
        return None
    with precision(BITS):
        try:
            outer, reached = range_on_line(density.slopes()[which])
        except Undecided:
            return None
        high = outer.abs().hi
        if not high.is_finite():
            return None
        low = max(lower(reached.hi), -upper(reached.lo), Fraction(0))
        return low, upper(high)


def _gap(density: Density) -> bool:
    """Whether the density is zero on an interval and positive elsewhere."""
    with precision(BITS):
        for a, b in segments(kinks(density.expr), density.far()):
            try:
                value = over(resolve(density.expr, a, b), {"z": Interval.of(a, b)})
            except Undecided:
                continue
            if value.lo == 0 and value.hi == 0:
                return True
    return False


def _admissible(
    density: Density, change: Change, eps: Fraction, delta: Fraction, bound: Enclosure | None, gap: bool
) -> Admissible:
    if delta == 0:
        if gap:
            return Admissible(change, None, refuted="the supports differ: the log-ratio is infinite")
        if bound is None:
            unbounded = _unbounded(density, change)
            return Admissible(change, None, *(("the log-ratio is unbounded", "") if unbounded else ("", "not bounded")))
        if change == "dilate" or not density.peaked(change):
            return _linear(density, change, eps, bound)

        def loss(by: Fraction) -> Enclosure:
            outer, reached = density.loss(by)
            with precision(BITS):
                return max(lower(reached.hi), -upper(reached.lo)), upper(outer.abs().hi)

        return _solve(density, change, loss, eps, (eps, delta))
    if not density.peaked(change):
        return Admissible(change, None, open="the worst change is not shown to be the largest one")
    return _solve(density, change, lambda by: density.divergence(change, by, eps), delta, (eps, delta))


def _linear(density: Density, change: Change, eps: Fraction, bound: Enclosure) -> Admissible:
    """A change that the slope bound allows, and one that is certainly too large."""
    safe = outward(eps / bound[1], eps / bound[1])[0]
    proof = _certificate(density, change, safe, eps, Fraction(0))
    if change == "dilate":
        least = _far_stretch(density)
        if least == 0:
            return Admissible(change, None, open="no dilation was found to be too large")
        return Admissible(change, (safe, outward(eps / least, eps / least)[1]), certificate=proof)
    wide = safe * (1 + STEP)
    for _ in range(30):
        _, reached = density.loss(wide)
        with precision(BITS):
            if max(lower(reached.hi), -upper(reached.lo)) > eps:
                return Admissible(change, (safe, wide), certificate=proof)
        wide = safe + 8 * (wide - safe)
    return Admissible(change, None, open="no slide was found to be too large")


def _far_stretch(density: Density) -> Fraction:
    """A lower bound on the loss of a dilation per unit of λ: 1 at z = 0 where h(0) > 0, and |χ(∞)| in the limit."""
    from dpwitness.proofs.kernel.laws.shapes import mirrored
    from dpwitness.proofs.kernel.laws.tails import single, tail

    chi, best, far = density.slopes()[1], Fraction(0), Fraction(2**40)
    with precision(BITS):
        try:
            value = over(density.expr, {"z": Interval.of(0, 0)})
            best = Fraction(1) if value.lo > 0 and value.finite else best
        except Undecided:
            pass
        for side in (chi, mirrored(chi)):
            try:
                term = single(tail(side, far), far)
            except Undecided:
                continue
            if term.power == 0 and not term.growth:
                best = max(best, lower(term.interval.abs().lo))
    return best


def _unbounded(density: Density, change: Change) -> bool:
    """Whether ψ (or χ) tends to infinity far out, which makes the log-ratio of any change unbounded."""
    from dpwitness.proofs.kernel.laws.shapes import mirrored
    from dpwitness.proofs.kernel.laws.tails import single, tail

    expr = density.slopes()[0 if change == "slide" else 1]
    with precision(BITS):
        for side in (expr, mirrored(expr)):
            try:
                term = single(tail(side, Fraction(64)), Fraction(64))
            except Undecided:
                continue
            away = term.interval.lo > 0 or term.interval.hi < 0
            if away and not term.growth and term.power > 0:
                return True
    return False


def _solve(
    density: Density,
    change: Change,
    value: Callable[[Fraction], Enclosure],
    target: Fraction,
    claim: tuple[Fraction, Fraction],
) -> Admissible:
    """The change at which a rising quantity meets its target: guessed in floating point, certified on both sides."""
    from dpwitness.proofs.laws.floats import guess

    x = Fraction(guess(density.expr, change, float(claim[0]), float(claim[1])))
    if x > 10**5:
        return Admissible(change, None, open="no bound on the change was met")
    try:
        for centre, width in ((x.limit_denominator(1000), Fraction(0)), *((x, STEP * 100**k) for k in range(4))):
            low, high = centre * (1 - width), centre * (1 + max(width, STEP))
            if width:
                low, high = outward(low, high, 12)
            elif abs(centre - x) > 100 * STEP * x:
                continue
            if value(low)[1] <= target and value(high)[0] > target:
                return Admissible(change, (low, high), certificate=_certificate(density, change, low, *claim))
    except Undecided as error:
        return Admissible(change, None, open=str(error))
    return Admissible(change, None, open="the largest change was not bracketed")


def _certificate(density: Density, change: Change, by: Fraction, eps: Fraction, delta: Fraction) -> dict[str, str]:
    numbers = {"by": text(by), "epsilon": text(eps), "delta": text(delta)}
    return {"type": "density", "formula": density.formula, "change": change, **numbers}
