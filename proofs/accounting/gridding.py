r"""Hints for the grid engine: the step h, a window of losses for each pair, precision and cut-offs.

Splitting adds h²/6 to the variance of each step's loss and merging takes h²/12 away, so ε moves by about a share
(h/s)²/4 of itself, s the deviation of one step's loss. Where all losses are multiples of one number, that is h, and
only rounding is left.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, floor, gcd, inf, lcm, log, sqrt
from typing import Any

from flint import arb

from dpwitness.proofs.accounting.search import TooDear
from dpwitness.proofs.accounting.steering import short
from dpwitness.proofs.kernel.accounts.grid import MAX_POINTS, discretise
from dpwitness.proofs.kernel.accounts.laws import DiscreteGaussian, Geometric, Poisson, Table, Without
from dpwitness.proofs.kernel.accounts.pairs import Laplace, Pair, Parts, Response
from dpwitness.proofs.kernel.arith import ball, precision

CELLS, COARSE = 20_000, 400
ATOMS = (Laplace, Geometric, Response)


def unit(pair: Pair) -> Fraction | None:
    """The largest number of which all losses of the pair are multiples, if there is one."""
    if isinstance(pair, Response):
        return pair.loss
    if isinstance(pair, Geometric):
        return (1 if pair.shift % 2 else 2) / pair.scale
    if isinstance(pair, DiscreteGaussian):
        return Fraction(pair.shift) / pair.variance / (1 if pair.shift % 2 == 0 else 2)
    return None


def common(values: list[Fraction]) -> Fraction:
    """The largest number of which all values are multiples.

    >>> common([Fraction(1, 2), Fraction(1, 3)])
    Fraction(1, 6)
    """
    below = lcm(*(v.denominator for v in values))
    return Fraction(gcd(*(int(v * below) for v in values)), below)


def anchors(pair: Pair) -> list[tuple[float, float]]:
    """Atoms at irrational losses with their masses; floats."""
    if isinstance(pair, Table):
        return [(log(p / q), float(p)) for p, q in zip(pair.p, pair.q, strict=True) if p and q and p != q]
    if isinstance(pair, Poisson | Without):
        sides = (1,) if isinstance(pair, Poisson) and pair.remove else (-1,) if isinstance(pair, Poisson) else (1, -1)
        q, base = float(pair.rate), pair.base
        ends = [(side * float(base.loss), 0.5) for side in (1, -1)] if isinstance(base, ATOMS) else anchors(base)
        return [(sign * log(1 - q + q * exp(loss)), mass) for loss, mass in ends for sign in sides]
    return []


def _anchored(atoms: list[tuple[float, float]], h: float) -> float:
    """A step near h for which the atoms lie a little above grid points, so that rounding them down costs little."""
    far = max(abs(loss) for loss, _ in atoms)
    least = max(int(far / h), 1)
    steps = [far * (1 - 1e-13) / n for n in range(least, 2 * least + 64)]
    return min(steps, key=lambda s: sum(mass * ((loss / s) % 1.0) for loss, mass in atoms))


def window(pair: Pair, tail: float) -> tuple[float, float]:
    """Losses outside of which there is less than `tail`, by bisection on the curve."""

    def above(loss: float) -> bool:
        return float((pair.curve(arb(loss).exp())[0] - ball(pair.infinite)).mid()) <= tail

    def below(loss: float) -> bool:
        alpha = arb(loss).exp()
        value, slope = pair.curve(alpha)
        return float((1 - value + alpha * slope).upper()) <= tail

    with precision(int(-log(tail) * 1.5) + 96):
        return -_first(lambda loss: below(-loss)), _first(above)


def _first(holds: Any) -> float:
    """About the smallest number at which a condition begins to hold, within a few per cent."""
    low, high = 0.0, 1e-6  # above 0, so that a window is never empty, even where all losses are 0
    while not holds(high):
        low, high = high, high * 2
        if high > 1e5:
            raise TooDear("the losses of one step are too large for a grid")
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def deviation(pair: Pair, low: float, high: float) -> tuple[float, float]:
    """Mean and deviation of one loss, from a coarse grid."""
    h = short(max((high - low) / COARSE, 1e-12), 60)
    with precision(256):
        law = discretise(pair, h, [floor(low / float(h)) - 1, ceil(high / float(h)) + 1], 192, None)
    masses = [float(Fraction(int(m), 1 << 192)) for m in law.masses.coeffs()]
    values = [float(h) * (law.base + i) for i in range(len(masses))]
    mean = sum(m * v for m, v in zip(masses, values, strict=True))
    return mean, sqrt(max(sum(m * (v - mean) ** 2 for m, v in zip(masses, values, strict=True)), 1e-30))


def grid_hints(parts: Parts, delta: float, fine: float = 1.0) -> dict[str, Any]:
    """Hints for both laws on the grid; δ is the size of interest, `fine` scales the number of points."""
    many = sum(count for _, count in parts)
    ranges = [window(pair, delta * 1e-9 / many) for pair, _ in parts]
    units = [unit(pair) for pair, _ in parts]
    h = Fraction(0)
    if None not in units:
        h = common([u for u in units if u is not None])
        if _points(parts, ranges, h, delta) > MAX_POINTS * 0.9:
            h = Fraction(0)
    offset = Fraction(1, 1 << 90)
    if not h:
        h = _step(parts, ranges, delta, fine)
        offset = h * h * _share(parts, ranges, h)
    bits = 96 + int(1.5 * (-log(delta) + log(many)))
    return {
        "by": "grid",
        "h": str(h),
        "bits": bits,
        "tail": max(int(Fraction(delta) * (1 << bits)) >> 28, 1),
        "offset": str(offset),
        "windows": [[floor(low / h) - 3, ceil(high / h) + 3] for low, high in ranges],
    }


def _share(parts: Parts, ranges: list[tuple[float, float]], h: Fraction) -> Fraction:
    """θ/h²: an atom beside a density needs room, which costs θ in every step; tried on a coarser grid."""
    if not any(isinstance(pair, Poisson | Without) for pair, _ in parts):
        return Fraction(1, 12)
    wide, best = 6 * h, (-inf, Fraction(1, 12))
    for share in (Fraction(1, 12), Fraction(1, 3), Fraction(1), Fraction(4), Fraction(16)):
        total = 0.0
        for (pair, count), (low, high) in zip(parts, ranges, strict=True):
            with precision(192):
                window = [floor(low / wide) - 3, ceil(high / wide) + 3]
                law = discretise(pair, wide, window, 128, share * wide * wide)
            masses = (float(Fraction(int(m), 1 << 128)) for m in law.masses.coeffs())
            total += count * sum(m * float(wide * (law.base + i) - law.offset) for i, m in enumerate(masses))
        best = max(best, (total, share))
    return best[1]


def _spread(parts: Parts, ranges: list[tuple[float, float]]) -> list[float]:
    return [deviation(pair, low, high)[1] for (pair, _), (low, high) in zip(parts, ranges, strict=True)]


def _points(parts: Parts, ranges: list[tuple[float, float]], h: Fraction, delta: float) -> float:
    total = sqrt(sum(count * s * s for (_, count), s in zip(parts, _spread(parts, ranges), strict=True)))
    widest = max(high - low for low, high in ranges)
    return (2.5 * sqrt(-2 * log(delta * 1e-9)) * total + 2 * widest) / float(h)


def _step(parts: Parts, ranges: list[tuple[float, float]], delta: float, fine: float) -> Fraction:
    spreads = _spread(parts, ranges)
    smallest = min(s for s in spreads if s > 1e-12) if max(spreads) > 1e-12 else 1e-6
    total = sqrt(sum(count * s * s for (_, count), s in zip(parts, spreads, strict=True)))
    widest = max(high - low for low, high in ranges)
    reach = 2.5 * sqrt(-2 * log(delta * 1e-9)) * total + 2 * widest
    share = 1e-3 if any(isinstance(pair, Table | Poisson) for pair, _ in parts) else 2.5e-3  # atoms between points
    loose = [atom for pair, _ in parts for atom in anchors(pair)]
    most = MAX_POINTS * (0.4 if loose else 0.8)  # atoms are reached by a step of h to h/2
    h = max(smallest * share / fine, reach / most, widest / (CELLS * fine))
    if loose:
        return Fraction(_anchored(loose, h))
    losses = [pair.loss for pair, _ in parts if isinstance(pair, ATOMS)]
    base = common(losses) if losses else Fraction(1)
    if losses and float(base) > h / 4:  # atoms on grid points are exact
        return base / max(ceil(float(base) / h), 1)
    return short(h, max(24, int(-log(h, 2)) + 12)) if h > exp(-60) else Fraction(h)
