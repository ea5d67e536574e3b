r"""Functions of one draw, piecewise of the form :math:`\sum c\,x^k e^{ax}\,\varepsilon^j e^{r\varepsilon}`.

Break points are rational multiples of ε (whole ones, where the caller chose its units well: whole exponents are fast
keys). Such functions are closed under products, integrals and substitution of :math:`x = \alpha y +
\beta\varepsilon`, which is all that is needed to integrate out one draw after another.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import comb
from typing import Any

from dpwitness.proofs.kernel.algebra.exppoly import ExpPoly, rational
from dpwitness.proofs.kernel.arith import Rejected

Piece = dict[tuple[int, Any, int, Any], Any]  # (k, a, j, r) -> c; a and r are ints or Fractions, c is an fmpq
NONE: Piece = {}
MAX_TERMS = 200_000  # of a product, before equal terms are joined
Line = tuple[Any, Any]  # (alpha, beta): alpha·y + beta·ε


def multiply(left: Piece, right: Piece) -> Piece:
    """The product of two pieces."""
    if len(left) * len(right) > MAX_TERMS:
        raise Rejected("a piece has too many terms")
    total: Piece = {}
    for (k, a, j, r), c in left.items():
        for (m, b, i, s), d in right.items():
            key = (k + m, a + b, j + i, r + s)
            total[key] = total.get(key, 0) + c * d
    return {key: c for key, c in total.items() if c}


def add(left: Piece, right: Piece, factor: int = 1) -> Piece:
    """left + factor·right."""
    total = dict(left)
    for key, c in right.items():
        new = total.get(key, 0) + factor * c
        if new:
            total[key] = new
        else:
            total.pop(key, None)
    return total


def antiderivative(piece: Piece) -> Piece:
    """A function whose derivative in x is the piece."""
    total: Piece = {}
    for (k, a, j, r), c in piece.items():
        if not a:
            total = add(total, {(k + 1, a, j, r): c / (k + 1)})
            continue
        rate = rational(a)
        factor = c / rate  # ∫ x^k e^(ax) = e^(ax) Σ_i (−1)^(k−i) k!/i! x^i / a^(k−i+1)
        for i in range(k, -1, -1):
            key = (i, a, j, r)
            total[key] = total.get(key, 0) + factor
            factor = -factor * i / rate
    return {key: c for key, c in total.items() if c}


def substitute(piece: Piece, line: Line) -> Piece:
    """The piece at x = αy + βε, as a function of y."""
    alpha, beta = line
    up, down = rational(alpha), rational(beta)
    total: Piece = {}
    for (k, a, j, r), c in piece.items():
        if not k:
            key = (0, plain(a * alpha), j, plain(r + a * beta))
            total[key] = total.get(key, 0) + c
            continue
        for i in range(k + 1):
            factor = c * comb(k, i) * up**i * down ** (k - i)
            if factor:
                key = (i, plain(a * alpha), j + k - i, plain(r + a * beta))
                total[key] = total.get(key, 0) + factor
    return {key: c for key, c in total.items() if c}


def plain(value: Any) -> Any:
    """A whole number as an int."""
    return value.numerator if value.denominator == 1 else value


def quotient(top: Any, bottom: Any) -> Any:
    """top/bottom exactly, as an int where it is whole."""
    return plain(Fraction(top) / bottom)


def number_of(piece: Piece) -> ExpPoly:
    """A piece that does not depend on x."""
    if any(k or a for k, a, _, _ in piece):
        raise Rejected("a number is expected")
    return ExpPoly({(j, Fraction(r)): c for (_, _, j, r), c in piece.items()})


def value_at(piece: Piece, place: Any) -> Piece:
    """The value at x = place·ε."""
    return substitute(piece, (0, place))


class Function:
    """Pieces between break points: piece i holds between breaks i−1 and i."""

    def __init__(self, breaks: Sequence[Any], pieces: Sequence[Piece]) -> None:
        self.breaks, self.pieces = list(breaks), list(pieces)

    @staticmethod
    def density(law: str, scale: Fraction) -> Function:
        """The density of one draw, of scale s in units of 1/ε, with x measured in units of 1/ε."""
        rate, size = quotient(1, scale), rational(1 / scale)
        if law == "laplace":
            return Function([0], [{(0, rate, 0, 0): size / 2}, {(0, -rate, 0, 0): size / 2}])
        if law == "exponential":
            return Function([0], [NONE, {(0, -rate, 0, 0): size}])
        raise Rejected(f"no exact integral for {law} noise")

    def piece(self, place: Any) -> Piece:
        """The piece around a point that is no break point."""
        return self.pieces[bisect_right(self.breaks, place)]

    def times(self, other: Function) -> Function:
        """The product."""
        return _combine(sorted({*self.breaks, *other.breaks}), lambda x: multiply(self.piece(x), other.piece(x)))

    def between(self, low: Any, high: Any) -> Function:
        """The function inside [low·ε, high·ε], zero outside."""
        breaks = sorted({*self.breaks, *(x for x in (low, high) if x is not None)})

        def inside(x: Any) -> Piece:
            return self.piece(x) if (low is None or x > low) and (high is None or x < high) else NONE

        return _combine(breaks, inside)

    def integral(self) -> Function:
        """The integral from −∞ to x."""
        pieces: list[Piece] = []
        reached: Piece = {}
        for i, piece in enumerate(self.pieces):
            if i == 0 and any(a <= 0 for _, a, _, _ in piece):
                raise Rejected("a left tail that cannot be integrated")
            grown = antiderivative(piece)
            if i > 0:
                grown = add(grown, add(reached, value_at(grown, self.breaks[i - 1]), -1))
            pieces.append(grown)
            if i < len(self.breaks):
                reached = value_at(grown, self.breaks[i])
        return Function(self.breaks, pieces)

    def total(self) -> ExpPoly:
        """The integral over the line."""
        last = self.integral().pieces[-1]
        if any(a > 0 or (a == 0 and k > 0) for k, a, _, _ in last):
            raise Rejected("a right tail that cannot be integrated")
        return number_of({key: c for key, c in last.items() if not key[0] and not key[1]})


def _combine(breaks: list[Any], choose: Callable[[Any], Piece]) -> Function:
    return Function(breaks, [choose(x) for x in middles(breaks)])


def middles(breaks: Sequence[Any]) -> list[Any]:
    """One point inside each interval between break points."""
    if not breaks:
        return [0]
    inner = [quotient(a + b, 2) for a, b in itertools.pairwise(breaks)]
    return [breaks[0] - 1, *inner, breaks[-1] + 1]


def window(inner: Function, lows: Sequence[Line], highs: Sequence[Line]) -> Function:
    """y ↦ ∫ of `inner` from the largest of `lows` to the smallest of `highs` (lines in y; 0 where they cross)."""
    whole = inner.integral()
    last = number_piece(whole.pieces[-1])
    lines = [*lows, *highs]
    breaks = {quotient(c - beta, alpha) for alpha, beta in lines if alpha for c in inner.breaks}
    for i, (a, b) in enumerate(lines):
        breaks |= {quotient(d - b, a - c) for c, d in lines[:i] if a != c}

    def choose(y: Any) -> Piece:
        low = max(lows, key=lambda line: line[0] * y + line[1], default=None)
        high = min(highs, key=lambda line: line[0] * y + line[1], default=None)
        if low is not None and high is not None and low[0] * y + low[1] >= high[0] * y + high[1]:
            return NONE
        upper = last if high is None else substitute(whole.piece(high[0] * y + high[1]), high)
        return upper if low is None else add(upper, substitute(whole.piece(low[0] * y + low[1]), low), -1)

    return _combine(sorted(breaks), choose)


def number_piece(piece: Piece) -> Piece:
    """The limit at +∞ of the last piece of an integral."""
    if any(a > 0 or (a == 0 and k > 0) for k, a, _, _ in piece):
        raise Rejected("a right tail that cannot be integrated")
    return {key: c for key, c in piece.items() if not key[0] and not key[1]}
