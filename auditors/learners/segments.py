r"""Bayesian averaging over partitions of ordered cells.

Each cell k holds counts :math:`(a_k, b_k)` of left and right outputs. A model merges neighbouring cells into segments,
each with its own probability of the left side under a uniform prior; its evidence is a product of Beta integrals,
:math:`a!\, b!/(a+b+1)!` for each segment.
Both functions return the posterior mean of π in every cell, averaged over all their models, and the log evidence.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from dpwitness.auditors.outputs.arrays import Floats, Ints


class _Factorials:
    """ln n! for all n up to the largest asked for."""

    def __init__(self) -> None:
        self.table = np.zeros(1)

    def upto(self, n: int) -> Floats:
        if n >= len(self.table):
            size = max(2 * len(self.table), n + 1, 1024)
            self.table = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, size, dtype=np.float64)))])
        return self.table


_FACTORIALS = _Factorials()


def _log_beta(a: Ints, b: Ints, total: int) -> Floats:
    """Log evidence of counts under a uniform prior; `total` bounds a + b."""
    table = _FACTORIALS.upto(total + 1)
    return np.asarray(table[a] + table[b] - table[a + b + 1], dtype=np.float64)


def tree(a: Ints, b: Ints, split: float = 0.5) -> tuple[Floats, float]:
    """All dyadic merges of :math:`2^d` cells, a node being split with probability `split`.

    >>> pi, _ = tree(np.array([90, 10]), np.array([10, 90]))
    >>> pi.round(2)
    array([0.89, 0.11])
    """
    lefts, rights = [np.asarray(a, dtype=np.int64)], [np.asarray(b, dtype=np.int64)]
    while len(lefts[-1]) > 1:
        lefts.append(lefts[-1].reshape(-1, 2).sum(axis=1))
        rights.append(rights[-1].reshape(-1, 2).sum(axis=1))
    total = int(lefts[-1][0] + rights[-1][0])
    whole = [_log_beta(x, y, total) for x, y in zip(lefts, rights, strict=True)]
    evidence = whole[0]
    stops = [np.zeros(len(evidence))]
    for level in range(1, len(lefts)):
        parts = evidence.reshape(-1, 2).sum(axis=1) + np.log(split)
        merged = whole[level] + np.log1p(-split)
        evidence = np.logaddexp(parts, merged)
        stops.append(merged - evidence)
    reach, pi = np.zeros(1), np.zeros(1)
    for level in range(len(lefts) - 1, 0, -1):
        here = np.exp(reach + stops[level])
        pi = pi + here * (lefts[level] + 1) / (lefts[level] + rights[level] + 2)
        reach = reach + np.log1p(-np.minimum(np.exp(stops[level]), 1 - 1e-15))
        reach, pi = np.repeat(reach, 2), np.repeat(pi, 2)
    pi = pi + np.exp(reach) * (lefts[0] + 1) / (lefts[0] + rights[0] + 2)
    return pi, float(evidence[0])


@lru_cache(maxsize=16)
def _cuts(count: int) -> tuple[Ints, Ints]:
    first, second = np.triu_indices(count + 1)
    return first.astype(np.int64), second.astype(np.int64)


def three_segments(a: Ints, b: Ints) -> tuple[Floats, float]:
    """All partitions into at most three runs of cells, equally weighted.

    >>> pi, _ = three_segments(np.array([50, 50, 5, 5]), np.array([5, 5, 50, 50]))
    >>> pi.round(2)
    array([0.9, 0.9, 0.1, 0.1])
    """
    count = len(a)
    first, second = _cuts(count)
    left, right = np.concatenate([[0], np.cumsum(a)]), np.concatenate([[0], np.cumsum(b)])
    total = int(left[-1] + right[-1])
    parts = (
        (left[first], right[first]),
        (left[second] - left[first], right[second] - right[first]),
        (left[-1] - left[second], right[-1] - right[second]),
    )
    evidence = sum((_log_beta(x, y, total) for x, y in parts), start=np.zeros(len(first)))
    top = evidence.max()
    weight = np.exp(evidence - top)
    mass = float(weight.sum())
    weight /= mass
    low, middle, high = (weight * (x + 1) / (x + y + 2) for x, y in parts)
    steps = np.zeros(count + 1)
    steps[0] = low.sum()
    steps += np.bincount(first, weights=middle - low, minlength=count + 1)
    steps += np.bincount(second, weights=high - middle, minlength=count + 1)
    return np.cumsum(steps)[:count], float(top + np.log(mass) - np.log(len(first)))
