r"""Pairs of laws (P, Q) of one step of a composition: their moments, and how fast these fall.

Let L = ln dP/dQ under P be the loss of a pair and :math:`M(s) = E_P[e^{sL}; L < \infty]`. Every pair gives M(s) for
Re s > 0 and, for the tail of an inversion sum, a number ρ with :math:`|M(c+it)| \le \rho M(c)` for all \|t\| ≥ T.

A pair stands for a step if for the two neighbours there is a Markov kernel that maps P to the law of the step on one
and Q to its law on the other. **Simulation lemma.** If this holds for each step and each history of outputs, the law
of all outputs is the image of the product of the pairs under one kernel (draw the next coordinate, apply the kernel
of the history so far, append), so no event separates the outputs better than the products. The pairs and their
kernels:

* `Gaussian`: N(m, 1) and N(0, 1), given m². For a query with ‖f(D) − f(D')‖ ≤ Δ and noise σ, m = Δ/σ: with
  v = (f(D) − f(D'))/Δ map x to f(D') + σxv plus independent noise of covariance σ²(I − vvᵀ).
* `Laplace`: noise of scale b and a shift Δ, a = Δ/b: atoms 1/2 at a and :math:`e^{-a}/2` at −a, density
  :math:`e^{(l-a)/2}/4` between. A smaller shift is the image of a larger one (`products`: H grows with a).
* `Response`: losses a, −a and 0 with probabilities p, :math:`pe^{-a}` and the rest, p = 1/(1 + (k−1)e^{−a}) for
  randomized response among k answers; with δ₀ > 0 both laws keep the share 1 − δ₀ and the rest has loss ∞. Every pair
  of laws that are (a, δ₀)-close in both orders is the image of k = 2 (Kairouz, Oh and Viswanath 2015). Staircase noise
  (density falling by :math:`e^{-a}` at (j+γ)Δ from 0) and a shift d ≤ Δ has such losses too; d = Δ is the worst, as
  P(L > 0)(1 − e^{−a}) is the probability of [−d/2, d/2].
* `Sampled`: each record is taken with probability q, then a sum moved by at most Δ by one record gets noise; σ² is
  the variance of the noise over Δ². One record removed: :math:`P = (1-q)N(0,\sigma^2) + qN(1,\sigma^2)`,
  :math:`Q = N(0,\sigma^2)`; added: the other order. Kernel: draw which *other* records are taken, then as for
  `Gaussian` with that sum as f(D').

The order of the neighbours is the same in all steps, so it is the whole composition that is looked at in both orders.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from typing import Any

from flint import acb, acb_mat, arb

from dpwitness.proofs.kernel.arith import Rejected, Undecided, ball, number
from dpwitness.proofs.kernel.limits import tick

STRIP = Fraction(13, 5)  # θ of `Sampled.moments`: any number below π
MAX_NODES, MAX_WORK, CHUNK = 500_000, 100_000_000, 2_048
Hint = Mapping[str, Any]


def tail(x: Any) -> Any:
    """P[N(0,1) > x]."""
    return (x / arb(2).sqrt()).erfc() / 2


def natural(value: object, most: int, least: int = 1) -> int:
    """A whole number of a certificate."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise Rejected(f"{str(value)[:40]} is not a whole number from {least} to {most}")
    return value


def listed(masses: Iterable[tuple[Any, Any]], alpha: Any) -> tuple[Any, Any]:
    """Σ(p − αq)₊ and its slope in α, over outcomes with the masses (p, q); an undecided sign gives both slopes."""
    value = slope = arb(0)
    for p, q in masses:
        tick()
        part = p - alpha * q
        value += part.max(arb(0))
        slope -= q if part > 0 else arb(0) if part < 0 else q / 2 + q / 2 * arb(0, 1)
    return value, slope


class Pair:
    """One step in one order of the neighbours. Without more it is the same in both orders and M is a formula."""

    infinite = Fraction(0)  # P[L = ∞]

    def flip(self) -> Pair:
        return self

    def attained(self) -> Pair:
        """The pair that some step of the kind has, for lower bounds."""
        return self

    def moment(self, s: Any) -> Any:
        raise Rejected("this pair has no moments here: the grid decides")

    def moments(self, c: Fraction, first: Fraction, tau: Fraction, n: int, hint: Hint) -> list[Any]:
        """Enclosures of M(c + it) at t = first + jτ, j < n."""
        tick(n)
        return [self.moment(acb(ball(c), ball(first + j * tau))) for j in range(n)]

    def decay(self, c: Fraction, reach: Fraction, size: Any, hint: Hint) -> Any:
        """ρ from T = reach on; `size` encloses M(c)."""
        return arb(1)

    def curve(self, alpha: Any) -> tuple[Any, Any]:
        """δ at ε = ln α and its slope in α, for a ball α > 0: P(L > ε) − αQ(L > ε) and −Q(L > ε)."""
        raise NotImplementedError


