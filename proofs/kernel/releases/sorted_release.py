r"""Releases of sorted real records with a scale that is smooth over neighbours: a proof for all datasets at once.

The n records lie in an interval [low, high]. In sorted order they leave n + 1 *gaps* g₀, …, gₙ ≥ 0 (g₀ below the
smallest, gₙ above the largest record). The location is :math:`\ell = \sum_j c_j g_j` (the gaps sum to high − low, so a
constant is one of these sums), the scale :math:`s = u \max_f t^{k_f} \sum_j c_{f,j} g_j` with :math:`t = e^{-\beta}`,
where u > 0 and β ≥ 0 are given by formulas.

Neighbours x, y differ in one record. Put the n + 1 values of both together in sorted order: x misses the p-th, y the
q-th. All gaps of x and of y are sums of the n + 2 gaps h of the joint order, so an inequality that is linear in the
gaps holds for all datasets where it holds coefficient by coefficient; and :math:`a t^i \ge b t^j` for every t in (0, 1]
where b = 0 or (a ≥ b and i ≤ j). In this way two things are verified for every p ≠ q:

* step: \|ℓ(x) − ℓ(y)\| ≤ `step`·s(x)/u, by one of the forms f;
* growth: s(x) ≤ t^{−growth} s(y): each form of x is below t^{−growth} times some form of y.

So the slide is at most step/u scales and the dilation at most e^{growth·β}; the noise does the rest (see `scales`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.arith import Rejected, ball, enclose, number, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.claims import claim_from_json, words
from dpwitness.proofs.kernel.limits import tick
from dpwitness.proofs.kernel.releases.scales import close, read_noise, value
from dpwitness.proofs.kernel.spaces import read_ends
from dpwitness.proofs.kernel.statements import guarantee as stated
from dpwitness.proofs.kernel.statements import subject
from dpwitness.proofs.kernel.theorem import Theorem

Gaps = Sequence[Fraction]
Form = tuple[int, tuple[Fraction, ...]]  # the power of t, and the coefficients of the gaps
MAX_RECORDS, MAX_FORMS, MAX_WORK = 40, 2_000, 20_000_000


def joint(coefficients: Gaps, missing: int) -> list[Fraction]:
    """The coefficients of the joint gaps, for the dataset that misses one of the joint values.

    >>> joint([1, 2, 3], 1)    # two records: the gaps on both sides of the missing value are one gap
    [1, 2, 2, 3]
    """
    return [coefficients[i if i <= missing else i - 1] for i in range(len(coefficients) + 1)]


def pays(form: Form, missing: int, target: Gaps, step: Fraction) -> bool:
    """Whether step·t^k·form(x) is at least the target, coefficient by coefficient, for every t in (0, 1]."""
    power, coefficients = form
    return all(
        b <= 0 or (power <= 0 and step * a >= b) for a, b in zip(joint(coefficients, missing), target, strict=True)
    )


def covers(small: Form, p: int, large: Form, q: int, growth: int) -> bool:
    """Whether small(x) ≤ t^(−growth)·large(y) for every t in (0, 1], coefficient by coefficient."""
    if small[0] < large[0] - growth:
        return not any(small[1])
    return all(a <= b for a, b in zip(joint(small[1], p), joint(large[1], q), strict=True))


def check_sorted(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "sorted-release", "records", "location", "scales", "unit", "beta", "noise", …}``.

    ``records`` is the interval [low, high]; ``step`` and ``growth`` belong to the proof.
    """
    ends, location_json, scales, unit_json, beta_json, step_json, growth, noise, guarantee = fields(
        certificate, "type", "records", "location", "scales", "unit", "beta", "step", "growth", "noise", "guarantee",
        optional=("about",),
    )[1:]  # fmt: skip
    bottom, top = read_ends(ends)
    location = tuple(number(c) for c in location_json)
    if not 2 <= len(location) <= MAX_RECORDS + 1 or not isinstance(scales, list) or not 1 <= len(scales) <= MAX_FORMS:
        raise Rejected(f"1 to {MAX_RECORDS} records and 1 to {MAX_FORMS} forms")
    if len(location) ** 2 * len(scales) ** 2 > MAX_WORK:
        raise Rejected("too many forms for so many records")
    forms = [_form(item, len(location)) for item in scales]
    unit, beta, step = bounds(unit_json)[0], bounds(beta_json), number(step_json)
    if type(growth) is not int or not 0 <= growth <= 1000 or unit <= 0 or beta[0] < 0 or step < 0:
        raise Rejected("unit must be positive, beta, step and growth not negative")
    values = len(location)
    for p in range(values):
        for q in range(values):
            if p != q:
                _neighbours(location, forms, p, q, step, growth)
    claim = claim_from_json(guarantee)
    b = growth * beta[1]
    if not close(read_noise(noise), step / unit, (lambda: ball(b)) if b else None, claim):
        raise Rejected(f"slides by {text(step / unit)[:60]} scales and these dilations do not give {words(claim)}")
    moves = f"slides by {float(step / unit):.6g} scales, dilations by e^{float(b):.6g}"
    said = (
        f"{values - 1} records in [{text(bottom)}, {text(top)}], one of them replaced: sorted, {moves}: {words(claim)}"
    )
    model = subject(certificate, "records", "location", "scales", "unit", "beta", "noise")
    inside = {"inputs": "records", "relation": "substitute", "low": text(bottom), "high": text(top)}
    return Theorem("sorted-release", said, model, False, stated(claim), inside, (values - 1,))


def bounds(source: object) -> tuple[Fraction, Fraction]:
    """Rationals below and above a number that is given as a formula; equal where it is rational."""
    if isinstance(source, str) and not any(c.isalpha() for c in source):
        return (number(source),) * 2
    expr = parse(source, frozenset())
    return (expr.value,) * 2 if expr.op == "num" else enclose(lambda: value(expr), Fraction(1, 10**20))


def _neighbours(location: Gaps, forms: Sequence[Form], p: int, q: int, step: Fraction, growth: int) -> None:
    move = [a - b for a, b in zip(joint(location, p), joint(location, q), strict=True)]
    for target in (move, [-m for m in move]):
        if not any(pays(form, p, target, step) for form in forms):
            raise Rejected(f"the location moves by more than {step} times the scale where value {p} replaces {q}")
    for small in forms:
        tick()
        if not any(covers(small, p, large, q, growth) for large in forms):
            raise Rejected(f"the scale grows too fast where value {q} replaces {p}")


def _form(value: object, gaps: int) -> Form:
    power, coefficients = fields(value, "power", "gaps")
    if type(power) is not int or not isinstance(coefficients, list) or len(coefficients) != gaps:
        raise Rejected(f"a form has a whole power and {gaps} coefficients")
    numbers = tuple(number(c) for c in coefficients)
    if min(numbers) < 0:
        raise Rejected("a coefficient of the scale is negative")
    return power, numbers


CHECKERS = {"sorted-release": check_sorted}
