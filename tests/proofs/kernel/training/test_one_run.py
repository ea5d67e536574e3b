"""Certificates of one-run p-values: accepted, quick, and refused when anything in them is changed against the truth."""

from __future__ import annotations

import copy
import json
import time
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest

import dpwitness as dpw
from dpwitness.auditors.bounds.curves import as_curve
from dpwitness.auditors.training.certificate import bound_of, certified
from dpwitness.auditors.training.program import closed_form, sharp
from dpwitness.core.guarantees import PureDP
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import check, examine

CASES: dict[str, tuple[Any, int, int, int, int]] = {
    "gaussian": (dpw.GaussianDP("7/10"), 1000, 100, 92, 2),
    "gaussian, one side": (dpw.GaussianDP("7/10"), 1000, 100, 92, 1),
    "approximate": (dpw.ApproxDP("2.4", "1e-5"), 100_000, 1000, 950, 2),
    "approximate, one side": (dpw.ApproxDP(1, "1e-3"), 400, 60, 55, 1),
    "pure": (dpw.PureDP(1), 200, 80, 75, 2),
    "composition": (dpw.poisson(dpw.gaussian("3/2"), "1/10") * 200, 500, 150, 150, 1),
    "laplace": (dpw.laplace(2) * 3, 300, 60, 60, 2),
}


@cache
def made(name: str) -> str:
    claim, m, c, v, sides = CASES[name]
    curve = as_curve(claim)
    known = isinstance(claim, dpw.ApproxDP | PureDP)
    weights = closed_form(curve, m, c, v, sides) if known else sharp(curve, m, c, v, sides)
    assert weights is not None
    certificate = certified(weights, claim, curve, (m, c, v, sides))
    assert certificate is not None
    return json.dumps(certificate)


@pytest.mark.parametrize("name", CASES)
def test_certificates_are_accepted_within_the_time_of_a_file_from_outside(name: str) -> None:
    certificate = json.loads(made(name))
    before = time.thread_time()
    theorem = check(certificate)  # with the limit of about a second that a stranger's file has
    assert time.thread_time() - before < 60  # the limit is kept by `check` itself
    assert not theorem.refutes
    assert theorem.relation == {"inputs": "none"}
    assert theorem.guarantee["kind"] == "tail"  # no guarantee of any program: it decides no claim
    assert any("fair coin" in text for text in theorem.assumptions)


@pytest.mark.parametrize("name", CASES)
def test_the_stated_bound_is_the_one_that_was_found(name: str) -> None:
    claim, m, c, v, sides = CASES[name]
    curve = as_curve(claim)
    known = isinstance(claim, dpw.ApproxDP | PureDP)
    weights = closed_form(curve, m, c, v, sides) if known else sharp(curve, m, c, v, sides)
    assert weights is not None
    assert bound_of(json.loads(made(name))) == pytest.approx(weights.bound, rel=2e-3, abs=1e-9)


def lighter(certificate: Any) -> None:
    """The largest weight of a point, halved: what it paid for is paid no longer."""
    ups = certificate["points"][0]["up"]
    ups[int(np.argmax(ups))] //= 2


def heavier(certificate: Any) -> None:
    ups = certificate["points"][0]["up"]
    ups[int(np.argmax(ups))] *= 3


MUTATIONS: dict[str, Callable[[Any], object]] = {
    "a smaller bound": lambda c: c.update(bound=str(Fraction(c["bound"]) * Fraction(999, 1000))),
    "more right": lambda c: c.update(right=max(1, c["right"] - 1)),
    "fewer canaries than guesses": lambda c: c.update(canaries=c["guesses"] - 1),
    "a lighter weight": lighter,
    "a heavier weight": heavier,
    "a negative weight": lambda c: c["points"][0]["up"].__setitem__(0, -1),
    "a fractional weight": lambda c: c["points"][0]["up"].__setitem__(0, 0.5),
    "a truth value": lambda c: c["points"][0]["up"].__setitem__(0, True),
    "too few weights": lambda c: c["points"][0]["up"].pop(),
    "smaller odds": lambda c: c["points"][-1].update(odds=str(Fraction(c["points"][-1]["odds"]) * Fraction(99, 100))),
    "odds below one": lambda c: c["points"][0].update(odds="1/2"),
    "a negative δ": lambda c: c["points"][0].update(delta="-1/100"),
    "an unknown claim": lambda c: c.update(claim={"kind": "zcdp", "rho": "1"}),
    "another side": lambda c: c.update(sides=3),
    "no points": lambda c: c.update(points=[]),
    "a larger unit": lambda c: c.update(scale=c["scale"] * 2),
}


@pytest.mark.parametrize("mutation", MUTATIONS)
@pytest.mark.parametrize("name", ["gaussian", "approximate, one side", "composition"])
def test_what_is_changed_against_the_truth_is_refused(name: str, mutation: str) -> None:
    certificate = json.loads(made(name))
    MUTATIONS[mutation](certificate)
    with pytest.raises(Rejected):
        check(certificate)


@pytest.mark.parametrize("name", ["gaussian", "approximate", "composition"])
def test_a_smaller_delta_is_refused(name: str) -> None:
    certificate = json.loads(made(name))
    for point in certificate["points"]:
        changed = copy.deepcopy(certificate)
        which = certificate["points"].index(point)
        changed["points"][which]["delta"] = str(Fraction(point["delta"]) * Fraction(999, 1000))
        if Fraction(point["delta"]):
            assert not examine(changed).valid


def test_a_stronger_claim_is_refused() -> None:
    certificate = json.loads(made("gaussian"))
    certificate["claim"]["mu"] = "71/100"  # a weaker claim allows more
    assert "below the claim's curve" in examine(certificate).reason


def test_one_side_needs_its_own_count() -> None:
    """Half of the budget belongs to guesses of "in" alone; the same weights prove less of guesses on both sides."""
    certificate = json.loads(made("gaussian, one side"))
    certificate["sides"] = 2
    assert not examine(certificate).valid


@pytest.mark.parametrize("seed", range(30))
def test_every_weight_matters_or_is_paid_for(seed: int) -> None:
    """A random weight changed at random: what is still accepted is still true, as the program's optimum says."""
    rng = np.random.default_rng(seed)
    certificate = json.loads(made("gaussian"))
    point = certificate["points"][int(rng.integers(len(certificate["points"])))]
    side = point[str(rng.choice(["up", "down"]))]
    at = int(rng.integers(len(side)))
    side[at] = int(side[at] * rng.choice([0, 0.5, 2])) + int(rng.integers(0, 10**18))
    best = sharp(as_curve(dpw.GaussianDP("7/10")), 1000, 100, 92, 2, 48)
    assert best is not None
    if examine(certificate).valid:
        assert bound_of(certificate) >= best.bound * (1 - 1e-6)