@dataclass(frozen=True)
class Gaussian(Pair):
    """N(m, 1) against N(0, 1), given m²: L is N(m²/2, m²) under P."""

    squared: Fraction

    def moment(self, s: Any) -> Any:
        return (ball(self.squared / 2) * s * (s + 1)).exp()

    def decay(self, c: Fraction, reach: Fraction, size: Any, hint: Hint) -> Any:
        r""":math:`|M(c+it)| = M(c)e^{-m^2t^2/2}`."""
        return (-ball(self.squared * reach * reach / 2)).exp()

    def curve(self, alpha: Any) -> tuple[Any, Any]:
        m, e = ball(self.squared).sqrt(), alpha.log()
        q = tail(e / m + m / 2)
        return tail(e / m - m / 2) - alpha * q, -q


@dataclass(frozen=True)
class Laplace(Pair):
    r""":math:`M(s) = [(s+1)e^{sa} + s\,e^{-(s+1)a}]/(2s+1)`: two atoms and a density."""

    loss: Fraction

    def moment(self, s: Any) -> Any:
        a = ball(self.loss)
        return ((s + 1) * (s * a).exp() + s * (-(s + 1) * a).exp()) / (2 * s + 1)

    def decay(self, c: Fraction, reach: Fraction, size: Any, hint: Hint) -> Any:
        r"""The atoms keep their size; the density gives :math:`(e^{sa} - e^{-(s+1)a})/(4s+2)`, and \|4s+2\| ≥ 4T."""
        atoms = ball(c * self.loss).exp() + (-ball((c + 1) * self.loss)).exp()
        return atoms * (arb(1) / 2 + 1 / ball(4 * reach)) / size

    def curve(self, alpha: Any) -> tuple[Any, Any]:
        lean = ((alpha.log() - ball(self.loss)) / 2).exp()  # above 1 right of the losses, above α left of them
        inside = lean < 1 and lean < alpha
        slope = -lean / alpha / 2 if inside else -arb(int(lean > alpha)) if lean > 1 or lean > alpha else -arb(0.5, 0.5)
        return (1 - lean).max(1 - alpha).max(arb(0)), slope


@dataclass(frozen=True)
class Response(Pair):
    r"""Losses a, −a and 0: :math:`M(s) = (1-\delta_0)[p e^{sa} + p e^{-(s+1)a} + 1 - p - p e^{-a}]`, so no decay.

    :math:`p = (t_0 + t_1e^{-a})/(b_0 + b_1e^{-a})`.
    """

    loss: Fraction
    infinite: Fraction = Fraction(0)
    top: tuple[Fraction, Fraction] = (Fraction(1), Fraction(0))
    bottom: tuple[Fraction, Fraction] = (Fraction(1), Fraction(1))

    def masses(self) -> tuple[Any, Any, Any]:
        b = (-ball(self.loss)).exp()
        above, below = (ball(x) + ball(y) * b for x, y in (self.top, self.bottom))
        p = ball(1 - self.infinite) * above / below
        return p, p * b, ball(1 - self.infinite) - p - p * b

    def moment(self, s: Any) -> Any:
        (p, low, rest), a = self.masses(), ball(self.loss)
        return p * (s * a).exp() + low * (-s * a).exp() + rest

    def curve(self, alpha: Any) -> tuple[Any, Any]:
        p, low, rest = self.masses()
        value, slope = listed([(p, low), (low, p), (rest, rest)], alpha)
        return ball(self.infinite) + value, slope


def responses(loss: Fraction, answers: Fraction) -> Response:
    """Randomized response among so many answers."""
    return Response(loss, bottom=(Fraction(1), answers - 1))


def staircase(loss: Fraction, share: Fraction) -> Response:
    """Staircase noise whose upper steps have the share γ: [−Δ/2, Δ/2] has g = min(γ, ½) of it at the upper height."""
    upper = min(share, Fraction(1, 2))
    return Response(loss, Fraction(0), (upper, Fraction(1, 2) - upper), (share, 1 - share))


def mixed(pair: Pair, rate: Fraction, alpha: Any, remove: bool) -> tuple[Any, Any]:
    r"""The curve of ((1−q)Q + qP, Q), which is q·δ at (α − 1 + q)/q, or that of the other order: 1 − α + αδ at 1/α."""
    if not remove:
        value, slope = mixed(pair, rate, 1 / alpha, True)
        return 1 - alpha + alpha * value, value - 1 - slope / alpha
    inner = (alpha - ball(1 - rate)) / ball(rate)
    value, slope = pair.curve(inner) if inner > 0 else (1 - inner, arb(-1))
    return ball(rate) * value, slope if inner > 0 or inner < 0 else -arb(0.5, 0.5)


