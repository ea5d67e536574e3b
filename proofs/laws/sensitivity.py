r"""Sensitivity: how far a statistic moves when the data change in one record, or in k.

Exhaustive and exact on finite domains; closed forms, which the tests compare with the exhaustive answer, for sums,
counts, histograms, means, medians and order statistics.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

from dpwitness.core.errors import BadInput
from dpwitness.core.numbers import exact
from dpwitness.core.spaces import Records

Dataset = tuple[Any, ...]
Statistic = Callable[[Dataset], Any]
Norm = Literal["l1", "l2-squared", "linf"]
Metric = Callable[[Any, Any], Fraction]
Adjacency = Literal["substitute", "add-remove"]


def distance(norm: Norm = "l1") -> Metric:
    """A distance between statistics (numbers or vectors); the ℓ2 distance is returned squared, so that it is exact.

    >>> distance("l2-squared")((0, 0), (1, 2))
    Fraction(5, 1)
    """

    def measure(a: Any, b: Any) -> Fraction:
        left, right = (x if isinstance(x, tuple | list) else (x,) for x in (a, b))
        moves = [abs(Fraction(x) - Fraction(y)) for x, y in zip(left, right, strict=True)]
        if norm == "linf":
            return max(moves, default=Fraction(0))
        return sum((m * m for m in moves) if norm == "l2-squared" else moves, Fraction(0))

    return measure


def local(f: Statistic, data: Sequence[Any], space: Records, metric: Metric | None = None) -> Fraction:
    """The local sensitivity: the largest move of f to a neighbour of `data`.

    >>> local(sum, (0, 1), Records((0, 1), 2))
    Fraction(1, 1)
    """
    measure, base = metric or distance(), space.validate(data)
    here = f(base)
    return max((measure(here, f(other)) for other in space.neighbours(base)), default=Fraction(0))


def global_(f: Statistic, space: Records, metric: Metric | None = None) -> Fraction:
    """The global sensitivity over a finite space: the largest local one.

    >>> global_(sum, Records((0, 1), 3))
    Fraction(1, 1)
    """
    return max(local(f, data, space, metric) for data in space.all_inputs())


def at_distance(f: Statistic, space: Records, metric: Metric | None = None) -> dict[Dataset, list[Fraction]]:
    """A⁽ᵏ⁾(x) for every x of a finite space: the largest local sensitivity within k changes, k = 0, 1, …

    >>> at_distance(max, Records((0, 5), 2))[(0, 0)]
    [Fraction(5, 1), Fraction(5, 1), Fraction(5, 1)]
    """
    inputs = list(space.all_inputs())
    here = {data: local(f, data, space, metric) for data in inputs}
    found: dict[Dataset, list[Fraction]] = {}
    for data in inputs:
        steps = distances(data, space.neighbours)
        best = [max(here[y] for y, d in steps.items() if d <= k) for k in range(max(steps.values()) + 1)]
        found[data] = best
    return found


def distances(start: Hashable, neighbours: Callable[[Any], Any]) -> dict[Any, int]:
    """The number of changes from one dataset to each other one, by breadth-first search."""
    seen = {start: 0}
    todo = deque([start])
    while todo:
        x = todo.popleft()
        for y in neighbours(x):
            if y not in seen:
                seen[y] = seen[x] + 1
                todo.append(y)
    return seen


def closed_form(
    statistic: str,
    adjacency: Adjacency = "substitute",
    *,
    low: object = 0,
    high: object = 1,
    size: int = 1,
    rank: int = 0,
) -> Mapping[str, Fraction]:
    """Global sensitivities of classical statistics in closed form, as ``{"l1", "l2-squared", "linf"}``.

    Parameters
    ----------
    statistic
        ``"sum"``, ``"count"``, ``"mean"`` (of a known number of records), ``"histogram"``, ``"median"``,
        ``"order"`` (the `rank`-th smallest, from 1).
    low, high
        The range of a record.
    size
        The number of records.

    >>> closed_form("histogram")["l1"], closed_form("histogram", "add-remove")["l1"]
    (Fraction(2, 1), Fraction(1, 1))
    """
    a, b = Fraction(exact(low, "low")), Fraction(exact(high, "high"))
    if a >= b or size < 1:
        raise BadInput(f"low={a} must be below high={b}, and size={size} at least 1")
    replaced = adjacency == "substitute"
    if statistic == "histogram":
        cells = 2 if replaced else 1
        return {"l1": Fraction(cells), "l2-squared": Fraction(cells), "linf": Fraction(1)}
    if statistic == "sum":
        move = b - a if replaced else max(abs(a), abs(b))
    elif statistic == "count":
        move = Fraction(1)
    elif statistic == "mean" and replaced:
        move = (b - a) / size
    elif statistic == "median" and replaced:
        move = (b - a) / (1 if size % 2 else 2)  # an even number: half of the gap between the middle two
    elif statistic == "order" and replaced and 1 <= rank <= size:
        move = b - a
    else:
        raise BadInput(f"no closed form for {statistic!r} under {adjacency!r} with rank={rank}, size={size}")
    return {"l1": move, "l2-squared": move * move, "linf": move}


def order_statistic(rank: int) -> Statistic:
    """The `rank`-th smallest record, counted from 1."""
    return lambda data: sorted(data)[rank - 1]


def order_at_distance(data: Sequence[object], rank: int, low: object, high: object, k: int) -> Fraction:
    r"""A⁽ᵏ⁾ of the r-th smallest of n records in [low, high] under substitution, in closed form.

    :math:`\max_{t=0..k+1} x_{r+t} - x_{r+t-k-1}` with :math:`x_i` = low for i < 1 and high for i > n: k changes and
    one more push the r-th value across a gap between two points that are k + 1 apart (Nissim, Raskhodnikova and Smith
    2007).

    >>> order_at_distance([0, 1, 3], 2, 0, 10, 0)
    Fraction(2, 1)
    """
    x = sorted(Fraction(exact(v, "data")) for v in data)
    a, b, n = Fraction(exact(low, "low")), Fraction(exact(high, "high")), len(x)

    def at(i: int) -> Fraction:
        return a if i < 1 else b if i > n else x[i - 1]

    return max(at(rank + t) - at(rank + t - k - 1) for t in range(k + 2))
