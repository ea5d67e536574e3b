"""Random parity subsets approximate the output distribution; interactive against non-interactive mechanisms.

From lecture slides on the 2006 paper of Dwork, McSherry, Nissim and Smith. Here t = ε̃ = e^ε − 1 and N = 2^d. The
sharp form of the lemma is E_{r}[SD²] ≤ sinh²(ε/2)/(4(N−1)), a square root where the slides have a cube root.
"""

# ruff: noqa: B008 (the default argument is the claim itself: an immutable Formula)
from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from dpwitness.literature.finding import Check, Finding, Formula, every, judge
from dpwitness.literature.registry import claim
from dpwitness.literature.tools import (
    at,
    at_most,
    equal,
    fact,
    log_of,
)
from dpwitness.literature.walsh import Randomizer, any_mask, bent, examples, response, symbol_response

F = Fraction
Beta = Callable[[Fraction, Fraction, int], Fraction]


def bad_fractions(m: Randomizer, delta: Fraction, good: Callable[..., bool]) -> list[Fraction]:
    """The p-mass of outcomes that are not δ-good, for every (r, b)."""
    means, table = [m.mean(z) for z in range(len(m.rows))], m.deviations()
    masses = []
    for r in range(m.size - 1):
        for sign in (1, -1):
            bad = (p for p, row in zip(means, table, strict=True) if not good(p + sign * row[r], p, delta))
            masses.append(sum(bad, F(0)))
    return masses


def beta(t: Fraction, delta: Fraction, n: int) -> Fraction:
    """The slides' β = 2ε̃²/(δ²2^d)."""
    return 2 * t * t / (delta * delta * n)


def is_good(hat: Fraction, p: Fraction, delta: Fraction) -> bool:
    """p̂ − p ≤ δp."""
    return hat - p <= delta * p


@claim(
    "000-C24",
    title="δ-good values",
    kind="definition",
    statement="z is δ-good for (r,b) if p̂(z) − p(z) ≤ δ·p(z). By Chebyshev, for all z, Pr_{r,b}[z is not δ-good] ≤ "
    "Var[p̂(z)]/(δ²p(z)²) ≤ 2ε̃²/(δ²2^d) = β.",
)
def good_values(formula: Formula = Formula(good=is_good, beta=beta)) -> Finding:
    """Chebyshev's inequality for a single outcome."""

    def cases() -> Iterator[Check]:
        for d in (1, 2, 3, 4, 6, 8):
            for m in examples(d):
                table, t = m.deviations(), m.ratio - 1
                for z in range(min(4, len(m.rows))):
                    p, v = m.mean(z), m.variance(z)
                    for delta in (F(1, 20), F(1, 5), F(2, 5)):
                        hats = [p + s * x for x in table[z] for s in (1, -1)]
                        miss = F(sum(not formula["good"](h, p, delta) for h in hats), len(hats))
                        limit = formula["beta"](t, delta, m.size)
                        seen: dict[str, Any] = {
                            "mechanism": m.name,
                            "d": d,
                            "delta": delta,
                            "left": miss,
                            "right": limit,
                        }
                        yield fact(miss <= v / (delta * p) ** 2 <= limit, "Chebyshev", **seen)
                        yield fact(2 * miss <= v / (delta * p) ** 2, "one-sided: half of it", **seen)

    step = equal("(c + y)**2 - c**2", "y*(2*c + y)", ["c", "y"], "1[|X| > c] ≤ X²/c², as |X| = c+y")
    return judge(
        every(cases(), "randomizers on d ≤ 8 bits, every (r, b)") & step,
        argument=(
            "Chebyshev with E[p̂] = p and the variance bound of 000-C23. Goodness is one-sided and p̂ − p is",
            "symmetric under b → 1−b, so half of Chebyshev's bound would do; with the sharp variance β =",
            "sinh²(ε/2)/(2δ²(2^d−1)) suffices.",
        ),
        evidence="exact",
        tight="Pr[z not δ-good] ≤ sinh²(ε/2)/(2δ²(2^d−1))",
    )


