"""Labs of the lesson 'audit': how an audit works, and what it cannot see."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.lessons.charts import Chart, chart, level, line, upright
from dpwitness.lessons.closed import at_most, exp, expm1, grid, inf, log, log1p, random_numbers, show

ALPHA = 0.001


def keep(eps: float) -> float:
    """The probability that randomized response tells the truth."""
    return 1 / (1 + exp(-eps))


def gains(true: float, eps: float) -> list[float]:
    """What a bet on one output wins or loses, in logarithms: when the bit is right, and when it is wrong."""
    p = keep(max(true, eps))
    c = keep(eps)
    return [log(p / c), log((1 - p) / (1 - c))]


def growth(true: float, eps: float) -> float:
    """The mean gain of a pair."""
    p = keep(true)
    won = gains(true, eps)
    return 2 * (p * won[0] + (1 - p) * won[1])


def path(true: float, eps: float, pairs: int, seed: int) -> list[float]:
    """Log-wealth after 0, 1, … pairs: each pair has one output from each input."""
    draws = random_numbers(seed, 2 * pairs)
    won = gains(true, eps)
    p = keep(true)
    wealth = [0.0]
    for i in range(pairs):
        first = won[0] if draws[2 * i] < p else won[1]
        second = won[0] if draws[2 * i + 1] < p else won[1]
        wealth.append(wealth[i] + first + second)
    return wealth


def stop(wealth: Any) -> int:
    """The first pair at which the wealth reaches 1/α; 0 where it never does."""
    hits = [i for i in range(len(wealth)) if wealth[i] >= log(1 / ALPHA)]
    return hits[0] if len(hits) > 0 else 0


def bet_outputs(p: Any) -> dict[str, Any]:
    """One audit of randomized response."""
    wealth = path(p.true, p.eps, p.pairs, p.seed)
    rate = growth(p.true, p.eps)
    return {
        "rate": rate,
        "needed": log(1 / ALPHA) / rate if rate > 0 else inf,
        "wealth": wealth[-1],
        "stopped": stop(wealth),
    }


def bet_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same with the auditor's own factors and its information limit."""
    import numpy as np

    from dpwitness.auditors.bounds.evalue import Null, log_factors
    from dpwitness.auditors.bounds.limit import divergence, fewest_pairs

    true, eps, pairs = float(p["true"]), float(p["eps"]), int(p["pairs"])
    q = keep(true)
    left, right = np.array([q, 1 - q]), np.array([1 - q, q])
    log_f, log_g = log_factors(left / (left + right), Null(eps))
    draws = random_numbers(int(p["seed"]), 2 * pairs)
    first = np.where(np.array(draws[0::2]) < q, log_f[0], log_f[1])
    second = np.where(np.array(draws[1::2]) < q, log_g[1], log_g[0])
    wealth = np.concatenate([[0.0], np.cumsum(first + second)])
    reached = np.flatnonzero(wealth >= np.log(1 / ALPHA))
    rate = divergence(left, right, eps) if true > eps else 0.0
    return {
        "rate": rate,
        "needed": fewest_pairs(left, right, eps, alpha=ALPHA) if true > eps else inf,
        "wealth": float(wealth[-1]),
        "stopped": int(reached[0]) if len(reached) else 0,
    }


def bet_charts(p: Any, o: Any) -> list[Chart]:
    """The path of the wealth."""
    wealth = path(p.true, p.eps, p.pairs, p.seed)
    ns = list(range(p.pairs + 1))
    need = log(1 / ALPHA)
    return [
        chart(
            "Wealth of a bettor against the claim",
            "pairs of samples",
            "log of the wealth",
            [0, p.pairs],
            [min(min(wealth) - 1, -4), max(need + 2, max(wealth) + 1)],
            [
                line("wealth", ns, wealth, "left"),
                line("on average", [0, p.pairs], [0, o["rate"] * p.pairs], "plain"),
                level("1/α = 1000: refuted", need, "bad"),
            ],
        )
    ]


def rare_outputs(p: Any) -> dict[str, Any]:
    """A program that gives everything away with probability q."""
    seen = -expm1(p.pairs * log1p(-p.q))
    return {"loss": inf, "mean": p.pairs * p.q, "seen": seen, "done": at_most(seen, 0.01)}


def rare_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The loss by the exact laws; the chance by exact arithmetic where it is short enough."""
    from dpwitness.literature.tools import largest_ratio
    from dpwitness.proofs.kernel.arith import ball, enclose

    q, n = p["q"], int(p["pairs"])
    ratio = largest_ratio({"quiet": 1 - q, "secret 0": q}, {"quiet": 1 - q, "secret 1": q})
    low, _ = enclose(lambda: 1 - (ball(n) * ball(1 - q).log()).exp())
    return {"loss": inf if ratio is None else ratio, "mean": n * q, "seen": low, "done": low <= Fraction(1, 100)}


def rare_charts(p: Any, o: Any) -> list[Chart]:
    """The chance to see the rare output."""
    ks = grid(1, 9, 160)
    return [
        chart(
            f"Chance to see an output of probability {show(p.q)}",
            "pairs of samples, as a power of ten",
            "chance",
            [1, 9],
            [0, 1.05],
            [
                line("seen at least once", ks, [-expm1(10**k * log1p(-p.q)) for k in ks], "left"),
                upright("your samples", log(p.pairs) / log(10), "bad" if o["done"] else "claim"),
            ],
        )
    ]


def power_outputs(p: Any) -> dict[str, Any]:
    """How many pairs it takes, on average, to see a loss that is 10 % too large."""
    needed = log(1 / ALPHA) / growth(1.1 * p.eps, p.eps)
    holds = at_most(needed, p.pairs)
    return {"needed": needed, "holds": holds, "done": holds and p.pairs <= 10 * needed}


def power_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The auditor's information limit for randomized response."""
    import numpy as np

    from dpwitness.auditors.bounds.limit import fewest_pairs

    q = keep(1.1 * float(p["eps"]))
    needed = fewest_pairs(np.array([q, 1 - q]), np.array([1 - q, q]), float(p["eps"]), alpha=ALPHA)
    return {"needed": needed, "holds": needed <= p["pairs"], "done": needed <= p["pairs"] <= 10 * needed}


def power_charts(p: Any, o: Any) -> list[Chart]:
    """Pairs needed against how much too large the loss is."""
    xs = grid(0.02, 1, 120)
    return [
        chart(
            "Pairs needed to refute randomized response",
            "true ε is larger than claimed by the factor 1 + x",
            "pairs, as a power of ten",
            [0, 1],
            [0, 6],
            [
                line(
                    "on average",
                    xs,
                    [log(log(1 / ALPHA) / growth((1 + x) * p.eps, p.eps)) / log(10) for x in xs],
                    "main",
                ),
                level("your samples", log(p.pairs) / log(10), "good" if o["holds"] else "bad"),
                upright("10 % too large", 0.1, "claim"),
            ],
        )
    ]
