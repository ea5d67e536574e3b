r"""Exact probabilities of two-sided geometric noise: :math:`P[k] = \frac{1-a}{1+a}\,a^{|k|}` with a = e^(−ε/s).

With D the common denominator of the rates 1/s and :math:`z = e^{-\varepsilon/D}`, a number strictly between 0 and 1 for
every ε > 0, each a is a power of z. A function of one whole draw k is, between break points, a finite sum
:math:`\sum c(z)\,k^j z^{mk}` with c a rational function of z. Such functions are closed under products, sums over k and
substitution of k = αy + β with whole α and β, so draws are summed out one after the other, as densities are integrated.

Every division is by z, by 1 + z^m or by 1 − z^m with m ≥ 1, none of which vanishes: so denominators never do.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor, lcm

from dpwitness.proofs.kernel.algebra.exppoly import ExpPoly
from dpwitness.proofs.kernel.algebra.quotients import Quotient
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.laws.geometric_terms import (
    NONE,
    ONE,
    ZERO,
    Line,
    Piece,
    Ratio,
    add,
    mul,
    multiply,
    plus,
    power,
    ratio,
    substitute,
    summed,
)
from dpwitness.proofs.kernel.programs.comparisons import Bound, NotAForest, whole_row
from dpwitness.proofs.kernel.programs.trees import Draw


class Steps:
    """A function on the whole numbers: piece i holds from ``starts[i-1]`` up to ``starts[i] - 1``."""

    def __init__(self, starts: Sequence[int], pieces: Sequence[Piece]) -> None:
        self.starts, self.pieces = list(starts), list(pieces)

    @staticmethod
    def law(m: int) -> Steps:
        """The two-sided geometric law with a = z^m."""
        a = power(m)
        share = mul(plus(ONE, a, -1), ratio(ONE[0], plus(ONE, a)[0]))
        return Steps([0], [{(0, -m): share}, {(0, m): share}])

    def piece(self, place: int) -> Piece:
        """The piece at a whole number."""
        return self.pieces[bisect_right(self.starts, place)]

    def times(self, other: Steps) -> Steps:
        """The product."""
        return _combine({*self.starts, *other.starts}, lambda k: multiply(self.piece(k), other.piece(k)))

    def between(self, low: int | None, high: int | None) -> Steps:
        """The function on low..high, zero elsewhere."""
        starts = {*self.starts} | ({low} if low is not None else set()) | ({high + 1} if high is not None else set())

        def inside(k: int) -> Piece:
            return self.piece(k) if (low is None or k >= low) and (high is None or k <= high) else NONE

        return _combine(starts, inside)

    def cumulative(self) -> Steps:
        """The sum over all numbers up to k."""
        pieces: list[Piece] = []
        reached: Piece = {}
        for i, piece in enumerate(self.pieces):
            grown = summed(piece)
            if i == 0 and any(m >= 0 for _, m in piece):
                raise Rejected("a left tail that cannot be summed")
            if i > 0:
                before = substitute(grown, (0, self.starts[i - 1] - 1))
                grown = add(grown, add(reached, before, -1))
            pieces.append(grown)
            if i < len(self.starts):
                reached = substitute(grown, (0, self.starts[i] - 1))
        return Steps(self.starts, pieces)

    def total(self) -> Ratio:
        """The sum over all whole numbers."""
        return limit(self.cumulative().pieces[-1]).get((0, 0), ZERO)


def limit(piece: Piece) -> Piece:
    """The limit at +∞ of the last piece of a cumulative sum."""
    if any(m < 0 or (m == 0 and j > 0) for j, m in piece):
        raise Rejected("a right tail that cannot be summed")
    return {key: c for key, c in piece.items() if key == (0, 0)}


def _combine(starts: set[int], choose: Callable[[int], Piece]) -> Steps:
    """Pieces chosen at one number of each range; neighbours that are equal become one."""
    order = sorted(starts)
    places = [order[0] - 1, *order] if order else [0]
    found, pieces = [], [choose(places[0])]
    for start in order:
        piece = choose(start)
        if piece != pieces[-1]:
            found.append(start)
            pieces.append(piece)
    return Steps(found, pieces)


def window(inner: Steps, lows: Sequence[Line], highs: Sequence[Line]) -> Steps:
    """y ↦ the sum of `inner` from the largest of `lows` to the smallest of `highs` (lines in y; 0 where they cross)."""
    sums = inner.cumulative()
    last = limit(sums.pieces[-1])
    ends = [*((alpha, beta - 1) for alpha, beta in lows), *highs]
    cuts = {Fraction(s - beta, alpha) for alpha, beta in ends if alpha for s in sums.starts}
    lines = [*lows, *highs]
    for i, (a, b) in enumerate(lines):
        cuts |= {Fraction(d - b, a - c) for c, d in lines[:i] if a != c}

    def choose(y: int) -> Piece:
        low = max(lows, key=lambda line: line[0] * y + line[1], default=None)
        high = min(highs, key=lambda line: line[0] * y + line[1], default=None)
        if low is not None and high is not None and low[0] * y + low[1] > high[0] * y + high[1]:
            return NONE
        upper = last if high is None else substitute(sums.piece(high[0] * y + high[1]), high)
        if low is None:
            return upper
        before = (low[0], low[1] - 1)
        return add(upper, substitute(sums.piece(before[0] * y + before[1]), before), -1)

    # between two cuts nothing changes; a cut that is a whole number is a range of its own
    return _combine({x for c in cuts for x in (ceil(c), floor(c) + 1)}, choose)


def probability(rows: Sequence[Bound], draws: Sequence[Draw]) -> Quotient:
    """P[all rows ≥ 0] for whole draws, where the comparisons form a forest."""
    used = sorted({k for row in rows for k in row[0]})
    d = lcm(*((1 / draws[k].scale).denominator for k in used))
    functions = {k: Steps.law(int(d / draws[k].scale)) for k in used}
    pairs: dict[frozenset[int], list[Bound]] = {}
    for row in map(whole_row, rows):
        if len(row[0]) == 2:
            pairs.setdefault(frozenset(row[0]), []).append(row)
            continue
        ((k, v),) = row[0].items()  # v is 1 or −1
        low, high = (int(-row[1]), None) if v > 0 else (None, int(row[1]))
        functions[k] = functions[k].between(low, high)
    result = ONE
    while functions:
        k = _next(functions, pairs)
        own = functions.pop(k)
        pair = next((pair for pair in pairs if k in pair), None)
        if pair is None:
            result = mul(result, own.total())
            continue
        (other,) = pair - {k}
        functions[other] = functions[other].times(window(own, *_lines(k, other, pairs.pop(pair))))
    top, bottom = result
    sign = 1 if next(c for c in bottom.coeffs() if c) > 0 else -1  # the bottom has the sign of its first term, near 0
    return tuple(  # type: ignore[return-value]
        ExpPoly({(0, Fraction(-i, d)): sign * c for i, c in enumerate(poly.coeffs()) if c}) for poly in (top, bottom)
    )


def _next(functions: dict[int, Steps], pairs: dict[frozenset[int], list[Bound]]) -> int:
    """A draw that is compared with at most one other, by rows in which it has the coefficient 1 or −1."""
    for k in sorted(functions, key=lambda i: (len(functions[i].pieces), i)):
        mine = [rows for pair, rows in pairs.items() if k in pair]
        if len(mine) <= 1 and all(abs(row[0][k]) == 1 for rows in mine for row in rows):
            return k
    raise NotAForest("the comparisons form a circle, or compare multiples of whole draws")


def _lines(k: int, other: int, rows: Sequence[Bound]) -> tuple[list[Line], list[Line]]:
    """Bounds of draw k as lines in the other draw."""
    lows: list[Line] = []
    highs: list[Line] = []
    for coefficients, c in rows:
        mine = coefficients[k]
        (lows if mine > 0 else highs).append((int(-coefficients[other] / mine), int(-c / mine)))
    return lows, highs
