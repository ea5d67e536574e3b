"""The true pure loss of a random program, found by running it on plain numbers: no reader of the project has a part.

Each function returns the largest loss over the inputs that it looked at, at ε = 1, and whether that is the loss itself
(`exact`) or a bound from below that is near it.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness import Answers, Interval, Records

Program = Callable[..., Any]


@dataclass(frozen=True)
class Truth:
    """The loss at ε = 1."""

    loss: Fraction | float
    exact: bool


class NotOfThisFamily(Exception):
    """The oracle cannot tell: the program is left out."""


def true_loss(family: str, program: Program, space: Any) -> Truth:
    """The loss of a program of a family."""
    found = {"linear": linear, "piecewise": piecewise, "coins": coins, "finite": finite}[family]
    return found(program, space)


# numbers with noise of their own: the program is an affine map of answers and draws


class Fixed:
    """Hands out given draws and notes their scales."""

    def __init__(self, values: Sequence[Fraction]) -> None:
        self.values, self.scales = list(values), []  # type: ignore[var-annotated]

    def laplace(self, scale: Any) -> Any:
        self.scales.append(Fraction(scale))
        return self.values[len(self.scales) - 1]

    discrete_laplace = laplace


def flat(output: Any) -> list[Any]:
    """The numbers of an output in order; what else it holds must be the same in every run."""
    return [y for x in output for y in flat(x)] if isinstance(output, list | tuple) else [output]


def linear(program: Program, space: Any) -> Truth:
    """The largest Σ|a·Δ|/b over all moves Δ, where output i is a·q + b·(a standard draw of its own)."""
    sizes = range(space.fewest, space.most + 1) if isinstance(space, Records) else [space.size]
    return Truth(max(_linear_at(program, space, n) for n in sizes), True)


def _linear_at(program: Program, space: Any, n: int) -> Fraction | float:
    rng = random.Random(n)

    def run(q: Sequence[Fraction], z: Sequence[Fraction]) -> tuple[list[Any], list[Fraction]]:
        noise = Fixed(z)
        return flat(program(noise, list(q), eps=1)), noise.scales

    def points() -> tuple[list[Fraction], list[Fraction]]:
        return [Fraction(rng.randint(-99, 99)) for _ in range(n)], [Fraction(rng.randint(-99, 99)) for _ in range(9)]

    q, z = points()
    base, scales = run(q, z)
    by_answer = [_difference(run([x + (i == j) for i, x in enumerate(q)], z)[0], base) for j in range(n)]
    by_draw = [_difference(run(q, [x + (i == k) for i, x in enumerate(z)])[0], base) for k in range(len(scales))]
    for _ in range(3):
        p, y = points()
        there, again = run(p, y)
        guess = [
            b + sum((p[j] - q[j]) * by_answer[j][i] for j in range(n))
            + sum((y[k] - z[k]) * by_draw[k][i] for k in range(len(scales)))
            for i, b in enumerate(base)
        ]  # fmt: skip
        if there != guess or again != scales:
            raise NotOfThisFamily("the program is not an affine map")
    rows = []
    for i in range(len(base)):
        draws = [(k, by_draw[k][i]) for k in range(len(scales)) if by_draw[k][i]]
        slope = [by_answer[j][i] for j in range(n)]
        if len(draws) > 1 or (draws and abs(draws[0][1]) != 1):
            raise NotOfThisFamily("several draws in one number")
        if not draws and any(slope):
            return math.inf
        if draws:
            rows.append((slope, scales[draws[0][0]]))
    return max((sum(abs(sum(map(_times, a, d))) / b for a, b in rows) for d in _moves(space, n)), default=Fraction(0))


def _times(a: Fraction, b: int) -> Fraction:
    return a * b


def _difference(left: list[Any], right: list[Any]) -> list[Fraction]:
    if len(left) != len(right):
        raise NotOfThisFamily("the length depends on the data")
    return [Fraction(a) - Fraction(b) for a, b in zip(left, right, strict=True)]


def _moves(space: Any, n: int) -> Iterator[tuple[int, ...]]:
    """Vertices of the moves: the loss is convex, so one of them is worst."""
    kind = space.moves if isinstance(space, Answers) else "one"
    if kind in ("one", "l1"):
        yield from (tuple(int(i == j) for i in range(n)) for j in range(n))
    elif kind == "up":
        yield from itertools.product((0, 1), repeat=n)
    else:
        yield from itertools.product((-1, 1), repeat=n)


# one number whose place depends on a test of the data


def piecewise(program: Program, space: Any) -> Truth:
    """The largest |Δ place|/scale on a fine grid, infinite where scales differ."""
    grid = [Fraction(k, 4) for k in range(-20, 25)]
    tiny = Fraction(1, 2**20)
    law: dict[Fraction, tuple[Fraction, Fraction]] = {}
    for x in sorted({p + s for p in grid for s in (-tiny, 0, tiny)}):
        noise = Fixed([Fraction(0)])
        place = program(noise, [x], eps=1)
        law[x] = Fraction(place), noise.scales[0]
    worst: Fraction | float = Fraction(0)
    for x, y in itertools.combinations(law, 2):
        if y - x > 1:
            continue
        (a, b), (c, d) = law[x], law[y]
        worst = math.inf if b != d else max(worst, abs(a - c) / b)
    return Truth(worst, False)


# finite outputs of noisy tests, and of rational choices


class Noisy:
    """A number plus Laplace noise, of which nothing may be asked but how it compares with a constant, once."""

    def __init__(self, tree: Coins, place: float, scale: float) -> None:
        self.tree, self.place, self.scale = tree, place, scale

    def __add__(self, other: Any) -> Noisy:
        return Noisy(self.tree, self.place + float(other), self.scale)

    __radd__ = __add__

    def __ge__(self, other: Any) -> bool:
        gap = (float(other) - self.place) / self.scale
        above = 0.5 * math.exp(-gap) if gap >= 0 else 1 - 0.5 * math.exp(gap)
        return self.tree.pick([above, 1 - above]) == 0

    __gt__ = __ge__

    def __lt__(self, other: Any) -> bool:
        return not self >= other


class Coins:
    """Follows every sequence of outcomes with its probability."""

    def __init__(self, prefix: Sequence[int]) -> None:
        self.prefix, self.taken, self.widths, self.weight = prefix, [], [], 1  # type: ignore[var-annotated]

    def pick(self, weights: Sequence[Any]) -> int:
        k = len(self.taken)
        choice = self.prefix[k] if k < len(self.prefix) else 0
        self.taken.append(choice)
        self.widths.append(len(weights))
        self.weight = self.weight * weights[choice]
        return choice

    def laplace(self, scale: Any) -> Noisy:
        return Noisy(self, 0.0, float(scale))

    def bernoulli(self, p: Any) -> bool:
        return self.pick([Fraction(p), 1 - Fraction(p)]) == 0

    def choice(self, weights: Sequence[Any]) -> int:
        total = sum(map(Fraction, weights))
        return self.pick([Fraction(w) / total for w in weights])


def law_of(program: Program, data: Sequence[Any]) -> dict[str, Any]:
    """The probability of every output; outputs are known by their text and types."""
    table: dict[str, Any] = {}
    todo: list[list[int]] = [[]]
    while todo:
        tree = Coins(todo.pop())
        output = named(program(tree, list(data), eps=1))
        for k in range(len(tree.prefix), len(tree.taken)):
            todo += [[*tree.taken[:k], other] for other in range(1, tree.widths[k])]
        table[output] = table.get(output, 0) + tree.weight
    return table


def named(value: Any) -> str:
    """A text that tells values apart by type and value."""
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}({', '.join(map(named, value))})"
    return f"{type(value).__name__}:{value!r}"


def loss_between(left: dict[str, Any], right: dict[str, Any]) -> float:
    """The largest ln P/Q over all outputs."""
    worst = 0.0
    for output, p in left.items():
        q = right.get(output, 0)
        if p > 0:
            worst = max(worst, math.inf if q == 0 else math.log(p) - math.log(q))
    return worst


def coins(program: Program, space: Any) -> Truth:
    """The largest loss over a grid of answers, far ones among them: tails decide many losses."""
    points = (
        [*(k / 2 for k in range(-8, 11)), -30, -29, 30, 31]
        if space.size == 1
        else [-25, -24, -2, -1, 0, 0.5, 1, 2, 3, 25, 26]
    )
    laws = {data: law_of(program, data) for data in itertools.product(points, repeat=space.size)}
    pairs = ((a, b) for a, b in itertools.permutations(laws, 2) if near(space.moves, a, b))
    return Truth(max((loss_between(laws[a], laws[b]) for a, b in pairs), default=0.0), False)


def near(moves: str, left: Sequence[float], right: Sequence[float]) -> bool:
    """Whether two vectors of answers are neighbours."""
    steps = [b - a for a, b in zip(left, right, strict=True)]
    if max(map(abs, steps)) > 1:
        return False
    if moves == "one":
        return sum(map(bool, steps)) == 1
    return moves == "all" or all(s >= 0 for s in steps) or all(s <= 0 for s in steps)


def finite(program: Program, space: Any) -> Truth:
    """The largest loss over all pairs of datasets, exactly but for the logarithm."""
    assert not isinstance(space.domain, Interval)
    domain = [x.shipped() if hasattr(x, "shipped") else x for x in space.domain]
    inputs = [data for n in range(space.fewest, space.most + 1) for data in itertools.product(domain, repeat=n)]
    laws = {named(data): law_of(program, data) for data in inputs}
    worst = 0.0
    for left, right in itertools.permutations(inputs, 2):
        if adjacent(space.relation, [named(x) for x in left], [named(x) for x in right]):
            worst = max(worst, loss_between(laws[named(left)], laws[named(right)]))
    return Truth(worst, True)


def adjacent(relation: str, left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether two datasets are neighbours."""
    if relation == "substitute":
        return len(left) == len(right) and sum(a != b for a, b in zip(left, right, strict=True)) == 1
    short, long = sorted((list(left), list(right)), key=len)
    return len(long) == len(short) + 1 and any(long[:i] + long[i + 1 :] == short for i in range(len(long)))
