"""Every exact counterexample of the benchmark programs, confirmed by running the program."""

from __future__ import annotations

import ast
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.proofs.programs.events import matches

from dpwitness.catalogue import catalogue
from dpwitness.core.evidence import Counterexample
from dpwitness.core.mechanism import Mechanism
from dpwitness.proofs.programs.route import ProgramProver

TAGS = {"checkdp", "statdp", "lyu", "dipc"}
RUNS = 100_000
ALPHA = 1e-3  # chance that the whole test fails although every number is right: shared by all comparisons
RARE = 1e-4  # events below this are left to exact arithmetic


def counterexamples():
    for name, target in catalogue().items():
        if isinstance(target, Mechanism) and TAGS & set(target.tags):
            for claim in target.claims():
                route = ProgramProver()
                found = route.run(claim) if route.supports(claim) is None else None
                if isinstance(found, Counterexample):
                    yield name, target, claim, found


def happens(run, certificate):
    if certificate["type"] == "program-counterexample":
        event = certificate["event"]
        return matches(run, certificate["tree"]["outputs"][event["output"]], iter(event["box"]))
    names = certificate["outputs" if certificate["type"] == "program-pair" else "event"]
    return any(matches(run, ast.literal_eval(name), iter(())) for name in names)


@pytest.mark.slow
def test_exact_probabilities_are_those_of_the_program():
    found = list(counterexamples())
    assert len(found) >= 20
    seen = [entry for entry in found if entry[3].p_left_decimal >= RARE]
    assert len(seen) >= len(found) - 2
    for k, (name, target, claim, evidence) in enumerate(seen):
        params = {**claim.params, **({"eps": Fraction(evidence.scope.epsilon)} if "eps" in claim.params else {})}
        rates = []
        for side, data, exact in (
            (0, evidence.left, evidence.p_left_decimal),
            (1, evidence.right, evidence.p_right_decimal),
        ):
            rng = np.random.default_rng([20, k, side])
            outputs = target.sample(list(data), RUNS, rng, **params).values()
            hits = sum(happens(run, evidence.certificate) for run in outputs)
            rates.append(hits / RUNS)
            chance = (
                binomtest(hits, RUNS, min(1.0, max(0.0, exact))).pvalue if 0 < exact < 1 else float(hits in (0, RUNS))
            )
            assert chance > ALPHA / (2 * len(seen)), (name, claim.describe(), side, hits, exact)
        assert rates[0] > rates[1], name
