"""Inputs from the whole space of a claim: every size, ties, zeros, edges, neighbours, other orders, other types."""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from inspect import getclosurevars
from types import CodeType, FunctionType
from typing import Any

from dpwitness.core.errors import BadInput
from dpwitness.core.identity import distinct, key
from dpwitness.core.numbers import Exact
from dpwitness.core.readers.where import program_code
from dpwitness.core.spaces import REAL, Answers, Box, Interval, Records, Space

Data = tuple[Any, ...]
FAR, MOST_HINTS = 10**9, 12
MOST_TIED, TRIES = 5, 150


def inputs(space: Space, rng: random.Random, most: int, some: int, hints: Sequence[Fraction] = ()) -> list[Data]:
    """All inputs where there are at most `most`, else about `some` of them; every allowed size is among them.

    Parameters
    ----------
    hints
        Numbers that the program names: real inputs at and beside them are among those that are tried.
    """
    found: dict[Any, Data] = {}
    everything = list(itertools.islice(_all(space, most), most + 1))
    for data in everything or itertools.islice(
        _offered(space, rng, hints), 8 * some
    ):  # there may be fewer different ones
        if not everything and len(found) >= some:
            break
        found.setdefault(key(data), data)
    return list(found.values())


def _sizes(space: Space) -> range:
    if isinstance(space, Answers):
        return range(space.size, space.size + 1)
    # an empty dataset has no neighbour under replacement: nothing is claimed of it
    return range(max(space.fewest, int(space.relation == "substitute")), space.most + 1)


def _all(space: Space, most: int) -> Iterator[Data]:
    """Every input of a small space."""
    points = _points(space)
    if points is not None and sum(len(points) ** n for n in _sizes(space)) <= most:
        for n in _sizes(space):
            yield from itertools.product(points, repeat=n)


def _offered(space: Space, rng: random.Random, hints: Sequence[Fraction]) -> Iterator[Data]:
    """Inputs of every size by turns, so that none is left out, and both sides of typical pairs."""
    sources = [_of_size(space, n, _points(space), rng, hints) for n in _sizes(space)]
    pairs = space.typical_pairs()
    sources.insert(0, itertools.chain.from_iterable((p.left, p.right) for p in rng.sample(pairs, len(pairs))))
    while sources:
        for source in list(sources):
            data = next(source, None)
            if data is None:
                sources.remove(source)
            elif isinstance(space, Records) or _inside(space, data):
                yield data


def _points(space: Space) -> tuple[Any, ...] | None:
    if isinstance(space, Answers):
        return space.values
    return None if isinstance(space.domain, REAL) else tuple(distinct(space.domain))


def _of_size(
    space: Space, n: int, points: tuple[Any, ...] | None, rng: random.Random, hints: Sequence[Fraction]
) -> Iterator[Data]:
    """Inputs of one size, without end where n > 0."""
    if n == 0:
        yield ()
        return
    few = tuple(points) if points is not None else _edges(space)
    for x in few:
        yield (x,) * n
    yield tuple(few[i % len(few)] for i in range(n))
    yield tuple(few[-1 - i % len(few)] for i in range(n))
    if points is None:
        for hint in hints:
            for step in (Fraction(0), Fraction(1, 2), Fraction(-1, 2)):
                yield tuple(_near(space, hint, step, rng) if rng.random() < 0.7 else rng.choice(few) for _ in range(n))
    while True:
        data = [rng.choice(few) if points is not None or rng.random() < 0.3 else _random(space, rng) for _ in range(n)]
        yield tuple(data)
        rng.shuffle(data)
        yield tuple(data)
        yield tuple(sorted(data, key=repr))


def ties(space: Space, hints: Sequence[Fraction], rng: random.Random) -> Iterator[tuple[float, ...]]:
    """Inputs of doubles of which two add up to a number that the program names, or differ by it, but for rounding.

    Tests that are one test for real numbers, such as a + b >= 0.3 and b >= 0.3 - a, are two for doubles, and these are
    the inputs that tell them apart.

    >>> found = list(ties(Answers(size=2), [Fraction(0.3)], random.Random(1)))
    >>> any(a + b >= 0.3 and not b >= 0.3 - a for a, b in found)
    True
    """
    real = isinstance(space, Records) and isinstance(space.domain, Interval)
    real = real or (isinstance(space, Answers) and not space.whole and space.values is None)
    size = space.size if isinstance(space, Answers) else space.most
    if not real or size < 2:
        return
    low, high = map(float, _edges(space)[:2])
    for hint in map(float, sorted(hints, key=lambda x: (x.denominator == 1, x))[:MOST_TIED]):
        seen: Counter[tuple[Any, ...]] = Counter()
        for _ in range(TRIES):
            data = [rng.uniform(low, high) for _ in range(size)]
            if hint and low <= hint <= high and rng.random() < 0.7:  # most of a wide space has no partner inside
                data[0] = rng.random() * hint
            for sums in (True, False):
                data[1], signs = _partner(data[0], hint, sums, rng)
                seen[signs] += 1
                if low <= data[1] <= high and len(set(signs[:3])) > 1 and seen[signs] <= 2:
                    yield tuple(data)
                    yield (data[1], data[0], *data[2:])


