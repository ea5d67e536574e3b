r"""How many pairs of outputs an audit needs: by the classical test, by our count, by bets, and at the very least.

An event has probability p on one input and q on the other, :math:`p = e^{\varepsilon'} q + \delta` with the true ε′,
and the claim ε < ε′ shall be refuted at level α with probability `power`. The event is known beforehand, so an audit
that has to find one needs more: it spends about a tenth of its pairs on that.

*Classical.* The one-sided score test of :math:`p - e^\varepsilon q - \delta \le 0` rejects from
:math:`z_{1-\alpha}` standard errors on, at :math:`n = ((z_{1-\alpha}\sigma_0 + z_{\mathrm{power}}\sigma_1)/\Delta)^2`
pairs, with the standard deviations at the nearest private pair and at the truth.

*Count.* The exact bound of `dpwitness.auditors.bounds.count`: the number of guesses m is binomial, the right ones among
them are binomial, and both are summed.

*Bets.* The log-wealth is a random walk with the drift and the variance of the best e-value; the number of pairs until
it has passed ln(1/α) is about inverse Gaussian (Wald).

*Limit.* :math:`\ln(1/\alpha)/\mathrm{KL}^*` pairs on average, for any test (`dpwitness.auditors.bounds.limit`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpwitness.auditors.bounds.count import bounds
from dpwitness.auditors.bounds.evalue import MAX_EPSILON, Null, log_factors, tuned
from dpwitness.auditors.bounds.limit import fewest_pairs
from dpwitness.auditors.outputs.arrays import Floats
from dpwitness.core.errors import BadInput

MOST_PAIRS = 10**13


@dataclass(frozen=True)
class Plan:
    """Pairs of outputs that are needed, rounded up; `math.inf` where more than 10¹³ would be.

    Attributes
    ----------
    classical, count, bets
        Pairs with which the claim is refuted with probability `power`.
    limit
        Fewer pairs on average are not enough for any test at this level.
    event, other
        The probabilities of the event on the two inputs.
    """

    epsilon: float
    true: float
    delta: float
    alpha: float
    power: float
    event: float
    other: float
    classical: float
    count: float
    bets: float
    limit: float

    def rows(self) -> tuple[tuple[str, float, str], ...]:
        """Method, pairs, and what it is."""
        sure = f"with probability {self.power:g}"
        return (
            ("classical test", self.classical, f"score test at a fixed number of pairs, {sure}"),
            ("our count", self.count, f"exact count at a fixed number of pairs, {sure}"),
            ("sequential bets", self.bets, f"may stop at any pair, by then {sure}"),
            ("information limit", self.limit, "on average, for any test"),
        )

    def __str__(self) -> str:
        head = (
            f"claim ε = {self.epsilon:g}{f', δ = {self.delta:g}' if self.delta else ''}; truth ε = {self.true:g}; "
            f"event {self.event:.4g} against {self.other:.4g}; α = {self.alpha:g}"
        )
        return "\n".join([head, *(f"{name:<18}{shown(pairs):>14}  {what}" for name, pairs, what in self.rows())])


def shown(pairs: float) -> str:
    """A number of pairs.

    >>> shown(12345.2), shown(math.inf)
    ('12,346', 'more than 1e13')
    """
    return f"{math.ceil(pairs):,}" if math.isfinite(pairs) else "more than 1e13"


def plan(
    epsilon: float, true: float, *, delta: float = 0.0, event_probability: float | None = None, alpha: float = 1e-3,
    power: float = 0.9,
) -> Plan:  # fmt: skip
    """How many pairs are needed to refute ε = `epsilon` where the truth is `true`.

    Parameters
    ----------
    epsilon, delta
        The claim.
    true
        The ε (at the same δ) that the mechanism has at the event, larger than `epsilon`.
    event_probability
        Probability of the event on the input where it is more likely; None: that of randomized response, whose event
        is as telling as any can be.
    alpha, power
        The level, and the probability with which the claim shall be refuted.

    >>> plan(1.0, 1.2).limit < plan(1.0, 1.2).bets
    True
    """
    _check(epsilon, true, delta, alpha, power)
    growth = math.exp(true)
    p = (growth + delta) / (1 + growth) if event_probability is None else float(event_probability)
    if not delta < p < 1:
        raise BadInput(f"event_probability={p:g} must lie between delta={delta:g} and 1")
    q = (p - delta) / growth
    both = event_probability is None and not delta
    left, right = np.array([p, 1 - p]), np.array([q, 1 - q])
    goal = epsilon, delta, alpha, power
    return Plan(
        epsilon, true, delta, alpha, power, p, q, _classical(p, q, *goal), _by_count(p, q, *goal, 2 if both else 1),
        _by_bets(left, right, *goal), fewest_pairs(left, right, epsilon, delta, alpha),
    )  # fmt: skip


def _check(epsilon: float, true: float, delta: float, alpha: float, power: float) -> None:
    for name, value, low, high in (("epsilon", epsilon, 0, MAX_EPSILON), ("true", true, 0, MAX_EPSILON)):
        if isinstance(value, bool) or not low < value <= high:
            raise BadInput(f"{name}={value!r} must be a number in ({low}, {high:g}]")
    if true <= epsilon:
        raise BadInput(f"true={true:g} must be larger than epsilon={epsilon:g}: a claim that holds is never refuted")
    if not 0 <= delta < 1:
        raise BadInput(f"delta={delta!r} must lie in [0, 1)")
    for name, value in (("alpha", alpha), ("power", power)):
        if not 0 < value < 1:
            raise BadInput(f"{name}={value!r} must lie between 0 and 1")


def _classical(p: float, q: float, eps: float, delta: float, alpha: float, power: float) -> float:
    from statsmodels.stats.power import normal_sample_size_one_tail

    growth = math.exp(eps)
    low, high = 1e-15, min(1.0, (1 - delta) / growth)

    def slope(x: float) -> float:  # of the expected log-likelihood along p = growth·q + δ
        y = growth * x + delta
        return growth * (p / y - (1 - p) / max(1 - y, 1e-300)) + q / x - (1 - q) / max(1 - x, 1e-300)

    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if slope(middle) > 0 else (low, middle)
    q0 = low
    p0 = growth * q0 + delta
    null = math.sqrt(p0 * (1 - p0) + growth**2 * q0 * (1 - q0))
    truth = math.sqrt(p * (1 - p) + growth**2 * q * (1 - q))
    gap = p - growth * q - delta
    return _most(float(normal_sample_size_one_tail(gap, power, alpha, null, truth)))


def _by_count(p: float, q: float, eps: float, delta: float, alpha: float, power: float, sides: int) -> float:
    """The least number of pairs at which the exact count refutes with the power; sides 2 guesses on both sets."""
    low, high = 1.0, 2.0
    while _power_of_count(high, p, q, eps, delta, alpha, sides) < power:
        low, high = high, 2 * high
        if high > MOST_PAIRS:
            return math.inf
    while high - low > max(1.0, 1e-3 * high):
        middle = (low + high) / 2
        good = _power_of_count(middle, p, q, eps, delta, alpha, sides) >= power
        low, high = (low, middle) if good else (middle, high)
    return math.ceil(high)


def _power_of_count(pairs: float, p: float, q: float, eps: float, delta: float, alpha: float, sides: int) -> float:
    """The probability that the count of so many pairs (twice as many coin flips) refutes."""
    from scipy.special import bdtrc, ndtri

    runs = 2 * int(pairs)
    share = (p + q) / 2 if sides == 1 else 1.0
    right = p / (p + q) if sides == 1 else (p + 1 - q) / 2
    total = 0.0
    nodes = (np.arange(21) + 0.5) / 21
    spread = math.sqrt(runs * share * (1 - share))
    for node in nodes if spread > 0 else [0.5]:
        m = int(min(runs, max(0, round(runs * share + spread * float(ndtri(node))))))
        least = _least_right(m, runs, eps, delta, alpha, sides)
        total += 0.0 if least is None else float(bdtrc(least - 1, m, right)) if least > 0 else 1.0
    return total / (len(nodes) if spread > 0 else 1)


def _least_right(m: int, runs: int, eps: float, delta: float, alpha: float, sides: int) -> int | None:
    """The least number of right guesses among m that refutes, or None."""

    def refutes(v: int) -> bool:
        return float(bounds(np.array([v]), np.array([m - v]), runs, alpha, delta, sides)[0]) > eps

    if m == 0 or not refutes(m):
        return None
    low, high = 0, m
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if refutes(middle) else (middle, high)
    return high


def best_bets(left: Floats, right: Floats, eps: float, delta: float = 0.0) -> tuple[Floats, Floats]:
    """The log-factors of the growth-optimal e-value on cells with known probabilities."""
    mass = (left + right) / 2
    pi = left / (left + right)
    return log_factors(pi, tuned(Null(eps, delta), pi, mass))


def _by_bets(left: Floats, right: Floats, eps: float, delta: float, alpha: float, power: float) -> float:
    from scipy.special import log_ndtr, ndtr

    f, g = best_bets(left, right, eps, delta)
    gains = f[:, None] + g[None, :]
    weights = left[:, None] * right[None, :]
    drift = float((weights * gains).sum())
    spread = math.sqrt(max(float((weights * gains**2).sum()) - drift**2, 1e-300))
    if drift <= 0:
        return math.inf
    # a walk passes the limit by something: on average E[gain²]/(2·E[gain]) over its rises, at most the largest gain
    rise = float(
        np.where(gains > 0, weights * gains**2, 0).sum()
        / max(2 * np.where(gains > 0, weights * gains, 0).sum(), 1e-300)
    )
    need = math.log(1 / alpha) + rise

    def reached(n: float) -> float:
        root = spread * math.sqrt(n)
        late = 2 * drift * need / spread**2 + float(log_ndtr((-drift * n - need) / root))
        return float(ndtr((drift * n - need) / root)) + math.exp(min(late, 0.0))

    low, high = 1.0, 2.0
    while reached(high) < power:
        low, high = high, 2 * high
        if high > MOST_PAIRS:
            return math.inf
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(middle) >= power else (middle, high)
    return high


def _most(pairs: float) -> float:
    return pairs if pairs <= MOST_PAIRS else math.inf


def to_json(found: Plan) -> dict[str, Any]:
    """The plan with whole numbers; None where more than 10¹³ pairs are needed."""

    def whole(x: float) -> int | None:
        return math.ceil(x) if math.isfinite(x) else None

    return {
        "epsilon": found.epsilon, "true": found.true, "delta": found.delta, "alpha": found.alpha, "power": found.power,
        "event": found.event, "other": found.other, "classical": whole(found.classical), "count": whole(found.count),
        "bets": whole(found.bets), "limit": whole(found.limit),
    }  # fmt: skip
