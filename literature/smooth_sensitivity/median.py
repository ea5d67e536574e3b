"""The median: its global, local and smooth sensitivity.

From lecture slides on smooth sensitivity. x₁ ≤ … ≤ x_n in [0, Λ], n odd, m = (n+1)/2. Grids of [0, Λ] are enumerated;
the extremes move points to values of the grid or to the ends, so grid and interval agree.
"""

# ruff: noqa: B008 (the default argument is the claim itself: an immutable Formula)
from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

from dpwitness.literature.finding import Check, Finding, Formula, every, judge
from dpwitness.literature.registry import claim
from dpwitness.literature.smooth_sensitivity.local_and_smooth import distance
from dpwitness.literature.survey.methods import local_sensitivity, median
from dpwitness.literature.tools import at, at_most, equal, fact, neighbours, positive
from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.algebra.values import exact_value

F = Fraction
Entry = Callable[[int], Fraction]
TOP = 4
GRIDS = ((3, (0, 1, 3, 4)), (5, (0, 1, 4)), (7, (0, 4)))


def entry(x: Sequence[Any], outside: bool = True) -> Entry:
    """i ↦ x_i of the sorted data, 1-based; outside 1..n it is 0 or Λ, or an IndexError where `outside` is False."""
    ordered = sorted(x)

    def at_index(i: int) -> Fraction:
        if 1 <= i <= len(ordered):
            return F(ordered[i - 1])
        if not outside:
            raise IndexError(i)
        return F(0) if i < 1 else F(TOP)

    return at_index


