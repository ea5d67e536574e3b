"""Privacy curves and their inverses."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwitness.core import laws
from dpwitness.core.errors import BadInput
from dpwitness.proofs.kernel.laws.noise import at_most
from dpwitness.proofs.laws.privacy_curves.curves import delta, epsilon, noise_law, pure, scale_for
from dpwitness.proofs.laws.privacy_curves.vectors import Component, mixture_delta, vector_delta

F = Fraction
ALL = [
    laws.Laplace(2),
    laws.Gaussian(1),
    laws.DiscreteLaplace(2),
    laws.DiscreteGaussian(10),
    laws.Staircase(1, 1, F(1, 2)),
    laws.Admissible(4),
]


@pytest.mark.parametrize("law", ALL, ids=str)
@pytest.mark.parametrize("d", ["1e-3", "1e-9", "1e-80"])
def test_epsilon_inverts_delta(law: laws.Law, d: str) -> None:
    low, high = epsilon(law, 1, d)
    assert 0 <= low <= high
    assert high - low <= F(1, 10**12) * high
    assert at_most(noise_law(law).curve(F(1), high), F(d))
    if low > 0:
        assert delta(law, 1, low * (1 - F(1, 10**11)))[0] > F(d)


@pytest.mark.parametrize(
    ("eps", "value"), [(0, 0.38292492254802624), (1, 0.12693673750664397), (19, 5.265990860781887e-78)]
)
def test_the_gaussian_curve(eps: int, value: float) -> None:
    low, high = delta(laws.Gaussian(1), 1, eps)
    assert abs(float(low) / value - 1) < 1e-13
    assert high - low <= low / 10**12


@given(
    st.fractions(F(1, 10), 5, max_denominator=20),
    st.fractions(F(1, 10), 5, max_denominator=20),
    st.fractions(0, 3, max_denominator=9),
)
def test_laplace_in_closed_form(shift: Fraction, scale: Fraction, eps: Fraction) -> None:
    low, high = delta(laws.Laplace(scale), shift, eps)
    wanted = max(0.0, 1 - exp(float(eps - shift / scale) / 2))
    assert abs(float(low) - wanted) < 1e-12
    assert low <= high


def test_pure_losses() -> None:
    assert pure(laws.Laplace("1/2"), 3) == (6, 6)
    assert pure(laws.Uniform(0, 1), 1) is None
    loss = pure(laws.Admissible(2), 1)
    assert loss is not None
    assert abs(float(loss[0]) - 2 * log((1 + 5**0.5) / 2)) < 1e-14


@pytest.mark.parametrize(
    ("family", "eps", "d"),
    [("laplace", 1, 0), ("laplace", 1, "1e-3"), ("gaussian", 1, "1e-5"), ("discrete_gaussian", 1, "1e-5")],
)
def test_calibration_is_sharp(family: str, eps: int, d: str) -> None:
    low, high = scale_for(family, eps, d)
    make = {
        "laplace": laws.Laplace,
        "gaussian": laws.Gaussian,
        "discrete_gaussian": lambda s: laws.DiscreteGaussian(s * s),
    }[family]
    assert at_most(noise_law(make(high)).curve(F(1), F(eps)), F(d))
    if F(d) > 0:
        assert delta(make(low), 1, eps)[1] > F(d)
        assert high - low <= high / 10**12


@pytest.mark.parametrize(
    "call",
    [
        lambda: delta(laws.Laplace(1), -1, 1),
        lambda: delta(laws.Laplace(0), 1, 1),
        lambda: delta(laws.DiscreteLaplace(1), "1/2", 1),
        lambda: epsilon(laws.Gaussian(1), 1, 0),
        lambda: epsilon(laws.Uniform(0, 1), "1/2", "1e-3"),
        lambda: scale_for("cat", 1),
        lambda: scale_for("gaussian", 1, 0),
        lambda: scale_for("laplace", 0, 0),
        lambda: delta(laws.Bernoulli(F(1, 2)), 1, 1),
    ],
)
def test_bad_input(call: object) -> None:
    with pytest.raises(BadInput):
        call()  # type: ignore[operator]


def test_vectors() -> None:
    one = delta(laws.Laplace(1), 2, 1)
    spread = vector_delta([laws.Laplace(1)] * 2, [1, 1], 1)
    assert spread[1] < one[0]
    assert vector_delta([laws.Gaussian(1)] * 4, ["1/2"] * 4, 1) == delta(laws.Gaussian(1), 1, 1)
    single = vector_delta([laws.DiscreteLaplace(2)], [3], "1/4")
    closed = delta(laws.DiscreteLaplace(2), 3, "1/4")
    assert single[0] <= closed[1]
    assert closed[0] <= single[1]
    with pytest.raises(BadInput):
        vector_delta([laws.Laplace(1), laws.Gaussian(1)], [1, 1], 1)


@settings(max_examples=5, deadline=None)
@given(st.fractions(F(1, 4), 1, max_denominator=4))
def test_a_change_of_scale_alone(ratio: Fraction) -> None:
    s = 1 + ratio
    low, high = mixture_delta([Component(laws.Laplace(1))], [Component(laws.Laplace(1), scale=s)], 0)
    # total variation of two centred Laplace laws: the densities cross at |z| = ln(s) s/(s−1)
    cut = log(s) * float(s / (s - 1))
    assert abs(float(low) - (exp(-cut / float(s)) - exp(-cut))) < 1e-12
    assert low <= high


def test_mixtures_are_convex() -> None:
    half = F(1, 2)
    left = [Component(laws.Gaussian(1), half), Component(laws.Gaussian(1), half, location=3)]
    right = [Component(laws.Gaussian(1), half, location=1), Component(laws.Gaussian(1), half, location=4)]
    assert mixture_delta(left, right, 1)[1] <= delta(laws.Gaussian(1), 1, 1)[1]
    with pytest.raises(BadInput, match="sum to 1"):
        mixture_delta(left[:1], right, 1)