ALPHAS = (F(1, 1000), F(1, 100), F(1, 10), F(1, 2))


@claim(
    "000-C25",
    title="Fraction of good values",
    kind="inequality",
    statement="With probability at least 1−α over pairs (r,b), the fraction of z (under p) that are δ-good is at least "
    "1−βα.",
)
def fraction_of_good_values(formula: Formula = Formula(fraction=lambda b, a: 1 - b * a, beta=beta)) -> Finding:
    """Markov's inequality for the mass of bad outcomes."""

    def cases(share: Callable[[Fraction, Fraction], Fraction]) -> Iterator[Check]:
        for m in [any_mask(2, 2), any_mask(3, 2), *examples(3), *examples(4)]:
            for delta in (F(1, 10), F(3, 10), F(33, 100)):
                masses, b = bad_fractions(m, delta, is_good), formula["beta"](m.ratio - 1, delta, m.size)
                for a in ALPHAS:
                    lucky = F(sum(1 - bad >= share(b, a) for bad in masses), len(masses))
                    yield fact(
                        lucky >= 1 - a,
                        "enough pairs (r,b)",
                        mechanism=m.name,
                        d=m.bits,
                        ratio=m.ratio,
                        delta=delta,
                        alpha=a,
                        left=lucky,
                        right=1 - a,
                        good_mass_wanted=share(b, a),
                        good_mass=1 - max(masses),
                    )

    markov = equal("(c + y)/c - 1", "y/c", ["c", "y"], "1[X ≥ c] ≤ X/c, as X = c+y")
    return judge(
        every(cases(formula["fraction"])),
        argument=(
            "The expected bad mass is at most β, so by Markov it exceeds β/α with probability at most α: the good",
            "fraction is at least 1−β/α. The printed 1−βα would get better as α → 0. Randomized response on a random",
            "parity has the same bad mass 1/(2(2^d−1)) for every pair (r,b), which is above βα as soon as α is small.",
        ),
        evidence="exact",
        repair=every(cases(lambda b, a: 1 - b / a), "1−β/α on the same mechanisms") & markov,
        repaired="with probability at least 1−α over (r,b), the fraction of δ-good z is at least 1−β/α",
    )


@claim(
    "000-C26",
    title="Choice of δ",
    kind="inequality",
    statement="With δ = ∛(2ε̃²α/2^d): SD(p̂,p) ≤ 2(1−βα)δ + 2βα ≤ 2(βα+δ) ≤ 4δ. Since ε̃ < 2ε for ε ≤ 1, 4δ ≤ "
    "4∛(12ε²2^{−d}), for at least a 1−α fraction of the pairs (r,b).",
)
def choice_of_delta(
    formula: Formula = Formula(
        cube=lambda t, a, n: 2 * t * t * a / n, times=4, slack="2*e", constant=F(12), bad="b*a", power="2*t**2*a/N"
    ),
) -> Finding:
    """δ³ = cube(ε̃, α, N) and SD ≤ times·δ for a 1−α fraction; `bad` is the bad mass that the choice equates with δ."""
    balance = _balance(formula)
    small = at_most("exp(e) - 1", formula["slack"], {"e": (0, 1)})

    def cases(cube: Callable[[Fraction, Fraction, int], Fraction], times: int) -> Iterator[Check]:
        for m in [any_mask(2, 2), any_mask(3, 2), *examples(3), *examples(4), *examples(8)]:
            gaps = m.differences()
            for a in (F(1, 10**6), *ALPHAS):
                limit = times**3 * cube(m.ratio - 1, a, m.size)
                lucky = F(sum(sd**3 <= limit for sd in gaps), len(gaps))
                yield fact(
                    lucky >= 1 - a,
                    "SD ≤ the bound often enough",
                    mechanism=m.name,
                    d=m.bits,
                    ratio=m.ratio,
                    alpha=a,
                    left=lucky,
                    right=1 - a,
                    SD=max(gaps),
                    bound_cubed=limit,
                )

    last = fact(formula["constant"] >= 8, "2ε̃²α ≤ 8ε² ≤ 12ε² for α ≤ 1", constant=formula["constant"])
    repair = every(cases(lambda t, a, n: 2 * t * t / (a * n), 2), "SD ≤ 2∛(2ε̃²/(α2^d)) on the same mechanisms") & equal(
        "(2*t**2/(x**2*N))/a", "x*(2*t**2/(a*N))/x**3", ["t", "x", "N", "a"]
    )
    return judge(
        balance & small & every(cases(formula["cube"], formula["times"])) & last,
        argument=(
            "With the printed βα the choice of δ makes βα = δ, but the bad mass is β/α (000-C25). As α → 0 the",
            "printed bound tends to 0 for almost all pairs, while randomized response on a random parity keeps SD =",
            "tanh(ε/2)/(2(2^d−1)) for every pair. Repaired: p̂ ≤ 2p gives SD = Σ(p̂−p)₊ ≤ δ + β/α = 2δ with δ =",
            "∛(2ε̃²/(α2^d)).",
        ),
        evidence="exact",
        repair=repair,
        repaired="with δ = ∛(2ε̃²/(α2^d)): SD(p̂,p) ≤ δ + β/α = 2δ ≤ 4∛(ε²/(α2^d)) for ε ≤ 1 and a 1−α fraction of (r,b)",
        parts={"βα = δ": balance, "ε̃ < 2ε for ε ≤ 1": small, "12 suffices for α ≤ 1": last},
    )


