"""Noise in a general metric space, and when its factor 2 may go.

From lecture slides on the 2006 paper of Dwork, McSherry, Nissim and Smith.
"""

# ruff: noqa: B008 (the default argument is the claim itself: an immutable Formula)
from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import product

from dpwitness.literature.finding import Check, Finding, Formula, every, judge
from dpwitness.literature.lines import within_budget
from dpwitness.literature.registry import claim
from dpwitness.literature.tools import equal, fact, positive, rational, show
from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.releases.tables import Row, pure_loss, within

F = Fraction
Metric = Mapping[tuple[int, int], Fraction]


def metric(size: int, distance: Callable[[int, int], int | Fraction]) -> Metric:
    """A finite metric; its axioms are checked."""
    d = {(a, b): F(distance(a, b)) for a, b in product(range(size), repeat=2)}
    for a, b, c in product(range(size), repeat=3):
        if d[a, b] != d[b, a] or d[a, a] != 0 or d[a, c] > d[a, b] + d[b, c]:
            raise ValueError(f"not a metric at {a}, {b}, {c}")
    return d


SPACES: dict[str, Metric] = {
    "path": metric(5, lambda a, b: abs(a - b)),
    "cycle": metric(6, lambda a, b: min((a - b) % 6, (b - a) % 6)),
    "discrete": metric(4, lambda a, b: int(a != b)),
    "cube": metric(8, lambda a, b: (a ^ b).bit_count()),
    "star": metric(5, lambda a, b: 0 if a == b else 1 + (a != 0) * (b != 0)),
}
TRANSITIVE = ("cycle", "discrete", "cube")


def size_of(space: Metric) -> int:
    """The number of points."""
    return 1 + max(a for a, _ in space)


def law(space: Metric, centre: int, rate: Fraction) -> Row:
    """Weights e^{−rate·d(y, centre)}."""
    return Row.weighted([ExpSum.exp(-rate * space[y, centre]) for y in range(size_of(space))])


def private(space: Metric, rate: Fraction, eps: Fraction, reach: Fraction) -> Check:
    """Whether all pairs of centres at distance ≤ reach have densities within e^{±ε}, decided exactly."""
    for u, v in product(range(size_of(space)), repeat=2):
        if space[u, v] <= reach and not within(law(space, u, rate), law(space, v, rate), eps, F(0)):
            loss = pure_loss(law(space, u, rate), law(space, v, rate))
            return fact(False, "a pair of centres exceeds ε", u=u, v=v, loss=loss or "infinite", eps=eps)
    return Check(True, "")


def cluster(rate: Fraction, unit: Fraction, copies: int) -> tuple[Row, Row]:
    """Centres u, v at distance `unit`, and `copies` points at distance unit from v and 2·unit from u."""
    near, far = ExpSum.exp(-rate * unit), ExpSum.exp(-2 * rate * unit)
    return Row.weighted([ExpSum.of(1), near, copies * far]), Row.weighted([near, ExpSum.of(1), copies * near])


@claim(
    "000-C12",
    title="Sensitivity in a metric space",
    kind="definition",
    statement="For a distance d_M that is symmetric and obeys the triangle inequality, S_M(f) = sup over d_H(x,x′)=1 of"
    " d_M(f(x),f(x′)).",
)
def metric_sensitivity(formula: Formula = Formula(symmetric=True, triangle=True)) -> Finding:
    """S_M over neighbours, and the Lipschitz property that the triangle inequality gives."""

    def cases() -> Iterator[Check]:
        spaces = dict(SPACES)
        if not formula["triangle"]:
            spaces["squared path"] = {(a, b): F(a - b) ** 2 for a, b in product(range(5), repeat=2)}
        if not formula["symmetric"]:
            spaces["one way"] = {(a, b): F((b - a) % 5) for a, b in product(range(5), repeat=2)}
        for name, d in spaces.items():
            n = size_of(d)
            for f in (
                {x: sum(x) % n for x in product((0, 1), repeat=3)},
                {x: x[0] * x[1] for x in product((0, 1), repeat=3)},
            ):
                far = {k: max(d[f[x], f[y]] for x in f for y in f if _hamming(x, y) == k) for k in range(1, 4)}
                yield fact(all(far[k] <= k * far[1] for k in far), f"{name}: d_M ≤ S_M·d_H", space=name, reach=str(far))
                both = all(d[f[x], f[y]] == d[f[y], f[x]] for x in f for y in f)
                yield fact(both, f"{name}: the same from x and from x′", space=name)

    return judge(
        every(cases(), "two functions on {0,1}³ into five metrics"),
        argument=(
            "Definition. With the triangle inequality a path of d_H single changes gives d_M(f(x), f(x′)) ≤",
            "S_M·d_H(x, x′); with symmetry the supremum is the same over ordered and unordered neighbours. Squared",
            "distance loses the first.",
        ),
        evidence="exact",
    )


