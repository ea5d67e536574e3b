"""Labs of the lesson 'selection': report noisy max, and six sparse vectors of which some are wrong."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.catalogue import catalogue
from dpwitness.lessons.charts import Chart, band, chart, dots, level, line, upright
from dpwitness.lessons.closed import at_most, exp, grid, log
from dpwitness.proofs.programs.losses import between


def beyond(t: float, scale: float) -> float:
    """P[difference of two Laplace draws > t] for t ≥ 0."""
    return exp(-t / scale) * (0.5 + t / (4 * scale))


def wins(gap: float, scale: float) -> float:
    """P[the first of two counts wins] when it is ahead by `gap`."""
    return 1 - beyond(gap, scale) if gap >= 0 else beyond(-gap, scale)


def max_loss(gap: float, scale: float) -> float:
    """The loss when the first count gains 1 and the second loses 1."""
    a = wins(gap, scale)
    b = wins(gap + 2, scale)
    c = beyond(gap, scale) if gap >= 0 else 1 - beyond(-gap, scale)
    d = beyond(gap + 2, scale) if gap + 2 >= 0 else 1 - beyond(-gap - 2, scale)
    return max(abs(log(b / a)), abs(log(d / c)))


def max_outputs(p: Any) -> dict[str, Any]:
    """Noisy max of two counts with Lap(2/ε) or Lap(1/ε), at ε = 1."""
    scale = 1 if p.noise == 0 else 2
    loss = max_loss(p.gap, scale)
    holds = at_most(loss, 1)
    return {
        "left": wins(p.gap, scale),
        "right": wins(p.gap + 2, scale),
        "loss": loss,
        "holds": holds,
        "done": not holds,
    }


def max_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same by the exact laws of the program."""
    name = "report-noisy-max/half-scale" if p["noise"] == 0 else "report-noisy-max"
    table = between(catalogue()[name].claims()[0], (p["gap"], 0), (p["gap"] + 1, -1))
    first = next(pair for output, pair in table.decimals(Fraction(1)).items() if output.endswith("0]"))
    loss = table.at(Fraction(1))[0]
    assert loss is not None
    return {"left": first[0], "right": first[1], "loss": loss, "holds": loss <= 1, "done": loss > 1}


def max_charts(p: Any, o: Any) -> list[Chart]:
    """The loss as the gap between the two counts changes."""
    gaps = grid(-10, 8, 180)
    return [
        chart(
            "Loss when the first count gains 1 and the second loses 1",
            "by how much the first count is ahead",
            "loss",
            [-10, 8],
            [0, 2.2],
            [
                band("the claim ε = 1 allows this", 0, 1, "good"),
                line("Lap(2/ε)", gaps, [max_loss(g, 2) for g in gaps], "left"),
                line("Lap(1/ε)", gaps, [max_loss(g, 1) for g in gaps], "right"),
                dots("you", [p.gap], [o["loss"]], "main"),
            ],
        )
    ]


def quiet(n: int, raised: bool) -> float:
    """P[no answer crosses] with noise on the threshold, for n answers that are all 0, or all 1; ε = 1, T = 0."""
    high = 4 * (1 / (n + 1) - 1 / (n + 2) - 0.5 ** (n + 1) / (n + 1) + 0.5 ** (n + 2) / (n + 2))
    if not raised:
        return 0.5**n / (n + 2) + high
    v = exp(-0.25)
    middle = 0.25 if n == 2 else (exp((n - 2) / 4) - 1) / (n - 2)
    return 0.5**n * v**n * (1 / (n + 2) + middle) + v * v * high


def threshold_outputs(p: Any) -> dict[str, Any]:
    """Above threshold on n answers that all rise from 0 to 1; the output is: none crosses."""
    left = 0.5**p.n if p.noise == 0 else quiet(p.n, False)
    right = (0.5 * exp(-0.25)) ** p.n if p.noise == 0 else quiet(p.n, True)
    loss = log(left / right)
    holds = at_most(loss, 1)
    return {"left": left, "right": right, "loss": loss, "holds": holds, "done": not holds}


def fixed_outputs(p: Any) -> dict[str, Any]:
    """The same, where the goal is to keep the claim for many answers."""
    found = threshold_outputs(p)
    return {
        "left": found["left"],
        "right": found["right"],
        "loss": found["loss"],
        "holds": found["holds"],
        "done": found["holds"] and p.n >= 8,
    }


def threshold_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same by the exact laws of the programs."""
    name = "above-threshold/no-threshold-noise" if p["noise"] == 0 else "above-threshold"
    n = int(p["n"])
    table = between(catalogue()[name].claims()[0], (0,) * n, (1,) * n)
    left, right = next(pair for output, pair in table.decimals(Fraction(1)).items() if "NoneType" in output)
    loss = log(left / right)
    return {"left": left, "right": right, "loss": loss, "holds": at_most(loss, 1), "done": not at_most(loss, 1)}


def fixed_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same, with the other goal."""
    found = threshold_library(p)
    return {**found, "done": found["holds"] and p["n"] >= 8}


def threshold_charts(p: Any, o: Any) -> list[Chart]:
    """The loss of the output `none` as answers are added."""
    ns = list(range(1, 15))
    return [
        chart(
            "Loss of the output “none crossed” when all answers rise by 1",
            "number of answers",
            "loss",
            [0, 15],
            [0, 3.7],
            [
                band("the claim ε = 1 allows this", 0, 1, "good"),
                line("exact threshold", ns, [n / 4 for n in ns], "bad"),
                line("noisy threshold", ns, [log(quiet(n, False) / quiet(n, True)) for n in ns], "left"),
                upright("your number of answers", p.n, "claim"),
                level("your loss", o["loss"], "good" if o["holds"] else "bad"),
            ],
        )
    ]
