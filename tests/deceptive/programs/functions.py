"""Nested functions, closures, generators, default arguments, globals, recursion."""

from __future__ import annotations

import functools
import itertools
import operator

from tests.deceptive.kit import ALL, INF, ONE, TWO, F, holds, leaks

SCALES = (1, F(1, 10))
TENTH = F(1, 10)


@leaks(ONE, 3)
def late_binding(noise, q, *, eps):
    """not private: all three functions see the last answer."""
    readers = [lambda: x for x in q]
    return [read() + noise.laplace(1 / eps) for read in readers]


@holds(ONE, 1)
def early_binding(noise, q, *, eps):
    """private: every function keeps its own answer."""
    readers = [lambda x=x: x for x in q]
    return [read() + noise.laplace(1 / eps) for read in readers]


@holds(ONE, 1)
def generator_used_twice(noise, q, *, eps):
    """private: the second list is empty."""
    noisy = (x + noise.laplace(1 / eps) for x in q)
    return list(noisy) + list(noisy)


@leaks(ONE, 2)
def list_used_twice_with_fresh_noise(noise, q, *, eps):
    """not private: every answer is released twice."""
    return [x + noise.laplace(1 / eps) for x in q + q]


@leaks(ONE, 10)
def scale_from_a_table(noise, q, *, eps):
    """not private: the table gives every second answer a tenth of the noise."""
    return [x + noise.laplace(SCALES[i % 2] / eps) for i, x in enumerate(q)]


@leaks(ONE, 10)
def constant_from_outside(noise, q, *, eps):
    """not private: the global constant is a tenth."""
    return [x + noise.laplace(TENTH / eps) for x in q]


@holds(ALL, 1)
def sum_that_is_no_sum(noise, q, *, eps):
    """private: the function called sum gives the first answer."""

    def sum(values):
        return values[0]

    return sum(q) + noise.laplace(1 / eps)


@leaks(ONE, 10)
def abs_that_is_no_abs(noise, q, *, eps):
    """not private: the function called abs multiplies by 10."""

    def abs(value):
        return 10 * value

    return abs(q[0]) + noise.laplace(1 / eps)


@leaks(ALL, 3)
def recursion_over_all(noise, q, *, eps):
    """not private: three answers with the noise of one."""

    def release(i):
        return [] if i == len(q) else [q[i] + noise.laplace(1 / eps), *release(i + 1)]

    return release(0)


@holds(ONE, 1)
def recursion_over_one(noise, q, *, eps):
    """private: one answer moves."""

    def release(i):
        return [] if i == len(q) else [q[i] + noise.laplace(1 / eps), *release(i + 1)]

    return release(0)


@leaks(ONE, INF)
def filtered(noise, q, *, eps):
    """not private: the number of positive answers is seen in the length."""
    return [x + noise.laplace(1 / eps) for x in filter(lambda x: x > 0, q)]


@leaks(ONE, 3)
def running_sums(noise, q, *, eps):
    """not private: the first answer moves all three sums."""
    return [s + noise.laplace(1 / eps) for s in itertools.accumulate(q)]


@holds(ONE, 1)
def running_sums_with_enough_noise(noise, q, *, eps):
    """private: three sums at a third of the budget."""
    return [s + noise.laplace(3 / eps) for s in itertools.accumulate(q)]


@leaks(ONE, 2)
def reduced(noise, q, *, eps):
    """not private: every step of the fold adds the answer twice."""
    return functools.reduce(lambda total, x: total + 2 * x, q, 0) + noise.laplace(1 / eps)


@holds(ONE, 1)
def reduced_by_addition(noise, q, *, eps):
    """private: the sum, once."""
    return functools.reduce(operator.add, q) + noise.laplace(1 / eps)


@leaks(TWO, INF)
def iterator_left_over(noise, q, *, eps):
    """not private: what is left of the iterator is released as it is."""
    items = iter(q)
    first = next(items) + noise.laplace(1 / eps)
    return [first, *items]


@holds(ONE, 1)
def walrus(noise, q, *, eps):
    """private: one noisy number, used twice."""
    return [(noisy := q[0] + noise.laplace(1 / eps)), noisy * 2, noisy > 0]


@leaks(ONE, 2)
def walrus_of_the_answer(noise, q, *, eps):
    """not private: two fresh draws on one answer."""
    return [(x := q[0]) + noise.laplace(1 / eps), x + noise.laplace(1 / eps)]


@leaks(ONE, 5)
def default_argument(noise, q, *, eps):
    """not private: the helper's default is a fifth of the noise."""

    def release(x, share=F(1, 5)):
        return x + noise.laplace(share / eps)

    return [release(q[0]), release(q[1], 1), release(q[2], share=1)]


@leaks(ONE, 2)
def counter_in_a_closure(noise, q, *, eps):
    """not private: the second call has half of the noise."""
    calls = 0

    def release(x):
        nonlocal calls
        calls += 1
        return x + noise.laplace(F(1, calls if calls < 3 else 1) / eps)

    return [release(x) for x in q]


@leaks(ONE, INF)
def cut_by_the_data(noise, q, *, eps):
    """not private: takewhile stops at the first answer above 0."""
    return len(list(itertools.takewhile(lambda x: x <= 0, q)))


@holds(ONE, 1)
def partial_function(noise, q, *, eps):
    """private: the scale is bound first."""
    draw = functools.partial(noise.laplace, 1 / eps)
    return [x + draw() for x in q]


@leaks(ONE, 2)
def product_of_places(noise, q, *, eps):
    """not private: every answer stands in two pairs."""
    return [a + b + noise.laplace(1 / eps) for a, b in itertools.combinations(q, 2)]


@holds(ONE, 1)
def pairs_with_enough_noise(noise, q, *, eps):
    """private: every answer stands in two pairs, each at half of the budget."""
    return [a + b + noise.laplace(2 / eps) for a, b in itertools.combinations(q, 2)]
