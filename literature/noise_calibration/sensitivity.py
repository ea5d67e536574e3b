"""Sensitivity in the L₁ norm, output perturbation and adaptive queries.

From lecture slides on the 2006 paper of Dwork, McSherry, Nissim and Smith. Neighbours differ in exactly one entry.
"""

# ruff: noqa: B008 (the default argument is the claim itself: an immutable Formula)
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from dpwitness.literature.finding import Check, Finding, Formula, every, judge
from dpwitness.literature.lines import piecewise_at_most, within_budget
from dpwitness.literature.registry import claim
from dpwitness.literature.tools import equal, fact, largest_ratio, neighbours, randomized_response

F = Fraction
Query = Callable[[Sequence[Any]], tuple[Fraction, ...]]


def l1(u: Sequence[Fraction | int], v: Sequence[Fraction | int]) -> Fraction:
    """‖u − v‖₁."""
    return sum((abs(F(a) - F(b)) for a, b in zip(u, v, strict=True)), F(0))


def sensitivity(query: Query, domain: Sequence[Any], size: int) -> Fraction:
    """max ‖f(x) − f(x′)‖₁ over databases of this size that differ in one entry, by enumeration."""
    return max(
        (l1(query(x), query(y)) for x in product(domain, repeat=size) for y in neighbours(x, domain)), default=F(0)
    )


def laplace_lemma(log_ratio: str = "Abs(w) - Abs(y)", log_bound: str = "Abs(y - w)") -> Check:
    """λ · ln h(y)/h(w) ≤ |y − w| for the density h of Lap(λ): the triangle inequality, decided on rays."""
    same = piecewise_at_most(log_ratio, "Abs(w) - Abs(y)") & piecewise_at_most("Abs(w) - Abs(y)", log_ratio)
    found = same & piecewise_at_most(log_ratio, log_bound)
    return Check(True, "|w|−|y| ≤ |y−w| on the rays between which both sides are linear") if found.ok else found


@claim(
    "000-C7",
    title="L₁ sensitivity",
    kind="definition",
    statement="S(f) is the smallest number with ‖f(x)−f(x′)‖₁ ≤ S(f) for all x, x′ differing in one entry; for all "
    "pairs of databases ‖f(x)−f(x′)‖₁ / d_H(x,x′) ≤ S(f).",
)
def l1_sensitivity(formula: Formula = Formula(measure=sensitivity)) -> Finding:
    """The definition, and the Lipschitz property along paths of neighbours."""
    queries: list[tuple[str, Query]] = [
        ("sum", lambda x: (F(sum(x)),)),
        ("square of the sum", lambda x: (F(sum(x)) ** 2,)),
        ("histogram", lambda x: tuple(F(x.count(v)) for v in (0, 1, 2))),
        ("max and product", lambda x: (F(max(x)), F(x[0] * x[-1]))),
    ]

    def cases() -> Iterator[Check]:
        for name, f in queries:
            for n in (1, 2, 3):
                s = formula["measure"](f, (0, 1, 2), n)
                points = list(product((0, 1, 2), repeat=n))
                attained = False
                for x, y in product(points, repeat=2):
                    gap, d = l1(f(x), f(y)), sum(a != b for a, b in zip(x, y, strict=True))
                    attained |= d == 1 and gap == s
                    yield fact(gap <= s * d, f"{name}: ‖f(x)−f(x′)‖₁ ≤ S·d_H", x=str(x), y=str(y), gap=gap, bound=s * d)
                yield fact(attained, f"{name}: S is the smallest such number", S=s)

    return judge(
        every(cases(), "four queries on all pairs of databases over {0,1,2}, n ≤ 3")
        & piecewise_at_most("Abs(y + w)", "Abs(y) + Abs(w)"),
        argument=(
            "Change the differing entries one at a time: d_H(x, x′) steps inside Dⁿ, each of length at most S(f); the",
            "triangle inequality adds them up. It uses that every intermediate database is in the domain, which Dⁿ",
            "gives.",
        ),
        evidence="exact",
    )


