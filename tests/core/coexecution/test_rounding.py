"""The sign of a sum, and whether a run in doubles could see another one."""

import random
from fractions import Fraction as F

import pytest

from dpwitness.core.coexecution.rounding import Rounding


def sign(*terms, exact=False):
    tests = Rounding()
    return tests.sign(terms, exact=exact), tests.doubt


def test_far_from_zero_there_is_no_doubt():
    assert sign((F(1, 3), 1.0), (F(-1, 3), 0.999)) == (1, False)
    assert sign((F(1, 3), -1.0), (F(1, 3), 0.999)) == (-1, False)


def test_a_tie_of_short_binary_numbers_is_no_doubt_either():
    assert sign((F(1), 0.75), (F(-3), 0.25)) == (0, False)


@pytest.mark.parametrize("other", [0.1, 1 / 3])
def test_a_tie_of_numbers_that_doubles_round_is_in_doubt(other):
    assert sign((F(1), 0.2 + other), (F(-1), 0.2), (F(-1), other))[1]


def test_a_tie_with_a_coefficient_that_is_not_binary_is_in_doubt():
    assert sign((F(1, 3), 0.75), (F(-1), 0.25)) == (0, True)


def test_what_the_program_computes_in_rationals_is_never_in_doubt():
    assert sign((F(1, 3), F(3, 4)), (F(-1), F(1, 4)), exact=True) == (0, False)


def test_a_certain_sign_is_that_of_every_order_of_summation():
    rng = random.Random(0)
    for _ in range(300):
        terms = [(F(rng.choice((1, -1))), rng.choice((1.0, 1e-9, 1e3)) * rng.random()) for _ in range(6)]
        if rng.random() < 0.5:
            terms.append((F(-1), sum(float(c) * x for c, x in terms)))
        found, doubt = sign(*terms)
        rng.shuffle(terms)
        total = sum(float(c) * x for c, x in terms)
        assert doubt or found == (total > 0) - (total < 0)
