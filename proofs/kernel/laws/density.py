r"""Noise densities given by a formula in z: normaliser, losses and hockey-stick divergences, all enclosed.

For a density h write :math:`\psi = (\ln h)'` and :math:`\chi(z) = 1 + z\psi(z)`.

- Sliding by Δ: :math:`|\ln h(z+\Delta) - \ln h(z)| \le |\Delta| \sup|\psi|`.
- Dilating by :math:`e^\lambda`: the derivative of :math:`\ln(e^\lambda h(e^\lambda z))` in λ is
  :math:`\chi(e^\lambda z)`, so the loss is at most :math:`|\lambda|\sup|\chi|`.

**Shift lemma for one peak.** If a density k on the line rises up to some point m and falls after it, then for ε ≥ 0 the
divergence between k and k shifted by Δ > 0 grows with Δ, in each order, and so does the pure loss: where x − Δ > m the
integrand :math:`(k(x) - e^\varepsilon k(x-\Delta))_+` vanishes, and where x − Δ ≤ m the number k(x−Δ) falls as Δ grows.
Applied to h it says that the worst slide is the longest one; applied to ln\|Z\| (density :math:`e^x h(e^x)`, whose
slope has the sign of χ), on each half-line, it says that the worst dilation is the largest one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Literal

from flint import arb

from dpwitness.proofs.kernel.algebra.cells import intervals, mean_value
from dpwitness.proofs.kernel.algebra.expr import Expr, call, num, parse
from dpwitness.proofs.kernel.algebra.integrals import integral
from dpwitness.proofs.kernel.algebra.interval import Interval
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import Rejected, Undecided, ball, lower, number, precision, text, upper
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.laws.shapes import (
    Z,
    bounded_on_line,
    elasticity,
    even,
    jumps,
    kinks,
    log_of,
    mirrored,
    one_peak,
    range_on_line,
    resolve,
    segments,
    tails,
)
from dpwitness.proofs.kernel.laws.tails import Diverges, single, tail, tail_mass
from dpwitness.proofs.kernel.statements import NO_INPUTS, epsilon_delta, subject
from dpwitness.proofs.kernel.theorem import Theorem

BITS = 96
TINY = Fraction(1, 10**18)
Change = Literal["slide", "dilate"]
Hint = Callable[[Fraction, Fraction], Interval]


@dataclass(frozen=True)
class Density:
    """A non-negative formula in z with a finite integral.

    >>> low, high = Density.read("exp(-Abs(z))").total()
    >>> low <= 2 <= high
    True
    """

    formula: str
    expr: Expr

    @staticmethod
    def read(formula: str) -> Density:
        """Parse a formula in z."""
        expr = parse(formula, frozenset({"z"}))
        if "z" not in expr.variables():
            raise Rejected(f"{formula[:60]!r} does not depend on z")
        return Density(formula, expr)

    def far(self) -> Fraction:
        """A T beyond which both tails are inside the tail calculus and weigh less than 10⁻¹⁸ together."""
        return _far_out(self.expr)

    def total(self) -> tuple[Fraction, Fraction]:
        """The normaliser ∫ h, enclosed; raises `Rejected` where h is negative somewhere or does not integrate."""
        return _total(self.expr)

    def slopes(self) -> tuple[Expr, Expr]:
        """ψ = (ln h)' and χ = 1 + zψ."""
        psi = log_of(self.expr).derivative("z")
        return psi, num(1) + elasticity(self.expr)

    def changed(self, change: Change, by: Fraction) -> Expr:
        """h(z − by), or e^λ h(e^λ z) with λ = by."""
        if change == "slide":
            return self.expr.substitute({"z": Z - num(by)})
        factor = call("exp", num(by))
        return factor * self.expr.substitute({"z": factor * Z})

    def peaked(self, change: Change) -> bool:
        """Whether the worst change is shown to be the largest one (shift lemma for one peak)."""
        if jumps(self.expr):  # a jump up after the peak is not seen by the slope
            return False
        psi, chi = self.slopes()
        with precision(BITS):
            try:
                if change == "slide":
                    return one_peak(psi, None)
                return one_peak(chi, Fraction(0)) and (even(self.expr) or one_peak(mirrored(chi), Fraction(0)))
            except Undecided:
                return False

    def divergence(self, change: Change, by: Fraction, eps: Fraction) -> tuple[Fraction, Fraction]:
        """H_ε between h and its slide or dilation, the larger of the two orders, enclosed."""
        low, high = self.total()
        best = Fraction(0), Fraction(0)
        end = self.far()
        with precision(BITS):
            for side in (by,) if change == "slide" and even(self.expr) else (by, -by):
                below, above = divergence(self.expr, self.changed(change, side), eps, end, hint=self.hint(change, side))
                found = max(lower(below), Fraction(0)) / high, upper(above) / low
                best = max(best[0], found[0]), max(best[1], found[1])
        return best[0], min(best[1], Fraction(1))

    def hint(self, change: Change, by: Fraction, order: int = 0) -> Hint:
        r"""Encloses ln h − ln(changed h) on a cell as an integral of slopes, which loses little far out.

        :math:`\ln h(z) - \ln h(z-\Delta) = \int_{z-\Delta}^z\psi`, and
        :math:`\ln h(z) - \lambda - \ln h(e^\lambda z) = -\int_0^\lambda \chi(e^s z)\,ds`.
        """
        psi, chi = self.slopes()
        if order:  # the slope of that in z, up to a positive factor
            psi, chi = psi.derivative("z"), chi.derivative("z")

        def enclose(a: Fraction, b: Fraction) -> Interval:
            cell = intervals({"z": (a, b)})["z"]
            move = Interval.of(by, by)
            if change == "slide":
                return over(psi, {"z": cell.hull(cell - move)}) * move
            return over(chi, {"z": cell.hull(cell * move.exp())}) * (-move)

        return enclose

    def loss(self, by: Fraction) -> tuple[Interval, Interval]:
        """The range of ln h(z) − ln h(z − by): one that contains it, one that is reached (see `range_on_line`)."""
        with precision(BITS):
            return range_on_line(*self._ratio(by), slope=self.hint("slide", by, order=1))

    def loss_within(self, by: Fraction, eps: Fraction) -> bool:
        """Whether |ln h(z) − ln h(z − by)| ≤ ε everywhere; False means: not shown."""
        with precision(BITS):
            ratio, ends = self._ratio(by)
            # for an even density the ratio at by − z is minus the ratio at z
            return bounded_on_line(ratio, eps, ends, self.hint("slide", by, order=1), half=by > 0 and even(self.expr))

    def _ratio(self, by: Fraction) -> tuple[Expr, tuple[Interval, Interval, Fraction]]:
        """ln h(z) − ln h(z − by), and its ranges far out."""
        left, right, end = tails(self.slopes()[0])
        spread = Interval.of(-abs(by), abs(by))
        far = end + abs(by)  # from there on both points are beyond T
        return log_of(self.expr) - log_of(self.changed("slide", by)), (left * spread, right * spread, far)


