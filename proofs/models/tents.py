r"""Models of noise that is kept in an interval: on each side of the centre c the output is
:math:`c \pm \frac1r \ln(1 - u(1 - e^{-rd}))`, with d the distance of the end on that side and u uniform.
"""

from __future__ import annotations

import math
import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.comparing import odds
from dpwitness.core.coexecution.model import Computed, Model, Probe, Scoped, Source, Trace, Unfaithful, UnknownInput
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.core.laws import Law
from dpwitness.core.mechanism import Mechanism
from dpwitness.proofs.laws.transforms import branch_of, smooth_leaves
from dpwitness.proofs.models.paths import PathTree, Way
from dpwitness.proofs.models.releases import sides_of

SIDES = {1: "below the centre", -1: "above the centre"}


@dataclass
class TentModel:
    """A tent of a certificate; which side a run takes, and from which draw, is as the program was read."""

    claim: Claim
    rate: Fraction
    support: tuple[Fraction, Fraction]
    coefficients: Sequence[Fraction]
    offset: Fraction
    tree: PathTree
    sides: Sequence[int]

    def places(self) -> Collection[str]:
        """The two sides."""
        return list(SIDES.values())

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """None beside those of the harness."""
        return iter(())

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """Invert the distribution function of the side that was taken."""
        if len(data) != len(self.coefficients):
            raise UnknownInput(f"the program was read on {len(self.coefficients)} records")
        chosen: list[tuple[Law, Any]] = []

        def kept(law: Law) -> Any:
            chosen.append((law, source(law)))
            return chosen[-1][1]

        run = self.tree.follow(data, params, kept)
        side = self.sides[run.way]
        rate, centre = float(self.rate), float(self._centre(data))
        shares = [-math.expm1(-rate * abs(centre - float(end))) for end in self.support]
        share = shares[0 if side > 0 else 1]
        chance = 1.0
        for law, value in chosen:
            if law.support == "finite":
                chance *= float(odds(law)[0 if value else 1])
        if not math.isclose(chance, share / sum(shares), rel_tol=1e-12):
            raise Unfaithful(f"{self.claim.target}: the side {SIDES[side]} has another probability on {tuple(data)}")
        u = next(float(value) for law, value in chosen if law.name == "uniform")
        return Trace(run.laws, Computed(centre + side * math.log1p(-u * share) / rate), (SIDES[side],), run.doubt)

    def _centre(self, data: Sequence[Any]) -> Fraction:
        return self.offset + sum((c * Fraction(x) for c, x in zip(self.coefficients, data, strict=True)), Fraction(0))


def proof(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``tent``: all datasets of one size."""
    certificate = evidence.certificate or {}
    assert isinstance(claim.mechanism, Mechanism)
    coefficients = [Fraction(c) for c in certificate["coefficients"]]
    leaves = smooth_leaves(claim.mechanism.program, len(coefficients), claim.params)
    bottom, top = map(Fraction, certificate["support"])
    sides = [1 if branch_of(leaf).rate > 0 else -1 for leaf in leaves]
    tree, offset = PathTree(Way.of(leaf) for leaf in leaves), Fraction(certificate["offset"])
    return TentModel(claim, Fraction(certificate["rate"]), (bottom, top), coefficients, offset, tree, sides)


def refutation(claim: Claim, evidence: UpperBound | Counterexample) -> Model:
    """``tent-violation``: two inputs."""
    return Scoped(proof(claim, evidence), sides_of(claim, evidence), (claim.params,))
