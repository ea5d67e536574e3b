"""The definition, two protocols, averages and sample sizes.

From a survey talk by Avrim Blum. Neighbours X, X′ differ in one element, x_i → x′_i.
"""

# ruff: noqa: B008 (the default argument is the claim itself: an immutable Formula)
from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from dpwitness.literature.finding import Check, Finding, Formula, every, judge
from dpwitness.literature.lines import within_budget
from dpwitness.literature.noise_calibration.sensitivity import laplace_lemma, sensitivity
from dpwitness.literature.registry import claim
from dpwitness.literature.tools import (
    at,
    at_most,
    equal,
    fact,
    joint,
    largest_ratio,
    randomized_response,
    rational,
)
from dpwitness.proofs.kernel.algebra.expr import parse

F = Fraction


@claim(
    "001-C1",
    title="ε-differential privacy",
    kind="definition",
    statement="A is ε-DP if for neighbours X, X′ and all outcomes v: e^{−ε} ≤ Pr(A(X)=v)/Pr(A(X′)=v) ≤ e^ε, where "
    "e^{−ε} ≈ 1−ε and e^ε ≈ 1+ε.",
)
def definition(
    formula: Formula = Formula(low="exp(-e)", high="exp(e)", near_low="1 - e", near_high="1 + e"),
) -> Finding:
    """Ratios in [e^−ε, e^ε]; the linear approximations have an error of at most ε² on [0, 1]."""
    box = {"e": (0, 1)}
    both = equal(
        f"({formula['low']})*({formula['high']})", "1", ["e"], "the two ends are reciprocal: symmetric in X, X′"
    )
    near = every(
        at_most(f"({a}) - ({b})", "e**2", box) & at_most(f"({b}) - ({a})", "e**2", box)
        for a, b in ((formula["low"], formula["near_low"]), (formula["high"], formula["near_high"]))
    )
    return judge(
        both & near,
        argument=(
            "Definition, the predicate of 000-C1 for single outcomes. |e^{±ε} − (1±ε)| ≤ ε² on [0,1], so the",
            "approximations hold to first order; e^ε itself is above 1+ε.",
        ),
        evidence="certificate",
        tight="(e^{±ε} − 1 ∓ ε)/ε² → 1/2",
    )


@claim(
    "001-C2",
    title="Leaving the room",
    kind="example",
    statement="Computing the exact average of a group before and after one person leaves reveals that person's value: "
    "n·avg_n − (n−1)·avg_{n−1}.",
)
def leaving_the_room(formula: Formula = Formula(recovered="n*A - (n - 1)*B")) -> Finding:
    """A is the average with the person (s the sum of the others), B without."""
    means = {"A": parse("(s + x)/n"), "B": parse("s/(n - 1)")}
    value = str(parse(formula["recovered"]).substitute(means))
    return judge(
        equal(value, "x", ["n", "s", "x"]),
        argument=("n·(s+x)/n − (n−1)·s/(n−1) = x identically, for n ≥ 2: exact averages reveal the value exactly.",),
        evidence="symbolic",
    )


def two_independent(x: int, g: Fraction) -> dict[Any, Fraction]:
    """Two randomized responses with their own coins."""
    return joint(randomized_response(x, g), randomized_response(x, g))


def one_time_pad(x: int, g: Fraction) -> dict[Any, Fraction]:
    """A(X) = x ⊕ R and B(X) = R share the coin R: each is uniform, together they reveal x."""
    return {(x ^ r, r): F(1, 2) for r in (0, 1)}


@claim(
    "001-C3",
    title="Two protocols",
    kind="privacy claim",
    statement="If A and B are each ε-DP then e^{−2ε} ≤ Pr(A(X)=v & B(X)=w)/Pr(A(X′)=v & B(X′)=w) ≤ e^{2ε}, so the "
    "combination is 2ε-DP.",
)
def two_protocols(
    formula: Formula = Formula(factor=2, joints={"own coins": two_independent, "a shared coin": one_time_pad}),
) -> Finding:
    """The joint law of A and B; each marginal is ε-DP."""

    def marginals(law: dict[Any, Fraction]) -> list[dict[Any, Fraction]]:
        out: list[dict[Any, Fraction]] = [{}, {}]
        for pair, w in law.items():
            for side, v in zip(out, pair, strict=True):
                side[v] = side.get(v, F(0)) + w
        return out

    def independent(make: Callable[[int, Fraction], dict[Any, Fraction]]) -> bool:
        return all(joint(*marginals(make(x, g))) == make(x, g) for x in (0, 1) for g in (F(2), F(3)))

    def cases(names: list[str]) -> Iterator[Check]:
        for name in names:
            for g in (F(11, 10), F(2), F(5)):
                laws = [formula["joints"][name](x, g) for x in (0, 1)]
                parts = [largest_ratio(a, b) for a, b in zip(marginals(laws[0]), marginals(laws[1]), strict=True)]
                yield fact(all(p is not None and p <= g for p in parts), f"{name}: each protocol alone is ε-DP")
                r = largest_ratio(*laws)
                yield fact(
                    r is not None and r <= g ** formula["factor"],
                    f"{name}: the pair",
                    protocols=name,
                    exp_eps=g,
                    ratio="infinite" if r is None else r,
                )

    names = list(formula["joints"])
    own = [n for n in names if independent(formula["joints"][n])]
    general = equal("(p*u)/(q*v)", "(p/q)*(u/v)", ["p", "q", "u", "v"], "the joint ratio is the product of the ratios")
    return judge(
        every(cases(names)) & general,
        under=every(cases(own), "protocols with their own coins") & general if own else None,
        condition="A and B use independent randomness (or B is ε-DP given every outcome of A)",
        argument=(
            "With independent coins the joint probability is a product and each factor changes by at most e^{±ε}. Two",
            "protocols that share a coin can each be perfectly private and reveal X together: A = x⊕R and B = R.",
        ),
        evidence="exact",
        tight="2ε is attained by two randomized responses",
        repair=every(cases(own)) & general if own else None,
        repaired="if A and B are each ε-DP and their coins are independent, the combination is 2ε-DP",
    )


