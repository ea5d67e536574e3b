"""Models of additive noise: released number i is an offset, plus a linear form of the data, plus one draw of its own."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.inputs import key
from dpwitness.core.coexecution.model import Computed, Model, Probe, Scoped, Source, Trace, Unfaithful, UnknownInput
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.laws import Law
from dpwitness.core.readers.paths import unknown_inputs
from dpwitness.core.spaces import Answers, Interval, Records
from dpwitness.proofs.kernel.arith import text
from dpwitness.proofs.laws import layouts
from dpwitness.proofs.laws.additive import Moves, additive_form
from dpwitness.proofs.laws.layouts import Layout, noise_bounds
from dpwitness.proofs.models.formulas import law_at, lookup
from dpwitness.proofs.models.nodes import constant_of
from dpwitness.proofs.models.programs import Data, parameters

PLACE = "the release"


@dataclass(frozen=True)
class Release:
    """A layout with the draws of the program in order, and for each number its draw and its factor."""

    layout: Layout
    draws: tuple[Law, ...]
    noise: tuple[tuple[int, Fraction] | None, ...]


def read_release(claim: Claim, data: Sequence[Any]) -> Release:
    """The layout on given or unknown data; its laws must be those of the draws that were read."""
    path = layouts.single_path(claim, data)
    found = layouts.read_layout(path)
    noise: list[tuple[int, Fraction] | None] = []
    for form, pair in zip(path.values, found.laws, strict=True):
        parts = form.linear()
        assert parts is not None
        drawn = [(symbol.index, c.value()) for symbol, c in parts[0].items() if symbol.kind == "draw"]
        noise.append((drawn[0][0], Fraction(drawn[0][1] or 0)) if drawn else None)
        if pair != (noise_bounds(path.draws[drawn[0][0]].law, Fraction(drawn[0][1] or 0)) if drawn else None):
            raise Unfaithful(f"{claim.target}: the noise of a released number is not that of its draw")
    return Release(found, tuple(draw.law for draw in path.draws), tuple(noise))


@dataclass
class AdditiveModel:
    """Released numbers with additive noise.

    Attributes
    ----------
    linear
        The release on unknown numbers, where one serves all inputs.
    known
        The inputs that were read one by one, where none does.
    every
        Whether the model is said to hold for every ε: all scales are multiples of 1/ε, and nothing else depends on it.
    """

    claim: Claim
    linear: Release | None = None
    known: Mapping[Any, Data] = field(default_factory=dict)
    every: bool = False
    cache: dict[Any, Release] = field(default_factory=dict)

    def places(self) -> Collection[str]:
        """One: there are no branches."""
        return [PLACE]

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """None beside those of the harness."""
        return iter(())

    def release(self, data: Sequence[Any]) -> Release:
        """The release on an input."""
        if self.linear is not None:
            if len(data) != self.claim.space.size:
                raise UnknownInput(f"the program was read on {self.claim.space.size} numbers")
            return self.linear
        name = key(data)
        if name not in self.known:
            raise UnknownInput(f"it is not among the {len(self.known)} inputs that were read")
        if name not in self.cache:
            self.cache[name] = read_release(self.claim, self.known[name])
        return self.cache[name]

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """Draw in order, and add."""
        release = self.release(data)
        stretch = Fraction(self.claim.params["eps"]) / Fraction(params["eps"]) if self.every else Fraction(1)
        asked: list[Law] = []
        values: list[Any] = []
        for law in release.draws:
            asked.append(_stretched(law_at(law, lookup((), (), params)), stretch))
            values.append(source(asked[-1]))
        found = release.layout
        numbers: list[Fraction] = []
        for row, offset, noise in zip(found.rows, found.constants, release.noise, strict=True):
            number = offset + sum((a * Fraction(data[j]) for j, a in row.items()), Fraction(0))
            numbers.append(number if noise is None else number + noise[1] * Fraction(values[noise[0]]))
        return Trace(tuple(asked), _output(found.skeleton, iter(numbers)), (PLACE,))


def _stretched(law: Law, factor: Fraction) -> Law:
    return law if factor == 1 else replace(law, scale=law.params()["scale"] * factor)  # type: ignore[call-arg]


def _output(part: Any, numbers: Iterator[Fraction]) -> Any:
    if part[0] == "slot":
        return Computed(next(numbers))
    if part[0] == "const":
        return constant_of(part[1], part[2])
    items = [_output(x, numbers) for x in part[1:]]
    return items if part[0] == "list" else tuple(items)


def proof(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``noise``: the layout that leads to the certificate's laws and moves."""
    certificate = evidence.certificate or {}
    first, moves = additive_form(claim)
    _agree(claim, certificate, first, moves)
    every = evidence.scope.epsilon == "all" and "eps" in claim.params
    params = parameters(claim, "eps" if every else "1")
    space = claim.space
    if (isinstance(space, Answers) and not space.finite) or (
        isinstance(space, Records) and isinstance(space.domain, Interval)
    ):
        model = AdditiveModel(claim, read_release(claim, unknown_inputs(space.size)), every=every)
        assert model.linear is not None
        if model.linear.layout != first:
            raise Unfaithful(f"{claim.target}: two readings of the program gave different releases")
        return Scoped(model, None, params)
    read: dict[Any, Data] = {}  # as the prover keeps them: records that are equal are one there
    for pair in space.all_pairs():
        for data in (pair.left, pair.right):
            read.setdefault(data, data)
    return Scoped(AdditiveModel(claim, None, {key(data): data for data in read.values()}, every), None, params)


