"""Admissible noise: sliding, dilation, and the density ∝ 1/(1+|z|^γ).

From lecture slides on smooth sensitivity (after Nissim, Raskhodnikova and Smith). In formulas g is γ, x is |z|, e is ε.
"""

# ruff: noqa: B008 (the default argument is the claim itself: an immutable Formula)
from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from dpwitness.literature.finding import Check, Finding, Formula, every, judge
from dpwitness.literature.lines import within_budget
from dpwitness.literature.registry import claim
from dpwitness.literature.tools import at, at_most, below, equal, fact, positive, rational, show
from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.algebra.expsum import ExpSum

F = Fraction
SLOPE = "(g - 1)**(1 - 1/g)"  # sup of φ′ for φ = ln(1+x^γ)
STRETCH = "Max(1, g - 1)"  # sup of the log-ratio per unit of dilation
GAMMAS = (F(11, 10), F(3, 2), F(2), F(3), F(4), F(7), F(50))


def slope_lemma() -> Check:
    """γx^{γ−1}/(1+x^γ) ≤ (γ−1)^{1−1/γ}, by weighted means, which rest on e^v ≥ 1+v."""
    tangent = positive("exp(v) - 1 - v", {"v": (None, None)}, note="e^v ≥ 1+v for all v")
    means = equal("h*(1 - (1-h)*s) + (1-h)*(1 + h*s)", "1", ["h", "s"], "h·e^{−(1−h)s} + (1−h)·e^{hs} ≥ 1 with h = 1/γ")
    attained = every(
        fact(abs(a[0] - b[0]) < F(1, 10**12), "attained at x^γ = γ−1")
        for g in (F(3, 2), F(2), F(4))
        for a in [at("g*x**(g-1)/(1+x**g)", {"g": g, "x": _root(g)})]
        for b in [at(SLOPE, {"g": g})]
    )
    return tangent & means & attained


def _root(g: Fraction) -> Fraction:
    return at("(g - 1)**(1/g)", {"g": g})[0]


def stretch_lemma() -> Check:
    """(1+(e^λx)^γ)/(e^λ(1+x^γ)) ≤ e^{(γ−1)λ} for λ ≥ 0 and ≤ e^{−λ} for λ < 0."""
    up = equal("G*(1 + w) - (1 + G*w)", "G - 1", ["G", "w"], "(1+Gw)/(1+w) ≤ G for G = e^{λγ} ≥ 1, w = |z|^γ")
    down = equal("(1 + w) - (1 + G*w)", "w*(1 - G)", ["G", "w"], "(1+Gw)/(1+w) ≤ 1 for G ≤ 1")
    return up & down


def covers(budget: str, need: str, simple: str) -> Check:
    """2·need(γ) ≤ budget(γ) for all γ > 1; `simple` ≥ need is a bound that the kernel can handle."""
    for g in GAMMAS:
        a, b = at(f"2*({need})", {"g": g}), at(budget, {"g": g})
        if below(b, a):
            return fact(False, f"2·{need} ≤ {budget} fails", gamma=g, left=a, right=b)
    if parse(budget) == parse(f"2*({need})"):
        return Check(True, f"the budget is the supremum 2·{need} itself")
    return positive(f"({budget}) - 2*({simple})", {"g": (1, None)})


