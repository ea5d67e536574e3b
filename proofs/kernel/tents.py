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

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, number, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.expsum import ExpSum
from dpwitness.proofs.kernel.statements import NO_INPUTS, epsilon_delta, subject
from dpwitness.proofs.kernel.theorem import Theorem


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


def check_tent(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "tent", "rate", "support", "centre", "move", "epsilon"}``."""
    rate, support, centre, move, epsilon = fields(
        certificate, "type", "rate", "support", "centre", "move", "epsilon", optional=("about",)
    )[1:]
    tent, w, eps = Tent.read(rate, support), number(move), number(epsilon)
    if not isinstance(centre, list) or len(centre) != 2:
        raise Rejected("a range of centres is [low, high]")
    low, high = (number(end) for end in centre)
    if not tent.bottom <= low <= high <= tent.top or not 0 <= w <= high - low or eps < 0:
        raise Rejected("the centres lie in the support, and the move is not longer than their range")
    if tent.excess(low, low + w, eps) > 0 or tent.excess(high, high - w, eps) > 0:
        raise Rejected(f"the loss exceeds {text(eps)}")
    where = f"[{text(tent.bottom)}, {text(tent.top)}], centres in [{text(low)}, {text(high)}] that move by {text(w)}"
    said = f"noise of rate {text(tent.rate)} kept in {where}: epsilon = {text(eps)}"
    model = subject(certificate, "rate", "support", "centre", "move")
    return Theorem("tent", said, model, False, epsilon_delta(eps), NO_INPUTS, "any")


def check_tent_violation(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "tent-violation", "rate", "support", "left", "right", "epsilon"}``.

    `left` and `right` are centres. Outputs on the far side of `left` are more than e^ε times as likely on the left.
    """
    rate, support, left, right, epsilon = fields(
        certificate, "type", "rate", "support", "left", "right", "epsilon", optional=("about",)
    )[1:]
    tent, c, d, eps = Tent.read(rate, support), number(left), number(right), number(epsilon)
    if not (tent.bottom < c < tent.top and tent.bottom <= d <= tent.top) or c == d or eps < 0:
        raise Rejected("the left centre lies inside the support, the right one in it")
    if tent.excess(c, d, eps) <= 0:
        raise Rejected(f"the loss does not exceed {text(eps)}")
    said = f"outputs {'below' if c < d else 'above'} {text(c)} violate epsilon = {text(eps)}"
    model = subject(certificate, "rate", "support", "left", "right")
    return Theorem("tent-violation", said, model, True, epsilon_delta(eps), NO_INPUTS, "any")


CHECKERS = {"tent": check_tent, "tent-violation": check_tent_violation}
