"""Interactive against non-interactive mechanisms: the separation theorem and its hybrid argument.

From lecture slides on the 2006 paper of Dwork, McSherry, Nissim and Smith. N = 2^d; mechanisms on two entries, local
ones and ones that mix the entries, are enumerated over all pairs of masks.
"""

# ruff: noqa: B008 (the default argument is the claim itself: an immutable Formula)
from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from dpwitness.literature.finding import Check, Finding, Formula, every, judge
from dpwitness.literature.noise_calibration.parity import half
from dpwitness.literature.noise_calibration.subsets import symbol_gap
from dpwitness.literature.registry import claim
from dpwitness.literature.tools import (
    at,
    at_most,
    equal,
    fact,
    joint,
    largest_ratio,
    log_of,
    mixture,
    statistical_difference,
)
from dpwitness.literature.walsh import Randomizer, any_mask, bent, response

F = Fraction


def sanitizers(bits: int) -> list[tuple[str, Fraction, Callable[[tuple[int, ...]], dict[Any, Fraction]]]]:
    """Non-interactive mechanisms on two entries: local ones, and two that mix the entries. All have e^ε = 2."""
    local = response("bent", bits, 2, bent)
    masks = any_mask(bits, 2)

    def column(m: Randomizer, x: int) -> dict[Any, Fraction]:
        return {z: F(row[x], m.total) for z, row in enumerate(m.rows)}

    def noisy(total: int) -> dict[Any, Fraction]:
        weights = {z: F(1, 2 ** abs(z - total)) for z in range(3)}  # geometric noise on 0..2, rate ε/2 after scaling
        mass = sum(weights.values())
        return {z: w / mass for z, w in weights.items()}

    return [
        ("local, bent", F(2), lambda x: joint(*(column(local, v) for v in x))),
        ("local, random parity", F(2), lambda x: joint(*(column(masks, v) for v in x))),
        ("noisy count", F(4), lambda x: noisy(sum(bent(v) for v in x))),
        ("bit of the xor", F(2), lambda x: column(local, x[0] ^ x[1])),
    ]


def distances(
    bits: int, san: Callable[[tuple[int, ...]], dict[Any, Fraction]]
) -> Iterator[tuple[Fraction, list[Fraction]]]:
    """SD(Distribution 0, Distribution 1) and the four hybrid steps, for every pair of masks."""
    domain = range(1 << bits)
    laws = {x: san(x) for x in product(domain, repeat=2)}
    uniform = mixture(laws.values())
    for r, s in product(range(1, 1 << bits), repeat=2):
        ends, steps = [], []
        for b in (0, 1):
            left, right = half(bits, r, b), half(bits, s, b)
            first = mixture(laws[x] for x in product(left, domain))
            both = mixture(laws[x] for x in product(left, right))
            ends.append(both)
            steps += [statistical_difference(first, uniform), statistical_difference(both, first)]
        yield statistical_difference(*ends), steps


def checked_ratio(bits: int, ratio: Fraction, san: Callable[[tuple[int, ...]], dict[Any, Fraction]]) -> Check:
    """That the sanitizer is ε-indistinguishable in each entry."""
    worst = [largest_ratio(san((x, v)), san((y, v))) for x, y, v in product(range(1 << bits), repeat=3)]
    return fact(all(w is not None and w <= ratio for w in worst), "ε-indistinguishable in one entry", ratio=ratio)


