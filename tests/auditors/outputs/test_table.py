"""Outputs of any kind become tables, and come back in words."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwitness.auditors.learners.describe import show_output
from dpwitness.auditors.outputs import table as table_module
from dpwitness.auditors.outputs.table import Encoder, join
from dpwitness.core.errors import BadInput
from dpwitness.core.identity import same
from dpwitness.core.readers.outputs import Outputs

values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.floats(allow_nan=False, width=16) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=6,
)


@given(st.lists(values, min_size=1, max_size=20))
def test_keys_tell_different_outputs_apart_and_equal_ones_not(items):
    table = Encoder().encode([*items, *items])
    keys = table.keys()
    assert np.array_equal(keys[: len(items)], keys[len(items) :])

    for i, x in enumerate(items):
        for j, y in enumerate(items):
            assert (keys[i] == keys[j]) == same(x, y)


@given(st.integers(2**53 + 1, 2**1100), st.sampled_from([1, -1]), st.integers(0, 1099))
def test_large_integers_are_told_from_their_neighbours_and_shown_whole(size, sign, bit):
    value = sign * size
    others = {value + 1, value - 1, value ^ (1 << bit)}
    encoder = Encoder()
    table = encoder.encode([value, value, *others])
    keys = table.keys().tolist()
    assert keys[0] == keys[1]
    assert len(set(keys)) == 1 + len(others)
    if size < 2**1023:  # larger ones are shown by a hash
        assert show_output(encoder, table, 0) == str(value)


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_large_integers_read_the_same_from_arrays_lists_and_columns(kind):
    numbers = np.array([5, 2**53, 2**53 + 1, 2**62 + 3, np.iinfo(kind).max, np.iinfo(kind).min], dtype=kind)
    columns = Outputs(np.zeros(len(numbers), dtype=np.int64), (("slot",),), ((numbers,),))
    tables = [Encoder().encode(x) for x in (numbers, numbers.tolist(), columns)]
    assert all(np.array_equal(t.keys(), tables[0].keys()) for t in tables)
    assert len(np.unique(tables[0].keys())) == len(set(numbers.tolist()))
    pairs = Encoder().encode(np.stack([numbers, numbers], axis=1))
    assert np.array_equal(pairs.keys(), Encoder().encode([[x, x] for x in numbers.tolist()]).keys())


def test_keys_tell_all_patterns_of_bits_apart():
    bits = (np.arange(1 << 14)[:, None] >> np.arange(14)) & 1
    keys = Encoder().encode(bits.astype(float)).keys()
    assert len(np.unique(keys)) == len(bits)


def test_keys_do_not_depend_on_columns_added_later():
    encoder = Encoder()
    first = encoder.encode([1.5, None])
    encoder.encode([[1, 2, 3]])
    again = encoder.encode([1.5, None])
    assert again.width > first.width
    assert np.array_equal(first.keys(), again.keys())


def test_array_list_and_columnar_batches_agree():
    rows = [[1.0, 2.0], [3.0, 4.5]]
    tables = [Encoder().encode(x) for x in (np.array(rows), rows, Outputs.from_values(rows))]
    for table in tables:
        assert np.array_equal(table.keys(), tables[0].keys())


def test_columnar_batches_with_several_skeletons_agree_with_their_values():
    items = [[True, None, 2.5], "stop", 7, [False], [True, None, -1.0]]
    a, b = Encoder(), Encoder()
    batch = Outputs.from_values(items)
    one, two = a.encode(batch), b.encode(batch.values())
    assert [show_output(a, one, i) for i in range(5)] == [show_output(b, two, i) for i in range(5)]


def test_nan_is_part_of_the_form():
    encoder = Encoder()
    table = encoder.encode(np.array([1.0, np.nan, np.inf]))
    assert [show_output(encoder, table, i) for i in range(3)] == ["1", "NaN", "inf"]


def test_join_pads():
    encoder = Encoder()
    both = join([encoder.encode([1.0]), encoder.encode([[1.0, 2.0]])])
    assert len(both) == 2
    assert both.width == 3


def test_integers_beyond_doubles_and_odd_objects_are_kept():
    encoder = Encoder()
    table = encoder.encode([10**400, -(10**400), object, {"a": 1}, {2, 1}, 1j])
    assert len(np.unique(table.keys())) == 6


@pytest.mark.parametrize("outputs", ["text", 3.0, np.float64(2), {"a": 1}, None])
def test_what_is_no_batch_is_refused(outputs):
    with pytest.raises(BadInput, match="array"):
        Encoder().encode(outputs)


def test_wrong_number_of_outputs_is_refused():
    with pytest.raises(BadInput, match="size=4"):
        Encoder().encode(np.zeros(3), 4)


def test_new_forms_are_merged_only_from_the_next_batch_on(monkeypatch):
    """Which forms are told apart must not depend on outputs that come later in the same batch."""
    monkeypatch.setattr(table_module, "MOST_FORMS", 3)
    encoder = Encoder()
    assert len(set(encoder.encode(list("abcde")).codes)) == 5
    encoder.settle()
    codes = encoder.encode(["a", "f", "g"]).codes
    assert codes[0] == 0
    assert codes[1] == codes[2] == 5


class Odd:
    """Raises whatever is asked of it."""

    def __repr__(self):
        raise RuntimeError("no repr")


class OddNumber(float):
    def __float__(self):
        raise RuntimeError("no number")


class OddBatch(list):
    def __len__(self):
        raise RuntimeError("no length")


class Frame:
    """Rows by its length, names of columns by its iteration."""

    def __len__(self):
        return 4

    def __iter__(self):
        return iter(["a", "b"])


def test_odd_objects_are_outputs_too():
    encoder = Encoder()
    table = encoder.encode([Odd(), {Odd(): 1.0}, OddNumber(2), {Odd()}])
    assert len(set(table.codes)) == 4


def test_the_text_of_an_output_does_not_depend_on_its_address():
    table = Encoder().encode([object(), object(), {"a": object()}, {"a": object()}, {object: 1}, {object: 1}])
    assert table.codes.tolist() == [0, 0, 1, 1, 2, 2]


def test_long_texts_are_told_apart_and_not_kept():
    encoder = Encoder()
    table = encoder.encode(["x" * 100_000 + "a", "x" * 100_000 + "b", b"x" * 100_000, "x" * 100_000 + "a"])
    assert table.codes.tolist() == [0, 1, 2, 0]
    assert max(len(repr(form)) for form in encoder.forms) < 200


@pytest.mark.parametrize(
    ("batch", "said"),
    [
        (Frame(), "a Frame of length 4 that holds 2 items"), (OddBatch([1]), "whose length cannot be told"),
        ([[0] * 10_000], "a list of 10000 entries"), ([np.zeros(10**7)], "a list of 10000000 entries"),
        ({1.0, 2.0}, "returned set"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_said(batch, said):
    with pytest.raises(BadInput, match=said):
        Encoder().encode(batch)


def late_number(data, size, rng):
    """600 numbers, of which the last depends on the data."""
    noise = rng.laplace(0.0, 1.0, (size, 600))
    noise[:, 599] = rng.laplace(data, 0.1, size)
    return noise.tolist()


def test_long_lists_are_compared_whole():
    from dpwitness.auditors import audit

    result = audit(late_number, 0.0, 1.0, epsilon=1, max_pairs=400)
    assert result.refuted
    assert "output[599]" in result.event
    assert not any("not compared" in text for text in result.warnings)


def sometimes_longer(data, size, rng):
    """Lists of 520 numbers, now and then of 600: the last places are first seen when 512 others are known."""
    noise = rng.laplace(0.0, 1.0, (size, 600)).tolist()
    return [row if long else row[:520] for row, long in zip(noise, rng.random(size) < 0.004, strict=True)]


def test_numbers_that_are_not_compared_are_said():
    from dpwitness.auditors import audit

    said = "not compared: up to 80 numbers of an output, at places first seen after 520 others"
    encoder = Encoder()
    encoder.encode([[0.0] * 520])
    encoder.settle()
    assert encoder.passed_over is None
    encoder.encode([[0.0] * 600])
    assert encoder.passed_over == said
    late = (audit(sometimes_longer, 0.0, 1.0, epsilon=1, max_pairs=600, seed=seed).warnings for seed in range(2, 6))
    assert any(said in warnings for warnings in late), "where no long list is among the first"