@claim(
    "003-C2",
    title="Median, global",
    kind="sensitivity",
    statement="For D = [0,Λ], x₁ ≤ … ≤ x_n, n odd, m = (n+1)/2: GS_med = Λ. With x₁=…=x_m=0 and x_{m+1}=…=x_n=Λ the "
    "median is 0, and replacing x_m by Λ makes it Λ.",
)
def median_global(formula: Formula = Formula(sensitivity=lambda top: top, zeros=lambda n: (n + 1) // 2)) -> Finding:
    """GS by enumeration, and the printed pair of datasets."""

    def cases() -> Iterator[Check]:
        for n, grid in ((1, (0, 1, 4)), *GRIDS):
            gs = max(local_sensitivity(x, grid) for x in product(grid, repeat=n))
            yield fact(gs == formula["sensitivity"](TOP), "GS_med", n=n, left=gs, right=F(formula["sensitivity"](TOP)))
        for n in range(1, 16, 2):
            m = formula["zeros"](n)
            x = (0,) * m + (TOP,) * (n - m)
            y = (*x[: m - 1], TOP, *x[m:])
            yield fact(median(x) == 0 and median(y) == TOP, "the printed pair", n=n, median=median(x), after=median(y))

    return judge(
        every(cases(), "n ≤ 7 by enumeration, the pair for odd n ≤ 15"),
        argument=(
            "The median stays in [0, Λ], so GS ≤ Λ; m zeros and n−m = m−1 values Λ have median 0, m−1 zeros have",
            "median Λ.",
        ),
        evidence="exact",
    )


@claim(
    "003-C4",
    title="Median, local",
    kind="sensitivity",
    statement="LS_med(x) = max(x_m − x_{m−1}, x_{m+1} − x_m).",
)
def median_local(
    formula: Formula = Formula(local=lambda X, m: max(X(m) - X(m - 1), X(m + 1) - X(m))),
) -> Finding:
    """LS_med by the formula and by enumeration."""

    def cases() -> Iterator[Check]:
        for n, grid in GRIDS:
            for x in combinations_with_replacement(grid, n):
                true, told = local_sensitivity(x, grid), formula["local"](entry(x), (n + 1) // 2)
                yield fact(true == told, "", x=str(x), left=true, right=told)

    return judge(
        every(cases(), "all sorted data with n = 3 on four values, n = 5 on three, n = 7 on two"),
        argument=(
            "Replacing one point moves the median to x_{m−1} (a point from above goes below), to x_{m+1}, or to the",
            "new value if it falls between them; nothing else. So LS is the larger of the two gaps, for n ≥ 3 (n = 1",
            "with x₀ = 0, x₂ = Λ).",
        ),
        evidence="exact",
    )


@claim(
    "003-C5",
    title="Local sensitivity jumps",
    kind="example",
    statement="The datasets x₁=…=x_{m+1}=0, x_{m+2}=…=x_n=Λ and x₁=…=x_m=0, x_{m+1}=…=x_n=Λ are neighbours with median "
    "0; LS_med is 0 on the first and Λ on the second.",
)
def local_jumps(formula: Formula = Formula(zeros=lambda m: (m + 1, m), local=(0, 1))) -> Finding:
    """Two neighbours with LS 0 and LS Λ (values in units of Λ)."""

    def cases() -> Iterator[Check]:
        for n in range(3, 16, 2):
            m = (n + 1) // 2
            x, y = ((0,) * z + (TOP,) * (n - z) for z in formula["zeros"](m))
            seen = tuple(local_sensitivity(v, (0, 1, TOP)) for v in (x, y))
            yield fact(distance(x, y) == 1 and median(x) == median(y) == 0, "neighbours with median 0", n=n)
            yield fact(
                seen == tuple(F(v * TOP) for v in formula["local"]), "LS 0 and Λ", n=n, first=seen[0], second=seen[1]
            )

    return judge(
        every(cases(), "odd n from 3 to 15"),
        argument=(
            "By 003-C4: with m+1 zeros the gaps beside x_m are 0 and 0; with m zeros x_{m+1} − x_m = Λ. Needs n ≥ 3.",
        ),
        evidence="exact",
    )


@claim(
    "003-C10",
    title="Median, smooth",
    kind="sensitivity",
    statement="S*_{med,β}(x) = max_{k=0..n} e^{−kβ}·max_{t=0..k+1}(x_{m+t} − x_{m+t−k−1}), the inner maximum being "
    "A^{(k)}(x). After changing k points the median lies in [x_{m−k}, x_{m+k}]; A^{(k)} comes from the "
    "largest interval between two points that are k-apart, pushing the k points out of it.",
)
def median_smooth(
    formula: Formula = Formula(
        gap=lambda X, m, k, t: X(m + t) - X(m + t - k - 1),
        last=lambda k: k + 1,
        outside=False,
        reach=lambda m, k: (m - k, m + k),
    ),
) -> Finding:
    """A^{(k)}(x) = max_t gap against enumeration; `outside`: whether x_i = 0 (i < 1), Λ (i > n) is agreed."""

    def told(x: Sequence[int], k: int, outside: bool) -> Fraction:
        best, m = F(0), (len(x) + 1) // 2
        for t in range(formula["last"](k) + 1):
            try:
                best = max(best, formula["gap"](entry(x, outside), m, k, t))
            except IndexError:
                continue
        return best

    def cases(outside: bool) -> Iterator[Check]:
        for n, grid in GRIDS:
            points = list(product(grid, repeat=n))
            ls = {y: local_sensitivity(y, grid) for y in combinations_with_replacement(grid, n)}
            for x in combinations_with_replacement(grid, n):
                near: list[Fraction] = [F(0)] * (n + 1)
                low, high = [F(TOP)] * (n + 1), [F(0)] * (n + 1)
                for y in points:
                    d = distance(x, y)
                    near[d] = max(near[d], ls[tuple(sorted(y))])
                    low[d], high[d] = min(low[d], median(y)), max(high[d], median(y))
                for k in range(n + 1):
                    true = max(near[: k + 1])
                    seen = told(x, k, outside)
                    yield fact(true == seen, "A^(k)", x=str(x), k=k, left=true, right=seen)
                    a, b = (entry(x)(i) for i in formula["reach"]((n + 1) // 2, k))
                    yield fact(min(low[: k + 1]) == a and max(high[: k + 1]) == b, "the median's range", x=str(x), k=k)

    agreed = every(cases(True), "A^(k) for k = 0..n on all data, n = 3 (four values), 5 (three), 7 (two)")
    return judge(
        agreed if formula["outside"] else every(cases(False)),
        under=agreed,
        condition="with the convention x_i = 0 for i < 1 and x_i = Λ for i > n; the printed indices leave 1..n",
        argument=(
            "k changes can empty any window of k points around the median and then one more change jumps across it:",
            "the widest gap x_{m+t} − x_{m+t−k−1} with k points inside, t = 0..k+1. Near the ends the window reaches",
            "0 or Λ, which the indices m+t > n and m+t−k−1 < 1 must mean; without that convention data crowded at an",
            "end get a value that is too small.",
        ),
        evidence="exact",
        repair=agreed,
        repaired="S*_{med,β}(x) = max_k e^{−kβ} max_{t=0..k+1}(x_{m+t} − x_{m+t−k−1}) with x_i = 0 for i < 1, x_i = "
        "Λ for i > n",
    )


@claim(
    "003-C11",
    title="Cost for the median",
    kind="algorithm",
    statement="The formula of 003-C10 is computed naively in O(n²).",
)
def cost(formula: Formula = Formula(last=lambda k: k + 1, terms="(n + 1)*(n + 4)/2", bound="5*n**2")) -> Finding:
    """The number of differences that the double maximum evaluates."""

    def cases() -> Iterator[Check]:
        for n in range(1, 60):
            count = sum(formula["last"](k) + 1 for k in range(n + 1))
            want = exact_value(parse(formula["terms"]), {"n": F(n)})
            yield fact(want[0].rational == count * (want[1].rational or 0), "", n=n, terms=count)

    step = equal("(n + 2)*(n + 5)/2 - (n + 1)*(n + 4)/2", "n + 3", ["n"], "one more k adds k+2 = n+3 terms")
    return judge(
        every(cases(), "n < 60") & step & at_most(formula["terms"], formula["bound"], {"n": (1, None)}),
        argument=(
            "Σ_{k=0}^n (k+2) = (n+1)(n+4)/2 differences, each in constant time after sorting: between n²/2 and 5n².",
        ),
        evidence="certificate",
        tight="(n+1)(n+4)/2 exactly, so the naive cost is Θ(n²)",
    )


@claim(
    "003-C12",
    title="Evenly spread points",
    kind="example",
    statement="For x̂_i = i/n, i = 1..n, in [0,1]: S*(x̂) = max_k (e^{−kβ}·(k+1)/n) = e^{β−1}/(βn) ≥ 1/n.",
)
def evenly_spread(formula: Formula = Formula(closed="exp(b - 1)/(b*n)", least="1/n")) -> Finding:
    """max over integers k of e^{−kβ}(k+1)/n, k = 0..n−1, against the closed form; b is β."""
    closed = formula["closed"]

    def compare(n: int, b: Fraction) -> Check:
        values = [ExpSum.exp(-k * b) * F(k + 1, n) for k in range(n)]
        best = values[0]
        for v in values[1:]:
            best = v if (v - best).sign() > 0 else best
        top, bottom = exact_value(parse(closed), {"b": b, "n": F(n)})
        floor, under = exact_value(parse(formula["least"]), {"n": F(n)})
        good = (top - best * bottom).sign() == 0 and (best * under - floor).sign() * under.sign() >= 0
        return fact(good, "", n=n, beta=b, left=at(_text(best), {}), right=at(closed, {"b": b, "n": n}))

    def spread() -> Iterator[Check]:
        for n in (3, 5):
            x = tuple(F(i * TOP, n) for i in range(1, n + 1))
            for k in range(n):
                m = (n + 1) // 2
                width = max(entry(x)(m + t) - entry(x)(m + t - k - 1) for t in range(k + 2))
                yield fact(width == F((k + 1) * TOP, n), "A^(k) = (k+1)/n", n=n, k=k)

    inside = every(compare(n, F(1, j)) for n in (3, 9, 21) for j in range(1, n + 1))
    tangent = positive(
        "exp(v) - 1 - v", {"v": (None, None)}, note="w·e^{1−w} ≤ 1, with equality only at w = β(k+1) = 1"
    )
    least = at_most("b", "exp(b - 1)", {"b": (0, None)}, note="e^{β−1}/β ≥ 1")
    widths = every(spread(), "A^(k)(x̂) = (k+1)/n")
    outside = every([compare(9, b) for b in (F(2, 5), F(2), F(1, 20))])
    return judge(
        inside & outside & tangent & least & widths,
        under=inside & tangent & least & widths,
        condition="1/β is one of the integers 1, …, n; otherwise S* is strictly smaller than the closed form",
        argument=(
            "As a function of real k, e^{−kβ}(k+1) has its only maximum e^{β−1}/β at k = 1/β − 1. The maximum over",
            "the integers 0..n−1 equals it exactly when 1/β − 1 is one of them. For β > 1 the best k is 0 and S* =",
            "1/n, for β < 1/n it is n−1.",
        ),
        evidence="exact",
        repair=inside & tangent & least & widths,
        repaired="S*(x̂) = max_{0≤k<n} e^{−kβ}(k+1)/n ≤ e^{β−1}/(βn), with equality iff 1/β ∈ {1,…,n}; always S* ≥ 1/n",
    )


def _text(value: ExpSum) -> str:
    return " + ".join(f"({c})*exp({r})" for r, c in value.terms.items()) or "0"


__all__ = ["entry", "neighbours"]
