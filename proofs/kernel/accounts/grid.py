r"""δ(ε) of a composition from two laws of its loss on a grid hℤ: one is never below the truth, one never above.

Masses are whole multiples of 2^−bits, rounded up in the law above and down in the law below; products are products of
integer polynomials. All is a sum of products of masses with factors ≥ 0, so rounding masses up (down) moves δ up
(down).

A pair is given by its curve δ(α), α = e^ε, and the slope −Q[L > ε] of it; P[L > ε] = δ + αQ[L > ε]. Atoms need no care.

* *Above: split.* A mass (p, q) with losses between neighbouring grid points l < l' (also −∞ and ∞) is split into
  masses at l and l' with the same sums p and q. At a single loss λ this splits P into shares w, 1−w and Q into shares
  we^{λ−l}, (1−w)e^{λ−l'}, which sum to 1: the true pair is the split pair with a label forgotten. So every product of
  true pairs, adaptive or not, is an image of the product of split pairs. The curve of the split pair joins the points
  of δ at the α of the grid, 1 at α = 0, and is constant at the end: so a grid point has the mass α times the change
  of slope, and ∞ the last value.
* *Below: merge.* Losses between two cuts around a grid point l are one outcome (p, q). If p ≥ e^{l−θ}q its loss is at
  least l − θ, and p is put there; θ ≥ 0 is a hint of any size. Otherwise the losses above l and a share w of those
  from the cut to l are one outcome, if that has a loss of at least l − θ (w = 0 will always do), and the rest is put
  at l − h − θ, where it is enough that its losses are above the cut. This law is an image of the true pair with losses
  rounded down. Any cuts will do that lie at most h below l; cuts that make the loss of the outcome nearly l keep the
  error of second order. What lies beyond the grid is dropped or rounded down.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import floor, log
from typing import Any

from flint import arb, fmpz_poly

from dpwitness.proofs.kernel.accounts.pairs import Hint, Pair, Parts, natural
from dpwitness.proofs.kernel.arith import Rejected, ball, number, precision
from dpwitness.proofs.kernel.limits import tick

MAX_POINTS = 400_000


@dataclass(frozen=True)
class Loss:
    """Masses of the losses h(base + i) − offset, and of ∞, in units of 2^−bits."""

    h: Fraction
    base: int
    offset: Fraction
    masses: Any
    infinite: int
    bits: int
    up: bool

    def cut(self, tail: int) -> Loss:
        """Without the ends whose masses are at most `tail`: these go to ∞ and to the lowest point, or down and away."""
        c, low, below, above = [int(m) for m in self.masses.coeffs()] or [0], 0, 0, 0
        while low < len(c) - 1 and below + c[low] <= tail:
            below, low = below + c[low], low + 1
        while len(c) > low + 1 and above + c[-1] <= tail:
            above += c.pop()
        c[low if self.up else -1] += below if self.up else above
        infinite = self.infinite + (above if self.up else 0)
        return replace(self, base=self.base + low, masses=fmpz_poly(c[low:]), infinite=infinite)

    def times(self, other: Loss, tail: int) -> Loss:
        if self.masses.length() + other.masses.length() > MAX_POINTS:
            raise Rejected(f"more than {MAX_POINTS} grid points")
        tick(64)
        unit, sign = 1 << self.bits, -1 if self.up else 1  # −(−x // unit) rounds up
        infinite = self.infinite * (int(other.masses(1)) + other.infinite) + int(self.masses(1)) * other.infinite
        masses, infinite = sign * (sign * self.masses * other.masses // unit), sign * (sign * infinite // unit)
        offset = self.offset + other.offset
        return Loss(self.h, self.base + other.base, offset, masses, infinite, self.bits, self.up).cut(tail)

    def power(self, k: int, tail: int) -> Loss:
        if k == 1:
            return self
        half = self.power(k // 2, max(tail // 4, 1))
        return half.times(half, tail).times(self, tail) if k % 2 else half.times(half, tail)

    def delta(self, eps: Fraction) -> Any:
        r"""η + Σ_{l>ε} p_l(1 − e^{ε−l}), enclosed."""
        with precision(self.bits + 64):
            first = max(floor((eps + self.offset) / self.h) + 1 - self.base, 0)
            rest = fmpz_poly(self.masses.coeffs()[first:])
            weight = ball(eps + self.offset - self.h * (self.base + first)).exp()
            value = int(rest(1)) + self.infinite - weight * rest((-ball(self.h)).exp())
            return value / arb(2) ** self.bits


def discretise(pair: Pair, h: Fraction, window: list[int], bits: int, offset: Fraction | None) -> Loss:
    """The loss of one pair on the grid points h·low … h·high: above, or, where an offset θ is given, below."""
    low, high = window
    unit, up, masses = arb(2) ** bits, offset is None, [0] * (high - low + 1)
    alphas = [ball(h * i).exp() for i in range(low, high + 1)]

    def curve(alpha: Any) -> tuple[Any, Any]:
        tick()
        return pair.curve(alpha)

    def whole(mass: Any) -> int:
        mass = mass * unit
        return max(int((mass.upper().ceil() if up else mass.lower().floor()).unique_fmpz()), 0)

    points = [curve(alpha) for alpha in alphas]
    values = [value for value, _ in points]
    pairs = list(zip([arb(0), *alphas[:-1]], alphas, [arb(1), *values[:-1]], values, strict=True))
    slopes = [(there - here) / (b - a) for a, b, here, there in pairs] + [arb(0)]
    changes = [alpha * (after - before) for alpha, before, after in zip(alphas, slopes[:-1], slopes[1:], strict=True)]
    if offset is None:
        return Loss(h, low, Fraction(0), fmpz_poly([whole(c) for c in changes]), whole(values[-1]), bits, True)
    cuts = [h * i - h / 2 - _lean(changes, i - low, h) for i in range(low + 1, high + 1)]
    below = [(ball(cut).exp(), *curve(ball(cut).exp())) for cut in cuts]
    tails = [(value - alpha * slope, -slope) for alpha, value, slope in below]  # P and Q of the losses above the cut
    for i, ((p, q), (p1, q1)) in enumerate(pairwise([*tails, (ball(pair.infinite), arb(0))]), 1):
        factor, all_of_it = ball(h * (low + i) - offset).exp(), whole(p - p1)
        if p - p1 >= factor * (q - q1):
            masses[i] += all_of_it
            continue
        value, slope = points[i]
        above, left = (value - alphas[i] * slope - p1, -slope - q1), (p - value + alphas[i] * slope, q + slope)
        w = _share((above[0] - factor * above[1]) / (factor * left[1] - left[0]))
        fits = above[0] + w * left[0] >= factor * (above[1] + w * left[1])
        w = w if fits else arb(0)
        kept, rest = whole(above[0] + w * left[0]), whole((1 - w) * left[0])
        exact = kept + rest + 8 > all_of_it  # else there is an atom at l, which cannot be told apart
        masses[i] += kept if exact else 0
        masses[i - 1] += rest if exact else all_of_it
    return Loss(h, low, offset, fmpz_poly(masses), whole(ball(pair.infinite)), bits, False)


def _share(wanted: Any) -> Any:
    """A number from 0 to 1, a little below the one that is wanted."""
    near = float(wanted.mid()) if wanted.is_finite() else 0.0
    return arb(max(min(near * (1 - 1e-9), 1.0), 0.0))


def _lean(changes: list[Any], i: int, h: Fraction) -> Fraction:
    """How far below the half-way point to cut: (h²/12)((ln f)' − ½), f the density of the loss; never above it."""
    before, here = (float(changes[j].mid()) for j in (i - 1, i))
    lean = (log(here / before) - float(h) / 2) / 12 if before > 0 and here > 0 else 0.0
    return h * Fraction(lean) if abs(lean) < 0.4 else Fraction(0)  # next to an atom the half-way point is best


def grid_loss(parts: Parts, hints: Hint, up: bool) -> Loss:
    """The law of the whole; hints are h, bits, tail (in units), offset and for each pair its first and last point."""
    h, bits, tail = number(hints["h"]), natural(hints["bits"], 2_048, 32), natural(hints["tail"], 1 << 2_048)
    offset, found = number(hints["offset"]), None
    if h <= 0 or offset < 0 or len(hints["windows"]) != len(parts):
        raise Rejected("the grid needs h > 0, an offset and a window for each pair")
    for (pair, count), window in zip(parts, hints["windows"], strict=True):
        size = natural(window[1], MAX_POINTS, -MAX_POINTS) - natural(window[0], MAX_POINTS, -MAX_POINTS)
        if not 2 <= size <= MAX_POINTS:
            raise Rejected(f"a window has 3 to {MAX_POINTS} points")
        with precision(bits + 64):
            one = discretise(pair, h, window, bits, None if up else offset).cut(max(tail // count, 1))
        found = one.power(count, tail) if found is None else found.times(one.power(count, tail), tail)
    assert found is not None
    return found
