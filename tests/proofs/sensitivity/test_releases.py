"""Functions released with noise: which n keep the claim, and counterexamples that are ones."""

from __future__ import annotations

import math

import numpy as np
import pytest
from flint import arb

from dpwitness.core.errors import BadInput
from dpwitness.core.verdict import Decision
from dpwitness.proofs.kernel.check import check
from dpwitness.proofs.kernel.sensitivity.releases import WINS
from dpwitness.proofs.sensitivity.releases import NoisyFunction, decide

CHAIN = "sum(abs(x[i] - x[i+1]) for i in range(n-1))"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (NoisyFunction("sum(x)", "release", "laplace", "1"), "PROVED for every n >= 1"),
        (NoisyFunction("sum(x)", "release", "laplace", "0.999"), "REFUTED for every n >= 1"),
        (NoisyFunction("mean(x)", "release", "laplace", "1/n"), "PROVED for every n >= 1"),
        (NoisyFunction("mean(x)", "release", "laplace", "1/(n+1)"), "REFUTED for every n >= 1"),
        (NoisyFunction("mean(x)", "release", "laplace", "1/3"), "REFUTED for n = 1; n = 2, PROVED for every n >= 3"),
        (NoisyFunction("mean(x)", "release", "gaussian-zcdp", "1/n**2"), "PROVED for every n >= 1"),
        (NoisyFunction("mean(x)", "release", "gaussian-gdp", "1/(2*n**2)"), "REFUTED for every n >= 1"),
        (NoisyFunction("median(x)", "release", "laplace", "1/2"),
         "REFUTED for every n = 1, 3, 5, ..., PROVED for every n = 2, 4, 6, ..."),
        (NoisyFunction("median(x)", "release", "gaussian-gdp", "1/4"),
         "REFUTED for every n = 1, 3, 5, ..., PROVED for every n = 2, 4, 6, ..."),
        (NoisyFunction(CHAIN, "release", "laplace", "1"), "REFUTED for every n >= 3, PROVED for n = 1; n = 2"),
        (NoisyFunction("sum(x)", "selection", "gumbel", "2"), "PROVED for every n >= 1"),
        (NoisyFunction("sum(x)", "selection", "laplace", "2"), "PROVED for every n >= 1"),
        (NoisyFunction("sum(x)", "selection", "exponential", "2"), "PROVED for every n >= 1"),
        (NoisyFunction("sum(x)", "selection", "gumbel", "1.9"), "REFUTED for every n >= 1"),
        (NoisyFunction("sum(x)", "selection", "laplace", "1.8"), "REFUTED for every n >= 1"),
        (NoisyFunction("sum(x)", "selection", "exponential", "1.9"), "REFUTED for every n >= 1"),
        (NoisyFunction("median(x)", "selection", "laplace", "1"),
         "REFUTED for every n = 1, 3, 5, ..., PROVED for every n = 2, 4, 6, ..."),
        (NoisyFunction("sum((x - c)**2)", "release", "laplace", "1", (("c", 0, 1),)), "PROVED for every n >= 1"),
        (NoisyFunction("sum((x - c)**2)", "release", "laplace", "1/2", (("c", 0, 1),)), "REFUTED for every n >= 1"),
    ],
    ids=lambda v: f"{v.function} {v.noise} {v.scale}" if isinstance(v, NoisyFunction) else "",
)  # fmt: skip
def test_decisions(question: NoisyFunction, expected: str) -> None:
    verdict = decide(question)
    assert verdict.describe() == expected
    for case in verdict.cases:
        assert case.certificate is not None
        theorem = check(case.certificate)
        assert theorem.refutes == (case.decision is Decision.REFUTED)
        assert theorem.open.get("n") == case.sizes.stated() or theorem.sizes == (case.sizes.first,)


@pytest.mark.parametrize("noise", WINS)
@pytest.mark.parametrize("columns", [2, 3, 7])
def test_the_probabilities_of_winning_are_those_of_a_simulation(noise: str, columns: int) -> None:
    """α = 2·10⁻⁹ in all (normal tails at 6 deviations), and a shift that is 10 % off is seen."""
    draws = 400_000
    rng = np.random.default_rng([columns, len(noise)])
    for g in (0.4, 1.3):
        z = getattr(rng, noise)(size=(draws, columns))
        low, high = (float(p) for p in WINS[noise](arb(str(g)), columns))
        for sign, probability in ((-1, low), (1, high)):
            moved = z.copy()
            moved[:, 0] += sign * g
            seen = float((moved.argmax(1) == 0).mean())
            deviation = math.sqrt(probability * (1 - probability) / draws)
            assert abs(seen - probability) < 6 * deviation
            wrong = float(WINS[noise](arb(str(1.2 * g)), columns)[sign > 0])
            assert abs(seen - wrong) > 6 * deviation


def test_a_parameter_may_not_be_called_as_the_guarantee() -> None:
    verdict = decide(NoisyFunction("sum((x - mu)**2)", "release", "gaussian-gdp", "1", (("mu", 0, 1),)))
    assert verdict.decision is Decision.UNDECIDED
    assert verdict.describe() == "UNDECIDED"


def test_unknown_noise_is_refused() -> None:
    with pytest.raises(BadInput, match="noise='cauchy'"):
        NoisyFunction("sum(x)", "release", "cauchy", "1")
    with pytest.raises(BadInput, match="gumbel"):
        NoisyFunction("sum(x)", "release", "gumbel", "1")
