"""(ε,δ)-DP on single outcomes and on sets, basic composition, the privacy loss.

From lecture slides with a homework problem on (ε,δ)-DP. M(x) = (a: 1−2δ, b₁: δ, b₂: δ), M(x′) = (a: 1).
"""

# ruff: noqa: B008 (the default argument is the claim itself: an immutable Formula)
from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from dpwitness.literature.finding import Check, Finding, Formula, every, judge
from dpwitness.literature.noise_calibration.indistinguishability import RATIOS, tables
from dpwitness.literature.registry import claim
from dpwitness.literature.tools import (
    Law,
    at,
    at_most,
    equal,
    fact,
    hockey_stick,
    joint,
    positive,
    rational,
    subsets,
)
from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import Undecided

F = Fraction
Pair = tuple[dict[str, Fraction], dict[str, Fraction]]


def homework(d: Fraction) -> Pair:
    """The two laws of the homework mechanism at δ = d."""
    return {"a": 1 - 2 * d, "b1": d, "b2": d}, {"a": F(1), "b1": F(0), "b2": F(0)}


def private_on(events: list[tuple[str, ...]], pair: Pair, growth: ExpSum | Fraction, delta: Fraction) -> bool:
    """P(S) ≤ e^ε Q(S) + δ for these events, in both orders; growth is e^ε, exactly."""
    factor = ExpSum.of(growth)
    for p, q in (pair, pair[::-1]):
        for event in events:
            left, right = sum((p[s] for s in event), F(0)), sum((q[s] for s in event), F(0))
            if (factor * right + delta - left).sign() < 0:
                return False
    return True


SINGLE: list[tuple[str, ...]] = [("a",), ("b1",), ("b2",)]
SETS = [tuple(s) for s in subsets(["a", "b1", "b2"])]


def region() -> Check:
    """With e^ε ≥ (1−δ)/(1−2δ) the mechanism is private outcome by outcome and not on {b₁,b₂}."""
    edge = equal("((1-d)/(1-2*d))*(1-2*d) + d", "1", ["d"], "1 ≤ e^ε(1−2δ)+δ iff e^ε ≥ (1−δ)/(1−2δ)")

    def cases() -> Iterator[Check]:
        for d in (F(1, 100), F(1, 10), F(1, 4), F(49, 100)):
            g = (1 - d) / (1 - 2 * d)
            yield fact(private_on(SINGLE, homework(d), g, d), "single outcomes", delta=d, growth=g)
            yield fact(not private_on(SINGLE, homework(d), g - F(1, 10**9), d), "not below the edge", delta=d)
            yield fact(not private_on(SETS, homework(d), g, d), "the set {b₁,b₂} fails", delta=d, growth=g)

    return edge & every(cases(), "at and just below the edge for four values of δ")


@claim(
    "002-C1",
    title="Homework statement",
    kind="theorem",
    statement="The statement that every M which is (ε,δ)-DP with respect to each single outcome s ∈ R is (ε,δ)-DP with "
    "respect to all sets S ⊆ R is disproved by the mechanism of 002-C2 and 002-C3.",
)
def homework_statement(formula: Formula = Formula(eps="d", pair=homework)) -> Finding:
    """Does the mechanism, with ε = eps(δ), pass on single outcomes and fail on a set for some δ in (0, 1/2]?"""
    eps = formula["eps"]

    def found() -> Check:
        try:
            never = positive(f"1 - exp({eps})*(1-2*d) - d - d**2", {"d": (0, F(1, 2))})
        except Undecided:
            never = Check(False, "")
        grid = [F(i, 20) for i in range(1, 11)]
        for d in grid:
            growth = ExpSum.exp(rational(eps, d=d))
            pair = formula["pair"](d)
            if private_on(SINGLE, pair, growth, d) and not private_on(SETS, pair, growth, d):
                return fact(True, "private on single outcomes, not on sets", delta=d, eps=rational(eps, d=d))
        d = F(1, 10)
        left = fact(
            False,
            "with this ε the mechanism is not even private on the outcome a",
            delta=d,
            eps=rational(eps, d=d),
            probability_of_a=F(1),
            allowed=_value(eps, d),
        )
        return Check(
            False, left.note + (" for any δ in (0, 1/2]" if never.ok else ""), left.witness, never.certificates
        )

    works = region() if formula["pair"] is homework else Check(False, "another mechanism")
    return judge(
        found(),
        under=works,
        condition="0 < δ < 1/2 and ε ≥ ln((1−δ)/(1−2δ)); on the printed line ε = δ > 0 this never holds",
        argument=(
            "A counterexample must pass on single outcomes and fail on a set. Outcome a needs 1 ≤ e^ε(1−2δ)+δ, that",
            "is ε ≥ ln((1−δ)/(1−2δ)), which is larger than δ: with ε = δ > 0 the gap 1 − e^δ(1−2δ) − δ ≥ δ² stays",
            "positive, so that mechanism disproves nothing. In the region above it does disprove the homework",
            "statement, which is indeed false.",
        ),
        evidence="exact",
        repair=works,
        repaired="singleton (ε,δ)-DP does not imply (ε,δ)-DP: take 0 < δ < 1/2 and ε ≥ ln((1−δ)/(1−2δ)), e.g. δ = "
        "1/10, e^ε = 9/8",
        tight="adding up m outcomes turns singleton (ε,δ) into (ε, mδ) on the event; {b₁,b₂} attains m = 2",
    )


