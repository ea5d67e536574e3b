r"""Rows that compare draws with each other and with numbers: what follows from them, and how circles are opened.

Draws that are compared with one other draw only can be summed or integrated out first, as functions of that other draw;
this ends where the graph of comparisons is a forest. Rows that follow from others (x ≥ z and z ≥ y give x ≥ y) are
dropped. A circle of comparisons is opened at one of its rows r by P[A ∧ r] = P[A] − P[A ∧ ¬r].

For draws with a density the opposite of x ≥ y is y ≥ x, up to a null set. For whole draws, whose rows have whole
coefficients and constants, it is y ≥ x + 1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import ceil, floor, gcd, lcm

from dpwitness.proofs.kernel.algebra.exppoly import ExpPoly
from dpwitness.proofs.kernel.algebra.polyhedra import ONE, Linear, Row
from dpwitness.proofs.kernel.algebra.quotients import NOTHING, Quotient, add, scaled

ZERO = Fraction(0)
MAX_TREES = 512
Bound = tuple[dict[int, Fraction], Fraction]  # Σ coefficients·draws + constant ≥ 0


class NotAForest(Exception):
    """The comparisons of the draws do not form a forest, or a row has more than two draws."""


def put_in(form: Linear, inputs: Sequence[Fraction]) -> Bound:
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


def bounds(rows: Sequence[Row], inputs: Sequence[Fraction]) -> list[tuple[Bound, bool]] | None:
    """The rows at given answers, each with its strictness; None where a row without draws does not hold."""
    found: list[tuple[Bound, bool]] = []
    for row in rows:
        bound = put_in(row.form, inputs)
        if not bound[0]:
            if bound[1] < 0 or (row.strict and bound[1] == 0):
                return None
            continue
        if len(bound[0]) > 2:
            raise NotAForest("a row with more than two draws")
        found.append((bound, row.strict))
    return found


def components(rows: Sequence[tuple[Bound, bool]]) -> list[list[tuple[Bound, bool]]]:
    """The rows in groups that share no draw: their events are independent."""
    groups: list[tuple[set[int], list[tuple[Bound, bool]]]] = []
    for row in rows:
        names = set(row[0][0])
        touched = [group for group in groups if group[0] & names]
        groups = [group for group in groups if not group[0] & names]
        groups.append((names.union(*(g[0] for g in touched)), [*(r for g in touched for r in g[1]), row]))
    return [group for _, group in groups]


def whole_row(row: Bound, strict: bool = False) -> Bound:
    """The same row for whole draws: coprime whole coefficients and a whole constant, and never strict.

    A sum of whole numbers exceeds −c where it is at least ⌊−c⌋ + 1, and reaches −c where it is at least ⌈−c⌉.

    >>> whole_row(({0: Fraction(1, 2), 1: Fraction(-1, 2)}, Fraction(3, 4)), True)
    ({0: Fraction(1, 1), 1: Fraction(-1, 1)}, Fraction(1, 1))
    """
    coefficients, constant = row
    bottom = lcm(*(v.denominator for v in coefficients.values()))
    size = Fraction(bottom, gcd(*(int(v * bottom) for v in coefficients.values())))
    scaled_ = constant * size
    return {k: v * size for k, v in coefficients.items()}, Fraction(ceil(scaled_) - 1 if strict else floor(scaled_))


def thin(rows: Sequence[Bound], whole: bool) -> list[Bound] | None:
    """Rows without those that follow from others by adding differences; None where they cannot all hold.

    For draws with a density that includes rows that hold on a null set only.
    """
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
        if loop is not None and (loop < 0 or (loop == 0 and not whole)):
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


def opened(rows: list[Bound], whole: bool, tree: Callable[[Sequence[Bound]], Quotient]) -> Quotient:
    """The probability of the rows, whose circles are opened one after the other; `tree` serves rows without circles."""
    return _opened(rows, whole, tree, [MAX_TREES])


def _opened(
    rows: Sequence[Bound], whole: bool, tree: Callable[[Sequence[Bound]], Quotient], left: list[int]
) -> Quotient:
    few = thin(rows, whole)
    if few is None:
        return NOTHING
    left[0] -= 1
    if left[0] < 0:
        raise NotAForest(f"more than {MAX_TREES} trees of comparisons")
    place = _circle(few)
    if place is None:
        return tree(few)
    draw, at = place
    coefficients, constant = few[at]
    implied = [_without(draw, few[at], row) for row in few if row[0].get(draw, ZERO) * coefficients[draw] < 0]
    rest = [*few[:at], *few[at + 1 :], *(row for row in implied if row[0])]
    flipped: Bound = ({k: -v for k, v in coefficients.items()}, -constant)
    if whole:
        mine, limit = whole_row(few[at])
        flipped = ({k: -v for k, v in mine.items()}, -limit - 1)
    total = _opened(rest, whole, tree, left)
    return add(total, scaled(_opened([*rest, flipped], whole, tree, left), ExpPoly.of(-1)))


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
