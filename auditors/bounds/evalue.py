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
logarithm is exactly the smallest Kullback–Leibler divergence from the truth to the null
(`dpwitness.auditors.bounds.limit`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from dpwitness.auditors.outputs.arrays import Floats
from dpwitness.core.errors import BadInput

Numbers: TypeAlias = float | Floats
Pair: TypeAlias = tuple[Numbers, Numbers]
Factors: TypeAlias = tuple[Floats, Floats]

MAX_EPSILON = 300.0
_TINY = 1e-15
_AROUND, _STEPS = np.array([0, -4, -3, -2, -1, 1, 2, 3, 4]), (0.15, 0.03, 0.006)  # of the search for the balance
_CAPS = np.geomspace(1e-4, 1.0, 9)
_FREE = ("balance", "cap_left", "cap_right")
_DEAR = 0.01  # share of the growth that δ may cost before the caps are chosen


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
        m, v = _multipliers(self.eps, self.delta, self.balance, self.cap_left, self.cap_right)
        return float(m), float(v)


def log_factors(pi: Floats, null: Null) -> tuple[Floats, Floats]:
    r"""``(ln f, ln g)`` for guesses π of the probability of the left input.

    For δ = 0 and the default constants, with :math:`c = \min(\max(\pi, 1/(1+E)), E/(1+E))`,

    .. math:: f = \pi / c, \qquad g = (1 - \pi) / (1 - c).

    >>> f, g = log_factors(np.array([0.5, 0.9]), Null(eps=math.log(3)))
    >>> np.exp(f).round(3), np.exp(g).round(3)
    (array([1. , 1.2]), array([1. , 0.4]))
    """
    return _factors(pi, null.eps, *null.multipliers(), null.cap_left, null.cap_right)


def _factors(pi: Floats, eps: float, m: Numbers, v: Numbers, cap_left: Numbers, cap_right: Numbers) -> Factors:
    """`log_factors` for multipliers and caps that may be columns, one row for each choice."""
    big = math.exp(eps)
    guess = np.clip(pi, _TINY, 1 - _TINY)
    total_left, total_right = big * m + v, m + big * v
    above, below = guess > big * m / total_left, guess < m / total_right
    f = np.where(above, guess * (total_left / big), np.where(below, guess * total_right, m))
    g = np.where(above, (1 - guess) * total_left, np.where(below, (1 - guess) * (total_right / big), v))
    if np.min(cap_left) < 1:
        capped = above & (f > m + cap_left * v / big)
        f, g = np.where(capped, m + cap_left * v / big, f), np.where(capped, v * (1 - cap_left), g)
    if np.min(cap_right) < 1:
        capped = below & (g > v + cap_right * m / big)
        g, f = np.where(capped, v + cap_right * m / big, g), np.where(capped, m * (1 - cap_right), f)
    with np.errstate(divide="ignore"):  # a cap of 1 stakes everything
        return np.log(np.asarray(f, dtype=np.float64)), np.log(np.asarray(g, dtype=np.float64))


def growth(left: Floats, right: Floats, pi: Floats, null: Null) -> float:
    """Expected log-wealth per pair when cells have probabilities `left` and `right` on the two inputs."""
    log_f, log_g = log_factors(pi, null)
    return float(np.sum(np.where(left > 0, left * log_f, 0.0)) + np.sum(np.where(right > 0, right * log_g, 0.0)))


def tuned(null: Null, pi: Floats, mass: Floats) -> Null:
    r"""The same hypothesis with the balance and the caps that promise the largest growth if π is true.

    Every choice is valid if it is made before the pair is drawn. The balance is worth a few percent where one side
    tells more than the other. A cap costs :math:`\delta/E` on every pair and so should be no larger than what is ever
    staked: at a small ε stakes are small, and a claim with a small δ is refuted much sooner.

    Parameters
    ----------
    mass
        How likely every cell is, both inputs taken together.

    Examples
    --------
    >>> pi, mass = np.array([0.3, 0.52, 0.52]), np.array([0.1, 0.45, 0.45])
    >>> best = tuned(Null(0.5, 0.001), pi, mass)
    >>> best.balance > 1, best.cap_left < 0.01, 0.01 < best.cap_right < 0.5
    (True, True, True)
    """
    some = mass > 0
    guess, left, right = pi[some], (2 * mass * pi)[some], (2 * mass * (1 - pi))[some]
    edge = 1 / (1 + math.exp(null.eps))
    if not null.delta and not np.any((guess < edge) | (guess > 1 - edge)):
        return null  # nothing is staked

    def best(balance: Numbers, cap_left: Numbers, cap_right: Numbers) -> Null:
        """The best of several choices, of which the columns of three arrays (or numbers) are made."""
        columns = np.broadcast_arrays(*(np.atleast_1d(x)[:, None] for x in (balance, cap_left, cap_right)))
        m, v = _multipliers(null.eps, null.delta, *columns)
        log_f, log_g = _factors(guess, null.eps, m, v, *columns[1:])
        at = int(np.argmax(log_f @ left + log_g @ right))
        return replace(null, **{name: float(x[at, 0]) for name, x in zip(_FREE, columns, strict=True)})

    found = null
    fee = 2 * null.delta * math.exp(-null.eps)
    dear = fee > _DEAR * (growth(left, right, guess, null) + fee)
    for _ in range(2 if dear else 1):
        for step in _STEPS:
            around = np.clip(found.balance + step * _AROUND, 1e-3, 2 - 1e-3)
            found = best(around, found.cap_left, found.cap_right)
        if dear:
            found = best(found.balance, np.append(found.cap_left, _CAPS), found.cap_right)
            found = best(found.balance, found.cap_left, np.append(found.cap_right, _CAPS))
    return found


def _multipliers(eps: float, delta: float, balance: Numbers, cap_left: Numbers, cap_right: Numbers) -> Pair:
    """The constants (m, v) for numbers or arrays of them."""
    other = 2.0 - balance
    spent = delta * math.exp(-eps) * (cap_left * other + cap_right * balance)
    scale = 2.0 / (2.0 + spent)
    return balance * scale, other * scale