@claim(
    "000-C28",
    title="Separation",
    kind="theorem",
    statement="Let San be an ε-indistinguishable non-interactive mechanism with D = {0,1}^d. For at least 2/3 of the "
    "functions f_g(x) = Σ_i r_i⊙x_i, Distributions 0 and 1 have statistical difference O(n^{4/3} ε^{2/3} "
    "2^{−d/3}).",
)
def separation(
    formula: Formula = Formula(n_power=F(4, 3), eps_power=F(2, 3), d_power=F(1, 3), constant=F(2)),
) -> Finding:
    """SD(Dist 0, Dist 1) ≤ constant·n^a·ε^b·2^{−cd} for 2/3 of the masks."""
    a, b, c, k = (formula[name] for name in ("n_power", "eps_power", "d_power", "constant"))
    small = at_most("3*sinh(e/2)*sqrt(2)", "9*e/4", {"e": (0, 1)}, note="3·sinh(ε/2)·√2 ≤ 2.25ε on [0,1]")
    analytic = fact(
        b == 2 * c and 0 <= b <= 1 and a >= b and k**b.denominator >= F(9, 4) ** b.numerator,
        "min(1, 2.25nY) ≤ k·n^a·Y^b for Y = ε·2^{−d/2}, because the worst case 2.25nY = 1 needs k ≥ 2.25^b",
        n_power=a,
        eps_power=b,
        d_power=c,
        constant=k,
    )

    def cases() -> Iterator[Check]:
        for bits in (2, 3):
            for name, ratio, san in sanitizers(bits):
                if (name, bits) == ("local, random parity", 3):
                    continue  # 196 outcomes on 49 pairs of masks; d = 2 shows the same
                yield checked_ratio(bits, ratio, san)
                gaps = [d for d, _ in distances(bits, san)]
                limit = 9 * 4 * (ratio - 1) ** 2 / (4 * ratio) / (2**bits - 1)  # (3n·sinh(ε/2))²/(N−1), n = 2
                share = F(sum(d * d <= limit for d in gaps), len(gaps))
                yield fact(share >= F(2, 3), "2/3 of the masks", mechanism=name, d=bits, share=share)

    bits = 24
    eps = log_of(F(2**bits))
    gap = 2 * symbol_gap(bits, 2**bits)
    limit = at(f"({k})*exp(({b})*log(x) - ({c})*{bits}*log(2))", {"x": eps[1]})[1]
    large = fact(gap <= limit, "n = 1, e^ε = 2^d, every r", n=1, d=bits, left=gap, right=limit)
    inside = small & analytic & every(cases(), "four mechanisms on two entries, d = 2, 3, all masks")
    return judge(
        inside & large,
        under=inside,
        condition="ε ≤ 1 (or any fixed bound on ε, with a constant that depends on it); no constant serves all ε and d",
        argument=(
            "Each of the 2n hybrid steps has E_r[SD] ≤ sinh(ε/2)/(2√(2^d−1)) given the other masks (000-C27), so the",
            "expected distance is at most n·sinh(ε/2)/√(2^d−1), and by Markov it is at most 3 times that for 2/3 of",
            "the masks. For ε ≤ 1 this is at most 2.25·nε2^{−d/2} and so at most 2·(nε)^{2/3}2^{−d/3} ≤",
            "2·n^{4/3}ε^{2/3}2^{−d/3}. With e^ε = 2^d and n = 1, randomized response over the symbols has distance ≈",
            "1/2 for every r.",
        ),
        evidence="exact",
        tight="O(n·ε·2^{−d/2}) instead of O(n^{4/3}ε^{2/3}2^{−d/3}); sharp in ε and d (bent predicate, n = 1)",
        repair=inside,
        repaired="for ε ≤ 1 and 2/3 of the masks the distance is at most 3n·sinh(ε/2)/√(2^d−1) ≤ (9/4)·nε·2^{−d/2}",
    )


@claim(
    "000-C29",
    title="Hybrid and union bounds",
    kind="inequality",
    statement="For hybrid map Z(x) = T_San(D_{r₁},…,D_{r_i},x,D,…,D) and α = 1/(6n), let A_i be the event "
    "SD(Z(D_{r_i}),Z(D)) ≤ O(nε²/2^d)^{1/3} = O(σ). Then Pr(∩A_i) ≥ 5/6; with B the same event for "
    "Distribution 1, Pr(A∩B) ≥ 2/3, and the distance is at most 2nσ.",
)
def hybrid_and_union(
    formula: Formula = Formula(alpha="1/(6*n)", even="5/6", both="2/3", steps="2*n"),
) -> Finding:
    """Union bounds over n events per distribution, and the triangle inequality along 2n hybrids."""
    alpha = formula["alpha"]
    one = equal(f"1 - n*({alpha})", formula["even"], ["n"])
    two = equal(f"1 - 2*n*({alpha})", formula["both"], ["n"])
    length = equal(formula["steps"], "n + n", ["n"])
    rate = equal(f"e/({alpha})", "6*n*e", ["n", "e"])

    def cases() -> Iterator[Check]:
        for name, _, san in sanitizers(2):
            for total, steps in distances(2, san):
                yield fact(total <= sum(steps), "the hybrid bound", mechanism=name, left=total, right=sum(steps, F(0)))

    return judge(
        one & two & length & rate & every(cases(), "four mechanisms on two entries, all masks"),
        argument=(
            "Given the masks before it, each step fails with probability at most α = 1/(6n) by 000-C27, under its",
            "condition on ε. The union over n steps leaves 5/6, over both distributions 2/3; ε²/(α2^d) = 6nε²/2^d.",
            "The path from Distribution 0 to 1 goes through D,…,D in 2n steps of length σ. The mask of step i is the",
            "one of the entry that is being replaced, drawn after Z is fixed; printed indices name the last mask",
            "already placed.",
        ),
        evidence="exact",
        tight="with E[SD] in place of the union bound the distance is at most 3n·sinh(ε/2)/√(2^d−1) for 2/3 of "
        "the masks",
    )
