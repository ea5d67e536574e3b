r"""The exact lower bound from a fixed number of runs whose side is chosen by a fair coin.

Each of N runs is made on the left or on the right input by a fair coin. A rule, frozen beforehand, guesses the side
from the output or abstains; V guesses are right, W are wrong, m = V + W. With A the outputs on which the rule says
"left" and B those on which it says "right", :math:`(\varepsilon,\delta)`-privacy gives

.. math:: \tfrac12 (P(A) + Q(B)) \le e^\varepsilon\, \tfrac12 (Q(A) + P(B)) + \tfrac{\delta}{2} k,

k being the number of sides that the rule ever guesses. So with a = P[right | a guess] and s = P[a guess],
:math:`e^\varepsilon \ge (a - k\delta/(2s))/(1 - a)`. Given m, V is binomial(m, a), and m is binomial(N, s): exact
(Clopper–Pearson) lower bounds for a and s, at α − γ and γ = α/20, bound ε.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dpwitness.auditors.outputs.arrays import AnyArray, Floats
from dpwitness.core.errors import BadInput

_GAMMA = 0.05
_NINE_IN_TEN = 1.2816  # the normal quantile
_LARGEST = 700.0  # ε whose exponential is still a double
_DOWN = 1e-9  # the incomplete Beta inverse is accurate to more than this; a lower bound is rounded down


@dataclass(frozen=True)
class Count:
    """Right and wrong guesses among `runs` coin flips; `sides` is how many sides the rule ever guesses."""

    right: int
    wrong: int
    runs: int
    sides: int = 2

    def __post_init__(self) -> None:
        if min(self.right, self.wrong) < 0 or self.right + self.wrong > self.runs or self.sides not in (1, 2):
            raise BadInput(f"{self} is not a count: 0 ≤ right + wrong ≤ runs and sides is 1 or 2")


def beta_quantile(level: float | Floats, a: AnyArray | float, b: AnyArray | float) -> Floats:
    """Quantile of the Beta(a, b) law."""
    from scipy.special import betaincinv

    return np.asarray(betaincinv(a, b, level), dtype=np.float64)


def bounds(right: Floats, wrong: Floats, runs: float, alpha: float, delta: float = 0.0, sides: int = 2) -> Floats:
    """The lower bound on ε for arrays of counts (which need not be whole numbers); −∞ where there is none."""
    v, w = np.asarray(right, dtype=np.float64), np.asarray(wrong, dtype=np.float64)
    gamma = _GAMMA * alpha if delta > 0 else 0.0
    some = v > 0
    a = beta_quantile(alpha - gamma, np.where(some, v, 1.0), w + 1.0)
    share = np.zeros_like(a)
    if delta > 0:
        guesses = np.where(some, v + w, 1.0)
        share = sides * delta / 2 / beta_quantile(gamma, guesses, runs - guesses + 1.0)
    usable = some & (a > share)
    with np.errstate(divide="ignore"):
        odds = np.log(np.where(usable, a - share, 1.0)) - np.log1p(-np.where(usable, a, 0.5))
    return np.asarray(np.where(usable, odds, -math.inf), dtype=np.float64)


def lower_bound(count: Count, alpha: float, delta: float = 0.0) -> float:
    """With probability at least 1 − α, ε at `delta` is at least this; never below 0.

    >>> round(lower_bound(Count(right=900, wrong=100, runs=2000), alpha=0.05), 3)
    2.021
    """
    found = float(bounds(np.array([count.right]), np.array([count.wrong]), count.runs, alpha, delta, count.sides)[0])
    return max(0.0, found - _DOWN)


def refutes(count: Count, eps: float, alpha: float, delta: float = 0.0) -> bool:
    """Whether the count rejects (`eps`, `delta`)-privacy at level `alpha`."""
    return lower_bound(count, alpha, delta) > eps


def detectable(count: Count, eps: float, alpha: float, delta: float = 0.0, power: float = 0.9) -> float | None:
    """The smallest ε at the rule's event that the same number of guesses would have shown with probability `power`.

    The rule guesses m times; the claim is rejected from some number v of right guesses on. Returns ln(a/(1−a)) for the
    a at which binomial(m, a) reaches v with the given probability (less the δ share); None where no v would reject.
    """
    guesses = count.right + count.wrong
    if guesses == 0:
        return None
    low, high = 0, guesses + 1
    while high - low > 1:  # the bound increases with the number of right guesses
        middle = (low + high) // 2
        if refutes(Count(middle, guesses - middle, count.runs, count.sides), eps, alpha, delta):
            high = middle
        else:
            low = middle
    if high > guesses:
        return None
    a = float(beta_quantile(power, float(high), float(guesses - high + 1)))
    share = count.sides * delta / 2 / (guesses / count.runs)
    return math.log((a - share) / (1 - a)) if a - share > 0 and a < 1 else None


def rarest_event(pairs: int, eps: float, alpha: float, delta: float = 0.0, power: float = 0.9) -> float:
    r"""How likely an event that only one input can give must be, to refute the claim with probability `power`.

    With no wrong guess, v right ones refute from :math:`v \ge \ln\alpha / \ln(e^\varepsilon/(1+e^\varepsilon))` on,
    and the number of right ones is about Poisson; δ of it is allowed by the claim. A violation that shows in rarer
    events only is beyond so many samples, whatever the method.

    >>> f"{rarest_event(50_000, 1.0, 0.001):.1e}"
    '5.9e-04'
    """
    from scipy.special import gammaincinv

    hits = math.ceil(math.log(alpha) / -math.log1p(math.exp(-eps)))
    return min(1.0, delta + float(gammaincinv(hits, power)) / pairs)


def detectable_by_bets(guesses: int, eps: float, alpha: float, delta: float = 0.0, share: float = 0.5) -> float | None:
    r"""About the smallest ε that betting on `guesses` telling outputs would have shown with probability 0.9.

    With a the chance of a right guess at the claim, :math:`e^\varepsilon/(1+e^\varepsilon)`, and a′ > a the true one,
    the log-wealth of the best bet after m guesses has mean :math:`m\,\mathrm{KL}(a'\|a)` and variance
    :math:`m\,a'(1-a')(\operatorname{logit} a' - \operatorname{logit} a)^2`. Learning the bet costs about ½ ln m, and
    the strategy holds a `share` of the wealth. δ is added to the chance at the claim where the event is half of all
    outputs. None where so few guesses would not refute the claim even if all of them were right.

    >>> round(detectable_by_bets(5000, 1.0, 0.001), 2)
    1.21
    >>> detectable_by_bets(100, 5.0, 0.001) is None
    True
    """
    base = 1 / (1 + math.exp(-eps))
    claim = min(base + delta, 1 - 1e-12)
    need = math.log(1 / (alpha * share)) + 0.5 * math.log(max(guesses, 1))
    low, high = math.log(claim / (1 - claim)), _LARGEST
    for _ in range(60):
        middle = (low + high) / 2
        a = 1 / (1 + math.exp(-middle))
        distance = middle - math.log(claim / (1 - claim))
        rate = a * distance - math.log1p(math.exp(middle)) + math.log1p(math.exp(middle - distance))
        reached = guesses * rate - _NINE_IN_TEN * math.sqrt(guesses * a * (1 - a)) * distance
        low, high = (low, middle) if reached >= need else (middle, high)
    return high if high < _LARGEST else None