@claim(
    "000-C8",
    title="Sums",
    kind="sensitivity",
    statement="For D = {0,1} and f(x) = Σ_i x_i, S_{L₁}(f) = 1.",
)
def sums(formula: Formula = Formula(query=lambda x: (F(sum(x)),), sensitivity=1)) -> Finding:
    """The sum of n bits."""
    return judge(
        every(
            fact(s == formula["sensitivity"], "", n=str(n), sensitivity=s)
            for n in range(1, 9)
            for s in [sensitivity(formula["query"], (0, 1), n)]
        )
        & equal("(s + a) - (s + b)", "a - b", ["s", "a", "b"]),
        argument=("f(x) − f(x′) = x_i − x′_i ∈ {−1, 1} for the one differing entry i, whatever n is.",),
        evidence="exact",
    )


@claim(
    "000-C9",
    title="Histograms",
    kind="sensitivity",
    statement="For a domain D partitioned into d disjoint bins, the vector of bin counts has S_{L₁}(f) = 2, independent"
    " of d.",
)
def histograms(formula: Formula = Formula(sensitivity=2, bins=(1, 2, 3, 4, 5))) -> Finding:
    """Bin counts under substitution of one entry."""

    def cases(least: int) -> Iterator[Check]:
        for d in (b for b in formula["bins"] if b >= least):
            for n in (1, 2, 3):
                s = sensitivity(lambda x, d=d: tuple(F(x.count(v)) for v in range(d)), range(d), n)  # type: ignore[misc]
                yield fact(s == formula["sensitivity"], "", bins=d, entries=n, sensitivity=s)

    return judge(
        every(cases(1)),
        under=every(cases(2), "d = 2..5, n = 1..3 by enumeration"),
        condition="d ≥ 2 bins; with a single bin the count is n on every database and the sensitivity is 0",
        argument=(
            "Moving one entry from bin u to bin v ≠ u changes count u by −1 and count v by +1, and nothing else: ‖·‖₁",
            "= 2 for every d ≥ 2. One bin cannot change. The factor 2 belongs to substitution of an entry.",
        ),
        evidence="exact",
        repair=every(cases(2)),
        repaired="S_{L₁} = 2 for d ≥ 2 and 0 for d = 1, under substitution",
        disagreement="004-C4 takes 1 for the same histogram: there a neighbour has one record more or less",
    )


@claim(
    "000-C10",
    title="Output perturbation",
    kind="theorem",
    statement="For every f: Dⁿ → ℝ^d, San_f(x) = f(x) + (Y₁,…,Y_d) with Y_i i.i.d. from Lap(S(f)/ε) is "
    "ε-indistinguishable. Proof step: for Y with density ∝ e^{−‖y‖₁/λ}, Pr(z+Y=t)/Pr(z′+Y=t) ∈ "
    "exp(±‖z−z′‖₁/λ) for all t ∈ ℝ^d.",
)
def output_perturbation(formula: Formula = Formula(scale="S/e", log_bound="Abs(y - w)")) -> Finding:
    """f(x) + Lap(S/ε)^d; the proof step is coordinatewise."""
    step = laplace_lemma(log_bound=formula["log_bound"])
    loss = within_budget(f"S/({formula['scale']})", "e", ["S", "e"])
    return judge(
        step & loss,
        argument=(
            "ln of the density ratio at t is Σ_i (|t_i−z′_i|−|t_i−z_i|)/λ; each term is at most |z_i−z′_i|/λ, so the",
            "sum is at most ‖z−z′‖₁/λ ≤ S/λ = ε. The normaliser (2λ)^{−d} is common.",
        ),
        evidence="exact",
        tight="attained at every t beyond f(x) on the side away from f(x′), in each coordinate",
    )


def transcript_law(x: int, refuses: Callable[[int, tuple[str, ...]], bool], ratio: Fraction) -> dict[Any, Fraction]:
    """Two rounds of a server that answers the bit x by randomized response or refuses."""
    law: dict[tuple[str, ...], Fraction] = {(): F(1)}
    for _ in range(2):
        after: dict[tuple[str, ...], Fraction] = {}
        for past, weight in law.items():
            if refuses(x, past):
                after[(*past, "refused")] = weight
            else:
                for bit, w in randomized_response(x, ratio).items():
                    after[(*past, str(bit))] = after.get((*past, str(bit)), F(0)) + weight * w
        law = after
    return law


