"""Lesson 1: the definition of differential privacy, and the density ratio of Laplace noise."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.core import laws
from dpwitness.lessons import checks
from dpwitness.lessons.closed import log, show
from dpwitness.lessons.derived import breaks, steps_of, wrong_branch
from dpwitness.lessons.labs.definition import (
    below,
    break_charts,
    break_library,
    break_outputs,
    ratio_charts,
    ratio_library,
    ratio_outputs,
    repair_charts,
    repair_library,
    repair_outputs,
)
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Output, Text, predict, steps
from dpwitness.lessons.run import decided
from dpwitness.proofs.laws.privacy_curves.curves import pure, scale_for

SCALES = steps("scale", "noise scale b", "0.2", "4", "0.1", "1")
VERIFY = """\
import dpwitness as dpw

@dpw.mechanism(data=dpw.Answers(moves="one", by=1, size=1),
               claim=lambda eps: dpw.PureDP(eps), typical={"eps": 1})
def noisy_count(noise, counts, *, eps):
    return counts[0] + noise.laplace(1 / eps)

@noisy_count.twin("half-the-noise")
def _(noise, counts, *, eps):
    return counts[0] + noise.laplace(1 / (2 * eps))

for target in (noisy_count, *noisy_count.twins):
    verdict = dpw.verify(target)
    print(target.name, verdict.decision.value)
"""


def check_scale(answer: Any) -> str | None:
    """The smallest scale, compared with the library's."""
    for shift, eps in ((1, 1), (2, 1), (1, Fraction(1, 10)), (Fraction(3, 2), 4)):
        got = Fraction(answer(shift, eps)).limit_denominator(10**9)
        least = scale_for("laplace", eps, 0, shift)[1]
        if got != least:
            worst = pure(laws.Laplace(got), shift) if got > 0 else None
            loss = "no noise at all" if worst is None else f"a loss of {show(float(worst[1]))}"
            return f"noise_scale({shift}, {eps}) = {got} gives {loss}; the smallest scale is {least}"
    return None


def check_mechanism(answer: Any) -> str | None:
    """The program must be proved, and must be about this task."""
    from dpwitness.core import PureDP, Records, mechanism

    @mechanism(data=Records((-1, 1), 3), claim=lambda eps: PureDP(eps), typical={"eps": 1})
    def original(noise: Any, data: Any, *, eps: Any) -> Any:
        return 0

    problem = checks.proved(answer, "noisy_votes", original, [{"eps": e} for e in (1, "1/2", 3)])
    return problem or checks.useful(answer, (1, -1, 1), 1, eps=100)


STARTER = '''\
from dpwitness import PureDP, Records, mechanism

@mechanism(data=Records((-1, 1), 3), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def noisy_votes(noise, data, *, eps):
    """The sum of votes, each -1 or 1, private for every eps."""
    ...
'''


