r"""The exact probability that independent draws satisfy a set of rows.

Each row compares at most two draws with each other and with numbers. Draws that are compared with one other draw only
are integrated (or, for whole numbers, summed) out first, as functions of that other draw; see `comparisons`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

from flint import fmpq

from dpwitness.proofs.kernel.algebra.exppoly import ExpPoly
from dpwitness.proofs.kernel.algebra.polyhedra import Row
from dpwitness.proofs.kernel.algebra.quotients import NOTHING, ONE, Quotient, times
from dpwitness.proofs.kernel.laws import geometric
from dpwitness.proofs.kernel.programs.comparisons import Bound, NotAForest, bounds, components, opened, whole_row
from dpwitness.proofs.kernel.programs.pieces import Function, Line, quotient, window
from dpwitness.proofs.kernel.programs.trees import LAWS, Draw


def probability(rows: Sequence[Row], draws: Sequence[Draw], inputs: Sequence[Fraction]) -> Quotient:
    """P[all rows hold] in units of the tree: the draws measured in 1/ε, or numbers with ε = 1.

    Whether a row is strict matters for whole draws alone.

    >>> from dpwitness.proofs.kernel.algebra.polyhedra import parse
    >>> row = Row(parse("n0+q0"), True)
    >>> print(*probability([row], [Draw("laplace", Fraction(1))], [Fraction(-1)]), sep=" / ")
    1/2·e^(-eps) / 1
    >>> print(*probability([row], [Draw("discrete_laplace", Fraction(1))], [Fraction(-1)]), sep=" / ")
    e^(-2·eps) / e^(-eps) + 1
    """
    found = bounds(rows, inputs)
    if found is None:
        return NOTHING
    result: Quotient = (ONE, ONE)
    for group in components(found):
        names = sorted({k for (coefficients, _), _ in group for k in coefficients})
        rows_key = tuple(
            (tuple((names.index(k), v) for k, v in sorted(coefficients.items())), constant, strict)
            for (coefficients, constant), strict in group
        )
        result = times(result, _component(rows_key, tuple(draws[k] for k in names)))
    return result


@lru_cache(maxsize=4096)
def _component(
    rows: tuple[tuple[tuple[tuple[int, Fraction], ...], Fraction, bool], ...], draws: tuple[Draw, ...]
) -> Quotient:
    """The probability of rows that hang together; many leaves and inputs share such parts."""
    densities = {LAWS[draw.law] for draw in draws}
    if len(densities) > 1:
        raise NotAForest("whole and continuous draws are compared with each other")
    if densities == {True}:
        return opened([(dict(row), c) for row, c, _ in rows], False, lambda few: (_tree(few, draws), ONE))
    whole = [whole_row((dict(row), c), strict) for row, c, strict in rows]
    return opened(whole, True, lambda few: geometric.probability(few, draws))


def _tree(rows: Sequence[Bound], draws: Sequence[Draw]) -> ExpPoly:
    """The probability of rows without circles, in units in which rates and break points are whole numbers."""
    used = sorted({k for row in rows for k in row[0]})
    wide = lcm(*(draws[k].scale.numerator for k in used))
    thin = [(v, c / wide) for v, c in rows]
    fine = lcm(*((c / x).denominator for v, c in thin for x in v.values()))
    scales = {k: (draws[k].law, draws[k].scale / wide) for k in used}
    found = _forest([(v, c * fine) for v, c in thin], scales)
    return ExpPoly({(j, r / fine): c / fmpq(fine) ** j for (j, r), c in found.terms.items()})


def _forest(rows: Sequence[Bound], scales: Mapping[int, tuple[str, Fraction]]) -> ExpPoly:
    single: dict[int, list[Bound]] = {}
    pairs: dict[frozenset[int], list[Bound]] = {}
    for row in rows:
        if len(row[0]) == 1:
            single.setdefault(next(iter(row[0])), []).append(row)
        else:
            pairs.setdefault(frozenset(row[0]), []).append(row)
    links: dict[int, set[int]] = {k: set() for k in scales}
    for pair in pairs:
        x, y = sorted(pair)
        links[x].add(y)
        links[y].add(x)
    limits: dict[int, tuple[Any, Any]] = {}
    for k in scales:
        ends = [(v, quotient(-c, v)) for coefficients, c in single.get(k, []) for v in coefficients.values()]
        low = max((x for v, x in ends if v > 0), default=None)
        high = min((x for v, x in ends if v < 0), default=None)
        if low is not None and high is not None and low >= high:
            return ExpPoly.of(0)
        limits[k] = (low, high)
    return _eliminate(scales, limits, links, pairs)


@lru_cache(maxsize=4096)
def _density(law: str, scale: Fraction, low: Any, high: Any) -> Function:
    whole = Function.density(law, scale)
    return whole if low is None and high is None else whole.between(low, high)


@lru_cache(maxsize=4096)
def _outer(
    law: str, scale: Fraction, limits: tuple[Any, Any], lows: tuple[Line, ...], highs: tuple[Line, ...]
) -> Function:
    """The window of a draw that is compared with one other draw only."""
    return window(_density(law, scale, *limits), lows, highs)


def _eliminate(
    scales: Mapping[int, tuple[str, Fraction]],
    limits: Mapping[int, tuple[Any, Any]],
    links: dict[int, set[int]],
    pairs: Mapping[frozenset[int], Sequence[Bound]],
) -> ExpPoly:
    result, left = ExpPoly.of(1), set(scales)
    factors: dict[int, list[Function]] = {k: [] for k in scales}
    while left:
        ends = [k for k in left if len(links[k]) <= 1]
        if not ends:
            raise NotAForest("the comparisons form a circle")
        k = min(ends, key=lambda i: (len(factors[i]), i))
        left.discard(k)
        own = _density(*scales[k], *limits[k])
        for factor in factors[k]:
            own = own.times(factor)
        if not links[k]:
            result = result * own.total()
            continue
        (other,) = links[k]
        links[other].discard(k)
        lows, highs = _lines(k, other, pairs[frozenset((k, other))])
        alone = not factors[k]
        factors[other].append(_outer(*scales[k], limits[k], lows, highs) if alone else window(own, lows, highs))
    return result


def _lines(k: int, other: int, rows: Sequence[Bound]) -> tuple[tuple[Line, ...], tuple[Line, ...]]:
    """Bounds of draw k as lines in the other draw."""
    lows: list[Line] = []
    highs: list[Line] = []
    for coefficients, c in rows:
        mine = coefficients[k]
        line = (quotient(-coefficients[other], mine), quotient(-c, mine))
        (lows if mine > 0 else highs).append(line)
    return tuple(sorted(lows)), tuple(sorted(highs))