def _hamming(x: tuple[int, ...], y: tuple[int, ...]) -> int:
    return sum(a != b for a, b in zip(x, y, strict=True))


@claim(
    "000-C13",
    title="Metric mechanism",
    kind="theorem",
    statement="Pr[T(x)=y] = exp(−ε·d_M(y,f(x))/(2S_M(f))) / ∫_M exp(−ε·d_M(y,f(x))/(2S_M(f))) dy is ε-indistinguishable"
    " wherever the density is well defined. Proof step: the numerator and the normaliser each change by a "
    "factor of at most e^{ε/2}.",
)
def metric_mechanism(formula: Formula = Formula(rate="e/(2*S)")) -> Finding:
    """Density ∝ e^{−rate·d}; loss ≤ rate·S from the numerator plus rate·S from the normaliser."""
    rate = formula["rate"]
    general = within_budget(f"2*S*({rate})", "e", ["e", "S"])

    def value(eps: Fraction, s: Fraction) -> Fraction:
        return rational(rate, e=eps, S=s)

    finite = every(
        private(space, value(eps, F(1)), eps, F(1)) for space in SPACES.values() for eps in (F(1, 10), F(1), F(3))
    )
    sharp = pure_loss(*cluster(value(F(1), F(1)), F(1), 10**9))
    assert sharp is not None
    attained = fact(sharp[0] > F(99, 100), "a large cluster behind f(x′) drives the loss to ε", loss=sharp)
    return judge(
        general & finite & attained,
        argument=(
            "|d(y,f(x)) − d(y,f(x′))| ≤ d(f(x),f(x′)) ≤ S_M, so the numerator changes by a factor in e^{±ε/2}; the",
            "normaliser is an integral of such terms and changes by a factor in e^{±ε/2} too. Five finite metrics are",
            "checked exactly.",
        ),
        evidence="exact",
        tight=f"ε cannot be lowered: two centres with a far cluster of 10⁹ points lose {show(sharp)} of ε = 1",
    )


@claim(
    "000-C14",
    title="Sampling rule",
    kind="algorithm",
    statement="With h_{z,ε}(y) ∝ exp(−ε·d_M(y,z)/(2S_M(f))), an approximate version of f(x) with sensitivity S is "
    "revealed ε-indistinguishably by sampling from h_{f(x),ε/S}.",
)
def sampling_rule(formula: Formula = Formula(density="e/(2*S)", sampled="e/S")) -> Finding:
    """The density h_{z,ε} with rate ε/(2S), sampled at ε/S: S enters twice."""
    rate = str(parse(formula["density"]).substitute({"e": parse(f"({formula['sampled']})")}))
    loss = f"2*S*({rate})"
    scaled = str(parse(loss).substitute({"e": parse("1")}))
    proportional = equal(loss, f"e*({scaled})", ["e", "S"])

    def instance(s: Fraction) -> Check:
        eps = F(1)
        p, q = cluster(rational(rate, e=eps, S=s), s, 10**6)
        seen = pure_loss(p, q)
        return fact(within(p, q, eps, F(0)) and within(q, p, eps, F(0)), "", S=s, eps=eps, loss=seen or "∞")

    whole = (
        proportional
        & every([instance(s) for s in (F(1, 2), F(1, 10), F(1), F(2))])
        & within_budget(loss, "e", ["e", "S"])
    )
    powers = [k for k in range(-3, 4) if equal(scaled, f"S**({-k})", ["S"]).ok]
    at_least_one = (
        positive(f"1 - t**{powers[0]}", {"t": (0, 1)}, note=f"loss/ε = S^(−{powers[0]}) ≤ 1 for S ≥ 1")
        if powers and powers[0] >= 0
        else Check(False, "the loss grows with S")
    )
    return judge(
        whole,
        under=proportional & at_least_one,
        condition="S ≥ 1: the loss is ε/S, because h_{z,ε} already contains S",
        argument=(
            "Sampling h_{f(x),ε/S} puts ε/(2S²) in front of the distance, so the loss is 2·S·ε/(2S²) = ε/S: less than",
            "ε for S > 1 (more noise than needed) and more than ε for S < 1, where the two-centre cluster space",
            "violates ε exactly.",
        ),
        evidence="exact",
        repair=within_budget("2*S*(e/(2*S))", "e", ["e", "S"]),
        repaired="sample from h_{f(x),ε}; or define h_{z,ε}(y) ∝ exp(−ε·d_M(y,z)/2) without S and sample h_{f(x),ε/S}",
    )


