r"""Symmetric laws on the integers by inversion: one random integer for each draw, and still no rounding.

The magnitude M of a draw is at least m exactly if :math:`X < S(m) = P[M \ge m]`, X being uniform on [0, 1). The first
62 bits R of X decide it, against :math:`T_m = \lfloor 2^{62} S(m) \rfloor`: yes where :math:`R < T_m`, no where
:math:`R > T_m`. Where R equals some :math:`T_m`, once in about :math:`10^{16}` draws, further bits of X are drawn and
compared with further bits of S until they differ. S is computed with as many decimals as that takes, with a bound on
the error: a floor that the error leaves open counts as equal. So the law is exact, whatever the number of draws.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Survivals = Callable[[int], tuple[list[Decimal], Decimal]]

BITS = 62
MOST_TERMS = 1 << 15
_SPARE = 25  # decimals beyond those that the bits need


def signed(rng: np.random.Generator, thresholds: Ints, survivals: Survivals, size: int) -> Ints:
    """`size` draws of a law whose magnitudes have these thresholds; both signs are equally likely."""
    words = rng.integers(0, 1 << (BITS + 1), size=size, dtype=np.uint64).astype(np.int64)
    words, negative = words >> 1, (words & 1).astype(bool)
    rising = thresholds[::-1]
    over = np.searchsorted(rising, words, side="right")
    result = len(rising) - over  # how many thresholds lie above the word
    doubtful = (over > 0) & (rising[np.maximum(over, 1) - 1] == words)
    for i in np.flatnonzero(doubtful):
        result[i] = resolved(int(words[i]), survivals, lambda: int(rng.integers(0, 1 << BITS, dtype=np.uint64)))
    return np.where(negative, -result, result).astype(np.int64)


def resolved(word: int, survivals: Survivals, more: Callable[[], int]) -> int:
    """The magnitude that belongs to a uniform number whose first bits are `word`; `more` gives further ones."""
    bits = BITS
    while True:
        word, bits = (word << BITS) | more(), bits + BITS
        magnitude: int | None = 0
        for m, (low, high) in enumerate(floors(survivals, bits), start=1):
            if word < low:
                magnitude = m
            else:
                if word <= high:
                    magnitude = None  # still equal, or not known
                break
        if magnitude is not None:
            return magnitude


def floors(survivals: Survivals, bits: int) -> list[tuple[int, int]]:
    """For m = 1, 2, …, the least and the largest value that the floor of 2^bits S(m) may have; 0 for the rest."""
    values, error = survivals(bits)
    with localcontext(_context(bits)):
        scale = Decimal(2) ** bits
        found = [(int(value * scale * (1 - error)), int(value * scale * (1 + error))) for value in values]
    return [*found, (0, 0)]


def table(survivals: Survivals) -> Ints | None:
    """The thresholds, the largest first and 0 last; None where there are too many or one is not known."""
    found = floors(survivals, BITS)
    if len(found) > MOST_TERMS or any(low != high for low, high in found):
        return None
    return np.array([low for low, _ in found], dtype=np.int64)


def _context(bits: int) -> Context:
    return Context(prec=int(bits * 0.302) + 2 * _SPARE, Emin=MIN_EMIN, Emax=MAX_EMAX)


@lru_cache(maxsize=64)
def laplace_table(scale: Fraction) -> Ints | None:
    r"""Thresholds of :math:`P[k] \propto e^{-|k|/\mathrm{scale}}`."""
    return None if scale * 45 > MOST_TERMS else table(lambda bits: laplace_survivals(scale, bits))


def laplace_survivals(scale: Fraction, bits: int) -> tuple[list[Decimal], Decimal]:
    r""":math:`S(m) = 2 q^m/(1+q)`, :math:`q = e^{-1/\mathrm{scale}}`, down to 2^-bits, and the relative error."""
    with localcontext(_context(bits)) as context:
        q = (-Decimal(scale.denominator) / Decimal(scale.numerator)).exp()
        value, least = 2 * q / (1 + q), Decimal(2) ** -(bits + 2)
        found = []
        while value > least:
            found.append(value)
            value *= q
        return found, Decimal(10) ** (_SPARE - context.prec)


@lru_cache(maxsize=64)
def gaussian_table(variance: Fraction) -> Ints | None:
    r"""Thresholds of :math:`P[k] \propto e^{-k^2/(2\sigma^2)}`."""
    return None if variance > 400 else table(lambda bits: gaussian_survivals(variance, bits))


def gaussian_survivals(variance: Fraction, bits: int) -> tuple[list[Decimal], Decimal]:
    r""":math:`S(m) = 2\sum_{j \ge m} w_j / (1 + 2\sum_{j \ge 1} w_j)`, :math:`w_j = e^{-j^2/(2\sigma^2)}`."""
    with localcontext(_context(bits)) as context:
        rate = Decimal(variance.denominator) / (2 * Decimal(variance.numerator))
        # terms beyond the decimals carried are too small to change a sum of all
        least = Decimal(10) ** -(context.prec + 5)
        weights: list[Decimal] = []
        while not weights or weights[-1] > least:
            weights.append((-rate * (len(weights) + 1) ** 2).exp())
        tails = [Decimal(0)]
        for weight in reversed(weights):
            tails.append(tails[-1] + weight)
        total = 1 + 2 * tails[-1]
        cut = Decimal(2) ** -(bits + 2)
        found = [2 * tail / total for tail in reversed(tails[1:])]
        return [value for value in found if value > cut], Decimal(10) ** (_SPARE - context.prec)
