"""Labs of the lesson 'admissible': sliding and dilation: which noise survives when its scale depends on the data."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from dpwitness.core import laws
from dpwitness.lessons.charts import Chart, band, chart, level, line, upright
from dpwitness.lessons.closed import at_most, exp, grid, inf, log, peak, show
from dpwitness.literature import tools
from dpwitness.proofs.kernel.arith import precision, upper
from dpwitness.proofs.kernel.laws.density import BITS, Density
from dpwitness.proofs.kernel.laws.shapes import range_on_line
from dpwitness.proofs.laws.densities import analyse
from dpwitness.proofs.laws.privacy_curves.curves import pure


def slide_loss(gamma: float, by: float) -> float:
    """The largest loss of a slide for noise of density ∝ 1/(1 + |z|^γ)."""
    return peak(lambda z: log(1 + abs(z + by) ** gamma) - log(1 + abs(z) ** gamma), -by, 4)


def shape(gamma: float, z: float) -> float:
    """1/(1 + |z|^γ), or e^(−|z|) where γ is 0."""
    return exp(-abs(z)) if gamma == 0 else 1 / (1 + abs(z) ** gamma)


@cache
def stretch(gamma: Fraction) -> Fraction:
    """sup |1 + z (ln h)'|: the loss of a dilation per unit of λ, by the kernel."""
    with precision(BITS):
        outer, _ = range_on_line(Density.read(f"1/(1+Abs(z)**{gamma})").slopes()[1])
        return upper(outer.abs().hi)


def explore_outputs(p: Any) -> dict[str, Any]:
    """Both losses, against ε/2 each."""
    slid = slide_loss(p.gamma, p.slide)
    wide = max(1, p.gamma - 1) * p.dilate
    return {
        "slid": slid,
        "wide": wide,
        "slide_holds": at_most(slid, p.eps / 2),
        "dilate_holds": at_most(wide, p.eps / 2),
    }


def explore_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library."""
    slid = pure(laws.Admissible(p["gamma"]), p["slide"])
    assert slid is not None
    wide = stretch(p["gamma"]) * p["dilate"]
    return {
        "slid": slid[1],
        "wide": wide,
        "slide_holds": slid[1] <= p["eps"] / 2,
        "dilate_holds": wide <= p["eps"] / 2,
    }


def pictures(gamma: float, slide: float, dilate: float, eps: float) -> list[Chart]:
    """The density with its changes, and the two log-ratios."""
    zs = grid(-8, 8, 320)
    grow = exp(dilate)
    h = [shape(gamma, z) for z in zs]
    moved = [shape(gamma, z + slide) for z in zs]
    wide = [grow * shape(gamma, grow * z) for z in zs]
    high = max(eps, 0.6)
    return [
        chart(
            "The noise, slid and dilated (up to a common factor)",
            "z",
            "density",
            [-8, 8],
            [0, 1.25 * grow],
            [
                line("h(z)", zs, h, "main"),
                line("slid: h(z + Δ)", zs, moved, "left"),
                line("dilated: e^λ·h(e^λ z)", zs, wide, "right"),
            ],
        ),
        chart(
            "Their log-ratios to h; each may use half of ε",
            "z",
            "ln ratio",
            [-8, 8],
            [-high, high],
            [
                band("±ε/2", -eps / 2, eps / 2, "good"),
                line("slid", zs, [log(moved[i] / h[i]) for i in range(len(zs))], "left"),
                line("dilated", zs, [log(wide[i] / h[i]) for i in range(len(zs))], "right"),
            ],
        ),
    ]


def explore_charts(p: Any, o: Any) -> list[Chart]:
    """The pictures of heavy-tailed noise."""
    return pictures(p.gamma, p.slide, p.dilate, p.eps)


def tail_outputs(p: Any) -> dict[str, Any]:
    """The log-ratio of Laplace noise to its dilation at one output."""
    seen = p.z * (exp(p.dilate) - 1) - p.dilate
    holds = at_most(seen, p.eps / 2)
    return {"seen": seen, "holds": holds, "done": not holds}


def tail_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same by the kernel's arithmetic."""
    seen = tools.at("z*(exp(l) - 1) - l", {"z": p["z"], "l": p["dilate"]})
    return {"seen": seen[1], "holds": seen[1] <= p["eps"] / 2, "done": seen[0] > p["eps"] / 2}