@claim(
    "000-C11",
    title="Adaptive queries",
    kind="theorem",
    statement="A server receives an adaptive sequence of queries f_i: Dⁿ → ℝ and for each one either refuses or answers"
    " f_i(x) + Lap(λ). With f_t the query vector fixed by transcript t and λ = max_t S(f_t)/ε, it is "
    "ε-indistinguishable against every adversary. Proof step: the transcript ratio is at most ∏_i "
    "exp(|f_t(x)_i−f_t(x′)_i|/λ) = exp(‖f_t(x)−f_t(x′)‖₁/λ).",
)
def adaptive_queries(
    formula: Formula = Formula(
        scale="m/e", refusals={"by transcript": lambda x, past: "1" in past, "by the data": lambda x, past: x == 1}
    ),
) -> Finding:
    """Adaptive Laplace answers at λ = max_t S(f_t)/ε; m = max_t S(f_t). Refusal rules run on two rounds."""
    step = within_budget(f"m/({formula['scale']})", "e", ["m", "e"]) & laplace_lemma()

    def served(names: list[str]) -> Check:
        return every(
            fact(
                r is not None and r <= g * g,
                f"two answers at loss ε/2 each with refusal {name}",
                ratio="infinite" if r is None else str(r),
                transcript="refused",
            )
            for name in names
            for g in (F(3, 2), F(2))
            for r in [largest_ratio(*(transcript_law(x, formula["refusals"][name], g) for x in (0, 1)))]
        )

    pasts = [past for n in (0, 1) for past in product(("0", "1", "refused"), repeat=n)]
    rules = formula["refusals"]
    public = [name for name, rule in rules.items() if all(rule(0, past) == rule(1, past) for past in pasts)]
    return judge(
        step & served(list(rules)),
        under=step & served(public) if public else None,
        condition="the decision to refuse depends on the transcript so far (and coins), never on x itself",
        argument=(
            "Given the transcript the queries and refusals are fixed, refusals contribute a factor 1, and each answer",
            "contributes exp(|f_t(x)_i−f_t(x′)_i|/λ): the product is exp(‖f_t(x)−f_t(x′)‖₁/λ) ≤ e^ε. If the server",
            "may look at x before it refuses, the transcript 'refused' has probability 1 on one database and 0 on its",
            "neighbour.",
        ),
        evidence="exact",
        repair=step & served(public) if public else None,
        repaired="with a refusal rule that reads the transcript only, λ = max_t S(f_t)/ε gives ε-indistinguishability",
    )


@claim(
    "000-C17",
    title="Interactive sums",
    kind="sensitivity",
    statement="Queries f_g(x) = Σ_{i=1}^n g(i,x_i) with g: [n]×D → [0,1] have S_{L₁}(f_g) = 1.",
)
def interactive_sums(
    formula: Formula = Formula(
        sensitivity=1,
        tables={
            "full range": ((0, 1), (0, F(1, 2))),
            "constant": ((0, 0), (1, 1)),
            "half range": ((F(1, 4), F(3, 4)), (0, F(1, 3))),
        },
    ),
) -> Finding:
    """Σ_i g(i, x_i) with g in [0,1]; a table lists g(i, ·) on two values for two entries."""
    rows = formula["tables"]

    def measured(g: Any) -> Fraction:
        return sensitivity(lambda x: (sum((F(g[i][v]) for i, v in enumerate(x)), F(0)),), (0, 1), 2)

    def swing(g: Any) -> Fraction:
        return max(F(max(row) - min(row)) for row in g)

    def cases(names: list[str]) -> Iterator[Check]:
        for name in names:
            s = measured(rows[name])
            yield fact(
                s == swing(rows[name]) <= 1, f"{name}: S is the largest swing of a g(i, ·)", g=name, sensitivity=s
            )
            yield fact(s == formula["sensitivity"], f"{name}", g=name, sensitivity=s)

    full = [name for name in rows if swing(rows[name]) == 1]
    general = equal("(s + a) - (s + b)", "a - b", ["s", "a", "b"])
    return judge(
        every(cases(list(rows))) & general,
        under=every(cases(full)) & general if full else None,
        condition="some g(i, ·) takes values 0 and 1 (swing sup − inf = 1); otherwise S is smaller, and always S ≤ 1",
        argument=(
            "Only the term of the differing entry changes, so S = max_i (sup g(i,·) − inf g(i,·)) ≤ 1, with equality",
            "exactly when some g(i, ·) swings over the whole of [0, 1]. A constant g has sensitivity 0.",
        ),
        evidence="exact",
        repair=general,
        repaired="S_{L₁}(f_g) = max_i (sup g(i,·) − inf g(i,·)) ≤ 1",
    )
