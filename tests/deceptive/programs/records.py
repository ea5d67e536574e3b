"""Records of mixed types, and records that are equal and not the same."""

from __future__ import annotations

import math

from tests.deceptive.kit import INF, F, Records, holds, leaks


@leaks(Records([0, False], 1), INF)
def text_of_zero_and_false(noise, d, *, eps):
    """not private: "0" and "False" are different texts."""
    return str(d[0])


@leaks(Records([1, 1.0, 2], 1), INF)
def text_of_an_int_and_a_float(noise, d, *, eps):
    """not private: "1" and "1.0" are different texts."""
    return len(str(d[0]))


@leaks(Records([0.5, F(1, 2)], 1), INF)
def text_of_a_float_and_a_fraction(noise, d, *, eps):
    """not private: "0.5" and "1/2" are different texts."""
    return str(d[0])


@holds(Records([1, True], 1), 0)
def that_does_not_look(noise, d, *, eps):
    """private: the record is not used."""
    return noise.bernoulli(F(1, 2))


@holds(Records([0, "0"], 1), 1)
def answer_by_a_coin(noise, d, *, eps):
    """private: randomised response on whether the record is the number."""
    truth = d[0] == 0
    return truth if noise.bernoulli(log_odds=eps) else not truth


@leaks(Records([0, False], 1), INF)
def record_or_its_complement(noise, d, *, eps):
    """not private: False or 1 is released of False, and 0 or 1 of 0."""
    return d[0] if noise.bernoulli(log_odds=eps) else 1 - d[0]


@leaks(Records([0, False, 1], 2), INF)
def the_first_of_two(noise, d, *, eps):
    """not private: the first record is released with its type."""
    return [d[0], noise.laplace(1 / eps)]


@holds(Records([None, 0], 1), 1)
def none_by_a_coin(noise, d, *, eps):
    """private: randomised response on whether the record is None."""
    missing = d[0] is None
    return int(missing) if noise.bernoulli(log_odds=eps) else 1 - int(missing)


@leaks(Records([(0, "a"), (False, "a")], 1), INF)
def inside_a_tuple(noise, d, *, eps):
    """not private: the first part of the record is 0 or False."""
    return str(d[0][0]) + d[0][1]


@holds(Records(["", None, 0, False], 1), 0)
def all_of_them_false(noise, d, *, eps):
    """private: every record counts as false."""
    return not d[0]


@leaks(Records(["", None, 0, False, 1], 1), INF)
def one_of_them_true(noise, d, *, eps):
    """not private: 1 counts as true."""
    return not d[0]


@holds(Records(["a", "A"], 1), 0)
def lower_case(noise, d, *, eps):
    """private: in lower case the two records are the same."""
    return d[0].lower()


@leaks(Records(["a", "A", "b"], 1), INF)
def lower_case_of_three(noise, d, *, eps):
    """not private: in lower case there are two texts."""
    return d[0].lower()


@holds(Records([0, 1, True], 2), 1)
def count_of_ones(noise, d, *, eps):
    """private: one record moves the count by at most 1, and True counts as 1."""
    return sum(x == 1 for x in d) + noise.laplace(1 / eps)


@leaks(Records([0, 1, True], 2), INF)
def count_beside_the_text(noise, d, *, eps):
    """not private: the count is noisy, and the number of letters of the records is not."""
    return [sum(len(str(x)) for x in d), sum(x == 1 for x in d) + noise.laplace(1 / eps)]


@holds(Records([0, False, 0.0], 2), 0)
def size_of_the_set(noise, d, *, eps):
    """private: in a set the three records are one."""
    return len(set(d))


@leaks(Records([0, False, "0"], 2), INF)
def size_of_the_set_with_text(noise, d, *, eps):
    """not private: text is not equal to a number."""
    return len(set(d))


@holds(Records([0, False], 2), 0)
def times_zero_occurs(noise, d, *, eps):
    """private: count compares by equality, and both records equal 0."""
    return d.count(0)


@leaks(Records([1, 1.0], 1), INF)
def divided_without_rest(noise, d, *, eps):
    """not private: 1 // 1 is 1 and 1.0 // 1 is 1.0."""
    return d[0] // 1


@leaks(Records([2, 2.0], 1), INF)
def square_as_it_comes(noise, d, *, eps):
    """not private: the square of 2 is 4, that of 2.0 is 4.0."""
    return d[0] * d[0]


@holds(Records([2, 2.0], 1), 0)
def root(noise, d, *, eps):
    """private: the root of both is the same float."""
    return math.sqrt(d[0])


@leaks(Records([True, 1], 1), INF)
def sum_of_a_truth_value(noise, d, *, eps):
    """not private: +True is 1, but True itself is released."""
    return d[0]


@holds(Records([True, 1], 1), 0)
def plus_a_truth_value(noise, d, *, eps):
    """private: +True is the int 1, as is 1."""
    return +d[0]


@leaks(Records([-1, 0, 1], 1), INF)
def sign_in_a_float(noise, d, *, eps):
    """not private: 0.0 * -1 is -0.0."""
    return 0.0 * d[0]


@holds(Records([-1, 0, 1], 1), 0)
def times_zero(noise, d, *, eps):
    """private: 0 times a whole number is 0."""
    return 0 * d[0]
