"""Lesson 9: report noisy max, and six sparse vectors of which some are wrong."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.catalogue import catalogue
from dpwitness.core.mechanism import Mechanism
from dpwitness.lessons import checks
from dpwitness.lessons.labs.selection import (
    fixed_library,
    fixed_outputs,
    max_charts,
    max_library,
    max_outputs,
    threshold_charts,
    threshold_library,
    threshold_outputs,
)
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Output, Text, choice, predict, steps
from dpwitness.lessons.run import decided, verdict
from dpwitness.proofs.programs.losses import between

SIX = (
    ("sparse-vector", "fresh noise Lap(4c/ε) on every answer, one noisy threshold, stops after c"),
    ("refreshed-sparse-vector", "the same, with a new threshold after each positive answer"),
    ("sparse-vector/releases-the-value", "prints the noisy answer that was compared"),
    ("sparse-vector/unscaled-query-noise", "the noise on the answers does not grow with c"),
    ("sparse-vector/no-query-noise", "a noisy threshold and exact answers"),
    ("sparse-vector/no-cutoff", "never stops"),
)
PROGRAM = """\
from dpwitness.catalogue import catalogue
from dpwitness.lessons.run import verdict

for name in ("sparse-vector", "refreshed-sparse-vector",
             "sparse-vector/releases-the-value",
             "sparse-vector/unscaled-query-noise",
             "sparse-vector/no-query-noise", "sparse-vector/no-cutoff"):
    found = verdict(catalogue()[name])
    print(f"{name:36} {found.decision.value}")
"""
GAP = """\
value = q + noise.laplace(4 * cutoff / eps)
if value >= t:
    out.append(value - t)     # how far above the noisy threshold
"""
STARTER = '''\
from dpwitness import Answers, PureDP, mechanism

@mechanism(data=Answers(moves="all", by=1), claim=lambda eps: PureDP(eps),
           typical={"eps": 1, "threshold": 0, "cutoff": 2})
def my_sparse_vector(noise, queries, *, eps, threshold, cutoff):
    """True or False for every answer, until `cutoff` of them were True."""
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        ...
    return out
'''
LOOP = """\
        if q + noise.laplace(SCALE) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
