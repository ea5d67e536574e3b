"""Two records that a report tells apart by more than is claimed, and an interval of outputs that shows it."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.evidence import Event
from dpwitness.core.numbers import Exact
from dpwitness.core.readers.outputs import put_together
from dpwitness.proofs.kernel.algebra.field import Number
from dpwitness.proofs.kernel.arith import Rejected, Undecided, enclose, precision, text
from dpwitness.proofs.kernel.check import examine
from dpwitness.proofs.kernel.local.reports import event_mass
from dpwitness.proofs.kernel.local.trees import Law, Place, law_at
from dpwitness.proofs.laws.stamps import about

SHARES = tuple(Fraction(k, 12) for k in (0, 12, 6, 1, 11, 3, 9))  # of the interval: the records that are tried
MOST_TRIES = 24
DIGITS = 10  # of the ends of an event, at most
Steps = list[tuple[float, float, float]]  # low, high, density
Ends = tuple[Fraction, Fraction] | None  # of an interval of outputs; None: a single output


@dataclass(frozen=True)
class Side:
    """A record with the law of its report: exactly, and its densities by label as numbers for choosing."""

    record: Fraction
    law: Law
    steps: dict[str, Steps]


def refute(claim: Claim, tree: dict[str, Any], low: Fraction, high: Fraction, eps: Fraction) -> dict[str, Any] | None:
    """The fields of a counterexample whose certificate the kernel accepts; None where none was found."""
    sides = []
    for share in SHARES:
        record = low + (high - low) * share
        here = Number.of(record, False)
        try:
            law = law_at(tree, Place(here, here), False)
        except (Rejected, Undecided):
            continue
        sides.append(Side(record, law, _steps(law, here)))
    for label, left, right, ends in itertools.islice(_candidates(sides, float(eps)), MOST_TRIES):
        certificate: dict[str, Any] = {
            "type": "local-report-violation",
            "inputs": [[text(left.record)], [text(right.record)]],
            "tree": tree,
            "label": label,
            "between": None if ends is None else [text(end) for end in ends],
            "epsilon": text(eps),
        }
        if examine(certificate):
            return _found(left, right, label, ends, {**certificate, "about": about(claim)})
    return None


def _steps(law: Law, here: Number) -> dict[str, Steps]:
    """Densities by label, as doubles."""
    return {
        label: [(_float(p.low.at(here)), _float(p.high.at(here)), _float(p.density.at(here))) for p in pieces]
        for label, pieces in law.pieces.items()
    }


def _float(value: Number) -> float:
    with precision(128):
        top, bottom = (poly.at(Fraction(1)).ball() for poly in (value.top, value.bottom))
        return float(top / bottom)


def _candidates(sides: list[Side], eps: float) -> Iterator[tuple[str, Side, Side, Ends]]:
    """Where two records differ by more than the claim says: the likeliest events first."""
    found: list[tuple[float, str, Side, Side, Ends]] = []
    for left, right in itertools.permutations(sides, 2):
        for label in {name for name, value, _ in left.law.atoms if value is None}:
            p, q = (_float(_mass(side, label, None, most=False)) for side in (left, right))
            if p > math.exp(eps) * q:
                found.append((p, label, left, right, None))
        for label, steps in left.steps.items():
            others = right.steps.get(label, [])
            points = sorted({end for low, high, _ in (*steps, *others) for end in (low, high)})
            for a, b in itertools.pairwise(points):
                p, q = (sum(d for low, high, d in each if low <= a and b <= high) for each in (steps, others))
                ends = _inside(a, b)
                if ends is not None and p > math.exp(eps) * q * (1 + 1e-12):
                    found.append((p * (b - a), label, left, right, ends))
    for _, label, left, right, ends in sorted(found, key=lambda item: -item[0]):
        yield label, left, right, ends


def _inside(low: float, high: float) -> Ends:
    """Two short numbers near the ends of an interval, and inside of it."""
    for digits in range(1, DIGITS):
        ends = [Fraction(str(round(low + (high - low) * share, digits))) for share in (1 / 32, 31 / 32)]
        if low < ends[0] < ends[1] < high:
            return ends[0], ends[1]
    return None


def _mass(side: Side, label: str, ends: Ends, *, most: bool) -> Number:
    return event_mass(side.law, Number.of(side.record, False), label, ends, most=most)


def _found(left: Side, right: Side, label: str, ends: Ends, certificate: dict[str, Any]) -> dict[str, Any]:
    masses = _mass(left, label, ends, most=False), _mass(right, label, ends, most=True)
    shape = json.loads(label)[0]
    words = f"the output is {put_together(shape, iter(()))!r}" if ends is None else ""
    if ends is not None:
        inside = "" if shape == ["slot"] else f", and the rest of it is {shape}"
        words = f"the number of the output lies between {ends[0]} and {ends[1]}{inside}"
    reached = None
    if not masses[1].zero:
        ratio = masses[0] / masses[1]
        bound = enclose(lambda: (ratio.top.at(Fraction(1)).ball() / ratio.bottom.at(Fraction(1)).ball()).log())[0]
        reached = bound.limit_denominator(10**12) - Fraction(1, 10**11)
    return {
        "left": (Exact(left.record),),
        "right": (Exact(right.record),),
        "event": Event(words),
        "p_left": masses[0].text(),
        "p_right": masses[1].text(),
        "p_left_decimal": _float(masses[0]),
        "p_right_decimal": _float(masses[1]),
        "epsilon_lower": reached,
        "certificate": certificate,
    }


__all__ = ["refute"]
