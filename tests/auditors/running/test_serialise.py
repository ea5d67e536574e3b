"""What is packed comes back, shared things stay shared, and damaged bytes are an error."""

from __future__ import annotations

import contextlib
import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from dpwitness.auditors.bounds.evalue import Null
from dpwitness.auditors.outputs.table import Encoder
from dpwitness.auditors.running.serialise import pack, unpack
from dpwitness.catalogue import catalogue
from dpwitness.core.budget import Budget
from dpwitness.core.errors import BadInput
from dpwitness.routes import decide

plain = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text() | st.fractions()
keys = st.text() | st.integers() | st.tuples(st.text(), st.integers())
values = st.recursive(
    plain,
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(keys, inner),
    max_leaves=20,
)


@given(values)
def test_what_is_packed_comes_back(value):
    again = unpack(pack(value))
    assert again == value
    assert repr(again) == repr(value)  # 1 and 1.0 and True are not the same


@pytest.mark.parametrize("dtype", [np.float64, np.int64, np.uint64, np.bool_, np.float32])
@given(data=st.data())
def test_arrays_come_back_bit_for_bit(dtype, data):
    array = data.draw(arrays(dtype, array_shapes(max_dims=2, min_side=0)))
    for value in (array, np.asfortranarray(array), array[::2]):
        again = unpack(pack(value))
        assert again.dtype == value.dtype
        assert again.shape == value.shape
        assert again.tobytes() == value.tobytes()
        assert again.flags.writeable


def test_numbers_of_numpy_and_odd_floats():
    again = unpack(pack([np.int64(3), np.float64(0.1), np.bool_(True), -0.0, math.inf, math.nan]))
    assert again[:3] == [3, 0.1, True]
    assert math.copysign(1, again[3]) == -1
    assert again[4] == math.inf
    assert math.isnan(again[5])


def test_objects_and_what_they_share():
    encoder = Encoder()
    encoder.encode([(1, None), "x", [2.0]])
    shared = [Null(1.0, 0.5)]
    again = unpack(pack({"one": (encoder, shared), "two": [shared, encoder]}))
    assert again["one"][0] is again["two"][1]
    assert again["one"][1] is again["two"][0]
    assert again["one"][1] == shared
    assert vars(again["one"][0]) == vars(encoder)


def test_a_container_may_hold_itself():
    loop: list[object] = [1]
    loop.append(loop)
    again = unpack(pack(loop))
    assert again[1] is again


def test_strangers_are_not_packed():
    for value in (lambda: 0, object(), np.array(["text"]), np.random.default_rng(0), 1j):
        with pytest.raises(TypeError, match="cannot be kept"):
            pack([value])


@given(st.integers(min_value=0), st.integers(0, 255))
def test_damaged_bytes_are_an_error_or_other_values_but_never_a_crash(place, byte):
    whole = bytearray(pack({"a": [np.arange(3), (1, Fraction(1, 3))], "null": Null(1.0)}))
    whole[place % len(whole)] = byte
    with contextlib.suppress(BadInput):
        unpack(bytes(whole))


@pytest.mark.parametrize("name", ["above-threshold", "laplace-count", "randomized-response"])
def test_verdicts_come_back(name):
    found = decide(catalogue()[name].claims()[0], Budget(max_pairs=300))
    twins = [decide(twin.claims()[0], Budget(max_pairs=300)) for twin in list(catalogue()[name].twins)[:2]]
    for verdict in (found, *twins):
        bare = replace(verdict, claim=None)  # a claim holds its program, which no file can
        again = unpack(pack(bare))
        assert again == bare
        assert again.decision is bare.decision


@pytest.mark.parametrize("node", [["Fraction", "1/0"], ["Exact", "1/0"], ["array", "<f8", [1], "C", 0, 10**30]])
def test_odd_numbers_are_damage(node):
    with pytest.raises(BadInput, match=r"damaged"):
        unpack(json.dumps([[0], [node]]).encode())