def _balance(formula: Formula) -> Check:
    mass = str(formula["bad"]).replace("b", "(2*t**2/(x**2*N))")
    return equal(mass, f"x*({formula['power']})/x**3", ["t", "x", "N", "a"])


def sharp_square(m: Randomizer) -> Fraction:
    """sinh²(ε/2)/(4(N−1)), the bound on the mean of SD²; sinh²(ε/2) = (e^ε−1)²/(4e^ε)."""
    return (m.ratio - 1) ** 2 / (16 * m.ratio * (m.size - 1))


def mean_square(mechanisms: list[Randomizer]) -> Check:
    """E_r[SD(Z(D_r), Z(D))²] ≤ sinh²(ε/2)/(4(N−1)), exactly."""
    return every(
        fact(left <= sharp_square(m), "", mechanism=m.name, d=m.bits, left=left, right=sharp_square(m))
        for m in mechanisms
        for gaps in [m.differences()]
        for left in [sum((g * g for g in gaps), F(0)) / len(gaps)]
    )


def symbol_gap(bits: int, keep: int) -> Fraction:
    """SD(Z(D_r), Z(D)) of randomized response over 2^bits symbols, the same for every r ≠ 0."""
    return F(keep - 1, 2 * (keep + (1 << bits) - 1))


def _subset_bound(power: Fraction, constant: Fraction) -> Check:
    """SD ≤ constant·(ε²/(α2^d))^power often enough, on mechanisms with ε ≤ 1; α is just below the share of large SD."""

    def cases() -> Iterator[Check]:
        for m in [response("bent", d, 2, bent) for d in (2, 8, 12)] + [
            response("one bit", d, 2, lambda x: x & 1) for d in (2, 8)
        ]:
            gaps = m.differences()
            top = max(gaps)
            alpha = F(sum(g == top for g in gaps), len(gaps)) * F(999, 1000)
            x = log_of(m.ratio)[1] ** 2 / (alpha * m.size)
            limit = at(f"({constant})*exp(({power})*log(x))", {"x": x})
            yield fact(
                top <= limit[1],
                "more than α of the masks",
                mechanism=m.name,
                d=m.bits,
                alpha=alpha,
                left=top,
                right=limit,
            )

    return every(cases(), "bent and linear predicates, the worst α of each")


