r"""Log-odds that vary smoothly along the line: a Gaussian process on the logits of the ranks.

Counts :math:`(a_k, b_k)` of left and right outputs stand at positions :math:`u_k`. The log-odds f have covariance
:math:`s^2 \exp(-(u-v)^2/2\ell^2)`; several amplitudes s and lengths ℓ are compared by their evidence, computed around
f = 0, where

.. math:: \ln p(\text{sides} \mid f) \approx -n\ln 2 + g^\top f - \tfrac12 f^\top W f,
          \qquad g_k = \tfrac{a_k-b_k}2, \quad W_k = \tfrac{a_k+b_k}4,

is exact to second order: one eigenvalue decomposition serves all amplitudes of a length, and all are averaged. Where
the log-odds turn out large, so that this will not do, the best pair is fitted by Newton's method instead. Where a law
has bumps and no simple shape, as a mixture of scales has, this needs fewer outputs than any partition into segments,
whose every segment has a level of its own to learn. Where a law has an edge, as noise that is added to a clamped number
has, a few jumps may be added to the waves. Where a family of noise explains most, the waves are what it leaves: its
log-odds, times a factor to be learnt, are added to them.
"""

from __future__ import annotations

import math

import numpy as np

from dpwitness.auditors.outputs.arrays import Floats, Ints

_LENGTHS = (0.35, 0.8, 2.0)
_AMPLITUDES = np.array([0.02, 0.05, 0.12, 0.3, 0.8, 2.0]) ** 2
_STEPS, _CLOSE = 10, 1e-3
_CHOSEN = 1.5  # nats by which a family that was learnt from the same outputs looks better than it is
_SMALL, _MOST_ODDS = 1.0, 8.0
_JUMPS = np.array([0.03, 0.1, 0.3, 1.0]) ** 2
_JUMPS_FROM, _MOST_JUMPS, _WORTH = 1 << 12, 3, 1.0  # outputs; jumps; log evidence that a jump must add


def waves(a: Ints, b: Ints, u: Floats, along: Floats | None = None) -> tuple[Floats, float]:
    """Posterior mean of π at every position, and the log evidence.

    Parameters
    ----------
    a, b
        Counts of left and right outputs.
    u
        Positions.
    along
        Log-odds that a family of noise proposes, learnt from the same outputs.

    Examples
    --------
    >>> a, b = np.array([10, 52, 11, 50, 9]), np.array([50, 10, 52, 9, 51])
    >>> waves(a, b, np.array([-4.0, -2.0, 0.0, 2.0, 4.0]))[0].round(1)
    array([0.2, 0.8, 0.2, 0.8, 0.2])
    """
    wins, total = a.astype(np.float64), (a + b).astype(np.float64)
    root = np.sqrt(total) / 2
    pull = np.where(total > 0, (wins - total / 2) / np.maximum(root, 1e-300), 0.0)
    distance = (u[:, None] - u[None, :]) ** 2
    kernels = [np.exp(-distance / (2 * length**2)) for length in _LENGTHS]
    parts = [_around_zero(kernel, root, pull) for kernel in kernels]
    gains, odds, doubts = (np.concatenate([part[i] for part in parts], axis=0) for i in range(3))
    best = int(np.argmax(gains))
    chance = np.exp(gains - gains[best])
    evidence = math.log(float(chance.mean()))
    chance /= chance.sum()
    mean = chance @ odds
    smooth = _kernel(kernels, best)
    if total.sum() >= _JUMPS_FROM and len(u) > 1:
        tried = [
            (float(gains[k]), *_with_jumps(_kernel(kernels, k), root, pull, direction))
            for k in _smoother(gains)
            for direction in ([None] if along is None else [None, along])
        ]
        _, kernel, more = max(tried, key=lambda found: found[0] + found[2])
        if more > 0:
            pi, fit = _fit(kernel, wins, total)
            return pi, fit + evidence
    if float(np.abs(mean).max()) < _SMALL:
        doubt = chance @ (doubts + (odds - mean) ** 2)
        pi = 1 / (1 + np.exp(-mean / np.sqrt(1 + math.pi / 8 * doubt)))
        return np.asarray(pi, dtype=np.float64), evidence + float(gains[best]) - float(total.sum()) * math.log(2.0)
    pi, fit = _fit(smooth, wins, total)
    return pi, fit + evidence


def _kernel(kernels: list[Floats], which: int) -> Floats:
    length, amplitude = divmod(which, len(_AMPLITUDES))
    return np.asarray(_AMPLITUDES[amplitude] * kernels[length], dtype=np.float64)


