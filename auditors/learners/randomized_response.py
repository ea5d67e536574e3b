r"""Bits that are each reported by the same randomized response: few parameters for many bits.

Reports of local privacy are vectors of bits, of which each is, on a given input, set or not, and is then reported with
one of two probabilities, the same for all of them: :math:`r_0` where it is not set and :math:`r_1` where it is. From
all bits and both inputs together the two are known long before any single bit is, and to tell which of the two holds is
learnt from far fewer reports than a probability of its own for every bit. Each bit is unset on both inputs, set on the
left, set on the right, or set on both; given :math:`w = \operatorname{logit} r_1 - \operatorname{logit} r_0` and the
prior of the four, the posterior is exact; :math:`r_0` is :math:`1 - r_1`, as where the true bit is told or flipped, or
follows from the number of bits reported, which costs half a logarithm of it in evidence. All of it is averaged over w,
the priors and the two by the evidence.
"""

from __future__ import annotations

import math

import numpy as np

from dpwitness.auditors.outputs.arrays import Floats, Ints

_GAPS = np.geomspace(0.02, 4.0, 22)
_CHANGED = np.array([0.0, 0.15, 0.4, 0.8])  # share of bits that differ between the inputs; none comes first
_SET = np.array([0.05, 0.3, 0.7])  # share of the others that are set
_ROUNDS, _STEPS = 3, 6


def responses(a: Ints, b: Ints, left: int, right: int) -> tuple[Floats, Floats, float]:
    """Probabilities of every bit on the left and on the right, and the log evidence above that of no difference.

    Parameters
    ----------
    a, b
        How often every bit was reported among `left` and `right` reports.

    Examples
    --------
    >>> p, q, evidence = responses(np.array([70, 31, 28, 72]), np.array([30, 32, 70, 69]), 100, 100)
    >>> p.round(1), q.round(1), evidence > 10
    (array([0.7, 0.3, 0.3, 0.7]), array([0.3, 0.3, 0.7, 0.7]), True)
    """
    changed, gap, there, even = (x.ravel() for x in np.meshgrid(_CHANGED, _GAPS, _SET, (False, True), indexing="ij"))
    prior = np.stack([(1 - changed) * (1 - there), changed / 2, changed / 2, (1 - changed) * there], axis=1)
    log_prior = np.log(np.maximum(prior, 1e-300))[:, None, :]
    gap = gap[:, None]
    count = len(a) * (left + right)
    mean = (float(a.sum() + b.sum()) + 0.5) / (count + 1.0)
    share = (prior[:, 1:2] + prior[:, 2:3]) / 2 + prior[:, 3:4]
    low = math.log(mean / (1 - mean)) - share * gap
    for _ in range(_ROUNDS):
        low = np.where(even[:, None], -gap / 2, _matched(low, gap, share, mean))
        rates = 1 / (1 + np.exp(-low)), 1 / (1 + np.exp(-low - gap))
        fits = [[k * np.log(r) + (n - k) * np.log1p(-r) for r in rates] for k, n in ((a, left), (b, right))]
        each = np.stack([x + y for y in fits[1] for x in fits[0]], axis=2) + log_prior  # unset, left, right, both
        top = each.max(axis=2, keepdims=True)
        chance = np.exp(each - top)
        mass = chance.sum(axis=2, keepdims=True)
        chance /= mass
        share = (chance[:, :, 1] + chance[:, :, 2] + 2 * chance[:, :, 3]).mean(axis=1, keepdims=True) / 2
    fitted = np.where(even, 0.0, 0.5 * math.log(count + 1.0))
    evidence = (top + np.log(mass)).sum(axis=(1, 2)) - fitted
    same = changed == 0
    gain = _log_mean(evidence[~same]) - _log_mean(evidence[same])
    weight = np.exp(evidence[~same] - evidence[~same].max())
    weight /= weight.sum()
    on_left, on_right = (
        weight @ (rates[0] + (rates[1] - rates[0]) * (chance[:, :, k] + chance[:, :, 3]))[~same] for k in (1, 2)
    )
    return on_left, on_right, gain


def _matched(low: Floats, gap: Floats, share: Floats, mean: float) -> Floats:
    """The logit of the lower probability with which so many bits in all would be reported."""
    for _ in range(_STEPS):
        lower, upper = 1 / (1 + np.exp(-low)), 1 / (1 + np.exp(-low - gap))
        slope = (1 - share) * lower * (1 - lower) + share * upper * (1 - upper)
        step = ((1 - share) * lower + share * upper - mean) / np.maximum(slope, 1e-12)
        low = low - np.clip(step, -2.0, 2.0)
    return low


def _log_mean(logs: Floats) -> float:
    top = float(logs.max())
    return top + math.log(float(np.exp(logs - top).mean()))
