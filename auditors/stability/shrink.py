"""The smallest pair that still violates the claim: fewer records first, then simpler ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from dpwitness.auditors.stability.search import Found, Search
from dpwitness.auditors.stability.spaces import Data, RowInputs
from dpwitness.core.errors import LimitReached

STEPS = 1500
Pair = tuple[Data, Data]


def shrink(found: Found, search: Search) -> Found:
    """A pair as small as can be found in a limited number of steps; each was compared anew."""
    left_over = STEPS if found.shows.kind != "rounding" else STEPS // 10
    progress = True
    try:
        while progress and left_over > 0:
            progress = False
            for left, right in simpler(found, search):
                left_over -= 1
                if left_over <= 0:
                    break
                other = search.compare(left, right, found.apart, found.how)
                if other is not None and other.shows.kind == found.shows.kind:
                    found, progress = other, True
                    break
    except LimitReached:  # what was found stands
        pass
    return found


def simpler(found: Found, search: Search) -> Iterator[Pair]:
    """Pairs simpler than the given one, the boldest first."""
    left, right = found.left, found.right
    if isinstance(search.inputs, RowInputs):
        ranks = {repr(record): k for k, record in enumerate(search.inputs.records)}
        yield from _rows(left, right, ranks, search.inputs.records)
    else:
        yield from _vectors(left, right)


def _rows(left: Data, right: Data, ranks: dict[str, int], records: list[Any]) -> Iterator[Pair]:
    start, end = _common(left, right)
    middle_left, middle_right = left[start : len(left) - end], right[start : len(right) - end]
    before, behind = left[:start], left[len(left) - end :] if end else ()
    for part, name in ((before, "before"), (behind, "behind")):
        size = len(part)
        while size:
            for place in range(0, len(part), size):
                rest = part[:place] + part[place + size :]
                one, two = (rest, behind) if name == "before" else (before, rest)
                yield one + middle_left + two, one + middle_right + two
            size //= 2
    if len(middle_left) == len(middle_right) > 1:
        for i in range(len(middle_left)):  # of two reordered datasets: the same record leaves both
            if middle_left[i] in middle_right:
                j = middle_right.index(middle_left[i])
                yield (before + middle_left[:i] + middle_left[i + 1 :] + behind,
                       before + middle_right[:j] + middle_right[j + 1 :] + behind)  # fmt: skip
    every = [*before, *middle_left, *middle_right, *behind]
    for old in list({repr(x): x for x in every}.values())[:16]:
        rank = ranks.get(repr(old), len(ranks))
        for new in records[:rank][:8]:
            yield _exchanged(left, old, new), _exchanged(right, old, new)
            yield before + middle_left + behind, before + _exchanged(middle_right, old, new) + behind
            yield before + _exchanged(middle_left, old, new) + behind, before + middle_right + behind
            for place in range(min(len(before), 8)):
                if repr(before[place]) == repr(old):
                    other = (*before[:place], new, *before[place + 1 :])
                    yield other + middle_left + behind, other + middle_right + behind
            for place in range(min(len(behind), 8)):
                if repr(behind[place]) == repr(old):
                    other = (*behind[:place], new, *behind[place + 1 :])
                    yield before + middle_left + other, before + middle_right + other


def _exchanged(data: Data, old: Any, new: Any) -> Data:
    shown = repr(old)
    return tuple(new if repr(x) == shown else x for x in data)


def _common(left: Data, right: Data) -> tuple[int, int]:
    """Length of the common beginning, and of the common end behind it."""
    short = min(len(left), len(right))
    start = 0
    while start < short and repr(left[start]) == repr(right[start]):
        start += 1
    end = 0
    while end < short - start and repr(left[-1 - end]) == repr(right[-1 - end]):
        end += 1
    return start, end


def _vectors(left: Data, right: Data) -> Iterator[Pair]:
    for i, (a, b) in enumerate(zip(left, right, strict=True)):
        if a != 0:
            for other in (a * 0, a / 2 if abs(a) > 1 else a * 0):
                yield (*left[:i], other, *left[i + 1 :]), (*right[:i], b - a + other, *right[i + 1 :])
        if a != b:
            yield left, (*right[:i], a, *right[i + 1 :])
