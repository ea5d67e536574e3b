r"""Datasets with real outputs: a shift bound for every pair of neighbours of a finite space.

Two datasets that lead to trees of the same shape are two values of one tree with one unknown number: the left one at
q0 = 0 and the right one at q0 = 1. A shift that serves this tree for q0 moving by 1 serves the pair in both orders.
Which pairs there are is computed from the space, so none can be left out; and a dataset has the same program in all of
its pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.algebra.polyhedra import ONE, parse, plus, show
from dpwitness.proofs.kernel.arith import Rejected, number, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.programs.shift import check_bound
from dpwitness.proofs.kernel.spaces import Space, read_space
from dpwitness.proofs.kernel.statements import loss
from dpwitness.proofs.kernel.theorem import Theorem, fingerprint

STEP = {"relation": "one", "by": "1"}
TABLES = {"d": "draws", "t": "tests", "m": "maxima", "c": "choices"}
ZERO = Fraction(0)


def program_at(tree: Mapping[str, Any], value: int) -> Any:
    """The unit and the nodes of a tree at q0 = `value`, tables put in: equal for equal programs, however numbered."""

    def form(source: object) -> str:
        read = parse(source)
        return show(plus({name: v for name, v in read.items() if name != "q0"}, {ONE: read.get("q0", ZERO) * value}))

    def visit(node: Any) -> list[Any]:
        kind, number_, parts = node[0][:1], node[0][1:], node[1:]
        if kind == "x":
            return ["x"]
        if kind == "o":
            return ["o", tree["outputs"][int(number_)], *map(form, parts)]
        entry = tree[TABLES[kind]][int(number_)]
        entry = [form(entry[0]), entry[1]] if kind == "t" else list(map(form, entry)) if kind == "m" else entry
        return [kind, entry, *map(visit, parts)]

    return [tree["unit"], visit(tree["nodes"])]  # a scale of 1 is another law in another unit


def programs(space: Space, proofs: Sequence[Any], use: Sequence[int]) -> dict[int, Any]:
    """The program of each dataset that has a neighbour; two different ones for one dataset are rejected."""
    ends = [[program_at(proof["tree"], value) for value in (0, 1)] for proof in proofs]
    found: dict[int, Any] = {}
    for pair, k in zip(space.pairs(), use, strict=True):
        for place, program in zip(pair, ends[k], strict=True):
            if found.setdefault(place, program) != program:
                raise Rejected(f"the dataset {space.inputs()[place]} has different programs in two of its pairs")
    return found


def check_pairs(certificate: Mapping[str, Any]) -> Theorem:
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
    if len(use) != len(pairs) or any(type(k) is not int or k not in known for k in use):
        raise Rejected(f"{len(pairs)} pairs of neighbours need a proof each, in the order of the space")
    programs(space, proofs, use)
    unit = "·eps, for every eps > 0" if units == {"eps"} else ""
    words = f"{space.describe()}: {len(pairs)} pairs of neighbours, both orders: epsilon <= {text(limit)}{unit}"
    guarantee, left_open = loss(limit, units.pop())
    model = fingerprint({"space": space_json, "trees": [proof["tree"] for proof in proofs], "use": use})
    return Theorem("program-pairs", words, model, False, guarantee, space.stated(), space.sizes(), left_open)


CHECKERS = {"program-pairs": check_pairs}
