"""Every exact counterexample to a program of the catalogue, confirmed by running the program."""

from __future__ import annotations

import pytest
from tests.proofs.programs.events import confirm

from dpwitness.catalogue import catalogue
from dpwitness.core.evidence import Counterexample
from dpwitness.core.mechanism import Mechanism
from dpwitness.proofs.programs.route import ProgramProver

TAGS = {"checkdp", "statdp", "lyu", "dipc", "programs", "geometric", "subsampling"}
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


@pytest.mark.slow
def test_exact_probabilities_are_those_of_the_program():
    found = list(counterexamples())
    assert len(found) >= 20
    seen = [entry for entry in found if entry[3].p_left_decimal >= RARE]
    assert len(seen) >= len(found) - 2
    for k, (name, target, claim, evidence) in enumerate(seen):
        left, right = confirm(target, claim, evidence, RUNS, 2000 + k, ALPHA / len(seen))
        assert left > right, name
