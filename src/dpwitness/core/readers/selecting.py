"""The largest of several values, as every reader finds it.

The values are looked at one after the other, and a later one wins only where it is larger: of equal ones the first is
taken, and NaN, which is larger than nothing, wins only where it comes first.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from dpwitness.core.errors import BadInput


def first_largest(values: Sequence[Any]) -> int:
    """The index of the largest value, the first of several equal ones.

    >>> first_largest([1, 3, 3.0]), first_largest([False, 0, True]), first_largest([float("nan"), 1])
    (1, 2, 0)
    """
    if not len(values):
        raise BadInput("the largest of no values")
    best = 0
    for i in range(1, len(values)):
        if values[i] > values[best]:
            best = i
    return best