@claim(
    "003-C13",
    title="Main result, part 1",
    kind="theorem",
    statement="For a β-smooth upper bound S, β ≤ ε/(2(γ+1)) and γ > 1, x ↦ f(x) + (2(γ+1)S(x)/ε)·η with η of density "
    "h(z) ∝ 1/(1+|z|^γ) is ε-DP; this h is (ε/(2(γ+1)), ε/(2(γ+1)))-admissible with δ = 0.",
)
def main_result_1(formula: Formula = Formula(scale="2*(g+1)", rate="2*(g+1)")) -> Finding:
    """Noise (scale·S/ε)·η and β = ε/rate: sliding needs 2·SLOPE ≤ scale, dilation 2·STRETCH ≤ rate."""
    scale, rate = formula["scale"], formula["rate"]
    bound = equal("s - h*s", "s*(1 - h)", ["s", "h"], "x^h ≤ max(1, x) for 0 ≤ h ≤ 1: h·ln x ≤ max(0, ln x)")
    sliding, dilation = covers(scale, SLOPE, STRETCH), covers(rate, STRETCH, STRETCH)
    proved = sliding & dilation & bound & slope_lemma() & stretch_lemma()
    gain = (
        every(
            fact(below(at(f"2*({s})", {"g": g}), at(t, {"g": g})), "strictly smaller")
            for g in GAMMAS
            for s, t in ((SLOPE, scale), (STRETCH, rate))
        )
        if proved.ok
        else Check(False, "")
    )
    four = {"scale_at_4": at(f"2*({SLOPE})", {"g": F(4)}), "printed_at_4": at(scale, {"g": F(4)})}
    sharper = fact(gain.ok, "both constants can be lowered", **four)
    return judge(
        proved,
        sharper=sharper,
        tight="scale 2(γ−1)^{1−1/γ}·S/ε and β ≤ ε/(2·max(1, γ−1)) suffice; the first is sharp as ε → 0, "
        "the second for every ε "
        f"(γ = 4: {show(at(f'2*({SLOPE})', {'g': F(4)}))} and 6 instead of 10)",
        argument=(
            "Sliding: |φ′| ≤ (γ−1)^{1−1/γ} by weighted means of 1 and x^γ/(γ−1), so a shift by α costs at most",
            "α(γ−1)^{1−1/γ} ≤ ε/2. Dilation: the log-ratio is at most max(1, γ−1)·|λ| ≤ ε/2, approached as |z| → ∞",
            "for λ > 0 and attained at z = 0 for λ < 0. Both halves hold for every γ > 1, with room: γ+1 exceeds both",
            "suprema.",
        ),
        evidence="certificate",
        parts={"sliding": sliding, "dilation": dilation},
    )


@claim(
    "003-C14",
    title="Dilation step for part 1",
    kind="inequality",
    statement="Let |λ| ≤ ε/(2(γ+1)). For λ ≥ 0: (1+(e^λ|z|)^γ)/(1+|z|^γ) ≤ (e^λ|z|)^γ/|z|^γ = e^{λγ}, so "
    "(1+(e^λ|z|)^γ)/(e^λ(1+|z|^γ)) ≤ e^{λ(γ−1)} ≤ e^{ε/2}. For λ < 0 the first quotient is ≤ 1, so the second"
    " is ≤ e^{−λ} ≤ e^{ε/(2(γ+1))} ≤ e^{ε/2}.",
)
def dilation_step(
    formula: Formula = Formula(up="G", growth="l*(g-1)", inverse_cap="2*(g+1)", down="1", budget="1/2"),
) -> Finding:
    """G = e^{λγ}, w = |z|^γ; |λ| ≤ ε/inverse_cap, and the log-ratio must be ≤ budget·ε."""
    up = equal(f"({formula['up']})*(1 + w) - (1 + G*w)", "G - 1", ["G", "w"], "(1+Gw)/(1+w) ≤ G since G ≥ 1")
    exponent = equal("l*g - l", formula["growth"], ["l", "g"], "e^{λγ}/e^λ = e^{λ(γ−1)}")
    down = equal(f"({formula['down']})*(1 + w) - (1 + G*w)", "w*(1 - G)", ["G", "w"], "≤ 1 since G ≤ 1 for λ < 0")
    growth = parse(formula["growth"]).substitute({"l": parse("1")})
    room = f"({formula['budget']})*({formula['inverse_cap']})"
    first = at_most(str(growth), room, {"g": (1, None)}, note="(γ−1)/(2(γ+1)) ≤ 1/2")
    second = at_most("1", room, {"g": (1, None)}, note="1/(2(γ+1)) ≤ 1/2")
    return judge(
        up & exponent & down & first & second,
        argument=(
            "1+Gw ≤ G(1+w) is G ≥ 1. Dividing by e^λ leaves e^{λ(γ−1)}, and (γ−1)/(2(γ+1)) ≤ 1/2. For λ < 0, w(1−G) ≥",
            "0 gives the quotient ≤ 1 and 1/(2(γ+1)) ≤ 1/2. At z = 0 the middle quotient of the slides is 0/0, and",
            "the outer inequality is e^{−λ} ≤ e^{λ(γ−1)} for λ ≥ 0, which is true.",
        ),
        evidence="certificate",
        tight="max(1, γ−1)·|λ| is the exact supremum of the log-ratio",
    )


