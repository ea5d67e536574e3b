"""Lesson 11: what doubles do to a proof: a machine with few bits, and the real one."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from dpwitness.lessons import checks
from dpwitness.lessons.labs.doubles import snap_charts, snap_library, snap_outputs, toy_charts, toy_library, toy_outputs
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Output, Text, choice, predict, steps
from dpwitness.lessons.run import decided

BITS = steps("bits", "significant bits of the machine", "3", "12", "1", "5")
GRIDS = ("none", "1/8", "1/4", "1/2", "1")
AUDIT = """\
import numpy as np
import dpwitness as dpw

def plain(data, size, rng):            # what everybody writes
    return data + rng.laplace(0.0, 1.0, size)

def rounded(data, size, rng):          # rounded to quarters afterwards
    return np.round(4 * plain(data, size, rng)) / 4

for name, program in (("plain", plain), ("rounded", rounded)):
    result = dpw.audit(program, 0.0, 1.0, epsilon=1, max_pairs=100_000,
                       numerics="doubles")
    print(name, "refuted:" if result.refuted else "not refuted;", result.event)
"""
STARTER = '''\
from dpwitness import PureDP, Records, mechanism

@mechanism(data=Records((0, 1), 4), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def whole_count(noise, data, *, eps):
    """How many ones, with whole noise: noise.discrete_laplace(scale)."""
    ...
'''


def _level(answer: Any) -> str | None:
    cases = []
    for z in (1.0, 0.75, 12.0, 0.1, -0.5, 3.0e-5, 2.0**60):
        top, bottom = map(abs, z.as_integer_ratio())
        cases.append(((z,), (top & -top).bit_length() - bottom.bit_length()))
    return checks.values(answer, cases)


def _count(answer: Any) -> str | None:
    import numpy as np

    from dpwitness.core import PureDP, Records, mechanism
    from dpwitness.core.readers.recorder import record

    @mechanism(data=Records((0, 1), 4), claim=lambda eps: PureDP(eps), typical={"eps": 1})
    def original(noise: Any, data: Any, *, eps: Any) -> Any:
        return 0

    problem = checks.proved(answer, "whole_count", original, [{"eps": 1}, {"eps": "1/2"}])
    problem = problem or checks.useful(answer, (0, 1, 1, 0), 2, eps=100)
    if problem is None:
        seen = record(answer.program, np.random.default_rng(0), [0, 1, 1, 0], eps=1).output
        if int(seen) != seen:
            return f"it is private, but gives {seen}, which is not a whole number"
    return problem


def audited() -> tuple[str, str, str]:
    """What an audit says of 0 + Lap(1) against 1 + Lap(1) as doubles, its event, and the same rounded to quarters."""
    import numpy as np

    import dpwitness as dpw

    def plain(data: float, size: int, rng: Any) -> Any:
        return data + rng.laplace(0.0, 1.0, size)

    def rounded(data: float, size: int, rng: Any) -> Any:
        return np.round(4 * plain(data, size, rng)) / 4

    found = [
        dpw.audit(program, 0.0, 1.0, epsilon=1, max_pairs=100_000, numerics="doubles") for program in (plain, rounded)
    ]
    words = ["refuted" if one.refuted else "not refuted" for one in found]
    return words[0], re.sub(r"\^(-?\d+)", r"^{\1}", found[0].event).replace("-", "−"), words[1]


def build() -> Lesson:
    """The lesson, with its numbers computed."""
    plain, event, rounded = audited()
    twelve = toy_library({"bits": Fraction(12)})["alone"]
    many = float(twelve) > 0.5
    return Lesson(
        "doubles",
        "What doubles do to a proof",
        (
            "say which assumption of the Laplace proof no computer satisfies",
            "find outputs that only one of two inputs can give, on a toy machine and on the real one",
            "name two repairs, and say what each of them promises",
        ),
        (
            Text(
                "The proof is about real numbers",
                """
                “The density ratio at z is at most e^{ε}.” For a real number z both densities are positive. A program
                prints
                a **double**, and the sum of an answer and a draw can only land on doubles that are near the answer
                *and*
                within reach of the draw.

                The two sets of reachable outputs need not be the same. An output that only one input can reach has an
                infinite loss.
                """,
            ),
            Text(
                "A toy machine",
                """
                To see it, take a machine with few bits. It draws u from 1/64, 2/64, … 1, computes the noise ±ln(1/u),
                **rounds to p significant bits**, adds the answer and rounds again.

                We compare the answers 0 and 1. On paper the noise is Lap(1), so that ε = 1.
                """,
            ),
            predict(
                "With 12 bits instead of 5, the machine is more precise. What happens to the outputs that give the "
                "input away?",
                {"they become rare": False, "most runs give the input away": True},
                many,
                f"With 12 bits they have probability {float(twelve):.2f}. More bits mean more different outputs, and "
                "fewer that "
                "both inputs can reach. Precision does not help; it is the other way round.",
            ),
            Lab(
                "Break the proof",
                "Choose a machine on which **at least half** of the runs on answer 0 give the input away.",
                (BITS,),
                (
                    Output("many", "different outputs on answer 0", "whole"),
                    Output("alone", "P[output impossible on 1], answer 0"),
                    Output("other", "P[output impossible on 0], answer 1"),
                    Output("holds", "same outputs on both", "verdict"),
                    Output("done", "broken", "yesno"),
                ),
                toy_outputs,
                toy_library,
                toy_charts,
                "break",
                "done",
                {"bits": 10},
                "The proof was right and its assumption was not. Orange marks are outputs with an infinite loss.",
            ),
            predict(
                "Now the real thing: numpy’s Laplace noise in doubles, 53 bits. Audit 0 + noise against 1 + noise, "
                "looking at the "
                "bits. The claim ε = 1 is",
                {"refuted": "refuted", "not refuted: 53 bits are enough": "not refuted"},
                plain,
                f"Event: {event}. Near 0 the sum of 1 and a draw is always a multiple of 2^{{−53}}; a draw alone is "
                "usually not.",
            ),
            Code(
                "See for yourself",
                "The auditor finds an event about the bits on some samples, and counts it on others.",
                AUDIT,
            ),
            predict(
                "Round the output to quarters **after** adding the noise. What does the same audit say?",
                {"refuted as before": "refuted", "not refuted": "not refuted"},
                rounded,
                "The low bits are gone, and with them the leak that this audit looks for. “Not refuted” is not "
                "“proved”.",
            ),
            Lab(
                "Round it off",
                "Round the toy machine’s outputs to a grid. Bring what gives an input away down to **0.02** on both "
                "sides.",
                (choice("grid", "grid", GRIDS), steps("bits", "significant bits", "6", "12", "1", "8")),
                (
                    Output("many", "different outputs on answer 0", "whole"),
                    Output("alone", "P[gives away answer 0]"),
                    Output("other", "P[gives away answer 1]"),
                    Output("done", "repaired", "yesno"),
                ),
                snap_outputs,
                snap_library,
                snap_charts,
                "repair",
                "done",
                {"grid": 4},
                "What remains are the far ends: the toy’s noise stops at ln 64. Clamping the output (the snapping "
                "mechanism) or "
                "noise that is a whole number from the start removes that too.",
            ),
            predict(
                "A count with **integer** noise, P[k] proportional to e^{−ε|k|}. What does the prover say of "
                "ε-privacy?",
                {"undecided": "UNDECIDED", "refuted": "REFUTED", "proved": "PROVED"},
                decided("geometric"),
                "Whole numbers are exact on a computer, if the sampler is. The proof is about the numbers that are "
                "printed.",
            ),
            Exercise(
                "level",
                "The lowest bit",
                "Write `level(z)`: the exponent e for which z = odd·2^{e}, for a double z ≠ 0. `z.as_integer_ratio()` "
                "helps.",
                "def level(z):\n    ...\n",
                _level,
                "def level(z):\n    top, bottom = z.as_integer_ratio()\n    e = -(bottom.bit_length() - 1)\n"
                "    while top % 2 == 0:\n        top //= 2\n        e += 1\n    return e\n",
                "import math\n\ndef level(z):\n    return math.floor(math.log2(abs(z)))\n",
            ),
            Exercise(
                "whole_count",
                "A count in whole numbers",
                "Fill in the body: ε-private for every ε, and every output a whole number.",
                STARTER,
                _count,
                STARTER.replace("    ...\n", "    return sum(data) + noise.discrete_laplace(1 / eps)\n"),
                STARTER.replace("    ...\n", "    return sum(data) + noise.laplace(1 / eps)\n"),
            ),
        ),
    )
