r"""Brackets of δ(ε) and ε(δ) of a composition: the kernel's bounds, with hints that are searched for here.

Which engine: Gaussian steps alone have a closed form; where some noise is continuous enough for the moments to fall,
the inversion sum gives twelve digits; everything else goes to the grid. Of two orders of the neighbours the one that
seems worse is enclosed, and the other is shown to lie below it by one moment where that is enough.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import expm1, inf, log, log1p
from typing import Any

from dpwitness.proofs.accounting.gridding import grid_hints
from dpwitness.proofs.accounting.search import TooDear, find_hints, tail_hints
from dpwitness.proofs.accounting.steering import Cumulant, short
from dpwitness.proofs.kernel.accounts.compositions import bound
from dpwitness.proofs.kernel.accounts.laws import DiscreteGaussian, Geometric, Poisson, Table, Without
from dpwitness.proofs.kernel.accounts.pairs import Gaussian, Laplace, Pair, Response
from dpwitness.proofs.kernel.arith import Rejected, Undecided, ball, lower, upper

DIGITS = (34.0, 22.0, 14.0)
GRID_ONLY = (Table, Geometric, DiscreteGaussian, Poisson, Without)
Value = Callable[[Fraction], Any]


class PrecisionReached(ArithmeticError):
    """Neither engine gives a bound; the text says what was missing."""


@dataclass(frozen=True)
class Bounds:
    """Two functions that bound δ(ε) of one order from both sides, and how they were made."""

    engine: str
    below: Value
    above: Value
    hints: Any

    def low(self, eps: Fraction) -> Fraction:
        return max(lower(self.below(eps)), Fraction(0))

    def high(self, eps: Fraction) -> Fraction:
        return min(upper(self.above(eps)), Fraction(1))


class Order:
    """A composition in one order of the neighbours."""

    def __init__(self, parts: Sequence[tuple[Pair, int]], engine: str | None = None) -> None:
        self.parts, self.engine = list(parts), engine

    @cached_property
    def closed(self) -> bool:
        return all(isinstance(pair, Gaussian) for pair, _ in self.parts)

    @cached_property
    def cumulant(self) -> Cumulant | None:
        """ln M for the search, where every pair has moments."""
        if any(isinstance(pair, GRID_ONLY) for pair, _ in self.parts):
            return None
        return Cumulant(tuple(self.parts))

    def infinite(self) -> float:
        """P[L = ∞] as far as it is stated by the steps."""
        return -expm1(sum(count * log1p(-float(pair.infinite)) for pair, count in self.parts))

    @property
    def gridded(self) -> bool:
        """Whether the grid is the first choice: no moments, or moments that do not fall."""
        lattice = all(isinstance(pair, Laplace | Response) for pair, _ in self.parts)
        return self.engine == "grid" or self.cumulant is None or (lattice and self.engine is None)

    def bounds(self, eps: float, size: float, fine: float = 1.0) -> Bounds:
        """Bounds that are good near ε, where δ is about `size`; `fine` scales the number of grid points."""
        if self.closed and self.engine != "grid":
            value = bound(self.parts, None, True)
            return Bounds("closed form", value, value, None)
        if self.cumulant is not None and not self.gridded:
            for digits in DIGITS:
                try:
                    hints = find_hints(self.parts, self.cumulant, eps, digits)
                    value = bound(self.parts, hints, True)
                    if value(short(eps, 60)).rel_accuracy_bits() > 16:
                        return Bounds("moments", value, value, hints)
                except (TooDear, Rejected, Undecided):
                    continue
        if self.engine == "moments":
            raise PrecisionReached("the moments of these steps fall too slowly for the inversion sum")
        try:
            hints = grid_hints(self.parts, max(size, 1e-300), fine)
            two = [bound(self.parts, hints, up) for up in (False, True)]
        except (TooDear, Rejected, Undecided) as error:
            raise PrecisionReached(f"no engine encloses this composition: {error}") from None
        return Bounds("grid", two[0], two[1], hints)

    def guess(self, delta: float) -> float:
        """An estimate of ε(δ), by the saddle point or by a normal law of the loss; a float."""
        if self.cumulant is not None:
            rest = delta - self.infinite()
            return self.cumulant.epsilon(rest) if rest > 0 else inf
        return -1.0

    def tail(self, eps: Fraction, delta: Fraction) -> dict[str, Any] | None:
        """Hints with which one moment shows δ(ε) ≤ δ, or None."""
        if self.cumulant is None or self.closed or not float(delta):
            return None
        try:
            hints = tail_hints(self.parts, self.cumulant, float(eps), float(delta))
            return hints if upper(bound(self.parts, hints, True)(eps)) <= delta else None
        except (TooDear, Rejected, Undecided, OverflowError):
            return None


def solve(value: Value, delta: Fraction, guess: float) -> float:
    """The ε at which an enclosed δ(ε) equals δ, by the secant rule on ln δ; a float."""

    def gap(eps: float) -> float:
        found = value(Fraction(eps))
        if found.rel_accuracy_bits() < 6 and found.rad() > ball(delta / 8):
            return 9.0 if eps < guess else -9.0  # too far from where the bounds are good: δ falls with ε
        ratio = float((found / ball(delta)).mid())
        return log(ratio) if ratio > 0 else -50.0

    low: float = 0.0
    high: float = inf  # δ is too large at low, small enough at high
    a, b = guess, guess * 1.001 + 1e-9
    fa, fb = gap(a), gap(b)
    for _ in range(60):
        for x, f in ((a, fa), (b, fb)):
            low, high = (max(low, x), high) if f > 0 else (low, min(high, x))
        if abs(fb) < 1e-13 or high * (1 - 1e-15) <= low:
            break
        step = b - fb * (b - a) / (fb - fa) if fa != fb else inf
        most: float = 2 * low + 1 if high == inf else high
        if not low < step < most or abs(fb) > abs(fa) / 2 > 1.0:  # the secant leaves the bracket or gains little
            near = 0.9 * high if fb > -2 else 0.0
            step = most if high == inf else (max(low, near) + high) / 2
        if abs(step - b) <= 1e-16 * b:
            break
        a, fa, b = b, fb, step
        fb = gap(b)
    return b


def settle(holds: Callable[[Fraction], bool], guess: float, side: int, width: Fraction) -> Fraction | None:
    """A rational near the guess, on its given side, at which a bound certainly holds; None if there is none.

    Outward in growing steps until it holds, then back by bisection while that gains anything.
    """
    centre, slack = short(guess, 60), width / 8 * Fraction(max(guess, 1e-6))
    bad, good = centre, centre
    while True:
        good = max(centre + side * slack, Fraction(0))
        if holds(good) or (good == 0 and side < 0):
            break
        bad, slack = good, slack * 8
        if slack > 64 * (1 + abs(centre)):
            return None
    while abs(good - bad) > width * max(abs(good), Fraction(1, 10**6)):
        middle = (good + bad) / 2
        if abs(middle - good) < abs(good) / 10**4 * width:
            break
        good, bad = (middle, bad) if holds(middle) else (good, middle)
    return good


__all__ = ["Bounds", "Order", "PrecisionReached", "settle", "solve"]
