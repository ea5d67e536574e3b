"""Parity sets, characters and the variance over a random parity set.

From lecture slides on the 2006 paper of Dwork, McSherry, Nissim and Smith. All masks r of d ≤ 12 bits are enumerated
exactly by a fast Walsh–Hadamard transform; the steps that hold for every d are checked symbolically.
"""

# ruff: noqa: B008 (the default argument is the claim itself: an immutable Formula)
from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import prod

from dpwitness.literature.finding import Check, Finding, Formula, every, judge
from dpwitness.literature.registry import claim
from dpwitness.literature.tools import at_most, equal, fact, positive, statistical_difference
from dpwitness.literature.walsh import Randomizer, examples, parity, response, transform

F = Fraction
DIMENSIONS = range(1, 13)


def half(bits: int, r: int, b: int) -> list[int]:
    """D_{r,b}."""
    return [x for x in range(1 << bits) if parity(r, x) == b]


@claim(
    "000-C18",
    title="Parity sets",
    kind="identity",
    statement="For r ≠ 0 the sets D_r = {x ∈ {0,1}^d : r⊙x = 0} and D̄_r = D∖D_r have 2^{d−1} elements each. For "
    "g_r(i,x) = r_i⊙x, Distribution 0 (f_g = 0) is T_San(D_{r₁},…,D_{r_n}) and Distribution 1 (f_g = n) is "
    "T_San(D̄_{r₁},…,D̄_{r_n}).",
)
def parity_sets(
    formula: Formula = Formula(size=lambda d: 2 ** (d - 1), sum_on_even=lambda n: 0, sum_on_odd=lambda n: n),
) -> Finding:
    """|D_r| by the transform of the constant 1; Distributions 0 and 1 by the values of Σ r_i⊙x_i."""

    def sizes() -> Iterator[Check]:
        for d in DIMENSIONS:
            n = 1 << d
            counts = [(n + w) // 2 for w in transform([1] * n)]
            bad = [r for r in range(1, n) if counts[r] != formula["size"](d) or n - counts[r] != formula["size"](d)]
            yield fact(not bad, f"d={d}", d=d, r=bad[0] if bad else 0, size=counts[bad[0]] if bad else 0)

    def products() -> Iterator[Check]:
        for d, n in ((1, 3), (2, 2), (3, 2)):
            for masks in product(range(1, 1 << d), repeat=n):
                for b, total in ((0, formula["sum_on_even"](n)), (1, formula["sum_on_odd"](n))):
                    chosen = sum(
                        1
                        for x in product(range(1 << d), repeat=n)
                        if sum(parity(r, v) for r, v in zip(masks, x, strict=True)) == total
                    )
                    boxed = prod(len(half(d, r, b)) for r in masks)
                    yield fact(chosen == boxed, "the event f_g = const is a product of parity sets", masks=str(masks))

    return judge(
        every(sizes(), "every r ≠ 0 for d = 1..12") & every(products(), "products for n ≤ 3"),
        argument=(
            "Flipping a bit j with r_j = 1 is a bijection between D_r and its complement, so both have 2^{d−1}",
            "elements. A sum of n bits is 0 only if all are 0 and n only if all are 1, so the two events are the",
            "products of sets.",
        ),
        evidence="exact",
    )


@claim(
    "000-C19",
    title="Mean and midpoint",
    kind="identity",
    statement="With p̂(z) = Pr[Z(D_{r,b})=z], D_{r,b} = {x : r⊙x = b} for an offset bit b, p(z) = 2^{−d} Σ_x p(z|x): "
    "E_{r,b}[p̂(z)] = p(z). Z(D) is the midpoint of Z(D_r) and Z(D̄_r), so SD(Z(D_r),Z(D)) = "
    "SD(Z(D̄_r),Z(D)).",
)
def mean_and_midpoint(formula: Formula = Formula(weight=F(1, 2))) -> Finding:
    """E_{r,b}[p̂] = p, and Z(D) = weight·Z(D_r) + (1−weight)·Z(D̄_r)."""
    w = formula["weight"]

    def cases() -> Iterator[Check]:
        for d in (1, 2, 3, 4):
            for m in examples(d):
                n = m.size
                for r in range(1, n):
                    laws = [
                        {z: F(2 * sum(row[x] for x in half(d, r, b)), n * m.total) for z, row in enumerate(m.rows)}
                        for b in (0, 1)
                    ]
                    centre = {z: m.mean(z) for z in range(len(m.rows))}
                    middle = all(w * laws[0][z] + (1 - w) * laws[1][z] == centre[z] for z in centre)
                    yield fact(middle, "Z(D) is the midpoint", mechanism=m.name, d=d, r=r)
                    sides = [statistical_difference(law, centre) for law in laws]
                    yield fact(sides[0] == sides[1], "the same distance on both sides", mechanism=m.name, d=d, r=r)

    return judge(
        every(cases(), "six randomizers, d ≤ 4, every r ≠ 0") & equal("(u+v)/2 - u", "v - (u+v)/2", ["u", "v"]),
        argument=(
            "D_r and D̄_r have equal size and partition D, so Z(D) is the mean of the two laws for every r ≠ 0;",
            "averaging over b gives E[p̂(z)] = p(z). The two deviations are opposite, hence equal in statistical",
            "difference.",
        ),
        evidence="exact",
        tight="r ≠ 0 is needed: for r = 0 the set D_{0,1} is empty",
    )


@claim(
    "000-C20",
    title="Character mean",
    kind="identity",
    statement="With χ₀(x) = 1 if x ∈ D_{r,b} and 0 otherwise, 2χ₀(x)−1 = (−1)^{r⊙x⊕b} and E_{r,b}[2χ₀(x)−1] = 0.",
)
def character_mean(
    formula: Formula = Formula(sign=lambda r, x, b: (-1) ** (parity(r, x) ^ b), mean=F(0)),
) -> Finding:
    """2χ₀ − 1 as a sign, and its mean over r ≠ 0 and b."""

    def cases() -> Iterator[Check]:
        for d in (1, 2, 3, 4, 5):
            for x in range(1 << d):
                signs = []
                for r in range(1, 1 << d):
                    for b in (0, 1):
                        inside = 2 * int(parity(r, x) == b) - 1
                        signs.append(inside)
                        yield fact(inside == formula["sign"](r, x, b), "the sign", d=d, r=r, x=x, b=b)
                yield fact(
                    F(sum(signs), len(signs)) == formula["mean"], "the mean", d=d, x=x, mean=F(sum(signs), len(signs))
                )

    return judge(
        every(cases(), "all r ≠ 0, b, x for d ≤ 5"),
        argument=(
            "x ∈ D_{r,b} iff r⊙x⊕b = 0. Flipping b flips the sign and keeps r, so the mean over b alone is 0, any d.",
        ),
        evidence="exact",
    )


@claim(
    "000-C21",
    title="Character correlation",
    kind="identity",
    statement="For x ≠ y and r ≠ 0^d, E_{r,b}[(2χ₀(x)−1)(2χ₀(y)−1)] = 1/2^d; with no restriction on r it would be 0.",
)
def character_correlation(
    formula: Formula = Formula(restricted=lambda d: F(1, 2**d), unrestricted=lambda d: F(0)),
) -> Finding:
    """E[(−1)^{r⊙(x⊕y)}] over r ≠ 0, for every u = x⊕y ≠ 0, by one transform."""

    def cases(restricted: object) -> Iterator[Check]:
        for d in DIMENSIONS:
            n = 1 << d
            free = transform([1] * n)
            nonzero = transform([0] + [1] * (n - 1))
            for u in range(1, n):
                true = F(nonzero[u], n - 1)
                want = restricted(d)  # type: ignore[operator]
                if true != want or F(free[u], n) != formula["unrestricted"](d):
                    yield fact(False, "the correlation", d=d, xor=u, left=true, right=want, unrestricted=F(free[u], n))
                    return
            yield Check(True, "")

    return judge(
        every(cases(formula["restricted"]), "every pair x ≠ y for d ≤ 12"),
        argument=(
            "Over all r the characters of u = x⊕y ≠ 0 sum to 0; leaving out r = 0 takes away a term +1 and leaves −1,",
            "over 2^d − 1 masks. The correlation is negative, not 1/2^d: the sign and the denominator are wrong.",
        ),
        evidence="exact",
        repair=every(cases(lambda d: F(-1, 2**d - 1)), "−1/(2^d−1) for every x ≠ y, d ≤ 12")
        & equal("(0 - 1)/(n - 1)", "-1/(n - 1)", ["n"]),
        repaired="E_{r≠0,b}[(2χ₀(x)−1)(2χ₀(y)−1)] = −1/(2^d−1) for x ≠ y; without the restriction it is 0",
    )


def weights(bits: int) -> Iterator[tuple[int, ...]]:
    """Rows p(z|·) of several kinds."""
    for m in examples(bits):
        yield from m.rows[:2]


@claim(
    "000-C22",
    title="Variance expansion",
    kind="identity",
    statement="With q_x = p(z|x) − min_x p(z|x) and q̄ = 2^{−d}Σ_x q_x: Var_{r,b}[p̂(z)] = 2^{−2d} Σ_x q_x² + 2^{−3d} "
    "Σ_{x≠y} q_x q_y = ((1−2^{−d})/2^{2d}) Σ_x q_x² + 2^{−d}(2^{−d}Σ_x q_x)² ≤ 2^{−d}(max_x q_x² + q̄²).",
)
def variance_expansion(
    formula: Formula = Formula(
        first=lambda s2, s1, n: F(s2, n**2) + F(s1 * s1 - s2, n**3),
        second=lambda s2, s1, n: (1 - F(1, n)) / n**2 * s2 + F(1, n) * F(s1, n) ** 2,
        bound=lambda top, s1, n: F(1, n) * (top**2 + F(s1, n) ** 2),
    ),
) -> Finding:
    """s2 = Σ q_x², s1 = Σ q_x, n = 2^d, top = max q_x; the variance itself comes from the transform."""

    def exact(q: list[int]) -> Fraction:
        n = len(q)
        return F(sum(w * w for w in transform(q)[1:]), (n - 1) * n * n)

    def cases(kind: str) -> Iterator[Check]:
        for d in DIMENSIONS:
            for row in weights(d):
                low = min(row)
                q = [v - low for v in row]
                n, s1, s2 = len(q), sum(q), sum(v * v for v in q)
                true = exact(q)
                if kind == "expansion":
                    a, b = formula["first"](s2, s1, n), formula["second"](s2, s1, n)
                    yield fact(true == a, "Var = first expansion", d=d, q=str(q[:8]), left=true, right=a)
                    yield fact(a == b, "first = second expansion", d=d, left=a, right=b)
                elif kind == "bound":
                    c = formula["bound"](max(q), s1, n)
                    yield fact(true <= c, "Var ≤ the bound", d=d, left=true, right=c)
                else:
                    c = (F(s2, n) - F(s1, n) ** 2) / (n - 1)
                    yield fact(true == c, "Var = population variance/(2^d−1)", d=d, left=true, right=c)

    expansion, bound = every(cases("expansion"), "the expansion, d ≤ 12"), every(cases("bound"), "the bound, d ≤ 12")
    repair = every(cases("repaired"), "Var = popvar(q)/(2^d−1), d ≤ 12, several rows") & equal(
        "(A - (B**2 - A)/(n - 1))/n**2", "(A/n - (B/n)**2)/(n - 1)", ["A", "B", "n"]
    )
    return judge(
        expansion & bound,
        argument=(
            "The expansion inserts 1/2^d for the correlation of two characters; it is −1/(2^d−1). With A = Σq², B =",
            "Σq the variance is (A − (B²−A)/(2^d−1))/4^d, the population variance of q over 2^d−1. The final bound",
            "survives.",
        ),
        evidence="exact",
        repair=repair,
        repaired="Var_{r,b}[p̂(z)] = (2^{−d}Σq_x² − q̄²)/(2^d−1) ≤ 2^{−d}(max q_x² + q̄²)",
        tight="Var ≤ max q²/(4(2^d−1)), attained by a character",
        parts={"expansion": expansion, "final bound": bound},
    )


def two_valued(bits: int, heavy: int, keep: int) -> Randomizer:
    """Randomized response on membership in a set of `heavy` elements."""
    return response("two values", bits, keep, lambda x: int(x < heavy))


@claim(
    "000-C23",
    title="Variance bound",
    kind="inequality",
    statement="Var_{r,b}[p̂(z)] ≤ 2·ε̃²·p(z)²/2^d with ε̃ = e^ε − 1. Proof step: with p* = min_x p(z|x), max_x q_x ≤ "
    "(e^ε−1)p* ≤ ε̃·p(z).",
)
def variance_bound(formula: Formula = Formula(factor=F(2))) -> Finding:
    """Var ≤ factor·ε̃²·p²/2^d with ε̃ = e^ε − 1 = t; u = 2^d − 2."""
    c = formula["factor"]
    square = equal("(1 + h*t)**2 - 4*(1 + t)*h*(1 - h)", "(1 - h*(2 + t))**2", ["h", "t"])
    step = equal("(1 + t)*m - m", "t*m", ["t", "m"])
    general = positive(f"4*({c})*(1 + t)*(1 + u) - (2 + u)", {"t": (0, None), "u": (0, None)})

    def cases() -> Iterator[Check]:
        for d in DIMENSIONS:
            for m in examples(d):
                for z in range(min(3, len(m.rows))):
                    v, p, t = m.variance(z), m.mean(z), m.ratio - 1
                    sharp = t * t / (4 * (1 + t) * (m.size - 1)) * p * p
                    yield fact(v <= sharp, "the sharp bound", mechanism=m.name, d=d, left=v, right=sharp)
                    yield fact(v <= c * t * t * p * p / m.size, "the bound", mechanism=m.name, d=d, left=v)

    peak = two_valued(2, 1, 3)
    attained = fact(
        peak.variance(1) == F(4, 12 * 3) * peak.mean(1) ** 2,
        "e^ε = 3, d = 2, one heavy x attains the sharp bound",
        variance=peak.variance(1),
        p=peak.mean(1),
        printed=c * 4 * peak.mean(1) ** 2 / 4,
    )
    better = attained & fact(c * 4 / F(4) > F(4, 36), "the printed bound is larger there")
    return judge(
        general & square & step & every(cases(), "randomizers on d ≤ 12 bits"),
        sharper=better,
        tight="Var ≤ sinh²(ε/2)·p(z)²/(2^d−1), where sinh²(ε/2) = ε̃²/(4e^ε); attained, e.g. at e^ε = 3, d = 2",
        argument=(
            "Var = popvar(q)/(2^d−1) and 0 ≤ q ≤ Q = ε̃p*, so popvar ≤ q̄(Q−q̄). With h = q̄/Q and p = p*(1+hε̃) this",
            "is at most p²·h(1−h)ε̃²/(1+hε̃)² ≤ p²ε̃²/(4(1+ε̃)): the difference is the square of 1−h(2+ε̃). The",
            "printed factor 2/2^d is at least 4(1+ε̃) times larger for every d.",
        ),
        evidence="exact",
        parts={"proof step": step & at_most("p", "p + h", {"p": (0, 1), "h": (0, 1)})},
    )
