"""Labs of the lesson 'median': the median: global, local and smooth sensitivity."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from dpwitness.core.spaces import Records
from dpwitness.lessons.charts import Chart, bars, chart, dots, level, upright
from dpwitness.lessons.closed import at_most, exp, log, same, show
from dpwitness.proofs.kernel.laws.noise import enclosure
from dpwitness.proofs.laws.sensitivity import local, order_at_distance, order_statistic
from dpwitness.proofs.laws.smooth import smooth_order


def padded(xs: Any, i: int) -> float:
    """The i-th smallest of five values in [0, 1], 0 before the first and 1 after the last."""
    return 0 if i < 1 else (1 if i > 5 else xs[i - 1])


def at_distance(xs: Any, k: int) -> float:
    """The largest local sensitivity of the median within k changes; xs is sorted."""
    return max([padded(xs, 3 + t) - padded(xs, 3 + t - k - 1) for t in range(k + 2)])


def smooth_bound(xs: Any, beta: float) -> float:
    """The smooth sensitivity."""
    return max([exp(-beta * k) * at_distance(xs, k) for k in range(6)])


def with_ones(count: float) -> list[float]:
    """Five bits, so many of them 1, sorted."""
    return [0 if i < 5 - count else 1 for i in range(5)]


def bar_chart(xs: Any, beta: float) -> Chart:
    """A⁽ᵏ⁾ and its shrunken version for every number of changes."""
    ks = [0, 1, 2, 3, 4, 5]
    shrunk = [exp(-beta * k) * at_distance(xs, k) for k in ks]
    return chart(
        "How far one more change can move the median, after k changes",
        "changes k",
        "move",
        [-0.6, 5.6],
        [0, 1.1],
        [
            bars("A⁽ᵏ⁾", ks, [at_distance(xs, k) for k in ks], "left", width=0.36, offset=-0.2),
            bars("e^(−βk)·A⁽ᵏ⁾", ks, shrunk, "right", width=0.36, offset=0.2),
            level("the largest: smooth sensitivity", max(shrunk), "good"),
        ],
    )


def explore_outputs(p: Any) -> dict[str, Any]:
    """Five records of your choice."""
    xs = sorted([p.x1, p.x2, p.x3, p.x4, p.x5])
    return {"median": xs[2], "local": at_distance(xs, 0), "smooth": smooth_bound(xs, p.beta)}


def number(value: Any) -> float:
    """An exact exponential sum as a double."""
    from dpwitness.proofs.kernel.algebra.expsum import ExpSum

    return float(enclosure((value, ExpSum.of(1)))[1])


def explore_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library."""
    data = [p[f"x{i}"] for i in range(1, 6)]
    return {
        "median": order_statistic(3)(tuple(data)),
        "local": order_at_distance(data, 3, 0, 1, 0),
        "smooth": number(smooth_order(data, 3, 0, 1, p["beta"])),
    }


def explore_charts(p: Any, o: Any) -> list[Chart]:
    """The data on a line, and the bars."""
    xs = sorted([p.x1, p.x2, p.x3, p.x4, p.x5])
    return [
        chart(
            "The five records",
            "value",
            "",
            [-0.05, 1.05],
            [0, 2],
            [
                dots("records", xs, [1, 1, 1, 1, 1], "left"),
                upright("median", o["median"], "claim"),
            ],
        ),
        bar_chart(xs, p.beta),
    ]


def leak_outputs(p: Any) -> dict[str, Any]:
    """Noise in proportion to the local sensitivity."""
    xs = with_ones(p.ones)
    here = at_distance(xs, 0)
    near = at_distance(xs, 1)
    return {"median": xs[2], "here": here, "near": near, "holds": not (here == 0 and near > 0),
            "done": here == 0 and near > 0}  # fmt: skip


def leak_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same over all datasets of five bits."""
    space = Records((0, 1), 5)
    median = order_statistic(3)
    data = tuple(int(i >= 5 - p["ones"]) for i in range(5))
    here = local(median, data, space)
    near = max(local(median, other, space) for other in (data, *space.neighbours(data)))
    leaks = here == 0 < near
    return {"median": median(data), "here": here, "near": near, "holds": not leaks, "done": leaks}


def leak_charts(p: Any, o: Any) -> list[Chart]:
    """The local sensitivity of all six kinds of datasets."""
    counts = [0, 1, 2, 3, 4, 5]
    return [
        chart(
            "Scale of the noise when it follows the local sensitivity",
            "records that are 1; neighbours stand side by side",
            "local sensitivity",
            [-0.6, 5.6],
            [0, 1.15],
            [
                bars("local sensitivity", counts, [at_distance(with_ones(c), 0) for c in counts], "left"),
                upright("your dataset", p.ones, "bad" if o["done"] else "claim"),
            ],
        )
    ]


def fix_outputs(p: Any) -> dict[str, Any]:
    """Smooth sensitivity with noise of density ∝ 1/(1 + z²)."""
    here = smooth_bound(with_ones(p.ones), p.beta)
    near = smooth_bound(with_ones(p.ones + 1), p.beta)
    allowed = p.eps / 6
    holds = at_most(p.beta, allowed)
    return {
        "here": here,
        "step": abs(log(here / near)),
        "allowed": allowed,
        "scale": 6 * here / p.eps,
        "holds": holds,
        "done": holds and same(p.beta, allowed),
    }


def fix_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the library; the rule is the theorem at γ = 2."""
    bounds = []
    for extra in (0, 1):
        data = [int(i >= 5 - p["ones"] - extra) for i in range(5)]
        bounds.append(number(smooth_order(data, 3, 0, 1, p["beta"])))
    allowed = p["eps"] / (2 * (2 + 1))
    return {
        "here": bounds[0],
        "step": abs(log(bounds[0] / bounds[1])),
        "allowed": allowed,
        "scale": bounds[0] / float(allowed),
        "holds": p["beta"] <= allowed,
        "done": p["beta"] == allowed,
    }


def fix_charts(p: Any, o: Any) -> list[Chart]:
    """Local and smooth sensitivity of all six kinds of datasets."""
    counts = [0, 1, 2, 3, 4, 5]
    return [
        chart(
            f"Local and smooth sensitivity, β = {show(p.beta)}",
            "records that are 1; neighbours stand side by side",
            "sensitivity",
            [-0.6, 5.6],
            [0, 1.15],
            [
                bars("local", counts, [at_distance(with_ones(c), 0) for c in counts], "left", width=0.36, offset=-0.2),
                bars(
                    "smooth",
                    counts,
                    [smooth_bound(with_ones(c), p.beta) for c in counts],
                    "good",
                    width=0.36,
                    offset=0.2,
                ),
                upright("your dataset", p.ones, "claim"),
            ],
        )
    ]
