r"""Which way a test goes, and whether rounding could send a run with floating-point numbers the other way.

A sum of terms is evaluated in doubles first. Where it is larger than :math:`2^{-40}` times the sum of the sizes of its
terms its sign is certain, and no order of at most a thousand operations in doubles gives another one. Otherwise it is
evaluated exactly; then a run in doubles has the same sign where its arithmetic is exact too, which is so where all
coefficients are binary fractions, all terms are whole multiples of one power of two, and their sizes add up to less
than :math:`2^{53}` such steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

NEAR = 2.0**-40
BITS = 53

Term = tuple[Fraction, Fraction | float]  # coefficient, value


class Rounding:
    """Decides the tests of one run and notes whether one of them was in doubt.

    >>> tests = Rounding()
    >>> tests.sign([(Fraction(1), 0.5), (Fraction(-1), 0.25)]), tests.doubt
    (1, False)
    >>> tests.sign([(Fraction(1, 3), 0.75), (Fraction(-1, 4), 1.0)]), tests.doubt
    (0, True)
    """

    def __init__(self) -> None:
        self.doubt = False
        self.tied = False

    def sign(self, terms: Sequence[Term], *, exact: bool = False) -> int:
        """The sign of Σ coefficient·value; `exact`: the program computes it in rationals, so there is no doubt."""
        total = size = 0.0
        for coefficient, value in terms:
            product = float(coefficient) * float(value)
            total += product
            size += abs(product)
        if abs(total) > NEAR * size:
            return 1 if total > 0 else -1
        products = [coefficient * Fraction(value) for coefficient, value in terms]
        number = sum(products, Fraction(0))
        if not exact and not (all(_binary(c) for c, _ in terms) and _representable(products)):
            self.doubt = True
        if number == 0:
            self.tied = True
        return (number > 0) - (number < 0)


def _binary(value: Fraction) -> bool:
    return value.denominator & (value.denominator - 1) == 0


def _representable(products: Sequence[Fraction]) -> bool:
    """Whether doubles add these numbers without rounding, in any order."""
    step = max((p.denominator for p in products), default=1)
    if not all(_binary(p) for p in products):
        return False
    return bool(sum((abs(p) for p in products), Fraction(0)) * step < 2**BITS)


__all__ = ["Rounding", "Term"]
