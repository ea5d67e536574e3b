"""Datasets to begin with: empty, one record, duplicates, sorted and reversed, ends and middle of every domain."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

from dpwitness.core.stability.rows import Data, Rows, record_key

FEW, SMALL = 6, 3  # records that stand together in small datasets; records of the largest of these
LENGTHS = (2, 3, 4, 5, 7, 8, 9, 10, 16)


def datasets(space: Rows, constants: Sequence[Any] = ()) -> Iterator[tuple[Data, str]]:
    """Datasets of a space, the smallest first, each once, with a word on what it is.

    Parameters
    ----------
    constants
        Numbers and texts that the program itself names: they are records and lengths worth trying.

    Examples
    --------
    >>> from dpwitness.core.stability.columns import wholes
    >>> [data for data, _ in itertools.islice(datasets(Rows(wholes(0, 9), (0, 2))), 4)]
    [(), (0,), (1,), (9,)]
    """
    seen: set[Any] = set()
    for data, why in _all(space, constants):
        key = (
            tuple(map(record_key, data)) if len(data) <= 64 else (len(data), record_key(data[0]), record_key(data[-1]))
        )
        if key not in seen and space.holds(data):
            seen.add(key)
            yield data, why


def known_records(space: Rows, constants: Sequence[Any] = ()) -> list[Any]:
    """Records worth trying: those of the columns, and what the program names where it belongs to them."""
    found = {repr(record_key(x)): x for x in space.records()}
    if space.names is None:
        column = space.each[0]
        own = [value for value in constants if column.holds(value)]
        as_column = [float(v) if column.kind == "real" else v for v in own if not isinstance(v, str) or column.allowed]
        found.update({repr(record_key(x)): x for x in as_column if repr(record_key(x)) not in found})
    return list(found.values())


def _all(space: Rows, constants: Sequence[Any]) -> Iterator[tuple[Data, str]]:
    records = known_records(space, constants)
    yield (), "no records"
    for record in records[:24]:
        yield (record,), "one record"
    lengths = [n + by for n in constants if _is_length(n, space.most) for by in (-1, 0, 1)]
    for size in dict.fromkeys(n for n in lengths if space.fewest <= n <= space.most):
        yield (records[0],) * size, f"{size} equal records"
    few = records[:FEW]
    for size in range(2, SMALL + 1):
        for data in itertools.product(few if size == 2 else few[:SMALL], repeat=size):
            yield data, f"{size} records"
    for a, b in itertools.combinations(records[:16], 2):
        yield (a, b), "two records"
    lengths = [n for n in LENGTHS if n <= space.most] + lengths
    lengths += [space.most, space.most - 1] if space.most <= 64 else []
    for size in dict.fromkeys(n for n in lengths if space.fewest <= n <= space.most and n > 1):
        yield from _of_size(records, size)


def _of_size(records: Sequence[Any], size: int) -> Iterator[tuple[Data, str]]:
    half = size // 2
    for record in records[:4]:
        yield (record,) * size, f"{size} equal records"
    for a, b in itertools.permutations(records[:3], 2):
        yield (a,) * (size - half) + (b,) * half, f"{size} records, half of each"
    if size > 64:
        return
    cycle = tuple(itertools.islice(itertools.cycle(records), size))
    yield cycle, f"{size} records, all kinds"
    yield tuple(reversed(cycle)), f"{size} records, all kinds reversed"
    spread = tuple(records[round(i * (len(records) - 1) / max(1, size - 1))] for i in range(size))
    yield spread, f"{size} records, spread over the domain"
    ordered = tuple(sorted(spread, key=_order))
    yield ordered, f"{size} records, sorted"
    yield ordered[::-1], f"{size} records, sorted downwards"


def _order(value: Any) -> tuple[bool, Any]:
    """Numbers by their size, everything else behind them by its text."""
    number = isinstance(value, int | float) and not math.isnan(value)
    return not number, value if number else repr(value)


def _is_length(value: Any, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 2 <= value <= min(most, 1 << 16)


def runs(
    space: Rows, constants: Sequence[Any] = (), most: int = 1 << 17, kinds: int = 6
) -> Iterator[tuple[Data, str]]:  # fmt: skip
    """Long runs: copies of one record, doubled and doubled again up to what the space allows.

    Parameters
    ----------
    kinds
        Records to make runs of: the largest numbers, or the first and the last of a choice, come first.
    """
    records = known_records(space, constants)
    if space.names is None and space.each[0].kind != "choice":  # the largest add up to most
        finite = [x for x in records if x is not None and abs(x) < 1e300]
        records = sorted(finite, key=abs, reverse=True)[:3] + records[:3]
    elif space.names is None:
        records = [records[-1], *records[:-1]]
    for record in dict.fromkeys(records[:kinds]) if space.names is None else records[:3]:
        longest = min(space.most, most)
        lengths = [n for k in range(5, longest.bit_length()) for n in (2**k - 1, 2**k)]
        for length in (*lengths, *((longest,) if longest > 32 and longest not in lengths else ())):
            if length >= space.fewest:
                yield (record,) * length, f"{length} copies of {record!r}"
