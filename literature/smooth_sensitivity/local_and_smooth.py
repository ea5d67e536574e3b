"""Global, local and smooth sensitivity on finite domains, exactly.

From lecture slides on smooth sensitivity (after Nissim, Raskhodnikova and Smith). Datasets are x ∈ Dⁿ, neighbours
differ in one entry. e^{−β} is a rational number u, so that all values are exact.
"""

# ruff: noqa: B008 (the default argument is the claim itself: an immutable Formula)
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from typing import Any

from dpwitness.literature.finding import Check, Finding, Formula, every, judge
from dpwitness.literature.registry import claim
from dpwitness.literature.survey.methods import median
from dpwitness.literature.tools import equal, fact, neighbours, positive

F = Fraction
Point = tuple[Any, ...]
Query = Callable[[Point], tuple[Fraction, ...]]
Norm = Callable[[Sequence[Fraction]], Fraction]
DOMAIN, SIZE = (0, 1, 3), 3
POINTS = list(product(DOMAIN, repeat=SIZE))
QUERIES: dict[str, Query] = {
    "median": lambda x: (median(x),),
    "sum": lambda x: (F(sum(x)),),
    "max": lambda x: (F(max(x)),),
    "square of the first, spread": lambda x: (F(x[0]) ** 2, F(max(x) - min(x))),
}
RATES = (F(9, 10), F(1, 2), F(1, 5))


def manhattan(u: Sequence[Fraction]) -> Fraction:
    """‖u‖₁."""
    return sum((abs(v) for v in u), F(0))


def gap(query: Query, x: Point, y: Point, norm: Norm = manhattan) -> Fraction:
    """‖f(x) − f(y)‖."""
    return norm([a - b for a, b in zip(query(x), query(y), strict=True)])


def distance(x: Point, y: Point) -> int:
    """The number of entries that differ."""
    return sum(a != b for a, b in zip(x, y, strict=True))


@cache
def local_table(name: str) -> Mapping[Point, Fraction]:
    """LS_f at every dataset, by enumeration."""
    f = QUERIES[name]
    return {x: max(gap(f, x, y) for y in neighbours(x, DOMAIN)) for x in POINTS}


def smooth_table(ls: Mapping[Point, Fraction], weight: Callable[[int], Fraction]) -> dict[Point, Fraction]:
    """max_y LS(y)·weight(d(x,y))."""
    return {x: max(v * weight(distance(x, y)) for y, v in ls.items()) for x in ls}


def laplace_loss(z: Sequence[Fraction], other: Sequence[Fraction]) -> Fraction:
    """λ times the largest log-ratio of Laplace noise around z and around `other`: attained at t = z."""
    return sum((abs(a - b) for a, b in zip(z, other, strict=True)), F(0))


def sensitivity_is_right(norm: Norm) -> Check:
    """That scale GS/ε with this norm makes the Laplace mechanism lose exactly ε in the worst case."""

    def cases() -> Iterator[Check]:
        for name, f in QUERIES.items():
            pairs = [(x, y) for x in POINTS for y in neighbours(x, DOMAIN)]
            gs = max(gap(f, x, y, norm) for x, y in pairs)
            worst = max(laplace_loss(f(x), f(y)) for x, y in pairs)
            yield fact(worst == gs, f"{name}: noise Lap(GS/ε) loses exactly ε", query=name, GS=gs, needed=worst)
            far = all(gap(f, x, y, norm) <= gs * distance(x, y) for x, y in product(POINTS, repeat=2))
            yield fact(far, f"{name}: ‖f(x)−f(y)‖ ≤ GS·d(x,y)", query=name, GS=gs)

    return every(cases(), "four queries on {0,1,3}³")


@claim(
    "003-C1",
    title="Global sensitivity",
    kind="definition",
    statement="GS_f = max over d(x,y)=1 of ‖f(x)−f(y)‖₁ for f: Dⁿ → ℝ^d.",
)
def global_sensitivity(formula: Formula = Formula(norm=manhattan)) -> Finding:
    """The norm of the definition."""
    return judge(
        sensitivity_is_right(formula["norm"]),
        argument=(
            "Definition. Its use: Laplace noise of scale GS_f/ε loses exactly ε in the worst case, and ‖f(x)−f(y)‖₁ ≤",
            "GS_f·d(x,y) along a path of single changes. Both are computed for four queries, one of them with two",
            "coordinates.",
        ),
        evidence="exact",
    )


