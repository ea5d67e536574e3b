"""Programs that try to tell the reader from a run, and other traps of the language: refused or decided rightly."""

from __future__ import annotations

import pytest
from tests.proofs.programs import deceptive_kinds
from tests.proofs.programs.deceptive import HARMLESS, LEAKS

from dpwitness.catalogue import catalogue
from dpwitness.core.budget import Budget
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.noise import Noise
from dpwitness.core.readers.gate import VARIED, refuse_tricks
from dpwitness.core.spaces import Answers
from dpwitness.proofs import routes
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.programs.route import ProgramProver
from dpwitness.routes import prove_claim


def run(programs, program):
    claim = programs.make(program, "one", data=Answers("one", size=2)).claims()[0]
    return claim, ProgramProver(queries=2, seconds=5).run(claim)


def test_there_are_many():
    assert len(LEAKS) >= 70
    assert deceptive_kinds.dispatched in LEAKS


@pytest.mark.parametrize("program", LEAKS, ids=lambda p: p.__name__)
def test_a_leak_is_refused_or_refuted(programs, program):
    claim, found = run(programs, program)
    assert not isinstance(found, UpperBound) or not found.guarantee.implies(claim.guarantee)
    if isinstance(found, Counterexample):
        assert examine(found.certificate)


@pytest.mark.parametrize("program", HARMLESS, ids=lambda p: p.__name__)
def test_what_only_looks_odd_is_proved(programs, program):
    claim, found = run(programs, program)
    assert isinstance(found, UpperBound)
    assert found.guarantee.implies(claim.guarantee)


def test_no_program_of_the_catalogue_is_turned_away():
    for target in catalogue().values():
        if isinstance(target, Mechanism):
            refuse_tricks(target.program)


def test_a_closure_over_a_list_may_be_read_but_not_changed(programs):
    table = [1, 2]

    def reads(noise, q, *, eps):
        return q[0] + table[0] + noise.laplace(1 / eps)

    def writes(noise, q, *, eps):
        table.append(0)
        return q[0] + noise.laplace(1 / eps)

    assert isinstance(run(programs, reads)[1], UpperBound)
    assert "'table'" in run(programs, writes)[1].reason


def test_a_trick_in_a_nested_function_is_seen():
    def program(noise, q, *, eps):
        def inner(x):
            return type(x)

        return inner(q[0])

    with pytest.raises(OutsideFragment, match="type"):
        refuse_tricks(program)


@pytest.mark.parametrize("program", LEAKS, ids=lambda p: p.__name__)
def test_no_prover_at_all_falls_for_a_leak(programs, program):
    claim = programs.make(program, "one", data=Answers("one", size=2)).claims()[0]
    for found in prove_claim(claim, Budget(seconds=5)):
        assert not isinstance(found, UpperBound) or not found.guarantee.implies(claim.guarantee)


def test_methods_of_readers_that_may_be_kept_are_the_same_in_all_of_them():
    routes()  # imports every reader
    kinds = [Noise]
    for kind in kinds:
        kinds += kind.__subclasses__()
    assert len(kinds) > 5
    own = {name for kind in kinds[1:] for name in vars(kind) if name in vars(Noise) and not name.startswith("_")}
    assert own <= VARIED | {"draw", "check"}
    assert all(kind.__repr__ is Noise.__repr__ for kind in kinds)
