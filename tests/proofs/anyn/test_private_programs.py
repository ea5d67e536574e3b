"""Private programs with loops: all are proved for any number of queries, quickly, and every certificate is replayed."""

from __future__ import annotations

import json

import pytest
from tests.proofs.anyn import private_other as other
from tests.proofs.anyn import private_sparse as sparse
from tests.proofs.anyn.claims import claim_of

from dpwitness.core import PureDP
from dpwitness.core.evidence import UpperBound
from dpwitness.proofs.anyn import AnyNProver
from dpwitness.proofs.anyn.replay import replay
from dpwitness.proofs.kernel.check import examine

# program, adjacency, multiple of the claimed ε that is proved
PROGRAMS = [
    (sparse.first_above, "all", 1),
    (sparse.first_below, "all", 1),
    (sparse.sparse, "all", 1),
    (sparse.sparse_equal, "all", 1),
    (sparse.sparse_while, "all", 1),
    (sparse.sparse_indices, "all", 1),
    (sparse.sparse_flag, "all", 1),
    (sparse.sparse_monotone, "up", 1),
    (sparse.sparse_gap, "all", 1),
    (sparse.sparse_numeric, "all", 1),
    (sparse.sparse_refreshed, "all", 1),
    (sparse.sparse_alternating, "all", 1),
    (sparse.sparse_split, "all", 1),
    (sparse.sparse_two_budgets, "all", 1),
    (sparse.outside, "all", 1),
    (sparse.pointless_test, "all", 1),
    (sparse.count_above, "all", 1),
    (other.total, "one", 1),
    (other.total_short, "l1", 1),
    (other.prefix_chain, "one", 1),
    (other.prefix_each, "one", 1),
    (other.smart_sum, "one", 2),
    (other.histogram, "one", 1),
    (other.histogram, "l1", 1),
    (other.all_answers, "all", 1),
    (other.large_change, "all", 1),
    (other.running_total_above, "one", "3/4"),
    (other.release_until, "one", 1),
    (other.decaying, "all", 1),
    (other.three_times, "one", 1),
    (other.mean, "one", 1),
    (other.weighted, "one", 1),
    (other.scaled, "all", 1),
    (other.total_as_threshold, "one", 1),
    (other.noisy_max, "all", 1),
    (other.noisy_max, "up", "1/2"),
    (other.noisy_max_exponential, "all", 1),
    (other.noisy_min, "all", 1),
    (other.noisy_argmax, "all", 1),
    (other.noisy_argmax_collected, "one", "1/2"),
]


@pytest.mark.parametrize(("program", "moves", "multiple"), PROGRAMS, ids=lambda x: getattr(x, "__name__", str(x)))
def test_proved_for_any_number_of_queries(program, moves, multiple):
    claim = claim_of(program, moves, 2 if program is other.smart_sum else 1)
    evidence = AnyNProver().run(claim, 20)
    assert isinstance(evidence, UpperBound), evidence
    assert evidence.guarantee == PureDP(multiple)
    assert evidence.guarantee.implies(claim.guarantee)
    assert (evidence.scope.queries, evidence.scope.epsilon) == ("any", "all")
    text = json.dumps(evidence.certificate)
    assert len(text) < 15_000
    checked = examine(json.loads(text))
    assert checked, checked.reason
    assert "trusts" not in evidence.certificate
    replayed = replay(claim, evidence.certificate, runs=16, seed=1)
    assert replayed, replayed


@pytest.mark.slow
@pytest.mark.parametrize(("program", "moves", "multiple"), PROGRAMS, ids=lambda x: getattr(x, "__name__", str(x)))
def test_many_replays_reach_the_bound(program, moves, multiple):
    claim = claim_of(program, moves, 2 if program is other.smart_sum else 1)
    evidence = AnyNProver().run(claim, 20)
    replayed = replay(claim, evidence.certificate, runs=600, seed=2)
    assert replayed, replayed
    assert replayed.ratio >= 0.9