def powers(first: Any, turn: Any, n: int) -> list[Any]:
    """first · turnʲ for j < n. Halving the exponent keeps rectangular complex balls from growing by √2 per factor."""
    found = [acb(1), turn]
    for j in range(2, n):
        found.append(found[j // 2] * found[j - j // 2])
    return [first * power for power in found[:n]]


@dataclass(frozen=True)
class Sampled(Pair):
    r"""Each record with probability 0 < q < 1, then N(0, σ²) and a shift by 1.

    With :math:`Z(x) = 1 - q + q e^{u}`, u = (x − ½)/σ², ψ = ln Z and x from N(0, σ²): one record removed has L = ψ
    and :math:`M(s) = E[Z^{s+1}]`, one record added L = −ψ and :math:`M(s) = E[Z^{-s}]`. Write e for c + 1 or −c. ψ
    rises and is convex, with :math:`\psi' = r/\sigma^2`, :math:`r = q e^u/Z`.
    """

    rate: Fraction
    variance: Fraction
    remove: bool = True

    def flip(self) -> Sampled:
        return replace(self, remove=not self.remove)

    def power(self, c: Fraction) -> Fraction:
        return c + 1 if self.remove else -c

    def psi(self, x: Fraction) -> Any:
        return (ball(1 - self.rate) + ball(self.rate) * ball((x - Fraction(1, 2)) / self.variance).exp()).log()

    def moments(self, c: Fraction, first: Fraction, tau: Fraction, n: int, hint: Hint) -> list[Any]:
        r"""The trapezoidal rule with step h at x = jh, −left ≤ j ≤ right, and what it leaves out.

        **The rule.** f(x) = Z^e e^{±itψ}φ_σ is analytic for \|Im x\| ≤ b = θσ², θ < π, as Z ≠ 0 there. Poisson's
        formula gives :math:`h\sum_j f(jh) - \int f = \sum_{m\ne0}\hat f(2\pi m/h)`, and moving the line of
        integration by ±ib gives :math:`|\hat f(2\pi m/h)| \le N e^{-2\pi|m|b/h}` with N ≥ ∫\|f(x+iy)\|dx for \|y\| ≤
        b. So the error is at most :math:`2N/(e^{2\pi b/h}-1)`. At x + iy, with θ' = y/σ²: Z is 1−q plus a positive
        multiple of :math:`e^{i\theta'}`, so \|Z\| ≤ Z(x), \|Z\| ≥ Z(x)cos(θ/2), \|arg Z\| ≤ θ; and
        :math:`|\varphi_\sigma(x+iy)| = \varphi_\sigma(x)e^{y^2/2\sigma^2}`. Hence :math:`N =
        M(c)e^{\sigma^2\theta^2/2 + |t|\theta}`, times :math:`\cos(\theta/2)^{-c}` where e = −c. At t = 0 the sum of
        all terms is at least (1 − error/M)M, which bounds M(c).

        **The ends.** Terms beyond the ends are at most the integral of a falling majorant. Removed: Z ≤ 1 left of ½ and
        Z ≤ e^u right of it, where :math:`e^{(c+1)u}\varphi_\sigma` is a normal density around c+1 times
        :math:`e^{c(c+1)/2\sigma^2}`. Added: :math:`Z^{-c} \le (1-q)^{-c}`.
        """
        given, *ends = hint["plan"]
        step, (left, right) = number(given), (natural(end, MAX_NODES) for end in ends)
        half = isqrt(n - 1) + 1
        if step <= 0 or (left + right) * n > MAX_WORK:
            raise Rejected(f"the rule has {left + right} nodes for {n} points: too many, or no step")
        variance, theta, e = ball(self.variance), ball(STRIP), ball(self.power(c))
        scale, sign = ball(step) / (2 * arb.pi() * variance).sqrt(), 1 if self.remove else -1
        keep, taken = ball(1 - self.rate), ball(self.rate) * (-1 / (2 * variance)).exp()
        gap, double, near, far = ball(step), 2 * variance, ball(tau), ball(half * tau)
        total, mass = acb_mat(half, half), arb(0)
        for begin in range(-left, right + 1, CHUNK):
            rows, columns = [], []
            for j in range(begin, min(begin + CHUNK, right + 1)):
                tick(1 + half // 16)
                x = gap * j
                psi = (keep + taken * (x / variance).exp()).log()
                weight, angle = (e * psi - x * x / double).exp() * scale, sign * psi
                mass += weight
                start = weight * acb(0, angle * ball(first)).exp() if first else acb(weight)
                rows.append(powers(start, acb(0, angle * far).exp(), half))
                columns += powers(acb(1), acb(0, angle * near).exp(), half)
            total += acb_mat([list(row) for row in zip(*rows, strict=True)]) * acb_mat(len(rows), half, columns)
        rest = self._ends(c, step * left, step * right)

        def error(t: Fraction) -> Any:
            grown = (variance * theta * theta / 2 + ball(abs(t)) * theta).exp()
            grown = grown if self.remove else grown * (theta / 2).cos() ** e
            return 2 * grown / ((2 * arb.pi() * variance * theta / ball(step)).exp() - 1)

        if not error(Fraction(0)) < arb(1) / 2:
            raise Undecided("the step of the trapezoidal rule is too long")
        whole = (mass + rest) / (1 - error(Fraction(0)))
        found = []
        for j, value in enumerate(total.entries()[:n]):
            slack = arb(0, 1) * (rest + whole * error(first + j * tau)).upper()
            found.append(value + acb(slack, slack) if first or j else acb(mass + slack))
        return found

    def curve(self, alpha: Any) -> tuple[Any, Any]:
        return mixed(Gaussian(1 / self.variance), self.rate, alpha, self.remove)

    def _ends(self, c: Fraction, left: Fraction, right: Fraction) -> Any:
        sigma, q = ball(self.variance).sqrt(), ball(self.rate)
        if not self.remove:
            return (1 - q) ** ball(-c) * (tail(ball(left) / sigma) + tail(ball(right) / sigma))
        if right <= c + 1:
            raise Undecided("the trapezoidal rule ends before the peak")
        grown = ball(c * (c + 1) / (2 * self.variance)).exp()
        return tail(ball(left) / sigma) + grown * tail(ball(right - c - 1) / sigma)

    def decay(self, c: Fraction, reach: Fraction, size: Any, hint: Hint) -> Any:
        r"""From T on by a chain of ``blocks`` [first, gap, count, rule], from their end on by `far`.

        **Chain.** With E the mean under :math:`e^{cL}P/M(c)` and any a, :math:`e^{-iat}M(c+it)/M(c)` moves by at most
        \|t − t₀\|E\|L − a\|. Removed: L ≥ a = ln(1−q), so E\|L−a\| = E[L] − a, and E[L] is the slope of the convex ln
        M at c, at most its mean slope over [c, c+w]. Added: L ≤ a = −ln(1−q), and the slope is at least that over
        [c−w, c].
        """
        worst, at = arb(0), reach
        if hint["blocks"]:
            w = number(hint["slope"])
            if not 0 < w < c:
                raise Rejected("the slope of ln M is taken over 0 < w < c")
            other = self.moments(c + w if self.remove else c - w, Fraction(0), Fraction(1), 1, hint)[0].real
            wide = (other / size).log() / ball(w) - ball(1 - self.rate).log()
        for first, gap, count, *rule in hint["blocks"]:
            begin, width, points = number(first), number(gap), natural(count, MAX_NODES)
            if not (begin <= at and width > 0):
                raise Rejected("a gap between the blocks of the chain")
            for value in self.moments(c, begin + width / 2, width, points, {"plan": rule}):
                worst = worst.max((abs(value) / size + ball(width / 2) * wide).upper())
            at = max(at, begin + width * points)
        return worst.max(self.far(c, at, size, hint)).upper()

    def far(self, c: Fraction, reach: Fraction, size: Any, hint: Hint) -> Any:
        r"""ρ = 1 − Σ over ``cells`` I of β_I(\|I\| − 2/(Tψ'(left end)))₊.

        w, the density of x under the tilted law, is at least β_I on I, and :math:`|\int_I e^{it\psi}| \le 2/(t\psi')`
        at the left end, by parts, as 1/ψ' falls: so \|∫w e^{itψ}\| ≤ ∫w − Σβ\|I\| + Σβ min(\|I\|, 2/(tψ')).
        """
        begin, step, count = hint["cells"]
        lo, width, variance, e = number(begin), number(step), self.variance, ball(self.power(c))
        normal, gain = (2 * arb.pi() * ball(variance)).sqrt(), arb(0)
        for i in range(natural(count, MAX_NODES, 0)):
            tick()
            a, b = lo + i * width, lo + (i + 1) * width
            least = (e * self.psi(a if self.remove else b) - ball(max(a * a, b * b) / (2 * variance))).exp()
            slope = (1 - ball(1 - self.rate) * (-self.psi(a)).exp()) / ball(variance)
            length = ball(width) - 2 / (ball(reach) * slope)
            gain += least * length / normal / size if width > 0 and length > 0 else 0
        return (1 - gain).upper()


Parts = Sequence[tuple[Pair, int]]