@claim(
    "003-C15",
    title="Sliding step for part 1",
    kind="inequality",
    statement="Let |Δ| ≤ ε/(2(γ+1)), φ(z) = ln(1+z^γ). Then ln(h(z)/(h(z)+Δ)) = φ(|z+Δ|)−φ(|z|), and for some ζ > 0 "
    "|φ(|z+Δ|)−φ(|z|)| = |Δφ′(ζ)|. As φ′(ζ) = γζ^{γ−1}/(1+ζ^γ) = γ/(ζ+ζ^{−(γ−1)}), |Δφ′(ζ)| ≤ |Δ|^γ ≤ "
    "ε^γ/(2(γ+1)) ≤ ε(γ+1)/(2(γ+1)) = ε/2.",
)
def sliding_step(
    formula: Formula = Formula(
        ratio="h/(h + D)",
        slope="g*x**(g-1)/(1+x**g)",
        slope_form="g/(x + x**(-(g-1)))",
        step="D**g",
        capped="e**g/(2*(g+1))",
        last="e*(g+1)/(2*(g+1))",
    ),
) -> Finding:
    """The printed chain, with h = h(z), k = h(z+Δ) and D = |Δ|; the first identity and the bounds at γ = 2."""
    shape = {"h": parse("1/(pi*(1+z**2))"), "k": parse("1/(pi*(1+(z+D)**2))")}
    ratio = str(parse(formula["ratio"]).substitute(shape))
    point = {"z": F(1), "D": F(1, 10)}
    seen, want = at(ratio, point), at("(1+(z+D)**2)/(1+z**2)", point)
    if below(seen, want) or below(want, seen):
        identity = fact(
            False, "ln(h(z)/(h(z)+Δ)) = φ(|z+Δ|) − φ(|z|) fails", gamma=2, z=1, Delta="1/10", left=seen, right=want
        )
    else:
        plain = str(parse(formula["ratio"]).substitute({"h": parse("1/(1+z**2)"), "k": parse("1/(1+(z+D)**2)")}))
        identity = equal(plain, "(1+(z+D)**2)/(1+z**2)", ["z", "D"])
    forms = equal(formula["slope"], formula["slope_form"], ["g", "x"])
    two = {"g": parse("2")}
    slope2, step2, capped2, last2 = (
        str(parse(formula[n]).substitute(two)) for n in ("slope", "step", "capped", "last")
    )
    bound = at_most(f"D*({slope2})", step2, {"D": (0, 1), "x": (0, 9)})
    cap = at_most(step2, capped2, {"D": (0, F(1, 6)), "e": (1, 1)}) & at_most(capped2, last2, {"e": (0, 1)})
    halved = equal(formula["last"], "e/2", ["e", "g"])
    every_gamma = slope_lemma() & at_most(STRETCH, "g", {"g": (1, None)}, note="φ′ ≤ max(1, γ−1) ≤ γ for every γ > 1")
    chain = bound & cap & halved & every_gamma
    repair = (
        every_gamma
        & at_most("g", "g + 1", {"g": (1, None)})
        & equal("(1/(1+z**2))/(1/(1+(z+D)**2))", "(1+(z+D)**2)/(1+z**2)", ["z", "D"])
    )
    return judge(
        identity & forms & chain,
        argument=(
            "Two misprints. The ratio is h(z)/h(z+Δ), not h(z)/(h(z)+Δ), which is not even a function of the two",
            "densities. And the mean-value bound is γ|Δ|, not |Δ|^γ: at γ = 2, ζ = 1 the slope is 1, so |Δφ′| = |Δ| >",
            "|Δ|² for |Δ| < 1. The repaired chain is |Δφ′(ζ)| ≤ γ|Δ| ≤ εγ/(2(γ+1)) < ε/2, with φ′ ≤ (γ−1)^{1−1/γ} ≤",
            "γ.",
        ),
        evidence="exact",
        repair=repair,
        repaired="ln(h(z)/h(z+Δ)) = φ(|z+Δ|)−φ(|z|), and |Δφ′(ζ)| ≤ γ|Δ| ≤ εγ/(2(γ+1)) ≤ ε/2",
        tight="|φ(|z+Δ|)−φ(|z|)| ≤ |Δ|(γ−1)^{1−1/γ}",
        parts={"ratio": identity, "two forms of φ′": forms, "|Δφ′| ≤ |Δ|^γ": bound, "final steps": cap & halved},
    )


