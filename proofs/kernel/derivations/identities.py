r"""Two formulas that are equal, or one that is ≥ 0, for all parameters of a region.

``{"type": "derived-identity", "where", "left", "right"}``
    both sides have the same form in the ring, in every case of the region;
``{"type": "derived-inequality", "where", "formula", "proof"}``
    a tree shows formula ≥ 0; above it, a ``split`` of a parameter makes cases where Min, Max or an absolute value of
    the formula needs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpwitness.proofs.kernel.algebra.expr import Expr, parse
from dpwitness.proofs.kernel.arith import Rejected, Undecided
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.derivations.functions import put
from dpwitness.proofs.kernel.derivations.reading import read
from dpwitness.proofs.kernel.derivations.region import Values, cases, proofs_of
from dpwitness.proofs.kernel.derivations.ring import ZERO, variable
from dpwitness.proofs.kernel.derivations.trees import parts, verify
from dpwitness.proofs.kernel.statements import NO_INPUTS, subject
from dpwitness.proofs.kernel.theorem import Theorem


def check_identity(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``derived-identity``."""
    where, left, right = fields(certificate, "type", "where", "left", "right")[1:]
    one, other = parse(left), parse(right)
    names = sorted(one.variables() | other.variables())
    for values in cases(names, where):
        if read(one, values) != read(other, values):
            raise Rejected("the two sides have different forms")
    said = f"{left} = {right} for all {', '.join(where) or 'values'}"
    model = subject(certificate, "where", "left", "right")
    return Theorem("derived-identity", said, model, False, {}, NO_INPUTS, "any", _open(names, where))


def check_inequality(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``derived-inequality``."""
    where, source, proof = fields(certificate, "type", "where", "formula", "proof")[1:]
    expr = parse(source)
    names = sorted(expr.variables())
    regions = cases(names, where)
    for values, part in zip(regions, proofs_of(proof, regions), strict=True):
        _case(expr, values, part, 0)
    said = f"{source} >= 0 for all {', '.join(where) or 'values'}"
    model = subject(certificate, "where", "formula")
    return Theorem("derived-inequality", said, model, False, {}, NO_INPUTS, "any", _open(names, where))


def _case(expr: Expr, values: Values, node: Any, depth: int) -> None:
    """A tree, or cases of a parameter where Min, Max or an absolute value is not of one branch."""
    try:
        e = read(expr, values)
    except Undecided:
        if depth > 6:
            raise
        name, source, *trees = fields(node, "by", "variable", "at", "below", "equal", "above")[1:]
        known = sorted(frozenset().union(*(v.variables for v in values.values())))
        if node["by"] != "split" or name not in known:
            raise Rejected("a case is made of a parameter") from None
        probe = ZERO
        for n in known:
            probe = probe + variable(n)
        for image, tree in zip(parts(probe, name, source), trees, strict=True):
            _case(expr, {n: put(v, {name: image}) for n, v in values.items()}, tree, depth + 1)
        return
    verify(e, node)


def _open(names: list[str], where: list[str]) -> dict[str, dict[str, str]]:
    return {name: {"where": ", ".join(where)} for name in names}


CHECKERS = {"derived-identity": check_identity, "derived-inequality": check_inequality}
