"""Densities by formula: tails, integrals, divergences against the closed forms, shapes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb

from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.algebra.interval import Interval
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import Rejected, Undecided, ball, lower, precision
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.laws.cauchy import normaliser
from dpwitness.proofs.kernel.laws.density import BITS, Density
from dpwitness.proofs.kernel.laws.noise import NoiseLaw, enclosure
from dpwitness.proofs.kernel.laws.shapes import even, kinks, range_on_line, resolve
from dpwitness.proofs.kernel.laws.tails import Diverges, single, tail, tail_mass, tail_range

F = Fraction


@pytest.mark.parametrize(
    ("formula", "power", "growth"),
    [
        ("1/(1+Abs(z)**4)", -4, ()),
        ("exp(-z**2/2)*z**3", 3, ((F(2), F(-1, 2)),)),
        ("1/cosh(z)", 0, ((F(1), F(-1)),)),
        ("(1+z**2/3)**(-2)", -4, ()),
        ("exp(-z)/(1+exp(-z))**2", 0, ((F(1), F(-1)),)),
        ("exp(-sqrt(Abs(z)))", 0, ((F(1, 2), F(-1)),)),
    ],
)
def test_tail_terms(formula: str, power: int, growth: tuple[object, ...]) -> None:
    term = single(tail(parse(formula), F(64)), F(64))
    assert (term.power, term.growth) == (power, growth)


@pytest.mark.parametrize(
    "formula", ["1/(1+Abs(z)**3)", "exp(-z)*(1+z)", "tanh(z)", "z*exp(-z**2)", "1-4*z**2/(3+z**2)"]
)
def test_tail_ranges_contain_values(formula: str) -> None:
    expr = parse(formula)
    with precision(80):
        bound = tail_range(expr, F(16))
        for point in (F(16), F(20), F(100), F(10**6)):
            value = over(expr, {"z": Interval.of(point, point)})
            assert bound.lo <= value.hi
            assert value.lo <= bound.hi


def test_tail_masses() -> None:
    exact = (-arb(20)).exp()
    assert exact <= tail_mass(parse("exp(-z)"), F(20)) <= exact * F(11, 10).numerator / 10 + exact / 10
    assert tail_mass(parse("1/z**2"), F(10)) >= ball(F(1, 10))
    with pytest.raises(Diverges):
        tail_mass(parse("1/(1+z)"), F(10))
    with pytest.raises(Diverges):
        tail_mass(parse("exp(z)"), F(10))


def test_kinks_and_pieces() -> None:
    expr = parse("Max(0, 1 - Abs(z - 1))")
    assert kinks(expr) == {F(0), F(1), F(2)}
    assert exact_at(resolve(expr, F(1), F(2)), F(3, 2)) == F(1, 2)
    assert exact_at(resolve(expr, F(2), F(3)), F(5, 2)) == 0
    assert even(parse("exp(-Abs(z))*z**2"))
    assert not even(parse("exp(-Abs(z))*(1+z)"))


def exact_at(expr: object, z: Fraction) -> Fraction:
    value = over(expr, {"z": Interval.of(z, z)})  # type: ignore[arg-type]
    assert value.lo == value.hi
    return lower(value.lo)


@pytest.mark.parametrize("gamma", [F(3, 2), F(2), F(4), F(7)])
def test_normalisers(gamma: Fraction) -> None:
    low, high = Density.read(f"1/(1+Abs(z)**({gamma}))").total()
    with precision(200):
        exact = normaliser(gamma)
        assert ball(low) <= exact <= ball(high)
    assert high - low < low / 10**15


CASES = [
    ("exp(-Abs(z)/2)", NoiseLaw("laplace", {"scale": F(2)})),
    ("exp(-z**2/2)", NoiseLaw("gaussian", {"variance": F(1)})),
    ("1/(1+Abs(z)**4)", NoiseLaw("admissible", {"gamma": F(4), "scale": F(1)})),
    ("1/(1+Abs(z)**1.5)", NoiseLaw("admissible", {"gamma": F(3, 2), "scale": F(1)})),
    ("Heaviside(2-Abs(z))", NoiseLaw("uniform", {"width": F(4)})),
]


@pytest.mark.parametrize(("formula", "law"), CASES, ids=lambda x: str(x))
def test_closed_forms_against_the_cell_method(formula: str, law: NoiseLaw) -> None:
    density = Density.read(formula)
    for shift, eps in ((F(1, 2), F(1, 4)), (F(3, 2), F(1, 10))):
        low, high = density.divergence("slide", shift, eps)
        closed = enclosure(law.curve(shift, eps))
        assert low <= closed[1]
        assert closed[0] <= high
        assert high - low < F(1, 10**13)


@pytest.mark.parametrize(
    ("formula", "psi"),
    [("exp(-Abs(z))", F(1)), ("exp(-z)/(1+exp(-z))**2", F(1)), ("1/(1+z**2)", F(1)), ("1/cosh(z)", F(1))],
)
def test_slopes(formula: str, psi: Fraction) -> None:
    with precision(BITS):
        outer, reached = range_on_line(Density.read(formula).slopes()[0])
        assert ball(psi).lower() <= outer.hi <= ball(psi + F(1, 10**10))
        assert ball(psi - F(1, 10**10)) <= reached.hi <= ball(psi).upper()


@pytest.mark.parametrize(
    ("formula", "words"),
    [
        ("1/(1+Abs(z))", "infinite"),
        ("exp(-Abs(z))*(z**2-1)", "negative"),
        ("-exp(-z**2)", "non-negative|negative"),
        ("exp(z)", "infinite"),
        ("5", "does not depend"),
        ("0*z", "does not depend"),
        ("1/z**2", "not"),
    ],
)
def test_what_is_no_density(formula: str, words: str) -> None:
    with pytest.raises((Rejected, Undecided), match=words):
        Density.read(formula).total()


def certificate(formula: str, change: str, by: object, eps: object, delta: object = 0) -> dict[str, str]:
    return {
        "type": "density",
        "formula": formula,
        "change": change,
        "by": str(by),
        "epsilon": str(eps),
        "delta": str(delta),
    }


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        (
            certificate("exp(-Abs(z))", "slide", "1/2", "1/2"),
            certificate("exp(-Abs(z))", "slide", "500001/1000000", "1/2"),
        ),
        (
            certificate("1/(1+Abs(z)**4)", "dilate", "1/6", "1/2"),
            certificate("1/(1+Abs(z)**4)", "dilate", "166667/1000000", "1/2"),
        ),
        (
            certificate("1/(1+z**2)", "slide", "1/2", "494934/1000000"),
            certificate("1/(1+z**2)", "slide", "1/2", "494932/1000000"),
        ),
        (
            certificate("exp(-Abs(z))", "slide", "1", "1/2", "221200/1000000"),
            certificate("exp(-Abs(z))", "slide", "1", "1/2", "221199/1000000"),
        ),
        (
            certificate("exp(-Abs(z))", "dilate", "1/10", "1/2", "5/10000"),
            certificate("exp(-Abs(z))", "dilate", "1/10", "1/2", "1/10000"),
        ),
    ],
)
def test_certificates(good: dict[str, str], bad: dict[str, str]) -> None:
    assert examine(good), examine(good).reason
    assert not examine(bad)


@pytest.mark.parametrize("formula", ["exp(-z**2/2)", "Heaviside(1-Abs(z))"])
def test_unbounded_losses_are_never_certified(formula: str) -> None:
    assert not examine(certificate(formula, "slide", "1/100", "50"))


@pytest.mark.parametrize(
    "formula",
    ["(1+Heaviside(z))*exp(-Abs(z))", "(1+sign(z)/2)*exp(-Abs(z))", "exp(-Abs(z)-sign(Abs(z)-1))"],
)
@pytest.mark.parametrize("by", ["1", "1/10"])
def test_a_jump_is_not_overlooked(formula: str, by: str) -> None:
    # between its jumps ln h has slope at most 1, yet a slide across a jump loses more
    assert not examine(certificate(formula, "slide", by, by))


@pytest.mark.parametrize("formula", ["exp(-4*(Abs(z)-2)**2)", "exp(-(z**2-4)**2)"])
def test_of_two_peaks_the_longest_slide_is_not_the_worst(formula: str) -> None:
    # a slide by 4 lays one peak on the other; a slide by 2 lays both on the valley
    density = Density.read(formula)
    assert density.divergence("slide", Fraction(2), Fraction(1, 10))[0] > Fraction(9, 10)
    assert not density.peaked("slide")
    assert not examine(certificate(formula, "slide", "4", "1/10", "7/10"))
