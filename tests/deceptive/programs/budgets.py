"""Budgets in floats: tests of sums and products of ε that exact numbers decide one way, and Python another."""

from __future__ import annotations

from tests.deceptive.kit import FIVE, Answers, F, holds, leaks

SEVEN = Answers("one", 1, size=7)
TENTH = F(1, 10)


@leaks(SEVEN, at=TENTH)
def sum_of_six(noise, q, *, eps):
    """not private: at eps = 0.1 the sum of six is below 6 eps, and the sixth answer is released."""
    spent, n, out = 0, 0, []
    for x in q:
        spent = spent + eps
        n = n + 1
        out.append(x if n == 6 and spent < 6 * eps else x + noise.laplace(1 / eps))
    return out


@leaks(FIVE, at=F(31, 10))
def three_thirds(noise, q, *, eps):
    """not private: at eps = 3.1 the sum of three thirds is above eps."""
    spent, n, out = 0, 0, []
    for x in q:
        spent = spent + eps / 3
        n = n + 1
        out.append(x if n == 3 and spent > eps else x + noise.laplace(1 / eps))
    return out


@leaks(SEVEN, at=TENTH)
def rest_of_the_budget(noise, q, *, eps):
    """not private: at eps = 0.1 the budget of 6 eps is not used up after six answers, and the seventh is released."""
    left, out = 6 * eps, []
    for x in q:
        out.append(x if 0 < left < eps else x + noise.laplace(1 / eps))
        left = left - eps
    return out


@leaks(FIVE, at=F(49))
def inverse_in_a_loop(noise, q, *, eps):
    """not private: at eps = 49 the product with the inverse is below 1."""
    return [x if (1 / eps) * eps < 1 else x + noise.laplace(1 / eps) for x in q]


@leaks(SEVEN, at=TENTH)
def multiple_beside_a_sum(noise, q, *, eps):
    """not private: the same with the sum on the other side, and no counter."""
    spent, whole, out = 0, 0, []
    for x in q:
        spent, whole = spent + eps, whole + 1
        out.append(x + noise.laplace(1 / eps) if whole * eps <= spent else x)
    return out


@leaks(FIVE, at=TENTH)
def eps_that_was_computed(noise, q, *, eps):
    """not private: at eps = 0.1 three of it without two are more than one."""
    return [x if 3 * eps - eps - eps > eps else x + noise.laplace(1 / eps) for x in q]


@leaks(FIVE, at=F(1, 10**17))
def eps_beside_one(noise, q, *, eps):
    """not private: at eps = 1e-17 nothing is left of it beside 1."""
    return [x + noise.laplace(1 / eps) if (eps + 1) - 1 > 0 else x for x in q]


@leaks(FIVE, at=F(31, 10))
def thirds_in_a_row(noise, q, *, eps):
    """not private: the same without a loop."""
    return [x if eps / 3 + eps / 3 + eps / 3 > eps else x + noise.laplace(1 / eps) for x in q]


@holds(FIVE, 1)
def sign_of_a_sum(noise, q, *, eps):
    """private: a sum of positive numbers is positive, however it is rounded."""
    return [x + noise.laplace(1 / eps) if eps / 3 + 1 / eps > 0 else x for x in q]


@holds(FIVE, 1)
def spent_in_whole_numbers(noise, q, *, eps):
    """private: steps are counted in whole numbers, and stop after three."""
    spent, out = 0, []
    for x in q:
        if spent + 1 <= 3:
            spent = spent + 1
            out.append(x + noise.laplace(1 / eps))
        else:
            out.append(0)
    return out


@leaks(FIVE, at=TENTH)
def whole_until_it_is_not(noise, q, *, eps):
    """not private: what starts as a whole 0 is 1.4e-16 from the second answer on, at eps = 0.1."""
    left, out = 0, []
    for x in q:
        out.append(x if left > 0 else x + noise.laplace(1 / eps))
        left = 6 * eps - eps - eps - eps - eps - eps - eps
    return out


@holds(FIVE, 1)
def spends_less_where_it_rounds(noise, q, *, eps):
    """private: each answer has its noise or none is released, however the budget is rounded."""
    spent, out = 0, []
    for x in q:
        if spent + eps / 3 <= eps:
            spent = spent + eps / 3
            out.append(x + noise.laplace(1 / eps))
        else:
            out.append(0)
    return out


@leaks(FIVE, at=TENTH)
def larger_of_two_budgets(noise, q, *, eps):
    """not private: at eps = 0.1 the second number is the larger one."""
    second = noise.argmax([eps, 3 * eps - eps - eps])
    return [x if second else x + noise.laplace(1 / eps) for x in q]


@leaks(FIVE, at=TENTH)
def largest_budget(noise, q, *, eps):
    """not private: at eps = 0.1 the largest number is not eps."""
    return [x if max(eps, 3 * eps - eps - eps) > eps else x + noise.laplace(1 / eps) for x in q]
