"""Lesson 10: interactive against non-interactive mechanisms."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.lessons import checks
from dpwitness.lessons.labs.interaction import (
    parity_charts,
    parity_library,
    parity_outputs,
    server_charts,
    server_library,
    server_outputs,
    sum_charts,
    sum_library,
    sum_outputs,
    tuned_library,
    tuned_outputs,
)
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Output, Text, listed, predict, steps
from dpwitness.literature import decide

EPS = steps("eps", "ε", "0.1", "1", "0.1", "0.5")
PROGRAM = """\
import dpwitness as dpw
from dpwitness.core.budget import Budget
from dpwitness.catalogue import catalogue

for name in ("query-server", "query-server/never-refuses",
             "query-server/refuses-by-the-data"):
    budget = Budget(max_pairs=5_000, seconds=300)
    verdict = dpw.verify(catalogue()[name], budget=budget)
    print(f"{name:34} {verdict.decision.value}")
"""
STARTER = '''\
from dpwitness import PureDP, Records, mechanism

@mechanism(data=Records((0, 1), 4), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def two_questions(noise, data, *, eps):
    """How many ones? If many: how many in the first half? Otherwise: in the second half?"""
    first = sum(data) + ...
    half = data[:2] if first > 2 else data[2:]
    second = sum(half) + ...
    return first, second
'''
SOLVED = STARTER.replace("sum(data) + ...", "sum(data) + noise.laplace(2 / eps)").replace(
    "sum(half) + ...", "sum(half) + noise.laplace(2 / eps)"
)


def _two(answer: Any) -> str | None:
    from dpwitness.core import PureDP, Records, mechanism

    @mechanism(data=Records((0, 1), 4), claim=lambda eps: PureDP(eps), typical={"eps": 1})
    def original(noise: Any, data: Any, *, eps: Any) -> Any:
        return 0

    problem = checks.proved(answer, "two_questions", original, [{"eps": 1}, {"eps": "1/2"}])
    return problem or checks.useful(answer, (1, 1, 1, 0), (3, 2), eps=100)


def _error(answer: Any) -> str | None:
    cases = []
    for n, growth in ((100, Fraction(2)), (10**4, Fraction(3)), (1, Fraction(3, 2))):
        values = sum_library({"n": Fraction(n), "growth": growth})
        cases.append(((n, values["eps"]), values["read"]))
    return checks.values(answer, cases)


def refusing() -> str:
    """Whether the server that refuses by the data is private: a refusal on one neighbour only refutes every ε.

    The first question is refused before any noise is drawn, so one run on each neighbour settles it.
    """
    import numpy as np

    from dpwitness.catalogue import catalogue
    from dpwitness.core.mechanism import Mechanism
    from dpwitness.core.readers.recorder import record

    target = catalogue()["query-server/refuses-by-the-data"]
    assert isinstance(target, Mechanism)
    rng = np.random.default_rng(0)
    refused = [
        record(target.program, rng, data, eps=1, budget=2).output[0] is None for data in ([1, 0, 0, 0], [1, 1, 0, 0])
    ]
    return "REFUTED" if refused == [True, False] else "OPEN"


def build() -> Lesson:
    """The lesson, with its numbers computed."""
    values = sum_library({"n": Fraction(10**4), "growth": Fraction(2)})
    more = sum_library({"n": Fraction(10**6), "growth": Fraction(2)})
    growth = round(more["read"] / values["read"], 9)
    theorem = decide("000-C28")
    return Lesson(
        "interaction",
        "Interaction",
        (
            "describe a server that answers adaptive questions, and what it must keep count of",
            "say why a refusal must not depend on the data",
            "compare asking with publishing, and quote the separation theorem with its condition",
        ),
        (
            Text(
                "Two ways to serve",
                """
                **Interactive**: a curator keeps the data. Analysts ask, one question after the other, and get noisy
                answers. Each question may depend on the answers before.

                **Non-interactive**: the curator publishes something once, say every record with a coin flip, and
                retires.

                The second is simpler and safer to run. What does it cost?
                """,
            ),
            Text(
                "A server keeps count",
                """
                Questions are sums over people, Σ_{i} g(i, x_{i}) with g in [0, 1]: one person moves an answer by at
                most 1.
                With noise Lap(b/ε) each answer costs ε/b **to the people whom it concerns**, also when the questions
                are
                chosen one after the other. So the server answers until somebody has been counted b times, then refuses.
                """,
            ),
            Lab(
                "One question too many",
                "ε = 1. The noise is calibrated to b answers a person. Answer until the claim **breaks**.",
                (
                    steps("k", "answers that concern one person", "1", "10", "1", "2"),
                    steps("b", "budget b", "1", "10", "1", "3"),
                ),
                (
                    Output("each", "loss of one answer, 1/b"),
                    Output("loss", "total loss"),
                    Output("holds", "the claim ε = 1", "verdict"),
                    Output("done", "broken", "yesno"),
                ),
                server_outputs,
                server_library,
                server_charts,
                "break",
                "done",
                {"k": 4},
                "A server that never refuses has no privacy guarantee at all, only one for each answer.",
            ),
            predict(
                "A careful server refuses whenever the **true** count is below 2, to protect small groups. Is it "
                "private?",
                {"no": "REFUTED", "yes, it says even less": "PROVED"},
                refusing(),
                "A refusal is an answer: it tells that the true count is below 2, without any noise. Refuse by the "
                "transcript, never by the data.",
            ),
            Code("Three servers", "The same adversary, three rules for refusing.", PROGRAM),
            Lab(
                "Calibrate the server",
                "Answer at least **5** questions about a person at ε = 1, with as little noise as possible.",
                (
                    steps("k", "answers that concern one person", "1", "10", "1", "5"),
                    steps("b", "budget b", "1", "10", "1", "3"),
                ),
                (
                    Output("noise", "standard deviation of an answer"),
                    Output("loss", "total loss"),
                    Output("holds", "the claim ε = 1", "verdict"),
                    Output("done", "repaired", "yesno"),
                ),
                tuned_outputs,
                tuned_library,
                server_charts,
                "repair",
                "done",
                {"b": 5},
                "The noise grows with the number of questions, and not with the number of people.",
            ),
            predict(
                "Publish every bit with a coin flip, and estimate the sum from the noisy bits. With 100 times as many "
                "people, "
                "the error of the sum grows by a factor of",
                {"1": 1.0, "10": growth, "100": 100.0},
                growth,
                "Like √n: every person brings noise. The asked sum has the same error for ten people and for ten "
                "million.",
            ),
            Lab(
                "A sum: ask it, or read it off",
                "The same ε for each person. Solid: Laplace noise on the sum. Dashed: randomized response on every "
                "bit.",
                (
                    listed("growth", "e^{ε}", ["11/10", "5/4", "3/2", 2, 3, 5, 10], 2),
                    listed("n", "people n", [1, 10, 100, 1000, 10**4, 10**5, 10**6], 10**4),
                ),
                (
                    Output("eps", "ε"),
                    Output("asked", "standard error, asked"),
                    Output("read", "standard error, read off"),
                    Output("times", "ratio"),
                ),
                sum_outputs,
                sum_library,
                sum_charts,
            ),
            Text(
                "A separation",
                """
                Worse: there are questions that no publication can serve. A record is a string of d bits; a question
                names
                for each person a mask r_{i} and asks for the sum of the parities r_{i}⊙x_{i}. Draw random records with
                all parities 0, or with all parities 1. The sums are 0 and n.

                **Theorem.** For any ε-private *publication* (ε ≤ 1) and for 2/3 of the masks, its output laws on the
                two are
                at distance at most

                $ 3n · sinh(ε/2) / √(2^{d} − 1)
                """,
            ),
            predict(
                "The slides state the theorem as O(n^{4/3} ε^{2/3} 2^{−d/3}) for all ε. What does the library say?",
                {"it holds": "HOLDS", "it holds under a condition": "CONDITIONAL", "false": "FALSE"},
                theorem.verdict,
                f"Condition: {theorem.condition}. A sharper form holds: {theorem.tight}.",
            ),
            Lab(
                "Blind the publisher",
                "Find d, n and ε such that *asking* tells the two datasets apart (distance ≥ 0.99) and *nothing "
                "published* "
                "can (distance ≤ 0.01).",
                (
                    steps("n", "people n", "1", "100", "1", "10"),
                    EPS,
                    steps("d", "bits of a record d", "2", "40", "1", "10"),
                ),
                (
                    Output("asked", "distance by asking"),
                    Output("published", "distance if published, at most"),
                    Output("done", "separated", "yesno"),
                ),
                parity_outputs,
                parity_library,
                parity_charts,
                "break",
                "done",
                {"n": 20, "d": 30},
                "The server needs one noisy sum. The publisher would have to encode 2^{d} possible questions at once.",
            ),
            Exercise(
                "two_questions",
                "Two adaptive questions",
                "Replace the dots. The second question depends on the first answer, and both may concern the same "
                "person.",
                STARTER,
                _two,
                SOLVED,
                SOLVED.replace("2 / eps", "1 / eps"),
            ),
            Exercise(
                "response_error",
                "The error of noisy bits",
                "Write `response_error(n, eps)`: the standard deviation of the unbiased estimate of a sum of n bits "
                "from "
                "randomized responses.",
                "import math\n\ndef response_error(n, eps):\n    ...\n",
                _error,
                "import math\n\ndef response_error(n, eps):\n    return math.sqrt(n) / (2 * math.sinh(eps / 2))\n",
                "import math\n\ndef response_error(n, eps):\n    return math.sqrt(2) * n / eps\n",
            ),
        ),
    )
