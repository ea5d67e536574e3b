"""Programs written to fool the front end: formatting, truth values, arithmetic, scales. None is ε-private as claimed."""

# ruff: noqa

from __future__ import annotations

EVIL = []


def evil(program):
    EVIL.append(program)
    return program


@evil
def format_string(noise, queries, *, eps, threshold):
    t = threshold + noise.laplace(2 / eps)
    for q in queries:
        if q + noise.laplace(4 / eps) >= t:
            return f"{q}"


@evil
def percent_format(noise, queries, *, eps):
    out = []
    for q in queries:
        out.append("%s" % q)
    return out


@evil
def str_call(noise, queries, *, eps):
    return [str(q) for q in queries]


@evil
def compared_with_true(noise, queries, *, eps, threshold):
    t = threshold + noise.laplace(2 / eps)
    for i, q in enumerate(queries):
        if (q >= t) == True:
            return i


@evil
def negative_scale(noise, queries, *, eps):
    return sum(queries) + noise.laplace(-1 / eps)


@evil
def undeclared_count(noise, queries, *, eps, n):
    return [q + noise.laplace(n / eps) for q in queries]


@evil
def whole_part(noise, queries, *, eps, threshold):
    for i, q in enumerate(queries):
        if int(q) >= threshold:
            return i


@evil
def division_by_a_query(noise, queries, *, eps):
    return [1 / q + noise.laplace(1 / eps) for q in queries]


@evil
def private_scale(noise, queries, *, eps):
    return [noise.laplace(q) for q in queries]


@evil
def private_index(noise, queries, *, eps):
    out = []
    for q in queries:
        out.append(queries[q])
    return out


@evil
def same_object(noise, queries, *, eps):
    out = []
    last = None
    for q in queries:
        out.append(q is last)
        last = q
    return out


@evil
def is_zero(noise, queries, *, eps):
    return [q == 0 for q in queries]


@evil
def truth_of_a_query(noise, queries, *, eps):
    out = []
    for q in queries:
        out.append(1 if q else 0)
    return out


@evil
def chained(noise, queries, *, eps):
    out = []
    for q in queries:
        out.append(0 <= q <= 1)
    return out


@evil
def and_keeps_the_value(noise, queries, *, eps):
    out = []
    for q in queries:
        out.append(True and q)
    return out


@evil
def or_keeps_the_value(noise, queries, *, eps):
    x = 0
    for q in queries:
        x = None or q
    return x


@evil
def membership(noise, queries, *, eps):
    return 0 in queries


@evil
def equal_lists(noise, queries, *, eps):
    return queries == queries[:]


@evil
def product_of_answers(noise, queries, *, eps):
    p = 1
    for q in queries:
        p = p * q
    return p + noise.laplace(1 / eps)


@evil
def square_of_an_answer(noise, queries, *, eps):
    return [q**2 + noise.laplace(1 / eps) for q in queries]


@evil
def undeclared_scale(noise, queries, *, eps, scale):
    return [q + noise.laplace(scale / eps) for q in queries]


@evil
def scale_may_vanish(noise, queries, *, eps, scale):
    return [q + noise.laplace(1 / (eps * scale * scale)) for q in queries]


@evil
def remainder_of_a_query(noise, queries, *, eps):
    return [q % 2 for q in queries]


@evil
def bit_tricks(noise, queries, *, eps):
    return [(q > 0) | (q < -1) for q in queries]


@evil
def which_list(noise, queries, *, eps):
    low = [0]
    high = [1]
    for q in queries:
        pass
    return low if queries[0] > 0 else high


@evil
def which_list_grows(noise, queries, *, eps):
    low = []
    high = []
    for q in queries:
        chosen = low if q > 0 else high
        chosen.append(1)
    return low, high


@evil
def which_list_is_kept(noise, queries, *, eps):
    low = []
    high = [1]
    kept = low
    for q in queries:
        kept = (q > 0 and low) or high
    return kept


@evil
def which_list_is_extended(noise, queries, *, eps):
    low = []
    high = [1]
    out = []
    for q in queries:
        if q > 0:
            out += low
        else:
            out += high
    return out


@evil
def which_text(noise, queries, *, eps):
    out = []
    for q in queries:
        out.append("a" if q > 0 else "b")
    return out


@evil
def which_order(noise, queries, *, eps):
    out = []
    for q in queries:
        if q > 0:
            out.append(1)
            out.append(2)
        else:
            out.append(2)
            out.append(1)
    return out


@evil
def swapped_lists(noise, queries, *, eps):
    a = [1]
    b = [2]
    for q in queries:
        if q > 0:
            a, b = b, a
    return a


@evil
def truth_and_number(noise, queries, *, eps):
    out = []
    for q in queries:
        out.append(True if q > 0 else 2)
    return out
