"""Lesson 2: why total variation is not enough: publishing one random record, (i, x_i)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.core.numbers import exact
from dpwitness.lessons import checks
from dpwitness.lessons.closed import show
from dpwitness.lessons.labs.total_variation import (
    both_charts,
    both_library,
    both_outputs,
    flip_charts,
    flip_library,
    flip_outputs,
    lottery_charts,
    lottery_library,
    lottery_outputs,
    publish_charts,
    publish_library,
    publish_outputs,
    record_pair,
)
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Output, Text, listed, predict, steps
from dpwitness.lessons.run import decided
from dpwitness.literature.tools import statistical_difference
from dpwitness.proofs.laws.composition import optimal_delta

SIZES = listed("n", "number of records n", [2, 3, 4, 5, 8, 10, 20, 50, 100, 200, 1000], 4)
PROGRAM = """\
import dpwitness as dpw
from dpwitness.catalogue import catalogue

for name in ("random-record", "random-record/claimed-pure"):
    target = catalogue()[name]
    found = dpw.prove(target)
    print(name, "claims", target.claims()[0].guarantee)
    print("  ", type(found).__name__, getattr(found, "event", ""))
"""
STARTER = '''\
from dpwitness import PureDP, Records, mechanism

@mechanism(data=Records((0, 1), 3), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def random_record(noise, data, *, eps):
    """A random place i and a protected x_i.

    noise.bernoulli(log_odds=t) is true with probability 1 / (1 + exp(-t)).
    """
    i = noise.choice(weights=[1] * len(data))
    ...
'''


def _distance(answer: Any) -> str | None:
    pairs = [record_pair(4), record_pair(3, Fraction(1, 4)), ({"a": Fraction(1)}, {"b": Fraction(1)})]
    return checks.values(answer, [((p, q), statistical_difference(p, q)) for p, q in pairs])


def _random_record(answer: Any) -> str | None:
    import numpy as np

    from dpwitness.core import PureDP, Records, mechanism
    from dpwitness.core.readers.recorder import record

    @mechanism(data=Records((0, 1), 3), claim=lambda eps: PureDP(eps), typical={"eps": 1})
    def original(noise: Any, data: Any, *, eps: Any) -> Any:
        return 0

    problem = checks.proved(answer, "random_record", original, [{"eps": exact(e, "eps")} for e in (1, "1/2")])
    seen = record(answer.program, np.random.default_rng(0), [0, 1, 1], eps=100).output if problem is None else None
    if problem is None and seen not in ((0, 0), (1, 1), (2, 1)):
        return f"it is private, but on (0, 1, 1) with eps = 100 it gives {seen} and not a place with its record"
    return problem


def build() -> Lesson:
    """The lesson, with its numbers computed."""
    tenth = statistical_difference(*record_pair(10))
    worst = float(optimal_delta(1, 1, 0)[1])
    return Lesson(
        "total-variation",
        "Close is not private",
        (
            "compute the total variation distance of two laws",
            "show a program that is as close as you like in that distance and still publishes somebody’s record",
            "repair it with a coin, and say how ε bounds the distance, but not the other way round",
        ),
        (
            Text(
                "A tempting definition",
                """
                Why the ratio? Why not ask that the two output laws are **close**? The usual measure is the total
                variation (statistical) distance, the largest difference over events:

                $ SD(P, Q) = max_{S} |P(S) − Q(S)|

                Suppose a program is called safe when neighbours are at distance at most 1/n, for n people. It sounds
                strict: with a million people, no event may move by more than one in a million.
                """,
            ),
            Text(
                "A candidate: one random record",
                """
                Choose a random person i and publish **(i, x_{i})**, exactly.

                Two neighbouring datasets differ in one person. The outputs differ only when that person is chosen.
                """,
            ),
            predict(
                "Ten people. Two datasets differ in person 1. What is the distance of the two output laws?",
                {"0": Fraction(0), "1/20": Fraction(1, 20), "1/10": Fraction(1, 10), "1": Fraction(1)},
                tenth,
                f"Person 1 is chosen with probability {tenth}, and only then do the outputs differ.",
            ),
            Lab(
                "Pass the test of closeness",
                "Choose n so that neighbours are at distance at most **0.01**. Then read what the program still does.",
                (SIZES,),
                (
                    Output("distance", "total variation distance"),
                    Output("loss", "largest privacy loss"),
                    Output("exposed", "people published in clear", "whole"),
                    Output("done", "close enough", "yesno"),
                ),
                publish_outputs,
                publish_library,
                publish_charts,
                "break",
                "done",
                {"n": 100},
                "The distance is tiny, yet in every run one person is published in clear. The ratio sees it: the "
                "output "
                "(1, 0) has probability 1/n on the left and 0 on the right, a loss of ∞.",
            ),
            predict(
                "Is there any ε for which publishing (i, x_{i}) is ε-private?",
                {"yes, ε = 10 will do": "PROVED", "no, none": "REFUTED"},
                decided("random-record/claimed-pure"),
                "The output (1, 0) is possible on one neighbour and impossible on the other. No factor e^{ε} times 0 "
                "covers a positive number.",
            ),
            Code(
                "Two claims, two verdicts",
                """The same program with two claims. As (0, δ) with δ = 1/n it is proved: that is what closeness says.
                As ε-private, for ε as large as 10, it is refuted.""",
                PROGRAM,
            ),
            Lab(
                "Small δ, many people",
                """A gentler lottery: every person is published with probability δ, independently. It is (0, δ)-private.
                How many people does it hurt?""",
                (
                    listed("delta", "δ", ["1e-6", "1e-5", "1e-4", "1e-3", "1e-2", "1e-1"], "1e-3"),
                    listed("n", "people n", [1, 10, 100, 1000, 10**4, 10**5, 10**6, 10**7], 100),
                ),
                (
                    Output("delta", "δ of the program"),
                    Output("mean", "expected number published"),
                    Output("some", "chance that somebody is"),
                ),
                lottery_outputs,
                lottery_library,
                lottery_charts,
            ),
            predict(
                "In the other direction: M is ε-private with ε = 1. How far apart can the laws of neighbours be?",
                {
                    f"at most {show(worst / 2)}": worst / 2,
                    f"at most {show(worst)}": worst,
                    "any distance up to 1": 1.0,
                },
                worst,
                "At most (e^{ε} − 1)/(e^{ε} + 1) = tanh(ε/2), which randomized response attains. So a bound on the "
                "ratio gives closeness. Closeness gives no bound on the ratio.",
            ),
            Lab(
                "From ε to distance",
                "The largest total variation distance of an ε-private mechanism.",
                (steps("eps", "ε", "0.1", "5", "0.1", "1"),),
                (Output("most", "largest distance tanh(ε/2)"), Output("growth", "factor e^{ε}")),
                both_outputs,
                both_library,
                both_charts,
            ),
            Lab(
                "A coin for x_{i}",
                """Publish i and x_{i} **flipped with probability q**; n = 100. Find the smallest q (in steps of 0.01)
                that keeps the claim.""",
                (steps("q", "flip probability "
                            "q", "0.01", "0.5", "0.01", "0.05"), steps("eps", "claim ε", "0.5", "3", "0.5", "1")),
                (
                    Output("distance", "total variation distance"),
                    Output("loss", "loss ln((1 − q)/q)"),
                    Output("holds", "the claim ε", "verdict"),
                    Output("done", "smallest q", "yesno"),
                ),
                flip_outputs,
                flip_library,
                flip_charts,
                "repair",
                "done",
                {"q": "0.27"},
                "q = 1/(1 + e^{ε}), rounded up. The distance hardly changed; the ratio became finite.",
            ),
            Exercise(
                "distance",
                "Total variation",
                "Write `distance(p, q)` for two laws given as dictionaries from outcomes to probabilities. An outcome "
                "that is missing has probability 0.",
                "def distance(p, q):\n    ...\n",
                _distance,
                "def distance(p, q):\n    return sum(max(0, p.get(s, 0) - q.get(s, 0)) for s in {*p, *q})\n",
                "def distance(p, q):\n    return sum(abs(p.get(s, 0) - q.get(s, 0)) for s in {*p, *q})\n",
            ),
            Exercise(
                "random_record",
                "A random record with a coin",
                "Protect x_{i} with a coin so that the program is ε-private for every ε.",
                STARTER,
                _random_record,
                STARTER.replace("    ...\n", "    flip = noise.bernoulli(log_odds=-eps)\n"
                                "    return i, 1 - data[i] if flip else data[i]\n"),
                STARTER.replace("    ...\n", "    return i, data[i]\n"),
            ),
        ),
    )  # fmt: skip