@claim(
    "000-C15",
    title="Removing the factor 2",
    kind="privacy claim",
    statement="If the normalisation factor does not depend on f(x), its ratio between x and x′ is 1 and the output "
    "density may be taken ∝ exp(−ε·d_M(y,f(x))/S_M(f)), which is smaller noise at the same ε.",
)
def removing_the_factor_2(formula: Formula = Formula(rate="e/S", constant_normaliser=True)) -> Finding:
    """Rate ε/S where the normaliser does not depend on the centre."""
    rate = formula["rate"]
    names = TRANSITIVE if formula["constant_normaliser"] else tuple(SPACES)

    def cases() -> Iterator[Check]:
        for name in names:
            for eps in (F(1, 10), F(1), F(3)):
                r = rational(rate, e=eps, S=F(1))
                totals = [law(SPACES[name], u, r).total for u in range(size_of(SPACES[name]))]
                if formula["constant_normaliser"]:
                    yield fact(all((t - totals[0]).sign() == 0 for t in totals), f"{name}: one normaliser")
                yield private(SPACES[name], r, eps, F(1))

    smaller = equal("e/S - e/(2*S)", "e/(2*S)", ["e", "S"], "the rate is larger by ε/(2S) > 0: less noise")
    loss = within_budget(f"S*({rate})", "e", ["e", "S"])
    return judge(
        loss & every(cases(), "cycle, discrete space and cube, exactly") & smaller,
        argument=(
            "With a common normaliser only the numerator changes, by at most e^{ε·d/S} ≤ e^ε: the whole budget may go",
            "there, and a rate twice as large is less noise. Without it (a path, a star) the rate ε/S does exceed ε.",
        ),
        evidence="exact",
        tight="the loss ε is attained at y = f(x) with d_M(f(x), f(x′)) = S",
    )


@claim(
    "000-C16",
    title="Metric mechanism and Laplace",
    kind="identity",
    statement="With d_M the L₁ distance, y = f(x) + η and the factor 2 removed, the noise density is h(η) ∝ "
    "exp(−ε‖η‖₁/S_{L₁}(f)), which is exactly the Laplace mechanism.",
)
def metric_is_laplace(formula: Formula = Formula(exponent="e*r/S", laplace="r/(S/e)")) -> Finding:
    """r = ‖η‖₁; the Laplace mechanism has density ∏ (1/(2λ))·e^{−|η_i|/λ} with λ = S/ε."""
    same = equal(formula["exponent"], formula["laplace"], ["e", "r", "S"])
    split = equal("exp(-(a+b)/m)", "exp(-a/m)*exp(-b/m)", ["a", "b", "m"])
    return judge(
        same & split,
        argument=(
            "ε‖η‖₁/S = ‖η‖₁/λ at λ = S/ε, and e^{−‖η‖₁/λ} is the product of the coordinates' e^{−|η_i|/λ}. Lebesgue",
            "measure is translation invariant, so the normaliser (2λ)^d does not depend on f(x), and the factor 2 may",
            "go.",
        ),
        evidence="symbolic",
    )
