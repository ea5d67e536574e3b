r"""Minimisers with spherical noise: f with G(f; D) + b = 0 (noise *inside*), or f + b with G(f; D) = 0 (*outside*).

.. math:: G(f; D) = \sum_{i \in D} \varphi(v_i\cdot f)\,v_i + R f, \qquad b \sim e^{-\|b\|/s} \text{ on } \mathbb R^d

Each record is a vector v, one record may be replaced, R > 0, and φ is a rational function of :math:`u = e^m` with
lo ≤ φ ≤ hi and 0 ≤ φ′ ≤ c for all real m. So G′ ⪰ R: the field is strongly monotone, a bijection with smooth inverse.

* **Inside.** f has the density :math:`p_b(-G(f; D)) \det G'(f; D)`. Between neighbours the first factor changes by at
  most :math:`e^{\Delta/s}`, where Δ is the largest :math:`\|a v - a' v'\|` with a, a′ in [lo, hi]: a convex function of
  (a, a′), largest at a corner. With A ⪰ R, the part of G′ that both share,
  :math:`\det(A + \varphi' v v^T)/\det(A + \varphi'' v' v'^T) \le 1 + \varphi' v^T A^{-1} v \le 1 + c\|v\|^2/R`.
* **Outside.** Where G(f; D) = 0 = G(g; D′), :math:`R\|f-g\|^2 \le (G(f;D) - G(g;D))\cdot(f-g) \le \Delta\|f-g\|`, so
  the minimiser moves by at most Δ/R, and the loss is at most Δ/(R s).

Violations: on a box of outputs the ratio of the two densities is enclosed from below and exceeds e^ε. A minimiser lies
within ‖G(x; D)‖/R of any point x.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from typing import Any

from flint import arb, arb_mat

from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.algebra.slopes import Slope
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import Rejected, ball, number, precision, sign, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.claims import claim_from_json, words
from dpwitness.proofs.kernel.spaces import show_inputs
from dpwitness.proofs.kernel.statements import guarantee as stated
from dpwitness.proofs.kernel.statements import subject, two_inputs
from dpwitness.proofs.kernel.theorem import Theorem

MAX_VECTORS, MAX_DIMENSION, MAX_RECORDS = 200, 8, 64
Vector = tuple[Fraction, ...]
NOISES = ("inside", "outside")


# reading


def read_vectors(points: object, value: object) -> list[Vector]:
    """The vectors of the records, of one dimension; records are labels."""
    if not isinstance(value, list) or not 2 <= len(value) <= MAX_VECTORS or not all(isinstance(v, list) for v in value):
        raise Rejected(f"2 to {MAX_VECTORS} vectors of records")
    if not isinstance(points, list) or any(not isinstance(name, str) for name in points):
        raise Rejected("records are given as text")
    if len(set(points)) != len(points) or len(points) != len(value):
        raise Rejected("each record of the domain is listed once, with its vector")
    found = [tuple(number(x) for x in vector) for vector in value]
    if len({len(v) for v in found}) != 1 or not 1 <= len(found[0]) <= MAX_DIMENSION:
        raise Rejected(f"all vectors have the same 1 to {MAX_DIMENSION} coordinates")
    return found


def read_positive(source: str) -> Any:
    """A function that encloses a positive number given as a formula."""
    expr = parse(source, frozenset())

    def value() -> Any:
        found = over(expr, {})
        return found.lo.union(found.hi)

    if not (expr.value > 0 if expr.op == "num" else sign(value, cap=1024) > 0):
        raise Rejected(f"{source[:60]} is not positive")
    return value


def squared(vector: Sequence[Fraction]) -> Fraction:
    """The squared length."""
    return sum((x * x for x in vector), Fraction(0))


def widest(vectors: Sequence[Vector], low: Fraction, high: Fraction) -> Fraction:
    """The largest ‖a v − a′ v′‖² over two vectors and a, a′ in [low, high]."""
    lengths = (
        squared([a * x - b * y for x, y in zip(v, w, strict=True)])
        for v, w in combinations(sorted(set(vectors)), 2)  # a record of the same vector adds the same
        for a, b in product((low, high), repeat=2)
    )
    return max(lengths, default=Fraction(0))


# proofs


def check_minimiser(certificate: Mapping[str, Any]) -> Theorem:
    """Check ``{"type": "minimiser", "noise", "slope", "range", "curvature", "points", "vectors", "size", "ridge", …}``.

    ``noise`` is inside or outside; ``slope`` is φ in m, ``range`` its bounds, ``curvature`` that of φ′; ``ridge`` is R
    and ``scale`` s. Verified: on datasets of ``size`` such records, one of which may be replaced, the guarantee holds.
    """
    where, slope, bounds, curvature, points, listed, size, ridge, scale, guarantee = fields(
        certificate, "type", "noise", "slope", "range", "curvature", "points", "vectors", "size", "ridge", "scale",
        "guarantee", optional=("about",),
    )[1:]  # fmt: skip
    phi, vectors, claim = Slope(slope), read_vectors(points, listed), claim_from_json(guarantee)
    low, high = (number(x) for x in bounds)
    most = number(curvature)
    if where not in NOISES or not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise Rejected("noise is inside or outside, and a dataset has at least one record")
    if claim["kind"] not in ("pure", "approximate"):
        raise Rejected(f"no rule for {claim['kind']} guarantees of minimisers")
    if not phi.between(low, high) or not phi.bends(most):
        raise Rejected(f"{slope[:60]} is not between {low} and {high}, rising with slope at most {most}")
    r, s, step = read_positive(ridge), read_positive(scale), widest(vectors, low, high)
    long = max(squared(v) for v in vectors)
    if not keeps(where, (parse(ridge), r), (parse(scale), s), step, most * long, claim["epsilon"]):
        raise Rejected(f"the bound on the loss is not below that of {words(claim)}")
    said = f"minimiser over {size} records of {len(vectors)} kinds, noise {where}, one record replaced: {words(claim)}"
    model = subject(certificate, "noise", "slope", "points", "vectors", "ridge", "scale")
    inside = {"inputs": "records", "relation": "substitute", "points": list(points)}
    return Theorem("minimiser", said, model, False, stated(claim), inside, (size,))


def keeps(where: str, ridge: Any, scale: Any, step: Fraction, bend: Fraction, eps: Fraction) -> bool:
    """Whether √step/s + ln(1 + bend/R) ≤ ε (inside), or √step/(R s) ≤ ε (outside; exact where R and s are rational)."""
    (r_expr, r), (s_expr, s) = ridge, scale
    if where == "outside" and r_expr.op == s_expr.op == "num":
        return bool(step <= (eps * r_expr.value * s_expr.value) ** 2)

    def rest() -> Any:
        root = ball(step).sqrt()
        loss = root / s() + (1 + ball(bend) / r()).log() if where == "inside" else root / (r() * s())
        return ball(eps) - loss

    return sign(rest, cap=1024) > 0


# violations


def length(vector: Sequence[Any]) -> Any:
    """‖x‖ of a vector of balls."""
    low = sum((x.abs_lower() ** 2 for x in vector), arb(0)).sqrt()
    return low.union(sum((x.abs_upper() ** 2 for x in vector), arb(0)).sqrt())


def field(phi: Slope, records: Sequence[Vector], ridge: Any, point: Sequence[Any]) -> tuple[list[Any], Any]:
    """G(f; D) and det G′(f; D) over a box of points.

    The determinant of R + Σ tᵢ vᵢvᵢᵀ rises with every tᵢ ≥ 0, so the least and the largest slopes φ′ enclose it.
    """
    axes = range(len(point))
    total = [ridge * x for x in point]
    vectors, turns = [[ball(x) for x in record] for record in records], []
    for v in vectors:
        pull, turn = phi.at(sum((a * b for a, b in zip(v, point, strict=True)), arb(0)))
        total = [x + pull * a for x, a in zip(total, v, strict=True)]
        turns.append(turn)

    def determinant(ends: list[Any]) -> Any:
        rows = [
            [sum((t * (v[i] * v[j]) for t, v in zip(ends, vectors, strict=True)), arb(0)) for j in axes] for i in axes
        ]
        return arb_mat([[rows[i][j] + (ridge if i == j else 0) for j in axes] for i in axes]).det()

    return total, determinant([t.lower() for t in turns]).union(determinant([t.upper() for t in turns]))


def loss(
    where: str, phi: Slope, sides: Sequence[Sequence[Vector]], ridge: Any, scale: Any, point: Sequence[Any],
    near: Sequence[Vector] = (),
) -> Any:  # fmt: skip
    """Ln of the ratio of the densities on the left and on the right, over a box of outputs.

    For noise outside, `near` holds a point near each of the two minimisers.
    """
    if where == "inside":
        (left, a), (right, b) = (field(phi, side, ridge, point) for side in sides)
        return (length(right) - length(left)) / scale + a.log() - b.log()
    away = []
    for side, guess in zip(sides, near, strict=True):
        centre = [ball(x) for x in guess]
        radius = length(field(phi, side, ridge, centre)[0]) / ridge
        away.append(length([z - x + radius * arb(0, 1) for z, x in zip(point, centre, strict=True)]))
    return (away[1] - away[0]) / scale


def box(centre: Sequence[Fraction], radius: Fraction) -> list[Any]:
    """The points whose coordinates differ from the centre's by at most the radius."""
    return [ball(x) + ball(radius) * arb(0, 1) for x in centre]


