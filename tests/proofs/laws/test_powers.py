"""Several runs: the exact laws of sums of losses, against each other and against plain sums in doubles."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpwitness.core.errors import BadInput
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import precision
from dpwitness.proofs.kernel.laws.curves import normal
from dpwitness.proofs.kernel.laws.noise import NoiseLaw, enclosure
from dpwitness.proofs.kernel.laws.products import laplace_product
from dpwitness.proofs.kernel.releases.tables import Row
from dpwitness.proofs.laws.composition import response_product
from dpwitness.proofs.laws.privacy_curves.integer_sums import residues
from dpwitness.proofs.laws.privacy_curves.powers import lattice_power, product_curve
from dpwitness.proofs.laws.privacy_curves.table_powers import table_power

F = Fraction
WIDTH = F(1, 10**12)


def law(name: str, **params: Any) -> NoiseLaw:
    return NoiseLaw(name, {key: F(value) for key, value in params.items()})


def curve(noise: NoiseLaw, shift: Any, eps: Any, times: int) -> tuple[Fraction, Fraction]:
    return enclosure(product_curve([(noise, F(shift))], F(eps), times))


def meet(one: tuple[Fraction, Fraction], two: tuple[Fraction, Fraction]) -> bool:
    return one[0] <= two[1] and two[0] <= one[1]


@settings(max_examples=25, deadline=None)
@given(st.integers(2, 7), st.fractions(F(1, 10), 2, max_denominator=10), st.fractions(0, F(11, 10), max_denominator=30))
def test_laplace_agrees_with_the_exact_product(times: int, loss: Fraction, part: Fraction) -> None:
    eps = part * times * loss
    exact = laplace_product([loss] * times, eps), ExpSum.of(1)
    assert meet(curve(law("laplace", scale=1), loss, eps, times), enclosure(exact))


@pytest.mark.parametrize("gap", ["1/10", "1e-3", "1e-20", "1e-40"])
@pytest.mark.parametrize("times", [2, 3, 10])
def test_laplace_near_its_largest_loss(times: int, gap: str) -> None:
    r"""All k coordinates lose a with probability 2^−k; to first order in the gap g, δ = 2^−k g."""
    low, high = curve(law("laplace", scale=2), 1, F(times, 2) - F(gap), times)
    assert high - low <= WIDTH * low
    assert abs(float(low / (F(gap) / 2**times)) - 1) <= 2 * times * float(F(gap))


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 12), st.fractions(F(1, 8), 2, max_denominator=8), st.fractions(0, 1, max_denominator=20))
def test_geometric_noise_with_shift_one_is_randomized_response(times: int, eps0: Fraction, part: Fraction) -> None:
    eps = part * times * eps0
    ours = curve(law("discrete_laplace", scale=1 / eps0), 1, eps, times)
    assert meet(ours, enclosure(response_product(times, eps0, eps)))


@pytest.mark.parametrize("times", [2, 3, 5])
@pytest.mark.parametrize(("shift", "scale"), [(1, 1), (3, 2), (4, "7/3")])
def test_geometric_sums_in_doubles(times: int, shift: int, scale: Any) -> None:
    noise = law("discrete_laplace", scale=scale)
    k, b = np.arange(-400, 401), float(F(scale))
    p = np.exp(-np.abs(k) / b)
    p /= p.sum()
    losses = np.round(np.abs(k - shift) - np.abs(k)).astype(int)  # in units of 1/b
    one = np.bincount(losses + shift, weights=p)
    total = np.array([1.0])
    for _ in range(times):
        total = np.convolve(total, one)
    for eps in (F(0), F(1, 3), F(times, 2)):
        values = (np.arange(len(total)) - times * shift) / b
        wanted = float(np.sum(total * np.maximum(0, -np.expm1(float(eps) - values))))
        assert abs(float(curve(noise, shift, eps, times)[0]) - wanted) < 1e-12


@pytest.mark.parametrize("variance", ["1/3", 1, 9])
@pytest.mark.parametrize(("shift", "times"), [(1, 2), (2, 3), (1, 8)])
def test_integer_gaussian_sums_in_doubles(variance: Any, shift: int, times: int) -> None:
    v = float(F(variance))
    k = np.arange(-60, 61)
    one = np.exp(-(k**2) / (2 * v))
    one /= one.sum()
    total = np.array([1.0])
    for _ in range(times):
        total = np.convolve(total, one)
    sums = np.arange(len(total)) - 60 * times
    for eps in (F(0), F(1, 7), F(2)):
        losses = (times * shift**2 - 2 * shift * sums) / (2 * v)
        wanted = float(np.sum(total * np.maximum(0, -np.expm1(np.minimum(float(eps) - losses, 0)))))
        low, high = curve(law("discrete_gaussian", variance=variance), shift, eps, times)
        assert high - low <= WIDTH * high
        assert abs(float(low) - wanted) < 1e-12


def test_integer_gaussian_by_every_vector() -> None:
    """The constants of the residue lemma, summed over all short vectors, up to their common factor."""
    v, k = F(1, 2), 3
    sums = dict.fromkeys(range(k), 0.0)
    for vector in itertools.product(range(-9, 10), repeat=k):
        if sum(vector) in sums:
            s = sum(vector)
            sums[s] += math.exp(-(sum(j * j for j in vector) - s * s / k) / (2 * float(v)))
    with precision(80):
        found = [float(value) for value in residues(v, k, 80)]
    assert np.allclose([value / found[0] for value in found], [sums[r] / sums[0] for r in range(k)], rtol=1e-13)


def test_flat_constants_change_nothing() -> None:
    """Where the constants are equal to the working precision the law is that of one draw with k times the variance."""
    from dpwitness.proofs.kernel.laws.curves import discrete_gaussian

    low, high = curve(law("discrete_gaussian", variance=500), 2, 1, 4)
    one = enclosure(discrete_gaussian({"variance": F(2000)}, F(8), F(1)))
    assert meet((low, high), (one[0] * (1 - WIDTH), one[1] * (1 + WIDTH)))


def test_gaussian_runs_are_one_longer_run() -> None:
    assert curve(law("gaussian", variance=4), 1, 1, 9) == enclosure(normal(F(9, 4), F(1)))


def test_supports_that_differ() -> None:
    assert curve(law("uniform", width=10), 1, 3, 2) == (F(19, 100), F(19, 100))
    low, _ = curve(law("exponential", scale=2), 1, 3, 4)
    assert abs(float(low) - (1 - math.exp(-2))) < 1e-15


@pytest.mark.parametrize("times", [2, 5, 9])
def test_tables_with_rational_and_irrational_losses(times: int) -> None:
    p, q = Row.law([F(1, 2), F(1, 3), F(1, 6)]), Row.law([F(1, 5), F(2, 5), F(2, 5)])
    for eps in (F(0), F(1, 2), F(3)):
        wanted = 0.0
        for outcome in itertools.product(range(3), repeat=times):
            a = math.prod((1 / 2, 1 / 3, 1 / 6)[i] for i in outcome)
            b = math.prod((1 / 5, 2 / 5, 2 / 5)[i] for i in outcome)
            wanted += max(0.0, a - math.exp(float(eps)) * b)
        assert abs(float(enclosure(table_power(p, q, eps, times))[0]) - wanted) < 1e-12
    far = times * 2
    assert enclosure(table_power(p, q, F(far), times)) == (0, 0)


def test_outcomes_that_one_side_alone_can_give() -> None:
    p, q = Row.law([F(1, 2), F(1, 2)]), Row.law([F(1), F(0)])
    low, high = enclosure(table_power(p, q, F(2), 3))
    assert low <= F(7, 8) <= high
    mixed = Row.law([F(1, 2), F(1, 4), F(1, 4)]), Row.law([F(1, 4), F(3, 4), F(0)])
    wanted = 0.0
    for outcome in itertools.product(range(3), repeat=3):
        a, b = (math.prod(row[i] for i in outcome) for row in ((0.5, 0.25, 0.25), (0.25, 0.75, 0.0)))
        wanted += max(0.0, a - math.exp(0.5) * b)
    assert abs(float(enclosure(table_power(*mixed, F(1, 2), 3))[0]) - wanted) < 1e-12


def test_bad_input() -> None:
    noise = law("laplace", scale=1)
    for times in (0, -1, 1.5, 10**9):
        with pytest.raises(BadInput, match="times"):
            product_curve([(noise, F(1))], F(1), times)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="no exact curve"):
        product_curve([(noise, F(1)), (law("gaussian", variance=1), F(1))], F(1))
    with pytest.raises(BadInput, match="lattice"):
        lattice_power([({F(1): ExpSum.of(1), F(1, 10**9): ExpSum.of(1), F(0): ExpSum.of(1)}, 2)], F(0))