@claim(
    "001-C4",
    title="Data-independent outputs",
    kind="privacy claim",
    statement="A(X) = 0 for all X, and A(X) = unif[0,b] for all X, satisfy the definition for every ε ≥ 0.",
)
def data_independent(
    formula: Formula = Formula(
        outputs={"zero": lambda x: {0: F(1)}, "uniform on [0,b]": lambda x: {cell: F(1, 5) for cell in range(5)}}
    ),
) -> Finding:
    """Laws that do not look at X; the uniform law by its mass on five equal cells."""

    def cases() -> Iterator[Check]:
        for name, law in formula["outputs"].items():
            for x, y in product(((0, 0), (0, 1), (1, 1)), repeat=2):
                r = largest_ratio(law(x), law(y))
                yield fact(r == 1, name, mechanism=name, x=str(x), y=str(y), ratio="infinite" if r is None else r)

    return judge(
        every(cases()),
        argument=(
            "The output law is the same for all X, so every ratio is 1 = e^0, provided that b is not taken from X.",
        ),
        evidence="exact",
    )


@claim(
    "001-C5",
    title="Average",
    kind="sensitivity",
    statement="For n inputs in [0,b], the effect any individual can have on the average is b/n.",
)
def average(formula: Formula = Formula(effect="b/n")) -> Finding:
    """One of n inputs in [0,b] is replaced; s is the sum of the others."""
    general = equal("(s + b)/n - (s + 0)/n", formula["effect"], ["s", "b", "n"])
    measured = every(
        fact(s == rational(formula["effect"], b=b, n=n), "", n=n, b=b, effect=s)
        for n in (2, 3, 4)
        for b in (1, 3)
        for s in [sensitivity(lambda x, n=n: (F(sum(x), n),), range(b + 1), n)]  # type: ignore[misc]
    )
    return judge(
        general & measured,
        argument=(
            "The average moves by (x_i − x′_i)/n, at most b/n in size, and 0 → b attains it. n is fixed and public.",
        ),
        evidence="exact",
    )


@claim(
    "001-C6",
    title="Gaussian noise ratio",
    kind="identity",
    statement="For noise of density ∝ e^{−σx²} and a shift of b/n: e^{−σ(x−b/n)²}/e^{−σx²} ≈ e^{2σxb/n}.",
)
def gaussian_ratio(formula: Formula = Formula(log_ratio="2*s*x*b/n", neglected="s*(b/n)**2")) -> Finding:
    """ln of the ratio for density ∝ e^{−sx²} and a shift b/n, against its approximation; s is the talk's σ."""
    true = "s*x**2 - s*(x - b/n)**2"
    gap = equal(true, f"({formula['log_ratio']}) - ({formula['neglected']})", ["s", "x", "b", "n"])
    vanishing = at_most("i**2", "i", {"i": (0, 1)}, note="with i = 1/n the gap σb²i² is at most σb²i, which tends to 0")
    return judge(
        gap & vanishing,
        argument=(
            "ln of the ratio is 2σxb/n − σ(b/n)² exactly. The neglected factor e^{−σ(b/n)²} does not depend on x and",
            "tends to 1 as n → ∞ for fixed σ and b. The ratio is unbounded in x: no pure ε holds.",
        ),
        evidence="symbolic",
        tight="ratio = e^{2σxb/n}·e^{−σ(b/n)²}; the approximation is within a factor 1+η iff σ(b/n)² ≤ ln(1+η)",
    )


