"""How much of a rounded number is left after all that was added and taken away: what Python's rounding may be of it.

A number has its form, and the sum of the sizes of everything that was ever added up to make it, its *bulk*: the form of
``x + 3 - 3`` is x, and its bulk x + 6. Rounding leaves a share of the bulk. Where the bounds of a number are a far
smaller share of its bulk at these bounds, as of ``10**16 * (m / 49 * 49 - 1)`` where m is known to be 1, they say
nothing of the number that Python computes.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.laurent import UNIT, Poly
from dpwitness.proofs.kernel.composition.knowledge import INF, Knowledge, power_range, times_range

NEARLY = Fraction(1, 10**6)  # numbers that differ by this share of their size have an order that no rounding changes


def absolute(form: Poly) -> Poly:
    """The same terms, added up."""
    return Poly({mono: abs(c) for mono, c in form.terms.items()})


def bulk_of(form: Poly, bulk: Poly | None) -> Poly:
    """The bulk of a number, at least what its form shows."""
    if bulk is None:
        return absolute(form)
    terms = dict(bulk.terms)
    for mono, c in form.terms.items():
        terms[mono] = max(abs(c), terms.get(mono, Fraction(0)))
    return Poly(terms)


def vanishing(form: Poly, bulk: Poly) -> list[Poly]:
    """The unknowns of which hardly anything is left."""
    left = form.terms
    return [Poly.term(m) for m, c in bulk.terms.items() if m != UNIT and abs(left.get(m, Fraction(0))) < NEARLY * c]


def constants_vanish(form: Poly, bulk: Poly) -> bool:
    """Whether plain numbers were added and taken away again."""
    return abs(form.terms.get(UNIT, Fraction(0))) < NEARLY * bulk.terms.get(UNIT, Fraction(0))


def slack(form: Poly, bulk: Poly, known: Knowledge) -> tuple[Any, Any, Any, Any]:
    """The bounds of a public form, and the bulk at each of them."""
    low = high = Fraction(0)
    below = above = Fraction(0)
    for mono in {**form.terms, **bulk.terms}:
        c, most = form.terms.get(mono, Fraction(0)), bulk.terms.get(mono, Fraction(0))
        part = (Fraction(1), Fraction(1))
        for symbol, power in mono:
            part = times_range(part, power_range(known.of(symbol), power))
        ends = times_range(part, (c, c))
        low, high = low + ends[0], high + ends[1]
        at = part if c >= 0 else (part[1], part[0])
        below, above = below + (most * abs(at[0]) if at[0] else 0), above + (most * abs(at[1]) if at[1] else 0)
    return low, high, below, above


def is_frail(form: Poly, bulk: Poly, known: Knowledge, *, weight: bool) -> bool:
    """Whether the bounds of a public form say nothing of the number that Python computes.

    `weight`: what the number is a multiple of counts as well, however large it may be.
    """
    if len(form.terms) < 2 and len(bulk.terms) < 2 and not vanishing(form, bulk):
        return False
    if all(known.is_closed(s) for s in form.symbols() | bulk.symbols()):
        return weight and bool(vanishing(form, bulk))
    shares = [*_by_known_factor(form, bulk, known), (form, bulk)]
    return any(_is_frail(*share, known, weight=weight) for share in shares)


def _by_known_factor(form: Poly, bulk: Poly, known: Knowledge) -> list[tuple[Poly, Poly]]:
    """The form taken apart by its factors that are no released numbers, such as powers of ε."""
    found: dict[Any, tuple[dict[Any, Fraction], dict[Any, Fraction]]] = {}
    for mono, most in bulk.terms.items():
        rest = tuple(part for part in mono if not known.is_closed(part[0]))
        of, sizes = found.setdefault(tuple(part for part in mono if known.is_closed(part[0])), ({}, {}))
        of[rest], sizes[rest] = form.terms.get(mono, Fraction(0)), most
    return [(Poly(of), Poly(sizes)) for of, sizes in found.values()]


def _is_frail(form: Poly, bulk: Poly, known: Knowledge, *, weight: bool) -> bool:
    if len(bulk.terms) < 2:
        return weight and bool(vanishing(form, bulk))
    low, high, below, above = slack(form, bulk, known)
    if low != -INF and high != INF:
        near = max(abs(low), abs(high)) < NEARLY * max(below, above)
        return bool(near or 0 < low < NEARLY * below or 0 < -high < NEARLY * above)
    if weight and constants_vanish(form, bulk):
        return True
    few = low not in (-INF, 0) and abs(low) < NEARLY * below
    return bool(few or (high not in (INF, 0) and abs(high) < NEARLY * above))


__all__ = ["NEARLY", "absolute", "bulk_of", "constants_vanish", "is_frail", "slack", "vanishing"]
