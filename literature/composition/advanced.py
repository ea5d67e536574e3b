"""Composition through randomized response: expected loss, martingales, Azuma, advanced composition.

From lecture slides on composition. C_i is the loss of one randomized response, ε or −ε; e is ε, L is ln(1/δ).
"""

# ruff: noqa: B008 (the default argument is the claim itself: an immutable Formula)
from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from math import comb
from typing import Any

from dpwitness.literature.finding import Check, Finding, Formula, every, judge
from dpwitness.literature.lines import within_budget
from dpwitness.literature.registry import claim
from dpwitness.literature.tools import at, at_most, equal, fact, log_of, positive
from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.arith import Undecided

F = Fraction
MEAN = "e*exp(e)/(exp(e)+1) - e/(exp(e)+1)"


@cache
def hoeffding() -> Check:
    """Hoeffding's lemma: −θu + ln(1−θ+θe^u) vanishes to first order at 0 and its second derivative is ≤ 1/4."""
    return equal(
        "(x + y)**2 - 4*x*y", "(x - y)**2", ["x", "y"], "Hoeffding's lemma: the second derivative xy/(x+y)² is ≤ 1/4"
    )


@cache
def domination() -> Check:
    """Every ε-DP pair p, q is randomized response sent through a channel: mixtures g:1 and 1:g of two laws."""
    left = equal("(g*(g*p - q) + (g*q - p))/((1 + g)*(g - 1))", "p", ["g", "p", "q"])
    right = equal("((g*p - q) + g*(g*q - p))/((1 + g)*(g - 1))", "q", ["g", "p", "q"])
    note = (
        "p and q are the mixtures g:1 and 1:g of (gp−q)/(g−1) and (gq−p)/(g−1), both ≥ 0: randomized response dominates"
    )
    return Check(True, note) if left.ok and right.ok else left & right


def tail(g: Fraction, k: int, at_least: int) -> Fraction:
    """Pr[at least `at_least` of k bits are kept], each with probability g/(1+g)."""
    return F(sum(comb(k, j) * g**j for j in range(max(0, at_least), k + 1))) / (1 + g) ** k


def hockey_power(g: Fraction, k: int, growth: Fraction) -> Fraction:
    """The exact δ of k randomized responses with e^ε = g at e^{ε′} = growth."""
    gaps = (comb(k, j) * (g**j - growth * g ** (k - j)) for j in range(k + 1))
    return sum((x for x in gaps if x > 0), F(0)) / (1 + g) ** k


@claim(
    "002-C8",
    title="Expected loss",
    kind="identity",
    statement="E[C_i] = ε·e^ε/(e^ε+1) − ε/(e^ε+1) ≈ ε(1+ε−1)/(e^ε+1) ∼ ε², so E[Σ_{i=1}^k C_i] ∼ kε².",
)
def expected_loss(
    formula: Formula = Formula(exact=MEAN, near="e*(1 + e - 1)/(exp(e)+1)", limit="e**2"),
) -> Finding:
    """a ∼ b is decided as |a − b| ≤ ε³ on [0,½], which forces a/b → 1 for quantities of order ε²."""
    box = {"e": (0, F(1, 2))}

    def like(a: str, b: str) -> Check:
        return at_most(f"({a}) - ({b})", "e**3", box) & at_most(f"({b}) - ({a})", "e**3", box)

    true = equal(formula["exact"], "e*(exp(e) - 1)/(exp(e) + 1)", ["e"], "E[C] = ε(e^ε−1)/(e^ε+1) = ε·tanh(ε/2)")
    close = like(formula["exact"], formula["near"])
    limit = like(formula["near"], formula["limit"])
    if not limit.ok:
        seen = {"E": at(formula["exact"], {"e": F(1, 1000)}), "limit": at(formula["limit"], {"e": F(1, 1000)})}
        limit = fact(False, "E[C] ∼ the limit", eps=F(1, 1000), left=seen["E"], right=seen["limit"])
    return judge(
        true & close & limit,
        argument=(
            "E[C_i] = ε·tanh(ε/2), and the approximation by ε²/(e^ε+1) is right to order ε³. But e^ε+1 → 2, so the",
            "limit of E[C_i]/ε² is 1/2, not 1: the expected loss is ∼ ε²/2 and that of k responses ∼ kε²/2. As an",
            "upper bound kε² is safe.",
        ),
        evidence="certificate",
        repair=like(MEAN, "e**2/2") & at_most("tanh(x)", "x", {"x": (0, None)}),
        repaired="E[C_i] = ε·tanh(ε/2) ∼ ε²/2 and ≤ ε²/2 for all ε, so E[ΣC_i] ≤ kε²/2",
        parts={"exact value": true, "≈": close, "∼ ε²": limit},
    )


