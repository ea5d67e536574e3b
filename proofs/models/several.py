"""Models of certificates with a part for each number of records: each dataset has the part of its size."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from dpwitness.core.claims import Claim
from dpwitness.core.coexecution.model import Model, Probe, Scoped, Source, Trace, Unfaithful, UnknownInput
from dpwitness.core.evidence import Counterexample, UpperBound
from dpwitness.proofs.sizes import of_each_size


@dataclass
class SizesModel:
    """A model for each size."""

    parts: Mapping[int, tuple[Claim, Model]]

    def places(self) -> Collection[str]:
        """Those of all parts."""
        return [f"size {n}: {place}" for n, (_, model) in self.parts.items() for place in model.places()]

    def probes(self, claim: Claim, rng: random.Random) -> Iterator[Probe]:
        """Those of all parts."""
        for part, model in self.parts.values():
            yield from model.probes(part, rng)

    def run(self, data: Sequence[Any], params: Mapping[str, Any], source: Source) -> Trace:
        """The run of the part of this size."""
        if len(data) not in self.parts:
            raise UnknownInput(f"no part of the certificate speaks of {len(data)} records")
        trace = self.parts[len(data)][1].run(data, params, source)
        return replace(trace, places=tuple(f"size {len(data)}: {place}" for place in trace.places))


def proof(
    claim: Claim,
    evidence: UpperBound | Counterexample,
    model_of: Callable[[Claim, UpperBound | Counterexample], Model | None],
) -> Model | None:
    """``all-of``: the parts in the order of the sizes."""
    certificates = (evidence.certificate or {})["parts"]
    claims = of_each_size(claim, finite=True)
    if len(claims) != len(certificates):
        raise Unfaithful(f"{claim.target}: {len(certificates)} parts of a certificate for {len(claims)} sizes")
    parts: dict[int, tuple[Claim, Model]] = {}
    params: Any = None
    for part, certificate in zip(claims, certificates, strict=True):
        model = model_of(part, replace(evidence, certificate=certificate))
        if model is None:
            return None
        if isinstance(model, Scoped):
            params = (
                model.params if params is None or model.params is None else [p for p in params if p in model.params]
            )
        parts[part.queries] = part, model
    return Scoped(SizesModel(parts), None, None if params is None else tuple(params))
