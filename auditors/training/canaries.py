r"""Canaries for one run, and scores of them. None of this can make an audit invalid: a poor canary only shows less.

A *gradient canary* is a direction of its own: its gradient is C along it, whatever the weights are. With noise of
deviation σC its noisy sums are those of the Gaussian mechanism, so nothing leaks more in one step.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from dpwitness.auditors.outputs.arrays import Bools, Floats
from dpwitness.core.errors import BadInput


def toss(canaries: int, seed: int) -> Bools:
    """One fair coin for each canary: whether it is in the run. Keep them for the audit, and use them for nothing else.

    >>> toss(6, seed=1).tolist()
    [False, False, True, True, False, True]
    """
    if isinstance(canaries, bool) or not isinstance(canaries, int) or canaries < 2:
        raise BadInput(f"canaries={canaries!r} must be a whole number of at least 2")
    found: Bools = np.random.default_rng([seed, 70]).integers(0, 2, canaries).astype(bool)
    return found


def directions(canaries: int, size: int, seed: int | None = None) -> Floats:
    """Directions of gradient canaries: coordinates of their own, or random ones where there are too few.

    >>> directions(2, 3).tolist()
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]
    """
    if canaries <= size and seed is None:
        return np.eye(canaries, size)
    drawn = np.random.default_rng([seed or 0, 71]).standard_normal((canaries, size))
    return np.asarray(drawn / np.linalg.norm(drawn, axis=1, keepdims=True))


def mislabelled(labels: Any, classes: int, seed: int) -> Any:
    """Labels that are each wrong: examples that a model learns by heart, if at all.

    >>> bool(np.any(mislabelled(np.zeros(20, dtype=int), 3, 0) == 0))
    False
    """
    given = np.asarray(labels)
    if classes < 2:
        raise BadInput(f"classes={classes!r} must be at least 2")
    return (given + np.random.default_rng([seed, 72]).integers(1, classes, given.shape)) % classes


def likelihood_ratio(sums: Any, *, clip: float, deviation: float, rate: float = 1.0) -> Floats:
    r"""Scores of gradient canaries from the noisy sums of all steps along them: :math:`\ln dP/dQ`, "in" against "out".

    Parameters
    ----------
    sums
        Steps × canaries: the noisy sum of each step along each canary, the other records' part taken off.
    rate
        How likely a record is in a batch: the sum is then N(0, s²) or, with that probability, N(C, s²).

    Examples
    --------
    >>> likelihood_ratio(np.array([[1.0, 0.0]]), clip=1.0, deviation=1.0)
    array([ 0.5, -0.5])
    """
    given = np.asarray(sums, dtype=np.float64)
    if given.ndim != 2 or not np.all(np.isfinite(given)):
        raise BadInput("sums must be a table of finite numbers, steps × canaries")
    if not (clip > 0 and deviation > 0 and 0 < rate <= 1):
        raise BadInput(f"clip={clip!r} and deviation={deviation!r} must be positive and rate={rate!r} in (0, 1]")
    plain = (given * clip - clip * clip / 2) / deviation**2
    each = plain if rate == 1 else np.logaddexp(math.log1p(-rate), math.log(rate) + plain)
    found: Floats = each.sum(axis=0)
    return found
