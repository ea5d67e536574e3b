"""Random changes of a dataset: what a search tries when the listed inputs have shown nothing."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from dpwitness.core.stability.columns import Column
from dpwitness.core.stability.rows import Data, Rows


def mutated(data: Data, space: Rows, records: Sequence[Any], rng: random.Random) -> Data:
    """A dataset of the space that differs from the given one in a few places."""
    found = list(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        found = _once(found, space, records, rng)
    made = tuple(found)
    return made if space.holds(made) else data


def _once(data: list[Any], space: Rows, records: Sequence[Any], rng: random.Random) -> list[Any]:
    kind = rng.randrange(7)
    place = rng.randrange(len(data) + 1)
    if kind == 0 or not data:
        return [*data[:place], _record(space, records, rng), *data[place:]] if len(data) < space.most else data
    place = rng.randrange(len(data))
    if kind == 1:
        return data[:place] + data[place + 1 :] if len(data) > space.fewest else data
    if kind == 2:
        return [*data[:place], _record(space, records, rng), *data[place + 1 :]]
    if kind == 3:
        return [*data[:place], _near(data[place], space, rng), *data[place + 1 :]]
    if kind == 4:
        return data + data if 2 * len(data) <= min(space.most, 256) else data
    if kind == 5:
        return rng.sample(data, len(data))
    return [*data[:place], data[place], *data[place:]] if len(data) < space.most else data


def _record(space: Rows, records: Sequence[Any], rng: random.Random) -> Any:
    if rng.random() < 0.7:
        return rng.choice(records)
    made = tuple(_value(column, rng) for column in space.each)
    return made[0] if space.names is None else made


def _value(column: Column, rng: random.Random) -> Any:
    if column.kind == "choice" or column.low is None or column.high is None:
        return rng.choice(column.values())
    if column.kind == "whole":
        return rng.randint(int(column.low), int(column.high))
    return rng.uniform(float(column.low), float(column.high))


def _near(record: Any, space: Rows, rng: random.Random) -> Any:
    """The record with one number moved a little, or far."""
    parts = [record] if space.names is None else list(record)
    place = rng.randrange(len(parts))
    value, column = parts[place], space.each[place]
    if column.kind == "choice" or isinstance(value, bool | str) or value is None:
        moved = rng.choice(column.values())
    elif column.kind == "whole":
        moved = value + rng.choice((-1, 1, -2, 2, value, -value, 10))
    else:
        moved = rng.choice((value + 1, value - 1, -value, value * 2, value / 2, value * (1 + 1e-6), 0.0))
    parts[place] = moved if column.holds(moved) else value
    return parts[0] if space.names is None else tuple(parts)
