r"""Quotients of exponential polynomials in ε: probabilities whose denominators are positive at every ε > 0.

Choices with weights :math:`e^{r\varepsilon}` and two-sided geometric noise lead to denominators such as
:math:`1 + e^{-\varepsilon}`. Where no power of ε occurs, top and bottom are polynomials in
:math:`y = e^{\varepsilon/D}` and common factors are cancelled. A factor of a bottom without zeros has no zeros
itself, so the quotient keeps its value and its bottom stays positive, up to one sign for both.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import lcm
from typing import Any

from flint import fmpq_poly

from dpwitness.proofs.kernel.algebra.exppoly import ExpPoly

Quotient = tuple[ExpPoly, ExpPoly]
ONE = ExpPoly.of(1)
NOTHING: Quotient = (ExpPoly.of(0), ONE)
MAX_DEGREE = 4000


def add(left: Quotient, right: Quotient) -> Quotient:
    """left + right."""
    (a, b), (c, d) = left, right
    if b == d:
        return a + c, b
    if not a.terms:
        return right
    return left if not c.terms else reduced((a * d + c * b, b * d))


def times(left: Quotient, right: Quotient) -> Quotient:
    """left · right."""
    return left[0] * right[0], left[1] if right[1] == ONE else left[1] * right[1]


def scaled(value: Quotient, factor: ExpPoly) -> Quotient:
    """factor · value."""
    return value[0] * factor, value[1]


def total(entries: Iterable[Quotient]) -> Quotient:
    """The sum of several probabilities."""
    result = NOTHING
    for entry in entries:
        result = add(result, entry)
    return result


def reduced(value: Quotient) -> Quotient:
    """The quotient without common factors, where it has no powers of ε and its degree is moderate.

    >>> x = ExpPoly.exp(1)
    >>> print(*reduced((x * x - 1, x * x + x + x + 1)), sep="  /  ")
    -1 + e^(eps)  /  1 + e^(eps)
    """
    if not value[0].terms:
        return NOTHING
    if any(j for poly in value for j, _ in poly.terms):
        return value
    rates = [r for poly in value for _, r in poly.terms]
    d, least = lcm(*(r.denominator for r in rates)), min(rates)
    if (max(rates) - least) * d > MAX_DEGREE:
        return value
    above, below = (_polynomial(poly, d, least) for poly in value)
    common = above.gcd(below)
    above, below = above / common, below / common
    size = below[below.degree()]  # positive: so is the bottom for large ε, and the common factor is monic
    start = next(i for i in range(below.degree() + 1) if below[i])
    return _exponentials(above / size, d, start), _exponentials(below / size, d, start)


def _polynomial(poly: ExpPoly, d: int, least: Fraction) -> Any:
    exponents = {int((r - least) * d): c for (_, r), c in poly.terms.items()}
    return fmpq_poly([exponents.get(i, 0) for i in range(max(exponents) + 1)])


def _exponentials(poly: Any, d: int, start: int) -> ExpPoly:
    return ExpPoly({(0, Fraction(i - start, d)): poly[i] for i in range(poly.degree() + 1) if poly[i]})
