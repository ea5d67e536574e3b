"""Models of programs with loops that end by chance: the chain in the certificate is walked, round after round."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from dpwitness.core import laws
from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import Model, NoWay, Probe, Scoped, Source, Trace, Unfaithful, UnknownInput
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.identity import key
from dpwitness.core.laws import Law
from dpwitness.core.readers.outputs import put_together, take_apart
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.kernel.arith import enclose
from dpwitness.proofs.models.nodes import output_of
from dpwitness.proofs.models.programs import Data
from dpwitness.proofs.programs.building import plain_output
from dpwitness.proofs.spaces import finite_space

ROUNDS = (1, 2, 3, 7, 20)  # how often a way round is gone in one run
Tree = Any  # "o3", "n2", "x", or ["c0", ways ...]


class Outcome(int):
    """The number of an outcome. A coin hands out truth values: its first outcome is True."""

    def __bool__(self) -> bool:
        return self == 0


@dataclass
class ChainModel:
    """The chains of finitely many inputs.

    Attributes
    ----------
    outputs
        The outputs as certificates state them.
    choices
        The laws of the choices.
    chains
        The trees of the states of each chain.
    use
        The chain of each input.
    """

    claim: Claim
    outputs: Sequence[Any]
    choices: Sequence[Law]
    chains: Sequence[Sequence[Tree]]
    use: Mapping[Any, tuple[Data, int]]
    reached: set[str] = field(default_factory=set)

    def places(self) -> Collection[str]:
        """Every leaf of every state's tree."""
        return [
            _place(c, s, way)
            for c, trees in enumerate(self.chains)
            for s, tree in enumerate(trees)
            for way, _ in _ways(tree)
        ]

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """Walk the chain of the input until it ends in an output."""
        name = key(tuple(data))
        if name not in self.use:
            raise UnknownInput(f"it is not among the {len(self.use)} inputs whose chains were found")
        chain = self.use[name][1]
        asked: list[Law] = []
        places: list[str] = []
        way: tuple[int, ...] = ()
        state, tree = 0, self.chains[chain][0]
        while True:
            if isinstance(tree, list):
                law = self.choices[int(tree[0][1:])]
                asked.append(law)
                value = source(law)
                pick = int(not value) if isinstance(value, bool) else int(value)
                if not 0 <= pick < len(tree) - 1:
                    raise NoWay(f"choice {len(asked)} has no outcome {pick}")
                tree, way = tree[1 + pick], (*way, pick)
                continue
            if tree == "x":
                raise NoWay("an outcome whose probability is zero")
            places.append(_place(chain, state, way))
            self.reached.add(places[-1])
            if tree[0] == "o":
                output = output_of(self.outputs[int(tree[1:])], iter(()))
                return Trace(tuple(asked), output, tuple(dict.fromkeys(places)))
            state, way = int(tree[1:]), ()
            tree = self.chains[chain][state]

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """One way to every leaf, and every way round once, twice and many times, each of them then to an output."""
        given: dict[int, Data] = {}
        for data, chain in self.use.values():
            given.setdefault(chain, data)
        for chain, data in given.items():
            for outcomes in _walks(self.chains[chain]):
                yield Probe(data, claim.params, tuple(map(Outcome, outcomes)))


def _ways(tree: Tree, way: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], str]]:
    """The outcomes on the way to each leaf that can be reached, and the leaf."""
    if isinstance(tree, list):
        for k, below in enumerate(tree[1:]):
            yield from _ways(below, (*way, k))
    elif tree != "x":
        yield way, tree


def _place(chain: int, state: int, way: tuple[int, ...]) -> str:
    return f"state {state} of chain {chain}, outcomes {' '.join(map(str, way)) or 'none'}"


def _walks(trees: Sequence[Tree]) -> Iterator[tuple[int, ...]]:
    """Outcomes of runs that pass every leaf, and go round as often as `ROUNDS` says."""
    steps = [list(_ways(tree)) for tree in trees]
    into = _shortest(steps, {0: ()})
    for s, found in enumerate(steps):
        for way, leaf in found:
            if leaf[0] == "o":
                yield (*into[s], *way)
                continue
            after = int(leaf[1:])
            out = _leave(steps, after)
            yield (*into[s], *way, *out)
            back = _shortest(steps, {after: ()}).get(s)
            if back is not None:
                for times in ROUNDS:
                    yield (*into[s], *((*way, *back) * times), *way, *out)


def _shortest(
    steps: Sequence[Sequence[tuple[tuple[int, ...], str]]], known: dict[int, tuple[int, ...]]
) -> dict[int, Any]:
    """The fewest states' outcomes that lead from one state to each of the others."""
    todo = list(known)
    for s in todo:
        for way, leaf in steps[s]:
            if leaf[0] == "n" and int(leaf[1:]) not in known:
                known[int(leaf[1:])] = (*known[s], *way)
                todo.append(int(leaf[1:]))
    return known


def _leave(steps: Sequence[Sequence[tuple[tuple[int, ...], str]]], first: int) -> tuple[int, ...]:
    """Outcomes that lead from a state to an output, through few states."""
    for s, outcomes in _shortest(steps, {first: ()}).items():
        for way, leaf in steps[s]:
            if leaf[0] == "o":
                return (*outcomes, *way)
    raise Unfaithful("the model has a state from which no output can be reached")


def proof(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``chains``: the chains of all inputs of a finite space."""
    certificate = evidence.certificate or {}
    space, inputs = finite_space(claim.space)
    if space.to_json() != certificate["space"]:
        raise Unfaithful(f"{claim.target}: the certificate speaks of other inputs than the claim")
    given = [tuple(claim.space.validate(data)) for data in inputs]
    use = {key(data): (data, chain) for data, chain in zip(given, certificate["use"], strict=True)}
    return _model(claim, certificate, use)


def refutation(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``chain-violation``: the chains of two inputs."""
    assert isinstance(evidence, Counterexample)
    sides = tuple(tuple(claim.space.validate(side)) for side in (evidence.left, evidence.right))
    use = {key(side): (side, chain) for chain, side in enumerate(sides)}
    return Scoped(_model(claim, evidence.certificate or {}, use), sides, (claim.params,))


def _model(claim: Claim, certificate: Mapping[str, Any], use: Mapping[Any, tuple[Data, int]]) -> ChainModel:
    for output in certificate["outputs"]:
        value = put_together(_tuples(output), iter(()))
        if (
            plain_output(take_apart(value, lambda _: False)[0]) != output
        ):  # two names of one output would be two outputs
            raise Unfaithful(f"{claim.target}: the output {output} is not stated as it is by type and value")
    choices = [_law([ExpSum.from_json(w) for w in weights]) for weights in certificate["choices"]]
    return ChainModel(claim, certificate["outputs"], choices, certificate["chains"], use)


def _tuples(output: Any) -> Any:
    return tuple(map(_tuples, output)) if isinstance(output, list) else output


def _law(weights: Sequence[ExpSum]) -> Law:
    """A choice by its chances: rational ones as they are, others rounded."""
    total = sum(weights, ExpSum.of(0))
    known = [w.rational for w in weights]
    whole = total.rational
    if whole is not None and all(w is not None for w in known):
        return laws.Choice(tuple(Fraction(w or 0) / whole for w in known))
    return laws.Choice(tuple(_rounded(weight, total) for weight in weights))


def _rounded(weight: ExpSum, total: ExpSum) -> float:
    return float(enclose(lambda: weight.ball() / total.ball())[0]) if weight.terms else 0.0
