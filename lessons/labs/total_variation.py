"""Labs of the lesson 'total-variation': why total variation is not enough: publishing one random record, (i, x_i)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.lessons.charts import Chart, band, bars, chart, level, line, upright
from dpwitness.lessons.closed import at_most, exp, expm1, grid, inf, log, log1p, show, tanh
from dpwitness.literature.tools import largest_ratio, statistical_difference
from dpwitness.proofs.laws.composition import optimal_delta
from dpwitness.proofs.laws.outcomes import on_sets, row


def record_law(data: tuple[int, ...], flip: Fraction = Fraction(0)) -> dict[Any, Fraction]:
    """The exact law of (i, x_i) where x_i is flipped with probability `flip`."""
    n = len(data)
    law: dict[Any, Fraction] = dict.fromkeys(enumerate(data), (1 - flip) / n)
    return law | {(i, 1 - x): flip / n for i, x in enumerate(data)}


def record_pair(n: int, flip: Fraction = Fraction(0)) -> tuple[dict[Any, Fraction], dict[Any, Fraction]]:
    """The laws on (0, 0, …, 0) and (1, 0, …, 0); more records behave like the second one, so few are enough."""
    return record_law((0,) * n, flip), record_law((1, *(0,) * (n - 1)), flip)


def publish_outputs(p: Any) -> dict[str, Any]:
    """(i, x_i) on two datasets of n bits that differ in the first."""
    return {"distance": 1 / p.n, "loss": inf, "exposed": 1, "done": at_most(1 / p.n, 0.01)}


def publish_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same by the exact laws."""
    left, right = record_pair(int(p["n"]))
    ratio = largest_ratio(left, right)
    distance = statistical_difference(left, right)
    return {
        "distance": distance,
        "loss": inf if ratio is None else log(ratio),
        "exposed": sum(left.values()),
        "done": distance <= Fraction(1, 100),
    }


def publish_charts(p: Any, o: Any) -> list[Chart]:
    """Both laws on the first outcomes."""
    many = min(p.n, 6)
    names = [f"({i + 1}, {b})" for i in range(many) for b in range(2)]
    places = list(range(2 * many))
    left = [1 / p.n if i % 2 == 0 else 0 for i in places]
    right = [(1 / p.n if i == 1 else 0) if i < 2 else left[i] for i in places]
    return [
        chart(
            "Probability of each output (i, xᵢ); the first six people",
            "output (i, xᵢ)",
            "probability",
            [-0.6, 2 * many - 0.4],
            [0, 1.15 / p.n],
            [
                bars("left: x₁ = 0", places, left, "left", width=0.38, offset=-0.2),
                bars("right: x₁ = 1", places, right, "right", width=0.38, offset=0.2),
            ],
            names=names,
        )
    ]


def lottery_outputs(p: Any) -> dict[str, Any]:
    """Each of n people is published with probability δ."""
    return {"delta": p.delta, "mean": p.n * p.delta, "some": -expm1(p.n * log1p(-p.delta))}


def lottery_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """δ by the exact law of one record, and the chances by exact arithmetic."""
    d, n = p["delta"], int(p["n"])
    left, right = {"none": 1 - d, "0": d}, {"none": 1 - d, "1": d}
    none = ((1 - d).limit_denominator(10**12)) ** n if n <= 1000 else None
    some = 1 - none if none is not None else -expm1(n * log1p(-float(d)))
    return {"delta": statistical_difference(left, right), "mean": n * d, "some": some}


def lottery_charts(p: Any, o: Any) -> list[Chart]:
    """The chance that somebody is exposed as the population grows."""
    ks = grid(0, 7, 140)
    return [
        chart(
            "Chance that at least one person is published",
            "people n, as a power of ten",
            "probability",
            [0, 7],
            [0, 1.05],
            [
                line(f"1 − (1 − δ)ⁿ at δ = {show(p.delta)}", ks, [-expm1(10**k * log1p(-p.delta)) for k in ks], "bad"),
                upright("your n", log(p.n) / log(10), "claim"),
            ],
        )
    ]


def flip_outputs(p: Any) -> dict[str, Any]:
    """(i, x_i) with x_i flipped with probability q, for n = 100."""
    loss = log((1 - p.q) / p.q)
    holds = at_most(loss, p.eps)
    smaller = p.q - 0.01
    return {
        "distance": (1 - 2 * p.q) / 100,
        "loss": loss,
        "holds": holds,
        "done": holds and not at_most(log((1 - smaller) / smaller) if smaller > 0.001 else 99, p.eps),
    }


def flip_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same by the exact laws; given i the output is one flipped bit, which is compared with e^ε exactly."""
    left, right = record_pair(100, p["q"])
    ratio = largest_ratio(left, right)
    assert ratio is not None

    def private(q: Fraction) -> bool:
        return on_sets(row([q, 1 - q]), row([1 - q, q]), p["eps"], Fraction(0))

    return {
        "distance": statistical_difference(left, right),
        "loss": log(ratio),
        "holds": private(p["q"]),
        "done": private(p["q"]) and not private(p["q"] - Fraction(1, 100)),
    }


def flip_charts(p: Any, o: Any) -> list[Chart]:
    """The loss as the flip probability grows."""
    qs = grid(0.005, 0.5, 200)
    return [
        chart(
            "Loss of (i, flipped xᵢ)",
            "flip probability q",
            "loss ln((1 − q)/q)",
            [0, 0.5],
            [0, 5],
            [
                band(f"the claim ε = {show(p.eps)} allows this", 0, p.eps, "good"),
                line("loss", qs, [log((1 - q) / q) for q in qs], "main"),
                upright("your q", p.q, "good" if o["holds"] else "bad"),
            ],
        )
    ]


def both_outputs(p: Any) -> dict[str, Any]:
    """How far apart the laws of an ε-private mechanism can be in total variation."""
    return {"most": tanh(p.eps / 2), "growth": exp(p.eps)}


def both_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """δ(0) of one randomized response, the worst of all ε-private mechanisms."""
    return {"most": optimal_delta(1, p["eps"], 0)[1], "growth": exp(float(p["eps"]))}


def both_charts(p: Any, o: Any) -> list[Chart]:
    """tanh(ε/2)."""
    es = grid(0, 5, 200)
    return [
        chart(
            "ε-privacy bounds total variation; the converse fails",
            "ε",
            "largest total variation",
            [0, 5],
            [0, 1.05],
            [
                line("tanh(ε/2)", es, [tanh(e / 2) for e in es], "left"),
                level("nothing is hidden", 1, "claim"),
                upright("your ε", p.eps, "good"),
            ],
        )
    ]
