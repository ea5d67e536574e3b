"""Noise kept inside an interval: exact losses, counterexamples, and programs that only look like it."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dpwitness.catalogue import catalogue
from dpwitness.core import exp, log
from dpwitness.core.evidence import Counterexample, Unsupported, UpperBound
from dpwitness.core.guarantees import PureDP
from dpwitness.core.mechanism import mechanism
from dpwitness.core.spaces import Interval, Records
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.releases.tents import Tent
from dpwitness.proofs.laws.tents import TentProver

F = Fraction


def inside(noise: Any, centre: Any, rate: Any, *, slack: Any = 1) -> Any:
    below, above = 1 - exp(-rate * centre), 1 - exp(-rate * (1 - centre))
    if noise.bernoulli(below / (below + above)):
        return centre + log(1 - slack * below * noise.uniform()) / rate
    return centre - log(1 - above * noise.uniform()) / rate


def decide(program: Any, size: int = 2) -> Any:
    made = mechanism(data=Records(Interval(0, 1), size), claim=lambda eps: PureDP(eps), typical={"eps": 1})(program)
    evidence = TentProver().run(made.claims()[0])
    if not isinstance(evidence, Unsupported):
        verdict = examine(evidence.certificate)
        assert verdict, verdict.reason
    return evidence


@pytest.mark.parametrize("rate", ["1/2", "1", "3"])
@pytest.mark.parametrize("move", ["1/8", "1/2", "1"])
def test_the_loss_is_the_largest_log_ratio(rate: str, move: str) -> None:
    r, w = float(F(rate)), float(F(move))
    tent = Tent(F(rate), F(0), F(1))

    def density(y: Any, c: float) -> Any:
        return np.exp(-r * abs(y - c)) * r / (2 - math.exp(-r * c) - math.exp(-r * (1 - c)))

    y, worst = np.linspace(0, 1, 401), 0.0
    for c in np.linspace(0, 1 - w, 101):
        for d in (c + w, c + w / 2):
            worst = max(worst, float(np.max(np.abs(np.log(density(y, c) / density(y, d))))))
    below, above = F(worst - 1e-6).limit_denominator(10**8), F(worst + 1e-6).limit_denominator(10**8)
    assert tent.excess(F(0), F(move), below) > 0
    assert tent.excess(F(0), F(move), above) < 0


def test_the_catalogue() -> None:
    found = catalogue()["metric-on-the-unit"]
    for made in (found, *found.twins):
        (claim,) = made.claims()
        evidence = TentProver().run(claim)
        assert isinstance(evidence, UpperBound if claim.expected_to_hold else Counterexample), made.name
    assert TentProver().run(found.twins[1].claims()[0]).exact  # type: ignore[union-attr]


def test_the_counterexample_is_what_sampling_shows() -> None:
    found = next(t for t in catalogue()["metric-on-the-unit"].twins if t.name.endswith("/without-the-factor-two"))
    evidence = TentProver().run(found.claims()[0])
    assert isinstance(evidence, Counterexample)
    cut = float(F(evidence.event.words.split()[-1]))
    rng = np.random.default_rng(1)
    for data, p in ((evidence.left, evidence.p_left_decimal), (evidence.right, evidence.p_right_decimal)):
        hits = np.mean(np.asarray(found.sample(list(data), 40_000, rng).array()) <= cut)
        assert abs(hits - p) < 5 * math.sqrt(p / 40_000)


@pytest.mark.parametrize(
    "program",
    [
        lambda noise, data, *, eps: inside(noise, sum(data) / 2, 2 * eps),
        lambda noise, data, *, eps: inside(noise, sum(data), eps),
        lambda noise, data, *, eps: inside(noise, sum(data) / 2, eps, slack=F(1, 2)),
        lambda noise, data, *, eps: inside(noise, data[0] * data[1], eps),
        lambda noise, data, *, eps: inside(noise, sum(data) / 2, eps) + data[0],
        lambda noise, data, *, eps: inside(noise, sum(data) / 2 + exp(-data[0]), eps),
        lambda noise, data, *, eps: sum(data) / 2 + log(noise.uniform()) / eps,
    ],
    ids=["twice-the-rate", "leaves-the-interval", "half-a-branch", "product", "shifted", "bent-centre", "one-branch"],
)
def test_mutations_are_never_proved(program: Any) -> None:
    assert not isinstance(decide(program), UpperBound)


def test_enough_noise_is_proved() -> None:
    assert isinstance(decide(lambda noise, data, *, eps: inside(noise, sum(data) / 2, eps)), UpperBound)


CENTRE = {"support": ["0", "1"], "coefficients": ["1/4"] * 4, "offset": "0", "epsilon": "1"}
GOOD = {"type": "tent", "rate": "2", **CENTRE, "records": ["0", "1"]}
NEAR, AWAY = ["2/25", "0", "0", "0"], ["2/25", "1", "0", "0"]  # centres 1/50 and 27/100
BAD = {"type": "tent-violation", "rate": "4", **CENTRE, "inputs": [NEAR, AWAY]}


@pytest.mark.parametrize(
    ("certificate", "change"),
    [
        (GOOD, {"rate": "4"}), (GOOD, {"coefficients": ["1/2"] * 2}), (GOOD, {"coefficients": ["1/2"] * 4}),
        (GOOD, {"epsilon": "3/4"}), (GOOD, {"offset": "-1"}), (GOOD, {"support": ["1", "0"]}), (GOOD, {"rate": "-2"}),
        (GOOD, {"records": ["0", "2"]}), (GOOD, {"records": ["1", "0"]}), (GOOD, {"coefficients": []}),
        (BAD, {"inputs": [["0"] * 4, AWAY]}), (BAD, {"inputs": [NEAR, ["2/5", "0", "0", "0"]]}), (BAD, {"rate": "2"}),
        (BAD, {"epsilon": "3/2"}), (BAD, {"inputs": [NEAR, NEAR]}), (BAD, {"inputs": [AWAY, NEAR]}),
        (BAD, {"inputs": [NEAR[:3], AWAY[:3]]}),
    ],
)  # fmt: skip
def test_changed_certificates_are_refused(certificate: dict[str, Any], change: dict[str, Any]) -> None:
    assert examine(certificate)
    assert not examine({**certificate, **change})
