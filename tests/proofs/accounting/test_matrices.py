"""Sensitivities of matrix mechanisms against all patterns of participation, tried one by one."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import pytest

import dpwitness as dpw
from dpwitness.core.errors import BadInput
from dpwitness.proofs.accounting.matrices import matrix_sensitivity, toeplitz

F = Fraction


def tried(rows: list[list[Fraction]], times: int, gap: int) -> Fraction:
    """The largest ‖C Σ ±eᵢ‖² over patterns and signs."""
    n, best = len(rows), F(0)
    for size in range(1, times + 1):
        for pattern in itertools.combinations(range(n), size):
            if any(b - a < gap for a, b in itertools.pairwise(pattern)):
                continue
            for signs in itertools.product((1, -1), repeat=size):
                moved = [sum(s * row[j] for s, j in zip(signs, pattern, strict=True)) for row in rows]
                best = max(best, sum((x * x for x in moved), F(0)))
    return best


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_is_not_below_any_pattern_and_attained_where_it_says_so(seed: int) -> None:
    draw = random.Random(seed)
    n, times, gap, band = 6, draw.randint(1, 3), draw.randint(1, 4), draw.randint(1, 4)
    rows = [
        [F(draw.randint(-4, 4), draw.randint(1, 3)) if 0 <= i - j < band else F(0) for j in range(n)] for i in range(n)
    ]
    found, truth = matrix_sensitivity(rows, times, gap), tried(rows, times, gap)
    assert found.squared >= truth
    if found.attained:
        assert found.squared == truth
    if band <= gap or times == 1:
        assert found.attained


def test_independent_noise_is_the_identity() -> None:
    whole = dpw.matrix(toeplitz([1], 50), 2, times=5, gap=3)
    assert whole.steps == (dpw.gaussian(2) * 5).steps


def test_a_tree_is_a_matrix() -> None:
    # the nodes of a tree over four leaves as rows below the leaves that they hold
    rows = [[F(0)] * 7 for _ in range(7)]
    places = [0, 1, 3, 4]  # leaves arrive at these steps, each complete node at the step after its last leaf
    for node, leaves in {0: [0], 1: [1], 2: [0, 1], 3: [2], 4: [3], 5: [2, 3], 6: [0, 1, 2, 3]}.items():
        for leaf in leaves:
            rows[node][places[leaf]] = F(1)
    assert matrix_sensitivity(rows).squared == 3
    assert dpw.tree(2, 4).steps == dpw.matrix(rows, 2).steps


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (([[1, 1], [0, 1]],), "lower triangular"),
        (([[1, 1]],), "square"),
        (([],), "square"),
        (([[1]], 0), "times=0"),
        (([[1]], 1, True), "gap=True"),
        (([[1]] * 2000, 100), "too many"),
    ],
)
def test_bad_strategies_are_refused(given: tuple[object, ...], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        matrix_sensitivity(*given)  # type: ignore[arg-type]
