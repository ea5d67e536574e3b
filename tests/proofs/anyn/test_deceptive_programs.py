"""Programs written to fool the front end: none may be proved, and what is proved instead must survive replaying."""

from __future__ import annotations

import pytest
from tests.proofs.anyn import (
    deceptive_lists,
    deceptive_names,
    deceptive_noise,
    deceptive_numbers,
    deceptive_state,
    deceptive_time,
    deceptive_values,
)
from tests.proofs.anyn.claims import claim_of

from dpwitness.core.evidence import UpperBound
from dpwitness.proofs.anyn import AnyNProver
from dpwitness.proofs.anyn.replay import replay
from dpwitness.proofs.anyn.route import NO_DEPENDENCE

NEW = [*deceptive_time.EVIL, *deceptive_numbers.EVIL, *deceptive_lists.EVIL]
EVIL = [*deceptive_values.EVIL, *deceptive_state.EVIL, *deceptive_noise.EVIL, *deceptive_names.EVIL, *NEW]
LARGE_MOVES = [*deceptive_noise.LARGE_MOVES, *deceptive_time.LARGE_MOVES, *deceptive_lists.LARGE_MOVES]


def examine(program, moves):
    claim = claim_of(program, moves)
    evidence = AnyNProver().run(claim, 20)
    if isinstance(evidence, UpperBound):
        assert not evidence.guarantee.implies(claim.guarantee), evidence
        assert replay(claim, evidence.certificate, runs=16)
    else:
        assert evidence.reason != NO_DEPENDENCE, "the leak was not seen at all"


@pytest.mark.parametrize("program", [*EVIL, *LARGE_MOVES], ids=lambda p: p.__name__)
def test_never_proved(program):
    examine(program, "one" if program in EVIL else "all")


@pytest.mark.slow
@pytest.mark.parametrize("moves", ["all", "up", "l1"])
@pytest.mark.parametrize("program", EVIL, ids=lambda p: p.__name__)
def test_never_proved_under_other_adjacencies(program, moves):
    examine(program, moves)


def test_there_are_many():
    assert len(EVIL) >= 200
