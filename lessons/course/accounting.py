"""Lesson 12: accounting, or what a training run really costs."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.lessons import checks
from dpwitness.lessons.closed import show
from dpwitness.lessons.labs.accounting import (
    digits_charts,
    digits_library,
    digits_outputs,
    orders_charts,
    orders_library,
    orders_outputs,
    rounding_charts,
    rounding_library,
    rounding_outputs,
)
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Output, Text, listed, predict, steps
from dpwitness.proofs.accounting.steps import gaussian, poisson

PROGRAM = """\
import dpwitness as dpw

training = dpw.poisson(dpw.gaussian(1), "0.01") * 1000
for delta in ("1e-5", "1e-15"):
    print(f"epsilon at delta {delta}: {training.epsilon(delta)}")
"""


def _sampled(answer: Any) -> str | None:
    cases = []
    for rate, sigma, eps in [("1/100", "1", "1/2"), ("1/10", "2", "1/4"), ("1/2", "1", "1")]:
        right = orders_library({"rate": Fraction(rate), "sigma": Fraction(sigma), "eps": Fraction(eps)})["removed"]
        cases.append(((float(Fraction(rate)), float(Fraction(sigma)), float(Fraction(eps))), float(right)))
    return checks.values(answer, cases, 1e-8)


def build() -> Lesson:
    """The lesson, with its numbers computed."""
    total = round(float((poisson(gaussian(1), "1/100") * 1000).epsilon("1e-5").high), 2)
    both = orders_library({"rate": Fraction(1, 100), "sigma": Fraction(1), "eps": Fraction(1)})
    left = rounding_library({"times": Fraction(1000), "delta": Fraction(1, 10**15)})["digits"]
    return Lesson(
        "accounting",
        "Accounting",
        (
            "say which two orders of neighbours an accountant must look at, and when it takes the larger",
            "tell what rounding does to a δ of 10^{−12}",
            "print as many digits of ε as the noise deserves",
        ),
        (
            Text(
                "Steps that see a sample",
                """
                Training with privacy is a long composition. Each step takes every record with probability q, adds up
                clipped gradients and adds normal noise of deviation σ (in units of the clipping norm).

                One step has two laws: the noise around 0 for whoever is not in the sample, and a mixture for whoever
                may be in it.

                $ P = (1 − q)·N(0, σ²) + q·N(1, σ²),   Q = N(0, σ²)

                Remove a record and the loss is ln P/Q. Add one and it is ln Q/P. These are **different** losses.
                """,
            ),
            predict(
                "1000 steps with q = 0.01 and σ = 1. What is ε at δ = 10^{−5}?",
                {"0.18": 0.18, f"{total}": total, "10": 10.0},
                total,
                f"About {total}, and certified to twelve digits in a second. Without sampling it would be over 100.",
            ),
            predict(
                "One step, q = 0.01, σ = 1, ε = 1. Which order has the larger δ?",
                {"a record is removed": True, "a record is added": False},
                both["removed"] > both["added"],
                f"Removed: {show(float(both['removed']))}. Added: {show(float(both['added']))}.",
            ),
            Lab(
                "Break an accountant with one order",
                "An accountant looks at added records alone. Find a step for which the truth is **more than twice** "
                "what it says.",
                (
                    listed("rate", "rate q", ["0.01", "0.05", "0.1", "0.3", "0.6", "0.9"], "0.9"),
                    listed("sigma", "noise σ", ["0.5", "0.8", "1", "2", "4"], "2"),
                    steps("eps", "ε", "0", "3", "0.1", "0.1"),
                ),
                (
                    Output("removed", "δ, record removed"),
                    Output("added", "δ, record added"),
                    Output("done", "more than twice", "yesno"),
                ),
                orders_outputs,
                orders_library,
                orders_charts,
                "break",
                "done",
                {"rate": "0.1", "eps": "1"},
                "Both orders are composed to the end, and then the larger δ is taken. The larger one of each step is "
                "not a step that anyone takes.",
            ),
            Text(
                "What a Fourier transform does to 10^{−12}",
                """
                Most accountants put the law of the loss on a grid and multiply Fourier transforms in doubles. Each
                product is rounded by about 2^{−53}, relative to the **largest** number, and T steps leave an error of
                about T·2^{−53} on every probability, in a direction that nobody knows.

                At δ = 10^{−5} that is nothing. At δ = 10^{−12} it can be all there is.
                """,
            ),
            predict(
                "1000 steps in doubles, δ = 10^{−15}. How many digits of δ can be right?",
                {"twelve": 12, "three": 3, "none": 0},
                int(left),
                "1000·2^{−53} is about 10^{−13}, a hundred times δ. Sums of exact integers, or of balls with rounding "
                "to both sides, have no such floor.",
            ),
            Lab(
                "Find where rounding eats everything",
                "Find steps and δ for which the rounding floor is above δ itself.",
                (
                    listed("times", "steps", [10, 100, 1000, 10000, 100000, 1000000], 1000),
                    listed("delta", "δ", ["1e-15", "1e-14", "1e-12", "1e-10", "1e-8", "1e-5"], "1e-8"),
                ),
                (
                    Output("floor", "rounding floor"),
                    Output("share", "floor / δ"),
                    Output("digits", "digits left"),
                    Output("done", "nothing left", "yesno"),
                ),
                rounding_outputs,
                rounding_library,
                rounding_charts,
                "break",
                "done",
                {"delta": "1e-14"},
                "A bound needs a direction. Round masses up and δ goes up; round to nearest and it goes anywhere.",
            ),
            Code("A bracket", "Both ends are certified; digits that are not the same are not printed.", PROGRAM),
            Lab(
                "Give σ enough decimals",
                "σ is 2, written with some decimals, so it is known to half a unit of the last one. How many decimals "
                "make ε certain to **0.01**?",
                (
                    listed("decimals", "decimals of σ", [0, 1, 2, 3, 4], 0),
                    listed("times", "steps", [1, 4, 10, 25], 4),
                ),
                (
                    Output("low", "smallest ε"),
                    Output("high", "largest ε"),
                    Output("width", "difference"),
                    Output("done", "certain to 0.01", "yesno"),
                ),
                digits_outputs,
                digits_library,
                digits_charts,
                "repair",
                "done",
                {"decimals": 3},
                "Twelve digits of ε are honest only for a σ that is meant to twelve digits.",
            ),
            Exercise(
                "sampled_delta",
                "One sampled step",
                "Write `sampled_delta(q, sigma, eps)` for a removed record: q times the δ of the Gaussian step, "
                "at an ε that sampling makes larger: e^{ε'} = 1 + (e^{ε} − 1)/q.",
                "import math\n\ndef sampled_delta(q, sigma, eps):\n    ...\n",
                _sampled,
                "import math\n\ndef sampled_delta(q, sigma, eps):\n"
                "    inner = math.log(1 + (math.exp(eps) - 1) / q)\n"
                "    a, b = 1 / (2 * sigma) - inner * sigma, -1 / (2 * sigma) - inner * sigma\n"
                "    phi = lambda x: 0.5 * math.erfc(-x / math.sqrt(2))\n"
                "    return q * (phi(a) - math.exp(inner) * phi(b))\n",
                "import math\n\ndef sampled_delta(q, sigma, eps):\n"
                "    a, b = 1 / (2 * sigma) - eps * sigma, -1 / (2 * sigma) - eps * sigma\n"
                "    phi = lambda x: 0.5 * math.erfc(-x / math.sqrt(2))\n"
                "    return q * (phi(a) - math.exp(eps) * phi(b))\n",
            ),
        ),
    )
