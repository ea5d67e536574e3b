r"""What sampling could have seen of an exact counterexample.

An event of probabilities p and q on the two inputs breaks :math:`p \le e^\varepsilon q + \delta`. No test at level α
that looks at this event alone stops, on average, before :math:`\ln(1/\alpha)/\mathrm{KL}^*` pairs, where

.. math:: \mathrm{KL}^* = \min_{q_0} \mathrm{kl}(p \,\|\, e^\varepsilon q_0 + \delta) + \mathrm{kl}(q \,\|\, q_0)

is the divergence of two coins from the nearest pair of coins that keeps the claim.
"""

from __future__ import annotations

import math

from dpwitness.core.evidence import Counterexample
from dpwitness.core.guarantees import Guarantee, epsilon_delta

ALPHA = 1e-3
USUAL = 1e6  # pairs that an audit draws unless told otherwise


def by_sampling(found: Counterexample, guarantee: Guarantee) -> str:
    """How many pairs an audit would need, in words; empty where the claim is not about one ε and δ."""
    pair = epsilon_delta(guarantee)
    if pair is None:
        return ""
    p, q = sorted((found.p_left_decimal, found.p_right_decimal), reverse=True)
    pairs = pairs_needed(p, q, float(pair[0]), float(pair[1]))
    if not math.isfinite(pairs):
        return ""
    text = f"by sampling: about {pairs:.2g} pairs, of an event with probability {p:.2g}, would show it (α = {ALPHA:g})"
    return f"{text}; this is beyond sampling" if pairs > USUAL else text


def pairs_needed(p: float, q: float, eps: float, delta: float = 0.0, alpha: float = ALPHA) -> float:
    """Pairs until a violation by an event with probabilities p > q can be seen; infinite where there is none.

    >>> round(pairs_needed(0.5, 0.0, 1.0)), f"{pairs_needed(1e-20, 0.0, 1.0):.0e}"
    (38, '2e+21')
    """
    growth = math.exp(eps)
    if not p > growth * q + delta:
        return math.inf

    def cost(q0: float) -> float:
        return _kl(p, min(growth * q0 + delta, 1 - 1e-16)) + _kl(q, q0)

    # the cost is convex in q0, with its minimum between q and the point where the claim allows p
    low, high = math.log(max(q, 1e-300)), math.log(max((p - delta) / growth, 1e-300))
    if q == 0:
        low = high - 80.0
    for _ in range(200):
        one, two = low + (high - low) / 3, high - (high - low) / 3
        low, high = (low, two) if cost(math.exp(one)) < cost(math.exp(two)) else (one, high)
    least = cost(math.exp((low + high) / 2))
    return math.log(1 / alpha) / least if least > 0 else math.inf


def _kl(p: float, q: float) -> float:
    """Divergence of two coins, accurate where both are rare."""
    first = p * math.log(p / q) if p > 0 else 0.0
    rest = (1 - p) * (math.log1p(-p) - math.log1p(-q)) if p < 1 else 0.0
    return first + rest
