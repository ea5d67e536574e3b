"""Programs written to fool the front end: names, scopes, mutation of the input, syntax. None is ε-private as claimed."""

# ruff: noqa

from __future__ import annotations

import math
import random

EVIL = []
LEAK = []
SHIFT = 1


def evil(program):
    EVIL.append(program)
    return program


@evil
def alias_of_the_noise(noise, queries, *, eps):
    n = noise
    e = n.laplace(1 / eps)
    return [q + e for q in queries]


@evil
def rebound_noise(noise, queries, *, eps):
    noise = 0
    return [q for q in queries]


@evil
def alias_of_the_queries(noise, queries, *, eps):
    data = queries
    out = []
    for q in data:
        out.append(q)
    return out


@evil
def changed_queries(noise, queries, *, eps):
    for i in range(len(queries)):
        queries[i] = 2 * queries[i]
    return [q + noise.laplace(1 / eps) for q in queries]


@evil
def popped(noise, queries, *, eps):
    x = queries.pop()
    return [q + noise.laplace(1 / eps) for q in queries] + [x]


@evil
def appended_to_the_queries(noise, queries, *, eps):
    queries.append(queries[0])
    return [q + noise.laplace(1 / eps) for q in queries]


@evil
def sorted_in_place(noise, queries, *, eps):
    queries.sort()
    return [q + noise.laplace(1 / eps) for q in queries]


@evil
def sliced(noise, queries, *, eps):
    out = []
    for q in queries[1:]:
        out.append(q + noise.laplace(1 / eps))
    for q in queries:
        out.append(q + noise.laplace(1 / eps))
    return out


@evil
def closure(noise, queries, *, eps):
    seen = []

    def keep(q):
        seen.append(q)
        return q

    for q in queries:
        keep(q)
    return seen


@evil
def lambda_leak(noise, queries, *, eps):
    f = lambda x: x
    return [f(q) for q in queries]


@evil
def global_list(noise, queries, *, eps):
    for q in queries:
        LEAK.append(q)
    return LEAK


@evil
def global_number(noise, queries, *, eps):
    global SHIFT
    for q in queries:
        SHIFT = q
    return SHIFT


@evil
def walrus(noise, queries, *, eps):
    out = []
    for q in queries:
        if (s := q) >= 0:
            out.append(s)
    return out


@evil
def starred(noise, queries, *, eps):
    first, *rest = queries
    return [first, *rest]


@evil
def caught(noise, queries, *, eps):
    for q in queries:
        try:
            x = 1 / q
        except ZeroDivisionError:
            return True
    return False


@evil
def asserted(noise, queries, *, eps):
    for q in queries:
        assert q >= 0
    return 0


@evil
def raised(noise, queries, *, eps):
    for q in queries:
        if q + noise.laplace(1 / eps) >= 0:
            raise ValueError
    return 0


@evil
def deleted(noise, queries, *, eps):
    x = 1
    for q in queries:
        if q + noise.laplace(1 / eps) >= 0:
            del x
    return x


@evil
def default_argument(noise, queries, *, eps, seen=[]):
    for q in queries:
        seen.append(q)
    return seen


@evil
def any_answer(noise, queries, *, eps):
    return any(q > 0 for q in queries)


@evil
def maximum_of_all(noise, queries, *, eps):
    return max(queries)


@evil
def maximum_with_a_key(noise, queries, *, eps):
    m = 0
    for q in queries:
        m = max(m, q, key=lambda x: -x)
    return m


@evil
def conditional_comprehension(noise, queries, *, eps):
    return [0 for q in queries if q > 0]


@evil
def nested_comprehension(noise, queries, *, eps):
    return [p + q + noise.laplace(1 / eps) for q in queries for p in queries]


@evil
def comprehension_over_a_shadow(noise, queries, *, eps):
    return [queries + noise.laplace(1 / (2 * eps)) for queries in queries]


@evil
def noise_in_a_sum(noise, queries, *, eps):
    return sum(q + 0 * noise.laplace(1 / eps) for q in queries)


@evil
def sum_with_a_start(noise, queries, *, eps):
    return sum(queries, queries[0]) + noise.laplace(1 / eps)


@evil
def enumerated_from_one(noise, queries, *, eps):
    out = []
    for i, q in enumerate(queries, 1):
        out.append(queries[i - 1] + q + noise.laplace(1 / eps))
    return out


@evil
def else_of_a_loop(noise, queries, *, eps):
    for q in queries:
        if q >= 0:
            break
    else:
        return 1
    return 0


@evil
def own_maximum(noise, queries, *, eps):
    max = abs
    return [max(q) for q in queries]


@evil
def own_range(noise, queries, *, eps):
    def range(n):
        return queries

    return [q for q in range(3)]


@evil
def other_randomness(noise, queries, *, eps):
    return [q + random.gauss(0, 1) for q in queries]


@evil
def square_root(noise, queries, *, eps):
    return [math.sqrt(abs(q)) + noise.laplace(1 / eps) for q in queries]


@evil
def dictionary(noise, queries, *, eps):
    seen = {}
    for i, q in enumerate(queries):
        seen[i] = q
    return seen


@evil
def generator(noise, queries, *, eps):
    for q in queries:
        yield q


@evil
def attribute_of_the_noise(noise, queries, *, eps):
    f = noise.laplace
    return [q for q in queries]


@evil
def attribute_of_a_query(noise, queries, *, eps):
    return [q.numerator for q in queries]


@evil
def evaluated(noise, queries, *, eps):
    return [eval("q") for q in queries]


@evil
def printed(noise, queries, *, eps):
    for q in queries:
        print(q)
    return 0
