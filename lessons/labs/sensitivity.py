"""Labs of the lesson 'sensitivity': sensitivity, and the two neighbour relations."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.core import laws
from dpwitness.lessons.charts import Chart, bars, chart, level, line, upright
from dpwitness.lessons.closed import at_most, grid, same, show
from dpwitness.proofs.laws.privacy_curves.curves import pure
from dpwitness.proofs.laws.sensitivity import Adjacency, closed_form

RELATIONS: tuple[Adjacency, Adjacency] = ("substitute", "add-remove")


def sum_outputs(p: Any) -> dict[str, Any]:
    """The sum of values between low and low + width."""
    high = p.low + p.width
    replaced = p.width
    comes = max(abs(p.low), abs(high))
    return {"high": high, "replaced": replaced, "comes": comes, "now": replaced if p.relation == 0 else comes}


def sum_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library."""
    high = p["low"] + p["width"]
    both = [closed_form("sum", relation, low=p["low"], high=high)["l1"] for relation in RELATIONS]
    return {"high": high, "replaced": both[0], "comes": both[1], "now": both[int(p["relation"])]}


def sum_charts(p: Any, o: Any) -> list[Chart]:
    """Both sensitivities as the range slides."""
    lows = grid(-10, 10, 200)
    return [
        chart(
            f"Sensitivity of a sum of values in [low, low + {show(p.width)}]",
            "lower end of the range",
            "how far one record moves the sum",
            [-10, 10],
            [0, 22],
            [
                line("a record is replaced", lows, [p.width for a in lows], "left"),
                line("a record comes or goes", lows, [max(abs(a), abs(a + p.width)) for a in lows], "right"),
                upright("your range", p.low, "claim"),
            ],
        )
    ]


def bins_outputs(p: Any) -> dict[str, Any]:
    """A histogram with Laplace noise on every bin, whose claim is ε = 1."""
    moved = 2 if p.relation == 0 else 1
    loss = moved / p.scale
    holds = at_most(loss, 1)
    return {"moved": moved, "loss": loss, "holds": holds, "done": not holds}


def bins_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library."""
    moved = closed_form("histogram", RELATIONS[int(p["relation"])])["l1"]
    worst = pure(laws.Laplace(p["scale"]), moved)
    assert worst is not None
    return {"moved": moved, "loss": worst[1], "holds": worst[1] <= 1, "done": worst[0] > 1}


def bins_charts(p: Any, o: Any) -> list[Chart]:
    """The counts of the five bins on both neighbours."""
    left = [3, 6, 4, 2, 5]
    right = [3, 5, 4, 3, 5] if p.relation == 0 else [3, 5, 4, 2, 5]
    places = [0, 1, 2, 3, 4]
    return [
        chart(
            "Counts on two neighbours: the bins that move",
            "bin",
            "records",
            [-0.6, 4.6],
            [0, 7],
            [
                bars("left", places, left, "left", width=0.36, offset=-0.2),
                bars("right", places, right, "right", width=0.36, offset=0.2),
            ],
            names=["A", "B", "C", "D", "E"],
        )
    ]


def repair_outputs(p: Any) -> dict[str, Any]:
    """A histogram whose claim is ε, under either relation."""
    moved = 2 if p.relation == 0 else 1
    loss = moved / p.scale
    return {"loss": loss, "holds": at_most(loss, p.eps), "done": same(loss, p.eps) and p.relation == 0}


def repair_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library."""
    moved = closed_form("histogram", RELATIONS[int(p["relation"])])["l1"]
    worst = pure(laws.Laplace(p["scale"]), moved)
    assert worst is not None
    return {
        "loss": worst[1],
        "holds": worst[1] <= p["eps"],
        "done": worst[1] == p["eps"] and RELATIONS[int(p["relation"])] == "substitute",
    }


def repair_charts(p: Any, o: Any) -> list[Chart]:
    """The loss under both relations as the scale grows."""
    bs = grid(0.25, 8, 200)
    return [
        chart(
            "Loss of a noisy histogram",
            "noise scale b on every bin",
            "loss",
            [0, 8],
            [0, 4],
            [
                line("a record is replaced: 2/b", bs, [2 / b for b in bs], "left"),
                line("a record comes or goes: 1/b", bs, [1 / b for b in bs], "right"),
                level(f"claim ε = {show(p.eps)}", p.eps, "claim"),
                upright("your scale", p.scale, "good" if o["holds"] else "bad"),
            ],
        )
    ]
