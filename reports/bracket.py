"""The bracket lower ≤ ε ≤ upper in units of the claim: where its ends are drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass

from dpwitness.core.evidence import Counterexample
from dpwitness.core.guarantees import Guarantee, epsilon_delta
from dpwitness.core.verdict import Verdict

SPAN = 2.5  # the drawing reaches from 0 to this multiple of the claim


@dataclass(frozen=True)
class Bracket:
    """What is known of ε divided by the claimed ε: the claim itself stands at 1.

    Parameters
    ----------
    low
        Proved or measured from below; None where nothing is known. May be infinite.
    high
        Proved from above; None where nothing is known.
    exact
        Whether `high` is known to be the smallest possible.
    sampled
        Whether `low` rests on samples.
    """

    low: float | None
    high: float | None
    exact: bool = False
    sampled: bool = False


def bracket(verdict: Verdict) -> Bracket | None:
    """The bracket of a verdict; None where the claim has no single number to compare with."""
    unit = size(verdict.claim.guarantee)
    if not unit:
        return None
    upper, lower = verdict.upper, verdict.lower
    high = low = None
    if upper is not None:
        proved = size(upper.guarantee)
        same = epsilon_delta(upper.guarantee) is not None or upper.guarantee.kind == verdict.claim.guarantee.kind
        high = proved / unit if proved is not None and same else None
    if lower is not None and epsilon_delta(verdict.claim.guarantee) is not None:
        if isinstance(lower, Counterexample):
            floor = math.inf if lower.epsilon_lower is None else float(lower.epsilon_lower)
        else:
            floor = lower.epsilon
        low = floor / unit if floor > 0 else None
    exact = bool(upper is not None and upper.exact)
    low = high if exact and low is None else low
    sampled = lower is not None and not isinstance(lower, Counterexample)
    return Bracket(low, high, exact, sampled)


def size(guarantee: Guarantee) -> float | None:
    """The number that measures a guarantee: ε, ρ or μ.

    >>> from dpwitness.core.guarantees import ZCDP, PureDP
    >>> size(PureDP(2)), size(ZCDP("1/2"))
    (2.0, 0.5)
    """
    for name in ("eps", "rho", "mu"):
        value = getattr(guarantee, name, None)
        if value is not None:
            return float(value)
    return None


def at(value: float, width: float) -> float:
    """Where a multiple of the claim is drawn on a line of the given width.

    >>> at(1, 250), at(100, 250)
    (100.0, 250.0)
    """
    return round(min(max(value, 0.0), SPAN) / SPAN * width, 1)
