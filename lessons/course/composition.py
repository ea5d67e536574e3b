"""Lesson 8: composition, from one randomized response to the optimum."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.lessons import checks
from dpwitness.lessons.closed import show
from dpwitness.lessons.labs.composition import (
    budget_charts,
    budget_library,
    budget_outputs,
    compare_charts,
    compare_library,
    compare_outputs,
    loss_charts,
    loss_library,
    loss_outputs,
)
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Output, Text, listed, predict, steps
from dpwitness.lessons.run import decided
from dpwitness.proofs.laws.composition import advanced, optimal_delta, optimal_epsilon

DELTA = listed("delta", "δ", ["1e-9", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3"], "1e-6")
EPS0 = listed("eps0", "ε₀ of each", ["0.02", "0.05", "0.1", "0.2", "0.3", "0.5", "1"], "0.1")
PROGRAM = """\
from dpwitness.proofs.laws.composition import advanced, optimal_epsilon

for k in (10, 50, 100):
    basic = k / 10
    rough, _ = advanced(k, "1/10", "1e-6")
    low, high = optimal_epsilon(k, "1/10", "1e-6")
    print(f"k = {k}: basic {basic}, advanced {float(rough):.4f}, optimal {float(high):.4f}")
"""


def _optimal(answer: Any) -> str | None:
    points = [(1, "1", "0"), (2, "1", "0"), (10, "1/10", "1/2"), (20, "1/5", "1")]
    cases = [((k, float(Fraction(e0)), float(Fraction(e))), float(optimal_delta(k, e0, e)[1])) for k, e0, e in points]
    return checks.values(answer, cases, 1e-8)


def _advanced(answer: Any) -> str | None:
    points = [(100, "1/10", "1e-6"), (10, "1/2", "1e-3")]
    return checks.values(
        answer, [((k, float(Fraction(e)), float(Fraction(d))), float(advanced(k, e, d)[0])) for k, e, d in points]
    )


def build() -> Lesson:
    """The lesson, with its numbers computed."""
    pure_two = optimal_epsilon(2, 1, 0)[1]
    hundred = round(float(optimal_epsilon(100, "1/10", "1e-6")[1]), 2)
    rough = round(float(advanced(100, "1/10", "1e-6")[0]), 2)
    ten = advanced(10, "1/10", "1e-6")[0]
    return Lesson(
        "composition",
        "Composition",
        (
            "add up privacy losses, and say which law their sum has",
            "compare basic, advanced and optimal composition, and name a case where advanced is worse than basic",
            "spend a budget (ε,δ) on k mechanisms without waste",
        ),
        (
            Text(
                "Losses add",
                """
                Run k mechanisms on the same data. The outputs are independent given the data, so probabilities multiply
                and **privacy losses add**. If each is at most ε_{0}, the total is at most k·ε_{0}: *basic composition*.

                The simplest mechanism is **randomized response**: tell your bit truly with probability
                e^{ε₀}/(1 + e^{ε₀}). Its loss is +ε_{0} or −ε_{0}, nothing else.
                """,
            ),
            predict(
                "Two 1-private mechanisms, δ = 0. What is the best ε that holds for every such pair?",
                {"√2": Fraction(1414, 1000), "3/2": Fraction(3, 2), "2": Fraction(2)},
                pure_two,
                "With δ = 0 nothing is saved: two randomized responses that both tell the truth have loss 2.",
            ),
            Lab(
                "The law of the loss",
                "k randomized responses. Losses cancel: the total is a random walk, not k·ε_{0}.",
                (
                    listed("k", "mechanisms k", [1, 2, 5, 10, 20, 30, 50], 20),
                    listed("eps0", "ε₀ of each", ["0.1", "0.2", "0.3", "0.5"], "0.2"),
                    steps("eps", "ε", "0", "6", "0.1", "1.5"),
                ),
                (
                    Output("mean", "mean loss"),
                    Output("tail", "P[loss > ε]"),
                    Output("hoeffding", "Hoeffding’s bound for it"),
                    Output("delta", "true δ(ε)"),
                ),
                loss_outputs,
                loss_library,
                loss_charts,
            ),
            Text(
                "Three totals",
                """
                - **basic**: k·ε_{0}, with δ = 0
                - **advanced**: √(2k ln(1/δ))·ε_{0} + k·ε_{0}(e^{ε₀} − 1), from a tail bound on the walk
                - **optimal**: the exact δ(ε) of k randomized responses

                $ δ(ε) = Σ_{losses ℓ > ε}  P[ℓ]·(1 − e^{ε − ℓ})

                On any two neighbours, an ε_{0}-private mechanism is a randomized response followed by processing. So
                this last
                number holds for all of them, and none better does.
                """,
            ),
            predict(
                "100 mechanisms with ε_{0} = 0.1 and δ = 10^{−6}. Basic composition says ε = 10. And the optimum?",
                {f"{rough}": rough, f"{hundred}": hundred, "1": 1.0, "0.1": 0.1},
                hundred,
                f"Advanced composition gives {rough}, the optimum is {hundred}. The walk grows like √k.",
            ),
            Code("The three numbers", "Upper ends of rigorous enclosures.", PROGRAM),
            predict(
                "Is advanced composition always at least as good as basic composition?",
                {"yes, that is why it is called advanced": False, "no": True},
                ten > 1,
                f"For k = 10 and ε_{{0}} = 0.1 it gives {show(float(ten))}, and basic composition 1. For few "
                "mechanisms the "
                "constants eat the gain.",
            ),
            Lab(
                "Make advanced composition worse than basic",
                "Find k, ε_{0} and δ for which the **advanced** bound is larger than k·ε_{0}.",
                (steps("k", "mechanisms k", "5", "100", "5", "60"), EPS0, DELTA),
                (
                    Output("basic", "basic"),
                    Output("advanced", "advanced"),
                    Output("optimal", "optimal"),
                    Output("saved", "advanced / optimal"),
                    Output("done", "worse than basic", "yesno"),
                ),
                compare_outputs,
                compare_library,
                compare_charts,
                "break",
                "done",
                {"k": 10},
                "A bound is not the truth. The optimum is never above basic composition.",
            ),
            predict(
                "A program answers k counting queries with Laplace noise of scale √k/ε and claims ε-privacy, δ = 0. "
                "Right?",
                {"yes, by advanced composition": "PROVED", "no": "REFUTED"},
                decided("counting-queries/square-root-composition"),
                "√k is for (ε,δ) with δ > 0. The pure loss is k·ε/√k = √k·ε.",
            ),
            Lab(
                "Spend a budget",
                "In total (1, 10^{−6}). Find the **largest** ε_{0} (in steps of 0.005) that k mechanisms may have.",
                (
                    listed("k", "mechanisms k", [10, 20, 30, 50], 50),
                    steps("eps0", "ε₀ of each", "0.005", "0.2", "0.005", "0.1"),
                ),
                (
                    Output("basic", "total by basic composition"),
                    Output("optimal", "true total ε"),
                    Output("holds", "(1, 1e-6)", "verdict"),
                    Output("done", "spent without waste", "yesno"),
                ),
                budget_outputs,
                budget_library,
                budget_charts,
                "repair",
                "done",
                {"eps0": "0.03"},
                "The same budget, more answers: composition done exactly pays for itself.",
            ),
            Exercise(
                "optimal_delta",
                "The optimum",
                "Write `optimal_delta(k, eps0, eps)`: the exact δ(ε) of k randomized responses. With n flipped "
                "answers the "
                "loss is (k − 2n)·ε_{0}.",
                "import math\n\ndef optimal_delta(k, eps0, eps):\n    ...\n",
                _optimal,
                "import math\n\ndef optimal_delta(k, eps0, eps):\n    total = 0.0\n    for n in range(k + 1):\n"
                "        loss = (k - 2 * n) * eps0\n"
                "        p = math.comb(k, n) * math.exp((k - n) * eps0) / (1 + math.exp(eps0)) ** k\n"
                "        total += p * max(0.0, 1 - math.exp(eps - loss))\n    return total\n",
                "import math\n\ndef optimal_delta(k, eps0, eps):\n    total = 0.0\n    for n in range(k + 1):\n"
                "        if (k - 2 * n) * eps0 > eps:\n"
                "            total += math.comb(k, n) * math.exp((k - n) * eps0) / (1 + math.exp(eps0)) ** k\n    "
                "return total\n",
            ),
            Exercise(
                "advanced",
                "Advanced composition",
                "Write `advanced(k, eps0, delta)` with its constants.",
                "import math\n\ndef advanced(k, eps0, delta):\n    ...\n",
                _advanced,
                "import math\n\ndef advanced(k, eps0, delta):\n"
                "    return math.sqrt(2 * k * math.log(1 / delta)) * eps0 + k * eps0 * math.expm1(eps0)\n",
                "import math\n\ndef advanced(k, eps0, delta):\n    return math.sqrt(k) * eps0\n",
            ),
        ),
    )
