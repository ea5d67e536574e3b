"""Models of releases of sorted records: location and scale are combinations of the gaps between sorted values."""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import Computed, Model, Probe, Source, Trace, Unfaithful, UnknownInput
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.laws import Law
from dpwitness.core.mechanism import Mechanism
from dpwitness.core.numbers import Exact
from dpwitness.proofs.laws.reading import leaves_on
from dpwitness.proofs.laws.scales import standard
from dpwitness.proofs.models.formulas import evaluate, lookup
from dpwitness.proofs.models.releases import number_of

PLACE = "the release"
SIZES = {"laplace": "scale", "exponential": "scale", "gaussian": "std"}


@dataclass
class SortedModel:
    """A sorted release of a certificate.

    Attributes
    ----------
    law
        The draw of the program, as it was read on one dataset.
    wide
        Whether the draw itself has the scale of the release; else it has always the same law and is multiplied.
    factor
        What the draw is, in units of standard noise (or, where `wide`, of the scale).
    """

    claim: Claim
    certificate: Mapping[str, Any]
    law: Law
    wide: bool
    factor: float

    def places(self) -> Collection[str]:
        """One: the release is one formula of the sorted records."""
        return [PLACE]

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """Datasets whose gaps are all but one (or two) zero: there each form of the scale is seen alone."""
        low, high = (Fraction(end) for end in self.certificate["records"])
        size = len(self.certificate["location"]) - 1
        for first in range(size + 1):
            for share in (Fraction(1), Fraction(1, 2)):
                gaps = [Fraction(0)] * (size + 1)
                gaps[first] += share * (high - low)
                gaps[rng.randrange(size + 1)] += (1 - share) * (high - low)
                data = [low + sum(gaps[: j + 1], Fraction(0)) for j in range(size)]
                rng.shuffle(data)
                yield Probe(tuple(Exact(x) for x in data), claim.params)

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """location + scale · standard noise."""
        location, scale = place_and_scale(self.certificate, data)
        law = self.law
        if self.wide:
            name = SIZES[law.name]
            law = replace(law, **{name: scale * self.factor})
        z = float(source(law)) / (scale * self.factor if self.wide else self.factor)
        return Trace((law,), Computed(float(location) + scale * z), (PLACE,))


def place_and_scale(certificate: Mapping[str, Any], data: Sequence[Any]) -> tuple[Fraction, float]:
    """Location and scale on a dataset."""
    low, high = (Fraction(end) for end in certificate["records"])
    if len(data) != len(certificate["location"]) - 1:
        raise UnknownInput(f"the program was read on {len(certificate['location']) - 1} records")
    points = [low, *sorted(Fraction(x) for x in data), high]
    gaps = [b - a for a, b in pairwise(points)]
    shrink = math.exp(-float(number_of(certificate["beta"])))
    sizes = [shrink ** form["power"] * float(_dot(form["gaps"], gaps)) for form in certificate["scales"]]
    return _dot(certificate["location"], gaps), float(number_of(certificate["unit"])) * max(sizes)


def _dot(coefficients: Sequence[str], gaps: Sequence[Fraction]) -> Fraction:
    return sum((Fraction(c) * g for c, g in zip(coefficients, gaps, strict=True)), Fraction(0))


def proof(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``sorted-release``: all datasets of one size. How the program draws is read on two of them."""
    certificate = evidence.certificate or {}
    low, high = (Fraction(end) for end in certificate["records"])
    size = len(certificate["location"]) - 1
    found = []
    for step in (1, 2):
        data = [Exact(low + (high - low) * min(Fraction(1), Fraction(step * (j + 1), size + 2))) for j in range(size)]
        law = _drawn(claim, data, certificate["noise"])
        factor = float(evaluate(standard(law)[2], lookup((), (), claim.params)))
        found.append((law, factor, place_and_scale(certificate, data)[1]))
    (law, one, here), (_, two, there) = found
    if math.isclose(one, two, rel_tol=1e-12):
        return SortedModel(claim, certificate, law_values(law, claim.params), False, one)
    if law.name in SIZES and math.isclose(one / here, two / there, rel_tol=1e-12):
        return SortedModel(claim, certificate, law_values(law, claim.params), True, one / here)
    raise Unfaithful(f"{claim.target}: the scale of the noise is not that of the certificate")


def _drawn(claim: Claim, data: Sequence[Any], noise: Mapping[str, str]) -> Law:
    assert isinstance(claim.mechanism, Mechanism)
    leaves = leaves_on(claim.mechanism.program, data, claim.params, limit=2)
    if len(leaves) != 1 or len(leaves[0].draws) != 1 or leaves[0].output != ("slot",):
        raise Unfaithful(f"{claim.target}: the program does not release one number with one draw")
    law = leaves[0].draws[0].law
    if standard(law)[0] != dict(noise):
        raise Unfaithful(f"{claim.target}: the noise is not that of the certificate")
    return law


def law_values(law: Law, params: Mapping[str, Any]) -> Law:
    """A law with numbers in place of forms."""
    from dpwitness.proofs.models.formulas import law_at

    return law_at(law, lookup((), (), params))


__all__ = ["SortedModel", "proof"]
