"""Mutants of all programs: whatever is proved of one of them for any number of queries must survive replaying on real
runs, and must not lie below the exact ε of the unrolled program with three queries.
"""

from __future__ import annotations

import importlib.util
import inspect
import math

import pytest
from tests.proofs.anyn import broken, private_other, private_sparse
from tests.proofs.anyn.claims import claim_of
from tests.proofs.anyn.mutate import mutant

from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.proofs.anyn import AnyNProver
from dpwitness.proofs.anyn.replay import replay
from dpwitness.proofs.programs.route import ProgramProver

PROGRAMS = [
    f
    for module in (private_sparse, private_other, broken)
    for f in vars(module).values()
    if inspect.isfunction(f) and f.__module__ == module.__name__
]


def load(text, folder, name):
    """Import a program from its text; None where the text does not compile."""
    file = folder / f"{name}.py"
    file.write_text(text)
    spec = importlib.util.spec_from_file_location(name, file)
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except SyntaxError:
        return None
    return next(f for f in vars(module).values() if inspect.isfunction(f))


def at_least(claim, queries=3):
    """A number that ε is known to reach with a few queries, by the prover that unrolls; 0 where it says nothing."""
    evidence = ProgramProver(queries=queries, seconds=5).run(claim)
    if isinstance(evidence, UpperBound) and evidence.exact:
        return evidence.guarantee.eps
    return (evidence.epsilon_lower or math.inf) if isinstance(evidence, Counterexample) else 0


def try_mutants(folder, programs, seeds, moves=("one", "all")):
    """(mutants, proved, failures as text)."""
    tried, proved, failures = 0, 0, []
    for program in programs:
        for seed in seeds:
            text = mutant(program, seed)
            made = load(text, folder, f"{program.__name__}_{seed}")
            if made is None:
                continue
            for way in moves:
                claim = claim_of(made, way)
                evidence = AnyNProver().run(claim, 5)
                tried += 1
                if not isinstance(evidence, UpperBound):
                    continue
                proved += 1
                try:
                    replayed = replay(claim, evidence.certificate, runs=40, seed=seed)
                except Exception as error:
                    failures.append(f"{type(error).__name__}: {error}\n{way}\n{text}")
                    continue
                if not replayed:
                    failures.append(f"{replayed}\n{way}\n{text}")
                least = at_least(claim)
                if least > evidence.guarantee.eps:
                    failures.append(f"proved {evidence.guarantee}, with three queries it is {least}\n{way}\n{text}")
    return tried, proved, failures


def test_some_mutants(tmp_path):
    tried, _, failures = try_mutants(tmp_path, PROGRAMS[::8], range(2))
    assert not failures, failures[0]
    assert tried > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_many_mutants(tmp_path, seed):
    tried, proved, failures = try_mutants(tmp_path, PROGRAMS, [100 + seed])
    assert not failures, failures[0]
    assert tried > 50
    assert proved > 5
