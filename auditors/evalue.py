r"""The growth-optimal e-value against (ε,δ)-differential privacy.

Write :math:`E = e^\varepsilon`, and let π(o) be any guess, made from earlier samples only, of the probability that
output o came from the left input rather than from the right one. Two factors f and g are computed from π so that

.. math:: \mathbb E\, f(X)\, g(Y) \le 1

for independent X, Y drawn on two neighbours, whenever the mechanism is (ε,δ)-private, *whatever π is*. The product
over pairs is then a nonnegative supermartingale that starts at 1, so by Ville's inequality it reaches 1/α with
probability at most α, at any time.

Proof. With multipliers m, v > 0 and caps :math:`0 \le \ell_1 \le v/E`, :math:`0 \le \ell_2 \le m/E` that satisfy
:math:`m + v + \delta(\ell_1 + \ell_2) = 2`, put

- where π is large, :math:`f = m + \varphi`, :math:`g = v - E\varphi` with :math:`0 \le \varphi \le \ell_1`;
- where π is small, :math:`g = v + \psi`, :math:`f = m - E\psi` with :math:`0 \le \psi \le \ell_2`;
- elsewhere f = m, g = v.

Privacy, applied to the [0,1]-valued functions :math:`\varphi/\ell_1` and :math:`\psi/\ell_2`, gives
:math:`\mathbb E\varphi(X) - E\,\mathbb E\varphi(Y) \le \delta\ell_1` and
:math:`\mathbb E\psi(Y) - E\,\mathbb E\psi(X) \le \delta\ell_2`. Hence :math:`\mathbb E f(X) + \mathbb E g(Y) \le 2`,
and since X and Y are independent the inequality of the means gives :math:`\mathbb E f(X)g(Y) \le 1`. ∎

Among such pairs the choice below is the likelihood-ratio bet: with the true π (and the best m and caps) its expected
logarithm is exactly the smallest Kullback–Leibler divergence from the truth to the null (`dpwitness.auditors.limit`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpwitness.auditors.arrays import Floats
from dpwitness.core.errors import BadInput

MAX_EPSILON = 300.0
_TINY = 1e-15
_DEAR = 1e-4  # δ/E from which on the caps are worth a choice
_HARDLY = 1e-3


@dataclass(frozen=True)
class Null:
    r"""The hypothesis that a mechanism is (ε,δ)-private on a pair of inputs, with the free constants of the bet.

    Parameters
    ----------
    eps, delta
        The privacy claimed.
    balance
        m as a share of m + v, times 2: 1 treats both inputs alike.
    cap_left, cap_right
        :math:`\ell_1 E/v` and :math:`\ell_2 E/m`, both in (0, 1]; smaller values lose less where δ is large.
    """

    eps: float
    delta: float = 0.0
    balance: float = 1.0
    cap_left: float = 1.0
    cap_right: float = 1.0

    def __post_init__(self) -> None:
        if not 0 <= self.eps <= MAX_EPSILON:
            raise BadInput(f"epsilon={self.eps!r} must lie in [0, {MAX_EPSILON:g}] to be tested by sampling")
        if not 0 <= self.delta < 1:
            raise BadInput(f"delta={self.delta!r} must lie in [0, 1)")
        if not (0 < self.balance < 2 and 0 < self.cap_left <= 1 and 0 < self.cap_right <= 1):
            raise BadInput("balance must lie in (0, 2) and caps in (0, 1]")

    def multipliers(self) -> tuple[float, float]:
        """The constants (m, v)."""
        left, right = self.balance, 2.0 - self.balance
        spent = self.delta * math.exp(-self.eps) * (self.cap_left * right + self.cap_right * left)
        scale = 2.0 / (2.0 + spent)
        return left * scale, right * scale


def with_caps(claim: Sequence[Null]) -> tuple[Null, ...]:
    """The same hypotheses with several choices of the caps, where δ is large enough for the choice to matter.

    A cap is paid for with δ/E on every output. Where only one side ever shows what the other cannot, half of that is
    saved by not betting on the other side.

    >>> len(with_caps([Null(1.0, 1e-6)])), len(with_caps([Null(1.0, 0.01)]))
    (1, 3)
    """
    found: list[Null] = []
    for null in claim:
        found.append(null)
        if null.delta * math.exp(-null.eps) > _DEAR:
            found += [replace(null, cap_right=_HARDLY), replace(null, cap_left=_HARDLY)]
    return tuple(found)


def log_factors(pi: Floats, null: Null) -> tuple[Floats, Floats]:
    r"""``(ln f, ln g)`` for guesses π of the probability of the left input.

    For δ = 0 and the default constants, with :math:`c = \min(\max(\pi, 1/(1+E)), E/(1+E))`,

    .. math:: f = \pi / c, \qquad g = (1 - \pi) / (1 - c).

    >>> f, g = log_factors(np.array([0.5, 0.9]), Null(eps=math.log(3)))
    >>> np.exp(f).round(3), np.exp(g).round(3)
    (array([1. , 1.2]), array([1. , 0.4]))
    """
    big = math.exp(null.eps)
    m, v = null.multipliers()
    guess = np.clip(pi, _TINY, 1 - _TINY)
    high, low = big * m / (big * m + v), m / (m + big * v)
    total_left, total_right = big * m + v, m + big * v
    f_cap, g_cap = m + null.cap_left * v / big, v + null.cap_right * m / big
    f = np.where(guess > high, guess * total_left / big, np.where(guess < low, guess * total_right, m))
    g = np.where(guess > high, (1 - guess) * total_left, np.where(guess < low, (1 - guess) * total_right / big, v))
    if null.cap_left < 1:
        capped = (guess > high) & (f > f_cap)
        f, g = np.where(capped, f_cap, f), np.where(capped, v * (1 - null.cap_left), g)
    if null.cap_right < 1:
        capped = (guess < low) & (g > g_cap)
        g, f = np.where(capped, g_cap, g), np.where(capped, m * (1 - null.cap_right), f)
    return np.log(np.asarray(f, dtype=np.float64)), np.log(np.asarray(g, dtype=np.float64))


def growth(left: Floats, right: Floats, pi: Floats, null: Null) -> float:
    """Expected log-wealth per pair when cells have probabilities `left` and `right` on the two inputs."""
    log_f, log_g = log_factors(pi, null)
    return float(np.sum(np.where(left > 0, left * log_f, 0.0)) + np.sum(np.where(right > 0, right * log_g, 0.0)))