def check_violation(certificate: Mapping[str, Any]) -> Theorem:
    """Check ``{"type": "minimiser-violation", "noise", "slope", "points", "vectors", "left", "right", "ridge", …}``.

    ``left`` and ``right`` list the records of two neighbours by their place in ``points``; the event is the box of
    outputs with ``centre`` and ``radius``; ``near`` is a list of two points for noise outside, and empty inside.
    Verified: everywhere on the box the left density exceeds e^ε times the right one.
    """
    where, slope, names, listed, left, right, ridge, scale, centre, radius, near, guarantee = fields(
        certificate, "type", "noise", "slope", "points", "vectors", "left", "right", "ridge", "scale", "centre",
        "radius", "near", "guarantee", optional=("about",),
    )[1:]  # fmt: skip
    phi, vectors, claim = Slope(slope), read_vectors(names, listed), claim_from_json(guarantee)
    if where not in NOISES or claim["kind"] != "pure":
        raise Rejected("noise is inside or outside, and the guarantee is a pure one")
    if not phi.bends(None):
        raise Rejected(f"{slope[:60]} does not rise everywhere: the equation may have several solutions")
    sides = [_dataset(side, vectors) for side in (left, right)]
    if len(left) != len(right) or sum(a != b for a, b in zip(left, right, strict=True)) != 1:
        raise Rejected("the two datasets do not differ in one record")
    if not isinstance(near, list) or not all(isinstance(point, list) for point in (centre, *near)):
        raise Rejected("a point is a list of numbers")
    points = [tuple(number(x) for x in point) for point in (centre, *near)]
    if any(len(p) != len(vectors[0]) for p in points) or len(near) != (2 if where == "outside" else 0):
        raise Rejected("a point does not have the right number of coordinates")
    size = number(radius)
    if size <= 0:
        raise Rejected("a box has a positive radius")
    r, s = read_positive(ridge), read_positive(scale)
    with precision(128):
        found = loss(where, phi, sides, r(), s(), box(points[0], size), points[1:])
        if not found > ball(claim["epsilon"]):
            raise Rejected("the two densities do not violate the guarantee on the whole box")
    shown = ", ".join(text(x) for x in points[0])
    inputs = [[names[k] for k in side] for side in (left, right)]
    said = f"{show_inputs(inputs)}: output within {text(size)} of ({shown[:80]}) in each coordinate violates "
    model = subject(certificate, "noise", "slope", "points", "vectors", "ridge", "scale")
    return Theorem("minimiser-violation", said + words(claim), model, True, stated(claim), *two_inputs(*inputs))


def _dataset(value: object, vectors: Sequence[Vector]) -> list[Vector]:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_RECORDS:
        raise Rejected(f"a dataset is a list of 1 to {MAX_RECORDS} places")
    if any(not isinstance(k, int) or isinstance(k, bool) or not 0 <= k < len(vectors) for k in value):
        raise Rejected("a record is the place of its vector")
    return [vectors[k] for k in value]


CHECKERS = {"minimiser": check_minimiser, "minimiser-violation": check_violation}
