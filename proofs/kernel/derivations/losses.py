r"""The loss of a noise density with symbols: the smallest bound for all parameters at once, as a formula.

For a density h of z and parameters in a region, one of four functions is bounded on the whole line:

``slope``    :math:`\psi = (\ln h)'`. Where h is continuous and positive, ln h is the integral of ψ, so every slide by Δ
             has a log-ratio of at most \|Δ\|·sup\|ψ\|, and no smaller factor of \|Δ\| will do for all Δ.
``stretch``  :math:`\chi = 1 + z\psi`. The derivative of :math:`\ln(e^\lambda h(e^\lambda z))` in λ is χ at
             :math:`e^\lambda z`, so every dilation has a log-ratio of at most \|λ\|·sup\|χ\|; h may jump at 0 alone.
``slide``    :math:`\ln h(z) - \ln h(z+\Delta)` for Δ > 0. The slide back has the same values at z − Δ, negated.
``dilate``   :math:`\ln h(z) - \lambda - \ln h(e^\lambda z)` for λ > 0 (``lam``); the dilation by −λ likewise.

A *leaf* cuts the line at formulas in the parameters (``cuts``). On each open piece z runs with a variable t > 0, the
sign of every absolute value is seen, h is seen to be positive, and two trees show B − f ≥ 0 and B + f ≥ 0. Where both
densities are zero there is nothing to show. The cuts themselves have measure zero. ``sharp`` names a piece and an end
(or a formula for t) where B − f or B + f has the limit 0: so no smaller bound holds. Above the leaves, a ``split`` or a
``put`` of a parameter makes cases. Everywhere h is seen to have a finite integral.

``infinite`` and ``support`` leaves show instead that no finite bound holds: f has an infinite limit at an end of a
piece, or on a piece one of the two densities is zero and the other is positive.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from dpwitness.proofs.kernel.algebra.expr import Expr, parse
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.derivations.functions import decided, derivative, exp, log, put
from dpwitness.proofs.kernel.derivations.growth import INFINITY, Growth, leading, limit, ratio_limit
from dpwitness.proofs.kernel.derivations.reading import PI, formula, read
from dpwitness.proofs.kernel.derivations.region import Values, cases, proofs_of
from dpwitness.proofs.kernel.derivations.ring import ONE, ZERO, Quotient, variable
from dpwitness.proofs.kernel.derivations.trees import far, onto, parts, verify
from dpwitness.proofs.kernel.limits import tick
from dpwitness.proofs.kernel.statements import NO_INPUTS, subject
from dpwitness.proofs.kernel.theorem import Theorem

CHANGES = {"slope": (), "stretch": (), "slide": ("Delta",), "dilate": ("lam",)}
SAID = {
    "slope": "every slide by Δ changes ln h by at most |Δ| times this",
    "stretch": "every dilation by e^λ changes ln h by at most |λ| times this",
    "slide": "a slide by Δ = Delta > 0, either way, changes ln h by at most this",
    "dilate": "a dilation by e^λ, λ = lam > 0, either way, changes ln h by at most this",
}
MAX_CUTS, MAX_DEPTH = 12, 12
T = variable("t")


class Pieces:
    """The line cut at increasing formulas: for each piece z as a function of t > 0."""

    def __init__(self, cuts: list[Quotient]) -> None:
        if not 1 <= len(cuts) <= MAX_CUTS:
            raise Rejected(f"the line is cut at 1 to {MAX_CUTS} places")
        for a, b in pairwise(cuts):
            if decided(b - a) <= 0:
                raise Rejected("the cuts do not increase")
        inner = [a + (b - a) * T / (ONE + T) for a, b in pairwise(cuts)]
        self.cuts = cuts
        self.z = [cuts[0] - T, *inner, cuts[-1] + T]


def check_losses(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "derived-loss", "density", "where", "change", "bound", "proof"}``.

    `bound` is a formula, or None where no finite bound holds for any value of the parameters.
    """
    source, where, change, bound, proof = fields(certificate, "type", "density", "where", "change", "bound", "proof")[
        1:
    ]
    if change not in CHANGES:
        raise Rejected(f"change must be one of {', '.join(CHANGES)}")
    density = parse(source)
    if "z" not in density.variables():
        raise Rejected("the density does not depend on z")
    names = sorted(density.variables() - {"z"})
    limit_of = None if bound is None else parse(bound, frozenset((*names, *CHANGES[change])))
    sharp = True
    regions = cases(names, where)
    for values, part in zip(regions, proofs_of(proof, regions), strict=True):
        start = {**values, **{n: variable(n) for n in CHANGES[change]}}
        sharp &= _case(Question(density, change, limit_of), start, part, 0)
    domain = ", ".join(where) or "no parameter"
    what = f"h(z) proportional to {source} with {domain}"
    if bound is None:
        said = f"{what}: no finite bound holds for a {'slide' if change in ('slope', 'slide') else 'dilation'}"
    else:
        exact = "; no smaller bound holds" if sharp else ""
        said = f"{what}: {SAID[change]}: {bound}{exact}"
    model = subject(certificate, "density", "where", "change")
    domains = {name: {"where": ", ".join(where)} for name in names}
    return Theorem("derived-loss", said, model, bound is None, {}, NO_INPUTS, "any", domains)


