"""The exponential mechanism, query classes, sanitized databases, and the scope of the guarantee.

From a survey talk by Avrim Blum. Neighbours X, X′ differ in one element, x_i → x′_i.
"""

# ruff: noqa: B008 (the default argument is the claim itself: an immutable Formula)
from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from dpwitness.literature.finding import Check, Finding, Formula, every, judge
from dpwitness.literature.lines import within_budget
from dpwitness.literature.registry import claim
from dpwitness.literature.tools import (
    at_most,
    equal,
    fact,
    joint,
    largest_ratio,
    randomized_response,
    rational,
    show,
)
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.releases.tables import Row, pure_loss, within

F = Fraction


@claim(
    "001-C16",
    title="Exponential mechanism",
    kind="algorithm",
    statement="Score each possible output by how close it is to the optimum and run Laplace over the scores: output "
    "with probability exponential in −score. Privacy follows from GS(score).",
)
def exponential_mechanism(formula: Formula = Formula(rate="e/(2*G)")) -> Finding:
    """Pr(output) ∝ e^{−rate·score}; G = GS(score)."""
    rate = formula["rate"]
    general = within_budget(f"2*G*({rate})", "e", ["e", "G"])
    r = rational(rate, e=1, G=1)

    def cases() -> Iterator[Check]:
        scores = list(product(range(3), repeat=3))
        for a, b in product(scores, repeat=2):
            if max(abs(x - y) for x, y in zip(a, b, strict=True)) <= 1:
                rows = [Row.weighted([ExpSum.exp(-r * s) for s in row]) for row in (a, b)]
                yield fact(within(rows[0], rows[1], F(1), F(0)), "", scores=str(a), neighbour=str(b), rate=r)

    wide = [
        Row.weighted([ExpSum.exp(-r * s) * c for s, c in row]) for row in ([(0, 1), (1, 10**6)], [(1, 1), (0, 10**6)])
    ]
    loss = pure_loss(*wide)
    return judge(
        general & every(cases(), "all score vectors in {0,1,2}³ at ε = 1"),
        argument=(
            "A score moves by at most GS, so the weight e^{−rate·score} and the normaliser each change by at most",
            "e^{rate·GS}: the loss is at most 2·rate·GS, and rate = ε/(2GS) gives ε.",
        ),
        evidence="exact",
        tight="the 2 is needed in general: two outputs, one of them a million times, lose "
        f"{show(loss) if loss else '∞'} of ε = 1",
    )


@claim(
    "001-C17",
    title="Conjunctive queries",
    kind="identity",
    statement="Over d Boolean attributes there are 3^d conjunctive queries of the form x[i₁]=1, x[i₂]=0, …, x[i_k]=1.",
)
def conjunctive_queries(formula: Formula = Formula(count=lambda d: 3**d)) -> Finding:
    """Different conjunctions as sets of satisfying rows."""

    def cases() -> Iterator[Check]:
        for d in range(1, 7):
            rows = list(product((0, 1), repeat=d))
            seen = {
                frozenset(r for r in rows if all(w is None or w == v for w, v in zip(want, r, strict=True)))
                for want in product((0, 1, None), repeat=d)
            }
            yield fact(len(seen) == formula["count"](d), "", d=d, queries=len(seen))

    return judge(
        every(cases(), "d = 1..6, counted as different functions"),
        argument=(
            "Each attribute is required to be 1, required to be 0, or absent: 3 choices each, all giving different",
            "queries. The empty conjunction is counted (without it 3^d − 1).",
        ),
        evidence="exact",
    )


