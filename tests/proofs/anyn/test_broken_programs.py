"""Programs that are not private as claimed: none is proved. What is proved instead survives replaying."""

from __future__ import annotations

import pytest
from tests.proofs.anyn import broken
from tests.proofs.anyn.claims import claim_of

from dpwitness.core import PureDP
from dpwitness.core.evidence import Unsupported, UpperBound
from dpwitness.proofs.anyn import AnyNProver
from dpwitness.proofs.anyn.replay import replay

# program, adjacency, the multiple of ε that is proved instead (None: nothing is)
PROGRAMS = [
    (broken.no_query_noise, "all", None),
    (broken.no_cutoff, "all", None),
    (broken.no_noise_no_cutoff, "all", None),
    (broken.unscaled, "all", "3/2"),
    (broken.three_quarters, "all", "13/4"),
    (broken.value_released, "all", None),
    (broken.adaptive_value, "all", None),
    (broken.one_too_many, "all", "3/2"),
    (broken.monotone_scale, "all", "3/2"),
    (broken.cheap_refresh, "all", "3/2"),
    (broken.threshold_released, "all", None),
    (broken.wrong_units, "all", None),
    (broken.half_the_noise, "one", 2),
    (broken.constant_noise_on_prefixes, "one", None),
    (broken.block_without_noise, "one", None),
    (broken.largest_value, "all", None),
    (broken.small_noise_max, "all", 2),
    (broken.index_and_value, "all", None),
    (broken.all_leaders, "all", None),
    (broken.number_of_leaders, "all", None),
    (broken.stops_at_a_leader, "all", None),
    (broken.histogram, "all", None),
    (broken.partial_sum, "all", None),
    (broken.inside, "all", None),
    (broken.public_bound, "all", None),
]


@pytest.mark.parametrize(("program", "moves", "multiple"), PROGRAMS, ids=lambda x: getattr(x, "__name__", str(x)))
def test_not_proved_as_claimed(program, moves, multiple):
    claim = claim_of(program, moves)
    evidence = AnyNProver().run(claim, 20)
    if multiple is None:
        assert isinstance(evidence, Unsupported), evidence
        return
    assert isinstance(evidence, UpperBound), evidence
    assert not evidence.guarantee.implies(claim.guarantee)
    assert evidence.guarantee == PureDP(multiple)
    replayed = replay(claim, evidence.certificate, runs=16, seed=3)
    assert replayed, replayed
