"""Programs in which a public number has changed since it was noted: remainders, quotients, inverses, counters, flags.

None is ε-private as claimed where one answer moves: somewhere an answer gets a tenth of its noise, or none, or is released
more than once. Each says when.
"""

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
def remainder_noted_before(noise, queries, *, eps):
    """Every second answer gets a tenth of the noise: n % 2 changes with n."""
    n = len(queries)
    odd = n % 2
    out = []
    for q in queries:
        if n % 2 == odd:
            out.append(q + noise.laplace(1 / eps))
        else:
            out.append(q + noise.laplace(1 / (10 * eps)))
        n += 1
    return out


@evil
def remainder_of_a_counter_noted_before(noise, queries, *, eps):
    """The same with a counter that runs down."""
    n = 0
    for q in queries:
        n += 1
    odd = n % 2
    out = []
    for q in queries:
        n -= 1
        if n % 2 == odd:
            out.append(q + noise.laplace(1 / (10 * eps)))
        else:
            out.append(q + noise.laplace(1 / eps))
    return out


@evil
def quotient_noted_before(noise, queries, *, eps):
    """From the third answer on n // 3 is no longer what it was: a tenth of the noise."""
    n = 0
    third = n // 3
    out = []
    for q in queries:
        if n // 3 == third:
            out.append(q + noise.laplace(1 / eps))
        else:
            out.append(q + noise.laplace(1 / (10 * eps)))
        n += 1
    return out


@evil
def remainder_kept_from_the_last_round(noise, queries, *, eps):
    """In all rounds but the first n % 2 differs from the one kept: a tenth of the noise."""
    n = 0
    last = n % 2
    out = []
    for q in queries:
        if n % 2 == last:
            out.append(q + noise.laplace(1 / eps))
        else:
            out.append(q + noise.laplace(1 / (10 * eps)))
        last = n % 2
        n += 1
    return out


@evil
def remainder_in_two_loops(noise, queries, *, eps):
    """The second loop starts with an n that has grown by one: the second branch is taken at once."""
    n = len(queries)
    even = n % 2
    n += 1
    out = []
    for q in queries:
        if n % 2 == even:
            out.append(q + noise.laplace(1 / eps))
        else:
            out.append(q)
    return out


@evil
def difference_of_remainders(noise, queries, *, eps):
    """n % 2 - odd is 0 only in the first round."""
    n = 0
    odd = n % 2
    out = []
    for q in queries:
        wrong = n % 2 - odd
        if wrong:
            out.append(q + noise.laplace(1 / (10 * eps)))
        else:
            out.append(q + noise.laplace(1 / eps))
        n += 1
    return out


@evil
def remainder_as_a_factor(noise, queries, *, eps):
    """The noise is multiplied by n % 2 / odd: in every second round it vanishes."""
    n = 1
    odd = n % 2
    out = []
    for q in queries:
        out.append(q + (n % 2) * noise.laplace(1 / eps))
        n += 1
    return out


@evil
def inverse_noted_before(noise, queries, *, eps):
    """The rate noted for n = 1 is not the rate of n = 20, but the scale is: n grows, and 1/(n + 1) with it."""
    n = 1
    noted = 1 / (n + 1)
    out = []
    for q in queries:
        out.append(q + noise.laplace(2 / eps / (n + 1)))
        n += 1
    return out


@evil
def inverse_of_another_time(noise, queries, *, eps):
    """scale·(n + 1) is 1/eps at first and falls, as n does: in the end a tenth and less."""
    n = 10
    share = 1 / (n + 1)
    out = []
    for q in queries:
        out.append(q + noise.laplace((n + 1) * share / eps))
        n -= 1
        if n == 0:
            break
    return out


@evil
def remainder_by_a_variable(noise, queries, *, eps):
    """m grows as well: 7 % m is not what it was."""
    m = 2
    rest = 7 % m
    out = []
    for q in queries:
        if 7 % m == rest:
            out.append(q + noise.laplace(1 / eps))
        else:
            out.append(q + noise.laplace(1 / (10 * eps)))
        m += 1
    return out


@evil
def remainder_of_the_index(noise, queries, *, eps, block):
    """At every block'th place the answer is released as it is."""
    out = []
    for i, q in enumerate(queries):
        if i % block == block - 1:
            out.append(q)
        else:
            out.append(q + noise.laplace(1 / eps))
    return out


@evil
def remainder_after_the_change(noise, queries, *, eps):
    """i has changed within the round."""
    i = 0
    out = []
    for q in queries:
        before = i % 3
        i += 1
        after = i % 3
        if before == after:
            out.append(q + noise.laplace(1 / eps))
        else:
            out.append(q + noise.laplace(1 / (10 * eps)))
    return out


