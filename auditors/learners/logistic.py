"""Penalised logistic regression on grouped counts, and a smooth curve of π on the line."""

from __future__ import annotations

import math

import numpy as np

from dpwitness.auditors.outputs.arrays import Floats, Ints

_BLOCK = 512


def gram(x: Floats, weights: Floats | None = None) -> Floats:
    """``x.T @ diag(weights) @ x`` in blocks so small that no threads are started for them: starting costs more."""
    y = x if weights is None else x * weights[:, None]
    whole = len(x) // _BLOCK * _BLOCK
    total = y[whole:].T @ x[whole:]
    if whole:
        shape = (-1, _BLOCK, x.shape[1])
        total = total + (y[:whole].reshape(shape).transpose(0, 2, 1) @ x[:whole].reshape(shape)).sum(axis=0)
    return np.asarray(total, dtype=np.float64)


def logistic(
    design: Floats, wins: Floats, trials: Floats, ridge: float = 1.0, toward: Floats | None = None
) -> tuple[Floats, Floats, float]:
    """Coefficients, fitted probabilities and log evidence of a logistic regression on grouped counts.

    The coefficients have a normal prior of precision `ridge` around `toward`; the evidence is by Laplace's method.
    """
    center = np.zeros(design.shape[1]) if toward is None else toward
    beta = center.copy()
    hessian = np.eye(len(beta))
    for _ in range(12):
        p = 1 / (1 + np.exp(-np.clip(design @ beta, -30, 30)))
        gradient = design.T @ (wins - trials * p) - ridge * (beta - center)
        hessian = gram(design, trials * p * (1 - p)) + ridge * np.eye(len(beta))
        step = np.linalg.solve(hessian, gradient)
        size = float(np.abs(step).max())
        beta = beta + step * min(1.0, 2.0 / size if size > 0 else 1.0)
        if size < 1e-5:
            break
    odds = np.clip(design @ beta, -30, 30)
    fit = -float(wins @ np.logaddexp(0.0, -odds) + (trials - wins) @ np.logaddexp(0.0, odds))
    evidence = fit - 0.5 * ridge * float(np.sum((beta - center) ** 2))
    evidence += 0.5 * (len(beta) * math.log(ridge) - float(np.linalg.slogdet(hessian)[1]))
    return beta, 1 / (1 + np.exp(-odds)), evidence


def smooth(a: Ints, b: Ints, at: Floats, ridge: float = 1.0) -> tuple[Floats, float]:
    r"""Penalised logistic fit of π on :math:`1, u, |u|, u^2` at the positions `at`, and its log evidence."""
    total = a + b
    weight = total / total.sum()
    center = float(np.sum(weight * at))
    spread = float(np.sqrt(np.sum(weight * (at - center) ** 2)))
    if not np.isfinite(spread) or spread == 0:
        return np.full(len(a), (a.sum() + 1) / (total.sum() + 2)), -math.inf
    u = np.clip((at - center) / spread, -6, 6)
    design = np.stack([np.ones_like(u), u, np.abs(u) - 0.8, (u * u - 1) / 2], axis=1)
    _, pi, evidence = logistic(design, a.astype(np.float64), total.astype(np.float64), ridge)
    return pi, evidence