@claim(
    "003-C3",
    title="Local sensitivity",
    kind="definition",
    statement="LS_f(x) = max over y with d(x,y)=1 of ‖f(x)−f(y)‖₁, and GS_f = max_x LS_f(x).",
)
def local_sensitivity(formula: Formula = Formula(norm=manhattan, combine=max)) -> Finding:
    """LS_f(x), and GS_f = combine of all LS_f(x)."""

    def cases() -> Iterator[Check]:
        for name, f in QUERIES.items():
            ls = {x: max(gap(f, x, y, formula["norm"]) for y in neighbours(x, DOMAIN)) for x in POINTS}
            gs = max(gap(f, x, y) for x, y in product(POINTS, repeat=2) if distance(x, y) == 1)
            seen = formula["combine"](ls.values())
            yield fact(seen == gs, "GS = max LS", query=name, left=gs, right=seen)

    return judge(
        every(cases(), "four queries on {0,1,3}³"),
        argument=(
            "The maximum over ordered pairs of neighbours is the maximum over x of the maximum over its neighbours y.",
        ),
        evidence="exact",
    )


def is_smooth(s: Mapping[Point, Fraction], ls: Mapping[Point, Fraction], u: Fraction) -> bool:
    """The predicate of a β-smooth upper bound, u = e^{−β}: S ≥ LS, and u·S(x) ≤ S(y) for neighbours."""
    return all(s[x] >= ls[x] for x in s) and all(u * s[x] <= s[y] for x in s for y in neighbours(x, DOMAIN))


@claim(
    "003-C6",
    title="β-smooth upper bound",
    kind="definition",
    statement="For β > 0, S: Dⁿ → ℝ⁺ is a β-smooth upper bound on LS_f if S(x) ≥ LS_f(x) for all x and S(x) ≤ e^β·S(y) "
    "whenever d(x,y)=1. GS_f is 0-smooth.",
)
def smooth_upper_bound(formula: Formula = Formula(predicate=is_smooth, constant_rate=F(1))) -> Finding:
    """The predicate, tried on GS, on LS itself and on S*."""

    def cases() -> Iterator[Check]:
        for name in QUERIES:
            ls = local_table(name)
            gs = dict.fromkeys(POINTS, max(ls.values()))
            yield fact(formula["predicate"](gs, ls, formula["constant_rate"]), "GS is 0-smooth", query=name)
            jumpy = min(F(ls[y]) / ls[x] for x in POINTS for y in neighbours(x, DOMAIN) if ls[x])
            for u in RATES:
                best = smooth_table(ls, lambda k, u=u: u**k)  # type: ignore[misc]
                yield fact(formula["predicate"](best, ls, u), "S* is β-smooth", query=name, u=u)
                yield fact(
                    formula["predicate"](ls, ls, u) == (jumpy >= u),
                    "LS is smooth iff it does not jump",
                    query=name,
                    u=u,
                )

    return judge(
        every(cases(), "four queries, three rates"),
        argument=(
            "Definition; a constant bound changes by the factor e^0 = 1 and GS ≥ LS, so GS is 0-smooth. The predicate",
            "accepts S* and rejects LS wherever LS jumps by more than e^β.",
        ),
        evidence="exact",
    )


@claim(
    "003-C7",
    title="Role of β",
    kind="inequality",
    statement="As β increases the bound gets tighter and is allowed to fluctuate more.",
)
def role_of_beta(formula: Formula = Formula(weight=lambda u, k: u**k)) -> Finding:
    """S* at a larger β is smaller everywhere, and every β-smooth bound is β′-smooth for β′ > β."""
    weight = formula["weight"]

    def cases() -> Iterator[Check]:
        for name in QUERIES:
            ls = local_table(name)
            rows = [smooth_table(ls, lambda k, u=u: weight(u, k)) for u in sorted(RATES, reverse=True)]  # type: ignore[misc]
            for a, b in pairwise(rows):
                yield fact(all(b[x] <= a[x] for x in a), "larger β, smaller bound", query=name)
            for i, u in enumerate(sorted(RATES, reverse=True)):
                for v in sorted(RATES, reverse=True)[i:]:
                    yield fact(is_smooth(rows[i], ls, v), "β-smooth is β′-smooth for β′ ≥ β", query=name, u=u, v=v)

    return judge(
        every(cases(), "four queries, three rates")
        & positive("1 - exp(-w)", {"w": (0, None)}, note="e^{−(β+c)k} = e^{−βk}·e^{−ck} ≤ e^{−βk}"),
        argument=(
            "Each term LS(y)e^{−βd} falls as β grows, so the maximum does; and S(x) ≤ e^βS(y) implies S(x) ≤",
            "e^{β′}S(y).",
        ),
        evidence="exact",
        tight="β = 0 gives GS, β → ∞ gives LS (where LS > 0)",
    )