@evil
def remainder_of_a_swapped_pair(noise, queries, *, eps):
    """a and b are exchanged in every round."""
    a, b = 1, 2
    noted = a % 2
    out = []
    for q in queries:
        if a % 2 == noted:
            out.append(q + noise.laplace(1 / eps))
        else:
            out.append(q)
        a, b = b, a
    return out


@evil
def flag_of_the_last_round(noise, queries, *, eps):
    """`late` is true from the second round on."""
    late = False
    out = []
    for q in queries:
        out.append(q + noise.laplace(1 / (10 * eps)) if late else q + noise.laplace(1 / eps))
        late = True
    return out


@evil
def none_of_the_last_round(noise, queries, *, eps):
    """`seen` is None in the first round only."""
    seen = None
    out = []
    for i, q in enumerate(queries):
        if seen is None:
            out.append(q + noise.laplace(1 / eps))
        else:
            out.append(q + seen * 0.5)
        seen = i
    return out


@evil
def text_of_the_last_round(noise, queries, *, eps):
    """The state goes round: a, b, a, b."""
    state = "a"
    out = []
    for q in queries:
        if state == "a":
            state = "b"
            out.append(q + noise.laplace(1 / eps))
        else:
            state = "a"
            out.append(q)
    return out


@evil
def loop_variable_afterwards(noise, queries, *, eps):
    """After the loop q is the last answer."""
    s = 0
    for q in queries:
        s += q
    return s + noise.laplace(1 / eps), q


@evil
def loop_index_afterwards(noise, queries, *, eps):
    """After the loop i is the last place: its answer is released once more."""
    out = []
    for i in range(len(queries)):
        out.append(queries[i] + noise.laplace(1 / eps))
    out.append(queries[i])
    return out


@evil
def index_assigned_in_the_loop(noise, queries, *, eps):
    """i is set to 0 within the round: the first answer is released again and again."""
    out = []
    for i in range(len(queries)):
        i = 0
        out.append(queries[i] + noise.laplace(1 / eps))
    return out


@evil
def index_shifted_back(noise, queries, *, eps):
    """Every answer but the last is released twice."""
    out = []
    for i in range(len(queries)):
        out.append(queries[i] + noise.laplace(1 / eps))
        if i > 0:
            out.append(queries[i - 1] + noise.laplace(1 / eps))
    return out


@evil
def query_bound_twice(noise, queries, *, eps):
    """The name q of an outer loop is used after an inner one over numbers: the noise is all that is new."""
    out = []
    for q in queries:
        x = q
        for q in range(2):
            out.append(x + noise.laplace(1 / eps))
    return out


@evil
def shadowed_in_a_comprehension(noise, queries, *, eps):
    """The q of the comprehension is not the q after it."""
    q = 0
    total = sum(q for q in queries)
    return total + q + noise.laplace(1 / (2 * eps))


@evil
def break_skips_the_noise(noise, queries, *, eps, threshold):
    """The answer at which the loop ends is returned as it is."""
    t = threshold + noise.laplace(2 / eps)
    found = 0
    for q in queries:
        found = q
        if q + noise.laplace(4 / eps) >= t:
            break
    return found


@large_moves
def continue_skips_the_count(noise, queries, *, eps, threshold, cutoff):
    """Answers above the threshold do not count, because of `continue`: there is no cutoff."""
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(4 * cutoff / eps) >= t:
            out.append(True)
            continue
            count += 1
        out.append(False)
        if count >= cutoff:
            break
    return out


@large_moves
def counter_goes_down_again(noise, queries, *, eps, threshold, cutoff):
    """Each negative answer gives one positive one back."""
    t = threshold + noise.laplace(2 / eps)
    out = []
    count = 0
    for q in queries:
        if q + noise.laplace(4 * cutoff / eps) >= t:
            out.append(True)
            count += 1
            if count >= cutoff:
                break
        else:
            out.append(False)
            count = max(0, count - 1)
    return out


@evil
def eps_overwritten(noise, queries, *, eps):
    """The second loop uses ten times the budget."""
    out = []
    for q in queries:
        out.append(noise.laplace(1 / eps))
    eps = eps * 10
    for q in queries:
        out.append(q + noise.laplace(1 / eps))
    return out


@evil
def eps_grows(noise, queries, *, eps):
    """The budget doubles in every round."""
    out = []
    for q in queries:
        out.append(q + noise.laplace(1 / eps))
        eps = eps * 2
    return out


@evil
def two_names_for_eps(noise, queries, *, eps):
    """`e` is the doubled one."""
    e = eps
    e += e
    return [q + noise.laplace(1 / e) for q in queries]
