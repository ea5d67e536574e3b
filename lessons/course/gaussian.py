"""Lesson 5: Gaussian noise three ways: the classical formula, a shorter one that is wrong, and the exact one."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.core import laws
from dpwitness.lessons import checks
from dpwitness.lessons.closed import show, sqrt
from dpwitness.lessons.derived import breaks, steps_of, wrong_limit
from dpwitness.lessons.labs.gaussian import (
    CLASSICAL,
    SHORT,
    large_charts,
    large_library,
    large_outputs,
    real_delta,
    three_charts,
    three_library,
    three_outputs,
    tune_charts,
    tune_library,
    tune_outputs,
    variance,
)
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Output, Text, listed, predict, steps
from dpwitness.lessons.run import decided
from dpwitness.proofs.laws.privacy_curves.curves import delta, pure, scale_for

DELTAS = listed("delta", "δ", ["1e-9", "1e-8", "1e-7", "1e-6", "1e-5", "1e-4", "1e-3", "1e-2"], "1e-5")
PROGRAM = """\
from dpwitness.proofs.laws.privacy_curves.curves import delta, scale_for
from dpwitness.core.laws import Gaussian

low, high = delta(Gaussian(4), 1, 1)           # encloses δ(1) for σ = 4
print(f"δ(1) = {float(low):.12g}, width {float(high - low):.0e}")
low, high = scale_for("gaussian", 1, "1e-5")   # the smallest σ for (1, 1e-5)
print(f"σ = {float(high):.12g}")
"""


def _delta(answer: Any) -> str | None:
    cases = [
        ((s, e), float(delta(laws.Gaussian(Fraction(s)), 1, Fraction(e))[1]))
        for s, e in ((1, 1), (4, 1), (2, 0.5), (1, 0))
    ]
    return checks.values(answer, cases, 1e-8)


def _sigma(answer: Any) -> str | None:
    for e, d in (("1", "1e-5"), ("1/2", "1e-6"), ("4", "1e-3")):
        least, enough = scale_for("gaussian", e, d)
        got = float(answer(float(Fraction(e)), float(Fraction(d))))
        if got < float(least) * (1 - 1e-9):
            return f"sigma_for({e}, {d}) = {got:.10g} is too small: δ is exceeded; {float(enough):.10g} is enough"
        if got > float(enough) * 1.001:
            return f"sigma_for({e}, {d}) = {got:.10g} is private but wasteful; {float(enough):.10g} is enough"
    return None


def build() -> Lesson:
    """The lesson, with its numbers computed."""
    d = Fraction(1, 10**5)
    short, at_ten = real_delta(SHORT, Fraction(1, 2), d), real_delta(CLASSICAL, Fraction(10), d)
    least = float(scale_for("gaussian", 1, d)[1])
    classical = sqrt(variance(CLASSICAL, Fraction(1), d)[0])
    saved = round(100 * (1 - least / classical))
    return Lesson(
        "gaussian",
        "Gaussian noise, three ways",
        (
            "write down the exact privacy curve δ(ε) of Gaussian noise",
            "say where the classical formula is proved, where it fails and what it wastes",
            "find the smallest standard deviation for a promise (ε,δ)",
        ),
        (
            Text(
                "A loss without bound",
                """
                With Gaussian noise of deviation σ and an answer that moves by 1, the privacy loss of an output z is

                $ ln p(z) − ln q(z) = (1 − 2z) / (2σ^{2})

                a straight line: far enough out it exceeds every ε. So Gaussian noise needs a δ, and the question is
                which σ is enough for (ε, δ).
                """,
            ),
            predict(
                "Is Gaussian noise with a huge deviation σ ε-private for some finite ε, with δ = 0?",
                {"yes, for σ large enough": True, "no, for no σ and no ε": False},
                pure(laws.Gaussian(1000), 1) is not None,
                "The loss is a line with slope −1/σ^{2}. A small slope only means that one has to go further out.",
            ),
            Text(
                "Three formulas",
                """
                - **classical**: σ = √(2 ln(1.25/δ)) / ε, proved for ε < 1
                - **short**, from lecture notes: σ^{2} = ln(1/δ) / ε^{2}
                - **exact**: the smallest σ with

                $ δ(ε) = Φ(1/(2σ) − εσ) − e^{ε} Φ(−1/(2σ) − εσ) ≤ δ

                The last line is not a bound: it *is* the privacy curve of Gaussian noise.
                """,
            ),
            predict(
                "The short formula at ε = 1/2 and δ = 10^{−5}: what is the true δ(1/2)?",
                {
                    f"{show(float(short) / 10)}, far below": short / 10,
                    "10^{−5}, exactly": d,
                    f"{show(float(short))}, too much": short,
                },
                short,
                "A factor 2 is missing under the root. The promise is broken, by less than a factor of two: no "
                "experiment "
                "with a few thousand samples would notice.",
            ),
            Lab(
                "One promise, three deviations",
                "Move ε and δ. Which formula keeps the promise, and how much noise does it use?",
                (steps("eps", "ε", "0.1", "6", "0.1", "0.5"), DELTAS),
                (
                    Output("classical", "σ classical"),
                    Output("spent", "its true δ"),
                    Output("classical_holds", "classical", "verdict"),
                    Output("short", "σ short"),
                    Output("real", "its true δ"),
                    Output("short_holds", "short", "verdict"),
                    Output("exact", "σ exact"),
                ),
                three_outputs,
                three_library,
                three_charts,
            ),
            predict(
                "And the classical formula at ε = 10, δ = 10^{−5}?",
                {
                    "broken: the true δ is " + show(float(at_ten)): True,
                    "it holds, as for every ε": False,
                },
                at_ten > d,
                "Its proof needs ε < 1. For larger ε the formula shrinks σ too fast. "
                f"(The library says of such a program: {decided('gaussian-classical/beyond-epsilon-one')}.)",
            ),
            Lab(
                "Leave the domain of the proof",
                "The classical formula with δ = 10^{−5}. Find an ε for which it **breaks** the promise.",
                (steps("eps", "ε", "0.5", "14", "0.5", "0.5"),),
                (
                    Output("spent", "true δ(ε)"),
                    Output("times", "over the promised δ"),
                    Output("holds", "the promise", "verdict"),
                    Output("done", "broken", "yesno"),
                ),
                large_outputs,
                large_library,
                large_charts,
                "break",
                "done",
                {"eps": 10},
                "A formula without its condition is not a theorem. Just outside ε = 1 it still happens to hold; then "
                "it "
                "does not.",
            ),
            predict(
                "At ε = 1 and δ = 10^{−5}, how much smaller is the exact σ than the classical one?",
                {"the same": 0, f"about {saved} % smaller": saved, "about 80 % smaller": 80},
                saved,
                f"{show(least)} instead of {show(classical)}. The same privacy with less noise, because nothing was "
                "given "
                "away in a tail bound.",
            ),
            Code("Ask for rigorous numbers", "Every answer is an interval that contains the truth.", PROGRAM),
            Lab(
                "Tune σ for (1, 10^{−5})",
                "Find the smallest σ, in steps of 0.01, that keeps the promise.",
                (steps("sigma", "σ", "2.5", "5", "0.01", "3"),),
                (
                    Output("real", "true δ(1)"),
                    Output("holds", "(1, 1e-5)", "verdict"),
                    Output("done", "smallest", "yesno"),
                ),
                tune_outputs,
                tune_library,
                tune_charts,
                "repair",
                "done",
                {"sigma": "3.74"},
                "Round a deviation **up**. Rounding to the nearest digit may land just below what is needed.",
            ),
            steps_of(
                'dpw.noise_law("exp(-z**2/(2*sigma**2))", "sigma > 0")',
                "The Gaussian law, derived for every σ",
                "No slide has a finite pure loss, and the derivation names the limit that is infinite. δ(ε) is an "
                "integral up to the place where the log-ratio is ε.",
            ),
            Exercise(
                "gaussian_delta",
                "The privacy curve",
                "Write `gaussian_delta(sigma, eps)`: δ(ε) when the answer moves by 1. `math.erfc` is enough.",
                "import math\n\ndef gaussian_delta(sigma, eps):\n    ...\n",
                _delta,
                "import math\n\ndef phi(x):\n    return math.erfc(-x / math.sqrt(2)) / 2\n\n"
                "def gaussian_delta(sigma, eps):\n    mu = 1 / sigma\n"
                "    return phi(mu / 2 - eps / mu) - math.exp(eps) * phi(-mu / 2 - eps / mu)\n",
                "import math\n\ndef gaussian_delta(sigma, eps):\n    return 1.25 * math.exp(-(sigma * eps) ** 2 / 2)\n",
            ),
            Exercise(
                "sigma_for",
                "The smallest deviation",
                "Write `sigma_for(eps, delta)`: a deviation that keeps the promise and is at most 0.1 % larger than "
                "needed.",
                "def sigma_for(eps, delta):\n    ...\n",
                _sigma,
                "import math\n\ndef sigma_for(eps, delta):\n    def phi(x):\n        return math.erfc(-x / "
                "math.sqrt(2)) / 2\n\n"
                "    def spent(s):\n        return phi(1 / (2 * s) - eps * s) - math.exp(eps) * phi(-1 / (2 * s) - "
                "eps * s)\n\n"
                "    low, high = 0.01, 1000.0\n    for _ in range(100):\n        middle = (low + high) / 2\n"
                "        low, high = (low, middle) if spent(middle) <= delta else (middle, high)\n    return high\n",
                "import math\n\ndef sigma_for(eps, delta):\n    return math.sqrt(math.log(1 / delta)) / eps\n",
            ),
            breaks(
                "far",
                "Break a step",
                "A derivation takes the limit at z = 0 and says: *the loss is at most some number*. Write "
                "`far(shift, sigma, bound)`: a z at which |ln h(z) − ln h(z+Δ)| = |Δ(2z+Δ)|/(2σ²) exceeds the bound.",
                wrong_limit,
                "def far(shift, sigma, bound):\n    return (bound + 1) * sigma**2 / shift\n",
                "def far(shift, sigma, bound):\n    return 0.0\n",
            ),
        ),
    )
