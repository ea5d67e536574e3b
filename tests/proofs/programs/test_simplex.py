"""The exact simplex method: strong duality in rationals on random programs, and rays."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from dpwitness.proofs.programs.simplex import Simplex


def dot(a, b):
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


@pytest.mark.parametrize("seed", range(40))
def test_optimum_is_certified_by_its_dual_or_a_ray(seed):
    rng = random.Random(seed)
    m, n = rng.randint(1, 8), rng.randint(1, 8)
    matrix = [[Fraction(rng.randint(-3, 3), rng.randint(1, 4)) for _ in range(n)] for _ in range(m)]
    limits = [Fraction(rng.choice([0, 0, 1, 5]), rng.randint(1, 3)) for _ in range(m)]
    region = Simplex(matrix, limits)
    for _ in range(4):  # the second objective starts where the first ended
        weights = [Fraction(rng.randint(-3, 3), rng.randint(1, 3)) for _ in range(n)]
        found = region.maximise(weights)
        assert min(found.x) >= 0
        if found.value is None:
            assert dot(weights, found.x) > 0
            assert all(dot(row, found.x) <= 0 for row in matrix)
            continue
        assert all(dot(row, found.x) <= h for row, h in zip(matrix, limits, strict=True))
        assert dot(weights, found.x) == found.value == dot(found.y, limits)
        assert min(found.y) >= 0
        assert all(dot([row[j] for row in matrix], found.y) >= weights[j] for j in range(n))


def test_degenerate_program_ends():
    # Beale's example cycles with the largest-coefficient rule alone
    rows = [["1/4", "-60", "-1/25", "9"], ["1/2", "-90", "-1/50", "3"], ["0", "0", "1", "0"]]
    region = Simplex([[Fraction(x) for x in row] for row in rows], [Fraction(0), Fraction(0), Fraction(1)])
    found = region.maximise([Fraction("3/4"), Fraction(-150), Fraction("1/50"), Fraction(-6)])
    assert found.value == Fraction(1, 20)


def test_origin_must_be_feasible():
    with pytest.raises(ValueError, match="origin"):
        Simplex([[Fraction(1)]], [Fraction(-1)])
