"""Hashes of whole outputs."""

from __future__ import annotations

import numpy as np

from dpwitness.auditors.outputs.arrays import AnyArray, Floats, Ints

_STEP, _MODULUS = 0x9E3779B97F4A7C15, 1 << 64


def hashed(codes: Ints, columns: Floats) -> AnyArray:
    """A 64-bit hash of every output: its form and, column by column, its numbers; NaN is no number.

    >>> len(np.unique(hashed(np.zeros(4, dtype=np.int64), np.array([[0.0, 1], [1, 0], [1, 1], [np.nan, 1]]))))
    4
    """
    total = _mixed(codes.astype(np.uint64))
    for j, column in enumerate(columns.T):
        there = ~np.isnan(column)
        bits = np.where(there, column, 0.0) + 0.0  # −0 is 0
        word = bits.view(np.uint64) + np.uint64((j + 1) * _STEP % _MODULUS)
        total = total + np.where(there, _mixed(word), np.uint64(0))
    return total


def _mixed(words: AnyArray) -> AnyArray:
    """The finaliser of splitmix64: every bit of a word changes half of the others.

    Sums of such words over the columns tell outputs apart; sums of mere multiples would not: bits set in columns 1 and
    4 would weigh as much as those in columns 2 and 3.
    """
    z = words + np.uint64(_STEP)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray(z ^ (z >> np.uint64(31)))
