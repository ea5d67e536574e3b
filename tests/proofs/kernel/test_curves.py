"""Closed forms of privacy curves against plain sums and integrals, and vector noise."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.laws.noise import NoiseLaw, enclosure
from dpwitness.proofs.kernel.laws.products import laplace_product
from dpwitness.proofs.laws.composition import response_product

F = Fraction
GRID = np.linspace(-80, 80, 1_600_001)
STEP = GRID[1] - GRID[0]


def stairs(t: np.ndarray) -> np.ndarray:
    return np.exp(-(np.floor(t) + (t - np.floor(t) >= 1 / 3)))


CONTINUOUS = [
    (NoiseLaw("laplace", {"scale": F(2)}), lambda z: np.exp(-np.abs(z) / 2)),
    (NoiseLaw("gaussian", {"variance": F(9, 4)}), lambda z: np.exp(-z * z / 4.5)),
    (NoiseLaw("admissible", {"gamma": F(4), "scale": F(1)}), lambda z: 1 / (1 + z**4)),
    (NoiseLaw("admissible", {"gamma": F(7), "scale": F(2)}), lambda z: 1 / (1 + np.abs(z / 2) ** 7)),
    (NoiseLaw("staircase", {"eps": F(1), "sensitivity": F(1), "split": F(1, 3)}), lambda z: stairs(np.abs(z))),
    (NoiseLaw("uniform", {"width": F(8)}), lambda z: (np.abs(z) <= 4) * 1.0),
]
PAIRS = list(product((F(1), F(5, 2)), (F(0), F(1, 4), F(1))))


@pytest.mark.parametrize(("law", "density"), CONTINUOUS, ids=lambda x: "" if callable(x) else str(x)[:40])
def test_closed_forms_against_plain_integrals(law: NoiseLaw, density: object) -> None:
    p = density(GRID)  # type: ignore[operator]
    for shift, eps in PAIRS:
        low, high = enclosure(law.curve(shift, eps))
        assert 0 <= low <= high <= 1
        q = density(GRID - float(shift))  # type: ignore[operator]
        wanted = np.maximum(p - np.exp(float(eps)) * q, 0).sum() / p.sum()
        assert abs(float(low) - wanted) < 2e-4
        assert high - low <= F(1, 10**12) * max(low, F(1, 10**300))


@pytest.mark.parametrize(
    "law", [NoiseLaw("discrete_laplace", {"scale": F(3)}), NoiseLaw("discrete_gaussian", {"variance": F(7)})]
)
def test_integer_laws_against_plain_sums(law: NoiseLaw) -> None:
    k = np.arange(-400, 401)
    mass = np.exp(-np.abs(k) / 3) if law.name == "discrete_laplace" else np.exp(-k * k / 14)
    mass /= mass.sum()
    for shift, eps in product((1, 2, 5), (0, 0.25, 0.5, 1, 2)):
        moved = np.concatenate([np.zeros(shift), mass[:-shift]])
        wanted = np.maximum(mass - np.exp(eps) * moved, 0).sum()
        low, high = enclosure(law.curve(F(shift), F(eps)))
        assert abs(float(low) - wanted) < 1e-13
        assert low <= high
    with pytest.raises(Rejected, match="disjoint"):
        law.curve(F(1, 2), F(1))


@pytest.mark.parametrize("law", [law for law, _ in CONTINUOUS], ids=str)
@settings(max_examples=15, deadline=None)
@given(st.fractions(F(1, 10), 4, max_denominator=10), st.fractions(0, 2, max_denominator=10))
def test_the_curve_rises_with_the_shift_and_falls_with_epsilon(law: NoiseLaw, shift: Fraction, eps: Fraction) -> None:
    base = enclosure(law.curve(shift, eps))
    assert enclosure(law.curve(shift + F(1, 7), eps))[1] >= base[0]
    assert enclosure(law.curve(shift, eps + F(1, 7)))[0] <= base[1]


def test_pure_losses() -> None:
    assert NoiseLaw("laplace", {"scale": F(2)}).loss(F(3)) == F(3, 2)
    stair = NoiseLaw("staircase", {"eps": F(1), "sensitivity": F(1), "split": F(1, 2)})
    assert [stair.loss(F(s)) for s in (F(1, 4), 1, F(5, 4), 2)] == [1, 1, 2, 2]
    assert NoiseLaw("gaussian", {"variance": F(1)}).loss(F(1)) is None
    cauchy = NoiseLaw("admissible", {"gamma": F(2), "scale": F(1)}).loss(F(3))
    low, high = enclosure(cauchy)
    assert abs(float(low) - 2 * np.arcsinh(1.5)) < 1e-14
    assert low <= high


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("laplace", {"scale": F(0)}),
        ("laplace", {}),
        ("cat", {"scale": F(1)}),
        ("admissible", {"gamma": F(1), "scale": F(1)}),
        ("staircase", {"eps": F(1), "sensitivity": F(1), "split": F(2)}),
        ("gaussian", {"variance": F(-1)}),
    ],
)
def test_bad_laws(name: str, params: dict[str, Fraction]) -> None:
    with pytest.raises(Rejected):
        NoiseLaw(name, params)


def test_two_laplace_coordinates_against_a_grid() -> None:
    z = np.linspace(-25, 25, 2501)
    p = np.exp(-np.abs(z)) / np.exp(-np.abs(z)).sum()
    a, b = F(1, 2), F(6, 5)
    q1, q2 = (np.exp(-np.abs(z - float(s))) / np.exp(-np.abs(z)).sum() for s in (a, b))
    for eps in (F(0), F(1, 2), F(1)):
        wanted = np.maximum(np.outer(p, p) - np.exp(float(eps)) * np.outer(q1, q2), 0).sum()
        assert abs(float(laplace_product([a, b], eps).ball()) - wanted) < 3e-4


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.fractions(F(1, 8), 2, max_denominator=8), min_size=1, max_size=4), st.fractions(0, 3, max_denominator=8)
)
def test_one_coordinate_that_takes_all_is_worst(losses: list[Fraction], eps: Fraction) -> None:
    total = sum(losses, F(0))
    spread = laplace_product(losses, eps)
    single = ExpSum.of(0) if eps >= total else 1 - ExpSum.exp((eps - total) / 2)
    assert (single - spread).sign() >= 0
    assert spread.sign() >= 0
    bigger = laplace_product([losses[0] + F(1, 9), *losses[1:]], eps)
    assert (bigger - spread).sign() >= 0


def test_response_product_is_a_finite_sum() -> None:
    e = 0.5
    keep, flip = np.exp(e) / (1 + np.exp(e)), 1 / (1 + np.exp(e))
    for k, eps in ((1, 0.0), (3, 0.25), (4, 1.0)):
        wanted = 0.0
        for bits in product((0, 1), repeat=k):
            n = sum(bits)
            wanted += max(keep ** (k - n) * flip**n - np.exp(eps) * keep**n * flip ** (k - n), 0)
        top, bottom = response_product(k, F(1, 2), F(eps))
        assert abs(float(top.ball() / bottom.ball()) - wanted) < 1e-13