@lru_cache(maxsize=64)
def _far_out(expr: Expr) -> Fraction:
    sides = (expr, mirrored(expr))
    reason = ""
    with precision(BITS):
        for k in (6, 12):
            for side in sides:
                try:
                    tail_mass(side, Fraction(2**k))
                except Diverges:
                    raise Rejected("not a density: its integral over the line is infinite") from None
                except Undecided as error:
                    reason = str(error)
        for k in (*range(3, 12), *range(12, 40, 4), *range(40, 480, 20)):
            point = Fraction(2**k)
            try:
                if all(tail_mass(side, point) < ball(TINY) / 2 for side in sides):
                    return point
            except Undecided as error:
                reason = str(error)
    raise Undecided(f"the tails of the density could not be bounded: {reason}")


@lru_cache(maxsize=64)
def _total(expr: Expr) -> tuple[Fraction, Fraction]:
    with precision(BITS):
        end = _far_out(expr)
        for side in (expr, mirrored(expr)):
            term = single(tail(side, end), end)
            if not term.interval.lo >= 0:
                raise Rejected("the density is not shown to be non-negative far out")
        mass, half = arb(0), even(expr)
        for a, b in segments(kinks(expr), end):
            if half and b <= 0:  # the same as on the other side of 0, where the line is cut
                continue
            piece = resolve(expr, a, b)
            _nonnegative(piece, a, b)
            mass += integral(piece, a, b) * (2 if half else 1)
        rest = tail_mass(expr, end) + tail_mass(mirrored(expr), end)
        value = mass + rest / 2 + rest / 2 * arb(0, 1)
        if not value > 0:
            raise Rejected("the density integrates to zero")
    return lower(value), upper(value)


def _nonnegative(piece: Expr, low: Fraction, high: Fraction) -> None:
    todo = [(low, high)]
    for _ in range(2_000):
        if not todo:
            return
        a, b = todo.pop()
        box = {"z": (a, b)}
        try:
            if over(piece, intervals(box)).lo >= 0 or mean_value(piece, box).lo >= 0:
                continue
        except Undecided:
            pass
        middle = (a + b) / 2
        try:
            if over(piece, intervals({"z": (middle, middle)})).hi < 0:
                raise Rejected(f"the density is negative at z = {middle}")
        except Undecided:
            raise Rejected(f"the density is not defined at z = {middle}") from None
        todo += [(a, middle), (middle, b)]
    raise Rejected(f"the density is not shown to be finite and non-negative near z = {float(todo[-1][0]):.6g}")