def _partner(a: float, hint: float, sums: bool, rng: random.Random) -> tuple[float, tuple[int, ...]]:
    """A double b at or beside the one for which a + b (or a − b) is `hint`, and what three forms of the test say."""
    b = hint - a if sums else a - hint
    for _ in range(rng.randrange(3)):
        b = math.nextafter(b, rng.choice((math.inf, -math.inf)))
    forms = (a + b - hint, b - (hint - a), a - (hint - b)) if sums else (a - b - hint, a - (hint + b), a - hint - b)
    return b, (*((x > 0) - (x < 0) for x in forms), sums)


def _edges(space: Space) -> tuple[Any, ...]:
    if isinstance(space, Records):
        if isinstance(space.domain, Box):
            return space.domain.edges()
        assert isinstance(space.domain, Interval)
        low, high = space.domain.low, space.domain.high
    else:
        low = (
            space.low if space.low is not None else (space.high if space.high is not None else Exact(0)) - 4 * space.by
        )
        high = space.high if space.high is not None else low + 8 * space.by
    third = () if isinstance(space, Answers) and space.whole else ((low + high) / 2, low + (high - low) / 3)
    zero = (Exact(0),) if low < 0 < high else ()
    return (low, high, *zero, *third)


def _near(space: Space, hint: Fraction, step: Fraction, rng: random.Random) -> Any:
    """A number of the space at a number that the program names, or beside it; a random one where that lies outside."""
    value = Exact(hint + step)
    if isinstance(space, Records) and isinstance(space.domain, Box):
        drawn = _random(space, rng)
        near = tuple(value if value in side else x for x, side in zip(drawn, space.domain.sides, strict=True))
        return near if rng.random() < 0.5 else (*near[:-1], drawn[-1])
    if isinstance(space, Answers):
        value = Exact(value.__floor__()) if space.whole else value
        return value if _inside(space, (value,)) else _random(space, rng)
    return value if value in space.domain else _random(space, rng)


def _random(space: Space, rng: random.Random) -> Any:
    """A number of a space of real or whole numbers: mostly of few binary places, now and then far away or minute."""
    if isinstance(space, Records) and isinstance(space.domain, Box):
        return tuple(s.low + (s.high - s.low) * Exact(rng.randrange(0, 65), 64) for s in space.domain.sides)
    low, high = _edges(space)[:2]
    if isinstance(space, Answers) and space.whole:
        return low + rng.randrange(0, max(1, int(high - low)) + 1)
    if isinstance(space, Answers) and space.unbounded and rng.random() < 0.1:
        return Exact(rng.choice((1, -1))) * (1000 if rng.random() < 0.5 else Exact(1, 2**30))
    return low + (high - low) * Exact(rng.randrange(0, 65), 64)


def _inside(space: Answers, data: Data) -> bool:
    try:
        space.validate(data)
    except BadInput:
        return False
    return True


def named_numbers(program: Any) -> list[Fraction]:
    """The numbers that a program's text holds, and those of its globals and cells: where it may turn otherwise.

    >>> named_numbers(lambda q: 1 if 10 < q < 12.5 else 0)
    [Fraction(0, 1), Fraction(1, 1), Fraction(10, 1), Fraction(25, 2)]
    """
    code = program_code(program)
    found: set[Fraction] = set()
    todo: list[Any] = [] if code is None else [code]
    if isinstance(program, FunctionType):
        known = getclosurevars(program)
        todo += [*known.nonlocals.values(), *known.globals.values()]
    while todo:
        item = todo.pop()
        if isinstance(item, CodeType):
            todo += item.co_consts
        elif isinstance(item, tuple | frozenset):
            todo += item
        elif isinstance(item, int | float | Fraction) and not isinstance(item, bool) and math.isfinite(item):
            found.add(Fraction(item))
    return [x for x in sorted(found) if abs(x) <= FAR][:MOST_HINTS]


def disguises(space: Space, data: Data) -> list[Data]:
    """The same input as plain whole numbers and as doubles, where a caller may give it so.

    >>> disguises(Answers(size=2), (Exact(1), Exact(1, 2)))
    [(1, Exact(1, 2)), (1.0, 0.5)]
    """
    found = []
    whole = tuple(_as_int(x) for x in data)
    if any(type(x) is int for x in whole):
        found.append(whole)
    real = (isinstance(space, Answers) and not space.whole and space.values is None) or (
        isinstance(space, Records) and isinstance(space.domain, Interval)
    )
    if real and data and all(isinstance(x, Fraction) and Fraction(float(x)) == x for x in data):
        found.append(tuple(float(x) for x in data))
    return found


def _as_int(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_as_int(x) for x in value)
    return int(value) if isinstance(value, Fraction) and value.denominator == 1 else value
