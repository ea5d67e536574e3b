"""Lesson 6: the median: global, local and smooth sensitivity."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.lessons import checks
from dpwitness.lessons.labs.median import (
    explore_charts,
    explore_library,
    explore_outputs,
    fix_charts,
    fix_library,
    fix_outputs,
    leak_charts,
    leak_library,
    leak_outputs,
    number,
)
from dpwitness.lessons.model import Code, Exercise, Lab, Lesson, Output, Text, predict, steps
from dpwitness.literature import decide
from dpwitness.proofs.laws.sensitivity import closed_form, order_at_distance
from dpwitness.proofs.laws.smooth import smooth_order

BETA = steps("beta", "smoothness β", "0.05", "2", "0.05", "0.5")
ONES = steps("ones", "how many of the 5 records are 1", "0", "5", "1", "3")
PROGRAM = """\
from dpwitness.core.spaces import Records
from dpwitness.proofs.laws.sensitivity import at_distance, order_statistic
from dpwitness.proofs.laws.smooth import smooth

space = Records((0, 1), 5)                       # all 32 datasets of five bits
table = at_distance(order_statistic(3), space)   # A(0), A(1), ... of the median
for data in ((0, 0, 0, 0, 0), (0, 0, 0, 0, 1), (0, 0, 0, 1, 1)):
    print(data, [int(a) for a in table[data]], "smooth:", smooth(table[data], "1/2"))
