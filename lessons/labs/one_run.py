"""Labs of the lesson 'one-run': what one training run can show, and what it cannot."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.lessons.charts import Chart, chart, level, line, upright
from dpwitness.lessons.closed import at_most, exp, log

ALPHA = 0.05


def tail(eps: float, guesses: int, right: int) -> float:
    """P[Binomial(guesses, e^ε/(1 + e^ε)) ≥ right]: what pure ε allows of right guesses."""
    p = 1 / (1 + exp(-eps))
    here = guesses * log(1 - p)
    total = 1.0 if right <= 0 else 0.0
    for j in range(1, guesses + 1):
        here = here + log((guesses - j + 1) / j) + log(p / (1 - p))
        total = total + (exp(here) if j >= right else 0.0)
    return total


def needed(eps: float, guesses: int) -> int:
    """The smallest number of right guesses with a tail of at most α; one more than all where there is none."""
    found = [v for v in range(guesses + 1) if tail(eps, guesses, v) <= ALPHA]
    return found[0] if len(found) > 0 else guesses + 1


def count_outputs(p: Any) -> dict[str, Any]:
    """One count, against pure ε."""
    return {"pvalue": tail(p.eps, p.guesses, p.right), "needed": needed(p.eps, p.guesses)}


def count_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same by the auditor's closed form."""
    eps, c, right = float(p["eps"]), int(p["guesses"]), int(p["right"])
    return {"pvalue": allowed(eps, c, right), "needed": next(
        (v for v in range(c + 1) if allowed(eps, c, v) <= ALPHA), c + 1)}  # fmt: skip


def allowed(eps: float, guesses: int, right: int) -> float:
    """The largest probability that pure ε allows, as the auditor computes it."""
    from dpwitness.auditors.bounds.curves import ApproxCurve
    from dpwitness.auditors.training.program import closed_form

    if right > guesses:
        return 0.0
    return closed_form(ApproxCurve(eps), guesses, guesses, right, 2).bound


def count_charts(p: Any, o: Any) -> list[Chart]:
    """What the claim allows, over the number of right guesses."""
    counts = list(range(p.guesses + 1))
    return [
        chart(
            "How likely the claim lets so many guesses be right",
            "right guesses",
            "probability of so many or more",
            [0, p.guesses],
            [0, 1],
            [
                line("the claim allows", counts, [tail(p.eps, p.guesses, v) for v in counts], "claim"),
                level("α = 0.05", ALPHA, "bad"),
                upright("seen", p.right, "main"),
            ],
        )
    ]


def together_outputs(p: Any) -> dict[str, Any]:
    """With probability q the trainer publishes all coins; otherwise it publishes nothing."""
    return {"delta": p.q, "seen": p.q, "right": 1.0, "done": at_most(0.001, p.q) * at_most(p.q, ALPHA)}


def together_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """δ at ε = 0 as the distance of the two laws: coins published or not."""
    from dpwitness.literature.tools import statistical_difference

    q = p["q"]
    distance = statistical_difference({"none": 1 - q, "0": q}, {"none": 1 - q, "1": q})
    return {"delta": distance, "seen": q, "right": 1, "done": Fraction(1, 1000) <= q <= Fraction(1, 20)}


def together_charts(p: Any, o: Any) -> list[Chart]:
    """The chance that one of several runs shows it."""
    runs = list(range(1, 101))
    return [
        chart(
            "Chance that at least one of several runs leaks",
            "independent runs",
            "probability",
            [0, 100],
            [0, 1],
            [
                line("some run leaks", runs, [1 - (1 - p.q) ** n for n in runs], "main"),
                level("α = 0.05", ALPHA, "bad"),
            ],
        )
    ]


def plan_outputs(p: Any) -> dict[str, Any]:
    """How many of so many guesses must be right, and how many are if each is right with probability 0.95."""
    v = needed(p.eps, p.guesses)
    return {"needed": v, "expected": 0.95 * p.guesses, "done": at_most(v, 0.9 * p.guesses)}


def plan_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same by the auditor's closed form."""
    eps, c = float(p["eps"]), int(p["guesses"])
    v = next((v for v in range(c + 1) if allowed(eps, c, v) <= ALPHA), c + 1)
    return {"needed": v, "expected": Fraction(95, 100) * c, "done": v <= Fraction(9, 10) * c}


def plan_charts(p: Any, o: Any) -> list[Chart]:
    """The share that must be right, over the number of guesses."""
    counts = [5, 10, 20, 30, 40, 60, 80, 100]
    limit = 1 / (1 + exp(-p.eps))
    return [
        chart(
            "Share of guesses that must be right to refute the claim",
            "guesses",
            "share",
            [0, 100],
            [0.5, 1.1],
            [
                line("needed", counts, [needed(p.eps, c) / c for c in counts], "claim"),
                line("what ε allows in the mean", [5, 100], [limit, limit], "plain"),
                level("0.95: a gross leak", 0.95, "bad"),
                upright("chosen", p.guesses, "main"),
            ],
        )
    ]
