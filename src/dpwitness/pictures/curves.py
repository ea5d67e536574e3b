"""Curves: δ as a function of ε, and the loss of a program as a function of its parameter ε."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Counterexample
from dpwitness.core.guarantees import Guarantee, epsilon_delta
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.text import show_data
from dpwitness.core.verdict import Verdict
from dpwitness.pictures.outputs import Pair, Table, log_ratios
from dpwitness.reports.figures.data import CurvePicture, LossPicture

POINTS = 25
MOST_REACH = 20.0  # curves beyond this ε tell nothing


def pair_curve(verdict: Verdict, pair: Pair, table: Table) -> CurvePicture:
    """The curve between two inputs whose laws are known."""
    law = list(table.values())
    finite = [abs(x) for x in log_ratios(law) if math.isfinite(x)]
    grid = sorted({*_grid(verdict, max((x for x in finite if x < MOST_REACH), default=1.0)), *finite})

    def delta(eps: float) -> float:
        sides = (math.fsum(max(0.0, a - math.exp(eps) * b) for a, b in way) for way in (law, [(q, p) for p, q in law]))
        return max(sides)

    about = f"on {show_data(pair[0])} and {show_data(pair[1])}"
    return _curve(verdict, grid, [delta(e) for e in grid], about)


def worst_curve(verdict: Verdict) -> CurvePicture | None:
    """The curve of the mechanism on its worst neighbours, where its law is known."""
    from dpwitness.api import delta

    claim = verdict.claim
    if claim.index or not isinstance(claim.mechanism, Mechanism):
        return None
    grid = _grid(verdict, 0.0)
    exact = [delta(claim.mechanism, eps=Fraction(e).limit_denominator(10**6), params=claim.params) for e in grid]
    return _curve(verdict, grid, [float(high) for _, high in exact], "on the worst neighbours")


def _grid(verdict: Verdict, reach: float) -> list[float]:
    goal = epsilon_delta(verdict.claim.guarantee)
    floor = _floor(verdict)
    top = 1.3 * max(1.0 if goal is None else float(goal[0]), reach, floor if floor < MOST_REACH else 0.0)
    return [top * k / (POINTS - 1) for k in range(POINTS)]


def _curve(verdict: Verdict, grid: Sequence[float], deltas: Sequence[float], about: str) -> CurvePicture:
    goal, lower = epsilon_delta(verdict.claim.guarantee), verdict.lower
    claim = None if goal is None else (float(goal[0]), float(goal[1]))
    proved = None if verdict.upper is None else implied_curve(verdict.upper.guarantee, grid)
    floor = _floor(verdict)
    found = (floor, claim[1]) if 0 < floor < math.inf and claim is not None else None
    by = "counterexample" if isinstance(lower, Counterexample) else "audit"
    return CurvePicture(tuple(grid), tuple(deltas), claim, proved or (), found, by, about)


def _floor(verdict: Verdict) -> float:
    """The lower bound on ε; 0 where there is none."""
    lower = verdict.lower
    if isinstance(lower, Counterexample):
        return math.inf if lower.epsilon_lower is None else float(lower.epsilon_lower)
    return 0.0 if lower is None else lower.epsilon


def implied_curve(guarantee: Guarantee, grid: Sequence[float]) -> tuple[float, ...] | None:
    r"""The δ at each ε that an (ε₀, δ₀) guarantee leaves room for; None for other kinds.

    :math:`\delta(\varepsilon) = \delta_0 + (1-\delta_0)(e^{\varepsilon_0}-e^{\varepsilon})_+/(1+e^{\varepsilon_0})`,
    the curve of randomised response with a leak, which is the worst mechanism that satisfies the guarantee (Kairouz, Oh
    and Viswanath 2015).

    >>> from dpwitness.core import PureDP
    >>> implied_curve(PureDP(1), [1.0, 2.0])
    (0.0, 0.0)
    """
    pair = epsilon_delta(guarantee)
    if pair is None or float(pair[0]) > 500:
        return None
    top, rest = math.exp(float(pair[0])), float(pair[1])
    return tuple(rest + (1 - rest) * max(0.0, top - math.exp(e)) / (1 + top) for e in grid)


def loss(claim: Claim, pair: Pair) -> LossPicture | None:
    """The exact loss between two inputs at every ε, where the program's law is known as a function of ε."""
    from dpwitness.proofs.programs.losses import between

    if "eps" not in claim.params or not isinstance(claim.mechanism, Mechanism):
        return None
    table = between(claim, *pair)
    if not table.every_epsilon:
        return None
    top = 2 * Fraction(claim.params["eps"])
    points = [top * k / 24 for k in range(1, 25)]
    claimed = []
    for eps in points:
        goal = epsilon_delta(claim.mechanism.claims(**{**claim.params, "eps": eps})[claim.index].guarantee)
        if goal is None or goal[1]:
            return None
        claimed.append(float(goal[0]))
    curve = table.curve(points)
    if any(math.isinf(x) for _, x in curve):
        return None
    about = f"on {show_data(pair[0])} and {show_data(pair[1])}"
    return LossPicture(tuple(e for e, _ in curve), tuple(x for _, x in curve), tuple(claimed), about)