"""


def _local(answer: Any) -> str | None:
    datasets: list[list[Any]] = [
        [0, 0, 0, 1, 1],
        [0, 0, 0, 0, 1],
        [0, 1, 1, 1, 1],
        [Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)],
        [1, 0, 0],
    ]
    return checks.values(answer, [((d,), order_at_distance(d, len(d) // 2 + 1, 0, 1, 0)) for d in datasets])


def _smooth(answer: Any) -> str | None:
    datasets: list[list[Any]] = [
        [0, 0, 0, 0, 1],
        [0, 0, 0, 0, 0],
        [0, 1, 1],
        [0.25, 0.5, 0.75],
        [0, 0.25, 0.25, 0.5, 1],
    ]
    cases = []
    for d in datasets:
        for beta in (0.5, 0.125):
            exact = [Fraction(x) for x in d]
            cases.append(((d, beta), number(smooth_order(exact, len(d) // 2 + 1, 0, 1, Fraction(beta)))))
    return checks.values(answer, cases)


def build() -> Lesson:
    """The lesson, with its numbers computed."""
    whole = closed_form("median", low=0, high=1, size=5)["l1"]
    zero = order_at_distance([0, 0, 0, 0, 1], 3, 0, 1, 0)
    star = smooth_order([0, 0, 0, 0, 1], 3, 0, 1, "1/2")
    theorem = decide("003-C13")
    return Lesson(
        "median",
        "The median",
        (
            "tell global, local and smooth sensitivity apart, and compute each for a median",
            "show why noise in proportion to the local sensitivity leaks",
            "use a β-smooth bound, and say what β costs",
        ),
        (
            Text(
                "A robust statistic with a bad worst case",
                """
                The median of five values in [0, 1] hardly moves when one value changes, **usually**. But on
                (0, 0, 0, 1, 1) one changed record turns the median from 0 to 1.

                - *global* sensitivity: the worst move over all datasets
                - *local* sensitivity LS(x): the worst move from the dataset x that we have
                """,
            ),
            predict(
                "What is the global sensitivity of the median of five values in [0, 1]?",
                {"1/5": Fraction(1, 5), "1/2": Fraction(1, 2), "1": Fraction(1)},
                whole,
                f"It is {whole}: noise for the worst case drowns every answer in [0, 1] unless ε is large.",
            ),
            predict(
                "And the local sensitivity of (0, 0, 0, 0, 1)?",
                {"0": Fraction(0), "1/5": Fraction(1, 5), "1": Fraction(1)},
                zero,
                "Whichever record changes, three zeros remain and the median stays 0.",
            ),
            Lab(
                "Local is tempting. Break it.",
                "Add noise in proportion to LS(x): little noise where the median is stable. Find a dataset on which "
                "this "
                "**gives everything away**.",
                (ONES,),
                (
                    Output("median", "median"),
                    Output("here", "LS here: scale of the noise"),
                    Output("near", "largest LS here or next door"),
                    Output("holds", "no certain leak here", "verdict"),
                    Output("done", "leaks", "yesno"),
                ),
                leak_outputs,
                leak_library,
                leak_charts,
                "break",
                "done",
                {"ones": 1},
                "Here the scale is 0 and the output is exactly the median; next door the scale is 1. Seeing 0.000 "
                "exactly, "
                "one knows which of the two it was: the loss is infinite. The *amount* of noise told the secret.",
            ),
            Text(
                "A smooth bound",
                """
                The scale may depend on the data if neighbours have nearly the same scale. The smallest such function
                above LS is the **smooth sensitivity**

                $ S*(x) = max_{k}  e^{−βk} · A^{(k)}(x)

                where A^{(k)}(x) is the largest local sensitivity within k changes of x. From neighbour to neighbour it
                changes by at most a factor e^{β}.
                """,
            ),
            Lab(
                "Five records of your own",
                "Move the records and β. The right bars are the left ones, shrunk by e^{−βk}; the tallest is S*.",
                (
                    *(
                        steps(f"x{i}", f"record {i}", "0", "1", "0.1", v)
                        for i, v in enumerate(("0", "0.1", "0.3", "0.4", "1"), 1)
                    ),
                    BETA,
                ),
                (
                    Output("median", "median"),
                    Output("local", "local sensitivity"),
                    Output("smooth", "smooth sensitivity"),
                ),
                explore_outputs,
                explore_library,
                explore_charts,
            ),
            predict(
                "(0, 0, 0, 0, 1) has LS = 0. With β = 1/2, what is its smooth sensitivity?",
                {"0": 0.0, "e^{−1/2}": number(star), "1/2": 0.5, "1": 1.0},
                number(star),
                "One change away lies (0, 0, 0, 1, 1) with LS = 1; one step costs the factor e^{−1/2}.",
            ),
            Code("By exhaustion", "All datasets of five bits, all distances, exactly.", PROGRAM),
            predict(
                "To publish with heavy-tailed noise (density ∝ 1/(1 + z^{2})), the theorem wants β ≤ ε/6 and noise "
                "6·S*/ε. What does the library say of this theorem?",
                {"false": "FALSE", "true, and exactly tight": "HOLDS", "true, and not tight": "LOOSE"},
                theorem.verdict,
                f"It holds, and a sharper form is proved too: {theorem.tight}.",
            ),
            Lab(
                "Repair it",
                "Use S* in place of LS, with noise of density ∝ 1/(1 + z^{2}). Choose the **largest** β that the "
                "theorem allows.",
                (
                    steps("ones", "records that are 1", "0", "4", "1", "1"),
                    steps("eps", "claim ε", "0.3", "3", "0.3", "1.2"),
                    BETA,
                ),
                (
                    Output("here", "S* here"),
                    Output("step", "ln ratio to one more 1, at most β"),
                    Output("allowed", "largest β allowed, ε/6"),
                    Output("scale", "scale of the noise, 6·S*/ε"),
                    Output("holds", "the theorem’s condition", "verdict"),
                    Output("done", "repaired", "yesno"),
                ),
                fix_outputs,
                fix_library,
                fix_charts,
                "repair",
                "done",
                {"beta": "0.2"},
                "A larger β follows the data more closely and needs less noise, until neighbours’ scales tell them "
                "apart. "
                "The theorem says how far one may go.",
            ),
            Exercise(
                "local_sensitivity",
                "The local sensitivity of a median",
                "Write `local_sensitivity(data)` for an odd number of values in [0, 1] when one record is replaced.",
                "def local_sensitivity(data):\n    ...\n",
                _local,
                "def local_sensitivity(data):\n    x = [0, *sorted(data), 1]\n    m = len(data) // 2 + 1\n"
                "    return max(x[m + 1] - x[m], x[m] - x[m - 1])\n",
                "def local_sensitivity(data):\n    return (max(data) - min(data)) / len(data)\n",
            ),
            Exercise(
                "smooth_sensitivity",
                "The smooth sensitivity of a median",
                "Write `smooth_sensitivity(data, beta)` for an odd number of values in [0, 1]. A^{(k)} is the largest "
                "of "
                "x_{m+t} − x_{m+t−k−1} for t = 0 … k + 1, with 0 before the first value and 1 after the last.",
                "import math\n\ndef smooth_sensitivity(data, beta):\n    ...\n",
                _smooth,
                "import math\n\ndef smooth_sensitivity(data, beta):\n    x, n = sorted(data), len(data)\n    m = n // "
                "2 + 1\n\n"
                "    def at(i):\n        return 0 if i < 1 else 1 if i > n else x[i - 1]\n\n"
                "    return max(math.exp(-beta * k) * max(at(m + t) - at(m + t - k - 1) for t in range(k + 2))\n"
                "               for k in range(n + 1))\n",
                "import math\n\ndef smooth_sensitivity(data, beta):\n    x = [0, *sorted(data), 1]\n    m = len(data) "
                "// 2 + 1\n"
                "    return max(x[m + 1] - x[m], x[m] - x[m - 1])\n",
            ),
        ),
    )
