"""Labs of the lesson 'accounting': two orders, what rounding does to a small δ, and how many digits ε deserves."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import log10
from typing import Any

from dpwitness.lessons.charts import Chart, chart, level, line, upright
from dpwitness.lessons.closed import at_most, exp, gaussian_delta, grid, log, show, solve, sqrt
from dpwitness.proofs.accounting.steps import gaussian
from dpwitness.proofs.kernel.accounts.pairs import Sampled
from dpwitness.proofs.kernel.arith import ball, precision, upper


def power(x: float) -> float:
    """The power of ten of a positive number, for charts."""
    return log(x) / log(10) if x > 0 else -99


def removed(rate: float, sigma: float, eps: float) -> float:
    """δ(ε) of one sampled step where the other dataset lacks the record."""
    return rate * gaussian_delta(sigma, log(1 + (exp(eps) - 1) / rate))


def added(rate: float, sigma: float, eps: float) -> float:
    """δ(ε) of one sampled step where the other dataset has one record more: 1 − e^ε + e^ε · the first at −ε."""
    inner = (exp(-eps) - 1 + rate) / rate
    if inner <= 0:
        return 0
    return 1 - exp(eps) + exp(eps) * rate * gaussian_delta(sigma, log(inner))


def orders_outputs(p: Any) -> dict[str, Any]:
    """Both orders of the neighbours."""
    one = removed(p.rate, p.sigma, p.eps)
    other = max(added(p.rate, p.sigma, p.eps), 0)
    return {"removed": one, "added": other, "done": other < one / 2}


def orders_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same from the kernel's pair."""
    pair = Sampled(p["rate"], p["sigma"] ** 2)
    with precision(256):
        alpha = ball(p["eps"]).exp()
        one, other = (upper(order.curve(alpha)[0]) for order in (pair, pair.flip()))
    return {"removed": one, "added": other, "done": other < one / 2}


def orders_charts(p: Any, o: Any) -> list[Chart]:
    """δ(ε) in both orders, as powers of ten."""
    es = grid(0, 3, 60)
    return [
        chart(
            "One sampled step, in both orders",
            "ε",
            "δ, as a power of ten",
            [0, 3],
            [-12, 0],
            [
                line("record removed", es, [power(removed(p.rate, p.sigma, e)) for e in es], "left"),
                line("record added", es, [power(added(p.rate, p.sigma, e)) for e in es], "right"),
                upright("your ε", p.eps, "claim"),
            ],
        )
    ]


def rounding_outputs(p: Any) -> dict[str, Any]:
    """A floor of 2^−53 for each of so many steps, beside δ."""
    floor = p.times / 9007199254740992
    share = floor / p.delta
    return {"floor": floor, "share": share, "digits": max(-power(share), 0), "done": share > 1}


def rounding_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same in rationals."""
    floor = p["times"] / 2**53
    share = floor / p["delta"]
    return {"floor": floor, "share": share, "digits": max(-log10(share), 0.0), "done": share > 1}


def rounding_charts(p: Any, o: Any) -> list[Chart]:
    """What is left of δ as the number of steps grows."""
    ks = grid(1, 6, 50)
    return [
        chart(
            f"Digits of δ = {show(p.delta)} that rounding leaves",
            "steps, as a power of ten",
            "digits",
            [1, 6],
            [0, 14],
            [
                line("digits", ks, [max(power(p.delta * 9007199254740992) - k, 0) for k in ks], "left"),
                upright("your steps", power(p.times), "claim"),
            ],
        )
    ]


def total_epsilon(sigma: float, times: float, delta: float) -> float:
    """ε(δ) of so many Gaussian steps: one step with σ/√times."""
    alone = sigma / sqrt(times)
    return solve(lambda e: delta - gaussian_delta(alone, e), 0, 40)


def digits_outputs(p: Any) -> dict[str, Any]:
    """ε at both ends of what σ may be, if it is written with so many decimals."""
    half = 0.5 * exp(-p.decimals * log(10))
    low = total_epsilon(2 + half, p.times, 0.00001)
    high = total_epsilon(2 - half, p.times, 0.00001)
    return {"low": low, "high": high, "width": high - low, "done": at_most(high - low, 0.01)}


def digits_library(p: Mapping[str, Fraction]) -> dict[str, Any]:
    """The same by certified brackets."""
    half, times = Fraction(1, 2 * 10 ** int(p["decimals"])), int(p["times"])
    low, high = ((gaussian(2 + side * half) * times).epsilon("1e-5").high for side in (1, -1))
    return {"low": low, "high": high, "width": high - low, "done": high - low <= Fraction(1, 100)}


def digits_charts(p: Any, o: Any) -> list[Chart]:
    """ε as σ moves."""
    es = grid(1.5, 2.5, 40)
    values = [total_epsilon(s, p.times, 0.00001) for s in es]
    return [
        chart(
            f"ε of {show(p.times)} Gaussian steps at δ = 1e-5",
            "σ",
            "ε",
            [1.5, 2.5],
            [0, 1.05 * values[0]],
            [
                line("ε", es, values, "left"),
                level("largest ε for this σ", o["high"], "bad"),
                level("smallest", o["low"], "good"),
            ],
        )
    ]