class Question:
    """A density, the change, and the bound that is claimed (None: that there is none)."""

    def __init__(self, density: Expr, change: str, bound: Expr | None) -> None:
        self.density, self.change, self.bound = density, change, bound

    def densities(self, values: Values, z: Quotient) -> tuple[Quotient, Quotient | None]:
        """h at z, and the changed density there where two are compared."""
        h = read(self.density, {**values, "z": z})
        if self.change == "slide":
            return h, read(self.density, {**values, "z": z + values["Delta"]})
        if self.change == "dilate":
            factor = exp(values["lam"])
            return h, factor * read(self.density, {**values, "z": factor * z})
        return h, None

    def empty(self, values: Values, z: Quotient) -> bool:
        """Whether the densities that are compared are zero on a piece, so that nothing is said about it."""
        h, other = self.densities(values, z)
        return not h and not other

    def function(self, values: Values, z: Quotient) -> Quotient:
        """What is bounded, as a function of t."""
        h, other = self.densities(values, z)
        if h.sign != 1 or (other is not None and other.sign != 1):
            raise Rejected("the density is not seen to be positive on a piece")
        if other is not None:
            return log(h) - log(other)
        psi = derivative(log(h), "t") / derivative(z, "t")
        return psi if self.change == "slope" else ONE + z * psi


def _case(question: Question, values: Values, node: Any, depth: int) -> bool:
    """Replay one case; whether it shows that the bound is sharp."""
    tick()
    if depth > MAX_DEPTH:
        raise Rejected(f"more than {MAX_DEPTH} cases in a row")
    rule = node.get("by") if isinstance(node, Mapping) else None
    if rule in ("split", "put"):
        name = node.get("variable")
        known = frozenset().union(*(v.variables for v in values.values()))
        if not isinstance(name, str) or name not in known:
            raise Rejected("a case is made of a parameter")
        probe = Quotient(ZERO.top)
        for n in sorted(known):
            probe = probe + variable(n)
        if rule == "put":
            source, then = fields(node, "by", "variable", "as", "then")[2:]
            value = onto(probe, name, source)
            return _case(question, _put(values, name, value), then, depth + 1)
        source, *trees = fields(node, "by", "variable", "at", "below", "equal", "above")[2:]
        images = parts(probe, name, source)
        found = [_case(question, _put(values, name, v), n, depth + 1) for v, n in zip(images, trees, strict=True)]
        return all(found)
    names = {n: variable(n) for v in values.values() for n in v.variables}
    cuts = node.get("cuts") if isinstance(node, Mapping) else None
    if not isinstance(cuts, list | tuple):
        raise Rejected("a leaf names its cuts")
    pieces = Pieces([formula(c, names) for c in cuts])
    for z in pieces.z:
        if not integrable(read(question.density, {**values, "z": z}), z):
            raise Rejected("the density does not integrate")
    if question.bound is None:
        _unbounded(question, values, pieces, node)
        return False
    if rule != "pieces":
        raise Rejected(f"unknown rule {str(rule)[:40]!r}")
    return _bounded(question, values, pieces, node)


def _put(values: Values, name: str, value: Quotient) -> Values:
    return {n: put(v, {name: value}) for n, v in values.items()}


