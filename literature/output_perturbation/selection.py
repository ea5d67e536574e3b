"""Report noisy max: privacy, the proof step, accuracy.

From lecture notes on private selection, whose proof takes D = D′ ∪ {a}. Noise is Lap(scale/ε) on each of k counts.
"""

# ruff: noqa: B008 (the default argument is the claim itself: an immutable Formula)
from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product

from dpwitness.literature.finding import Check, Finding, Formula, every, judge
from dpwitness.literature.registry import claim
from dpwitness.literature.tools import at, at_most, equal, fact, positive
from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.algebra.expsum import ExpSum

F = Fraction
Counts = tuple[int, ...]


def survival(s: Fraction) -> ExpSum:
    """Pr[r ≥ s] for r ~ Lap(1)."""
    return ExpSum.exp(-s) * F(1, 2) if s >= 0 else 1 - ExpSum.exp(s) * F(1, 2)


def difference_tail(t: Fraction) -> ExpSum:
    """Pr[r₁ − r₂ ≥ t] for independent Lap(1)."""
    if t < 0:
        return 1 - difference_tail(-t)
    return ExpSum.exp(-t) * (F(1, 2) + t / 4)


def shift_lemma() -> Check:
    """Pr[r ≥ s+a] ≥ e^{−a}·Pr[r ≥ s] for all s and a ≥ 0: y = e^s, A = e^a, on the three cells of s."""
    left = equal(
        "(1 - A*y/2) - (1 - y/2)/A", "(1 - A*y)*(1 - 1/A) + y*(A - 1)**2/(2*A)", ["A", "y"], "s ≤ −a: both terms ≥ 0"
    )
    middle = equal("1/(2*y) - (1 - y/2)", "(1 - y)**2/(2*y)", ["y"], "−a ≤ s ≤ 0")
    right = equal("(1/(2*y*A))*A", "1/(2*y)", ["A", "y"], "s ≥ 0: equality")
    return left & middle & right


def threshold(counts: Counts, noise: tuple[Fraction, ...], i: int) -> Fraction:
    """r*: what r_i must exceed for count i to win, given the other noise."""
    return max(counts[j] + noise[j] for j in range(len(counts)) if j != i) - counts[i]


def moves(adjacency: str, k: int) -> list[Counts]:
    """How one record can change k counts: by 0/1 in one direction, or by −1/0/1 each when it is substituted."""
    return list(product((0, 1) if adjacency == "add-remove" else (-1, 0, 1), repeat=k))


@cache
def reach(adjacency: str) -> Fraction:
    """The largest change of r* over neighbouring counts, enumerated for k = 3."""
    noises = [(F(0), *r) for r in product((F(-1), F(0), F(5, 2)), repeat=2)]  # r* does not depend on r_0
    return max(
        abs(threshold(c, r, 0) - threshold(tuple(a + b for a, b in zip(c, step, strict=True)), r, 0))
        for c in product(range(3), repeat=3)
        for step in moves(adjacency, 3)
        for r in noises
    )


def loss_under_substitution() -> Check:
    """Two counts of n ≥ 2 records lose exactly 2ε − ln((2+nε)/(2+(n−2)ε)) when a record is substituted.

    Let T(t) = Pr[r₁ − r₂ ≥ t], the chance of the first count when it is t behind (in units of 1/ε). For t ≥ 0,
    T = e^{−t}(2+t)/4 and (ln T)″ = −1/(2+t)² < 0; for t ≤ 0, T = 1 − e^t(2−t)/4 and T″ = t·e^t/4 ≤ 0, so T is
    log-concave and T(t)/T(t+2ε) rises with t. A substitution moves the distance by at most 2 records, and n records
    allow distances up to n: the largest ratio is T((n−2)ε)/T(nε).
    """
    ratio = equal(
        "(exp(-x)*(2 + x)/4)/(exp(-x - 2*e)*(2 + x + 2*e)/4)",
        "exp(2*e)*(2 + x)/(2 + x + 2*e)",
        ["x", "e"],
        "T((n−2)ε)/T(nε) = e^{2ε}·(2+(n−2)ε)/(2+nε)",
    )
    concave = positive("-x*exp(x)/4", {"x": (None, 0)}, note="T is concave on t ≤ 0")
    rising = equal(
        "(2 + x + y)*(2 + x + 2*e) - (2 + x)*(2 + x + y + 2*e)", "2*e*y", ["x", "y", "e"], "the ratio rises with t ≥ 0"
    )

    def cases() -> Iterator[Check]:
        for n in range(2, 7):
            worst = difference_tail(F(n - 2)), difference_tail(F(n))
            for gap in range(-n, n - 1):
                p, q = difference_tail(F(gap)), difference_tail(F(gap + 2))
                yield fact((worst[0] * q - worst[1] * p).sign() >= 0, "the worst pair", n=n, distance=gap)
            exact = worst[0] * (2 + n) - ExpSum.exp(2) * n * worst[1]
            yield fact(exact.sign() == 0, "the formula at ε = 1", n=n)

    return ratio & rising & concave & every(cases(), "every pair of two counts of 2 to 6 records at ε = 1")