def _smoother(gains: Floats) -> list[int]:
    """For every length the best amplitude, and the next smaller ones: where jumps explain a part, less is left."""
    best = gains.reshape(-1, len(_AMPLITUDES)).argmax(axis=1)
    return [i * len(_AMPLITUDES) + int(k) - less for i, k in enumerate(best) for less in range(min(k + 1, 3))]


def _around_zero(kernel: Floats, root: Floats, pull: Floats) -> tuple[Floats, Floats, Floats]:
    """Log evidence above that of no difference, log-odds and their variances, for every amplitude."""
    values, vectors = np.linalg.eigh(root[:, None] * kernel * root[None, :])
    scale = _AMPLITUDES[:, None]
    grown = 1 + scale * np.maximum(values, 0.0)[None, :]
    force = vectors.T @ pull
    spread = kernel @ (root[:, None] * vectors)
    gain = 0.5 * np.sum(force**2 * (1 - 1 / grown) - np.log(grown), axis=1)
    odds = scale * ((force / grown) @ spread.T)
    doubt = scale * np.maximum(1 - scale * ((1 / grown) @ (spread**2).T), 0.0)
    return gain, odds, doubt


def _with_jumps(kernel: Floats, root: Floats, pull: Floats, along: Floats | None) -> tuple[Floats, float]:
    r"""The covariance with `along`, and with a jump wherever one is worth it; and what these add to the log evidence.

    A jump of variance s at a position c adds :math:`s\,hh^\top` to the covariance, h being ±½ on the two sides of c.
    With :math:`B = I + RKR`, R the square roots of W, and p the gradient divided by R, the log evidence grows by

    .. math:: \tfrac{s\,((Rh)^\top B^{-1}p)^2}{2(1+sq)} - \tfrac12\ln(1+sq), \qquad q = (Rh)^\top B^{-1} Rh,

    for all positions at once. The position is averaged over; the best one is kept.
    """
    total = 0.0
    if along is not None:
        kernel, more = _with_one(kernel, root, pull, along[:, None], _CHOSEN)
        total += more
    sides = np.tri(len(root), len(root) - 1, -1) - 0.5  # one column for each position of a jump
    for _ in range(_MOST_JUMPS):
        kernel, more = _with_one(kernel, root, pull, sides)
        if not more:
            break
        total += more
    return kernel, total


def _with_one(kernel: Floats, root: Floats, pull: Floats, columns: Floats, fee: float = 0.0) -> tuple[Floats, float]:
    """The covariance with the best of several columns, if it is worth it, and what it adds to the log evidence."""
    inverse = np.linalg.inv(np.eye(len(root)) + root[:, None] * kernel * root[None, :])
    steps = root[:, None] * columns
    spread = inverse @ steps
    size = np.sum(steps * spread, axis=0)[None, :] * _JUMPS[:, None]
    gain = 0.5 * ((spread.T @ pull) ** 2 * _JUMPS[:, None] / (1 + size) - np.log1p(size))
    best = int(np.argmax(gain))
    more = float(gain.flat[best]) + math.log(float(np.exp(gain - gain.flat[best]).mean())) - fee
    if more < _WORTH:
        return kernel, 0.0
    which, where = divmod(best, gain.shape[1])
    return kernel + _JUMPS[which] * np.outer(columns[:, where], columns[:, where]), more


def _fit(kernel: Floats, wins: Floats, total: Floats) -> tuple[Floats, float]:
    """Laplace's method for one covariance: averaged π, and the log evidence."""
    odds = np.zeros(len(wins))
    for _ in range(_STEPS):
        p = 1 / (1 + np.exp(-odds))
        weight = np.maximum(total * p * (1 - p), 1e-12)
        root = np.sqrt(weight)
        inner = np.eye(len(odds)) + root[:, None] * kernel * root[None, :]
        aim = weight * odds + wins - total * p
        dual = aim - root * np.linalg.solve(inner, root * (kernel @ aim))
        before, odds = odds, np.clip(kernel @ dual, -_MOST_ODDS, _MOST_ODDS)
        if float(np.abs(odds - before).max()) < _CLOSE:
            break
    fit = -float(wins @ np.logaddexp(0.0, -odds) + (total - wins) @ np.logaddexp(0.0, odds))
    half = np.linalg.solve(inner, root[:, None] * kernel)
    doubt = np.maximum(np.diag(kernel) - np.sum(root[:, None] * kernel * half, axis=0), 0.0)
    evidence = fit - 0.5 * float(dual @ odds) - 0.5 * float(np.linalg.slogdet(inner)[1])
    return 1 / (1 + np.exp(-odds / np.sqrt(1 + math.pi / 8 * doubt))), evidence
