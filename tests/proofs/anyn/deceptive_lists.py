"""Programs whose lists are reached in several ways, or whose outputs tell which way was taken. None is private as claimed."""

# ruff: noqa

from __future__ import annotations

EVIL = []


def evil(program):
    EVIL.append(program)
    return program


LARGE_MOVES = []  # a single answer is followed by its own noise; they are not private where all answers move


def large_moves(program):
    LARGE_MOVES.append(program)
    return program


@evil
def list_or_tuple(noise, queries, *, eps, threshold):
    """A list or a tuple, by an exact comparison."""
    for q in queries:
        if q >= threshold:
            return [1]
    return (1,)


@evil
def list_in_a_list(noise, queries, *, eps, threshold):
    """[1] or 1."""
    out = []
    for q in queries:
        out.append([1] if q >= threshold else 1)
    return out


@evil
def row_filled_later(noise, queries, *, eps):
    """`row` is inside `out` already when the answer enters it."""
    row = []
    out = [row]
    for q in queries:
        row.append(q)
    return out


@evil
def row_filled_later_in_the_loop(noise, queries, *, eps):
    """The same within one round."""
    out = []
    for q in queries:
        row = []
        out.append(row)
        row.append(q)
    return out


@evil
def second_name(noise, queries, *, eps):
    """`other` is `out`."""
    out = []
    other = out
    for q in queries:
        other.append(q)
    return out


@evil
def second_name_by_the_path(noise, queries, *, eps, threshold):
    """Which of two lists grows tells the comparison."""
    a, b = [], []
    for q in queries:
        c = a if q >= threshold else b
        c.append(1)
    return a, b


@evil
def exchanged_lists(noise, queries, *, eps, threshold):
    """The two lists are exchanged by an exact comparison."""
    a, b = [1], [2]
    for q in queries:
        if q >= threshold:
            a, b = b, a
    return a


@evil
def new_list_or_same_list(noise, queries, *, eps, threshold):
    """out + [1] is a new list, out += [1] the same: `first` sees the difference."""
    out = []
    first = out
    for q in queries:
        if q >= threshold:
            out += [1]
        else:
            out = out + [1]
    return first


@evil
def list_that_holds_itself(noise, queries, *, eps):
    """A list inside itself, with the answers."""
    out = []
    for q in queries:
        out.append(out)
        out.append(q)
    return out


@evil
def extended_by_answers(noise, queries, *, eps):
    """out.extend([q])."""
    out = []
    for q in queries:
        out.extend([q, noise.laplace(1 / eps)])
    return out


@evil
def grown_by_answers(noise, queries, *, eps):
    """out += [q]."""
    out = []
    for q in queries:
        out += [q]
    return out


@evil
def order_of_the_parts(noise, queries, *, eps, threshold):
    """[1, 2] or [2, 1]."""
    out = []
    for q in queries:
        out = [1] + out if q >= threshold else out + [1]
        out = out + [2]
    return out


@evil
def how_long(noise, queries, *, eps, threshold):
    """One entry or two, by an exact comparison."""
    out = []
    for q in queries:
        out.append(0)
        if q >= threshold:
            out.append(0)
    return out


@evil
def emptied(noise, queries, *, eps, threshold):
    """The list begins anew."""
    out = []
    for q in queries:
        out = [0] if q >= threshold else out
        out.append(1)
    return out


@evil
def nothing_or_none(noise, queries, *, eps, threshold):
    """[] or None."""
    for q in queries:
        if q >= threshold:
            return []
    return None


@evil
def texts(noise, queries, *, eps, threshold):
    """'1' or 1."""
    out = []
    for q in queries:
        out.append("1" if q >= threshold else 1)
    return out


@evil
def same_number_two_ways(noise, queries, *, eps, threshold):
    """Both branches add the same noisy number to the list: one as it is, one as a float times 1.0; the test is exact."""
    out = []
    for q in queries:
        z = q + noise.discrete_laplace(1 / eps)
        if q >= threshold:
            out.append(z)
        else:
            out.append(z * 1.0)
    return out


@evil
def same_state_two_ways(noise, queries, *, eps, threshold):
    """The state is the same number; its type tells the comparison."""
    x = 0
    z = noise.discrete_laplace(1 / eps)
    for q in queries:
        if q >= threshold:
            x = z
        else:
            x = z / 1
    return x


@evil
def same_sum_two_ways(noise, queries, *, eps, threshold):
    """0.1 * eps + 0.2 * eps or 0.3 * eps: they differ in the last bit."""
    x = 0.0
    for q in queries:
        x = 0.1 * eps + 0.2 * eps if q >= threshold else 0.3 * eps
    return x


@evil
def parameter_or_number(noise, queries, *, eps, threshold):
    """eps / eps is a number of another type than 1."""
    x = 1
    for q in queries:
        x = eps / eps if q >= threshold else 1
    return x


@evil
def values_unpacked_the_other_way(noise, queries, *, eps):
    """b is the answer."""
    out = []
    for q in queries:
        a, b = q + noise.laplace(1 / eps), q
        out.append(b)
    return out


@evil
def pair_of_place_and_answer(noise, queries, *, eps):
    """The pair that enumerate gives, as it is."""
    out = []
    for pair in enumerate(queries):
        out.append(pair)
    return out


@large_moves
def largest_and_its_number(noise, queries, *, eps):
    """The leader and how often the lead changed."""
    best = float("-inf")
    index = changes = 0
    for i, q in enumerate(queries):
        v = q + noise.laplace(2 / eps)
        if v > best:
            best, index = v, i
            changes += 1
    return index, changes


@large_moves
def largest_and_the_leader_before(noise, queries, *, eps):
    """Not only who leads in the end, but who led before."""
    best = float("-inf")
    index = 0
    last = 0
    for i, q in enumerate(queries):
        v = q + noise.laplace(2 / eps)
        if v > best:
            best = v
            last = index
            index = i
    return index, last


@evil
def largest_of_few(noise, queries, *, eps):
    """argmax of two listed values, one without noise."""
    return noise.argmax([queries[0], noise.laplace(1 / eps) / 1000])


@evil
def largest_of_comparisons(noise, queries, *, eps, threshold):
    """A truth value among the values that are compared."""
    return noise.argmax([noise.laplace(1 / eps) / 1000, queries[0] > threshold])


@evil
def largest_without_data_first(noise, queries, *, eps):
    """The first contest has noise, the second one has not."""
    a = noise.argmax([q + noise.laplace(2 / eps) for q in queries])
    b = noise.argmax([q for q in queries])
    return a, b
