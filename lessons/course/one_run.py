"""Lesson 14: what one training run can show, and what it cannot."""

from __future__ import annotations

import math
from typing import Any

from dpwitness.lessons import checks
from dpwitness.lessons.labs.one_run import (
    allowed,
    count_charts,
    count_library,
    count_outputs,
    plan_charts,
    plan_library,
    plan_outputs,
    together_charts,
    together_library,
    together_outputs,
)
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Output, Text, listed, predict, steps

CLAIM = steps("eps", "claimed ε", "0.5", "3", "0.5", "1")
PROGRAM = """\
import numpy as np
import dpwitness as dpw

rng = np.random.default_rng(0)
coins = rng.random(1000) < 0.5
claim = dpw.GaussianDP(1)
print(dpw.plan_one_run(claim, 1000))
for name, mu in (("as claimed", 1.0), ("a quarter of the noise", 4.0)):
    scores = rng.normal(mu * coins)
    print(name, dpw.audit_one_run(scores, coins, claim=claim).verdict)
    print(name, dpw.audit_one_run(scores, coins, claim=claim, assume="independent canaries").verdict)
"""


def _tail(answer: Any) -> str | None:
    cases = [((eps, c, v), allowed(eps, c, v)) for eps, c, v in ((1.0, 10, 9), (2.0, 20, 20), (0.5, 40, 30))]
    return checks.values(answer, cases, 1e-7)


def _share(answer: Any) -> str | None:
    return checks.values(answer, [((eps,), 1 / (1 + math.exp(-eps))) for eps in (0.0, 1.0, 3.0)], 1e-9)


def build() -> Lesson:
    """The lesson, with its numbers computed."""
    from dpwitness.auditors.bounds.curves import GaussianCurve
    from dpwitness.auditors.training.one_run import critical

    all_ten = allowed(1.0, 10, 10)
    small = critical(GaussianCurve(2.0), 100, 20, 2, 0.05)
    return Lesson(
        "one-run",
        "What one run can and cannot show",
        (
            "compute how many right guesses a claim allows in one run",
            "say why all canaries of one run may leak together, and what that costs an audit",
            "choose the number of guesses before the coins are seen",
        ),
        (
            Text(
                "Many canaries in one run",
                """
                Training takes hours, so an audit would like to need **one** run. Put m canaries into the data, each by
                a fair coin of its own. After the run guess, from the outcome alone, the coins of the c canaries that
                look surest. Then look at the coins and count.

                If the trainer is ε-private, each guess is right with probability at most e^{ε}/(1 + e^{ε}), whatever
                happened to the others. So

                $ P[right ≥ v] ≤ P[Binomial(c, e^{ε}/(1 + e^{ε})) ≥ v]
                """,
            ),
            predict(
                "A trainer claims ε = 1. Ten guesses, all right. How likely does the claim allow that?",
                {"0.044": round(all_ten, 3), "0.001": 0.001, "0.37": 0.37},
                round(all_ten, 3),
                "The tenth power of e/(1 + e) = 0.731: just below 0.05, and far from the coin's 1/1024.",
            ),
            Lab(
                "Count right guesses",
                "Move the claim, the guesses and the count. Where does the claim fall at α = 0.05?",
                (
                    CLAIM,
                    listed("guesses", "guesses", [5, 10, 20, 40], 10),
                    listed("right", "right", [4, 5, 9, 10, 18, 20], 9),
                ),
                (Output("pvalue", "p-value"), Output("needed", "right guesses needed", "whole")),
                count_outputs,
                count_library,
                count_charts,
            ),
            Text(
                "With δ, canaries may leak together",
                """
                With probability δ an (ε, δ)-private trainer may publish **everything**. That is one event for the whole
                run, and all guesses are right in it. So δ is paid once for each of the m canaries, and the bound grows
                by about mδ/v.

                A curve such as that of Gaussian noise has room for much more of this: draw θ once from the law of the
                privacy loss, then answer for every canary by randomized response with ε = θ. Each canary alone is as
                private as claimed. In a run with a large θ all of them leak.
                """,
            ),
            Lab(
                "Hide from one run",
                "A trainer publishes all coins with probability q and else nothing. Choose q so that it leaks in **at "
                "least one of a thousand** runs, and one run still shows it with probability at most 0.05.",
                (listed("q", "probability q", ["1e-4", "1e-3", "1e-2", "1e-1", "1/2"], "1/2"),),
                (
                    Output("delta", "δ at ε = 0"),
                    Output("seen", "chance that one run shows it"),
                    Output("right", "share of right guesses in that run"),
                    Output("done", "hidden", "yesno"),
                ),
                together_outputs,
                together_library,
                together_charts,
                "break",
                "done",
                {"q": "1e-2"},
                "No count of right guesses in one run can do better: more canaries do not help, more runs do.",
            ),
            predict(
                "100 canaries, 20 guesses, all 20 right. Is μ = 2 Gaussian privacy refuted at α = 0.05?",
                {"yes, from 18 right": 18, "no, even all of them are too few": None, "yes, only if all 20 are": 20},
                small,
                "A true run could have drawn a large θ. Few canaries catch broken trainers, not weak ones.",
            ),
            predict(
                "Of a run's scores you try 20, 40 and 80 guesses and report the best p-value. It is",
                {"valid": 0, "valid after half": 1, "not a p-value": 2},
                2,
                "The number was chosen after the coins were seen. Register one, or several that share α.",
            ),
            Lab(
                "Register enough guesses",
                "The number of guesses must be fixed before the coins are seen. Choose it so that a gross leak, 0.95 "
                "of the guesses right, refutes the claim with room to spare: at most 0.9 of them may be needed.",
                (CLAIM, listed("guesses", "guesses", [5, 10, 20, 40, 60, 80, 100], 5)),
                (
                    Output("needed", "right guesses needed", "whole"),
                    Output("expected", "right guesses of a gross leak"),
                    Output("done", "enough", "yesno"),
                ),
                plan_outputs,
                plan_library,
                plan_charts,
                "repair",
                "done",
                {"guesses": 60},
                "More guesses need a smaller share, until the canaries that are guessed last tell nothing any more.",
            ),
            Code(
                "A plan, and two trainers",
                "The same scores, with fair coins alone and with the assumption that canaries leak one by one.",
                PROGRAM,
            ),
            Exercise(
                "share",
                "The share of right guesses",
                "Write `share(eps)`: the largest probability of a right guess under pure ε.",
                "import math\n\ndef share(eps):\n    ...\n",
                _share,
                "import math\n\ndef share(eps):\n    return 1 / (1 + math.exp(-eps))\n",
                "import math\n\ndef share(eps):\n    return math.exp(eps)\n",
            ),
            Exercise(
                "tail",
                "The p-value of a count",
                "Write `tail(eps, guesses, right)`: how likely pure ε lets so many guesses or more be right.",
                "import math\n\ndef tail(eps, guesses, right):\n    ...\n",
                _tail,
                "import math\n\ndef tail(eps, guesses, right):\n    p = 1 / (1 + math.exp(-eps))\n"
                "    return sum(math.comb(guesses, j) * p**j * (1 - p) ** (guesses - j)\n"
                "               for j in range(right, guesses + 1))\n",
                "import math\n\ndef tail(eps, guesses, right):\n    return (1 + math.exp(-eps)) ** -right\n",
            ),
        ),
    )
