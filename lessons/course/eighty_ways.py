"""Lesson 14: eighty ways to lose privacy: documented bugs of real libraries, and how each of them is found."""

from __future__ import annotations

import math
from typing import Any

from dpwitness.core.stability.columns import reals
from dpwitness.core.stability.rows import Rows
from dpwitness.corpus import CLASSES, bugs
from dpwitness.corpus.overflow import sum_of_int32
from dpwitness.corpus.special_values import clamp
from dpwitness.lessons.labs.eighty_ways import (
    clamp_charts,
    clamp_library,
    clamp_outputs,
    tree_charts,
    tree_library,
    tree_outputs,
)
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Output, Text, listed, predict
from dpwitness.lessons.run import verdict

PROGRAM = """\
from collections import Counter
from dpwitness.corpus import CLASSES, bugs

kinds = Counter(bug.kind for bug in bugs().values())
for kind, title in CLASSES.items():
    worst = sum(bug.severity == "critical" for bug in bugs().values() if bug.kind == kind)
    print(f"{title:45} {kinds[kind]:3}  critical: {worst}")
print(len(bugs()), "in all")
"""
SEARCH = """\
import dpwitness as dpw
from dpwitness.corpus.overflow import sum_of_int16

found = dpw.stability(sum_of_int16, dpw.Rows(dpw.wholes(0, 100), size=(0, 1000)), "l1", 100)
print(len(found.left), "records:", found.before)
print(len(found.right), "records:", found.after)
print(found.cause)
"""
STARTER = '''\
def total(values):
    """The sum of the values, each between 0 and 1; values may be NaN or infinite, and NaN counts as 0."""
    ...
'''


def _total(answer: Any) -> str | None:
    from dpwitness.auditors.stability.api import stability

    if answer([]) is None or not math.isclose(answer([0.5, 0.25]), 0.75) or answer([7.0, -3.0]) != 1:
        return "the sum of 0.5 and 0.25 should be 0.75, and 7 counts as 1, −3 as 0"
    found = stability(answer, Rows(reals(nan=True, infinite=True)), "l1", 1, max_pairs=2000, seconds=60, isolate=False)
    return (
        f"it moves too far: {found.left} gives {found.before}, {found.right} gives {found.after}"
        if found.refuted
        else None
    )


def build() -> Lesson:
    """The lesson, with its numbers computed."""
    known = bugs()
    critical = sum(bug.severity == "critical" for bug in known.values())
    deterministic = sum(bug.stable is not None for bug in known.values())
    return Lesson(
        "eighty-ways",
        "Eighty ways to lose privacy",
        (
            "tell the classes of bugs that real libraries had, and which of them let data be read off",
            "find a bug of a deterministic function by two inputs, without statistics",
            "say which of the routes finds which class, and what none of them sees",
        ),
        (
            Text(
                "Nobody is spared",
                f"""
                Between the theorem and the program that ships lies everything that can go wrong. This lesson reads
                **{len(known)} documented bugs** of real libraries, re-created in {len(CLASSES)} classes beside their
                repairs. In {critical} of them data can be read off the output.

                None of these libraries was written carelessly. Each bug below passed somebody's review.
                """,
            ),
            Code("By class", "Where the bugs are, and how many of each class are critical.", PROGRAM),
            predict(
                "A clamp says: below 0 it is 0, above 1 it is 1, else the value itself. What does it make of NaN?",
                {"0": 0.0, "1": 1.0, "NaN": "NaN"},
                "NaN" if math.isnan(clamp(math.nan, 0.0, 1.0)) else clamp(math.nan, 0.0, 1.0),
                "Every comparison with NaN is false, so NaN passes. One such record makes the sum NaN.",
            ),
            predict(
                "Two records of 2^{30} are added in a register of 32 bits. The sum is said to move by 2^{30}. "
                "What is it?",
                {"−2^{31}": -(2**31), "2^{31} − 1": 2**31 - 1, "2^{31}": 2**31},
                sum_of_int32([2**30, 2**30]),
                "It wraps around: from 2^{30} to −2^{31}, three times as far as the noise is made for.",
            ),
            Lab(
                "Break a tree",
                """Counts of n leaves and their sum, with Gaussian noise for sensitivity **2**, the height of the tree.
                Choose n so that the claim μ = 1 fails.""",
                (listed("leaves", "leaves n", [1, 2, 3, 4, 6, 9, 12, 16], 2),),
                (
                    Output("moved", "ℓ2 move √(n + 1)"),
                    Output("mu", "μ at noise 2"),
                    Output("holds", "the claim μ = 1", "verdict"),
                    Output("done", "broken", "yesno"),
                ),
                tree_outputs,
                tree_library,
                tree_charts,
                "break",
                "done",
                {"leaves": 9},
                "All leaves may move a little together; at the root their moves add up. The height does not "
                "matter: √(n + 1) does.",
            ),
            Text(
                "Two inputs are a proof",
                f"""
                {deterministic} of the bugs are in a **deterministic** part: a sum, a clip, a join, a resize. There no
                statistics are needed. A function that claims to move by at most b is refuted by two neighbouring inputs
                and two outputs that are further apart.

                The search tries small datasets, a record inserted at every place, the ends and the middle of every
                column, NaN and ±∞, and long runs of one record. Where outputs of two distant datasets are further apart
                than the way between them allows, some step of the way is at fault, and halving finds it.
                """,
            ),
            Code("A sum of small values", "How many values of 100 does it take? Nobody tells the search.", SEARCH),
            predict(
                "Keys are released where their noisy count is at least T, and δ is P(noise > T − 1). And the claim?",
                {"it holds": "PROVED", "it fails": "REFUTED"},
                str(verdict(known["opendp-2922"].broken).decision.value),
                "A new key has count 1 and passes with noise T − 1 or more: the mass at T − 1 was left out of δ.",
            ),
            Lab(
                "Repair a query",
                """SUM(10·x), where x was clamped to [0, 1] before it was multiplied. Find the smallest scale of Laplace
                noise that keeps ε = 1.""",
                (listed("scale", "scale of the noise", ["1/2", 1, 2, 4, 5, 8, 10, 12, 16, 20], 1),),
                (
                    Output("moved", "move of the sum"),
                    Output("loss", "loss"),
                    Output("holds", "the claim ε = 1", "verdict"),
                    Output("done", "smallest scale", "yesno"),
                ),
                clamp_outputs,
                clamp_library,
                clamp_charts,
                "repair",
                "done",
                {"scale": 10},
                "The bounds of a column are not the bounds of an expression of it.",
            ),
            Text(
                "What finds what",
                """
                **Noise too small, budgets, accountants**: exact counterexamples, and audits.

                **Clipping, joins, overflow, NaN**: the stability fuzzer, exactly; audits, once the inputs are found.

                **Scales and sizes that depend on the data**: replay of the same noise on both inputs.

                **Doubles**: a look at bit patterns. **Running time**: making it an output.

                And no audit sees a leak on inputs that nobody tries, or a sampler that works against it: the page
                *Curator's limits* lists these.
                """,
            ),
            Exercise(
                "total",
                "A sum that NaN does not break",
                "Write `total(values)`: each value counts as its nearest number between 0 and 1, NaN counts as 0. With "
                "one record more it may move by 1 at most.",
                STARTER,
                _total,
                "def total(values):\n    return sum(0.0 if not v > 0 else min(v, 1.0) for v in values)\n",
                "def total(values):\n    return sum(0.0 if v < 0 else 1.0 if v > 1 else v for v in values)\n",
            ),
        ),
    )  # fmt: skip
