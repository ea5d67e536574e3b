"""Programs that tell exact numbers from Python's, and claims that branch where no formula shows it."""

from __future__ import annotations

from fractions import Fraction

from dpwitness import PureDP, Records, exact
from tests.deceptive.kit import INF, SINGLE, F, holds, leaks

TENTH_AND_HALF = Records((exact("1/10"), 0.5), 1)  # handed out as the float 0.1


@leaks(TENTH_AND_HALF, INF)
def binary_denominator(noise, d, *, eps):
    """not private: the float 0.1 has a denominator of 2**55, and 0.5 has 2."""
    return d[0].as_integer_ratio()[1] > 1000


@leaks(TENTH_AND_HALF, INF)
def binary_fraction(noise, d, *, eps):
    """not private: Fraction(0.1) is not 1/10, and Fraction(0.5) is 1/2."""
    return Fraction(d[0]) * 10 in (1, 5)


@holds(Records(((0.25, 1), (0.5, 1)), 1), 0)
def text_that_no_float_has(noise, d, *, eps):
    """private: the text of a record holds no E."""
    return d[0][0] if "E" in str(d[0]) else noise.bernoulli(F(1, 2))


@leaks(SINGLE, at=F(49))
def inverse_there_and_back(noise, q, *, eps):
    """not private: (1 / 49) * 49 is less than 1 in Python."""
    return q[0] if (1 / eps) * eps < 1 else q[0] + noise.laplace(1 / eps)


@leaks(SINGLE, at=F(1, 10))
def six_times(noise, q, *, eps):
    """not private: six times 0.1 is more than the sum of six 0.1 in Python."""
    return q[0] if eps + eps + eps + eps + eps + eps < 6 * eps else q[0] + noise.laplace(1 / eps)


@leaks(SINGLE, claim=lambda eps: PureDP(eps if float(eps) < 100 else eps / 2), at=F(200))
def claims_half_from_a_hundred_on(noise, q, *, eps):
    """not private: from eps = 100 on half of eps is claimed."""
    return q[0] + noise.laplace(1 / eps)


@leaks(SINGLE, claim=lambda eps: PureDP(eps if 9 - eps > 0 else eps / 2), at=F(16))
def claims_half_from_nine_on(noise, q, *, eps):
    """not private: from eps = 9 on half of eps is claimed."""
    return q[0] + noise.laplace(1 / eps)
