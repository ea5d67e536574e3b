r"""Weights of which many are equal but for their sign: the same small leak in many places.

Reports of many bits, repeated answers, sparse vectors: the log-odds are a sum :math:`\sum_j w s_j x_j` with one size w
and signs :math:`s_j \in \{-1, 0, 1\}`. A sign is learnt from far fewer outputs than a weight, and the size from all
places together. The likelihood is taken to second order around 0,

.. math:: \ln p(\text{sides} \mid \beta) \approx -n\ln 2 + g^\top\beta - \tfrac12\beta^\top H \beta,
          \qquad g = X^\top(\text{side} - \tfrac12), \quad H = \tfrac14 X^\top X,

and the signs are averaged by mean-field iteration, for each size w and each probability that a sign is not 0.
"""

from __future__ import annotations

import numpy as np

from dpwitness.auditors.outputs.arrays import Floats

_SIZES = np.geomspace(0.01, 1.5, 18)
_SHARES = np.array([0.15, 0.4, 0.8])
_ROUNDS = 12


def equal_weights(g: Floats, h: Floats) -> tuple[Floats, Floats, float]:
    """Posterior mean and variance of every weight, and the log evidence above that of no weights at all.

    Parameters
    ----------
    g, h
        Gradient and negative Hessian of the log-likelihood at 0.

    Examples
    --------
    Four outputs' worth of evidence for each of three places, of which one speaks the other way:

    >>> mean, _, evidence = equal_weights(np.array([40.0, -40.0, 42.0, 1.0]), 100.0 * np.eye(4))
    >>> mean.round(1), evidence > 10
    (array([ 0.4, -0.4,  0.4,  0. ]), True)
    """
    size, share = (x.ravel()[:, None] for x in np.meshgrid(_SIZES, _SHARES))
    diagonal = np.diag(h)
    off = h - np.diag(diagonal)
    cost = 0.5 * diagonal * size**2
    prior = np.log(share / 2) - np.log1p(-share)
    mean = np.zeros((len(size), len(g)))
    for _ in range(_ROUNDS):
        pull = (g - mean @ off) * size
        up, down = (_chance(sign * pull - cost + prior, -sign * pull - cost + prior) for sign in (1, -1))
        mean = 0.5 * mean + 0.5 * size * (up - down)
    spread = size**2 * (up + down) - mean**2
    fit = mean @ g - 0.5 * np.einsum("ij,jk,ik->i", mean, h, mean) - 0.5 * np.maximum(spread, 0.0) @ diagonal
    none = np.maximum(1 - up - down, 1e-300)
    surprise = _times_log(up, share / 2) + _times_log(down, share / 2) + _times_log(none, 1 - share)
    evidence = fit - surprise.sum(axis=1)
    top = float(evidence.max())
    weight = np.exp(evidence - top)
    mass = float(weight.sum())
    weight /= mass
    center = weight @ mean
    return center, weight @ (np.maximum(spread, 0.0) + (mean - center) ** 2), top + float(np.log(mass / len(weight)))


def _chance(this: Floats, other: Floats) -> Floats:
    """The probability of one of three choices whose log weights are `this`, `other` and 0."""
    top = np.maximum(np.maximum(this, other), 0.0)
    return np.asarray(np.exp(this - top) / (np.exp(this - top) + np.exp(other - top) + np.exp(-top)), dtype=np.float64)


def _times_log(chance: Floats, prior: Floats) -> Floats:
    return np.asarray(np.where(chance > 0, chance * np.log(np.maximum(chance, 1e-300) / prior), 0.0), dtype=np.float64)
