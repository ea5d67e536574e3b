r"""Finitely many inputs: every pair, every output, and every ε > 0 at once.

A program with finitely many outputs has on each input an exact law: a row of quotients of exponential polynomials in
ε that sum to 1. Over all neighbouring pairs q, q′ and all outputs w, b·ε-privacy is :math:`e^{b\varepsilon}P[w\mid
q'] - P[w\mid q] \ge 0` for every ε > 0, which is decided exactly. With δ > 0 it is decided at one ε, by the sum of
the positive parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.exppoly import ExpPoly, find_negative
from dpwitness.proofs.kernel.expsum import ExpSum
from dpwitness.proofs.kernel.integrate import NotAForest, probability
from dpwitness.proofs.kernel.moves import read_moves
from dpwitness.proofs.kernel.trees import Tree, read_tree
from dpwitness.proofs.kernel.witness import guarded, weight

Quotient = tuple[ExpPoly, ExpPoly]
Law = dict[str, Quotient]  # output as text -> probability
MAX_INPUTS = 4096
ONE = ExpPoly.of(1)
NOTHING: Quotient = (ExpPoly.of(0), ONE)


class Laws:
    """The exact laws of one tree on many inputs; leaves that read the same answers share their integrals."""

    def __init__(self, tree: Tree, choices: Sequence[Sequence[Any]]) -> None:
        self.tree, self.choices = tree, choices
        self.known: dict[tuple[int, tuple[Fraction, ...]], ExpPoly] = {}
        self.reads = [
            sorted({int(n[1:]) for row in leaf.rows for n in row.form if n[:1] == "q"}) for leaf in tree.leaves
        ]

    def of(self, inputs: Sequence[Fraction]) -> Law:
        """The law on one input; that its entries sum to 1 is checked."""
        law: Law = {}
        for leaf in self.tree.leaves:
            if leaf.values:
                raise NotAForest("a real output: there are infinitely many")
            if not guarded(leaf, inputs):
                continue
            key = (leaf.number, tuple(inputs[i] for i in self.reads[leaf.number]))
            if key not in self.known:
                forms = [row.form for row in (*leaf.rows, *leaf.supports())]
                self.known[key] = probability(forms, leaf.draws, inputs)
            top, bottom = self.known[key], ONE
            for index, outcome in leaf.choices:
                share, whole = weight(self.choices[index], outcome)
                top, bottom = top * share, bottom * whole
            name = repr(self.tree.outputs[leaf.output])
            law[name] = total([law[name], (top, bottom)]) if name in law else (top, bottom)
        whole_law = total(list(law.values()))
        if whole_law[0] != whole_law[1]:
            raise Rejected("the probabilities do not sum to 1: the tree is not complete, or its leaves overlap")
        return law


def total(entries: Sequence[Quotient]) -> Quotient:
    """The sum of several probabilities."""
    top, bottom = NOTHING
    for a, b in entries:
        top, bottom = (top + a, bottom) if b == bottom else (top * b + a * bottom, bottom * b)
    return top, bottom


def margin(left: Quotient, right: Quotient, factor: Fraction) -> ExpPoly:
    """e^(factor·ε) P_right − P_left, times the (positive) denominators."""
    first, second = left[0], right[0]
    if left[1] != right[1]:
        first, second = first * right[1], second * left[1]
    return ExpPoly.exp(factor) * second - first


class Pure:
    """Compares laws at a claim of factor·ε for every ε > 0, each pair of probabilities once."""

    def __init__(self, factor: Fraction) -> None:
        self.factor = factor
        self.numbers: dict[Quotient, int] = {}
        self.decided: dict[tuple[int, int], Fraction | bool | None] = {}

    def enter(self, law: Law) -> dict[str, tuple[int, Quotient]]:
        """The law with a number for each distinct probability."""
        return {name: (self.numbers.setdefault(p, len(self.numbers)), p) for name, p in law.items()}

    def fails(
        self, left: Mapping[str, tuple[int, Quotient]], right: Mapping[str, tuple[int, Quotient]]
    ) -> tuple[str, Fraction] | None:
        """None where the claim holds for this pair at every ε > 0, else an output and an ε where it fails."""
        for name, (i, p) in left.items():
            j, q = right.get(name, (-1, NOTHING))
            if (i, j) not in self.decided:
                self.decided[i, j] = True if i == j else find_negative(margin(p, q, self.factor))
            found = self.decided[i, j]
            if found is None:
                raise Rejected(f"undecided for the output {name}")
            if found is not True:
                return name, Fraction(found)
        return None


def divergence(left: Law, right: Law, eps: Fraction, epsilon: Fraction, delta: Fraction) -> tuple[bool, list[str]]:
    """Whether Σ (P_left − e^epsilon P_right)₊ ≤ delta at one ε, and the outputs that contribute."""
    total, whole, event = ExpSum.of(0), ExpSum.of(1), []
    for name, (a, b) in left.items():
        c, d = right.get(name, NOTHING)
        gap = (a * d).at(eps) - ExpSum.exp(epsilon) * (c * b).at(eps)
        if gap.sign() > 0:
            event.append(name)
            bottom = (b * d).at(eps)
            total, whole = total * bottom + gap * whole, whole * bottom
    return (total - delta * whole).sign() <= 0, event


def check_finite(certificate: Mapping[str, Any]) -> str:
    """Check a certificate of type ``program-finite`` by computing all laws and comparing all pairs."""
    _, inputs_json, trees_json, pairs_json, claim = fields(
        certificate, "type", "inputs", "trees", "pairs", "claim", optional=("program", "target")
    )
    trees = [read_tree(tree) for tree in trees_json]
    if len({tree.unit for tree in trees}) != 1 or not 0 < len(inputs_json) <= MAX_INPUTS:
        raise Rejected(f"one unit and 1 to {MAX_INPUTS} inputs are needed")
    inputs: list[list[Fraction]] = []
    if len(trees) == 1 and trees[0].queries:
        shared = Laws(trees[0], trees_json[0]["choices"])
        inputs = [[number(x) for x in row] for row in inputs_json]
        if any(len(row) != trees[0].queries for row in inputs):
            raise Rejected("an input does not have the right length")
        laws = [shared.of(row) for row in inputs]
    else:
        if len(trees) != len(inputs_json) or any(tree.queries for tree in trees):
            raise Rejected("one tree for each input is needed")
        laws = [Laws(tree, json["choices"]).of([]) for tree, json in zip(trees, trees_json, strict=True)]
    pairs = _pairs(pairs_json, inputs, len(laws))
    return _compare(laws, pairs, claim, trees[0].unit)


def _pairs(value: Any, inputs: Sequence[Sequence[Fraction]], count: int) -> list[tuple[int, int]]:
    """Ordered pairs of neighbours: listed, or all that a relation names; each must come in both orders."""
    if isinstance(value, Mapping):
        moves = read_moves(value, len(inputs[0]))
        return [
            (i, j)
            for i, a in enumerate(inputs)
            for j, b in enumerate(inputs)
            if i != j and moves.related(tuple(y - x for x, y in zip(a, b, strict=True)))
        ]
    pairs = {(int(i), int(j)) for i, j in value}
    if any(not 0 <= k < count for pair in pairs for k in pair) or any((j, i) not in pairs for i, j in pairs):
        raise Rejected("a pair names an input that is not there, or comes in one order only")
    return sorted(pairs)


def _compare(laws: Sequence[Law], pairs: Sequence[tuple[int, int]], claim: Any, unit: str) -> str:
    if "factor" in claim:
        (factor,) = (number(x) for x in fields(claim, "factor"))
        if unit != "eps":
            raise Rejected("a claim for every eps needs trees in units of eps")
        judge = Pure(factor)
        rows = [judge.enter(law) for law in laws]
        for i, j in pairs:
            failed = judge.fails(rows[i], rows[j])
            if failed is not None:
                raise Rejected(f"inputs {i} and {j} differ by more in the output {failed[0]} at eps = {failed[1]}")
        return f"{len(laws)} inputs, {len(pairs)} ordered pairs: epsilon <= {factor}·eps, for every eps > 0"
    eps, epsilon, delta = (number(x) for x in fields(claim, "eps", "epsilon", "delta"))
    at = eps if unit == "eps" else Fraction(1)
    for i, j in pairs:
        if not divergence(laws[i], laws[j], at, epsilon, delta)[0]:
            raise Rejected(f"inputs {i} and {j} break the claim")
    return f"{len(laws)} inputs, {len(pairs)} ordered pairs: ({epsilon}, {delta}) at eps = {eps}"


def check_pair(certificate: Mapping[str, Any]) -> str:
    """Check a certificate of type ``program-pair``: a set of outputs breaks the claim on two inputs at one ε.

    That the two inputs are neighbours is for the reader to see: they are in the statement.
    """
    _, inputs, trees_json, outputs, eps_json, claim = fields(
        certificate, "type", "inputs", "trees", "outputs", "eps", "claim", optional=("target",)
    )
    trees = [read_tree(tree) for tree in trees_json]
    if len(inputs) != 2 or len({tree.unit for tree in trees}) != 1:
        raise Rejected("two inputs in one unit are needed")
    if len(trees) == 1:
        shared = Laws(trees[0], trees_json[0]["choices"])
        if any(len(row) != trees[0].queries for row in inputs):
            raise Rejected("an input does not have the right length")
        laws = [shared.of([number(x) for x in row]) for row in inputs]
    else:
        if any(tree.queries for tree in trees):
            raise Rejected("a tree of one input has no unknown answers")
        laws = [Laws(tree, json["choices"]).of([]) for tree, json in zip(trees, trees_json, strict=True)]
    if len(set(outputs)) != len(outputs):
        raise Rejected("an output is listed twice")
    (a, b), (c, d) = (total([law.get(name, NOTHING) for name in outputs]) for law in laws)
    eps = number(eps_json) if trees[0].unit == "eps" else Fraction(1)
    epsilon, delta = (number(x) for x in fields(claim, "epsilon", "delta"))
    gap = (a * d).at(eps) - ExpSum.exp(epsilon) * (c * b).at(eps) - delta * (b * d).at(eps)
    if eps <= 0 or gap.sign() <= 0:
        raise Rejected("the two probabilities do not violate the claim")
    shown = [", ".join(map(str, row)) for row in inputs]
    return f"({shown[0]}) and ({shown[1]}): not {epsilon}-private" + (f" with delta {delta}" if delta else "")


CHECKERS = {"program-finite": check_finite, "program-pair": check_pair}
