"""Certificates of every family about laws, as tight as outward rounding allows, for many parameters."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from tests.proofs.kernel import released

from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import enclose, outward, text
from dpwitness.proofs.kernel.laws.noise import NoiseLaw, enclosure
from dpwitness.proofs.kernel.laws.products import laplace_product
from dpwitness.proofs.kernel.releases.tables import Row, hockey_stick, pure_loss
from dpwitness.proofs.laws.positivity import prove

F = Fraction
Certificate = dict[str, Any]
TIGHT = F(1, 10**32)  # relative width of the values that are claimed
SLACK = TIGHT  # by how much a violated claim misses, where its value is exact


def _size(rng: random.Random) -> Fraction:
    return F(rng.randint(1, 40), rng.randint(1, 12))


def _laws(rng: random.Random) -> Iterator[tuple[NoiseLaw, Fraction]]:
    """One law of every kind with a shift."""
    for name in ("laplace", "exponential"):
        yield NoiseLaw(name, {"scale": _size(rng)}), _size(rng)
    yield NoiseLaw("gaussian", {"variance": _size(rng) ** 2}), _size(rng)
    yield NoiseLaw("uniform", {"width": 50 * _size(rng)}), _size(rng)
    yield NoiseLaw("discrete_laplace", {"scale": _size(rng)}), F(rng.randint(1, 4))
    yield NoiseLaw("discrete_gaussian", {"variance": 1 + _size(rng)}), F(rng.randint(1, 3))
    width = _size(rng)
    stair = {"eps": _size(rng) / 4, "sensitivity": width, "split": F(rng.randint(1, 5), 6)}
    yield NoiseLaw("staircase", stair), width * F(rng.randint(1, 8), 4)
    yield NoiseLaw("admissible", {"gamma": 1 + _size(rng) / 2, "scale": _size(rng)}), _size(rng)


def noise(rng: random.Random) -> Iterator[Certificate]:
    """A pure and an approximate guarantee of every law, and one just beyond that is violated."""
    for law, shift in _laws(rng):
        loss = law.loss(shift)
        if loss is not None:
            low, high = (loss, loss) if isinstance(loss, Fraction) else outward(*enclose(loss, TIGHT), 34)
            yield _noise([law], "all", [shift], {"kind": "pure", "epsilon": text(high)})
            slack = SLACK if low == high else F(1, 10**14)  # irrational losses are compared through enclosures
            yield _violation([law], [shift], {"kind": "pure", "epsilon": text(low * (1 - slack))})
        eps = (low if loss is not None else F(2)) * F(rng.randint(0, 6), 8)
        below, above = outward(*enclosure(law.curve(shift, eps), TIGHT), 34)
        if below > 0 and above < 1:
            yield _noise([law], "all", [shift], _approximate(eps, above))
            yield _violation([law], [shift], _approximate(eps, below * (1 - SLACK)))


def vectors(rng: random.Random) -> Iterator[Certificate]:
    """Several coordinates that all count, under every kind of move."""
    n, shift = rng.randint(2, 4), _size(rng)
    laplace, std = NoiseLaw("laplace", {"scale": _size(rng)}), _size(rng)
    gauss, loss = NoiseLaw("gaussian", {"variance": std * std}), shift / laplace.params["scale"]
    many, by = [laplace] * n, [shift] * n
    yield _noise(many, "all", by, {"kind": "pure", "epsilon": text(n * loss)})
    yield _violation(many, by, {"kind": "pure", "epsilon": text(n * loss * (1 - SLACK))})
    yield _noise(many, "l1", by, {"kind": "pure", "epsilon": text(loss)})
    yield _noise(many, "one", by, {"kind": "pure", "epsilon": text(loss)})
    eps = n * loss * F(rng.randint(0, 3), 4)
    below, above = outward(*enclosure((laplace_product([loss] * n, eps), ExpSum.of(1)), TIGHT), 34)
    yield _noise(many, "all", by, _approximate(eps, above))
    yield _violation(many, by, _approximate(eps, below * (1 - SLACK)))
    several, squared = [gauss] * n, (shift / std) ** 2
    yield _noise(several, "l2", by, {"kind": "zcdp", "rho": text(squared / 2)})
    yield _noise(several, "all", by, {"kind": "renyi", "order": "3", "epsilon": text(3 * n * squared / 2)})
    yield _violation(several, by, {"kind": "zcdp", "rho": text(n * squared / 2 * (1 - SLACK))})
    yield _noise([gauss] * 4, "all", [shift] * 4, {"kind": "gaussian", "mu": text(2 * shift / std)})
    eps = F(rng.randint(0, 12), 4)
    above = outward(*enclosure(gauss.curve(shift, eps), TIGHT), 34)[1]
    if above < 1:
        yield _noise(several, "l2", by, _approximate(eps, above))
        alone = [[text(shift) if i == j else "0" for i in range(n)] for j in range(n)]
        yield _noise(several, "listed", alone, _approximate(eps, above))


def _approximate(eps: Fraction, delta: Fraction) -> dict[str, str]:
    return {"kind": "approximate", "epsilon": text(eps), "delta": text(delta)}


def _noise(laws: list[NoiseLaw], kind: str, by: list[Any], guarantee: dict[str, str]) -> Certificate:
    sizes = [item if isinstance(item, list) else text(item) for item in by]
    return released.noise([law.to_json() for law in laws], kind, sizes, guarantee)


def _violation(laws: list[NoiseLaw], move: list[Fraction], guarantee: dict[str, str]) -> Certificate:
    return released.violation([law.to_json() for law in laws], [text(item) for item in move], guarantee)


def tables(rng: random.Random) -> Iterator[Certificate]:
    """Rows of rational and of exponential weights: pure, approximate, violated."""
    for exponential in (False, True):
        rows = [_row(rng, 3, exponential) for _ in range(2)]
        loss = pure_loss(*rows)
        if loss is None or loss[0] == 0:
            continue
        shown = [[w.to_json() for w in row.weights] for row in rows]
        space = {"records": ["int:0", "int:1"], "fewest": 1, "most": 1, "relation": "substitute"}
        names = {"outputs": ["int:0", "int:1", "int:2"]}
        common = {"space": space, **names, "rows": shown, "use": [0, 1]}
        yield {"type": "tables", "epsilon": text(outward(*loss, 18)[1]), "delta": "0", **common}
        eps = F(rng.randint(0, 5), 10) * outward(*loss, 4)[0]
        both = [outward(*enclosure(hockey_stick(p, q, eps), TIGHT), 34) for p, q in (rows, rows[::-1])]
        worst = max(high for _, high in both)
        if 0 < worst < 1:
            yield {"type": "tables", "epsilon": text(eps), "delta": text(worst), **common}
        scale = ExpSum.exp(eps)
        p, q = rows
        better = [
            i
            for i, (a, b) in enumerate(zip(p.weights, q.weights, strict=True))
            if (a * q.total - scale * b * p.total).sign() > 0
        ]
        if both[0][0] > 0:
            delta = text(both[0][0] * (1 - SLACK))
            sides = {"inputs": [["int:0"], ["int:1"]], **names, "left": shown[0], "right": shown[1]}
            yield {"type": "table-violation", "epsilon": text(eps), "delta": delta, **sides, "event": better}


def _row(rng: random.Random, n: int, exponential: bool) -> Row:
    if exponential:
        return Row.weighted([rng.randint(1, 5) * ExpSum.exp(F(rng.randint(-3, 3), 2)) for _ in range(n)])
    parts = [rng.randint(1, 20) for _ in range(n)]
    return Row.law([F(part, sum(parts)) for part in parts])


INEQUALITIES = (
    ("exp({a}*x) - 1 - {a}*x", {"x": (F(-1), F(1))}),
    ("cosh(x/{a}) - 1", {"x": (F(-2), F(2))}),
    ("x - log(1+{a}*x)/{a}", {"x": (F(0), F(3))}),
    ("x**2 - 2*{a}*x + {a}**2", {"x": (F(0), F(9))}),
    ("1 - 2*Abs({a}*z)/(1+({a}*z)**2)", {"z": (F(-4), F(4))}),
    ("x/{a} - tanh(x/{a})", {"x": (F(0), F(8))}),
)


def inequalities(rng: random.Random) -> Iterator[Certificate]:
    """Inequalities with equality somewhere."""
    formula, box = rng.choice(INEQUALITIES)
    yield prove(formula.format(a=rng.randint(1, 6)), box, strict=False)


DENSITIES = ("exp(-Abs(z)*{a}/{b})", "1/(1+Abs(z)**{c})", "1/cosh({a}*z/{b})", "exp(-{a}*z**2/{b})")


def densities(rng: random.Random) -> Iterator[Certificate]:
    """A slide of a density: within ε by its slope, or within (ε,δ) by its divergence."""
    from dpwitness.proofs.kernel.laws.density import Density

    which, a, b, c = rng.randrange(4), rng.randint(1, 5), rng.randint(1, 5), rng.randint(2, 6)
    formula, by = DENSITIES[which].format(a=a, b=b, c=c), F(rng.randint(1, 8), 8)
    common = {"type": "density", "formula": formula, "change": "slide", "by": text(by)}
    if which in (0, 2):
        yield {**common, "epsilon": text(by * a / b * (1 + F(1, 10**9))), "delta": "0"}
        return
    eps = F(rng.randint(0, 3), 8)
    high = outward(*Density.read(formula).divergence("slide", by, eps), 12)[1]
    if high < 1:
        yield {**common, "epsilon": text(eps), "delta": text(high)}


FAMILIES = (noise, vectors, tables, inequalities, densities)