def _value(eps: str, d: Fraction) -> tuple[Fraction, Fraction]:
    return at(f"exp({eps})*(1-2*d) + d", {"d": d})


@claim(
    "002-C2",
    title="Claim 1, single outcomes",
    kind="privacy claim",
    statement="Let ε = δ ≥ 0, M(x) = (a: 1−2δ, b₁: δ, b₂: δ), M(x′) = (a: 1). M is (ε,δ)-DP for every s ∈ R = "
    "{a,b₁,b₂}: 1−2δ ≤ e^ε·1 + ε; 1 ≤ (1+ε)(1−2δ)+δ ≤ (1+δ)(1−2δ)+δ ≤ 1; δ ≤ 0+δ = e^ε·Pr[M(x′)=b₁]+δ; 0 ≤ "
    "e^ε·δ+δ.",
)
def single_outcomes(
    formula: Formula = Formula(
        steps=(
            ("1 - 2*d", "exp(e)*1 + e"),
            ("1", "(1 + e)*(1 - 2*d) + d"),
            ("(1 + e)*(1 - 2*d) + d", "(1 + d)*(1 - 2*d) + d"),
            ("(1 + d)*(1 - 2*d) + d", "1"),
            ("d", "exp(e)*0 + d"),
            ("0", "exp(e)*d + d"),
        ),
        needed=("1", "exp(e)*(1 - 2*d) + d"),
        eps="d",
    ),
) -> Finding:
    """Every printed inequality on 0 ≤ δ ≤ 1/2 with ε = eps(δ), and the inequality that outcome a needs."""
    box = {"d": (0, F(1, 2))}

    def with_eps(text: str) -> str:
        return str(parse(text).substitute({"e": parse(f"({formula['eps']})")}))

    steps = [at_most(with_eps(a), with_eps(b), box) for a, b in formula["steps"]]
    left, right = formula["needed"]
    needed = at_most(with_eps(left), with_eps(right), box)
    worse = positive("1 - exp(d)*(1-2*d) - d - d**2", box, note="the shortfall is at least δ² on [0, 1/2]")
    return judge(
        needed & every(steps),
        argument=(
            "(1+δ)(1−2δ)+δ = 1−2δ², so the printed chain says 1 ≤ 1−2δ². Nor does e^δ in place of 1+δ help: outcome a",
            "needs 1 ≤ e^δ(1−2δ)+δ, and the right side falls short of 1 by at least δ². Only δ = 0 (equal laws)",
            "survives.",
        ),
        evidence="certificate",
        repair=region() & worse,
        repaired="for 0 < δ < 1/2 and ε ≥ ln((1−δ)/(1−2δ)), M is (ε,δ)-DP for every single outcome",
        parts={f"{a} ≤ {b}": step for (a, b), step in zip(formula["steps"], steps, strict=True)},
    )


