r"""The exact probability that independent draws satisfy a set of rows.

Each row compares at most two draws with each other and with numbers. Draws that are compared with one other draw
only are integrated out first, as functions of that other draw; this ends where the graph of comparisons is a forest.
Rows that follow from others (x ≥ z and z ≥ y give x ≥ y) are dropped first. A circle of comparisons is opened at one
of its rows r by P[A ∧ r] = P[A] − P[A ∧ ¬r].
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any

from flint import fmpq

from dpwitness.proofs.kernel.exppoly import ExpPoly
from dpwitness.proofs.kernel.pieces import Function, Line, quotient, window
from dpwitness.proofs.kernel.polyhedra import ONE, Linear
from dpwitness.proofs.kernel.trees import LAWS, Draw

ZERO = Fraction(0)
MAX_TREES = 512


class NotAForest(Exception):
    """The comparisons of the draws do not form a forest, or a row has more than two draws."""


def put_in(form: Linear, inputs: Sequence[Fraction]) -> tuple[dict[int, Fraction], Fraction]:
    """The draws' coefficients and the constant of a form at given answers."""
    draws: dict[int, Fraction] = {}
    constant = ZERO
    for name, value in form.items():
        if name == ONE:
            constant += value
        elif name[0] == "n":
            draws[int(name[1:])] = value
        elif name[0] == "q":
            constant += value * inputs[int(name[1:])]
        else:
            raise NotAForest(f"the constant {name} has no rational value in units of eps")
    return {k: v for k, v in draws.items() if v}, constant


Bound = tuple[dict[int, Fraction], Fraction]


def probability(forms: Sequence[Linear], draws: Sequence[Draw], inputs: Sequence[Fraction]) -> ExpPoly:
    """P[all forms ≥ 0] in units of the tree: the draws measured in 1/ε, or numbers with ε = 1.

    >>> from dpwitness.proofs.kernel.polyhedra import parse
    >>> print(probability([parse("n0+q0")], [Draw("laplace", Fraction(1))], [Fraction(-1)]))
    1/2·e^(-eps)
    """
    rows: list[Bound] = []
    for form in forms:
        row = put_in(form, inputs)
        if not row[0]:
            if row[1] < 0:
                return ExpPoly.of(0)
            continue
        if len(row[0]) > 2:
            raise NotAForest("a row with more than two draws")
        rows.append(row)
    if any(not LAWS[draws[k].law] for coefficients, _ in rows for k in coefficients):
        raise NotAForest("no exact integral for integer-valued noise")  # ties between its draws are no null sets
    thin = _thin(rows)
    return ExpPoly.of(0) if thin is None else _opened(thin, draws, [MAX_TREES])


def _opened(rows: list[Bound], draws: Sequence[Draw], left: list[int]) -> ExpPoly:
    """The probability of rows whose circles are opened one after the other."""
    left[0] -= 1
    if left[0] < 0:
        raise NotAForest(f"more than {MAX_TREES} trees of comparisons")
    place = _circle(rows)
    if place is None:
        return _tree(rows, draws)
    draw, at = place
    coefficients, constant = rows[at]
    implied = [_without(draw, rows[at], row) for row in rows if row[0].get(draw, ZERO) * coefficients[draw] < 0]
    rest = [*rows[:at], *rows[at + 1 :], *(row for row in implied if row[0])]
    flipped = ({k: -v for k, v in coefficients.items()}, -constant)
    first, second = _thin(rest), _thin([*rest, flipped])
    total = ExpPoly.of(0) if first is None else _opened(first, draws, left)
    return total if second is None else total - _opened(second, draws, left)


def _without(draw: int, one: Bound, other: Bound) -> Bound:
    """The row without `draw` that follows from two rows in which it has opposite signs."""
    a, b = abs(other[0][draw]), abs(one[0][draw])
    names = {*one[0], *other[0]} - {draw}
    total = {k: a * one[0].get(k, ZERO) + b * other[0].get(k, ZERO) for k in names}
    return {k: v for k, v in total.items() if v}, a * one[1] + b * other[1]


