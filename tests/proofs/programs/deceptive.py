"""Programs that look different to a symbolic reader than to whoever runs them, or that lean on Python's odd corners.

`LEAKS` are not private (with Laplace noise claimed at 1/ε under one answer moving): none may be proved. `HARMLESS` look
alike and are private.
"""

from __future__ import annotations

import copy
import functools
import itertools
import math
import operator
import statistics
from fractions import Fraction

import numpy as np

from dpwitness.core.functions import exact_form

LEAKS = []
HARMLESS = []
SEEN = []


def leak(program):
    LEAKS.append(program)
    return program


def harmless(program):
    HARMLESS.append(program)
    return program


@leak
def refusal_caught(noise, q, *, eps):
    try:
        return int(q[0])
    except Exception:
        return 0


@leak
def every_error_caught(noise, q, *, eps):
    try:
        return f"{q[0]}"
    except BaseException:
        return "x"


@leak
def refusal_lost_in_finally(noise, q, *, eps):
    shown = 0
    try:
        shown = int(q[0])
    finally:
        return shown  # noqa: B012


@leak
def kind_of_number(noise, q, *, eps):
    return q[0] if isinstance(q[0], (int, float, Fraction)) else 0


@leak
def name_of_the_type(noise, q, *, eps):
    return q[0] if type(q[0]).__name__ != "Sym" else 0


@leak
def name_of_the_reader(noise, q, *, eps):
    return q[0] if type(noise).__name__ != "SymbolicRun" else q[0] + noise.laplace(1 / eps)


@leak
def class_of_the_reader(noise, q, *, eps):
    return q[0] if noise.__class__.__name__ != "SymbolicRun" else q[0] + noise.laplace(1 / eps)


@leak
def attribute_of_the_reader(noise, q, *, eps):
    return q[0] + noise.laplace(1 / eps) if hasattr(noise, "pending") else q[0]


@leak
def form_of_a_number(noise, q, *, eps):
    return 1 if getattr(q[0], "form", None) is not None else q[0]


@leak
def same_object(noise, q, *, eps):
    return [q[i] is q[i + 1] for i in range(len(q) - 1)]


@leak
def truth_by_identity(noise, q, *, eps):
    return (q[0] > 0) is True


@leak
def number_of_the_object(noise, q, *, eps):
    return id(q[0]) == id(q[1])


@leak
def hashed(noise, q, *, eps):
    return hash(q[0]) % 2


@leak
def keys(noise, q, *, eps):
    return len(dict.fromkeys(q, 1))


@leak
def distinct(noise, q, *, eps):
    return len(set(q))


@leak
def member(noise, q, *, eps):
    return q[0] in [0, 1, 2]


@leak
def place(noise, q, *, eps):
    return list(q).index(q[1])


@leak
def text_length(noise, q, *, eps):
    return len(repr(q[0]))


@leak
def percent(noise, q, *, eps):
    return "%s" % q[0]  # noqa: UP031


@leak
def rounded_down(noise, q, *, eps):
    return math.floor(q[0])


@leak
def rounded(noise, q, *, eps):
    return round(q[0])


@leak
def as_array(noise, q, *, eps):
    return float(np.sum(np.asarray(q, dtype=float)))


@leak
def through_an_array(noise, q, *, eps):
    return np.array(q).tolist()[0]


@leak
def copied(noise, q, *, eps):
    return copy.deepcopy(q)[0]


@leak
def order(noise, q, *, eps):
    return sorted(range(len(q)), key=lambda i: q[i])


@leak
def remembers_runs(noise, q, *, eps):
    SEEN.append(1)
    return q[0] if len(SEEN) > 50 else 0


@leak
def truth(noise, q, *, eps):
    return bool(q[0])


@leak
def negated(noise, q, *, eps):
    return not q[0]


@leak
def any_of_them(noise, q, *, eps):
    return any(q)


@leak
def largest(noise, q, *, eps):
    return max(q)


@leak
def equal(noise, q, *, eps):
    return q[0] == q[1]


@leak
def equal_to_a_list(noise, q, *, eps):
    return q == [0, 0]


@leak
def tuples_in_order(noise, q, *, eps):
    return tuple(q) < (0, 0)


@leak
def size(noise, q, *, eps):
    return abs(q[0])


@leak
def parity(noise, q, *, eps):
    return q[0] % 2


@leak
def how_many(noise, q, *, eps):
    return [0] * len([x for x in q if x > 0])


@leak
def counted(noise, q, *, eps):
    return sum(1 for x in q if x > 0)


@leak
def sliced(noise, q, *, eps):
    return q[:1]


@leak
def negative_scale(noise, q, *, eps):
    return q[0] + noise.laplace(-1 / eps)


@leak
def alias_of_the_output(noise, q, *, eps):
    out = []
    other = out
    other.append(q[0])
    return out


@leak
def matched(noise, q, *, eps):
    match q[0]:
        case 0:
            return 1
        case _:
            return 0


@leak
def matched_by_kind(noise, q, *, eps):
    match q[0]:
        case int() | float() | Fraction():
            return q[0]
        case _:
            return 0


@leak
def suppressed(noise, q, *, eps):
    import contextlib

    shown = 0
    with contextlib.suppress(Exception):
        shown = int(q[0])
    return shown


@leak
def looks_at_its_caller(noise, q, *, eps):
    import sys

    return q[0] if "SymbolicRun" not in str(sys._getframe(1).f_locals) else 0


def helper(value):
    try:
        return int(value)
    except Exception:
        return 0


@leak
def helper_that_catches(noise, q, *, eps):
    return helper(q[0])


class Odd:
    """Does anything it likes."""

    def __call__(self, value):
        return value if isinstance(value, float | Fraction) else 0


odd = Odd()


@leak
def object_that_is_called(noise, q, *, eps):
    return odd(q[0])


@leak
def noise_shared(noise, q, *, eps):
    z = noise.laplace(1 / eps)
    return [x + z for x in q]


@leak
def iterations_by_the_data(noise, q, *, eps):
    steps = 0
    while q[0] > steps and steps < 3:
        steps += 1
    return steps


@leak
def early_read(noise, q, *, eps):
    first = q[0]
    return [x + noise.laplace(1 / eps) for x in q] if first > 0 else []


# means to look at an object that no list of forbidden names would hold


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
