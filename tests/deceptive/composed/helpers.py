"""Attacks by loops in helper functions and by rounding, each of which was refused when it was first tried."""
# ruff: noqa: B007, B020, F841, PLR1704, RET504, SIM102

from __future__ import annotations

from dpwitness import Exact, Interval, Records
from tests.deceptive.kit import leaks

UNIT, SWAPPED = Records(Interval(0, 1), 5, "add-remove"), Records(Interval(0, 1), 5)
E = 10**16


@leaks(UNIT)
def growing_scale_index(noise, data, *, eps):
    """not private: every turn has a smaller scale."""
    w = shrink2(noise, data, eps)
    return w


def shrink2(noise, data, eps):
    t = 0
    for k in range(20):
        t = t / 2 + sum(data) + noise.laplace((21 - k) / eps)
    return t


@leaks(UNIT)
def swapped(noise, data, *, eps):
    """not private: every second turn has a small scale."""
    return swaps(noise, data, eps)


def swaps(noise, data, eps):
    a, b = 20, 1
    t = 0
    for k in range(20):
        t = t / 2 + sum(data) + noise.laplace(a / eps)
        a, b = b, a
    return t


@leaks(UNIT)
def draws_before(noise, data, *, eps):
    """not private: noise from before the loop, and the sum added again and again."""
    return delays2(noise, data, eps)


def delays2(noise, data, eps):
    t = sum(data) + noise.laplace(1 / eps)
    for k in range(20):
        t = t + sum(data)
    return t


@leaks(UNIT)
def recursion(noise, data, *, eps):
    """not private: a helper calls itself four times."""
    return again(noise, data, eps, 3)


def again(noise, data, eps, k):
    t = 0
    for j in range(2):
        t = t + sum(data) + noise.laplace(6 / eps)
    if k > 0:
        u = again(noise, data, eps, k - 1)
        return t, u
    return t


@leaks(UNIT)
def keyword_twice(noise, data, *, eps):
    """not private: the helper is called with twice the budget."""
    x = fine_(noise, data, eps=2 * eps)
    return x


@leaks(UNIT)
def names_of_the_caller(noise, data, *, eps):
    """not private: the helper knows its module's number and makes one turn too many."""
    b = 1
    x = uses(noise, data, eps)
    return x


b = 20


def uses(noise, data, eps):
    t = 0
    for k in range(21):
        t = t / 2 + sum(data) + noise.laplace(b / eps)
    return t


@leaks(UNIT)
def list_returned(noise, data, *, eps):
    """not private: a helper that returns a list is called twice."""
    a = listed(noise, data, eps)
    a[0] = a[0] + 1
    b = listed(noise, data, eps)
    return a, b


def listed(noise, data, eps):
    t = [0, 0]
    for k in range(20):
        t[0] = t[0] / 2 + sum(data) + noise.laplace(40 / eps)
        t[1] = sum(data) + noise.laplace(40 / eps)
    return t


@leaks(UNIT)
def shadowed(noise, data, *, eps):
    """not private: the data in every second turn, under its own name."""
    x = shadow(noise, data, eps)
    return x


def shadow(noise, data, eps):
    t = 0
    for data in [data, [1]] * 11:
        t = t / 2 + sum(data) + noise.laplace(10 / eps)
    return t


@leaks(UNIT)
def break_in_it(noise, data, *, eps):
    """not private: the sum without noise where the loop ends."""
    x = breaks(noise, data, eps)
    return x


def breaks(noise, data, eps):
    t = 0
    for _ in range(20):
        t = t / 2 + sum(data) + noise.laplace(Exact(20) / eps)
        if t > 5:
            break
    else:
        t = t + sum(data)
    return t


@leaks(UNIT)
def post_of_cancelled(noise, data, *, eps):
    """not private: what rounding leaves, by way of a postprocessing function, is a weight up to 1."""
    m = len(data) + noise.discrete_laplace(2 / eps)
    if m >= 1:
        if m <= 1:
            w = noise.postprocess(ident, E * (m / 49 * 49 - 1))
            w = min(max(w, -1), 1)
            return m, sum(w * r for r in data) + noise.laplace(1 / eps)
    return m


def ident(x):
    return x


@leaks(Records(Interval(0, 1), 8))  # eight is a number for which n / 49 * 49 is not n
def size_cancel(noise, data, *, eps):
    """not private: what rounding leaves of the number of records is a weight."""
    n = len(data)
    w = E * (n / 49 * 49 - n)
    return sum(w * r for r in data) + noise.laplace(1 / eps)


@leaks(UNIT)
def dict_count(noise, data, *, eps):
    """not private: what rounding leaves of two counts is a weight."""
    h = [data.count(0), data.count(1)]
    y = [c + noise.laplace(1 / eps) for c in h]
    t = y[0] + y[1] - y[0] - y[1]
    return y, sum((1 + E * t) * r for r in data) + noise.laplace(10 / eps)


@leaks(UNIT)
def large_coordinate(noise, data, *, eps):
    """not private: a weight in which all but 16 digits are lost."""
    y = min(max(sum(data) + noise.laplace(2 / eps), 0), 1)
    w = (y + E) - (E - 1)
    return y, sum(w * r for r in data) + noise.laplace(4 / eps)


@leaks(UNIT)
def eps_rounding(noise, data, *, eps):
    """not private: what rounding leaves of ε is a weight."""
    w = E * 10 * (eps / 49 * 49 - eps)
    return sum((1 + w) * r for r in data) + noise.laplace(1 / eps)


def fine_(noise, data, eps):
    t = 0
    for _ in range(20):
        t = t / 2 + sum(data) + noise.laplace(20 / eps)
    return t
