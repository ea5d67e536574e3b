"""Lesson 7: sliding and dilation: which noise survives when its scale depends on the data."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from dpwitness.core import laws
from dpwitness.lessons import checks
from dpwitness.lessons.derived import breaks, steps_of, wrong_slope
from dpwitness.lessons.labs.admissible import (
    choose_charts,
    choose_library,
    choose_outputs,
    explore_charts,
    explore_library,
    explore_outputs,
    laplace_charts,
    laplace_library,
    laplace_outputs,
    laplace_report,
    stretch,
    tail_charts,
    tail_library,
    tail_outputs,
)
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Output, Text, choice, listed, predict, steps
from dpwitness.literature import decide
from dpwitness.proofs.laws.privacy_curves.curves import pure

SLIDE = steps("slide", "slide Δ", "0.05", "2", "0.05", "0.3")
DILATE = steps("dilate", "dilation λ: the scale changes by e^{λ}", "0.05", "1", "0.05", "0.15")
PROGRAM = """\
from dpwitness.proofs.laws.densities import analyse

for formula in ("exp(-Abs(z))", "1/(1+z**2)"):
    report = analyse(formula, eps=1)
    for change in (report.slide, report.dilate):
        largest = change.largest and float(change.largest[0])
        print(formula, change.change, largest or change.refuted)