@claim(
    "004-C12",
    title="Report noisy max",
    kind="theorem",
    statement="For k counting queries, adding Lap(1/ε) to each count and returning which one is largest is ε-DP.",
)
def report_noisy_max(
    formula: Formula = Formula(scale=F(1), adjacencies=("add-remove", "substitute")),
) -> Finding:
    """The loss is at most reach/scale·ε; two counts are computed exactly."""
    scale = formula["scale"]

    def exact(adjacency: str) -> Iterator[Check]:
        for first, second in product(range(1, 6), repeat=2):
            for a, b in moves(adjacency, 2):
                p, q = difference_tail((second - first) / scale), difference_tail((second + b - first - a) / scale)
                ok = (ExpSum.exp(1) * q - p).sign() >= 0 and (ExpSum.exp(1) * p - q).sign() >= 0
                pair = f"({first}, {second}) → ({first + a}, {second + b})"
                yield fact(
                    ok,
                    "Pr[first wins]",
                    adjacency=adjacency,
                    counts=pair,
                    eps=1,
                    left=at(_text(p), {}),
                    right=at(_text(q), {}),
                )

    def general(adjacency: str) -> Check:
        r = reach(adjacency)
        return fact(r <= scale, f"{adjacency}: |r* − r*′| ≤ {r}, loss ≤ {r / scale}·ε", adjacency=adjacency, reach=r)

    def decided(names: list[str]) -> Check:
        return every([every(exact(n), f"two counts, {n}") & general(n) for n in names]) & shift_lemma()

    one_way = [n for n in formula["adjacencies"] if n == "add-remove"]
    inside = decided(one_way) if one_way else None
    return judge(
        decided(list(formula["adjacencies"])),
        under=inside,
        condition="neighbours add or remove a record, so that all counts move in one direction by at most 1",
        argument=(
            "Fix the other noise. The winner i is decided by r_i > r* = max_j(c_j+r_j) − c_i. If all counts move up",
            "by 0 or 1, r* moves by at most 1, and Pr[r ≥ s+1] ≥ e^{−ε}Pr[r ≥ s] for Laplace noise: ε-DP for any k.",
            "Under substitution c_i may rise while the largest rival falls, and r* moves by 2. Two counts of n ≥ 2",
            "records then lose exactly 2ε − ln((2+nε)/(2+(n−2)ε)): more than ε for every n ≥ 2 and ε > 0, and 2ε in",
            "the limit of many records. With counts (1,1) and (0,2) the first wins with chance 1/2 and e^{−2ε}(1+ε)/2.",
        ),
        evidence="exact",
        repair=None if inside is None else inside & loss_under_substitution(),
        repaired="Lap(1/ε) is ε-DP for neighbours D = D′ ∪ {a}; under substitution the loss of two counts of n ≥ 2 "
        "records is exactly 2ε − ln((2+nε)/(2+(n−2)ε)), whose supremum is 2ε, so use Lap(2/ε)",
        disagreement="000, 001 and 003 substitute an entry; there report noisy max needs Lap(2/ε)",
    )


def _text(value: ExpSum) -> str:
    return " + ".join(f"({c})*exp({r})" for r, c in value.terms.items()) or "0"


