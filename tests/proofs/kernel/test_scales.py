"""Location and scale at once: closed forms against quadrature, and certificates that do not survive a change."""

from __future__ import annotations

import copy
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from dpwitness.proofs.kernel.arith import ball, precision
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.releases.scales import beyond, dilation_curve, probability, read_law, slide_slope

F = Fraction


@pytest.mark.parametrize("lam", [0.05, 0.3, 1.0, 2.0])
@pytest.mark.parametrize("eps", ["0", "1/10", "1/2", "3/2"])
def test_dilation_against_quadrature(lam: float, eps: str) -> None:
    e, grow = float(F(eps)), np.exp(lam)

    def gap(z: float, first: float, second: float) -> float:
        return max(first / 2 * np.exp(-first * abs(z)) - np.exp(e) * second / 2 * np.exp(-second * abs(z)), 0.0)

    both = [
        2 * integrate.quad(gap, 0, 200, args=args, limit=800, points=[0.01, 0.1, 1, 5, 20])[0]
        for args in ((1, grow), (grow, 1))
    ]
    with precision(128):
        assert float(dilation_curve(F(eps), ball(F(lam)))) == pytest.approx(max(both), rel=1e-5, abs=1e-9)


@pytest.mark.parametrize("gamma", ["3/2", "2", "3", "4", "7"])
def test_slide_slope_is_the_largest_slope(gamma: str) -> None:
    g, x = float(F(gamma)), np.linspace(1e-6, 20, 400_001)
    assert float(slide_slope(F(gamma))) == pytest.approx(np.max(g * x ** (g - 1) / (1 + x**g)), rel=1e-8)


@pytest.mark.parametrize(
    ("name", "law"),
    [("laplace", stats.laplace), ("gaussian", stats.norm), ("exponential", stats.expon), ("uniform", stats.uniform)],
)
def test_tails(name: str, law: Any) -> None:
    with precision(128):
        for x in (-2.5, -0.25, 0.0, 0.75, 3.0):
            assert float(beyond(name, F(0), ball(F(x)))) == pytest.approx(law.sf(x))
        assert float(beyond("admissible", F(2), ball(F(3)))) == pytest.approx(stats.cauchy.sf(3))
        moved = probability((name, F(0)), read_law(["1", "-2"]), F(-1), F(1, 2))
        assert float(moved) == pytest.approx(law.cdf(1.0) - law.cdf(0.25))


VIOLATION = {
    "type": "scales-violation",
    "inputs": [["int:0"], ["int:1"]],
    "output": ["slot"],
    "slot": 0,
    "noise": {"name": "admissible", "gamma": "2"},
    "left": ["0", "6"],
    "right": ["0", "6*exp(2)"],
    "event": {"inside": True, "low": "-1", "high": "1"},
    "guarantee": {"kind": "pure", "epsilon": "1"},
}
PAIRS = {
    "type": "scales",
    "space": {"records": ["int:0", "int:1"], "fewest": 1, "most": 1, "relation": "substitute"},
    "output": ["slot"],
    "noise": {"name": "laplace"},
    "laws": [["0", "3"], ["1", "3*exp(1/20)"]],
    "use": [0, 1],
    "guarantee": {"kind": "approximate", "epsilon": "1", "delta": "1/10000"},
}


@pytest.mark.parametrize("certificate", [VIOLATION, PAIRS], ids=["violation", "pairs"])
def test_certificates(certificate: dict[str, Any]) -> None:
    assert examine(certificate)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("right", 1), "6"), (("right", 1), "6*exp(1)"), (("left", 0), "1000"), (("event", "low"), "1000"),
        (("event", "inside"), False), (("guarantee", "epsilon"), "2"), (("noise", "gamma"), "1"),
        (("left", 1), "6*x"), (("left", 1), "log(0)"), (("event", "low"), 1),
    ],
)  # fmt: skip
def test_changed_violations_are_refused(path: tuple[Any, Any], value: Any) -> None:
    changed = copy.deepcopy(VIOLATION)
    changed[path[0]][path[1]] = value  # type: ignore[index]
    assert not examine(changed)


@pytest.mark.parametrize(
    "change",
    [
        {"noise": {"name": "gaussian"}}, {"laws": [["0", "3"], ["9", "3"]]}, {"laws": [["0", "3"], ["1", "4"]]},
        {"laws": [["0", "3"], ["1", "0"]]}, {"guarantee": {"kind": "pure", "epsilon": "1"}}, {"laws": []}, {"use": []},
        {"use": [0, 0]}, {"use": [0]}, {"output": ["list", ["slot"], ["slot"]]},
        {"guarantee": {"kind": "approximate", "epsilon": "1/3", "delta": "1/10000"}},
    ],
)  # fmt: skip
def test_changed_pairs_are_refused(change: dict[str, Any]) -> None:
    assert not examine({**PAIRS, **change})
