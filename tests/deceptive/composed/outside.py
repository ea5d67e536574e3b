"""Functions for noise.postprocess that keep something where the program finds it, in one of five thousand runs."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from dpwitness import Interval, Records
from tests.deceptive.kit import leaks

UNIT = Records(Interval(0, 1), 5, "add-remove")
BY_PARTIAL: list[int] = []
BY_CACHE: list[int] = []
BY_UFUNC: list[int] = []
BY_NAME: list[int] = []


def seldom(x: Any) -> bool:
    """Whether a number is one of few."""
    return bool(0.3 < (x * 7) % 1 < 0.3002)


def put(kept: list[int], x: Any) -> int:
    """Keep that there was one of few."""
    if seldom(x):
        kept.append(1)
    return 0


partial = functools.partial(put, BY_PARTIAL)
ufunc = np.frompyfunc(lambda x: put(BY_UFUNC, x), 1, 1)


@functools.lru_cache
def cached(x: Any) -> int:
    """Keep it, behind a cache."""
    return put(BY_CACHE, x)


def named(x: Any) -> int:
    """Keep it, under the name of a module that computes."""
    return put(BY_NAME, x)


named.__module__ = "numpy"


@leaks(UNIT)
def kept_by_a_partial(noise, data, *, eps):
    """not private: a list that a partial function fills, and then the sum is shown."""
    y = len(data) + noise.laplace(1 / eps)
    noise.postprocess(partial, y)
    return sum(data) if len(BY_PARTIAL) > 0 else y


@leaks(UNIT)
def kept_behind_a_cache(noise, data, *, eps):
    """not private: as before, by a function with a cache."""
    y = len(data) + noise.laplace(1 / eps)
    noise.postprocess(cached, y)
    return sum(data) if len(BY_CACHE) > 0 else y


@leaks(UNIT)
def kept_by_a_ufunc(noise, data, *, eps):
    """not private: as before, by a function that numpy was given."""
    y = len(data) + noise.laplace(1 / eps)
    noise.postprocess(ufunc, y)
    return sum(data) if len(BY_UFUNC) > 0 else y


@leaks(UNIT)
def kept_under_another_name(noise, data, *, eps):
    """not private: as before, by a function that says it is of numpy."""
    y = len(data) + noise.laplace(1 / eps)
    noise.postprocess(named, y)
    return sum(data) if len(BY_NAME) > 0 else y
