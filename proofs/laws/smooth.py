r"""Smooth sensitivity: :math:`S^*_\beta(x) = \max_k e^{-\beta k} A^{(k)}(x)`, its smoothness and its minimality.

Values are exponential sums with one term, :math:`c\,e^{-\beta k}`, so that all comparisons are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import exact
from dpwitness.core.spaces import Records
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.laws.sensitivity import Dataset, Metric, Statistic, at_distance, local, order_at_distance


def largest(values: Sequence[ExpSum]) -> ExpSum:
    """The largest of several exact numbers."""
    best = values[0]
    for value in values[1:]:
        if (value - best).sign() > 0:
            best = value
    return best


def smooth(at: Sequence[Fraction], beta: object) -> ExpSum:
    """max_k e^(−βk) A⁽ᵏ⁾, given A⁽⁰⁾, A⁽¹⁾, …

    >>> str(smooth([Fraction(0), Fraction(1)], 1))
    'e^(-1)'
    """
    b = Fraction(exact(beta, "beta"))
    if b < 0 or not at:
        raise BadInput(f"beta={b} must not be negative, and at least A⁽⁰⁾ is needed")
    return largest([value * ExpSum.exp(-b * k) for k, value in enumerate(at)])


def smooth_on(f: Statistic, space: Records, beta: object, metric: Metric | None = None) -> dict[Dataset, ExpSum]:
    """S* of every dataset of a finite space, exactly."""
    return {data: smooth(values, beta) for data, values in at_distance(f, space, metric).items()}


def smooth_order(data: Sequence[object], rank: int, low: object, high: object, beta: object) -> ExpSum:
    """S* of the `rank`-th smallest of n records in [low, high] under substitution, in closed form.

    >>> str(smooth_order([0, 0, 0, 1, 1], 3, 0, 1, 1))
    '1'
    """
    n = len(data)
    return smooth([order_at_distance(data, rank, low, high, k) for k in range(n + 1)], beta)


def is_smooth_bound(
    bound: Mapping[Dataset, ExpSum] | Callable[[Dataset], ExpSum],
    f: Statistic,
    space: Records,
    beta: object,
    metric: Metric | None = None,
) -> tuple[Dataset, Dataset] | None:
    """None where the bound is a β-smooth upper bound on the local sensitivity; else a pair that breaks it.

    A pair (x, x) says that the bound lies below the local sensitivity at x; a pair (x, y) that it grows by more than
    e^β from y to x.
    """
    b = Fraction(exact(beta, "beta"))

    def value(data: Any) -> ExpSum:
        return bound[data] if isinstance(bound, Mapping) else bound(data)

    for x in space.all_inputs():
        if (value(x) - local(f, x, space, metric)).sign() < 0:
            return x, x
        for y in space.neighbours(x):
            if (value(x) - ExpSum.exp(b) * value(y)).sign() > 0:
                return x, y
    return None
