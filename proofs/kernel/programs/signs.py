r"""The sign of an exponential polynomial for every ε > 0.

It follows from the order of the zero at 0, the dominant term at infinity and cells between; often a power series
without negative coefficients, or a polynomial in e^(ε/D) without negative coefficients around 1, decides at once.
"""

from __future__ import annotations

from fractions import Fraction
from math import factorial, lcm
from typing import Any

from flint import arb, fmpq, fmpz, fmpz_poly

from dpwitness.proofs.kernel.algebra.exppoly import ExpPoly, derivative
from dpwitness.proofs.kernel.arith import ball, between, precision
from dpwitness.proofs.kernel.limits import short, tick

MAX_CELLS, MAX_SERIES = 4000, 200


def find_negative(poly: ExpPoly) -> Fraction | bool | None:
    """True where the value is ≥ 0 for every ε > 0, an ε where it is negative otherwise, None where undecided.

    Of a polynomial that is not 0, True says that it is above 0 at every ε > 0: coefficients that are not negative and
    not all 0 in ε or in e^(ε/D) − 1 say so, and so do the cells, the first and the last of which hold an end strictly.

    >>> find_negative(ExpPoly.exp(1) - ExpPoly.exp(Fraction(1, 2))), find_negative(ExpPoly.of(2) - ExpPoly.exp(1)) > 0
    (True, True)
    """
    if all(c > 0 for c in poly.terms.values()):
        return True
    if all(j == 0 for j, _ in poly.terms) and positive_around_one(poly):
        return True
    least = min(r for _, r in poly.terms)
    scaled = ExpPoly({(j, r - least): c for (j, r), c in poly.terms.items()})  # times e^(−least ε) > 0
    spread = max(r for _, r in scaled.terms)
    for more in (Fraction(0), spread, 4 * spread):
        if _positive_series(scaled, more):
            return True
    with precision(128):
        return _search(poly, scaled)


def positive_around_one(poly: ExpPoly) -> bool:
    """Whether the polynomial in y = e^(ε/D) has, around y = 1, no negative coefficient (then it is ≥ 0 for y > 1)."""
    bottom = lcm(*(r.denominator for _, r in poly.terms))
    exponents = {int(r * bottom): c for (_, r), c in poly.terms.items()}
    low, high = min(exponents), max(exponents)
    if high - low > 600:
        return False
    common = lcm(*(int(c.q) for c in exponents.values()))
    coefficients = [0] * (high - low + 1)
    for e, c in exponents.items():
        coefficients[e - low] = int((c * common).p)
    shifted = fmpz_poly(coefficients)(fmpz_poly([1, 1]))
    return all(shifted[i] >= 0 for i in range(shifted.degree() + 1))


def _positive_series(poly: ExpPoly, more: Fraction) -> bool:
    r"""Whether e^(more·ε) times the polynomial has a power series in ε without negative coefficients.

    With rates r ≥ 0, n! times the n-th coefficient is :math:`\sum c\,n^{\underline{j}} r^{n-j}`. From some n on the
    term of the largest rate (and of these, the largest j) outweighs all others, since the ratio to each of them only
    grows. ε is measured in a unit in which the rates are whole, and the coefficients are multiplied by a common
    denominator: all numbers here are whole, and every division is exact.
    """
    unit = lcm(*((r + more).denominator for _, r in poly.terms))
    common = lcm(*(int(c.q) for c in poly.terms.values()))
    terms = [(j, int((r + more) * unit), (c * common).p * unit**j) for (j, r), c in poly.terms.items()]
    top, power = max((r, j) for j, r, _ in terms)
    main = next(i for i, (j, r, _) in enumerate(terms) if (r, j) == (top, power))
    if terms[main][2] < 0:
        return False
    # the ratio of the main term to another grows at n where (n + 1)(top − r) > j·top − power·r
    start = max(
        [power + 1, *(j for j, _, _ in terms), *((j * top - power * r) // (top - r) for j, r, _ in terms if r < top)]
    )
    values = [c if not j else fmpz(0) for j, _, c in terms]  # c·n^(j)·r^(n−j) at n = 0
    for n in range(MAX_SERIES):
        short(top.bit_length() * n)
        total = sum(values, fmpz(0))
        if total < 0:
            return False
        if n >= start and sum((abs(v) for v in values), fmpz(0)) < 2 * values[main]:
            return True
        values = [
            c * factorial(j) if n + 1 == j else (v * (r * (n + 1)) // (n + 1 - j) if n + 1 > j else fmpz(0))
            for (j, r, c), v in zip(terms, values, strict=True)
        ]
    return False


def _value(poly: ExpPoly, at: Any) -> Any:
    total = arb(0)
    for (j, r), c in poly.terms.items():
        tick()
        total += arb(c) * (at**j if j else 1) * (at * ball(r)).exp()
    return total


def _search(poly: ExpPoly, scaled: ExpPoly) -> Fraction | bool | None:
    end = _tail(scaled)
    if end is None:
        return None
    far, sign = end
    if sign < 0:
        return far if poly.sign_at(far) < 0 else None
    begin = _head(scaled)
    if begin is None:
        return None
    near, sign = begin
    if sign < 0:
        return near if poly.sign_at(near) < 0 else None
    slope, todo, cells = derivative(scaled), [(near, far)], 0
    while todo:
        low, high = todo.pop()
        if low >= high:
            continue
        cells += 1
        tick()
        if cells > MAX_CELLS:
            return None
        middle = (low + high) / 2
        cell, centre = between(low, high), ball(middle)
        value = _value(scaled, centre)
        if value < 0:
            return middle
        if _value(scaled, cell) > 0 or value + _value(slope, cell) * (cell - centre) > 0:
            continue
        todo += [(low, middle), (middle, high)]
    return True


def _tail(poly: ExpPoly) -> tuple[Fraction, int] | None:
    """(L, sign) such that the dominant term decides the sign for every ε ≥ L."""
    top = max(r for _, r in poly.terms)
    power = max(j for j, r in poly.terms if r == top)
    lead = poly.terms[(power, top)]
    limit = Fraction(1)
    while limit <= 2**16:
        rest, falling = arb(0), True
        for (j, r), c in poly.terms.items():
            if (j, r) == (power, top):
                continue
            if r < top and j > power and limit * (top - r) < j - power:
                falling = False  # ε^(j−power) e^((r−top) ε) falls only from (j − power)/(top − r) on
                break
            rest += abs(arb(c)) * ball(limit) ** (j - power) * (ball(limit * (r - top))).exp()
        if falling and rest < abs(arb(lead)):
            return limit, 1 if lead > 0 else -1
        limit *= 2
    return None


def _head(poly: ExpPoly) -> tuple[Fraction, int] | None:
    """(l, sign) such that the value has this sign for 0 < ε ≤ l: by the first derivative that is not zero at 0."""
    order, current = 0, poly
    while True:
        start = sum((c for (j, _), c in current.terms.items() if j == 0), fmpq(0))
        if start:
            break
        current, order = derivative(current), order + 1
        short(order * max(int(r.numerator).bit_length() for _, r in current.terms) if current.terms else 0)
        if not current.terms or order > 400:
            return None
    near = Fraction(1)
    while near > Fraction(1, 2**60):
        value = _value(current, between(Fraction(0), near))
        if (value > 0 and start > 0) or (value < 0 and start < 0):
            return near, 1 if start > 0 else -1  # Taylor: the order-th derivative has this sign on [0, l]
        near /= 2
    return None
