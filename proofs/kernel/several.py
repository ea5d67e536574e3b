"""One statement about inputs of several sizes, from a certificate for each size.

Neighbours under replacement, and neighbouring vectors of answers, have the same size. So what holds for the inputs of
each size alone holds for all of them. (Where records come and go this is not so, and no such relation is accepted.) A
dataset without records has no neighbour under replacement, so size 0 needs no certificate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected
from dpwitness.proofs.kernel.check import check, fields
from dpwitness.proofs.kernel.theorem import Formula, Theorem, fingerprint

MAX_PARTS = 200
TYPES = ("noise", "piecewise-release", "sorted-release", "tent", "minimiser", "program-bound")


def check_several(certificate: Mapping[str, Any]) -> Theorem:
    """The checker of ``{"type": "all-of", "parts": [certificate, …]}``: one certificate for each size."""
    (parts,) = fields(certificate, "type", "parts", optional=("target", "program", "about"))[1:]
    if not isinstance(parts, list) or not 1 <= len(parts) <= MAX_PARTS:
        raise Rejected(f"1 to {MAX_PARTS} certificates")
    if any(not isinstance(part, Mapping) or part.get("type") not in TYPES for part in parts):
        raise Rejected(f"the parts are certificates of the types {', '.join(TYPES)}")
    theorems = [check(part) for part in parts]
    first = theorems[0]
    sizes = [size for theorem in theorems if theorem.sizes != "any" for size in theorem.sizes]
    if any(theorem.refutes or theorem.sizes == "any" for theorem in theorems) or len(set(sizes)) != len(sizes):
        raise Rejected("the parts are proofs about different sizes")
    if any((theorem.relation, theorem.open) != (first.relation, first.open) for theorem in theorems):
        raise Rejected("the parts are not about the same relation and the same parameters")
    if first.relation["inputs"] == "records" and first.relation["relation"] != "substitute":
        raise Rejected("neighbours of different sizes are compared by none of the parts")
    empty = [0] if first.relation["inputs"] == "records" else []
    words = "; ".join(theorem.statement for theorem in theorems)
    model = fingerprint([theorem.subject for theorem in theorems])
    assumed = tuple(dict.fromkeys(name for theorem in theorems for name in theorem.assumptions))
    held = weakest([theorem.guarantee for theorem in theorems])
    every = tuple(sorted({*sizes, *empty}))
    return Theorem("all-of", words, model, False, held, first.relation, every, first.open, assumed)


def weakest(guarantees: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The guarantee that all of them imply: the same for all, or the largest of several pure ones of one form."""
    if all(guarantee == guarantees[0] for guarantee in guarantees):
        return guarantees[0]
    formulas: list[Formula] = [guarantee["epsilon"] for guarantee in guarantees if guarantee["kind"] == "pure"]
    powers = {formula[0][1] for formula in formulas if formula}
    if len(formulas) != len(guarantees) or len(powers) != 1 or any(len(formula) > 1 for formula in formulas):
        raise Rejected("the parts do not state one guarantee")
    return {"kind": "pure", "epsilon": max(formulas, key=lambda formula: formula[0][0] if formula else 0)}


CHECKERS = {"all-of": check_several}
