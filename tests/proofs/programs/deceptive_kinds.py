"""Further programs that leak, by means to look at an object that no list of forbidden names would hold."""

from __future__ import annotations

import functools
import itertools
import math
import operator
import statistics
from fractions import Fraction

import numpy as np
from tests.proofs.programs.deceptive import SEEN, harmless, leak

from dpwitness.core.functions import exact_form


@functools.singledispatch
def by_kind(value):
    return value


@by_kind.register(Fraction)
def _(value):
    return 100 * value


@leak
def dispatched(noise, q, *, eps):
    return by_kind(q[0]) + noise.laplace(1 / eps)


@leak
def identity_as_a_function(noise, q, *, eps):
    return (q[0] if operator.is_(q[0], q[0] + 0) else 100 * q[0]) + noise.laplace(1 / eps)


@leak
def class_by_a_getter(noise, q, *, eps):
    known = "Sym" in operator.attrgetter("__class__.__name__")(q[0])
    return q[0] * (1 if known else 100) + noise.laplace(1 / eps)


CLASS = operator.attrgetter("__class__")


@leak
def class_by_a_getter_from_outside(noise, q, *, eps):
    return q[0] * (100 if CLASS(q[0]) == Fraction else 1) + noise.laplace(1 / eps)


@leak
def class_by_format(noise, q, *, eps):
    return q[0] * (1 if "Sym" in "{.__class__}".format(q[0]) else 100) + noise.laplace(1 / eps)  # noqa: UP032


@leak
def class_by_format_map(noise, q, *, eps):
    return q[0] * (1 if "Sym" in "{a.__class__}".format_map({"a": q[0]}) else 100) + noise.laplace(1 / eps)


@leak
def reader_as_text(noise, q, *, eps):
    return q[0] * (1 if "Symbolic" in "%r" % noise.max else 100) + noise.laplace(1 / eps)  # noqa: UP031


@leak
def reader_in_a_formatted_string(noise, q, *, eps):
    return q[0] * (1 if "Symbolic" in f"{noise.max}" else 100) + noise.laplace(1 / eps)


@leak
def reader_as_str(noise, q, *, eps):
    return q[0] * (1 if "Symbolic" in str(noise.argmax) else 100) + noise.laplace(1 / eps)


@leak
def module_behind_a_module(noise, q, *, eps):
    kind = statistics.sys.modules["builtins"].isinstance
    return q[0] * (100 if kind(q[0], Fraction) else 1) + noise.laplace(1 / eps)


@leak
def array_that_knows(noise, q, *, eps):
    return q[0] * (100 if np.isscalar(q[0]) else 1) + noise.laplace(1 / eps)


kind_of = type
KINDS = [type]


@leak
def type_by_another_name(noise, q, *, eps):
    return q[0] * (100 if kind_of(q[0]) == Fraction else 1) + noise.laplace(1 / eps)


@leak
def type_in_a_list(noise, q, *, eps):
    return q[0] * (100 if KINDS[0](q[0]) == Fraction else 1) + noise.laplace(1 / eps)


def asks(value, kind=isinstance):
    return kind(value, Fraction)


@leak
def type_in_a_default(noise, q, *, eps):
    return q[0] * (100 if asks(q[0]) else 1) + noise.laplace(1 / eps)


def hundredfold(program):
    @functools.wraps(program)
    def wrapper(noise, q, *, eps):
        return program(noise, [100 * x if isinstance(x, Fraction) else x for x in q], eps=eps)

    return wrapper


@leak
@hundredfold
def wrapped(noise, q, *, eps):
    return q[0] + noise.laplace(1 / eps)


@leak
def exact_numbers_only(noise, q, *, eps):
    return q[0] * (1 if exact_form(q[0]) == None else 100) + noise.laplace(1 / eps)  # noqa: E711


COUNTER = itertools.count()


@leak
def counts_runs(noise, q, *, eps):
    return q[0] * (100 if next(COUNTER) > 30 else 1) + noise.laplace(1 / eps)


KEPT = ([],)


@leak
def remembers_in_a_tuple(noise, q, *, eps):
    KEPT[0].append(1)
    return q[0] * (100 if len(KEPT[0]) > 30 else 1) + noise.laplace(1 / eps)


def notes():
    SEEN.append(1)
    return len(SEEN)


@leak
def remembers_elsewhere(noise, q, *, eps):
    return q[0] * (100 if notes() > 30 else 1) + noise.laplace(1 / eps)


@leak
def remembers_in_itself(noise, q, *, eps):
    remembers_in_itself.runs = 1
    return q[0] + 0 * noise.laplace(1 / eps)


@leak
def bits_of_a_truth(noise, q, *, eps):
    return q[0] * (1 if (q[0] + 1 > q[0]) & 2 else 100) + noise.laplace(1 / eps)


@leak
def truth_turned_round(noise, q, *, eps):
    return q[0] * (100 if ~(q[0] + 1 > q[0]) else 1) + noise.laplace(1 / eps)


@harmless
def both_truths(noise, q, *, eps):
    return q[0] * (1 if (q[0] + 1 > q[0]) & True else 100) + noise.laplace(1 / eps)


@harmless
def reduced(noise, q, *, eps):
    return functools.reduce(operator.add, itertools.chain(q[:1], [0])) + noise.laplace(1 / eps) + math.ceil(0.5)


@harmless
def overwritten(noise, q, *, eps):
    q[0] = 0
    return q[0]


@harmless
def shadowed(noise, q, *, eps):
    max = lambda values: values[0]  # noqa: E731
    return max(q) + noise.laplace(1 / eps)


@harmless
def power_zero(noise, q, *, eps):
    return q[0] ** 0


@harmless
def none_is_none(noise, q, *, eps):
    best = None
    for x in q:
        v = x + noise.laplace(2 / eps)
        if best is None or v > best:
            best = v
    return best is None
