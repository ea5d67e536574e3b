"""Models of finite laws: every choice with its exact weights, and the outputs that certificates list for each input."""

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
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.readers import finite as reader
from dpwitness.core.readers.finite import Outcomes, Probability
from dpwitness.core.readers.outputs import put_together, take_apart
from dpwitness.proofs.kernel.algebra.expsum import ExpSum
from dpwitness.proofs.labels import label
from dpwitness.proofs.models.nodes import output_of
from dpwitness.proofs.models.programs import Data
from dpwitness.proofs.spaces import finite_space

MAX_SEQUENCES = 100  # of outcomes, over all inputs whose laws are enumerated


class Followed(Outcomes):
    """The reader of finite laws on outcomes that a source hands out; it keeps the weights that the reader has."""

    def __init__(self, source: Source, known: dict[Law, tuple[list[Any], Law]]) -> None:
        super().__init__(())
        self.source, self.known = source, known
        self.asked: list[Law] = []

    def draw(self, law: Law) -> Any:
        if law not in self.known:
            values, weights = reader.finite_weights(law)
            self.known[law] = values, laws.Choice(tuple(_number(w) for w in weights))
        values, chances = self.known[law]
        self.asked.append(chances)
        value = self.source(chances)
        return values[[key(v) for v in values].index(key(value))]


def _number(weight: Probability) -> Fraction | float:
    terms = weight.top.terms
    if not weight.factors and all(exponent == 0 for exponent, _ in terms):
        return sum((q for _, q in terms), Fraction(0))
    return float(weight)


@dataclass
class FiniteModel:
    """The laws of finitely many inputs over one list of outputs.

    Attributes
    ----------
    outputs
        The outputs by type and value.
    rows
        Laws by their weights.
    use
        The law of each input.
    """

    claim: Claim
    outputs: Sequence[str]
    rows: Sequence[Sequence[ExpSum]]
    use: Mapping[Any, tuple[Data, int]]
    reached: set[str] = field(default_factory=set)
    known: dict[Law, tuple[list[Any], Law]] = field(default_factory=dict)

    def places(self) -> Collection[str]:
        """Every output of every law."""
        return [self._place(r, j) for r, row in enumerate(self.rows) for j, w in enumerate(row) if w.sign()]

    def _place(self, row: int, output: int) -> str:
        return f"output {self.outputs[output][:60]} of law {row}"

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """Follow the outcomes, and look the output up in the law of the input."""
        name = key(tuple(data))
        if name not in self.use:
            raise UnknownInput(f"it is not among the {len(self.use)} inputs whose laws were found")
        given, row = self.use[name]
        assert isinstance(self.claim.mechanism, Mechanism)
        noise = Followed(source, self.known)
        skeleton, _ = take_apart(self.claim.mechanism.bind(given, params)(noise), lambda _: False)
        shown = label(put_together(skeleton, iter(())))
        if shown not in self.outputs or not self.rows[row][self.outputs.index(shown)].sign():
            raise NoWay(f"the law of this input does not have the output {shown}")
        place = self._place(row, self.outputs.index(shown))
        self.reached.add(place)
        return Trace(tuple(noise.asked), output_of(skeleton, iter(())), (place,))

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """Every sequence of outcomes of one input of each law, whose weights must be the law."""
        found: dict[int, Data] = {}
        for data, row in self.use.values():
            found.setdefault(row, data)
        left = MAX_SEQUENCES
        for row, data in found.items():
            total: dict[str, Probability] = {}
            for draws, output, weight in self._sequences(data):
                left -= 1
                total[output] = total[output] + weight if output in total else weight
                if self._place(row, self.outputs.index(output)) not in self.reached or left > 0:
                    yield Probe(data, claim.params, draws)
            self._compare(data, row, total)

    def _sequences(self, data: Data) -> Iterator[tuple[tuple[Any, ...], str, Probability]]:
        """Outcomes, output and weight of every run on an input."""
        assert isinstance(self.claim.mechanism, Mechanism)
        todo: list[list[int]] = [[]]
        while todo:
            prefix = todo.pop()
            noise = _Listed(prefix)
            output = self.claim.mechanism.bind(data, self.claim.params)(noise)
            for k in range(len(prefix), len(noise.taken)):
                todo += [[*noise.taken[:k], other] for other in range(1, noise.widths[k])]
            if noise.weight.top.terms:
                yield (
                    tuple(noise.values),
                    label(put_together(take_apart(output, lambda _: False)[0], iter(()))),
                    (noise.weight),
                )

    def _compare(self, data: Data, row: int, total: Mapping[str, Probability]) -> None:
        """The weights of all outputs are those of the certificate, up to a common factor, and they are all."""
        weights = {self.outputs[j]: w for j, w in enumerate(self.rows[row]) if w.sign()}
        whole = sum(weights.values(), ExpSum.of(0))
        for name in {*weights, *total}:
            ours, theirs = weights.get(name, ExpSum.of(0)), total.get(name)
            top, bottom = (
                (ExpSum.of(0), ExpSum.of(1))
                if theirs is None
                else (ExpSum(dict(theirs.top.terms)), ExpSum(dict(theirs.bottom.terms)))
            )
            if (ours * bottom - top * whole).sign() != 0:
                raise Unfaithful(f"{self.claim.target}: the probability of {name} on {data} is not the certificate's")


class _Listed(Outcomes):
    """A run on prescribed outcomes that keeps their values."""

    def __init__(self, prefix: Sequence[int]) -> None:
        super().__init__(prefix)
        self.values: list[Any] = []

    def draw(self, law: Law) -> Any:
        self.values.append(super().draw(law))
        return self.values[-1]


def proof(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``tables``: the laws of all inputs of a finite space."""
    certificate = evidence.certificate or {}
    space, inputs = finite_space(claim.space)
    if space.to_json() != certificate["space"]:
        raise Unfaithful(f"{claim.target}: the certificate speaks of other inputs than the claim")
    given = [tuple(claim.space.validate(data)) for data in inputs]
    use = {key(data): (data, row) for data, row in zip(given, certificate["use"], strict=True)}
    return FiniteModel(claim, certificate["outputs"], _rows(certificate["rows"]), use)


def refutation(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``table-violation``: the laws of two inputs."""
    assert isinstance(evidence, Counterexample)
    certificate = evidence.certificate or {}
    sides = tuple(tuple(claim.space.validate(side)) for side in (evidence.left, evidence.right))
    rows = _rows([certificate["left"], certificate["right"]])
    use = {key(side): (side, row) for row, side in enumerate(sides)}
    return Scoped(FiniteModel(claim, certificate["outputs"], rows, use), sides, (claim.params,))


def _rows(rows: Sequence[Sequence[Any]]) -> list[list[ExpSum]]:
    return [[ExpSum.from_json(weight) for weight in row] for row in rows]


def labelled(names: Sequence[str]) -> bool:
    """Whether the outputs of a certificate are named by type and value, as finite laws name them."""
    kinds = ("int", "float", "bool", "str", "NoneType", "Fraction", "list", "tuple")
    return all(name.partition(":")[0] in kinds and ":" in name for name in names)
