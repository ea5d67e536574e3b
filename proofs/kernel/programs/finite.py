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

from dpwitness.proofs.kernel.algebra.exppoly import ExpPoly
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.algebra.quotients import NOTHING, Quotient, add, total
from dpwitness.proofs.kernel.arith import Rejected, number
from dpwitness.proofs.kernel.check import fields
from dpwitness.proofs.kernel.programs.comparisons import NotAForest
from dpwitness.proofs.kernel.programs.integrate import probability
from dpwitness.proofs.kernel.programs.signs import find_negative
from dpwitness.proofs.kernel.programs.trees import Tree, read_tree
from dpwitness.proofs.kernel.programs.witness import guarded, picked, plain_rows, read_claim, violation
from dpwitness.proofs.kernel.spaces import Space, read_pair, read_space
from dpwitness.proofs.kernel.statements import at_eps, epsilon_delta, loss, subject, two_inputs
from dpwitness.proofs.kernel.theorem import Theorem

Law = dict[str, Quotient]  # output as text -> probability


class Laws:
    """The exact laws of one tree on many inputs; leaves that read the same answers share their integrals."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.names = [repr(output) for output in tree.outputs]
        self.plain = [plain_rows(leaf) for leaf in tree.leaves]
        self.known: dict[tuple[int, tuple[Fraction, ...]], Quotient] = {}
        self.reads = [
            sorted({int(n[1:]) for row in leaf.rows for n in row.form if n[:1] == "q"}) for leaf in tree.leaves
        ]

    def of(self, inputs: Sequence[Fraction]) -> Law:
        """The law on one input; that its entries sum to 1 is checked."""
        law: Law = {}
        holds: dict[int, bool] = {}  # leaves below one test share its row
        for leaf in self.tree.leaves:
            if leaf.values:
                raise NotAForest("a real output: there are infinitely many")
            plain = self.plain[leaf.number]
            holds |= {id(row): guarded([row], inputs) for row in plain if id(row) not in holds}
            if not all(holds[id(row)] for row in plain):
                continue
            key = (leaf.number, tuple(inputs[i] for i in self.reads[leaf.number]))
            if key not in self.known:
                self.known[key] = probability([*leaf.rows, *leaf.supports()], leaf.draws, inputs)
            name = self.names[leaf.output]
            law[name] = add(law.get(name, NOTHING), picked(self.tree, leaf, self.known[key]))
        whole_law = total(law.values())
        if whole_law[0] != whole_law[1]:
            raise Rejected("the probabilities do not sum to 1: the tree is not complete, or its leaves overlap")
        return law


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


def check_finite(certificate: Mapping[str, Any]) -> Theorem:
    """Check a certificate of type ``program-finite`` by computing all laws and comparing all pairs of the space."""
    _, space_json, trees_json, claim = fields(
        certificate, "type", "space", "trees", "claim", optional=("program", "target", "use")
    )
    space = read_space(space_json)
    trees = [read_tree(tree) for tree in trees_json]
    laws, use = read_laws(trees, space, certificate.get("use"))
    pairs = space.pairs()
    held, guarantee, left_open = _compare(laws, [(use[i], use[j]) for i, j in pairs], claim, trees[0].unit)
    words = f"{space.describe()}: {len(use)} inputs, {len(pairs)} pairs in both orders: {held}"
    model = subject(certificate, "space", "trees", "use")
    return Theorem("program-finite", words, model, False, guarantee, space.stated(), space.sizes(), left_open)


def read_laws(trees: Sequence[Tree], space: Space, use: Any) -> tuple[list[Law], list[int]]:
    """Distinct laws, and which of them each input of the space has.

    One tree with unknown answers serves every input. Otherwise `use` names the tree of each input in order: a program
    that does not look at the order of its records has the same tree on many of them.
    """
    inputs = space.inputs()
    if len({tree.unit for tree in trees}) != 1:
        raise Rejected("the trees have different units")
    try:
        if use is None:
            if len(trees) != 1 or space.moves is None or trees[0].queries != space.most:
                raise Rejected("one tree with as many answers as the space is needed")
            shared = Laws(trees[0])
            return [shared.of([number(x) for x in row]) for row in inputs], list(range(len(inputs)))
        if len(use) != len(inputs) or any(tree.queries for tree in trees):
            raise Rejected("one tree without unknown answers is needed for each input of the space")
        places = [_place(k, len(trees)) for k in use]
        return [Laws(tree).of([]) for tree in trees], places
    except NotAForest as error:
        raise Rejected(str(error)) from None


def _place(value: object, count: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < count:
        raise Rejected(f"{str(value)[:20]!r} is not the number of a tree")
    return value


def _compare(laws: Sequence[Law], pairs: Sequence[tuple[int, int]], claim: Any, unit: str) -> tuple[str, Any, Any]:
    """Check the claim for pairs of laws, in both orders, each distinct pair once: words, guarantee, open parameters."""
    both = sorted({pair for i, j in pairs if i != j for pair in ((i, j), (j, i))})
    if isinstance(claim, Mapping) and "factor" in claim:
        (factor,) = (number(x) for x in fields(claim, "factor"))
        if unit != "eps" or factor < 0:
            raise Rejected("a claim for every eps needs trees in units of eps and a factor that is not negative")
        judge = Pure(factor)
        rows = [judge.enter(law) for law in laws]
        for i, j in both:
            failed = judge.fails(rows[i], rows[j])
            if failed is not None:
                raise Rejected(f"laws {i} and {j} differ by more in the output {failed[0]} at eps = {failed[1]}")
        return f"epsilon <= {factor}·eps, for every eps > 0", *loss(factor, unit)
    eps, *_ = (number(x) for x in fields(claim, "eps", optional=("epsilon", "delta")))
    epsilon, delta = read_claim({k: v for k, v in claim.items() if k != "eps"})
    if eps <= 0:
        raise Rejected("eps must be positive")
    for i, j in both:
        if not divergence(laws[i], laws[j], eps if unit == "eps" else Fraction(1), epsilon, delta)[0]:
            raise Rejected(f"laws {i} and {j} break the claim")
    words = f"({epsilon}, {delta})" + (f" at eps = {eps}" if unit == "eps" else "")
    return words, epsilon_delta(epsilon, delta), at_eps(eps, unit)


def check_pair(certificate: Mapping[str, Any]) -> Theorem:
    """Check a certificate of type ``program-pair``: a set of outputs breaks the claim on two neighbours at one ε."""
    _, space_json, inputs, trees_json, outputs, eps_json, claim = fields(
        certificate, "type", "space", "inputs", "trees", "outputs", "eps", "claim", optional=("target", "program")
    )
    left, right = read_pair(read_space(space_json), inputs)
    trees = [read_tree(tree) for tree in trees_json]
    if not 1 <= len(trees) <= 2 or len({tree.unit for tree in trees}) != 1:
        raise Rejected("one tree for both inputs, or one for each, in one unit are needed")
    try:
        if len(trees) == 1 and trees[0].queries:
            if trees[0].queries != len(left):
                raise Rejected("an input does not have the right length")
            shared = Laws(trees[0])
            laws = [shared.of([number(x) for x in side]) for side in (left, right)]
        else:
            if len(trees) != 2 or any(tree.queries for tree in trees):
                raise Rejected("a tree of one input has no unknown answers")
            laws = [Laws(tree).of([]) for tree in trees]
    except NotAForest as error:
        raise Rejected(str(error)) from None
    event = read_event(outputs, trees)
    (a, b), (c, d) = (total([law.get(name, NOTHING) for name in event]) for law in laws)
    eps = number(eps_json) if trees[0].unit == "eps" else Fraction(1)
    epsilon, delta = read_claim(claim)
    if eps <= 0 or violation((a, b), (c, d), eps, epsilon, delta).sign() <= 0:
        raise Rejected("the two probabilities do not violate the claim")
    words = f"({', '.join(left)}) and ({', '.join(right)}): not {epsilon}-private"
    words += (f" with delta {delta}" if delta else "") + (f" at eps = {eps}" if trees[0].unit == "eps" else "")
    model, broken = subject(certificate, "inputs", "trees"), epsilon_delta(epsilon, delta)
    return Theorem("program-pair", words, model, True, broken, *two_inputs(left, right), at_eps(eps, trees[0].unit))


def read_event(outputs: Any, trees: Sequence[Tree]) -> list[str]:
    """A set of outputs of the trees, by name. Outputs of different types, such as 1 and True, are different outputs."""
    every = {repr(output) for tree in trees for output in tree.outputs}
    if not isinstance(outputs, list) or len(set(outputs)) != len(outputs) or not every.issuperset(outputs):
        raise Rejected("the event is a list of distinct outputs of the trees")
    return outputs


CHECKERS = {"program-finite": check_finite, "program-pair": check_pair}
