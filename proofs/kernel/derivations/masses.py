r"""The integral of a density with symbols as a formula, and δ(ε) of its slide.

``{"type": "derived-mass", "density", "where", "cuts", "antiderivatives", "total"}``
    on each piece between the cuts the derivative of a formula A in z is h; the pieces' differences
    :math:`A(\text{right end}) - A(\text{left end})` sum to the formula `total`. So :math:`\int h` is `total`.

``{"type": "derived-curve", …, "changes", "crossing", "side", "toward", "proof", "formula"}``
    with this F(z) = ∫_{−∞}^z h, and the line cut at ``changes``, of which the crossing z₀ is one:
    :math:`h(z) - e^\varepsilon h(z+\Delta)` (or z − Δ, as ``toward`` says) is ≥ 0 on one side of z₀ and ≤ 0 on the
    other, by a tree on each piece. So with N = ∫ h

    .. math:: N\,\delta(\varepsilon) = F(z_0) - e^\varepsilon F(z_0 + \Delta) \quad\text{or}\quad
              N - F(z_0) - e^\varepsilon(N - F(z_0+\Delta)),

    for the side left or right of z₀. Where h is even, the other order of the pair has the same δ(ε).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpwitness.proofs.kernel.algebra.expr import Expr, parse
from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.derivations.functions import decided, derivative, exp
from dpwitness.proofs.kernel.derivations.growth import limit
from dpwitness.proofs.kernel.derivations.losses import Pieces, integrable
from dpwitness.proofs.kernel.derivations.reading import read
from dpwitness.proofs.kernel.derivations.region import Values, cases, proofs_of
from dpwitness.proofs.kernel.derivations.ring import ZERO, Quotient, variable
from dpwitness.proofs.kernel.derivations.trees import verify
from dpwitness.proofs.kernel.statements import NO_INPUTS, subject
from dpwitness.proofs.kernel.theorem import Theorem


class Primitive:
    """An antiderivative of a density, piece by piece, checked when it is made."""

    def __init__(self, density: Expr, cuts: Sequence[Expr], sources: Sequence[Expr], values: Values) -> None:
        self.values, self.sources = values, sources
        self.cuts = [read(c, values) for c in cuts]
        pieces = Pieces(self.cuts)
        if len(sources) != len(pieces.z):
            raise Rejected("an antiderivative for each piece is needed")
        for z, source in zip(pieces.z, sources, strict=True):
            h = read(density, {**values, "z": z})
            if h and h.sign != 1:
                raise Rejected("the density is not seen to be positive on a piece")
            if not integrable(h, z):
                raise Rejected("the density does not integrate")
            if derivative(read(source, {**values, "z": z}), "t") != h * derivative(z, "t"):
                raise Rejected("an antiderivative has another derivative")
        # F is the antiderivative on piece i plus starts[i]
        self.starts, total = [], ZERO
        for i, (z, source) in enumerate(zip(pieces.z, sources, strict=True)):
            along = read(source, {**values, "z": z})
            ends = [limit(along, "t", at_zero=zero) for zero in ((False, True) if i == 0 else (True, False))]
            low, high = ends
            if not isinstance(low, Quotient) or not isinstance(high, Quotient):
                raise Rejected("an antiderivative has an infinite limit")
            self.starts.append(total - low)
            total = total + high - low
        self.total = total

    def up_to(self, z: Quotient) -> Quotient:
        """∫ h over (−∞, z], for a place on a piece that is seen, or any place where one formula serves all pieces."""
        one = len(set(self.sources)) == len(set(self.starts)) == 1
        piece = 0 if one else sum(decided(z - cut) >= 0 for cut in self.cuts)
        return read(self.sources[piece], {**self.values, "z": z}) + self.starts[piece]


def check_mass(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``derived-mass``."""
    source, where, cuts, primitives, total = fields(
        certificate, "type", "density", "where", "cuts", "antiderivatives", "total"
    )[1:]
    density, stated = parse(source), parse(total)
    names = sorted((density.variables() | stated.variables()) - {"z"})
    for values in cases(names, where):
        found = Primitive(density, [parse(c) for c in cuts], [parse(p) for p in primitives], values)
        if found.total != read(stated, values):
            raise Rejected("the integral is another one")
    said = f"the integral of {source} over z is {total}, for all {', '.join(where)}"
    model = subject(certificate, "density", "where", "total")
    domains = {name: {"where": ", ".join(where)} for name in names}
    return Theorem("derived-mass", said, model, False, {}, NO_INPUTS, "any", domains)


def check_curve(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``derived-curve``."""
    source, where, cuts, primitives, changes, crossing, side, toward, proof, formula = fields(
        certificate,
        "type",
        "density",
        "where",
        "cuts",
        "antiderivatives",
        "changes",
        "crossing",
        "side",
        "toward",
        "proof",
        "formula",
    )[1:]
    density, stated, place = parse(source), parse(formula), parse(crossing)
    if side not in ("left", "right") or toward not in ("+", "-"):
        raise Rejected("a side is left or right, and a slide goes toward + or -")
    names = sorted((density.variables() | stated.variables() | place.variables() | {"eps", "Delta"}) - {"z"})
    regions, even = cases(names, where, changes=("Delta",)), True
    for values, part in zip(regions, proofs_of(proof, regions), strict=True):
        if decided(values["Delta"]) < 0:
            raise Rejected("the slide is by Delta >= 0")
        found = Primitive(density, [parse(c) for c in cuts], [parse(p) for p in primitives], values)
        z0, move = read(place, values), values["Delta"] if toward == "+" else -values["Delta"]
        growth = exp(values["eps"])
        _signs(density, values, [read(parse(c), values) for c in changes], z0, move, side, fields(part, "trees")[0])
        first, second = found.up_to(z0), found.up_to(z0 + move)
        if side == "right":
            first, second = found.total - first, found.total - second
        if first - growth * second != found.total * read(stated, values):
            raise Rejected("delta is another formula")
        even &= _even(density, values, found.cuts)
    way = "either way" if even else f"from z to z {toward} Delta"
    law = f"noise of density proportional to {source}, slid by Delta {way}"
    said = f"{law}: delta(eps) = {formula}, for all {', '.join(where)}"
    model = subject(certificate, "density", "where", "formula")
    domains = {name: {"where": ", ".join(where)} for name in names}
    return Theorem("derived-curve", said, model, False, {}, NO_INPUTS, "any", domains)


def _signs(
    density: Expr, values: Values, cuts: list[Quotient], z0: Quotient, move: Quotient, side: str, trees: Any
) -> None:
    """h(z) − e^ε h(z + Δ) is ≥ 0 on one side of z₀ and ≤ 0 on the other."""
    if z0 not in cuts:
        raise Rejected("the line is cut at the crossing too")
    pieces = Pieces(cuts)
    if not isinstance(trees, list | tuple) or len(trees) != len(pieces.z):
        raise Rejected("a tree for each piece is needed")
    growth = exp(values["eps"])
    for i, (z, tree) in enumerate(zip(pieces.z, trees, strict=True)):
        h, other = (read(density, {**values, "z": x}) for x in (z, z + move))
        gap = h - growth * other
        inside = (i <= cuts.index(z0)) == (side == "left")
        verify(gap if inside else -gap, tree)


def _even(density: Expr, values: Values, cuts: list[Quotient]) -> bool:
    """Whether h(−z) = h(z), seen on a line that is cut at 0 alone."""
    if cuts != [ZERO]:
        return False
    t = variable("t")
    return read(density, {**values, "z": t}) == read(density, {**values, "z": -t})


CHECKERS = {"derived-mass": check_mass, "derived-curve": check_curve}
