"""Models of the program prover's certificates: their own decision trees, on the inputs that they speak of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import Model, Scoped, Unfaithful, UnknownInput
from dpwitness.core.errors import BadInput, OutsideFragment
from dpwitness.core.identity import key
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.numbers import Exact
from dpwitness.core.spaces import Records
from dpwitness.proofs.kernel.spaces import Space
from dpwitness.proofs.models.constants import Constants, leaves_open, read_constants
from dpwitness.proofs.models.seeking import Region
from dpwitness.proofs.models.trees import TreeModel, Where
from dpwitness.proofs.programs.finite_inputs import inputs_and_pairs

FACTORS = (Fraction(1), Fraction(1, 2), Fraction(2), Fraction(1, 16), Fraction(16))
Data = tuple[Any, ...]
Params = tuple[Mapping[str, Any], ...]


def parameters(claim: Claim, unit: str, eps: Fraction | None = None) -> Params:
    """Where a tree holds: at the claim's parameters, or at one ε; for every ε also at several others."""
    assert isinstance(claim.mechanism, Mechanism)
    if "eps" not in claim.params:
        return (dict(claim.params),)
    base = claim.params["eps"] if eps is None else Exact(eps)
    found = []
    for factor in FACTORS if unit == "eps" else FACTORS[:1]:
        try:
            found.append(claim.mechanism.params(**{**claim.params, "eps": base * factor}))
        except BadInput:
            continue
    return tuple(found)


def answers(queries: int) -> Where:
    """Inputs whose numbers are the answers of one tree."""

    def where(data: Sequence[Any]) -> tuple[int, tuple[Fraction, ...]]:
        if len(data) != queries:
            raise UnknownInput(f"the program was read on {queries} numbers, and this input has {len(data)}")
        return 0, tuple(Fraction(x) for x in data)

    return where


def listed(found: Mapping[Any, tuple[int, tuple[Fraction, ...]]]) -> Where:
    """Inputs that were read one by one."""

    def where(data: Sequence[Any]) -> tuple[int, tuple[Fraction, ...]]:
        name = key(tuple(data))
        if name not in found:
            raise UnknownInput(f"it is not among the {len(found)} inputs that were read")
        return found[name]

    return where


def on_answers(claim: Claim, certificate: Mapping[str, Any]) -> Model:
    """``program-bound``: one tree on unknown answers."""
    tree = certificate["tree"]
    params = parameters(claim, tree["unit"])
    read = read_constants(claim, tree, Fraction(claim.params["eps"]) if "eps" in claim.params else None)
    return Scoped(TreeModel([tree], answers(tree["queries"]), Region(params), read), None, params)


def on_inputs(
    claim: Claim,
    trees: Sequence[Mapping[str, Any]],
    found: Sequence[tuple[Data, int, tuple[Fraction, ...]]],
    *,
    only: bool,
    eps: Fraction | None = None,
) -> Model:
    """Finitely many inputs, each with its tree and its answers; `only`: nothing is said of the others."""
    params = parameters(claim, trees[0]["unit"], eps)
    table: dict[Any, tuple[int, tuple[Fraction, ...]]] = {}
    by_tree: dict[int, list[Data]] = {}
    for data, tree, values in found:
        given = tuple(Exact(x) if type(x) is Fraction else x for x in data)
        if table.setdefault(key(given), (tree, values)) == (tree, values):
            by_tree.setdefault(tree, []).append(given)
    inputs = tuple(data for group in by_tree.values() for data in group) if only else None
    read = read_constants(claim, trees[0], eps) if len(trees) == 1 else Constants()
    if len(trees) > 1 and any(leaves_open(tree) for tree in trees):
        raise OutsideFragment("trees on given data with numbers that are not rational")
    return Scoped(TreeModel(trees, listed(table), Region(params, by_tree), read), inputs, params)


def known_space(claim: Claim, stated: Any, queries: int | None = None) -> tuple[Space, list[Data]]:
    """The inputs of the claim's space in the order of the certificate's; `Unfaithful` where that is another space."""
    space, inputs, _ = inputs_and_pairs(claim, queries=queries)
    if space.to_json() != stated:
        raise Unfaithful(f"{claim.target}: the certificate speaks of another space of inputs than the claim")
    return space, inputs


def shared_or_own(claim: Claim, certificate: Mapping[str, Any]) -> Model:
    """``program-finite``: one tree for all inputs, or one for each."""
    trees = certificate["trees"]
    queries = trees[0]["queries"]
    _, inputs = known_space(claim, certificate["space"], queries or None)
    use = certificate.get("use")
    found = [
        (data, 0, tuple(map(Fraction, data))) if use is None else (data, use[i], ()) for i, data in enumerate(inputs)
    ]
    stated = certificate["claim"].get("eps")
    return on_inputs(claim, trees, found, only=False, eps=None if stated is None else Fraction(stated))


def two_of_a_space(claim: Claim, certificate: Mapping[str, Any]) -> Model:
    """``program-pair``: two inputs of a finite space."""
    trees = certificate["trees"]
    space, inputs = known_space(claim, certificate["space"], trees[0]["queries"] or None)
    names = [list(name) for name in space.inputs()]
    sides = [inputs[names.index(name)] for name in certificate["inputs"]]
    shared = trees[0]["queries"] > 0
    found = [(data, 0 if shared else k % len(trees), tuple(map(Fraction, data)) if shared else ()) for k, data in
             enumerate(sides)]  # fmt: skip
    return on_inputs(claim, trees, found, only=True, eps=Fraction(certificate["eps"]))


def pairs(claim: Claim, certificate: Mapping[str, Any]) -> Model:
    """``program-pairs``: the two inputs of a pair are the values 0 and 1 of one unknown number."""
    space, inputs = known_space(claim, certificate["space"])
    trees = [proof["tree"] for proof in certificate["proofs"]]
    found = [
        (inputs[place], k, (Fraction(value),))
        for pair, k in zip(space.pairs(), certificate["use"], strict=True)
        for value, place in enumerate(pair)
    ]
    return on_inputs(claim, trees, found, only=False)


def normal(claim: Claim, certificate: Mapping[str, Any]) -> Model:
    """``program-normal``: all inputs of a finite space of answers, or two of them."""
    tree = certificate["tree"]
    _, inputs = known_space(claim, certificate["space"], tree["queries"])
    only = "inputs" in certificate
    if only:
        inputs = [tuple(map(Fraction, side)) for side in certificate["inputs"]]
    return on_inputs(claim, [tree], [(data, 0, tuple(map(Fraction, data))) for data in inputs], only=only)


def counterexample(claim: Claim, certificate: Mapping[str, Any]) -> Model:
    """``program-counterexample``: two inputs, or two datasets that stand at the ends of one unknown number."""
    tree, eps = certificate["tree"], Fraction(certificate["eps"])
    sides = [tuple(map(Fraction, certificate[side])) for side in ("left", "right")]
    if "datasets" not in certificate:
        return on_inputs(claim, [tree], [(side, 0, side) for side in sides], only=True, eps=eps)
    space, inputs = known_space(claim, certificate["datasets"]["space"])
    assert isinstance(claim.space, Records)
    names = [list(name) for name in space.inputs()]
    datasets = [inputs[names.index(name)] for name in certificate["datasets"]["inputs"]]
    found = [(data, 0, side) for data, side in zip(datasets, sides, strict=True)]
    return on_inputs(claim, [tree], found, only=True, eps=eps)
