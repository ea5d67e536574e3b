r"""Reference intervals: what a statistician would report of an event's counts, beside our bound and no part of its α.

An audit that has chosen an event keeps how often it came on outputs that were not used to choose it. From these counts
statsmodels gives intervals of both probabilities, of their ratio, and a p-value of the claim
:math:`p \le e^\varepsilon q + \delta`. They hold one at a time at their nominal level, approximately (Jeffreys, score)
or exactly (Clopper–Pearson), for a fixed number of samples: an audit that stopped early stopped because of its samples,
and its intervals are too optimistic. No verdict uses them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dpwitness.core.errors import BadInput

LEVEL = 0.95
KINDS = {"Clopper–Pearson": "beta", "Jeffreys": "jeffreys", "score": "wilson"}
Ends = tuple[float, float]


@dataclass(frozen=True)
class Reference:
    """Intervals at `level` from counts on samples that did not choose the event.

    `more` and `less` are the intervals of the event's probability on the input where it is more likely and on the
    other, by method; `ratio` is the score interval of their ratio, and `epsilon` is ln of ratio (less δ) with its
    interval. `p_value` is that of the score test of the claim, None without one.
    """

    counts: tuple[int, int, int, int]
    level: float
    more: Mapping[str, Ends]
    less: Mapping[str, Ends]
    ratio: Ends
    estimate: float
    epsilon: Ends
    p_value: float | None

    def lines(self) -> tuple[str, ...]:
        """The intervals in words, marked for what they are."""
        a, n, b, m = self.counts
        percent = f"{self.level:.0%}"

        def shown(ends: Mapping[str, Ends]) -> str:
            return ", ".join(f"{name} [{low:.4g}, {high:.4g}]" for name, (low, high) in ends.items())

        test = "" if self.p_value is None else f"; score test of the claim: p = {self.p_value:.3g}"
        ends = f"[{_number(self.epsilon[0])}, {_number(self.epsilon[1])}]"
        return (
            f"reference, no part of α: {a} of {n} and {b} of {m} outputs that did not choose the event, {percent} each",
            f"reference, more likely side: {shown(self.more)}",
            f"reference, other side: {shown(self.less)}",
            f"reference, ratio: score [{_number(self.ratio[0])}, {_number(self.ratio[1])}]",
            f"reference, classical ε̂ = {_number(self.estimate)}, {ends}{test}",
        )


def _number(value: float) -> str:
    return "∞" if value == math.inf else f"{value:.4g}"


def reference(
    counts: Sequence[int], direction: str = "left", *, epsilon: float | None = None, delta: float = 0.0,
    level: float = LEVEL,
) -> Reference:  # fmt: skip
    """Reference intervals from ``[hits, outputs]`` on the left input and then on the right one.

    >>> found = reference([60, 100, 20, 100], "left", epsilon=1.0)
    >>> round(found.estimate, 3), [round(x, 3) for x in found.more["score"]]
    (1.099, [0.502, 0.691])
    """
    left, n, right, m = (int(x) for x in counts)
    if not (0 <= left <= n and 0 <= right <= m and min(n, m) > 0):
        raise BadInput(f"counts={list(counts)} must be [hits, outputs, hits, outputs] with hits of that many outputs")
    if not 0 < level < 1:
        raise BadInput(f"level={level} must lie between 0 and 1")
    if direction not in ("left", "right"):
        raise BadInput(f"direction={direction!r} must be 'left' or 'right'")
    a, na, b, nb = (left, n, right, m) if direction == "left" else (right, m, left, n)
    more, less = (_intervals(k, size, level) for k, size in ((a, na), (b, nb)))
    low, high = ratio_interval(a, na, b, nb, level)
    p, q = a / na, b / nb
    over = max(0.0, p - delta)
    estimate = math.inf if q == 0 and over > 0 else math.log(over / q) if over > 0 and q > 0 else 0.0
    share = over / p if p > 0 else 1.0  # δ is taken off the estimate of p, as its interval is the ratio's
    eps = tuple(_log_ratio(x * share) for x in (low, high))
    value = None if epsilon is None else p_value(a, na, b, nb, epsilon, delta)
    return Reference((a, na, b, nb), level, more, less, (low, high), max(0.0, estimate), (eps[0], eps[1]), value)


def _log_ratio(x: float) -> float:
    """ln x as an ε: never below 0."""
    return math.inf if x == math.inf else max(0.0, math.log(x)) if x > 0 else 0.0


def of_audit(details: Mapping[str, Any], direction: str, epsilon: float | None, delta: float) -> Reference | None:
    """Reference intervals of an audit from its details, or None where it has no event, or no samples beside those that
    chose it.
    """
    counts = details.get("fresh")
    if not isinstance(counts, list | tuple) or len(counts) != 4:
        return None
    return reference(counts, direction, epsilon=epsilon, delta=delta)


def _intervals(hits: int, size: int, level: float) -> dict[str, Ends]:
    from statsmodels.stats.proportion import proportion_confint

    found = {}
    for name, method in KINDS.items():
        low, high = proportion_confint(hits, size, alpha=1 - level, method=method)
        found[name] = (max(0.0, float(low)), min(1.0, float(high)))
    return found


def ratio_interval(a: int, n: int, b: int, m: int, level: float = LEVEL) -> Ends:
    """The score interval of a ratio of two probabilities (Koopman's, as statsmodels computes it)."""
    from statsmodels.stats.proportion import confint_proportions_2indep

    if a == 0 and b == 0:
        return 0.0, math.inf
    if b == 0:  # the interval of the inverse has its lower end at 0
        low, _ = ratio_interval_inverse(a, n, b, m, level)
        return low, math.inf
    if a == 0:
        high = 1 / ratio_interval_inverse(b, m, a, n, level)[0]
        return 0.0, high
    ends = confint_proportions_2indep(a, n, b, m, compare="ratio", method="score", alpha=1 - level)
    low, high = (float(complex(end).real) for end in ends)  # where all outputs hit, rounding makes them complex
    estimate = (a / n) / (b / m)
    return min(max(0.0, low), estimate), max(high, estimate)


def ratio_interval_inverse(a: int, n: int, b: int, m: int, level: float) -> Ends:
    """The interval where the second count is 0: the lower end is that at which the score test rejects."""
    low, high = -20.0, 20.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if p_value(a, n, b, m, middle) < (1 - level) / 2 else (low, middle)
    return math.exp(low), math.inf


def p_value(a: int, n: int, b: int, m: int, epsilon: float, delta: float = 0.0) -> float:
    r"""The one-sided score test of :math:`p \le e^\varepsilon q + \delta`: the deviation of
    :math:`\hat p - e^\varepsilon \hat q - \delta` over its standard error at the most likely p, q on the boundary.

    >>> round(p_value(60, 100, 20, 100, 1.0), 3)
    0.323
    """
    growth = math.exp(epsilon)
    q = _restricted(a, n, b, m, growth, delta)
    p = min(1.0, growth * q + delta)
    spread = p * (1 - p) / n + growth**2 * q * (1 - q) / m
    gap = a / n - growth * b / m - delta
    if spread <= 0:
        return 0.0 if gap > 0 else 1.0
    return 0.5 * math.erfc(gap / math.sqrt(2 * spread))


def _restricted(a: int, n: int, b: int, m: int, growth: float, delta: float) -> float:
    """The most likely q where p = growth·q + δ: the root of the derivative of the log-likelihood, by bisection."""
    low, high = 0.0, (1 - delta) / growth if growth > 0 else 1.0
    high = min(high, 1.0)

    def slope(q: float) -> float:
        p = growth * q + delta
        up = a * growth / p if a else 0.0
        up -= (n - a) * growth / (1 - p) if n > a else 0.0
        return up + (b / q if b else 0.0) - ((m - b) / (1 - q) if m > b else 0.0)

    left, right = low + 1e-300, high * (1 - 1e-12)
    for _ in range(200):
        middle = (left + right) / 2
        left, right = (middle, right) if slope(middle) > 0 else (left, middle)
    return (left + right) / 2


def adjusted(values: Sequence[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Holm's and Benjamini–Hochberg's adjusted p-values of a family.

    >>> adjusted([0.01, 0.04])
    ((0.02, 0.04), (0.02, 0.04))
    """
    if not values:
        return (), ()
    # statsmodels has both, and collects garbage in the whole process at every call of the first
    order = sorted(range(len(values)), key=values.__getitem__)
    size = len(values)
    holm, benjamini = [0.0] * size, [0.0] * size
    most = 0.0
    for k, place in enumerate(order):
        most = max(most, values[place] * (size - k))
        holm[place] = min(1.0, most)
    least = math.inf
    for k, place in reversed(list(enumerate(order, 1))):
        least = min(least, values[place] / (k / size))
        benjamini[place] = min(1.0, least)
    return tuple(holm), tuple(benjamini)
