"""The route from claims to evidence."""

from __future__ import annotations

import json

import pytest

from dpwitness.auditors import Budget, SequentialAuditor, routes
from dpwitness.core.claims import Claim
from dpwitness.core.evidence import LowerBound, Unsupported
from dpwitness.core.guarantees import ZCDP, ApproxDP, GaussianDP, PureDP
from dpwitness.core.judging.judge import judge
from dpwitness.core.mechanism import BlackBox
from dpwitness.core.spaces import Answers
from dpwitness.core.verdict import Decision


def claim(sampler, guarantee, **space):
    box = BlackBox("box", sampler, Answers("all", 1, **{"size": 1, **space}), guarantee)
    return box.claims()[0]


def laplace(scale):
    return lambda data, size, rng: rng.laplace(float(data[0]), scale, size)


def gaussian(std):
    return lambda data, size, rng: rng.normal(float(data[0]), std, size)


BUDGET = Budget(1e-3, 20_000, 60.0, 0)
SMALL = Budget(1e-3, 5_000, 60.0, 0)  # as many pairs as plain violations need, at the same α


def test_broken_is_refuted_and_correct_is_not():
    broken = SequentialAuditor().run(claim(laplace(0.5), PureDP(1)), BUDGET)
    assert isinstance(broken, LowerBound)
    assert broken.refutes
    assert broken.epsilon >= 1
    assert broken.scope.numerics == "ideal-reals"
    right = SequentialAuditor().run(claim(laplace(1.0), PureDP(1)), BUDGET)
    assert not right.refutes
    assert right.epsilon <= 1
    assert right.detectable > 1
    assert judge(claim(laplace(1.0), PureDP(1)), [right]).decision is Decision.NOT_REFUTED
    json.dumps(dict(right.details))


@pytest.mark.parametrize(
    ("guarantee", "std_right", "std_wrong"),
    [(ApproxDP(1, "1e-2"), 1.9, 0.6), (GaussianDP(1), 1.0, 0.4), (ZCDP("1/2"), 1.0, 0.3)],
)
def test_other_guarantees_through_their_curves(guarantee, std_right, std_wrong):
    auditor = SequentialAuditor()
    assert not auditor.run(claim(gaussian(std_right), guarantee), SMALL).refutes
    assert auditor.run(claim(gaussian(std_wrong), guarantee), SMALL).refutes


def test_neighbours_come_from_the_space():
    def leaks_the_last(data, size, rng):
        return rng.laplace(float(data[-1]), 0.4, size)

    found = SequentialAuditor().run(claim(leaks_the_last, PureDP(1), size=3), BUDGET)
    assert found.refutes
    assert found.left[-1] != found.right[-1]


def test_doubles_are_decided_on_request():
    class Wanted:
        alpha, max_pairs, seconds, seed, numerics = 1e-3, 50_000, None, 0, "doubles"

    found = SequentialAuditor().run(claim(laplace(1.0), PureDP(1)), Wanted())
    assert found.refutes
    assert found.scope.numerics == "doubles"
    whole = SequentialAuditor().run(claim(lambda d, n, r: r.integers(0, 2, n), PureDP(1)), Wanted())
    assert isinstance(whole, Unsupported)


def test_same_budget_same_evidence():
    def key(evidence):
        # what the clock cut short is left out, and how many runs that took
        details = {k: v for k, v in evidence.details.items() if k not in ("screening", "runs")}
        return {**{k: v for k, v in vars(evidence).items() if k != "seconds"}, "details": details}

    one, two = (SequentialAuditor().run(claim(laplace(0.9), PureDP(1)), SMALL) for _ in range(2))
    assert key(one) == key(two)


def test_what_cannot_be_sampled_is_unsupported_with_a_reason():
    class Nothing:
        name = "nothing"

    reason = SequentialAuditor().supports(Claim(Nothing(), {}, PureDP(1), Answers()))
    assert "sampler" in reason


def test_the_package_offers_its_routes():
    assert [type(r).__name__ for r in routes()] == ["SequentialAuditor"]