"""


def _largest(answer: Any) -> str | None:
    return checks.values(
        answer, [((g, e), e / (2 * stretch(Fraction(g)))) for g in (2, 3, 4) for e in (Fraction(1), Fraction(1, 2))]
    )


def _cauchy(answer: Any) -> str | None:
    cases = []
    for by in (Fraction(1, 10), Fraction(1), Fraction(3)):
        found = pure(laws.Admissible(2), by)
        assert found is not None
        cases.append(((float(by),), float(found[1])))
    return checks.values(answer, cases, 1e-7)


def build() -> Lesson:
    """The lesson, with its numbers computed."""
    four = stretch(Fraction(4))
    step = decide("003-C15")
    printed = re.sub(r"\^([^\s{(])", r"^{\1}", step.statement)
    report = laplace_report()
    slid = report.slide.largest
    assert slid is not None
    return Lesson(
        "admissible",
        "Sliding and dilation",
        (
            "say what happens to noise whose place *and* width depend on the data",
            "compute the loss of a slide and of a dilation, and split ε between them",
            "explain why Laplace noise fails here without a δ, and which noise does not",
        ),
        (
            Text(
                "Two changes at once",
                """
                The median was released as f(x) + S(x)·Z. On a neighbour both f and S are different, so the law of the
                output is **slid** (another place) and **dilated** (another width):

                $ h(z + Δ)   and   e^{λ}·h(e^{λ}z)

                If each of the two changes costs at most ε/2, the whole costs at most ε. Noise for which this is so is
                called **admissible**.
                """,
            ),
            predict(
                "Slide Laplace noise of scale 1 by Δ = 1/2. What is the largest loss?",
                {"1/4": Fraction(1, 4), "1/2": slid[0], "infinite": None},
                slid[0],
                "A slide of Laplace noise costs exactly Δ: that is the Laplace mechanism.",
            ),
            predict(
                "Now dilate it: compare e^{−|z|} with a version that is 10 % narrower. What is the largest loss?",
                {"about 0.1": "0.1", "about 1": "1", "there is no bound": "the log-ratio is unbounded"},
                report.dilate.refuted,
                "Far out, the narrower tail is smaller by the factor e^{−0.1·|z|}: the log-ratio grows without end.",
            ),
            Lab(
                "The tail tells",
                "Laplace noise and its dilation. Find an output z whose loss is **more than ε/2**.",
                (
                    steps("z", "output z", "0", "40", "1", "2"),
                    DILATE,
                    steps("eps", "ε", "0.5", "4", "0.5", "1"),
                ),
                (
                    Output("seen", "log-ratio at z"),
                    Output("holds", "at most ε/2", "verdict"),
                    Output("done", "broken", "yesno"),
                ),
                tail_outputs,
                tail_library,
                tail_charts,
                "break",
                "done",
                {"z": 10},
                "However small λ > 0 is, some output breaks the claim. Exponential tails forgive a slide and never a "
                "dilation.",
            ),
            Text(
                "Heavier tails",
                """
                Take noise of density proportional to 1/(1 + |z|^{γ}). Far out its log is about −γ ln|z|, and a dilation
                only **adds a constant** to a logarithm:

                $ loss of a dilation = max(1, γ − 1)·λ

                A slide costs at most (γ−1)^{1−1/γ}·Δ. For γ = 2 (the Cauchy law) both factors are 1.
                """,
            ),
            Lab(
                "Slide and dilate",
                "Each change may cost ε/2. Watch the tails of the orange curve.",
                (listed("gamma", "γ", [2, 3, 4, 6], 2), SLIDE, DILATE, steps("eps", "ε", "0.2", "3", "0.2", "1")),
                (
                    Output("slid", "loss of the slide"),
                    Output("slide_holds", "slide within ε/2", "verdict"),
                    Output("wide", "loss of the dilation"),
                    Output("dilate_holds", "dilation within ε/2", "verdict"),
                ),
                explore_outputs,
                explore_library,
                explore_charts,
            ),
            predict(
                "γ = 4: by how much does the loss of a dilation grow per unit of λ?",
                {"1": Fraction(1), "3": Fraction(3), "4": Fraction(4), "5": Fraction(5)},
                four,
                f"max(1, γ − 1) = {four}. At z = 0 it is 1, far out γ − 1.",
            ),
            predict(
                f"Lecture slides prove the sliding step so: “{printed}” What does the library say of it?",
                {"it is false as printed": "FALSE", "it holds": "HOLDS", "it holds under a condition": "CONDITIONAL"},
                step.verdict,
                f"The printed step fails; repaired: {step.repaired or step.tight}. The theorem above it survives.",
            ),
            Code(
                "Any density you like",
                "The library analyses a formula in z; so does `dpwitness noise` on the command line.",
                PROGRAM,
            ),
            Lab(
                "Laplace, with a δ",
                "If a δ is allowed, the far tail may be written off. What does a dilation of Laplace noise cost at "
                "ε/2?",
                (DILATE, steps("eps", "ε", "0.2", "3", "0.2", "1")),
                (
                    Output("wide", "δ, wide against narrow"),
                    Output("narrow", "δ, narrow against wide"),
                    Output("delta", "the larger one"),
                ),
                laplace_outputs,
                laplace_library,
                laplace_charts,
            ),
            Lab(
                "Choose the noise",
                "ε = 1, no δ. Find noise, slide and dilation that are **admissible**: each change at most ε/2.",
                (
                    choice("noise", "noise", ("Laplace", "1/(1 + z²)", "1/(1 + z⁴)")),
                    SLIDE,
                    DILATE,
                ),
                (
                    Output("slid", "loss of the slide"),
                    Output("wide", "loss of the dilation"),
                    Output("holds", "admissible at ε = 1", "verdict"),
                    Output("done", "repaired", "yesno"),
                ),
                choose_outputs,
                choose_library,
                choose_charts,
                "repair",
                "done",
                {"noise": 1},
                "The price of safety under dilation is a heavy tail: Cauchy noise has no variance, not even a mean.",
            ),
            steps_of(
                'dpw.noise_law("1/(1+Abs(z)**gamma)", "gamma > 1")',
                "Sliding and dilation, derived for every γ",
                "The largest slope is reached where its own slope vanishes; the largest dilation loss is reached "
                "at z = 0 or in the limit, whichever is larger: **its form changes at γ = 2**.",
            ),
            Exercise(
                "largest_dilation",
                "How much dilation",
                "Write `largest_dilation(gamma, eps)`: the largest λ that noise of density ∝ 1/(1 + |z|^{γ}) allows "
                "at ε/2.",
                "def largest_dilation(gamma, eps):\n    ...\n",
                _largest,
                "def largest_dilation(gamma, eps):\n    return eps / (2 * max(1, gamma - 1))\n",
                "def largest_dilation(gamma, eps):\n    return eps / (2 * gamma)\n",
            ),
            Exercise(
                "cauchy_slide",
                "A slide of Cauchy noise",
                "Write `cauchy_slide(delta)`: the largest loss when noise of density ∝ 1/(1 + z^{2}) is slid by "
                "delta. A "
                "search over z is fine, if it is exact to 7 digits.",
                "import math\n\ndef cauchy_slide(delta):\n    ...\n",
                _cauchy,
                "import math\n\ndef cauchy_slide(delta):\n    return 2 * math.asinh(delta / 2)\n",
                "import math\n\ndef cauchy_slide(delta):\n    return math.log(1 + delta**2)\n",
            ),
            breaks(
                "steep_place",
                "Break a step",
                "A derivation says: *the slope γ|z|^(γ−1)/(1+|z|^γ) is at most 1 for every γ > 1*. It is right for "
                "γ ≤ 2. Write `steep_place()`: a pair (γ, z) at which it fails.",
                wrong_slope,
                "def steep_place():\n    return 4.0, 3 ** 0.25\n",
                "def steep_place():\n    return 2.0, 1.0\n",
            ),
        ),
    )
