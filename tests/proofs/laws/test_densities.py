"""Noise densities by formula: what is admissible, what is refuted, what is refused."""

from __future__ import annotations

from fractions import Fraction
from math import asinh, sinh

import pytest

from dpwitness.core.errors import BadInput
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.laws.densities import analyse

F = Fraction


@pytest.mark.parametrize(
    ("formula", "alpha", "beta"),
    [("exp(-Abs(z))", 0.5, None), ("1/(1+z**2)", 2 * sinh(0.25), 0.5), ("exp(-z)/(1+exp(-z))**2", 0.5, None)],
)
def test_pure(formula: str, alpha: float, beta: float | None) -> None:
    report = analyse(formula, eps=1)
    assert report.slide.largest is not None
    low, high = report.slide.largest
    assert float(low) <= alpha + 1e-9 and alpha - 1e-9 <= float(high) * (1 + 1e-9)  # noqa: PT018
    assert examine(report.slide.certificate or {})
    if beta is None:
        assert report.dilate.refuted == "the log-ratio is unbounded"
    else:
        assert report.dilate.largest is not None
        assert float(report.dilate.largest[0]) <= beta <= float(report.dilate.largest[1]) + 1e-12
        assert report.guarantee == (1, 0)
        assert examine(report.dilate.certificate or {})
    assert asinh(0) == 0
    assert report.lines()


def test_the_logistic_density_in_several_words() -> None:
    for formula in ("1/cosh(z/2)**2", "1/(exp(z/2)+exp(-z/2))**2", "exp(-z)/(1+exp(-z))**2"):
        report = analyse(formula, eps=1)
        assert report.slide.largest is not None
        assert abs(float(report.slide.largest[0]) - 0.5) < 1e-6
        assert report.slope is not None
        assert float(report.slope[1]) == pytest.approx(1)


def test_gaussian_and_uniform_are_refuted() -> None:
    assert analyse("exp(-z**2/2)", eps=1).slide.refuted == "the log-ratio is unbounded"
    assert "supports" in analyse("Heaviside(1-Abs(z))", eps=1).slide.refuted


@pytest.mark.slow
@pytest.mark.parametrize("gamma", ["1.5", "2", "3", "4", "7"])
def test_generalised_cauchy(gamma: str) -> None:
    g = F(gamma)
    report = analyse(f"1/(1+Abs(z)**({g}))", eps=1)
    assert report.slide.largest is not None and report.dilate.largest is not None  # noqa: PT018
    assert report.slide.largest[0] >= 1 / (2 * (g + 1))
    wanted = F(1, 2) / max(g - 1, F(1))
    assert report.dilate.largest[0] <= wanted <= report.dilate.largest[1]


@pytest.mark.slow
@pytest.mark.parametrize("formula", ["exp(-Abs(z))", "(1+z**2/3)**(-2)", "exp(-z**2/2)"])
def test_approximate(formula: str) -> None:
    report = analyse(formula, eps=1, delta="1e-3")
    assert report.slide.largest is not None and report.dilate.largest is not None  # noqa: PT018
    assert examine(report.slide.certificate or {})
    assert examine(report.dilate.certificate or {})


@pytest.mark.parametrize(
    "formula",
    [
        "1/(1+Abs(z))",
        "import os",
        "z.__class__",
        "exp(-Abs(z))*(z**2-1)",
        "x",
        "z**1000000000",
        "(" * 999 + "z" + ")" * 999,
        "7",
        "0x10*exp(-Abs(z))",
        "1e999*exp(-Abs(z))",
        "1e-999*exp(-Abs(z))",
    ],
    ids=lambda s: s[:20],
)
def test_bad_formulas(formula: str) -> None:
    with pytest.raises(BadInput):
        analyse(formula)


@pytest.mark.parametrize(("eps", "delta"), [(0, 0), (-1, 0), (1, 1), (1, -1)])
def test_bad_parameters(eps: int, delta: int) -> None:
    with pytest.raises(BadInput):
        analyse("exp(-Abs(z))", eps=eps, delta=delta)


@pytest.mark.slow
def test_two_peaks_of_the_logarithm_stay_open() -> None:
    report = analyse("exp(-Abs(z))*(1+Abs(z-1))", eps=1, delta="1e-3")
    assert report.slide.largest is not None
    assert report.dilate.largest is None
    assert "not shown" in report.dilate.open
