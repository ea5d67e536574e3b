"""Labs of the lesson 'gaussian': three formulas for one standard deviation."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.core import laws
from dpwitness.lessons.charts import Chart, chart, dots, level, line, upright
from dpwitness.lessons.closed import at_most, gaussian_delta, grid, log, show, solve, sqrt
from dpwitness.literature import tools
from dpwitness.proofs.kernel.laws.noise import NoiseLaw
from dpwitness.proofs.laws.privacy_curves.curves import delta, scale_for

CLASSICAL = "2*log(5/(4*d))/e**2"
SHORT = "log(1/d)/e**2"


def power(x: float) -> float:
    """The power of ten of a positive number, for charts."""
    return log(x) / log(10) if x > 0 else -99


def exact_sigma(eps: float, target: float) -> float:
    """The smallest standard deviation for (ε, δ)."""
    wide = 2 * sqrt(2 * log(1.25 / target)) / eps + 1
    return solve(lambda s: target - gaussian_delta(s, eps), 0.02, wide)


def three_outputs(p: Any) -> dict[str, Any]:
    """Three standard deviations for one promise, and the δ that each really has."""
    classical = sqrt(2 * log(1.25 / p.delta)) / p.eps
    short = sqrt(log(1 / p.delta)) / p.eps
    spent = gaussian_delta(classical, p.eps)
    real = gaussian_delta(short, p.eps)
    return {
        "classical": classical,
        "spent": spent,
        "classical_holds": at_most(spent, p.delta),
        "short": short,
        "real": real,
        "short_holds": at_most(real, p.delta),
        "exact": exact_sigma(p.eps, p.delta),
    }


def variance(formula: str, eps: Fraction, d: Fraction) -> tuple[Fraction, Fraction]:
    """A variance given by a formula in e and d, enclosed."""
    return tools.at(formula, {"e": eps, "d": d})


def real_delta(formula: str, eps: Fraction, d: Fraction) -> Fraction:
    """The δ(ε) of Gaussian noise whose variance is given by a formula."""
    return delta(NoiseLaw("gaussian", {"variance": variance(formula, eps, d)[0]}), 1, eps)[1]


def three_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library."""
    e, d = p["eps"], p["delta"]
    spent, real = real_delta(CLASSICAL, e, d), real_delta(SHORT, e, d)
    return {
        "classical": sqrt(variance(CLASSICAL, e, d)[0]),
        "spent": spent,
        "classical_holds": spent <= d,
        "short": sqrt(variance(SHORT, e, d)[0]),
        "real": real,
        "short_holds": real <= d,
        "exact": scale_for("gaussian", e, d)[1],
    }


def three_charts(p: Any, o: Any) -> list[Chart]:
    """The privacy curves of the three deviations, in powers of ten."""
    es = grid(0, 2 * p.eps, 160)
    low = power(p.delta) - 5
    return [
        chart(
            "δ(ε) of three standard deviations; the promise is the dot",
            "ε",
            "power of ten of δ(ε)",
            [0, 2 * p.eps],
            [low, 0],
            [
                line("classical", es, [power(gaussian_delta(o["classical"], e)) for e in es], "left"),
                line("short formula", es, [power(gaussian_delta(o["short"], e)) for e in es], "right"),
                line("exact", es, [power(gaussian_delta(o["exact"], e)) for e in es], "good"),
                dots("the promise (ε, δ)", [p.eps], [power(p.delta)], "main"),
            ],
        )
    ]


def large_outputs(p: Any) -> dict[str, Any]:
    """The classical formula at any ε, with δ = 1e-5."""
    spent = gaussian_delta(sqrt(2 * log(1.25 / 0.00001)) / p.eps, p.eps)
    holds = at_most(spent, 0.00001)
    return {"spent": spent, "times": spent / 0.00001, "holds": holds, "done": not holds}


def large_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library."""
    d = Fraction(1, 10**5)
    spent = real_delta(CLASSICAL, p["eps"], d)
    return {"spent": spent, "times": spent / d, "holds": spent <= d, "done": spent > d}


def large_charts(p: Any, o: Any) -> list[Chart]:
    """How much of δ the classical formula spends."""
    es = grid(0.25, 14, 200)
    root = sqrt(2 * log(1.25 / 0.00001))
    return [
        chart(
            "δ really spent by the classical formula, over the promised 1e-5",
            "ε",
            "δ(ε) / promised δ",
            [0, 14],
            [0, 4],
            [
                line("spent / promised", es, [gaussian_delta(root / e, e) / 0.00001 for e in es], "main"),
                level("promised", 1, "good"),
                upright("the proof ends at ε = 1", 1, "claim"),
                upright("your ε", p.eps, "good" if o["holds"] else "bad"),
            ],
        )
    ]


def tune_outputs(p: Any) -> dict[str, Any]:
    """σ for (1, 1e-5)."""
    real = gaussian_delta(p.sigma, 1)
    holds = at_most(real, 0.00001)
    return {"real": real, "holds": holds, "done": holds and not at_most(gaussian_delta(p.sigma - 0.01, 1), 0.00001)}


def tune_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library."""
    d = Fraction(1, 10**5)
    real, less = (delta(laws.Gaussian(s), 1, 1)[1] for s in (p["sigma"], p["sigma"] - Fraction(1, 100)))
    return {"real": real, "holds": real <= d, "done": real <= d < less}


def tune_charts(p: Any, o: Any) -> list[Chart]:
    """The curve of your σ."""
    es = grid(0, 2, 200)
    return [
        chart(
            "δ(ε) of your noise; the promise is the dot",
            "ε",
            "power of ten of δ(ε)",
            [0, 2],
            [-10, 0],
            [
                line(f"σ = {show(p.sigma)}", es, [power(gaussian_delta(p.sigma, e)) for e in es], "left"),
                dots("the promise (1, 1e-5)", [1], [-5], "good" if o["holds"] else "bad"),
            ],
        )
    ]
