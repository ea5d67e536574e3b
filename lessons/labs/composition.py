"""Labs of the lesson 'composition': composition, from one randomized response to the optimum."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.lessons.charts import Chart, bars, chart, level, line, upright
from dpwitness.lessons.closed import at_most, exp, grid, law_delta, law_epsilon, log, response_law, show, sqrt, tanh
from dpwitness.proofs.laws.composition import advanced, hoeffding_tail, loss_tail, optimal_delta, optimal_epsilon


def advanced_epsilon(k: float, eps0: float, delta: float) -> float:
    """Advanced composition with its constants."""
    return sqrt(2 * k * log(1 / delta)) * eps0 + k * eps0 * (exp(eps0) - 1)


def compare_outputs(p: Any) -> dict[str, Any]:
    """Basic, advanced and optimal composition."""
    basic = p.k * p.eps0
    rough = advanced_epsilon(p.k, p.eps0, p.delta)
    best = law_epsilon(response_law(p.k, p.eps0), p.delta)
    return {
        "basic": basic,
        "advanced": rough,
        "optimal": best,
        "saved": rough / best,
        "done": not at_most(rough, basic),
    }


def compare_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library."""
    k = int(p["k"])
    basic = k * p["eps0"]
    rough = advanced(k, p["eps0"], p["delta"])[0]
    best = optimal_epsilon(k, p["eps0"], p["delta"])[1]
    return {"basic": basic, "advanced": rough, "optimal": best, "saved": rough / best, "done": rough > basic}


def compare_charts(p: Any, o: Any) -> list[Chart]:
    """All three as the number of mechanisms grows."""
    ks = [1 + 4 * i for i in range(26)]
    best = [law_epsilon(response_law(k, p.eps0), p.delta) for k in ks]
    top = 100 * p.eps0
    return [
        chart(
            f"Total ε of k mechanisms, at δ = {show(p.delta)}",
            "number of mechanisms k",
            "total ε",
            [0, 101],
            [0, 1.05 * top],
            [
                line("basic: k·ε₀, with δ = 0", ks, [k * p.eps0 for k in ks], "right"),
                line("advanced", ks, [advanced_epsilon(k, p.eps0, p.delta) for k in ks], "left"),
                line("optimal", ks, best, "good"),
                upright("your k", p.k, "claim"),
            ],
        )
    ]


def loss_outputs(p: Any) -> dict[str, Any]:
    """The law of the privacy loss of k randomized responses."""
    law = response_law(p.k, p.eps0)
    mean = p.k * p.eps0 * tanh(p.eps0 / 2)
    over = p.eps - mean
    return {
        "mean": mean,
        "tail": sum([row[1] for row in law if not at_most(row[0], p.eps)]),
        "hoeffding": 1 if at_most(over, 0) else exp(-over * over / (2 * p.k * p.eps0 * p.eps0)),
        "delta": law_delta(law, p.eps),
    }


def loss_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library."""
    k = int(p["k"])
    return {
        "mean": k * p["eps0"] * Fraction(tanh(float(p["eps0"]) / 2)),
        "tail": loss_tail(k, p["eps0"], p["eps"])[1],
        "hoeffding": hoeffding_tail(k, p["eps0"], p["eps"]),
        "delta": optimal_delta(k, p["eps0"], p["eps"])[1],
    }


def loss_charts(p: Any, o: Any) -> list[Chart]:
    """Bars for every loss, those beyond ε in another colour."""
    law = response_law(p.k, p.eps0)
    inside = [row for row in law if at_most(row[0], p.eps)]
    beyond = [row for row in law if not at_most(row[0], p.eps)]
    far = (p.k + 1) * p.eps0
    top = max([row[1] for row in law])
    return [
        chart(
            f"Privacy loss of {show(p.k)} randomized responses",
            "loss",
            "probability",
            [-far, far],
            [0, 1.1 * top],
            [
                bars("loss at most ε", [r[0] for r in inside], [r[1] for r in inside], "left", width=1.5 * p.eps0),
                bars("loss beyond ε", [r[0] for r in beyond], [r[1] for r in beyond], "bad", width=1.5 * p.eps0),
                upright("ε", p.eps, "claim"),
                upright("mean", o["mean"], "good"),
            ],
        )
    ]


def budget_outputs(p: Any) -> dict[str, Any]:
    """How much each of k mechanisms may spend for (1, 1e-6) in total."""
    total = law_epsilon(response_law(p.k, p.eps0), 0.000001)
    more = law_epsilon(response_law(p.k, p.eps0 + 0.005), 0.000001)
    return {
        "basic": p.k * p.eps0,
        "optimal": total,
        "holds": at_most(total, 1),
        "done": at_most(total, 1) and not at_most(more, 1),
    }


def budget_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library."""
    k = int(p["k"])
    total = optimal_epsilon(k, p["eps0"], "1e-6")[1]
    more = optimal_delta(k, p["eps0"] + Fraction(1, 200), 1)[0] > Fraction(1, 10**6)
    return {
        "basic": k * p["eps0"],
        "optimal": total,
        "holds": total <= 1,
        "done": total <= 1 and more,
    }


def budget_charts(p: Any, o: Any) -> list[Chart]:
    """Total ε as ε₀ grows."""
    es = grid(0.005, 0.2, 60)
    best = [law_epsilon(response_law(p.k, e), 0.000001) for e in es]
    return [
        chart(
            f"Total ε of {show(p.k)} mechanisms, δ = 1e-6",
            "ε₀ of each",
            "total ε",
            [0, 0.2],
            [0, 2],
            [
                line("basic", es, [p.k * e for e in es], "right"),
                line("optimal", es, best, "good"),
                level("the budget", 1, "claim"),
                upright("your ε₀", p.eps0, "good" if o["holds"] else "bad"),
            ],
        )
    ]
