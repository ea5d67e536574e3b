"""`plan_one_run`: how many canaries to guess, and what one run could show, before anything is trained."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from dpwitness.auditors.bounds.curves import ApproxCurve, GaussianCurve, epsilon_of
from dpwitness.auditors.outputs.arrays import Bools
from dpwitness.auditors.training.one_run import Count, critical
from dpwitness.auditors.training.reading import read_alpha, read_claim, read_delta
from dpwitness.core.errors import BadInput

MOST_CANARIES = 10**6
_TRIES, _SHARE, _RUNS = 20, 0.6, 400
_DRAWN = 200_000


@dataclass(frozen=True)
class OneRunPlan:
    """What one run could show.

    Parameters
    ----------
    guesses
        The number to register: it depends on nothing that a run shows.
    critical
        The number of right guesses that refutes the claim; None where even all of them do not.
    power_of_claim, power_of_half
        The chance to refute if every canary leaks by itself: exactly as claimed, and with half of the noise (None where
        the claim is of no family in which that is known).
    epsilon_seen, epsilon_claimed
        The bound on ε at `delta` that a trainer exactly as private as claimed would give in the middle, and the claim's
        own ε. What lies between them no count of guesses of one run can show without further assumptions.
    """

    claim: str
    canaries: int
    sides: int
    alpha: float
    guesses: int
    critical: int | None
    power_of_claim: float
    power_of_half: float | None
    epsilon_seen: float
    epsilon_claimed: float
    delta: float

    def __str__(self) -> str:
        needed = "no number of right guesses refutes it" if self.critical is None else (
            f"{self.critical} right refute it")  # fmt: skip
        half = (
            ""
            if self.power_of_half is None
            else f"; half of the noise is seen with probability {self.power_of_half:.2f}"
        )
        return (
            f"{self.claim}, {self.canaries} canaries: register {self.guesses} guesses; {needed}{half}; a trainer as "
            f"private as claimed would show ε ≥ {self.epsilon_seen:.2f} of {self.epsilon_claimed:.2f} "
            f"at δ = {self.delta:g}"
        )


def plan_one_run(
    claim: Any, canaries: int, *, sides: int = 2, alpha: float = 0.05, delta: float | None = None, seed: int = 0
) -> OneRunPlan:
    """Plan an audit of one run: the number of guesses to register, and what could be seen.

    Examples
    --------
    >>> from dpwitness.core.guarantees import GaussianDP
    >>> plan = plan_one_run(GaussianDP(1), 1000)
    >>> 10 < plan.guesses < 300, plan.power_of_claim <= 0.05
    (True, True)
    """
    alpha, seed = read_alpha(alpha, seed)
    curve = read_claim(claim)
    if curve is None:
        raise BadInput("claim=None: a plan is made for a claim")
    if isinstance(canaries, bool) or not isinstance(canaries, int | np.integer) or not 10 <= canaries <= MOST_CANARIES:
        raise BadInput(f"canaries={canaries!r} must be a whole number from 10 to {MOST_CANARIES}")
    if sides not in (1, 2):
        raise BadInput(f"sides={sides!r} must be 2 (guess in and out) or 1 (guess in alone)")
    delta = read_delta(delta, curve)
    m, c = int(canaries), guesses_for(curve, int(canaries), alpha, sides, seed)
    needed = critical(curve, m, c, sides, alpha)
    half = GaussianCurve(2 * curve.mu) if isinstance(curve, GaussianCurve) else None
    seen = Count(m, c, _right(_by_confidence(curve, m, sides, seed), c, m), sides)
    return OneRunPlan(
        curve.words, m, sides, alpha, c, needed, _power(curve, m, c, sides, needed, seed),
        None if half is None else _power(half, m, c, sides, needed, seed),
        seen.level(lambda x: ApproxCurve(x, delta), alpha, 40.0), epsilon_of(curve, delta), delta,
    )  # fmt: skip


@lru_cache(maxsize=64)
def guesses_for(curve: Any, canaries: int, alpha: float, sides: int, seed: int = 0) -> int:
    """The number of guesses that would bound the level best if every canary leaked by itself, exactly as claimed.

    It is computed from simulated canaries alone, so it may be registered before a run; the bound is flat around it.
    """
    curve = _stand_in(curve)
    marks = _by_confidence(curve, canaries, sides, seed)
    tries = np.unique(np.round(np.geomspace(5, max(6, canaries * _SHARE), _TRIES)).astype(int))
    best, chosen = -1.0, int(tries[0])
    for c in map(int, tries[tries <= canaries]):
        count = Count(canaries, c, _right(marks, c, canaries), sides)
        found = count.level(_family(curve), alpha, 40.0)
        if found > best:
            best, chosen = found, c
    return chosen


def _stand_in(curve: Any) -> Any:
    """The claim itself where it is one of a family, else the Gaussian curve with the same ε at δ = 10⁻⁵."""
    if isinstance(curve, GaussianCurve | ApproxCurve):
        return curve
    eps = epsilon_of(curve, 1e-5)
    low, high = 1e-3, 60.0
    while high - low > 1e-3 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if epsilon_of(GaussianCurve(middle), 1e-5) < eps else (low, middle)
    return GaussianCurve(high)


def _family(curve: GaussianCurve | ApproxCurve) -> Any:
    if isinstance(curve, GaussianCurve):
        return lambda mu: GaussianCurve(max(mu, 1e-6))
    return lambda eps: ApproxCurve(eps, curve.delta)


def _by_confidence(curve: Any, canaries: int, sides: int, seed: int) -> Bools:
    """Whether simulated guesses are right, the surest first: as many canaries as a run has, several times over."""
    rng = np.random.default_rng([seed, 50])
    size = max(canaries, min(_DRAWN, 4 * canaries))
    out, ins = curve.pair(size, rng)
    scores = np.concatenate([out, ins])
    coins = np.arange(2 * size) >= size
    middle = np.median(scores)
    sure = np.abs(scores - middle) if sides == 2 else scores
    right: Bools = ((scores > middle) == coins if sides == 2 else coins)[np.argsort(-sure, kind="stable")]
    return right


def _right(marks: Bools, guesses: int, canaries: int) -> int:
    """Right guesses of a run that is a little unlucky, so that the plan does not rest on luck."""
    part = marks[: max(guesses, round(guesses * len(marks) / canaries))]
    share = float(part.mean())
    return int(guesses * share - 0.2 * math.sqrt(guesses * share * (1 - share)))


def _power(curve: Any, canaries: int, guesses: int, sides: int, needed: int | None, seed: int) -> float:
    """How often canaries that leak by themselves reach the critical count, by simulation."""
    if needed is None:
        return 0.0
    rng = np.random.default_rng([seed, 51])
    reached = 0
    for _ in range(_RUNS if canaries <= 10_000 else 20):
        coins = rng.random(canaries) < 0.5
        out, ins = curve.pair(canaries, rng)
        scores = np.where(coins, ins, out)
        middle = np.median(scores)
        sure = np.abs(scores - middle) if sides == 2 else scores
        chosen = np.argsort(-sure, kind="stable")[:guesses]
        reached += int((((scores > middle) == coins) if sides == 2 else coins)[chosen].sum()) >= needed
    return reached / (_RUNS if canaries <= 10_000 else 20)
