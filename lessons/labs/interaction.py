"""Labs of the lesson 'interaction': interactive against non-interactive mechanisms."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.core import laws
from dpwitness.lessons.charts import Chart, chart, level, line, upright
from dpwitness.lessons.closed import at_most, exp, grid, log, same, show, sinh, sqrt
from dpwitness.literature import tools
from dpwitness.proofs.laws.composition import optimal_epsilon
from dpwitness.proofs.laws.privacy_curves.curves import delta


def server_outputs(p: Any) -> dict[str, Any]:
    """k answers about one person, each with noise Lap(b/ε); ε = 1."""
    loss = p.k / p.b
    holds = at_most(loss, 1)
    return {"each": 1 / p.b, "loss": loss, "holds": holds, "done": not holds}


def server_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The optimum of pure composition, which holds for questions chosen one after the other."""
    loss = optimal_epsilon(int(p["k"]), 1 / p["b"], 0)[1]
    return {"each": 1 / p["b"], "loss": loss, "holds": loss <= 1, "done": loss > 1}


def tuned_outputs(p: Any) -> dict[str, Any]:
    """The same, where the goal is to answer five questions with as little noise as possible."""
    loss = p.k / p.b
    return {"noise": sqrt(2) * p.b, "loss": loss, "holds": at_most(loss, 1), "done": same(loss, 1) and p.k >= 5}


def tuned_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library."""
    loss = optimal_epsilon(int(p["k"]), 1 / p["b"], 0)[1]
    return {"noise": sqrt(2) * float(p["b"]), "loss": loss, "holds": loss <= 1, "done": loss == 1 and p["k"] >= 5}


def server_charts(p: Any, o: Any) -> list[Chart]:
    """The loss as answers are given."""
    ks = grid(0, 10, 100)
    return [
        chart(
            f"Loss of one person when the noise is Lap({show(p.b)}/ε), ε = 1",
            "answers that concern the person",
            "loss",
            [0, 10.5],
            [0, 3],
            [
                line("loss", ks, [k / p.b for k in ks], "main"),
                level("the claim ε = 1", 1, "good"),
                upright("your number of answers", p.k, "good" if o["holds"] else "bad"),
            ],
        )
    ]


def sum_outputs(p: Any) -> dict[str, Any]:
    """The error of a sum of n bits, asked for or read off noisy bits."""
    eps = log(p.growth)
    asked = sqrt(2) / eps
    read = sqrt(p.n * p.growth) / (p.growth - 1)
    return {"eps": eps, "asked": asked, "read": read, "times": read / asked}


def sum_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The error of randomized response from its exact law."""
    law = tools.randomized_response(1, p["growth"])
    keep, other = law[1], tools.randomized_response(0, p["growth"])[1]
    spread = p["n"] * keep * (1 - keep) / (keep - other) ** 2
    eps = float(tools.log_of(p["growth"])[1])
    read, asked = sqrt(spread), sqrt(2) / eps
    return {"eps": eps, "asked": asked, "read": read, "times": read / asked}


def sum_charts(p: Any, o: Any) -> list[Chart]:
    """Both errors as the number of people grows."""
    ks = grid(0, 6, 120)
    unit = sqrt(p.growth) / (p.growth - 1)
    return [
        chart(
            "Standard error of a noisy sum",
            "people n, as a power of ten",
            "standard error, as a power of ten",
            [0, 6],
            [-0.5, 4],
            [
                line("asked: Laplace noise on the sum", ks, [log(o["asked"]) / log(10) for k in ks], "left"),
                line("read off noisy bits", ks, [log(unit) / log(10) + k / 2 for k in ks], "right"),
                upright("your n", log(p.n) / log(10), "claim"),
            ],
        )
    ]


def parity_outputs(p: Any) -> dict[str, Any]:
    """Telling two datasets apart by parities of d bits: by asking, and by any publication."""
    asked = 1 - exp(-p.n * p.eps / 2)
    published = min(1, 3 * p.n * sinh(p.eps / 2) / sqrt(2**p.d - 1))
    return {"asked": asked, "published": published, "done": asked >= 0.99 and published <= 0.01}


def parity_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The distance of the noisy answers by the library's curve; the bound by enclosed arithmetic."""
    asked = delta(laws.Laplace(1 / p["eps"]), p["n"], 0)
    bound = tools.at(f"3*n*sinh(e/2)/sqrt({2 ** int(p['d']) - 1})", {"n": p["n"], "e": p["eps"]})[1]
    published = min(Fraction(1), bound)
    done = asked[0] >= Fraction(99, 100) and published <= Fraction(1, 100)
    return {"asked": asked[1], "published": published, "done": done}


def parity_charts(p: Any, o: Any) -> list[Chart]:
    """Both as d grows."""
    ds = grid(1, 40, 160)
    return [
        chart(
            "How well the two datasets can be told apart (1 is certainly)",
            "bits of a record d",
            "distance of the two output laws",
            [1, 40],
            [0, 1.1],
            [
                line("by asking", ds, [o["asked"] for d in ds], "left"),
                line(
                    "from anything published, at most",
                    ds,
                    [min(1, 3 * p.n * sinh(p.eps / 2) / sqrt(2**d - 1)) for d in ds],
                    "right",
                ),
                upright("your d", p.d, "claim"),
            ],
        )
    ]
