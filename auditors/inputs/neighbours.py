"""Neighbours of a dataset: a record inserted at every place, deleted or replaced, and another order of the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from dpwitness.core.stability.rows import Data, Rows

PLACES = 9  # of a long dataset: both ends, the middle and some between
Neighbour = tuple[Data, str]


def places(length: int, most: int = PLACES) -> list[int]:
    """Places of a dataset, the ends and the middle first.

    >>> places(4), places(100)
    ([0, 3, 2, 1], [0, 99, 50, 1, 98, 25, 74, 12, 86])
    """
    if length <= most:
        wanted = [0, length - 1, length // 2, *range(length)]
    else:
        wanted = [0, length - 1, length // 2, 1, length - 2, length // 4, length - 1 - length // 4, length // 8,
                  length - 1 - length // 8 - 1]  # fmt: skip
    return [i for i in dict.fromkeys(wanted) if 0 <= i < length][:most]


def neighbours(data: Data, space: Rows, records: Sequence[Any], most_records: int = 24) -> Iterator[Neighbour]:
    """Neighbours at one step, those that change most at the front, the back and the middle first."""
    if space.relation == "substitute":
        for i in places(len(data)):
            for record in records[:most_records]:
                if not _same(record, data[i]):
                    yield (*data[:i], record, *data[i + 1 :]), f"record {i} replaced"
        return
    if len(data) > space.fewest:
        for i in places(len(data)):
            yield data[:i] + data[i + 1 :], f"record {i} deleted"
    if len(data) < space.most:
        for i in places(len(data) + 1):
            for record in records[:most_records]:
                yield (*data[:i], record, *data[i:]), f"a record inserted at place {i}"


def reordered(data: Data) -> Iterator[Neighbour]:
    """The same records in another order."""
    if len(data) < 2:
        return
    yield data[::-1], "reversed"
    yield (*data[1:], data[0]), "the first moved to the end"
    yield (*data[:-2], data[-1], data[-2]), "the last two exchanged"
    yield (data[1], data[0], *data[2:]), "the first two exchanged"


def at_steps(data: Data, space: Rows, records: Sequence[Any], steps: int) -> Iterator[tuple[Data, int, str]]:
    """Neighbours at `steps` steps, made by the same kind of step again; at 0 steps the same records reordered."""
    if steps == 0:
        for other, how in reordered(data) if space.any_order else ():
            yield other, 0, how
        return
    for first, how in neighbours(data, space, records):
        found, said = first, how
        for _ in range(steps - 1):
            more = next(
                (pair for pair in neighbours(found, space, records, 4) if not _back(pair[0], found, data)), None
            )
            if more is None:
                break
            found, said = more[0], f"{said}, then {more[1]}"
        yield found, steps, said


def _back(other: Data, middle: Data, start: Data) -> bool:
    """Whether a second step leads back towards the start."""
    return abs(len(other) - len(start)) <= abs(len(middle) - len(start)) and len(middle) != len(start)


def _same(one: Any, two: Any) -> bool:
    return type(one) is type(two) and repr(one) == repr(two)