@claim(
    "002-C3",
    title="Claim 2, the set {b₁,b₂}",
    kind="inequality",
    statement="For S = {b₁,b₂} and the same M: Pr[M(x) ∈ S] ≤ e^ε·Pr[M(x′) ∈ S] + δ, where the three terms are 2δ, 0 "
    "and δ.",
)
def set_inequality(formula: Formula = Formula(left="2*d", right="exp(e)*0 + d")) -> Finding:
    """The printed inequality for S = {b₁,b₂}, for 0 ≤ δ ≤ 1/2."""
    whole = at_most(formula["left"], formula["right"], {"d": (0, F(1, 2)), "e": (0, 1)})
    return judge(
        whole,
        argument=(
            "2δ ≤ δ fails for every δ > 0. It is the violation that Claim 2 is after: the sign should read >, not ≤.",
        ),
        evidence="exact",
        repair=equal("2*d - (0 + d)", "d", ["d"], "2δ − (e^ε·0 + δ) = δ > 0"),
        repaired="Pr[M(x) ∈ S] = 2δ > δ = e^ε·Pr[M(x′) ∈ S] + δ for every ε and every δ in (0, 1/2]",
    )


def worst_pair(g: Fraction, d: Fraction) -> tuple[dict[int, Fraction], dict[int, Fraction]]:
    """The dominating pair of (ε,δ)-DP: reveal with probability δ, else randomized response with e^ε = g."""
    p = {0: d, 1: (1 - d) * g / (1 + g), 2: (1 - d) / (1 + g), 3: F(0)}
    q = {0: F(0), 1: (1 - d) / (1 + g), 2: (1 - d) * g / (1 + g), 3: d}
    return p, q


@claim(
    "002-C4",
    title="Basic composition",
    kind="theorem",
    statement="If M_i is (ε_i,δ_i)-DP and M applies M₁,…,M_t to its input with independent randomness, M is (Σ_i ε_i, "
    "Σ_i δ_i)-DP.",
)
def basic_composition(
    formula: Formula = Formula(growth=prod, delta=sum),
) -> Finding:
    """growth(e^{ε_i}) and delta(δ_i) of the composition."""
    high = equal("E2*q*m + ((E2*q + r) - E2*q) - (E2*q + r)*m", "r*(1 - m)", ["E2", "q", "m", "r"])
    low = equal("g*q*m - p*m", "(g*q - p)*m", ["g", "q", "m", "p"])

    def cases(delta: Callable[[list[Fraction]], Fraction], *, exactly: bool = False) -> Iterator[Check]:
        singles = [(F(2), F(1, 10)), (F(3, 2), F(0)), (F(5, 4), F(1, 3)), (F(1), F(1, 5))]
        for parts in [*product(singles, repeat=2), *product(singles[:2], repeat=3)]:
            pairs = [worst_pair(g, d) for g, d in parts]
            p, q = joint(*(a for a, _ in pairs)), joint(*(b for _, b in pairs))
            growth, want = formula["growth"]([g for g, _ in parts]), delta([d for _, d in parts])
            seen = max(hockey_stick(p, q, growth), hockey_stick(q, p, growth))
            good = seen == want if exactly else seen <= want
            yield fact(good, "", parts=str([(str(g), str(d)) for g, d in parts]), left=seen, right=want)

    def sharp(ds: list[Fraction]) -> Fraction:
        return 1 - prod((1 - d for d in ds), start=F(1))

    return judge(
        every(cases(formula["delta"]), "compositions of dominating pairs, exactly")
        & high
        & low
        & every(cases(sharp, exactly=True), "δ = 1−∏(1−δ_i) is exact for dominating pairs"),
        argument=(
            "P₁P₂(S) = Σ P₁(c)·P₂(S_c) ≤ δ₂ + Σ P₁(c)·m_c with m_c = min(1, e^{ε₂}Q₂(S_c)). For 0 ≤ m ≤ 1: P₁m ≤",
            "e^{ε₁}Q₁m + (P₁−e^{ε₁}Q₁)₊ (two cases: r(1−m) ≥ 0 and (gq−p)m ≥ 0), and the last terms sum to at most",
            "δ₁. Induction on t.",
        ),
        evidence="exact",
        tight="Σε_i cannot be lowered at δ = 0; at ε = Σε_i the exact δ of dominating pairs is 1−∏(1−δ_i) ≤ Σδ_i",
    )


