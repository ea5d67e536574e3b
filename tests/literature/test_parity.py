"""Walsh–Hadamard transforms and random subsets against direct enumeration."""

from fractions import Fraction
from itertools import product

import pytest

from dpwitness.literature.noise_calibration.parity import half
from dpwitness.literature.noise_calibration.separation import distances, sanitizers
from dpwitness.literature.noise_calibration.subsets import mean_square, sharp_square, symbol_gap
from dpwitness.literature.tools import statistical_difference
from dpwitness.literature.walsh import (
    Randomizer,
    any_mask,
    bent,
    examples,
    parity,
    response,
    symbol_response,
    transform,
)

F = Fraction


@pytest.mark.parametrize("bits", [1, 2, 3, 4])
def test_the_transform_is_the_sum_of_signs(bits: int) -> None:
    values = [(7 * x * x + 3 * x) % 11 for x in range(1 << bits)]
    direct = [sum((-1) ** parity(r, x) * v for x, v in enumerate(values)) for r in range(1 << bits)]
    assert transform(values) == direct


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_differences_and_variances_by_enumeration(bits: int) -> None:
    for m in examples(bits):
        centre = {z: m.mean(z) for z in range(len(m.rows))}
        for r in range(1, m.size):
            for b in (0, 1):
                xs = half(bits, r, b)
                law = {z: F(sum(row[x] for x in xs), len(xs) * m.total) for z, row in enumerate(m.rows)}
                assert statistical_difference(law, centre) == m.differences()[r - 1]
        for z, p in centre.items():
            spread = [
                (F(sum(m.rows[z][x] for x in half(bits, r, b)) * 2, m.size * m.total) - p) ** 2
                for r, b in product(range(1, m.size), (0, 1))
            ]
            assert sum(spread) / len(spread) == m.variance(z)


def test_a_bent_predicate_is_equally_far_for_every_mask() -> None:
    gaps = response("bent", 6, 2, bent).differences()
    assert set(gaps) == {F(1, 6) / 8}


def test_symbol_response() -> None:
    for bits, keep in product((1, 2, 4), (2, 9)):
        assert set(symbol_response(bits, keep).differences()) == {symbol_gap(bits, keep)}


def test_the_mean_square_is_sharp_for_bent_predicates() -> None:
    m = response("bent", 8, 2, bent)
    gap = m.differences()[0]
    assert F(8, 10) < gap * gap / sharp_square(m) <= 1
    assert mean_square([m, any_mask(3, 2)])


def test_a_randomizer_is_checked() -> None:
    with pytest.raises(ValueError, match="sum to 1"):
        Randomizer("broken", 1, F(2), ((1, 2), (1, 1)), 2)
    with pytest.raises(ValueError, match="indistinguishable"):
        Randomizer("broken", 1, F(2), ((1, 3), (3, 1)), 4)


def test_hybrids_bound_the_distance() -> None:
    for _, _, san in sanitizers(2):
        for total, steps in distances(2, san):
            assert total <= sum(steps)
            assert len(steps) == 4


@pytest.mark.slow
def test_all_masks_of_twelve_bits_for_every_example() -> None:
    assert mean_square([m for bits in range(1, 13) for m in examples(bits)])
