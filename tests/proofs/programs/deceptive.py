"""Programs that look different to a symbolic reader than to whoever runs them, or that lean on Python's odd corners.

`LEAKS` are not private (with Laplace noise claimed at 1/ε under one answer moving): none may be proved. `HARMLESS` look
alike and are private.
"""

from __future__ import annotations

import copy
import math
from fractions import Fraction

import numpy as np

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