def _bounded(question: Question, values: Values, pieces: Pieces, node: Mapping[str, Any]) -> bool:
    trees, sharp = fields(node, "by", "cuts", "bounds", "sharp")[2:]
    if not isinstance(trees, list | tuple) or len(trees) != len(pieces.z):
        raise Rejected("two proofs for each piece are needed")
    if question.change in ("slope", "stretch"):
        _continuous(question, values, pieces)
    assert question.bound is not None
    bound = read(question.bound, values)
    gaps: list[tuple[Quotient, Quotient]] = []
    for z, pair in zip(pieces.z, trees, strict=True):
        if question.empty(values, z):
            if pair is not None:
                raise Rejected("a piece on which both densities are zero has no proof")
            gaps.append((ONE, ONE))
            continue
        f = question.function(values, z)
        upper, lower = fields(pair, "upper", "lower")
        gaps.append((bound - f, bound + f))
        verify(bound - f, upper)
        verify(bound + f, lower)
    if sharp is None:
        return False
    i, side, at = fields(sharp, "piece", "side", "at")
    gap = gaps[_index(i, len(gaps))][{"upper": 0, "lower": 1}[side]]
    if reached(gap, at) != ZERO:
        raise Rejected("sharp: the bound is not reached there")
    return True


def integrable(h: Quotient, z: Quotient) -> bool:
    """Whether h ≥ 0 has a finite integral over a piece: in t, it falls faster than 1/t at ∞, and slower at 0.

    Raises `Unseen` with a formula that must be negative where that depends on the parameters.
    """
    if not h:
        return True
    density = h * derivative(z, "t")
    if density.sign not in (1, -1):
        raise Undecided("the density is not seen to have one sign on a piece")
    growth, _ = leading(density, "t")
    if growth.rate and growth.compare(Growth(ZERO, growth.power, growth.logs), "t") > 0:
        return False
    if not growth.rate and decided(growth.power + ONE) >= 0:
        return False
    growth, _ = leading(put(density, {"t": T.inverse()}), "t")
    if growth.rate and growth.compare(Growth(ZERO, growth.power, growth.logs), "t") > 0:
        return False
    return bool(growth.rate) or decided(growth.power - ONE) < 0


def _index(i: object, size: int) -> int:
    if not isinstance(i, int) or isinstance(i, bool) or not 0 <= i < size:
        raise Rejected("there is no such piece")
    return i


def reached(f: Quotient, at: object) -> Quotient | str:
    """The limit at an end of the piece (``start``: t → 0, ``stop``: t → ∞), or the value at a formula for t."""
    if at in ("start", "stop"):
        return far(f, "t", at_zero=at == "start")
    t = formula(at, {n: variable(n) for n in f.variables - {"t"}})
    if t.sign != 1:
        raise Rejected("sharp: the place is not seen to be on the piece")
    return put(f, {"t": t})


def _continuous(question: Question, values: Values, pieces: Pieces) -> None:
    """At each cut, h has the same limit, which is a positive number, from both sides; dilations never cross 0."""
    last = len(pieces.z) - 1
    for i, cut in enumerate(pieces.cuts):
        if question.change == "stretch" and not cut:
            continue
        left, right = (question.densities(values, pieces.z[k])[0] for k in (i, i + 1))
        before = limit(left, "t", at_zero=i == 0)
        after = limit(right, "t", at_zero=True)
        assert i + 1 <= last
        if not isinstance(before, Quotient) or before != after or before.sign != 1:
            raise Rejected(
                "the density is not seen to be continuous and positive at a cut, so that its slope bounds nothing"
            )


def _unbounded(question: Question, values: Values, pieces: Pieces, node: Mapping[str, Any]) -> None:
    rule = node.get("by")
    if rule == "support":
        (i,) = fields(node, "by", "cuts", "piece")[2:]
        h, other = question.densities(values, pieces.z[_index(i, len(pieces.z))])
        if other is None or sorted((h.sign or 0, other.sign or 0)) != [0, 1] or (h and other):
            raise Rejected("support: the two densities are not seen to be zero and positive there")
        return
    if rule != "infinite":
        raise Rejected(f"unknown rule {str(rule)[:40]!r}")
    i, at = fields(node, "by", "cuts", "piece", "at")[2:]
    if question.change not in ("slide", "dilate") or at not in ("start", "stop"):
        raise Rejected("infinite: a slide or a dilation, at an end of a piece")
    h, other = question.densities(values, pieces.z[_index(i, len(pieces.z))])
    assert other is not None
    if h.sign != 1 or other.sign != 1:
        raise Rejected("the density is not seen to be positive on a piece")
    ratio = ratio_limit(h, other, "t", at_zero=at == "start")
    if ratio not in (INFINITY, ZERO):
        raise Rejected("infinite: the log-ratio has a finite limit there")


CHECKERS = {"derived-loss": check_losses}
__all__ = ["CHECKERS", "PI"]
