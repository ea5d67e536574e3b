"""The order of a set and the text of an object differ from process to process: programs that show them are not read."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from operator import itemgetter

import pytest

from dpwitness import PureDP, Records, mechanism
from dpwitness.core.budget import Budget
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.evidence import UpperBound
from dpwitness.core.readers.gate import refuse_tricks
from dpwitness.routes import prove_claim

NAMES = {"a", "b", "c"}
TABLE = {"one": {"a", "b"}}


def helper(x):
    return x


def lazy(x):
    return iter(x)


def generated(x):
    yield x


def first_of_a_set(noise, d):
    return [*{"a", "b", "c"}][0] == "a"


def made_of_data(noise, d):
    kept = set(d)
    return [v for v in kept]


def by_another_name(noise, d):
    kept = set(d)
    again = kept
    return list(again)


def changed(noise, d):
    kept = {"a", "b"}
    return kept.pop()


def comprehension(noise, d):
    return list({v for v in d})


def outside(noise, d):
    return list(NAMES)[0]


def outside_in_a_table(noise, d):
    return list(TABLE["one"])[0]


def default_argument(noise, d, some=frozenset("ab")):
    return list(some)


def stable_sort(noise, d):
    return sorted({"aa", "bb"}, key=len)


def mapped(noise, d):
    return list(map(set, d))


def views(noise, d):
    return list({"a": 1, "b": 2}.keys() & {"a": 1, "b": 2}.keys())


ORDERED = [first_of_a_set, made_of_data, by_another_name, changed, comprehension, outside, outside_in_a_table,
           default_argument, stable_sort, mapped, views]  # fmt: skip


def method(noise, d):
    kept = [].append
    return str(kept)[-4]


def function(noise, d):
    return f"{helper}"


def function_in_a_list(noise, d):
    return str([helper])


def iterator_of_a_helper(noise, d):
    return str(lazy(d))


def generator_of_a_helper(noise, d):
    return str(generated(d))


def chain(noise, d):
    return str(itertools.chain(d))


def getter(noise, d):
    return str(itemgetter(0))


def expression(noise, d):
    return f"{(v for v in d)}"


def of_noise(noise, d):
    return str(noise.laplace)


def nameless(noise, d):
    return str(lambda: 1)


def nested(noise, d):
    def inner():
        return 1

    return str(inner)


def lazy_by_another_name(noise, d):
    make = zip
    return str(make(d))


TEXTS = [method, function, function_in_a_list, iterator_of_a_helper, generator_of_a_helper, chain, getter, expression,
         of_noise, nameless, nested, lazy_by_another_name]  # fmt: skip


def looked_up(noise, d):
    kept = {x + 1 for x in d}
    if 3 in kept and len(kept) == 2:
        return 0
    return d[0] in NAMES and 3 in {1, 2, 3} and len(set(d)) == len(d)


def sorted_out(noise, d):
    return sorted(set(d)), min({1, 2}), {1, 2} == set(d)


def of_plain_values(noise, d):
    return f"bin {len(d)} {[x for x in d]} {sorted(d)}" + str(d[0]) + str(sum(x for x in d)) + str(math.pi)


def numbered(noise, d):
    return [f"{i}:{x}" for i, x in enumerate(d)]


@pytest.mark.parametrize("program", ORDERED, ids=lambda p: p.__name__)
def test_the_order_of_a_set_is_refused(program):
    with pytest.raises(OutsideFragment, match="the order of a set"):
        refuse_tricks(program)


@pytest.mark.parametrize("program", TEXTS, ids=lambda p: p.__name__)
def test_the_text_of_an_object_is_refused(program):
    with pytest.raises(OutsideFragment, match="text of values"):
        refuse_tricks(program)


@pytest.mark.parametrize("program", [looked_up, sorted_out, of_plain_values, numbered], ids=lambda p: p.__name__)
def test_what_is_the_same_in_every_process_is_read(program):
    refuse_tricks(program)


@mechanism(data=Records([0, 1], 1), claim=lambda eps: PureDP(eps), typical={"eps": 1})
def leaks_in_some_processes(noise, data, *, eps):
    if [*{"a", "b", "c", "d"}][0] == "a":
        return data[0]
    return noise.bernoulli(Fraction(1, 2))


def test_a_program_that_leaks_in_some_processes_is_never_proved():
    found = prove_claim(leaks_in_some_processes.claims()[0], Budget(seconds=5))
    assert not any(isinstance(item, UpperBound) for item in found)
