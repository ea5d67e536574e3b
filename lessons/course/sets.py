"""Lesson 4: single outcomes against sets, the (ε,δ) homework and its repair."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.lessons import checks
from dpwitness.lessons.closed import exp, show
from dpwitness.lessons.derived import breaks, lost_condition
from dpwitness.lessons.labs.sets import (
    claim_charts,
    claim_library,
    claim_outputs,
    homework_charts,
    homework_library,
    homework_outputs,
    many_charts,
    many_library,
    many_outputs,
)
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Output, Text, predict, steps
from dpwitness.literature import tools
from dpwitness.literature.composition.sets import SETS, SINGLE, homework, private_on
from dpwitness.proofs.laws.outcomes import separation

DELTAS = steps("delta", "δ", "0.01", "0.45", "0.01", "0.1")
PROGRAM = """\
from dpwitness.literature import decide

for name in ("002-C2", "002-C1"):
    found = decide(name)
    print(found.title, "is", found.verdict)
    print("   repaired:", found.repaired)
"""


def _growth(answer: Any) -> str | None:
    cases = []
    for d in (Fraction(1, 10), Fraction(1, 4), Fraction(1, 100)):
        growth = (1 - d) / (1 - 2 * d)
        assert private_on(SINGLE, homework(d), growth, d)
        assert not private_on(SINGLE, homework(d), growth - Fraction(1, 10**9), d)
        cases.append(((d,), growth))
    return checks.values(answer, cases)


def _set_delta(answer: Any) -> str | None:
    pairs = [
        homework(Fraction(1, 10)),
        ({"a": Fraction(1, 2), "b": Fraction(1, 2)}, {"a": Fraction(1, 3), "b": Fraction(2, 3)}),
    ]
    cases = []
    for left, right in pairs:
        for growth in (Fraction(1), Fraction(5, 4), Fraction(2)):
            worst = max(tools.hockey_stick(left, right, growth), tools.hockey_stick(right, left, growth))
            cases.append(((left, right, growth), worst))
    return checks.values(answer, cases)


def build() -> Lesson:
    """The lesson, with its numbers computed."""
    tenth = Fraction(1, 10)
    eleven = separation(11, 1, "1/100")
    assert eleven is not None
    total = sum((eleven.left[i] for i in eleven.event), Fraction(0))
    printed = private_on(SINGLE, homework(tenth), Fraction(11052, 10000), tenth)  # e^0.1 = 1.10517…, rounded up
    fails = not private_on(SETS, homework(tenth), Fraction(9, 8), tenth)
    return Lesson(
        "sets",
        "Outcomes and sets",
        (
            "state (ε,δ)-privacy and say why it speaks of sets and not of single outcomes",
            "follow a published counterexample to its third line, where it fails, and repair it",
            "compute the true δ of a pair of finite laws",
        ),
        (
            Text(
                "A little slack",
                """
                (ε,δ)-privacy allows each event a small extra probability:

                $ P[M(x) ∈ S] ≤ e^{ε} · P[M(x′) ∈ S] + δ  for all sets S

                For δ = 0 it is enough to check single outcomes: adding up inequalities keeps the factor e^{ε}. For
                δ > 0 each outcome brings its **own** δ, and they add up too.
                """,
            ),
            Text(
                "The homework",
                """
                *Show that (ε,δ) for every single outcome does not give (ε,δ) for sets.* A solution that circulates:

                $ M(x) = (a: 1−2δ,  b_{1}: δ,  b_{2}: δ),   M(x′) = (a: 1),   ε = δ

                - “Each outcome is fine”: outcome a needs 1 ≤ e^{ε}(1−2δ) + δ.
                - “The set {b_{1}, b_{2}} is not”: it has 2δ against 0, more than δ.

                The idea is good. One of the two lines is wrong.
                """,
            ),
            predict(
                "With ε = δ = 1/10, does outcome a satisfy 1 ≤ e^{ε}(1 − 2δ) + δ?",
                {"yes": True, "no": False},
                printed,
                f"e^{{0.1}}·0.8 + 0.1 = {show(exp(0.1) * 0.8 + 0.1)} is below 1. With ε = δ this fails for every δ "
                "in (0, 1/2]: the counterexample is not even private on single outcomes, so it shows nothing.",
            ),
            Lab(
                "Break the implication, properly",
                "Find ε and δ such that **every outcome** is fine and the **set** is not.",
                (DELTAS, steps("eps", "ε", "0", "1.5", "0.01", "0.1")),
                (
                    Output("edge", "smallest ε for outcome a"),
                    Output("slack", "slack of outcome a"),
                    Output("single", "every single outcome", "verdict"),
                    Output("both", "P of {b_{1}, b_{2}}, against 0"),
                    Output("sets", "every set", "verdict"),
                    Output("done", "separated", "yesno"),
                ),
                homework_outputs,
                homework_library,
                homework_charts,
                "break",
                "done",
                {"eps": "0.12"},
                "ε ≥ ln((1−δ)/(1−2δ)) is the missing condition. With it the homework’s mechanism does separate "
                "outcomes "
                "from sets.",
            ),
            Code(
                "What the library says of the slides",
                "The printed claims are data; the verdict is computed from them, and so is the repaired statement.",
                PROGRAM,
            ),
            predict(
                "δ = 1/10 and e^{ε} = 9/8. Every outcome is fine now. What is the smallest δ′ that is right for all "
                "sets?",
                {"1/10": tenth, "1/5": Fraction(1, 5), "3/10": Fraction(3, 10)},
                max(tools.hockey_stick(*homework(tenth), Fraction(9, 8)),
                    tools.hockey_stick(*homework(tenth)[::-1], Fraction(9, 8))),
                "The set {b_{1}, b_{2}} has 1/5 against "
                "0. " + ("With δ = 1/10 the claim on sets fails." if fails else ""),
            ),
            predict(
                "A pair with 11 outcomes is fine, outcome by outcome, at δ = 0.01. How large can a set’s excess be?",
                {"0.01": Fraction(1, 100), "0.02": Fraction(1, 50), "0.1": Fraction(1, 10), "1": Fraction(1)},
                total,
                "Ten rare outcomes of 0.01 each, all impossible on the neighbour. In general (m − 1)·δ for m outcomes: "
                "with many outcomes, a promise about each one is worth nothing.",
            ),
            Lab(
                "Many outcomes",
                "Every single outcome is fine at δ = 0.01 and ε = 1. The set of all rare outcomes is not.",
                (steps("m", "outcomes m", "3", "40", "1", "11"),),
                (
                    Output("single", "P of one rare outcome"),
                    Output("event", "P of their set, against 0"),
                    Output("factor", "times δ"),
                ),
                many_outputs,
                many_library,
                many_charts,
            ),
            Lab(
                "Repair the claim",
                "Keep the mechanism and repair its **claim**: find the smallest δ′ (in steps of 0.01) that is true of "
                "all sets.",
                (
                    DELTAS,
                    steps("eps", "ε", "0", "1.5", "0.05", "0.1"),
                    steps("claimed", "claimed δ′", "0", "0.9", "0.01", "0.1"),
                ),
                (
                    Output("needed", "true δ at this ε"),
                    Output("holds", "(ε, δ′) on all sets", "verdict"),
                    Output("done", "smallest", "yesno"),
                ),
                claim_outputs,
                claim_library,
                claim_charts,
                "repair",
                "done",
                {"claimed": "0.2"},
                "Summing (p − e^{ε}q) over the outcomes where it is positive gives the true δ: that is the worst set, "
                "and "
                "no other set has to be looked at.",
            ),
            Code(
                "The same, for m outcomes and every δ",
                "Each line speaks of **all** m ≥ 2 and all δ below 1/m, and a small checker has verified it.",
                "from dpwitness.proofs.derivations.finite import named\n\n"
                "for line in named(\"sets\").lines():\n    print(line)\n",
            ),
            Exercise(
                "growth",
                "The missing condition",
                "Write `growth(delta)`: the smallest e^{ε} for which the homework’s pair is fine on every single "
                "outcome.",
                "def growth(delta):\n    ...\n",
                _growth,
                "def growth(delta):\n    return (1 - delta) / (1 - 2 * delta)\n",
                "def growth(delta):\n    return 1 + delta\n",
            ),
            Exercise(
                "set_delta",
                "The true δ",
                "Write `set_delta(p, q, growth)`: the smallest δ for which two laws (dictionaries) satisfy the "
                "inequality "
                "on all sets, **in both orders**, where growth = e^{ε}.",
                "def set_delta(p, q, growth):\n    ...\n",
                _set_delta,
                "def set_delta(p, q, growth):\n    def one(a, b):\n        return sum(max(0, a[s] - growth * b[s]) "
                "for s in a)\n\n"
                "    return max(one(p, q), one(q, p))\n",
                "def set_delta(p, q, growth):\n    return max(0, max(p[s] - growth * q[s] for s in p))\n",
            ),
            breaks(
                "broken_delta",
                "Break a step",
                "A derivation takes the condition for two outcomes, e^{ε} = (1−δ)/(1−2δ), and uses it for m outcomes. "
                "Write `broken_delta(m)`: a δ below 1/m at which outcome a, with 1 against 1 − mδ, is not fine.",
                lost_condition,
                "def broken_delta(m):\n    return 1 / (2 * m)\n",
                "def broken_delta(m):\n    return 0.9\n",
            ),
        ),
    )  # fmt: skip