@claim(
    "003-C18",
    title="Admissible noise",
    kind="definition",
    statement="A density h on ℝ^d is (α,β)-admissible if for all ‖Δ‖₁ ≤ α, |λ| ≤ β and measurable 𝒮 ⊆ ℝ^d, Pr[Z∈𝒮] ≤ "
    "e^{ε/2}·Pr[Z∈𝒮+Δ]+δ/2 (sliding) and Pr[Z∈𝒮] ≤ e^{ε/2}·Pr[Z∈e^λ𝒮]+δ/2 (dilation). For every 𝒮: ∫_𝒮 h(z)dz"
    " / ∫_{e^λ𝒮} h(z)dz = ∫_𝒮 h(z)dz / (e^λ ∫_𝒮 h(e^λy)dy).",
)
def admissible_definition(formula: Formula = Formula(jacobian=lambda c, d: c, dimensions=(1, 2, 3))) -> Finding:
    """Change of variables z = cy with c = e^λ, for h = the d-fold Laplace density and 𝒮 = [0,1]^d, exactly."""

    def cases(dimensions: tuple[int, ...]) -> Iterator[Check]:
        for d in dimensions:
            for c in (F(2), F(1, 2), F(3)):
                mass, inner = ExpSum.of(1), ExpSum.of(1)
                for _ in range(d):
                    mass = mass * (1 - ExpSum.exp(-c)) * F(1, 2)  # ∫ over [0, c] of ½e^{−z}
                    inner = inner * (1 - ExpSum.exp(-c)) * (1 / (2 * c))  # ∫ over [0, 1] of ½e^{−cy}
                told = inner * F(formula["jacobian"](c, d))
                yield fact(
                    (mass - told).sign() == 0, "", d=d, factor=c, left=at(_text(mass), {}), right=at(_text(told), {})
                )

    line = tuple(d for d in formula["dimensions"] if d == 1)
    good = every(
        fact(rational("c**d", c=c, d=d) == c**d, "the Jacobian of y ↦ cy on ℝ^d is c^d")
        for c in (F(2), F(3))
        for d in (1, 2, 3)
    )
    return judge(
        every(cases(formula["dimensions"])),
        under=every(cases(line), "d = 1") if line else None,
        condition="d = 1; on ℝ^d the factor is e^{dλ}",
        argument=(
            "Definition of admissibility, used as the predicate of 003-C13, C17 and C19. The change of variables z =",
            "e^λy multiplies volume by e^{dλ}, so the displayed quotient with e^λ is right on the line and wrong on",
            "ℝ^d for d ≥ 2, λ ≠ 0.",
        ),
        evidence="exact",
        repair=good,
        repaired="∫_{e^λ𝒮} h(z)dz = e^{dλ} ∫_𝒮 h(e^λy)dy on ℝ^d",
    )


def _text(value: ExpSum) -> str:
    return " + ".join(f"({c})*exp({r})" for r, c in value.terms.items()) or "0"


