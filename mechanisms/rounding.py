"""Rounding of claimed privacy parameters: an irrational bound is claimed as the next decimal above it."""

from __future__ import annotations

import math

from dpwitness.core import Exact


def rounded_up(value: float, digits: int = 4) -> Exact:
    """The smallest decimal with so many digits that is safely above `value`.

    >>> rounded_up(math.log(3))
    Exact(10987, 10000)
    """
    return Exact(math.ceil(value * 10**digits + 1e-6), 10**digits)
