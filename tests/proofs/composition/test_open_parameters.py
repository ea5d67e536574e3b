"""Proofs that leave ρ, μ or σ open: the claim is marked as proved for all their values where its formula is implied."""

from __future__ import annotations

import copy
import warnings

import pytest

from dpwitness import ZCDP, ApproxDP, Exact, GaussianDP, Interval, PureDP, Records, mechanism, real, sqrt
from dpwitness.core.judging.judge import judge
from dpwitness.core.judging.matching import covered_parameters
from dpwitness.proofs.composition.route import CompositionProver
from dpwitness.proofs.kernel.check import check, examine
from dpwitness.routes import kernel_checker

UNIT = Records(Interval(0, 1), 4, "add-remove")


def verdict_of(made):
    claim = made.claims()[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return judge(claim, [CompositionProver().run(claim)], kernel_checker())


@mechanism(data=UNIT, claim=lambda rho: ZCDP(rho), typical={"rho": "1/2"})
def two_sums(noise, data, *, rho):
    """Half of ρ each."""
    scale = sqrt(1 / rho)
    return sum(data) + noise.gaussian(scale), len(data) + noise.gaussian(scale)


@mechanism(data=UNIT, claim=lambda mu: GaussianDP(2 * mu), typical={"mu": 1})
def by_mu(noise, data, *, mu):
    """Scale 1/(2μ)."""
    return sum(data) + noise.gaussian(1 / (2 * mu))


@mechanism(data=UNIT, claim=lambda sigma: ZCDP(1 / (2 * sigma**2)), typical={"sigma": 3},
           domains={"sigma": real(above=0)})  # fmt: skip
def by_sigma(noise, data, *, sigma):
    """Deviation σ."""
    return sum(data) + noise.gaussian(sigma)


@mechanism(data=UNIT, claim=lambda budget: PureDP(budget / 3), typical={"budget": 3}, domains={"budget": real(above=0)})
def by_another_name(noise, data, *, budget):
    """A budget that is not called ε."""
    return sum(data) + noise.laplace(3 / budget)


@pytest.mark.parametrize("made", [two_sums, by_mu, by_sigma, by_another_name], ids=lambda made: made.name)
def test_proved_for_every_value(made) -> None:
    verdict = verdict_of(made)
    assert verdict.decision.value == "PROVED"
    assert verdict.upper.confirmed.covers == set(verdict.claim.free) != set()


@mechanism(data=UNIT, claim=lambda rho: ZCDP(rho), typical={"rho": "1/2"})
def enough_at_a_half(noise, data, *, rho):
    """not private for large ρ: the deviation does not fall with ρ."""
    return sum(data) + noise.gaussian(1)


@mechanism(data=UNIT, claim=lambda rho: ZCDP(rho), typical={"rho": "1/2"})
def linear_in_rho(noise, data, *, rho):
    """not private for large ρ: the deviation is 1/(2ρ)."""
    return sum(data) + noise.gaussian(1 / (2 * rho))


@mechanism(data=UNIT, claim=lambda mu: GaussianDP(mu), typical={"mu": 2})
def fixed_for_mu(noise, data, *, mu):
    """not private for small μ."""
    return sum(data) + noise.gaussian(Exact(1, 2))


@mechanism(data=UNIT, claim=lambda rho: ZCDP(rho), typical={"rho": "1/2"})
def by_a_branch(noise, data, *, rho):
    """not private for large ρ: there is less noise than there must be."""
    scale = 1 if rho < 1 else Exact(1, 100)
    return sum(data) + noise.gaussian(scale)


@pytest.mark.parametrize(
    "made", [enough_at_a_half, linear_in_rho, fixed_for_mu, by_a_branch], ids=lambda made: made.name
)
def test_not_for_every_value(made) -> None:
    """The claim holds at the typical value, and nothing is marked."""
    verdict = verdict_of(made)
    assert verdict.upper is None or verdict.upper.confirmed.covers == frozenset()


def test_a_smaller_claim_with_the_same_proof_is_not_covered() -> None:
    """Covering is by coefficients: a proof of ρ does not cover ρ/2 plus something, nor another kind of guarantee."""
    proof = CompositionProver().run(two_sums.claims()[0])
    theorem = check(proof.certificate)
    assert covered_parameters(theorem, two_sums.claims()[0]) == {"rho"}
    for claim in (lambda rho: ZCDP(rho / 2), lambda rho: ZCDP(rho * rho), lambda rho: GaussianDP(rho),
                  lambda rho: ApproxDP(rho, "1/10")):  # fmt: skip
        other = mechanism(data=UNIT, claim=claim, typical={"rho": "1/2"})(two_sums.program)
        assert covered_parameters(theorem, other.claims()[0]) == frozenset()
    wider = mechanism(data=UNIT, claim=lambda rho: ZCDP(2 * rho), typical={"rho": "1/2"})(two_sums.program)
    assert covered_parameters(theorem, wider.claims()[0]) == {"rho"}


def test_what_stays_open_is_checked() -> None:
    certificate = dict(CompositionProver().run(two_sums.claims()[0]).certificate)
    assert certificate["open"] == ["rho"]
    assert dict(check(certificate).open) == {"rho": {"above": "0"}}
    for opened in ([], ["eps"], ["rho", "rho"], ["$1"], [1], "rho", ["rho", "a", "b", "c", "d"]):
        changed = copy.deepcopy(certificate)
        changed["open"] = opened
        assert not examine(changed), opened
    changed = copy.deepcopy(certificate)
    changed["guarantee"]["rho"] = {"rho": "99/100"}
    assert not examine(changed)
