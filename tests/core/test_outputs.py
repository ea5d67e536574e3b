from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.readers.outputs import Outputs, put_together, take_apart

leaves = st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.floats(-9, 9), st.text(max_size=3))
outputs = st.recursive(leaves, lambda x: st.lists(x, max_size=3) | st.lists(x, max_size=3).map(tuple), max_leaves=6)


@given(outputs)
def test_taking_apart_and_putting_together_is_the_identity(value: Any) -> None:
    skeleton, slots = take_apart(value, lambda x: isinstance(x, float))
    assert repr(put_together(skeleton, iter(slots))) == repr(value)


@given(st.lists(outputs, min_size=1, max_size=12), st.data())
def test_values_slices_and_concatenation(values: list[Any], data: st.DataObject) -> None:
    batch = Outputs.from_values(values)
    assert repr(batch.values()) == repr(values)
    cut = data.draw(st.integers(0, len(values)))
    assert repr(batch[:cut].values() + batch[cut:].values()) == repr(values)
    joined = Outputs.concatenate([batch[:cut], batch[cut:]])
    assert repr(joined.values()) == repr(values)


def test_true_one_and_one_point_zero_are_different_outputs() -> None:
    batch = Outputs.from_values([True, 1, "1"])
    assert len(batch.skeletons) == 3


def test_different_rationals_never_become_one_output() -> None:
    third = Fraction(1, 3)
    near = third + Fraction(1, 10**30)
    batch = Outputs.from_values([third, near, Fraction(1, 2), Fraction(1, 2)])
    assert batch.values() == [third, near, 0.5, 0.5]
    assert len(batch.skeletons) == 3
    table = batch.array()
    assert table is not None
    assert table.tolist() == [1 / 3, 1 / 3, 0.5, 0.5]


def test_array_of_numbers_and_of_vectors() -> None:
    numbers = Outputs.from_values([1, 2.5, 3]).array()
    assert numbers is not None
    assert numbers.tolist() == [1.0, 2.5, 3.0]
    vectors = Outputs.from_values([(1.0, 2), (0.5, 3)]).array()
    assert vectors is not None
    assert vectors.tolist() == [[1.0, 2.0], [0.5, 3.0]]
    assert Outputs.from_values([1, None]).array() is None
    assert Outputs.from_values([[1], [1, 2]]).array() is None
    assert Outputs.from_values([np.array([1.0, 2.0])]).array() is not None


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(OutsideFragment, match="type dict"):
        Outputs.from_values([{"a": 1}])
