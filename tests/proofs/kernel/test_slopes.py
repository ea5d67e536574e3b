"""Rational functions of e^m: ranges and slopes, against numerical maxima and against the roots that were put in."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, fmpq, fmpq_poly
from hypothesis import given
from hypothesis import strategies as st

from dpwitness.proofs.kernel.algebra.slopes import Slope, nonnegative, positive_roots
from dpwitness.proofs.kernel.arith import Rejected

F = Fraction
roots = st.lists(st.integers(-4, 4), max_size=5)
quadratics = st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 4)), max_size=2)  # (u − a)² + b


def polynomial(real: list[int], pairs: list[tuple[int, int]], factor: int) -> Any:
    made = fmpq_poly([factor])
    for a in real:
        made = made * fmpq_poly([-a, 1])
    for a, b in pairs:
        made = made * fmpq_poly([a * a + b, -2 * a, 1])
    return made


@given(roots, quadratics, st.sampled_from([-2, 1, 3]))
def test_positive_roots_are_counted_once_each(real: list[int], pairs: list[tuple[int, int]], factor: int) -> None:
    assert positive_roots(polynomial(real, pairs, factor)) == len({a for a in real if a > 0})


@given(roots, quadratics, st.sampled_from([-2, 1, 3]))
def test_signs_between_roots_decide(real: list[int], pairs: list[tuple[int, int]], factor: int) -> None:
    made = polynomial(real, pairs, factor)
    assert nonnegative(made) == all(made(fmpq(k, 4)) >= 0 for k in range(1, 40))


FORMULAS = {
    "-1/(1+exp(m))": (-1, 0, "1/4"),
    "-exp(-m)/(1+exp(-m))": (-1, 0, "1/4"),
    "(exp(m)-1)/(exp(m)+1)": (-1, 1, "1/2"),
    "2*(1 - 1/(1+exp(3*m)))": (0, 2, "3/2"),
    "exp(2*m)/(1+exp(m)+exp(2*m))": (0, 1, "4/7"),
    "(1/(1+exp(-m)))**3": (0, 1, "1/3"),
}


@pytest.mark.parametrize(("formula", "truth"), FORMULAS.items())
def test_ranges_are_the_numerical_ones(formula: str, truth: Any) -> None:
    low, high, most = F(truth[0]), F(truth[1]), F(truth[2])
    phi = Slope(formula)
    m = np.linspace(-15, 15, 4001)
    values = np.array([float(phi.at(arb(x))[0]) for x in m])
    bends = np.array([float(phi.at(arb(x))[1]) for x in m])
    assert np.allclose(np.gradient(values, m), bends, atol=1e-4)
    assert phi.between(low, high)
    assert not phi.between(low + F(1, 1000), high)
    assert not phi.between(low, high - F(1, 1000))
    assert phi.bends(most)
    peak = F(float(bends.max())).limit_denominator(10**9)
    assert not phi.bends(peak - F(1, 10**4))


@pytest.mark.parametrize("formula", ["1/(1+exp(m))", "exp(m)/(1+exp(2*m))", "-exp(m)", "1 - exp(-2*m)/(1+exp(-m))**3"])
def test_what_falls_somewhere_does_not_rise_everywhere(formula: str) -> None:
    assert not Slope(formula).bends(None)
    assert not Slope(formula).bends(F(100))


def test_balls_of_margins_hold_every_margin_in_them() -> None:
    phi = Slope("2*(1 - 1/(1+exp(3*m)))")
    for middle, radius in ((0, 1), (-2, 3), (30, 10), (-40, 1)):
        wide = phi.at(arb(middle, radius))
        for x in np.linspace(middle - radius, middle + radius, 21):
            for one, all_ in zip(phi.at(arb(x)), wide, strict=True):
                if not all_.is_finite():  # too wide to be told: never evidence
                    continue
                assert float(all_.lower()) <= float(one.upper())
                assert float(all_.upper()) >= float(one.lower())


@pytest.mark.parametrize(
    "formula",
    [
        "m", "exp(m/2)", "exp(m+1)", "exp(m*m)", "exp(exp(m))", "log(1+exp(m))", "1/(1-exp(m))", "1/(exp(m)-exp(m))",
        "(exp(m)-2)/(exp(m)-2)", "tanh(m)", "Abs(exp(m))", "exp(m)**(1/2)", "exp(m)**(-1)", "exp(99*m)",
        "(1+exp(m))**41", "((1+exp(m))**9)**9", "exp(n)", "1/0", "x" * 5000, "pi", "sign(exp(m))",
    ],
)  # fmt: skip
def test_what_is_not_a_rational_function_is_rejected(formula: str) -> None:
    with pytest.raises(Rejected):
        Slope(formula)
