r"""Finite sums :math:`\sum c(z)\,k^j z^{mk}` in a whole number k, with c a rational function of a number 0 < z < 1.

They are closed under products, under sums over k and under substitution of k = αy + β with whole α and β. Every
division is by z, by 1 + z^m or by 1 − z^m with m ≥ 1, none of which vanishes: so denominators never do.
"""

from __future__ import annotations

from functools import lru_cache
from math import comb
from typing import Any

from flint import fmpq_poly

from dpwitness.proofs.kernel.arith import Rejected

Ratio = tuple[Any, Any]  # polynomials in z without common factor, the bottom with leading coefficient 1
Piece = dict[tuple[int, int], Ratio]  # (j, m) -> c
Line = tuple[int, int]  # (alpha, beta): alpha·y + beta
NONE: Piece = {}
ZERO: Ratio = (fmpq_poly([0]), fmpq_poly([1]))
ONE: Ratio = (fmpq_poly([1]), fmpq_poly([1]))
MAX_TERMS, MAX_DEGREE = 4000, 5000  # polynomials are dense: far inputs at fine scales are left alone


def ratio(top: Any, bottom: Any) -> Ratio:
    """top/bottom in lowest terms."""
    if max(top.degree(), bottom.degree()) > MAX_DEGREE:
        raise Rejected("a sum of geometric terms is too large")
    common = top.gcd(bottom)
    top, bottom = top / common, bottom / common
    lead = bottom[bottom.degree()]
    return top / lead, bottom / lead


def power(exponent: int) -> Ratio:
    """z^exponent."""
    if abs(exponent) > MAX_DEGREE:
        raise Rejected("a sum of geometric terms is too large")
    mono = fmpq_poly([0] * abs(exponent) + [1])
    return (mono, ONE[1]) if exponent >= 0 else (ONE[0], mono)


def mul(left: Ratio, right: Ratio) -> Ratio:
    """left · right."""
    return left if right == ONE else right if left == ONE else ratio(left[0] * right[0], left[1] * right[1])


def plus(left: Ratio, right: Ratio, factor: int = 1) -> Ratio:
    """left + factor·right."""
    if left[1] == right[1]:
        return ratio(left[0] + factor * right[0], left[1])
    return ratio(left[0] * right[1] + factor * right[0] * left[1], left[1] * right[1])


def add(left: Piece, right: Piece, factor: int = 1) -> Piece:
    """left + factor·right."""
    result = dict(left)
    for key, c in right.items():
        new = plus(result.get(key, ZERO), c, factor)
        if new[0] == 0:
            result.pop(key, None)
        else:
            result[key] = new
    return result


def multiply(left: Piece, right: Piece) -> Piece:
    """The product of two pieces."""
    result: Piece = {}
    for (j, m), c in left.items():
        for (i, n), d in right.items():
            result = add(result, {(i + j, m + n): mul(c, d)})
    if len(result) > MAX_TERMS:
        raise Rejected("a piece has too many terms")
    return result


@lru_cache(maxsize=1024)
def _growth(j: int, m: int) -> tuple[Ratio, ...]:
    r"""The coefficients of :math:`F(k) = z^{mk}\sum_i c_i k^i` such that :math:`F(k) - F(k-1) = k^j z^{mk}`."""
    whole: list[Ratio] = [ZERO] * (j + 2)
    back = power(-m)  # F(k) − F(k−1) = z^(mk)·[Q(k) − z^(−m)·Q(k−1)]
    if m:
        one_less = plus(ONE, back, -1)
        start, divisor = j, [one_less] * (j + 1)
    else:  # the leading terms cancel, so that Q has one degree more
        start, divisor = j + 1, [ZERO, *((fmpq_poly([i]), ONE[1]) for i in range(1, j + 2))]
    rest: list[Ratio] = [ZERO] * (j + 2)  # what is still missing of k^j, by degree
    rest[j] = ONE
    for i in range(start, -1 if m else 0, -1):
        place = i if m else i - 1
        below = divisor[i]
        c = mul(rest[place], ratio(below[1], below[0]))
        whole[i] = c
        for low in range(place + 1):  # subtract c·(k^i − z^(−m)·(k−1)^i) from what is missing
            inside = comb(i, low) * (-1) ** (i - low)
            change = mul(mul(c, back), (fmpq_poly([-inside]), ONE[1]))
            if low == i:
                change = plus(change, c)
            rest[low] = plus(rest[low], change, -1)
    return tuple(whole)


def summed(piece: Piece) -> Piece:
    """F with F(k) − F(k−1) equal to the piece."""
    result: Piece = {}
    for (j, m), c in piece.items():
        result = add(result, {(i, m): mul(c, g) for i, g in enumerate(_growth(j, m)) if g[0] != 0})
    return result


def substitute(piece: Piece, line: Line) -> Piece:
    """The piece at k = αy + β, as a function of y."""
    alpha, beta = line
    result: Piece = {}
    for (j, m), c in piece.items():
        shifted = mul(c, power(m * beta))
        for i in range(j + 1):
            factor = comb(j, i) * alpha**i * beta ** (j - i)
            if factor:
                result = add(result, {(i, m * alpha): mul(shifted, (fmpq_poly([factor]), ONE[1]))})
    return result
