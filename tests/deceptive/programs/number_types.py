"""Numbers that are equal and not of one type: exact ones, and those whose type is that of a parameter."""

from __future__ import annotations

from typing import Any

from dpwitness import Records
from dpwitness.core.numbers import Exact, exact
from tests.deceptive.kit import BITS, SINGLE, F, holds, leaks
from tests.deceptive.programs.whole import COUNT

ONE_EXACTLY = Exact(1)
FOUR = Records((0, 1, 2, 3), 1)
HALF = F(1, 2)


@leaks(BITS)
def exact_or_plain(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: exact(1) is of another type than 1"""
    return exact(1) if d[0] else 1


@leaks(BITS)
def exact_of_the_module(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: so is an exact number of the module"""
    return [ONE_EXACTLY, 1][d[0]]


@leaks(BITS)
def exact_inside(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: the type tells inside a list as well"""
    return ("a", [exact(5)] if d[0] else [5])


@leaks(BITS)
def exact_now_and_then(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: one output in a million tells"""
    return exact(5) if noise.bernoulli(F(1, 10**6)) and d[0] else 5


@leaks(SINGLE)
def exact_far_away(noise: Any, q: Any, *, eps: Any) -> Any:
    """not private: only answers above 12345 are told"""
    return [exact(5) if q[0] > 12345 else 5, noise.laplace(1)]


@leaks(SINGLE)
def exact_half(noise: Any, q: Any, *, eps: Any) -> Any:
    """not private: an exact half is not 0.5"""
    return [exact("1/2") if q[0] > 0 else 0.5, q[0] + noise.laplace(2 / eps)]


@leaks(BITS)
def parameter_made_exact(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: exact(eps) is not eps"""
    return exact(eps) if d[0] else eps


@leaks(FOUR)
def exact_beside_noise(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: a whole draw plus an exact number is exact"""
    return d[0] + noise.discrete_laplace(3 / eps) + (ONE_EXACTLY if d[0] > 1 else 1)


@holds(SINGLE, 1)
def exact_beside_a_float(noise: Any, q: Any, *, eps: Any) -> Any:
    """private: a float plus an exact number is a float"""
    return q[0] + noise.laplace(1 / eps) + (exact(2) if q[0] > 1 else 2.0)


@leaks(FOUR, at=HALF)
def parameter_minus_itself(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: eps - eps is 0 at eps = 1, and 0.0 at eps = 1/2"""
    return d[0] + noise.discrete_laplace(3 / eps) + (eps - eps if d[0] > 1 else 0)


@leaks(FOUR, at=HALF)
def parameter_times_nothing(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: eps * 0 is 0 at eps = 1, and 0.0 at eps = 1/2"""
    return d[0] + noise.discrete_laplace(3 / eps) + (eps * 0 if d[0] > 1 else 0)


@leaks(COUNT, at=HALF)
def parameter_beside_whole_answers(noise: Any, q: Any, *, eps: Any) -> Any:
    """not private: whole answers become floats above 1"""
    return q[0] + noise.discrete_laplace(1 / eps) + (eps * 0 if q[0] > 1 else 0)


@leaks(FOUR, at=HALF)
def parameter_to_the_power_nought(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: eps ** 0 is 1 or 1.0"""
    return d[0] + noise.discrete_laplace(3 / eps) + (eps**0 if d[0] > 1 else 1)


@leaks(FOUR, at=HALF)
def parameters_that_cancel(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: 2 eps - eps - eps is 0 or 0.0"""
    return d[0] + noise.discrete_laplace(3 / eps) + (2 * eps - eps - eps if d[0] > 1 else 0)


@leaks(FOUR, at=HALF)
def parameters_in_a_table(noise: Any, d: Any, *, eps: Any) -> Any:
    """not private: the same without a test"""
    return d[0] + noise.discrete_laplace(3 / eps) + [0, 0, eps - eps, eps - eps][d[0]]


@leaks(SINGLE, at=HALF)
def parameter_alone(noise: Any, q: Any, *, eps: Any) -> Any:
    """not private: a constant of two types"""
    return eps * 0 if q[0] > 1 else 0