@claim(
    "001-C18",
    title="Sanitized databases (BLR)",
    kind="utility",
    statement="All q ∈ C can be preserved to ±α with ε-privacy from n = O(d log|C|). Databases of size m = "
    "O(VCdim(C)/α²) suffice to represent C; sampling with Pr(S) ∝ e^{−O(εn·penalty(S))} and solving gives n ≈"
    " VCdim(C)·d/(εα³).",
)
def sanitized_databases(
    formula: Formula = Formula(alpha_power=3, rate="e*n/2", penalty_sensitivity="1/n", representatives="2*L/a**2"),
) -> Finding:
    """L = ln(2|C|), m rows represent C to ±α/2, 2^{dm} candidates, t = ln(1/β), l = ln 2 ≤ 7/10."""
    private = within_budget(f"2*({formula['rate']})*({formula['penalty_sensitivity']})", "e", ["e", "n"])
    exists = equal(
        f"L - 2*({formula['representatives']})*(a/2)**2", "0", ["L", "a"], "2|C|e^{−2m(α/2)²} ≤ 1 from m = 2L/α²"
    )
    useful = equal(
        "d*m*l - e*((4*(d*m*l + t))/(e*a))*a/4", "-t", ["d", "m", "l", "e", "t", "a"], "2^{dm}e^{−εnα/4} = β"
    )
    rounded = at_most("2*L + a**2", "3*L", {"L": (1, None), "a": (0, 1)}, note="m ≤ 2L/α² + 1 ≤ 3L/α²")
    p = formula["alpha_power"]
    size = every(
        fact(4 * (3 * F(7, 10) + a * a) / a**3 <= 13 / a**p, "n ≤ 13·dL/(εα^p) for t ≤ dL", alpha=a, power=p)
        for a in (F(1), F(1, 10), F(1, 1000))
    ) & at_most("4*(21/10 + a**2)", "13", {"a": (0, 1)})
    return judge(
        private & exists & useful & rounded & size,
        argument=(
            "m > 2 ln(2|C|)/α² random rows represent all of C to ±α/2 with positive probability (Hoeffding, union",
            "bound), and VCdim ≤ log₂|C|. The penalty max_q |q(S)−q(X)| has sensitivity 1/n, so Pr(S) ∝",
            "e^{−εn·penalty/2} is ε-DP, and it exceeds α with probability at most 2^{dm}e^{−εnα/4} ≤ β once n ≥ 4(dm",
            "ln 2 + ln(1/β))/(εα) = O(d·log|C|/(εα³)). With VCdim(C) in place of log|C| the first step is the theorem",
            "of uniform convergence, which is cited here and not proved again; the rest is unchanged.",
        ),
        evidence="certificate",
        tight="explicit: n ≥ 13·d·ln(2|C|)/(εα³) suffices for α ≤ 1 and failure probability β ≥ e^{−d·ln(2|C|)}; "
        "fixed α, ε",
    )


@claim(
    "001-C19",
    title="Scope of the guarantee",
    kind="privacy claim",
    statement="Any event has nearly the same probability if you join or do not join, lie or tell the truth; the "
    "definition does not address group information.",
)
def scope(formula: Formula = Formula(changes=("lie", "join"), group_factor=lambda k: k)) -> Finding:
    """'Lie or tell the truth' is a substitution; 'join or not' adds a record. A group of k is k changes."""
    size = {n: {n: F(1)} for n in (2, 3)}  # a mechanism that publishes the number of records
    lie = fact(largest_ratio(size[2], size[2]) == 1, "publishing n is 0-DP under substitution")
    r = largest_ratio(size[2], size[3])
    join = fact(r is not None, "joining changes n", mechanism="publish |X|", ratio="infinite" if r is None else r)
    table = {"lie": lie, "join": join}

    def groups() -> Iterator[Check]:
        for g in (F(11, 10), F(2)):
            for k in (1, 2, 3, 4):
                seen = largest_ratio(*(joint(*(randomized_response(x, g) for _ in range(k))) for x in (0, 1)))
                yield fact(
                    seen == g ** formula["group_factor"](k), "a group of k", k=k, exp_eps=g, ratio=seen or "infinite"
                )

    inside = lie & every(groups(), "groups of k ≤ 4 by randomized response: e^{kε}, attained")
    return judge(
        every([table[name] for name in formula["changes"]]) & inside,
        under=inside if "lie" in formula["changes"] else None,
        condition="'join or not join' needs neighbours that add or remove a record; substitution covers 'lie or tell "
        "the truth'",
        argument=(
            "Summing over an event keeps the factor e^{±ε} (000-C1), so every event is covered for the talk's",
            "neighbours x_i → x′_i. They do not cover joining: publishing |X| is 0-DP there and reveals who joined.",
            "For a group of k the guarantee is e^{kε}, attained by randomized response: at the level ε group",
            "information is not addressed.",
        ),
        evidence="exact",
        repair=inside,
        repaired="an event's probability changes by at most e^{±ε} if you lie, by e^{±kε} if k people do; for "
        "joining use add/remove",
        disagreement="000, 001 and 003 substitute an entry; the proof for report noisy max in 004 adds a record",
    )