@claim(
    "003-C19",
    title="Admissible noise gives privacy",
    kind="theorem",
    statement="If h is (α,β)-admissible and S is a β-smooth upper bound, A(x) = f(x) + (S(x)/α)·Z, Z ~ h, is (ε, "
    "(δ/2)(e^{ε/2}+1))-DP. Proof step: slide from 𝒮₁ to 𝒮₂, dilate from 𝒮₂ to 𝒮₃, where N(x) = S(x)/α, 𝒮₁ = "
    "(𝒮−f(x))/N(x), 𝒮₂ = 𝒮₁ + (f(y)−f(x))/N(x) = (𝒮−f(y))/N(x), 𝒮₃ = 𝒮₂·N(x)/N(y) = (𝒮−f(y))/N(y).",
)
def admissible_gives_privacy(
    formula: Formula = Formula(shift="(v - u)/N", delta="(d/2)*(exp(e/2) + 1)", ratio="N/M"),
) -> Finding:
    """u = f(x), v = f(y), N = N(x), M = N(y), s a point of 𝒮; p is Pr[Z ∈ 𝒮₃]."""
    theorem = equal(
        "exp(e/2)*(exp(e/2)*p + d/2) + d/2", f"exp(e)*p + ({formula['delta']})", ["e", "p", "d"], "slide, then dilate"
    ) & within_budget("S/(S/a)", "a", ["S", "a"])
    slide = equal(
        f"(s - u)/N + ({formula['shift']})", "(s - v)/N", ["s", "u", "v", "N"], "𝒮₂ = 𝒮₁ + shift = (𝒮−f(y))/N(x)"
    )
    dilate = equal(f"((s - v)/N)*({formula['ratio']})", "(s - v)/M", ["s", "v", "N", "M"], "𝒮₃ = (𝒮−f(y))/N(y)")
    repair = theorem & dilate & equal("(s - u)/N + (u - v)/N", "(s - v)/N", ["s", "u", "v", "N"])
    return judge(
        theorem & slide & dilate,
        argument=(
            "The theorem stands; one printed step does not. 𝒮₁ + (f(y)−f(x))/N(x) is (𝒮 + f(y) − 2f(x))/N(x), not",
            "(𝒮−f(y))/N(x): the shift has the wrong sign. With (f(x)−f(y))/N(x), whose size is the same and at most",
            "α, the proof goes through: Pr[𝒮₁] ≤ e^{ε/2}Pr[𝒮₂]+δ/2 ≤ e^{ε/2}(e^{ε/2}Pr[𝒮₃]+δ/2)+δ/2 = e^ε Pr[𝒮₃] +",
            "(δ/2)(e^{ε/2}+1).",
        ),
        evidence="symbolic",
        repair=repair,
        repaired="the same theorem, with 𝒮₂ = 𝒮₁ + (f(x)−f(y))/N(x) = (𝒮−f(y))/N(x)",
        parts={"theorem": theorem, "𝒮₂ as printed": slide, "𝒮₃ as printed": dilate},
    )


@claim(
    "003-C20",
    title="Figure",
    kind="example",
    statement="For h(z) = ½e^{−|z|}, sliding and dilation are shown by the densities h(z+0.3) and e^{0.3}h(e^{0.3}z).",
)
def figure(formula: Formula = Formula(shift=F(3, 10), factor="c", inner="c")) -> Finding:
    """h(z+Δ) and c·h(cz), c = e^{0.3}: densities of Z−Δ and of Z/c, whose mass on 𝒮 is Pr[𝒮+Δ] and Pr[e^λ𝒮]."""
    d = formula["shift"]
    moved = ExpSum.exp(-d) - ExpSum.exp(-1 - d)  # 2∫ over [0,1] of ½e^{−(z+Δ)}
    want = ExpSum.exp(-F(3, 10)) - ExpSum.exp(-F(13, 10))  # 2·Pr[Z in [0.3, 1.3]]
    slid = fact(
        (moved - want).sign() == 0,
        "∫_𝒮 h(z+Δ)dz = Pr[Z ∈ 𝒮+0.3] on [0,1]",
        left=at(_text(moved), {}),
        right=at(_text(want), {}),
    )
    mass = equal(f"({formula['factor']})/({formula['inner']})", "1", ["c"], "∫ c·h(cz)dz = 1")
    dilated = equal(
        f"({formula['factor']})/({formula['inner']})*(1 - exp(-({formula['inner']})))/2",
        "(1 - exp(-c))/2",
        ["c"],
        "∫ over [0,1] of c·h(cz) = Pr[Z ∈ [0, c]]",
    )
    return judge(
        slid & mass & dilated,
        argument=(
            "h(z+0.3) has the mass of 𝒮+0.3 on 𝒮, and e^{0.3}h(e^{0.3}z) that of e^{0.3}𝒮; both integrate to 1.",
        ),
        evidence="exact",
    )