@claim(
    "002-C5",
    title="Privacy loss",
    kind="definition",
    statement="For adjacent x⁰, x¹ and C ← M(x⁰), Loss(C) = ln(Pr[M(x⁰)=C]/Pr[M(x¹)=C]). (ε,0)-DP means |Loss(C)| ≤ ε "
    "with probability 1 over C.",
)
def privacy_loss(formula: Formula = Formula(within=lambda p, q, g: q > 0 and p <= g * q and q <= g * p)) -> Finding:
    """|Loss| ≤ ε on the support of M(x⁰), over ordered adjacent pairs, against (ε,0)-DP on events."""

    def bounded(p: Law, q: Law, g: Fraction) -> bool:
        return all(formula["within"](p[s], q[s], g) for s in p if p[s] > 0)

    def cases() -> Iterator[Check]:
        for p, q in tables():
            for g in RATIOS:
                losses = bounded(p, q, g) and bounded(q, p, g)
                events = hockey_stick(p, q, g) == 0 and hockey_stick(q, p, g) == 0
                yield fact(
                    losses == events, "", p=str(list(map(str, p.values()))), q=str(list(map(str, q.values()))), growth=g
                )

    return judge(
        every(cases(), "3-outcome laws in tenths, both orders"),
        argument=(
            "(ε,0)-DP is P(S) ≤ e^ε Q(S) for all S, that is for all single outcomes, which is Loss ≤ ε on the support",
            "of M(x⁰) (an outcome with Q = 0 has infinite loss). Both orders of the adjacent pair give the absolute",
            "value.",
        ),
        evidence="exact",
        tight="one order alone is not enough: an outcome with P = 0 < Q is never seen under M(x⁰)",
    )


@claim(
    "002-C6",
    title="(ε,δ)-DP*",
    kind="definition",
    statement="M is (ε,δ)-DP* if |Loss(C)| ≤ ε with probability 1−δ over C ← M(x⁰). A tail bound of this kind on the "
    "accumulated loss gives (ε′,δ)-DP.",
)
def probabilistic_dp(
    formula: Formula = Formula(outside=lambda p, q, g: p > g * q or q > g * p),
) -> Finding:
    """(ε,δ)-DP* with δ = Pr[|Loss| > ε], against (ε,δ)-DP."""

    def tail(p: Law, q: Law, g: Fraction) -> Fraction:
        return sum((p[s] for s in p if p[s] > 0 and formula["outside"](p[s], q[s], g)), F(0))

    def cases() -> Iterator[Check]:
        for p, q in tables():
            for g in RATIOS:
                h = hockey_stick(p, q, g)
                names: dict[str, Any] = {"p": str([str(v) for v in p.values()]), "q": str([str(v) for v in q.values()])}
                yield fact(h <= tail(p, q, g), "", growth=g, left=h, right=tail(p, q, g), **names)

    p, q, g = {0: F(1, 2), 1: F(1, 2)}, {0: F(1, 3), 1: F(2, 3)}, F(5, 4)
    strict = fact(hockey_stick(p, q, g) < tail(p, q, g), "the converse fails", hockey=hockey_stick(p, q, g))
    step = equal("p - (p - g*q)", "g*q", ["p", "g", "q"], "(p − gq)₊ ≤ p, and it is 0 where p ≤ gq")
    return judge(
        every(cases(), "3-outcome laws in tenths") & step,
        argument=(
            "P(S) − e^εQ(S) ≤ Σ (p − e^εq)₊ ≤ Pr[Loss > ε] ≤ δ: only outcomes with Loss > ε contribute, each at most",
            "its p. So a tail bound on the accumulated loss gives (ε′,δ)-DP; the upper tail alone suffices.",
        ),
        evidence="exact",
        tight=f"the converse fails: {strict.witness['hockey']} = δ with Pr[Loss > ε] = {tail(p, q, g)} on two outcomes"
        if strict.ok
        else "",
    )


@claim(
    "002-C7",
    title="Randomized response",
    kind="privacy claim",
    statement="RR_ε(x_i) equals x_i with probability e^ε/(e^ε+1) and ¬x_i with probability 1/(e^ε+1); its privacy loss "
    "is ε or −ε, so −ε ≤ C_i ≤ ε.",
)
def randomized_response_loss(
    formula: Formula = Formula(keep="exp(e)/(exp(e)+1)", flip="1/(exp(e)+1)", loss="e"),
) -> Finding:
    """RR_ε and its two losses."""
    total = equal(f"({formula['keep']}) + ({formula['flip']})", "1", ["e"])
    ratio = equal(f"({formula['keep']})/({formula['flip']})", f"exp({formula['loss']})", ["e"])
    return judge(
        total & ratio,
        argument=(
            "The probabilities sum to 1 and their quotient is e^ε, so the loss is ε for a kept bit and −ε for a",
            "flipped one.",
        ),
        evidence="symbolic",
    )
