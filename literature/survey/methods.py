"""Local and smooth sensitivity, sample and aggregate, objective perturbation.

From a survey talk by Avrim Blum. Neighbours X, X′ differ in one element, x_i → x′_i.
"""

# ruff: noqa: B008 (the default argument is the claim itself: an immutable Formula)
from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from dpwitness.literature.finding import Check, Finding, Formula, every, judge
from dpwitness.literature.registry import claim
from dpwitness.literature.tools import (
    at,
    at_most,
    equal,
    fact,
    neighbours,
    positive,
)

F = Fraction


def median(x: Sequence[int | Fraction]) -> Fraction:
    """The middle of an odd number of values."""
    return F(sorted(x)[len(x) // 2])


def local_sensitivity(x: Sequence[int | Fraction], domain: Sequence[int | Fraction]) -> Fraction:
    """max |med(x) − med(y)| over neighbours y, by enumeration."""
    return max(abs(median(x) - median(y)) for y in neighbours(x, domain))


@claim(
    "001-C11",
    title="Local sensitivity",
    kind="definition",
    statement="LS_f(X) = max over neighbours X′ of |f(X)−f(X′)|. With 3 people at 0, 3 people at b, and you, the median"
    " is very sensitive; on many databases it is not.",
)
def local(formula: Formula = Formula(group=(3, 3), at_least=F(1, 2))) -> Finding:
    """3 people at 0, 3 at b, and you, on a grid of [0, b] with b = 4."""
    low, high = formula["group"]
    b, grid = 4, range(5)

    def cases() -> Iterator[Check]:
        for you in grid:
            s = local_sensitivity((0,) * low + (b,) * high + (you,), grid)
            yield fact(s >= formula["at_least"] * b, "the median is very sensitive", you=you, LS=s, b=b)
        calm = [x for x in product((0, 1, 2), repeat=5) if local_sensitivity(x, (0, 1, 2)) == 0]
        yield fact(len(calm) * 20 >= 3**5, "LS = 0 on many databases", calm=len(calm), of=3**5)

    return judge(
        every(cases()),
        argument=(
            "With 3 at 0, 3 at b and you at v the median is v, and one change moves it to 0 or to b: LS = max(v, b−v)",
            "≥ b/2. On databases with a crowded middle it is 0 (enumerated: 5 people with three values).",
        ),
        evidence="exact",
        tight="LS = max(v, b−v), between b/2 and b",
    )


@claim(
    "001-C12",
    title="Noise from local sensitivity",
    kind="privacy claim",
    statement="Adding noise in proportion to LS_f(X) does not guarantee privacy, because LS_f can itself be sensitive.",
)
def noise_from_local_sensitivity(formula: Formula = Formula(scale=lambda ls, gs: ls)) -> Finding:
    """Laplace noise with a scale that depends on the database through LS; gs is the constant GS."""
    grid, n = (0, 1, 4), 3
    gs = max(local_sensitivity(x, grid) for x in product(grid, repeat=n))

    def cases() -> Iterator[Check]:
        for x in product(grid, repeat=n):
            for y in neighbours(x, grid):
                a, b = (F(formula["scale"](local_sensitivity(v, grid), gs)) for v in (x, y))
                if 0 < a < b:  # ln p/q = |z|(1/a − 1/b) − ln(b/a) for equal medians: unbounded
                    z = 10 * a * b / (b - a) + b
                    loss = at("z*(1/b - 1/a) - log(a/b)", {"z": z, "a": a, "b": b})
                    yield fact(loss[1] > -5, "bounded loss", x=str(x), y=str(y), scales=f"{a}, {b}", loss=loss)
                yield fact(
                    (a == 0) == (b == 0), "no scale is 0 beside a positive one", x=str(x), y=str(y), scales=f"{a}, {b}"
                )

    found = every(cases(), "no pair with different scales")
    return judge(
        fact(not found.ok, "a violation was found" if not found.ok else "no violation exists", **dict(found.witness)),
        argument=(
            "The median databases (0,0,…,Λ) that are neighbours can have LS = 0 and LS = Λ: no noise on one side,",
            "noise on the other, so the exact median has probability 1 against 0. Two positive scales also give an",
            "unbounded loss in the tail.",
        ),
        evidence="exact",
    )


@claim(
    "001-C13",
    title="Smooth bound",
    kind="privacy claim",
    statement="Noise can instead be calibrated (roughly) to max_Y [LS_f(Y)·e^{−c·d(X,Y)}].",
)
def smooth_bound(formula: Formula = Formula(noises=("laplace", "heavy"), weight=lambda u, k: u**k)) -> Finding:
    """S(X) = max_Y LS(Y)·u^{d(X,Y)} with u = e^{−c}; heavy noise has density ∝ 1/(1+|z|^γ)."""
    grid, n, u = (0, 1, 4), 3, F(9, 10)
    points = list(product(grid, repeat=n))
    ls = {x: local_sensitivity(x, grid) for x in points}

    def smooth(x: tuple[int, ...]) -> Fraction:
        best: Fraction = max(
            ls[y] * formula["weight"](u, sum(a != b for a, b in zip(x, y, strict=True))) for y in points
        )
        return best

    table = {x: smooth(x) for x in points}
    is_smooth = every(
        fact(
            table[x] >= ls[x] and table[y] >= u * table[x],
            "a c-smooth bound",
            x=str(x),
            y=str(y),
            S=table[x],
            other=table[y],
        )
        for x in points
        for y in neighbours(x, grid)
    )
    # dilation by e^c: heavy noise loses at most (γ+1)·c, Laplace noise |z|(e^c − 1) − c, unbounded
    heavy = at_most("Max(1, g - 1)", "g + 1", {"g": (1, None)}, note="max(1, γ−1)·c ≤ ε/2 at c = ε/(2(γ+1)), all γ > 1")
    tail = at("z*(exp(c) - 1) - c", {"z": F(1000), "c": F(1, 10)})
    laplace = fact(tail[1] < 1, "Laplace noise with pure ε", c=F(1, 10), eps=1, z=1000, loss=tail)
    chosen = {"laplace": laplace, "heavy": heavy}
    whole = every([chosen[name] for name in formula["noises"]]) & is_smooth
    return judge(
        whole,
        under=heavy & is_smooth if "heavy" in formula["noises"] else None,
        condition="c ≤ ε/(2(γ+1)) with noise of density ∝ 1/(1+|z|^γ), γ > 1; Laplace noise needs δ > 0 (003-C16)",
        argument=(
            "The maximum is a c-smooth upper bound on LS (enumerated for a median, in general 003-C8). Privacy then",
            "needs noise that tolerates a dilation by e^c: polynomial tails do when c ≤ ε/(2(γ+1)); Laplace tails do",
            "not for pure ε, for any c > 0, because the loss |z|(e^c−1)−c is unbounded.",
        ),
        evidence="certificate",
        repair=heavy & is_smooth,
        repaired="for c ≤ ε/(2(γ+1)), f(X) + (2(γ+1)S(X)/ε)·η with η ∝ 1/(1+|z|^γ) is ε-DP (003-C13)",
    )


@claim(
    "001-C14",
    title="Sample and aggregate",
    kind="algorithm",
    statement="Run an algorithm on several samples of the data and combine the outputs. Changing one input changes only"
    " one of the outputs, so a privacy-preserving combination procedure suffices.",
)
def sample_and_aggregate(
    formula: Formula = Formula(
        samples={"blocks": ((0, 1), (2, 3), (4, 5)), "overlapping": ((0, 1), (1, 2), (2, 3))}, changed=1
    ),
) -> Finding:
    """The outputs are sums over samples of six inputs; count how many change when one input does."""

    def worst(samples: Sequence[Sequence[int]]) -> int:
        def run(x: Sequence[int]) -> tuple[int, ...]:
            return tuple(sum(x[i] for i in s) for s in samples)

        base = (0,) * 6
        return max(sum(a != b for a, b in zip(run(base), run(y), strict=True)) for y in neighbours(base, (0, 1)))

    names = formula["samples"]
    disjoint = [n for n, s in names.items() if len({i for part in s for i in part}) == sum(len(part) for part in s)]

    def cases(chosen: list[str]) -> Check:
        return every(
            fact(worst(names[n]) <= formula["changed"], n, samples=str(names[n]), changed=worst(names[n]))
            for n in chosen
        )

    return judge(
        cases(list(names)),
        under=cases(disjoint) if disjoint else None,
        condition="the samples are disjoint; in general one input changes as many outputs as there are samples that "
        "contain it",
        argument=(
            "An output depends on its own sample only, so one input changes exactly the outputs of the samples that",
            "hold it: one for disjoint blocks, two already for overlapping ones. The aggregator must be private for",
            "that many changes.",
        ),
        evidence="exact",
        repair=cases(disjoint) if disjoint else None,
        repaired="if each input lies in at most m samples, an aggregator that is ε-DP for m changed outputs suffices",
    )


@claim(
    "001-C15",
    title="Objective perturbation",
    kind="algorithm",
    statement="Adding noise to the objective function of a learning algorithm with a regularisation term (such as an "
    "SVM) and a smooth loss function gives differential privacy.",
)
def objective_perturbation(
    formula: Formula = Formula(
        losses={"Huber": (lambda x: min(x, F(2)), F(0)), "square, data on the line": (lambda x: x, F(0))},
        bound=F(2),
        curvature=1,
    ),
) -> Finding:
    """One dimension: argmin of Σℓ(θ,x_i) + mθ²/2 + bθ with b ~ Lap(s), m = nΛ.

    A loss is (how far apart the slopes for data 0 and data x can be, the jump of the slope at a kink); `bound` is 2G.
    """
    # θ ↦ b(θ) = −(mθ + Σℓ′) is a bijection, so the density of θ is h(b(θ))·(m + Σℓ″)
    ranges = dict.fromkeys(("v", "w", "c", "A", "i"), (0, None))
    factor = formula["curvature"]
    jacobian = positive(
        f"v + w + ({factor} - 1)*c + c*(A + v)*i",
        ranges,
        note="(m+A+u)/(m+A+v) ≤ 1 + c/m for 0 ≤ u, v ≤ c, written with w = c−u, i = 1/m",
    )
    identity = equal(
        f"(1 + ({factor})*c/m)*(m + A + v) - (m + A + u)",
        f"v + (({factor})*c - u) + ({factor})*c*(A + v)/m",
        ["c", "m", "A", "v", "u"],
    )

    def private(name: str) -> Check:
        gap, kink = formula["losses"][name]
        atom = at("1 - exp(-j/2)", {"j": kink})  # Pr[|b| ≤ kink/2] at s = m = 1, data point 0
        if atom[0] > 0:
            return fact(False, "the minimiser sits on a data point", loss=name, mass_at_x=atom, mass_for_neighbour=F(0))
        return every(
            fact(
                gap(x) <= formula["bound"],
                "|b − b′| ≤ 2G",
                loss=name,
                neighbour=x,
                shift=gap(x),
                allowed=formula["bound"],
            )
            for x in (F(1), F(10), F(1000))
        )

    names = list(formula["losses"])
    tame = [name for name in names if private(name).ok]
    rank_one = equal(
        "(a + c*x**2)*(d + c*y**2) - (b + c*x*y)**2",
        "(a*d - b**2) + c*(d*x**2 - 2*b*x*y + a*y**2)",
        ["a", "b", "c", "d", "x", "y"],
        "det(A + c·vvᵀ) = det(A)(1 + c·vᵀA⁻¹v) in two dimensions",
    )
    inside = jacobian & identity & rank_one
    return judge(
        inside & every([private(name) for name in names]),
        under=inside & every([private(name) for name in tame]) if tame else None,
        condition="convex loss with |ℓ′| ≤ G and ℓ″ ≤ c, strongly convex regulariser nΛ > 0, noise with 2G/s + "
        "ln(1+c/(nΛ)) ≤ ε",
        argument=(
            "The noise b and the minimiser θ determine each other: b(θ) = −(nΛθ + Σℓ′(θ,x_i)) is strictly falling.",
            "The density of θ is that of b times the slope nΛ + Σℓ″; a neighbour moves b by at most 2G and the slope",
            "by a factor ≤ 1 + c/(nΛ). Smoothness alone is not enough: square loss on unbounded data has unbounded",
            "slopes. The hinge loss of an SVM has a kink, which puts an atom on a data point: it must be smoothed",
            "first. For losses ℓ(θ·x) with |x| ≤ 1 in more dimensions the Hessians have rank one, and the determinant",
            "lemma gives the same factor 1 + c/(nΛ).",
        ),
        evidence="certificate",
        repair=inside,
        repaired="with these bounds, and losses ℓ(θ·x) with |x| ≤ 1, objective perturbation is (2G/s + ln(1 + "
        "c/(nΛ)))-DP",
    )