@claim(
    "002-C9",
    title="Martingale",
    kind="identity",
    statement="Since |Σ_{i≤j+1} C_i − Σ_{i≤j} C_i| ≤ ε for the losses C_i of randomized response, the partial sums of "
    "C_i form a martingale.",
)
def martingale(formula: Formula = Formula(mean=MEAN, centre="0")) -> Finding:
    """Partial sums of C_i − centre form a martingale iff the mean of C_i is the centre."""
    return judge(
        equal(f"({formula['mean']}) - ({formula['centre']})", "0", ["e"]),
        argument=(
            "Bounded steps do not make a martingale; the conditional mean of each step must be 0. Here it is",
            "ε·tanh(ε/2) > 0, so the sums drift upward (a submartingale). Subtracting the mean repairs it.",
        ),
        evidence="exact",
        repair=equal(MEAN, "e*(exp(e)-1)/(exp(e)+1)", ["e"]) & hoeffding(),
        repaired="the partial sums of C_i − ε·tanh(ε/2) form a martingale with steps in an interval of length 2ε",
    )


def independent_tail(k: int, j: int) -> Fraction:
    """Pr[Σ ≥ j·ε] for k fair independent signs."""
    return F(sum(comb(k, h) for h in range(k + 1) if 2 * h - k >= j), 2**k)


def same_coin_tail(k: int, j: int) -> Fraction:
    """Pr[Σ ≥ j·ε] when all C_i are the same fair sign."""
    return F(1, 2) if 0 < j <= k else F(1) if j <= 0 else F(0)


@claim(
    "002-C10",
    title="Azuma's inequality",
    kind="theorem",
    statement="For real random variables C₁,…,C_k with |Σ_{i≤j+1} C_i − Σ_{i≤j} C_i| ≤ ε for all j, and every t ≥ 0: "
    "Pr[ΣC_i ≥ E[ΣC_i] + t] ≤ 2e^{−t²/(2kε²)}.",
)
def azuma(
    formula: Formula = Formula(
        factor=2, exponent="t**2/(2*k*e**2)", families={"independent": independent_tail, "one coin": same_coin_tail}
    ),
) -> Finding:
    """Pr[Σ ≥ E + t] ≤ factor·e^{−exponent} for |C_i| ≤ ε; tails at t = j·ε for k fair signs."""

    def cases(names: list[str]) -> Iterator[Check]:
        for name in names:
            for k in (1, 2, 4, 8, 16):
                for j in range(k + 1):
                    bound = at(f"({formula['factor']})*exp(-({formula['exponent']}))", {"t": j, "k": k, "e": 1})
                    seen = formula["families"][name](k, j)
                    yield fact(seen <= bound[0], name, variables=name, k=k, t=f"{j}ε", left=seen, right=bound)

    def drift_free(name: str) -> bool:
        """Whether the pairwise law of (C₁, C₂) has E[C₂|C₁] constant: Pr[C₁=C₂=ε] = Pr[C₁=−ε, C₂=ε]."""
        both = formula["families"][name](2, 2)
        return bool(both == formula["families"][name](1, 1) - both)

    names = list(formula["families"])
    centred = [name for name in names if drift_free(name)]
    chernoff = equal("-(t/(k*e**2))*t + k*(t/(k*e**2))**2*e**2/2", "-t**2/(2*k*e**2)", ["t", "k", "e"])
    general = hoeffding() & chernoff & within_budget(formula["exponent"], "t**2/(2*k*e**2)", ["t", "k", "e"])
    general = general & fact(formula["factor"] >= 1, "the one-sided bound needs no factor")
    inside = every(cases(centred), "independent signs, k ≤ 16") & general if centred else None
    return judge(
        every(cases(names)) & general,
        under=inside,
        condition="E[C_j | C₁,…,C_{j−1}] is constant (independent C_i, or martingale differences after centring)",
        argument=(
            "Without a condition on dependence it fails: if all C_i are one fair sign, ΣC_i = kε with probability",
            "1/2. If the conditional means are constant, each centred C_j lies in an interval of length 2ε, so",
            "E[e^{s(C_j−E C_j)}|past] ≤ e^{s²ε²/2} (Hoeffding's lemma), and s = t/(kε²) gives e^{−t²/(2kε²)}. The",
            "factor 2 is for two-sided tails.",
        ),
        evidence="exact",
        repair=inside,
        repaired="for C_j with constant conditional means and |C_j| ≤ ε: Pr[ΣC_i ≥ E[ΣC_i]+t] ≤ e^{−t²/(2kε²)}",
        tight="one-sided, without the factor 2",
    )


