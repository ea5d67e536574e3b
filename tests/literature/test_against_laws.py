"""The checkers' closed forms against the provers of laws, which compute the same numbers another way."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import isqrt

import pytest

from dpwitness.literature.composition.advanced import hockey_power
from dpwitness.literature.output_perturbation.mechanisms import gaussian_delta
from dpwitness.literature.smooth_sensitivity.admissible import SLOPE, STRETCH
from dpwitness.literature.smooth_sensitivity.laplace import DILATION
from dpwitness.literature.smooth_sensitivity.median import TOP, entry
from dpwitness.literature.tools import at
from dpwitness.proofs.laws.composition import optimal_delta
from dpwitness.proofs.laws.conversions import gdp_to_delta
from dpwitness.proofs.laws.densities import analyse
from dpwitness.proofs.laws.outcomes import separation
from dpwitness.proofs.laws.sensitivity import order_at_distance

F = Fraction


@pytest.mark.parametrize(("k", "eps0", "eps"), [(4, F(1, 2), F(1)), (20, F(1, 10), F(1, 2))])
def test_optimal_composition(k: int, eps0: Fraction, eps: Fraction) -> None:
    g, growth = at("exp(x)", {"x": eps0})[0], at("exp(x)", {"x": eps})[0]
    low, high = optimal_delta(k, eps0, eps)
    assert float(hockey_power(g, k, growth)) == pytest.approx(float(low), rel=1e-9)
    assert high >= low


@pytest.mark.parametrize(("eps", "big"), [(F(1, 2), F(4)), (F(9, 10), F(9))])
def test_gaussian_curve(eps: Fraction, big: Fraction) -> None:
    root = F(isqrt(int(big)))  # σ/Δ = √L/ε
    low, high = gdp_to_delta(eps / root, eps)
    told = gaussian_delta("L", eps, big)
    assert told[0] <= high
    assert low <= told[1]


def test_the_region_of_the_homework_mechanism() -> None:
    d = F(1, 10)
    edge = at("log((1-d)/(1-2*d))", {"d": d})
    assert separation(3, edge[1] + F(1, 10**9), d) is not None
    assert separation(3, edge[0] - F(1, 10**9), d) is None
    assert separation(3, d, d) is None


def test_the_median_at_distance_k() -> None:
    for x in combinations_with_replacement((0, 1, 3, 4), 3):
        for k in range(4):
            told = max(entry(x)(2 + t) - entry(x)(2 + t - k - 1) for t in range(k + 2))
            assert told == order_at_distance(x, 2, 0, TOP, k)


def test_the_largest_dilation_of_laplace_noise() -> None:
    found = analyse("exp(-Abs(z))/2", eps=1, delta=F(1, 100)).dilate.largest
    assert found is not None
    low, high = (at(DILATION, {"e": F(1), "l": x}) for x in found)
    assert low[0] <= F(1, 200) <= high[1]


def test_the_constants_of_the_cauchy_density() -> None:
    report = analyse("1/(1+Abs(z)**2)", eps=F(1, 10))
    assert report.slide.largest is not None
    assert report.dilate.largest is not None
    slide, dilate = (at(f"1/(20*({text}))", {"g": F(2)}) for text in (SLOPE, STRETCH))
    assert (
        slide[0] <= report.slide.largest[1] <= slide[1] * F(101, 100)
    )  # exact as ε → 0, else a little more is allowed
    assert report.dilate.largest[0] <= dilate[1]
    assert dilate[0] <= report.dilate.largest[1]
