"""Laws and outputs are compared by type and value; computed numbers up to rounding, and no further."""

from fractions import Fraction

import numpy as np
import pytest

from dpwitness.core import exp, laws
from dpwitness.core.coexecution.comparing import same_law, same_output, same_runs
from dpwitness.core.coexecution.model import Array, Computed, Fixed
from dpwitness.core.numbers import Exact

DIFFERENT = [
    (0.0, -0.0),
    (1, True),
    (1, 1.0),
    (0, False),
    ("1", 1),
    (Fraction(1, 2), 0.5),
    ([1], (1,)),
    ((1, 2), (1,)),
    (None, 0),
    (None, False),
    ([1], Array([1])),
    ([], ()),
]


@pytest.mark.parametrize("pair", DIFFERENT, ids=repr)
def test_what_an_observer_tells_apart_is_not_the_same_output(pair):
    left, right = pair
    theirs = np.array(right) if isinstance(right, Array) else right
    assert not same_output(left, theirs, 1e9)
    if not isinstance(right, Array):
        assert not same_output(right, left, 1e9)
    assert not same_output([left], [theirs], 1e9), "nor inside a list"


@pytest.mark.parametrize("value", [0.0, -0.0, 1, True, "a", None, Fraction(1, 2), [1, (2.5, None)], float("nan")])
def test_an_output_is_itself(value):
    assert same_output(value, value, 0.0)


def test_constants_of_certificates_are_compared_by_type_and_value():
    assert same_output(Fixed("float", "-0.0"), -0.0, 0.0)
    assert not same_output(Fixed("float", "0.0"), -0.0, 0.0)
    assert not same_output(Fixed("int", 1), True, 0.0)
    assert same_output(Array([Fixed("int", 1)]), np.array([1]), 0.0)


def test_an_exact_number_of_a_run_on_exact_data_is_compared_by_its_value():
    assert same_output(4.0, Exact(4), 0.0)
    assert same_output(4, Exact(4), 0.0)
    assert not same_output(4, Exact(5), 0.0)
    assert not same_output(True, Exact(1), 0.0)


def test_computed_numbers_may_differ_by_rounding_alone():
    value = Computed(Fraction(1, 3))
    assert same_output(value, 1 / 3, 1.0)
    assert not same_output(value, 1 / 3 + 1e-8, 1.0)
    assert same_output(value, 1 / 3 + 1e-8, 1e3), "a run with numbers of that size rounds so much"
    assert not same_output(value, True, 1.0)
    assert not same_output(value, "0.333", 1.0)
    assert not same_output(value, None, 1.0)


@pytest.mark.parametrize(
    ("model", "program", "same"),
    [
        (laws.Laplace(Fraction(1, 3)), laws.Laplace(Exact(1, 3)), True),
        (laws.Laplace(Fraction(1, 3)), laws.Laplace(1 / 3), True),
        (laws.Laplace(Fraction(1, 3)), laws.Laplace(Fraction(1, 3) + Fraction(1, 10**15)), False),
        (laws.Laplace(Fraction(1, 3)), laws.Laplace(1 / 3 * (1 + 1e-11)), False),
        (laws.Laplace(1), laws.Exponential(1), False),
        (laws.Uniform(0, 1), laws.Uniform(0, 2), False),
        (laws.Choice((1, 3)), laws.Bernoulli(Fraction(1, 4)), True),
        (laws.Choice((3, 1)), laws.Bernoulli(Fraction(1, 4)), False),
        (laws.LogChoice((Fraction(1), Fraction(0))), laws.Logit(Fraction(1)), True),
        (laws.Choice((exp(1), 1.0)), laws.Logit(Fraction(1)), True),
        (laws.Choice((1, 1)), laws.Choice((1, 1, 1)), False),
        (laws.Choice((1, 1)), laws.Laplace(1), False),
    ],
    ids=str,
)
def test_laws_are_compared_exactly_where_they_are_rational(model, program, same):
    assert (same_law(model, program) == "") is same


def test_lanes_may_hold_a_whole_number_as_a_double_and_no_truth_value_as_a_number():
    assert same_runs([1, "a"], [1.0, "a"], 1.0)
    assert not same_runs(True, 1, 1.0)
    assert not same_runs([1], (1,), 1.0)
    assert not same_runs(1.0, 1.1, 1.0)


FAR = 10**12


@pytest.mark.parametrize(
    ("model", "program", "slack", "same"),
    [
        (laws.Uniform(FAR, FAR + 1), laws.Uniform(FAR + 0.5, FAR + 1.5), 0.0, False),
        (laws.Uniform(FAR, FAR + 1), laws.Uniform(FAR + 0.5, FAR + 1.5), 1.0, False),
        (laws.Uniform(Fraction(1, 3), 1), laws.Uniform(1 / 3, 1.0), 0.0, True),
        (laws.Uniform(0, 1), laws.Uniform(2.0**-50, 1.0), 2.0**-48, True),
        (laws.Uniform(0, 1), laws.Uniform(2.0**-30, 1.0), 2.0**-48, False),
        (laws.Uniform(0, Fraction(1, 10**9)), laws.Uniform(1e-11, 1e-9), 1e-10, False),
    ],
)
def test_ends_of_a_uniform_draw_are_compared_beside_its_width(model, program, slack, same):
    assert (same_law(model, program, slack) == "") is same


def test_large_numbers_of_a_run_excuse_no_more_than_rounding():
    small = Computed(Fraction(1, 2))
    assert same_output(small, 0.5 + 1e-7, 1e6)
    assert not same_output(small, 0.25, 1e16), "an output that lost a quarter beside a large draw"
    assert same_output(Computed(Fraction(10**12)), 1e12 + 1, 0.0), "a number of that size is rounded by as much"