"""


def _sparse(answer: Any) -> str | None:
    original = catalogue()["sparse-vector"]
    assert isinstance(original, Mechanism)
    problem = checks.proved(
        answer, "my_sparse_vector", original, [{"eps": 1, "cutoff": 2}, {"eps": "1/2", "cutoff": 3}]
    )
    right = [False, True, False, True]
    return problem or checks.useful(answer, (-5, 5, -5, 5, 5), right, eps=100, threshold=0, cutoff=2)


def _wins(answer: Any) -> str | None:
    cases = []
    for gap in (0, 1, 3, -2):
        table = between(catalogue()["report-noisy-max"].claims()[0], (gap, 0), (gap, 0))
        first = next(pair for output, pair in table.decimals(Fraction(1)).items() if output.endswith("0]"))
        cases.append(((gap, 2), first[0]))
    return checks.values(answer, cases)


def build() -> Lesson:
    """The lesson, with its numbers computed."""
    verdicts = {name: decided(name) for name, _ in SIX}
    good = sum(v == "PROVED" for v in verdicts.values())
    exact = verdict(catalogue()["sparse-vector/no-query-noise"])
    witness = exact.lower
    listing = "\n".join(f"- **{i}** {about}" for i, (_, about) in enumerate(SIX, 1))
    return Lesson(
        "selection",
        "Noisy max and sparse vector",
        (
            "say why releasing only *which* answer won is cheap",
            "say what the noise on the threshold pays for, and what happens without it",
            "tell right from wrong among six published versions of one algorithm",
        ),
        (
            Text(
                "Which one is largest?",
                """
                *Report noisy max*: add Lap(2/ε) to every count and print **the index** of the largest sum. However many
                counts there are, the loss is at most ε.

                Why: fix the noise of all other counts. The winner keeps winning on the neighbour if its own noise grows
                by 2 (it may have lost 1 while another gained 1), and that costs 2·ε/2.
                """,
            ),
            predict(
                "Print the **value** of the largest noisy count in place of its index. Still ε-private?",
                {"yes, it is one number only": "PROVED", "no": "REFUTED"},
                decided("report-noisy-max/releases-the-value"),
                "The value says something about *all* counts: each of them stayed below it. When all counts rise "
                "together, "
                "every one of them is charged.",
            ),
            Lab(
                "Half of the noise",
                "Two counts. On the neighbour the first gains 1 and the second loses 1. With Lap(1/ε), find a gap that "
                "breaks ε = 1.",
                (
                    steps("gap", "the first count is ahead by", "-10", "8", "0.5", "-1"),
                    choice("noise", "noise on each count", ("Lap(1/ε)", "Lap(2/ε)")),
                ),
                (
                    Output("left", "P[first wins], left"),
                    Output("right", "P[first wins], right"),
                    Output("loss", "loss"),
                    Output("holds", "the claim ε = 1", "verdict"),
                    Output("done", "broken", "yesno"),
                ),
                max_outputs,
                max_library,
                max_charts,
                "break",
                "done",
                {"gap": "-5"},
                "When one count is far behind, its victory is rare, and the two steps of 1 show fully: the loss "
                "approaches 2ε.",
            ),
            Text(
                "Sparse vector",
                """
                Thousands of questions come in; only few have answers above a threshold. Print for each **whether** it
                is
                above, and stop after c positive answers.

                - The threshold gets noise **once**: when all answers rise by 1, let the threshold rise too. That pays
                for
                all negative answers together.
                - Each positive answer pays for itself, which is why they are limited to c.
                """,
            ),
            Lab(
                "Forget the threshold’s noise",
                "Noisy answers against an **exact** threshold: ε = 1, Lap(4/ε) on every answer. All answers rise from "
                "0 to 1. "
                "Break the claim with the output “none crossed”.",
                (
                    steps("n", "number of answers", "1", "14", "1", "2"),
                    choice("noise", "threshold", ("exact", "noisy")),
                ),
                (
                    Output("left", "P[none crosses], answers 0"),
                    Output("right", "P[none crosses], answers 1"),
                    Output("loss", "loss"),
                    Output("holds", "the claim ε = 1", "verdict"),
                    Output("done", "broken", "yesno"),
                ),
                threshold_outputs,
                threshold_library,
                threshold_charts,
                "break",
                "done",
                {"n": 5},
                "Every answer costs ε/4, and from the fifth on the claim is broken.",
            ),
            Lab(
                "Give the threshold its noise",
                "The same output with at least **8** answers: keep the claim.",
                (
                    steps("n", "number of answers", "1", "14", "1", "10"),
                    choice("noise", "threshold", ("exact", "noisy")),
                ),
                (
                    Output("left", "P[none crosses], answers 0"),
                    Output("right", "P[none crosses], answers 1"),
                    Output("loss", "loss"),
                    Output("holds", "the claim ε = 1", "verdict"),
                    Output("done", "repaired", "yesno"),
                ),
                fixed_outputs,
                fixed_library,
                threshold_charts,
                "repair",
                "done",
                {"noise": 1},
                "One draw on the threshold caps the loss at ε/2 for any number of negative answers.",
            ),
            Text("Six versions", f"All six were published, and each claims ε-privacy.\n\n{listing}"),
            predict(
                "How many of the six are ε-private?",
                {str(i): i for i in range(1, 5)},
                good,
                "Right are "
                + " and ".join(str(i) for i, (n, _) in enumerate(SIX, 1) if verdicts[n] == "PROVED")
                + ". The library proves them for every ε and any number of answers, and refutes the others exactly.",
            ),
            Code(
                "The verdicts",
                "Each refutation comes with two inputs and an event; each proof with a certificate.",
                PROGRAM,
            ),
            predict(
                "Version 5 compares exact answers with a noisy threshold. How large is its loss?",
                {"2ε": False, "it grows with the number of answers": None, "infinite": True},
                witness is not None and witness.p_right == "0",
                f"On ({', '.join(map(str, witness.left))}) and ({', '.join(map(str, witness.right))}) the "
                f"{witness.event.words} has "
                "probability 0 on one side: the order of exact answers shows.",
            ),
            predict(
                "Version 3 was wrong because it prints the noisy answer. What if it prints only the **gap** to the "
                "noisy "
                "threshold, with noise Lap(4c/ε)?",
                {"ε-private": "PROVED", "wrong as well": "REFUTED"},
                decided("gap-sparse-vector"),
                "Free information: when answer and threshold rise together, their difference stays as it is. The value "
                "itself would pin the threshold down.",
                GAP,
            ),
            Exercise(
                "my_sparse_vector",
                "Write it yourself",
                "Fill in the loop. The check proves your program for any number of answers.",
                STARTER,
                _sparse,
                STARTER.replace("        ...\n", LOOP.replace("SCALE", "4 * cutoff / eps")),
                STARTER.replace("        ...\n", LOOP.replace("SCALE", "4 / eps")),
            ),
            Exercise(
                "first_wins",
                "Who wins",
                "Write `first_wins(gap, scale)`: the probability that the first of two counts, ahead by gap (perhaps "
                "negative), has the larger sum when each gets Laplace noise. The difference of two draws exceeds t ≥ "
                "0 with "
                "probability e^{−t/b}(1/2 + t/(4b)).",
                "import math\n\ndef first_wins(gap, scale):\n    ...\n",
                _wins,
                "import math\n\ndef first_wins(gap, scale):\n    t = abs(gap)\n"
                "    behind = math.exp(-t / scale) * (0.5 + t / (4 * scale))\n"
                "    return 1 - behind if gap >= 0 else behind\n",
                "import math\n\ndef first_wins(gap, scale):\n    return 1 - 0.5 * math.exp(-gap / scale)\n",
            ),
        ),
    )
