r"""Pairs that only the grid decides: tables, integer noise, and sampled steps with other noise or without replacement.

* `Table`: P and Q on finitely many outcomes, rational; P is the law on the neighbour that has the record, if one has.
* `Geometric`: mass ∝ e^{−∣k∣/b} on the integers and a shift by d; `DiscreteGaussian`: mass ∝ e^{−k²/2v} and a shift
  by d. The masses are log-concave, so the loss rises with k, and the best event is a half-line. The difference
  P[X ≥ t−d] − e^ε P[X ≥ t] grows with d: a smaller shift has a smaller curve (as has Laplace noise), and is an image.
* `Poisson`: each record with probability q before a step with the pair (P, Q), one record added or removed: the pair
  ((1−q)Q + qP, Q) or its other order, by the kernel of the step applied after drawing which other records are taken.
* `Without`: m of n records, one of them replaced, γ = m/n, before a step whose pair is the same in both orders: δ is
  at most that of ((1−γ)Q + γP, Q) for ε ≥ 0 and that of the other order for ε < 0 (Balle, Barthe and Gaboardi 2018;
  Zhu, Dong and Wang 2022). This curve is convex, so it is that of a pair, of which the step is an image by Blackwell's
  theorem. No single step need have it: a lower bound uses ((1−γ)Q + γP, Q) itself, the pair of a record that counts
  and is replaced by one that does not, among others that do not.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any

from flint import arb, ctx

from dpwitness.proofs.kernel.accounts.pairs import Pair, listed, mixed
from dpwitness.proofs.kernel.arith import Rejected, Undecided, ball
from dpwitness.proofs.kernel.laws.curves import gaussian_tail

MAX_OUTCOMES = 20_000


@dataclass(frozen=True)
class Table(Pair):
    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]

    @property
    def infinite(self) -> Fraction:  # type: ignore[override]
        return sum((p for p, q in zip(self.p, self.q, strict=True) if not q), Fraction(0))

    def flip(self) -> Table:
        return Table(self.q, self.p)

    def curve(self, alpha: Any) -> tuple[Any, Any]:
        return listed(((ball(p), ball(q)) for p, q in zip(self.p, self.q, strict=True)), alpha)


@dataclass(frozen=True)
class Geometric(Pair):
    scale: Fraction
    shift: Fraction

    @property
    def loss(self) -> Fraction:
        return self.shift / self.scale

    def curve(self, alpha: Any) -> tuple[Any, Any]:
        a, d = ball(-1 / self.scale).exp(), int(self.shift)
        masses = [(1 / (1 + a), a**d / (1 + a)), (a**d / (1 + a), 1 / (1 + a))]
        inner = [((1 - a) / (1 + a) * a ** (d - k), (1 - a) / (1 + a) * a**k) for k in range(1, d)]
        return listed(masses + inner, alpha)


@dataclass(frozen=True)
class DiscreteGaussian(Pair):
    variance: Fraction
    shift: Fraction

    def curve(self, alpha: Any) -> tuple[Any, Any]:
        masses, beyond = _integer_masses(self.variance, int(self.shift), ctx.prec)
        value, slope = listed(masses, alpha)
        return value + arb(0, 1) * beyond, slope + arb(0, 1) * beyond


@lru_cache(maxsize=4)
def _integer_masses(v: Fraction, d: int, bits: int) -> tuple[list[Any], Any]:
    """Outcomes with ∣k∣, ∣k−d∣ below about √(2v·bits), beyond which a mass is less than 2^−bits; and what is left
    out."""
    span = isqrt(int(2 * v * bits)) + 2
    if span > MAX_OUTCOMES:
        raise Rejected(f"integer noise needs {span} outcomes, more than {MAX_OUTCOMES}")
    total = 1 + 2 * gaussian_tail(1, v)
    sizes = [ball(-(k * k) / (2 * v)).exp() / total for k in range(span + d + 1)]
    masses = [(sizes[abs(k - d)], sizes[abs(k)]) for k in range(-span, span + d + 1)]
    return masses, 2 * gaussian_tail(span + 1, v)


@dataclass(frozen=True)
class Poisson(Pair):
    base: Pair
    rate: Fraction
    remove: bool = True

    @property
    def infinite(self) -> Fraction:  # type: ignore[override]
        return self.rate * self.base.infinite if self.remove else Fraction(0)

    def flip(self) -> Poisson:
        return replace(self, remove=not self.remove)

    def curve(self, alpha: Any) -> tuple[Any, Any]:
        return mixed(self.base, self.rate, alpha, self.remove)


@dataclass(frozen=True)
class Without(Pair):
    base: Pair
    rate: Fraction

    @property
    def infinite(self) -> Fraction:  # type: ignore[override]
        return self.rate * self.base.infinite

    def attained(self) -> Pair:
        return Poisson(self.base, self.rate)

    def curve(self, alpha: Any) -> tuple[Any, Any]:
        if alpha == 1:
            return mixed(self.base, self.rate, alpha, True)[0], -arb(0.5, 0.5)
        if not (alpha > 1 or alpha < 1):
            raise Undecided("a grid point is too near to the loss 0")
        return mixed(self.base, self.rate, alpha, bool(alpha > 1))
