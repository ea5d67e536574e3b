r"""What releases cost, and which guarantee follows from their sums.

**Theorem.** Let a transcript be a sequence of steps, each drawn from a kernel that is a function of the history and the
data. Fix two neighbours; let the stated sums hold on every path.

1. *Pure.* Steps with \|ln dK/dK'\| ≤ e_k, Σ e_k ≤ ε: ε-DP, as dP/dQ is the product of the steps' ratios.
2. *Zero-concentrated.* Steps of Rényi divergence at most α·ρ_k, Σ ρ_k ≤ ρ: take conditional expectations of
   Π (dK_k/dK'_k)^α e^(−(α−1)αρ_k) ≤ 1 from the last step backwards.
3. *Gaussian.* Steps N(a_k, 1) whose means differ by s_k, Σ s_k² ≤ m: √m-GDP. Append a step of shift √(m − Σ s_k²), a
   function of the history, so that Σ s_k² = m. Under Q the log-likelihood ratio is L = Σ s_k ζ_k − m/2 with ζ_k
   standard normal given the past; E exp(iλ s_k ζ_k + λ² s_k²/2) = 1 given the past, so L is N(−m/2, m), and N(m/2, m)
   under P. The trade-off function depends on these two laws alone.
4. *(ε,δ).* Steps (ε_k, δ_k)-indistinguishable, Σ ε_k ≤ ε and Σ δ_k ≤ δ: (ε,δ)-DP. By backward induction
   P(S|h) = E_K[P(S|hy)] ≤ E_K[min(1, e^ε''·Q(S|hy))] + δ'' ≤ e^ε_k E_K'[min(1, e^ε''·Q(S|hy))] + δ_k + δ''.
5. *Pure beside Gaussian.* Pure steps with Σ e_k ≤ e and Gaussian steps with Σ s_k² ≤ m in any order:
   (ε, δ_√m(ε − e))-DP for ε ≥ e, with δ_μ the curve of N(0,1) against N(μ,1). Let R draw Gaussian steps as under the
   second input and pure ones as under the first: P(S) ≤ e^(ε−e) R(S) + δ_√m(ε−e) by 3, and R(S) ≤ e^e Q(S) by 1.
   With (e_k, δ_k) steps among the pure ones Σ δ_k is added: let P and R draw them from min(K, e^(e_k) K') instead, and
   stop where mass is missing, which costs P at most Σ δ_k; both stop alike, so 3 holds, and R(S) ≤ e^e Q(S) still.

The branches of a transcript are functions of the history, so the sums are taken along each path. They are taken for
each class of neighbours apart, which is where parallel composition comes from, and the largest counts.

6. *Account.* Gaussian steps and samples with Gaussian noise, at most so many of each kind on every path, beside pure
   steps with Σ e_k ≤ e: (ε, δ_A(ε − e))-DP, where δ_A is the curve of the account of these steps
   (`dpwitness.proofs.kernel.accounts.compositions`, under add-remove), in any order that may depend on the history.
   Let V(m, M) be the product of N(√m, 1) against N(0, 1) and of the pairs of samples in a multiset M. A transcript
   with at most m and M on every path is dominated by V(m, M), by induction on its length. If its first step is a
   sample of M, all that may follow is dominated by V(m, M less that sample); if it is Gaussian of shift s, by
   V(m − s², M), and N(s, 1) with N(√(m − s²), 1) is as hard to tell apart as N(√m, 1). The product of a pair that
   dominates the first step with one that dominates all that may follow dominates both together (Zhu, Dong and Wang
   2022, theorem 10). A path that needs less is extended by steps that are the same under both neighbours. Pure steps
   come in as in 5.

**Samples.** Consecutive releases that see one Poisson sample of rate q, drawn for them, are one step. Pure ones of sum
e cost ln(1 + q(e^e − 1)): with A the law given the sample without the record and B with it, the two laws are A and
(1−q)A + qB, and (1 − q + qe^e)(1 − q + qe^−e) ≥ 1. Gaussian ones of Σ s² = m are, by 3, no easier to tell apart than a
sampled Gaussian of shift √m: a channel that makes B and A of N(√m, 1) and N(0, 1) makes the two laws of their mixtures.
So rule 6 counts them as one step of that pair. Its Rényi divergence at whole orders is that of Mironov, Talwar and
Zhang (2019).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpwitness.proofs.kernel.algebra.laurent import Poly
from dpwitness.proofs.kernel.arith import Rejected, ball, precision, text, upper
from dpwitness.proofs.kernel.check import PATIENCE, check
from dpwitness.proofs.kernel.laws.curves import normal
from dpwitness.proofs.kernel.limits import tick

ORDERS = (*range(2, 33), 40, 48, 64, 96, 128)
FINE = (*(1 + Fraction(k, 8) for k in range(1, 8)), *ORDERS, *(Fraction(2) ** k for k in range(8, 15)))
TINY = Fraction(1, 2**2000)
BITS = 128
ZERO = Poly()
RANGE = "Cesar and Rogers 2021: a choice by scores of range η is η²/8-zero-concentrated"
PURE_RHO = "Bun and Steinke 2016: ε-DP is ε²/2-zero-concentrated"
CONVERSION = "Canonne, Kamath and Steinke 2020, proposition 12: from Rényi divergences to (ε, δ)"
ADAPTIVE = "Zhu, Dong and Wang 2022, theorem 10: products of dominating pairs dominate adaptive compositions"
SAMPLED = "Mironov, Talwar and Zhang 2019: Rényi divergences of the sampled Gaussian mechanism"


Groups = tuple[tuple[Fraction, Fraction, int], ...]


@dataclass(frozen=True)
class Cost:
    """What steps cost under one move: forms in the open parameters, with coefficients that are not negative.

    Attributes
    ----------
    pure
        Σ e of pure steps.
    normal
        Σ s² of Gaussian steps, discrete ones among them.
    rho
        The sum of the steps' zero-concentrated costs.
    delta
        Σ δ.
    sampled
        Rényi divergences, at `ORDERS`, of samples with Gaussian noise; empty where there are none.
    discrete
        Whether a Gaussian step has integer noise, which is not Gaussian DP.
    groups
        The same samples one by one: rate, Σ s² of the sample, and how many of them.
    """

    pure: Poly = ZERO
    normal: Poly = ZERO
    rho: Poly = ZERO
    delta: Fraction = Fraction(0)
    sampled: tuple[Fraction, ...] = ()
    discrete: bool = False
    groups: Groups = ()

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            self.pure + other.pure,
            self.normal + other.normal,
            self.rho + other.rho,
            self.delta + other.delta,
            _each(self.sampled, other.sampled, lambda a, b: a + b),
            self.discrete or other.discrete,
            _merge(self.groups, other.groups, lambda a, b: a + b),
        )

    def times(self, count: int) -> Cost:
        """So many such steps."""
        return Cost(
            self.pure * count, self.normal * count, self.rho * count, self.delta * count,
            tuple(r * count for r in self.sampled), self.discrete,
            tuple((rate, squared, k * count) for rate, squared, k in self.groups),
        )  # fmt: skip


def _each(one: tuple[Any, ...], two: tuple[Any, ...], function: Any) -> tuple[Any, ...]:
    return tuple(map(function, one, two)) if one and two else one or two


def _merge(one: Groups, two: Groups, function: Callable[[int, int], int]) -> Groups:
    first, second = ({(rate, squared): k for rate, squared, k in groups} for groups in (one, two))
    return tuple((*key, function(first.get(key, 0), second.get(key, 0))) for key in sorted({*first, *second}))


def larger(one: Cost, two: Cost) -> Cost:
    """A bound of both."""
    return Cost(
        above(one.pure, two.pure), above(one.normal, two.normal), above(one.rho, two.rho),
        max(one.delta, two.delta), _each(one.sampled, two.sampled, max), one.discrete or two.discrete,
        _merge(one.groups, two.groups, max),
    )  # fmt: skip


def above(one: Poly, two: Poly) -> Poly:
    """A form that is no smaller than either, where the parameters are positive and no coefficient is negative.

    >>> eps = Poly.symbol("eps")
    >>> print(above(eps, eps * Fraction(1, 2) + 1))
    1 + eps
    """
    if one == two:
        return one
    keys = {*one.terms, *two.terms}
    return Poly({m: max(one.terms.get(m, Fraction(0)), two.terms.get(m, Fraction(0))) for m in keys})


def pure(loss: Poly, *, bounded: bool = False) -> Cost:
    """A step whose log-ratio is at most `loss`; `bounded`: a choice by scores that spread by so much."""
    return Cost(pure=loss, rho=loss * loss * Fraction(1, 8 if bounded else 2))


def gaussian(squared: Poly, *, discrete: bool = False) -> Cost:
    """A Gaussian step of shift² (in standard deviations) at most `squared`."""
    return Cost(normal=squared, rho=squared * Fraction(1, 2), discrete=discrete)


def amplified(parts: Iterable[Cost], rate: Fraction) -> Cost:
    """Consecutive steps that see one Poisson sample."""
    total = Cost()
    for part in parts:
        total = total + part
    if total.delta or total.discrete or total.sampled:
        raise Rejected("no rule for such releases of a sample")
    if total.normal.terms and total.pure.terms:
        raise Rejected("different kinds of noise on one sample")
    if total.normal.terms:
        squared = number_of(total.normal)
        divergences = tuple(_sampled_normal(order, rate, squared) for order in ORDERS)
        return Cost(sampled=divergences, groups=((rate, squared, 1),))
    loss = number_of(total.pure)
    if not loss:
        return Cost()
    with precision(BITS):
        return pure(Poly.constant(upper((1 + ball(rate) * (ball(loss).exp() - 1)).log())))


def number_of(form: Poly) -> Fraction:
    """The number that a form is; refused where a parameter is left open in it."""
    value = form.value()
    if value is None:
        raise Rejected(f"{form} is not a number: this rule needs a value of every parameter")
    return value


@lru_cache(maxsize=4096)
def _sampled_normal(order: int, rate: Fraction, squared: Fraction) -> Fraction:
    """ln Σ_k C(α,k) (1−q)^(α−k) q^k e^((k²−k)m/2) / (α − 1), rounded up."""
    tick(order)
    with precision(BITS):
        q, total = ball(rate), ball(Fraction(0))
        for k in range(order + 1):
            total += ball(Fraction(math.comb(order, k))) * (1 - q) ** (order - k) * q**k * ball(
                (k * k - k) * squared / 2
            ).exp()  # fmt: skip
        return max(Fraction(0), rounded(upper(total.log() / (order - 1))))


def rounded(value: Fraction) -> Fraction:
    """A number that is no smaller, with a short denominator."""
    scale = 1 << 80
    return Fraction(-((-value.numerator * scale) // value.denominator), scale) if value > TINY else TINY


def at_most(one: Poly, two: Poly) -> bool:
    """Whether one ≤ two at all positive parameters, by coefficients."""
    return all(c >= 0 for c in (two - one).terms.values())


def conclude(
    worst: Cost, claim: Mapping[str, Any], *, corners: bool = False, account: Any = None
) -> tuple[str, tuple[str, ...]] | None:
    """The rule by which the worst sums give the claimed guarantee, and what it assumes; None where none does.

    Parameters
    ----------
    claim
        Its kind, and its numbers as forms in the open parameters.
    corners
        Whether only the corners of a ball of moves were looked at: then only convex costs count.
    account
        Hints for the account of Gaussian steps and samples; None where no account is offered.
    """
    kind, plain = claim["kind"], not worst.delta and not worst.sampled
    only_pure = plain and not worst.normal.terms
    trust = (PURE_RHO, RANGE) if worst.pure.terms else ()
    if kind == "pure":
        return ("sum of pure losses", ()) if only_pure and at_most(worst.pure, claim["epsilon"]) else None
    if kind == "gaussian":
        exact = plain and not worst.discrete and not worst.pure.terms
        return ("sum of squared shifts", ()) if exact and at_most(worst.normal, claim["mu"] * claim["mu"]) else None
    if kind == "zcdp":
        return ("sum of ρ", trust) if plain and at_most(worst.rho, claim["rho"]) else None
    if kind == "renyi":
        if only_pure and at_most(worst.pure, claim["epsilon"]):
            return "sum of pure losses", ()
        return ("sum of ρ", trust) if plain and at_most(worst.rho * claim["order"], claim["epsilon"]) else None
    return _approximate(worst, claim, trust, corners, account)


def _approximate(
    worst: Cost, claim: Mapping[str, Any], trust: tuple[str, ...], corners: bool, account: Any
) -> tuple[str, tuple[str, ...]] | None:
    epsilon, room = claim["epsilon"], number_of(claim["delta"]) - worst.delta
    if room < 0:
        return None
    if not worst.normal.terms and not worst.sampled and at_most(worst.pure, epsilon):
        return "sums of ε and δ", ()
    if room == 0 or epsilon.value() is None:
        return None
    eps = number_of(epsilon)
    if not worst.sampled and not worst.discrete and at_most(worst.pure, epsilon):
        left = eps - number_of(worst.pure)
        if normal_delta(number_of(worst.normal), left) <= room:
            return "pure beside Gaussian", ()
    if worst.delta:
        return None
    if not worst.sampled:
        rho = number_of(worst.rho)
        if any(renyi_delta(Fraction(a), a * rho, eps) <= room for a in FINE):
            return "sum of ρ, converted", (*trust, CONVERSION)
        return None
    if corners:
        return None
    if account is not None:
        stated = account_of(worst, eps, room)
        if stated is None:
            return None
        theorem = check({**stated, "orders": account}, seconds=PATIENCE)  # no longer than this check may take
        return "account of the steps", (*theorem.assumptions, ADAPTIVE)
    for order, extra in zip(ORDERS, worst.sampled, strict=True):
        if renyi_delta(Fraction(order), extra + order * number_of(worst.rho), eps) <= room:
            return "Rényi divergences, converted", (*trust, SAMPLED, CONVERSION)
    return None


def account_of(worst: Cost, eps: Fraction, delta: Fraction) -> dict[str, Any] | None:
    """What the account of Gaussian steps and samples must show, all but its proof; None where rule 6 does not apply."""
    left = eps - number_of(worst.pure)
    if worst.discrete or worst.delta or left < 0 or not delta:
        return None
    steps: list[list[Any]] = [["poisson-gaussian", text(r), text(m), count] for r, m, count in worst.groups]
    normal_steps = number_of(worst.normal)
    steps += [["gaussian", text(normal_steps), 1]] if normal_steps else []
    guarantee = {"kind": "approximate", "epsilon": text(left), "delta": text(delta)}
    return {"type": "composition", "relation": "add-remove", "steps": steps, "guarantee": guarantee}


def normal_delta(squared: Fraction, eps: Fraction) -> Fraction:
    """δ(ε) of N(0,1) against N(√squared, 1), rounded up."""
    with precision(BITS):
        value = normal(squared, eps)
        if isinstance(value, tuple):
            return Fraction(0)
        return max(TINY, upper(value()))


def renyi_delta(order: Fraction, divergence: Fraction, eps: Fraction) -> Fraction:
    """δ of (α, r)-Rényi privacy at ε: e^((α−1)(r−ε)) (1 − 1/α)^(α−1) / α, rounded up."""
    with precision(BITS):
        exponent = ball((order - 1) * (divergence - eps)) + ball(order - 1) * ball(1 - 1 / order).log()
        if exponent < -1400:
            return TINY
        return Fraction(1) if exponent > 0 else upper(exponent.exp() / ball(order))


__all__ = ["Cost", "account_of", "amplified", "conclude", "gaussian", "larger", "number_of", "pure", "rounded"]
