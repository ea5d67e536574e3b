r"""Sums of order statistics Σ c_k·(order statistic k): the largest weight of one sorted record, for every n.

Ranks are linear in n within a class of n modulo L, where L is a common multiple of 2 and of the denominators of the
quantiles; two ranks that are linear are equal for all n of a class, for one n, or for none.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import lcm

from dpwitness.proofs.kernel.algebra.expr import Expr
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.sensitivity.setting import MAX_STEP, Sizes
from dpwitness.proofs.kernel.sensitivity.values import order_weights

Line = tuple[Fraction, Fraction]  # a·n + c


def weights_of(f: Expr) -> list[tuple[Fraction, Expr]]:
    """The order statistics of the function with their coefficients; constants move nothing."""
    if f.op == "order":
        return [(Fraction(1), f)]
    if f.op == "num":
        return []
    if f.op in ("+", "-", "neg"):
        sides = [weights_of(a) for a in f.args]
        flip = -1 if f.op in ("-", "neg") else 1
        return [*(sides[0] if f.op != "neg" else ()), *((flip * c, node) for c, node in sides[-1])]
    if f.op in ("*", "/"):
        for one, other in (f.args, f.args[::-1]):
            if one.op == "num" and (f.op == "*" or one is f.args[1]):
                if f.op == "/" and not one.value:
                    raise Rejected("division by zero")
                factor = one.value if f.op == "*" else 1 / one.value
                return [(c * factor, node) for c, node in weights_of(other)]
    raise Rejected("the function is no sum of order statistics with numbers as weights")


def order_bounds(f: Expr, sizes: Sizes) -> tuple[Fraction, Fraction]:
    """The least and the greatest over these n of max \\|c_r\\|: how far f moves in an interval of length 1.

    >>> median = Expr("order", name="median")
    >>> order_bounds(median, Sizes(2, 2)), order_bounds(median, Sizes(1, 1))
    ((Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 1)))
    """
    terms = weights_of(f)
    if sizes.only is not None:
        found = [_largest(_at(terms, sizes.only).values())]
    else:
        period = lcm(2, *(node.value.denominator for _, node in terms))
        if period > MAX_STEP:
            raise Rejected(f"quantiles with a common denominator of at most {MAX_STEP}")
        cycle = lcm(period, sizes.step)
        found = [w for n in range(sizes.first, sizes.first + cycle, sizes.step) for w in _in_class(terms, n, cycle)]
    return min(found), max(found)


def _largest(weights: Iterable[Fraction]) -> Fraction:
    return max((abs(c) for c in weights), default=Fraction(0))


def weights_at(f: Expr, n: int) -> Mapping[int, Fraction]:
    """The weights of the sorted records of n in a sum of order statistics.

    >>> weights_at(Expr("order", name="median"), 2)
    {0: Fraction(1, 2), 1: Fraction(1, 2)}
    """
    return _at(weights_of(f), n)


def _at(terms: list[tuple[Fraction, Expr]], n: int) -> Mapping[int, Fraction]:
    total: dict[int, Fraction] = {}
    for c, node in terms:
        for rank, weight in order_weights(node, n).items():
            total[rank] = total.get(rank, Fraction(0)) + c * weight
    return total


def _in_class(terms: list[tuple[Fraction, Expr]], first: int, cycle: int) -> list[Fraction]:
    """The largest weights that occur over n = first, first + cycle, …: ranks stay equal, or meet at one n, or never."""
    lines: dict[Line, Fraction] = {}
    for c, node in terms:
        here, later = (list(order_weights(node, n).items()) for n in (first, first + cycle))
        for (rank, weight), (then, _) in zip(here, later, strict=True):
            slope = Fraction(then - rank, cycle)
            line = (slope, rank - slope * first)
            lines[line] = lines.get(line, Fraction(0)) + c * weight
    found = [_largest(lines.values())]
    ranks = list(lines)
    for i, (a, c) in enumerate(ranks):
        for b, d in ranks[i + 1 :]:
            if a != b:
                n = (d - c) / (a - b)
                if n.denominator == 1 and n >= first and (n - first) % cycle == 0:
                    found.append(_largest(_at(terms, int(n)).values()))
    return found


__all__ = ["order_bounds", "weights_at", "weights_of"]
