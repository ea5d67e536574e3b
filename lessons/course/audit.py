"""Lesson 13: how an audit works, and what it cannot see."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.lessons import checks
from dpwitness.lessons.labs.audit import (
    bet_charts,
    bet_library,
    bet_outputs,
    keep,
    power_charts,
    power_library,
    power_outputs,
    rare_charts,
    rare_library,
    rare_outputs,
)
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Output, Text, listed, predict, steps

CLAIM = steps("eps", "claimed ε", "0.5", "2", "0.1", "1")
TRUE = steps("true", "true ε", "0.5", "3", "0.1", "1.5")
PROGRAM = """\
import dpwitness as dpw

def right(data, size, rng):
    return rng.laplace(data, 1.0, size)

def wrong(data, size, rng):
    return rng.laplace(data, 0.5, size)

def backdoor(data, size, rng):
    out = rng.laplace(data, 1.0, size)
    out[rng.random(size) < 1e-9] = 1000 + data
    return out

for program in (right, wrong, backdoor):
    result = dpw.audit(program, 0.0, 1.0, epsilon=1, max_pairs=20_000)
    found = "refuted" if result.refuted else "nothing found"
    print(program.__name__, found, "after", result.pairs, "pairs")
"""


def _growth(answer: Any) -> str | None:
    import numpy as np

    from dpwitness.auditors.bounds.limit import divergence

    cases = []
    for true, eps in ((1.3, 1.0), (2.0, 0.5), (1.5, 1.0)):
        q = keep(true)
        cases.append(((true, eps), divergence(np.array([q, 1 - q]), np.array([1 - q, q]), eps)))
    return checks.values(answer, cases, 1e-7)


def _wealth(answer: Any) -> str | None:
    import numpy as np

    from dpwitness.auditors.bounds.evalue import Null, log_factors

    cases = []
    for pi in (0.5, 0.9, 0.05, 0.8):
        f, g = log_factors(np.array([pi]), Null(1.0))
        cases.append(((pi, 1.0), (float(f[0]), float(g[0]))))
    for (pi, eps), right in cases:
        got = answer(pi, eps)
        if got is None or len(got) != 2 or any(abs(a - b) > 1e-9 for a, b in zip(got, right, strict=True)):
            return f"for ({pi}, {eps}) it gives {got}, and {tuple(round(x, 9) for x in right)} is right"
    return None


def build() -> Lesson:
    """The lesson, with its numbers computed."""
    import numpy as np

    from dpwitness.auditors.bounds.limit import fewest_pairs
    from dpwitness.catalogue import catalogue
    from dpwitness.core.budget import Budget
    from dpwitness.routes import decide

    q = keep(1.3)
    few = round(fewest_pairs(np.array([q, 1 - q]), np.array([1 - q, q]), 1.0))
    seen = float(rare_library({"q": Fraction(1, 10**9), "pairs": Fraction(10**6)})["seen"])
    silent = decide(
        catalogue()["laplace-count"].claims()[0], Budget(max_pairs=5_000, seconds=300), "audit"
    ).decision.value
    return Lesson(
        "audit",
        "How an audit works",
        (
            "describe an audit as a bet against a claim, and say why peeking is allowed",
            "estimate how many samples it takes to refute a claim",
            "name what no audit can see, and what to do about it",
        ),
        (
            Text(
                "A bet against the claim",
                """
                An audit samples. It draws **pairs**: one output on each of two neighbouring inputs. Before each pair
                it bets on
                what it will see, at odds that are fair **if the claim is true**.

                If the claim is true, the wealth has no tendency to grow: starting from 1 it ever reaches 1/α with
                probability
                at most α, however long one plays and however often one looks. If the wealth does reach 1/α, the claim
                is
                **refuted at level α**.
                """,
            ),
            Text(
                "The best bet",
                """
                Let π be a guess of how likely an output came from the left input. The claim forces π into the interval
                from
                1/(1 + e^{ε}) to e^{ε}/(1 + e^{ε}); let c be the nearest point there. The bettor multiplies the wealth
                by

                $ π/c   for the left output,     (1 − π)/(1 − c)   for the right one

                It is fair whatever π is. For randomized response, with the true π, no other bet grows faster.
                """,
            ),
            predict(
                "Randomized response with true ε = 1.3 claims ε = 1. How many pairs does the best bet need on average "
                "(α = 0.001)?",
                {f"about {few // 100}": few // 100, f"about {few}": few, f"about {few * 100}": few * 100},
                few,
                "ln(1/α) divided by the mean gain of a pair. A small excess costs many samples: half the excess, about "
                "four times the pairs.",
            ),
            Lab(
                "Watch the wealth",
                "An audit of randomized response. Change the seed; then let the true ε come down to the claim.",
                (
                    TRUE,
                    CLAIM,
                    listed("pairs", "pairs", [50, 100, 200, 400, 800], 200),
                    steps("seed", "seed", "1", "12", "1", "1"),
                ),
                (
                    Output("rate", "mean gain of a pair"),
                    Output("needed", "pairs needed on average"),
                    Output("wealth", "log-wealth at the end"),
                    Output("stopped", "refuted at pair (0: never)", "whole"),
                ),
                bet_outputs,
                bet_library,
                bet_charts,
            ),
            predict(
                "An audit of a correct Laplace mechanism ends without finding anything. Its verdict is",
                {
                    "PROVED": "PROVED",
                    "UNDECIDED": "UNDECIDED",
                    "NOT_REFUTED, with the ε it would have seen": "NOT_REFUTED",
                },
                silent,
                "An audit can only say that ε is *at least* something. Not having seen a violation is no proof that "
                "there is none.",
            ),
            Code(
                "Three programs, one audit",
                "One is right, one has half of the noise, and one has a back door that opens once in a billion runs.",
                PROGRAM,
            ),
            predict(
                "The back door opens with probability 10^{−9}. The chance to see it in a million pairs (on one input) "
                "is about",
                {"0.001": round(seen, 6), "0.5": 0.5, "0.999": 0.999},
                round(seen, 6),
                "Its loss is infinite, and the audit does not see it. δ is the right way to state such a program’s "
                "promise.",
            ),
            Lab(
                "Hide from the audit",
                "A program gives everything away with probability q: no ε holds. Choose q and the number of pairs so "
                "that an audit "
                "sees it with a chance of **at most 1 %**.",
                (
                    listed(
                        "q",
                        "probability q of the leak",
                        ["1e-9", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3", "1e-2"],
                        "1e-3",
                    ),
                    listed("pairs", "samples", [10, 100, 1000, 10**4, 10**5, 10**6, 10**7, 10**8], 10**4),
                ),
                (
                    Output("loss", "privacy loss"),
                    Output("mean", "expected number seen"),
                    Output("seen", "chance to see it"),
                    Output("done", "hidden", "yesno"),
                ),
                rare_outputs,
                rare_library,
                rare_charts,
                "break",
                "done",
                {"q": "1e-7"},
                "Rare events, inputs that nobody tried, and a δ below one over the number of samples: an audit is "
                "blind to all "
                "three. That is what proofs are for, and proofs are blind to what they assume.",
            ),
            Lab(
                "Give the audit enough",
                "Choose how many pairs to draw so that a loss **10 % too large** is seen on average, without drawing "
                "more than ten "
                "times too many.",
                (CLAIM, listed("pairs", "pairs", [10, 100, 1000, 10**4, 10**5, 10**6], 100)),
                (
                    Output("needed", "pairs needed on average"),
                    Output("holds", "enough pairs", "verdict"),
                    Output("done", "repaired", "yesno"),
                ),
                power_outputs,
                power_library,
                power_charts,
                "repair",
                "done",
                {"pairs": 10**4},
                "State the power of an audit beside its result: “nothing found” means something only with the ε that "
                "would have "
                "been found.",
            ),
            Exercise(
                "growth",
                "The mean gain",
                "Write `growth(true, eps)`: the mean gain in log-wealth of one pair, for randomized response with "
                "true > eps. "
                "Both outputs of a pair gain ln(p/c) when they are right and ln((1−p)/(1−c)) when they are wrong.",
                "import math\n\ndef growth(true, eps):\n    ...\n",
                _growth,
                "import math\n\ndef growth(true, eps):\n    p, c = (1 / (1 + math.exp(-e)) for e in (true, eps))\n"
                "    return 2 * (p * math.log(p / c) + (1 - p) * math.log((1 - p) / (1 - c)))\n",
                "import math\n\ndef growth(true, eps):\n    return true - eps\n",
            ),
            Exercise(
                "bet",
                "The bet",
                "Write `bet(pi, eps)`: the pair (ln π/c, ln (1 − π)/(1 − c)), where c is π pushed into the allowed "
                "interval.",
                "import math\n\ndef bet(pi, eps):\n    ...\n",
                _wealth,
                "import math\n\ndef bet(pi, eps):\n    big = math.exp(eps)\n"
                "    c = min(max(pi, 1 / (1 + big)), big / (1 + big))\n"
                "    return math.log(pi / c), math.log((1 - pi) / (1 - c))\n",
                "import math\n\ndef bet(pi, eps):\n    return math.log(2 * pi), math.log(2 * (1 - pi))\n",
            ),
        ),
    )
