"""Programs that remember their calls."""

from __future__ import annotations

import itertools

from tests.deceptive.kit import INF, SINGLE, F, holds, leaks

MANY = 20_000


def _fraction():
    n = F(1, 2)

    def fraction(noise, q, *, eps):
        """not private: a Fraction counts the calls, and late ones give the answer out."""
        nonlocal n
        n = n + 1
        return q[0] if n > MANY else q[0] + noise.laplace(1 / eps)

    return fraction


def _long_list():
    calls = [0] * 60_000

    def long_list(noise, q, *, eps):
        """not private: the last entry of a list with a long text counts the calls."""
        calls[-1] += 1
        return q[0] if calls[-1] > MANY else q[0] + noise.laplace(1 / eps)

    return long_list


def _table():
    calls = {"n": 0}

    def table(noise, q, *, eps):
        """not private: a dictionary counts the calls."""
        calls["n"] += 1
        return q[0] if calls["n"] > MANY else q[0] + noise.laplace(1 / eps)

    return table


def _nested():
    calls = ([0], "text")

    def nested(noise, q, *, eps):
        """not private: a list inside a tuple counts the calls."""
        calls[0][0] += 1
        return q[0] if calls[0][0] > MANY else q[0] + noise.laplace(1 / eps)

    return nested


def _iterator():
    calls = itertools.count()

    def iterator(noise, q, *, eps):
        """not private: an iterator counts the calls."""
        return q[0] if next(calls) > MANY else q[0] + noise.laplace(1 / eps)

    return iterator


def _list_iterator():
    calls = iter([False] * MANY)

    def list_iterator(noise, q, *, eps):
        """not private: an iterator over a list runs out."""
        return q[0] if next(calls, True) else q[0] + noise.laplace(1 / eps)

    return list_iterator


def _set():
    calls = set()

    def growing_set(noise, q, *, eps):
        """not private: a set grows with every call."""
        calls.add(len(calls))
        return q[0] if len(calls) > MANY else q[0] + noise.laplace(1 / eps)

    return growing_set


def _default():
    def default(noise, q, *, eps):
        """not private: the default argument of a helper counts the calls."""
        return q[0] if helper() > MANY else q[0] + noise.laplace(1 / eps)

    def helper(calls=[0]):
        calls[0] += 1
        return calls[0]

    return default


def _generator():
    def numbers():
        n = 0
        while True:
            n += 1
            yield n

    running = numbers()

    def generator(noise, q, *, eps):
        """not private: a generator counts the calls."""
        return q[0] if next(running) > MANY else q[0] + noise.laplace(1 / eps)

    return generator


def _attribute():
    def attribute(noise, q, *, eps):
        """not private: an attribute of the function counts the calls."""
        attribute.calls = getattr(attribute, "calls", 0) + 1
        return q[0] if attribute.calls > MANY else q[0] + noise.laplace(1 / eps)

    return attribute


def _inner_closure():
    n = 0

    def count():
        nonlocal n
        n = n + 1
        return n

    def inner_closure(noise, q, *, eps):
        """not private: a helper's closure counts the calls."""
        return q[0] if count() > MANY else q[0] + noise.laplace(1 / eps)

    return inner_closure


def _float():
    n = 0.5

    def small_float(noise, q, *, eps):
        """not private: a float grows by so little that its text in six digits stays the same."""
        nonlocal n
        n = n + 1e-12
        return q[0] if n > 0.5 + MANY * 1e-12 else q[0] + noise.laplace(1 / eps)

    return small_float


for _make in (
    _fraction, _long_list, _table, _nested, _iterator, _list_iterator, _set, _default, _generator, _attribute,
    _inner_closure, _float,
):  # fmt: skip
    leaks(SINGLE, INF)(_make())


@holds(SINGLE, 1)
def memory_of_one_run(noise, q, *, eps):
    """private: the list is made anew in every call."""
    calls = []
    for _ in range(3):
        calls.append(0)
    return q[0] + noise.laplace(1 / eps) if len(calls) == 3 else q[0]


def _constant():
    shares = (1, 2)

    def constant(noise, q, *, eps):
        """private: what lies outside never changes."""
        return q[0] + noise.laplace(shares[0] / eps)

    return constant


holds(SINGLE, 1)(_constant())
