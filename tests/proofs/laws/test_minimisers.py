"""Minimisers with spherical noise: what is proved, what is refuted, and what must not be believed."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from tests.proofs.laws.deceptive_gradients import MORE_DECEPTIVE
from tests.proofs.laws.deceptive_minimisers import DECEPTIVE, honest, plus, pulls

from dpwitness.core import ApproxDP, Exact, Interval, PureDP, Records, exp, logistic, mechanism, real
from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Counterexample, Unsupported, UpperBound
from dpwitness.mechanisms.objective_perturbation import LABELLED, noisy_minimiser, objective_perturbation
from dpwitness.proofs import routes
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.laws.minimising.prover import MinimiserProver


def claim_of(program: Any, space: Any = LABELLED, claim: Any = None, **typical: Any) -> Claim:
    """The claim that a program is ε-private."""
    values = {"eps": 1, "ridge": 1, **typical}
    made = mechanism(data=space, claim=claim or (lambda eps: PureDP(eps)), typical=values,
                     domains={"ridge": real(above=0)})(program)  # fmt: skip
    return made.claims()[0]


def decide(program: Any, space: Any = LABELLED, claim: Any = None, **typical: Any) -> Any:
    return MinimiserProver().run(claim_of(program, space, claim, **typical))


@pytest.mark.parametrize("ridge", ["1/1000", "1/10", "1", "7"])
@pytest.mark.parametrize("eps", ["1/10", "1", "5"])
def test_both_mechanisms_are_proved_at_all_parameters(eps: str, ridge: str) -> None:
    for made in (objective_perturbation, noisy_minimiser):
        found = MinimiserProver().run(made.claims(eps=eps, ridge=ridge)[0])
        assert isinstance(found, UpperBound), getattr(found, "reason", found)
        assert examine(found.certificate)  # type: ignore[arg-type]
        assert len(json.dumps(found.certificate)) < 2_000


@pytest.mark.parametrize("twin", [*objective_perturbation.twins, *noisy_minimiser.twins], ids=lambda t: t.name)
def test_twins_are_refuted_by_a_box_of_outputs(twin: Any) -> None:
    (claim,) = twin.claims()
    found = MinimiserProver().run(claim)
    assert isinstance(found, Counterexample)
    assert examine(found.certificate)  # type: ignore[arg-type]
    assert found.epsilon_lower is not None
    assert found.epsilon_lower > claim.params["eps"]
    assert found.p_left_decimal > math.exp(claim.params["eps"]) * found.p_right_decimal
    claim.space.validate(found.left)
    claim.space.validate(found.right)
    assert sum(a != b for a, b in zip(found.left, found.right, strict=True)) == 1


def test_the_box_is_as_likely_as_it_is_said_to_be() -> None:
    (twin,) = noisy_minimiser.twins
    found = MinimiserProver().run(twin.claims()[0])
    assert isinstance(found, Counterexample)
    assert found.certificate is not None
    centre = np.array([float(Exact(x)) for x in found.certificate["centre"]])
    radius, runs = float(Exact(found.certificate["radius"])), 60_000
    for data, expected in ((found.left, found.p_left_decimal), (found.right, found.p_right_decimal)):
        out = twin.sample(data, runs, np.random.default_rng(7)).array()
        assert out is not None
        seen = int((np.abs(out - centre) <= radius).all(axis=1).sum())
        assert abs(seen - runs * expected) < 5 * math.sqrt(runs * expected) + 0.03 * runs * expected


@pytest.mark.parametrize("program", DECEPTIVE + MORE_DECEPTIVE, ids=lambda f: f.__name__)
def test_no_prover_believes_a_deceptive_program(program: Any) -> None:
    claim = claim_of(program)
    for prover in routes():
        found = prover.run(claim, None) if prover.supports(claim) is None else None
        assert not isinstance(found, UpperBound), f"{type(prover).__name__} proved {program.__name__}"


def test_the_honest_one_among_them_is_proved() -> None:
    assert isinstance(decide(honest), UpperBound)


def test_reasons_name_the_line() -> None:
    found = decide(next(f for f in MORE_DECEPTIVE if f.__name__ == "test_of_a_label"))
    assert isinstance(found, Unsupported)
    assert found.line is not None
    assert "test" in found.reason


# the same mathematics in other words


def averaged(noise, data, *, eps, ridge):
    n = len(data)
    b = noise.spherical(2, 3 / eps)

    def gradient(f):
        total = [ridge * a + v / n for a, v in zip(f, b, strict=True)]
        for p, q, y in data:
            pull = -1 / (1 + exp(y * (p * f[0] + q * f[1]))) / n
            total = [total[0] + pull * y * p, total[1] + pull * y * q]
        return total

    return tuple(noise.minimiser(gradient, 2))


def negative_margin(noise, data, *, eps, ridge):
    b = noise.spherical(2, 3 / eps)

    def gradient(f):
        total = [3 * ridge * a + v for a, v in zip(f, b, strict=True)]
        for p, q, y in data:
            risk = exp(-y * (p * f[0] + q * f[1]))
            total = [total[0] - risk / (1 + risk) * y * p, total[1] - risk / (1 + risk) * y * q]
        return total

    return noise.minimiser(gradient, 2)


def one_dimension(noise, data, *, eps, ridge):
    (b,) = noise.spherical(1, 5 / eps)
    return noise.minimiser(lambda f: [ridge * f[0] + b + sum(x * (logistic(2 * x * f[0]) - logistic(-2 * x * f[0]))
                                                              for x in data)], 1)  # fmt: skip


def test_other_ways_to_write_it() -> None:
    for program in (averaged, negative_margin):
        assert isinstance(decide(program), UpperBound)
        assert isinstance(decide(program, eps=3, ridge="1/1000"), Counterexample | Unsupported)
    numbers = Records([-1, 0, Exact(1, 2), 1], 4)
    assert isinstance(decide(one_dimension, numbers, ridge=4), UpperBound)
    assert not isinstance(decide(one_dimension, numbers, eps=3, ridge="1/50"), UpperBound)


@pytest.mark.parametrize("size", [1, 12])
def test_few_and_many_records(size: int) -> None:
    space = Records(LABELLED.domain, size)  # type: ignore[arg-type]
    assert isinstance(decide(honest, space), UpperBound)
    broken = next(f for f in DECEPTIVE if f.__name__ == "noise_divided_by_ten")
    assert isinstance(decide(broken, space), Counterexample)


def test_three_dimensions() -> None:
    def program(noise, data, *, eps, ridge):
        b = noise.spherical(3, 3 / eps)
        return noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 3)

    space = Records(
        [(x, y, z, s) for x, y, z in [(1, 0, 0), (Exact(2, 3), Exact(2, 3), Exact(1, 3)), (0, 0, -1)] for s in (1, -1)],
        2,
    )
    assert isinstance(decide(program, space), UpperBound)


def test_guarantees_and_data_for_which_there_is_no_rule() -> None:
    assert isinstance(decide(honest, claim=lambda eps: ApproxDP(eps, "1/10")), UpperBound)
    several = decide(honest, Records(LABELLED.domain, (1, 3)))  # type: ignore[arg-type]
    assert isinstance(several, UpperBound)
    assert several.certificate["type"] == "all-of"
    assert examine(several.certificate).theorem.sizes == (0, 1, 2, 3)
    assert isinstance(decide(honest, Records(LABELLED.domain, (2, 3), adjacency="add-remove")), Unsupported)  # type: ignore[arg-type]
    assert isinstance(decide(one_dimension, Records(Interval(0, 1), 3)), Unsupported)
    assert isinstance(decide(one_dimension, Records(["a", "b"], 3)), Unsupported)


def test_a_small_excess_is_neither_proved_nor_a_false_alarm() -> None:
    """Between the theorem and the truth lies a gap: no verdict there."""

    def program(noise, data, *, eps, ridge):
        b = noise.spherical(2, 17 / (10 * eps))
        return noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 2)

    assert isinstance(decide(program), Unsupported)


def test_certificates_follow_the_meaning_of_the_program() -> None:
    one, two = decide(averaged), decide(negative_margin)
    again = decide(averaged)
    assert one.certificate["about"]["program"] == again.certificate["about"]["program"]
    assert one.certificate["about"]["program"] != two.certificate["about"]["program"]


def test_a_budget_by_another_name_is_not_every_budget() -> None:
    def program(noise, data, *, budget, ridge):
        b = noise.spherical(2, 3 / budget)
        return noise.minimiser(lambda f: plus(pulls(f, data, ridge), b), 2)

    made = mechanism(data=LABELLED, claim=lambda budget: PureDP(budget), typical={"budget": 1, "ridge": 1})(program)
    found = MinimiserProver().run(made.claims()[0])
    assert isinstance(found, UpperBound)
    assert found.scope.epsilon == "1"
