"""A time limit that long computations look at."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from dpwitness.core.errors import OutsideFragment

_deadline: ContextVar[float] = ContextVar("deadline", default=float("inf"))


class OutOfTime(OutsideFragment):
    """The time limit was reached before there was an answer."""

    def __init__(self) -> None:
        super().__init__("no answer within the time limit")


@contextmanager
def limit(seconds: float) -> Iterator[None]:
    """Let `tick` raise `OutOfTime` once the seconds are over (an outer limit that ends earlier stays in force)."""
    token = _deadline.set(min(_deadline.get(), time.monotonic() + seconds))
    try:
        yield
    finally:
        _deadline.reset(token)


def left() -> float:
    """The seconds that are left."""
    return _deadline.get() - time.monotonic()


def tick() -> None:
    """Raise `OutOfTime` where the limit is reached.

    >>> with limit(10):
    ...     tick()
    """
    if left() <= 0:
        raise OutOfTime
