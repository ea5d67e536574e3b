r"""Lower bounds where the law is known: from privacy losses instead of counts.

Where the log-likelihood ratio L of an output can be computed, δ at ε is the mean of :math:`(1 - e^{\varepsilon - L})_+`
over outputs on the left input. Each such number lies in [0, 1], so for a hypothesis "δ(ε) ≤ δ" and any
:math:`0 \le \lambda < 1/\delta` the product of :math:`1 + \lambda (x_i - \delta)` is a supermartingale: it reaches 1/α
with probability at most α. A mixture over λ needs no tuning. Rare outputs of large loss count by how large it is, which
is why this sees a δ of 10⁻⁵ in a few hundred samples where an event would need millions.
"""

from __future__ import annotations

import math

import numpy as np

from dpwitness.auditors.outputs.arrays import Floats

_BETS = 24


def log_evidence(losses: Floats, eps: float, delta: float) -> float:
    """Log-wealth against "δ(ε) ≤ `delta`" after all the losses: a mixture over bets λ."""
    with np.errstate(over="ignore"):
        excess = np.maximum(0.0, -np.expm1(np.minimum(eps - losses, 0.0)))
    seen = excess[excess > 0]
    nothing = len(excess) - len(seen)
    top = 0.5 / delta if delta > 0 else 1e6
    bets = np.exp(np.linspace(math.log(min(0.01, top)), math.log(top), _BETS))
    paths = [float(np.sum(np.log1p(bet * (seen - delta)))) + nothing * math.log1p(-bet * delta) for bet in bets]
    return float(np.logaddexp.reduce(np.array(paths)) - math.log(len(bets)))


def known_law_bound(losses: Floats, delta: float, alpha: float, step: float = 0.005, top: float = 40.0) -> float:
    """Lower bound on ε at `delta` from the privacy losses of outputs on one input.

    The values of ε on a grid are rejected from 0 upwards until one is not: only the first true one can err, so the
    whole grid costs a single α.

    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(1.0, 1.0, 20000)            # loss of N(1,1) against N(0,1) is x - 1/2
    >>> 1.4 < known_law_bound(x - 0.5, 0.05, 0.05) < 1.57        # δ(1.57) = 0.05
    True
    """
    reached = 0.0
    need = math.log(1 / alpha)
    while reached + step <= top and log_evidence(losses, reached + step, delta) >= need:
        reached += step
    return reached
