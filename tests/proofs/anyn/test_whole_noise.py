"""Two-sided geometric noise for any number of queries: whole shifts, whole answers."""

from __future__ import annotations

import copy

import pytest

from dpwitness.core import Answers, PureDP, mechanism
from dpwitness.core.domains import whole
from dpwitness.core.evidence import UpperBound
from dpwitness.proofs.anyn import AnyNProver
from dpwitness.proofs.anyn.replay import replay
from dpwitness.proofs.kernel.check import examine

WHOLE = tuple(range(-5, 6))


def sparse(noise, queries, *, eps, cutoff):
    noisy_threshold = noise.discrete_laplace(2 / eps)
    count = 0
    out = []
    for q in queries:
        if q + noise.discrete_laplace(4 * cutoff / eps) >= noisy_threshold:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
    return out


def total(noise, queries, *, eps):
    result = 0
    for q in queries:
        result += q
    return result + noise.discrete_laplace(1 / eps)


def halved(noise, queries, *, eps):
    result = 0
    for q in queries:
        result += q / 2
    return result + noise.discrete_laplace(1 / (2 * eps))


def largest(noise, queries, *, eps):
    best = None
    place = None
    for i, q in enumerate(queries):
        v = q + noise.discrete_laplace(2 / eps)
        if best is None or v > best:
            best = v
            place = i
    return place


def last_largest(noise, queries, *, eps):
    best = None
    place = None
    for i, q in enumerate(queries):
        v = q + noise.discrete_laplace(2 / eps)
        if best is None or v >= best:
            best = v
            place = i
    return place


def largest_half(noise, queries, *, eps):
    return noise.argmax([q / 4 + noise.discrete_laplace(1 / (2 * eps)) for q in queries])


def largest_by_turns(noise, queries, *, eps):
    best = None
    place = None
    for i, q in enumerate(queries):
        v = q + noise.discrete_laplace(2 / eps)
        if best is None or (i % 2 == 0 and v > best) or (i % 2 == 1 and v >= best):
            best = v
            place = i
    return place


def claim_of(program, moves, values=WHOLE, by=1):
    cutoff = "cutoff" in program.__code__.co_varnames
    return mechanism(
        data=Answers(moves, by, size=3, values=values),
        claim=lambda eps: PureDP(eps),
        typical={"eps": 1, **({"cutoff": 2} if cutoff else {})},
        domains={"cutoff": whole(1)} if cutoff else {},
    )(program).claims()[0]


@pytest.mark.parametrize(
    ("program", "moves"), [(sparse, "all"), (total, "one"), (largest, "all"), (last_largest, "all")]
)
def test_proved_for_whole_answers(program, moves):
    claim = claim_of(program, moves)
    found = AnyNProver(seconds=6).run(claim)
    assert isinstance(found, UpperBound), found
    assert found.guarantee.implies(claim.guarantee)
    assert found.scope.queries == "any"
    assert "whole queries" in examine(found.certificate).statement
    assert replay(claim, found.certificate, runs=30)


@pytest.mark.parametrize(
    "claim",
    [
        claim_of(sparse, "all", values=None),  # real answers: the noise cannot follow a change of 1/2
        claim_of(sparse, "all", values=(0, "1/2", 1)),
        claim_of(halved, "one"),  # 1/2 is no whole shift
        claim_of(largest, "all", values=None),
        claim_of(largest_half, "all"),  # a shift by one half would do for real noise
        claim_of(largest_by_turns, "all"),  # which of equal values wins depends on the place
    ],
)
def test_not_proved_where_the_shift_would_not_be_whole(claim):
    assert not isinstance(AnyNProver(seconds=6).run(claim), UpperBound)


def test_the_kernel_asks_for_whole_shifts_and_moves():
    found = AnyNProver().run(claim_of(total, "one"))
    wrong = copy.deepcopy(found.certificate)
    for move in wrong["orders"][0]["moves"]:
        for affine in move["shift"].values():
            for poly in affine.values():
                for mono in poly:
                    poly[mono] = "-1/2"
    assert not examine(wrong)
    apart = copy.deepcopy(found.certificate)
    apart["adjacency"]["by"] = "1/2"
    assert "whole moves" in examine(apart).reason
