"""Programs written to fool the front end: hidden state and loops. None is ε-private as claimed."""

# ruff: noqa

from __future__ import annotations

EVIL = []


def evil(program):
    EVIL.append(program)
    return program


@evil
def list_truth(noise, queries, *, eps, threshold):
    out = []
    t = threshold + noise.laplace(2 / eps)
    for q in queries:
        if out:
            out.append(q)
        elif q + noise.laplace(4 / eps) >= t:
            out.append(1)
    return out


@evil
def none_as_state(noise, queries, *, eps):
    x = None
    out = []
    for q in queries:
        if x is None:
            x = 1
        else:
            out.append(q)
    return out


@evil
def name_of_a_draw(noise, queries, *, eps, e0):
    s = 0
    for q in queries:
        s += q
    return s + noise.laplace(1 / eps) + e0 - e0, s


@evil
def tuple_state(noise, queries, *, eps):
    p = (0, 1)
    for q in queries:
        p = (q, 1)
    return p


@evil
def read_twice(noise, queries, *, eps):
    out = []
    for i in range(len(queries)):
        out.append(queries[i] + noise.laplace(1 / eps))
        out.append(queries[i - 1] + noise.laplace(1 / eps))
    return out


@evil
def remembered(noise, queries, *, eps):
    out = []
    previous = 0
    for q in queries:
        out.append(q + noise.laplace(1 / eps))
        out.append(previous + noise.laplace(1 / eps))
        previous = q
    return out


@evil
def counter_reset(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(8 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
            count = 0
    for q in queries:
        out.append(q + noise.laplace(1 / eps))
    return out


@evil
def sign_of_the_sum(noise, queries, *, eps):
    s = 0
    for q in queries:
        s = s + q
    if s >= 0:
        return 1
    return noise.laplace(1 / eps)


@evil
def skips_the_stop(noise, queries, *, eps, threshold, cutoff):
    t = threshold + noise.laplace(2 / eps)
    out = []
    left = cutoff
    for q in queries:
        if q + noise.laplace(1 / eps) >= t:
            out.append(q + noise.laplace(1 / eps))
            left -= 2
            if left == 0:
                break
        else:
            out.append(False)
    return out


@evil
def one_draw_for_all(noise, queries, *, eps, threshold):
    e = noise.laplace(4 / eps)
    t = threshold + noise.laplace(2 / eps)
    return [q + e >= t for q in queries]


@evil
def extra_read(noise, queries, *, eps):
    s = queries[0]
    for q in queries:
        s += q
    return s + noise.laplace(1 / eps)


@evil
def largest_answer_twice(noise, queries, *, eps):
    m = 0
    for q in queries:
        m = max(m, 2 * q)
    return m + noise.laplace(1 / eps)


@evil
def unbound_on_a_path(noise, queries, *, eps):
    for q in queries:
        if q + noise.laplace(8 / eps) >= 0:
            x = 1
    return x


@evil
def none_arithmetic(noise, queries, *, eps):
    x = None
    for q in queries:
        if q + noise.laplace(8 / eps) >= 0:
            x = x + 1
    return 0


@evil
def next_query(noise, queries, *, eps):
    out = []
    for i in range(len(queries) - 1):
        out.append(queries[i + 1] - queries[i] + noise.laplace(1 / eps))
    return out


@evil
def beyond_the_end(noise, queries, *, eps):
    i = 0
    while True:
        if queries[i] + noise.laplace(1 / eps) >= 0:
            return i
        i += 1


@evil
def same_query_for_ever(noise, queries, *, eps):
    i = 0
    k = 0
    out = []
    while k < len(queries):
        out.append(queries[i] + noise.laplace(1 / eps))
        k += 1
    return out


@evil
def index_goes_back(noise, queries, *, eps):
    i = 0
    k = 0
    out = []
    while i < len(queries):
        out.append(queries[i] + noise.laplace(1 / eps))
        i += 1
        k += 1
        if k == 5:
            i = 0
    return out


@evil
def length_by_the_data(noise, queries, *, eps):
    k = 0
    for q in queries:
        if q >= 0:
            k += 1
    out = []
    for i in range(k):
        out.append(noise.laplace(1 / eps))
    return out


@evil
def steps_by_the_data(noise, queries, *, eps):
    s = 0
    for q in queries:
        s += q
    k = 0
    while k < s:
        k += 1
    return k + noise.laplace(1 / eps)
