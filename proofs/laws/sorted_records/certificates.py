"""The certificate of a release of sorted real records: one unit, one exponential, rational combinations of gaps."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dpwitness.core.errors import OutsideFragment
from dpwitness.core.forms import Form
from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import precision, text
from dpwitness.proofs.kernel.releases.sorted_release import bounds, joint
from dpwitness.proofs.laws.formulas import Exps, formula, public_sign
from dpwitness.proofs.laws.sorted_records.releases import SortedRelease


def sorted_certificate(
    release: SortedRelease,
    noise: dict[str, str],
    factor: Form,
    guarantee: Any,
    ends: tuple[Fraction, Fraction],
) -> dict[str, Any]:
    """The certificate of a release of records between two `ends` whose draw is `factor` times standard noise."""
    unit, scales, exponent = _normal_form(release, factor)
    step = _least_step(release.location, scales)
    if step is None:
        raise OutsideFragment("the location moves where the scale is 0")
    return {
        "type": "sorted-release",
        "records": [text(end) for end in ends],
        "location": [text(c) for c in release.location],
        "scales": [{"power": power, "gaps": [text(c) for c in row]} for power, row in scales],
        "unit": formula(unit),
        "beta": formula(exponent),
        "step": text(step),
        "growth": 1 if exponent.terms else 0,
        "noise": noise,
        "guarantee": guarantee,
    }


def agrees(
    certificate: Mapping[str, Any], data: Sequence[Fraction], ends: tuple[Fraction, Fraction], law: Sequence[str]
) -> bool:
    """Whether the certificate's location and scale are those of the program's own run on one dataset.

    Not part of the proof: a replay in floating point that would show a program which treats unknown records otherwise.
    """
    low, high = ends
    points = [low, *sorted(data), high]
    gaps = [float(b - a) for a, b in pairwise(points)]
    unit, beta = (float(bounds(certificate[name])[0]) for name in ("unit", "beta"))
    shrink = math.exp(-beta)
    sizes = [shrink ** form["power"] * _dot(form["gaps"], gaps) for form in certificate["scales"]]
    found = _dot(certificate["location"], gaps), unit * max(sizes)
    with precision(64):
        wanted = [float(over(parse(part, frozenset()), {}).lo) for part in law]
    return all(abs(a - b) <= 1e-9 * (1 + abs(b)) for a, b in zip(found, wanted, strict=True))


def _dot(coefficients: Sequence[str], gaps: Sequence[float]) -> float:
    return sum(float(Fraction(c)) * g for c, g in zip(coefficients, gaps, strict=True))


Scaled = tuple[int, tuple[Fraction, ...]]


def _normal_form(release: SortedRelease, factor: Form) -> tuple[Form, list[Scaled], Form]:
    """(u, forms, β): the scale is u times the largest of t^k·(rational combination of gaps), t = e^(−β)."""
    exponents = {a for row in release.scales for c in row.values() for a, _ in c.terms if a.terms}
    base = _common(exponents)
    times = Exps.of(factor)
    unit: Exps | None = None
    found: list[Scaled] = []
    for row in release.scales:
        powers, numbers = set(), [Fraction(0)] * release.gaps
        for j, c in row.items():
            scaled = c * times
            if len(scaled.terms) != 1:
                raise OutsideFragment("a coefficient of the scale is a sum of exponentials")
            (((a, m), number),) = scaled.terms.items()
            powers.add(_whole(a, base))
            unit = unit or Exps({(Form(), m): Fraction(1)})
            if unit.terms.keys() != {(Form(), m)}:
                raise OutsideFragment("the coefficients of the scale differ by more than exponentials")
            numbers[j] = number
        if len(powers) > 1 or min(numbers) < 0:
            raise OutsideFragment("a form of the scale mixes exponentials, or is negative")
        found.append((powers.pop() if powers else 0, tuple(numbers)))
    whole = max((n for _, row in found for n in row), default=Fraction(0))
    if unit is None or not whole:
        raise OutsideFragment("there is no noise")
    normal = [(power, tuple(n / whole for n in row)) for power, row in found]
    return (unit.form() * whole), normal, -base if base.terms else base


def _common(exponents: set[Form]) -> Form:
    """A negative form of which all exponents are whole multiples."""
    if not exponents:
        return Form()
    first = next(iter(exponents))
    ratios = [_ratio(a, first) for a in exponents]
    bottom = 1
    for r in ratios:
        bottom = bottom * r.denominator // _gcd(bottom, r.denominator)
    top = 0
    for r in ratios:
        top = _gcd(top, abs(int(r * bottom)))
    unit = first * Fraction(top, bottom)
    return unit if public_sign(unit) < 0 else -unit


def _gcd(a: int, b: int) -> int:
    return a if b == 0 else _gcd(b, a % b)


def _whole(a: Form, base: Form) -> int:
    """The k with a = k·base; the factor of the noise may bring an exponential that is no such multiple."""
    ratio = Fraction(0) if not a.terms else _ratio(a, base) if base.terms else None
    if ratio is None or ratio.denominator != 1:
        raise OutsideFragment("the exponents in the scale are not multiples of one number")
    return int(ratio)


def _ratio(a: Form, b: Form) -> Fraction:
    mono = next(iter(b.terms))
    ratio = a.terms.get(mono, Fraction(0)) / b.terms[mono]
    if (a - b * ratio).terms:
        raise OutsideFragment("the exponents in the scale are not multiples of one number")
    return ratio


def _least_step(location: Sequence[Fraction], scales: Sequence[Scaled]) -> Fraction | None:
    """The smallest step for which every move of the location is paid by one form."""
    worst = Fraction(0)
    n = len(location)
    for p in range(n):
        for q in range(n):
            if p == q:
                continue
            move = [a - b for a, b in zip(joint(location, p), joint(location, q), strict=True)]
            for target in (move, [-m for m in move]):
                prices = [_price(row, p, target) for power, row in scales if power <= 0]
                known = [price for price in prices if price is not None]
                if not known:
                    return None
                worst = max(worst, min(known))
    return worst


def _price(row: Sequence[Fraction], missing: int, target: Sequence[Fraction]) -> Fraction | None:
    price = Fraction(0)
    for a, b in zip(joint(row, missing), target, strict=True):
        if b > 0 and a == 0:
            return None
        price = max(price, b / a) if b > 0 else price
    return price
