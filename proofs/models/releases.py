"""Models of releases whose location and scale depend on the data: number = location + scale · standard noise."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import Computed, Model, Probe, Scoped, Source, Trace, Unfaithful, UnknownInput
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.identity import key
from dpwitness.core.mechanism import Mechanism
from dpwitness.proofs.kernel.algebra.expr import parse
from dpwitness.proofs.kernel.algebra.values import over
from dpwitness.proofs.kernel.arith import precision
from dpwitness.proofs.laws.layouts import as_json
from dpwitness.proofs.laws.reading import leaves_on
from dpwitness.proofs.laws.scales import MAX_PATHS, standard
from dpwitness.proofs.models.formulas import evaluate
from dpwitness.proofs.models.nodes import output_of
from dpwitness.proofs.models.paths import Followed, PathTree, Way
from dpwitness.proofs.models.programs import Data
from dpwitness.proofs.spaces import finite_space

Laws = Mapping[Any, tuple[int, Sequence[str]]]  # by input: the number of its law, location and scale


@lru_cache(maxsize=4096)
def number_of(text: str) -> Fraction | float:
    """The value of a certificate's formula: exact where it is a number."""
    expr = parse(text, frozenset())
    if expr.op == "num":
        return expr.value
    with precision(96):
        found = over(expr, {})
        return float((found.lo + found.hi) / 2)


@dataclass
class ReleaseModel:
    """Releases on given inputs; one number of the output has the law that the certificate states."""

    claim: Claim
    laws: Laws
    noise: Mapping[str, str]
    output: Sequence[Any]
    slot: int
    trees: dict[Any, PathTree] = field(default_factory=dict)

    def places(self) -> Collection[str]:
        """The laws that are listed."""
        return sorted({f"law {k}" for k, _ in self.laws.values()})

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """One input of each law."""
        return iter(())

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """The draws as the program was read on this input; the number from the certificate's law."""
        name = key(tuple(data))
        if name not in self.laws:
            raise UnknownInput(f"it is not among the {len(self.laws)} inputs that were read")
        k, (location, scale) = self.laws[name]
        tree = read_tree(self.claim, data, self.trees, name)
        run = tree.follow(data, params, source)
        way = tree.ways[run.way]
        if self.output == ["slot"] and way.output[0] == "const" and number_of(scale) == 0:
            return Trace(run.laws, Computed(number_of(location)), (f"law {k}",), run.doubt)
        if as_json(way.output) != list(self.output):
            raise Unfaithful(f"{self.claim.target}: the output does not have the structure that the certificate states")
        values = [evaluate(form, run.value) for form in way.values]
        z = noise_in(tree, run, self.slot, self.noise)
        if z is None and number_of(scale) != 0:
            raise Unfaithful(f"{self.claim.target}: a number has no noise, and the certificate states some")
        values[self.slot] = number_of(location) if z is None else plus(number_of(location), number_of(scale), z)
        return Trace(run.laws, output_of(self.output, iter(values)), (f"law {k}",), run.doubt)


def read_tree(claim: Claim, data: Sequence[Any], known: dict[Any, PathTree], name: Any) -> PathTree:
    """The ways of the program on given data."""
    assert isinstance(claim.mechanism, Mechanism)
    if name not in known:
        leaves = leaves_on(claim.mechanism.program, list(data), claim.params, limit=MAX_PATHS)
        known[name] = PathTree(Way.of(leaf) for leaf in leaves)
    return known[name]


def plus(location: Fraction | float, scale: Fraction | float, z: Fraction | float) -> Fraction | float:
    """location + scale·z, exact where all are."""
    if all(isinstance(x, Fraction) for x in (location, scale, z)):
        return location + scale * z
    return float(location) + float(scale) * float(z)


def noise_in(tree: PathTree, run: Followed, slot: int, noise: Mapping[str, str]) -> Fraction | float | None:
    """The standard noise in one number of an output; None where it has none."""
    way = tree.ways[run.way]
    drawn = [symbol for symbol in way.values[slot].symbols() if symbol.kind == "draw"]
    if not drawn:
        return None
    laws = [step[1] for step in way.trace if step[0] == "draw"]
    kind, shift, factor = standard(laws[drawn[0].index])
    if len(drawn) > 1 or kind != dict(noise):
        raise Unfaithful(f"the noise of a number is not {noise.get('name')} noise, as the certificate states")
    value, low, width = run.value(drawn[0]), evaluate(shift, run.value), evaluate(factor, run.value)
    if isinstance(low, Fraction) and isinstance(width, Fraction):
        return (value - low) / width
    return (float(value) - float(low)) / float(width)


def proof(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``scales``: all inputs of a finite space."""
    certificate = evidence.certificate or {}
    space, inputs = finite_space(claim.space)
    if space.to_json() != certificate["space"]:
        raise Unfaithful(f"{claim.target}: the certificate speaks of other inputs than the claim")
    use = zip([tuple(claim.space.validate(data)) for data in inputs], certificate["use"], strict=True)
    laws = {key(data): (k, certificate["laws"][k]) for data, k in use}
    return ReleaseModel(claim, laws, certificate["noise"], certificate["output"], 0)


def refutation(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``scales-violation``: two inputs, and one number of the output on them."""
    certificate, sides = evidence.certificate or {}, sides_of(claim, evidence)
    laws = {
        key(side): (k, certificate[name]) for k, (side, name) in enumerate(zip(sides, ("left", "right"), strict=True))
    }
    model = ReleaseModel(claim, laws, certificate["noise"], certificate["output"], certificate["slot"])
    return Scoped(model, sides, (claim.params,))


def sides_of(claim: Claim, evidence: UpperBound | Counterexample) -> tuple[Data, Data]:
    """The two inputs of a counterexample."""
    assert isinstance(evidence, Counterexample)
    left, right = (tuple(claim.space.validate(side)) for side in (evidence.left, evidence.right))
    return left, right


@dataclass
class ShapeModel:
    """The ways of a program on two inputs whose outputs never have the same shape."""

    claim: Claim
    inputs: tuple[Data, Data]
    trees: dict[Any, PathTree] = field(default_factory=dict)
    seen: set[str] = field(default_factory=set)

    def places(self) -> Collection[str]:
        """One side each: which of its ways a run takes is left to the draws."""
        return ["left", "right"]

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """None beside those of the harness, which tries the two inputs alone."""
        return iter(())

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """Follow the program as it was read on this input."""
        names = [key(side) for side in self.inputs]
        if key(tuple(data)) not in names:
            raise UnknownInput("it is neither of the two inputs")
        side = names.index(key(tuple(data)))
        tree = read_tree(self.claim, data, self.trees, names[side])
        run = tree.follow(data, params, source)
        return Trace(run.laws, tree.output(run), (("left", "right")[side],), run.doubt)


def told_apart(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``table-violation`` of a program whose outputs on the two inputs never have the same shape."""
    from dpwitness.proofs.laws.separation import alike

    sides = sides_of(claim, evidence)
    model = ShapeModel(claim, sides)
    left, right = (read_tree(claim, side, model.trees, key(side)) for side in sides)
    if any(alike(a.output, b.output) for a in left.ways for b in right.ways):
        raise Unfaithful(f"{claim.target}: outputs on the two inputs may be equal")
    return Scoped(model, sides, (claim.params,))


__all__ = ["ReleaseModel", "ShapeModel", "proof", "refutation", "told_apart"]
