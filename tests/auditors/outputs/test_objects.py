"""Objects of any kind are read by what they show: noise in them is seen, and different outputs remain different."""

from __future__ import annotations

import array
import collections
import datetime
import math
import random
import types
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dpwitness.auditors import audit
from dpwitness.auditors.outputs.forms import EXACT, show_form
from dpwitness.auditors.outputs.objects import form_of_object, form_of_text, unreadable
from dpwitness.auditors.sampling.sampler import Raised


@dataclass
class Result:
    value: float
    unit: str = "m"


class Plain:
    def __init__(self, value):
        self.value = value


class Slotted:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Shown:
    def __init__(self, value):
        self._value = value

    def __repr__(self):
        return f"Shown({self._value:.3f})"


class Hidden:
    def __init__(self, value):
        self._value = value


class Frame:
    """What a data frame offers."""

    def __init__(self, value):
        self.rows = np.array([[0.0, 1.0]] * 50 + [[value, 1.0]] + [[0.0, 1.0]] * 50)
        self.index = np.arange(101)

    def __array__(self, dtype=None, copy=None):
        return self.rows

    def __repr__(self):
        return "0.0 1.0 ... 0.0 1.0"


class Hostile:
    def __getattribute__(self, name):
        raise RuntimeError("keep out")

    def __repr__(self):
        raise RuntimeError("keep out")


KINDS = {
    "data class": Result,
    "attributes": Plain,
    "slots": Slotted,
    "own text": Shown,
    "namespace": lambda x: types.SimpleNamespace(x=x),
    "deque": lambda x: collections.deque([x]),
    "array": lambda x: array.array("d", [x]),
    "values": lambda x: {"a": x}.values(),
    "mapping": lambda x: types.MappingProxyType({"a": x}),
    "set": lambda x: {x, "a"},
    "decimal": lambda x: Decimal(x) / 3,
    "text": lambda x: f"mean {x:.2f} of 100",
    "long decimal as text": lambda x: str(Decimal(x) / 3),
    "date and time": lambda x: datetime.datetime(2020, 1, 1) + datetime.timedelta(days=x),
    "with a zone": lambda x: datetime.datetime(2020, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(days=x),
    "span": lambda x: datetime.timedelta(days=x),
    "date": lambda x: datetime.date(2020, 1, 1) + datetime.timedelta(days=round(8 * x)),
    "like a frame": Frame,
    "nested": lambda x: [Result(Plain(x)), None],
    "long double": lambda x: np.longdouble(x),
}


def kinds_and_noise():
    """Every kind with too little noise; with enough, a few by default."""
    for i, kind in enumerate(KINDS):
        yield kind, True
        yield pytest.param(kind, False, marks=() if i % 5 == 2 else pytest.mark.slow)


@pytest.mark.parametrize(("kind", "broken"), list(kinds_and_noise()))
def test_noise_in_objects_is_seen(kind, broken):
    make = KINDS[kind]

    def released(data):
        return make(data + random.expovariate(4 if broken else 1) * random.choice((-1, 1)))

    result = audit(released, 0, 1, epsilon=1.0, max_pairs=400)
    assert result.refuted == broken, result


@given(st.text("01579.-e+ a'…", max_size=24))
def test_texts_can_be_put_together_again(text):
    numbers = []
    form = form_of_text(text, numbers)
    written = iter(numbers)
    pieces = [p if isinstance(p, str) else _digits(p, written) for p in form[1:]]
    assert "".join(pieces) == text


def _digits(form, numbers):
    if form[0] == "integer":
        return show_form(form, numbers)
    number = next(numbers)
    return str(int(number)) if number == int(number) and abs(number) <= EXACT else repr(number)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_in_a_text_is_the_number(value):
    numbers = []
    form_of_object(f"about {value!r} m", numbers)
    assert math.fsum(numbers) == value  # of a large whole number the parts are held


@pytest.mark.parametrize("kind", [int, Fraction, Decimal])
def test_large_whole_numbers_are_told_apart_whatever_their_type(kind):
    forms = []
    for value in (10**20, 10**20 + 1):
        numbers = []
        forms.append((form_of_object(kind(value), numbers), numbers))
        assert show_form(forms[-1][0], iter(numbers)) == str(value)
    assert forms[0] != forms[1]


@pytest.mark.parametrize(
    ("value", "form"),
    [
        (Decimal("Infinity"), ("number", "Decimal")),
        (Decimal("NaN"), ("const", "a Decimal: Decimal('NaN')")),
        (Decimal("1E+999999999"), ("text", "a Decimal: Decimal('1E+", ("number",), "')")),  # not written out
    ],
)
def test_odd_decimals(value, form):
    assert form_of_object(value, []) == form


def test_a_long_text_is_read_at_its_beginning_and_told_apart_to_its_end():
    forms = []
    for text in ("1.5 " * 10**5, "1.5 " * 10**5 + "x", "2.5 " + "1.5 " * (10**5 - 1)):
        numbers = []
        forms.append((form_of_text(text, numbers), numbers))
        assert len(numbers) == 64
    assert forms[0][0] != forms[1][0]
    assert forms[0][0] == forms[2][0]
    assert forms[0][1] != forms[2][1]


def test_objects_that_show_nothing_are_called_so():
    assert unreadable(Hidden(1))
    assert unreadable(object())
    assert not unreadable(Plain(1))
    assert not unreadable(Shown(1))


def test_hostile_objects_are_survived():
    numbers = [1.0]
    assert form_of_object(Hostile(), numbers)[0] == "const"
    assert numbers == [1.0]
    assert unreadable(Hostile())


def test_objects_in_circles_are_read_in_bounded_time():
    nodes = [Plain(float(i)) for i in range(5)]
    for node in nodes:
        node.others = nodes
    pair: list[object] = []
    pair += [pair, pair]
    for value in (nodes, pair):
        numbers: list[float] = []
        assert form_of_object(value, numbers) == form_of_object(value, [])
        assert len(numbers) < 1 << 17


def test_sets_of_numbers_are_read_in_order():
    numbers = []
    form_of_object({10.5, 9.5, -1, math.inf}, numbers)
    assert numbers == [-1.0, 9.5, 10.5, math.inf]


def test_exceptions_are_shown_in_words():
    assert show_form(form_of_object(Raised("ValueError"), [])) == "a Raised: raised ValueError"


def test_texts_that_never_recur_promise_nothing():
    result = audit(lambda data: random.randbytes(8), 0, 1, epsilon=1.0, max_pairs=300)
    assert not result.refuted
    assert "nothing could be seen" in str(result)
    assert "would have seen" not in str(result)


def test_texts_that_recur_promise_as_usual():
    result = audit(lambda data: random.choice(["yes", "no"]), 0, 1, epsilon=1.0, max_pairs=300)
    assert "would have seen" in str(result)