GRID = ((F(101, 100), 100), (F(11, 10), 100), (F(11, 10), 400), (F(2), 10))
DELTAS = tuple(F(1, 10**i) for i in (1, 2, 4, 6, 9, 15, 30))


def advanced_cases(threshold: str, *, tails: bool) -> Iterator[Check]:
    """k randomized responses against ε′ = threshold(k, e, L): the loss's tail where asked, and the exact δ."""
    for g, k in GRID:
        eps = log_of(g)
        for delta in DELTAS:
            big = log_of(1 / delta)
            value = (
                at(threshold, {"k": k, "e": eps[0], "L": big[0]})[0],
                at(threshold, {"k": k, "e": eps[1], "L": big[1]})[1],
            )
            growth = at("exp(x)", {"x": value[0]})[0], at("exp(x)", {"x": value[1]})[1]
            if tails:
                seen = tail(g, k, _kept(value[1] / eps[0], k)), tail(g, k, _kept(value[0] / eps[1], k))
                yield _compare("the tail of the loss", seen, delta, exp_eps=g, k=k, eps_prime=value)
            curve = hockey_power(g, k, growth[1]), hockey_power(g, k, growth[0])
            yield _compare("(ε′,δ)-DP", curve, delta, exp_eps=g, k=k, eps_prime=value)


