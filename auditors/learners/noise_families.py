r"""Bayesian averaging over families with few parameters: a known or an unknown noise, moved or stretched.

Most mechanisms add noise of one shape to a number that depends on the input, so the two laws differ by a shift, by a
change of scale, or by both. A shape has two or three parameters where a partition has ten, and is learnt from a few
dozen outputs. Laplace noise, normal noise and that of a largest value are averaged over a grid of shifts and ratios of
scales; so is any symmetric noise, with a shift alone and with both, its density being estimated from the outputs of
both sides together.

All functions take counts :math:`(a_k, b_k)` of left and right outputs at positions :math:`u_k` and return the average
of π at every position and the log evidence, the average probability that the models give to the sides seen. Nothing
here has to be right for a bet to be valid: π may be any function of earlier outputs.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from dpwitness.auditors.outputs.arrays import Floats, Ints

Fit = tuple[Floats, float]

_SHIFTS = np.array([0.08, 0.16, 0.28, 0.42, 0.6, 0.85, 1.2, 1.7, 2.4, 3.4, 4.8])
_STRETCHES = np.array([0.08, 0.16, 0.26, 0.38, 0.53, 0.7, 0.95, 1.3, 1.8])  # logarithms of ratios
_PRIOR = (0.45, 0.45, 0.1)  # shift alone, stretch alone, both
_SPACING, _LOCAL = 0.2, np.linspace(-1.0, 1.0, 7)  # half of the step of the grids above, in logarithms
_ZOOMS, _MOST_OF_IT = 5, math.log(0.6)
_MOST_ODDS = 8.0  # a family that is surer of a tail than this would stake everything on its shape
_OFFSETS, _RATIOS = np.linspace(-3.0, 3.0, 7), np.linspace(-2.0, 2.0, 5)  # of shift and ratio, in standard errors
_FEWEST = 16  # outputs of a side that are asked for a ratio of scales
_CORE, _REACH = 0.08, 0.995  # quantiles of the distance within and beyond which the density is taken as constant
_GRID = 64
_EULER = 0.5772156649015329  # the mean of Gumbel's law
_CHOSEN = 1.5  # nats by which medians, chosen with the sides in view, make a shift or a ratio look better than it is


def _models() -> tuple[Floats, Floats, Floats]:
    """Half shifts, square roots of ratios of scales, and log prior probabilities, as columns."""
    shifts = np.concatenate([-_SHIFTS[::-1], _SHIFTS])
    ratios = np.concatenate([-_STRETCHES[::-1], _STRETCHES])
    both = [(s * d, t * r) for d in _SHIFTS[2::3] for r in _STRETCHES[2::3] for s in (-1, 1) for t in (-1, 1)]
    groups = [[(d, 0.0) for d in shifts], [(0.0, r) for r in ratios], both]
    pairs = np.array([pair for group in groups for pair in group])
    prior = np.concatenate([np.full(len(g), p / len(g)) for g, p in zip(groups, _PRIOR, strict=True)])
    return pairs[:, :1] / 2, np.exp(pairs[:, 1:] / 2), np.log(prior)


_HALF, _ROOT, _LOG_PRIOR = _models()


def _average(odds: Floats, a: Floats, b: Floats, log_prior: Floats) -> Fit:
    """Average models, given by their log-odds at every position."""
    odds, fit = _fits(odds, a, b, log_prior)
    return _mean(odds, fit)


def _fits(odds: Floats, a: Floats, b: Floats, log_prior: Floats) -> tuple[Floats, Floats]:
    """Log-odds within reason, and the log probability of every model and the sides seen."""
    odds = np.clip(odds, -_MOST_ODDS, _MOST_ODDS)
    shrunk = np.log1p(np.exp(-np.abs(odds)))
    return odds, np.minimum(odds, 0.0) @ a - np.maximum(odds, 0.0) @ b - shrunk @ (a + b) + log_prior


def _mean(odds: Floats, fit: Floats) -> Fit:
    top = float(fit.max())
    weight = np.exp(fit - top)
    mass = float(weight.sum())
    some = weight > 1e-6 * mass
    pi = weight[some] @ (1 / (1 + np.exp(-odds[some]))) / float(weight[some].sum())
    return np.asarray(pi, dtype=np.float64), top + math.log(mass)


def _family(odds_of: Callable[[Floats, Floats], Floats], a: Floats, b: Floats) -> Fit:
    """Average over the grid of shifts and ratios; where one point of it has most of the weight, over finer ones there.

    A finer grid shares the prior probability of the point that it replaces, so the evidence stays an average.
    """
    half, log_root, prior = _HALF, np.log(_ROOT), _LOG_PRIOR
    odds, fit = _fits(odds_of(half, np.exp(log_root)), a, b, prior)
    width = _SPACING
    for _ in range(_ZOOMS):
        best = int(np.argmax(fit))
        if fit[best] - np.logaddexp.reduce(fit) < _MOST_OF_IT:
            break
        steps = [np.exp(width * _LOCAL) if x[best, 0] else np.ones(1) for x in (half, log_root)]
        d, r = (x.ravel() for x in np.meshgrid(*steps))
        prior = prior[best] - np.full(len(d), math.log(len(d)))
        half, log_root = half[best, 0] * d[:, None], log_root[best, 0] * r[:, None]
        width *= _LOCAL[1] - _LOCAL[0]
        odds, fit = _fits(odds_of(half, np.exp(log_root)), a, b, prior)
    return _mean(odds, fit)


def _nothing(u: Floats) -> Fit:
    return np.full(len(u), 0.5), -math.inf


def _in_deviations(hits: Floats, u: Floats, center: float) -> tuple[float, Floats | None]:
    """How many outputs there are, and the positions in standard deviations from a centre; None where there is none."""
    total = float(hits.sum())
    with np.errstate(over="ignore"):
        spread = math.sqrt(float(hits @ (u - center) ** 2) / total)
    return total, np.clip((u - center) / spread, -1e6, 1e6) if 0 < spread < math.inf else None


def laplace(a: Ints, b: Ints, u: Floats, center: float) -> Fit:
    """Laplace noise: log-odds are differences of distances.

    >>> a, b = np.array([60, 30, 10]), np.array([10, 30, 60])
    >>> laplace(a, b, np.array([-1.0, 0.0, 1.0]), 0.0)[0].round(1)
    array([0.9, 0.5, 0.1])
    """
    wins, losses = a.astype(np.float64), b.astype(np.float64)
    total = float(wins.sum() + losses.sum())
    spread = float((wins + losses) @ np.abs(u - center)) / total
    if not 0 < spread < math.inf:
        return _nothing(u)
    v = np.clip((u - center) / spread, -1e6, 1e6)

    def odds_of(half: Floats, root: Floats) -> Floats:
        near, far = np.abs(v + half) / root, np.abs(v - half) * root
        scale = np.maximum((near @ wins + far @ losses) / total, 1e-6)[:, None]
        return np.asarray((far - near) / scale - 2 * np.log(root), dtype=np.float64)

    return _family(odds_of, wins, losses)


def normal(a: Ints, b: Ints, u: Floats, center: float) -> Fit:
    """Normal noise: log-odds are differences of squares."""
    wins, losses = a.astype(np.float64), b.astype(np.float64)
    total, v = _in_deviations(wins + losses, u, center)
    if v is None:
        return _nothing(u)

    def odds_of(half: Floats, root: Floats) -> Floats:
        near, far = ((v + half) / root) ** 2, ((v - half) * root) ** 2
        square = np.maximum((near @ wins + far @ losses) / total, 1e-9)[:, None]
        return np.asarray((far - near) / (2 * square) - 2 * np.log(root), dtype=np.float64)

    return _family(odds_of, wins, losses)


def largest(a: Ints, b: Ints, u: Floats, center: float) -> Fit:
    r"""Noise of a largest value (or, where the longer tail is the lower one, of a smallest): Gumbel's law.

    Its density in standard units is :math:`e^{-z - e^{-z}}`. Location and scale follow from mean and spread.
    """
    wins, losses = a.astype(np.float64), b.astype(np.float64)
    total, v = _in_deviations(wins + losses, u, center)
    if v is None:
        return _nothing(u)
    if float((wins + losses) @ (v - float((wins + losses) @ v) / total) ** 3) < 0:
        v = -v

    def odds_of(half: Floats, root: Floats) -> Floats:
        near, far = (v + half) / root, (v - half) * root
        mean = ((near @ wins + far @ losses) / total)[:, None]
        square = ((near**2 @ wins + far**2 @ losses) / total)[:, None] - mean**2
        scale = np.sqrt(np.maximum(square, 1e-9)) * (math.sqrt(6) / math.pi)
        near, far = (np.maximum((z - mean) / scale + _EULER, -30.0) for z in (near, far))
        return np.asarray(far - near + np.exp(-far) - np.exp(-near) - 2 * np.log(root), dtype=np.float64)

    return _family(odds_of, wins, losses)


def shifted(x: Floats, y: Floats, a: Ints, b: Ints, u: Floats, *, stretched: bool = False) -> Fit:
    r"""Symmetric noise of any shape and a shift: outputs `x` on the left and `y` on the right, both finite and sorted.

    Each side is centred at its median; the density of the distance r from it is estimated with a normal kernel in
    :math:`\ln r`, which resolves sharp peaks and heavy tails alike, and divided by r. The shift is averaged over its
    standard errors. Where `stretched`, the sides also differ in scale: distances are compared after division by their
    medians, and the ratio is averaged over its standard errors too.
    """
    if min(len(x), len(y)) < (_FEWEST if stretched else 4):
        return _nothing(u)
    (m, m_error), (v, v_error) = (_middle(z) for z in (x, y))
    sides = [np.sort(np.log(far[far > 0])) for far in (np.abs(x - m), np.abs(y - v))]
    if min(len(side) for side in sides) < 4:
        return _nothing(u)
    ratio, unsure = 0.0, 0.0
    if stretched:
        (near, near_error), (far, far_error) = (_middle(side) for side in sides)
        ratio, unsure = far - near, math.hypot(near_error, far_error)
    logs = np.sort(np.concatenate([sides[0] + ratio / 2, sides[1] - ratio / 2]))
    low, first, third, high = logs[(np.array([_CORE, 0.25, 0.75, _REACH]) * (len(logs) - 1)).astype(np.int64)]
    width = min(float(logs.std()), float(third - first) / 1.349) * len(logs) ** -0.2
    if not (width > 0 and high > low):
        return _nothing(u)
    grid = np.linspace(low, high, _GRID)
    bins = np.linspace(low - 4 * width, high + 4 * width, 2 * _GRID + 1)
    weights = np.diff(np.searchsorted(logs, bins))
    kernel = np.exp(-0.5 * ((grid[:, None] - (bins[1:] + bins[:-1]) / 2) / width) ** 2)
    density = np.log(kernel @ weights + 1e-9) - grid
    offsets, scales = (z.reshape(-1, 1) for z in np.meshgrid(_OFFSETS, _RATIOS if stretched else np.zeros(1)))
    moved = (v - m + offsets * math.hypot(m_error, v_error)) / 2
    root = (ratio + scales * unsure) / 2
    center = m + (v - m) / 2
    with np.errstate(divide="ignore"):
        to_left, to_right = np.log(np.abs(u - center + moved)), np.log(np.abs(u - center - moved))
    odds = np.interp(to_left + root, grid, density) - np.interp(to_right - root, grid, density) + 2 * root
    prior = -0.5 * ((offsets / 1.5) ** 2 + (scales / 1.5) ** 2).ravel()
    prior -= np.log(np.exp(prior).sum())
    pi, evidence = _average(odds, a.astype(np.float64), b.astype(np.float64), prior)
    return pi, evidence - (2 * _CHOSEN if stretched else _CHOSEN)


def _middle(z: Floats) -> tuple[float, float]:
    """The median of sorted numbers and its standard error, from the spacing of the numbers around it."""
    count, at = len(z), len(z) // 2
    reach = max(1, int(math.sqrt(count)))
    low, high = max(at - reach, 0), min(at + reach, count - 1)
    median = float(z[at] if count % 2 else (z[at - 1] + z[at]) / 2)
    return median, float(z[high] - z[low]) * math.sqrt(count) / (2 * (high - low))
