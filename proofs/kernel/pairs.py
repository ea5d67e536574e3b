r"""Datasets with real outputs: a shift bound for every pair of neighbours of a finite space.

Two datasets that lead to trees of the same shape are two values of one tree with one unknown number: the left one at
q0 = 0 and the right one at q0 = 1. A shift that serves this tree for q0 moving by 1 serves the pair in both orders.
Which pairs there are is computed from the space, so none can be left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, number, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.shift import check_bound
from dpwitness.proofs.kernel.spaces import read_space

STEP = {"relation": "one", "by": "1"}


def check_pairs(certificate: Mapping[str, Any]) -> str:
    """Check a certificate of type ``program-pairs``: `use` names the proof of each pair of the space, in order."""
    _, space_json, bound, proofs, use = fields(
        certificate, "type", "space", "bound", "proofs", "use", optional=("target", "program")
    )
    space, limit = read_space(space_json), number(bound)
    units = set()
    for proof in proofs:
        if proof["adjacency"] != STEP or proof["tree"]["queries"] != 1 or "lower" in proof:
            raise Rejected("a pair is one unknown number that moves by 1")
        check_bound({**proof, "type": "program-bound"})
        if number(proof["bound"]) > limit:
            raise Rejected(f"a pair costs more than {limit}")
        units.add(proof["tree"]["unit"])
    if len(units) != 1:
        raise Rejected("there is no proof, or the proofs have different units")
    pairs = space.pairs()
    known = range(len(proofs))
    if len(use) != len(pairs) or any(isinstance(k, bool) or k not in known for k in use):
        raise Rejected(f"{len(pairs)} pairs of neighbours need a proof each, in the order of the space")
    unit = "·eps, for every eps > 0" if units == {"eps"} else ""
    return f"{space.describe()}: {len(pairs)} pairs of neighbours, both orders: epsilon <= {text(limit)}{unit}"


CHECKERS = {"program-pairs": check_pairs}
