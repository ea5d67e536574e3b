"""Noise laws with symbols: from Python, from the command line, and what is said of bad input."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
import sympy

import dpwitness as dpw
from dpwitness.cli import main
from dpwitness.core.errors import BadInput
from dpwitness.proofs.derivations import bridge
from dpwitness.proofs.derivations.conditions import conditions
from dpwitness.proofs.derivations.named import LAWS, of_certificate, of_law
from dpwitness.proofs.kernel.check import check


def formulas(law: dpw.NoiseLaw, words: str) -> list[str]:
    return [step.formula for step in law.derivation.steps if words in step.statement]


def test_laplace_has_all_its_formulas() -> None:
    law = dpw.noise_law("exp(-Abs(z)/b)/(2*b)", "b > 0")
    assert formulas(law, "integral") == ["1"]
    assert formulas(law, "slide by Δ > 0") == ["Delta/b"]
    assert formulas(law, "δ(ε)") == ["1 - exp((b*eps - Delta)/(2*b))"]
    assert formulas(law, "admissible slide") == ["b*eps/2"]
    assert law.dilate[0].formula is None
    assert all(check(c, seconds=5) for c in law.certificates())
    assert law._repr_latex_().startswith("$$")


def test_from_a_sympy_expression() -> None:
    z, s = sympy.Symbol("z", real=True), sympy.Symbol("s", positive=True)
    law = dpw.noise_law(1 / (s**2 + z**2), where=["s > 0"])
    assert formulas(law, "admissible slide") == ["2*s*sinh(eps/4)"]
    assert law.stretch[0].formula == "1"


def test_the_gaussian_curve_is_the_known_one() -> None:
    """Against the kernel's own curve at single parameters."""
    from fractions import Fraction

    from dpwitness.proofs.kernel.algebra.expr import parse
    from dpwitness.proofs.kernel.laws.noise import NoiseLaw, enclosure

    (formula,) = formulas(dpw.noise_law("exp(-z**2/(2*sigma**2))", "sigma > 0"), "δ(ε)")
    for sigma, shift, eps in ((1, 1, 1), (2, 3, Fraction(1, 2)), (1, Fraction(1, 2), 0)):
        low, high = enclosure(
            NoiseLaw("gaussian", {"variance": Fraction(sigma) ** 2}).curve(Fraction(shift), Fraction(eps))
        )
        at = {"sigma": float(sigma), "Delta": float(shift), "eps": float(eps)}
        found = float(bridge.to_sympy(parse(formula)).subs({bridge.symbol(k): v for k, v in at.items()}).evalf())
        assert float(low) - 1e-9 <= found <= float(high) + 1e-9


@pytest.mark.parametrize(("formula", "where", "message"), [
    ("exp(-Abs(z)/b)", "", "nothing is assumed about 'b'"),
    ("exp(-Abs(z)/b)", "b > 1, b < 1", "leave no value for b"),
    ("exp(-Abs(z)/b)", "b > 0, c > 0", "'c', which is no parameter"),
    ("exp(-Abs(z)/b)", "b", "compares nothing"),
    ("1/(1+Abs(z)**gamma)", "gamma > 0", "finite only where gamma > 1"),
    ("Abs(z)**(k-1)*exp(-Abs(z))", "k > -1", "finite only where k > 0"),
    ("exp(z/b)", "b > 0", "infinite, whatever the parameters"),
    ("(1 - z)*exp(-Abs(z)/b)", "b > 0", "the density is negative"),
    ("exp(-Abs(z)/exp)", "exp > 0", "another meaning"),
    ("exp(-Abs(z)/lam)", "lam > 0", "another meaning"),
    ("exp(-Abs(z)/Delta)", "Delta > 0", "another meaning"),
    ("exp(-b)", "b > 0", "does not depend on z"),
    ("__import__('os')", "", "not a known function"),
    ("exp(-Abs(z)/b", "b > 0", "is not a formula"),
    ("p*exp(-2*Abs(z)) + (1-p)*exp(-Abs(z))", "p > 0", "density is negative"),
])  # fmt: skip
def test_bad_input(formula: str, where: str, message: str) -> None:
    with pytest.raises(BadInput, match=message.replace("(", r"\(")):
        dpw.noise_law(formula, where)


def test_sympy_that_never_ends_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """The simplification is given up; the bound is still derived and certified."""

    def stuck(value: Any) -> Any:
        while True:
            time.sleep(0.01)

    monkeypatch.setattr(bridge, "PATIENCE", 0.05)
    monkeypatch.setattr(bridge, "_simplified", stuck)
    law = dpw.noise_law("exp(-Abs(z)/b)", "b > 0")
    assert check(law.slide[0].certificate)


def test_what_is_open_names_its_step() -> None:
    law = dpw.noise_law("1/(1+Abs(z)**gamma)", "gamma > 1")
    assert len(law.open) == 1
    assert "slide by Δ" in law.open[0]
    assert formulas(law, "slope of ln h") == ["(gamma - 1)**((gamma - 1)/gamma)"]
    assert formulas(law, "1 + z (ln h)'") == ["Max(1, gamma - 1)"]


def test_conditions() -> None:
    assert conditions(["0 < p < 1", "a > 0 and b >= a"]) == ("0 < p", "p < 1", "a > 0", "b >= a")


@pytest.mark.parametrize("name", LAWS)
def test_each_noise_law_has_a_derivation(name: str) -> None:
    found = of_law(name)
    assert found.certificates()
    assert all(check(c, seconds=5) for c in found.certificates())
    assert len(found.lines()) == 1 + 2 * len(found.steps)
    assert "enumerate" in found.latex()


def test_laws_of_a_certificate() -> None:
    made = {"type": "noise", "laws": [{"name": "laplace", "scale": "1"}] * 3 + [{"name": "gaussian", "variance": "1"}]}
    assert [d.subject for d in of_certificate(made)] == [of_law("laplace").subject, of_law("gaussian").subject]
    assert of_certificate(None) == of_certificate({"type": "tables"}) == ()


def test_the_command(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    place = tmp_path / "proofs"
    assert main(["noise", "exp(-Abs(z)/b)", "--where", "b > 0", "--derive", "--certificates", str(place)]) == 0
    text = capsys.readouterr().out
    assert "Delta/b" in text
    assert "certified" in text
    files = sorted(map(str, place.glob("*.json")))
    assert main(["check", *files]) == 0
    assert capsys.readouterr().out.count("VALID") == len(files) >= 4
    assert main(["noise", "exp(-Abs(z)/b)", "--where", "b > 0", "--latex"]) == 0
    assert r"\frac{\Delta}{b}" in capsys.readouterr().out
    assert main(["noise", "exp(-Abs(z)/b)"]) == 2
    assert "b > 0" in capsys.readouterr().err
    assert main(["noise", "exp(-Abs(z)/b)", "--where", "b > 0", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["where"] == ["b > 0"]
