"""Every closed form against the generic method: cells for densities, finite tables for integer laws.

Both sides are enclosures, so they must overlap; the generic side is wider and knows nothing of the closed form.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from dpwitness.proofs.kernel.algebra.expr import num, parse, var
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import lower, precision, upper
from dpwitness.proofs.kernel.laws.density import BITS, Density, divergence
from dpwitness.proofs.kernel.laws.noise import NoiseLaw, enclosure
from dpwitness.proofs.kernel.releases.tables import Row, hockey_stick

F = Fraction
INSIDE = "(sign(z-({a}))+1)/2*(sign({b}-z)+1)/2"


def law(name: str, **params: Any) -> NoiseLaw:
    return NoiseLaw(name, {key: F(value) for key, value in params.items()})


DENSITIES = [
    (law("laplace", scale="3/2"), "exp(-Abs(z)/(3/2))"),
    (law("gaussian", variance="9/4"), "exp(-z**2/(9/2))"),
    (law("admissible", gamma=2, scale=1), "1/(1+z**2)"),
    (law("admissible", gamma=3, scale=1), "1/(1+Abs(z)**3)"),
    (law("admissible", gamma="7/2", scale=2), "1/(1+(Abs(z)/2)**(7/2))"),
    (law("uniform", width=3), INSIDE.format(a="-3/2", b="3/2")),
    (law("exponential", scale=2), "exp(-Abs(z)/2)*(sign(z)+1)/2"),
]


@pytest.mark.parametrize(("noise", "formula"), DENSITIES, ids=lambda x: str(x)[:30])
@pytest.mark.parametrize(("shift", "eps"), [("1/2", "1/10"), ("5/4", "1/3")])
def test_densities_by_cells(noise: NoiseLaw, formula: str, shift: str, eps: str) -> None:
    p = parse(formula, frozenset(["z"]))
    q = p.substitute({"z": var("z") - num(F(shift))})
    density = Density(formula, p)
    total = density.total()
    bounds = []
    with precision(BITS):
        for first, second in ((p, q), (q, p)):
            below, above = divergence(first, second, F(eps), density.far())
            bounds.append((lower(below) / total[1], upper(above) / total[0]))
    low, high = (max(bound[side] for bound in bounds) for side in (0, 1))
    closed = enclosure(noise.curve(F(shift), F(eps)))
    assert low <= closed[1]
    assert closed[0] <= high
    assert high - low <= F(1, 10**6)  # the comparison says something


@pytest.mark.parametrize("eps", ["0", "1/4", "2/3", "3/2"])
@pytest.mark.parametrize("shift", [1, 2, 5])
def test_integer_laws_by_tables(shift: int, eps: str) -> None:
    for noise, weight in (
        (law("discrete_laplace", scale=1), lambda k: ExpSum.exp(-abs(k))),
        (law("discrete_gaussian", variance=3), lambda k: ExpSum.exp(-F(k * k, 6))),
    ):
        ends = range(-40, 41)
        left, right = (Row.weighted([weight(k - s) for k in ends]) for s in (0, shift))
        low, high = enclosure(hockey_stick(left, right, F(eps)))
        closed = enclosure(noise.curve(F(shift), F(eps)))
        # less than e^(−30) of either law lies outside, twice, times e^ε at most
        assert abs(low - closed[0]) <= F(1, 10**12)
        assert abs(high - closed[1]) <= F(1, 10**12)


@pytest.mark.parametrize("eps", ["0", "1/4", "3"])
@pytest.mark.parametrize("shift", ["1/2", "1", "5/4"])
def test_stairs_by_tables(shift: str, eps: str) -> None:
    """All steps of both densities lie on multiples of a quarter: cells of that width are outcomes."""
    rate, cells = F(2), range(-80, 80)

    def weight(cell: Fraction) -> ExpSum:
        t = abs(cell)
        return ExpSum.exp(-rate * (t // 1 + (t % 1 >= F(1, 2))))

    middles = [F(2 * n + 1, 8) for n in cells]
    left, right = (Row.weighted([weight(m - s) for m in middles]) for s in (F(0), F(shift)))
    low, _ = enclosure(hockey_stick(left, right, F(eps)))
    closed = enclosure(law("staircase", eps=rate, sensitivity=1, split="1/2").curve(F(shift), F(eps)))
    assert abs(low - closed[0]) <= F(1, 10**12)