def divergence(
    p: Expr, q: Expr, eps: Fraction, end: Fraction, *, hint: Hint | None = None, depth: int = 90
) -> tuple[Any, Any]:
    """Balls below and above ∫ (p − e^ε q)₊ over the line, before normalising; the tails of p beyond `end` go above.

    Cells where the sign of p − e^ε q is decided are integrated or dropped; the few that stay undecided at the
    smallest width count 0 below, and their width times the largest value above.
    """
    below, above = arb(0), arb(0)
    budget = 30_000
    for low, high in segments(kinks(p) | kinks(q), end):
        first, second = resolve(p, low, high), resolve(q, low, high)
        difference = first - call("exp", num(eps)) * second
        ratio = log_of(first) - log_of(second) - num(eps)
        run: Fraction | None = None  # where the present run of positive cells began
        todo = [(low, high, depth)]
        while todo:
            a, b, left = todo.pop()
            budget -= 1
            if budget < 0:
                raise Undecided("too many cells")
            way = _hinted(hint, a, b, eps) or _way(ratio, difference, {"z": (a, b)})
            if way > 0:
                run = a if run is None else run
                continue
            if way == 0:
                bound = _height(difference, a, b) * ball(b - a)
                if left > 0 and not bound < ball(TINY) / 64:
                    middle = (a + b) / 2
                    todo += [(middle, b, left - 1), (a, middle, left - 1)]
                    continue
                above += bound
            if run is not None:
                piece = integral(difference, run, a)
                below, above, run = below + piece, above + piece, None
        if run is not None:
            piece = integral(difference, run, high)
            below, above = below + piece, above + piece
    return below, above + tail_mass(p, end) + tail_mass(mirrored(p), end)


def _hinted(hint: Hint | None, a: Fraction, b: Fraction, eps: Fraction) -> int:
    if hint is None:
        return 0
    try:
        value = hint(a, b)
    except Undecided:
        return 0
    return 1 if value.lo > ball(eps) else -1 if value.hi <= ball(eps) else 0


def _way(ratio: Expr, difference: Expr, box: Mapping[str, tuple[Fraction, Fraction]]) -> int:
    """1 where p > e^ε q on the cell, −1 where p ≤ e^ε q on it, 0 where undecided."""
    for expr, mean in ((ratio, True), (ratio, False), (difference, False), (difference, True)):
        try:
            value = mean_value(expr, box) if mean else over(expr, intervals(box))
        except Undecided:
            continue
        if value.lo > 0:
            return 1
        if value.hi <= 0:
            return -1
        if mean:
            return 0  # a smooth cell that straddles the sign change: only cutting it helps
    return 0


def _height(difference: Expr, a: Fraction, b: Fraction) -> Any:
    value = over(difference, intervals({"z": (a, b)})).hi
    return value if value > 0 else arb(0)


def check_density(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "density", "formula", "change", "by", "epsilon", "delta"}``.

    Verified: noise of this density is (ε,δ)-close in both orders to its every slide by at most `by` (or dilation by
    e^λ, |λ| ≤ `by`).
    """
    formula, change, by, eps, delta = fields(certificate, "type", "formula", "change", "by", "epsilon", "delta")[1:]
    size, e, d = number(by), number(eps), number(delta)
    if change not in ("slide", "dilate") or size <= 0 or e < 0 or not 0 <= d < 1:
        raise Rejected("change must be slide or dilate, by positive, epsilon not negative, delta in [0, 1)")
    density = Density.read(formula)
    density.total()
    words = f"{formula}: every {change} by at most {text(size)} is (ε = {text(e)}, δ = {text(d)})-close"
    if d == 0:  # sliding back mirrors sliding on: the same range, negated
        gentle = within_slope(density, change, size, e)
        if not gentle and not (change == "slide" and density.peaked(change) and density.loss_within(size, e)):
            raise Rejected("the pure loss is not shown to be within epsilon")
    elif not density.peaked(change):
        raise Rejected("the worst change is not shown to be the largest one")
    elif density.divergence(change, size, e)[1] > d:
        raise Rejected("the divergence is not shown to be within delta")
    model = subject(certificate, "formula", "change", "by")
    return Theorem("density", words, model, False, epsilon_delta(e, d), NO_INPUTS, "any")


def within_slope(density: Density, change: Change, by: Fraction, eps: Fraction) -> bool:
    """Whether by · sup|ψ| ≤ ε (sliding) or by · sup|χ| ≤ ε (dilating), for a density without jumps."""
    if jumps(density.expr):  # the slope bounds the loss only where ln h is the integral of its slope
        return False
    with precision(BITS):
        try:
            return bounded_on_line(density.slopes()[0 if change == "slide" else 1], eps / by, half=even(density.expr))
        except Undecided:
            return False


CHECKERS = {"density": check_density}
