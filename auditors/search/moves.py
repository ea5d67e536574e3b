"""Moves from one pair of neighbouring inputs to others: what a search tries around the pairs that tell most.

Answers of both inputs are shifted together, all of them or a part, by geometric steps (the scale of the noise is not
known, and at a small ε a step of 1 does nothing); the difference at one answer, or at a block, is flipped or taken
away, and all differences are halved. Of records, one that both inputs hold is replaced, removed or repeated, and the
one that differs is replaced. Every pair that is proposed is checked to be a pair of neighbours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from dpwitness.core.adjacency import Adjacency, AnswersMove
from dpwitness.core.spaces import REAL, Answers, Records

STEPS = (1, 4, 16, 64)
MOST = 12
Relation = Adjacency | Answers | Records
Pair = tuple[Any, Any]


def moves(left: Any, right: Any, space: Relation, related: Callable[[Any, Any], bool]) -> list[tuple[Any, Any, str]]:
    """At most `MOST` neighbouring pairs around a given one, each with a word on how it was made.

    >>> from dpwitness.core.spaces import Answers
    >>> moves((0.0, 0.0), (1.0, 1.0), Answers("all", 1), lambda a, b: True)[0]
    ((1.0, 1.0), (2.0, 2.0), 'all moved by 1.0')
    """
    if not all(isinstance(side, list | tuple) for side in (left, right)):
        return []
    kind = type(left)
    found: dict[str, tuple[Any, Any, str]] = {}
    here = repr((left, right))
    steps = _of_answers if isinstance(space, Answers | AnswersMove) else _of_records
    for a, b, how in steps(list(left), list(right), space):
        one, two = kind(a), kind(b)
        if a != b and repr((one, two)) not in (here, *found) and related(one, two):
            found[repr((one, two))] = (one, two, how)
    every = list(found.values())
    if len(every) > MOST:
        every = [every[round(i * (len(every) - 1) / (MOST - 1))] for i in range(MOST)]
    return every


def _of_answers(left: list[Any], right: list[Any], space: Any) -> Iterator[tuple[list[Any], list[Any], str]]:
    n, by = len(left), space.by
    by = type(left[0])(by) if left and isinstance(left[0], float) else by
    half = n // 2
    parts = {
        "all": range(n),
        "the last": range(n - 1, n),
        "the first half": range(half),
        "all but the last": range(n - 1),
    }
    for name, part in parts.items():
        if name != "all" and n == 1:
            continue
        for step in STEPS:
            for sign in (1, -1):
                by_so_much = sign * step * by
                a, b = ([x + by_so_much if i in part else x for i, x in enumerate(side)] for side in (left, right))
                yield a, b, f"{name} moved by {by_so_much}"
    blocks = [range(i, i + 1) for i in (n - 1, 0, half)] + [range(half, n), range(half)]
    for block in blocks:
        flipped = [a - (b - a) if i in block else b for i, (a, b) in enumerate(zip(left, right, strict=False))]
        yield left, flipped, "differences flipped"
        yield left, [a if i in block else b for i, (a, b) in enumerate(zip(left, right, strict=False))], "fewer moved"
    # stands last, where thinning out leaves it: whole noise hides no half
    yield left, [a + (b - a) / 2 for a, b in zip(left, right, strict=False)], "differences halved"


def _of_records(left: list[Any], right: list[Any], space: Any) -> Iterator[tuple[list[Any], list[Any], str]]:
    values = _values(space, left + right)
    common = _common(left, right)
    for x in common[:3]:
        a, b = _without(left, x), _without(right, x)
        yield a, b, "a common record removed"
        for value in values:
            if value != x:
                yield [*a, value], [*b, value], "a common record replaced"
    for value in values:
        yield [*left, value], [*right, value], "a common record added"
    only_left, only_right = _rest(left, right), _rest(right, left)
    for value in values:
        if only_right:
            yield left, [*_without(right, only_right[0]), value], "the differing record replaced"
        if only_left:
            yield [*_without(left, only_left[0]), value], right, "the differing record replaced"


def _values(space: Any, seen: Sequence[Any]) -> list[Any]:
    """Records to try: the ends and the middle of the domain, or what has been seen where it is not known."""
    domain = getattr(space, "domain", None)
    if isinstance(domain, REAL):
        return list(domain.edges())
    known = list(domain) if domain is not None else list({repr(x): x for x in seen}.values())
    return known if len(known) <= 4 else [known[0], known[len(known) // 3], known[2 * len(known) // 3], known[-1]]


def _common(left: list[Any], right: list[Any]) -> list[Any]:
    rest = list(right)
    found = []
    for x in left:
        if x in rest:
            rest.remove(x)
            found.append(x)
    return list({repr(x): x for x in found}.values())


def _rest(left: list[Any], right: list[Any]) -> list[Any]:
    rest = list(left)
    for x in right:
        if x in rest:
            rest.remove(x)
    return rest


def _without(items: list[Any], value: Any) -> list[Any]:
    rest = list(items)
    rest.remove(value)
    return rest
