"""Permute-and-flip for any number of candidates: the law it shares with noisy max, and programs that look alike."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpwitness.catalogue import catalogue
from dpwitness.core import Answers, PureDP, mechanism
from dpwitness.core.evidence import Unsupported, UpperBound
from dpwitness.proofs.anyn import AnyNProver
from dpwitness.proofs.anyn.rederive import Diverged
from dpwitness.proofs.anyn.replay import replay
from dpwitness.proofs.kernel.check import check, examine
from dpwitness.proofs.programs.finite_inputs import read_inputs


def flip(noise, scores, *, eps):
    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 1:
        i = rest.pop(noise.choice(weights=[1] * len(rest)))
        if noise.exponential(2 / eps) >= best - scores[i]:
            return i
    return rest[0]


def flip_other_names(noise, answers, *, eps):
    """The same in other words."""
    top = noise.max(answers)
    left = list(range(len(answers)))
    while len(left) > 1:
        k = left.pop(noise.choice(weights=[1] * len(left)))
        if noise.exponential(1 / eps + 1 / eps) >= top - answers[k]:
            return k
    return left[0]


def largest(noise, scores, *, eps):
    return noise.argmax([score + noise.exponential(2 / eps) for score in scores])


def claim(program, moves="all", **more):
    return mechanism(data=Answers(moves, **more), claim=lambda eps: PureDP(eps), typical={"eps": 1}, name="p")(
        program
    ).claims()[0]


@pytest.mark.parametrize("program", [flip, flip_other_names])
@pytest.mark.parametrize(("moves", "multiple"), [("all", 1), ("up", Fraction(1, 2)), ("one", Fraction(1, 2))])
def test_proved_for_any_number_of_candidates(program, moves, multiple):
    found = AnyNProver().run(claim(program, moves))
    assert isinstance(found, UpperBound)
    assert (found.scope.queries, found.scope.epsilon) == ("any", "all")
    assert found.guarantee.eps == multiple
    assert examine(found.certificate)
    (assumption,) = check(found.certificate).assumptions
    assert "permute-and-flip has the law of noisy max" in assumption
    assert replay(claim(program, moves), found.certificate, runs=60)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_the_law_is_that_of_noisy_max(n):
    """For every eps at once, on all scores from {0, 1, 3}."""
    one, other = (read_inputs(claim(p, values=(0, 1, 3), size=n)) for p in (flip, largest))
    assert one.every_epsilon
    for i in range(len(one.inputs)):
        assert {k: v for k, v in one.law(i).items() if v[0].terms} == {
            k: v for k, v in other.law(i).items() if v[0].terms
        }


def test_half_the_scale_costs_twice_as_much():
    twin = catalogue()["permute-and-flip/half-scale"].claims()[0]
    found = AnyNProver().run(twin)
    assert isinstance(found, UpperBound)
    assert found.guarantee.eps == 2 * twin.params["eps"]


# programs that look alike


def strict_the_other_way(noise, scores, *, eps):
    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 1:
        i = rest.pop(noise.choice(weights=[1] * len(rest)))
        if noise.exponential(2 / eps) <= best - scores[i]:
            return i
    return rest[0]


def always_the_last(noise, scores, *, eps):
    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 1:
        i = rest.pop(noise.choice(weights=[1] * len(rest)))
        if noise.exponential(2 / eps) >= best - scores[i]:
            return i
    return rest[-1]


def more_weight(noise, scores, *, eps):
    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 1:
        i = rest.pop(noise.choice(weights=[2] * len(rest)))
        if noise.exponential(2 / eps) >= best - scores[i]:
            return i
    return rest[0]


def own_distance(noise, scores, *, eps):
    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 1:
        i = rest.pop(noise.choice(weights=[1] * len(rest)))
        if noise.exponential(2 / eps) >= best - scores[0]:
            return i
    return rest[0]


def twice_the_distance(noise, scores, *, eps):
    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 1:
        i = rest.pop(noise.choice(weights=[1] * len(rest)))
        if noise.exponential(2 / eps) >= 2 * (best - scores[i]):
            return i
    return rest[0]


def stops_early(noise, scores, *, eps):
    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 2:
        i = rest.pop(noise.choice(weights=[1] * len(rest)))
        if noise.exponential(2 / eps) >= best - scores[i]:
            return i
    return rest[0]


def scale_of_the_best(noise, scores, *, eps):
    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 1:
        i = rest.pop(noise.choice(weights=[1] * len(rest)))
        if noise.exponential(best) >= best - scores[i]:
            return i
    return rest[0]


def scale_of_a_score(noise, scores, *, eps):
    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 1:
        i = rest.pop(noise.choice(weights=[1] * len(rest)))
        if noise.exponential(2 / eps + scores[0]) >= best - scores[i]:
            return i
    return rest[0]


def releases_the_score(noise, scores, *, eps):
    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 1:
        i = rest.pop(noise.choice(weights=[1] * len(rest)))
        if noise.exponential(2 / eps) >= best - scores[i]:
            return scores[i]
    return rest[0]


def laplace_flip(noise, scores, *, eps):
    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 1:
        i = rest.pop(noise.choice(weights=[1] * len(rest)))
        if noise.laplace(2 / eps) >= best - scores[i]:
            return i
    return rest[0]


def one_name_for_two(noise, scores, *, eps):
    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 1:
        best = rest.pop(noise.choice(weights=[1] * len(rest)))
        if noise.exponential(2 / eps) >= best - scores[best]:
            return best
    return rest[0]


def parameter_overwritten(noise, scores, *, eps):
    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 1:
        eps = rest.pop(noise.choice(weights=[1] * len(rest)))
        if noise.exponential(2 / eps) >= best - scores[eps]:
            return eps
    return rest[0]


def negative_scale(noise, scores, *, eps):
    best = noise.max(scores)
    rest = list(range(len(scores)))
    while len(rest) > 1:
        i = rest.pop(noise.choice(weights=[1] * len(rest)))
        if noise.exponential(-2 / eps) >= best - scores[i]:
            return i
    return rest[0]


ALIKE = [
    strict_the_other_way, always_the_last, more_weight, own_distance, twice_the_distance, stops_early,
    scale_of_the_best, scale_of_a_score, releases_the_score, laplace_flip, one_name_for_two, parameter_overwritten,
    negative_scale,
]  # fmt: skip


@pytest.mark.parametrize("program", ALIKE)
def test_what_only_looks_alike_is_not_taken_for_it(program):
    assert isinstance(AnyNProver().run(claim(program)), Unsupported)


def test_a_certificate_of_noisy_max_is_not_one_of_permute_and_flip():
    proofs = {p: AnyNProver().run(claim(p)).certificate for p in (flip, largest)}
    assert (proofs[flip]["type"], proofs[largest]["type"]) == ("permute-and-flip", "argmax-shift")
    assert not examine({**proofs[flip], "type": "argmax-shift"})
    assert not examine({**proofs[largest], "type": "permute-and-flip"})
    with pytest.raises(Diverged):
        replay(claim(flip), proofs[largest])
    with pytest.raises(Diverged):
        replay(claim(largest), proofs[flip])


def test_false_certificates_are_rejected():
    proof = AnyNProver().run(claim(flip)).certificate
    assert examine(proof)
    for changes in (
        {"bound": {"eps": "1/2"}},
        {"model": {**proof["model"], "rate": {"eps": "1"}}},
        {"model": {**proof["model"], "rate": {"eps": "-1/2"}}},
        {"model": {**proof["model"], "rate": {"?0": "1"}}},
        {"adjacency": {"moves": "all", "by": "2"}},
        {"orders": []},
    ):
        assert not examine({**proof, **changes})