def tail_charts(p: Any, o: Any) -> list[Chart]:
    """The log-ratio as z grows."""
    zs = grid(0, 40, 200)
    grow = exp(p.dilate) - 1
    return [
        chart(
            "Laplace noise against its dilation",
            "output z",
            "ln h(z) − ln e^λ h(e^λ z)",
            [0, 40],
            [-1, 6],
            [
                band("at most ε/2", -1, p.eps / 2, "good"),
                line("log-ratio", zs, [z * grow - p.dilate for z in zs], "main"),
                upright("your output", p.z, "good" if o["holds"] else "bad"),
            ],
        )
    ]


def laplace_outputs(p: Any) -> dict[str, Any]:
    """δ(ε/2) of a dilated Laplace law, in both orders."""
    half = p.eps / 2
    grow = exp(p.dilate) - 1
    wide = (1 - exp(-p.dilate)) * exp(-(half + p.dilate) / grow)
    near = max(0, p.dilate - half) / grow
    narrow = 1 - exp(-exp(p.dilate) * near) - exp(half) * (1 - exp(-near))
    return {"wide": wide, "narrow": narrow, "delta": max(wide, narrow)}


def laplace_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same by the kernel: the worse order by integration, the first by the formula of the literature."""
    both = Density.read("exp(-Abs(z))/2").divergence("dilate", p["dilate"], p["eps"] / 2)[1]
    wide = tools.at("(1-exp(-l))*exp(-(e/2+l)/(exp(l)-1))", {"l": p["dilate"], "e": p["eps"]})[1]
    point = {"l": p["dilate"], "e": p["eps"]}
    near = "(l-e/2)/(exp(l)-1)"
    text = f"1 - exp(-exp(l)*{near}) - exp(e/2)*(1 - exp(-{near}))"
    narrow = tools.at(text, point)[1] if p["dilate"] > p["eps"] / 2 else Fraction(0)
    return {"wide": wide, "narrow": narrow, "delta": both}


def laplace_charts(p: Any, o: Any) -> list[Chart]:
    """δ as the dilation grows."""
    ls = grid(0.02, 1, 120)
    half = p.eps / 2
    curve = [(1 - exp(-x)) * exp(-(half + x) / (exp(x) - 1)) for x in ls]
    return [
        chart(
            f"What a dilation costs Laplace noise at ε/2 = {show(half)}",
            "dilation λ",
            "δ",
            [0, 1],
            [0, 0.4],
            [line("δ, wide against narrow", ls, curve, "bad"), upright("your λ", p.dilate, "claim"),
             level("your δ", o["delta"], "claim")],
        )
    ]  # fmt: skip


def gamma_of(noise: float) -> float:
    """Laplace is 0; the others by their γ."""
    return 0 if noise == 0 else (2 if noise == 1 else 4)


def choose_outputs(p: Any) -> dict[str, Any]:
    """Laplace, or density ∝ 1/(1 + z²) or 1/(1 + z⁴), at ε = 1."""
    gamma = gamma_of(p.noise)
    slid = p.slide if gamma == 0 else slide_loss(gamma, p.slide)
    wide = inf if gamma == 0 else max(1, gamma - 1) * p.dilate
    holds = at_most(slid, 0.5) and at_most(wide, 0.5) if gamma > 0 else False
    return {"slid": slid, "wide": wide, "holds": holds, "done": holds}


def choose_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library; that no dilation of Laplace noise is bounded is its own finding."""
    gamma = Fraction(int(gamma_of(float(p["noise"]))))
    law = laws.Laplace(1) if gamma == 0 else laws.Admissible(gamma)
    slid = pure(law, p["slide"])
    assert slid is not None
    if gamma == 0:
        unbounded = laplace_report().dilate.refuted == "the log-ratio is unbounded"
        return {"slid": slid[1], "wide": inf if unbounded else 0, "holds": not unbounded, "done": not unbounded}
    wide = stretch(gamma) * p["dilate"]
    holds = slid[1] <= Fraction(1, 2) and wide <= Fraction(1, 2)
    return {"slid": slid[1], "wide": wide, "holds": holds, "done": holds}


@cache
def laplace_report() -> Any:
    """What the library knows of Laplace noise at ε = 1."""
    return analyse("exp(-Abs(z))", eps=1)


def choose_charts(p: Any, o: Any) -> list[Chart]:
    """The pictures of the chosen noise."""
    return pictures(gamma_of(p.noise), p.slide, p.dilate, 1)
