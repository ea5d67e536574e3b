"""Noise calibrated to sensitivity: indistinguishability, statistical difference, the Laplace mechanism.

From lecture slides on the 2006 paper of Dwork, McSherry, Nissim and Smith. Neighbours differ in exactly one entry.
"""

# ruff: noqa: B008 (the default argument is the claim itself: an immutable Formula)
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from dpwitness.literature.finding import Check, Finding, Formula, every, judge
from dpwitness.literature.lines import within_budget
from dpwitness.literature.noise_calibration.sensitivity import laplace_lemma
from dpwitness.literature.registry import claim
from dpwitness.literature.tools import (
    at_most,
    equal,
    fact,
    largest_ratio,
    neighbours,
    randomized_response,
    statistical_difference,
    subsets,
)

F = Fraction
Query = Callable[[Sequence[Any]], tuple[Fraction, ...]]
RATIOS = (F(1), F(11, 10), F(3, 2), F(2), F(7))


def tables() -> Iterator[tuple[dict[int, Fraction], dict[int, Fraction]]]:
    """Pairs of laws on three outcomes with weights in tenths, zeros included."""
    rows = [(a, b, 10 - a - b) for a in range(0, 11, 2) for b in range(0, 11 - a, 3)]
    for p, q in product(rows, repeat=2):
        yield {i: F(w, 10) for i, w in enumerate(p)}, {i: F(w, 10) for i, w in enumerate(q)}


@claim(
    "000-C1",
    title="ε-indistinguishability",
    kind="definition",
    statement="A mechanism is ε-indistinguishable if |ln(Pr[T_A(x)=t] / Pr[T_A(x′)=t])| ≤ ε for all x, x′ differing in "
    "one entry, all adversaries A and all transcripts t.",
)
def indistinguishability(
    formula: Formula = Formula(close=lambda p, q, ratio: p <= ratio * q and q <= ratio * p),
) -> Finding:
    """|ln p/q| ≤ ε on every transcript, written p ≤ e^ε q and q ≤ e^ε p so that p = q = 0 is allowed."""
    close = formula["close"]

    def consequences() -> Iterator[Check]:
        for p, q in tables():
            for ratio in RATIOS:
                single = all(close(p[s], q[s], ratio) for s in p)
                back = all(close(q[s], p[s], ratio) for s in p)
                sets = all(
                    sum(p[s] for s in event) <= ratio * sum(q[s] for s in event)
                    and sum(q[s] for s in event) <= ratio * sum(p[s] for s in event)
                    for event in subsets(list(p))
                )
                yield fact(single == back, "symmetric in x and x′", p=str(p), q=str(q), ratio=ratio)
                yield fact(single == sets, "transcript by transcript = event by event", p=str(p), q=str(q), ratio=ratio)

    general = equal("g*(q+s) - (p+r)", "(g*q - p) + (g*s - r)", ["p", "q", "r", "s", "g"])
    whole = every(consequences(), "symmetry and the passage to events, on 3-outcome laws in tenths") & general
    return judge(
        whole,
        argument=(
            "Definition; it is the predicate of the other checkers. It is symmetric in x and x′, and adding p ≤ e^ε q",
            "over the transcripts of an event gives the same inequality for the event (and back: single transcripts).",
        ),
        evidence="exact",
        tight="a transcript of probability 0 under one database must have probability 0 under the other",
    )


@claim(
    "000-C2",
    title="Small ε",
    kind="inequality",
    statement="As ε → 0, ln(1+ε) ≈ ε, and the ratio Pr[T_A(x)=t] / Pr[T_A(x′)=t] lies in 1 ± ε.",
)
def small_epsilon(formula: Formula = Formula(low="1 - e", high="1 + e", limit="e")) -> Finding:
    """Ratios in [e^−ε, e^ε] against 1 ± ε, and ln(1+ε) against ε."""
    box = {"e": (0, 1)}
    log_limit = at_most(f"({formula['limit']}) - e**2", "log(1 + e)", box) & at_most(
        "log(1 + e)", formula["limit"], box
    )
    ends = at_most(formula["low"], "exp(-e)", box) & at_most("exp(e)", formula["high"], box)
    repair = at_most("exp(e)", "1 + e + e**2", box) & at_most("1 - e", "exp(-e)", box)
    return judge(
        log_limit & ends,
        argument=(
            "ε − ε² ≤ ln(1+ε) ≤ ε on [0, 1], so ln(1+ε) ≈ ε. The ratio may be as large as e^ε (randomized response),",
            "and e^ε > 1+ε for every ε > 0, however small: the upper end is exceeded by about ε²/2.",
        ),
        evidence="certificate",
        repair=repair,
        repaired="for 0 ≤ ε ≤ 1 the ratio lies in [1−ε, 1+ε+ε²]; it lies in 1 ± ε exactly when the loss is ≤ ln(1+ε)",
        parts={"ln(1+ε) ≈ ε": log_limit, "ratio in 1 ± ε": ends},
    )


@claim(
    "000-C3",
    title="Noisy sum",
    kind="privacy claim",
    statement="For x ∈ {0,1}ⁿ and f(x) = Σ_i x_i, neighbours have |f(x)−f(x′)| = 1, and T(x) = Σ_i x_i + Y with Y ~ "
    "Lap(1/ε) is ε-indistinguishable.",
)
def noisy_sum(formula: Formula = Formula(distance=1, scale="1/e")) -> Finding:
    """Σ x_i + Lap(1/ε) on bits."""
    steps = every(
        fact(abs(sum(x) - sum(y)) == formula["distance"], "", x=str(x), y=str(y), distance=abs(sum(x) - sum(y)))
        for n in range(1, 6)
        for x in product((0, 1), repeat=n)
        for y in neighbours(x, (0, 1))
    )
    loss = within_budget(f"{formula['distance']}/({formula['scale']})", "e", ["e"])
    return judge(
        steps & laplace_lemma() & loss,
        argument=(
            "f(x) − f(x′) = x_i − x′_i = ±1, since the differing bits are 0 and 1. The density ratio of Laplace noise",
            "at distance 1 is at most e^{1/λ} = e^ε, with equality at every output outside the two sums.",
        ),
        evidence="exact",
        tight="ε is attained: the loss equals ε at every t ≤ min(f(x), f(x′))",
    )


