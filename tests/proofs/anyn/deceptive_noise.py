"""Programs written to fool the front end: noise that is reused or undone, and largest values. None is ε-private."""

# ruff: noqa

from __future__ import annotations

EVIL = []
LARGE_MOVES = []  # private where one answer moves (each answer is noised on its own), not where all move


def evil(program):
    EVIL.append(program)
    return program


def evil_where_all_move(program):
    LARGE_MOVES.append(program)
    return program


@evil
def not_a_number(noise, queries, *, eps):
    best = float("nan")
    for i, q in enumerate(queries):
        if not q > best:
            best = q
    return best


@evil
def infinite_sum(noise, queries, *, eps):
    s = float("inf")
    for q in queries:
        s = s + q
    return s - float("inf")


@evil
def both_in_one_list(noise, queries, *, eps):
    out = other = []
    for q in queries:
        other.append(q)
    return out


@evil
def alias_of_the_output(noise, queries, *, eps):
    out = []
    hidden = out
    for q in queries:
        hidden += [q]
    return out


@evil
def list_in_a_list(noise, queries, *, eps):
    inner = []
    out = [inner]
    for q in queries:
        inner.append(q)
    return out


@evil
def list_read_back(noise, queries, *, eps):
    out = []
    for q in queries:
        out.append(q + noise.laplace(1 / eps))
    return out[0] - out[0]


@evil
def length_of_the_output(noise, queries, *, eps):
    out = []
    for q in queries:
        if q >= 0:
            out.append(0)
    return len(out)


@evil
def nested_loops(noise, queries, *, eps):
    out = []
    for q in queries:
        for p in queries:
            out.append(p + noise.laplace(1 / eps))
    return out


@evil
def two_loops_one_budget(noise, queries, *, eps):
    out = []
    for q in queries:
        out.append(q + noise.laplace(1 / eps))
    for q in queries:
        out.append(q + noise.laplace(1 / eps))
    return out


@evil
def loop_variable_afterwards(noise, queries, *, eps):
    for q in queries:
        pass
    return q


@evil
def noise_cancelled(noise, queries, *, eps):
    e = 0
    s = 0
    for q in queries:
        e = noise.laplace(1 / eps)
        s += q + e - e
    return s


@evil
def noise_times_zero(noise, queries, *, eps):
    return [q + 0 * noise.laplace(1 / eps) for q in queries]


@evil
def noise_shared_by_an_alias(noise, queries, *, eps):
    out = []
    a = noise.laplace(1 / eps)
    b = a
    for q in queries:
        out.append(q + b)
    return out


@evil
def noise_released(noise, queries, *, eps):
    e = noise.laplace(1 / eps)
    s = 0
    for q in queries:
        s += q
    return s + e, e


@evil
def growing_budget(noise, queries, *, eps):
    out = []
    b = eps
    for q in queries:
        b = b * 2
        out.append(q + noise.laplace(1 / b))
    return out


@evil
def text_of_the_path(noise, queries, *, eps):
    word = ""
    for q in queries:
        word = "yes" if q >= 0 else "no"
    return word


@evil
def flag_from_the_data(noise, queries, *, eps):
    flag = False
    for q in queries:
        flag = q >= 0
    return flag


@evil
def budget_by_the_path(noise, queries, *, eps):
    out = []
    b = eps
    for q in queries:
        v = q + noise.laplace(1 / b)
        out.append(v)
        if v > 0:
            b = b + eps
    return out


@evil_where_all_move
def leaders_through_a_flag(noise, queries, *, eps):
    best = None
    index = 0
    odd = False
    for i, q in enumerate(queries):
        v = q + noise.laplace(2 / eps)
        if best is None or v > best:
            best = v
            index = i
            odd = not odd
    return index, odd


@evil_where_all_move
def loser_counted(noise, queries, *, eps):
    best = None
    index = 0
    losers = 0
    for i, q in enumerate(queries):
        v = q + noise.laplace(2 / eps)
        if best is None or v > best:
            best = v
            index = i
        else:
            losers += 1
    return index, losers


@evil
def argmax_of_raw_answers(noise, queries, *, eps):
    return noise.argmax([q for q in queries])


@evil
def argmax_with_shared_noise(noise, queries, *, eps):
    e = noise.laplace(1 / eps)
    return noise.argmax([q + e for q in queries])


@evil
def argmax_then_read(noise, queries, *, eps):
    k = noise.argmax([q + noise.laplace(2 / eps) for q in queries])
    return queries[k]


@evil
def argmax_of_a_filtered_list(noise, queries, *, eps):
    values = []
    for q in queries:
        if q > 0:
            values.append(q + noise.laplace(2 / eps))
    return noise.argmax(values)


@evil
def argmax_of_a_broken_loop(noise, queries, *, eps):
    values = []
    for q in queries:
        if q > 5:
            break
        values.append(q + noise.laplace(2 / eps))
    return noise.argmax(values)
