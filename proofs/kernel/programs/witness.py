r"""Exact counterexamples: two neighbouring inputs and an event whose probabilities break the claim.

The probabilities are recomputed from the decision tree as exponential polynomials, compared with those of the
certificate, and :math:`P[E \mid q] > e^{\varepsilon} P[E \mid q'] + \delta` is decided exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpwitness.proofs.kernel.algebra.exppoly import ExpPoly, fraction
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.algebra.field import Number
from dpwitness.proofs.kernel.algebra.polyhedra import ONE, Row, plus
from dpwitness.proofs.kernel.algebra.quotients import NOTHING, Quotient, add, times
from dpwitness.proofs.kernel.algebra.quotients import ONE as ONE_POLY
from dpwitness.proofs.kernel.arith import Rejected, number, text
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.moves import read_neighbours
from dpwitness.proofs.kernel.outputs import slots_of
from dpwitness.proofs.kernel.programs.comparisons import NotAForest
from dpwitness.proofs.kernel.programs.integrate import probability
from dpwitness.proofs.kernel.programs.lower import Box, compatible, separated
from dpwitness.proofs.kernel.programs.trees import Leaf, Tree, read_tree
from dpwitness.proofs.kernel.spaces import read_pair, read_space
from dpwitness.proofs.kernel.statements import at_eps, epsilon_delta, subject, two_inputs
from dpwitness.proofs.kernel.theorem import Theorem


@lru_cache(maxsize=4096)
def weight(entry: tuple[Any, ...], outcome: int, unit: str) -> Quotient:
    """The probability of one outcome of a choice as a quotient."""
    if any(isinstance(text, str) and text.startswith("=") for text in entry):
        return _share(entry, outcome, unit)
    values = [_weight(text) for text in entry]
    total = sum(values, ExpPoly.of(0))
    if not total.terms:
        raise Rejected("all weights of a choice are zero")
    if set(total.terms) == {(0, Fraction(0))}:  # a number: no denominator is needed
        return values[outcome] * ExpPoly.of(1 / fraction(total.terms[0, Fraction(0)])), ONE_POLY
    return values[outcome], total


def _share(entry: tuple[Any, ...], outcome: int, unit: str) -> Quotient:
    """The same where weights are formulas in eps, such as ``=exp(eps)/(exp(eps)+1)``: at every eps none is negative."""
    if unit != "eps":
        raise Rejected("a weight that is a formula in eps, in a tree at one eps")
    values = [
        Number.read(text[1:], True) if text.startswith("=") else Number(_weight(text), ONE_POLY, True) for text in entry
    ]
    total = sum(values[1:], values[0])
    if any(value.sign() < 0 for value in values) or total.sign() <= 0:
        raise Rejected("a weight is negative, or all weights of a choice are zero")
    share = values[outcome] / total
    below = Number(share.bottom, ONE_POLY, True).sign()
    return (share.top, share.bottom) if below > 0 else (-share.top, -share.bottom)


def _weight(text: Any) -> ExpPoly:
    if isinstance(text, str) and text.startswith("exp(") and text.endswith(")"):
        return ExpPoly.exp(number(text[4:-1]))
    value = number(text)
    if value < 0:
        raise Rejected("a weight is negative")
    return ExpPoly.of(value)


def inside(leaf: Leaf, box: Box) -> list[Row]:
    """Rows that hold where the leaf is taken and its real outputs lie in the closed box."""
    rows = [*leaf.rows, *leaf.supports()]
    for value, (low, high) in zip(leaf.values, box, strict=True):
        if low is not None:
            rows.append(Row(plus(value, {ONE: -low}), False))
        if high is not None:
            rows.append(Row(plus({ONE: high}, value, -1), False))
    return rows


def plain_rows(leaf: Leaf) -> list[Row]:
    """The rows without draws."""
    return [row for row in leaf.rows if not any(name[:1] == "n" for name in row.form)]


def guarded(rows: Sequence[Row], inputs: Sequence[Fraction]) -> bool:
    """Whether rows without draws hold at these inputs, strict ones strictly."""
    for row in rows:
        if any(name[:1] in ("u", "w") for name in row.form):
            raise NotAForest("a test of a constant that has no rational value in units of eps")
        value = sum((v * (inputs[int(n[1:])] if n[:1] == "q" else 1) for n, v in row.form.items()), Fraction(0))
        if value < 0 or (row.strict and value == 0):
            return False
    return True


def event_probability(tree: Tree, output: int, box: Box, inputs: Sequence[Fraction]) -> Quotient:
    """The probability of an output with its real values in a box, as a quotient of exponential polynomials."""
    total = NOTHING
    for leaf in tree.leaves:
        if leaf.output != output or not guarded(plain_rows(leaf), inputs):
            continue
        total = add(total, picked(tree, leaf, probability(inside(leaf, box), leaf.draws, inputs)))
    return total


def picked(tree: Tree, leaf: Leaf, chance: Quotient) -> Quotient:
    """`chance` times the probability of the choices on the way to a leaf."""
    for index, outcome in leaf.choices:
        chance = times(chance, weight(tree.choices[index], outcome, tree.unit))
    return chance


def read_box(value: Any) -> list[tuple[Fraction | None, Fraction | None]]:
    """Pairs of bounds, null where there is none."""
    return [(None if low is None else number(low), None if high is None else number(high)) for low, high in value]


def check_counterexample(certificate: Mapping[str, Any]) -> Theorem:
    """Check a certificate of type ``program-counterexample``."""
    _, tree_json, adjacency, left_json, right_json, event, eps_json, claim, p_left, p_right = fields(
        certificate, "type", "tree", "adjacency", "left", "right", "event", "eps", "claim", "p_left", "p_right",
        optional=("program", "target", "datasets"),
    )  # fmt: skip
    tree = read_tree(tree_json)
    left, right = [number(x) for x in left_json], [number(x) for x in right_json]
    moves, relation = read_neighbours(adjacency, tree.queries, whole=tree.discrete)
    if len(left) != tree.queries or len(right) != tree.queries:
        raise Rejected("the inputs do not have the right length")
    if not moves.related(tuple(b - a for a, b in zip(left, right, strict=True))):
        raise Rejected("the inputs are not neighbours")
    if relation["inputs"] == "records" and not all(
        number(relation["low"]) <= x <= number(relation["high"]) for x in (*left, *right)
    ):
        raise Rejected("a record lies outside its interval")
    output, box_json = fields(event, "output", "box")
    if not isinstance(output, int) or not 0 <= output < len(tree.outputs):
        raise Rejected("the event is an output of the tree")
    box = read_box(box_json)
    if len(box) != slots_of(tree.outputs[output]):
        raise Rejected("the box has one side for each real number of the output")
    _alone(tree, output, box)
    eps = number(eps_json) if tree.unit == "eps" else Fraction(1)
    if eps <= 0:
        raise Rejected("eps must be positive")
    try:
        found = [event_probability(tree, output, box, q) for q in (left, right)]
    except NotAForest as error:
        raise Rejected(str(error)) from None
    for (top, bottom), given in zip(found, (p_left, p_right), strict=True):
        stated, under = (ExpPoly.from_json(part) for part in given)
        same = (top, bottom) == (stated, under) or (stated.terms and under.terms and top * under == stated * bottom)
        if not same:  # zero is written in one way; other quotients may be, in several
            raise Rejected("a probability is not what the tree gives")
    epsilon, delta = read_claim(claim)
    if violation(found[0], found[1], eps, epsilon, delta).sign() <= 0:
        raise Rejected("the two probabilities do not violate the claim")
    first, second = tuple(map(text, left)), tuple(map(text, right))
    if "datasets" in certificate:  # the tree is one dataset at q0 = 0 and the other at q0 = 1
        space_json, sides = fields(certificate["datasets"], "space", "inputs")
        if sorted((left, right)) != [[0], [1]]:
            raise Rejected("the two datasets are the ends of the line from q0 = 0 to q0 = 1")
        first, second = read_pair(read_space(space_json), sides)
    words = f"({', '.join(first)}) and ({', '.join(second)}): not {epsilon}-private"
    words += (f" with delta {delta}" if delta else "") + (f" at eps = {eps}" if tree.unit == "eps" else "")
    broken, model = epsilon_delta(epsilon, delta), subject(certificate, "tree", "datasets")
    return Theorem(
        "program-counterexample", words, model, True, broken, *two_inputs(first, second), at_eps(eps, tree.unit)
    )


def read_claim(value: object) -> tuple[Fraction, Fraction]:
    """ε ≥ 0 and 0 ≤ δ ≤ 1 of a claim."""
    epsilon, delta = (number(x) for x in fields(value, "epsilon", "delta"))
    if epsilon < 0 or not 0 <= delta <= 1:
        raise Rejected("a claim has epsilon >= 0 and delta between 0 and 1")
    return epsilon, delta


def violation(left: Quotient, right: Quotient, eps: Fraction, epsilon: Fraction, delta: Fraction) -> ExpSum:
    """A number that is positive exactly where P_left > e^epsilon P_right + delta (denominators are positive)."""
    (a, b), (c, d) = left, right
    first, second = (a * d).at(eps), (c * b).at(eps)
    return first - ExpSum.exp(epsilon) * second - delta * (b * d).at(eps)


def _alone(tree: Tree, output: int, box: Box) -> None:
    """No other output may look like the event."""
    for leaf in tree.leaves:
        if leaf.output == output or not compatible(tree.outputs[output], tree.outputs[leaf.output]):
            continue
        if not separated(tree.outputs[output], box, tree.outputs[leaf.output], leaf):
            raise Rejected(f"output {leaf.output} may look like the event")


CHECKERS = {"program-counterexample": check_counterexample}