@claim(
    "000-C4",
    title="Laplace density ratio",
    kind="inequality",
    statement="For the density h of Lap(λ): h(y)/h(y′) = exp((|y′|−|y|)/λ) ≤ e^{|y−y′|/λ}, which is e^{ε|y−y′|} at λ = "
    "1/ε.",
)
def laplace_density_ratio(
    formula: Formula = Formula(log_ratio="Abs(w) - Abs(y)", log_bound="Abs(y - w)", scale="1/e"),
) -> Finding:
    """ln h(y)/h(w) = (|w|−|y|)/λ ≤ |y−w|/λ; y′ is written w."""
    at_scale = equal(f"d/({formula['scale']})", "e*d", ["d", "e"])
    return judge(
        laplace_lemma(formula["log_ratio"], formula["log_bound"]) & at_scale,
        argument=(
            "The normalisers cancel, which leaves (|w|−|y|)/λ; by the triangle inequality it is at most |y−w|/λ. Both",
            "sides are linear on the cones cut out by y = 0, w = 0, y = w, so the rays decide.",
        ),
        evidence="exact",
        tight="equality exactly where w lies on the far side of y from 0 (or y = 0)",
    )


@claim(
    "000-C5",
    title="Statistical difference",
    kind="definition",
    statement="SD(P,Q) = sup_A |P(A)−Q(A)|. ε-indistinguishability is more stringent: with p_P(a) ≠ 0 and p_Q(a) = 0 "
    "the ratio is infinite while SD can be small.",
)
def statistical_difference_is_weaker(
    formula: Formula = Formula(bound="(g-1)/(g+1)", distance=lambda p, q: sum(abs(p[s] - q[s]) for s in p) / 2),
) -> Finding:
    """sup_A |P(A)−Q(A)| against the pointwise ratio; g = e^ε."""

    def cases() -> Iterator[Check]:
        for p, q in tables():
            best = max(abs(sum((p[s] - q[s] for s in a), F(0))) for a in subsets(list(p)))
            yield fact(best == formula["distance"](p, q), "the supremum over events", p=str(p), q=str(q), sup=best)
        for n in (2, 10, 10**6):
            p, q = {0: F(1, n), 1: 1 - F(1, n)}, {0: F(0), 1: F(1)}
            small, ratio = statistical_difference(p, q), largest_ratio(p, q)
            yield fact(small == F(1, n) and ratio is None, "small difference, infinite ratio", sd=small)

    sharp = equal(
        "(g-1)*(p + q) - (g+1)*(p - q)", "2*(g*q - p)", ["p", "q", "g"], "p − q ≤ (g−1)/(g+1)·(p+q) iff p ≤ gq"
    )
    attained = every(
        fact(
            statistical_difference(randomized_response(0, g), randomized_response(1, g)) == (g - 1) / (g + 1),
            "randomized response attains (e^ε−1)/(e^ε+1)",
        )
        for g in RATIOS
    )
    bound = equal(formula["bound"], "(g-1)/(g+1)", ["g"])
    return judge(
        every(cases(), "the formula of the supremum; SD = 1/n with an infinite ratio") & sharp & attained & bound,
        argument=(
            "The supremum is half the L₁ distance. A law with an outcome of mass 1/n that the other lacks has SD 1/n",
            "and an infinite ratio. The other direction holds: ε-indistinguishable laws have SD ≤ (e^ε−1)/(e^ε+1).",
        ),
        evidence="exact",
        tight="ε-indistinguishable implies SD ≤ (e^ε−1)/(e^ε+1) = tanh(ε/2), attained by randomized response",
    )


@claim(
    "000-C6",
    title="Candidate sanitization",
    kind="example",
    statement="T(x₁,…,x_n) = (i, x_i) with i uniform in {1,…,n}. If x, x′ differ in a single position then "
    "SD(T(x),T(x′)) = 1/n; T is not ε-indistinguishable, because Pr(T(x′) = (i,x_i)) = 0 at the differing i.",
)
def candidate_sanitization(formula: Formula = Formula(distance=lambda n: F(1, n))) -> Finding:
    """T(x) = (i, x_i) with i uniform."""

    def law(x: Sequence[int]) -> dict[tuple[int, int], Fraction]:
        return {(i, v): F(1, len(x)) for i, v in enumerate(x)}

    def cases() -> Iterator[Check]:
        for n in range(1, 6):
            for x in product((0, 1, 2), repeat=n):
                for y in neighbours(x, (0, 1, 2)):
                    sd, ratio = statistical_difference(law(x), law(y)), largest_ratio(law(x), law(y))
                    yield fact(sd == formula["distance"](n) and ratio is None, "", x=str(x), y=str(y), sd=sd)

    return judge(
        every(cases(), "all neighbours with n ≤ 5 over three values"),
        argument=(
            "The two laws share the n−1 outcomes (j, x_j) with j ≠ i, each of mass 1/n, and differ in (i, x_i) and",
            "(i, x′_i), each of mass 1/n under one law and 0 under the other. So SD = 1/n and the ratio is infinite,",
            "any n.",
        ),
        evidence="exact",
    )
