"""Models of additive noise: a released number is an offset plus a linear form of the data plus a draw of its own."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import Model, Probe, Scoped, Source, Trace, Unfaithful, UnknownInput
from dpwitness.core.errors import OutsideFragment
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.identity import key
from dpwitness.core.laws import Law
from dpwitness.core.readers.paths import unknown_inputs
from dpwitness.proofs.kernel.arith import text
from dpwitness.proofs.laws.layouts import law_json, single_path
from dpwitness.proofs.models.formulas import law_at, lookup
from dpwitness.proofs.models.nodes import output_of
from dpwitness.proofs.models.programs import Data, parameters
from dpwitness.proofs.spaces import finite_space, real_space

PLACE = "the release"
Numbers = Callable[[Sequence[Any]], Sequence[Fraction]]  # what is released on an input, without noise


@dataclass(frozen=True)
class Drawn:
    """The draws of the program in order, and for each released number its draw and the factor before it."""

    laws: tuple[Law, ...]
    noise: tuple[tuple[int, Fraction] | None, ...]


def read_draws(claim: Claim, data: Sequence[Any], stated: Sequence[Mapping[str, str] | None], unit: str) -> Drawn:
    """The draws on given or unknown data; the noise of each number must be the certificate's."""
    path = single_path(claim, data)
    noise: list[tuple[int, Fraction] | None] = []
    found: list[Mapping[str, str] | None] = []
    for form in path.values:
        parts = form.linear()
        drawn = [] if parts is None else [(s.index, c.value()) for s, c in parts[0].items() if s.kind == "draw"]
        if len(drawn) > 1 or any(factor is None for _, factor in drawn):
            raise Unfaithful(f"{claim.target}: a released number does not have one draw of its own")
        noise.append((drawn[0][0], Fraction(drawn[0][1] or 0)) if drawn else None)
        found.append(law_json(path.draws[drawn[0][0]].law, Fraction(drawn[0][1] or 0)) if drawn else None)
    if unit == "eps":
        found = [
            law and {**law, "scale": text(Fraction(law["scale"]) * Fraction(claim.params["eps"]))} for law in found
        ]
    if found != list(stated):
        raise Unfaithful(f"{claim.target}: the noise of the released numbers is not that of the certificate")
    return Drawn(tuple(draw.law for draw in path.draws), tuple(noise))


@dataclass
class AdditiveModel:
    """Numbers released with additive noise, as a certificate states them.

    Attributes
    ----------
    numbers
        What is released on an input without noise; raises `UnknownInput` where the certificate does not say.
    every
        Whether it is said to hold for every ε: scales are multiples of 1/ε, and nothing else depends on ε.
    """

    claim: Claim
    output: Sequence[Any]
    numbers: Numbers
    drawn: Drawn
    every: bool = False

    def places(self) -> Collection[str]:
        """One: there are no branches."""
        return [PLACE]

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """None beside those of the harness."""
        return iter(())

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """Draw in order, and add."""
        numbers = self.numbers(data)
        stretch = Fraction(self.claim.params["eps"]) / Fraction(params["eps"]) if self.every else Fraction(1)
        asked: list[Law] = []
        values: list[Any] = []
        for law in self.drawn.laws:
            asked.append(_stretched(law_at(law, lookup((), (), params)), stretch))
            values.append(source(asked[-1]))
        noisy = [
            number if noise is None else number + noise[1] * Fraction(values[noise[0]])
            for number, noise in zip(numbers, self.drawn.noise, strict=True)
        ]
        return Trace(tuple(asked), output_of(self.output, iter(noisy)), (PLACE,))


def _stretched(law: Law, factor: Fraction) -> Law:
    return law if factor == 1 else replace(law, scale=law.params()["scale"] * factor)  # type: ignore[call-arg]


def linear(rows: Sequence[Sequence[str]], offsets: Sequence[str]) -> Numbers:
    """Released numbers that are linear in the data."""
    matrix = [[Fraction(c) for c in row] for row in rows]
    base = [Fraction(c) for c in offsets]

    def numbers(data: Sequence[Any]) -> list[Fraction]:
        if any(len(row) != len(data) for row in matrix):
            raise UnknownInput(f"the program was read on {len(matrix[0])} numbers, and this input has {len(data)}")
        values = [Fraction(x) for x in data]
        return [
            offset + sum((c * x for c, x in zip(row, values, strict=True)), Fraction(0))
            for row, offset in zip(matrix, base, strict=True)
        ]

    return numbers


def tabled(inputs: Sequence[Data], locations: Sequence[Sequence[str]]) -> Numbers:
    """Released numbers that are listed for each input."""
    known = {key(data): [Fraction(x) for x in row] for data, row in zip(inputs, locations, strict=True)}

    def numbers(data: Sequence[Any]) -> list[Fraction]:
        name = key(tuple(data))
        if name not in known:
            raise UnknownInput(f"it is not among the {len(known)} inputs that were read")
        return known[name]

    return numbers


def proof(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``noise``: all inputs of the claim's space."""
    certificate = evidence.certificate or {}
    unit = certificate["unit"]
    if "locations" in certificate:
        space, listed = finite_space(claim.space)
        stated: dict[str, Any] | None = space.to_json()
        inputs = [tuple(claim.space.validate(data)) for data in listed]
        data: Sequence[Any] = inputs[0]
        numbers = tabled(inputs, certificate["locations"])
    else:
        stated, data = _real(claim), unknown_inputs(claim.space.size)
        numbers = linear(certificate["rows"], certificate["offsets"])
    if stated != certificate["space"]:
        raise Unfaithful(f"{claim.target}: the certificate speaks of other inputs than the claim")
    drawn = read_draws(claim, data, certificate["laws"], unit)
    model = AdditiveModel(claim, certificate["output"], numbers, drawn, unit == "eps")
    return Scoped(model, None, parameters(claim, unit))


def _real(claim: Claim) -> dict[str, Any] | None:
    """The claim's inputs as certificates state real ones of one size; None where they are others."""
    try:
        return real_space(claim.space).to_json()
    except OutsideFragment:
        return None


def refutation(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``noise-violation``: the two inputs of the counterexample."""
    assert isinstance(evidence, Counterexample)
    certificate = evidence.certificate or {}
    sides = tuple(tuple(claim.space.validate(side)) for side in (evidence.left, evidence.right))
    if "locations" in certificate:
        numbers, data = tabled(sides, certificate["locations"]), sides[0]
    else:
        numbers, data = linear(certificate["rows"], certificate["offsets"]), unknown_inputs(len(sides[0]))
    drawn = read_draws(claim, data, certificate["laws"], "1")
    return Scoped(AdditiveModel(claim, certificate["output"], numbers, drawn), sides, (claim.params,))
