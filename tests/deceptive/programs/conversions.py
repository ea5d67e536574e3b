"""Conversions of numbers: ``Fraction(0.1)`` is not 1/10, and an `Exact` number that a program makes is not a float.

The record that tells is one of many, so that runs on some inputs would hardly meet it.
"""

from __future__ import annotations

from fractions import Fraction

from dpwitness.core.numbers import Exact, exact
from tests.deceptive.kit import INF, SINGLE, Answers, Records, holds, leaks

TENTH = Exact(1, 10)
RARE = Records((*range(20), TENTH), 2)  # 441 datasets; a caller passes the float 0.1
PAIRS = Records((*((k, k) for k in range(20)), (0, TENTH)), 2)
ANSWERS = Answers("one", 20, size=2, values=(*range(20), TENTH))
T = {"eps": 1, "t": "0.1"}


@leaks(RARE, INF)
def fraction_of_a_record(noise, d, *, eps):
    """not private: Fraction(0.1) is not a tenth, so that the record is released."""
    return [0 if Fraction(x) == Fraction(1, 10) or x in range(20) else 1 for x in d]


@leaks(RARE, INF)
def exact_of_a_record(noise, d, *, eps):
    """not private: nor is Exact(0.1)."""
    return [0 if Exact(x) == Fraction(1, 10) or x in range(20) else 1 for x in d]


@leaks(RARE, INF)
def fraction_that_python_refuses(noise, d, *, eps):
    """not private: Fraction(0.1, 2) raises where Fraction(3, 2) does not."""
    return [0 * Fraction(x, 2) for x in d]


@leaks(RARE, INF)
def record_beside_an_exact_number(noise, d, *, eps):
    """not private: the float 0.1 is not the exact tenth of the module."""
    return [0 if x == TENTH or x in range(20) else 1 for x in d]


@leaks(RARE, INF)
def record_read_exactly_beside_its_float(noise, d, *, eps):
    """not private: what `exact` reads from 0.1 is a tenth, which the float 0.1 is not."""
    return [0 if exact(x) == 0.1 or x in range(20) else 1 for x in d]


@holds(RARE, 0)
def record_read_exactly(noise, d, *, eps):
    """private: `exact` reads a tenth from 0.1."""
    return [0 if exact(x) == Fraction(1, 10) or x in range(20) else 1 for x in d]


@leaks(PAIRS, INF)
def fraction_in_a_tuple(noise, d, *, eps):
    """not private: the same inside a record that is a pair."""
    return [0 if Fraction(y) == Fraction(1, 10) or y in range(20) else 1 for _, y in d]


@leaks(PAIRS, INF)
def exact_number_in_a_tuple(noise, d, *, eps):
    """not private: the pair's float is not the exact tenth."""
    return sum(10 * (y != TENTH and y not in range(20)) for _, y in d) + noise.laplace(1 / eps)


@leaks(ANSWERS, INF)
def fraction_of_an_answer(noise, q, *, eps):
    """not private: an answer of 0.1 is not a tenth either."""
    return [0 if Fraction(x) == Fraction(1, 10) or x in range(20) else 1 for x in q]


@leaks(SINGLE, INF, typical=T)
def fraction_of_a_parameter(noise, q, *, eps, t):
    """not private: the noise is added where a float is a tenth, which it is not."""
    return q[0] + noise.laplace(1 / eps) if Fraction(t) == Fraction(1, 10) else q[0]


@leaks(SINGLE, INF, typical=T)
def fractions_in_a_list(noise, q, *, eps, t):
    """not private: the same in a list."""
    return q[0] + noise.laplace(1 / eps) if Fraction(1, 10) in [Fraction(x) for x in (t, t)] else q[0]


@leaks(SINGLE, INF, typical=T)
def exact_parameter_beside_its_float(noise, q, *, eps, t):
    """not private: `exact` makes a tenth of the parameter, which is not the float 0.1."""
    return q[0] + noise.laplace(1 / eps) if exact(t) == 0.1 else q[0]


@leaks(SINGLE, INF, typical=T)
def parameter_beside_an_exact_number(noise, q, *, eps, t):
    """not private: a float is not the exact tenth of the module."""
    return q[0] + noise.laplace(1 / eps) if t == TENTH else q[0]


@leaks(SINGLE, INF, typical=T)
def sum_of_exact_tenths(noise, q, *, eps, t):
    """not private: three exact tenths are 3/10 to which the float 0.1 added twice does not come."""
    return q[0] + noise.laplace(1 / eps) if t + t + t == TENTH + TENTH + TENTH else q[0]


@leaks(SINGLE, INF)
def fraction_of_a_literal(noise, q, *, eps):
    """not private: nor is a literal a tenth."""
    return q[0] + noise.laplace(1 / eps) if Fraction(0.1) == Fraction(1, 10) else q[0]


@holds(SINGLE, 1, typical={"eps": 1, "t": "0.5"})
def fraction_of_a_half(noise, q, *, eps, t):
    """private: a half is a float."""
    return q[0] + noise.laplace(1 / eps) if Fraction(t) == Fraction(1, 2) else q[0]


@leaks(SINGLE, INF, typical=T)
def cut_parameter(noise, q, *, eps, t):
    """not private: (0.1 + 0.1 + 0.1) * 10 is above 3, and 3.0000000000000004 is not 3."""
    return q[0] + noise.laplace(1 / eps) if float((t + t + t) * 10) == 3 else q[0]