def _agree(claim: Claim, certificate: Mapping[str, Any], first: Layout, moves: Moves) -> None:
    laws = [pair[0].to_json() for pair in first.laws if pair is not None]
    stated = certificate.get("moves")
    if certificate["laws"] != laws or (stated is not None and stated != {"kind": moves.kind, "by": moves.by}):
        raise Unfaithful(f"{claim.target}: the program as read now does not lead to this certificate")


def refutation(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``noise-violation``: the releases on the two inputs, which lead to the certificate's laws and its move."""
    assert isinstance(evidence, Counterexample)
    certificate = evidence.certificate or {}
    model, here, there = two_inputs(claim, evidence)
    laws = [pair[1].to_json() for pair in here.layout.laws if pair is not None]
    sizes = [abs(m) for m in _moves(here, there, evidence)]
    moving = [text(s) for s, pair in zip(sizes, here.layout.laws, strict=True) if pair is not None]
    stated = certificate.get("move")
    if certificate["laws"] != laws or (stated is not None and stated != moving):
        raise Unfaithful(f"{claim.target}: the program as read now does not lead to this certificate")
    return model


def told_apart(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``table-violation`` where a number without noise moves: the releases on the two inputs."""
    assert isinstance(evidence, Counterexample)
    model, here, there = two_inputs(claim, evidence)
    moved = _moves(here, there, evidence)
    if not any(m and pair is None for m, pair in zip(moved, here.layout.laws, strict=True)):
        raise Unfaithful(f"{claim.target}: no number without noise tells the two inputs apart")
    return model


def two_inputs(claim: Claim, evidence: Counterexample) -> tuple[Model, Release, Release]:
    """The model on the two inputs of a counterexample, read on them, and their releases."""
    sides = tuple(tuple(claim.space.validate(side)) for side in (evidence.left, evidence.right))
    model = AdditiveModel(claim, None, {key(side): side for side in sides})
    here, there = (model.release(side) for side in sides)
    if (here.layout.skeleton, here.layout.laws) != (there.layout.skeleton, there.layout.laws):
        raise Unfaithful(f"{claim.target}: structure or noise of the output depends on the data")
    return Scoped(model, sides, (claim.params,)), here, there


def _moves(here: Release, there: Release, evidence: Counterexample) -> list[Fraction]:
    return [b - a for a, b in zip(here.layout.constants, there.layout.constants, strict=True)]


__all__ = ["AdditiveModel", "proof", "refutation", "told_apart"]
