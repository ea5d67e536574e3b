r"""δ(ε) of a composition from its moments: an inversion sum that is exact up to two alias terms and a tail.

With losses Lⱼ independent, L = ΣLⱼ and η = 1 − Π(1 − ηⱼ) the probability that L = ∞, the composition has
:math:`\delta(\varepsilon) = \sup_S P(S) - e^\varepsilon Q(S) = \eta + u(\varepsilon)`,
:math:`u(x) = E[(1 - e^{x-L})_+; L < \infty]`, and :math:`M(s) = \prod M_j(s)^{k_j}`.

**Theorem 1.** Let 0 < c < d, M(d) < ∞, B > 0, τ = 2π/B. Then

.. math:: \frac{\tau}{2\pi}e^{-c\varepsilon}\sum_{j\in\mathbb Z}\frac{M(c+ij\tau)\,e^{-ij\tau\varepsilon}}
          {(c+ij\tau)(c+1+ij\tau)} = \sum_{m\in\mathbb Z} e^{cmB}\,u(\varepsilon+mB).

*Proof.* v(x) = e^{cx}u(x) is continuous and :math:`\int v(x)e^{itx}dx = E\int_{-\infty}^L e^{sx}(1-e^{x-L})dx =
M(s)/(s(s+1))`, s = c + it (Fubini: all is positive at t = 0). v ≤ e^{cx} for x < 0 and, by (A), :math:`v \le K
e^{-(d-c)x}`, so Σ v(x + mB) converges uniformly on bounded sets to a continuous function of period B; its Fourier
coefficients are O(j⁻²), so it equals its series. ∎

The term m = 0 is u(ε) and all others are ≥ 0, so the sum is never below u(ε), whatever c and τ are. The others:

* m < 0: u ≤ 1, together at most :math:`1/(e^{cB}-1)`.
* m > 0: (A) :math:`(1-e^{-y})_+ \le \kappa e^{dy}` with :math:`\kappa = d^d/(1+d)^{1+d}` (the maximum of v^d(1−v) is
  at v = d/(1+d)), so :math:`u(x) \le \kappa M(d)e^{-dx}`, together at most :math:`\kappa
  M(d)e^{-d\varepsilon}r/(1-r)`, :math:`r = e^{-(d-c)B}`.

(A) alone, with one moment and no sum (n = 0), is an upper bound of δ(ε) that is often enough for the order that is not
the worst.

**Theorem 2.** If \|M(c+it)\| ≤ ρM(c) for \|t\| ≥ T = (n−1)τ, the terms \|j\| ≥ n are together at most
:math:`e^{-c\varepsilon}M(c)\rho/(\pi T)`: each is at most :math:`\rho M(c)/(j\tau)^2`, and Σ_{j≥n} j⁻² ≤ 1/(n−1). ρ
is the product of the pairs' own bounds (never more than 1), each to the power of its count.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import acb, acb_mat, arb

from dpwitness.proofs.kernel.accounts.pairs import Hint, Parts, natural
from dpwitness.proofs.kernel.arith import Rejected, ball, number, precision

MAX_TERMS, MAX_SUM_BITS = 200_000, 8_192


class Line:
    """Enclosures of M(c + ijτ) for 0 ≤ j < n with all error terms: good for every ε, best near one."""

    def __init__(self, parts: Parts, hints: Hint) -> None:
        self.bits = natural(hints["bits"], MAX_SUM_BITS, 32)
        self.c, self.d, self.tau = (number(hints[name]) for name in ("c", "d", "tau"))
        self.n = natural(hints["n"], MAX_TERMS, 0)
        if not (0 < self.c < self.d and self.tau > 0) or self.n == 1 or len(hints["pairs"]) != len(parts):
            raise Rejected("hints need 0 < c < d, tau > 0, no or several terms, and an entry for each step")
        with precision(self.bits):
            d, self.above, keep = ball(self.d), arb(1), arb(1)
            for (pair, count), hint in zip(parts, hints["pairs"], strict=True):
                self.above *= pair.moments(self.d, Fraction(0), self.tau, 1, hint)[0].real ** count
                keep *= ball(1 - pair.infinite) ** count
            self.infinite = 1 - keep
            self.above *= (d * d.log() - (d + 1) * (d + 1).log()).exp()
            if self.n:
                self._sum(parts, hints["pairs"])

    def _sum(self, parts: Parts, hints: list[Hint]) -> None:
        c, tau, n, product, rho = self.c, self.tau, self.n, [acb(1)] * self.n, arb(1)
        for (pair, count), hint in zip(parts, hints, strict=True):
            row = pair.moments(c, Fraction(0), tau, n, hint)
            product = [old * new**count for old, new in zip(product, row, strict=True)]
            rho *= pair.decay(c, tau * (n - 1), row[0].real, hint).upper().min(arb(1)) ** count
        nodes = [acb(ball(c), ball(j * tau)) for j in range(n)]
        self.values = acb_mat(1, n, [value / (s * (s + 1)) for value, s in zip(product, nodes, strict=True)])
        self.rest = (product[0].real * rho / (arb.pi() * ball(tau * (n - 1)))).upper()

    def delta(self, eps: Fraction) -> Any:
        """An enclosure of δ(ε)."""
        with precision(self.bits):
            c, e, period = ball(self.c), ball(eps), 2 * arb.pi() / ball(self.tau)
            above = self.above * (-ball(self.d) * e).exp()
            if not self.n:
                return self.infinite + (above / 2).upper() * arb(1, 1)
            turns = [acb(0, -ball(j * self.tau) * e).exp() for j in range(self.n)]
            turns[0] /= 2
            total = (self.values * acb_mat(self.n, 1, turns))[0, 0].real * ball(self.tau) / arb.pi()
            front, gap = (-c * e).exp(), (-(ball(self.d) - c) * period).exp()
            alias = 1 / ((c * period).exp() - 1) + above * gap / (1 - gap)
            if not (alias >= 0 and gap < 1):
                raise Rejected("the alias terms are not enclosed")
            return self.infinite + front * (total + arb(0, 1) * self.rest) - (alias / 2).upper() * arb(1, 1)
