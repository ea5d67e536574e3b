"""Trying to compute what a picture needs."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TypeVar

from dpwitness.core.errors import DPWitnessWarning
from dpwitness.core.limits import time_limit

SECONDS = 3.0

T = TypeVar("T")


def attempt(compute: Callable[[], T], seconds: float | None = None) -> T | None:
    """The value, or None where it cannot be had: readers refuse programs for many reasons.

    >>> attempt(lambda: 1 / 0) is None
    True
    """
    try:
        with time_limit(SECONDS if seconds is None else seconds, "a picture"), warnings.catch_warnings():
            warnings.simplefilter("ignore", DPWitnessWarning)
            return compute()
    except Exception:
        return None
