"""Datasets with real outputs: each pair of neighbours as a program on one unknown number between 0 and 1.

Where two datasets lead to trees of the same shape whose forms differ in their constants only, the trees are two
values of one tree: a constant c on the left and c' on the right become c + (c' − c)·q0. A shift that serves this
tree for q0 moving by 1 serves the pair in both orders.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.evidence import Counterexample
from dpwitness.proofs.kernel.algebra.polyhedra import ONE, parse, part, plus, show
from dpwitness.proofs.kernel.moves import Moves
from dpwitness.proofs.kernel.programs.trees import read_tree
from dpwitness.proofs.kernel.spaces import Space
from dpwitness.proofs.programs.counterexamples import Goal, Search, Witness, find
from dpwitness.proofs.programs.explain import evidence
from dpwitness.proofs.programs.exploring import TooManyPaths
from dpwitness.proofs.programs.finite_inputs import inputs_and_pairs
from dpwitness.proofs.programs.shift import Bounds, bound, certificate
from dpwitness.proofs.programs.tables import Table, read_data

STEP = Moves("one", Fraction(1), 1)


class _Different(Exception):
    """The two trees do not have the same shape."""


@dataclass
class Paired:
    """Bounds for every pair i < j of `inputs`: `worst` is the largest, None where some pair has no shift."""

    space: Space
    inputs: list[tuple[Any, ...]]
    bounds: list[tuple[int, int, Bounds]]
    worst: Fraction | None

    @property
    def unit(self) -> str:
        """``"eps"`` or ``"1"``."""
        return self.bounds[0][2].table.tree.unit

    def certificate(self, target: str) -> dict[str, Any]:
        """One shift certificate for each distinct tree, and which of them serves each pair."""
        places: dict[int, int] = {}
        proofs: list[dict[str, Any]] = []
        for _, _, found in self.bounds:
            if id(found) not in places:
                places[id(found)] = len(proofs)
                proof = certificate(found, "", target)
                proofs.append({k: v for k, v in proof.items() if k not in ("type", "target", "program", "lower")})
        return {
            "type": "program-pairs",
            "target": target,
            "space": self.space.to_json(),
            "bound": str(self.worst),
            "proofs": proofs,
            "use": [places[id(found)] for _, _, found in self.bounds],
        }


def bound_pairs(claim: Claim, *, seconds: float = 20.0) -> Paired:
    """Bounds on ε for all pairs of neighbouring datasets of a finite space."""
    space, inputs, pairs = inputs_and_pairs(claim)
    deadline = time.monotonic() + seconds
    tables: list[Table] = []
    for data in inputs:
        if time.monotonic() > deadline:
            raise TooManyPaths(len(tables))
        tables.append(read_data(claim, data, prune=False, seconds=max(0.1, deadline - time.monotonic())))
    known: dict[str, Bounds] = {}
    found: list[tuple[int, int, Bounds]] = []
    for i, j in pairs:
        if i > j:
            continue  # the move of q0 goes both ways
        if time.monotonic() > deadline:
            raise TooManyPaths(len(found))
        table = interpolate(tables[i], tables[j])
        key = repr(table.json)
        if key not in known:
            known[key] = bound(table, STEP)
        found.append((i, j, known[key]))
    values = [entry[2].upper for entry in found]
    finite = [v for v in values if v is not None]
    return Paired(space, inputs, found, None if len(finite) < len(values) else max(finite))


def refute_pair(paired: Paired, claim: Claim, goal: Goal, *, seconds: float = 5.0) -> Counterexample | None:
    """An exact counterexample among the pairs, the costliest first."""
    inside = Goal(
        goal.eps,
        goal.epsilon,
        goal.delta,
        lambda q: q[0] in (0, 1),
        lambda _left, _right: True,
        lambda move: (Fraction(0 if move[0] > 0 else 1),),
    )
    order = sorted(paired.bounds, key=lambda entry: (entry[2].upper is None, entry[2].upper or 0), reverse=True)
    start = time.monotonic()
    names = paired.space.inputs()
    for i, j, found in order[:10]:
        witness = find(found, inside, seconds=max(0.5, seconds - (time.monotonic() - start)))
        if witness is not None:
            sides = (i, j) if witness.left[0] == 0 else (j, i)
            return _of_datasets(witness, paired.space, names, paired.inputs, sides, claim.target)
    return None


def _of_datasets(
    witness: Witness,
    space: Space,
    names: Sequence[tuple[str, ...]],
    inputs: Sequence[tuple[Any, ...]],
    sides: tuple[int, int],
    target: str,
) -> Counterexample:
    """The evidence of a witness whose two answers, 0 and 1, stand for two datasets."""
    datasets = {"space": space.to_json(), "inputs": [list(names[k]) for k in sides]}
    result = evidence(replace(witness, datasets=datasets), "", target)
    left, right = (inputs[k] for k in sides)
    return replace(result, left=left, right=right, scope=replace(result.scope, queries=max(len(left), len(right))))


def refute_apart(claim: Claim, goal: Goal, *, seconds: float = 10.0) -> Counterexample | None:
    """An exact counterexample among pairs of datasets whose trees need not have the same shape."""
    space, inputs, pairs = inputs_and_pairs(claim)
    deadline = time.monotonic() + seconds
    tables: dict[int, Table] = {}
    names = space.inputs()
    for i, j in (pair for pair in pairs if pair[0] < pair[1]):
        if time.monotonic() > deadline:
            return None
        for k in (i, j):
            if k not in tables:
                tables[k] = read_data(claim, inputs[k], prune=False, seconds=max(0.1, deadline - time.monotonic()))
        search = Search(side_by_side(tables[i], tables[j]), STEP, goal, deadline)
        witness = search.anywhere()
        if witness is not None:
            sides = (i, j) if witness.left[0] == 0 else (j, i)
            return _of_datasets(witness, space, names, inputs, sides, claim.target)
    return None


def side_by_side(left: Table, right: Table) -> Table:
    """One tree that first asks whether q0 is 0, and goes on as `left` or as `right`."""
    if left.tree.unit != right.tree.unit:
        raise OutsideFragment("the program is homogeneous in eps on some inputs only")
    kinds = {"d": "draws", "t": "tests", "m": "maxima", "c": "choices", "o": "outputs"}
    tables: dict[str, dict[Any, int]] = {kind: {} for kind in kinds}
    tables["t"][("q0-1/2", False)] = 0

    def moved(node: Sequence[Any], json: dict[str, Any]) -> list[Any]:
        kind = node[0][0]
        if kind == "x":
            return [node[0], {str(int(row) + 1): factor for row, factor in node[1].items()}]  # below one more row
        entry = _frozen(json[kinds[kind]][int(node[0][1:])])
        head = f"{kind}{tables[kind].setdefault(entry, len(tables[kind]))}"
        return [head, *(node[1:] if kind == "o" else (moved(child, json) for child in node[1:]))]

    nodes = ["t0", moved(right.json["nodes"], right.json), moved(left.json["nodes"], left.json)]
    json: dict[str, Any] = {"queries": 1, "unit": left.tree.unit, "nodes": nodes}
    json.update({name: [_thawed(e) for e in tables[kind]] for kind, name in kinds.items()})
    return Table(read_tree(json), json, left.epsilon, left.paths)


def interpolate(left: Table, right: Table) -> Table:
    """One tree that is `left` at q0 = 0 and `right` at q0 = 1."""
    tables: dict[str, dict[Any, int]] = {kind: {} for kind in "dtmco"}

    def number(kind: str, entry: Any) -> str:
        return f"{kind}{tables[kind].setdefault(entry, len(tables[kind]))}"

    def form(a: str, b: str) -> str:
        one, other = parse(a), parse(b)
        if part(one, "n") != part(other, "n"):
            raise _Different
        change = plus(other, one, -1)
        if set(change) - {ONE}:
            raise _Different
        return show(plus(one, {"q0": change.get(ONE, Fraction(0))}))

    def entry(kind: str, a: Any, b: Any) -> Any:
        if kind == "t":
            if a[1] != b[1]:
                raise _Different
            return (form(a[0], b[0]), a[1])
        if kind == "m":
            return tuple(form(x, y) for x, y in zip(a, b, strict=True))
        if a != b:
            raise _Different
        return _frozen(a)

    names = {"d": "draws", "t": "tests", "m": "maxima", "c": "choices", "o": "outputs"}

    def join(a: Sequence[Any], b: Sequence[Any]) -> list[Any]:
        kind = a[0][0]
        if kind != b[0][0] or len(a) != len(b) or kind == "x":
            raise _Different
        mine, theirs = left.json[names[kind]][int(a[0][1:])], right.json[names[kind]][int(b[0][1:])]
        head = number(kind, entry(kind, mine, theirs))
        if kind == "o":
            return [head, *(form(x, y) for x, y in zip(a[1:], b[1:], strict=True))]
        return [head, *(join(x, y) for x, y in zip(a[1:], b[1:], strict=True))]

    try:
        if left.tree.unit != right.tree.unit:
            raise _Different
        nodes = join(left.json["nodes"], right.json["nodes"])
    except (_Different, ValueError):
        raise OutsideFragment("two neighbouring datasets lead the program along different tests") from None
    json: dict[str, Any] = {"queries": 1, "unit": left.tree.unit, "nodes": nodes}
    json.update({name: [_thawed(e) for e in tables[kind]] for kind, name in names.items()})
    return Table(read_tree(json), json, left.epsilon, left.paths)


def _frozen(value: Any) -> Any:
    return tuple(_frozen(x) for x in value) if isinstance(value, list | tuple) else value


def _thawed(value: Any) -> Any:
    return [_thawed(x) for x in value] if isinstance(value, tuple) else value