def _circle(rows: Sequence[Bound]) -> tuple[int, int] | None:
    """A draw on a circle of comparisons, with few neighbours, and one of its rows; None where there is no circle."""
    links: dict[int, set[int]] = {}
    for coefficients, _ in rows:
        if len(coefficients) == 2:
            x, y = coefficients
            links.setdefault(x, set()).add(y)
            links.setdefault(y, set()).add(x)
    todo = [k for k in links if len(links[k]) == 1]
    while todo:  # peel off what is not on a circle
        k = todo.pop()
        if len(links[k]) != 1:
            continue
        (other,) = links.pop(k)
        links[other].discard(k)
        if len(links[other]) == 1:
            todo.append(other)
        links[k] = set()
    open_ = [k for k in links if len(links[k]) > 1]
    if not open_:
        return None
    k = min(open_, key=lambda i: (len(links[i]), -i))
    pairs = [(i, row) for i, (row, _) in enumerate(rows) if len(row) == 2 and k in row]
    counts = {y: sum(y in row for _, row in pairs) for y in links[k]}
    target = min(links[k], key=lambda y: (counts[y], y))
    return k, next(i for i, row in pairs if target in row)


def _tree(rows: Sequence[Bound], draws: Sequence[Draw]) -> ExpPoly:
    """The probability of rows without circles, in units in which rates and break points are whole numbers."""
    used = sorted({k for row in rows for k in row[0]})
    wide = lcm(*(draws[k].scale.numerator for k in used))
    thin = [(v, c / wide) for v, c in rows]
    fine = lcm(*((c / x).denominator for v, c in thin for x in v.values()))
    scales = {k: (draws[k].law, draws[k].scale / wide) for k in used}
    found = _forest([(v, c * fine) for v, c in thin], scales)
    return ExpPoly({(j, r / fine): c / fmpq(fine) ** j for (j, r), c in found.terms.items()})


def _thin(rows: Sequence[Bound]) -> list[Bound] | None:
    """Rows without those that follow from others by adding differences; None where the rows hold on a null set only."""
    best: dict[tuple[tuple[int, Fraction], ...], Fraction] = {}
    for coefficients, constant in rows:
        size = abs(coefficients[min(coefficients)])
        key = tuple(sorted((k, v / size) for k, v in coefficients.items()))
        best[key] = min(best.get(key, constant / size), constant / size)
    steps: dict[tuple[int, int], Fraction] = {}  # x − y + c ≥ 0
    names: dict[tuple[int, int], tuple[tuple[int, Fraction], ...]] = {}
    for key, c in best.items():
        if len(key) == 2 and key[0][1] == -key[1][1]:
            (x, v), (y, _) = key
            edge = (x, y) if v > 0 else (y, x)
            steps[edge], names[edge] = c, key
    for x in {x for x, _ in steps}:
        loop = _reach(steps, x).get(x)
        if loop is not None and loop <= 0:
            return None
    for edge in sorted(steps):
        others = {e: c for e, c in steps.items() if e != edge}
        reached = _reach(others, edge[0]).get(edge[1])
        if reached is not None and reached <= steps[edge]:
            steps = others
            del best[names[edge]]
    return [(dict(key), c) for key, c in best.items()]


def _reach(steps: Mapping[tuple[int, int], Fraction], start: int) -> dict[int, Fraction]:
    """The least c with start − y + c ≥ 0 that follows by adding differences, for every y (y = start: by a loop)."""
    found: dict[int, Fraction] = {}
    frontier = {y: c for (x, y), c in steps.items() if x == start}
    for _ in range(len(steps) + 1):
        changed = {}
        for y, c in frontier.items():
            if y not in found or c < found[y]:
                found[y] = c
                changed[y] = c
        frontier = {}
        for (x, y), c in steps.items():
            if x in changed:
                total = changed[x] + c
                frontier[y] = min(frontier.get(y, total), total)
    return found


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
