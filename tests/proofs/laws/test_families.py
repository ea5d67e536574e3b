"""Closed forms in the exponent agree with the numerical analysis at single exponents."""

from __future__ import annotations

from fractions import Fraction

import pytest

from dpwitness.cli import main
from dpwitness.core.errors import BadInput
from dpwitness.proofs.laws.densities import analyse
from dpwitness.proofs.laws.families import family


@pytest.mark.parametrize(
    "formula", ["1/(1+Abs(z)**4)", "1/(2+Abs(z)**g)", "1/(1+Abs(z)**g)**2", "z**g", "1/(1+Abs(g)**g)", "1/(1+z**g)"]
)
def test_other_formulas_are_not_of_the_family(formula: str) -> None:
    assert family(formula) is None


def test_the_forms_name_their_parameter() -> None:
    known = family("2/(Abs(z)**power + 1)", "1/2")
    assert known is not None
    assert known.eps == Fraction(1, 2)
    assert all("power" in line for line in known.lines())
    with pytest.raises(BadInput):
        family("1/(1+Abs(z)**g)", 0)


@pytest.mark.slow
@pytest.mark.parametrize("gamma", ["3/2", "2", "3", "7"])
def test_the_closed_forms(gamma: str) -> None:
    g = float(Fraction(gamma))
    report = analyse(f"1/(1+Abs(z)**({gamma}))")
    assert report.slope is not None
    assert report.stretch is not None
    assert float(report.slope[0]) == pytest.approx((g - 1) ** (1 - 1 / g), rel=1e-7)
    assert float(report.stretch[1]) == pytest.approx(max(1, g - 1), rel=1e-7)


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["noise", "1/(1+Abs(z)**gamma)"]) == 0
    assert "for every gamma > 1" in capsys.readouterr().out
    assert main(["noise", "1/(1+Abs(z)**gamma)", "--delta", "1/10"]) == 2