def build() -> Lesson:
    """The lesson, with its numbers computed."""
    loss = pure(laws.Laplace(2), 1)
    assert loss is not None
    at_zero = log(below(Fraction(0), Fraction(2)) / below(Fraction(-1), Fraction(2)))
    return Lesson(
        "definition",
        "The definition",
        (
            "say what ε-differential privacy promises, about which two inputs and which events",
            "compute the privacy loss of Laplace noise from a ratio of densities",
            "choose the smallest scale that keeps a promise, and break the promise with a smaller one",
        ),
        (
            Text(
                "One promise",
                """
                A program M reads data, draws noise and prints an output. Take two datasets x and x′ that differ in
                **one person**. M is **ε-differentially private** when for *every* event S

                $ P[M(x) ∈ S] ≤ e^{ε} · P[M(x′) ∈ S]

                and the same with x and x′ exchanged. Whoever sees the output can hardly tell whether you were in the
                data: every event is at most e^{ε} times as likely with you as without you.

                For small ε the factor e^{ε} is close to 1 + ε.
                """,
            ),
            Text(
                "One number per output",
                """
                The **privacy loss** of an output z compares the two densities there:

                $ ln p(z) − ln q(z)

                M is ε-private exactly when this stays between −ε and ε for (almost) every z: an event is made of
                outputs, and a sum of numbers p is at most e^{ε} times the sum of their partners q.

                Laplace noise of scale b has density proportional to e^{−|z|/b}. When the answer moves by s,

                $ |ln p(z) − ln q(z)| = | |z − s| − |z| | / b ≤ s / b
                """,
            ),
            predict(
                "A count moves from 0 to 1. The noise is Laplace with scale b = 2. What is the largest privacy loss?",
                {"1/4": Fraction(1, 4), "1/2": Fraction(1, 2), "1": Fraction(1), "2": Fraction(2)},
                loss[1],
                f"""The loss is at most s/b = {loss[1]}, by the triangle inequality, and every output left of both
                centres attains it.""",
            ),
            Lab(
                "Two densities and one event",
                "The answer is 0 on the left and s on the right. Shift, scale and the event are yours.",
                (
                    steps("shift", "shift s of the answer", "0.2", "3", "0.1", "1"),
                    SCALES,
                    steps("t", "event: output at most t", "-5", "6", "0.25", "0.5"),
                    steps("eps", "claim ε", "0.1", "3", "0.1", "1"),
                ),
                (
                    Output("left", "P[z ≤ t] on the left"),
                    Output("right", "P[z ≤ t] on the right"),
                    Output("seen", "ln of their ratio"),
                    Output("loss", "largest loss s/b"),
                    Output("holds", "the claim ε", "verdict"),
                ),
                ratio_outputs,
                ratio_library,
                ratio_charts,
            ),
            predict(
                "Which event {z ≤ t} shows the whole loss s/b?",
                {
                    "only the event between the two centres, t = s/2": False,
                    "every t at or below both centres": True,
                    "none: the bound is never reached": None,
                },
                abs(at_zero - float(loss[1])) < 1e-12 or None,
                f"""Left of both centres each density ratio is exactly e^{{s/b}}, so the ratio of the probabilities is
                too. With s = 1 and b = 2, the event z ≤ 0 has log-ratio {show(at_zero)}. Move t in the last figure.""",
            ),
            predict(
                "Replace Laplace noise by uniform noise on [−1/ε, 1/ε]. Is the sum still ε-private?",
                {"no": "REFUTED", "yes, the spread is the same": "PROVED"},
                decided("noisy-sum/uniform-noise"),
                """Uniform noise ends, and its end moves with the data: there are outputs that only one of the two
                datasets can give. Their ratio is infinite, so no ε at all is enough.""",
            ),
            Lab(
                "Too little noise",
                "The answer moves by 1 and the program claims **ε = 1**. Choose a scale that breaks the claim.",
                (SCALES,),
                (
                    Output("loss", "loss 1/b"),
                    Output("holds", "the claim ε = 1", "verdict"),
                    Output("done", "broken", "yesno"),
                ),
                break_outputs,
                break_library,
                break_charts,
                "break",
                "done",
                {"scale": "0.9"},
                "Any scale below 1 loses more than ε = 1. There is no grey zone: at b = 1 the claim holds exactly.",
            ),
            Code(
                "Ask for a verdict",
                """
                A mechanism is a plain Python function of its noise and its data. The library runs it with a symbolic
                noise and returns a verdict: a proof that can be re-checked, or a counterexample that can be re-run.
                """,
                VERIFY,
            ),
            Lab(
                "Votes of −1 and +1",
                """Records are now −1 or +1, so that one changed record moves the sum by **2**. Find the **smallest**
                scale that keeps the claim.""",
                (steps("eps", "claim ε", "0.5", "2", "0.5", "1"), SCALES),
                (
                    Output("loss", "loss 2/b"),
                    Output("holds", "the claim ε", "verdict"),
                    Output("waste", "your scale / smallest scale"),
                    Output("done", "repaired", "yesno"),
                ),
                repair_outputs,
                repair_library,
                repair_charts,
                "repair",
                "done",
                {"eps": 1, "scale": 2},
                "b = s/ε: the noise is calibrated to how far one person can move the answer.",
            ),
            steps_of(
                'dpw.noise_law("exp(-Abs(z)/b)/(2*b)", "b > 0")',
                "The density ratio, derived for every scale",
                "Each line is a step; *certified* means that a small checker has verified it for all b at once. The "
                "largest log-ratio of a slide by Δ is Δ/b, and it is reached.",
            ),
            Exercise(
                "noise_scale",
                "The smallest scale",
                "Write `noise_scale(shift, eps)`: the smallest scale of Laplace noise for which an answer that moves "
                "by at most `shift` is released with ε-privacy. Arguments may be fractions.",
                "def noise_scale(shift, eps):\n    ...\n",
                check_scale,
                "def noise_scale(shift, eps):\n    return shift / eps\n",
                "def noise_scale(shift, eps):\n    return eps / shift\n",
            ),
            Exercise(
                "noisy_votes",
                "A private sum of votes",
                "Fill in the body. The check asks the library for a proof at several ε.",
                STARTER,
                check_mechanism,
                STARTER.replace("    ...\n", "    return sum(data) + noise.laplace(2 / eps)\n"),
                STARTER.replace("    ...\n", "    return sum(data) + noise.laplace(1 / eps)\n"),
            ),
            breaks(
                "other_place",
                "Break a step",
                "A derivation takes a wrong branch: it uses ln h(z) = z/b on the whole line, which is right for z < 0 "
                "alone, and says that ln h(z) − ln h(z+Δ) **is** −Δ/b. Write `other_place(shift, scale)`: a z at which "
                "that is wrong.",
                wrong_branch,
                "def other_place(shift, scale):\n    return 1.0\n",
                "def other_place(shift, scale):\n    return -shift - 1.0\n",
            ),
        ),
    )