@claim(
    "004-C13",
    title="Proof step for report noisy max",
    kind="identity",
    statement="Let c, c′ be the counts of D, D′, fix the noise r_{−i}, and let r* = min r_i such that c_i+r_i > c_j+r_j"
    " for all j ≠ i. Then Pr[i|D′,r_{−i}] ≥ Pr[r_i ≥ r*+1] = e^{−ε}Pr[r_i ≥ r*] = e^{−ε}Pr[i|D,r_{−i}]. The "
    "second half, with r* given by the same formula: Pr[i|D,r_{−i}] ≥ Pr[r_i ≥ r*+1] = e^{−ε}Pr[r_i ≥ r*] = "
    "e^{−ε}Pr[i|D′,r_{−i}].",
)
def proof_step(formula: Formula = Formula(relation="=", second_counts="D")) -> Finding:
    """Pr[r ≥ s+1] relation e^{−1}Pr[r ≥ s] at ε = 1 for all s, and the second half with r* from D or D′."""

    def tails() -> Iterator[Check]:
        for s in (F(3), F(1), F(0), F(-1, 2), F(-1), F(-2), F(-5)):
            gap = (survival(s + 1) - ExpSum.exp(-1) * survival(s)).sign()
            good = gap == 0 if formula["relation"] == "=" else gap >= 0
            yield fact(
                good,
                f"Pr[r ≥ r*+1] {formula['relation']} e^{{−ε}}Pr[r ≥ r*]",
                r_star=s,
                left=at(_text(survival(s + 1)), {}),
                right=at(_text(ExpSum.exp(-1) * survival(s)), {}),
            )

    def second() -> Iterator[Check]:
        for small in product(range(2), repeat=2):
            for step in moves("add-remove", 2):
                large = (small[0] + step[0], small[1] + step[1])
                for rival in (F(-1), F(0), F(2)):
                    used = threshold(large if formula["second_counts"] == "D" else small, (F(0), rival), 0)
                    true = threshold(small, (F(0), rival), 0)
                    same = (survival(used) - survival(true)).sign() == 0
                    yield fact(
                        same, "Pr[i|D′] = Pr[r_i ≥ r*]", c=str(large), c_prime=str(small), r_star=used, needed=true
                    )

    tail_part, second_part = every(tails(), "seven values of r*"), every(second(), "two counts")
    general = shift_lemma()
    return judge(
        tail_part & second_part & general,
        argument=(
            "Two slips. Pr[r ≥ r*+1] = e^{−ε}Pr[r ≥ r*] holds only for r* ≥ 0; for r* < 0 it is strictly larger, so",
            "'=' must be '≥', which is what the proof needs. And in the second half r* must be computed from the",
            "counts c′ of D′: with the same formula (c) the last equality Pr[r_i ≥ r*] = Pr[i|D′] fails. The minimum",
            "over a strict inequality is an infimum; the noise is continuous.",
        ),
        evidence="exact",
        repair=general & fact(reach("add-remove") == 1, "r* and r*′ differ by at most 1 when D = D′ ∪ {a}"),
        repaired="Pr[i|D′] ≥ Pr[r_i ≥ r*+1] ≥ e^{−ε}Pr[i|D] with r* from c, and Pr[i|D] ≥ Pr[r_i ≥ r*′+1] ≥ "
        "e^{−ε}Pr[i|D′] with r*′ from c′",
        parts={"equality of tails": tail_part, "second half": second_part},
    )


@claim(
    "004-C14",
    title="Selection is more accurate",
    kind="utility",
    statement="Releasing only which of k counts is largest can be done more accurately than by adding Lap(k/ε) to each "
    "count: report noisy max adds only Lap(1/ε) to each.",
)
def selection_is_more_accurate(formula: Formula = Formula(noisy_max="1", naive="k")) -> Finding:
    """Scales in units of 1/ε; two counts with gap g err with probability ½e^{−x}(1+x/2), x = gε/scale."""
    smaller = at_most(formula["noisy_max"], formula["naive"], {"k": (2, None)}, strict=True)
    slope = str(parse("exp(-x)*(1 + x/2)/2").derivative("x"))
    falling = equal(f"-({slope})", "exp(-x)*(1 + x)/4", ["x"], "½e^{−x}(1+x/2) falls: its slope is −¼e^{−x}(1+x)")
    examples = every(
        fact((difference_tail(F(g, k)) - difference_tail(F(g))).sign() > 0, "", k=k, gap=g)
        for k in (2, 5, 20)
        for g in (1, 5, 30)
    )
    return judge(
        smaller & falling & examples,
        argument=(
            "Scaling the noise by s is scaling all gaps by 1/s, and the right index wins more often when its gaps",
            "grow (the same noise wins still). So Lap(1/ε) beats Lap(k/ε) for every k ≥ 2; for two counts the error",
            "is ½e^{−x}(1+x/2) with x = gap·ε/scale.",
        ),
        evidence="certificate",
        tight="error ½e^{−εg}(1+εg/2) against ½e^{−εg/k}(1+εg/(2k)) for two counts at gap g",
        disagreement="the scale 1/ε is for neighbours that add or remove a record; substitution needs 2/ε, still "
        "below k/ε for k > 2",
    )
