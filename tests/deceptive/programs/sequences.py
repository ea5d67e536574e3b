"""Slices, sorting, unpacking, and lists that are changed."""

from __future__ import annotations

from tests.deceptive.kit import ALL, FIVE, INF, ONE, TWO, Answers, F, holds, leaks


@leaks(FIVE, INF)
def all_but_the_last(noise, q, *, eps):
    """not private: the last answer is appended without noise."""
    return [x + noise.laplace(1 / eps) for x in q[:-1]] + [q[-1]]


@holds(ALL, 1)
def without_the_first(noise, q, *, eps):
    """private: two answers share the budget, the first is not used."""
    return [x + noise.laplace((len(q) - 1) / eps) for x in q[1:]]


@leaks(Answers("all", 1, size=5), 1.5)
def three_of_five(noise, q, *, eps):
    """not private: a slice of five with step 2 has three answers, and the budget is split in two."""
    return [x + noise.laplace((len(q) // 2) / eps) for x in q[::2]]


@holds(ALL, 1)
def first_of_the_reversed(noise, q, *, eps):
    """private: one answer."""
    return q[::-1][0] + noise.laplace(1 / eps)


@holds(ALL, 0)
def beyond_the_end(noise, q, *, eps):
    """private: the slice is empty."""
    return q[3:]


@leaks(ALL, INF)
def just_before_the_end(noise, q, *, eps):
    """not private: the slice holds the last answer."""
    return q[2:]


@holds(ALL, 1)
def smallest(noise, q, *, eps):
    """private: the smallest answer moves by at most 1."""
    return sorted(q)[0] + noise.laplace(1 / eps)


@leaks(ALL, 2)
def spread_of_all(noise, q, *, eps):
    """not private: where one answer moves up and another down the spread moves by 2."""
    ordered = sorted(q)
    return ordered[-1] - ordered[0] + noise.laplace(1 / eps)


@holds(ONE, 1)
def spread_of_one(noise, q, *, eps):
    """private: one answer moves the spread by at most 1."""
    ordered = sorted(q)
    return ordered[-1] - ordered[0] + noise.laplace(1 / eps)


@leaks(ONE, 2)
def middle_with_half_of_the_noise(noise, q, *, eps):
    """not private: the middle answer moves by 1, and its noise is Lap(1/(2 eps))."""
    return sorted(q)[1] + noise.laplace(F(1, 2) / eps)


@holds(TWO)
def sorted_after_the_noise(noise, q, *, eps):
    """private: the order of noisy numbers is made of noisy numbers."""
    return sorted(x + noise.laplace(2 / eps) for x in q)


@leaks(TWO, INF)
def place_of_the_smallest(noise, q, *, eps):
    """not private: the order of the places is the order of the answers."""
    return sorted(range(len(q)), key=lambda i: q[i])


@leaks(ONE, INF)
def difference_of_neighbours(noise, q, *, eps):
    """not private: differences are released without noise."""
    return [b - a for a, b in zip(q, q[1:], strict=False)] + [q[0] + noise.laplace(1 / eps)]


@holds(ONE, 1)
def noise_that_grows_from_one(noise, q, *, eps):
    """private: places are counted from 1."""
    return [x + noise.laplace(i / eps) for i, x in enumerate(q, 1)]


@leaks(ONE, 2)
def noise_that_starts_at_a_half(noise, q, *, eps):
    """not private: places are counted from 1 and halved."""
    return [x + noise.laplace(F(i, 2) / eps) for i, x in enumerate(q, 1)]


@leaks(ONE, INF)
def the_rest_as_it_is(noise, q, *, eps):
    """not private: only the first answer is noisy."""
    first, *rest = q
    return [first + noise.laplace(1 / eps), *rest]


@leaks(TWO, 11)
def exchanged(noise, q, *, eps):
    """not private: after the exchange the second name holds the first answer."""
    a, b = q
    a, b = b, a
    return [a + noise.laplace(1 / eps), b + noise.laplace(F(1, 10) / eps)]


@leaks(ONE, INF)
def popped(noise, q, *, eps):
    """not private: what is taken off the list is released."""
    last = q.pop()
    return [last, sum(q) + noise.laplace(1 / eps)]


@leaks(ONE, 2)
def appended(noise, q, *, eps):
    """not private: the first answer stands in the list twice."""
    q.append(q[0])
    return sum(q) + noise.laplace(1 / eps)


@holds(ONE, 1)
def appended_and_removed(noise, q, *, eps):
    """private: what is appended is taken off again."""
    q.append(q[0])
    q.pop()
    return sum(q) + noise.laplace(1 / eps)


@leaks(ONE, 2)
def the_same_list_twice(noise, q, *, eps):
    """not private: two names of one list, to which every answer is added twice."""
    a = b = []
    for x in q:
        a.append(x)
        b.append(x)
    return sum(a) + noise.laplace(1 / eps)


@leaks(ONE, 3)
def rows_that_are_one_row(noise, q, *, eps):
    """not private: [[0]] * 3 holds one list three times."""
    rows = [[0]] * 3
    rows[0][0] = q[0]
    return sum(row[0] for row in rows) + noise.laplace(1 / eps)


@holds(ONE, 1)
def rows_of_their_own(noise, q, *, eps):
    """private: three lists, of which one holds the first answer."""
    rows = [[0] for _ in range(3)]
    rows[0][0] = q[0]
    return sum(row[0] for row in rows) + noise.laplace(1 / eps)


@leaks(ONE, INF)
def assigned_to_a_slice(noise, q, *, eps):
    """not private: the noisy numbers replace all answers but the last."""
    q[:2] = [x + noise.laplace(1 / eps) for x in q[:2]]
    return q


@holds(ONE, 1)
def negative_index(noise, q, *, eps):
    """private: the index -1 is the last answer, once."""
    return q[-1] + noise.laplace(1 / eps)


@leaks(ONE, 2)
def negative_index_of_the_first(noise, q, *, eps):
    """not private: the index -3 is the first of three answers, which is counted twice."""
    return q[0] + q[-3] + noise.laplace(1 / eps)
