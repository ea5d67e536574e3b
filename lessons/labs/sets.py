"""Labs of the lesson 'sets': single outcomes against sets, the (ε,δ) homework and its repair."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.lessons.charts import Chart, Item, area, bars, chart, level, line, upright
from dpwitness.lessons.closed import at_most, exp, grid, hockey_stick, log
from dpwitness.literature import tools
from dpwitness.literature.composition.sets import homework
from dpwitness.proofs.laws.outcomes import on_outcomes, on_sets, row, separation
from dpwitness.proofs.laws.privacy_curves.vectors import table_delta


def pair_rows(d: Fraction) -> tuple[Any, Any]:
    """The two laws of the homework as exact rows."""
    left, right = homework(d)
    return row(list(left.values())), row(list(right.values()))


def homework_outputs(p: Any) -> dict[str, Any]:
    """The homework's pair judged outcome by outcome and on the set {b1, b2}."""
    growth = exp(p.eps)
    slack = growth * (1 - 2 * p.delta) + p.delta - 1
    single = at_most(1, growth * (1 - 2 * p.delta) + p.delta)
    return {
        "edge": log((1 - p.delta) / (1 - 2 * p.delta)),
        "slack": slack,
        "single": single,
        "both": 2 * p.delta,
        "sets": at_most(2 * p.delta, p.delta) and single,
        "done": single and p.delta > 0,
    }


def homework_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library, exactly."""
    d, e = p["delta"], p["eps"]
    left, right = pair_rows(d)
    single, sets = on_outcomes(left, right, e, d), on_sets(left, right, e, d)
    return {
        "edge": tools.log_of((1 - d) / (1 - 2 * d))[1],
        "slack": tools.at("exp(e)*(1-2*d) + d - 1", {"e": e, "d": d})[1],
        "single": single,
        "both": homework(d)[0]["b1"] + homework(d)[0]["b2"],
        "sets": sets,
        "done": single and not sets,
    }


def allowance(places: Any, seen: Any, allowed: Any, look: str, label: str) -> Item:
    """Bars of what is allowed, for the events that keep it (good) or exceed it (bad)."""
    chosen = [i for i in places if at_most(seen[i], allowed[i]) == (look == "good")]
    return bars(label, chosen, [min(1.29, allowed[i]) for i in chosen], look, width=0.36, offset=0.2)


def homework_charts(p: Any, o: Any) -> list[Chart]:
    """What each outcome, and the set, may have at most."""
    growth = exp(p.eps)
    left = [1 - 2 * p.delta, p.delta, p.delta, 2 * p.delta]
    allowed = [growth + p.delta, p.delta, p.delta, p.delta]
    back = [
        growth * (1 - 2 * p.delta) + p.delta,
        growth * p.delta + p.delta,
        growth * p.delta + p.delta,
        2 * growth * p.delta + p.delta,
    ]
    return [
        chart(
            "M(x) against what M(x′) allows it",
            "event",
            "probability",
            [-0.6, 3.6],
            [0, 1.3],
            [
                bars("P on x", [0, 1, 2, 3], left, "left", width=0.36, offset=-0.2),
                allowance([0, 1, 2, 3], left, allowed, "good", "allowed: e^ε·Q + δ"),
                allowance([0, 1, 2, 3], left, allowed, "bad", "allowed, and exceeded"),
            ],
            names=["a", "b₁", "b₂", "{b₁, b₂}"],
        ),
        chart(
            "M(x′) against what M(x) allows it",
            "event",
            "probability",
            [-0.6, 3.6],
            [0, 1.3],
            [
                bars("Q on x′", [0, 1, 2, 3], [1, 0, 0, 0], "right", width=0.36, offset=-0.2),
                allowance([0, 1, 2, 3], [1, 0, 0, 0], back, "good", "allowed: e^ε·P + δ"),
                allowance([0, 1, 2, 3], [1, 0, 0, 0], back, "bad", "allowed, and exceeded"),
            ],
            names=["a", "b₁", "b₂", "{b₁, b₂}"],
        ),
    ]


def claim_outputs(p: Any) -> dict[str, Any]:
    """Which δ′ is true of all sets."""
    growth = exp(p.eps)
    left = [1 - 2 * p.delta, p.delta, p.delta]
    right = [1, 0, 0]
    needed = max(hockey_stick(left, right, growth), hockey_stick(right, left, growth))
    holds = at_most(needed, p.claimed)
    return {"needed": needed, "holds": holds, "done": holds and not at_most(needed, p.claimed - 0.01)}


def claim_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library."""
    left, right = pair_rows(p["delta"])
    claimed, step = p["claimed"], Fraction(1, 100)
    holds = on_sets(left, right, p["eps"], claimed)
    tight = holds and not (claimed >= step and on_sets(left, right, p["eps"], claimed - step))
    return {"needed": table_delta(left, right, p["eps"])[1], "holds": holds, "done": tight}


def claim_charts(p: Any, o: Any) -> list[Chart]:
    """The privacy curve of the pair."""
    es = grid(0, 1.5, 150)
    left = [1 - 2 * p.delta, p.delta, p.delta]
    right = [1, 0, 0]
    curve = [max(hockey_stick(left, right, exp(e)), hockey_stick(right, left, exp(e))) for e in es]
    return [
        chart(
            "The true δ of this pair at every ε",
            "ε",
            "δ",
            [0, 1.5],
            [0, max(0.3, 1.5 * o["needed"], 1.2 * p.claimed)],
            [
                area("broken below the curve", es, curve, "bad"),
                line("δ(ε), over all sets", es, curve, "main"),
                level("your claim δ′", p.claimed, "good" if o["holds"] else "bad"),
                upright("ε", p.eps, "claim"),
            ],
        )
    ]


def many_outputs(p: Any) -> dict[str, Any]:
    """m outcomes, m − 1 of them rare."""
    return {"single": 0.01, "event": (p.m - 1) * 0.01, "factor": p.m - 1}


def many_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The pair that separates outcomes from sets as far as possible, at ε = 1 and δ = 1/100."""
    found = separation(int(p["m"]), 1, "1/100")
    assert found is not None
    event = sum((found.left[i] for i in found.event), Fraction(0))
    return {"single": found.left[found.event[0]], "event": event, "factor": event / Fraction(1, 100)}


def many_charts(p: Any, o: Any) -> list[Chart]:
    """Probability of the set of rare outcomes."""
    ms = list(range(3, 41))
    return [
        chart(
            "δ = 0.01 for every outcome; the set of rare outcomes",
            "number of outcomes m",
            "probability of the set",
            [2, 41],
            [0, 0.42],
            [
                bars("(m − 1)·δ, against 0 on the neighbour", ms, [(m - 1) * 0.01 for m in ms], "left"),
                level("δ = 0.01", 0.01, "bad"),
                upright("your m", p.m, "claim"),
            ],
        )
    ]
