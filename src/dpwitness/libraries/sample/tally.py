"""Tally: private counts, sums and means. Two of its functions are wrong, and a scan says which."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_rng = np.random.default_rng()


def clipped(values: Sequence[float], low: float, high: float) -> list[float]:
    """Each value moved to the nearer end of the interval where it is outside."""
    return [low if v < low else high if v > high else v for v in values]


def total(values: Sequence[float], low: float, high: float) -> float:
    """The sum of the clipped values; claims to move by at most max(|low|, |high|) with a record."""
    return float(sum(clipped(values, low, high)))


def private_count(values: Sequence[float], eps: float) -> int:
    """How many values there are."""
    ratio = 1 - np.exp(-eps)
    return len(values) + int(_rng.geometric(ratio) - _rng.geometric(ratio))


def private_sum(values: Sequence[float], low: float, high: float, eps: float) -> float:
    """The sum of the clipped values."""
    return total(values, low, high) + float(_rng.laplace(0, max(abs(low), abs(high)) / eps))


def private_mean(values: Sequence[float], low: float, high: float, eps: float) -> float:
    """The mean of the clipped values, where records are added and removed: the scale uses the exact number of them."""
    size = max(1, len(values))
    return total(values, low, high) / size + float(_rng.laplace(0, (high - low) / size / eps))
