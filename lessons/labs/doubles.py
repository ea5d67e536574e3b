"""Labs of the lesson 'doubles': what doubles do to a proof: a machine with few bits, and the real one."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.lessons.charts import Chart, bars, chart, dots
from dpwitness.lessons.closed import at_most, floor, log
from dpwitness.literature import tools

DRAWS = 64  # the toy machine draws u from 1/64, 2/64, …, 1
STEPS = (0, 0.125, 0.25, 0.5, 1)


def short(x: float, bits: Any) -> Any:
    """x rounded to so many significant bits, ties away from 0."""
    size = abs(x)
    if size == 0:
        return 0
    unit = 1.0
    while unit * 2 <= size:
        unit = unit * 2
    while unit > size:
        unit = unit / 2
    unit = unit / 2 ** (bits - 1)
    return (1 if x > 0 else -1) * floor(size / unit + 0.5) * unit


def outputs_of(answer: float, bits: int, step: float) -> list[float]:
    """All outputs of answer + Lap(1) on the toy machine, each with probability 1/128, sorted."""
    noise = [short(-log(j / DRAWS), bits) for j in range(1, DRAWS + 1)]
    sums = [short(answer + sign * z, bits) for z in noise for sign in (-1, 1)]
    return sorted([floor(s / step + 0.5) * step if step > 0 else s for s in sums])


def share_beyond(one: Any, two: Any) -> float:
    """The probability, under `one`, of outputs that `two` cannot give."""
    return len([x for x in one if len([y for y in two if y == x]) == 0]) / len(one)


def distinct(values: Any) -> int:
    """How many different numbers."""
    return len([i for i in range(len(values)) if i == 0 or values[i] != values[i - 1]])


def toy_outputs(p: Any) -> dict[str, Any]:
    """The toy machine on the answers 0 and 1."""
    left = outputs_of(0, p.bits, 0)
    right = outputs_of(1, p.bits, 0)
    alone = share_beyond(left, right)
    return {
        "many": distinct(left),
        "alone": alone,
        "other": share_beyond(right, left),
        "holds": alone == 0,
        "done": at_most(0.5, alone),
    }


def exact_outputs(answer: int, bits: int, step: Fraction) -> dict[Fraction, Fraction]:
    """The law on the toy machine by exact arithmetic: logarithms are enclosed, and rounded as rationals."""

    def rounded(x: Fraction) -> Fraction:
        if x == 0:
            return x
        unit = Fraction(1)
        while unit * 2 <= abs(x):
            unit *= 2
        while unit > abs(x):
            unit /= 2
        for _ in range(bits - 1):
            unit /= 2
        return (1 if x > 0 else -1) * Fraction(floor(abs(x) / unit + Fraction(1, 2))) * unit

    law: dict[Fraction, Fraction] = {}
    for j in range(1, DRAWS + 1):
        noise = rounded(tools.log_of(Fraction(DRAWS, j))[0])
        for sign in (-1, 1):
            total = rounded(answer + sign * noise)
            if step:
                total = Fraction(floor(total / step + Fraction(1, 2))) * step
            law[total] = law.get(total, Fraction(0)) + Fraction(1, 2 * DRAWS)
    return law


def toy_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same by exact laws: what one input cannot give is δ(ε) as ε → ∞."""
    left, right = (exact_outputs(x, int(p["bits"]), Fraction(0)) for x in (0, 1))
    alone, other = tools.hockey_stick(left, right, Fraction(10**9)), tools.hockey_stick(right, left, Fraction(10**9))
    return {"many": len(left), "alone": alone, "other": other, "holds": alone == 0, "done": alone >= Fraction(1, 2)}


def marks(title: str, left: Any, right: Any) -> Chart:
    """Which outputs each input can give."""
    only = [x for x in left if len([y for y in right if y == x]) == 0]
    back = [y for y in right if len([x for x in left if x == y]) == 0]
    return chart(
        title,
        "output",
        "answer",
        [-2.2, 3.2],
        [-0.6, 1.6],
        [
            dots("possible on both", list(left), [0 for x in left], "left"),
            dots("possible on both", list(right), [1 for y in right], "left"),
            dots("gives the input away", only, [0 for x in only], "bad"),
            dots("gives the input away", back, [1 for y in back], "bad"),
        ],
    )


def toy_charts(p: Any, o: Any) -> list[Chart]:
    """The outputs as marks on two lines."""
    return [
        marks("Which outputs are possible", outputs_of(0, p.bits, 0), outputs_of(1, p.bits, 0)),
    ]


def snap_outputs(p: Any) -> dict[str, Any]:
    """The toy machine with its outputs rounded to a coarse grid, 8 bits."""
    step = STEPS[p.grid]
    left = outputs_of(0, p.bits, step)
    right = outputs_of(1, p.bits, step)
    alone = share_beyond(left, right)
    other = share_beyond(right, left)
    return {"many": distinct(left), "alone": alone, "other": other, "done": at_most(max(alone, other), 0.02)}


def snap_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same by exact laws."""
    step = Fraction(STEPS[int(p["grid"])])
    left, right = (exact_outputs(x, int(p["bits"]), step) for x in (0, 1))
    alone, other = tools.hockey_stick(left, right, Fraction(10**9)), tools.hockey_stick(right, left, Fraction(10**9))
    return {"many": len(left), "alone": alone, "other": other, "done": max(alone, other) <= Fraction(1, 50)}


def snap_charts(p: Any, o: Any) -> list[Chart]:
    """The outputs, and how likely each is."""
    step = STEPS[p.grid]
    left = outputs_of(0, p.bits, step)
    right = outputs_of(1, p.bits, step)
    cells = [i / 4 for i in range(-16, 21)]
    return [
        marks("Which outputs are possible", left, right),
        chart(
            "How likely they are, in cells of 1/4",
            "output",
            "probability",
            [-4.2, 5.2],
            [0, 0.4],
            [
                bars("answer 0", cells, [share_in(left, c) for c in cells], "left", width=0.1, offset=-0.05),
                bars("answer 1", cells, [share_in(right, c) for c in cells], "right", width=0.1, offset=0.05),
            ],
        ),
    ]


def share_in(values: Any, cell: float) -> float:
    """The share of values in the cell of width 1/4 around a point."""
    return len([v for v in values if cell - 0.125 < v <= cell + 0.125]) / len(values)
