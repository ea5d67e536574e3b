r"""Noise kept inside an interval: density :math:`e^{-r|y-c|}/Z(c)` for y in [Y₀, Y₁], with a centre c inside.

With :math:`rZ(c) = 2 - e^{-r(c-Y_0)} - e^{-r(Y_1-c)}` and two centres c < c' that differ by at most w:

* For y ≤ c the log-ratio of c to c' is :math:`f_1 = r(c'-c) + \ln Z(c') - \ln Z(c)`, for y ≥ c' that of c' to c is
  :math:`f_2 = r(c'-c) + \ln Z(c) - \ln Z(c')`. Both are ≥ 0 and grow with c', as :math:`|Z'| \le rZ`: indeed
  :math:`rZ \pm Z' = 2 - 2e^{-r(\cdot)} \ge 0`. For y between c and c' the log-ratio of c to c' is a fall by the f₂ of
  (c, y) plus a rise by the f₁ of (y, c'), so its size is at most the larger of those two.
* Z is concave, so ln Z is, and f₁ for c' = c + w falls as c grows while f₂ grows. The worst centres are at the ends.

So over all centres in [low, high] the pure loss is exactly (as a supremum)

.. math:: rw + \max\bigl(\ln\tfrac{Z(low+w)}{Z(low)},\; \ln\tfrac{Z(high-w)}{Z(high)}\bigr).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import Rejected, number, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.spaces import read_ends, read_inputs, show_inputs
from dpwitness.proofs.kernel.statements import epsilon_delta, subject, two_inputs
from dpwitness.proofs.kernel.theorem import Theorem

MAX_RECORDS = 2_000


@dataclass(frozen=True)
class Tent:
    """The rate r and the interval of the outputs."""

    rate: Fraction
    bottom: Fraction
    top: Fraction

    def weight(self, centre: Fraction) -> ExpSum:
        """r·Z at a centre, exactly."""
        left, right = self.rate * (centre - self.bottom), self.rate * (self.top - centre)
        return 2 - ExpSum.exp(-left) - ExpSum.exp(-right)

    def excess(self, centre: Fraction, other: Fraction, eps: Fraction) -> int:
        """The sign of the log-ratio of `centre` to `other`, beyond `centre` as seen from `other`, minus ε.

        >>> Tent(Fraction(1), Fraction(0), Fraction(1)).excess(Fraction(0), Fraction(1), Fraction(1))
        0
        """
        move = abs(other - centre)
        return (self.weight(other) - ExpSum.exp(eps - self.rate * move) * self.weight(centre)).sign()

    @staticmethod
    def read(rate: object, support: object) -> Tent:
        """From certificate text."""
        if not isinstance(support, list) or len(support) != 2:
            raise Rejected("a support is [low, high]")
        r, (bottom, top) = number(rate), (number(end) for end in support)
        if r <= 0 or bottom >= top:
            raise Rejected("the rate must be positive and the support an interval")
        return Tent(r, bottom, top)


@dataclass(frozen=True)
class Centre:
    """A centre that is linear in records: offset + Σ cᵢxᵢ."""

    coefficients: tuple[Fraction, ...]
    offset: Fraction

    def at(self, records: Sequence[Fraction]) -> Fraction:
        """The centre on a dataset."""
        return self.offset + sum((c * x for c, x in zip(self.coefficients, records, strict=True)), Fraction(0))

    def range(self, low: Fraction, high: Fraction) -> tuple[Fraction, Fraction]:
        """The least and the largest centre over all records in [low, high]."""
        least = self.at([low if c > 0 else high for c in self.coefficients])
        return least, self.at([high if c > 0 else low for c in self.coefficients])

    @staticmethod
    def read(coefficients: object, offset: object) -> Centre:
        """From certificate text."""
        if not isinstance(coefficients, list) or not 1 <= len(coefficients) <= MAX_RECORDS:
            raise Rejected(f"coefficients of 1 to {MAX_RECORDS} records")
        return Centre(tuple(number(c) for c in coefficients), number(offset))


def check_tent(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "tent", "rate", "support", "coefficients", "offset", "records", "epsilon"}``.

    ``records`` is the interval [low, high] in which they lie; one of them is replaced.
    """
    rate, support, coefficients, offset, ends, epsilon = fields(
        certificate, "type", "rate", "support", "coefficients", "offset", "records", "epsilon", optional=("about",)
    )[1:]
    tent, centre, eps = Tent.read(rate, support), Centre.read(coefficients, offset), number(epsilon)
    bottom, top = read_ends(ends)
    low, high = centre.range(bottom, top)
    w = max(abs(c) for c in centre.coefficients) * (top - bottom)
    if not tent.bottom <= low <= high <= tent.top or eps < 0:
        raise Rejected("a centre lies outside the support, or epsilon is negative")
    if tent.excess(low, low + w, eps) > 0 or tent.excess(high, high - w, eps) > 0:
        raise Rejected(f"the loss exceeds {text(eps)}")
    size = len(centre.coefficients)
    said = (
        f"{size} records in [{text(bottom)}, {text(top)}], one of them replaced: noise of rate {text(tent.rate)} kept "
    )
    said += (
        f"in [{text(tent.bottom)}, {text(tent.top)}], centres in [{text(low)}, {text(high)}] that move by {text(w)}: "
    )
    model = subject(certificate, "rate", "support", "coefficients", "offset")
    inside = {"inputs": "records", "relation": "substitute", "low": text(bottom), "high": text(top)}
    return Theorem("tent", f"{said}epsilon = {text(eps)}", model, False, epsilon_delta(eps), inside, (size,))


def check_tent_violation(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "tent-violation", "rate", "support", "coefficients", "offset", "inputs", "epsilon"}``.

    Outputs beyond the left centre, seen from the right one, are more than e^ε times as likely on the left input.
    """
    rate, support, coefficients, offset, inputs, epsilon = fields(
        certificate, "type", "rate", "support", "coefficients", "offset", "inputs", "epsilon", optional=("about",)
    )[1:]
    tent, centre, eps = Tent.read(rate, support), Centre.read(coefficients, offset), number(epsilon)
    sides = [[number(x) for x in side] for side in read_inputs(inputs)]
    if any(len(side) != len(centre.coefficients) for side in sides):
        raise Rejected("an input does not have the right length")
    c, d = (centre.at(side) for side in sides)
    if not (tent.bottom < c < tent.top and tent.bottom <= d <= tent.top) or c == d or eps < 0:
        raise Rejected("the left centre lies inside the support, the right one in it")
    if tent.excess(c, d, eps) <= 0:
        raise Rejected(f"the loss does not exceed {text(eps)}")
    names = [[text(x) for x in side] for side in sides]
    said = f"{show_inputs(names)}: outputs {'below' if c < d else 'above'} {text(c)} violate epsilon = {text(eps)}"
    model = subject(certificate, "rate", "support", "coefficients", "offset")
    return Theorem("tent-violation", said, model, True, epsilon_delta(eps), *two_inputs(*names))


CHECKERS = {"tent": check_tent, "tent-violation": check_tent_violation}
