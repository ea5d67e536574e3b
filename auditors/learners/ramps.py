r"""Bayesian averaging over ramps: log-odds that are flat, rise or fall along a straight line, and are flat again.

Counts :math:`(a_k, b_k)` of left and right outputs stand at positions :math:`u_k`. A ramp has two knots s ≤ t and two
levels: the log-odds of the left side are :math:`\lambda_0` up to s, :math:`\lambda_1` from t on and linear between
(a step where s = t). It is the exact shape for a shift of Laplace noise and of the maximum of several, a straight line
for a shift of Gaussian noise, and on distances from the centre it is the shape of a change of Laplace scale. With a
normal prior on the levels, the evidence of each pair of knots is computed by Laplace's method, all pairs at once.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from dpwitness.auditors.outputs.arrays import Floats, Ints

# prior standard deviations: as many outputs were drawn on the left as on the right, so the average log-odds is near 0
_LEVEL, _HEIGHT = 0.5, 2.5
_STEPS, _CLOSE = 8, 1e-2  # Newton steps double the digits: the next would change 1e-4


@lru_cache(maxsize=16)
def _pairs(count: int) -> tuple[Ints, Ints]:
    first, second = np.triu_indices(count)
    return first.astype(np.int64), second.astype(np.int64)


def _dot(x: Floats, y: Floats) -> Floats:
    return np.asarray(np.einsum("kc,kc->k", x, y), dtype=np.float64)


def _knots(u: Floats, most: int) -> Floats:
    """At most `most` of the positions, evenly spaced in rank."""
    return np.unique(u[np.unique(np.linspace(0, len(u) - 1, min(most, len(u))).round().astype(np.int64))])


def ramps(a: Ints, b: Ints, u: Floats, most_knots: int = 12) -> tuple[Floats, float]:
    """Posterior mean of π at every position, averaged over all pairs of knots, and the log evidence.

    Parameters
    ----------
    a, b
        Counts of left and right outputs.
    u
        Finite positions, not decreasing.

    Examples
    --------
    >>> pi, _ = ramps(np.array([90, 80, 50, 20, 10]), np.array([10, 20, 50, 80, 90]), np.arange(5.0))
    >>> pi.round(1)
    array([0.9, 0.8, 0.5, 0.2, 0.1])
    """
    wins, losses = a.astype(np.float64), b.astype(np.float64)
    total = wins + losses
    knots = _knots(u, most_knots)
    first, second = _pairs(len(knots))
    low, high = knots[first][:, None], knots[second][:, None]
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        rise = np.where(high > low, np.clip((u - low) / (high - low), 0.0, 1.0), (u > low).astype(np.float64))
    rise = np.nan_to_num(rise)
    rise -= (rise @ (total / total.sum()))[:, None]
    narrow, wide = 1 / _LEVEL**2, 1 / _HEIGHT**2
    level, height = np.zeros((len(first), 1)), np.zeros((len(first), 1))
    square = rise * rise
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-(level + rise * height)))
        slack = wins - total * p
        curve = (p - p * p) * total
        g0, g1 = slack.sum(axis=1) - narrow * level[:, 0], _dot(rise, slack) - wide * height[:, 0]
        h00, h01, h11 = curve.sum(axis=1) + narrow, _dot(rise, curve), _dot(square, curve) + wide
        det = h00 * h11 - h01 * h01
        steps = np.stack([(h11 * g0 - h01 * g1) / det, (h00 * g1 - h01 * g0) / det])
        size = np.abs(steps).max()
        steps = np.clip(steps, -2.0, 2.0)
        level += steps[0][:, None]
        height += steps[1][:, None]
        if size < _CLOSE:
            break
    odds = level + rise * height
    prior = narrow * level[:, 0] ** 2 + wide * height[:, 0] ** 2
    fit = -(np.logaddexp(0.0, -odds) @ wins + np.logaddexp(0.0, odds) @ losses) - 0.5 * prior
    evidence = fit + 0.5 * math.log(narrow * wide) - 0.5 * np.log(det)
    top = float(evidence.max())
    weight = np.exp(evidence - top)
    mass = float(weight.sum())
    # the mean over a level's posterior is nearer ½ than π at its mean
    doubt = (h11[:, None] + square * h00[:, None] - 2 * rise * h01[:, None]) / det[:, None]
    pi = 1 / (1 + np.exp(-odds / np.sqrt(1 + math.pi / 8 * doubt)))
    return np.asarray(weight @ pi / mass, dtype=np.float64), top + math.log(mass / len(first))