@claim(
    "000-C27",
    title="Random subsets approximate the output distribution (RSAOD)",
    kind="theorem",
    statement="Let Pr[Z(x)=z]/Pr[Z(x′)=z] ∈ exp(±ε) for all x, x′ ∈ D, z. For all α > 0, with probability at least 1−α "
    "over r ∈ {0,1}^d∖{0^d}: SD(Z(D_r),Z(D)) ≤ O(ε²/(α·2^d))^{1/3}. The same holds for D̄_r.",
)
def random_subsets(formula: Formula = Formula(power=F(1, 3), constant=F(4), largest_eps=None)) -> Finding:
    """SD ≤ constant·(ε²/(α2^d))^power with probability ≥ 1−α over r; no bound on ε is stated."""
    power, c, cap = formula["power"], formula["constant"], formula["largest_eps"]
    small = at_most("sinh(e/2)", "53*e/100", {"e": (0, 1)}, note="sinh(ε/2) ≤ 0.53ε on [0,1]")
    # SD ≤ 0.53ε/(2√(α(N−1))) ≤ 0.375√X with X = ε²/(αN), as N ≤ 2(N−1); and SD ≤ 1/2 always
    root = at_most("53*sqrt(2)/200*x", "3*x/8", {"x": (0, 1)})
    analytic = fact(0 <= power <= F(1, 2) and c >= F(1, 2), "min(1/2, 0.375√X) ≤ c·X^power", power=power, constant=c)
    exact = mean_square([m for d in (1, 2, 3, 4, 5, 8, 10) for m in examples(d)])
    formula_of_gap = every(
        fact(set(symbol_response(d, k).differences()) == {symbol_gap(d, k)}, "")
        for d in (1, 2, 3, 5)
        for k in (2, 8, 32)
    )
    bits = 24
    eps = log_of(F(2**bits))
    gap, alpha = symbol_gap(bits, 2**bits), F(1, 2)
    x = eps[1] ** 2 / (alpha * 2**bits)
    limit = at(f"({c})*exp(({power})*log(x))", {"x": x})[1]
    large = fact(
        (cap is not None and eps[0] > cap) or gap <= limit,
        "e^ε = 2^d, every r",
        d=bits,
        eps=eps,
        alpha=alpha,
        left=gap,
        right=limit,
    )
    everywhere = [m.differences() for m in (response("bent", d, 2, bent) for d in (2, 4, 8, 12))]
    flat = every(
        fact(
            len(set(g)) == 1 and g[0] == F(1, 6) / 2 ** (d // 2),
            "a bent predicate: the same SD for every r",
            d=d,
            SD=g[0],
        )
        for d, g in zip((2, 4, 8, 12), everywhere, strict=True)
    )
    inside = _subset_bound(power, c) & small & root & analytic & exact & formula_of_gap & flat
    return judge(
        inside & large,
        under=inside,
        condition="ε ≤ 1 (or any fixed bound on ε, with a constant that depends on it); no constant serves all ε and d",
        argument=(
            "SD ≤ ½Σ|p̂−p|, so by Jensen and the sharp variance E_r[SD²] ≤ sinh²(ε/2)/(4(2^d−1)); Markov gives SD ≤",
            "sinh(ε/2)/(2√(α(2^d−1))) with probability 1−α, which for ε ≤ 1 is at most 0.375·(ε²/(α2^d))^{1/2} and so",
            "at most ½(ε²/(α2^d))^{1/3} (SD ≤ ½ always). The same holds for D̄_r, at the same distance. For large ε",
            "it fails: randomized response over all 2^d symbols with e^ε = 2^d has SD ≈ 1/4 for every r, while ε²/2^d",
            "→ 0.",
        ),
        evidence="exact",
        tight="exponent 1/2, not 1/3: SD ≤ sinh(ε/2)/(2√(α(2^d−1))); a bent predicate has SD = ½tanh(ε/2)2^{−d/2} "
        "for every r",
        repair=inside,
        repaired="for ε ≤ 1: SD(Z(D_r),Z(D)) ≤ (3/8)·(ε²/(α2^d))^{1/2} with probability at least 1−α over r ≠ 0",
    )