def closure(ls: Mapping[Point, Fraction], u: Fraction) -> dict[Point, Fraction]:
    """The least β-smooth upper bound: raise LS until u·S(x) ≤ S(y) holds for all neighbours."""
    s = dict(ls)
    while True:
        raised = {x: max(s[x], *(u * s[y] for y in neighbours(x, DOMAIN))) for x in s}
        if raised == s:
            return s
        s = raised


@claim(
    "003-C8",
    title="Smooth sensitivity",
    kind="theorem",
    statement="S*_{f,β}(x) = max_{y∈Dⁿ} LS_f(y)·e^{−βd(x,y)} is a β-smooth upper bound on LS_f, and S*_{f,β}(x) ≤ S(x) "
    "for every β-smooth upper bound S and all x. Proof steps: S*(y) ≥ e^{−β}S*(x) if d(x,y)=1; S(x) ≥ "
    "LS_f(y)·e^{−βd(x,y)} by induction on d(x,y).",
)
def smooth_sensitivity(formula: Formula = Formula(weight=lambda u, k: u**k)) -> Finding:
    """S* against the least smooth bound, computed independently as a fixed point."""

    def cases() -> Iterator[Check]:
        for name in QUERIES:
            ls = local_table(name)
            for u in RATES:
                star = smooth_table(ls, lambda k, u=u: formula["weight"](u, k))  # type: ignore[misc]
                least = closure(ls, u)
                bad = next((x for x in star if star[x] != least[x]), None)
                seen: dict[str, Any] = {} if bad is None else {"x": str(bad), "left": star[bad], "right": least[bad]}
                yield fact(
                    bad is None and is_smooth(star, ls, u), "S* is the least smooth bound", query=name, u=u, **seen
                )

    step = equal("L*exp(-b*k)*exp(-b)", "L*exp(-b*(k+1))", ["L", "b", "k"], "one step of the induction on d(x,y)")
    return judge(
        every(cases(), "four queries, three rates") & step,
        argument=(
            "Smooth: if y attains S*(x) then d(x′,y) ≤ d(x,y)+1, so S*(x′) ≥ e^{−β}S*(x). Least: S(x) ≥ e^{−β}S(x₁) ≥",
            "… ≥ e^{−βd}LS(y) along a path to y. On finite domains the least smooth bound is computed as a fixed",
            "point, and it is S*.",
        ),
        evidence="exact",
    )


@claim(
    "003-C9",
    title="Sensitivity at distance k",
    kind="identity",
    statement="With A^{(k)}(x) = max over d(x,y) ≤ k of LS_f(y): S*_{f,β}(x) = max_{k=0..n} e^{−βk}·max_{d(x,y)=k} "
    "LS_f(y) = max_{k=0..n} e^{−βk} A^{(k)}(x).",
)
def sensitivity_at_distance(
    formula: Formula = Formula(exact=lambda d, k: d == k, within=lambda d, k: d <= k, last=lambda n: n),
) -> Finding:
    """max over k of u^k·max{LS(y) : d(x,y) = k} and of u^k·A^{(k)}(x), A^{(k)} over d(x,y) ≤ k, for k = 0..last(n)."""

    def cases() -> Iterator[Check]:
        for name in QUERIES:
            ls = local_table(name)
            for u in RATES:
                star = smooth_table(ls, lambda k, u=u: u**k)  # type: ignore[misc]
                for x in POINTS:
                    forms = [
                        max(
                            u**k * max((v for y, v in ls.items() if test(distance(x, y), k)), default=F(0))
                            for k in range(formula["last"](SIZE) + 1)
                        )
                        for test in (formula["exact"], formula["within"])
                    ]
                    yield fact(
                        forms == [star[x]] * 2,
                        "",
                        query=name,
                        x=str(x),
                        u=u,
                        S=star[x],
                        forms=str(list(map(str, forms))),
                    )

    return judge(
        every(cases(), "four queries, three rates, all x in {0,1,3}³"),
        argument=(
            "Grouping the maximum by d(x,y) = k gives the first form. A^{(k)} may take its value at a smaller",
            "distance j ≤ k, where the j-th term is at least as large because e^{−βk} ≤ e^{−βj}; so the second form",
            "is the same.",
        ),
        evidence="exact",
    )
