"""Lesson 3: sensitivity, and the two neighbour relations."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.core.spaces import Records
from dpwitness.lessons import checks
from dpwitness.lessons.labs.sensitivity import (
    bins_charts,
    bins_library,
    bins_outputs,
    repair_charts,
    repair_library,
    repair_outputs,
    sum_charts,
    sum_library,
    sum_outputs,
)
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Output, Text, choice, predict, steps
from dpwitness.lessons.run import decided
from dpwitness.proofs.laws.sensitivity import closed_form, global_

RELATION = choice("relation", "neighbours", ("one record is replaced", "one record comes or goes"))
PROGRAM = """\
import dpwitness as dpw
from dpwitness.lessons.run import verdict   # by proof alone

BINS = ("A", "B", "C")

def noisy_histogram(noise, data, *, eps):
    return [data.count(b) + noise.laplace(1 / eps) for b in BINS]

for relation in ("add-remove", "substitute"):
    declare = dpw.mechanism(data=dpw.Records(BINS, 3, relation),
                            claim=lambda eps: dpw.PureDP(eps), typical={"eps": 1})
    found = verdict(declare(noisy_histogram))
    print(relation, found.decision.value)
"""
STARTER = '''\
from dpwitness import PureDP, Records, mechanism

BINS = ("A", "B", "C")

@mechanism(data=Records(BINS, 3, "substitute"), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def noisy_histogram(noise, data, *, eps):
    """One noisy count for every bin; one record may be replaced by another."""
    ...
'''


def _sensitivity(answer: Any) -> str | None:
    ranges = [(0, 1), (-1, 1), (5, 10), (-3, 1), (Fraction(-1, 2), Fraction(1, 4))]
    cases = [
        ((low, high, relation), closed_form("sum", relation, low=low, high=high)["l1"])
        for low, high in ranges
        for relation in ("substitute", "add-remove")
    ]
    return checks.values(answer, cases)


def _histogram(answer: Any) -> str | None:
    from dpwitness.core import PureDP, mechanism

    @mechanism(data=Records(("A", "B", "C"), 3), claim=lambda eps: PureDP(eps), typical={"eps": 1})
    def original(noise: Any, data: Any, *, eps: Any) -> Any:
        return 0

    problem = checks.proved(answer, "noisy_histogram", original, [{"eps": e} for e in (1, "1/2")])
    return problem or checks.useful(answer, ("A", "C", "C"), [1, 0, 2], eps=100)


def build() -> Lesson:
    """The lesson, with its numbers computed."""
    counts = global_(lambda d: tuple(d.count(b) for b in "ABC"), Records(("A", "B", "C"), 3))
    far = {r: closed_form("sum", r, low=5, high=10)["l1"] for r in ("substitute", "add-remove")}
    mean = closed_form("mean", low=0, high=10, size=50)["l1"]
    return Lesson(
        "sensitivity",
        "Sensitivity",
        (
            "compute the ℓ₁ sensitivity of sums, averages and histograms",
            "tell the two neighbour relations apart, and name a statistic that prefers each of them",
            "find a program whose proof silently uses the other relation, and repair it",
        ),
        (
            Text(
                "How far can one person move the answer?",
                """
                The Laplace mechanism needs one number from you, the **sensitivity** of the statistic f:

                $ S(f) = max ‖f(x) − f(x′)‖_{1} over neighbours x, x′

                With noise of scale S/ε on every coordinate, the release is ε-private. Everything hangs on the word
                *neighbours*.
                """,
            ),
            Text(
                "Two relations, both in use",
                """
                - **Replace**: x′ has one record of x replaced by another. The number of records is public.
                - **Add or remove**: x′ has one record more or less. The number of records is private.

                A replacement is a removal and an addition. So an ε-private program under *add or remove* is 2ε-private
                under *replace*, and often no better.
                """,
            ),
            predict(
                "A histogram counts records in many disjoint bins. One record is **replaced**. What is its ℓ₁ "
                "sensitivity?",
                {"1": Fraction(1), "2": Fraction(2), "the number of bins": Fraction(3)},
                counts,
                f"One bin loses a record and another gains one: {counts} in total, checked over all datasets of three "
                "records in three bins. However many bins there are.",
            ),
            Lab(
                "Which relation is kinder to a sum?",
                "Values lie in [low, low + width]. Slide the range away from 0.",
                (
                    steps("low", "lower end", "-10", "10", "1", "0"),
                    steps("width", "width of the range", "1", "10", "1", "5"),
                    RELATION,
                ),
                (
                    Output("high", "upper end"),
                    Output("replaced", "sensitivity, record replaced"),
                    Output("comes", "sensitivity, record comes or goes"),
                    Output("now", "under your relation"),
                ),
                sum_outputs,
                sum_library,
                sum_charts,
            ),
            predict(
                "Salaries lie between 5 and 10. For the **sum**, which relation has the larger sensitivity?",
                {"replace": "substitute", "both the same": "", "add or remove": "add-remove"},
                max(far, key=lambda name: far[name]),
                f"A replacement moves the sum by at most {far['substitute']}; a new record moves it by up to "
                f"{far['add-remove']}. For a histogram it is the other way round. Neither relation is always kinder.",
            ),
            predict(
                "The average of 50 values in [0, 10], with the 50 public. What is its sensitivity under replacement?",
                {"1/50": Fraction(1, 50), "1/5": Fraction(1, 5), "10": Fraction(10)},
                mean,
                f"The sum moves by at most 10, the average by 10/50 = {mean}. Where the number of records is private, "
                "the scale of this noise would itself be a leak.",
            ),
            Lab(
                "The other relation",
                "A histogram with Lap(b) on every bin claims **ε = 1**. At b = 1 it is right when a record comes or "
                "goes. "
                "Break it without touching the noise.",
                (
                    choice("relation", "neighbours", RELATION.names, 1),
                    steps("scale", "noise scale b", "0.5", "4", "0.5", "1"),
                ),
                (
                    Output("moved", "ℓ₁ sensitivity"),
                    Output("loss", "loss"),
                    Output("holds", "the claim ε = 1", "verdict"),
                    Output("done", "broken", "yesno"),
                ),
                bins_outputs,
                bins_library,
                bins_charts,
                "break",
                "done",
                {"relation": 0},
                "The same program, the same noise, another relation: two bins move and the loss is 2. A claim without "
                "its neighbour relation is no claim.",
            ),
            Code(
                "One program, two verdicts",
                "The program is decided under each relation. Only the word in `Records` changes.",
                PROGRAM,
            ),
            Lab(
                "Calibrate for replacement",
                "Find the smallest scale that keeps the claim when a record is **replaced**.",
                (
                    choice("relation", "neighbours", RELATION.names, 1),
                    steps("eps", "claim ε", "0.5", "2", "0.5", "0.5"),
                    steps("scale", "noise scale b", "0.5", "8", "0.5", "2"),
                ),
                (
                    Output("loss", "loss"),
                    Output("holds", "the claim ε", "verdict"),
                    Output("done", "repaired", "yesno"),
                ),
                repair_outputs,
                repair_library,
                repair_charts,
                "repair",
                "done",
                {"relation": 0, "eps": "0.5", "scale": 4},
                "b = 2/ε. Twice the noise, for the same program and the same ε: the price of the other relation.",
            ),
            Exercise(
                "sensitivity",
                "The sensitivity of a sum",
                "Write `sensitivity(low, high, relation)` for the sum of values in [low, high]; the relation is "
                '`"substitute"` or `"add-remove"`.',
                "def sensitivity(low, high, relation):\n    ...\n",
                _sensitivity,
                'def sensitivity(low, high, relation):\n    if relation == "substitute":\n        return high - low\n'
                "    return max(abs(low), abs(high))\n",
                "def sensitivity(low, high, relation):\n    return high - low\n",
            ),
            Exercise(
                "noisy_histogram",
                "A histogram under replacement",
                "Fill in the body so that the claim is proved. " + f"(The version with Lap(1/ε) is "
                f"{decided('record-histogram/records-are-replaced')}.)",
                STARTER,
                _histogram,
                STARTER.replace("    ...\n", "    return [data.count(b) + noise.laplace(2 / eps) for b in BINS]\n"),
                STARTER.replace("    ...\n", "    return [data.count(b) + noise.laplace(1 / eps) for b in BINS]\n"),
            ),
        ),
    )
