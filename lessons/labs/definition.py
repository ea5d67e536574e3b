"""Labs of the lesson 'definition': the definition of differential privacy, and the density ratio of Laplace noise."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.core import laws
from dpwitness.lessons.charts import Chart, area, band, chart, level, line, upright
from dpwitness.lessons.closed import at_most, grid, laplace_cdf, laplace_pdf, log, same, show
from dpwitness.proofs.laws.privacy_curves.curves import delta, pure, scale_for


def ratio_outputs(p: Any) -> dict[str, Any]:
    """Two Laplace laws, centred at 0 and at the shift, and the event {output ≤ t}."""
    left = laplace_cdf(p.t, p.scale)
    right = laplace_cdf(p.t - p.shift, p.scale)
    loss = p.shift / p.scale
    return {
        "left": left,
        "right": right,
        "seen": log(left / right),
        "loss": loss,
        "holds": at_most(loss, p.eps),
    }


def ratio_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library: the pure loss, and the two probabilities as hockey-stick divergences."""
    law = laws.Laplace(p["scale"])
    worst = pure(law, p["shift"])
    assert worst is not None
    left, right = below(p["t"], p["scale"]), below(p["t"] - p["shift"], p["scale"])
    return {
        "left": left,
        "right": right,
        "seen": log(left / right),
        "loss": worst[1],
        "holds": worst[1] <= p["eps"],
    }


def below(t: Fraction, scale: Fraction) -> float:
    """P[noise ≤ t]: δ(0) = 1 − e^(−s/2b) of a shift s = 2|t| is P[|noise| ≤ |t|]."""
    inside = float(delta(laws.Laplace(scale), 2 * abs(t), 0)[0])
    return (1 - inside) / 2 if t < 0 else (1 + inside) / 2


def ratio_charts(p: Any, o: Any) -> list[Chart]:
    """The two densities with the event shaded, and the log-ratio with its band."""
    zs = grid(-6, 7, 260)
    inside = [z for z in grid(-6, 7, 1300) if z <= p.t]
    top = 0.55 / p.scale
    high = max(1.25 * o["loss"], 1.25 * p.eps)
    return [
        chart(
            "The output on two neighbours, and the event",
            "output z",
            "density",
            [-6, 7],
            [0, top],
            [
                area("event z ≤ t, left", inside, [laplace_pdf(z, p.scale) for z in inside], "left"),
                area("event z ≤ t, right", inside, [laplace_pdf(z - p.shift, p.scale) for z in inside], "right"),
                line("left: answer 0", zs, [laplace_pdf(z, p.scale) for z in zs], "left"),
                line("right: answer s", zs, [laplace_pdf(z - p.shift, p.scale) for z in zs], "right"),
            ],
        ),
        chart(
            "Privacy loss of every output",
            "output z",
            "ln p/q",
            [-6, 7],
            [-high, high],
            [
                band(f"allowed: ±{show(p.eps)}", -p.eps, p.eps, "good"),
                line("ln p(z)/q(z)", zs, [(abs(z - p.shift) - abs(z)) / p.scale for z in zs], "main"),
                level("of the event", o["seen"], "bad"),
            ],
        ),
    ]


def break_outputs(p: Any) -> dict[str, Any]:
    """The claim ε = 1 for an answer that moves by 1."""
    loss = 1 / p.scale
    return {"loss": loss, "holds": at_most(loss, 1), "done": not at_most(loss, 1)}


def break_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library."""
    worst = pure(laws.Laplace(p["scale"]), 1)
    assert worst is not None
    return {"loss": worst[1], "holds": worst[1] <= 1, "done": worst[0] > 1}


def break_charts(p: Any, o: Any) -> list[Chart]:
    """The loss as a function of the scale."""
    bs = grid(0.2, 4, 190)
    return [
        chart(
            "Loss of Laplace noise when the answer moves by 1",
            "noise scale b",
            "loss 1/b",
            [0, 4],
            [0, 5],
            [
                band("the claim ε = 1 allows this", 0, 1, "good"),
                line("loss", bs, [1 / b for b in bs], "main"),
                upright("your scale", p.scale, "good" if o["holds"] else "bad"),
            ],
        )
    ]


def repair_outputs(p: Any) -> dict[str, Any]:
    """A sum of n records of ±1: one record moves it by 2."""
    loss = 2 / p.scale
    holds = at_most(loss, p.eps)
    return {"loss": loss, "holds": holds, "waste": p.scale * p.eps / 2, "done": holds and same(loss, p.eps)}


def repair_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library, with the smallest scale that is certified to be enough."""
    worst = pure(laws.Laplace(p["scale"]), 2)
    assert worst is not None
    least = scale_for("laplace", p["eps"], 0, 2)[1]
    return {
        "loss": worst[1],
        "holds": worst[1] <= p["eps"],
        "waste": p["scale"] / least,
        "done": p["scale"] == least,
    }


def repair_charts(p: Any, o: Any) -> list[Chart]:
    """The log-ratio of every output against the claim."""
    zs = grid(-5, 7, 240)
    high = max(1.3 * o["loss"], 1.3 * p.eps)
    return [
        chart(
            "Privacy loss of every output",
            "output z",
            "ln p/q",
            [-5, 7],
            [-high, high],
            [
                band(f"allowed: ±{show(p.eps)}", -p.eps, p.eps, "good"),
                line("ln p(z)/q(z)", zs, [(abs(z - 2) - abs(z)) / p.scale for z in zs], "main"),
            ],
        )
    ]