def _kept(steps: Fraction, k: int) -> int:
    """How many of k bits must be kept for a loss of at least steps·ε."""
    return -int(-(steps + k) / 2 // 1)


def _compare(note: str, seen: tuple[Fraction, Fraction], delta: Fraction, **point: Any) -> Check:
    if seen[0] <= delta < seen[1]:
        raise Undecided(f"{note} against δ = {delta} at {point}")
    return fact(seen[1] <= delta, note, **point, delta=delta, left=seen, right=delta)


@claim(
    "002-C11",
    title="Choice of t",
    kind="inequality",
    statement="Choosing t ≈ √(k log(1/δ))·ε gives Pr[Σ_{i=1}^k C_i ≥ kε² + √(k log(1/δ))·ε] ≤ δ; with ε′ = kε² + √(k "
    "log(1/δ))·ε the composition is (ε′,δ)-DP.",
)
def choice_of_t(formula: Formula = Formula(rate="e", t="e*sqrt(k*L)")) -> Finding:
    """ε′ = k·e·rate + t; the mean per response is e·tanh(e/2)."""
    rate, t = formula["rate"], formula["t"]
    enough = within_budget("L", f"({t})**2/(2*k*e**2)", ["k", "e", "L"])
    mean = at_most("tanh(e/2)", rate, {"e": (0, None)})
    printed = f"k*e*({rate}) + ({t})"
    cases = every(advanced_cases(printed, tails=True), "exact tails and exact δ of k randomized responses")
    good = "k*e*tanh(e/2) + e*sqrt(2*k*L)"
    repair = every(advanced_cases(good, tails=True), "the repaired ε′ on the same mechanisms") & equal(
        "(e*sqrt(2*k*L))**2/(2*k*e**2)", "L", ["k", "e", "L"]
    )
    repair = repair & domination()
    return judge(
        cases & enough & mean,
        argument=(
            "Azuma's exponent t²/(2kε²) is ln(1/δ)/2 at the printed t, which gives √δ and not δ. The exact tail of",
            "randomized response exceeds δ, and so does the exact δ(ε′) when ε√k ≈ 1 and δ is small. t = ε√(2k",
            "ln(1/δ)) is needed.",
        ),
        evidence="exact",
        repair=repair,
        repaired="with ε′ = kε·tanh(ε/2) + ε√(2k ln(1/δ)) (≤ kε²/2 + …): Pr[ΣC_i ≥ ε′] ≤ δ, and the composition is "
        "(ε′,δ)-DP",
    )


@claim(
    "002-C12",
    title="Advanced composition",
    kind="theorem",
    statement="Composing k algorithms, each ε₀-DP, gives ε_g = O(√(k·ln(1/δ_g)·ε₀) + k·ε₀²) with all but δ_g "
    "probability. The first term is dominant if k ≪ 1/ε₀², the second if k ≫ 1/ε₀².",
)
def advanced_composition(
    formula: Formula = Formula(first="sqrt(k*L*e)", second="k*e**2", constant=F(2), crossover="M/e**2"),
) -> Finding:
    """ε_g ≤ constant·(first + second), and which term is larger at k = M/ε₀² for M → ∞ and M → 0."""
    first, second = formula["first"], formula["second"]
    upper = every(
        advanced_cases(f"({formula['constant']})*(({first}) + ({second}))", tails=False),
        "the bound on exact compositions",
    )
    at_k = {"k": parse(f"({formula['crossover']})")}
    one, two = str(parse(first).substitute(at_k)), str(parse(second).substitute(at_k))
    dominance = equal(f"({two})**2*L", f"M*({one})**2", ["M", "L", "e"], "(second/first)² = M/L at k = M/ε₀²")
    if not dominance.ok:
        point = {"M": F(100), "L": F(1), "e": F(1, 10**4)}
        dominance = fact(
            False,
            "k = 100/ε₀² is ≫ 1/ε₀² and the second term is the smaller one",
            eps0=point["e"],
            k="10^10",
            delta="1/e",
            first=at(one, point),
            second=at(two, {"M": point["M"], "e": point["e"]}),
        )
    right = equal("(k*e**2)**2*L", "M*(e*sqrt(k*L))**2/(M/(k*e**2))", ["k", "e", "L", "M"])
    repair = every(advanced_cases("e*sqrt(2*k*L) + k*e*tanh(e/2)", tails=True)) & right
    return judge(
        upper & dominance,
        argument=(
            "ε₀ belongs outside the root: ε_g = ε₀√(2k ln(1/δ)) + kε₀·tanh(ε₀/2). With ε₀ under the root the bound is",
            "still true (√ε₀ ≥ ε₀ for ε₀ ≤ 1, and kε₀ ≤ kε₀² beyond), but too large by 1/√ε₀, and its terms cross at",
            "k = ln(1/δ)/ε₀³: at k = 100/ε₀² the first still dominates, against the second sentence.",
        ),
        evidence="exact",
        repair=repair,
        repaired="ε_g = ε₀√(2k ln(1/δ_g)) + kε₀·tanh(ε₀/2); the first term dominates iff k < 2 ln(1/δ_g)/tanh²(ε₀/2) "
        "≈ 8 ln(1/δ_g)/ε₀²",
        parts={"upper bound": upper, "which term dominates": dominance},
    )


@claim(
    "002-C13",
    title="All δ_g at once",
    kind="theorem",
    statement="The bound of 002-C12 holds for all δ_g simultaneously.",
)
def all_deltas(formula: Formula = Formula(first="sqrt(k*L*e)", second="k*e**2", constant=F(2))) -> Finding:
    """The same k mechanisms satisfy the bound for every δ_g."""
    c = formula["constant"]
    bound = f"({c})*(({formula['first']}) + ({formula['second']}))"
    cases = every(advanced_cases(bound, tails=True), "one mechanism each, δ from 10⁻¹ to 10⁻³⁰")
    small = at_most("2*e**2", f"({c})**2*e", {"e": (0, 1)}, note="(ε₀√(2kL))² ≤ (c√(kLε₀))² for ε₀ ≤ 1")
    large = positive(
        f"({c})*(1 + x) - 1", {"x": (0, None)}, note="kε₀ ≤ c·kε₀² for ε₀ ≥ 1, where basic composition suffices"
    )
    mean = at_most("tanh(x/2)", f"({c})*x", {"x": (0, None)})
    return judge(
        cases & small & large & mean & domination(),
        argument=(
            "The mechanisms do not depend on δ_g. The Chernoff bound Pr[ΣC ≥ E+t] ≤ e^{−t²/(2kε²)} holds for every t,",
            "so each δ_g has its ε_g(δ_g), all valid at once: they are points of one privacy curve.",
        ),
        evidence="exact",
        tight="the curve ε₀√(2k ln(1/δ)) + kε₀·tanh(ε₀/2), for all δ at once; constant 2 in the bound of 002-C12",
    )


@claim(
    "002-C14",
    title="Refinements",
    kind="theorem",
    statement="Advanced composition (DRV10) and optimal composition (KOV15, MV15) are more refined than basic "
    "composition.",
)
def refinements(
    formula: Formula = Formula(basic="k*e", advanced="k*e*tanh(e/2) + e*sqrt(2*k*L)"),
) -> Finding:
    """Advanced against basic composition for k ε₀-DP mechanisms; optimal composition is the exact curve."""
    basic, advanced = formula["basic"], formula["advanced"]

    def value(text: str, k: int) -> tuple[Fraction, Fraction]:
        names = parse(text).variables()
        return at(text, {n: v for n, v in {"k": F(k), "e": F(1, 10), "L": F(10)}.items() if n in names})

    few, many = ({"advanced": value(advanced, k), "basic": value(basic, k)} for k in (1, 1000))
    whole = fact(
        few["advanced"][1] <= few["basic"][0], "advanced ≤ basic at k = 1", eps0="1/10", delta="e^-10", k=1, **few
    )
    split = equal("k*e*(1-T) - e*sqrt(2*k*L)", "e*sqrt(k)*(sqrt(k)*(1-T) - sqrt(2*L))", ["k", "e", "T", "L"])
    beats = fact(many["advanced"][1] < many["basic"][0], "advanced < basic at k = 1000")
    optimal = every(
        fact(hockey_power(g, k, g**k) == 0, "optimal composition is never above basic") for g, k in GRID
    ) & every(advanced_cases(advanced, tails=False), "optimal composition is never above advanced")
    return judge(
        whole & optimal,
        under=split & beats & optimal & domination(),
        condition="k > 2 ln(1/δ)/(1−tanh(ε₀/2))² for advanced composition; optimal composition is never worse "
        "than either",
        argument=(
            "Basic minus advanced is ε₀√k(√k(1−tanh(ε₀/2)) − √(2 ln(1/δ))), positive exactly when k > 2",
            "ln(1/δ)/(1−tanh(ε₀/2))². For fewer mechanisms advanced composition is worse than basic. Optimal",
            "composition is the exact curve of k randomized responses, which dominate k ε₀-DP mechanisms, so it is",
            "below both.",
        ),
        evidence="exact",
        repair=split & beats & optimal,
        repaired="optimal ≤ min(basic, advanced) always; advanced < basic iff k > 2 ln(1/δ)/(1−tanh(ε₀/2))²",
    )