@claim(
    "001-C7",
    title="Laplace mechanism for the average",
    kind="privacy claim",
    statement="For Laplace (or geometric) noise p(x) ∝ e^{−|x|/λ}: e^{−(x−b/n)/λ}/e^{−x/λ} = e^{b/(nλ)}, and λ = b/(nε)"
    " gives the desired ratio e^ε ≈ 1+ε.",
)
def laplace_for_the_average(
    formula: Formula = Formula(ratio="exp(b/(n*m))", scale="b/(n*e)", shift="b/n"),
) -> Finding:
    """m is the talk's λ; the displayed identity is for x ≥ b/n, elsewhere the ratio is smaller."""
    shift = formula["shift"]
    identity = equal(f"exp(-(x - {shift})/m)/exp(-x/m)", formula["ratio"], ["x", "b", "n", "m"])
    loss = within_budget(f"({shift})/({formula['scale']})", "e", ["b", "n", "e"])
    exact = equal(f"({shift})/({formula['scale']})", "e", ["b", "n", "e"])
    return judge(
        identity & laplace_lemma() & loss & exact,
        argument=(
            "The identity is exact for x ≥ b/n, and by |x| − |x−b/n| ≤ b/n the ratio is never larger. At λ = b/(nε)",
            "it is e^ε. Geometric noise gives the same ratio on a lattice that contains all averages, such as the",
            "multiples of b/n for inputs in {0, b}; off the lattice the supports would differ.",
        ),
        evidence="symbolic",
        tight="λ = b/(nε) is the smallest scale: the ratio e^ε is attained",
    )


@claim(
    "001-C8",
    title="Sample size",
    kind="utility",
    statement="To have the answer within ±αb under the mechanism of 001-C7 one needs n ≥ 1/(εα).",
)
def sample_size(formula: Formula = Formula(needed="1/(e*a)", failure=F(0))) -> Finding:
    """Pr[|Y| > αb] = e^{−αnε} and E|Y| = b/(nε) for Y ~ Lap(b/(nε))."""
    n = formula["needed"]
    miss = at(f"exp(-a*({n})*e)", {"a": F(1, 10), "e": F(1)})
    surely = fact(
        miss[1] <= formula["failure"],
        "never outside ±αb",
        alpha=F(1, 10),
        eps=F(1),
        failure_probability=miss,
        allowed=formula["failure"],
    )
    mean = equal(f"b/(({n})*e)", "a*b", ["b", "e", "a"], "E|Y| = αb at this n")
    tail = equal("exp(-a*(L/(e*a))*e)", "exp(-L)", ["a", "e", "L"], "Pr[|Y| > αb] = β at n = ln(1/β)/(εα)")
    return judge(
        surely & mean,
        under=mean & tail,
        condition="'within ±αb' is meant for the mean absolute error, or with failure probability 1/e",
        argument=(
            "E|Y| = b/(nε) ≤ αb exactly when n ≥ 1/(εα). As a probability the error exceeds αb with probability",
            "e^{−αnε}, which is 1/e ≈ 37% at n = 1/(εα) and never 0; a failure probability β needs n ≥ ln(1/β)/(εα).",
        ),
        evidence="symbolic",
        repair=tail & mean,
        repaired="the answer is within ±αb with probability 1−β iff n ≥ ln(1/β)/(εα); n ≥ 1/(εα) makes the mean "
        "error ≤ αb",
    )


@claim(
    "001-C9",
    title="Global sensitivity",
    kind="definition",
    statement="GS_f = max over neighbours X, X′ of |f(X)−f(X′)|; adding noise Lap(GS_f/ε) to f gives ε-DP.",
)
def global_sensitivity(formula: Formula = Formula(scale="G/e")) -> Finding:
    """f + Lap(GS/ε)."""
    return judge(
        within_budget(f"G/({formula['scale']})", "e", ["G", "e"]) & laplace_lemma(),
        argument=("The loss is at most |f(X)−f(X′)|/λ ≤ GS/λ = ε by the Laplace density ratio (000-C4).",),
        evidence="symbolic",
        tight="attained by the pair that attains GS",
    )


@claim(
    "001-C10",
    title="k questions",
    kind="privacy claim",
    statement="To answer k questions with total privacy loss ε, answer each one with ε/k; doing better needs an "
    "improved mechanism.",
)
def k_questions(formula: Formula = Formula(share="e/k")) -> Finding:
    """k answers at ε/k each."""
    share = formula["share"]
    total = within_budget(f"k*({share})", "e", ["k", "e"])
    full = equal(f"k*({share})", "e", ["k", "e"], "the shares use the whole budget")

    def cases() -> Iterator[Check]:
        for g in (F(11, 10), F(2)):
            for k in (1, 2, 3, 5):
                r = largest_ratio(*(joint(*(randomized_response(x, g) for _ in range(k))) for x in (0, 1)))
                yield fact(r == g**k, "k independent answers lose exactly k times as much", k=k, ratio=r or "infinite")

    return judge(
        total & full & every(cases(), "k randomized responses, k ≤ 5"),
        argument=(
            "Losses of independent answers add, and k randomized responses of ε/k each lose exactly ε together, so no",
            "larger share is possible with the same mechanisms under pure privacy; better means another mechanism (or",
            "δ > 0).",
        ),
        evidence="exact",
        tight="Σ ε_i is exact for pure privacy",
    )
