"""Labs of the lesson 'eighty-ways': a tree of counts, and a sum that is clamped too early."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.core.stability.distances import Distance
from dpwitness.corpus.clipping import clamped_then_scaled
from dpwitness.corpus.sensitivity import with_root
from dpwitness.lessons.charts import Chart, chart, level, line, upright
from dpwitness.lessons.closed import at_most, grid, show, sqrt


def tree_outputs(p: Any) -> dict[str, Any]:
    """Leaves and their sum, with noise for sensitivity 2 where the claim is μ = 1."""
    moved = sqrt(p.leaves + 1)
    mu = moved / 2
    holds = at_most(mu, 1)
    return {"moved": moved, "mu": mu, "holds": holds, "done": not holds}


def tree_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same by the program and the distance of the stability fuzzer: all leaves move together."""
    n = int(p["leaves"])
    square = Distance("l2").measure(with_root([0] * n), with_root([1] * n)) / n
    return {
        "moved": math.sqrt(square),
        "mu": math.sqrt(square) / 2,
        "holds": square <= 4,
        "done": square > 4,
    }


def tree_charts(p: Any, o: Any) -> list[Chart]:
    """How far the tree moves, and how far it is said to move."""
    leaves = grid(1, 16, 120)
    return [
        chart(
            "ℓ2 move of a tree whose leaves move by 1 together",
            "leaves n",
            "how far all counts move",
            [1, 16],
            [0, 4.5],
            [
                line("√(n + 1)", leaves, [sqrt(n + 1) for n in leaves], "main"),
                level("what was claimed: the height, 2", 2, "claim"),
                upright("your n", p.leaves, "good" if o["holds"] else "bad"),
            ],
        )
    ]


def clamp_outputs(p: Any) -> dict[str, Any]:
    """SUM(c·x) with x clamped to [0, 1], and Laplace noise of a scale; the claim is ε = 1."""
    loss = 10 / p.scale
    return {"moved": 10, "loss": loss, "holds": at_most(loss, 1), "done": at_most(loss, 1) and p.scale < 10.25}


def clamp_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same by the program."""
    moved = Fraction(Distance("l1").measure(clamped_then_scaled([]), clamped_then_scaled([Fraction(1)])))
    holds = moved <= p["scale"]
    return {"moved": moved, "loss": moved / p["scale"], "holds": holds, "done": holds and p["scale"] == moved}


def clamp_charts(p: Any, o: Any) -> list[Chart]:
    """The loss as the noise grows."""
    scales = grid(0.5, 20, 160)
    return [
        chart(
            "Loss of SUM(10·x), x clamped to [0, 1]",
            "scale of the noise",
            "loss",
            [0, 20],
            [0, 6],
            [
                line(
                    f"10 / scale; at {show(p.scale)} it is {show(10 / p.scale)}",
                    scales,
                    [10 / b for b in scales],
                    "main",
                ),
                level("the claim ε = 1", 1, "claim"),
                upright("your scale", p.scale, "good" if o["holds"] else "bad"),
            ],
        )
    ]
