r"""Bets against a whole curve δ(ε) at once, without a share of the wealth for each of its points.

For each point (ε_k, δ_k) of the claimed curve `dpwitness.auditors.bounds.evalue` gives factors f_k and g_k with
:math:`\mathbb E f_k(X) + \mathbb E g_k(Y) \le 2` on every pair of laws that keeps the claim. The inequality is linear:
for weights w ≥ 0 with sum 1, fixed before the pair is drawn, also

.. math:: \mathbb E \sum_k w_k f_k(X) + \mathbb E \sum_k w_k g_k(Y) \le 2,

and X and Y are independent, so by the inequality of the means the product of the two sums has mean at most 1. The
weights are those with the largest expected growth if the guesses of π are true: a concave problem. The best of them is
never below the best single point, and no wealth lies idle at the other points.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from dpwitness.auditors.bounds import evalue
from dpwitness.auditors.bounds.evalue import Null
from dpwitness.auditors.outputs.arrays import Floats

_STEPS = 20
_IDLE = 1e-3  # a point whose weight would be smaller is left out


@dataclass(frozen=True)
class JointNull:
    """The hypothesis that a mechanism keeps all points of a curve, with the weights of the bets against them."""

    points: tuple[Null, ...]
    weights: tuple[float, ...]

    @property
    def _heaviest(self) -> Null:
        return self.points[int(np.argmax(self.weights))]

    @property
    def eps(self) -> float:
        """The ε of the point that the bets are mostly against."""
        return self._heaviest.eps

    @property
    def delta(self) -> float:
        """Its δ."""
        return self._heaviest.delta


Hypothesis: TypeAlias = Null | JointNull


def joined(claim: tuple[Null, ...]) -> tuple[Hypothesis, ...]:
    """One hypothesis in place of several points of a curve.

    >>> len(joined((Null(1.0), Null(2.0, 0.1)))), joined((Null(1.0),))[0].eps
    (1, 1.0)
    """
    if len(claim) < 2:
        return claim
    return (JointNull(claim, (1 / len(claim),) * len(claim)),)


def log_factors(pi: Floats, null: Hypothesis) -> tuple[Floats, Floats]:
    """``(ln f, ln g)`` for guesses π of the probability of the left input."""
    if isinstance(null, Null):
        return evalue.log_factors(pi, null)
    parts = [(w, *evalue.log_factors(pi, p)) for w, p in zip(null.weights, null.points, strict=True) if w > 0]
    with np.errstate(divide="ignore"):
        f = np.log(sum(w * np.exp(log_f) for w, log_f, _ in parts))
        g = np.log(sum(w * np.exp(log_g) for w, _, log_g in parts))
    return np.asarray(f, dtype=np.float64), np.asarray(g, dtype=np.float64)


def tuned(null: Hypothesis, pi: Floats, mass: Floats) -> Hypothesis:
    """The same hypothesis with the constants and weights that promise the largest growth if π is true."""
    if isinstance(null, Null):
        return evalue.tuned(null, pi, mass)
    some = mass > 0
    guess, left, right = pi[some], (2 * mass * pi)[some], (2 * mass * (1 - pi))[some]
    points = tuple(evalue.tuned(point, pi, mass) for point in null.points)
    factors = [evalue.log_factors(guess, point) for point in points]
    f, g = (np.exp(np.array([pair[i] for pair in factors])) for i in (0, 1))
    weights = _best_weights(f, g, left, right)
    weights[weights < _IDLE * weights.max()] = 0.0
    weights /= weights.sum()
    return replace(null, points=points, weights=tuple(weights.tolist()))


def _best_weights(f: Floats, g: Floats, left: Floats, right: Floats) -> Floats:
    """Weights of the points with (nearly) the largest expected growth.

    Multiplying each weight by its share in the growth never lowers the growth; powers of that factor go faster, and are
    taken as long as they do not lower it either.
    """

    def growth(weights: Floats) -> float:
        return float(left @ np.log(np.maximum(weights @ f, 1e-300)) + right @ np.log(np.maximum(weights @ g, 1e-300)))

    alone = [growth(row) for row in np.eye(len(f))]
    weights = np.full(len(f), 0.1 / len(f))
    weights[int(np.argmax(alone))] += 0.9
    reached, power = growth(weights), 8.0
    for _ in range(_STEPS):
        up, down = np.maximum(weights @ f, 1e-300), np.maximum(weights @ g, 1e-300)
        share = np.maximum((f @ (left / up) + g @ (right / down)) / 2, 1e-12)
        tried = weights * share**power
        tried /= tried.sum()
        if (found := growth(tried)) >= reached:
            weights, reached, power = tried, found, min(2 * power, 512.0)
        else:
            power = max(power / 4, 1.0)
    return weights if reached >= max(alone) else np.asarray(np.eye(len(f))[int(np.argmax(alone))])
